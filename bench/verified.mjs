/*
 * Checked answers against questions in other words, and against near ones that they do not answer:
 *
 *   node bench/verified.mjs [NATURAL [ASKED]]
 *
 * The set is tests/fixtures/verified.json. Of questions.jsonl of the folder NATURAL (bench/natural.mjs
 * says what it is) each question that is asked again by another becomes a checked answer too, an agent a corpus: the
 * other must win it, and questions that the documents do not answer must win none. Of questions.jsonl.xz of
 * the folder ASKED half of those of each corpus that can be answered become checked answers: neither the
 * others nor those that nothing answers may win, of which some ask for the same all the same.
 */
import { execFileSync } from "node:child_process";
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { measure, set } from "../tests/api/lib/checked.mjs";
import { root, Service } from "../tests/api/lib/service.mjs";

const QUESTION_CHARS = 300,
  ANSWER_CHARS = 8000;
const kb = new Service({ env: { DOCENT_ENCODER: path.join(root, "share/docent/encoder.kbe") } });
const show = (name, { won, asked, wrong, near, lost, falsely }) => {
  console.log(`${name}: won ${won} of ${asked}, wrong ${wrong}; near ones that won ${falsely.length} of ${near}`);
  for (const question of lost) console.log(`  lost   ${question}`);
  for (const question of falsely) console.log(`  false  ${question}`);
};

/** The set of one corpus in the form of the committed one. */
function corpusSet(rows) {
  const own = rows.filter((row) => row.answerable && !row.pair && !row.after);
  return {
    answers: Object.fromEntries(own.map((row) => [row.id, [row.question, row.phrases.join(". ")]])),
    paraphrases: rows.filter((row) => row.pair).map((row) => [row.pair, row.question]),
    near: rows.filter((row) => !row.answerable).map((row) => [row.type, row.question]),
  };
}

/** Of people's questions on one manual: half of them are checked, and the others are near. */
function askedSet(rows) {
  const own = rows.filter((row) => row.answerable && [...row.question].length <= QUESTION_CHARS);
  const isChecked = (row) => own.indexOf(row) % 2 === 0;
  return {
    answers: Object.fromEntries(
      own.filter(isChecked).map((row, i) => [i, [row.question, row.phrases.join(". ").slice(0, ANSWER_CHARS)]]),
    ),
    paraphrases: [],
    near: rows.filter((row) => !isChecked(row)).map((row) => [row.kind, row.question]),
  };
}
const byCorpus = (rows) =>
  [...new Set(rows.map((row) => row.corpus))].map((name) => [name, rows.filter((row) => row.corpus === name)]);

try {
  await kb.begin();
  show("committed set", await measure(await kb.agent({ project_name: randomUUID() }), set));
  const [natural, asked] = process.argv.slice(2);
  const lines = (text) => text.trim().split("\n").map(JSON.parse);
  if (natural)
    for (const [corpus, rows] of byCorpus(lines(fs.readFileSync(path.join(natural, "questions.jsonl"), "utf8"))))
      show(corpus, await measure(await kb.agent(), corpusSet(rows)));
  if (asked) {
    const packed = path.join(asked, "questions.jsonl.xz");
    const all = { won: 0, asked: 0, wrong: 0, near: 0, lost: [], falsely: [] };
    const rows = lines(execFileSync("xz", ["-dc", packed], { maxBuffer: 1 << 28 }).toString());
    for (const [, some] of byCorpus(rows)) {
      const set = askedSet(some);
      if (!Object.keys(set.answers).length) continue;
      const { near, falsely } = await measure(await kb.agent(), set);
      all.near += near;
      all.falsely.push(...falsely);
    }
    show("asked", all);
  }
} finally {
  await kb.end();
}
