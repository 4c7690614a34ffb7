// The specification as rows: each has a name with its number. A row that needs more than a look has its
// stories elsewhere. One server a section.
import { assert } from "./harness.mjs";

export const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Runs rows one after another: [name, fn]. */
export async function each(t, rows) {
  for (const [name, fn] of rows) await t.test(name, fn);
}

export const status = (reply, wanted, message) => {
  assert.equal(reply.status, wanted, reply.text.slice(0, 300));
  if (message !== undefined) assert.equal(reply.json.message, message);
};
