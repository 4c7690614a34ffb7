// What `node --test` prints here: a line for each story that failed, with its reason; what was skipped
// and why; last "N passed, N failed". Where DOCENT_NO_SKIPS is set, as in continuous integration, what
// is skipped has failed, but for what asks the evaluation's data.
import { NO_DATA } from "./evaluation.mjs";

const strict = Boolean(process.env.DOCENT_NO_SKIPS);

export default async function* report(source) {
  let passed = 0,
    failed = 0;
  const skipped = new Map();
  const counts = (data) => data.details?.type !== "suite";
  for await (const { type, data } of source) {
    if (type === "test:stderr" || (type === "test:stdout" && process.env.DOCENT_TEST_OUTPUT)) yield data.message;
    else if (type === "test:pass" && counts(data)) {
      if (data.skip === undefined) passed++;
      else if (isLeftOut(data.skip)) continue;
      else if (strict && !String(data.skip).startsWith(NO_DATA)) {
        failed++;
        yield `FAILED ${data.name}\n    skipped: ${data.skip}\n`;
      } else skipped.set(data.skip, (skipped.get(data.skip) ?? 0) + 1);
    } else if (type === "test:fail" && counts(data)) {
      const error = data.details?.error;
      failed++;
      const cause = error?.cause ?? error;
      yield `FAILED ${data.name}\n${indent(cause?.stack ?? cause?.message ?? String(cause))}\n`;
    }
  }
  for (const [reason, count] of skipped) yield `${count} skipped: ${reason}\n`;
  yield `${passed} passed, ${failed} failed\n`;
}

/** A name pattern leaves the other stories out without a word. */
const isLeftOut = (reason) => /does not match pattern/.test(reason);

const indent = (text) =>
  String(text)
    .split("\n")
    .filter((line) => !/node:internal/.test(line))
    .map((line) => `    ${line}`)
    .join("\n");
