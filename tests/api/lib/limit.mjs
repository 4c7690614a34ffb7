// Ends a file of stories that takes too long, whatever holds it open: loaded ahead of each by
// scripts/test-stories. What each story may take, the harness says. Where DOCENT_TEST_SLOWEST asks for it,
// it also writes down how much processor the file and all that it started have spent.
import { appendFileSync, readFileSync } from "node:fs";
import path from "node:path";
import { patient } from "./patience.mjs";

/** Of an idle machine. The longest, random bodies at every route, takes a tenth of it. */
const LONGEST_MS = 900_000;

// The runner itself, which starts the files, has no limit.
if (process.env.NODE_TEST_CONTEXT && !process.env.DOCENT_TEST_LIMITED) {
  process.env.DOCENT_TEST_LIMITED = "1"; // nor have the programs that a story starts
  const ms = patient(Number(process.env.DOCENT_TEST_FILE_MS ?? LONGEST_MS));
  setTimeout(() => {
    console.error(`${process.argv[1]} was ended after ${ms} ms`);
    process.exit(1);
  }, ms).unref();
  if (process.env.DOCENT_TEST_SLOWEST && process.env.DOCENT_TEST_SUMS)
    process.on("exit", () =>
      appendFileSync(
        path.join(process.env.DOCENT_TEST_SUMS, "spent"),
        `${spent()} ${path.basename(process.argv[1])}\n`,
      ),
    );
}

/** Processor seconds of this process and of those that it has waited for (proc(5), utime to cstime). */
function spent() {
  const fields = readFileSync("/proc/self/stat", "latin1")
    .replace(/^.*\) /s, "")
    .split(" ");
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / 100;
}
