// What one node has acknowledged is so for the next question at every other one, also where the database
// is 20 ms away. DOCENT_TRIAL_CHECKS says how often that is looked at.
import { at, sound, wired } from "./lib/cluster.mjs";
import { assert, form, test } from "./lib/harness.mjs";
import { Server } from "./lib/postgres.mjs";
import { seeded, unique } from "./lib/util.mjs";

const CHECKS = Number(process.env.DOCENT_TRIAL_CHECKS ?? 90);
const SEED = Number(process.env.DOCENT_SEED ?? 9);
const BATCH = 20; // documents that are uploaded at once

test("deletes, labels and settings hold at the next question of every node", async (t) => {
  const { nodes, wires } = await wired(t, [await Server.begin(t)]);
  wires[2].servers[0].delayMs = 10; // each way
  const random = seeded(SEED);
  const agent = await nodes[0].agent();
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  const pool = []; // { page, word, hidden }
  let made = 0;

  const fill = async () => {
    const words = Array.from({ length: BATCH }, () => unique(made++));
    const files = Object.fromEntries(words.map((word) => [`${word}.txt`, `The ${word} engine is red.`]));
    await at(random.pick(nodes), agent).expect(200, "POST", "", { form: form({}, files) });
    await agent.settled(120_000);
    for (const page of await agent.pages()) {
      const word = page.filename.slice(0, -".txt".length);
      if (files[page.filename]) pool.push({ page: page.id, word, hidden: false });
    }
  };
  const finds = async (node, { page, word }) => {
    const message = await at(node, agent).ask(`Which colour is the ${word} engine?`);
    return (message.citations ?? []).includes(page);
  };

  /** Each changes something at one node and gives what has to be so at all of them. */
  const changes = [
    async (writer) => {
      const [one] = pool.splice(random.int(pool.length), 1);
      await at(writer, agent).expect(200, "DELETE", `/pages/${one.page}`);
      return async (node) => !(await finds(node, one));
    },
    async (writer) => {
      const one = random.pick(pool);
      one.hidden = !one.hidden;
      const json = { label_ids: one.hidden ? [label.id] : [] };
      await at(writer, agent).expect(200, "PUT", `/pages/${one.page}/labels`, { json });
      return async (node) => (await finds(node, one)) === !one.hidden;
    },
    async (writer) => {
      const text = `Nothing is known of that, ${made++}.`;
      await at(writer, agent).expect(200, "POST", "/settings", { json: { no_answer_message: text } });
      return async (node) => (await at(node, agent).ask("What is the capital of Mars?")).llm_response === text;
    },
  ];
  const wrong = [];
  let checks = 0;
  while (checks < CHECKS) {
    if (pool.length < BATCH / 2) await fill();
    const kind = random.int(changes.length);
    const writer = random.pick(nodes);
    const holds = await changes[kind](writer);
    const seen = await Promise.all(nodes.map(holds));
    checks += seen.length;
    for (const [i, so] of seen.entries())
      if (!so) wrong.push(`after ${checks}: change ${kind} at n${nodes.indexOf(writer) + 1}, not so at n${i + 1}`);
  }
  t.diagnostic(`${wrong.length} of ${checks} wrong`);
  assert.deepEqual(wrong, []);
  await sound(nodes);
});
