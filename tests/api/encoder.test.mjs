// The encoder in the process: passages are found by what they say, in whichever words and languages, and
// nobody waits for it.
import { existsSync } from "node:fs";
import { copyFile, readFile, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { counted } from "./lib/figures.mjs";
import { assert, docent, start, test, until } from "./lib/harness.mjs";

const file = path.resolve(process.env.DOCENT_TEST_ENCODER ?? "share/docent/encoder.kbe"),
  skip = existsSync(file) ? false : `${file} is not there`;

/** None shares a word that counts with the questions below. */
const files = {
  "refund.txt": "Customers who send an item back within thirty days get their money returned in full.",
  "parking.txt": "The gate of the garage opens at six in the morning for all vehicles.",
  "library.txt": "Novels are lent for a month on the second floor.",
  "canteen.txt": "Lunch is served from noon until two, and soup is always meatless.",
};
const questions = [
  ["Can I get reimbursed if I am unhappy with my purchase?", "refund.txt"],
  ["Where may I leave my car before work?", "parking.txt"],
  ["Bekomme ich den Kaufpreis erstattet?", "refund.txt"],
  ["素食者可以吃什么？", "canteen.txt"],
];

const ready = (agent) =>
  until("its passages to have their vectors", async () => {
    const { meaning } = await agent.expect(200, "GET");
    return meaning.ready === meaning.passages && meaning.passages;
  });
const first = async (agent, query, more) =>
  (await agent.expect(200, "POST", "/search", { json: { query, ...more } })).passages[0]?.filename;

test("what is said in other words or another language comes first, once it is ready", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", file] });
  const agent = await kb.agent({ files });
  await agent.settled();
  assert.equal(await first(agent, "novels lent"), "library.txt", "words find at once");
  await ready(agent);
  for (const [question, right] of questions) assert.equal(await first(agent, question), right, question);
  assert.equal(await first(agent, "novels lent"), "library.txt", "and still do");
});

test("the explanation of a search says both sides", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", file] });
  const agent = await kb.agent({ files });
  await ready(agent);
  const { passages } = await agent.expect(200, "POST", "/search", {
    json: { query: "Are novels lent?", explain: true },
  });
  const { words, vectors } = passages[0].explanation.fusion;
  assert.ok(words.score > 0 && words.contribution > 0, JSON.stringify(words));
  assert.ok(vectors.score > 0.1 && vectors.contribution > 0, JSON.stringify(vectors));
});

test("kill -9 on the way loses no vector's passage", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", file] });
  const many = Object.fromEntries(
    Array.from({ length: 45 }, (_, i) => [`note-${i}.txt`, `Note ${i}: shelf ${i * 7} holds ${i + 3} boxes of paper.`]),
  );
  const agent = await kb.agent({ files: { ...files, ...many } });
  for (let i = 0; i < 3; i++) {
    await kb.kill9();
    await kb.restart();
  }
  assert.equal(await ready(agent), Object.keys(files).length + 45);
  assert.equal(await first(agent, questions[0][0]), questions[0][1]);
});

test("what a deleted document had word for word is not encoded again", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", file] });
  const agent = await kb.agent({ files });
  await ready(agent);
  await counted(kb, { passages_embedded_total: Object.keys(files).length });
  const page = await agent.page("refund.txt");
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  await agent.add({ "refund.txt": files["refund.txt"], "new.txt": "Bicycles are repaired on Tuesdays." });
  await agent.settled();
  await ready(agent);
  await counted(kb, { passages_known_total: 1, passages_embedded_total: Object.keys(files).length + 1 });
  assert.equal(await first(agent, questions[0][0]), "refund.txt");
});

test("a copy of an agent has its vectors with it", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", file] });
  const agent = await kb.agent({ files });
  await ready(agent);
  const { id } = await agent.expect(201, "POST", "/replicate");
  const copy = await kb.expect(200, "GET", `/projects/${id}`);
  assert.deepEqual(copy.meaning.ready, Object.keys(files).length);
});

test("a damaged file is refused by name, and words go on", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", "none"] });
  const agent = await kb.agent({ files });
  await agent.settled();
  assert.equal((await agent.expect(200, "GET")).meaning, undefined);
  const copy = path.join(kb.dir, "copy.kbe");
  await copyFile(file, copy);
  const bytes = await readFile(copy);
  bytes[bytes.length >> 1] ^= 1;
  await writeFile(copy, bytes);
  await kb.stop();
  kb.args = ["--encoder", copy];
  await kb.restart();
  await until("the damage to be seen", () => /error=.*copy\.kbe.* is damaged/.test(kb.log));
  assert.equal(await first(agent, "novels lent"), "library.txt");
  await kb.stop();
  await truncate(copy, 1000);
  await kb.restart();
  assert.match(kb.log, /encoder refused, words go on file=.*copy\.kbe/);
  assert.equal(await first(agent, "novels lent"), "library.txt");
});

test("an encoder that is named must be there", async (t) => {
  const kb = await start(t);
  await kb.stop();
  const nowhere = path.join(kb.dir, "nowhere.kbe");
  const { code, stderr } = await docent(["serve", "--data", kb.dir, "--listen", "127.0.0.1:0", "--encoder", nowhere], {
    ms: 10_000,
  });
  assert.equal(code, 1);
  assert.match(stderr, /^docent: --encoder: .*nowhere\.kbe[^\n]*\n$/);
});

test("vectors for others are the encoder's own", { skip }, async (t) => {
  const kb = await start(t, { args: ["--encoder", file] });
  const { json } = await kb.api("POST", "/embeddings", {
    json: { input: ["query: How do I get my money back?", "passage: Refunds take a week.", "passage: It rains."] },
  });
  const [asked, near, far] = json.data.map((one) => one.embedding);
  const cosine = (a, b) => a.reduce((sum, x, i) => sum + x * b[i], 0);
  assert.ok(Math.abs(cosine(asked, asked) - 1) < 0.001);
  assert.ok(cosine(asked, near) > cosine(asked, far) + 0.05);
});
