// How patient tests are. What they wait for is written as it would be on an idle machine of two common
// cores; how much longer this one may take is measured, here alone. scripts/test-stories measures when
// a run starts and hands the factor on in DOCENT_TEST_PATIENCE; a file that is started by itself does
// it itself. The load of the last minute is looked at anew whenever somebody's patience is up.
import { createHash } from "node:crypto";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";

const MOST = 12;
/** What work() takes on an idle machine of that kind. */
const USUAL_MS = 150;
/** Busy processes a core that the patience in the tests allows for: they run beside each other. */
const USUAL_LOAD = 2;

function work() {
  const block = Buffer.alloc(1 << 20, "docent");
  const begun = performance.now();
  let hash = block.subarray(0, 32);
  for (let i = 0; i < 40; i++) hash = createHash("sha256").update(block).update(hash).digest();
  for (let i = 0, x = 1; i < 15e6; i++) x = (Math.imul(x, 1664525) + 1013904223 + i) | 0;
  return performance.now() - begun;
}

const clamp = (factor) => Math.min(MOST, Math.max(1, factor));
const given = Number(process.env.DOCENT_TEST_PATIENCE);
/** By the speed and the load of when the run started. */
const atStart = clamp(given > 0 ? given : work() / USUAL_MS);
process.env.DOCENT_TEST_PATIENCE = String(atStart);

/** How many times as long as on an idle machine something may take now. */
export const patience = () => clamp(Math.max(atStart, loadavg()[0] / availableParallelism() / USUAL_LOAD));

/** So many milliseconds of an idle machine are how many of this one? */
export const patient = (ms) => Math.ceil(ms * patience());

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(atStart.toFixed(2));
