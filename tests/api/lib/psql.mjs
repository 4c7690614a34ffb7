// Statements for a PostgreSQL, by its own client.
import { spawn } from "node:child_process";

/** Runs statements in a database of the server whose socket is at `at`; gives what they print, a line a row. */
export function psql(at, database, text) {
  return new Promise((resolve, reject) => {
    const child = spawn("psql", ["-h", at, "-U", "docent", "-d", database, "-qAtc", text], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    const out = [];
    child.stdout.on("data", (piece) => out.push(piece));
    child.on("error", reject);
    child.on("close", (code) =>
      code === 0 ? resolve(Buffer.concat(out).toString().trim()) : reject(new Error(`${text} failed`)),
    );
  });
}
