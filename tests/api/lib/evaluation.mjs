// The evaluation's data, beside the project and no part of it. What needs them is skipped where they
// are missing, and that alone is no failure in continuous integration (reporter.mjs).
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

export const data = path.resolve(
  process.env.DOCENT_TEST_DATA ?? fileURLToPath(new URL("../../../../shared/data", import.meta.url)),
);

export const NO_DATA = "no evaluation data";

/** The `skip` of such a story. */
export const skip = existsSync(data) ? false : `${NO_DATA} at ${data}`;
