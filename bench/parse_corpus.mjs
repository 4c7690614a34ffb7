// Parses a folder of documents with the real program and writes predictions for the scorer of the
// evaluation data (its `parse` and `extract` parts).
//
//   node bench/parse_corpus.mjs parse   [--program P] [--data ../shared/data] [--out FILE]
//   node bench/parse_corpus.mjs extract [same options]   main text of articles
//
// Then: score.py parse MANIFEST FILE, score.py extract GOLD FILE.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";

const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");

export function lines(path) {
  let bytes = readFileSync(path);
  if (path.endsWith(".gz")) bytes = gunzipSync(bytes);
  return bytes
    .toString("utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
}

export function findProgram() {
  const candidates = ["build/docent", "build/tests/unit/parse/parse_worker"].map((p) => join(root, p));
  return candidates.find(existsSync);
}

// One document through `docent parse`; status is "ok", "error" (a clean refusal) or "crash".
export function parse(program, file, seconds) {
  const started = process.hrtime.bigint();
  const run = spawnSync(program, ["parse", file], {
    maxBuffer: 1 << 30,
    timeout: seconds * 1000,
    encoding: "utf8",
  });
  const ms = Number(process.hrtime.bigint() - started) / 1e6;
  if (run.status === 0) return { status: "ok", ms, parsed: JSON.parse(run.stdout) };
  const reason = (run.stderr || "").trim().replace(/^docent parse: /, "");
  const broke = run.status !== 1 || /crashed|forbidden|was stopped|took longer/.test(reason);
  return { status: broke ? "crash" : "error", ms, reason: reason || `${run.signal ?? run.status}` };
}

export const textOf = (parsed) => parsed.blocks.map((b) => b.text).join("\n");

// A table's rows without the column names that each row repeats, the names once before them: the text
// as it stands on the page.
function plainRows(blocks) {
  const out = [];
  let names = null;
  blocks.forEach((block, i) => {
    if (block.type !== "table") return out.push(block.text);
    const fields = block.text.split("; ").map((f) => f.split(/: (.*)/s));
    const first = i === 0 || blocks[i - 1].table !== block.table;
    if (first) {
      const next = blocks[i + 1]?.table === block.table ? blocks[i + 1].text : "";
      names = fields.filter((f) => f.length > 1 && (!next || next.includes(`${f[0]}: `))).map((f) => f[0]);
      if (names.length) out.push(names.join(" "));
    }
    out.push(fields.map((f) => (f.length > 1 && names.includes(f[0]) ? f[1] : f.join(": "))).join(" "));
  });
  return out.join("\n");
}

// The article without its headline: that is what the article benchmark's gold text holds.
export function articleOf(parsed) {
  const same = (a, b) => a.replace(/\W+/gu, "").toLowerCase() === b.replace(/\W+/gu, "").toLowerCase();
  return plainRows(
    parsed.blocks.filter((b, i) => !(b.type === "heading" && (same(b.text, parsed.title) || (i === 0 && !b.heading)))),
  );
}

function main() {
  const [what, ...rest] = process.argv.slice(2);
  const option = (name, otherwise) => {
    const at = rest.indexOf(`--${name}`);
    return at < 0 ? otherwise : rest[at + 1];
  };
  const program = option("program", findProgram());
  const data = resolve(root, option("data", "../shared/data"));
  const out = option("out", join(mkdtempSync(join(tmpdir(), "parse-")), `${what}.jsonl`));
  const rows = [];

  if (what === "parse") {
    for (const m of lines(join(data, "parse/manifest.jsonl"))) {
      const r = parse(program, join(data, "parse/files", basename(m.file)), m.max_seconds);
      rows.push({
        file: m.file,
        status: r.status,
        ms: Math.round(r.ms),
        reason: r.reason,
        text: r.parsed ? `${r.parsed.title}\n${textOf(r.parsed)}` : "",
      });
    }
  } else if (what === "extract") {
    for (const g of lines(join(data, "extract/articles/gold.jsonl.gz"))) {
      const r = parse(program, join(data, "extract/articles", g.file.replace(/^articles\//, "")), 30);
      rows.push({ id: g.id, text: r.parsed ? articleOf(r.parsed) : "" });
    }
  } else {
    console.error("usage: parse_corpus.mjs parse|extract [--program P] [--data DIR] [--out FILE]");
    process.exit(2);
  }
  writeFileSync(out, rows.map((row) => JSON.stringify(row) + "\n").join(""));
  console.log(out);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) main();
