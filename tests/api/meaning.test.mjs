// The table of word vectors beside the program: a search finds what says the same in other words.
import { copyFile, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, start, test } from "./lib/harness.mjs";

const table = path.resolve("share/docent/meaning.kbm");

/** Each shares one word with the question; by words alone the family comes last. */
const files = {
  "kitchen.txt": "Two ovens are in the office.",
  "family.txt": "Parents tell the office when a child, a son or a daughter is ill.",
  "parking.txt": "The gate of the office opens at six in the morning for cars.",
  "library.txt": "Books are lent for a month by the office on the second floor.",
};
const question = "office kids";

const first = async (agent) =>
  (await agent.expect(200, "POST", "/search", { json: { query: question } })).passages.map((one) => one.filename);

test("what is said in other words comes before where only the words count", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  const meant = await first(agent);
  await kb.stop();
  kb.args = ["--meaning", "none"];
  await kb.restart();
  const plain = await first(agent);
  assert.deepEqual([...plain].sort(), [...meant].sort());
  assert.ok(meant.indexOf("family.txt") < plain.indexOf("family.txt"), `${meant.join()} after ${plain.join()}`);
});

test("words only is words only", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  const search = () => agent.expect(200, "POST", "/search", { json: { query: question, mode: "words" } });
  const scores = (found) => found.passages.map((one) => [one.filename, one.score]);
  const before = scores(await search());
  await kb.stop();
  kb.args = ["--meaning", "none"];
  await kb.restart();
  assert.deepEqual(scores(await search()), before);
});

test("a table that is named must be there and whole", async (t) => {
  const kb = await start(t);
  await kb.stop();
  const copy = path.join(kb.dir, "copy.kbm");
  const serve = (file) =>
    docent(["serve", "--data", kb.dir, "--listen", "127.0.0.1:0", "--meaning", file], { ms: 10_000 });
  const missing = await serve(path.join(kb.dir, "nowhere.kbm"));
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^docent: --meaning: .*nowhere\.kbm[^\n]*\n$/);
  await copyFile(table, copy);
  const bytes = await readFile(copy);
  bytes[bytes.length - 1] ^= 1;
  await writeFile(copy, bytes);
  const damaged = await serve(copy);
  assert.equal(damaged.code, 1);
  assert.match(damaged.stderr, /^docent: --meaning: .*copy\.kbm: section rows is damaged[^\n]*\n$/);
});
