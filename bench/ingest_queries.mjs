/*
 * How long questions wait while documents stream into the same agent, against the real server:
 *
 *   make bench B=ingest_queries       or: node bench/ingest_queries.mjs [SECONDS] [DOCUMENTS]
 *
 * An agent with DOCUMENTS documents answers one question after another for SECONDS (quiet); then
 * again while 200 documents a second are posted to it. Each question is a new conversation and is
 * stored durably. The load generator runs on the same processors.
 */
import { randomUUID } from "node:crypto";
import { form, multipart, request } from "../tests/api/lib/http.mjs";
import { Service } from "../tests/api/lib/service.mjs";

const [seconds = 20, documents = 4000] = process.argv.slice(2).map(Number);
const RATE = 200,
  TOGETHER = 5; // documents a second, in a request
const PARAGRAPHS = 4,
  WORDS = 100;
const PAUSE_MS = 5; // between questions
const SYLLABLES = ["ba", "ko", "mu", "ri", "ta", "ve", "zo", "lu", "ne", "si", "do", "ga", "pe", "wi", "fa", "ju"];

let state = 1n;
const roll = (below) => {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(below));
};

// Few words are frequent, many rare.
function word() {
  let n = roll(1 << (1 + roll(16))),
    text = "";
  do text += SYLLABLES[n & 15];
  while ((n >>= 4));
  return text;
}
const words = (count) => Array.from({ length: count }, word).join(" ");
const paragraph = () => `The ${words(9)} is ${words(10)}. `.repeat(1) + `${words(WORDS - 22)}.`;
const document = () => Array.from({ length: PARAGRAPHS }, paragraph).join("\n\n");
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

const kb = new Service();
await kb.begin();
const headers = { accept: "application/json", authorization: `Bearer ${kb.key}` };
let names = 0,
  posted = 0;

async function post(where, method, body, type) {
  const reply = await request(`${kb.url}/api/v1${where}`, {
    method,
    headers: { ...headers, "content-type": type },
    body,
  });
  if (reply.status >= 300) throw new Error(`${where} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  return JSON.parse(reply.text).data;
}

async function add(agent, count) {
  const files = Object.fromEntries(Array.from({ length: count }, () => [`d${names++}.txt`, document()]));
  const { body, type } = multipart(form({}, files));
  await post(`/projects/${agent.id}`, "POST", body, type);
  posted += count;
}

async function queued(agent) {
  const reply = await request(`${kb.url}/api/v1/projects/${agent.id}/pages?index_status=queued&limit=1`, { headers });
  return JSON.parse(reply.text).data.pages.total;
}

async function askFor(agent, ms) {
  const times = [],
    end = performance.now() + ms;
  while (performance.now() < end) {
    const body = JSON.stringify({ prompt: `What is the ${words(8)}?` }),
      start = performance.now();
    await post(`/projects/${agent.id}/conversations/${randomUUID()}/messages`, "POST", body, "application/json");
    times.push(performance.now() - start);
    await sleep(PAUSE_MS);
  }
  return times.sort((a, b) => a - b);
}

function print(name, times) {
  const at = (share) => times[Math.floor(times.length * share)].toFixed(2);
  console.log(`| ${name} | ${times.length} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} | ${times.at(-1).toFixed(1)} |`);
  return times[Math.floor(times.length * 0.99)];
}

try {
  const agent = await kb.agent();
  while (names < documents) await add(agent, Math.min(20, documents - names));
  while (await queued(agent)) await sleep(200);
  await sleep(3000); // merges end
  console.log(`an agent with ${documents} documents of ${PARAGRAPHS * WORDS} words`);
  console.log("\n| ms | questions | p50 | p95 | p99 | longest |\n| --- | --- | --- | --- | --- | --- |");
  await askFor(agent, 2000);
  const quiet = print("quiet", await askFor(agent, seconds * 1000));

  let feeding = true;
  posted = 0;
  const start = performance.now();
  const feeder = (async () => {
    const pending = new Set();
    for (let n = 0; feeding; n++) {
      const due = start + (n * TOGETHER * 1000) / RATE;
      if (due > performance.now()) await sleep(due - performance.now());
      const one = add(agent, TOGETHER).finally(() => pending.delete(one));
      pending.add(one);
      if (pending.size >= 16) await Promise.race(pending);
    }
    await Promise.all(pending);
  })();
  await sleep(1000);
  const busy = print(`while ${RATE} documents a second come`, await askFor(agent, seconds * 1000));
  feeding = false;
  await feeder;
  const took = (performance.now() - start) / 1000,
    left = await queued(agent);
  console.log(
    `\np99 ${(busy / quiet).toFixed(1)} x the quiet one; ${(posted / took).toFixed(0)} documents a second were posted, ${((posted - left) / took).toFixed(0)} a second indexed`,
  );
} finally {
  await kb.end();
}
