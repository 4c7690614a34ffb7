// Main content of pages, by site: the score of each of five folds of the articles of the evaluation data.
//
//   node bench/main_content.mjs [--program P] [--data ../shared/data]
//
// A site's pages are all in one fold, which the name of the site decides. The score is that of the
// article extraction benchmark (runs of four words; F1 of the mean precision and the mean recall).
import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

import { articleOf, findProgram, lines, parse } from "./parse_corpus.mjs";

const FOLDS = 5;
const SHARED = new Set(["co", "com", "org", "gov", "ac", "net"]); // co.uk and its like

/** "example.co.uk" of a page of www.example.co.uk. */
function siteOf(url) {
  const names = new URL(url).hostname.split(".");
  return names.slice(names.length > 2 && SHARED.has(names.at(-2)) ? -3 : -2).join(".");
}

const foldOf = (site) => Number(BigInt(`0x${createHash("md5").update(site).digest("hex")}`) % BigInt(FOLDS));

/** How often each run of four words stands in it. */
function runs(text) {
  const words = text.match(/[\p{L}\p{N}_\p{M}]+/gu) ?? [];
  const counts = new Map();
  const add = (run) => counts.set(run, (counts.get(run) ?? 0) + 1);
  if (words.length && words.length < 4) add(words.join(" "));
  for (let i = 0; i + 4 <= words.length; i++) add(words.slice(i, i + 4).join(" "));
  return counts;
}

const sum = (counts) => [...counts.values()].reduce((all, n) => all + n, 0);

export function compare(wanted, got) {
  const [a, b] = [runs(wanted), runs(got)];
  let both = 0;
  for (const [run, n] of a) both += Math.min(n, b.get(run) ?? 0);
  return { precision: b.size ? both / sum(b) : null, recall: a.size ? both / sum(a) : null };
}

function score(pages) {
  const mean = (list) => list.reduce((all, n) => all + n, 0) / list.length;
  const p = mean(pages.map((page) => page.precision).filter((n) => n !== null));
  const r = mean(pages.map((page) => page.recall).filter((n) => n !== null));
  return { p, r, f1: (2 * p * r) / (p + r) };
}

function main() {
  const option = (name, otherwise) => {
    const at = process.argv.indexOf(`--${name}`);
    return at < 0 ? otherwise : process.argv[at + 1];
  };
  const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
  const folder = join(resolve(root, option("data", "../shared/data")), "extract/articles");
  const program = option("program", findProgram());
  const dir = mkdtempSync(join(tmpdir(), "main-content-"));
  const folds = Array.from({ length: FOLDS }, () => []);
  for (const gold of lines(join(folder, "gold.jsonl.gz"))) {
    const file = join(dir, basename(gold.file, ".gz"));
    writeFileSync(file, gunzipSync(readFileSync(join(folder, gold.file))));
    const { parsed } = parse(program, file, 60);
    folds[foldOf(siteOf(gold.url))].push(compare(gold.text, parsed ? articleOf(parsed) : ""));
  }
  rmSync(dir, { recursive: true });
  const show = ({ p, r, f1 }) => `F1 ${f1.toFixed(4)}  precision ${p.toFixed(4)}  recall ${r.toFixed(4)}`;
  const scores = folds.map(score);
  scores.forEach((of, i) => console.log(`fold ${i + 1}  ${String(folds[i].length).padStart(3)} pages  ${show(of)}`));
  console.log(`mean of the folds  F1 ${(scores.reduce((all, of) => all + of.f1, 0) / FOLDS).toFixed(4)}`);
  console.log(`all  ${show(score(folds.flat()))}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
