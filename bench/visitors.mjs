/*
 * A crowd on the page of a public agent, and readers who take a byte a second:
 *
 *   make bench B=visitors      or  DOCENT_BINARY=… node bench/visitors.mjs
 *
 * VISITORS=2000, each with a cookie and an address of its own, ask within RAMP=10 seconds. A model's double
 * says each answer in PIECES=40 pieces, GAP=500 milliseconds from one to the next: all streams are open at once.
 * SLOW=50 more ask for an answer of 60 KB and read a byte a second. Meanwhile a visitor who comes by
 * opens the page every 100 ms. Prints how long the first byte and the first word of an answer take, how long the
 * page takes, and what memory the server holds. Clients and double run on the same machine, and take most of it.
 */
import { rmSync, writeFileSync, mkdtempSync, readFileSync, readdirSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { Worker, isMainThread, parentPort, workerData } from "node:worker_threads";
import { library, foreign } from "../tests/api/lib/documents.mjs";
import { Service } from "../tests/api/lib/service.mjs";
import { sleep } from "../tests/api/lib/util.mjs";

const number = (name, usual) => Number(process.env[name] ?? usual);
const VISITORS = number("VISITORS", 2000),
  RAMP_MS = number("RAMP", 10) * 1000,
  PIECES = number("PIECES", 40),
  GAP_MS = number("GAP", 500),
  SLOW = number("SLOW", 50);
const LONG = "every word of it",
  LONG_BYTES = 60_000;

/** The model: one clock for all answers. */
function double() {
  const piece = (text, end = null) =>
    `data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text }, finish_reason: end }] })}\n\n`;
  const open = new Set();
  const server = http.createServer(async (req, res) => {
    let body = "";
    for await (const part of req) body += part;
    res.writeHead(200, { "content-type": "text/event-stream" });
    res.on("error", () => {});
    res.on("close", () => open.delete(res));
    res.left = PIECES;
    res.word = body.includes(LONG)
      ? "a long answer that is read a byte a second ".repeat(LONG_BYTES / PIECES / 43)
      : "word ";
    open.add(res);
  });
  const wheel = 20; // answers take their turns: not all in the same millisecond
  let turn = 0;
  setInterval(() => {
    let i = 0;
    turn++;
    for (const res of open) {
      if ((i++ + turn) % wheel) continue;
      if (--res.left > 0) res.write(piece(res.word));
      else res.end(piece(".", "stop") + "data: [DONE]\n\n");
    }
  }, GAP_MS / wheel);
  server.listen(0, "127.0.0.1", 4096, () => parentPort.postMessage(server.address().port));
}

const at = (times, share) =>
  [...times].sort((a, b) => a - b)[Math.min(times.length - 1, Math.floor(times.length * share))];
const row = (name, times) =>
  console.log(
    `${name.padEnd(34)} ${[0.5, 0.95, 0.99, 1].map((share) => `${(at(times, share) ?? NaN).toFixed(0)} ms`.padStart(10)).join("")}`,
  );
const agent = new http.Agent({ keepAlive: true, maxSockets: Infinity });

/** One request; what is wanted of its answer. */
function send(kb, method, where, headers, body, onPiece = () => {}) {
  return new Promise((resolve, reject) => {
    const begun = performance.now();
    const req = http.request(kb.url + where, {
      method,
      agent,
      headers: { "content-type": "application/json", ...headers },
    });
    req.on("error", reject);
    req.on("response", (res) => {
      const first = performance.now() - begun;
      res.setEncoding("utf8");
      res.on("data", onPiece);
      res.on("error", reject);
      res.on("end", () => resolve({ res, first, whole: performance.now() - begun }));
    });
    req.end(body);
  });
}
async function visitor(kb, base, i) {
  const from = { "x-docent-visitor": "1", "x-forwarded-for": `10.${1 + (i >> 16)}.${(i >> 8) & 255}.${i & 255}` };
  const { res, whole } = await send(kb, "POST", `${base}/visit`, from, "{}");
  if (res.statusCode !== 201) throw new Error(`visitor ${i} was answered ${res.statusCode}`);
  return { headers: { ...from, cookie: res.headers["set-cookie"][0].split(";")[0] }, whole };
}

/** A byte a second, and no more. */
function readSlowly(kb, base, headers, count) {
  const { hostname, port, host } = new URL(kb.url);
  const body = JSON.stringify({ prompt: `${foreign[0]} Tell me ${LONG}.` });
  const fields = {
    ...headers,
    host,
    "content-type": "application/json",
    accept: "text/event-stream",
    "content-length": body.length,
  };
  const socket = net.connect({
    host: hostname,
    port: Number(port),
    onread: {
      buffer: Buffer.alloc(1),
      callback: () => {
        count.bytes++;
        setTimeout(() => socket.resume(), 1000);
        return false;
      },
    },
  });
  socket.on("error", () => {}).on("close", () => count.closed++);
  const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}`);
  socket.write(`POST ${base}/messages HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
  return socket;
}

function stateOf(kb) {
  const of = (file) => readFileSync(`/proc/${kb.child.pid}/${file}`, "utf8");
  const [user, system] = of("stat").split(") ")[1].split(" ").slice(11, 13);
  return {
    mb: Number(/VmRSS:\s+(\d+)/.exec(of("status"))[1]) / 1024,
    threads: readdirSync(`/proc/${kb.child.pid}/task`).length,
    seconds: (Number(user) + Number(system)) / 100,
  };
}
const tell = (name, { mb, threads, seconds }) =>
  console.log(
    `${name.padEnd(34)} ${mb.toFixed(0).padStart(7)} MB ${String(threads).padStart(4)} threads ${seconds.toFixed(1).padStart(7)} s of work`,
  );

async function main() {
  const model = new Worker(new URL(import.meta.url), { workerData: "double" });
  const port = await new Promise((go) => model.once("message", go));
  const dir = mkdtempSync(path.join(tmpdir(), "docent-bench-"));
  const file = path.join(dir, "models.json");
  const places = VISITORS + SLOW;
  writeFileSync(
    file,
    JSON.stringify({
      models: [{ id: "double", url: `http://127.0.0.1:${port}/v1`, concurrency: places, queue: places }],
    }),
  );
  const kb = new Service({ env: { DOCENT_MODELS: file }, args: ["--trusted-proxies", "127.0.0.1"] });
  const slow = { bytes: 0, closed: 0 },
    sockets = [];
  await kb.begin();
  try {
    const own = await kb.agent({ files: library });
    await own.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
    const { shareable_slug: slug, shareable_link: page } = await own.expect(200, "POST", "", {
      json: { is_shared: true },
    });
    const base = `/public/v1/agents/${slug}`,
      link = page.slice(kb.url.length);
    tell("before", stateOf(kb));
    for (let i = 0; i < SLOW; i++) {
      const { headers } = await visitor(kb, base, VISITORS + i);
      sockets.push(readSlowly(kb, base, headers, slow));
    }
    const visits = [],
      firsts = [],
      words = [],
      pages = [],
      wrong = [];
    let open = 0,
      most = 0,
      done = 0,
      over = false;
    const look = (async () => {
      while (!over) {
        const { res, whole } = await send(kb, "GET", link, {}, undefined);
        if (res.statusCode === 200) pages.push(whole);
        else wrong.push(`the page: ${res.statusCode}`);
        await sleep(100);
      }
    })();
    let peak = stateOf(kb);
    const watch = setInterval(() => {
      const now = stateOf(kb);
      if (now.mb > peak.mb) peak = now;
    }, 500);
    await Promise.all(
      Array.from({ length: VISITORS }, async (_, i) => {
        await sleep((i * RAMP_MS) / VISITORS);
        try {
          const { headers, whole } = await visitor(kb, base, i);
          visits.push(whole);
          let text = "",
            said = 0;
          const begun = performance.now();
          most = Math.max(most, ++open);
          const { res, first } = await send(
            kb,
            "POST",
            `${base}/messages`,
            { ...headers, accept: "text/event-stream" },
            JSON.stringify({ prompt: foreign[0] }),
            (part) => {
              text = (text + part).slice(-400);
              if (!said && /"message":"[^"]/.test(part)) words.push((said = performance.now() - begun));
            },
          );
          open--;
          firsts.push(first);
          if (res.statusCode === 200 && text.includes('"finish"')) done++;
          else wrong.push(`${res.statusCode}: ${text.slice(-160)}`);
        } catch (error) {
          wrong.push(error.message);
        }
      }),
    );
    over = true;
    clearInterval(watch);
    await look;
    const end = stateOf(kb);
    tell("at the most", peak);
    tell("when all were answered", end);
    console.log(
      `\n${done} of ${VISITORS} answered, ${most} streams open at once; readers of a byte a second: ${SLOW}, ${slow.bytes} bytes read, ${slow.closed} hung up on`,
    );
    for (const sentence of new Set(wrong))
      console.log(`wrong: ${sentence} (${wrong.filter((w) => w === sentence).length})`);
    console.log(`${"".padEnd(34)} ${["p50", "p95", "p99", "most"].map((name) => name.padStart(10)).join("")}`);
    row("a visit begins", visits);
    row("first byte of an answer", firsts);
    row("first word of an answer", words);
    row("the page, meanwhile", pages);
    process.exitCode = done === VISITORS ? 0 : 1;
  } finally {
    for (const socket of sockets) socket.destroy();
    await model.terminate();
    agent.destroy();
    await kb.end().catch((error) => console.log(error.message));
    rmSync(dir, { recursive: true });
  }
}
if (isMainThread) await main();
else if (workerData === "double") double();
