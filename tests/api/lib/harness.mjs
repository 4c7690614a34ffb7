// What every story starts from: `test` and `start`.
//
//   test("an answer cites its document", async (t) => {
//     const kb = await start(t);
//     const agent = await kb.agent({ files: { "returns.txt": "Goods may be returned within 30 days." } });
//     ...
//   });
//
// Each start() is a server of its own: a fresh data directory, a free port, one key. It ends with
// the test, and the test fails if the server did not end cleanly. When a test fails, the servers it
// started tell what they logged.
import { appendFileSync } from "node:fs";
import nodeTest from "node:test";
import assert from "node:assert/strict";
import path from "node:path";
import { patient } from "./patience.mjs";
import { Service } from "./service.mjs";

export { assert };
export { docent } from "./service.mjs";
export { form } from "./http.mjs";
export { patient } from "./patience.mjs";
export { sleep, until, words } from "./util.mjs";

const LOG_LINES = 40;
/** A story that takes longer hangs, unless it says so itself; of an idle machine. */
const LONGEST_MS = 240_000;
const services = new WeakMap();

/** Where the reporter looks up which file has told a story. */
const names = process.env.DOCENT_TEST_SUMS && path.join(process.env.DOCENT_TEST_SUMS, "names");

export function test(name, options, fn = options) {
  if (names) appendFileSync(names, `${JSON.stringify({ name, file: process.argv[1] })}\n`);
  const { timeout = LONGEST_MS, ...others } = fn === options ? {} : options;
  nodeTest(name, { ...others, timeout: patient(timeout) }, async (t) => {
    services.set(t, []);
    tidiesWhole(t);
    try {
      await fn(t);
    } catch (error) {
      for (const service of services.get(t)) {
        const log = service.log.trim().split("\n").slice(-LOG_LINES).join("\n");
        console.error(`--- ${name}: the server on ${service.dir} said\n${log}`);
      }
      throw error;
    }
  });
}

/** Of what a story leaves to `after`, one that fails keeps none of the others from being done: a server that nobody ends
 * would hold the file for as long as a file may take. */
function tidiesWhole(t) {
  const hooks = [];
  t.after(async () => {
    const faults = [];
    for (const hook of hooks)
      try {
        await hook();
      } catch (error) {
        faults.push(error);
      }
    if (faults.length) throw faults[0];
  });
  t.after = (hook) => void hooks.push(hook);
}

/** A story about the files of SQLite: on PostgreSQL there is nothing to tell. */
export function sqliteTest(name, options, fn = options) {
  if (!process.env.DOCENT_TEST_POSTGRES) test(name, options, fn);
}

/** A running server with an empty data directory and a key. `args` and `env` go to `docent serve`. */
export async function start(t, options = {}) {
  const service = new Service(options);
  services.get(t)?.push(service);
  t.after(() => service.end());
  await service.begin();
  return service;
}
