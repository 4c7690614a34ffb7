// The third way: where nothing answers for sure and something is near, the closest passages stand
// beside the text that says so, and are no part of the answer.
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";
import { foreign, library, noAnswer, questions } from "./lib/documents.mjs";

// On what the documents speak of, but not on what they say.
const near = [
  "Is there a restaurant near the cliff?",
  "Can I return a ticket for the opera?",
  "Can I bring my dog to the Velmora lighthouse?",
  "Who painted the tower of the lighthouse?",
  "Which colour does the Brisca 200 come in?",
  "Can I descale the machine with vinegar?",
  "Do I get my postage back when I return shoes?",
  "How many people visit the lighthouse in winter?",
  "Is the lamp of the tower for sale?",
];
const blank = (text) => text.replace(/[#\s]+/g, " ");

/** A refused question that has closest passages. */
async function refused(agent, prompts = near) {
  for (const prompt of prompts) {
    const message = await agent.ask(prompt);
    if (message.closest_passages) return { prompt, message };
  }
  assert.fail("none of the questions has closest passages");
}

test("a question that is not answered for sure shows what is near", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { prompt, message } = await refused(agent);
  assert.equal(message.llm_response, noAnswer);
  assert.equal(message.citations, null);
  for (const passage of message.closest_passages) {
    const page = (await agent.pages()).find(({ id }) => id === passage.page_id);
    assert.ok(blank(library[page.filename]).includes(blank(passage.quote)), passage.quote);
    assert.ok(passage.quote.length <= 800);
    assert.ok("title" in passage && "heading" in passage && "page_no" in passage);
    assert.ok(passage.excerpt.length > 0 && passage.excerpt.length <= 600, passage.excerpt);
    assert.match(passage.excerpt, /[.…]$/, "whole sentences");
    assert.doesNotMatch(passage.excerpt, /[#*|`]/);
  }
  assert.ok(message.closest_passages.length <= 3);
  assert.equal(new Set(message.closest_passages.map(({ quote }) => quote)).size, message.closest_passages.length);
  assert.equal(message.outcome, "closest");
  const { messages } = await agent.expect(200, "GET", `/conversations/${message.session}/messages`);
  assert.deepEqual(messages.data[0].closest_passages, message.closest_passages);

  const { finish, text } = await agent.stream(prompt, { session: randomUUID() });
  assert.equal(text, noAnswer);
  assert.equal(finish.citations, null);
  assert.deepEqual(finish.closest_passages, message.closest_passages);
  assert.equal(finish.outcome, "closest");
});

test("there are two or three where so many come near", async (t) => {
  const kb = await start(t);
  const siblings = Object.fromEntries(
    [100, 300, 500, 700].map((n) => [
      `heron${n}.md`,
      `# Heron P${n}\n\nThe Heron P${n} kettle holds ${n / 100} litres. The Heron P${n} kettle costs ${n} crowns.\n`,
    ]),
  );
  const agent = await kb.agent({ files: siblings });
  // A code that no document holds is never answered from its siblings; they come closest.
  const message = await agent.ask("What does the Heron P200 kettle cost?");
  assert.deepEqual([message.outcome, message.llm_response, message.citations], ["closest", noAnswer, null]);
  const shown = message.closest_passages;
  assert.ok(shown.length >= 2 && shown.length <= 3, JSON.stringify(shown));
  assert.equal(new Set(shown.map(({ page_id }) => page_id)).size, shown.length, "each another place");
});

test("each message says what came of it, and the reports count all three", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { message } = await refused(agent);
  const asked = near.indexOf(message.user_query) + 1;
  const others = [
    [questions[0][0], "answer"],
    ["Hello!", "answer"],
    [foreign[0], "nothing"],
  ];
  for (const [prompt, outcome] of others) {
    const said = await agent.ask(prompt);
    assert.ok(!("closest_passages" in said) && !("outcome" in said), "as its clients know it");
    const path = `/conversations/${said.session}/messages`;
    const { messages } = await agent.expect(200, "GET", path, { query: "includeInsights=true" });
    assert.equal(messages.data[0].customer_intelligence.outcome, outcome);
    const { text } = await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
      query: { stream: true, resumable: true },
      json: { prompt },
    });
    const finish = JSON.parse(text.trim().split("\ndata: ").at(-1));
    assert.equal(finish.outcome, outcome, "a stream that can be continued says it always");
  }
  const report = await agent.expect(200, "GET", "/reports/queries", { query: "filters=outcomes" });
  const counts = Object.fromEntries(report.outcomes.map(({ outcome, count }) => [outcome, count]));
  assert.deepEqual(
    [Object.keys(counts), counts.answer, counts.closest + counts.nothing, report.found],
    [["answer", "closest", "nothing"], 4, asked + 2, 0],
  );
  const { data } = await agent.expect(200, "GET", "/reports/intelligence");
  assert.equal(data.filter((row) => row.outcome === "closest").length, counts.closest);
});

test("who finds the answer in a closest passage may say so, and the owner sees it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { message } = await refused(agent);
  const path = `/conversations/${message.session}/messages/${message.id}`;
  const [{ page_id }] = message.closest_passages;
  const say = (json) => agent.api("PUT", `${path}/feedback`, { json });
  for (const wrong of [page_id + 99, 0, -1, "x", {}, true])
    assert.equal((await say({ found_page_id: wrong })).status, 400, JSON.stringify(wrong));
  const found = await say({ found_page_id: page_id });
  assert.deepEqual([found.status, found.data.found_page_id, found.data.response_feedback], [200, page_id, null]);
  assert.equal((await agent.expect(200, "GET", path)).found_page_id, page_id);
  const report = () => agent.expect(200, "GET", "/reports/queries", { query: "filters=outcomes" });
  assert.equal((await report()).found, 1);
  const rows = (await agent.expect(200, "GET", "/reports/intelligence")).data;
  assert.deepEqual(
    rows.filter((row) => row.found_page_id).map((row) => [row.prompt_id, row.found_page_id]),
    [[message.id, page_id]],
  );
  assert.equal((await say({ reaction: "liked" })).data.found_page_id, page_id, "a reaction leaves it");
  const both = await say({ reaction: null, found_page_id: null });
  assert.deepEqual([both.data.response_feedback, "found_page_id" in both.data], [null, false]);
  assert.equal((await report()).found, 0);
  const answered = await agent.ask(questions[0][0]);
  const other = await agent.api("PUT", `/conversations/${answered.session}/messages/${answered.id}/feedback`, {
    json: { found_page_id: page_id },
  });
  assert.equal(other.status, 400, "an answer has no closest passages");
});

test("a passage that the question may not find is not shown", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { prompt, message } = await refused(agent);
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  for (const { page_id } of message.closest_passages)
    await agent.expect(200, "PUT", `/pages/${page_id}/labels`, { json: { label_ids: [label.id] } });
  const hidden = new Set(message.closest_passages.map(({ page_id }) => page_id));
  const seen = (said) => (said.closest_passages ?? []).filter(({ page_id }) => hidden.has(page_id)).length;
  assert.equal(seen(await agent.ask(prompt)), 0);
  assert.ok(seen(await agent.ask(prompt, { json: { prompt, labels: [label.id] } })) > 0);
});

test("an answer has no closest passages, and neither has a greeting", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const prompt of [...questions.map(([question]) => question), "Hello!"]) {
    const message = await agent.ask(prompt);
    assert.notEqual(message.llm_response, noAnswer, prompt);
    assert.ok(!("closest_passages" in message), prompt);
  }
});

test("an agent without citations shows no closest passages", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { prompt } = await refused(agent);
  await agent.expect(200, "POST", "/settings", { json: { enable_citations: 0 } });
  const message = await agent.ask(prompt);
  assert.equal(message.llm_response, noAnswer);
  assert.ok(!("closest_passages" in message));
});

test("chat completions show them as text behind the answer, and as members", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { prompt, message } = await refused(agent);
  const json = { messages: [{ role: "user", content: prompt }] };
  const { json: whole } = await agent.api("POST", "/chat/completions", { json });
  const { content } = whole.choices[0].message;
  assert.deepEqual([whole.outcome, whole.citations], ["closest", []]);
  assert.deepEqual(whole.closest_passages, message.closest_passages);
  const [first] = message.closest_passages;
  assert.ok(content.startsWith(`${noAnswer}\n\nNo sure answer, but these passages come closest:\n\n- `), content);
  assert.ok(content.includes(blank(first.excerpt)), content);
  assert.ok(content.includes(`\n  ${kb.url}/agents/${agent.id}/documents?document=${first.page_id}`), content);
  const reply = await agent.api("POST", "/chat/completions", {
    json: { ...json, stream: true, stream_options: { include_usage: true } },
  });
  const chunks = reply.text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => JSON.parse(line.slice(6)));
  assert.equal(chunks.map(({ choices }) => choices[0]?.delta.content ?? "").join(""), content);
  const stop = chunks.find(({ choices }) => choices[0]?.finish_reason);
  assert.deepEqual([stop.outcome, stop.closest_passages], ["closest", message.closest_passages]);
  assert.deepEqual(chunks.at(-1).usage, whole.usage);
  const stored = await agent.expect(200, "GET", "/conversations");
  const { messages } = await agent.expect(200, "GET", `/conversations/${stored.data[0].session_id}/messages`);
  assert.equal(messages.data[0].llm_response, noAnswer, "they are no part of what is stored as said");
  const german = await agent.api("POST", "/chat/completions", { json: { ...json, lang: "de" } });
  assert.match(german.json.choices[0].message.content, /\n\nKeine sichere Antwort, aber diese Stellen/);
});

test("the owner's own words for no answer stay in front of them", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const own = "Ring us: 555-0199.";
  await agent.expect(200, "POST", "/settings", { json: { no_answer_message: own } });
  const { prompt, message } = await refused(agent);
  assert.equal(message.llm_response, own);
  const { json } = await agent.api("POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: prompt }] },
  });
  assert.ok(json.choices[0].message.content.startsWith(`${own}\n\nNo sure answer`));
});

test("with a model, what comes closest is shown where it refuses and where it is not asked", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ files: library });
  server.chat.say = noAnswer;
  for (const prompt of [near[0], questions[0][0]]) {
    const message = await agent.ask(prompt);
    assert.deepEqual([message.llm_response, message.citations, message.outcome], [noAnswer, null, "closest"], prompt);
    assert.ok(message.closest_passages.length >= 1 && message.closest_passages.length <= 3, prompt);
    const { finish, text } = await agent.stream(prompt);
    assert.deepEqual([text, finish.closest_passages], [noAnswer, message.closest_passages]);
  }
  // What it says without any source is struck.
  server.chat.say = "There is a fine restaurant with forty seats and a view of the sea. [1]";
  const struck = await agent.ask(near[0]);
  assert.deepEqual([struck.llm_response, struck.outcome], [noAnswer, "closest"]);
  const asked = server.asked("/v1/chat/completions").length;
  const nothing = await agent.ask(foreign[0]);
  assert.deepEqual([nothing.llm_response, "outcome" in nothing], [noAnswer, false]);
  assert.equal(server.asked("/v1/chat/completions").length, asked, "another subject is no question for a model");
  server.chat.say = "The Velmora lighthouse was built in 1874 by the engineer Hester Quillby. [1]";
  const answered = await agent.ask(questions[0][0]);
  assert.ok(answered.citations && !("closest_passages" in answered));
});

test("no link, picture or tag of a document leaves in an excerpt as one that leads elsewhere", async (t) => {
  const kb = await start(t);
  const bait =
    "The ferry to Velmora leaves at noon. ![free](https://evil.example/p.png) Read [our offer](https://evil.example/c). " +
    "<img src=https://evil.example/i> {{% include %}} The ferry takes dogs.";
  const agent = await kb.agent({ files: { "ferry.txt": bait } });
  const { message } = await refused(agent, [
    "Does the ferry have a restaurant?",
    "Who owns the ferry?",
    "Can I book the ferry for a wedding?",
    "How many dogs has Velmora?",
  ]);
  const { json } = await agent.api("POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: message.user_query }] },
  });
  for (const text of [json.choices[0].message.content, ...message.closest_passages.map(({ excerpt }) => excerpt)]) {
    assert.ok(text.includes("ferry"), text);
    assert.doesNotMatch(text, /\]\(|<img|\{\{%|p\.png/, text);
  }
});
