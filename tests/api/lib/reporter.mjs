// What `node --test` prints here: a line for each story that failed, with its reason; what was skipped
// and why; last "N passed, N failed". Where DOCENT_NO_SKIPS is set, as in continuous integration, what
// is skipped has failed, but for what asks the evaluation's data.
//
// With DOCENT_TEST_SUMS, a folder, the sum goes there, with the stories that failed, for again.mjs. With
// DOCENT_TEST_SLOWEST=20 the twenty that took longest are named.
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { NO_DATA } from "./evaluation.mjs";

const strict = Boolean(process.env.DOCENT_NO_SKIPS);
const sums = process.env.DOCENT_TEST_SUMS;
const slowest = Number(process.env.DOCENT_TEST_SLOWEST ?? 0);

export default async function* report(source) {
  let passed = 0,
    failed = 0;
  const skipped = new Map();
  const stories = [];
  let within = []; // what failed within the story in hand
  const logs = new Map(); // what servers said, by story
  const times = [];
  const counts = (data) => data.details?.type !== "suite";
  for await (const { type, data } of source) {
    if (type === "test:stderr") {
      const of = /^--- (.*): the server on /m.exec(data.message)?.[1];
      if (of) logs.set(of, (logs.get(of) ?? "") + data.message);
    }
    if (/^test:(pass|fail)$/.test(type) && !data.nesting) times.push([data.details?.duration_ms ?? 0, data.name]);
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
      const said = `FAILED ${data.name}\n${indent(cause?.stack ?? cause?.message ?? String(cause))}\n`;
      yield said;
      within.push(said);
      if (!data.nesting) {
        stories.push({ name: data.name, file: data.file, failures: within.length, said: within.join("") });
        within = [];
      }
    }
  }
  for (const [reason, count] of skipped) yield `${count} skipped: ${reason}\n`;
  for (const [ms, name] of times.sort((a, b) => b[0] - a[0]).slice(0, slowest))
    yield `${(ms / 1000).toFixed(1).padStart(6)} s  ${name}\n`;
  for (const story of stories) story.said += logs.get(story.name) ?? "";
  if (sums) writeFileSync(path.join(sums, "sum"), JSON.stringify({ passed, failed, stories: located(stories) }));
  else yield `${passed} passed, ${failed} failed\n`;
}

/** Each with the files that may have told it: the runner names the file that called it, which is the
 * harness's for most; that writes down which stories each file has. A file that ended is its own name. */
function located(stories) {
  const names = new Map();
  const list = path.join(sums, "names");
  for (const line of existsSync(list) ? readFileSync(list, "utf8").split("\n").filter(Boolean) : []) {
    const { name, file } = JSON.parse(line);
    names.set(name, [...(names.get(name) ?? []), file]);
  }
  return stories.map(({ name, file, ...others }) => {
    if (existsSync(name)) return { name, files: [path.resolve(name)], whole: true, ...others };
    return {
      name,
      files: [...new Set(names.get(name) ?? (file ? [file] : []))],
      whole: others.failures > 1,
      ...others,
    };
  });
}

/** A name pattern leaves the other stories out without a word. */
const isLeftOut = (reason) => /does not match pattern/.test(reason);

const indent = (text) =>
  String(text)
    .split("\n")
    .filter((line) => !/node:internal/.test(line))
    .map((line) => `    ${line}`)
    .join("\n");
