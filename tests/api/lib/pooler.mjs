// A pooler of a story: pgbouncer, which lends a session of the server to each transaction, and has
// far fewer of them than there are connections to it.
import { execFile, spawn } from "node:child_process";
import { chown, mkdtemp, rm, writeFile } from "node:fs/promises";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { until } from "./util.mjs";

const NOBODY = 65534;
const PROGRAM = ["/usr/sbin/pgbouncer", "/usr/bin/pgbouncer"].find(existsSync) ?? "pgbouncer";

export class Pooler {
  /** Before the server (postgres.mjs). */
  static async begin(t, server, { sessions = 4 } = {}) {
    const pooler = new Pooler();
    pooler.dir = await mkdtemp(path.join(tmpdir(), "docent-pooler-"));
    t.after(() => pooler.end());
    const file = (name) => path.join(pooler.dir, name);
    await writeFile(file("users"), '"docent" ""\n');
    await writeFile(
      file("conf"),
      [
        "[databases]",
        `* = host=${server.dir} port=5432`,
        "[pgbouncer]",
        "pool_mode = transaction",
        `default_pool_size = ${sessions}`,
        "max_client_conn = 200",
        "listen_addr =",
        "listen_port = 5432",
        `unix_socket_dir = ${pooler.dir}`,
        "auth_type = trust",
        "admin_users = docent",
        `auth_file = ${file("users")}`,
        "server_login_retry = 1",
        "",
      ].join("\n"),
    );
    if (process.getuid() === 0)
      for (const name of ["", "users", "conf"]) await chown(path.join(pooler.dir, name), NOBODY, NOBODY);
    await pooler.start();
    return pooler;
  }

  /** What net.connect() takes. */
  get socket() {
    return { path: path.join(this.dir, ".s.PGSQL.5432") };
  }

  url(database, query = "") {
    return `postgresql://docent@/${database}?host=${this.dir}${query}`;
  }

  async start() {
    const as = process.getuid() === 0 ? ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"] : [];
    const [program, ...args] = [...as, PROGRAM, "-q", path.join(this.dir, "conf")];
    this.said = "";
    this.child = spawn(program, args, { cwd: this.dir, stdio: ["ignore", "ignore", "pipe"] });
    this.child.stderr.on("data", (piece) => (this.said += piece));
    this.ended = new Promise((resolve, reject) => {
      this.child.on("close", resolve);
      this.child.on("error", reject);
    });
    await until("the pooler to answer", () => this.ask("SHOW VERSION").catch(() => this.alive()), 20_000, 50);
  }

  alive() {
    if (this.child.exitCode === null && this.child.signalCode === null) return false; // not yet
    throw new Error(`the pooler ended: ${this.said}`);
  }

  /** A command of its console. */
  async ask(command) {
    const args = ["-h", this.dir, "-U", "docent", "-d", "pgbouncer", "-qAtc", command];
    return (await promisify(execFile)("psql", args)).stdout;
  }

  /** SIGTERM: it ends at once, and what it lent is undone; SIGKILL: the same without a word. */
  async stop(signal = "SIGTERM") {
    this.child.kill(signal);
    await this.ended;
    await rm(this.socket.path, { force: true });
  }

  async end() {
    await this.stop("SIGKILL");
    await rm(this.dir, { recursive: true, force: true });
  }
}
