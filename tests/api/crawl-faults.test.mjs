// What goes wrong on the way to a page, to its very end: the state it leaves, the sentence, and the memory.
import { existsSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { constants, deflateRawSync } from "node:zlib";
import { assert, start, test, until } from "./lib/harness.mjs";
import { changeRows } from "./lib/rows.mjs";
import { binary } from "./lib/service.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const quick = { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "5" } };

const page = (word, links = []) => ({
  "content-type": "text/html",
  body: `<html><head><title>The ${word} page</title></head><body><main><h1>The ${word} page</h1><p>The ${word} page says that ${word} parcels are kept in the hall of ${word} things, on the left.</p></main>${links.map((to) => `<a href="${to}">x</a>`).join("")}</body></html>`,
});

/** Path to [crawl, index, reason], of all documents. */
const states = async (agent, web) =>
  Object.fromEntries(
    (await agent.pages()).map((p) => [
      p.page_url.replace(web.url, ""),
      [p.crawl_status, p.index_status, p.status_reason],
    ]),
  );
const settled = (agent, web, count, ms = 60_000) =>
  until(
    "each page to be read or given up",
    async () => {
      const all = await states(agent, web);
      const waiting = Object.values(all).some(([crawl, index]) => crawl === "queued" || index === "queued");
      return Object.keys(all).length === count && !waiting && all;
    },
    ms,
  );

/** The agent's sources of addresses, once the first has been read. */
const crawled = (agent) =>
  until("the website to be read", async () => {
    const { sitemaps } = await agent.expect(200, "GET", "/sources");
    return sitemaps[0].sync_status !== "queued" && sitemaps;
  });

/** A megabyte of one byte, packed a thousandfold; any number of them can follow each other. */
const megabyteOf = (byte) => deflateRawSync(Buffer.alloc(1 << 20, byte), { finishFlush: constants.Z_SYNC_FLUSH });
const ofZeros = megabyteOf(0),
  ofSpaces = megabyteOf(32);
/** Sends so many of them as a gzip'd file, behind a head, and never holds more than one. */
function flood(res, megabytes, megabyte, head = "") {
  const sent = { megabytes: 0, whole: false };
  res.write(Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]));
  res.write(deflateRawSync(head, { finishFlush: constants.Z_SYNC_FLUSH }));
  const more = () => {
    while (sent.megabytes < megabytes && !res.destroyed) {
      sent.megabytes++;
      if (!res.write(megabyte)) return res.once("drain", more);
    }
    if (res.destroyed) return;
    res.end(Buffer.from([1, 0, 0, 0xff, 0xff, 0, 0, 0, 0, 0, 0, 0, 0]));
    sent.whole = true;
  };
  more();
  return sent;
}

/** The most memory the server has had since the last call, in MB. */
function mostMemory(kb) {
  const most = Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${kb.child.pid}/status`, "utf8"))[1]) / 1024;
  writeFileSync(`/proc/${kb.child.pid}/clear_refs`, "5");
  return most;
}

test("ten gigabytes of zeros in ten megabytes end at the limit of bytes, wherever they are met, and memory stays flat", async (t) => {
  const kb = await start(t, quick);
  const [web, lists] = [await site(t), await site(t)];
  const sent = {};
  const bomb = (name, type) => (req, res) => {
    res.writeHead(200, { "content-type": type, "content-encoding": "gzip" });
    sent[name] = flood(res, 10 << 10, ofZeros);
  };
  web
    .set("/robots.txt", bomb("robots", "text/plain"))
    .set("/", page("teal", ["/page", "/other"]))
    .set("/page", bomb("page", "text/html"))
    .set("/other", page("pink"));
  lists
    .set("/a", page("mint"))
    .set("/packed.xml", bomb("list", "application/xml"))
    .set("/file.xml.gz", (req, res) => {
      res.writeHead(200, { "content-type": "application/gzip" });
      flood(res, 10 << 10, ofSpaces, `<urlset><url><loc>${lists.url}/a</loc></url>`);
    });
  mostMemory(kb);
  const before = mostMemory(kb);
  const agent = await kb.agent({ sitemap_path: web.url });
  assert.deepEqual(await settled(agent, web, 3), {
    "/": ["ok", "ok", null],
    "/page": ["failed", "n/a", "127.0.0.1 sends more than 100 MB"],
    "/other": ["ok", "ok", null],
  });
  const reader = await kb.agent({ sitemap_path: `${lists.url}/packed.xml` });
  await reader.expect(201, "POST", "/sources", { json: { sitemap_path: `${lists.url}/file.xml.gz` } });
  const listed = await settled(reader, lists, 2);
  assert.deepEqual(listed, {
    "/packed.xml": ["failed", "n/a", "the sitemap could not be read: 127.0.0.1 sends more than 50 MB"],
    "/a": ["ok", "ok", null],
  });
  const { sitemaps } = await reader.expect(200, "GET", "/sources");
  assert.deepEqual(
    sitemaps.map((source) => [source.sync_status, source.sync_reason]),
    [
      ["failed", "the sitemap could not be read: 127.0.0.1 sends more than 50 MB"],
      ["ok", "it is damaged or larger than what is read of a sitemap; what could be read is there"],
    ],
  );
  const most = mostMemory(kb);
  t.diagnostic(`${before.toFixed(0)} MB before, at most ${most.toFixed(0)} MB`);
  assert.ok(most < before + 48, `${before} MB before, ${most} MB`);
  for (const name of ["robots", "page", "list"]) assert.ok(!sent[name].whole, `${name} was broken off`);
});

test("hosts that storm, lie and break off are asked five times, and then the page says what it was", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  const raw = (text) => (req, res) => {
    res.socket.write(text);
    res.socket.end();
  };
  const well = new Set();
  const storm = (fields, healed) => (req, res) =>
    well.has(req.url)
      ? res.writeHead(200, { "content-type": "text/html" }).end(page(healed).body)
      : res.writeHead(429, fields).end();
  const head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n";
  // In turn with those that answer: a host that breaks off again and again is asked ever more seldom.
  const ill = {
    "/short": raw(`${head}Content-Length: 100000\r\n\r\n<p>cut`),
    "/storm": storm({}, "gold"),
    "/chunks": raw(`${head}Transfer-Encoding: chunked\r\n\r\n5\r\n<p>ab\r\nzz\r\n`),
    "/named": storm({ "retry-after": "1" }, "mint"),
    "/packed": raw(`${head}Content-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!`),
    "/dated": storm({ "retry-after": new Date(Date.now() + 1000).toUTCString() }, "wine"),
    "/reset": (req, res) => res.destroy(),
    "/nonsense": storm({ "retry-after": "soon" }, "rose"),
  };
  web.set("/", page("teal", [...Object.keys(ill), "/long", "/last"]));
  for (const [where, answer] of Object.entries(ill)) web.set(where, answer);
  // More than it says: what is behind its length is no part of it.
  const body = page("grey").body;
  web.set(
    "/long",
    raw(`${head}Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}<p>The secret parcels.</p>`),
  );
  web.set("/last", page("pink"));
  const agent = await kb.agent({ sitemap_path: web.url });
  const waits = await until("each to be asked, and to wait for its next turn", async () => {
    const all = await states(agent, web);
    return Object.keys(ill).every((where) => all[where]?.[2] && !/waiting for/.test(all[where][2])) && all;
  });
  for (const where of Object.keys(ill)) assert.equal(waits[where][0], "queued", where);
  for (const where of ["/", "/long", "/last"])
    await until(where, async () => (await states(agent, web))[where]?.[1] === "ok");
  // The host is well for two of them when it is their last turn, minutes later as far as the store knows.
  well.add("/named").add("/nonsense");
  if (!(await changeRows(t, kb, "UPDATE pages SET attempts = 4, due_at = 1 WHERE state > 0 AND url <> ''"))) return;
  const busy = "the host answered 429: too many requests";
  assert.deepEqual(await settled(agent, web, 11), {
    "/": ["ok", "ok", null],
    "/long": ["ok", "ok", null],
    "/last": ["ok", "ok", null],
    "/named": ["ok", "ok", null],
    "/nonsense": ["ok", "ok", null],
    "/storm": ["failed", "n/a", busy],
    "/dated": ["failed", "n/a", busy],
    "/short": ["failed", "n/a", "127.0.0.1 cannot be fetched: its answer ends too early"],
    "/chunks": ["failed", "n/a", "127.0.0.1 cannot be fetched: the connection broke"],
    "/packed": ["failed", "n/a", "127.0.0.1 cannot be fetched: its answer cannot be unpacked"],
    "/reset": ["failed", "n/a", "127.0.0.1 cannot be fetched: it ends the connection without an answer"],
  });
  const [source] = await crawled(agent);
  assert.deepEqual([source.sync_status, source.sync_reason], ["ok", null]);
  assert.doesNotMatch((await agent.ask("Which parcels are secret?")).llm_response, /secret parcels\./);
});

const names = path.join(path.dirname(binary), "names.so");
test(
  "a name that nobody knows, and a resolver that is away, are asked again, and the page is read once they are well",
  { skip: existsSync(names) ? false : `${names} is missing` },
  async (t) => {
    const dir = mkdtempSync(path.join(tmpdir(), "docent-story-names-"));
    t.after(() => rmSync(dir, { recursive: true, force: true }));
    const file = path.join(dir, "names");
    const say = (lines) => {
      writeFileSync(`${file}.new`, lines);
      renameSync(`${file}.new`, file);
    };
    say("away.example again\nlost.example none\nnever.example none\n");
    const kb = await start(t, { env: { ...quick.env, LD_PRELOAD: names, STORY_NAMES: file } });
    const web = await site(t);
    const port = new URL(web.url).port;
    web.set("/away.html", page("teal")).set("/lost.html", page("gold"));
    const agent = await kb.agent();
    for (const name of ["away", "lost", "never"])
      await agent.expect(201, "POST", "/sources", {
        json: { sitemap_path: `http://${name}.example:${port}/${name}.html` },
      });
    const reasons = async () =>
      Object.fromEntries(
        (await agent.pages()).map((p) => [
          new URL(p.page_url).hostname.split(".")[0],
          [p.crawl_status, p.index_status, p.status_reason],
        ]),
      );
    const waits = await until("the reasons", async () => {
      const all = await reasons();
      return Object.values(all).length === 3 && Object.values(all).every((one) => /address/.test(one[2] ?? "")) && all;
    });
    assert.deepEqual(waits, {
      away: ["queued", "queued", "the address of away.example cannot be looked up now"],
      lost: ["queued", "queued", "lost.example has no address"],
      never: ["queued", "queued", "never.example has no address"],
    });
    say("away.example 127.0.0.1\nlost.example 127.0.0.1\nnever.example none\n");
    await until(
      "both to be read",
      async () => {
        const all = await reasons();
        return all.away[1] === "ok" && all.lost[1] === "ok";
      },
      60_000,
    );
    assert.match((await agent.ask("Where are teal parcels kept?")).llm_response, /hall of teal things/);
    assert.match((await agent.ask("Where are gold parcels kept?")).llm_response, /hall of gold things/);
    if (!(await changeRows(t, kb, "UPDATE pages SET attempts = 4, due_at = 1 WHERE state > 0 AND url <> ''"))) return;
    await until("the third to be given up", async () => (await reasons()).never[0] === "failed");
    assert.deepEqual((await reasons()).never, ["failed", "n/a", "never.example has no address"]);
  },
);

test("a robots.txt that changes between two crawls is kept to in the second: what it now forbids is kept and not asked for, what it opens is read", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  const rules = (text) => web.set("/robots.txt", { body: `User-agent: *\n${text}`, "content-type": "text/plain" });
  rules("Disallow: /inner/");
  web
    .set("/", page("teal", ["/outer/a", "/inner/b"]))
    .set("/outer/a", page("gold", ["/outer/c"]))
    .set("/outer/c", page("mint"))
    .set("/inner/b", page("wine", ["/inner/d"]))
    .set("/inner/d", page("rose"));
  const agent = await kb.agent({ sitemap_path: web.url });
  const closed = "robots.txt of 127.0.0.1 does not allow this address";
  const read = ["ok", "ok", null];
  assert.deepEqual(await settled(agent, web, 3), { "/": read, "/outer/a": read, "/outer/c": read });
  const [source] = await crawled(agent);
  assert.equal(source.sync_reason, "links left out: 1, forbidden by robots.txt");
  rules("Disallow: /outer/");
  // A day later, as far as the store knows.
  if (!(await changeRows(t, kb, "UPDATE robots SET good_until = 1"))) return;
  web.log.length = 0;
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  const kept = ["limited", "ok", `${closed}; what was read before is kept`];
  assert.deepEqual(await settled(agent, web, 5), {
    "/": read,
    "/outer/a": kept,
    "/outer/c": kept,
    "/inner/b": read,
    "/inner/d": read,
  });
  const asked = web.log.map((entry) => entry.path).filter((where) => !where.startsWith("/sitemap"));
  assert.deepEqual(asked.sort(), ["/", "/inner/b", "/inner/d"]);
  assert.match((await agent.ask("Where are gold parcels kept?")).llm_response, /hall of gold things/);
  assert.match((await agent.ask("Where are rose parcels kept?")).llm_response, /hall of rose things/);
});
