/*
 * What Docent adds to a model's stream, with many answers being written at once:
 *
 *   node bench/live_answers.mjs [ANSWERS] [TOKENS] [GAP_MS] [RAMP_MS]
 *
 * The model is a double in a process of its own. Each of its tokens is the moment at which it was
 * sent (microseconds of the monotonic clock, which all processes share), so the reader knows how
 * long each was on its way. The same streams are read from the double directly first: the
 * difference is Docent's. The answers begin over RAMP_MS (without it, over GAP_MS). Printed are
 * quantiles over all tokens, and over those sent while all answers were live; the processor time of
 * the server, and its memory; and how long questions that need no model, and small reads, took
 * meanwhile.
 *
 * Memory is what is resident: before the first answer, while all are live, and of that what each of
 * the second half has added, when the threads have their stacks and the database its pages. Counted
 * is all that an answer has in the server: the reader's connection and request, libcurl's handle and
 * connection, and Docent's own state. How these share it, a heap profile tells
 * (results/2026-11-23-live-answers-memory.md).
 *
 * Client, server and double share the processors of the machine.
 */
import { fork } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import { Service } from "../tests/api/lib/service.mjs";

const now = () => Number(process.hrtime.bigint() / 1000n);
const quantile = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** The double: `tokens` of them, one each `gap` ms; a full stop after every twelfth. */
function double(tokens, gap) {
  const server = http.createServer((req, res) => {
    req.resume();
    req.on("end", () => {
      res.writeHead(200, { "content-type": "text/event-stream" });
      let sent = 0;
      const tick = () => {
        if (res.destroyed) return clearInterval(timer);
        if (sent++ === tokens) {
          clearInterval(timer);
          res.write('data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\n');
          return res.end("data: [DONE]\n\n");
        }
        const text = ` ${now()}${sent % 12 ? "" : "."}`;
        res.write(`data: ${JSON.stringify({ choices: [{ index: 0, delta: { content: text } }] })}\n\n`);
      };
      const timer = setInterval(tick, gap);
      setTimeout(() => {}, 0);
    });
  });
  server.listen(0, "127.0.0.1", 4096, () => process.send(server.address().port));
}

/** Reads one stream; the time that each of its tokens took. */
function read(url, headers, body, textOf, onFirst) {
  return new Promise((resolve, reject) => {
    const times = [];
    let word = "";
    const req = http.request(
      url,
      { method: "POST", headers: { "content-type": "application/json", ...headers } },
      (res) => {
        let rest = "";
        res.setEncoding("utf8");
        res.on("data", (piece) => {
          const at = now();
          rest += piece;
          const lines = rest.split("\n");
          rest = lines.pop();
          for (const line of lines) {
            if (!line.startsWith("data: {")) continue;
            // A token may come in parts: its last one counts.
            word += textOf(JSON.parse(line.slice(6))) ?? "";
            const found = word.match(/\d{11,}/g);
            if (!found) continue;
            word = "";
            if (!times.length) onFirst?.();
            for (const sent of found) times.push({ sent: Number(sent), took: (at - Number(sent)) / 1000 });
          }
        });
        res.on("end", () => resolve(times));
        res.on("error", reject);
      },
    );
    req.on("error", reject);
    req.end(JSON.stringify(body));
  });
}

function print(name, list) {
  const times = list.sort((a, b) => a - b);
  if (!times.length) return console.log(`${name.padEnd(22)} none`);
  const figures = [0.5, 0.9, 0.99, 1].map((q) => quantile(times, q).toFixed(2)).join(" ");
  console.log(`${name.padEnd(22)} ${String(times.length).padStart(7)}  p50 p90 p99 max ms  ${figures}`);
}
const took = (all) => all.flat().map((token) => token.took);

/** Asks one thing after the other until it is over; how long each took. */
async function meanwhile(over, ask) {
  const times = [];
  while (!over()) {
    const start = now();
    await ask();
    times.push((now() - start) / 1000);
    await sleep(20);
  }
  return times;
}

const rss = (pid) => Number(/VmRSS:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]);
const cpu = (pid) => {
  const fields = fs.readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) / 100;
};

async function main([answers = 200, tokens = 100, gap = 50, ramp = gap]) {
  const child = fork(process.argv[1], ["double", tokens, gap]);
  const port = await new Promise((resolve) => child.once("message", resolve));
  const model = `http://127.0.0.1:${port}/v1`;
  const agentOf = new http.Agent({ maxSockets: Infinity });
  http.globalAgent = agentOf;
  const start = (n, make) => Promise.all(Array.from({ length: n }, (_, i) => sleep((i * ramp) / n).then(make)));
  console.log(`${answers} answers of ${tokens} tokens, one each ${gap} ms`);
  print(
    "double",
    took(await start(answers, () => read(`${model}/chat/completions`, {}, {}, (o) => o.choices[0].delta.content))),
  );
  const catalogue = `/tmp/live-answers-${process.pid}.json`;
  fs.writeFileSync(
    catalogue,
    JSON.stringify({ models: [{ id: "double", url: model, concurrency: 20000, context: 100000, max_tokens: 50000 }] }),
  );
  const kb = new Service({ env: { DOCENT_MODELS: catalogue, DOCENT_LOG: "warn" } });
  await kb.begin();
  const agent = await kb.agent({ files: { "a.txt": "The lighthouse was built in 1874 by Hester Quillby." } });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  const before = rss(kb.child.pid),
    used = cpu(kb.child.pid);
  // The documents are nowhere near to this question, so that it needs no model.
  const other = await kb.agent({ files: { "b.txt": "Goods may be returned within 30 days of delivery." } });
  let live = 0,
    half = 0,
    most = 0,
    allLive = Infinity,
    over = false;
  const asking = start(answers, () =>
    read(
      `${kb.url}/api/v1${agent.path}/conversations/${crypto.randomUUID()}/messages?stream=true`,
      { authorization: `Bearer ${kb.key}` },
      { prompt: "Who built the lighthouse?" },
      (o) => o.message,
      () => {
        if (++live === answers >> 1) half = rss(kb.child.pid);
        if (live < answers) return;
        most = rss(kb.child.pid);
        allLive = now();
      },
    ).finally(() => {
      over = true;
    }),
  );
  while (allLive === Infinity && !over) await sleep(20);
  const [plain, reads] = await Promise.all([
    meanwhile(
      () => over,
      () => other.ask("Who won the chess world championship of 1972?"),
    ),
    meanwhile(
      () => over,
      () => other.expect(200, "GET", ""),
    ),
  ]);
  const times = await asking;
  print("docent", took(times));
  print("docent, all live", took([times.flat().filter(({ sent }) => sent > allLive)]));
  print("answers without model", plain);
  print("small reads", reads);
  console.log(
    `server     processor ${(cpu(kb.child.pid) - used).toFixed(1)} s; memory before ${before} KB, ` +
      `all live ${most} KB: ${((most - before) / answers).toFixed(1)} KB an answer, ` +
      `${((most - half) / (answers - (answers >> 1))).toFixed(1)} KB each of the second half`,
  );
  fs.rmSync(catalogue);
  await kb.stop();
  child.kill();
  process.exit();
}

const [role, ...rest] = process.argv.slice(2);
if (role === "double") double(...rest.map(Number));
else await main([role, ...rest].filter((x) => x !== undefined).map(Number));
