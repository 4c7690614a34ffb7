// The parser over a folder of public documents, damaged ones and bombs among them, each within the
// limits its manifest gives. Skips where the evaluation data is not beside the project.
import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { findProgram, lines, parse, textOf } from "../../bench/parse_corpus.mjs";
import { data as evaluation, skip } from "./lib/evaluation.mjs";

const data = join(evaluation, "parse");
// The manifest's seconds are of a quiet machine.
const BUSY = 6;
// Formats that are refused with a sentence, not read.
const refused = new Set(["doc", "ppt", "xls", "msg", "image", "zip", "bin"]);
// Files whose phrases stand across what we part: a row's cells, the two tellings of a mail.
const parted = new Set(["un-fake-doc.rtf", "un-mime-different-plain-html.eml"]);

// Case, spacing and compatibility forms do not count, as in the scorer.
const squeezed = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[\s\u00ad\u200b-\u200f\u2060\ufeff]+/gu, "");

test("every public document is read or refused within its limits", { skip }, async (t) => {
  const program = findProgram();
  assert.ok(program, "build first: build/docent or build/tests/unit/parse/parse_worker");
  for (const m of lines(join(data, "manifest.jsonl"))) {
    await t.test(m.file, () => {
      const { status, parsed, reason } = parse(program, join(data, "files", m.file), m.max_seconds * BUSY);
      assert.notEqual(status, "crash", reason);
      if (status === "error") assert.ok(reason.length > 10, "a refusal is a sentence");
      if (m.expect === "refuse") assert.equal(status, "error");
      const text = parsed ? squeezed(`${parsed.title}\n${textOf(parsed)}`) : "";
      for (const phrase of m.must_not_contain ?? []) assert.ok(!text.includes(squeezed(phrase)), `leaks ${phrase}`);
      if (m.expect !== "text" || m.optional || refused.has(m.format) || parted.has(m.file)) return;
      assert.equal(status, "ok", reason);
      for (const phrase of m.must_contain ?? []) assert.ok(text.includes(squeezed(phrase)), `misses ${phrase}`);
    });
  }
});

test("an old Word document is read as paragraphs", { skip }, () => {
  const { status, parsed, reason } = parse(findProgram(), join(data, "files", "ti-testWORD.doc"), 30);
  assert.equal(status, "ok", reason);
  const text = textOf(parsed);
  for (const phrase of ["Sample Word Document Title", "This is a sample Microsoft Word Document."])
    assert.ok(text.includes(phrase), phrase);
});
