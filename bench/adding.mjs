/*
 * What it costs to add documents to an agent that has very many, beside one that has one:
 *
 *   make bench B=adding         or: node bench/adding.mjs [DOCUMENTS] [FILES] [ROUNDS]
 *
 * One agent gets DOCUMENTS rows (100,000), copies of a document that was read, by the database's own
 * client. Then FILES (200) small files go to each of the two in turn, a request a file, four at once,
 * for ROUNDS (5): how long until all are taken, and until all are read. Prints the medians and how
 * the two compare. On PostgreSQL under scripts/with-postgres.
 */
import { execFileSync } from "node:child_process";
import path from "node:path";
import { form, multipart, request } from "../tests/api/lib/http.mjs";
import { Service, storeOf } from "../tests/api/lib/service.mjs";

const [documents = 100_000, files = 200, rounds = 5] = process.argv.slice(2).map(Number);
const TOGETHER = 4,
  FIRST = 1000; // id before those of the copies
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const median = (list) => [...list].sort((a, b) => a - b)[list.length >> 1];

const kb = new Service();
await kb.begin();
const headers = { accept: "application/json", authorization: `Bearer ${kb.key}` };
let names = 0;

async function add(agent) {
  const name = `d${names++}.txt`;
  const { body, type } = multipart(form({}, { [name]: `The valve ${name} opens.` }));
  const reply = await request(`${kb.url}/api/v1/projects/${agent.id}`, {
    method: "POST",
    headers: { ...headers, "content-type": type },
    body,
  });
  if (reply.status >= 300) throw new Error(`answered ${reply.status}: ${reply.text.slice(0, 300)}`);
}

async function allRead(agent) {
  for (;;) {
    const { text } = await request(`${kb.url}/api/v1/projects/${agent.id}/pages?index_status=queued&limit=1`, {
      headers,
    });
    if (JSON.parse(text).data.pages.total === 0) return;
    await sleep(5);
  }
}

async function database() {
  const { DOCENT_STORE: address } = await storeOf(kb.dir);
  const ask = (sql) =>
    address
      ? execFileSync("psql", ["-qAtc", sql, address], { encoding: "utf8" })
      : execFileSync("sqlite3", [path.join(kb.dir, "docent.db"), sql], { encoding: "utf8" });
  return { ask, isShared: Boolean(address) };
}

/** As many copies of the agent's only document, under ids and names of their own. */
async function fill(agent) {
  await kb.stop();
  const { ask, isShared } = await database();
  const columns = ask(
    isShared
      ? "SELECT column_name FROM information_schema.columns WHERE table_name = 'pages' ORDER BY ordinal_position"
      : "SELECT name FROM pragma_table_info('pages')",
  ).split("\n");
  // Below the ids of what comes: what looks for work in the order of ids goes over all of them.
  const own = { id: `${FIRST} + i`, filename: "'copy' || i", filename_key: "'copy' || i" };
  const names = columns.filter(Boolean);
  ask(
    `INSERT INTO pages (${names}) WITH RECURSIVE n (i) AS (SELECT CAST(1 AS BIGINT) UNION ALL SELECT i + 1 FROM n ` +
      `WHERE i < ${documents}) SELECT ${names.map((name) => own[name] ?? name)} FROM pages, n ` +
      `WHERE agent_id = ${agent.id}; UPDATE agent_totals SET pages_found = pages_found + ${documents}, ` +
      `pages_crawled = pages_crawled + ${documents}, pages_indexed = pages_indexed + ${documents} ` +
      `WHERE agent_id = ${agent.id}`,
  );
  const last = FIRST + documents;
  ask(isShared ? `SELECT setval('ids_page', ${last})` : `UPDATE counters SET last = ${last} WHERE name = 'page'`);
  if (isShared) ask("ANALYZE");
  await kb.spawn();
}

async function round(agent) {
  const start = performance.now();
  let left = files;
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      while (left-- > 0) await add(agent);
    }),
  );
  const taken = performance.now() - start;
  await allRead(agent);
  return { taken: taken / files, read: (performance.now() - start) / files };
}

try {
  const empty = await kb.agent(),
    full = await kb.agent();
  for (const agent of [empty, full]) {
    await add(agent);
    await allRead(agent);
  }
  await fill(full);
  const times = { empty: [], full: [] };
  for (let i = 0; i <= rounds; i++) {
    const one = { empty: await round(empty), full: await round(full) };
    if (i) for (const name of ["empty", "full"]) times[name].push(one[name]); // the first warms up
  }
  console.log(`${files} files, ${rounds} rounds, an agent of ${documents} documents beside an empty one\n`);
  console.log("| ms a document | empty | full | full / empty |\n| --- | --- | --- | --- |");
  for (const what of ["taken", "read"]) {
    const [a, b] = ["empty", "full"].map((name) => median(times[name].map((time) => time[what])));
    console.log(`| ${what} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(2)} |`);
  }
} finally {
  await kb.end();
}
