/*
 * The peer of bench/search: LanceDB's full-text search. Runs where @lancedb/lancedb is installed:
 *
 *   node lance.mjs fill FOLDER DOCS FIRST END      adds passages FIRST to END - 1, makes the index anew
 *   node lance.mjs search FOLDER QUERIES ROUNDS    the ten best of each question
 */
import fs from "node:fs";
import path from "node:path";
import readline from "node:readline";
import * as lancedb from "@lancedb/lancedb";

const [mode, folder, file, ...numbers] = process.argv.slice(2);
const BATCH = 20_000;
const db = await lancedb.connect(path.resolve(folder));

async function fill(first, end) {
  let table = (await db.tableNames()).includes("p") ? await db.openTable("p") : null;
  let rows = [],
    number = 0,
    bytes = 0;
  const add = async () => {
    if (table) await table.add(rows);
    else table = await db.createTable("p", rows);
    rows = [];
  };
  for await (const line of readline.createInterface({ input: fs.createReadStream(file) })) {
    if (number >= end) break;
    if (number++ < first) continue;
    const { id, text } = JSON.parse(line);
    rows.push({ id: Number(id), text });
    bytes += Buffer.byteLength(text);
    if (rows.length === BATCH) await add();
  }
  if (rows.length) await add();
  const before = process.cpuUsage();
  await table.createIndex("text", { config: lancedb.Index.fts({ withPosition: false }), replace: true });
  const { user, system } = process.cpuUsage(before);
  console.log(`index: ${((user + system) / 1e6).toFixed(1)} s of processor time for ${end} passages`);
}

async function search(rounds) {
  const table = await db.openTable("p");
  const questions = fs
    .readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).text);
  const ask = (text) =>
    table
      .query()
      .fullTextSearch(text, { columns: ["text"] })
      .select(["id", "_score"])
      .limit(10)
      .toArray();
  const wall = [],
    cpu = [];
  for (const text of questions.slice(0, 20)) await ask(text);
  for (const text of questions) {
    const walls = [],
      cpus = [];
    for (let i = 0; i < rounds; i++) {
      const start = process.hrtime.bigint(),
        before = process.cpuUsage();
      await ask(text);
      walls.push(Number(process.hrtime.bigint() - start) / 1e3);
      const { user, system } = process.cpuUsage(before);
      cpus.push(user + system);
    }
    wall.push(walls.sort((a, b) => a - b)[rounds >> 1]);
    cpu.push(cpus.sort((a, b) => a - b)[rounds >> 1]);
  }
  for (const [clock, times] of [
    ["wall", wall],
    ["processor", cpu],
  ]) {
    times.sort((a, b) => a - b);
    const at = (share) => Math.round(times[Math.floor(times.length * share)]);
    console.log(`best 10 ${clock} p50 ${at(0.5)}  p95 ${at(0.95)}  p99 ${at(0.99)} us`);
  }
}

if (mode === "fill") await fill(...numbers.map(Number));
else await search(Number(numbers[0]));
