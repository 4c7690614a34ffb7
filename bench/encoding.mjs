/*
 * How long people wait who ask while passages are encoded in the background:
 *
 *   make bench B=encoding         or: node bench/encoding.mjs [DOCUMENTS] [SECONDS]
 *
 * A real server with the encoder that is shipped. 50 clients, each with a pause of about two seconds
 * after an answer, ask an agent of 200 documents for SECONDS (30); DOCUMENTS (2,000) of some passages each go into
 * another agent; once its words are found and its vectors are being made, the clients ask as long
 * again, and once more after all is ready. Prints the first byte's quantiles with the encoder busy
 * and without (before and after together: other load of the machine comes and goes), how long until
 * all is ready, and passages a second.
 *
 * Documents and questions are words of our own pages in docs/. Clients and server share the
 * processors.
 */
import fs from "node:fs";
import path from "node:path";
import { form, multipart, request } from "../tests/api/lib/http.mjs";
import { Service, root } from "../tests/api/lib/service.mjs";
import { sleep } from "../tests/api/lib/util.mjs";
import { ask, quantile } from "./asking.mjs";

const [documents = 2000, seconds = 30] = process.argv.slice(2).map(Number);
const CLIENTS = 50,
  PAUSE_MS = 2000,
  ASKED = 200; // documents of the agent that is asked
const WORDS = 400, // of a document
  ASKED_WORDS = 80, // of one that is asked
  QUESTION = [4, 10]; // words of a question
const IN_REQUEST = 50;
const encoder = path.join(root, "share/docent/encoder.kbe");

let state = 1;
function any(n) {
  state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
  return Math.floor((state / 2 ** 32) * n);
}

const words = fs
  .readdirSync(path.join(root, "docs"))
  .filter((name) => name.endsWith(".md"))
  .flatMap((name) => fs.readFileSync(path.join(root, "docs", name), "utf8").match(/[\p{L}\p{N}]+/gu));
const text = (count) => {
  const from = any(words.length - count);
  return words.slice(from, from + count).join(" ");
};

const kb = new Service({ env: { DOCENT_ENCODER: encoder } });
await kb.begin();
const headers = { accept: "application/json", authorization: `Bearer ${kb.key}` };

async function send(method, where, body, type) {
  const reply = await request(`${kb.url}/api/v1${where}`, {
    method,
    body,
    headers: type ? { ...headers, "content-type": type } : headers,
  });
  if (reply.status >= 300) throw new Error(`${where} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  return JSON.parse(reply.text).data;
}

const meaning = async (agent) => (await send("GET", `/projects/${agent.id}`)).meaning;
const queued = async (agent) =>
  (await send("GET", `/projects/${agent.id}/pages?index_status=queued&limit=1`)).pages.total;

let names = 0;
async function fill(agent, count, length) {
  for (let left = count; left > 0; left -= IN_REQUEST) {
    const files = {};
    for (let i = 0; i < Math.min(left, IN_REQUEST); i++)
      files[`d${names}.txt`] = `Document ${names++}. ${text(length)}.`;
    const { body, type } = multipart(form({}, files));
    await send("POST", `/projects/${agent.id}`, body, type);
  }
  while (await queued(agent)) await sleep(50);
}

async function ready(agent) {
  for (;;) {
    const now = await meaning(agent);
    if (now.passages > 0 && now.ready === now.passages) return now.passages;
    await sleep(200);
  }
}

/** Milliseconds to the first bytes of answers to all clients. */
async function crowd(agent) {
  const until = performance.now() + seconds * 1000,
    times = [];
  await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      await sleep(any(PAUSE_MS));
      while (performance.now() < until) {
        const [least, most] = QUESTION;
        times.push((await ask(kb.url, agent.id, kb.key, text(least + any(most - least + 1)))).first);
        await sleep(PAUSE_MS / 2 + any(PAUSE_MS));
      }
    }),
  );
  return times;
}

const row = (name, times) =>
  console.log(
    `| ${name} | ${times.length} | ${[0.5, 0.95, 0.99].map((share) => quantile(times, share).toFixed(2)).join(" | ")} |`,
  );

try {
  const asked = await kb.agent(),
    filled = await kb.agent();
  await fill(asked, ASKED, ASKED_WORDS);
  await ready(asked);
  await crowd(asked); // warms up
  const without = await crowd(asked);
  const start = performance.now();
  await fill(filled, documents, WORDS);
  const found = performance.now();
  const before = await meaning(filled);
  const busy = await crowd(asked);
  const after = await meaning(filled);
  if (after.ready === after.passages) console.log("all was ready before the clients were done: give it more documents");
  const between = (performance.now() - found) / 1000;
  const passages = await ready(filled);
  const end = performance.now();
  without.push(...(await crowd(asked)));
  for (const times of [busy, without]) times.sort((a, b) => a - b);
  console.log(`\n| ms to the first byte | questions | p50 | p95 | p99 |\n| --- | --- | --- | --- | --- |`);
  row("the encoder busy with passages", busy);
  row("without", without);
  console.log(
    `\nbusy / without: p50 ${(quantile(busy, 0.5) / quantile(without, 0.5)).toFixed(2)}, ` +
      `p99 ${(quantile(busy, 0.99) / quantile(without, 0.99)).toFixed(2)}`,
  );
  console.log(
    `${documents} documents, ${passages} passages: found by words after ${((found - start) / 1000).toFixed(1)} s, ` +
      `all ready after ${((end - start) / 1000).toFixed(1)} s: ${(passages / ((end - start) / 1000)).toFixed(1)} a second, ` +
      `${((after.ready - before.ready) / between).toFixed(1)} while people asked`,
  );
} finally {
  await kb.end();
}
