// Second spellings on the wire, for clients that read other literals; and the model catalogue.
import { randomUUID } from "node:crypto";
import { assert, docent, form, start, test } from "./lib/harness.mjs";
import { library, questions } from "./lib/documents.mjs";
import { folder } from "./lib/util.mjs";

const env = {
  DOCENT_FIELD_ALIAS:
    "llm_response=x_response, message=x_message,prompt=x_prompt,project_name=x_name,example_questions=x_questions,default_prompt=x_default,messages=x_messages,session_id=x_session",
  DOCENT_VALUE_ALIAS: "llm_content=x_content,own_content=x_own",
};

test("answers carry both names, and the description says so", async (t) => {
  const kb = await start(t, { env }); // each answer is checked against the description, undocumented members fail
  const agent = await kb.agent({ project_name: "Library", files: library });
  const record = await agent.expect(200, "GET");
  assert.equal(record.x_name, "Library");
  assert.equal(record.project_name, "Library");
  const message = await agent.ask(questions[0][0]);
  assert.ok(message.llm_response.includes(questions[0][2]));
  assert.equal(message.x_response, message.llm_response);
  const listed = await agent.expect(200, "GET", `/conversations/${message.session}/messages`);
  assert.deepEqual(listed.x_messages, listed.messages);
  assert.equal(listed.messages.data[0].x_response, message.llm_response);
  const stream = await agent.stream(questions[0][0]);
  for (const { event, data } of stream.events) {
    if (event === "start") assert.equal(data.x_prompt, data.prompt);
    if (event === "progress") assert.equal(data.x_message, data.message);
    if (event === "finish") assert.equal(data.x_session, stream.session);
  }
  const missing = await kb.api("GET", "/projects/999");
  assert.equal(missing.json.x_message, missing.json.message);
  assert.equal(missing.json.data.x_message, missing.json.message);
  const { openapi } = await kb.description();
  const { properties, required } = openapi.components.schemas.Message;
  assert.deepEqual(properties.x_response, properties.llm_response);
  assert.ok(required.includes("x_response"));
  const exported = await agent.api("GET", `/conversations/${message.session}/export`);
  assert.equal(JSON.parse(exported.text).data.messages[0].x_response, message.llm_response);
});

test("requests may use either name, in every form of a body", async (t) => {
  const kb = await start(t, { env });
  for (const options of [
    { json: { x_name: "Second" } },
    { form: form({ x_name: "Second" }) },
    { urlencoded: { x_name: "Second" } },
    { json: { project_name: "Second" } },
  ])
    assert.equal((await kb.expect(201, "POST", "/projects", options)).project_name, "Second");
  const agent = await kb.agent({ files: library });
  const send = (options) => agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, options);
  for (const options of [
    { json: { x_prompt: questions[0][0] } },
    { form: form({ x_prompt: questions[0][0] }) },
    { urlencoded: { x_prompt: questions[0][0] } },
  ])
    assert.ok((await send(options)).llm_response.includes(questions[0][2]));
  for (const options of [
    { json: { x_questions: ["One?", "Two?"] } },
    { form: [...form({ "x_questions[0]": "One?" }), ...form({ "x_questions[1]": "Two?" })] },
  ]) {
    await agent.expect(200, "POST", "/settings", { json: { example_questions: ["None?"] } });
    await agent.expect(200, "POST", "/settings", options);
    const settings = await agent.expect(200, "GET", "/settings");
    assert.deepEqual(settings.example_questions, ["One?", "Two?"]);
    assert.deepEqual(settings.x_questions, ["One?", "Two?"]);
  }
  const chat = await agent.api("POST", "/chat/completions", {
    json: { x_messages: [{ role: "user", content: questions[0][0] }] },
  });
  assert.ok(chat.json.choices[0].message.content.includes(questions[0][2]));
});

test("a value is taken in both spellings and given in the second, in the fields that may hold it", async (t) => {
  const kb = await start(t, { env });
  const agent = await kb.agent({ files: library });
  const source = async () => (await agent.expect(200, "GET", "/settings")).response_source;
  for (const options of [
    { json: { response_source: "x_content" } },
    { json: { response_source: "llm_content" } },
    { form: form({ response_source: "x_content" }) },
  ]) {
    await agent.expect(200, "POST", "/settings", { json: { response_source: "default" } });
    assert.equal(await source(), "default");
    await agent.expect(200, "POST", "/settings", options);
    assert.equal(await source(), "x_content");
  }
  await agent.expect(400, "POST", "/settings", { json: { response_source: "y_content" } });
  await agent.expect(200, "POST", "/settings", { json: { default_prompt: "x_content" } });
  assert.equal(
    (await agent.expect(200, "GET", "/settings")).default_prompt,
    "x_content",
    "a text of one's own is left alone",
  );
  await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
    json: { prompt: "x_content", response_source: "x_own" },
  });
  await kb.stop();
  kb.env = {};
  await kb.spawn();
  kb.openapi = undefined;
  assert.equal(await source(), "llm_content", "what is stored is the neutral spelling");
});

test("where a question came from has a second spelling too, in every answer that tells it", async (t) => {
  const kb = await start(t, { env: { DOCENT_VALUE_ALIAS: "chat-completions=x-format" } });
  const agent = await kb.agent({ files: library });
  const session_id = randomUUID();
  const chat = await agent.api("POST", "/chat/completions", {
    json: { session_id, messages: [{ role: "user", content: "Hello" }] },
  });
  assert.equal(chat.status, 200);
  await agent.ask("Hello");
  const { messages } = await agent.expect(200, "GET", `/conversations/${session_id}/messages`, {
    query: { includeInsights: true },
  });
  assert.deepEqual(
    [messages.data[0].metadata.request_source, messages.data[0].customer_intelligence.request_source],
    ["x-format", "x-format"],
  );
  const { sources } = await agent.expect(200, "GET", "/reports/traffic");
  assert.deepEqual(sources.map((row) => row.request_source).sort(), ["api", "x-format"]);
  assert.deepEqual(
    (await agent.expect(200, "GET", "/reports/intelligence")).data.map((row) => row.chatbot_deployment),
    ["api", "x-format"],
  );
  const exported = await agent.api("GET", `/conversations/${session_id}/export`);
  assert.equal(JSON.parse(exported.text).data.messages[0].metadata.request_source, "x-format");
});

test("aliases that could be mistaken are refused at the start", async (t) => {
  for (const [flag, value, words] of [
    ["--field-alias", "llm_response", "name=second"],
    ["--field-alias", "nothing=x", "nothing is called nothing"],
    ["--field-alias", "llm_response=user_query", "something else is called user_query"],
    ["--field-alias", "message=delta", "streams take delta|something else"],
    ["--value-alias", "llm_content=own_content", "something else"],
    ["--value-alias", "chat-completions=api", "something else"],
    ["--value-alias", "x=y", "nothing is called x"],
    ["--field-alias", "id=a,id=b", "already"],
  ]) {
    const done = await docent(["serve", "--data", await folder(t), "--listen", "127.0.0.1:0", flag, value]);
    assert.equal(done.code, 1, value);
    assert.match(done.stderr, new RegExp(words));
    assert.equal(done.stderr.trim().split("\n").length, 1);
  }
});

test("chatbot_model is one of the operator's catalogue", async (t) => {
  const kb = await start(t, { args: ["--models", "small-one, large-one"] });
  const agent = await kb.agent({ files: library });
  const model = async () => (await agent.expect(200, "GET", "/settings")).chatbot_model;
  await agent.expect(200, "POST", "/settings", { json: { chatbot_model: "large-one" } });
  assert.equal(await model(), "large-one");
  const partly = await agent.expect(207, "POST", "/settings", {
    json: { chatbot_model: "unknown", default_prompt: "Ask" },
  });
  assert.deepEqual(partly.updated_fields, ["default_prompt"]);
  assert.match(partly.failed_fields.chatbot_model[0], /not one of the available models/);
  await agent.expect(400, "POST", "/settings", { json: { chatbot_model: "unknown" } });
  assert.equal(await model(), "large-one");
  const send = (chatbot_model) =>
    agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: "Hello", chatbot_model } });
  assert.equal((await send("small-one")).status, 200);
  assert.equal((await send("unknown")).status, 400);
  await agent.expect(200, "POST", "/settings", { json: { chatbot_model: null } });
  assert.equal(await model(), null, "by capability");
});
