// Docent beside real servers, llama.cpp's, with tiny models: one says what a grammar prescribes, one gives
// vectors, one judges: scripts/llama-server DIRECTORY try. Not part of `make test`.
import { randomUUID } from "node:crypto";
import { assert, docent, start, test, until } from "../api/lib/harness.mjs";
import { foreign, library, questions } from "../api/lib/documents.mjs";
import { figure } from "../api/lib/models.mjs";

const url = process.env.DOCENT_REAL_MODEL;
const env = { DOCENT_MODEL_URL: url, DOCENT_MODEL_NAME: "tiny", DOCENT_MODEL_KEY: "k", DOCENT_MODEL_CHORES: "no" };
// The markers name no source of the prompt, so they go.
const said = "You may return goods within 30 days of delivery. 退货 👍.";

async function scene(t, more = {}) {
  const kb = await start(t, { env: { ...env, ...more } });
  const agent = await kb.agent({ files: library });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  return { kb, agent };
}

test("it works: the question to each server, whole answers and streams, and its tokens are counted", async (t) => {
  const { code, stdout } = await docent(["models", "check"], { env, ms: 180_000 });
  assert.deepEqual([code, /tiny .*works: streams/.test(stdout)], [0, true], stdout);
  const { kb, agent } = await scene(t);
  assert.equal((await agent.ask(foreign[0])).llm_response, said);
  const { text, events } = await agent.stream(foreign[0]);
  assert.deepEqual([text, events.at(-1).event], [said, "finish"]);
  assert.ok((await figure(kb, "model_completion_tokens_total", "tiny")) > 10);
});

test("a sentence of the documents is cited, whatever marker stands behind it", async (t) => {
  const { agent } = await scene(t);
  await agent.expect(200, "POST", "/settings", { json: { response_source: "own_content" } });
  const message = await agent.ask("Within how many days of delivery may goods be returned?");
  assert.match(message.llm_response, /30 days of delivery/);
  assert.deepEqual(await agent.sources(message), ["returns.txt"]);
});

test("a wrong key and a prompt that is too long end as they do with the double", async (t) => {
  const bad = await scene(t, { DOCENT_MODEL_KEY: "not-the-key" });
  const ask = (agent) => agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: foreign[0] } });
  assert.equal((await ask(bad.agent)).status, 502);
  const [question] = questions[0];
  assert.match((await bad.agent.ask(question)).llm_response, /Hester Quillby/);
  // It takes 4,096 tokens, and is told of 64,000.
  const { kb, agent } = await scene(t, { DOCENT_MODEL_CONTEXT: "64000" });
  await agent.expect(200, "POST", "/settings", { json: { persona_instructions: "word ".repeat(2400) } });
  const long = await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
    json: { prompt: `${foreign[0]} ${"so ".repeat(2500)}` },
  });
  assert.equal(long.status, 502, long.text);
  assert.equal(await figure(kb, "server_failures_total", "tiny"), 0, "that is no failure of the server");
});

test("who deletes the conversation frees the server", async (t) => {
  const { agent } = await scene(t);
  const asked = Array.from({ length: 6 }, async () => {
    const session = randomUUID();
    const path = `/conversations/${session}`;
    const answer = agent.api("POST", `${path}/messages`, { json: { prompt: foreign[0] } });
    await agent.api("DELETE", path);
    return answer;
  });
  for (const reply of await Promise.all(asked)) assert.ok([200, 404, 503].includes(reply.status), reply.text);
  assert.equal((await agent.ask(foreign[0])).llm_response, said);
});

const vectors = {
  DOCENT_EMBED_URL: process.env.DOCENT_REAL_EMBEDDINGS,
  DOCENT_EMBED_NAME: "embeddings",
  DOCENT_EMBED_KEY: "k",
};
const judge = {
  DOCENT_RERANK_URL: process.env.DOCENT_REAL_RERANK,
  DOCENT_RERANK_NAME: "rerank",
  DOCENT_RERANK_KEY: "k",
};
const search = (agent, query) => agent.expect(200, "POST", "/search", { json: { query, explain: true } });
/** Of 900 words that are no words: more tokens than the server takes in one text. */
const long = Array.from({ length: 900 }, (_, i) => `q${i}x`).join(" ");

test("its vectors find passages, and a passage that it does not take whole keeps none of the others", async (t) => {
  const { stdout } = await docent(["models", "check"], { env: vectors, ms: 180_000 });
  assert.match(stdout, /embeddings .*works/);
  const kb = await start(t, { env: vectors });
  const agent = await kb.agent({ files: { ...library, "codes.txt": `The codes of the harbour. ${long}` } });
  const [question] = questions[0];
  const { passages } = await agent.expect(200, "POST", "/search", { json: { query: question, limit: 50 } });
  await until("the vectors", async () => (await figure(kb, "passages_embedded_total")) >= passages.length, 60_000);
  const found = await search(agent, question);
  assert.equal(found.vectors, "used");
  assert.ok(found.passages.every((passage) => passage.explanation.fusion.vectors));
});

test("its judge is asked where the agent is to look widely, and one with the wrong model leaves the order", async (t) => {
  const { stdout } = await docent(["models", "check"], { env: judge, ms: 180_000 });
  assert.match(stdout, /rerank .*works/);
  const [question] = questions[0];
  const wide = async (env) => {
    const kb = await start(t, { env });
    const agent = await kb.agent({ files: library });
    await agent.expect(200, "POST", "/settings", { json: { agent_capability: "complex-tasks" } });
    return search(agent, question);
  };
  const judged = await wide(judge);
  assert.equal(judged.reranker, "used");
  assert.ok(judged.passages.every((passage) => Number.isFinite(passage.explanation.fusion.relevance)));
  // A server whose model has no such head says 501.
  const left = await wide({ ...judge, DOCENT_RERANK_URL: process.env.DOCENT_REAL_EMBEDDINGS });
  assert.equal(left.reranker, "failed");
  const [first] = left.passages;
  assert.ok(first.text.includes(questions[0][2]), "words alone decide");
});
