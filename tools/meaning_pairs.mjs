/*
 * Makes the pairs of texts that the table of word vectors is learned from (tools/meaning_train.c):
 *
 *   node tools/meaning_pairs.mjs DEBS TRANSLATIONS > pairs.tsv
 *
 * DEBS is a folder of Debian packages, TRANSLATIONS one of Translation-xx files, as tools/meaning.sh
 * fetches them. A line is: source, language, weight in percent, left, right; by tabs. What goes with
 * what:
 *
 *   descriptions   a package's short description with its long one, a paragraph with the rest, and
 *                  a translation with the English text
 *   help           a heading with the section under it; a sentence with the rest of its section
 *   thesauri       a word with its synonyms, and with its gloss
 *   everyday       what people say with what documents write, of tools/everyday
 *
 * The generator of chance repeats itself, so the same packages give the same pairs.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import zlib from "node:zlib";

const [debs, translations] = process.argv.slice(2);
if (!translations) {
  console.error("usage: node tools/meaning_pairs.mjs DEBS TRANSLATIONS");
  process.exit(2);
}

const WORDS_MOST = 110; // of a right side
const PAIRS_A_PACKAGE = 9000; // and language
const MAX_FILE = 2 << 20;
const DOCUMENT = /\.(html?|xhtml|txt|md|rst|page|docbook|xml)(\.gz|\.bz2)?$/i;
const MANUAL = /\/man\/(?:(\w+)\/)?man[1578]\/[^/]*\.\d\w*(\.gz)?$/;
const NOISE =
  /(^|\/)(copyright|changelog|news|authors|thanks|credits|todo|license|licence|copying|genindex|search|index-all|py-modindex|legal)[^/]*$/i;
const LANGUAGES = new Set(["en", "de", "fr", "es", "it", "ja", "zh", "pt", "nl", "ru", "pl", "sv", "cs"]);
const ENTITIES = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  nbsp: " ",
  apos: "'",
  "#39": "'",
  "#160": " ",
  "#8217": "'",
  "#8220": '"',
  "#8221": '"',
};

let state = 12345n;
function roll(below) {
  state = (state * 6364136223846793005n + 1442695040888963407n) & ((1n << 64n) - 1n);
  return Number((state >> 33n) % BigInt(below));
}

let lines = [];
const counts = {};
function clean(text) {
  return text.replace(/[\s\u00a0]+/g, " ").trim();
}
function flush() {
  fs.writeSync(1, lines.join(""));
  lines = [];
}
function pair(source, lang, left, right, weight = 100) {
  left = clean(left);
  right = clean(right).slice(0, 1200);
  if (left.length < 2 || right.length < 2) return;
  lines.push(`${source}\t${lang}\t${weight}\t${left}\t${right}\n`);
  counts[source] = (counts[source] ?? 0) + 1;
  if (lines.length > 20000) flush();
}

// What stands at the end of each page of a manual.
const TAIL = /(\d+(\.\d+)* \S.{0,80})? Report a (bug in GIMP|documentation error).*$/;
const isDense = (text) => /[\u3040-\u30ff\u4e00-\u9fff]/.test(text);
const wordsOf = (text) => (isDense(text) ? text.length / 2 : text.split(/\s+/).length);
function head(text, words) {
  return isDense(text) ? text.slice(0, words * 2) : text.split(/\s+/).slice(0, words).join(" ");
}
function sentencesOf(text) {
  return text.split(/(?<=[.!?:])\s+(?=\p{Lu})|(?<=[。！？])/u).filter((one) => wordsOf(one) >= 5);
}

/* ---- sections ---- */

function unescaped(text) {
  return text.replace(
    /&(#?\w+);/g,
    (all, name) =>
      ENTITIES[name] ??
      (name[0] === "#" && name[1] !== "x" ? String.fromCodePoint(Math.min(+name.slice(1) || 32, 0x10ffff)) : " "),
  );
}

/* Headings and what stands under them: [{ heading, text }], of HTML, DocBook and Mallard alike. */
function markedUp(text) {
  const sections = [];
  let title = "";
  text = text
    .replace(/<!--[^]*?-->/g, " ")
    .replace(/<(script|style|nav|footer|header|pre|code-block|screen|programlisting|info)\b[^>]*>[^]*?<\/\1>/gi, " ");
  const parts = text.split(/<(h[1-6]|title|dt|summary|term)\b[^>]*>([^]*?)<\/\1\s*>/i);
  const tagless = (html) =>
    clean(
      unescaped(
        html
          .replace(
            /<\/?(a|b|i|em|strong|code|tt|span|gui|guilabel|app|cmd|key|link|file|filename|command|emphasis|literal|option|acronym|quote)\b[^>]*>/gi,
            "",
          )
          .replace(/<[^>]*>/g, " "),
      ),
    ).replace(/[¶#]$/, "");
  for (let i = 1; i + 2 < parts.length; i += 3) {
    const heading = tagless(parts[i + 1])
      .replace(/^([\dIVXA-F]+\.)+[\d]*\.?\s+/, "")
      .replace(/^(Chapter|Appendix|Kapitel|Anhang|Chapitre) \w+\.?\s*/, "");
    const body = tagless(parts[i + 2]);
    if (/^title$/i.test(parts[i]) && !title) title = heading;
    sections.push({ heading, text: body, term: /^(dt|term)$/i.test(parts[i]) });
  }
  return { title, sections };
}

function plain(text) {
  const sections = [];
  let heading = "",
    title = "",
    body = [];
  const done = () => sections.push({ heading, text: clean(body.join(" ")) });
  const rows = text.split("\n");
  for (let i = 0; i < rows.length; i++) {
    const next = rows[i + 1] ?? "";
    const marked = /^#{1,5}\s+(.*)/.exec(rows[i]);
    const under =
      rows[i].trim() && /^([=\-~^*"'+#])\1{2,}\s*$/.test(next) && next.trim().length >= rows[i].trim().length - 2;
    if (marked || under) {
      done();
      heading = (marked ? marked[1] : rows[i]).replace(/[`*_:]/g, "").trim();
      title ||= heading;
      body = [];
      if (under) i++;
    } else if (!/^\s{4,}|^\.\. |^\s*[:|+]/.test(rows[i])) body.push(rows[i].replace(/:\w+:`|``?|\*\*/g, ""));
  }
  done();
  return { title, sections };
}

function manual(text) {
  const bare = text
    .replace(/^['.]\\".*$/gm, "")
    .replace(/^\.(EX|nf)[^]*?^\.(EE|fi)/gm, "")
    .replace(/\\(f(\[\w*\]|\(..|.)|[&|^/,]|s[-+]?\d)/g, "")
    .replace(/\\\(?(em|en|aq|dq|-)/g, (all, name) => (name[1] ? "'" : "-"));
  const sections = [];
  let name = "";
  for (const part of bare.split(/^\.S[Hh]\s+/m).slice(1)) {
    const end = part.indexOf("\n");
    const heading = part.slice(0, end).replace(/"/g, "");
    const body = clean(
      part
        .slice(end)
        .replace(/^[.'](\w+) ?/gm, "")
        .replace(/\\./g, " "),
    );
    if (!name) name = body.replace(/^[^-]*\s-+\s*/, "");
    else if (!/^(SEE ALSO|AUTHOR|COPYRIGHT|SYNOPSIS|HISTORY|BUGS)/i.test(heading))
      sections.push({ heading: name, text: body });
  }
  return { title: name, sections };
}

const GENERIC =
  /^(note|notes|tip|warning|caution|important|example|examples|see also|contents|table of contents|index|introduction|overview|description|usage|syntax|parameters|returns|next|previous|up|home|navigation|related topics|abstract|synopsis|name|hinweis|tipp|warnung|beispiel|inhalt|einleitung|remarque|astuce|voir aussi|activation|access this command|zugriff auf diesen befehl)\W*$/i;

function sectionPairs(source, lang, { title, sections }, left) {
  let before = 0;
  for (const one of sections) {
    const words = wordsOf(one.text);
    if (words < 10 || left.count <= 0) continue;
    const text = head(one.text.replace(TAIL, ""), WORDS_MOST);
    const generic = !one.heading || GENERIC.test(one.heading) || !/\p{L}{3}/u.test(one.heading);
    const question = /[?？]\s*$/.test(one.heading);
    if (!generic && one.heading.length < 160) {
      pair(source, lang, one.heading, text, question ? 300 : 100);
      left.count--;
      if (!one.term && title && title !== one.heading && before++ % 3 === 0)
        pair(source, lang, `${title} ${one.heading}`, text);
    } else if (title && before++ % 3 === 0) pair(source, lang, title, text);
    const sentences = sentencesOf(text);
    if (sentences.length > 2) {
      const at = roll(sentences.length);
      pair(source + "-inner", lang, sentences[at], text.replace(sentences[at], " "));
      left.count--;
    }
  }
}

/* ---- packages ---- */

function* files(folder) {
  for (const entry of fs.readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(folder, entry.name);
    if (entry.isDirectory()) yield* files(full);
    else if (entry.isFile()) yield full;
  }
}

function languageOf(name, file) {
  const parts = file.replace(/\.(gz|bz2)$/, "").split(/[/.]/);
  const manual = MANUAL.exec(file);
  if (manual) return manual[1] ? manual[1].slice(0, 2) : "en";
  for (const part of parts.slice(3)) {
    const two = /^([a-z]{2})([-_][A-Z]{2}|[-_][a-z]{2})?$/.exec(part);
    if (two && LANGUAGES.has(two[1])) return two[1];
    if (
      two &&
      /^(C|ca|da|el|fi|gl|hu|ko|nb|ro|sl|sr|sv|tr|uk|vi|pa|te|hi|eu|et|id|lt|lv|bg|ar|fa|he|th|bn|gu|mr|or|oc|sk|hr|mk|kn|ta|cy|eo|da|nn|as|ka|be)$/.test(
        two[1],
      )
    )
      return null;
  }
  const own = /-(de|fr|es|it|ja|ru|nl|zh|zh-cn)$/.exec(name);
  return own ? own[1].slice(0, 2) : "en";
}

function textOf(file) {
  let bytes = fs.readFileSync(file);
  if (file.endsWith(".gz")) bytes = zlib.gunzipSync(bytes);
  else if (file.endsWith(".bz2")) bytes = execFileSync("bzcat", [file], { maxBuffer: 64 << 20 });
  return bytes.toString("utf8");
}

function documentation(deb) {
  const name = path.basename(deb).split("_")[0];
  const place = fs.mkdtempSync(path.join(os.tmpdir(), "meaning-package-"));
  const manuals = /^manpages/.test(name);
  const limit = {};
  try {
    execFileSync("sh", [
      "-c",
      `dpkg-deb --fsys-tarfile "$1" | tar -x -C "$2" --exclude='*.png' --exclude='*.svg*' --exclude='*.jpg' --exclude='*.gif' --exclude='*.js' --exclude='*.pdf*' --wildcards './usr/share/*' 2>/dev/null || true`,
      "sh",
      deb,
      place,
    ]);
    const all = [...files(place)].filter(
      (file) => (manuals ? MANUAL.test(file) : DOCUMENT.test(file)) && !NOISE.test(file),
    );
    // Evenly over the files, should there be too many.
    const step = Math.max(1, Math.floor(all.length / 6000));
    for (let i = 0; i < all.length; i += step) {
      const file = all[i];
      const lang = languageOf(name, file.slice(place.length));
      if (!lang || !LANGUAGES.has(lang) || fs.statSync(file).size > MAX_FILE) continue;
      limit[lang] ??= { count: PAIRS_A_PACKAGE };
      if (limit[lang].count <= 0) continue;
      const text = textOf(file);
      const sections = MANUAL.test(file)
        ? manual(text)
        : /\.(html?|xhtml|page|docbook|xml)/i.test(file)
          ? markedUp(text)
          : plain(text);
      sectionPairs(manuals ? "manuals" : "help", lang, sections, limit[lang]);
    }
  } finally {
    fs.rmSync(place, { recursive: true, force: true });
  }
  console.error(
    `${name}: ${Object.entries(limit)
      .map(([lang, left]) => `${lang} ${left.count} left`)
      .join(", ")}`,
  );
}

/* ---- descriptions ---- */

function descriptions(folder) {
  const english = new Map();
  const names = fs.readdirSync(folder).filter((name) => /^Translation-/.test(name));
  names.sort((a, b) => (a.startsWith("Translation-en") ? -1 : b.startsWith("Translation-en") ? 1 : a < b ? -1 : 1));
  const seen = new Set();
  for (const name of names) {
    const code = /^Translation-(\w+)/.exec(name)[1];
    const lang = code.slice(0, 2);
    const tool = name.endsWith(".xz") ? "xzcat" : "bzcat";
    const text = execFileSync(tool, [path.join(folder, name)], { maxBuffer: 1 << 30 }).toString("utf8");
    for (const record of text.split("\n\n")) {
      const found = /^Description-md5: (\w+)\nDescription-[\w]+: (.*)\n([^]*)/m.exec(record);
      if (!found || seen.has(lang + found[1])) continue;
      seen.add(lang + found[1]);
      const [, hash, short, long] = found;
      const paragraphs = long
        .replace(/^ /gm, "")
        .split(/^\.$/m)
        .map(clean)
        .filter((one) => wordsOf(one) >= 8);
      if (!paragraphs.length) continue;
      const whole = head(paragraphs.join(" "), WORDS_MOST);
      if (lang === "en" && /^(lib|python3?-|r-cran|golang-|node-|haskell|ruby-|php-)/.test(record.slice(9)) && roll(3))
        continue;
      // Many packages of one source have the same words.
      if (seen.has(lang + paragraphs[0].slice(0, 60))) {
        if (roll(3)) continue;
      } else seen.add(lang + paragraphs[0].slice(0, 60));
      pair("descriptions", lang, short, whole);
      if (paragraphs.length > 1)
        pair("descriptions-inner", lang, head(paragraphs[0], 40), head(paragraphs.slice(1).join(" "), WORDS_MOST));
      const sentences = sentencesOf(whole);
      if (sentences.length > 2) {
        const at = roll(sentences.length);
        pair("descriptions-inner", lang, sentences[at], whole.replace(sentences[at], " "));
      }
      if (lang === "en") english.set(hash, { short, whole });
      else if (english.has(hash)) {
        pair("translations", lang, short, english.get(hash).short + " " + head(english.get(hash).whole, 40));
        pair("translations", lang, english.get(hash).short, short + " " + head(whole, 40));
      }
    }
  }
}

/* ---- thesauri ---- */

function member(deb, pattern) {
  return execFileSync("sh", ["-c", `dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards "$2"`, "sh", deb, pattern], {
    maxBuffer: 1 << 28,
  }).toString("utf8");
}

function thesaurus(deb, lang, pattern) {
  const rows = member(deb, pattern).split("\n");
  const bare = (word) => word.replace(/\([^)]*\)/g, "").trim();
  for (let i = 1; i < rows.length;) {
    const [word, count] = rows[i++].split("|");
    for (let k = 0; k < Number(count); k++) {
      const synonyms = (rows[i++] ?? "")
        .split("|")
        .slice(1)
        .filter((one) => !/antonym|Oberbegriff|Unterbegriff|generic term|related term|similar term/i.test(one))
        .map(bare)
        .filter((one) => one && one.toLowerCase() !== word.toLowerCase());
      if (!synonyms.length || word.length < 3 || /^\d/.test(word)) continue;
      pair("thesauri", lang, word, synonyms.slice(0, 8).join(" "), 70);
    }
  }
}

function wordnet(deb) {
  for (const part of ["noun", "verb", "adj", "adv"]) {
    for (const row of member(deb, `*/wordnet/data.${part}`).split("\n")) {
      if (!/^\d{8} /.test(row)) continue;
      const [data, gloss] = row.split(" | ");
      const fields = data.split(" ");
      const words = [];
      for (let i = 0; i < parseInt(fields[3], 16); i++)
        words.push(fields[4 + 2 * i].replace(/_/g, " ").replace(/\(\w+\)$/, ""));
      // Names of people, places and living things are many, and few ask for them.
      if (/^[A-Z]/.test(words[0]) || ["05", "20", "15", "18"].includes(fields[1])) continue;
      pair("wordnet", "en", words.join(" "), gloss);
      const examples = [...gloss.matchAll(/"([^"]+)"/g)].map((one) => one[1]);
      for (const example of examples.slice(0, 2))
        pair("wordnet", "en", example, words.join(" ") + " " + gloss.split(";")[0]);
      if (words.length > 1) pair("thesauri", "en", words[roll(words.length)], words.join(" "), 70);
    }
  }
}

/* ---- what people say ---- */

const EVERYDAY = new URL("everyday/", import.meta.url);

// "fired, sacked = terminated, dismissal": each on the left with all on the right, and with each of these.
function everyday(file) {
  const lang = path.basename(file, ".txt"),
    list = (side) => side.split(",").map(clean).filter(Boolean);
  for (const row of fs.readFileSync(new URL(file, EVERYDAY), "utf8").split("\n")) {
    const [left, right] = row.replace(/^<> /, "").split("=");
    if (row.startsWith("#") || !right) continue;
    for (const said of list(left)) {
      pair("everyday", lang, said, list(right).join(" "), 900);
      for (const written of list(right)) pair("everyday", lang, said, written);
    }
  }
}

const THESAURI = {
  "mythes-en-us": ["en", "*/th_en_US*.dat"],
  "mythes-de": ["de", "*/mythes/th_de*.dat"],
  "mythes-fr": ["fr", "*/thes_fr.dat"],
  "mythes-es": ["es", "*/mythes/*es*.dat"],
};
descriptions(translations);
for (const deb of fs
  .readdirSync(debs)
  .filter((name) => name.endsWith(".deb"))
  .sort()) {
  const name = deb.split("_")[0];
  const full = path.join(debs, deb);
  if (THESAURI[name]) thesaurus(full, ...THESAURI[name]);
  else if (name === "wordnet-base") wordnet(full);
  else if (!/^mythes-|^dict-/.test(name)) documentation(full);
}
for (const file of fs.readdirSync(EVERYDAY).sort()) everyday(file);
flush();
console.error(counts);
