/*
 * Questions about Docent, asked of its own documents:
 *
 *   node bench/own_docs.mjs [--json FILE] [QUESTIONS]
 *
 * QUESTIONS has an object a line with `question` and, where somebody has judged an answer before, `grade`;
 * by default the list of the evaluation data beside the checkout. An agent holds README.md and the pages of
 * docs, with the encoder where there is one. Each question is asked in a conversation of its own, and its
 * outcome and what is shown for it are printed, to be read as the asker would. --json writes one object a
 * question.
 */
import fs from "node:fs";
import path from "node:path";
import { root, Service } from "../tests/api/lib/service.mjs";

const READ_MS = 300_000;

const args = process.argv.slice(2);
const out = args[0] === "--json" ? args.splice(0, 2)[1] : null;
const list = args[0] ?? path.join(root, "../shared/data/cases/docs.jsonl");
const encoder = path.join(root, "share/docent/encoder.kbe");

function documents() {
  const docs = path.join(root, "docs"),
    names = fs.readdirSync(docs).filter((name) => name.endsWith(".md"));
  return Object.fromEntries([
    ["README.md", fs.readFileSync(path.join(root, "README.md"))],
    ...names.map((name) => [name, fs.readFileSync(path.join(docs, name))]),
  ]);
}

function print(row, number) {
  console.log(`\n== ${number}. ${row.question}   [${row.outcome}${row.grade ? `; was ${row.grade}` : ""}]`);
  console.log(row.outcome === "answer" ? row.answer : row.shown.map((text) => `(closest) ${text}`).join("\n--\n"));
}

if (!fs.existsSync(list)) {
  console.log(`skipped: no questions in ${list}`);
  process.exit(0);
}
const questions = fs.readFileSync(list, "utf8").trim().split("\n").map(JSON.parse);
const kb = new Service({ env: fs.existsSync(encoder) ? { DOCENT_ENCODER: encoder } : {} }),
  rows = [];
await kb.begin();
try {
  const agent = await kb.agent({ files: documents() });
  await agent.settled(READ_MS);
  if (fs.existsSync(encoder)) await agent.encoded(READ_MS);
  for (const asked of questions) {
    const reply = await agent.ask(asked.question);
    const shown = (reply.closest_passages ?? []).map((passage) => passage.excerpt),
      outcome = reply.citations?.length ? "answer" : shown.length ? "closest" : "nothing";
    rows.push({ ...asked, outcome, answer: reply.llm_response, shown });
    print(rows.at(-1), rows.length);
  }
} finally {
  await kb.end();
}
if (out) fs.writeFileSync(out, rows.map((row) => JSON.stringify(row) + "\n").join(""));
