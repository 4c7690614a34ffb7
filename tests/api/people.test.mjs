// People: invitations, what each role opens of every route, labels that open documents, browsers signed in.
import { randomUUID } from "node:crypto";
import { assert, start, test, until } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { invited, signedIn } from "./lib/people.mjs";
import { fill, rightBody, rightQuery, variables } from "./lib/requests.mjs";
import { furnished } from "./lib/scene.mjs";

const question = "How long does the warranty of the Brisca 200 last?";

test("somebody is invited by a link that works once, and is known by name", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { person, link } = await kb.expect(201, "POST", "/people", {
    json: { name: "Ann", email: "ann@example.org", agents: [{ project_id: agent.id, rights: ["ask"] }] },
  });
  assert.match(link, new RegExp(`^${kb.url}/login#[A-Za-z0-9]{43}$`));
  assert.deepEqual([person.role, person.labels, person.seen_at], ["member", [], null]);
  assert.ok(Date.parse(person.invited_until) > Date.now() + 6 * 86_400_000);
  const secret = link.split("#")[1];
  const ann = await signedIn(kb, { link: secret });
  assert.deepEqual(ann.data.person, {
    id: person.id,
    name: "Ann",
    email: "ann@example.org",
    role: "member",
    agents: [{ project_id: agent.id, rights: ["ask"] }],
  });
  assert.equal(ann.data.key_id, null);
  const again = await kb.api("POST", "/session", {
    plain: true,
    key: null,
    json: { link: secret },
    headers: { "x-docent-session": "1" },
  });
  assert.equal(again.status, 401);
  const seen = await kb.expect(200, "GET", `/people/${person.id}`);
  assert.ok(seen.seen_at);
  assert.equal(seen.invited_until, null);
  assert.ok(!(await kb.expect(200, "GET", "/people")).some((row) => JSON.stringify(row).includes(secret)));
});

test("a new link takes the place of the one before", async (t) => {
  const kb = await start(t);
  const { person, link } = await kb.expect(201, "POST", "/people", { json: { name: "Ann" } });
  const { link: second } = await kb.expect(201, "POST", `/people/${person.id}/invitation`);
  const take = (of) =>
    kb.api("POST", "/session", {
      plain: true,
      key: null,
      json: { link: of.split("#")[1] },
      headers: { "x-docent-session": "1" },
    });
  assert.equal((await take(link)).status, 401);
  assert.equal((await take(second)).status, 201);
});

test("what is wrong with a person is said", async (t) => {
  const kb = await start(t);
  const cases = [
    [{ name: " " }, "name can't be empty"],
    [{ name: "a\u0007b" }, "name must be one line"],
    [{ name: "Ann", role: "king" }, "role must be member, auditor or owner"],
    [{ name: "Ann", agents: [{ project_id: 987654, rights: ["ask"] }] }, "Agent with id 987654 not found"],
    [{ name: "Ann", agents: [{ project_id: null, rights: [] }] }, "rights can't be empty"],
    [
      { name: "Ann", agents: [{ project_id: null, rights: ["all"] }] },
      "rights must be a list of ask, conversations, content, answers and manage",
    ],
    [
      { name: "Ann", agents: [{ rights: ["ask"] }] },
      "project_id of agents must be an agent's id, or null for each of them",
    ],
    [
      {
        name: "Ann",
        agents: [
          { project_id: null, rights: ["ask"] },
          { project_id: null, rights: ["ask"] },
        ],
      },
      "agents names one twice",
    ],
    [{ name: "Ann", labels: ["x".repeat(21)] }, "a label's name has 1 to 20 characters"],
  ];
  for (const [json, sentence] of cases) {
    const reply = await kb.api("POST", "/people", { json });
    assert.deepEqual([reply.json.message, reply.status], [sentence, sentence.endsWith("found") ? 404 : 400]);
  }
  assert.deepEqual(await kb.expect(200, "GET", "/people"), []);
});

// ---- every route x every role ----

/** Which roles come with what somebody is. A list of its own: the program's is in principal.c. */
const everybody = {
  "nobody's friend": [{}, []],
  "who may ask": [{ rights: ["ask"] }, ["asker"]],
  "who sees conversations": [{ rights: ["conversations"] }, ["asker", "reader"]],
  "who manages content": [{ rights: ["content"] }, ["asker", "editor"]],
  "who improves answers": [{ rights: ["answers"] }, ["asker", "reader", "checker"]],
  "who manages the agent": [{ rights: ["manage"] }, ["asker", "reader", "editor", "checker", "keeper"]],
  "an auditor": [{ role: "auditor" }, ["auditor"]],
  "an owner": [{ role: "owner" }, ["asker", "reader", "editor", "checker", "keeper", "auditor", "owner"]],
};

test("no route opens to a person more than its row says", { timeout: 600_000 }, async (t) => {
  const kb = await start(t);
  const scene = await furnished(kb, { name: "Mine" });
  const description = await kb.description();
  const routes = scene.operations.filter((o) => !o.operation.security);
  let refused = 0,
    passed = 0;
  for (const [who, [{ role, rights }, roles]] of Object.entries(everybody)) {
    const agents = rights ? [{ project_id: scene.agent.id, rights }] : [];
    const person = await invited(kb, { name: who, role: role ?? "member", agents });
    for (const route of routes) {
      const needed = route.operation["x-docent-role"];
      const may = needed === "member" || roles.includes(needed);
      // Who may is asked to read only: what is written would change the scene for the next.
      if (may && route.method !== "GET") continue;
      const reply = await kb.api(route.method, fill(route.path, scene.ids), {
        ...person.asking,
        query: rightQuery(route.operation),
        json: route.method === "GET" ? undefined : rightBody(description, route.operation),
      });
      const what = `${route.method} ${route.path} (${needed}) by ${who}: ${reply.status} ${reply.text.slice(0, 200)}`;
      if (may) assert.ok(reply.status !== 401 && reply.status !== 403, what);
      else {
        // Who reaches nothing of an agent finds none; but for what the contract refuses openly.
        const reaches = roles.includes("asker") || !variables(route.path).includes("projectId");
        const openly = route.path === "/api/v1/projects/{projectId}" && route.method !== "GET";
        assert.equal(reply.status, reaches || openly ? 403 : 404, what);
        refused++;
      }
      passed += may;
    }
    await kb.expect(200, "DELETE", `/people/${person.id}`);
  }
  assert.ok(refused > 300 && passed > 100, `${refused} refused, ${passed} passed`);
});

test("a person's right for one agent says nothing of another", async (t) => {
  const kb = await start(t);
  const [mine, other] = [await kb.agent({ project_name: "Mine" }), await kb.agent({ project_name: "Other" })];
  const ann = await invited(kb, { name: "Ann", agents: [{ project_id: mine.id, rights: ["manage"] }] });
  await kb.expect(200, "GET", mine.path, ann.asking);
  assert.equal((await kb.api("GET", other.path, ann.asking)).status, 404);
  const list = await kb.expect(200, "GET", "/projects", ann.asking);
  assert.deepEqual(
    list.data.map((row) => row.id),
    [mine.id],
  );
  // Nor does a master that is theirs open it.
  await mine.expect(200, "POST", "", { json: { is_master: true } }).catch(() => {});
  const stolen = await kb.api("POST", mine.path, { ...ann.asking, json: { child_project_ids: [other.id] } });
  assert.equal(stolen.status, 400);
  const nobody = await invited(kb, { name: "Nobody" });
  assert.equal((await kb.expect(200, "GET", "/projects", nobody.asking)).total, 0);
});

// ---- labels ----

test("a person's labels open documents in questions, searches, readings and MCP, and no others do", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("espresso.md");
  const made = await agent.expect(201, "POST", "/labels", { json: { names: ["hr", "legal"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [made[0].id] } });
  const agents = [{ project_id: agent.id, rights: ["ask"] }];
  const open = await invited(kb, { name: "Open", agents, labels: ["hr"] });
  const closed = await invited(kb, { name: "Closed", agents, labels: ["legal"] });
  const none = await invited(kb, { name: "None", agents });
  const key = (await kb.expect(201, "POST", "/user/keys", { ...open.asking, json: { name: "an editor" } })).key;
  const shutKey = (await kb.expect(201, "POST", "/user/keys", { ...closed.asking, json: {} })).key;

  const sees = async (asking) => {
    const found = [];
    const message = await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
      ...asking,
      json: { prompt: question },
    });
    found.push(message.llm_response.includes("27 months"));
    const search = await agent.expect(200, "GET", "/search", { ...asking, query: { query: question } });
    found.push(search.passages.some((passage) => passage.page_id === page.id));
    for (const where of [
      `/pages/${page.id}/text`,
      `/pages/${page.id}/passages`,
      `/pages/${page.id}/metadata`,
      `/citations/${page.id}`,
    ])
      found.push((await agent.api("GET", where, asking)).status === 200);
    found.push((await kb.api("GET", `/preview/${page.id}`, asking)).status === 200);
    const chat = await agent.api("POST", "/chat/completions", {
      ...asking,
      json: { messages: [{ role: "user", content: question }] },
    });
    found.push(chat.json.choices[0].message.content.includes("27 months"));
    const mcp = await kb.api("POST", `/mcp/projects/${agent.id}`, {
      plain: true,
      ...asking,
      headers: { ...asking.headers, accept: "application/json, text/event-stream" },
      json: { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "ask", arguments: { question } } },
    });
    found.push(mcp.text.includes("27 months"));
    return found;
  };
  const all = (found, wanted, why) => assert.deepEqual(found, Array(found.length).fill(wanted), why);
  all(await sees(open.asking), true, "their label");
  all(await sees({ key }), true, "a key of their own");
  all(await sees(closed.asking), false, "another label");
  all(await sees({ key: shutKey }), false, "a key of who has another label");
  all(await sees(none.asking), false, "no label");

  // Nobody names labels that are not theirs.
  for (const [method, where, options] of [
    ["POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: question, labels: ["hr"] } }],
    ["POST", "/chat/completions", { json: { messages: [{ role: "user", content: question }], labels: ["hr"] } }],
    ["GET", "/search", { query: { query: question, labels: '["hr"]' } }],
  ]) {
    const reply = await agent.api(method, where, { ...closed.asking, ...options });
    assert.equal(reply.status, 403, `${where}: ${reply.text}`);
    assert.ok(!reply.text.includes("27 months"));
  }
  // A label that is taken away closes the document at the next question.
  await kb.expect(200, "PUT", `/people/${open.id}`, { json: { labels: [] } });
  all(await sees(open.asking), false, "their label is gone");
  all(await sees({ key }), false, "their key has none either");
});

test("who may only ask sees their own conversations, and who may see them sees all", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const agents = (right) => [{ project_id: agent.id, rights: [right] }];
  const ann = await invited(kb, { name: "Ann", agents: agents("ask") });
  const ben = await invited(kb, { name: "Ben", agents: agents("ask") });
  const eve = await invited(kb, { name: "Eve", agents: agents("conversations") });
  const session = randomUUID();
  const message = await agent.expect(200, "POST", `/conversations/${session}/messages`, {
    ...ann.asking,
    json: { prompt: question },
  });
  await agent.ask(question); // by the account's key
  const seenBy = async (who) => (await agent.expect(200, "GET", "/conversations", who.asking)).total;
  assert.deepEqual([await seenBy(ann), await seenBy(ben), await seenBy(eve)], [1, 0, 2]);
  const messages = `/conversations/${session}/messages`;
  await agent.expect(200, "GET", messages, ann.asking);
  await agent.expect(200, "GET", messages, eve.asking);
  for (const [method, where, json] of [
    ["GET", messages],
    ["GET", `${messages}/${message.id}`],
    ["GET", `${messages}/${message.id}/claims`],
    ["GET", `/conversations/${session}/export`],
    ["PUT", `/conversations/${session}`, { name: "mine" }],
    ["PUT", `${messages}/${message.id}/feedback`, { reaction: "disliked" }],
    ["DELETE", `/conversations/${session}`],
  ])
    assert.equal((await agent.api(method, where, { ...ben.asking, json })).status, 404, `${method} ${where} by Ben`);
  // Seeing is not changing, nor speaking in another's name.
  assert.equal((await agent.api("DELETE", `/conversations/${session}`, eve.asking)).status, 404);
  const spoken = await agent.api("POST", messages, { ...eve.asking, json: { prompt: question } });
  assert.ok(spoken.status >= 400, `${spoken.status}`);
  assert.equal((await agent.expect(200, "GET", messages, ann.asking)).messages.total, 1);
});

// ---- sessions and ends ----

test("browsers are listed and signed out by who is in them and by the account's owner, and by nobody else", async (t) => {
  const kb = await start(t);
  const ann = await invited(kb, { name: "Ann" });
  const ben = await invited(kb, { name: "Ben" });
  const own = await kb.expect(200, "GET", "/sessions", ann.asking);
  assert.deepEqual(
    own.map((row) => [row.is_mine, row.person_id, row.key_id]),
    [[true, ann.id, null]],
  );
  assert.equal(own[0].address, "127.0.0.1");
  const [bens] = await kb.expect(200, "GET", "/sessions", ben.asking);
  assert.equal((await kb.api("DELETE", `/sessions/${bens.id}`, ann.asking)).status, 404);
  const stranger = await kb.newKey({ account: "stranger" });
  assert.deepEqual(await kb.expect(200, "GET", "/sessions", { key: stranger }), []);
  assert.equal((await kb.api("DELETE", `/sessions/${bens.id}`, { key: stranger })).status, 404);
  assert.equal((await kb.expect(200, "GET", "/sessions")).length, 2);
  await kb.expect(200, "DELETE", `/sessions/${bens.id}`);
  assert.equal((await kb.api("GET", "/user", ben.asking)).status, 401);
  await kb.expect(200, "DELETE", `/sessions/${own[0].id}`, ann.asking);
  assert.equal((await kb.api("GET", "/user", ann.asking)).status, 401);
});

test("who is let go is out at once, with their keys and what they were reading", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const ann = await invited(kb, { name: "Ann", agents: [{ project_id: agent.id, rights: ["content"] }] });
  const made = await kb.expect(201, "POST", "/user/keys", { ...ann.asking, json: { name: "mine" } });
  const again = await signedIn(kb, { key: made.key });
  assert.equal(again.data.person.id, ann.id);
  assert.deepEqual(
    (await kb.expect(200, "GET", "/user/keys", ann.asking)).map((row) => [row.id, row.person_id]),
    [[made.id, ann.id]],
  );
  const reading = await fetch(`${kb.url}/api/v1/projects/${agent.id}/progress`, {
    headers: { ...ann.asking.headers, accept: "text/event-stream" },
  });
  assert.equal(reading.status, 200);
  let over = false;
  const end = () => (over = true);
  void reading.text().then(end, end);
  await kb.expect(200, "DELETE", `/people/${ann.id}`);
  for (const asking of [ann.asking, again.asking, { key: made.key }])
    assert.equal((await kb.api("GET", "/projects", asking)).status, 401);
  await until("what they were reading to end", () => over);
  assert.equal((await kb.api("GET", `/people/${ann.id}`)).status, 404);
});

test("a person has no more than the rights of the moment, whatever key they made before", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const ann = await invited(kb, { name: "Ann", role: "owner" });
  const { key } = await kb.expect(201, "POST", "/user/keys", { ...ann.asking, json: {} });
  await kb.expect(200, "GET", "/keys", { key });
  await kb.expect(200, "PUT", `/people/${ann.id}`, { json: { role: "member" } });
  assert.equal((await kb.api("GET", "/keys", { key })).status, 403);
  assert.equal((await kb.api("GET", agent.path, { key })).status, 404);
  assert.equal((await kb.api("PUT", `/people/${ann.id}`, { key, json: { role: "owner" } })).status, 403);
});

test("without people a key's holder sees what was there before", async (t) => {
  const kb = await start(t);
  const { data } = await signedIn(kb, { key: kb.key });
  assert.equal(data.person, null);
  assert.equal(data.key_id, Number(kb.key.split("|")[0]));
  const own = await kb.api("POST", "/user/keys", { json: {} });
  assert.deepEqual([own.status, own.json.message], [403, "only a person has keys of their own"]);
});
