/*
 * Whether gaps close by themselves once the document that they lacked is there:
 *
 *   make bench B=gap_replay      or: node bench/gap_replay.mjs [--words] [DATA]
 *
 * DATA is the evaluation data beside the checkout. Of each corpus of `natural` an agent gets all documents
 * but the gold ones; the answerable questions are asked, and those that become gaps are looked at. Then the
 * gold documents are added, by nobody told. The other set is `qa/squad`: of every third article the
 * paragraphs with its questions are added later, SQUAD=300 questions.
 * Told is how many of the gaps have closed by themselves; how many of their questions get an answer when
 * they are asked now, which says what closing could reach; and of the others whether they get the closest
 * passages or nothing. CORPORA=tts-handbook,squad takes only those.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";
import { form } from "../tests/api/lib/http.mjs";
import { until } from "../tests/api/lib/util.mjs";
import { root, Service } from "../tests/api/lib/service.mjs";

const BATCH = 50,
  PAGE = 100,
  SQUAD = Number(process.env.SQUAD ?? 300),
  SETTLED_MS = 600_000,
  ENCODED_MS = 3_600_000,
  GAPS_MS = 300_000;
const args = process.argv.slice(2),
  words = args[0] === "--words" && args.shift(),
  data = args[0] ?? new URL("../../shared/data", import.meta.url).pathname,
  encoder = path.join(root, "share/docent/encoder.kbe"),
  encodes = !words && fs.existsSync(encoder),
  corpora = process.env.CORPORA?.split(",");

if (!fs.existsSync(path.join(data, "natural/corpora.tar.xz"))) {
  console.log(`skipped: there is no evaluation data in ${data}`);
  process.exit(0);
}

const lines = (text) => text.trim().split("\n").map(JSON.parse),
  unzipped = (name) => lines(zlib.gunzipSync(fs.readFileSync(path.join(data, name))).toString());

/** { name, questions, before, after }: documents as [file name, bytes]. */
function naturalSets(dir) {
  const all = lines(fs.readFileSync(path.join(data, "natural/questions.jsonl"), "utf8"));
  return [...new Set(all.map((row) => row.corpus))].map((name) => {
    const rows = all.filter((row) => row.corpus === name && row.answerable && !row.after),
      gold = new Set(rows.flatMap((row) => row.files)),
      folder = path.join(dir, name),
      documents = fs
        .readdirSync(folder, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.relative(folder, path.join(entry.parentPath, entry.name)))
        .sort()
        .map((file) => [file, file.replaceAll("/", "-"), fs.readFileSync(path.join(folder, file))]);
    const of = (late) => documents.filter(([file]) => gold.has(file) === late).map(([, ...document]) => document);
    return { name, questions: rows.map((row) => row.question), before: of(false), after: of(true) };
  });
}

function squadSet() {
  const rows = unzipped("qa/squad/questions.jsonl.gz").filter((row) => row.answers.length),
    articles = [...new Set(rows.map((row) => row.doc_id.split("#")[0]))],
    late = new Set(articles.filter((_, i) => i % 3 === 0)),
    isLate = (id) => late.has(id.split("#")[0]),
    asked = rows.filter((row) => isLate(row.doc_id)),
    step = Math.max(1, Math.floor(asked.length / SQUAD)),
    documents = unzipped("qa/squad/docs.jsonl.gz");
  const of = (want) =>
    documents
      .filter((row) => isLate(row.id) === want)
      .map((row) => [
        `${row.id.replace(/[^\w#-]/g, "_").replace("#", "-")}.md`,
        Buffer.from(`# ${row.title}\n\n${row.text}\n`),
      ]);
  return {
    name: "squad",
    questions: asked
      .filter((_, i) => i % step === 0)
      .slice(0, SQUAD)
      .map((row) => row.text),
    before: of(false),
    after: of(true),
  };
}

async function add(agent, documents) {
  for (let i = 0; i < documents.length; i += BATCH)
    await agent.expect(200, "POST", "", { form: form({}, Object.fromEntries(documents.slice(i, i + BATCH))) });
  await agent.settled(SETTLED_MS);
  if (encodes && documents.length) await agent.encoded(ENCODED_MS);
}

async function gapsOf(agent) {
  const gaps = [];
  for (let page = 1; ; page++) {
    const { data: some, total } = await agent.expect(200, "GET", "/gaps", { query: { page, limit: PAGE } });
    gaps.push(...some);
    if (!some.length || gaps.length >= total) return gaps;
  }
}

async function replay(kb, { name, questions, before, after }) {
  const agent = await kb.agent();
  const ask = (prompt) => agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, { json: { prompt } });
  const outcomeOf = async (question) =>
    (await agent.expect(200, "POST", "/trials", { json: { question, passages: 0 } })).outcome;
  await add(agent, before);
  for (const question of questions) await ask(question);
  // A second or two after they were asked they stand in groups.
  let gaps = [],
    steady = 0;
  await until(
    `the gaps of ${name}`,
    async () => {
      const now = await gapsOf(agent);
      steady = now.length === gaps.length ? steady + 1 : 0;
      gaps = now;
      return steady > 5;
    },
    GAPS_MS,
    1000,
  );
  gaps = gaps.filter((gap) => gap.state === "open");
  await add(agent, after);
  const since = new Date().toISOString();
  let now = [];
  // Asked anew of the documents as they are now, whichever version the last merge has made.
  await until(
    `the gaps of ${name} to be asked anew`,
    async () => {
      now = new Map((await gapsOf(agent)).map((gap) => [gap.id, gap]));
      return gaps.every((gap) => now.get(gap.id)?.state === "answered" || now.get(gap.id)?.tried_at > since);
    },
    GAPS_MS,
    1000,
  );
  const sums = { gaps: gaps.length, closed: 0, answers: 0, agree: 0, closest: 0, nothing: 0 };
  for (const gap of gaps) {
    const closed = now.get(gap.id).state === "answered",
      outcome = await outcomeOf(gap.question);
    sums.closed += closed;
    sums.answers += outcome === "answer";
    sums.agree += closed === (outcome === "answer");
    if (outcome !== "answer") sums[outcome]++;
  }
  console.log(
    `${name.padEnd(14)} asked ${questions.length}, gaps ${sums.gaps}, closed by themselves ${sums.closed}, ` +
      `answered when asked ${sums.answers}, the same of both ${sums.agree}; else closest ${sums.closest}, nothing ${sums.nothing}`,
  );
  return sums;
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "docent-bench-"));
const kb = new Service({ env: encodes ? { DOCENT_ENCODER: encoder } : {} });
try {
  execFileSync("tar", ["-xJf", path.join(data, "natural/corpora.tar.xz"), "-C", dir]);
  await kb.begin();
  const all = {};
  for (const set of [...naturalSets(dir), squadSet()].filter(({ name }) => !corpora || corpora.includes(name)))
    for (const [figure, n] of Object.entries(await replay(kb, set))) all[figure] = (all[figure] ?? 0) + n;
  console.log(
    `all: closed by themselves ${all.closed} of ${all.gaps} gaps (${(all.closed / all.gaps).toFixed(2)}), ` +
      `of the ${all.answers} that an answer is given to now ${(all.closed / all.answers).toFixed(2)}`,
  );
} finally {
  await kb.end();
  fs.rmSync(dir, { recursive: true, force: true });
}
