// Rows as an older version or another time would have left them.
import { execFile } from "node:child_process";
import path from "node:path";

/** Runs the statements on the server's database while it is stopped; false, and the test is skipped, without the sqlite3 program. */
export async function changeRows(t, kb, sql) {
  await kb.stop();
  const ok = await new Promise((resolve) =>
    execFile("sqlite3", [path.join(kb.dir, "docent.db"), sql], (error) => resolve(!error)),
  );
  await kb.spawn();
  if (!ok) t.skip("needs the sqlite3 program");
  return ok;
}
