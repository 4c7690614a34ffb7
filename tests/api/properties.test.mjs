// Random requests at every route: whatever comes, only documented statuses go out, a refused request
// leaves nothing behind, and the server stays up. The seed is fixed; DOCENT_SEED tries another.
import { assert, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { fill, variables, wildBody, wildQuery, wildVariable } from "./lib/requests.mjs";
import { furnished } from "./lib/scene.mjs";
import { seeded } from "./lib/util.mjs";

const SEED = Number(process.env.DOCENT_SEED ?? 20240607);
/** On PostgreSQL fewer: what is refused is refused before a store is asked. */
const ROUNDS = Number(process.env.DOCENT_ROUNDS ?? (process.env.DOCENT_TEST_POSTGRES ? 8 : 20));

/** What is stored, counted: agents, documents, conversations, queries. */
async function stored(kb, agent) {
  const [agents, stats, conversations, record] = await Promise.all([
    kb.expect(200, "GET", "/projects", { query: { limit: 1 } }),
    agent.expect(200, "GET", "/stats"),
    agent.expect(200, "GET", "/conversations", { query: { limit: 1 } }),
    agent.expect(200, "GET"),
  ]);
  return { agents: agents.total, stats, conversations: conversations.total, record };
}

test("random bodies and queries at every route meet documented answers only", { timeout: 480_000 }, async (t) => {
  const kb = await start(t, { args: ["--log", "error"] });
  const { agent, ids: keep } = await furnished(kb, { name: "Wild" });
  const calm = await kb.agent({ files: library });
  const description = await kb.description();
  const random = seeded(SEED);
  const counts = {};
  let before = await stored(kb, agent);
  for (const route of description.operations) {
    for (let round = 0; round < ROUNDS; round++) {
      // What would delete the scene itself gets an id that is not there.
      const ids = route.method === "DELETE" ? { ...keep, projectId: 424242 } : keep;
      const query = wildQuery(random, route.operation);
      const { body, type } = wildBody(random, description, route.operation);
      const plain =
        route.method === "GET" || route.method === "DELETE" ? {} : { body, headers: { "content-type": type } };
      let reply;
      try {
        reply = await kb.api(route.method, fill(route.path, ids), { query, agent: false, ...plain });
      } catch (error) {
        // The server may refuse a large body while it is being sent; it must say so, then or before.
        if (error.code !== "EPIPE" && error.code !== "ECONNRESET") {
          error.message += `\nseed ${SEED}, ${route.method} ${route.path}, round ${round}, query ${query}, ${type}: ${String(body).slice(0, 500)}`;
          throw error;
        }
        assert.ok(
          body.length > 65536,
          `${route.method} ${route.path}: the connection broke for a small body: ${String(body).slice(0, 300)}`,
        );
        reply = { status: 0 };
      }
      counts[reply.status] = (counts[reply.status] ?? 0) + 1;
      assert.notEqual(
        reply.status,
        500,
        `seed ${SEED}, ${route.method} ${route.path}, round ${round}: ${String(body).slice(0, 500)}`,
      );
      assert.ok(kb.alive());
      const kept = reply.status >= 200 && reply.status < 300 && route.method !== "GET";
      if (kept) await agent.settled(); // what it began is over before the next is judged
      const after = await stored(kb, agent);
      if (!kept)
        assert.deepEqual(
          after,
          before,
          `${route.method} ${route.path} answered ${reply.status} and left something: ${String(body).slice(0, 500)}`,
        );
      before = after;
    }
  }
  assert.ok(
    counts[200] > 50 && counts[400] > 50,
    `the requests were neither all right nor all wrong: ${JSON.stringify(counts)}`,
  );
  assert.deepEqual(
    await calm.sources(await calm.ask("Who built the Velmora lighthouse?")),
    ["lighthouse.md"],
    "an agent that nobody touched",
  );
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("random path variables meet documented answers only", async (t) => {
  const kb = await start(t, { args: ["--log", "error"] });
  const agent = await kb.agent({ files: library });
  const description = await kb.description();
  const random = seeded(SEED + 1);
  for (const route of description.operations.filter((o) => variables(o.path).length))
    for (let round = 0; round < 25; round++) {
      const ids = Object.fromEntries(
        variables(route.path).map((name) => [
          name,
          name === "projectId" && random() < 0.5 && route.method !== "DELETE" ? agent.id : wildVariable(random),
        ]),
      );
      const where = fill(route.path, ids);
      if (route.method === "DELETE" && where === `/api/v1/projects/${agent.id}`) continue;
      const reply = await kb.api(route.method, where, { json: route.method === "GET" ? undefined : {} });
      assert.ok(reply.status < 500, `${route.method} ${where}: ${reply.text}`);
    }
  assert.ok(kb.alive());
});

test("random bytes in place of a request never bring the server down", async (t) => {
  const kb = await start(t, { args: ["--log", "error"] });
  const random = seeded(SEED + 2);
  const right = `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kb.key}\r\nContent-Type: application/json\r\nContent-Length: 22\r\n\r\n{"project_name":"wild"}`;
  for (let round = 0; round < 300; round++) {
    const bytes = Buffer.from(right);
    for (let i = 1 + random.int(6); i > 0; i--) bytes[random.int(bytes.length)] = random.int(256);
    const reply = (await kb.raw(bytes.subarray(0, random() < 0.2 ? random.int(bytes.length) : bytes.length))).toString(
      "latin1",
    );
    if (reply)
      assert.match(
        reply,
        /^HTTP\/1\.[01] (100|2\d\d|4\d\d|501|505) /,
        `round ${round}: ${JSON.stringify(bytes.toString("latin1"))}`,
      );
  }
  assert.ok(kb.alive());
  await kb.expect(200, "GET", "/projects");
});
