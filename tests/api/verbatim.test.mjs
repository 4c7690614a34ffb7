// Whatever is answered without a model is claims, each of which stands word for word at the place that it names,
// in a document that is cited: over every set of the evaluation's data. A few questions of each, and a few of
// the natural corpora; DOCENT_TEST_QUESTIONS=400 asks more, of all.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { assert, form, start, test } from "./lib/harness.mjs";
import { data, skip } from "./lib/evaluation.mjs";
import { folder, seeded } from "./lib/util.mjs";

const EACH = Number(process.env.DOCENT_TEST_QUESTIONS ?? 25),
  DOCS = 150,
  BATCH = 50,
  CORPORA = process.env.DOCENT_TEST_QUESTIONS ? Infinity : 4; // of the natural ones

const lines = (text) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The records of a collection's file, which may be packed. */
function records(file) {
  const at = path.join(data, file);
  return lines(existsSync(at) ? readFileSync(at, "utf8") : gunzipSync(readFileSync(`${at}.gz`)).toString("utf8"));
}

const some = (random, rows) => Array.from({ length: Math.min(EACH, rows.length) }, () => random.pick(rows));

/** Questions of a set, and the documents that they are about. */
function collection(name) {
  const random = seeded(name.length),
    docs = new Map(records(`qa/${name}/docs.jsonl`).map((doc) => [String(doc.id), doc])),
    asked = some(
      random,
      records(`qa/${name}/questions.jsonl`).filter((question) => question.doc_id ?? question.doc_ids?.length),
    ),
    wanted = new Set(asked.flatMap((question) => (question.doc_ids ?? [question.doc_id]).map(String))),
    chosen = [...wanted, ...[...docs.keys()].slice(0, DOCS)].filter((id) => docs.has(id));
  return {
    questions: asked.map((question) => question.text),
    // Plain text: to Markdown, an asterisk in a paragraph is a sign and not a letter.
    files: Object.fromEntries(
      [...new Set(chosen)].map((id, i) => [`${i}.txt`, `${docs.get(id).title ?? ""}\n\n${docs.get(id).text}\n`]),
    ),
  };
}

/** The natural corpora: whole documents as people upload them. */
async function corpora(t) {
  const dir = await folder(t),
    natural = path.join(data, "natural"),
    questions = lines(readFileSync(path.join(natural, "questions.jsonl"), "utf8"));
  execFileSync("tar", ["-xJf", path.join(natural, "corpora.tar.xz"), "-C", dir]);
  const root = path.dirname(findFolder(dir, questions[0].corpus));
  const names = [...new Set(questions.map((question) => question.corpus))].slice(-CORPORA);
  return names.map((corpus) => {
    const at = path.join(root, corpus),
      names = readdirSync(at, { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile())
        .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
    return {
      questions: questions
        .filter((question) => question.corpus === corpus)
        .slice(0, EACH)
        .map((question) => question.question),
      files: Object.fromEntries(
        names.map((file) => [path.relative(at, file).replaceAll("/", "-"), readFileSync(file)]),
      ),
    };
  });
}

const findFolder = (dir, name) =>
  readdirSync(dir, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory() && entry.name === name)
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))[0];

/** What an answer has before the items of a list; a document of plain text has it too. */
const MARK = /^ *(?:-|\d+\.) /,
  MARKS = new RegExp(MARK, "gm"),
  FENCE = /^ *```$/, // around code
  MORE = "…"; // where a list goes on
const squeezed = (text) => text.replace(/\s+/g, "");

/** The text of a document as bytes, whose places claims name. */
async function textOf(agent, page) {
  const blocks = [];
  for (let from = 0; from !== null;) {
    const text = await agent.expect(200, "GET", `/pages/${page}/text`, { query: { from, length: 1 << 20 } });
    blocks.push(...text.blocks.filter((block) => block.offset >= from));
    from = text.next_from;
  }
  return Buffer.from(blocks.map((block) => block.text).join("\n"));
}

/** Whether a document that is cited has a heading of these words. */
async function isHeading(agent, citations, line) {
  for (const page of citations) {
    const text = squeezed((await textOf(agent, page)).toString());
    if (text.includes(squeezed(line))) return true;
  }
  return false;
}

/** Asks all of the questions; gives how many were answered. */
async function ask(kb, { questions, files }) {
  const agent = await kb.agent(),
    entries = Object.entries(files),
    texts = new Map();
  for (let i = 0; i < entries.length; i += BATCH)
    await agent.expect(200, "POST", "", { form: form({}, Object.fromEntries(entries.slice(i, i + BATCH))) });
  await agent.settled(120_000);
  let answered = 0;
  for (const question of questions) {
    const { id, session, llm_response: answer, citations } = await agent.ask(question);
    if (!citations) continue;
    answered++;
    const { claims } = await agent.expect(200, "GET", `/conversations/${session}/messages/${id}/claims`);
    const rest = claims.reduce((rest, { claim }) => rest.replace(claim.replace(MARK, ""), ""), answer);
    for (const line of rest
      .replaceAll(MARKS, "")
      .split("\n")
      .filter((line) => line.trim() && !FENCE.test(line) && line.trim() !== MORE))
      assert.ok(
        await isHeading(agent, citations, line),
        `it is its claims, marks of lists, fences and headings, and no more: ${line}`,
      );
    for (const { claim, places } of claims) {
      assert.ok(places.length && places.every((place) => citations.includes(place.page_id)), `${claim}: it is cited`);
      for (const { page_id: page, offset, length } of places) {
        if (!texts.has(page)) texts.set(page, await textOf(agent, page));
        const there = texts.get(page).toString("utf8", offset, offset + length);
        // Of what could lead a reader of Markdown away, a blank parts the halves.
        if (there !== claim && /\](?:\(|:)|<[a-z]/i.test(there)) assert.equal(squeezed(claim), squeezed(there));
        else assert.equal(there, claim, "it stands there word for word");
      }
    }
  }
  return answered;
}

for (const name of skip ? ["squad"] : readdirSync(path.join(data, "qa")))
  test(`answers from ${name} are verbatim and rightly cited`, { skip, timeout: 600_000 }, async (t) => {
    const kb = await start(t, { args: ["--log", "warn"] });
    const answered = await ask(kb, collection(name));
    assert.ok(answered > 0);
  });

test("answers from whole documents are verbatim and rightly cited", { skip, timeout: 600_000 }, async (t) => {
  const kb = await start(t, { args: ["--log", "warn"] });
  for (const corpus of await corpora(t)) assert.ok((await ask(kb, corpus)) > 0);
});
