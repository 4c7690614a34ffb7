// Messages: questions, answers, citations, and reading them again.
import { randomUUID } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { followUp, foreign, library, lighthouses, noAnswer, questions } from "./lib/documents.mjs";

test("a question is answered from the document that knows, verbatim and cited", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const [question, document, words] of questions) {
    const answer = await agent.ask(question);
    assert.ok(answer.llm_response.includes(words), `${question} -> ${answer.llm_response}`);
    assert.equal((await agent.sources(answer))[0], document, question);
  }
});

test("a heading that is asked for is answered by what stands under it, not by a table of contents", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "contents.md": "# Handbook\n\n- Opening hours\n- Refund policy\n- Where we are\n",
      "refunds.md":
        "# Refund policy\n\nMoney comes back within a week of our getting the parcel. Ask at the desk for the form.\n",
      "hours.md": "# Opening hours\n\nThe desk is open from nine to five, and on Saturdays until noon.\n",
    },
  });
  for (const [prompt, text, name] of [
    ["Refund policy", "within a week", "refunds.md"],
    ["opening hours", "nine to five", "hours.md"],
  ]) {
    const answer = await agent.ask(prompt);
    assert.ok(answer.llm_response.includes(text), answer.llm_response);
    assert.equal(answer.citations[0], (await agent.page(name)).id);
  }
});

test("a question that the documents do not speak to gets the no-answer text and citations null", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const question of foreign) {
    const answer = await agent.ask(question);
    assert.deepEqual([answer.llm_response, answer.citations], [noAnswer, null], question);
  }
});

test("an agent without documents gives the no-answer text", async (t) => {
  const kb = await start(t);
  const answer = await (await kb.agent()).ask("Who built the Velmora lighthouse?");
  assert.deepEqual([answer.llm_response, answer.citations], [noAnswer, null]);
});

test("a message has every member of the contract", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const reply = await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
    json: { prompt: questions[0][0] },
    headers: { "user-agent": "story/1.0" },
  });
  const { id, conversation_id, created_at, updated_at, llm_response, citations, ...rest } = reply.data;
  assert.ok(id > 0 && conversation_id > 0 && created_at === updated_at && llm_response.length > 0);
  assert.ok(Array.isArray(citations) && citations.every(Number.isInteger));
  assert.deepEqual(rest, {
    user_id: agent.record.user_id,
    user_query: questions[0][0],
    response_feedback: null,
    tools: [],
    metadata: { user_ip: "127.0.0.1", user_agent: "story/1.0", external_id: "", request_source: "api" },
  });
});

test("metadata is never null, a missing user agent is an empty string", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const answer = await agent.ask("Hello");
  assert.deepEqual(answer.metadata, { user_ip: "127.0.0.1", user_agent: "", external_id: "", request_source: "api" });
  const long = await agent.ask("Hello", { headers: { "user-agent": "x".repeat(2000) } });
  assert.ok(long.metadata.user_agent.length <= 500);
});

test("an external id comes back, from the query or the body, up to 128 characters", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const where = `/conversations/${randomUUID()}/messages`;
  const of = async (options) => (await agent.expect(200, "POST", where, options)).metadata.external_id;
  assert.equal(await of({ json: { prompt: "Hello", external_id: "ext-1" } }), "ext-1");
  assert.equal(await of({ json: { prompt: "Hello" }, query: { external_id: "ext 2é" } }), "ext 2é");
  assert.equal(await of({ json: { prompt: "Hello", external_id: null } }), "");
  assert.equal(await of({ json: { prompt: "Hello", external_id: "é".repeat(128) } }), "é".repeat(128));
  assert.equal(await of({ json: { prompt: "Hello" }, query: { external_id: "é".repeat(128) } }), "é".repeat(128));
  for (const options of [
    { json: { prompt: "Hello", external_id: "x".repeat(129) } },
    { json: { prompt: "Hello" }, query: { external_id: "x".repeat(129) } },
    { json: { prompt: "Hello", external_id: 1.5 } },
  ])
    assert.equal((await agent.api("POST", where, options)).status, 400);
});

test("a prompt is 1 to 8,000 characters", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const where = `/conversations/${randomUUID()}/messages`;
  for (const json of [{ prompt: "" }, { prompt: " \n\t " }, { prompt: null }, {}, { message: "Hello" }])
    assert.equal((await agent.api("POST", where, { json })).json.message, "prompt can't be empty");
  assert.equal((await agent.api("POST", where)).status, 400, "no body");
  assert.equal(
    (await agent.api("POST", where, { json: { prompt: "x".repeat(8001) } })).json.message,
    "prompt has 8001 characters, the limit is 8000",
  );
  for (const prompt of [["a"], { a: 1 }, true, 1.5])
    assert.equal((await agent.api("POST", where, { json: { prompt } })).status, 400);
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0, "a refused prompt makes no conversation");
  assert.equal(
    (await agent.expect(200, "POST", where, { json: { prompt: "é".repeat(8000) } })).user_query,
    "é".repeat(8000),
  );
});

test("a prompt is kept letter by letter", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const prompt of [
    "  spaces around  ",
    "line\nbreak\r\nand\ttab",
    "quotes \"'` and \\ and / and <b>",
    "\u0001\u007f\u0085\u2028\u2029\ufeff",
    "日本語 😀 e\u0301",
    "\u202egnidaer",
  ])
    assert.equal((await agent.ask(prompt)).user_query, prompt);
});

test("an unknown session id begins a conversation with that id", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const session = randomUUID();
  const message = await agent.ask("Hello", { session });
  const { conversation } = await agent.expect(200, "GET", `/conversations/${session}/messages`);
  assert.deepEqual(
    [conversation.session_id, conversation.id, conversation.name],
    [session, message.conversation_id, "Hello"],
  );
});

test("a session id that is no UUID is as good as one, up to 128 URL-safe characters", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const session of ["user-42", "a", "x".repeat(128), "A.b_c~d-9", "0"]) {
    await agent.ask("Hello", { session });
    assert.equal(
      (await agent.expect(200, "GET", `/conversations/${session}/messages`)).conversation.session_id,
      session,
    );
  }
  for (const session of ["x".repeat(129), "a%20b", "caf%C3%A9", "a%2Fb", "a%00b", "a:b"]) {
    const reply = await agent.api("POST", `/conversations/${session}/messages`, { json: { prompt: "Hello" } });
    assert.equal(reply.status, 400, session);
  }
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 5);
});

test("a message is sent by multipart and urlencoded bodies too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const where = `/conversations/${randomUUID()}/messages`;
  for (const options of [
    { form: form({ prompt: questions[0][0] }) },
    { urlencoded: { prompt: questions[0][0], lang: "en" } },
  ])
    assert.ok((await agent.expect(200, "POST", where, options)).llm_response.includes(questions[0][2]));
});

test("the further fields that clients send are accepted", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const json = {
    prompt: "Hello",
    lang: "en",
    custom_persona: null,
    custom_context: null,
    chatbot_model: null,
    response_source: "default",
    agent_capability: null,
    labels: null,
    labels_exclusive: false,
    sub_personas: null,
    action_overrides: { enabled: [], disabled: [] },
    stream: false,
    is_chat_active: true,
  };
  await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, { json, query: "stream=false&lang=en" });
});

test("a follow-up question is read as a question on what went before", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: lighthouses });
  const session = randomUUID();
  assert.ok((await agent.ask(followUp.first, { session })).llm_response.includes("1874"));
  const answer = await agent.ask(followUp.then, { session });
  assert.ok(answer.llm_response.includes(followUp.words), answer.llm_response);
  assert.deepEqual(await agent.sources(answer), [followUp.document]);
  assert.ok(!(await agent.ask(followUp.then)).llm_response.includes(followUp.words), "alone it is no such question");
});

test("a greeting gets a greeting, and a question after it an answer", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const hello = await agent.ask("Hello!");
  assert.notEqual(hello.llm_response, noAnswer);
  assert.equal(hello.citations, null);
  const able = await agent.ask("What can you do?");
  assert.ok(able.llm_response.includes("Velmora"), able.llm_response);
  assert.ok((await agent.ask(`Hello, ${questions[3][0].toLowerCase()}`)).llm_response.includes("30 days"));
});

test("a question in another language of the documents is answered in it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "ofen.txt": "Der Ofen Glutrix wurde 1952 in Dessau gebaut. Der Ofen Glutrix wiegt 84 Kilogramm.\n",
      "cn.txt": "维尔莫拉灯塔建于1874年，由工程师海斯特设计。灯塔高六十一米。\n",
    },
  });
  assert.ok((await agent.ask("Wie viel wiegt der Ofen Glutrix?")).llm_response.includes("84 Kilogramm"));
  assert.ok((await agent.ask("维尔莫拉灯塔建于哪一年？")).llm_response.includes("1874"));
});

test("the same question gets the same answer every time", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const answers = await Promise.all(Array.from({ length: 20 }, () => agent.ask(questions[1][0])));
  for (const answer of answers)
    assert.deepEqual([answer.llm_response, answer.citations], [answers[0].llm_response, answers[0].citations]);
});

test("the messages of a conversation are listed beside it, newest first, and each can be read alone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const session = randomUUID();
  const sent = [];
  for (const prompt of ["Hello", questions[0][0], "Thanks"]) {
    const { session: _, ...message } = await agent.ask(prompt, { session });
    sent.push(message);
  }
  const where = `/conversations/${session}/messages`;
  const { conversation, messages } = await agent.expect(200, "GET", where);
  assert.equal(conversation.session_id, session);
  assert.deepEqual(messages.data, [...sent].reverse());
  assert.deepEqual(
    (await agent.expect(200, "GET", where, { query: { order: "asc", limit: 2 } })).messages.data,
    sent.slice(0, 2),
  );
  for (const message of sent) assert.deepEqual(await agent.expect(200, "GET", `${where}/${message.id}`), message);
});

test("a message is found only in its own conversation", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const [one, two] = [await agent.ask("Hello"), await agent.ask("Hello")];
  assert.equal(
    (await agent.api("GET", `/conversations/${one.session}/messages/${two.id}`)).json.message,
    `Conversation message with id ${two.id} not found`,
  );
  assert.equal(
    (await agent.api("GET", `/conversations/${one.session}/messages/abc`)).json.message,
    "Conversation message id must be integer",
  );
});

test("many messages at once in one conversation are all kept, each once", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const session = randomUUID();
  const sent = await Promise.all(Array.from({ length: 40 }, (_, i) => agent.ask(`Message ${i}`, { session })));
  const { conversation, messages } = await agent.expect(200, "GET", `/conversations/${session}/messages`, {
    query: { limit: 100 },
  });
  assert.equal(messages.total, 40);
  assert.deepEqual(
    messages.data.map((m) => m.id).sort((a, b) => a - b),
    sent.map((m) => m.id).sort((a, b) => a - b),
  );
  assert.ok(sent.every((m) => m.conversation_id === conversation.id));
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 1);
  assert.equal((await agent.expect(200, "GET", "/stats")).total_queries, 40);
});

test("messages survive a restart", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { session, ...message } = await agent.ask(questions[0][0]);
  await kb.restart();
  assert.deepEqual(await agent.expect(200, "GET", `/conversations/${session}/messages/${message.id}`), message);
});
