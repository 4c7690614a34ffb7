// Rows as an older version or another time would have left them.
import { execFile } from "node:child_process";
import path from "node:path";
import { storeOf } from "./service.mjs";

/** Runs the statements on a database that nobody serves, of a server or in a folder; false without the program for it. */
export async function runRows(store, sql) {
  const address = /^postgres/.test(store);
  return new Promise((resolve) =>
    execFile(
      address ? "psql" : "sqlite3",
      address ? ["-qc", sql, store] : [path.join(store, "docent.db"), sql],
      (error) => resolve(!error),
    ),
  );
}

/** Runs the statements on the server's database while it is stopped; false, and the test is skipped, without the program for it. */
export async function changeRows(t, kb, sql) {
  await kb.stop();
  const { DOCENT_STORE: address } = await storeOf(kb.dir);
  const ok = await runRows(address ?? kb.dir, sql);
  await kb.spawn();
  if (!ok) t.skip(`needs the ${address ? "psql" : "sqlite3"} program`);
  return ok;
}
