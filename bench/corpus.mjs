/*
 * Makes a corpus and questions for the search benches, OUT/docs.jsonl and OUT/queries.jsonl:
 *
 *   node bench/corpus.mjs OUT               from documentation packages of Debian, to 880,000 passages
 *   node bench/corpus.mjs OUT PASSAGES      the same, to so many
 *   node bench/corpus.mjs OUT FOLDER...     from folders of documentation
 *
 * What is read: HTML, plain text, Markdown, reStructuredText and manual pages; .gz too. Packages are
 * fetched with `apt-get download`, unpacked with dpkg-deb and removed one after another, so the disk
 * holds one of them at a time; a package that this Debian does not offer is left out with a sentence.
 *
 * Passages are runs of 120 words. A question is made of function words and four to six words from a
 * window of 45 words of one passage, eight to twelve words in all; the generator repeats itself, so
 * two runs over the same packages or folders give the same files.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

const PASSAGE_WORDS = 120;
const QUESTIONS = 450; // passages asked about; some have too few words for a question
const PASSAGES = 880_000; // of packages
const QUESTION_WORDS = [8, 12];
const WINDOW = 45;
const MAX_FILE = 64 << 20;
const KINDS = /\.(html?|xhtml|txt|md|rst|sgml|xml)(\.gz)?$/i;
const MANUAL = /\/man\/man\d\/[^/]*\.\d\w*(\.gz)?$/;
// Standards and manual pages first, then by how much text a package has.
const PACKAGES = `doc-rfc-std doc-rfc-informational doc-rfc-others manpages manpages-dev manpages-posix
  manpages-posix-dev linux-doc-6.1 rust-doc openjdk-17-doc erlang-doc python3.11-doc postgresql-doc-15
  llvm-14-doc apache2-doc sqlite3-doc git-doc cmake-doc libboost1.81-doc qtbase5-doc-html
  qtdeclarative5-doc-html qt6-base-doc-html libstdc++-12-doc fp-docs-3.2.2 gnucash-docs libgtk-4-doc
  libgtk-3-doc libglib2.0-doc octave-doc maxima-doc kicad-doc-en gimp-help-en perl-doc tcl8.6-doc
  tk8.6-doc zsh-doc aptitude-doc-en debian-reference-en postgis-doc r-doc-html python3-numpy-doc
  python-scipy-doc python-matplotlib-doc python-pandas-doc python-sympy-doc python-django-doc
  python-sklearn-doc python-networkx-doc python-astropy-doc python-sphinx-doc sagemath-doc
  libopencv-doc libvtk9-doc libwxgtk3.2-doc wx3.2-doc libeigen3-doc libgsl-doc
  openmpi-doc petsc3.18-doc libreoffice-help-en-us ocaml-doc ghc-doc scala-doc clojure-doc
  ruby-doc nodejs-doc php-doc haproxy-doc nginx-doc samba-doc bind9-doc exim4-doc-html postfix-doc
  ntp-doc emacs-common-non-dfsg vim-doc lilypond-doc-html blender-doc darktable-doc`.split(/\s+/);
const STARTS = [
  "how do i use the",
  "what is the",
  "why does the",
  "how can i set the",
  "where is the",
  "what does the",
  "when is the",
  "can i change the",
];
const JOINTS = ["and", "of the", "in the", "with", "for a", "to the"];
const ENTITIES = { amp: "&", lt: "<", gt: ">", quot: '"', nbsp: " ", "#39": "'" };

const [out, ...folders] = process.argv.slice(2);
const most = /^\d+$/.test(folders[0] ?? "") ? Number(folders.shift()) : PASSAGES;
if (!out) {
  console.error("usage: node bench/corpus.mjs OUT [PASSAGES | FOLDER...]");
  process.exit(2);
}

let state = 12345n;
function roll(below) {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(below));
}

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else if (entry.isFile() && (KINDS.test(entry.name) || MANUAL.test(full) || /^[A-Z]+$/.test(entry.name))) yield full;
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
  else if (MANUAL.test(file))
    text = text
      .replace(/^['.]\\".*$/gm, "")
      .replace(/^[.'](\w+) ?/gm, "")
      .replace(/\\(f(\[\w*\]|\(..|.)|[&|^/,]|s[-+]?\d)/g, "")
      .replace(/\\\(?(em|en|aq|dq|-)/g, (all, name) => (name[1] ? "'" : "-"))
      .replace(/\\./g, " ");
  return text;
}

fs.mkdirSync(out, { recursive: true });
const docs = fs.openSync(path.join(out, "docs.jsonl"), "w");
const sample = []; // passages that questions are made from, chosen evenly
const limit = folders.length ? Infinity : most;
let count = 0,
  bytes = 0,
  lines = [];

function addPassage(words) {
  const text = words.join(" ");
  lines.push(JSON.stringify({ id: String(count), title: "", text }));
  bytes += Buffer.byteLength(text);
  if (sample.length < QUESTIONS) sample.push(words);
  else if (roll(count + 1) < QUESTIONS) sample[roll(QUESTIONS)] = words;
  count++;
}

function flush() {
  fs.writeSync(docs, lines.map((line) => line + "\n").join(""));
  lines = [];
}

function addFolder(folder) {
  for (const file of files(folder)) {
    if (count >= limit) break;
    if (fs.statSync(file).size > MAX_FILE) continue;
    const words = textOf(file).split(/\s+/).filter(Boolean);
    for (let i = 0; i + 30 < words.length && count < limit; i += PASSAGE_WORDS)
      addPassage(words.slice(i, i + PASSAGE_WORDS));
    if (lines.length > 10000) flush();
  }
  flush();
}

function addPackage(name) {
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "docent-package-"));
  const quiet = { cwd: place, stdio: ["ignore", "ignore", "ignore"] };
  const before = count;
  try {
    execFileSync("apt-get", ["download", name], quiet);
    const file = fs.readdirSync(place).find((entry) => entry.endsWith(".deb"));
    execFileSync("dpkg-deb", ["-x", file, "files"], quiet);
    fs.rmSync(path.join(place, file));
    addFolder(path.join(place, "files"));
    console.log(`${name}: ${count - before} passages`);
  } catch (error) {
    if (count > before) throw error;
    console.log(`${name}: this Debian does not offer it`);
  } finally {
    fs.rmSync(place, { recursive: true });
  }
}

if (folders.length) folders.forEach(addFolder);
else for (const name of PACKAGES) if (count < limit) addPackage(name);
fs.closeSync(docs);
if (count < limit && !folders.length) console.log(`only ${count} passages of ${limit}: is apt up to date?`);

const queries = [];
for (const words of sample) {
  const start = roll(Math.max(words.length - WINDOW, 1));
  const content = words
    .slice(start, start + WINDOW)
    .map((word) => word.toLowerCase().replace(/[^\p{L}\p{N}_]/gu, ""))
    .filter((word) => word.length > 3 && word.length < 20);
  if (content.length < 8) continue;
  let text = STARTS[roll(STARTS.length)];
  for (let n = 4 + roll(3); n; n--) {
    text += " " + content[roll(content.length)];
    if (n > 1 && roll(3) === 0) text += " " + JOINTS[roll(JOINTS.length)];
  }
  const length = text.split(" ").length;
  if (length < QUESTION_WORDS[0] || length > QUESTION_WORDS[1]) continue;
  queries.push(JSON.stringify({ id: `q${queries.length}`, text }));
}
fs.writeFileSync(path.join(out, "queries.jsonl"), queries.join("\n") + "\n");
console.log(`${count} passages, ${(bytes / 1e6).toFixed(1)} MB of text, ${queries.length} questions`);
