// Tests that are kept: questions with what they have to be answered, asked by themselves after each change.
import { library } from "./lib/documents.mjs";
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { invited } from "./lib/people.mjs";
import { Agent } from "./lib/service.mjs";

const question = "How long is the warranty of the Brisca 200?";

/** An agent, and its tests. */
async function scene(t, options = {}) {
  const kb = await start(t, options);
  const agent = await kb.agent({ files: library });
  await agent.settled();
  const keep = (json, status = 201) => agent.expect(status, "POST", "/tests", { json });
  const read = (id) => agent.expect(200, "GET", `/tests/${id}`);
  const list = async (query = {}) => (await agent.expect(200, "GET", "/tests", { query })).data;
  /** The test, once it is as wanted. */
  const settled = async (id, what, ready) => {
    let one;
    await until(what, async () => ready((one = await read(id))), 30_000, 100);
    return one;
  };
  return { kb, agent, keep, read, list, settled };
}

/** A question that is answered, the document that it cites, and words that stand in the answer. */
async function answered(agent) {
  const asked = await agent.ask(question);
  assert.ok(asked.citations.length, asked.llm_response);
  return { page: asked.citations[0], text: asked.llm_response };
}

test("a test is asked by itself, of nothing that is stored or counted", async (t) => {
  const { agent, keep, settled, list } = await scene(t);
  const { page } = await answered(agent);
  const before = await agent.expect(200, "GET", "/stats");
  const kept = await keep({ question, documents: [page], phrases: ["no such words", "27 months"] });
  assert.deepEqual(
    [kept.state, kept.why, kept.answer, kept.turned_at, kept.documents.map((document) => document.state)],
    ["waiting", null, null, null, ["ok"]],
  );
  const refused = await keep({ question: "What is the boiling point of tungsten?", refuse: true });
  const other = await keep({ question, phrases: ["seventeen elephants"] });
  const [one, two, three] = [
    await settled(kept.id, "the first", (now) => now.state !== "waiting"),
    await settled(refused.id, "the second", (now) => now.state !== "waiting"),
    await settled(other.id, "the third", (now) => now.state !== "waiting"),
  ];
  assert.deepEqual(
    [one, two, three].map((now) => [now.state, now.why]),
    [
      ["passed", "passed"],
      ["passed", "passed"],
      ["failed", "not found"],
    ],
    JSON.stringify([one, two, three]),
  );
  assert.match(one.answer, /27 months/);
  assert.deepEqual(
    (await list({ state: "failed" })).map((now) => now.id),
    [other.id],
  );
  assert.deepEqual(
    (await list()).map((now) => now.id),
    [other.id, refused.id, kept.id],
    "those that failed come first",
  );
  assert.deepEqual(await agent.expect(200, "GET", "/stats"), before, "to ask them is no query");
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 1);
});

test("a changed document turns exactly the tests of it, and both answers are told", async (t) => {
  const { agent, keep, settled, list, read } = await scene(t);
  await agent.expect(201, "POST", "/sources", {
    form: form({}, { "pool.md": "# The pool\n\nThe swimming pool opens at seven in the morning.\n" }),
  });
  await agent.settled();
  const pool = await agent.page("pool.md");
  const { page } = await answered(agent);
  const ask = "When does the swimming pool open?";
  const kept = await keep({ question: ask, documents: [pool.id], phrases: ["seven in the morning"] });
  const calm = await keep({ question, documents: [page] });
  for (const { id } of [kept, calm]) await settled(id, "a first result", (now) => now.state === "passed");

  await agent.expect(200, "DELETE", `/pages/${pool.id}`);
  await agent.expect(201, "POST", "/sources", {
    form: form({}, { "pool-2.md": "# The pool\n\nThe swimming pool opens at nine in the evening.\n" }),
  });
  const turned = await settled(kept.id, "it to turn", (now) => now.state === "failed" && /nine/.test(now.answer));
  assert.deepEqual([turned.why, turned.documents[0].state], ["not found", "deleted"]);
  assert.match(turned.answer_before, /seven in the morning/);
  assert.ok(turned.turned_at);
  const still = await settled(calm.id, "the other", (now) => now.asked_at >= turned.asked_at);
  assert.deepEqual([still.state, still.turned_at], ["passed", null]);
  assert.deepEqual(
    (await list({ to_look_at: true })).map((now) => now.id),
    [kept.id],
  );

  // Kept of the document that is there now, it passes.
  const now = await agent.page("pool-2.md");
  const put = await agent.expect(200, "PUT", `/tests/${kept.id}`, {
    json: { documents: [now.id], phrases: ["nine in the evening"] },
  });
  assert.deepEqual([put.question, put.state, put.turned_at], [ask, "waiting", null]);
  await settled(kept.id, "it to pass", (one) => one.state === "passed");
  assert.deepEqual(await list({ to_look_at: true }), []);
  assert.equal((await read(kept.id)).answer_before, null);
});

test("settings and checked answers have tests asked again, and a follow-up is asked behind its turns", async (t) => {
  const { agent, keep, settled } = await scene(t);
  const kept = await keep({ question: "When does the swimming pool open?", refuse: true });
  const first = await settled(kept.id, "a first result", (now) => now.state === "passed");
  await agent.expect(200, "POST", "/settings", { form: form({ no_answer_message: "Nobody knows." }) });
  await settled(kept.id, "the settings' text", (now) => now.asked_at > first.asked_at && /Nobody/.test(now.answer));
  const answer = await agent.expect(201, "POST", "/answers", {
    json: { question: "When does the swimming pool open?", answer: "It opens at seven." },
  });
  const early = await keep({ question: "When does the swimming pool open?", documents: [answer.id] });
  const turned = await settled(kept.id, "the checked answer", (now) => now.state === "failed");
  assert.deepEqual(
    [turned.why, turned.answer, turned.answer_before],
    ["wrong sentence", "It opens at seven.", "Nobody knows."],
  );
  const checked = await settled(early.id, "a test of it", (now) => now.state === "passed");
  assert.equal(checked.documents[0].state, "ok");
  await agent.expect(200, "PUT", `/answers/${answer.id}`, { json: { answer: "It opens at eight." } });
  const changed = await settled(early.id, "its text to be another", (now) => now.documents[0].state === "changed");
  assert.equal(changed.state, "passed");
  const follow = await keep({ question: "And when does it close?", turns: ["When does the swimming pool open?"] });
  assert.deepEqual(follow.turns, ["When does the swimming pool open?"]);
  await settled(follow.id, "the follow-up", (now) => now.state !== "waiting");
});

test("a test is asked as somebody with its labels, and by whom they open what it says is told", async (t) => {
  const { kb, agent, keep, read, settled, list } = await scene(t);
  const { page, text } = await answered(agent);
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr"] } });
  const hide = (...ids) => agent.expect(200, "PUT", `/pages/${page}/labels`, { json: { label_ids: ids } });
  const asked = await keep({ question, documents: [page], labels: [" HR "] });
  const nobody = await keep({ question, refuse: true });
  assert.deepEqual([asked.labels, nobody.labels], [["HR"], []]);
  await settled(asked.id, "an answer", (one) => one.state === "passed");
  await settled(nobody.id, "an answer", (one) => one.state === "failed");
  await hide(label.id);
  await settled(nobody.id, "nobody to find it", (one) => one.state === "passed");
  const still = await settled(asked.id, "a second look", (one) => one.asked_at > one.created_at);
  assert.deepEqual([still.state, still.turned_at], ["passed", null], "the label opens it");
  // Renamed it opens nothing, and the test says so; put back, all is well.
  await agent.expect(200, "PUT", `/labels/${label.id}`, { json: { name: "people" } });
  await settled(asked.id, "the label to be gone", (one) => one.state === "failed");
  const named = await agent.expect(200, "PUT", `/tests/${asked.id}`, { json: { labels: ["legal", "people"] } });
  assert.deepEqual(named.labels, ["legal", "people"]);
  await settled(asked.id, "any of its labels to open it", (one) => one.state === "passed");

  // Who improves answers asks as who they are, or as somebody who finds less.
  const agents = [{ project_id: agent.id, rights: ["answers"] }];
  const [none, has] = [
    await invited(kb, { name: "Ann", agents }),
    await invited(kb, { name: "Bob", agents, labels: ["People", "legal", "other"] }),
  ];
  const as = async ({ asking }, method, where, json) => {
    const reply = await agent.api(method, where, { ...asking, ...(json && { json }) });
    return [reply.status, reply.text.includes(text.slice(0, 20))];
  };
  const path = `/tests/${asked.id}`;
  for (const [method, where, json, status] of [
    ["GET", path, null, 200],
    ["POST", `${path}/run`, null, 403],
    ["PUT", path, { question: "Who is it?" }, 403],
    ["PUT", path, { labels: ["legal"] }, 403],
    ["POST", "/tests", { question, labels: ["people"] }, 403],
  ])
    assert.deepEqual(await as(none, method, where, json), [status, false], `${method} ${where}`);
  const seen = (await agent.expect(200, "GET", "/tests", none.asking)).data.find((one) => one.id === asked.id);
  assert.deepEqual([seen.state, seen.answer, seen.answer_before], ["passed", null, null]);
  assert.deepEqual(await as(has, "GET", path), [200, true]);
  assert.deepEqual(await as(has, "POST", `${path}/run`), [200, true]);
  assert.deepEqual(await as(has, "PUT", path, { labels: ["legal", "staff"] }), [403, false]);
  assert.deepEqual((await as(has, "POST", "/tests", { question, labels: ["people"] }))[0], 201);

  const copy = new Agent(kb, await agent.expect(201, "POST", "/replicate"), agent.key);
  const there = (await copy.expect(200, "GET", "/tests")).data.map((one) => one.labels.join());
  assert.deepEqual(there.sort(), ["", "legal,people", "people"]);
  assert.deepEqual((await list()).length, 3);
  assert.deepEqual((await agent.expect(200, "PUT", path, { json: { labels: null } })).labels, []);
  await settled(asked.id, "nobody to find it", (one) => one.state === "failed");
  assert.equal((await read(asked.id)).why, "not found");
});

test("a test is asked now where somebody wants that, and says what it cannot keep", async (t) => {
  const { agent, keep, list, read } = await scene(t);
  const { page } = await answered(agent);
  const kept = await keep({ question: ` ${question}\n`, documents: [page, page] });
  assert.deepEqual([kept.question, kept.documents.length], [question, 1]);
  const ran = await agent.expect(200, "POST", `/tests/${kept.id}/run`);
  assert.deepEqual([ran.state, ran.why], ["passed", "passed"]);
  for (const [json, message] of [
    [{}, "question can't be empty"],
    [{ question, documents: [999999] }, "documents holds 999999, which is no document of this agent"],
    [{ question, labels: "hr" }, "labels must be an array of strings"],
    [{ question, labels: Array(51).fill("hr") }, "labels holds 51 texts, the limit is 50"],
    [{ question, labels: ["x".repeat(21)] }, "labels[0] has 21 characters, the limit is 20"],
    [{ question, documents: "x" }, "documents must be an array of document ids"],
    [{ question, phrases: [""] }, "phrases[0] can't be empty"],
    [{ question, phrases: Array(21).fill("x") }, "phrases holds 21 texts, the limit is 20"],
    [{ question, refuse: true, phrases: ["x"] }, "what is to be refused has no phrases and no documents"],
  ]) {
    const bad = await agent.api("POST", "/tests", { json });
    assert.deepEqual([bad.status, bad.json.message], [400, message]);
  }
  const other = await agent.kb.agent({ files: { "a.md": "# A\n\nNothing.\n" } });
  const foreign = await other.api("GET", `/tests/${kept.id}`);
  assert.equal(foreign.status, 404);
  const copy = await agent.expect(201, "POST", "/replicate");
  const copied = (await agent.kb.expect(200, "GET", `/projects/${copy.id}/tests`)).data;
  assert.deepEqual(
    copied.map((one) => [one.question, one.documents[0].state]),
    [[question, "ok"]],
  );
  assert.notEqual(copied[0].documents[0].page_id, page);
  assert.notEqual(copied[0].id, kept.id);
  await agent.expect(200, "DELETE", `/tests/${kept.id}`);
  assert.deepEqual(await list(), []);
  const gone = await agent.api("GET", `/tests/${kept.id}`);
  assert.deepEqual([gone.status, gone.json.message], [404, `Test with id ${kept.id} not found`]);
  const next = await keep({ question, refuse: false });
  assert.ok(next.id > kept.id, "an id is nobody else's");
  await read(next.id);
});

test("other models have tests asked again: the agent's own, and those that the service is started with", async (t) => {
  const { kb, agent, keep, settled, read } = await scene(t, { env: { DOCENT_MODELS: "large-one,small-one" } });
  const kept = await keep({ question: "When does the swimming pool open?", refuse: true });
  const again = (then, what) => settled(kept.id, what, (now) => now.state === "passed" && now.asked_at > then);
  let now = await again("", "a first result");
  await agent.expect(200, "POST", "/settings", { json: { chatbot_model: "large-one" } });
  now = await again(now.asked_at, "the agent's own model");
  // With the same options only what is new is asked.
  await kb.restart();
  const other = await keep({ question: "When does the harbour close?", refuse: true });
  await settled(other.id, "a new test", (one) => one.state === "passed");
  assert.equal((await read(kept.id)).asked_at, now.asked_at);
  for (const [what, env] of [
    ["another list of models", { DOCENT_MODELS: "large-one,other-one" }],
    ["a model's server", { DOCENT_MODEL_URL: "http://127.0.0.1:9/v1", DOCENT_MODEL_NAME: "a" }],
    ["another model of it", { DOCENT_MODEL_NAME: "b" }],
    ["a model that ranks", { DOCENT_RERANK_URL: "http://127.0.0.1:9/v1", DOCENT_RERANK_NAME: "c" }],
  ]) {
    Object.assign(kb.env, env);
    await kb.restart();
    now = await again(now.asked_at, what);
    assert.equal(now.turned_at, null, "it is answered as before");
  }
  // Its key is no other model.
  kb.env.DOCENT_MODEL_KEY = "sk-new";
  await kb.restart();
  const last = await keep({ question: "When does the shop close?", refuse: true });
  await settled(last.id, "the last test", (one) => one.state === "passed");
  assert.equal((await read(kept.id)).asked_at, now.asked_at);
});
