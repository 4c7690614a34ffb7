// Nodes behind a pooler that gives each transaction another session of the database.
import { Clients, at, nodesOf, sound } from "./lib/cluster.mjs";
import { assert, docent, form, test } from "./lib/harness.mjs";
import { Pooler } from "./lib/pooler.mjs";
import { Server } from "./lib/postgres.mjs";
import { folder } from "./lib/util.mjs";

const UNNAMED = "&statements=unnamed";
const SEED = Number(process.env.DOCENT_SEED ?? 9);
const QUESTION = "How long does the warranty of the kettle last?";
const warranty = { "warranty.txt": "The warranty of the kettle lasts 27 months." };

async function pooled(t, count) {
  const server = await Server.begin(t);
  await server.psql("postgres", "CREATE DATABASE docent");
  const pooler = await Pooler.begin(t, server);
  const env = { DOCENT_STORE: pooler.url("docent", UNNAMED), DOCENT_BLOB: `${await folder(t)}/blobs` };
  return { server, pooler, nodes: await nodesOf(t, Array(count).fill(env)) };
}

test("behind a pooler of transactions all works, and holds at every node", async (t) => {
  const { server, pooler, nodes } = await pooled(t, 2);
  const [first, second] = nodes;
  const agent = await first.agent({ files: { ...warranty, "other.txt": "Lions live in Africa." } });
  for (const node of nodes) assert.match((await at(node, agent).ask(QUESTION, { session: "s" })).llm_response, /27/);
  const { messages } = await at(second, agent).expect(200, "GET", "/conversations/s/messages");
  assert.equal(messages.total, 2);

  const text = "Nothing is known of that.";
  await at(second, agent).expect(200, "POST", "/settings", { json: { no_answer_message: text } });
  assert.equal((await agent.expect(200, "GET", "/settings")).no_answer_message, text);
  const page = await agent.page("warranty.txt");
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  for (const node of nodes) assert.doesNotMatch((await at(node, agent).ask(QUESTION)).llm_response, /27/);
  await at(second, agent).expect(200, "POST", "", { form: form({}, warranty) });
  await agent.settled();
  for (const node of nodes) assert.match((await at(node, agent).ask(QUESTION)).llm_response, /27/);

  const copy = await at(second, agent).expect(201, "POST", "/replicate");
  await first.expect(200, "GET", `/projects/${copy.id}`);
  const key = await first.newKey({ agents: [agent.id] });
  await second.expect(200, "GET", `/projects/${agent.id}`, { key });

  // Far more connections than sessions: they were shared.
  const sessions = await server.psql("docent", "SELECT count(*) FROM pg_stat_activity WHERE datname = 'docent'");
  assert.ok(Number(sessions) <= 5, `${sessions} sessions, psql's included`);
  assert.ok((await pooler.ask("SHOW CLIENTS")).trim().split("\n").length > 5);
  await sound(nodes);

  const { code, stderr } = await docent(["check", "--data", first.dir], {
    env: { DOCENT_STORE: pooler.url("docent"), DOCENT_BLOB: first.env.DOCENT_BLOB },
  });
  assert.equal(code, 1);
  assert.match(stderr, /cannot reach the database.*: behind a pooler of transactions, say statements=unnamed/);
});

test("the pooler restarts and is killed under load: nodes go on, and nothing acknowledged is lost", async (t) => {
  const { pooler, nodes } = await pooled(t, 2);
  const agent = await nodes[0].agent({ files: warranty });
  const processes = nodes.map((node) => node.child.pid);
  const clients = new Clients(nodes, agent, { seed: SEED });
  for (const signal of ["SIGTERM", "SIGKILL", "SIGTERM"]) {
    await clients.moves();
    await pooler.stop(signal);
    await pooler.start();
  }
  // It lets what is under way end, and gives others' sessions to who comes then.
  await clients.moves();
  await pooler.ask("PAUSE docent");
  await pooler.ask("RECONNECT docent");
  await pooler.ask("RESUME docent");
  await clients.moves();
  assert.deepEqual(
    nodes.map((node) => node.child?.pid),
    processes,
    "no node was started anew",
  );
  await clients.verify();
});
