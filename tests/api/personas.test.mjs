// Persona versions and sub-personas.
import { randomUUID } from "node:crypto";
import { assert, start, test, until } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";

const save = (agent, text) => agent.expect(200, "POST", "/settings", { json: { persona_instructions: text } });
const versions = async (agent) =>
  (await agent.expect(200, "GET", "/settings/personas", { query: { limit: 100 } })).data;
const subs = (agent, version) => agent.expect(200, "GET", `/settings/persona/${version}/sub-personas`);
const slugs = (list) => list.map((s) => s.slug);

/** Waits until the version's sub-personas are made; gives the list. */
const made = (agent, version) =>
  until(`the sub-personas of version ${version}`, async () => {
    const list = await subs(agent, version);
    assert.equal(list.is_generating, list.generated.length === 0, "empty while generating, full after");
    return !list.is_generating && list;
  });

test("an agent has a first version, without a text", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const [first, ...rest] = await versions(agent);
  assert.deepEqual(rest, []);
  assert.deepEqual([first.version, first.is_active, first.instructions], [1, true, null]);
});

test("a changed text makes the next version, the same text none", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    ["You are Ada.", 2],
    ["You are Ada.", 2],
    ["You are Bob.", 3],
    ["You are Ada.", 4],
    [null, 5],
    [null, 5],
    ["é".repeat(12000), 6],
  ];
  for (const [text, count] of cases) {
    await save(agent, text);
    const list = await versions(agent);
    assert.equal(list.length, count);
    assert.deepEqual([list[0].version, list[0].is_active, list[0].instructions], [count, true, text]);
    assert.equal(list.filter((v) => v.is_active).length, 1);
  }
  await agent.expect(200, "POST", "/settings", { json: { default_prompt: "Ask" } });
  assert.equal((await versions(agent)).length, 6, "another setting makes no version");
  const refused = await agent.api("POST", "/settings", { json: { persona_instructions: "x".repeat(12001) } });
  assert.deepEqual(
    [refused.status, refused.json.message],
    [400, "persona_instructions has 12001 characters, the limit is 12000"],
  );
  assert.equal((await versions(agent)).length, 6);
});

test("versions are listed in pages of 20, newest first", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (let i = 2; i <= 25; i++) await save(agent, `text ${i}`);
  const first = await agent.expect(200, "GET", "/settings/personas");
  assert.deepEqual(
    [first.per_page, first.total, first.last_page, first.data.length, first.data[0].version],
    [20, 25, 2, 20, 25],
  );
  const second = await agent.expect(200, "GET", "/settings/personas", { query: { page: 2 } });
  assert.deepEqual(
    second.data.map((v) => v.version),
    [5, 4, 3, 2, 1],
  );
  const three = await agent.expect(200, "GET", "/settings/personas", { query: { limit: 3, page: 9 } });
  assert.deepEqual(
    [three.data, three.per_page, three.last_page],
    [[], 3, 9].map((v, i) => (i === 0 ? three.data : v)),
  );
  assert.equal(three.data.length, 1);
});

test("one version is read as { status, persona }", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await save(agent, "You are Ada.");
  const reply = await agent.api("GET", "/settings/persona/2");
  assert.equal(reply.status, 200);
  assert.deepEqual(Object.keys(reply.json).sort(), ["persona", "status"]);
  assert.equal(reply.json.persona.instructions, "You are Ada.");
  assert.equal((await agent.api("GET", "/settings/persona/1")).json.persona.is_active, false);
});

test("an unknown version is 404, one that is no integer 400", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const calls = [
    ["GET", ""],
    ["GET", "/sub-personas"],
    ["PATCH", "/sub-personas/task-planner"],
    ["DELETE", "/sub-personas/task-planner"],
  ];
  for (const [method, rest] of calls) {
    const options = method === "PATCH" ? { json: { instructions: "x" } } : {};
    for (const version of ["2", "0", "-1", "9007199254740993"]) {
      const reply = await agent.api(method, `/settings/persona/${version}${rest}`, options);
      assert.deepEqual(
        [reply.status, reply.json.message],
        [404, `Persona with version ${version} not found`],
        `${method} ${version}${rest}`,
      );
    }
    for (const version of ["x", "1.5", "1e3", "99999999999999999999"]) {
      const reply = await agent.api(method, `/settings/persona/${version}${rest}`, options);
      assert.deepEqual(
        [reply.status, reply.json.message],
        [400, "Persona version must be integer"],
        `${method} ${version}${rest}`,
      );
    }
  }
});

test("an older version is activated as a new one, by path and by body", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await save(agent, "one");
  await save(agent, "two");
  assert.deepEqual(await agent.expect(200, "PUT", "/settings/persona/activate/2"), { updated: true });
  assert.deepEqual(await agent.expect(200, "PUT", "/settings/persona-activate-version", { json: { version: 1 } }), {
    updated: true,
  });
  assert.deepEqual(await agent.expect(200, "PUT", "/settings/persona-activate-version", { json: { version: "5" } }), {
    updated: true,
  });
  assert.deepEqual(
    (await versions(agent)).map((v) => [v.version, v.instructions, v.is_active]),
    [
      [6, null, true],
      [5, null, false],
      [4, "one", false],
      [3, "two", false],
      [2, "one", false],
      [1, null, false],
    ],
  );
  assert.equal((await agent.expect(200, "GET", "/settings")).persona_instructions, null);
  await agent.expect(200, "PUT", "/settings/persona/activate/3");
  assert.equal((await agent.expect(200, "GET", "/settings")).persona_instructions, "two");
  assert.equal((await agent.api("PUT", "/settings/persona/activate/99")).status, 404);
  assert.equal((await agent.api("PUT", "/settings/persona/activate/x")).status, 400);
  for (const json of [{}, { version: null }, { version: "x" }, { version: [1] }])
    assert.equal(
      (await agent.api("PUT", "/settings/persona-activate-version", { json })).json.message,
      "Persona version must be integer",
    );
  assert.equal((await versions(agent)).length, 7);
});

test("two sub-personas are generated for each version, from what is really there", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour guide", files: library });
  await agent.expect(200, "POST", "/settings", {
    json: { example_questions: ["When is high water?"], no_answer_message: "Ask the harbour master." },
  });
  await save(agent, "You are Ada, the guide of the harbour. Never give the price of a berth. You like ships.");
  const list = await made(agent, 2);
  assert.deepEqual(slugs(list.generated), ["persona-summary", "task-planner"]);
  assert.deepEqual(list.project_overrides, []);
  const [summary, planner] = list.generated;
  for (const words of ["Harbour guide", "You are Ada", "Never give the price of a berth."])
    assert.ok(summary.instructions.includes(words), words);
  for (const words of [
    "Harbour guide",
    "Documents: 3",
    "The Velmora Lighthouse",
    "When is high water?",
    "Ask the harbour master.",
  ])
    assert.ok(planner.instructions.includes(words), words);
  assert.deepEqual([summary.persona_version, planner.persona_version], [2, 2]);
  assert.deepEqual(slugs((await made(agent, 1)).generated), slugs(list.generated), "the first version has its own");
});

test("the routing map follows the documents", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.match((await made(agent, 1)).generated[1].instructions, /There are no documents yet/);
  await agent.add(library);
  await until("the map to name the documents", async () =>
    (await subs(agent, 1)).generated[1]?.instructions.includes("The Velmora Lighthouse"),
  );
  await agent.expect(200, "DELETE", `/pages/${(await agent.page("lighthouse.md")).id}`);
  await until(
    "the map to forget a document",
    async () => !(await subs(agent, 1)).generated[1]?.instructions.includes("The Velmora Lighthouse"),
  );
});

test("sub-personas that were pending at a power cut are made afterwards", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (let i = 0; i < 20; i++) await save(agent, `You are number ${i}.`);
  await kb.kill9();
  await kb.spawn();
  for (let version = 1; version <= 21; version++) await made(agent, version);
});

test("an override is text, blank or null, changes no generated text, and goes", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { generated } = await made(agent, 1);
  const where = "/settings/persona/1/sub-personas/task-planner";
  for (const instructions of ["Search first.", "", null, "é".repeat(12000)]) {
    const list = await agent.expect(200, "PATCH", where, { json: { instructions } });
    assert.deepEqual(
      list.project_overrides.map((o) => [o.slug, o.instructions]),
      [["task-planner", instructions]],
    );
    assert.deepEqual(list.generated, generated);
    assert.ok(!("persona_version" in list.project_overrides[0]));
    assert.deepEqual(await subs(agent, 1), list);
  }
  await save(agent, "You are Ada.");
  assert.deepEqual(
    slugs((await made(agent, 2)).project_overrides),
    ["task-planner"],
    "an override is the agent's, not the version's",
  );
  await agent.expect(200, "PATCH", "/settings/persona/2/sub-personas/persona-summary", {
    json: { instructions: "Ada." },
  });
  assert.deepEqual(slugs((await agent.expect(200, "DELETE", where)).project_overrides), ["persona-summary"]);
  assert.deepEqual(
    slugs((await agent.expect(200, "DELETE", where)).project_overrides),
    ["persona-summary"],
    "there is none: fine",
  );
});

test("a slug that is not known is 404, a malformed override 400", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const method of ["PATCH", "DELETE"]) {
    const reply = await agent.api(
      method,
      "/settings/persona/1/sub-personas/no-such",
      method === "PATCH" ? { json: { instructions: "x" } } : {},
    );
    assert.deepEqual([reply.status, reply.json.message], [404, "Sub-persona with slug no-such not found"]);
  }
  for (const json of [
    {},
    { instructions: ["x"] },
    { instructions: { a: 1 } },
    { instructions: true },
    { instructions: "x".repeat(12001) },
  ])
    assert.equal(
      (await agent.api("PATCH", "/settings/persona/1/sub-personas/task-planner", { json })).status,
      400,
      JSON.stringify(json).slice(0, 40),
    );
  assert.deepEqual((await subs(agent, 1)).project_overrides, []);
});

test("a request may bring sub-personas of its own, strings or null by slug", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const calls = [
    (sub_personas) =>
      agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: "Hello", sub_personas } }),
    (sub_personas) =>
      agent.api("POST", "/chat/completions", {
        json: { messages: [{ role: "user", content: "Hello" }], sub_personas },
      }),
  ];
  for (const call of calls) {
    for (const good of [
      null,
      {},
      { "task-planner": "x" },
      { "task-planner": null, "persona-summary": "" },
      { "no-such": "x" },
    ])
      assert.equal((await call(good)).status, 200, JSON.stringify(good));
    for (const bad of [
      "x",
      [],
      1,
      { "task-planner": 1 },
      { "task-planner": ["x"] },
      { "persona-summary": "x".repeat(12001) },
    ])
      assert.equal((await call(bad)).status, 400, JSON.stringify(bad).slice(0, 40));
  }
  assert.deepEqual((await subs(agent, 1)).project_overrides, [], "nothing of it is stored");
});

test("another account's personas are 404, and go with their agent", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await save(agent, "You are Ada.");
  const key = await kb.newKey({ account: "other" });
  const calls = [
    ["GET", "/settings/personas"],
    ["GET", "/settings/persona/1"],
    ["PUT", "/settings/persona/activate/1"],
    ["PUT", "/settings/persona-activate-version", { json: { version: 1 } }],
    ["GET", "/settings/persona/1/sub-personas"],
    ["PATCH", "/settings/persona/1/sub-personas/task-planner", { json: { instructions: "x" } }],
    ["DELETE", "/settings/persona/1/sub-personas/task-planner"],
  ];
  for (const [method, where, options] of calls) {
    assert.equal(
      (await agent.api(method, where, { ...options, key })).json.message,
      `Agent with id ${agent.id} not found`,
      where,
    );
    assert.equal((await agent.api(method, where, { ...options, key: null })).status, 401, where);
  }
  assert.equal((await versions(agent)).length, 2);
  await agent.expect(200, "DELETE");
  for (const [method, where, options] of calls)
    assert.equal((await agent.api(method, where, options)).status, 404, where);
  await kb.stop();
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout);
  await kb.spawn();
});
