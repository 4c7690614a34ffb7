/*
 * Checked answers against questions in other words, and against near ones that they do not answer:
 *
 *   node bench/verified.mjs [FOLDER]
 *
 * The set is tests/fixtures/verified.json. Of FOLDER's questions.jsonl (bench/natural.mjs says what it
 * is) each question that is asked again by another becomes a checked answer too, an agent a corpus: the
 * other must win it, and questions that the documents do not answer must win none.
 */
import { randomUUID } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { measure, set } from "../tests/api/lib/checked.mjs";
import { root, Service } from "../tests/api/lib/service.mjs";

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

try {
  await kb.begin();
  show("committed set", await measure(await kb.agent({ project_name: randomUUID() }), set));
  if (process.argv[2]) {
    const rows = fs
      .readFileSync(path.join(process.argv[2], "questions.jsonl"), "utf8")
      .trim()
      .split("\n")
      .map(JSON.parse);
    for (const corpus of new Set(rows.map((row) => row.corpus)))
      show(corpus, await measure(await kb.agent(), corpusSet(rows.filter((row) => row.corpus === corpus))));
  }
} finally {
  await kb.end();
}
