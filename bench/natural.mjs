/*
 * Natural questions over documentation, handbooks and FAQs, against the real server:
 *
 *   make bench B=natural         or: node bench/natural.mjs [--words] [--json FILE] [FOLDER]
 *
 * FOLDER holds `corpora.tar.xz` and `questions.jsonl`; by default those of the evaluation data beside
 * the checkout. Each corpus is uploaded to an agent of its own; each question is asked in a
 * conversation of its own, behind the question it follows where it follows one, and given to the search.
 * The figures: an answer holds a gold phrase, its first citation is a gold document, an answerable
 * question is refused, an unanswerable one is not; the place of the first gold document and of the first
 * passage with a gold phrase in the search. Pairs ask a question again in the field's words, and are
 * counted apart. Nothing is asked before all passages are encoded, where the encoder is there; --words
 * does without it. --json writes one object a question.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { form } from "../tests/api/lib/http.mjs";
import { sleep, until } from "../tests/api/lib/util.mjs";
import { root, Service } from "../tests/api/lib/service.mjs";

const BATCH = 50, // files in an upload
  SETTLED_MS = 300_000,
  ENCODED_MS = 1_800_000,
  LEARNED_FROM = 300, // passages
  MERGED_MS = 3_000,
  RANKS = [1, 3, 10];
const args = process.argv.slice(2);
const words = args[0] === "--words" && args.shift();
const encoder = path.join(root, "share/docent/encoder.kbe"),
  encodes = !words && fs.existsSync(encoder);
const out = args[0] === "--json" ? fs.createWriteStream(args.splice(0, 2)[1]) : null;
const folder = args[0] ?? new URL("../../shared/data/natural", import.meta.url).pathname;

const files = (dir) =>
  fs
    .readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(dir, path.join(entry.parentPath ?? entry.path, entry.name)))
    .sort();

/** Base names where they are unique, else the path joined by "-", as people rename such files. */
function uploadNames(paths) {
  const count = new Map();
  for (const file of paths) count.set(path.basename(file), (count.get(path.basename(file)) ?? 0) + 1);
  return new Map(
    paths.map((file) => [count.get(path.basename(file)) === 1 ? path.basename(file) : file.replaceAll("/", "-"), file]),
  );
}

/** Until the factors are of just these documents, and merges behind them: then the same are found every time. */
async function rest(kb, agent) {
  const { searched } = await agent.expect(200, "POST", "/search", { json: { query: "rest" } }),
    learned = `factors learned agent=${agent.id} passages=${searched} `;
  if (searched >= LEARNED_FROM)
    await until("the factors to be learned", () => kb.log.includes(learned), SETTLED_MS, 50);
}

/** Gives the agent and the file of each page. */
async function upload(kb, dir) {
  const names = uploadNames(files(dir)),
    all = [...names].map(([name, file]) => [name, fs.readFileSync(path.join(dir, file))]);
  let agent;
  for (let i = 0; i < all.length; i += BATCH) {
    const some = Object.fromEntries(all.slice(i, i + BATCH));
    if (agent) await agent.expect(200, "POST", "", { form: form({}, some) });
    else agent = await kb.agent({ files: some });
  }
  const pages = await agent.settled(SETTLED_MS),
    failed = pages.filter((page) => page.index_status !== "ok").map((page) => page.filename);
  if (failed.length) console.log(`${path.basename(dir)}: not read: ${failed.join(", ")}`);
  await rest(kb, agent);
  if (encodes) await agent.encoded(ENCODED_MS);
  return { agent, where: new Map(pages.map((page) => [page.id, names.get(page.filename) ?? page.filename])) };
}

/** As phrases are compared: without case, blanks and marks of emphasis. */
const plain = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\u2018\u2019]/g, "'")
    .replace(/[\u201c\u201d]/g, '"')
    .replace(/[\s`*_]+/gu, "");

async function measure({ agent, where }, question) {
  const session = randomUUID(),
    phrases = question.phrases.map(plain),
    holds = (text) => phrases.some((phrase) => plain(text).includes(phrase));
  if (question.after) await agent.ask(question.after, { session });
  const reply = await agent.ask(question.question, { session }),
    cited = (reply.citations ?? []).map((id) => where.get(id)),
    { passages } = await agent.expect(200, "POST", "/search", { json: { query: question.question, limit: 10 } }),
    documents = [...new Set(passages.map((passage) => where.get(passage.page_id)))];
  return {
    ...question,
    answer: reply.llm_response,
    cited,
    refused: !cited.length,
    holds_phrase: cited.length > 0 && holds(reply.llm_response),
    cites_gold: question.files.includes(cited[0]),
    document_rank: documents.findIndex((file) => question.files.includes(file)) + 1,
    passage_rank: passages.findIndex((passage) => holds(passage.text)) + 1,
    passages: passages.map((passage) => ({
      file: where.get(passage.page_id),
      heading: passage.heading,
      text: passage.text,
      score: passage.score,
    })),
  };
}

const count = (rows, test) => rows.filter(test).length;
const within = (rows, field) =>
  RANKS.map((rank) => count(rows, (row) => row[field] > 0 && row[field] <= rank)).join(" / ");

function line(name, rows) {
  const asked = rows.filter((row) => row.answerable),
    answered = rows.filter((row) => !row.refused),
    length = answered.reduce((sum, row) => sum + [...row.answer].length, 0),
    none = (kind) => {
      const of = rows.filter((row) => row.type === kind);
      return `${count(of, (row) => !row.refused)} of ${of.length}`;
    },
    share = (test) => `${count(asked, test)} (${(count(asked, test) / Math.max(asked.length, 1)).toFixed(2)})`;
  return [
    "",
    name,
    asked.length,
    share((row) => row.holds_phrase),
    share((row) => row.cites_gold),
    share((row) => row.refused),
    none("none-foreign"),
    none("none-near"),
    Math.floor(length / Math.max(answered.length, 1)),
    within(asked, "document_rank"),
    within(asked, "passage_rank"),
    "",
  ]
    .join(" | ")
    .trim();
}

function print(rows) {
  const own = rows.filter((row) => !row.pair),
    paired = new Set(rows.map((row) => row.pair).filter(Boolean));
  console.log(
    "| corpus | answerable | gold phrase in answer | gold document cited first | wrongly refused | foreign answered |" +
      " near answered | mean length | gold document at 1 / 3 / 10 | gold passage at 1 / 3 / 10 |\n" +
      "| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |",
  );
  for (const corpus of new Set(own.map((row) => row.corpus)))
    console.log(
      line(
        corpus,
        own.filter((row) => row.corpus === corpus),
      ),
    );
  console.log(line("all", own));
  console.log(
    line(
      "pairs, asker's words",
      own.filter((row) => paired.has(row.id)),
    ),
  );
  console.log(
    line(
      "pairs, field's words",
      rows.filter((row) => row.pair),
    ),
  );
  for (const kind of new Set(own.map((row) => row.type))) {
    const some = own.filter((row) => row.type === kind),
      held = count(some, (row) => row.holds_phrase),
      answered = count(some, (row) => !row.refused);
    console.log(`${kind}: gold phrase in answer ${held}, answered ${answered}, asked ${some.length}`);
  }
}

if (!fs.existsSync(path.join(folder, "questions.jsonl"))) {
  console.log(`skipped: no questions in ${folder}`);
  process.exit(0);
}
const questions = fs
  .readFileSync(path.join(folder, "questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((text) => JSON.parse(text));
const dir = fs.mkdtempSync(path.join(os.tmpdir(), "docent-natural-")),
  kb = new Service({ env: encodes ? { DOCENT_ENCODER: encoder } : {} }),
  rows = [];
await kb.begin();
try {
  execFileSync("tar", ["xJf", path.join(folder, "corpora.tar.xz"), "-C", dir]);
  for (const corpus of new Set(questions.map((question) => question.corpus))) {
    const agent = await upload(kb, path.join(dir, corpus));
    for (const question of questions.filter((question) => question.corpus === corpus)) {
      rows.push(await measure(agent, question));
      out?.write(JSON.stringify(rows.at(-1)) + "\n");
    }
  }
  print(rows);
} finally {
  out?.end();
  await kb.end();
  fs.rmSync(dir, { recursive: true, force: true });
}
