// Conversations: start, name, list, delete.
import { randomUUID } from "node:crypto";
import { assert, form, start, test, sleep } from "./lib/harness.mjs";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

test("a conversation starts with a body, with {} and without any", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const named = await agent.expect(201, "POST", "/conversations", { json: { name: "About lighthouses" } });
  const { id, session_id, created_by, created_at, updated_at, ...rest } = named;
  assert.match(session_id, UUID);
  assert.equal(created_by, agent.record.user_id);
  assert.equal(created_at, updated_at);
  assert.deepEqual(rest, { name: "About lighthouses", project_id: agent.id, deleted_at: null });
  const others = [
    { json: {} },
    {},
    { headers: { "content-type": "application/json" } },
    { body: "", headers: { "content-type": "application/json" } },
    { json: { name: null } },
  ];
  for (const options of others)
    assert.equal((await agent.expect(201, "POST", "/conversations", options)).name, "New conversation");
});

test("a conversation is made by multipart and urlencoded bodies too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal(
    (await agent.expect(201, "POST", "/conversations", { form: form({ name: "By form" }) })).name,
    "By form",
  );
  assert.equal(
    (await agent.expect(201, "POST", "/conversations", { urlencoded: { name: "By pairs & more" } })).name,
    "By pairs & more",
  );
});

test("a session id in the body is used when it is a UUID, and ignored otherwise", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const mine = randomUUID();
  assert.equal((await agent.expect(201, "POST", "/conversations", { json: { session_id: mine } })).session_id, mine);
  for (const session_id of ["mine", "", "12345678-1234-1234-1234-12345678901g", null])
    assert.match((await agent.expect(201, "POST", "/conversations", { json: { session_id } })).session_id, UUID);
  const again = await agent.api("POST", "/conversations", { json: { session_id: mine } });
  assert.deepEqual([again.status, again.json.message], [400, `Conversation with session id ${mine} already exists`]);
  const other = await kb.agent();
  assert.equal(
    (await other.expect(201, "POST", "/conversations", { json: { session_id: mine } })).session_id,
    mine,
    "another agent has not",
  );
});

test("a conversation without a name is called after its first prompt", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { session_id } = await agent.expect(201, "POST", "/conversations");
  const prompt = "é".repeat(300);
  await agent.ask(prompt, { session: session_id });
  await agent.ask("A second question", { session: session_id });
  const [listed] = (await agent.expect(200, "GET", "/conversations")).data;
  assert.equal(listed.name, "é".repeat(255));
});

test("a name that was given stays through the first prompt", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { session_id } = await agent.expect(201, "POST", "/conversations", { json: { name: "Mine" } });
  await agent.ask("Hello", { session: session_id });
  assert.equal((await agent.expect(200, "GET", "/conversations")).data[0].name, "Mine");
});

test("a name is at most 255 characters", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal(
    (await agent.expect(201, "POST", "/conversations", { json: { name: "😀".repeat(255) } })).name,
    "😀".repeat(255),
  );
  for (const name of ["x".repeat(256), [1], {}, true])
    assert.equal((await agent.api("POST", "/conversations", { json: { name } })).status, 400);
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 1);
});

test("renaming changes the name, and an empty one is refused", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const made = await agent.expect(201, "POST", "/conversations");
  const where = `/conversations/${made.session_id}`;
  const renamed = await agent.expect(200, "PUT", where, { json: { name: "  Renamed  " } });
  assert.deepEqual({ ...renamed, updated_at: 0 }, { ...made, name: "Renamed", updated_at: 0 });
  assert.ok(renamed.updated_at > made.updated_at);
  for (const options of [
    { json: { name: "" } },
    { json: { name: "  " } },
    { json: {} },
    {},
    { json: { name: "x".repeat(256) } },
  ])
    assert.equal((await agent.api("PUT", where, options)).status, 400);
  assert.equal((await agent.expect(200, "GET", "/conversations")).data[0].name, "Renamed");
});

test("a deleted conversation takes its messages with it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const gone = await agent.ask("Hello"),
    kept = await agent.ask("Hello");
  assert.deepEqual(await agent.expect(200, "DELETE", `/conversations/${gone.session}`), { deleted: true });
  for (const where of [`/conversations/${gone.session}/messages`, `/conversations/${gone.session}/messages/${gone.id}`])
    assert.equal((await agent.api("GET", where)).status, 404);
  assert.equal((await agent.api("DELETE", `/conversations/${gone.session}`)).status, 404);
  assert.deepEqual(
    (await agent.expect(200, "GET", "/conversations")).data.map((c) => c.session_id),
    [kept.session],
  );
  await agent.ask("Hello again", { session: gone.session });
  const { messages } = await agent.expect(200, "GET", `/conversations/${gone.session}/messages`);
  assert.deepEqual(
    messages.data.map((m) => m.user_query),
    ["Hello again"],
    "the session begins anew",
  );
});

test("the list of conversations filters by name, user and time", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const made = [];
  for (const name of ["Blue whale", "blueberry", "100%"]) {
    made.push(await agent.expect(201, "POST", "/conversations", { json: { name } }));
    await sleep(5);
  }
  const names = async (query) =>
    (await agent.expect(200, "GET", "/conversations", { query: { order: "asc", ...query } })).data.map((c) => c.name);
  assert.deepEqual(await names({ name: "BLUE" }), ["Blue whale", "blueberry"]);
  assert.deepEqual(await names({ name: "%" }), ["100%"]);
  for (const userFilter of ["all", "me", "team_member", "anything"])
    assert.equal((await names({ userFilter })).length, 3);
  assert.deepEqual(await names({ userFilter: "anonymous" }), [], "all of them were begun with a key");
  const between = new Date(Date.parse(made[1].updated_at) - 1).toISOString();
  assert.deepEqual(await names({ lastUpdatedAfter: between }), ["blueberry", "100%"]);
  assert.deepEqual(await names({ lastUpdatedAfter: "2001-01-01" }), ["Blue whale", "blueberry", "100%"]);
  assert.deepEqual(await names({ lastUpdatedAfter: "2999-01-01T00:00:00.000000Z" }), []);
  assert.equal((await agent.api("GET", "/conversations", { query: { lastUpdatedAfter: "yesterday" } })).status, 400);
});

test("sessions of one agent are unknown to another", async (t) => {
  const kb = await start(t);
  const [mine, other] = [await kb.agent(), await kb.agent()];
  const message = await mine.ask("Hello");
  assert.equal((await other.api("GET", `/conversations/${message.session}/messages`)).status, 404);
  await other.ask("Hello there", { session: message.session });
  const { messages } = await mine.expect(200, "GET", `/conversations/${message.session}/messages`);
  assert.deepEqual(
    messages.data.map((m) => m.user_query),
    ["Hello"],
  );
});

test("the list of conversations is ordered by id or by creation, either way", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const name of ["a", "b", "c"]) await agent.expect(201, "POST", "/conversations", { json: { name } });
  const names = async (query) =>
    (await agent.expect(200, "GET", "/conversations", { query })).data.map((c) => c.name).join("");
  for (const orderBy of ["id", "created_at", "whatever"]) {
    assert.equal(await names({ orderBy }), "cba", orderBy);
    assert.equal(await names({ orderBy, order: "asc" }), "abc", orderBy);
    assert.equal(await names({ orderBy, order: "asc", limit: 2, page: 2 }), "c", orderBy);
  }
});

test("insights come with the messages only where they are asked for", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: { "ofen.txt": "Der Ofen Glutrix wurde 1952 in Dessau gebaut. Der Ofen Glutrix wiegt 84 Kilogramm.\n" },
  });
  const session = randomUUID(),
    where = `/conversations/${session}/messages`;
  const liked = await agent.ask("Wann wurde der Ofen Glutrix gebaut?", { session });
  await agent.expect(200, "PUT", `${where}/${liked.id}/feedback`, { json: { reaction: "liked" } });
  await agent.ask("What is the boiling point of tungsten?", { session });
  await agent.ask("Hello!", { session });
  const list = async (query) =>
    (await agent.expect(200, "GET", where, { query: { order: "asc", ...query } })).messages.data;
  assert.deepEqual(
    (await list({ includeInsights: "true" })).map((m) => m.customer_intelligence),
    [
      {
        language: "de",
        question_kind: "when",
        answer_kind: "quotes",
        is_answered: true,
        feedback: "liked",
        request_source: "api",
        outcome: "answer",
      },
      {
        language: "en",
        question_kind: "other",
        answer_kind: "none",
        is_answered: false,
        feedback: null,
        request_source: "api",
        outcome: "nothing",
      },
      {
        language: "en",
        question_kind: "other",
        answer_kind: "smalltalk",
        is_answered: true,
        feedback: null,
        request_source: "api",
        outcome: "answer",
      },
    ],
  );
  for (const query of [{}, { includeInsights: "false" }, { includeInsights: "0" }, { includeInsights: "" }])
    assert.ok((await list(query)).every((m) => !("customer_intelligence" in m)));
  assert.equal((await agent.api("GET", where, { query: { includeInsights: "maybe" } })).status, 400);
});

test("a list of conversations says what came of them, and is searched for words of questions and answers", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.md": "The Velmora lighthouse is violet." } });
  await agent.ask("What colour has the Velmora lighthouse?", { session: "one" });
  const no = await agent.ask("How tall is the president of the moon?", { session: "one" });
  await agent.expect(200, "PUT", `/conversations/one/messages/${no.id}/feedback`, { json: { reaction: "disliked" } });
  await agent.ask("Is the lighthouse violet?", { session: "two" });
  const list = async (query = {}) => (await agent.expect(200, "GET", "/conversations", { query })).data;
  assert.deepEqual(
    (await list()).map(({ session_id, questions, unanswered, disliked, request_source }) => [
      session_id,
      questions,
      unanswered,
      disliked,
      request_source,
    ]),
    [
      ["two", 1, 0, 0, "api"],
      ["one", 2, 1, 1, "api"],
    ],
  );
  const found = async (search) => (await list({ search })).map((talk) => talk.session_id);
  assert.deepEqual(await found("PRESIDENT of"), ["one"], "of a question, without case");
  assert.deepEqual(await found("is violet"), ["two", "one"], "of answers");
  assert.deepEqual(await found("100%"), []);
  assert.deepEqual(await found(""), ["two", "one"]);

  await agent.ask("Wo ist die Straße zur Öffnung?", { session: "three" });
  assert.deepEqual(await found("die Straße"), ["three"]);
  assert.deepEqual(await found("strasse"), ["three"]);
  // A server has the letters of its locale; that of these stories has none.
  if (!process.env.DOCENT_TEST_POSTGRES)
    for (const word of ["Öffnung", "öffnung", "ÖFFNUNG"]) assert.deepEqual(await found(word), ["three"], word);
});
