// A PostgreSQL for stories that are about several nodes: the one that all stories run on, or one of
// their own.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { after } from "node:test";
import path from "node:path";
import { root } from "./service.mjs";

const made = [];
let own = null;

/** The directory of its socket. It ends with the file, after all its stories. */
async function socket() {
  if (process.env.DOCENT_TEST_POSTGRES) return process.env.DOCENT_TEST_POSTGRES;
  own ??= begin();
  return (await own).at;
}

function begin() {
  const script = 'echo "$DOCENT_TEST_POSTGRES"; cat >/dev/null';
  const child = spawn(path.join(root, "scripts/with-postgres"), ["sh", "-c", script], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const ended = new Promise((resolve) => child.on("close", resolve));
  return new Promise((resolve, reject) => {
    child.stdout.once("data", (line) => resolve({ at: line.toString().trim(), child, ended }));
    child.on("error", reject);
    child.on("close", () => reject(new Error("no PostgreSQL came up")));
  });
}

after(async () => {
  for (const { at, name } of made) await psql(at, "postgres", `DROP DATABASE "${name}" WITH (FORCE)`);
  if (!own) return;
  const { child, ended } = await own;
  child.stdin.end();
  await ended;
});

/** Runs statements; gives what they print, a line a row. */
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

/** A database of its own: { url, run(statements) }. */
export async function database() {
  const at = await socket();
  const name = `story-${randomUUID()}`;
  await psql(at, "postgres", `CREATE DATABASE "${name}"`);
  made.push({ at, name });
  return { url: `postgresql://docent@/${name}?host=${at}`, run: (text) => psql(at, name, text) };
}
