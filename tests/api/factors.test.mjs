// Latent factors: an agent that has grown gets a model in the background, new documents are folded
// into it, merges carry it along, and neither a restart nor a kill -9 leaves anything half there.
import { figure } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";
import { seeded, unique } from "./lib/util.mjs";

const TOPICS = 40,
  SECTIONS = 340;

/** A document of so many passages; each speaks of one topic. */
function book(seed, sections = SECTIONS) {
  const random = seeded(seed);
  const text = [];
  for (let s = 0; s < sections; s++) {
    const words = [];
    for (let i = 0; i < 220; i++)
      words.push(random.int(3) ? unique(1000 + (s % TOPICS) * 15 + random.int(15)) : unique(random.int(500)));
    text.push(`# Section ${s}\n\n${words.join(" ")}.\n`);
  }
  return text.join("\n");
}

const learned = (kb, n = 1) =>
  until("a model to be learned", async () => (await figure(kb, "factors_learned_total")) >= n, 60_000, 50);

async function sound(kb) {
  await kb.stop();
  const { code, stdout } = await kb.cli("check");
  assert.deepEqual([code, stdout.trim().split("\n").at(-1)], [0, "sound"], stdout);
}

test("an agent of more than 300 passages is learned from, a small one is not", async (t) => {
  const kb = await start(t);
  await kb.agent({ files: { "small.md": book(1, 20) } });
  const agent = await kb.agent({ files: { "book.md": book(2) } });
  await learned(kb);
  // Every later batch is folded; nine of them are merged into one, columns and all.
  for (let i = 0; i < 9; i++)
    await agent.add({ [`note${i}.md`]: `# Note ${i}\n\nThe ${unique(9000 + i)} lamp stands in the harbour.\n` });
  await until("the notes to be folded", async () => (await figure(kb, "segments_folded_total")) >= 1, 20_000, 50);
  await until("a merge", async () => (await figure(kb, "segment_merges_total")) >= 1, 20_000, 50);
  await learned(kb, 2); // as they rest, from just these
  const message = await agent.ask(`Where does the ${unique(9004)} lamp stand?`);
  assert.deepEqual(await agent.sources(message), ["note4.md"]);
  await sound(kb);
});

test("the same documents give the same lists and scores, in whatever order they came", async (t) => {
  // What is found by meaning comes with time: without it, what is learned says all.
  const kb = await start(t, { args: ["--encoder", "none"] });
  const files = Object.entries(
    Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`book${i}.md`, book(100 + i, 12)])),
  );
  const found = [];
  for (const order of [files, files.toReversed()]) {
    const agent = await kb.agent({ files: Object.fromEntries(order.slice(0, 30)) });
    await until("a first model", () => kb.log.includes(`factors learned agent=${agent.id} `), 60_000, 50);
    for (const [name, text] of order.slice(30)) await agent.add({ [name]: text });
    const { searched } = await agent.expect(200, "POST", "/search", { json: { query: "lamp" } });
    await until(
      "a model of just these",
      () => kb.log.includes(`factors learned agent=${agent.id} passages=${searched} `),
      60_000,
      50,
    );
    const lists = [];
    for (let i = 0; i < 20; i++) {
      const query = [3, 7, 11].map((n) => unique(1000 + i * 15 + n)).join(" ");
      const { passages } = await agent.expect(200, "POST", "/search", { json: { query } });
      lists.push(passages.map((one) => [one.filename, one.heading, one.score]));
    }
    found.push(lists);
  }
  assert.deepEqual(found[0], found[1]);
});

test("a kill -9 while learning leaves nothing half there, and the model comes after it", async (t) => {
  const kb = await start(t, { args: ["--log", "debug"] });
  await kb.agent({ files: { "book.md": book(3, 3 * SECTIONS) } });
  for (let i = 0; i < 3; i++) {
    await until("learning to begin", () => /learning factors agent=/.test(kb.log), 60_000, 1);
    await kb.kill9();
    assert.doesNotMatch(kb.log, /factors learned/, "it was killed before it was done");
    await kb.spawn();
  }
  await learned(kb);
  await sound(kb);
});

test("a question finds what says it in another word", async (t) => {
  const kb = await start(t);
  // Two words of one meaning: never in one passage, always in the same company.
  const random = seeded(5),
    sections = [];
  for (let s = 0; s < SECTIONS; s++) {
    const topic = s % 20,
      words = [unique(20_000 + topic * 2 + (s < SECTIONS / 2 ? 0 : 1))];
    for (let i = 0; i < 220; i++)
      words.push(random.int(3) ? unique(1000 + topic * 15 + random.int(15)) : unique(random.int(60)));
    sections.push(`# Section ${s}\n\n${words.join(" ")}.\n`);
  }
  const agent = await kb.agent({ files: { "book.md": sections.join("\n") } });
  await learned(kb);
  const one = unique(20_000),
    other = unique(20_001);
  const found = async (mode) => {
    const { passages } = await agent.expect(200, "POST", "/search", { json: { query: one, limit: 20, mode } });
    return {
      one: passages.filter(({ text }) => text.includes(one)).length,
      other: passages.filter(({ text }) => text.includes(other)).length,
    };
  };
  const words = await found("words");
  assert.ok(words.one > 0 && words.other === 0, "by its words alone the other half of the topic is not found");
  const all = await found("ranked");
  assert.ok(all.one === words.one && all.other > 0, `with the model it is: ${JSON.stringify(all)}`);
});
