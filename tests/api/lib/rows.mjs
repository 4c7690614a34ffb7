// Rows as an older version or another time would have left them.
import { execFile } from "node:child_process";
import path from "node:path";
import { storeOf } from "./service.mjs";

/** Runs the statements on a database that nobody serves, of a server or in a folder; gives the lines of what they
 * print, each its values with "|" between; null without the program for it. */
export async function rowsOf(store, sql) {
  const address = /^postgres/.test(store);
  return new Promise((resolve) =>
    execFile(
      address ? "psql" : "sqlite3",
      address ? ["-qAtc", sql, store] : [path.join(store, "docent.db"), sql],
      (error, out) => resolve(error ? null : out.split("\n").filter(Boolean)),
    ),
  );
}

/** The same, for statements that print nothing; false without the program for it. */
export const runRows = async (store, sql) => (await rowsOf(store, sql)) !== null;

/** Runs the statements on the server's database while it is stopped; false, and the test is skipped, without the program for it. */
export async function changeRows(t, kb, sql) {
  await kb.stop();
  const { DOCENT_STORE: address } = await storeOf(kb.dir);
  const ok = await runRows(address ?? kb.dir, sql);
  await kb.spawn();
  if (!ok) t.skip(`needs the ${address ? "psql" : "sqlite3"} program`);
  return ok;
}
