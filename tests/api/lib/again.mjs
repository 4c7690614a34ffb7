// The end of a run of stories: one that failed is run again, once, alone. When it passes then, it is
// printed as flaky with both logs, and counted apart. Prints "N flaky" where there are any, and last
// "N passed, N failed": node again.mjs FOLDER, the one that the reporter has left the sum in.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";

/** When more fail, it is no matter of patience. */
const AGAIN_MOST = 8;

const read = (folder) => {
  try {
    return JSON.parse(readFileSync(path.join(folder, "sum"), "utf8"));
  } catch {
    return { passed: 0, failed: 1, stories: [] }; // the runner itself died
  }
};

/** Runs the story in one of its files; gives { passed, failed, said }. */
function again({ name, whole }, file) {
  const sums = mkdtempSync(path.join(tmpdir(), "docent-again-"));
  const exact = `^${name.replace(/[\][\\.*^$+?(){}|/]/g, "\\$&")}$`;
  const done = spawnSync(
    process.execPath,
    [
      "--test",
      "--test-reporter=./tests/api/lib/reporter.mjs",
      "--test-reporter-destination=stdout",
      ...(whole ? [] : [`--test-name-pattern=${exact}`]),
      file,
    ],
    { env: { ...process.env, DOCENT_TEST_SUMS: sums }, encoding: "utf8", maxBuffer: 1 << 28 },
  );
  const { passed, failed } = read(sums);
  rmSync(sums, { recursive: true, force: true });
  return { passed, failed, said: `${done.stdout}${done.stderr}` };
}

/** With DOCENT_TEST_SLOWEST=20, the twenty files that spent most processor, and what all did. */
function tellSpent(folder, most) {
  const lines = readFileSync(path.join(folder, "spent"), "utf8").trim().split("\n");
  const files = lines.map((line) => line.split(" ")).sort((a, b) => b[0] - a[0]);
  const all = files.reduce((sum, [seconds]) => sum + Number(seconds), 0);
  for (const [seconds, file] of [[all, `all ${files.length} files`], ...files.slice(0, most)])
    console.log(`${Number(seconds).toFixed(1).padStart(6)} s of processor  ${file}`);
}

const slowest = Number(process.env.DOCENT_TEST_SLOWEST ?? 0);
if (slowest) tellSpent(process.argv[2], slowest);
const sum = read(process.argv[2]);
let flaky = 0;
const few = sum.stories.length <= AGAIN_MOST ? sum.stories : [];
if (sum.stories.length > few.length) console.log(`${sum.stories.length} stories failed: none is run again`);
for (const story of few) {
  if (/Sanitizer|: runtime error: /.test(story.said)) continue; // what one has seen once is there
  const tries = story.files.map((file) => again(story, file));
  if (!tries.length || tries.some((one) => one.failed) || !tries.some((one) => one.passed)) continue;
  const told = tries.map((one) => one.said).join("");
  console.log(`flaky: ${story.name}\n-- it failed first:\n${story.said}-- and passed alone:\n${told}`);
  flaky++;
  sum.failed -= story.failures;
  if (!story.whole) sum.passed++;
}
if (flaky) console.log(`${flaky} flaky`);
console.log(`${sum.passed} passed, ${sum.failed} failed`);
process.exit(sum.failed ? 1 : 0);
