// Rows as an older version or another time would have left them.
import { execFile } from "node:child_process";
import path from "node:path";
import { storeOf } from "./service.mjs";

/** Runs the statements on the server's database while it is stopped; false, and the test is skipped, without the program for it. */
export async function changeRows(t, kb, sql) {
  await kb.stop();
  const { DOCENT_STORE: address } = await storeOf(kb.dir);
  const program = address ? "psql" : "sqlite3",
    args = address ? ["-qc", sql, address] : [path.join(kb.dir, "docent.db"), sql];
  const ok = await new Promise((resolve) => execFile(program, args, (error) => resolve(!error)));
  await kb.spawn();
  if (!ok) t.skip(`needs the ${program} program`);
  return ok;
}
