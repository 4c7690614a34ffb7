// What a question costs a node that is far from its database.
import path from "node:path";
import { at, cluster } from "./lib/cluster.mjs";
import { models } from "./lib/models.mjs";
import { assert, start, test } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { countingTrips } from "./lib/trips.mjs";
import { folder } from "./lib/util.mjs";

const question = "How long does the warranty of the kettle last?";
const [VISITORS, ASKED_EACH] = [5, 5];
const files = { "warranty.txt": "The warranty of the kettle lasts 27 months." };

/** A node whose trips are counted, with an agent; least(fn) is what fn costs when nothing else falls in. */
async function counted(t, { env = {}, settings } = {}) {
  const between = await countingTrips((await database()).url);
  t.after(() => between.close());
  const blobs = path.join(await folder(t), "blobs");
  const kb = await start(t, { env: { DOCENT_STORE: between.url, DOCENT_BLOB: blobs, ...env } });
  const agent = await kb.agent({ files });
  if (settings) await agent.expect(200, "POST", "/settings", { json: settings });
  // What the node does of its own accord falls into some of them, and the key is looked at once a second.
  const least = async (fn, enough, tries = 60) => {
    let [fewest, said] = [Infinity, ""];
    for (let i = 0; i < tries && fewest > enough; i++) {
      const before = between.seen.trips;
      between.seen.asked.length = 0;
      await fn(i);
      if (between.seen.trips - before >= fewest) continue;
      fewest = between.seen.trips - before;
      said = between.seen.asked.join("\n ");
    }
    return { fewest, said };
  };
  return { kb, agent, least };
}

test("what a question costs in trips: one to read and one to write, and few more by other ways", async (t) => {
  const { kb, agent, least } = await counted(t);
  const right = (text) => assert.match(text, /27 months/);
  const ask = async (more) => right((await agent.ask(question, more)).llm_response);
  const chat = async () => {
    const messages = [{ role: "user", content: question }];
    right((await agent.api("POST", "/chat/completions", { json: { messages } })).json.choices[0].message.content);
  };
  const tool = async () => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", arguments: { question } } };
    right((await kb.api("POST", `/mcp/projects/${agent.id}`, { plain: true, json: call })).text);
  };
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const page = `/public/v1/agents/${slug}`;
  const visitor = { "x-docent-visitor": "1" };
  // None may ask more than six times a minute.
  const visitors = [];
  while (visitors.length < VISITORS) {
    const begun = await kb.api("POST", `${page}/visit`, { plain: true, key: null, json: {}, headers: visitor });
    visitors.push({ cookie: begun.headers["set-cookie"][0].split(";")[0] });
  }
  let asked = 0;
  const visit = async () => {
    const one = visitors[Math.floor(asked++ / ASKED_EACH)];
    const json = one.session_id ? { prompt: question, session_id: one.session_id } : { prompt: question };
    const reply = await kb.api("POST", `${page}/messages`, {
      plain: true,
      key: null,
      json,
      headers: { ...visitor, cookie: one.cookie },
    });
    right(reply.text);
    one.session_id ??= /"session_id":"([^"]+)"/.exec(reply.text)[1];
  };
  for (const [way, fn, trips, tries] of [
    ["a conversation that goes on", () => ask({ session: "goes-on" }), 2],
    ["a new conversation", (i) => ask({ session: `new-${i}` }), 2],
    ["chat completions", chat, 3],
    ["a tool of MCP", tool, 3],
    ["a visitor", visit, 8, VISITORS * ASKED_EACH - 1],
  ]) {
    for (let i = 0; i < (tries ? 1 : 3); i++) await fn(`warm-${i}`);
    const { fewest, said } = await least(fn, trips, tries);
    assert.ok(fewest <= trips, `${way}: ${fewest}\n ${said}`);
  }
});

test("what an answer of a model costs in trips", async (t) => {
  const model = await models(t);
  const { agent, least } = await counted(t, { env: model.chatEnv() });
  const ask = async () => void (await agent.ask(question, { session: "goes-on" }));
  for (let i = 0; i < 3; i++) await ask();
  const { fewest, said } = await least(ask, 7);
  assert.ok(fewest <= 7, `${fewest}\n ${said}`);
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
