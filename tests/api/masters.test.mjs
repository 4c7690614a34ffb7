// Master agents: one agent that lets others answer, the one that knows.
import { randomUUID } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { counted } from "./lib/figures.mjs";
import { espresso, foreign, lighthouse, noAnswer, returns } from "./lib/documents.mjs";

const warranty = "How long does the warranty of the Brisca 200 last?";
const builder = "Who built the Velmora lighthouse?";
const goods = "Within how many days may goods be returned?";

/** A master with two children and a document of its own, and an agent that is nobody's child. */
async function family(kb, { key } = {}) {
  const sea = await kb.agent({ key, project_name: "Sea", files: { "lighthouse.md": lighthouse } });
  const coffee = await kb.agent({ key, project_name: "Coffee", files: { "espresso.md": espresso } });
  const other = await kb.agent({
    key,
    project_name: "Other",
    files: { "vault.txt": "The number of the Zorgel vault is 918273." },
  });
  const master = await kb.agent({ key, project_name: "Master", is_master: "true", files: { "returns.txt": returns } });
  const record = await master.expect(200, "POST", "", { json: { child_project_ids: [sea.id, coffee.id] } });
  assert.deepEqual(record.child_project_ids, [sea.id, coffee.id]);
  const mode = (value) =>
    master.expect(200, "POST", "/settings", { json: { master_project_smart_routing_mode: value } });
  const say = (prompt, { session = randomUUID(), ...json } = {}) =>
    master.expect(200, "POST", `/conversations/${session}/messages`, { json: { prompt, ...json } });
  return { master, sea, coffee, other, mode, say };
}

test("children are agents of the account that are no masters, in every form of a list", async (t) => {
  const kb = await start(t);
  const { master, sea, coffee, other } = await family(kb);
  const set = (options) => master.expect(200, "POST", "", options);
  for (const options of [
    { json: { child_project_ids: [coffee.id, String(sea.id), coffee.id] } },
    { json: { child_project_ids: `${coffee.id}, ${sea.id}` } },
    {
      form: form({ "child_project_ids[]": String(coffee.id) }).concat(form({ "child_project_ids[]": String(sea.id) })),
    },
    { urlencoded: { child_project_ids: `${coffee.id},${sea.id}` } },
  ])
    assert.deepEqual((await set(options)).child_project_ids, [coffee.id, sea.id]);
  assert.deepEqual(
    (await set({ json: { project_name: "Still" } })).child_project_ids,
    [coffee.id, sea.id],
    "what is not sent stays",
  );
  assert.equal("child_project_ids" in (await sea.expect(200, "GET")), false);

  const stranger = await kb.agent({ key: await kb.newKey({ account: "stranger" }) });
  const second = await kb.agent({ is_master: "true" });
  for (const ids of [
    [stranger.id],
    [master.id],
    [second.id],
    [999999],
    ["x"],
    [1.5],
    [0],
    { a: 1 },
    true,
    Array.from({ length: 101 }, (_, i) => i + 1),
  ]) {
    const reply = await master.api("POST", "", { json: { project_name: "Refused", child_project_ids: ids } });
    assert.equal(reply.status, 400, JSON.stringify(ids));
    assert.match(reply.json.message, /child_project_ids/);
  }
  assert.match(
    (await other.api("POST", "", { json: { child_project_ids: [sea.id] } })).json.message,
    /is no master agent/,
  );
  const after = await master.expect(200, "GET");
  assert.equal(after.project_name, "Still");
  assert.deepEqual(after.child_project_ids, [coffee.id, sea.id]);

  await coffee.expect(200, "DELETE");
  assert.deepEqual((await master.expect(200, "GET")).child_project_ids, [sea.id]);
  assert.deepEqual((await set({ json: { child_project_ids: [] } })).child_project_ids, []);
});

test("every-message: each question goes to the agent that knows, and the message says which", async (t) => {
  const kb = await start(t);
  const { master, sea, coffee, mode, say } = await family(kb);
  await mode("every-message");
  const session = randomUUID();
  const one = await say(warranty, { session });
  assert.ok(one.llm_response.includes("27 months"));
  assert.equal(one.child_project_id, coffee.id);
  const two = await say(builder, { session });
  assert.ok(two.llm_response.includes("Hester Quillby"));
  assert.equal(two.child_project_id, sea.id);
  const own = await say(goods, { session });
  assert.ok(own.llm_response.includes("30 days"), "its own documents are a candidate too");
  assert.equal(own.child_project_id, undefined);
  const none = await say(foreign[0], { session });
  assert.equal(none.llm_response, noAnswer);
  assert.equal(none.child_project_id, undefined);
  // Of each question all three are asked, and who answers it is not asked again.
  await counted(kb, { searches_total: 4 * 3 });
  const { messages } = await master.expect(200, "GET", `/conversations/${session}/messages`, {
    query: { order: "asc" },
  });
  assert.deepEqual(
    messages.data.map((message) => message.child_project_id),
    [coffee.id, sea.id, undefined, undefined],
  );
  // A citation is resolved, and a claim checked, through the master.
  assert.equal(
    (await master.expect(200, "GET", `/citations/${one.citations[0]}`)).title,
    "Brisca 200 espresso machine: manual",
  );
  const { claims } = await master.expect(200, "GET", `/conversations/${session}/messages/${one.id}/claims`);
  assert.deepEqual([...new Set(claims.map((claim) => claim.status))], ["supported"]);
  const streamed = await master.stream(builder);
  assert.ok(streamed.text.includes("Hester Quillby"));
  const chat = await master.api("POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: warranty }] },
  });
  assert.ok(chat.json.choices[0].message.content.includes("27 months"));
});

test("start-only: the first question that finds an answer picks, and the conversation stays", async (t) => {
  const kb = await start(t);
  const { master, sea, coffee, say } = await family(kb);
  assert.equal((await master.expect(200, "GET", "/settings")).master_project_smart_routing_mode, "start-only");
  const session = randomUUID();
  assert.equal((await say("Hello!", { session })).child_project_id, undefined, "a greeting picks nobody");
  assert.equal((await say(foreign[0], { session })).child_project_id, undefined, "nor does what nobody knows");
  assert.equal((await say(warranty, { session })).child_project_id, coffee.id);
  const stays = await say(builder, { session });
  assert.equal(stays.child_project_id, coffee.id);
  assert.ok(!stays.llm_response.includes("Hester Quillby"));
  await kb.restart();
  assert.equal((await say(builder, { session })).child_project_id, coffee.id, "it stays over a restart");
  assert.equal(
    (await say(builder, { session, child_project_id: sea.id })).child_project_id,
    sea.id,
    "until the request names another",
  );
  assert.equal((await say(warranty, { session })).child_project_id, sea.id);
  // One that stays with the master's own documents, and one whose agent goes away.
  const own = randomUUID();
  assert.ok((await say(goods, { session: own })).llm_response.includes("30 days"));
  assert.ok(!(await say(builder, { session: own })).llm_response.includes("Hester Quillby"));
  const widow = randomUUID();
  await say(warranty, { session: widow });
  await coffee.expect(200, "DELETE");
  assert.equal((await say(builder, { session: widow })).child_project_id, sea.id);
});

test("off: the master answers, or the child that the request names", async (t) => {
  const kb = await start(t);
  const { master, sea, coffee, other, mode, say } = await family(kb);
  await mode("off");
  const session = randomUUID();
  assert.ok(!(await say(warranty, { session })).llm_response.includes("27 months"));
  assert.equal((await say(warranty, { session, child_project_id: coffee.id })).child_project_id, coffee.id);
  assert.ok(!(await say(warranty, { session })).llm_response.includes("27 months"), "named once, not kept");
  for (const [id, status] of [
    [other.id, 400],
    [999999, 404],
    [master.id, 400],
  ])
    assert.equal(
      (
        await master.api("POST", `/conversations/${session}/messages`, {
          json: { prompt: warranty, child_project_id: id },
        })
      ).status,
      status,
    );
  await master.expect(200, "POST", "/settings", { json: { master_project_user_agent_switching_enabled: false } });
  const refused = await master.api("POST", `/conversations/${session}/messages`, {
    json: { prompt: warranty, child_project_id: sea.id },
  });
  assert.equal(refused.status, 403);
  assert.match(refused.json.message, /master_project_user_agent_switching_enabled/);
  const { messages } = await master.expect(200, "GET", `/conversations/${session}/messages`);
  assert.equal(messages.total, 3, "a refused message is not kept");
});

test("a child answers with its own settings and labels; a key of the master reaches no more than that", async (t) => {
  const kb = await start(t);
  const { master, coffee, mode, say } = await family(kb);
  await mode("every-message");
  await coffee.expect(200, "POST", "/settings", { json: { enable_citations: 0 } });
  const quiet = await say(warranty);
  assert.ok(quiet.llm_response.includes("27 months"));
  assert.equal(quiet.citations, null);
  const [label] = await coffee.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  await coffee.expect(200, "PUT", `/pages/${(await coffee.page("espresso.md")).id}/labels`, {
    json: { label_ids: [label.id] },
  });
  assert.ok(!(await say(warranty)).llm_response.includes("27 months"), "a label hides from the master as well");
  assert.ok((await say(warranty, { labels: ["staff"] })).llm_response.includes("27 months"));
  const key = await kb.newKey({ agents: [master.id] });
  const limited = await master.ask(warranty, { key, json: { prompt: warranty, labels: ["staff"] } });
  assert.equal(limited.child_project_id, coffee.id);
  await coffee.expect(404, "GET", "", { key });
  await coffee.expect(404, "POST", `/conversations/${randomUUID()}/messages`, { key, json: { prompt: warranty } });
});
