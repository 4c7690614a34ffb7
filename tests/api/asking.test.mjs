// What a message may say of its own answer: language, persona, model, source, capability, context,
// actions, a child agent. It counts for that answer alone.
import { randomUUID } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { foreign, library, noAnswer, questions } from "./lib/documents.mjs";

const german = "Es tut mir leid, ich weiß die Antwort nicht";
const completion = (content, more = {}) => ({ json: { messages: [{ role: "user", content }], ...more } });
const said = (reply) => reply.json.choices[0].message.content;

test("lang picks the language of small talk, of what the agent can do and of the no-answer text", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const ask = async (prompt, lang) => (await agent.ask(prompt, { json: { prompt, lang } })).llm_response;
  assert.equal(await ask(foreign[0], "de"), german);
  assert.equal(await ask(foreign[0], "en"), noAnswer);
  assert.match(await ask("Hello", "de"), /^Hallo!/);
  assert.match(await ask("Guten Morgen", "en"), /^Hello!/);
  assert.match(await ask("What can you do?", "fr"), /^Je réponds/);
  assert.match(await ask("Guten Morgen"), /^Hallo!/, "without lang a greeting is answered in its own language");
  for (const [lang, text] of [
    ["de-AT", german],
    ["DE", german],
    ["de_CH", german],
    ["nb", "Beklager, jeg vet ikke svaret"],
    ["zh-TW", "抱歉，我不知道答案"],
    ["tlh", noAnswer],
    ["", noAnswer],
    [null, noAnswer],
  ])
    assert.equal(await ask(foreign[0], lang), text, String(lang));
});

test("lang is read from the query and the body, by chat/completions too, and in a stream", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const where = `/conversations/${randomUUID()}/messages`;
  for (const options of [
    { query: { lang: "de" }, json: { prompt: foreign[0] } },
    { query: "lang=de&lang=fr", json: { prompt: foreign[0] } },
    { query: "stream=0&lang=de&stream=0&lang=de", json: { prompt: foreign[0] } },
    { query: { lang: "fr" }, json: { prompt: foreign[0], lang: "de" } },
    { urlencoded: { prompt: foreign[0], lang: "de" } },
    { form: form({ prompt: foreign[0], lang: "de" }) },
  ])
    assert.equal((await agent.expect(200, "POST", where, options)).llm_response, german, JSON.stringify(options));
  assert.equal((await agent.stream(foreign[0], { json: { lang: "de" } })).text, german);
  assert.equal(said(await agent.api("POST", "/chat/completions", completion(foreign[0], { lang: "de" }))), german);
  assert.equal(said(await agent.api("POST", "/chat/completions", completion(foreign[0]))), noAnswer);
});

test("the owner's own texts and the words of documents stay as they are, whatever lang says", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await agent.expect(200, "POST", "/settings", { json: { no_answer_message: "Ask the front desk." } });
  assert.equal(
    (await agent.ask(foreign[0], { json: { prompt: foreign[0], lang: "de" } })).llm_response,
    "Ask the front desk.",
  );
  assert.ok(
    (await agent.ask(questions[0][0], { json: { prompt: questions[0][0], lang: "de" } })).llm_response.includes(
      questions[0][2],
    ),
  );
  await agent.expect(200, "POST", "/settings", { json: { no_answer_message: null, chatbot_msg_lang: "es" } });
  const spanish = (await agent.ask(foreign[0])).llm_response;
  assert.match(spanish, /^Lo siento/);
  assert.equal(
    (await agent.ask(foreign[0], { json: { prompt: foreign[0], lang: "de" } })).llm_response,
    german,
    "a text in the agent's language was set by nobody",
  );
});

test("a lang that is no language code is refused", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const lang of ["e n", "de;DROP", "x".repeat(36), "日本", ["de"], true]) {
    const reply = await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
      json: { prompt: "Hello", lang },
    });
    assert.equal(reply.status, 400, JSON.stringify(lang));
    assert.match(reply.json.message, /lang/);
    assert.equal((await agent.api("POST", "/chat/completions", completion("Hello", { lang }))).status, 400);
  }
  assert.equal(
    (
      await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
        query: { lang: "%" },
        json: { prompt: "Hello" },
      })
    ).status,
    400,
  );
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
});

test("settings of one message obey the settings' own rules and are stored on nothing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const before = await agent.expect(200, "GET", "/settings");
  const send = (json) =>
    agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: questions[0][0], ...json } });
  for (const json of [
    { custom_persona: "Speak like a sailor." },
    { custom_persona: null },
    { custom_persona: "x".repeat(12000) },
    { response_source: "default" },
    { response_source: "own_content" },
    { response_source: "llm_content" },
    { response_source: null },
    { agent_capability: "fastest-responses" },
    { agent_capability: null },
    { chatbot_model: null },
    { chatbot_model: "" },
  ])
    assert.ok((await send(json)).data.llm_response.includes(questions[0][2]), JSON.stringify(json).slice(0, 80));
  for (const [json, message] of [
    [{ custom_persona: "x".repeat(12001) }, /^custom_persona.*12001.*12000/],
    [{ custom_persona: 5.5 }, /^custom_persona/],
    [{ response_source: "internet" }, /^response_source/],
    [{ agent_capability: "telepathy" }, /^agent_capability/],
    [{ chatbot_model: "no-such-model" }, /^chatbot_model/],
    [{ custom_context: "x".repeat(50001) }, /^custom_context has 50001 characters, the limit is 50000/],
    [{ custom_context: ["x"] }, /^custom_context/],
  ]) {
    const reply = await send(json);
    assert.equal(reply.status, 400, JSON.stringify(json).slice(0, 80));
    assert.match(reply.json.message, message);
  }
  assert.deepEqual(await agent.expect(200, "GET", "/settings"), before);
  assert.equal(
    (await agent.expect(200, "GET", "/conversations")).total,
    11,
    "a refused message begins no conversation",
  );
});

test("the caller's own context answers, without a citation, and for this message alone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const custom_context =
    "The customer is Ilsa Vornhagen.\nHer order number is ZQ-4471 and was shipped on 3 March.\n\nShe holds a gold membership card.";
  const prompt = "What is the order number of Ilsa Vornhagen?";
  const answer = await agent.ask(prompt, { json: { prompt, custom_context } });
  assert.ok(answer.llm_response.includes("ZQ-4471"), answer.llm_response);
  assert.equal(answer.citations, null);
  assert.equal((await agent.ask(prompt)).llm_response, noAnswer);
  const both = await agent.ask(questions[0][0], { json: { prompt: questions[0][0], custom_context } });
  assert.ok(both.llm_response.includes(questions[0][2]));
  assert.deepEqual(await agent.sources(both), [questions[0][1]]);
  for (const nothing of ["", "  \n ", null])
    assert.equal((await agent.ask(prompt, { json: { prompt, custom_context: nothing } })).llm_response, noAnswer);
});

test("action_overrides are two lists of names", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const send = (action_overrides) =>
    agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: "Hello", action_overrides } });
  for (const right of [
    null,
    {},
    { enabled: ["search"] },
    { enabled: [], disabled: null },
    { disabled: ["a", "b"], other: 1 },
  ])
    assert.equal((await send(right)).status, 200, JSON.stringify(right));
  for (const wrong of [
    ["search"],
    "search",
    5,
    { enabled: "search" },
    { enabled: [1] },
    { disabled: [""] },
    { disabled: ["x".repeat(101)] },
    { enabled: Array(101).fill("a") },
  ]) {
    const reply = await send(wrong);
    assert.equal(reply.status, 400, JSON.stringify(wrong));
    assert.match(reply.json.message, /^action_overrides/);
  }
  assert.equal(
    (
      await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
        form: form({ prompt: "Hello", action_overrides: '{"enabled":["x"]}' }),
      })
    ).status,
    200,
  );
});

test("child_project_id names an agent of the account that is a child of this one", async (t) => {
  const kb = await start(t);
  const plain = await kb.agent(),
    master = await kb.agent({ is_master: "true" });
  const stranger = await kb.agent({ key: await kb.newKey({ account: "other" }) });
  const send = (agent, child_project_id) =>
    agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: "Hello", child_project_id } });
  assert.equal((await send(plain, null)).status, 200);
  assert.equal((await send(plain, plain.id)).status, 200, "for an agent that is no master it means nothing");
  for (const wrong of ["abc", 0, -1, 1.5, [1]])
    assert.equal((await send(master, wrong)).status, 400, JSON.stringify(wrong));
  for (const id of [stranger.id, 999999])
    assert.deepEqual(
      [(await send(master, id)).status, (await send(master, id)).json.message],
      [404, `Agent with id ${id} not found`],
    );
  assert.match((await send(master, String(plain.id))).json.message, /is no child of agent/);
});
