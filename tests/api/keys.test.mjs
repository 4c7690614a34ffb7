// Keys: who gets in, and how far.
import http from "node:http";
import { assert, docent, form, start, test, until } from "./lib/harness.mjs";

const REFUSAL = "API Token is either missing or invalid";

async function refused(kb, options, why) {
  const reply = await kb.api("GET", "/projects", options);
  assert.equal(reply.status, 401, why);
  assert.equal(reply.json.data.message, REFUSAL, why);
  assert.equal(reply.json.data.code, 401, why);
  assert.equal(reply.json.message, REFUSAL, why);
  assert.equal(reply.headers["www-authenticate"], "Bearer", why);
}

test("a request without a valid key gets 401 with the contract's text", async (t) => {
  const kb = await start(t);
  const [id, secret] = kb.key.split("|");
  const cases = {
    "no key": { key: null },
    "an empty credential": { headers: { authorization: "Bearer " } },
    "the scheme alone": { headers: { authorization: "Bearer" } },
    "another scheme": { headers: { authorization: `Basic ${Buffer.from(`x:${kb.key}`).toString("base64")}` } },
    "the key without a scheme": { headers: { authorization: kb.key } },
    "a key nobody made": { key: `999999|${"a".repeat(43)}` },
    "a changed last letter": { key: kb.key.slice(0, -1) + (kb.key.endsWith("x") ? "y" : "x") },
    "a shortened key": { key: kb.key.slice(0, -1) },
    "a lengthened key": { key: `${kb.key}x` },
    "another id before the secret": { key: `${Number(id) + 1}|${secret}` },
    "the secret alone": { key: secret },
    "a key of 7 KB": { key: `1000|${"a".repeat(7000)}` },
    "the key in another field": { key: null, headers: { "x-api-key": kb.key } },
    "the key in the query": { key: null, query: { key: kb.key, api_key: kb.key, token: kb.key } },
  };
  for (const [why, options] of Object.entries(cases)) await refused(kb, options, why);
});

test("the scheme of the credential is read without case", async (t) => {
  const kb = await start(t);
  for (const scheme of ["Bearer", "bearer", "BEARER"])
    await kb.expect(200, "GET", "/projects", { headers: { authorization: `${scheme} ${kb.key}` } });
});

test("a key has the form that a client checks for", async (t) => {
  const kb = await start(t);
  assert.match(kb.key, /^\d{3,}\|[A-Za-z0-9]{20,}$/);
  assert.notEqual(await kb.newKey(), kb.key);
});

test("a key made beside the running server works at once", async (t) => {
  const kb = await start(t);
  for (let i = 0; i < 5; i++)
    await kb.expect(200, "GET", "/projects", { key: await kb.newKey({ account: `account ${i}` }) });
});

test("a revoked key stops, for what was in memory too", async (t) => {
  const kb = await start(t);
  const key = await kb.newKey();
  const agent = await kb.agent({ key });
  await agent.expect(200, "GET");
  await kb.revoke(key);
  // Another process revoked it: the server notices when its copy of the key is too old.
  await until("the key to stop", async () => (await kb.api("GET", "/projects", { key })).status === 401);
  await refused(kb, { key }, "the list");
  assert.equal((await agent.api("GET")).status, 401, "a read that was in memory");
  assert.equal((await agent.api("POST", "/conversations", { json: {} })).status, 401);
  await kb.expect(200, "GET", agent.path); // the account's other key goes on
});

test("what a revoked key was reading ends, and what another one reads goes on", async (t) => {
  const kb = await start(t);
  const key = await kb.newKey();
  const size = 40_000_000;
  const agent = await kb.agent();
  await agent.expect(200, "POST", "", { form: form({}, { "large.txt": Buffer.alloc(size, "a word \n") }) });
  const [page] = await agent.pages();
  // Readers that take a little and then wait: the kernel has some of the rest, the service most of it.
  const reader = (key) =>
    new Promise((resolve, reject) => {
      const req = http.get(
        `${kb.url}/api/v1/preview/${page.id}`,
        { headers: { authorization: `Bearer ${key}` }, agent: false },
        (res) => {
          const state = {
            res,
            bytes: 0,
            ended: new Promise((end) => {
              res.on("end", () => end("whole"));
              res.on("error", () => end("cut"));
            }),
          };
          res.on("data", (piece) => {
            if (state.bytes === 0) {
              res.pause();
              resolve(state);
            }
            state.bytes += piece.length;
          });
        },
      );
      req.on("error", reject);
    });
  const connections = async () =>
    Number(
      /^docent_http_connections (\d+)$/m.exec((await kb.api("GET", "/metrics", { key: null, agent: false })).text)[1],
    );
  const [cut, whole] = [await reader(key), await reader(kb.key)];
  const before = await connections();
  await kb.revoke(key);
  await until("the service to close the connection", async () => (await connections()) < before, 10_000);
  cut.res.resume();
  whole.res.resume();
  assert.equal(await cut.ended, "cut");
  assert.ok(cut.bytes < size, `${cut.bytes} bytes came`);
  assert.equal(await whole.ended, "whole");
  assert.equal(whole.bytes, size);
});

test("a revoked key stays revoked after a restart", async (t) => {
  const kb = await start(t);
  const key = await kb.newKey();
  await kb.revoke(key);
  await kb.restart();
  await refused(kb, { key }, "after the restart");
  await kb.expect(200, "GET", "/projects");
});

test("two keys of one account see the same agents, a key of another account none", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal((await kb.expect(200, "GET", "/projects", { key: await kb.newKey() })).data[0].id, agent.id);
  const stranger = await kb.newKey({ account: "stranger" });
  const list = await kb.expect(200, "GET", "/projects", { key: stranger });
  assert.deepEqual([list.total, list.data], [0, []]);
  assert.equal((await kb.api("GET", agent.path, { key: stranger })).status, 404);
});

test("a key limited to an agent sees that agent alone", async (t) => {
  const kb = await start(t);
  const [mine, other] = [await kb.agent({ project_name: "Mine" }), await kb.agent({ project_name: "Other" })];
  const key = await kb.newKey({ agents: [mine.id] });
  const list = await kb.expect(200, "GET", "/projects", { key });
  assert.deepEqual(
    list.data.map((agent) => agent.id),
    [mine.id],
  );
  assert.equal(list.total, 1);
  await kb.expect(200, "GET", mine.path, { key });
  assert.equal((await kb.api("GET", other.path, { key })).json.message, `Agent with id ${other.id} not found`);
  assert.equal((await kb.api("DELETE", other.path, { key })).status, 403);
  await kb.expect(200, "GET", other.path);
});

test("a key limited to an agent can make none", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const key = await kb.newKey({ agents: [agent.id] });
  assert.equal((await kb.api("POST", "/projects", { key, json: { project_name: "More" } })).status, 403);
  assert.equal((await kb.api("POST", `${agent.path}/replicate`, { key })).status, 403);
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 1);
});

test("a key limited to an agent changes nothing of the account", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const key = await kb.newKey({ agents: [agent.id] });
  const before = await kb.expect(200, "GET", "/user");
  for (const options of [
    { json: { name: "Mine now" } },
    { json: { profile_photo: null } },
    { form: form({ name: "Mine now" }) },
  ]) {
    const reply = await kb.api("POST", "/user", { key, ...options });
    assert.deepEqual(
      [reply.status, reply.json.message],
      [403, "this key is limited to some agents: it can neither change the account nor make agents"],
    );
  }
  assert.deepEqual(await kb.expect(200, "GET", "/user", { key }), before, "it may read it");
  await kb.expect(200, "POST", agent.path, { key, json: { project_name: "Renamed" } });
});

test("a key limited to a master agent reaches no agent by making it a child", async (t) => {
  const kb = await start(t);
  const [child, mine, secret] = [
    await kb.agent(),
    await kb.agent(),
    await kb.agent({ files: { "a.txt": "The vault opens with the word Zorgel." } }),
  ];
  const master = await kb.agent({ is_master: "true" });
  await master.expect(200, "POST", "", { json: { child_project_ids: [child.id] } });
  const key = await kb.newKey({ agents: [master.id, mine.id] });
  const set = (status, ids) => kb.expect(status, "POST", master.path, { key, json: { child_project_ids: ids } });
  await set(400, [child.id, secret.id]);
  assert.deepEqual((await set(200, [mine.id, child.id])).child_project_ids, [mine.id, child.id]);
  await set(200, []);
  await set(400, [child.id]);
});

test("a key can be limited to several agents", async (t) => {
  const kb = await start(t);
  const ids = [];
  for (let i = 0; i < 3; i++) ids.push((await kb.agent()).id);
  const key = await kb.newKey({ agents: ids.slice(0, 2) });
  const list = await kb.expect(200, "GET", "/projects", { key, query: { order: "asc" } });
  assert.deepEqual(
    list.data.map((agent) => agent.id),
    ids.slice(0, 2),
  );
});

test("a key is not made for an agent of another account", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const made = await docent(["key", "create", "--data", kb.dir, "--account", "stranger", "--agent", String(agent.id)]);
  assert.equal(made.code, 1);
  assert.equal(made.stdout, "");
  assert.match(made.stderr, new RegExp(`no agent ${agent.id}`));
});

test("no key and no secret of one appears in the server's log", async (t) => {
  const kb = await start(t, { args: ["--log", "debug"] });
  await kb.expect(200, "GET", "/projects");
  await kb.api("GET", "/projects", { key: `123|${"s".repeat(43)}` });
  assert.ok(!kb.log.includes(kb.key.split("|")[1]));
  assert.ok(!kb.log.includes("s".repeat(43)));
});
