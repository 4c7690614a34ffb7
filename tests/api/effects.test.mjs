// What a person sees of a setting in an answer.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { randomUUID } from "node:crypto";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { changeRows } from "./lib/rows.mjs";
import { foreign, library, noAnswer, questions } from "./lib/documents.mjs";

const set = (agent, json) => agent.expect(200, "POST", "/settings", { json });
const [question] = questions[0];

/** Asks by chat/completions; gives { text, citations }. */
async function chat(agent, prompt, fields = {}) {
  const reply = await agent.api("POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: prompt }], ...fields },
  });
  assert.equal(reply.status, 200, reply.text);
  return { text: reply.json.choices[0].message.content, citations: reply.json.citations };
}

const MARKER = / \[1\]/;

test("enable_citations: 0 none, 1 a list, 2 numbers in the text, 3 both", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = (await agent.page("lighthouse.md")).id;
  // [enable_citations, enable_inline_citations_api, citations, markers]
  const cases = [
    [0, true, null, false],
    [1, true, [page], false],
    [2, true, [page], true],
    [3, true, [page], true],
    [2, false, [page], false],
    [3, false, [page], false],
  ];
  for (const [enable_citations, enable_inline_citations_api, citations, marked] of cases) {
    await set(agent, { enable_citations, enable_inline_citations_api });
    const what = JSON.stringify({ enable_citations, enable_inline_citations_api });
    const message = await agent.ask(question);
    assert.deepEqual([message.citations, MARKER.test(message.llm_response)], [citations, marked], what);
    const stream = await agent.stream(question);
    assert.deepEqual([stream.finish.citations, stream.text], [citations, message.llm_response], what);
    for (const is_inline_citation of [false, true]) {
      const answer = await chat(agent, question, { is_inline_citation });
      assert.deepEqual(
        [answer.citations, MARKER.test(answer.text)],
        [citations ?? [], is_inline_citation && enable_citations >= 2],
        `${what} ${is_inline_citation}`,
      );
    }
  }
});

test("no_answer_message is the answer where the documents hold none", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const text of ["Ask the <b>harbour master</b>.", "é".repeat(1000)]) {
    await set(agent, { no_answer_message: text });
    for (const prompt of foreign) {
      const message = await agent.ask(prompt);
      assert.deepEqual([message.llm_response, message.citations], [text, null], prompt);
    }
    assert.equal((await agent.stream(foreign[0])).text, text);
    assert.equal((await chat(agent, foreign[0])).text, text);
  }
  for (const none of [null, ""]) {
    await set(agent, { no_answer_message: none });
    assert.equal((await agent.ask(foreign[0])).llm_response, noAnswer);
  }
});

test("response_source llm_content answers as own_content where no model is configured", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const before = (await agent.ask(question)).llm_response;
  for (const response_source of ["own_content", "llm_content", "default"]) {
    await set(agent, { response_source });
    assert.equal((await agent.ask(question)).llm_response, before);
    assert.equal((await agent.ask(foreign[0])).llm_response, noAnswer);
    assert.equal((await agent.expect(200, "GET", "/settings")).response_source, response_source);
  }
});

test("chatbot_msg_lang is the language of the texts that nobody set", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const seen = new Set([noAnswer]);
  for (const chatbot_msg_lang of ["de", "fr", "es", "ja", "ar", "pt-BR"]) {
    await set(agent, { chatbot_msg_lang });
    const { no_answer_message, default_prompt, view_more_msg } = await agent.expect(200, "GET", "/settings");
    assert.equal((await agent.ask(foreign[0])).llm_response, no_answer_message);
    assert.ok(!seen.has(no_answer_message) && default_prompt && view_more_msg, chatbot_msg_lang);
    seen.add(no_answer_message);
  }
  await set(agent, { chatbot_msg_lang: "mwr" });
  assert.equal((await agent.ask(foreign[0])).llm_response, noAnswer, "a language without texts has the English ones");
  await set(agent, { no_answer_message: "My own.", chatbot_msg_lang: "de" });
  assert.equal((await agent.ask(foreign[0])).llm_response, "My own.", "what the owner set stays");
});

test("example questions and titles stand in what the agent says of itself, as far as it may", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await set(agent, { example_questions: ["Who built the lighthouse?", "What does a ticket cost?"] });
  const open = (await agent.ask("What can you do?")).llm_response;
  for (const words of ["Who built the lighthouse?", "What does a ticket cost?", "The Velmora Lighthouse"])
    assert.ok(open.includes(words), open);
  assert.ok((await agent.ask("What do you know about?")).llm_response.includes("The Velmora Lighthouse"));
  await set(agent, { enable_agent_knowledge_base_awareness: false });
  const closed = (await agent.ask("What can you do?")).llm_response;
  assert.ok(closed.includes("Who built the lighthouse?") && !closed.includes("Velmora Lighthouse"), closed);
  assert.equal((await agent.ask("What do you know about?")).llm_response, noAnswer);
});

test("a greeting is answered in its language, and one of several languages in the agent's or the message's", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const reply = async (prompt, more) => (await agent.ask(prompt, more)).llm_response;
  const english = await reply("Hi"),
    german = await reply("Guten Tag");
  assert.match(english, /^Hello/);
  assert.notEqual(german, english);
  assert.equal(await reply("Hallo"), german);
  assert.equal(await reply("Hello there"), english);
  assert.equal(await reply("Hi", { query: { lang: "de" } }), german);
  await set(agent, { chatbot_msg_lang: "de" });
  assert.equal(await reply("Hi!"), german);
  assert.equal(await reply("Hello there"), english);
  await set(agent, { chatbot_msg_lang: "nl" });
  assert.notEqual(await reply("Hallo"), german, "Dutch people say so too");
});

test("an agent that anonymises keeps and repeats no personal details", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ is_anonymized: "true", files: library });
  const prompt =
    "I am bob@example.com, +49 30 1234567, card 4111 1111 1111 1111, IBAN DE89 3704 0044 0532 0130 00, at 192.0.2.17.";
  const masked = "I am [email], [phone], card [card], IBAN [account], at [ip].";
  const message = await agent.ask(prompt);
  assert.equal(message.user_query, masked);
  const short = await agent.ask(`I am bob@example.com. ${question}`);
  assert.deepEqual(
    [short.user_query, short.llm_response.includes(questions[0][2])],
    [`I am [email]. ${question}`, true],
    "the question itself is answered",
  );
  const { conversation, messages } = await agent.expect(200, "GET", `/conversations/${message.session}/messages`);
  assert.deepEqual([messages.data[0].user_query, conversation.name], [masked, masked]);
  const stream = await agent.stream(prompt);
  assert.equal(stream.events[0].data.prompt, masked);
  await chat(agent, prompt, { session_id: "chat" });
  assert.equal((await agent.expect(200, "GET", "/conversations/chat/messages")).messages.data[0].user_query, masked);
  const named = await agent.expect(201, "POST", "/conversations", { json: { name: "talk with joe@example.com" } });
  assert.equal(named.name, "talk with [email]");
  assert.equal(
    (
      await agent.expect(200, "PUT", `/conversations/${named.session_id}`, {
        json: { name: " about account 12345678 " },
      })
    ).name,
    "about account [account]",
  );
  const open = await kb.agent();
  assert.equal(
    (await open.expect(201, "POST", "/conversations", { json: { name: "talk with joe@example.com" } })).name,
    "talk with joe@example.com",
  );
  assert.equal((await open.ask(prompt)).user_query, prompt, "another agent keeps the words");
  await agent.expect(200, "POST", "", { json: { is_anonymized: false } });
  assert.equal((await agent.ask(prompt)).user_query, prompt, "the option can be taken back");
});

test("a prompt with a word of the block list gets chatbot_failed_moderation_msg", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-story-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const list = path.join(dir, "blocked.txt");
  await writeFile(list, "# not here\nlighthouse keeper\nquillby\n");
  const kb = await start(t, { args: ["--block-list", list] });
  const agent = await kb.agent({ files: library });
  await set(agent, { chatbot_failed_moderation_msg: "Not that, please." });
  for (const prompt of ["Who was QUILLBY?", "Who was the last lighthouse-keeper?"]) {
    const message = await agent.ask(prompt);
    assert.deepEqual([message.llm_response, message.citations], ["Not that, please.", null], prompt);
    assert.equal((await agent.stream(prompt)).text, "Not that, please.");
    assert.equal((await chat(agent, prompt)).text, "Not that, please.");
  }
  assert.ok((await agent.ask(question)).llm_response.includes(questions[0][2]), "other prompts are answered");
  await set(agent, { chatbot_failed_moderation_msg: null });
  assert.ok((await agent.ask("quillby")).llm_response.length > 5, "the built-in text");
});

test("SIGHUP takes a newer block list, and leaves the one that is there where the newer cannot be read", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-story-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const list = path.join(dir, "blocked.txt");
  await writeFile(list, "quillby\n");
  const kb = await start(t, { args: ["--block-list", list] });
  const agent = await kb.agent({ files: library });
  await set(agent, { chatbot_failed_moderation_msg: "Not that, please." });
  const refusals = async () => {
    const said = [await agent.ask("Who was quillby?"), await agent.ask("Who was the beekeeper?")];
    return said.map(({ llm_response }) => llm_response === "Not that, please.");
  };
  assert.deepEqual(await refusals(), [true, false]);

  await writeFile(list, "beekeeper\n");
  kb.child.kill("SIGHUP");
  await until("the list", () => kb.log.includes("model catalogue and block list read again"));
  assert.deepEqual(await refusals(), [false, true]);

  await writeFile(list, "fine\n***\n");
  kb.child.kill("SIGHUP");
  await until("the refusal", () => /block list stay as it was error=.*:2: no word in the line/.test(kb.log));
  assert.deepEqual(await refusals(), [false, true]);
});

test("a block list that cannot be read ends the start with its line", async (t) => {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-story-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const list = path.join(dir, "blocked.txt");
  await writeFile(list, "fine\n***\n");
  for (const [file, want] of [
    [list, `${list}:2: no word in the line`],
    [path.join(dir, "none"), "No such file"],
  ]) {
    const run = await docent([
      "serve",
      "--data",
      path.join(dir, "data"),
      "--listen",
      "127.0.0.1:0",
      "--block-list",
      file,
    ]);
    assert.equal(run.code, 1);
    assert.ok(run.stderr.includes(want), run.stderr);
  }
});

/** Moves everything in conversations so many days back, with the server stopped. */
async function age(t, kb, days = 2) {
  const us = days * 86_400_000_000;
  return changeRows(
    t,
    kb,
    `UPDATE conversations SET created_at = created_at - ${us}, updated_at = updated_at - ${us}; UPDATE messages SET created_at = created_at - ${us};`,
  );
}

test("conversation_time_window: a day of history, all of it, or a conversation that closes", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "lighthouse.txt": "The Velmora lighthouse opens at nine. Its height is 61 metres above the sea.",
      "machine.txt": "The Brisca machine weighs five kilograms. Its height is 40 centimetres with the tank.",
    },
  });
  const session = randomUUID();
  await agent.ask("How much does the Brisca machine weigh?", { session });
  if (!(await age(t, kb))) return;
  const followUp = "What is its height?";
  await set(agent, { conversation_time_window: 1 });
  assert.ok(
    (await agent.ask(followUp, { session })).llm_response.includes("40 centimetres"),
    "1: the old question is still the context",
  );
  await set(agent, { conversation_time_window: 0 });
  assert.ok((await agent.ask(followUp, { session })).llm_response.includes("61 metres"), "0: it is no longer");
  await set(agent, { conversation_time_window: 2 });
  for (const query of [{}, { stream: "true" }]) {
    const reply = await agent.api("POST", `/conversations/${session}/messages`, { json: { prompt: followUp }, query });
    assert.deepEqual(
      [reply.status, reply.json.message],
      [403, "This conversation was locked 24 hours after it started; start a new one"],
    );
  }
  assert.equal(
    (await agent.expect(200, "GET", `/conversations/${session}/messages`)).messages.total,
    3,
    "reading goes on",
  );
  assert.equal((await agent.ask("Hello")).llm_response.length > 0, true, "a new conversation is open");
  await set(agent, { conversation_time_window: 0 });
  await agent.ask("Hello", { session });
});

test("conversation_retention_period: what is older goes, with its feedback, and the log says how much", async (t) => {
  const kb = await start(t);
  const keeps = {
    year: await kb.agent(),
    short: await kb.agent(),
    never: await kb.agent(),
    zero: await kb.agent(),
  };
  await set(keeps.short, { conversation_retention_period: "custom", conversation_retention_days: 30 });
  await set(keeps.never, { conversation_retention_period: "never" });
  await set(keeps.zero, { conversation_retention_period: "custom" });
  const session = randomUUID();
  for (const agent of Object.values(keeps)) {
    const message = await agent.ask("Hello", { session });
    await agent.expect(200, "PUT", `/conversations/${session}/messages/${message.id}/feedback`, {
      json: { reaction: "liked" },
    });
  }
  if (!(await age(t, kb, 40))) return;
  for (const [name, agent] of Object.entries(keeps)) await agent.ask(`Hello again, ${name}`, { session: name });
  const sessions = async (agent) =>
    (await agent.expect(200, "GET", "/conversations")).data.map((c) => c.session_id).sort();
  await until(
    "the old conversation to go",
    async () => (await keeps.short.api("GET", `/conversations/${session}/messages`)).status === 404,
  );
  assert.deepEqual(await sessions(keeps.short), ["short"]);
  for (const name of ["year", "never", "zero"])
    assert.deepEqual(await sessions(keeps[name]), [session, name].sort(), name);
  assert.equal((await keeps.short.expect(200, "GET", "/stats")).total_queries, 2, "what was asked stays counted");
  await until("the purge's line in the log", () =>
    kb.log.includes(`conversations purged agent=${keeps.short.id} messages=1 conversations=1`),
  );
  if (!(await age(t, kb, 340))) return;
  await until("the year to be over", async () => (await sessions(keeps.year)).length === 1);
  assert.deepEqual(await sessions(keeps.year), ["year"], "340 days are less than a year, 380 are more");
  assert.equal((await sessions(keeps.never)).length, 2);
  assert.equal((await sessions(keeps.zero)).length, 2);
});
