/*
 * From a question to the first byte of its answer, against the real server, with one agent that holds
 * the whole corpus of bench/corpus.mjs:
 *
 *   make bench B=first_byte          or: node bench/first_byte.mjs [DIR] [QUESTIONS]
 *   node bench/first_byte.mjs fill [DIR]       only makes the agent, as in bench/search_peers.mjs
 *
 * The agent is made once, through the API, of Markdown documents of SECTIONS passages, each a section
 * of its own, and its data directory is kept in DOCENT_FIRST_BYTE (/tmp/docent-first-byte). A run
 * starts the server on it and prints how long the start took, the first question after it, then
 * the quantiles of streamed questions, each a new conversation that is stored durably and answered
 * without a model; the server's processor time by thread; and its memory.
 *
 * Time is the wall's, on the client's side; client and server share the processors.
 */
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { ask, quantile } from "./asking.mjs";
import { form, multipart, request } from "../tests/api/lib/http.mjs";
import { Service } from "../tests/api/lib/service.mjs";

const args = process.argv.slice(2);
const onlyFill = args[0] === "fill";
if (onlyFill) args.shift();
const dir = args[0] ?? process.env.DOCENT_CORPUS ?? path.join(os.tmpdir(), "docent-corpus");
const count = Number(args[1] ?? 1000);
const kept = process.env.DOCENT_FIRST_BYTE ?? path.join(os.tmpdir(), "docent-first-byte");
const ready = path.join(kept, "bench.json");
const SECTIONS = 2000,
  TOGETHER = 4; // passages in a document, documents in a request
const PAUSE_MS = 2; // between questions
const WARM = 50; // questions before those that count
const QUIET_MS = 40_000; // nothing was merged or learned for so long: all is

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

async function fill() {
  fs.rmSync(kept, { recursive: true, force: true });
  fs.mkdirSync(kept, { recursive: true });
  const kb = new Service({ dir: path.join(kept, "data") });
  await kb.begin();
  const headers = { accept: "application/json", authorization: `Bearer ${kb.key}` };
  const send = async (method, where, body, type) => {
    const reply = await request(`${kb.url}/api/v1${where}`, {
      method,
      body,
      headers: type ? { ...headers, "content-type": type } : headers,
    });
    if (reply.status >= 300) throw new Error(`${where} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
    return JSON.parse(reply.text).data;
  };
  const agent = await kb.agent();
  const queued = async () => (await send("GET", `/projects/${agent.id}/pages?index_status=queued&limit=1`)).pages.total;
  const start = performance.now();
  let files = {},
    number = 0,
    passages = 0,
    bytes = 0,
    sections = [];
  const post = async () => {
    const { body, type } = multipart(form({}, files));
    await send("POST", `/projects/${agent.id}`, body, type);
    files = {};
    while ((await queued()) > 16) await sleep(50);
  };
  const close = () => {
    files[`d${number++}.md`] = sections.join("\n\n");
    sections = [];
  };
  for await (const line of readline.createInterface({ input: fs.createReadStream(path.join(dir, "docs.jsonl")) })) {
    const { text } = JSON.parse(line);
    // Nothing of a passage is to be read as Markdown.
    sections.push(`# ${passages++}\n\n${text.replace(/[\\`*_{}[\]<>()#+\-.!|~&]/g, "\\$&")}`);
    bytes += Buffer.byteLength(text);
    if (sections.length === SECTIONS) close();
    if (Object.keys(files).length === TOGETHER) await post();
  }
  if (sections.length) close();
  if (Object.keys(files).length) await post();
  while (await queued()) await sleep(500);
  const took = (performance.now() - start) / 1000;
  for (let before = "", now = "-"; before !== now || !/learned_total [1-9]/.test(now);) {
    // merging and learning end
    before = now;
    await sleep(QUIET_MS);
    const { text } = await request(`${kb.url}/metrics`, { headers });
    now = text.match(/^docent_(segment_merges|factors_learned|segments_folded)_total \d+$/gm).join();
  }
  fs.writeFileSync(ready, JSON.stringify({ agent: agent.id, key: kb.key, passages, bytes, took }));
  console.log(
    `${passages} passages, ${(bytes / 1e6).toFixed(0)} MB of text, in ${took.toFixed(0)} s: ${(bytes / 1e6 / took).toFixed(1)} MB/s through the API`,
  );
  await kb.end();
}

function memory(pid) {
  const rollup = fs.readFileSync(`/proc/${pid}/smaps_rollup`, "utf8");
  const of = (name) => Number(new RegExp(`^${name}: +(\\d+)`, "m").exec(rollup)[1]) / 1024;
  return { rss: of("Rss"), own: of("Anonymous") };
}

/* Milliseconds of processor time so far, by name of thread. */
function processor(pid) {
  const found = {};
  for (const id of fs.readdirSync(`/proc/${pid}/task`)) {
    const name = fs.readFileSync(`/proc/${pid}/task/${id}/comm`, "utf8").trim();
    const nanoseconds = Number(fs.readFileSync(`/proc/${pid}/task/${id}/schedstat`, "utf8").split(" ")[0]);
    found[name] = (found[name] ?? 0) + nanoseconds / 1e6;
  }
  return found;
}

const told = (m) =>
  `${m.own.toFixed(0)} MB of its own, ${(m.rss - m.own).toFixed(0)} MB of mapped files in the page cache`;

async function measure() {
  const { agent, key, passages, took, bytes } = JSON.parse(fs.readFileSync(ready, "utf8"));
  const questions = fs
    .readFileSync(path.join(dir, "queries.jsonl"), "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).text);
  const kb = new Service({ dir: path.join(kept, "data") });
  console.log(
    `an agent of ${passages} passages, made before at ${(bytes / 1e6 / took).toFixed(1)} MB/s of text through the API, kept in ${kept}`,
  );
  let start = performance.now();
  await kb.spawn();
  console.log(`start to listening: ${(performance.now() - start).toFixed(0)} ms; ${told(memory(kb.child.pid))}`);
  const question = (text) => ask(kb.url, agent, key, text);
  const cold = [];
  for (const text of questions.slice(0, 3)) cold.push((await question(text)).first);
  console.log(
    `first questions after the start: ${cold.map((ms) => ms.toFixed(1)).join(", ")} ms; then ${told(memory(kb.child.pid))}`,
  );
  for (let i = 0; i < WARM; i++) await question(questions[i % questions.length]);
  const first = [],
    whole = [],
    before = processor(kb.child.pid);
  for (let i = 0; i < count; i++) {
    const one = await question(questions[i % questions.length]);
    first.push(one.first);
    whole.push(one.whole);
    await sleep(PAUSE_MS);
  }
  console.log(`\n| ms, of ${count} questions | p50 | p95 | p99 | longest |\n| --- | --- | --- | --- | --- |`);
  for (const [name, times] of [
    ["to the first byte of the answer", first],
    ["to its end, stored", whole],
  ]) {
    times.sort((a, b) => a - b);
    console.log(
      `| ${name} | ${[0.5, 0.95, 0.99].map((s) => quantile(times, s).toFixed(2)).join(" | ")} | ${times.at(-1).toFixed(1)} |`,
    );
  }
  const spent = Object.entries(processor(kb.child.pid)).map(([name, ms]) => [name, (ms - (before[name] ?? 0)) / count]);
  console.log(
    `\nthe server's processor time for a question, by thread: ${spent
      .filter(([, ms]) => ms > 0.005)
      .sort((a, b) => b[1] - a[1])
      .map(([name, ms]) => `${name} ${ms.toFixed(2)} ms`)
      .join(", ")}`,
  );
  console.log(`memory after that: ${told(memory(kb.child.pid))}`);
  await kb.end();
}

if (!fs.existsSync(ready)) await fill();
if (!onlyFill) await measure();
