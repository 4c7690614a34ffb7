// What a question costs a node that is far from its database.
import path from "node:path";
import { at, cluster } from "./lib/cluster.mjs";
import { assert, start, test } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { countingTrips } from "./lib/trips.mjs";
import { folder } from "./lib/util.mjs";

const question = "How long does the warranty of the kettle last?";
const files = { "warranty.txt": "The warranty of the kettle lasts 27 months." };

test("a question in a conversation that goes on costs one trip to read and one to write", async (t) => {
  const between = await countingTrips((await database()).url);
  t.after(() => between.close());
  const env = { DOCENT_STORE: between.url, DOCENT_BLOB: path.join(await folder(t), "blobs") };
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  const ask = async (more) => {
    const before = between.seen.trips;
    const { llm_response } = await agent.ask(question, { session: "goes-on", ...more });
    assert.match(llm_response, /27 months/);
    return between.seen.trips - before;
  };
  for (let i = 0; i < 3; i++) await ask();
  // What the node does of its own accord falls into some of them, and the key is looked at once a second.
  let least = Infinity;
  for (let i = 0; i < 60 && least > 2; i++) least = Math.min(least, await ask());
  assert.equal(least, 2);
});

test("what was known of a conversation at the question may be gone when its answer is stored", async (t) => {
  const { nodes } = await cluster(t, 2);
  const agent = await nodes[0].agent({ files });
  const other = at(nodes[1], agent);
  // The conversation goes again and again while it is asked in.
  const session = "comes-and-goes";
  let stop = false;
  const deleting = (async () => {
    while (!stop) await other.api("DELETE", `/conversations/${session}`);
  })();
  for (let i = 0; i < 40; i++) assert.match((await agent.ask(question, { session })).llm_response, /27 months/);
  stop = true;
  await deleting;
  await agent.ask(question, { session });
  const { messages } = await other.expect(200, "GET", `/conversations/${session}/messages`);
  assert.ok(messages.total >= 1);
  for (const node of nodes) await node.stop();
  const check = await nodes[0].cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("messages of a conversation are in the order of their questions, whichever node they go to", async (t) => {
  const { nodes } = await cluster(t, 2);
  const agent = await nodes[0].agent({ files });
  const session = "to-and-fro";
  for (let i = 0; i < 6; i++) {
    const prompt = `${question} (${i})`;
    const asked = at(nodes[i % 2], agent);
    const query = i % 2 ? {} : { stream: "true", resumable: "true" };
    const reply = await asked.api("POST", `/conversations/${session}/messages`, { query, json: { prompt } });
    assert.equal(reply.status, 200, reply.text);
  }
  const { messages } = await agent.expect(200, "GET", `/conversations/${session}/messages`, {
    query: { order: "asc" },
  });
  assert.deepEqual(
    messages.data.map(({ user_query }) => user_query.at(-2)),
    ["0", "1", "2", "3", "4", "5"],
  );
});
