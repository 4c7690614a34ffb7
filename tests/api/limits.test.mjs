// The limits of the specification's section 8 on uploads: refused with a clear message, early.
import net from "node:net";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { assert, form, start, test, until } from "./lib/harness.mjs";

const MB = 1 << 20;
const boundary = "limitsBoundary";
const head = (name) =>
  `--${boundary}\r\nContent-Disposition: form-data; name="files[]"; filename="${name}"\r\nContent-Type: text/plain\r\n\r\n`;
const opening = `--${boundary}\r\nContent-Disposition: form-data; name="project_name"\r\n\r\nBig\r\n`;
const closing = `--${boundary}--\r\n`;
const piece = Buffer.alloc(MB, "words of a large file ");

/** Files of so many bytes as an iterable body. */
function* body(sizes) {
  yield opening;
  let i = 0;
  for (const size of sizes) {
    yield head(`${i++}.txt`);
    for (let left = size; left > 0; left -= piece.length) yield left < piece.length ? piece.subarray(0, left) : piece;
    yield "\r\n";
  }
  yield closing;
}

const lengthOf = (sizes) =>
  [...sizes.keys()].reduce((n, i) => n + head(`${i}.txt`).length + sizes[i] + 2, opening.length + closing.length);

const drained = (socket) => new Promise((go) => socket.once("drain", go));

/**
 * Sends a request that the server may refuse before all of it is sent; gives the answer and how much
 * was sent. `pieces` false: the head alone.
 */
function send(kb, fields, pieces, key = kb.key) {
  return new Promise((resolve, reject) => {
    let text = "",
      sent = 0;
    const socket = net.connect(Number(new URL(kb.url).port), "127.0.0.1", async () => {
      const closed = new Promise((go) => socket.once("close", go));
      socket.write(
        `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}Content-Type: multipart/form-data; boundary=${boundary}\r\n${fields.join("\r\n")}\r\n\r\n`,
      );
      for (const bytes of pieces || []) {
        if (text || socket.destroyed) return;
        sent += bytes.length;
        const whole = fields.includes("Transfer-Encoding: chunked")
          ? Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), Buffer.from(bytes), Buffer.from("\r\n")])
          : bytes;
        if (!socket.write(whole)) await Promise.race([drained(socket), closed]);
      }
      if (pieces && fields.includes("Transfer-Encoding: chunked")) socket.write("0\r\n\r\n");
    });
    const done = () => {
      const [top, ...rest] = text.replace(/^HTTP\/1\.1 100 Continue\r\n\r\n/, "").split("\r\n\r\n");
      socket.destroy();
      resolve({ status: Number(top.split(" ")[1]), json: JSON.parse(rest.join("\r\n\r\n")), sent });
    };
    socket.setTimeout(60_000, () => socket.destroy(new Error("no answer within a minute")));
    socket.on("data", (bytes) => {
      text += bytes;
      const length = /content-length: (\d+)/i.exec(text);
      if (length && text.split("\r\n\r\n").slice(1).join("\r\n\r\n").length >= Number(length[1])) done();
    });
    socket.on("error", (error) => (text.includes("\r\n\r\n") ? done() : reject(error)));
  });
}

/** Nothing of a refused upload is left: no agent, no bytes in the data directory. */
async function untouched(kb) {
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 0);
  await until(
    "the temporary files to go",
    async () => (await readdir(path.join(kb.dir, "tmp"))).every((name) => !name.startsWith("upload-")),
    5000,
  );
}

test("50 files in one request are taken, 51 are refused", async (t) => {
  const kb = await start(t);
  const files = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`${i}.txt`, `File ${i}.`]));
  const reply = await kb.api("POST", "/projects", { form: form({ project_name: "x" }, files(51)) });
  assert.deepEqual(
    [reply.status, reply.json.message],
    [400, "the request has more than 50 files, the limit for one request"],
  );
  await untouched(kb);
  const agent = await kb.agent({ files: files(50) });
  assert.equal((await agent.pages()).filter((page) => page.index_status === "ok").length, 50);
});

test("a file of 100 MB is taken, one byte more is refused by name", async (t) => {
  const kb = await start(t);
  const over = await send(kb, [`Content-Length: ${lengthOf([100 * MB + 1])}`], body([100 * MB + 1]));
  assert.deepEqual([over.status, over.json.message], [400, 'the file "0.txt" is over the limit of 100 MB']);
  const chunked = await send(kb, ["Transfer-Encoding: chunked"], body([7, 600 * MB]));
  assert.deepEqual([chunked.status, chunked.json.message], [400, 'the file "1.txt" is over the limit of 100 MB']);
  assert.ok(chunked.sent < 400 * MB, "it is refused on the way");
  await untouched(kb);
  const exact = await send(kb, [`Content-Length: ${lengthOf([100 * MB])}`], body([100 * MB]));
  assert.equal(exact.status, 201, JSON.stringify(exact.json));
  const { pages } = await kb.expect(200, "GET", `/projects/${exact.json.data.id}/pages`);
  assert.equal(pages.data[0].filesize, 100 * MB);
  await kb.expect(200, "DELETE", `/projects/${exact.json.data.id}`);
});

test("a batch over 1 GB is refused by its Content-Length before a byte of it is sent", async (t) => {
  const kb = await start(t);
  for (const fields of [
    ["Content-Length: 1181116006"],
    ["Content-Length: 1181116006", "Expect: 100-continue"],
    ["Content-Length: 9223372036854775807"],
  ]) {
    const reply = await send(kb, fields, false);
    assert.equal(reply.status, 400);
    assert.match(reply.json.message, /is too large: the files of one request may have 1 GB together/);
  }
  await untouched(kb);
});

test("a batch over 1 GB that tells no length is refused when it passes the limit", async (t) => {
  const kb = await start(t);
  const reply = await send(kb, ["Transfer-Encoding: chunked"], body(Array(12).fill(90 * MB)));
  assert.equal(reply.status, 400);
  assert.match(reply.json.message, /1 GB/);
  assert.ok(reply.sent < 1120 * MB);
  await untouched(kb);
});

test("an upload without a key is refused before its bytes are taken", async (t) => {
  const kb = await start(t);
  const reply = await send(kb, [`Content-Length: ${lengthOf([90 * MB])}`, "Expect: 100-continue"], false, null);
  assert.equal(reply.status, 401);
  const pushed = await send(kb, [`Content-Length: ${lengthOf([90 * MB])}`], body([90 * MB]), null);
  assert.equal(pushed.status, 401, "the answer reaches a client that is still sending");
  await untouched(kb);
});

test("text fields beyond their limits are refused", async (t) => {
  const kb = await start(t);
  const post = async (parts) => (await kb.api("POST", "/projects", { form: parts, agent: false })).json.message;
  assert.match(await post([{ name: "project_name", value: "x".repeat(MB + 1) }]), /limit of 1 MB/);
  assert.match(
    await post(Array.from({ length: 5 }, (_, i) => ({ name: `f${i}`, value: "x".repeat(MB - 100) }))),
    /limit of 4 MB/,
  );
  assert.match(
    await post(Array.from({ length: 1001 }, (_, i) => ({ name: `f${i}`, value: "x" }))),
    /more than 1000 fields/,
  );
  await untouched(kb);
});

test("memory stays flat while large files arrive", async (t) => {
  const kb = await start(t);
  const resident = async () => Number(/^docent_resident_bytes (\d+)$/m.exec((await kb.api("GET", "/metrics")).text)[1]);
  const before = await resident();
  const binary = Buffer.alloc(MB, 0);
  function* zeros() {
    yield opening;
    yield head("zeros.bin");
    for (let i = 0; i < 80; i++) yield binary;
    yield `\r\n${closing}`;
  }
  const replies = await Promise.all([1, 2, 3].map(() => send(kb, ["Transfer-Encoding: chunked"], zeros())));
  for (const reply of replies) assert.equal(reply.status, 201, JSON.stringify(reply.json));
  const grown = (await resident()) - before;
  assert.ok(grown < 100 * MB, `resident memory grew by ${Math.round(grown / MB)} MB for 240 MB of uploads`);
});
