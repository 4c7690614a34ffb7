/*
 * Search beside its peers in one run, with the same passages and questions:
 *
 *   make bench B=search_peers            or: node bench/search_peers.mjs [DIR] [PEER,...]
 *
 * DIR (DOCENT_CORPUS, /tmp/docent-corpus) is what bench/corpus.mjs wrote; it is made when it is not
 * there. Peers: lancedb (from npm), xapian (Debian's omega: scriptindex fills, omega asks and tells
 * the time of the match without the start of its process), fts5 (the SQLite we link). They are
 * installed into a folder that is removed at the end; one that cannot be had is left out with a
 * sentence. Each analyses text as it comes: LanceDB, Xapian and we leave stop words out.
 *
 * One thread a question. The first figure of a pair is wall time, the second processor time; for
 * LanceDB the latter is that of its whole process, for Xapian there is none. Questions are asked
 * three times (five times ours), FTS5's, which take a second, once and only FTS5_QUESTIONS of them.
 */
import { execFileSync, spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const FTS5_QUESTIONS = 24;
const ROUNDS = 3;
const SHARES = [[1, 8], [1, 4], [1, 2], [1, 1]];
const here = path.dirname(fileURLToPath(import.meta.url));
const built = process.env.DOCENT_BENCH ?? path.join(here, "../build-release/bench");
const dir = process.argv[2] ?? process.env.DOCENT_CORPUS ?? path.join(os.tmpdir(), "docent-corpus");
const wanted = (process.argv[3] ?? "lancedb,xapian,fts5").split(",");
const docs = path.join(dir, "docs.jsonl"), queries = path.join(dir, "queries.jsonl");
const work = fs.mkdtempSync(path.join(os.tmpdir(), "docent-peers-"));
process.on("exit", () => fs.rmSync(work, { recursive: true, force: true }));
process.on("SIGINT", () => process.exit(130));

function run(file, args, options = {}) {
  return execFileSync(file, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 << 20, ...options });
}

// Rows as bench/texts.c prints them: { wall: [p50, p95, p99], processor: [...] }
function rows(text, name) {
  const found = {};
  for (const [, what, clock, ...times] of
    text.matchAll(/^(best .*?) +(wall|processor) +p50 +(\d+) +p95 +(\d+) +p99 +(\d+)/gm))
    if (what === name) found[clock] = times.map(Number);
  return found;
}

const quantiles = (times) => {
  times.sort((a, b) => a - b);
  return [0.5, 0.95, 0.99].map((share) => Math.round(times[Math.floor(times.length * share)]));
};

// One process on one processor, where the system can say so.
const pinned = spawnSync("taskset", ["-c", "0", "true"]).status === 0 ? ["taskset", "-c", "0"] : [];

const lancedb = {
  prepare() {
    this.place = path.join(work, "lance");
    fs.mkdirSync(this.place);
    fs.copyFileSync(path.join(here, "lance.mjs"), path.join(this.place, "lance.mjs"));
    run("npm", ["install", "--no-audit", "--no-fund", "--prefix", this.place, "@lancedb/lancedb"]);
    this.filled = 0;
  },
  ask(count) {
    const options = { cwd: this.place, env: { ...process.env, LANCE_LOG: "error" } };
    const fill = run("node", ["lance.mjs", "fill", "table", docs, this.filled, count], options);
    this.filled = count;
    const [file, ...args] = [...pinned, "node", "lance.mjs", "search", "table", queries, ROUNDS];
    console.log(`  lancedb: ${fill.trim()}`);
    return rows(run(file, args.map(String), options), "best 10");
  },
};

const xapian = {
  prepare() {
    this.place = path.join(work, "xapian");
    fs.mkdirSync(path.join(this.place, "templates"), { recursive: true });
    for (const name of ["xapian-omega", "libxapian30"]) {
      run("apt-get", ["download", name], { cwd: this.place });
      const file = fs.readdirSync(this.place).find((entry) => entry.startsWith(`${name}_`));
      run("dpkg-deb", ["-x", file, "root"], { cwd: this.place });
    }
    const root = path.join(this.place, "root/usr");
    const triplet = fs.readdirSync(path.join(root, "lib")).find((entry) => entry.endsWith("-gnu"));
    this.indexer = path.join(root, "bin/scriptindex");
    this.omega = path.join(root, "lib/cgi-bin/omega/omega");
    this.options = { cwd: this.place, env: { ...process.env,
      LD_LIBRARY_PATH: path.join(root, "lib", triplet), XAPIAN_FLUSH_THRESHOLD: "200000",
      OMEGA_CONFIG_FILE: path.join(this.place, "omega.conf") } };
    fs.writeFileSync(path.join(this.place, "script"), "text : indexnopos\n");
    fs.writeFileSync(path.join(this.place, "omega.conf"),
      `database_dir ${this.place}\ntemplate_dir ${this.place}/templates\n`);
    fs.writeFileSync(path.join(this.place, "templates/bench"),
      "$set{stemmer,english}$hitlist{$id }\ntime $time\n");
    this.filled = 0;
  },
  async ask(count) {
    const dump = path.join(this.place, "dump"), out = fs.createWriteStream(dump);
    let number = 0;
    for await (const line of readline.createInterface({ input: fs.createReadStream(docs) })) {
      if (number >= count) break;
      if (number++ < this.filled) continue;
      if (!out.write(`text=${JSON.parse(line).text.replaceAll("\n", " ")}\n\n`))
        await new Promise((resolve) => out.once("drain", resolve));
    }
    await new Promise((resolve) => out.end(resolve));
    run(this.indexer, ["-s", "english", "index", "script", "dump"], this.options);
    this.filled = count;
    const times = [];
    for (const line of fs.readFileSync(queries, "utf8").trim().split("\n")) {
      const three = Array.from({ length: ROUNDS }, () => Number(
        run(this.omega, ["DB=index", "FMT=bench", "HITSPERPAGE=10", "DEFAULTOP=or",
          `P=${JSON.parse(line).text}`], this.options).match(/^time ([\d.]+)/m)[1]) * 1e6);
      times.push(three.sort((a, b) => a - b)[ROUNDS >> 1]);
    }
    return { wall: quantiles(times) };
  },
};

const fts5 = {
  prepare() {},
  ask: (count) => rows(run(path.join(built, "fts5"),
    [path.join(work, "fts5.db"), docs, queries, String(count), String(FTS5_QUESTIONS)]), "best 10"),
};

const ms = (us) => (us / 1000).toFixed(us < 10000 ? 2 : 0);
function print(name, found, ours) {
  const pair = (i) => [found.wall, found.processor].map((v) => (v ? ms(v[i]) : "–")).join(" / ");
  const ratio = ours ? `${(found.wall[0] / ours.wall[0]).toFixed(1)} x` : "";
  console.log(`| ${name} | ${pair(0)} | ${pair(1)} | ${pair(2)} | ${ratio} |`);
}

if (!fs.existsSync(queries))
  execFileSync("node", [path.join(here, "corpus.mjs"), dir], { stdio: "inherit" });
let total = 0;
for await (const chunk of fs.createReadStream(docs))
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) total++;

const peers = { lancedb, xapian, fts5 };
for (const name of wanted) {
  try {
    peers[name].prepare();
  } catch (error) {
    console.log(`${name} is left out: it could not be installed (${error.message.split("\n")[0]})`);
    delete peers[name];
  }
}
for (const [a, b] of SHARES) {
  const count = Math.floor((total * a) / b);
  const text = run(path.join(built, "search"), [docs, queries, String(count)]);
  const ours = rows(text, "best 10");
  console.log(`\n${count} passages, ${a === b ? "all" : `${a}/${b}`}\n`);
  console.log(text.match(/^(build|file|memory).*$/gm).map((line) => `  ${line}`).join("\n"));
  const found = [];
  for (const name of wanted) if (peers[name]) found.push([name, await peers[name].ask(count)]);
  console.log("\n| ms, wall / processor | p50 | p95 | p99 | p50 beside ours |\n| --- | --- | --- | --- | --- |");
  print("Docent, best 10", ours);
  print("with the second step over 200", rows(text, "best 10 of 200 reranked"));
  print("every passage scored", rows(text, "best 10, exhaustive"));
  for (const [name, times] of found) print(name, times, ours);
}
