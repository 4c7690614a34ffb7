// One model for several accounts: its places, its queue and its failures.
import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, patient, sleep, start, test, until } from "./lib/harness.mjs";
import { promptOf } from "./lib/chat.mjs";
import { foreign, library, questions } from "./lib/documents.mjs";
import { counted, figure } from "./lib/figures.mjs";
import { models } from "./lib/models.mjs";
import { folder } from "./lib/util.mjs";

const [question] = questions[0];
const GREEDY = "Who built the lighthouse, asks the greedy one?";

/** Two accounts, each with an agent, and a model with so many places. The double is slow for `GREEDY` alone. */
async function scene(t, limits) {
  const server = await models(t);
  const file = path.join(await folder(t), "models.json");
  await writeFile(file, JSON.stringify({ models: [{ id: "shared", url: server.url, ...limits }] }));
  const kb = await start(t, { env: { DOCENT_MODELS: file, DOCENT_MODEL_CHORES: "no" } });
  const key = await kb.newKey({ account: "modest" });
  const greedy = await kb.agent({ project_name: "Greedy", files: library }),
    modest = await kb.agent({ key, project_name: "Modest", files: library });
  for (const agent of [greedy, modest])
    await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  const { chat } = server;
  chat.say = "So it is said.";
  const isGreedy = (body) => promptOf(body).includes(GREEDY);
  chat.of = (body) => (isGreedy(body) ? slow : {});
  const slow = { ttft: 60_000 };
  const asked = [];
  /** Asks so often at once; the answers come when they come. */
  const flood = (n, options = {}) => {
    for (let i = 0; i < n; i++) {
      const path = `/conversations/${randomUUID()}/messages`;
      asked.push(greedy.api("POST", path, { json: { prompt: GREEDY }, ...options }).catch(() => null));
    }
  };
  const live = () => chat.seen.filter((entry) => isGreedy(entry.body) && !entry.gone).length;
  t.after(() => (slow.ttft = 0));
  return { kb, chat, greedy, modest, flood, live, slow, asked, isGreedy };
}

test("an account that holds every place of a slow model gives one back to another's question", async (t) => {
  const { kb, chat, modest, flood, live } = await scene(t, { concurrency: 6, queue: 4 });
  flood(10);
  await until("all places to be taken", () => live() === 6);
  await until("the rest to wait", async () => (await figure(kb, "model_waiting", "shared")) === 4);
  const begun = Date.now();
  assert.equal((await modest.ask(question)).llm_response, chat.say);
  assert.ok(Date.now() - begun < patient(10_000), "and not after the slow answers");
  await until("one to have made room", () => chat.seen.filter((entry) => entry.gone).length === 1);
  await until("its place to be taken again", () => live() === 6);
});

test("while two ask for all of it, each has half; and a full queue sends those away that fill it", async (t) => {
  const { chat, modest, flood, slow, asked, isGreedy } = await scene(t, { concurrency: 4, queue: 4 });
  flood(8);
  const count = (greedy) => chat.seen.filter((entry) => !entry.gone && isGreedy(entry.body) === greedy).length;
  await until("all places to be taken", () => count(true) === 4);
  chat.of = () => slow;
  for (let i = 0; i < 4; i++)
    void modest.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: question } }).catch(() => {});
  await until("each to have half", () => count(true) === 2 && count(false) === 2);
  // Eight had waited then, with those that came back, and four may: the greedy account's went.
  const statuses = [];
  for (const reply of asked) void reply.then((got) => got && statuses.push(got.status));
  await until("four to be sent away", () => statuses.length === 4);
  assert.deepEqual([...new Set(statuses)], [503]);
});

test("an answer that has begun, and that nobody listens to any more, gives way to another account's", async (t) => {
  const { kb, chat, greedy, modest, slow } = await scene(t, { concurrency: 2 });
  Object.assign(slow, { ttft: 0, gap: 300, say: "One two three four five six seven eight nine ten. ".repeat(20) });
  const leave = new AbortController();
  const sessions = [randomUUID(), randomUUID()];
  for (const session of sessions) {
    const reply = await fetch(`${kb.url}/api/v1${greedy.path}/conversations/${session}/messages?stream=true`, {
      method: "POST",
      headers: { authorization: `Bearer ${kb.key}`, "content-type": "application/json" },
      body: JSON.stringify({ prompt: GREEDY }),
      signal: leave.signal,
    });
    void reply.text().catch(() => {});
  }
  await until("both to be written", () => chat.seen.filter((entry) => entry.sent > 2).length === 2);
  const waits = modest.ask(question);
  assert.equal(await Promise.race([waits.then(() => true), sleep(1500)]), undefined, "they are listened to");
  leave.abort();
  assert.equal((await waits).llm_response, chat.say);
  const [cut] = chat.seen.filter((entry) => entry.gone);
  assert.ok(cut && chat.seen.filter((entry) => entry.gone).length === 1, "one of the two was enough");
  const texts = [];
  for (const session of sessions) {
    const { data } = (await greedy.expect(200, "GET", `/conversations/${session}/messages`)).messages;
    if (!data[0].is_running) texts.push(data[0].llm_response);
  }
  assert.equal(texts.length, 1);
  assert.match(texts[0], /^One two three/, "what it had said is stored");
});

test("of one account, who is listened to goes first", async (t) => {
  const { kb, chat, greedy, slow, live, isGreedy } = await scene(t, { concurrency: 1 });
  const leave = new AbortController();
  const body = (prompt) => ({
    method: "POST",
    headers: { authorization: `Bearer ${kb.key}`, "content-type": "application/json" },
    body: JSON.stringify({ prompt }),
  });
  const url = () => `${kb.url}/api/v1${greedy.path}/conversations/${randomUUID()}/messages`;
  let isFree = false;
  Object.assign(slow, { ttft: 0, begins: () => isFree });
  void fetch(url(), body(GREEDY)).catch(() => {});
  await until("the place to be taken", () => live() === 1);
  for (let i = 0; i < 3; i++) void fetch(url(), { ...body(`${GREEDY} ${i}`), signal: leave.signal }).catch(() => {});
  await until("three to wait", async () => (await figure(kb, "model_waiting", "shared")) === 3);
  leave.abort();
  const asks = greedy.ask(question);
  await until("one more to wait", async () => (await figure(kb, "model_waiting", "shared")) === 4);
  await sleep(patient(500)); // the others have left, and the service has heard of it, which no figure tells
  isFree = true;
  assert.equal((await asks).llm_response, chat.say);
  assert.ok(!isGreedy(chat.seen[1].body), "before those that came first");
});

test("what a model refuses or breaks for one account leaves the other's answers alone", async (t) => {
  const { kb, chat, greedy, modest, slow } = await scene(t, { first_ms: 3000 });
  Object.assign(slow, { ttft: 0, mode: "500" });
  const ask = (agent, prompt) => agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt } });
  for (let i = 0; i < 3; i++) assert.ok((await ask(greedy, GREEDY)).status >= 500);
  await counted(kb, { server_state: 1 }, "shared"); // it is left alone
  const before = chat.seen.length;
  assert.equal((await ask(greedy, GREEDY)).status, 502);
  assert.equal(chat.seen.length, before, "by who has seen it fail");
  assert.equal((await modest.ask(question)).llm_response, chat.say);
  await counted(kb, { server_state: 0 }, "shared"); // it does its work
  Object.assign(slow, { mode: "429" });
  chat.retryAfter = "30";
  assert.equal((await ask(greedy, GREEDY)).status, 429);
  assert.equal((await modest.ask(question)).llm_response, chat.say);
  // Where others fail too, it is the server.
  chat.of = () => slow;
  assert.equal((await ask(greedy, GREEDY)).status, 429);
  assert.equal((await ask(modest, foreign[0])).status, 429);
  const seen = chat.seen.length;
  assert.equal((await ask(modest, foreign[0])).status, 502);
  assert.equal(chat.seen.length, seen);
});

test("who waits for a server's patience holds no place that another account wants", async (t) => {
  const { kb, chat, modest, flood, slow } = await scene(t, { concurrency: 2 });
  Object.assign(slow, { ttft: 0, mode: "429", begins: () => chat.seen.length >= 2 });
  chat.retryAfter = "20";
  flood(2);
  await until("both to be put off", () => chat.seen.length === 2 && chat.live === 0);
  await counted(kb, { model_answers: 2 }, "shared"); // and hold their places
  const begun = Date.now();
  assert.equal((await modest.ask(question)).llm_response, chat.say);
  assert.ok(Date.now() - begun < patient(10_000));
  assert.equal(chat.seen.length, 3, "nobody was asked before its time");
});

test("a text without an end is stopped, and the log says what it was", async (t) => {
  const { kb, chat, greedy } = await scene(t, { gap_ms: 60_000 });
  // One that states what no source bears out, or states it again, is ended long before.
  Object.assign(chat, { mode: "endless", at: 1e9, say: ["-- ".repeat(20_000)] });
  const reply = await greedy.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: question } });
  assert.equal(reply.status, 502);
  assert.match(reply.json.message, /I'm having trouble answering right now/);
  await until("the log", () => /does not come to an end: its answer has more than 1048576 bytes/.test(kb.log));
});
