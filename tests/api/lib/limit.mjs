// Ends a file of stories that takes too long, whatever holds it open: loaded ahead of each by
// scripts/test-stories. What each story may take, the harness says.
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
}
