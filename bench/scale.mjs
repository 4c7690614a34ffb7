/*
 * What it costs to keep everything in PostgreSQL, beside SQLite on the same machine: durable messages of
 * many clients, a question to an agent that is open, and the trips to the database that it takes. The
 * database syncs its commits.
 *
 *   make bench B=scale      or  DOCENT_BINARY=… DOCENT_BENCH=… node bench/scale.mjs
 *
 * SECONDS=4 of each round of messages, ROUNDS=2, QUESTIONS=300. A cold question from a bucket is
 * `make bench B=cold`.
 */
import { execFile, spawnSync } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { psql } from "../tests/api/lib/psql.mjs";
import { Service } from "../tests/api/lib/service.mjs";
import { countingTrips } from "../tests/api/lib/trips.mjs";

const socket = process.env.DOCENT_TEST_POSTGRES;
if (!socket) {
  const beside = path.resolve(import.meta.dirname, "../scripts/with-postgres");
  process.exit(spawnSync(beside, [process.execPath, ...process.argv.slice(1)], { stdio: "inherit" }).status);
}
delete process.env.DOCENT_TEST_POSTGRES;
const run = promisify(execFile);
const bench = process.env.DOCENT_BENCH ?? "build-release/bench";
const SECONDS = process.env.SECONDS ?? "4";
const ROUNDS = Number(process.env.ROUNDS ?? 2);
const QUESTIONS = Number(process.env.QUESTIONS ?? 300);

const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];
const line = (what, ...figures) => console.log(`${what.padEnd(46)} ${figures.join("  ")}`);

for (const setting of ["fsync = on", "synchronous_commit = on", "full_page_writes = on"])
  await psql(socket, "postgres", `ALTER SYSTEM SET ${setting}`);
await psql(socket, "postgres", "SELECT pg_reload_conf()");

let count = 0;
async function database() {
  const name = `bench-${++count}`;
  await psql(socket, "postgres", `CREATE DATABASE "${name}"`);
  return `postgresql://docent@/${name}?host=${socket}`;
}
const dirs = [];
async function folder() {
  dirs.push(await mkdtemp(path.join(tmpdir(), "docent-bench-")));
  return dirs.at(-1);
}

// ---- messages

async function messages(at, agents, clients) {
  const { stdout } = await run(`${bench}/scale_messages`, [at, String(agents), String(clients), SECONDS]);
  const [rate, p50, p99] = stdout.split(" ").map(Number);
  return { rate, p50, p99 };
}

async function allMessages() {
  const rows = [
    ["SQLite, one agent", async () => [await messages(await folder(), 1, 64)]],
    ["PostgreSQL, one agent", async () => [await messages(await database(), 1, 64)]],
    ["PostgreSQL, 100 agents", async () => [await messages(await database(), 100, 64)]],
    [
      "PostgreSQL, 100 agents each, 3 nodes",
      async () => {
        const at = await database();
        await messages(at, 1, 1); // makes the tables
        return Promise.all([1, 2, 3].map(() => messages(at, 100, 21)));
      },
    ],
  ].map(([name, go]) => ({ name, go, found: [] }));
  for (let round = 0; round < ROUNDS; round++)
    for (const row of rows) {
      const nodes = await row.go();
      row.found.push({
        rate: nodes.reduce((sum, node) => sum + node.rate, 0),
        p50: median(nodes.map((node) => node.p50)),
        p99: Math.max(...nodes.map((node) => node.p99)),
      });
    }
  const of = (row, figure) => median(row.found.map((found) => found[figure]));
  for (const row of rows)
    line(
      row.name,
      `${of(row, "rate")} messages/s`,
      `p50 ${(of(row, "p50") / 1000).toFixed(1)} ms`,
      `p99 ${(of(row, "p99") / 1000).toFixed(1)} ms`,
      `${(of(row, "rate") / of(rows[0], "rate")).toFixed(2)} of SQLite`,
    );
}

// ---- questions

async function serving(store) {
  const dir = await folder();
  const kb = new Service({ dir, env: { DOCENT_STORE: store ?? dir, DOCENT_BLOB: path.join(dir, "blobs") } });
  await kb.begin();
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [`pump-${i}.txt`, `The Heron-${i} pump costs ${400 + i} euros.\n`]),
  );
  return { kb, agent: await kb.agent({ files }) };
}

async function ask({ agent }, i) {
  const begin = performance.now();
  await agent.ask(`How much does the Heron-${i % 50} pump cost?`, { session: `bench-${i % 7}` });
  return performance.now() - begin;
}

/** What an empty question to that database takes, in ms: by PostgreSQL's own bench. */
async function trip(url) {
  const bin = (await readdir("/usr/lib/postgresql")).sort((a, b) => b - a)[0];
  const script = path.join(await folder(), "one.sql");
  await writeFile(script, "SELECT 1;\n");
  const args = ["-n", "-M", "prepared", "-c", "1", "-T", "3", "-f", script, url];
  const { stdout } = await run(`/usr/lib/postgresql/${bin}/bin/pgbench`, args);
  return Number(/latency average = ([\d.]+) ms/.exec(stdout)[1]);
}

async function questions() {
  const between = await countingTrips(await database());
  const far = await countingTrips(await database(), 0.85); // each way, and the wire itself
  line("a trip, 2 ms away", `${(await trip(far.url)).toFixed(2)} ms`);
  const sides = [
    ["SQLite", await serving()],
    ["PostgreSQL", await serving(await database())],
    ["PostgreSQL, 2 ms away", await serving(far.url)],
  ].map(([name, side]) => ({ name, side, times: [] }));
  for (let i = 0; i < QUESTIONS + 30; i++)
    for (const one of sides) {
      const ms = await ask(one.side, i);
      if (i >= 30) one.times.push(ms);
    }
  const first = median(sides[0].times);
  for (const { name, times } of sides)
    line(
      `question, warm, ${name}`,
      `p50 ${median(times).toFixed(2)} ms`,
      `+ ${(median(times) - first).toFixed(2)} ms`,
      `${(median(times) / first).toFixed(2)} of SQLite`,
    );

  const counted = await serving(between.url);
  for (let i = 0; i < 30; i++) await ask(counted, i);
  const idle = async (ms) => {
    const before = between.seen.trips;
    await new Promise((resolve) => setTimeout(resolve, ms));
    return between.seen.trips - before;
  };
  const quiet = (await idle(4000)) / 4000;
  const begin = performance.now(),
    before = between.seen.trips;
  for (let i = 0; i < 100; i++) await ask(counted, i);
  const trips = between.seen.trips - before - quiet * (performance.now() - begin);
  line("trips to the database a question", (trips / 100).toFixed(1));
  for (const { kb } of [...sides.map(({ side }) => side), counted]) await kb.end();
  between.close();
  far.close();
}

try {
  await allMessages();
  await questions();
} finally {
  for (const dir of dirs) await rm(dir, { recursive: true, force: true });
}
