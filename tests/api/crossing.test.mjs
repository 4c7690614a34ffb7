// Every route x every id in its path x everybody who may not: made from the description of the
// interface, so that a route that is new is crossed without anybody remembering to.
import { assert, start, test, until } from "./lib/harness.mjs";
import { fill, rightBody, variables } from "./lib/requests.mjs";
import { furnished, picture } from "./lib/scene.mjs";

/** Where the contract says 403 for an agent of another account: the agent itself. All others, its settings too, say 404 as if it were not there. */
const FORBIDDEN = new Set(["POST /api/v1/projects/{projectId}", "DELETE /api/v1/projects/{projectId}"]);

/** An unknown session id begins a conversation: in the asker's own agent, and nowhere else. */
const CREATES = new Map([
  ["POST /api/v1/projects/{projectId}/conversations/{sessionId}/messages", [200, "conversation_id"]],
  ["POST /api/v1/projects/{projectId}/conversations/{sessionId}/history", [201, "id"]],
]);

const nameOf = ({ method, path }) => `${method} ${path}`;

/** Names that mean something in every agent, so that they lead nowhere else. */
const NAMES = new Set(["projectId", "slug", "pageNo"]);

/** The scene of every crossing: two accounts, and all sorts of keys. */
async function scene(t) {
  const kb = await start(t);
  const owner = kb.key;
  const mine = await furnished(kb, { key: owner, name: "Mine", versions: 2 });
  const second = await furnished(kb, { key: owner, name: "Second" });
  const strangerKey = await kb.newKey({ account: "stranger" });
  const theirs = await furnished(kb, { key: strangerKey, name: "Theirs" });
  const limitedKey = await kb.newKey({ agents: [second.agent.id] });
  const revokedKey = await kb.newKey();
  await kb.expect(200, "GET", "/projects", { key: revokedKey });
  await kb.revoke(revokedKey);
  await until("the key to stop", async () => (await kb.api("GET", "/projects", { key: revokedKey })).status === 401);
  const description = await kb.description();
  const operations = description.operations.filter((o) => !o.operation.security); // those that need a key
  return { kb, mine, second, theirs, strangerKey, limitedKey, revokedKey, description, operations };
}

async function cross(s, route, ids, key, wanted, why) {
  const json = rightBody(s.description, route.operation);
  const reply = await s.kb.api(route.method, fill(route.path, ids), { key, json });
  assert.equal(reply.status, wanted, `${nameOf(route)}, ${why}: ${reply.text.slice(0, 300)}`);
  // Clients of the Model Context Protocol read messages of JSON-RPC.
  if (reply.json.jsonrpc) return { ...reply, json: reply.json.error };
  assert.equal(reply.json.data.code, wanted);
  return reply;
}

test("without a key and with a revoked one every route with a key answers 401 and changes nothing", async (t) => {
  const s = await scene(t);
  const before = await picture(s.mine);
  assert.ok(s.operations.length >= 72, "a route that goes is not crossed in silence");
  for (const route of s.operations)
    for (const [key, why] of [
      [null, "no key"],
      [s.revokedKey, "a revoked key"],
      ["", "an empty key"],
    ]) {
      const reply = await cross(s, route, s.mine.ids, key, 401, why);
      assert.equal(reply.json.message, "API Token is either missing or invalid");
    }
  assert.deepEqual(await picture(s.mine), before);
});

test("another account and a key limited to another agent reach no id of an agent, by any route", async (t) => {
  const s = await scene(t);
  const before = [await picture(s.mine), await picture(s.second), await picture(s.theirs)];
  for (const route of s.operations.filter((o) => variables(o.path).length)) {
    const wanted = FORBIDDEN.has(nameOf(route)) ? 403 : 404;
    for (const [key, why] of [
      [s.strangerKey, "another account"],
      [s.limitedKey, "a key limited to another agent"],
    ]) {
      // What is the account's alone is refused whatever it names.
      const whole = ["auditor", "owner"].includes(route.operation["x-docent-role"]);
      if (whole && key === s.limitedKey && !variables(route.path).includes("projectId")) {
        await cross(s, route, s.mine.ids, key, 403, why);
        continue;
      }
      const reply = await cross(s, route, s.mine.ids, key, wanted, why);
      if (wanted === 403) assert.equal(reply.json.message, "This action is unauthorized.");
      if (wanted === 404) {
        // It looks as if it were not there: word for word what an id that nobody has gets.
        const absent = Object.fromEntries(Object.keys(s.mine.ids).map((name) => [name, 987654321]));
        const missing = await cross(s, route, absent, key, 404, "an id that nobody has");
        const blank = (text) => text.replaceAll(/\d+/g, "#");
        assert.equal(blank(reply.json.message), blank(missing.json.message), nameOf(route));
      }
    }
  }
  assert.deepEqual([await picture(s.mine), await picture(s.second), await picture(s.theirs)], before);
});

test("a child is not reached through another agent, neither one's own nor a foreign one's child", async (t) => {
  const s = await scene(t);
  const before = [await picture(s.mine), await picture(s.second)];
  for (const route of s.operations) {
    const children = variables(route.path).filter((name) => !NAMES.has(name));
    if (!variables(route.path).includes("projectId")) continue;
    for (const child of children) {
      // A child of mine under my other agent, and under the stranger's own agent.
      for (const [through, key, why] of [
        [s.second, s.kb.key, "my other agent"],
        [s.theirs, s.strangerKey, "the stranger's agent"],
      ]) {
        const ids = { ...through.ids, [child]: s.mine.ids[child] };
        if (CREATES.has(nameOf(route)) && child === "sessionId") {
          const [status, id] = CREATES.get(nameOf(route));
          const made = await s.kb.expect(status, "POST", fill(route.path, ids), {
            key,
            json: rightBody(s.description, route.operation),
          });
          assert.notEqual(
            made[id],
            before[0]["/api/v1/projects/{projectId}/conversations"].data.data[0].id,
            "a conversation of its own",
          );
          await through.agent.expect(200, "DELETE", `/conversations/${ids.sessionId}`);
        } else await cross(s, route, ids, key, 404, `{${child}} of another agent through ${why}`);
      }
    }
  }
  assert.deepEqual(await picture(s.mine), before[0]);
  const pages = "/api/v1/projects/{projectId}/pages";
  assert.deepEqual((await picture(s.second))[pages], before[1][pages]);
});

test("lists and answers show nothing of another account", async (t) => {
  const s = await scene(t);
  const list = await s.kb.expect(200, "GET", "/projects", { key: s.strangerKey, query: { limit: 100 } });
  assert.deepEqual(
    list.data.map((agent) => agent.id),
    [s.theirs.agent.id],
  );
  const limited = await s.kb.expect(200, "GET", "/projects", { key: s.limitedKey, query: { name: "Mine" } });
  assert.equal(limited.total, 0);
  await s.mine.agent.add({ "secret.txt": "The secret of the Zorgel vault is the number 918273." });
  const answer = await s.theirs.agent.ask("What is the secret of the Zorgel vault?");
  assert.ok(!answer.llm_response.includes("918273"));
  assert.ok((await s.mine.agent.ask("What is the secret of the Zorgel vault?")).llm_response.includes("918273"));
});
