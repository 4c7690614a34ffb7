// A PostgreSQL for stories that are about several nodes: the one that all stories run on, or one of
// their own; and servers that a story stops, kills and follows up as it likes.
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { appendFile, chown, mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { after } from "node:test";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { psql } from "./psql.mjs";
import { root } from "./service.mjs";
import { until } from "./util.mjs";

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

/** A database of its own: { url, run(statements) }. */
export async function database() {
  const at = await socket();
  const name = `story-${randomUUID()}`;
  await psql(at, "postgres", `CREATE DATABASE "${name}"`);
  made.push({ at, name });
  return { url: `postgresql://docent@/${name}?host=${at}`, run: (text) => psql(at, name, text) };
}

const NOBODY = 65534;

/** Where the newest PostgreSQL has its programs. */
async function programs() {
  const versions = await readdir("/usr/lib/postgresql");
  const newest = versions.sort((a, b) => Number(a) - Number(b)).at(-1);
  return `/usr/lib/postgresql/${newest}/bin`;
}

/**
 * A server of its own: commits are in its log before they are acknowledged, so that its processes
 * may be killed (the machine may not: nothing is synced).
 */
export class Server {
  /** settings: lines for postgresql.conf; of: the server that it follows. */
  static async begin(t, { settings = [], of = null } = {}) {
    const server = new Server();
    server.bin = await programs();
    server.dir = await mkdtemp(path.join(tmpdir(), "docent-pg-"));
    t.after(() => server.end());
    if (process.getuid() === 0) await chown(server.dir, NOBODY, NOBODY);
    server.data = path.join(server.dir, "data");
    if (of) {
      await server.#run(
        "pg_basebackup",
        "-h",
        of.dir,
        "-U",
        "docent",
        "-D",
        server.data,
        "-R",
        "-X",
        "stream",
        "-c",
        "fast",
      );
    } else {
      await server.#run("initdb", "-D", server.data, "-U", "docent", "-A", "trust", "-N", "-E", "UTF8", "--locale=C");
      await appendFile(
        path.join(server.data, "postgresql.conf"),
        [
          "listen_addresses = ''",
          "max_connections = 150",
          "shared_buffers = 32MB",
          "fsync = off",
          "full_page_writes = off",
          "deadlock_timeout = 200ms",
          "wal_retrieve_retry_interval = 200ms",
          ...settings,
          "",
        ].join("\n"),
      );
    }
    await server.start();
    return server;
  }

  /** What net.connect() takes. */
  get socket() {
    return { path: path.join(this.dir, ".s.PGSQL.5432") };
  }

  #run(program, ...args) {
    const as = process.getuid() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const [first, ...rest] = [...as, path.join(this.bin, program), ...args];
    return promisify(execFile)(first, rest, { cwd: this.dir });
  }

  ctl(...args) {
    return this.#run("pg_ctl", "-D", this.data, ...args);
  }

  start() {
    const log = path.join(this.dir, "log");
    return this.ctl("-w", "-l", log, "-o", `-k ${this.dir}`, "start");
  }

  /** fast: transactions are undone; immediate: as if it had been killed. */
  stop(how = "fast") {
    return this.ctl("-w", "-m", how, "stop");
  }

  async kill9() {
    const pid = Number((await readFile(path.join(this.data, "postmaster.pid"), "utf8")).split("\n")[0]);
    process.kill(pid, "SIGKILL");
  }

  /** After kill9(): its processes need a moment to notice. */
  startAgain() {
    return until(
      "PostgreSQL to come up again",
      () =>
        this.start().then(
          () => true,
          () => false,
        ),
      30_000,
      100,
    );
  }

  promote() {
    return this.ctl("-w", "promote");
  }

  psql(name, text) {
    return psql(this.dir, name, text);
  }

  async end() {
    await this.stop("immediate").catch(() => {});
    await rm(this.dir, { recursive: true, force: true });
  }
}
