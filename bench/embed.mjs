/*
 * Vectors of the evaluation sets by a server of the OpenAI format, for bench/fused:
 *
 *   node bench/embed.mjs URL NAME OUT SET…      with DOCENT_EMBED_KEY in the environment, if it wants one
 *
 * SET is a folder below ../shared/data (DATA in the environment: another place). At most 500 questions
 * of a set, those whose ids have the smallest hashes; texts of at most 8,000 characters, title first.
 */
import { createHash } from "node:crypto";
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync, writeSync } from "node:fs";
import { gunzipSync } from "node:zlib";

const [url, name, out, ...sets] = process.argv.slice(2);
const root = process.env.DATA ?? "../shared/data";
const QUESTIONS = 500,
  BATCH = 32,
  CHARACTERS = 8000;

const find = (set, names) => names.map((file) => `${root}/${set}/${file}`).find(existsSync);
const lines = (file) =>
  (file.endsWith(".gz") ? gunzipSync(readFileSync(file)) : readFileSync(file)).toString().trim().split("\n");
const hash = (id) => createHash("md5").update(id).digest("hex");

async function embed(texts) {
  const key = process.env.DOCENT_EMBED_KEY;
  const reply = await fetch(`${url.replace(/\/$/, "")}/embeddings`, {
    method: "POST",
    body: JSON.stringify({ model: name, input: texts }),
    headers: { "content-type": "application/json", ...(key ? { authorization: `Bearer ${key}` } : {}) },
  });
  if (!reply.ok) throw new Error(`the server answers ${reply.status}`);
  const { data } = await reply.json();
  return data.sort((a, b) => a.index - b.index).map((row) => Float32Array.from(row.embedding));
}

async function write(file, records) {
  const fd = openSync(`${file}.f32`, "w");
  for (let i = 0; i < records.length; i += BATCH) {
    for (const row of await embed(records.slice(i, i + BATCH).map((record) => record.text.slice(0, CHARACTERS))))
      writeSync(fd, Buffer.from(row.buffer));
    process.stderr.write(`\r${file} ${Math.min(i + BATCH, records.length)} of ${records.length} `);
  }
  process.stderr.write("\n");
  closeSync(fd);
  writeFileSync(`${file}.ids`, records.map(({ id }) => `${id}\n`).join(""));
}

if (!sets.length) {
  console.error("usage: node bench/embed.mjs URL NAME OUT SET…");
  process.exit(2);
}
mkdirSync(out, { recursive: true });
for (const set of sets) {
  const judged = new Set(lines(find(set, ["qrels.tsv", "qrels.tsv.gz"])).map((line) => line.split(/\s/)[0]));
  const questions = lines(find(set, ["queries.jsonl", "queries.jsonl.gz", "questions.jsonl", "questions.jsonl.gz"]))
    .map(JSON.parse)
    .map(({ id, text }) => ({ id: String(id), text }))
    .filter(({ id }) => judged.has(id))
    .sort((a, b) => (hash(a.id) < hash(b.id) ? -1 : 1))
    .slice(0, QUESTIONS);
  const documents = lines(find(set, ["docs.jsonl.gz", "docs.jsonl"]))
    .map(JSON.parse)
    .map(({ id, title, text }) => ({ id: String(id), text: title ? `${title}\n${text}` : text }));
  const file = `${out}/${set.split("/").at(-1)}`;
  await write(`${file}.q`, questions);
  await write(`${file}.d`, documents);
}
