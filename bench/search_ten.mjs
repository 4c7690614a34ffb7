/*
 * The ten best passages by words, beside Lucene and Tantivy in one run:
 *
 *   make bench B=search_ten            or: node bench/search_ten.mjs [DIR] [PEER,...] [PASSAGES]
 *
 * DIR (DOCENT_CORPUS, /tmp/docent-corpus) is what bench/corpus.mjs wrote. Lucene comes from Maven, Tantivy from
 * crates.io; their programs (bench/peers) and indexes are made in DOCENT_PEERS (/tmp/docent-peers) and used again. A
 * peer that cannot be had is left out with a sentence, and so is the bench where there is no corpus. Lucene wants
 * Java 21 or later, in JAVA_HOME or among the system's. DOCENT_TEN_BEFORE is another build's bench/ten, asked too.
 *
 * strict: all are given our terms and weights, so that what differs is the engine. Questions are runs of one, two and
 * three terms of the corpus's, and all of them; with our weights, and with all of them 1. own: each reads the
 * question's text by its own analysis, ours also in all of the search's steps.
 *
 * An engine is a process. Each line that it reads names a file of questions; it answers each in a line of nanoseconds
 * of its thread's processor time and the passages found, then an empty line. Engines take turns, first until each is
 * warm (its sum no longer falls), then in ROUNDS; a question's time is the median of its rounds.
 */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import readline from "node:readline";
import { fileURLToPath } from "node:url";

const LUCENE = "10.4.0";
const TANTIVY = "0.27.0";
const JAVA_LEAST = 21;
const ROUNDS = 7;
const WARM_MOST = 30; // rounds
const WARM_GAIN = 0.97; // a round that takes more of the fastest one's time is no gain
const WARM_IDLE = 3; // rounds without a gain
const SHARES = [0.5, 0.9, 0.99];
const here = path.dirname(fileURLToPath(import.meta.url));
const built = process.env.DOCENT_BENCH ?? path.join(here, "../build-release/bench");
const dir = process.argv[2] ?? process.env.DOCENT_CORPUS ?? path.join(os.tmpdir(), "docent-corpus");
const passages = Number(process.argv[4] ?? Infinity);
const wanted = (process.argv[3] ?? "lucene,tantivy").split(",").filter(Boolean);
const kept = process.env.DOCENT_PEERS ?? path.join(os.tmpdir(), "docent-peers");
const docs = path.join(dir, "docs.jsonl"),
  queries = path.join(dir, "queries.jsonl");
process.on("SIGINT", () => process.exit(130));

if (!fs.existsSync(queries)) {
  console.log(`there is no corpus in ${dir}: node bench/corpus.mjs ${dir}`);
  process.exit(0);
}
const size = fs.statSync(docs).size;
const folder = path.join(kept, `ten-${size}${Number.isFinite(passages) ? `-${passages}` : ""}`);
fs.mkdirSync(folder, { recursive: true });

const run = (file, args, options = {}) =>
  execFileSync(file, args.map(String), { stdio: ["ignore", "pipe", "pipe"], maxBuffer: 64 << 20, ...options });

/* A thing in the folder of kept ones, made under another name, so that a broken run leaves none. */
function keep(name, make) {
  const place = path.join(folder, name),
    part = `${place}.part`;
  if (!fs.existsSync(place)) {
    fs.rmSync(part, { recursive: true, force: true });
    const start = performance.now();
    make(part);
    fs.renameSync(part, place);
    console.log(`made ${name} in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  }
  return place;
}

// ---- the engines ----

const docent = (program, mode) => ({ file: path.resolve(program), args: [mode === "every step" ? "all" : mode] });

function java() {
  const homes = [process.env.JAVA_HOME, "/usr"].concat(
    fs.existsSync("/usr/lib/jvm") ? fs.readdirSync("/usr/lib/jvm").map((name) => `/usr/lib/jvm/${name}`) : [],
  );
  for (const home of homes.filter(Boolean)) {
    const file = path.join(home, "bin/javac");
    if (!fs.existsSync(file)) continue;
    if (Number(/ (\d+)/.exec(run(file, ["-version"]).toString())?.[1]) >= JAVA_LEAST) return path.join(home, "bin");
  }
  throw new Error(`there is no Java ${JAVA_LEAST} or later`);
}

function lucene() {
  const place = path.join(kept, `lucene-${LUCENE}`),
    bin = java();
  fs.mkdirSync(place, { recursive: true });
  for (const name of ["lucene-core", "lucene-analysis-common"])
    if (!fs.existsSync(path.join(place, `${name}-${LUCENE}.jar`)))
      run("mvn", [
        "-q",
        "-B",
        "dependency:copy",
        `-Dartifact=org.apache.lucene:${name}:${LUCENE}`,
        `-DoutputDirectory=${place}`,
      ]);
  run(path.join(bin, "javac"), ["-cp", `${place}/*`, "-d", place, path.join(here, "peers/Lucene.java")]);
  const options = ["-Xmx1g", "--add-modules", "jdk.incubator.vector", "--enable-native-access=ALL-UNNAMED"];
  return { file: path.join(bin, "java"), args: [...options, "-cp", `${place}:${place}/*`, "Lucene"] };
}

function tantivy() {
  const place = path.join(kept, `tantivy-${TANTIVY}`);
  fs.mkdirSync(path.join(place, "src"), { recursive: true });
  fs.copyFileSync(path.join(here, "peers/tantivy.rs"), path.join(place, "src/main.rs"));
  fs.writeFileSync(
    path.join(place, "Cargo.toml"),
    `[package]\nname = "peer"\nversion = "0.0.0"\nedition = "2021"\n\n[dependencies]\nlibc = "0.2"\n` +
      `tantivy = { version = "=${TANTIVY}", default-features = false, features = ["mmap", "stemmer", "stopwords", "lz4-compression"] }\n`,
  );
  const env = { ...process.env, RUSTFLAGS: "-C target-cpu=native" };
  run("cargo", ["build", "--release", "--quiet"], { cwd: place, env });
  return { file: path.join(place, "target/release/peer"), args: [] };
}

const programs = {};
for (const [name, find] of Object.entries({ lucene, tantivy })) {
  if (!wanted.includes(name)) continue;
  try {
    programs[name] = find();
  } catch (error) {
    console.log(`${name} is left out: ${error.message.split("\n")[0]}`);
  }
}

/* A process that answers files of questions. */
function start({ file, args }, index) {
  const child = spawn(file, [...args, index], { stdio: ["pipe", "pipe", "inherit"] });
  const lines = readline.createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  return {
    async ask(questions) {
      const answers = [];
      child.stdin.write(`${questions}\n`);
      for (;;) {
        const { value, done } = await lines.next();
        if (done) throw new Error(`${file} ended`);
        if (!value) return answers;
        const [ns, ...found] = value.split(" ").map(Number);
        answers.push({ us: ns / 1e3, found });
      }
    },
    resident: () => Number(/RssAnon:\s*(\d+)/.exec(fs.readFileSync(`/proc/${child.pid}/status`, "utf8"))[1]) / 1024,
    end: () => child.stdin.end(),
  };
}

// ---- passages, questions and indexes ----

const ten = path.join(built, "ten");
const few = Number.isFinite(passages) ? [passages] : [];
const inputs = {
  strict: keep("words.txt", (part) => run(ten, ["words", docs, part, ...few])),
  own: keep("texts.txt", (part) => {
    const out = fs.openSync(part, "w");
    let number = 0;
    for (const line of fs.readFileSync(docs, "utf8").split("\n"))
      if (line && number++ < passages) fs.writeSync(out, `${JSON.parse(line).text.replaceAll("\n", " ")}\n`);
    fs.closeSync(out);
  }),
};
const index = keep("docent", (part) => run(path.join(built, "ask"), ["build", docs, part, ...few]));
const bytesOf = (place) => {
  const stat = fs.statSync(place);
  return stat.isDirectory()
    ? fs.readdirSync(place).reduce((sum, name) => sum + bytesOf(path.join(place, name)), 0)
    : stat.size;
};
const indexOf = (name, analysis) =>
  keep(`${name}-${analysis}`, (part) =>
    run(programs[name].file, [...programs[name].args, analysis, part, "fill", inputs[analysis]]),
  );

function writeQuestions(name, lines) {
  const place = path.join(folder, `${name}.txt`);
  fs.writeFileSync(place, lines.map((line) => `${line}\n`).join(""));
  return place;
}
const questionsFile = path.join(folder, "questions.txt");
run(ten, ["questions", queries, questionsFile]);
/* Pairs of weight and term of each question. */
const weighed = fs
  .readFileSync(questionsFile, "utf8")
  .trim()
  .split("\n")
  .map((line) => line.trim().split(" "))
  .map((parts) => Array.from({ length: parts.length >> 1 }, (_, i) => parts.slice(2 * i, 2 * i + 2)));
/* A run of so many terms, elsewhere in each question. */
const runOf = (pairs, count, number) => {
  const first = number % Math.max(1, pairs.length - count + 1);
  return pairs.slice(first, first + count);
};
const line = (pairs, weights) => pairs.map(([weight, term]) => `${weights === "1" ? 1 : weight} ${term}`).join(" ");
const tables = [];
for (const [name, count] of Object.entries({ one: 1, two: 2, three: 3, all: Infinity }))
  for (const weights of ["1", "ours"])
    if (count > 1 || weights === "1")
      tables.push({
        name: `${name === "all" ? "all terms" : `${name} term${count > 1 ? "s" : ""}`}, weights ${weights}`,
        analysis: "strict",
        file: writeQuestions(
          `${name}-${weights}`,
          weighed.map((pairs, i) => line(runOf(pairs, Math.min(count, pairs.length), i), weights)),
        ),
      });
const texts = fs.readFileSync(queries, "utf8").trim().split("\n");
tables.push({
  name: "own analysis",
  analysis: "own",
  file: writeQuestions(
    "own",
    texts.map((t) => JSON.parse(t).text),
  ),
});

// ---- asking ----

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const sumOf = (answers) => answers.reduce((sum, answer) => sum + answer.us, 0);

async function warm(engines, file) {
  const state = engines.map(() => ({ best: Infinity, idle: 0 }));
  for (let round = 0; round < WARM_MOST && state.some(({ idle }) => idle < WARM_IDLE); round++)
    for (const [i, engine] of engines.entries()) {
      const sum = sumOf(await engine.ask(file));
      state[i].idle = sum < state[i].best * WARM_GAIN ? 0 : state[i].idle + 1;
      state[i].best = Math.min(state[i].best, sum);
    }
}

/* Each engine's time of each question, and what it found. */
async function measure(engines, file) {
  const rounds = engines.map(() => []);
  for (let round = 0; round < ROUNDS; round++)
    for (let k = 0; k < engines.length; k++) {
      const i = (k + round) % engines.length; // who comes first takes turns
      rounds[i].push(await engines[i].ask(file));
    }
  return rounds.map((answers) => ({
    times: answers[0].map((_, q) => median(answers.map((round) => round[q].us))),
    found: answers[0].map(({ found }) => found),
  }));
}

/* The share of our passages that another found too. */
function overlap(ours, theirs) {
  let same = 0,
    all = 0;
  for (const [q, found] of ours.entries()) {
    all += found.length;
    same += found.filter((doc) => theirs[q].includes(doc)).length;
  }
  return all ? same / all : 1;
}

function print(name, { times, found }, ours) {
  const sorted = [...times].sort((a, b) => a - b);
  const figures = [
    ...SHARES.map((share) => sorted[Math.floor(sorted.length * share)]),
    sumOfTimes(times) / times.length,
  ];
  const mean = sumOfTimes(times) / sumOfTimes(ours.times);
  const shown = figures.map((us) => (us / 1000).toFixed(3)).join(" | ");
  console.log(`| ${name} | ${shown} | ${mean.toFixed(2)} x | ${(100 * overlap(ours.found, found)).toFixed(1)} % |`);
}
const sumOfTimes = (times) => times.reduce((sum, us) => sum + us, 0);

for (const analysis of ["strict", "own"]) {
  const engines = [["Docent", start(docent(ten, analysis), index)]];
  const before = process.env.DOCENT_TEN_BEFORE;
  if (before) engines.push(["Docent before", start(docent(before, analysis), index)]);
  if (analysis === "own") {
    engines.push(["Docent, every step", start(docent(ten, "every step"), index)]);
    if (before) engines.push(["Docent before, every step", start(docent(before, "every step"), index)]);
  }
  for (const [name, program] of Object.entries(programs)) {
    const place = indexOf(name, analysis);
    console.log(`${name}, ${analysis}: ${(bytesOf(place) / 1e6).toFixed(1)} MB, nothing but postings and lengths`);
    engines.push([name, start({ ...program, args: [...program.args, analysis] }, place)]);
  }
  const asked = engines.map(([, engine]) => engine);
  for (const table of tables.filter((each) => each.analysis === analysis)) {
    await warm(asked, table.file);
    const results = await measure(asked, table.file);
    console.log(`\n${table.name}, ${results[0].times.length} questions\n`);
    console.log("| processor ms | p50 | p90 | p99 | mean | mean beside ours | our ten found too |");
    console.log("| --- | --- | --- | --- | --- | --- | --- |");
    for (const [i, [name]] of engines.entries()) print(name, results[i], results[0]);
  }
  console.log("");
  for (const [name, engine] of engines) {
    console.log(`${name}: ${engine.resident().toFixed(0)} MB resident that are no file's`);
    engine.end();
  }
}
