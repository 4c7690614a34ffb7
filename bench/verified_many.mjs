/*
 * What a question costs an agent that has thousands of checked answers, beside the same agent without
 * them:
 *
 *   make bench B=verified_many      or: node bench/verified_many.mjs [--words] [DATA]
 *
 * DATA is the evaluation data beside the checkout: the corpora of `natural` are the agent's documents,
 * and its questions are asked of both agents in turn. The checked answers are made of the questions of
 * `qa/squad` and `asked`, which the documents of `natural` have nothing to do with, until there are ANSWERS=10000. Told
 * are the median of what a client waits, and what the service's processors did meanwhile, for a busy machine
 * makes the first uncertain. Both in ROUNDS=3 rounds of all questions. --words does without the encoder;
 * CORPORA=tts-handbook,chezmoi takes only those, for making vectors of all takes half an hour.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { form } from "../tests/api/lib/http.mjs";
import { root, Service } from "../tests/api/lib/service.mjs";

const ANSWERS = Number(process.env.ANSWERS ?? 10_000),
  ROUNDS = Number(process.env.ROUNDS ?? 3),
  BATCH = 50,
  AT_ONCE = 8,
  SETTLED_MS = 600_000,
  ENCODED_MS = 3_600_000,
  TICK_MS = 10;
const args = process.argv.slice(2),
  words = args[0] === "--words" && args.shift();
const data = args[0] ?? new URL("../../shared/data", import.meta.url).pathname;
const encoder = path.join(root, "share/docent/encoder.kbe"),
  encodes = !words && fs.existsSync(encoder),
  corpora = process.env.CORPORA?.split(",");

const lines = (text) => text.trim().split("\n").map(JSON.parse);
const median = (list) => list.toSorted((a, b) => a - b)[list.length >> 1];
/** Milliseconds of processor that the service has used. */
function worked(kb) {
  const fields = fs.readFileSync(`/proc/${kb.child.pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
}

function documents(folder) {
  return fs
    .readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes("LICENSES"))
    .map((entry) => path.join(entry.parentPath, entry.name))
    .sort()
    .filter((file) => !corpora || corpora.includes(path.relative(folder, file).split(path.sep)[0]))
    .map((file) => [path.relative(folder, file).replaceAll("/", "-"), fs.readFileSync(file)]);
}

function checked() {
  const squad = lines(zlib.gunzipSync(fs.readFileSync(path.join(data, "qa/squad/questions.jsonl.gz"))).toString())
      .filter((row) => row.answers.length)
      .map((row) => [row.text, row.answers[0]]),
    asked = lines(execFileSync("xz", ["-dc", path.join(data, "asked/questions.jsonl.xz")], { maxBuffer: 1 << 28 }) + "")
      .filter((row) => row.answerable)
      .map((row) => [row.question, row.phrases.join(". ")]),
    all = [...new Map([...squad, ...asked])].filter(([question]) => [...question].length <= 300);
  // More than there are: the same of another place.
  for (let i = 0, own = all.length; all.length < ANSWERS; i++)
    all.push([`${all[i % own][0]} (${["Velmora", "Corvo"][Math.floor(i / own) % 2]} ${i})`, all[i % own][1]]);
  return all.slice(0, ANSWERS);
}

async function each(list, take) {
  const rest = list.values();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (const one of rest) await take(one);
    }),
  );
}

async function agentOf(kb, files) {
  const agent = await kb.agent();
  for (let i = 0; i < files.length; i += BATCH)
    await agent.expect(200, "POST", "", { form: form({}, Object.fromEntries(files.slice(i, i + BATCH))) });
  await agent.settled(SETTLED_MS);
  return agent;
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "docent-bench-"));
const kb = new Service({ env: encodes ? { DOCENT_ENCODER: encoder } : {} });
try {
  execFileSync("tar", ["-xJf", path.join(data, "natural/corpora.tar.xz"), "-C", dir]);
  const files = documents(dir),
    questions = lines(fs.readFileSync(path.join(data, "natural/questions.jsonl"), "utf8"))
      .filter((row) => !corpora || corpora.includes(row.corpus))
      .map((row) => row.question);
  await kb.begin();
  const agents = [await agentOf(kb, files), await agentOf(kb, files)];
  await each(checked(), ([question, answer]) =>
    agents[1].expect(201, "POST", "/answers", { json: { question, answer } }),
  );
  for (const agent of agents) {
    await agent.settled(SETTLED_MS);
    if (encodes) await agent.encoded(ENCODED_MS);
  }
  const waits = [[], []],
    work = [0, 0],
    won = [0, 0];
  for (let round = 0; round <= ROUNDS; round++)
    for (const which of round % 2 ? [0, 1] : [1, 0]) {
      const before = worked(kb);
      for (const prompt of questions) {
        const at = performance.now(),
          message = await agents[which].expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
            json: { prompt },
          });
        // The first round warms up.
        if (round) waits[which].push(performance.now() - at);
        if (round === 1) won[which] += Boolean(message.verified);
      }
      if (round) work[which] += worked(kb) - before;
    }
  const passages = await Promise.all(
    agents.map(async (agent) => (await agent.expect(200, "POST", "/search", { json: { query: "rest" } })).searched),
  );
  for (const [which, name] of ["without", `with ${ANSWERS}`].entries())
    console.log(
      `${name.padEnd(12)} passages ${passages[which]}, p50 ${median(waits[which]).toFixed(2)} ms, processor ` +
        `${(work[which] / waits[which].length).toFixed(2)} ms a question, won ${won[which]} of ${questions.length}`,
    );
  console.log(
    `ratio p50 ${(median(waits[1]) / median(waits[0])).toFixed(3)}, processor ${(work[1] / work[0]).toFixed(3)}`,
  );
} finally {
  await kb.end();
  fs.rmSync(dir, { recursive: true, force: true });
}
