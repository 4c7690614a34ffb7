/*
 * Makes a corpus and questions for the search benches from folders of documentation (HTML, plain
 * text, Markdown, reStructuredText; .gz too):
 *
 *   node bench/corpus.mjs OUT FOLDER...     writes OUT/docs.jsonl and OUT/queries.jsonl
 *
 * Passages are runs of 120 words. A question is made of function words and three to six words from
 * a window of 45 words of one passage; the generator repeats itself, so two runs over the same
 * folders give the same files.
 */
import fs from "node:fs";
import path from "node:path";
import zlib from "node:zlib";

const PASSAGE_WORDS = 120;
const QUESTIONS = 300;
const WINDOW = 45;
const MAX_FILE = 64 << 20;
const KINDS = /\.(html?|xhtml|txt|md|rst|sgml|xml)(\.gz)?$/i;
const STARTS = ["how do i use the", "what is the", "why does the", "how can i set the",
  "where is the", "what does the", "when is the", "can i change the"];
const JOINTS = ["and", "of the", "in the", "with", "for a", "to the"];
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

const [out, ...folders] = process.argv.slice(2);
if (!out || !folders.length) {
  console.error("usage: node bench/corpus.mjs OUT FOLDER...");
  process.exit(2);
}

let state = 12345n;
function roll(below) {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(below));
}

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else if (entry.isFile() && (KINDS.test(entry.name) || /^[A-Z]+$/.test(entry.name))) yield full;
  }
}

function textOf(file) {
  let bytes = fs.readFileSync(file);
  if (file.endsWith(".gz")) bytes = zlib.gunzipSync(bytes);
  let text = bytes.toString("utf8");
  if (/\.(html?|xhtml|sgml|xml)(\.gz)?$/i.test(file))
    text = text
      .replace(/<(script|style|head)\b[^]*?<\/\1>/gi, " ")
      .replace(/<[^>]*>/g, " ")
      .replace(/&(#?\w+);/g, (all, name) => ENTITIES[name] ?? " ");
  return text;
}

fs.mkdirSync(out, { recursive: true });
const docs = fs.openSync(path.join(out, "docs.jsonl"), "w");
const sample = []; // passages that questions are made from, chosen evenly
let count = 0, bytes = 0, lines = [];
for (const folder of folders) {
  for (const file of files(folder)) {
    if (fs.statSync(file).size > MAX_FILE) continue;
    const words = textOf(file).split(/\s+/).filter(Boolean);
    for (let i = 0; i + 30 < words.length; i += PASSAGE_WORDS) {
      const part = words.slice(i, i + PASSAGE_WORDS);
      const text = part.join(" ");
      lines.push(JSON.stringify({ id: String(count), title: "", text }));
      bytes += Buffer.byteLength(text);
      if (sample.length < QUESTIONS) sample.push(part);
      else if (roll(count + 1) < QUESTIONS) sample[roll(QUESTIONS)] = part;
      count++;
    }
    if (lines.length > 10000) {
      fs.writeSync(docs, lines.join("\n") + "\n");
      lines = [];
    }
  }
}
fs.writeSync(docs, lines.map((line) => line + "\n").join(""));
fs.closeSync(docs);

const queries = [];
for (const words of sample) {
  const start = roll(Math.max(words.length - WINDOW, 1));
  const content = words.slice(start, start + WINDOW)
    .map((word) => word.toLowerCase().replace(/[^\p{L}\p{N}_]/gu, ""))
    .filter((word) => word.length > 3 && word.length < 20);
  if (content.length < 8) continue;
  let text = STARTS[roll(STARTS.length)];
  for (let n = 3 + roll(4); n; n--) {
    text += " " + content[roll(content.length)];
    if (n > 1 && roll(3) === 0) text += " " + JOINTS[roll(JOINTS.length)];
  }
  queries.push(JSON.stringify({ id: `q${queries.length}`, text }));
}
fs.writeFileSync(path.join(out, "queries.jsonl"), queries.join("\n") + "\n");
console.log(`${count} passages, ${(bytes / 1e6).toFixed(1)} MB of text, ${queries.length} questions`);
