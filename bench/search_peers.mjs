/*
 * Search beside its peers in one run, with the same passages and questions:
 *
 *   make bench B=search_peers            or: node bench/search_peers.mjs [DIR] [PEER,...]
 *   node bench/search_peers.mjs fill [DIR] [PEER,...]     only fills the peers' indexes, at nice 19
 *
 * DIR (DOCENT_CORPUS, /tmp/docent-corpus) is what bench/corpus.mjs wrote; it is made when it is not
 * there. Peers: lancedb (from npm), xapian (Debian's omega and tools), fts5 (the SQLite
 * we link). They and their indexes, one for each size, are kept in DOCENT_PEERS
 * (/tmp/docent-peers), in a folder named after the corpus, and used again by later runs; a peer
 * that cannot be had is left out with a sentence. Our own index is made in each run.
 *
 * All are asked for the ten best of any of the question's words, by BM25 (k1 1.2, b .75) over
 * stemmed words. LanceDB, Xapian and FTS5 have no positions; the first two leave function words out, we
 * weigh them .15, FTS5 has no stemmer here and leaves nothing out.
 *
 * One thread a question. The first figure of a pair is wall time, the second processor time; for
 * LanceDB the latter is that of the whole process. For Xapian there is none: omega is a process for
 * each question and says itself how long the match took. Questions are asked three times (five
 * times ours), FTS5's, which take a second, once and only FTS5_QUESTIONS of them.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";

const FTS5_QUESTIONS = 24;
const ROUNDS = 3;
const SHARES = [
  [1, 8],
  [1, 4],
  [1, 2],
  [1, 1],
];
const here = path.dirname(fileURLToPath(import.meta.url));
const built = process.env.DOCENT_BENCH ?? path.join(here, "../build-release/bench");
const args = process.argv.slice(2);
const onlyFill = args[0] === "fill";
if (onlyFill) args.shift();
const dir = args[0] ?? process.env.DOCENT_CORPUS ?? path.join(os.tmpdir(), "docent-corpus");
const wanted = (args[1] ?? "lancedb,xapian,fts5").split(",");
const docs = path.join(dir, "docs.jsonl"),
  queries = path.join(dir, "queries.jsonl");
const kept = process.env.DOCENT_PEERS ?? path.join(os.tmpdir(), "docent-peers");
process.on("SIGINT", () => process.exit(130));

function run(file, args, options = {}) {
  return execFileSync(file, args, {
    encoding: "utf8",
    stdio: ["ignore", "pipe", "ignore"],
    maxBuffer: 64 << 20,
    ...options,
  });
}

// Rows as bench/texts.c prints them: { wall: [p50, p95, p99], processor: [...] }
function rows(text, name) {
  const found = {};
  for (const [, what, clock, ...times] of text.matchAll(
    /^(best .*?) +(wall|processor) +p50 +(\d+) +p95 +(\d+) +p99 +(\d+)/gm,
  ))
    if (what === name) found[clock] = times.map(Number);
  return found;
}

const quantiles = (times) => {
  times.sort((a, b) => a - b);
  return [0.5, 0.95, 0.99].map((share) => Math.round(times[Math.floor(times.length * share)]));
};

// One process on one processor, where the system can say so.
const pinned = spawnSync("taskset", ["-c", "0", "true"]).status === 0 ? ["taskset", "-c", "0"] : [];
const command = (file, args) => {
  const [first, ...rest] = [...pinned, file, ...args.map(String)];
  return [first, rest];
};

// Runs a filling at low priority; resolves to what it printed.
const fill = (file, args, options) => run("nice", ["-n", "19", file, ...args.map(String)], options);

// Calls `take` with each line until it returns false.
function eachLine(file, take) {
  const fd = fs.openSync(file),
    chunk = Buffer.alloc(1 << 20);
  let rest = Buffer.alloc(0),
    more = true;
  for (let n; more && (n = fs.readSync(fd, chunk)) > 0;) {
    const bytes = Buffer.concat([rest, chunk.subarray(0, n)]);
    let at = 0;
    for (let end; more && (end = bytes.indexOf(10, at)) >= 0; at = end + 1)
      more = take(bytes.toString("utf8", at, end));
    rest = bytes.subarray(at);
  }
  fs.closeSync(fd);
}

/* A thing in the folder of kept ones, made under another name, so that a broken run leaves none. */
function keep(folder, name, make) {
  const place = path.join(folder, name),
    part = `${place}.part`;
  if (!fs.existsSync(place)) {
    const start = performance.now();
    fs.rmSync(part, { recursive: true, force: true });
    make(part);
    fs.renameSync(part, place);
    console.log(`made ${place} in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  return place;
}

/* Passages FIRST to END - 1 as omega's scriptindex reads them. */
function writeDump(file, first, end) {
  const out = fs.openSync(file, "w");
  let number = 0;
  eachLine(docs, (line) => {
    if (number >= first) fs.writeSync(out, `text=${JSON.parse(line).text.replaceAll("\n", " ")}\n\n`);
    return ++number < end;
  });
  fs.closeSync(out);
}

const lancedb = {
  prepare() {
    this.place = keep(kept, "lancedb", (part) =>
      run("npm", ["install", "--no-audit", "--no-fund", "--prefix", part, "@lancedb/lancedb"]),
    );
    fs.copyFileSync(path.join(here, "lance.mjs"), path.join(this.place, "lance.mjs"));
    this.options = { cwd: this.place, env: { ...process.env, LANCE_LOG: "error" } };
  },
  fill(folder, count) {
    return keep(folder, `lancedb-${count}`, (part) =>
      fill("node", ["lance.mjs", "fill", part, docs, 0, count], this.options),
    );
  },
  ask(index) {
    const [file, ...args] = [...pinned, "node", "lance.mjs", "search", index, queries, ROUNDS];
    return rows(run(file, args.map(String), this.options), "best 10");
  },
};

const xapian = {
  prepare() {
    this.place = keep(kept, "xapian", (part) => {
      fs.mkdirSync(path.join(part, "templates"), { recursive: true });
      for (const name of ["xapian-omega", "xapian-tools", "libxapian30"]) {
        run("apt-get", ["download", name], { cwd: part });
        const file = fs.readdirSync(part).find((entry) => entry.startsWith(`${name}_`));
        run("dpkg-deb", ["-x", file, "root"], { cwd: part });
      }
      fs.writeFileSync(path.join(part, "script"), "text : indexnopos\n");
      fs.writeFileSync(
        path.join(part, "templates/bench"),
        "$set{stemmer,english}$set{weighting,bm25 1.2 0 1 0.75 0.5}$hitlist{$id }\ntime $time\n",
      );
    });
    this.root = path.join(this.place, "root/usr");
    const lib = path.join(this.root, "lib");
    const triplet = fs.readdirSync(lib).find((entry) => entry.endsWith("-gnu"));
    this.env = { ...process.env, XAPIAN_FLUSH_THRESHOLD: "1000000", LD_LIBRARY_PATH: path.join(lib, triplet) };
  },
  // Of equal pieces, each filled once, and joined into a compact database, which is Xapian's best.
  fill(folder, count) {
    const pieces = [],
      last = SHARES.at(-1),
      first = SHARES[0];
    const eighth = Math.floor((total * first[0]) / first[1]);
    for (let from = 0; from < count; from += eighth) {
      // The pieces of all passages end with them; smaller sizes are whole pieces, but for a few.
      const end = Math.min(from + eighth, count);
      if (end - from < SHARES.length * last[1] && pieces.length) break;
      pieces.push(
        keep(folder, `xapian-piece-${from}-${end}`, (part) => {
          const dump = `${part}.dump`;
          writeDump(dump, from, end);
          fill(
            path.join(this.root, "bin/scriptindex"),
            ["-s", "english", part, path.join(this.place, "script"), dump],
            { env: this.env },
          );
          fs.rmSync(dump);
        }),
      );
    }
    return keep(folder, `xapian-${count}`, (part) =>
      fill(path.join(this.root, "bin/xapian-compact"), [...pieces, part], { env: this.env }),
    );
  },
  // Omega says how long the match took, without the start of its process.
  ask(index) {
    const config = path.join(this.place, "omega.conf");
    fs.writeFileSync(config, `database_dir ${path.dirname(index)}\ntemplate_dir ${this.place}/templates\n`);
    const [file, args] = command(path.join(this.root, "lib/cgi-bin/omega/omega"), [
      `DB=${path.basename(index)}`,
      "FMT=bench",
      "HITSPERPAGE=10",
      "DEFAULTOP=or",
    ]);
    const env = { ...this.env, OMEGA_CONFIG_FILE: config };
    const times = fs
      .readFileSync(queries, "utf8")
      .trim()
      .split("\n")
      .map((line) => {
        const rounds = Array.from({ length: ROUNDS }, () =>
          Number(run(file, [...args, `P=${JSON.parse(line).text}`], { env }).match(/^time ([\d.]+)/m)[1]),
        );
        return rounds.sort((a, b) => a - b)[ROUNDS >> 1] * 1e6;
      });
    return { wall: quantiles(times) };
  },
};

const fts5 = {
  prepare() {},
  // Of the next smaller one, where it is there.
  fill(folder, count) {
    return keep(folder, `fts5-${count}`, (part) => {
      if (this.before) fs.copyFileSync(this.before, part);
      this.before = null;
      fill(path.join(built, "fts5"), [part, docs, queries, count, 0]);
    });
  },
  ask: (index, count) =>
    rows(run(...command(path.join(built, "fts5"), [index, docs, queries, count, FTS5_QUESTIONS])), "best 10"),
};

const ms = (us) => (us / 1000).toFixed(us < 10000 ? 2 : 0);
function print(name, found, ours) {
  const pair = (i) => [found.wall, found.processor].map((v) => (v ? ms(v[i]) : "–")).join(" / ");
  const ratio = ours ? `${(found.wall[0] / ours.wall[0]).toFixed(1)} x` : "";
  console.log(`| ${name} | ${pair(0)} | ${pair(1)} | ${pair(2)} | ${ratio} |`);
}

if (!fs.existsSync(queries)) execFileSync("node", [path.join(here, "corpus.mjs"), dir], { stdio: "inherit" });
let total = 0;
for await (const chunk of fs.createReadStream(docs))
  for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, at + 1)) total++;

/* What the indexes were made of: a corpus is known by its size and by how it begins and ends. */
function corpusKey() {
  const { size } = fs.statSync(docs),
    hash = createHash("sha256").update(String(size));
  const fd = fs.openSync(docs),
    bytes = Buffer.alloc(Math.min(1 << 20, size));
  for (const at of [0, size - bytes.length]) {
    fs.readSync(fd, bytes, 0, bytes.length, at);
    hash.update(bytes);
  }
  fs.closeSync(fd);
  return hash.digest("hex").slice(0, 12);
}

const peers = { lancedb, xapian, fts5 };
const folder = path.join(kept, corpusKey());
fs.mkdirSync(folder, { recursive: true });
for (const name of wanted) {
  try {
    peers[name].prepare();
  } catch (error) {
    console.log(`${name} is left out: it could not be installed (${error.message.split("\n")[0]})`);
    delete peers[name];
  }
}
const sizes = SHARES.map(([a, b]) => Math.floor((total * a) / b));
const indexes = {};
for (const count of sizes)
  for (const name of wanted) {
    if (!peers[name]) continue;
    indexes[`${name} ${count}`] = peers[name].fill(folder, count);
    peers[name].before = indexes[`${name} ${count}`];
  }
if (onlyFill) process.exit(0);
console.log(`the peers' indexes were made before and are kept in ${folder}`);
for (const [i, count] of sizes.entries()) {
  const text = run(...command(path.join(built, "search"), [docs, queries, String(count)]));
  const ours = rows(text, "best 10");
  console.log(`\n${count} passages, ${SHARES[i].join("/")}\n`);
  console.log(
    text
      .match(/^(build|file|memory|factors).*$/gm)
      .map((line) => `  ${line}`)
      .join("\n"),
  );
  const found = [];
  for (const name of wanted) if (peers[name]) found.push([name, peers[name].ask(indexes[`${name} ${count}`], count)]);
  console.log("\n| ms, wall / processor | p50 | p95 | p99 | p50 beside ours |\n| --- | --- | --- | --- | --- |");
  print("Docent, best 10", ours);
  print("with the second step over 200", rows(text, "best 10 of 200 reranked"));
  print("with the third step too", rows(text, "best 10 in all three steps"));
  print("every passage scored", rows(text, "best 10, exhaustive"));
  for (const [name, times] of found) print(name, times, ours);
}
