// The encoder in the process: what is asked in other words, or in another language, is found by
// meaning; by words at once, and by words alone where its file is no good.
import { access, copyFile, open, writeFile } from "node:fs/promises";
import path from "node:path";
import { cluster } from "./lib/cluster.mjs";
import { counted, figure } from "./lib/figures.mjs";
import { assert, docent, sleep, start, test, until } from "./lib/harness.mjs";
import { Agent, root } from "./lib/service.mjs";
import { unique } from "./lib/util.mjs";

const file = process.env.DOCENT_TEST_ENCODER ?? path.join(root, "share/docent/encoder.kbe");
const there = await access(file).then(
  () => true,
  () => false,
);
const skip = !there && "there is no encoder to try (share/docent/encoder.kbe or DOCENT_TEST_ENCODER)";
const env = { DOCENT_ENCODER: file };

const files = {
  "leave.txt": "Employees who become parents are released from work for fourteen weeks and keep their pay.",
  "bikes.txt": "Bicycles are parked in the cellar. The key is with the caretaker.",
  "printer.txt": "When the paper is jammed, open the rear flap and pull the sheet out slowly.",
  "canteen.txt": "The canteen serves soup at noon. Guests pay in cash.",
};
const meaning = async (agent) => (await agent.expect(200, "GET")).meaning;
const first = async (agent, query) =>
  (await agent.expect(200, "POST", "/search", { json: { query } })).passages[0]?.filename;
const vectors = (kb) => figure(kb, "passages_embedded_total");
const many = (count, from = 0) =>
  Object.fromEntries(
    Array.from({ length: count }, (_, i) => [
      `f${from + i}.txt`,
      `The word of room ${unique(from + i)} is ${unique(5000 + from + i)}. `.repeat(4),
    ]),
  );

const PASSAGES = 120;
const IN_HAND = 16; // a segment of one batch of documents: what one kill may lose

test("a question in other words finds its document, and by words at once", { skip }, async (t) => {
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  assert.equal(await first(agent, "Where are bicycles parked?"), "bikes.txt");
  await agent.encoded();
  assert.equal(await first(agent, "maternity vacation"), "leave.txt");
  assert.equal(await first(agent, "Wo kann ich mein Fahrrad abstellen?"), "bikes.txt");
  assert.equal(await first(agent, "Was gibt es zum Mittagessen?"), "canteen.txt");
  assert.equal(await first(agent, "产假有多长？"), "leave.txt");
  await counted(kb, { passages_embedded_total: 4 });
});

test("without the encoder nothing is said of meaning", { skip }, async (t) => {
  const kb = await start(t, { env: { DOCENT_ENCODER: "none" } });
  const agent = await kb.agent({ files });
  assert.equal(await meaning(agent), undefined);
  const { status } = await kb.api("POST", "/embeddings", { json: { input: "a text" } });
  assert.equal(status, 501);
});

test("killed three times while it encodes, everything is found by meaning in the end", { skip }, async (t) => {
  const kb = await start(t, { env });
  const agent = await kb.agent();
  for (let i = 0; i < 120; i += 40) await agent.add(many(40, i));
  for (let round = 0; round < 3; round++) {
    await sleep(300 * round);
    await kb.kill9();
    await kb.restart();
  }
  await agent.encoded();
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("a copy of an agent has its vectors, and a deleted document's are gone", { skip }, async (t) => {
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  await agent.encoded();
  await counted(kb, { passages_embedded_total: 4 });
  const copied = await agent.expect(201, "POST", "/replicate");
  const copy = new Agent(kb, copied, agent.key);
  await copy.encoded();
  assert.equal(await first(copy, "maternity vacation"), "leave.txt");
  await counted(kb, { passages_embedded_total: 4 });
  const page = await copy.page("leave.txt");
  await copy.expect(200, "DELETE", `/pages/${page.id}`);
  assert.notEqual(await first(copy, "maternity vacation"), "leave.txt");
  assert.equal(await first(agent, "maternity vacation"), "leave.txt");
});

test("what a deleted document had word for word is not encoded again", { skip }, async (t) => {
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  await agent.encoded();
  await counted(kb, { passages_embedded_total: 4 });
  const page = await agent.page("leave.txt");
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  await agent.add({ "leave.txt": files["leave.txt"], "new.txt": "Ladders are lent on Tuesdays." });
  await agent.settled();
  await agent.encoded();
  await counted(kb, { passages_known_total: 1, passages_embedded_total: 5 });
  assert.equal(await first(agent, "maternity vacation"), "leave.txt");
});

test("the explanation of a search says both sides", { skip }, async (t) => {
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  await agent.encoded();
  const { passages } = await agent.expect(200, "POST", "/search", {
    json: { query: "Where are bicycles parked?", explain: true },
  });
  const { words, vectors: near } = passages[0].explanation.fusion;
  assert.ok(words.score > 0 && words.contribution > 0, JSON.stringify(words));
  assert.ok(near.score > 0.1 && near.contribution > 0, JSON.stringify(near));
});

test("vectors are made for others too", { skip }, async (t) => {
  const kb = await start(t, { env });
  const vectorsOf = async (json) => {
    const { status, json: reply } = await kb.api("POST", "/embeddings", { json });
    assert.equal(status, 200);
    assert.equal(reply.model, "encoder");
    return reply.data.map(({ embedding }) => embedding);
  };
  const passages = await vectorsOf({ input: Object.values(files), input_type: "passage" });
  const [asked] = await vectorsOf({ input: "Wo steht mein Fahrrad?", input_type: "query" });
  const cosines = passages.map((passage) => passage.reduce((sum, x, i) => sum + x * asked[i], 0));
  assert.equal(cosines.indexOf(Math.max(...cosines)), Object.keys(files).indexOf("bikes.txt"), cosines.join());
});

/** A copy of the file with one byte changed, at a share of its length. */
async function damaged(kb, share) {
  const copy = path.join(kb.dir, "copy.kbe");
  await copyFile(file, copy);
  const handle = await open(copy, "r+");
  const where = Math.floor((await handle.stat()).size * share);
  const { buffer } = await handle.read(Buffer.alloc(1), 0, 1, where);
  buffer[0] ^= 255;
  await handle.write(buffer, 0, 1, where);
  await handle.close();
  return copy;
}

test("with a damaged file words go on, and the operator sees it", { skip }, async (t) => {
  const kb = await start(t);
  await kb.stop();
  kb.args = ["--encoder", await damaged(kb, 0.5)];
  await kb.restart();
  const agent = await kb.agent({ files });
  assert.equal(await first(agent, "Where are bicycles parked?"), "bikes.txt");
  await until("the pause", async () => (await figure(kb, "embedding_pauses_total")) > 0, 10_000);
  await until("the log to say so", () => /passages not embedded, words go on error=[^\n]*damaged/.test(kb.log));
  await counted(kb, { encoder_refused: 1 });
  assert.equal(await meaning(agent), undefined);
  await kb.stop();
  const check = await docent(["check", "--data", kb.dir], { env: { ...kb.places(), DOCENT_ENCODER: kb.args[1] } });
  assert.equal(check.code, 1);
  assert.match(check.stdout, /^encoder: .*copy\.kbe[^\n]*damaged/m);
});

test("a foreign file is refused by name, and one that is not there ends the start", async (t) => {
  const kb = await start(t);
  await kb.stop();
  const foreign = path.join(kb.dir, "letter.kbe");
  await writeFile(foreign, "Dear reader, this is no network.".repeat(500));
  kb.args = ["--encoder", foreign];
  await kb.restart();
  await until("the log to say so", () => /encoder refused, words go on file=[^\n]*letter\.kbe error=/.test(kb.log));
  await counted(kb, { encoder_refused: 1 });
  const agent = await kb.agent({ files });
  assert.equal(await first(agent, "Where are bicycles parked?"), "bikes.txt");
  await kb.stop();
  const missing = await docent(
    ["serve", "--data", kb.dir, "--listen", "127.0.0.1:0", "--encoder", path.join(kb.dir, "nowhere.kbe")],
    { ms: 10_000 },
  );
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /^docent: --encoder: .*nowhere\.kbe[^\n]*\n$/);
});

test("two nodes encode each passage once", { skip }, async (t) => {
  const { nodes } = await cluster(t, 2, env);
  const agents = [await nodes[0].agent({ files: many(30) }), await nodes[1].agent({ files: many(30, 100) })];
  for (const agent of agents) await agent.encoded();
  let sum;
  await until("all to be counted", async () => (sum = (await vectors(nodes[0])) + (await vectors(nodes[1]))) >= 60);
  assert.equal(sum, 60);
});

test(
  "two nodes that are killed three times encode each passage once, but for what was in hand",
  { skip },
  async (t) => {
    const { nodes } = await cluster(t, 2, env);
    const agent = await nodes[0].agent();
    for (let i = 0; i < PASSAGES; i += 40) await agent.add(many(40, i));
    let before = 0; // in lives that have ended
    const all = async () => before + (await vectors(nodes[0])) + (await vectors(nodes[1]));
    for (let round = 0; round < 3; round++) {
      const node = nodes[round % 2];
      await until("some to be encoded", async () => (await all()) >= (PASSAGES / 4) * (round + 1), 60_000, 5);
      before += await vectors(node);
      await node.kill9();
      await node.restart();
    }
    await agent.encoded();
    // A kill loses a batch at most, and one more may be counted behind the figure that was read before it.
    const total = await all();
    t.diagnostic(`${total} were encoded for ${PASSAGES} passages`);
    assert.ok(Math.abs(total - PASSAGES) <= 3 * IN_HAND, `${total} for ${PASSAGES} passages`);
  },
);
