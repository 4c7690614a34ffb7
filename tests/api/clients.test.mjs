// Real chat clients, unchanged, as npm gives them out: `openai`, and `ai` with its OpenAI-compatible
// provider. Without the registry there are no packages, and these stories say so and are skipped.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, start, test } from "./lib/harness.mjs";
import { followUp, foreign, library, lighthouses, noAnswer, questions } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";
import { fileOf } from "./lib/util.mjs";

const installed =
  existsSync(fileURLToPath(new URL("./node_modules/openai/package.json", import.meta.url))) &&
  ["openai", "openai-compatible"].every((name) =>
    existsSync(fileURLToPath(new URL(`./node_modules/@ai-sdk/${name}/package.json`, import.meta.url))),
  );
const options = installed
  ? {}
  : { skip: "the npm packages are not installed (is the registry reachable? cd tests/api && npm ci)" };

const [question, , words] = questions[0];
const ask = (content) => ({ model: "docent", messages: [{ role: "user", content }] });

async function openai(kb, agent, more = {}) {
  const { default: OpenAI } = await import("openai");
  return new OpenAI({ apiKey: kb.key, baseURL: `${kb.url}/api/v1${agent.path}`, ...more });
}

async function provider(kb, agent, more = {}) {
  const { createOpenAICompatible } = await import("@ai-sdk/openai-compatible");
  return createOpenAICompatible({ name: "docent", apiKey: kb.key, baseURL: `${kb.url}/api/v1${agent.path}`, ...more })(
    "docent",
  );
}

test("openai: a whole answer with its citations", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const answer = await (await openai(kb, agent)).chat.completions.create(ask(question));
  assert.ok(answer.choices[0].message.content.includes(words));
  assert.deepEqual(
    [answer.choices[0].finish_reason, answer.model, answer.citations],
    ["stop", "docent", [(await agent.page("lighthouse.md")).id]],
  );
});

test("openai: vectors of texts", options, async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.embedEnv() });
  const client = await openai(kb, { path: "" }, { maxRetries: 0 });
  const ask = { model: "double-small", input: ["The ferry leaves at eight.", "query: when does the ferry leave?"] };
  const made = await client.embeddings.create(ask);
  const plain = await client.embeddings.create({ ...ask, encoding_format: "float" });
  assert.equal(made.data.length, 2);
  made.data.forEach(({ embedding }, i) =>
    embedding.forEach((x, k) => assert.ok(Math.abs(x - plain.data[i].embedding[k]) < 1e-6)),
  );
});

test("openai: a streamed answer, piece by piece", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const stream = await (
    await openai(kb, agent)
  ).chat.completions.create({ ...ask(question), stream: true, stream_options: { include_usage: true } });
  let text = "",
    usage;
  for await (const chunk of stream) {
    text += chunk.choices[0]?.delta?.content ?? "";
    usage = chunk.usage ?? usage;
  }
  assert.ok(text.includes(words), text);
  assert.ok(usage.completion_tokens >= text.split(/\s+/).length);
  assert.equal(usage.total_tokens, usage.prompt_tokens + usage.completion_tokens);
});

test("openai: the stream helper ends with the same text", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const runner = (await openai(kb, agent)).chat.completions.stream(ask(question));
  const final = await runner.finalChatCompletion();
  assert.ok(final.choices[0].message.content.includes(words));
});

test("openai: errors show the service's own words", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const client = await openai(kb, agent);
  await assert.rejects(
    client.chat.completions.create({ model: "x", messages: [] }),
    (error) => error.status === 400 && /messages must be an array/.test(error.message),
  );
  await assert.rejects(
    client.chat.completions.create({ ...ask("x"), n: 2 }),
    (error) => error.status === 400 && /n above 1 is not yet supported/.test(error.message),
  );
  const stranger = await openai(kb, agent, { apiKey: `123|${"x".repeat(43)}` });
  await assert.rejects(
    stranger.chat.completions.create(ask("x")),
    (error) => error.status === 401 && /API Token is either missing or invalid/.test(error.message),
  );
});

test("openai: an error that the client caused is asked once, not again", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  let asked = 0;
  const counting = (...args) => (asked++, fetch(...args));
  const client = await openai(kb, { path: "/projects/999" }, { fetch: counting });
  await assert.rejects(
    client.chat.completions.create(ask("x")),
    (error) => error.status === 404 && /Agent with id 999 not found/.test(error.message),
  );
  assert.equal(asked, 1);
  assert.ok(agent.id);
});

test("openai: what is not served is asked for once, plain and streamed", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const stream of [false, true]) {
    const fetch = counting();
    const client = await openai(kb, agent, { fetch });
    await assert.rejects(
      client.chat.completions.create({ ...ask("x"), n: 2, stream }),
      (error) => error.status === 400 && /n above 1 is not yet supported/.test(error.message),
    );
    assert.deepEqual(fetch.seen, [400]);
  }
});

test("ai: generateText answers from the documents", options, async (t) => {
  const { generateText } = await import("ai");
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const model = await provider(kb, agent);
  const { text, finishReason } = await generateText({ model, prompt: question });
  assert.ok(text.includes(words), text);
  assert.equal(finishReason, "stop");
  assert.equal((await generateText({ model, prompt: foreign[0] })).text, noAnswer);
});

test("ai: streamText gives the answer in pieces, with a system text and a history", options, async (t) => {
  const { streamText } = await import("ai");
  const kb = await start(t);
  const agent = await kb.agent({ files: lighthouses });
  const { textStream, finishReason } = streamText({
    model: await provider(kb, agent, { includeUsage: true }),
    system: "Be kind.",
    messages: [
      { role: "user", content: followUp.first },
      { role: "assistant", content: "In 1874." },
      { role: "user", content: followUp.then },
    ],
  });
  let text = "";
  for await (const piece of textStream) text += piece;
  assert.ok(text.includes(followUp.words), text);
  assert.equal(await finishReason, "stop");
});

test("ai: cited documents are its sources, with an address each, whole and streamed", options, async (t) => {
  const { generateText, streamText } = await import("ai");
  const { createOpenAI } = await import("@ai-sdk/openai");
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const model = createOpenAI({ apiKey: kb.key, baseURL: `${kb.url}/api/v1${agent.path}` }).chat("docent");
  const { sources } = await generateText({ model, prompt: question });
  const { id } = await agent.page("lighthouse.md");
  assert.deepEqual(
    sources.map(({ sourceType, url, title }) => ({ sourceType, url, title })),
    [
      {
        sourceType: "url",
        url: `${kb.url}/agents/${agent.id}/documents?document=${id}`,
        title: "The Velmora Lighthouse",
      },
    ],
  );
  const streamed = streamText({ model, prompt: question });
  await streamed.consumeStream();
  assert.deepEqual(
    (await streamed.sources).map(({ url }) => url),
    sources.map(({ url }) => url),
  );
});

test("ai: tools that a model may call are answered in words, with one request", options, async (t) => {
  const { generateText, tool } = await import("ai");
  const { z } = await import("zod");
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const fetch = counting();
  const model = await provider(kb, agent, { fetch });
  const tools = { look_up: tool({ description: "Looks up.", inputSchema: z.object({}), execute: () => "none" }) };
  const { text, toolCalls } = await generateText({ model, prompt: question, tools });
  assert.ok(text.includes(words), text);
  assert.deepEqual([toolCalls, fetch.seen], [[], [200]]);
  await assert.rejects(generateText({ model, prompt: question, tools, toolChoice: "required" }), /demands a call/);
  assert.deepEqual(fetch.seen, [200, 400], "a refusal is not asked again");
});

test("openai: one base address for all agents, whose names its list of models tells", options, async (t) => {
  const kb = await start(t);
  await kb.agent({ project_name: "Empty" });
  const agent = await kb.agent({ project_name: "The library", files: library });
  const client = await openai(kb, { path: "" });
  const models = [];
  for await (const model of client.models.list()) models.push(model);
  const { id } = models.find((model) => model.id.endsWith("-the-library"));
  assert.equal((await client.models.retrieve(id)).object, "model");
  const answer = await client.chat.completions.create({ ...ask(question), model: id });
  assert.ok(answer.choices[0].message.content.includes(words));
  assert.equal((await (await openai(kb, agent)).models.list()).data[0].id, id);
  await assert.rejects(
    client.chat.completions.create(ask(question)),
    (error) => error.status === 404 && /The model docent is no agent of this key/.test(error.message),
  );
});

test("ai: errors show the service's own words", options, async (t) => {
  const { generateText } = await import("ai");
  const kb = await start(t);
  const agent = await kb.agent();
  const model = await provider(kb, agent, { apiKey: `123|${"x".repeat(43)}` });
  await assert.rejects(
    generateText({ model, prompt: "Hello", maxRetries: 0 }),
    (error) => error.statusCode === 401 && /API Token is either missing or invalid/.test(error.message),
  );
});

/** fetch that counts its calls and their statuses. */
function counting() {
  const seen = [];
  const call = async (...args) => {
    const reply = await fetch(...args);
    seen.push(reply.status);
    return reply;
  };
  return Object.assign(call, { seen });
}

/** A server whose account may ask once a month. */
async function frugal(t) {
  const file = await fileOf(t, "small = queries=1\n");
  const kb = await start(t, { args: ["--plans", file] });
  kb.key = await kb.newKey({ account: "small", plan: "small" });
  const agent = await kb.agent({ files: library });
  await agent.ask("Hello");
  return { kb, agent };
}

test("openai: used-up queries are asked for once, plain and streamed", options, async (t) => {
  const { kb, agent } = await frugal(t);
  for (const stream of [false, true]) {
    const fetch = counting();
    const client = await openai(kb, agent, { fetch });
    await assert.rejects(
      client.chat.completions.create({ ...ask(question), stream }),
      (error) => error.status === 429 && /exhausted your current query credits/.test(error.message),
    );
    assert.deepEqual(fetch.seen, [429], "x-should-retry: false");
  }
});

test("openai: a rate that was too fast is tried again after the time it was told", options, async (t) => {
  const kb = await start(t, { args: ["--rate-limit", "1/6"] });
  const agent = await kb.agent();
  const fetch = counting();
  const client = await openai(kb, agent, { fetch, maxRetries: 5 });
  const answers = await Promise.all(Array.from({ length: 8 }, () => client.chat.completions.create(ask("Hello"))));
  assert.ok(answers.every((answer) => answer.choices[0].message.content.length > 0));
  assert.ok(fetch.seen.includes(429), `some were told to wait: ${fetch.seen}`);
  assert.equal(fetch.seen.filter((status) => status === 200).length, 8);
});

test("ai: used-up queries end with the service's own words", options, async (t) => {
  const { generateText } = await import("ai");
  const { kb, agent } = await frugal(t);
  const fetch = counting();
  await assert.rejects(
    generateText({ model: await provider(kb, agent, { fetch }), prompt: question, maxRetries: 1 }),
    (error) => /exhausted your current query credits/.test(error.message),
  );
  assert.ok(fetch.seen.length >= 1 && fetch.seen.every((status) => status === 429));
});

test("openai: content parts, labels, language, session and outside id go through unchanged", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const client = await openai(kb, agent);
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["sea"] } });
  await agent.expect(200, "PUT", `/pages/${(await agent.page("lighthouse.md")).id}/labels`, {
    json: { label_ids: [label.id] },
  });
  const parts = {
    model: "docent",
    messages: [
      {
        role: "user",
        content: [
          { type: "text", text: question.slice(0, 8) },
          { type: "text", text: question.slice(8) },
        ],
      },
    ],
  };
  const text = async (more) => (await client.chat.completions.create({ ...parts, ...more })).choices[0].message.content;
  assert.equal(await text({}), noAnswer, "the label hides it");
  assert.equal(await text({ lang: "de" }), "Es tut mir leid, ich weiß die Antwort nicht");
  const found = await text({
    labels: ["sea"],
    is_inline_citation: true,
    session_id: "outside",
    external_id: "ext-9",
    sub_personas: { "persona-summary": "Be brief." },
  });
  assert.ok(found.includes(words) && /\[1\]/.test(found), found);
  const [message] = (await agent.expect(200, "GET", "/conversations/outside/messages")).messages.data;
  assert.deepEqual([message.user_query, message.metadata.external_id], [question, "ext-9"]);
});
