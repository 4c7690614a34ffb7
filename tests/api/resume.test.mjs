// An answer belongs to its conversation, not to the line on which it is first read: it is shown while
// it is written, goes on where a reader broke off, and ends whatever happens to who writes it.
import { randomUUID } from "node:crypto";
import path from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";
import { library, foreign } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";
import { database } from "./lib/postgres.mjs";
import { Agent } from "./lib/service.mjs";
import { numberedEvents } from "./lib/sse.mjs";
import { folder } from "./lib/util.mjs";

const said = "One two three четыре fünf six 七 eight.";
const siesta = "I'm having trouble answering right now. Please try again in a moment.";
const bytes = (text) => Buffer.byteLength(text);

async function scene(t, { args = [], env = {}, settings = {} } = {}) {
  const server = await models(t);
  const kb = await start(t, { env: { ...server.chatEnv(), ...env }, args });
  const agent = await kb.agent({ files: library });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content", ...settings } });
  const { chat } = server;
  Object.assign(chat, { say: said, until: 4 });
  const session = randomUUID();
  const messages = `/conversations/${session}/messages`;
  return { server, chat, kb, agent, session, messages };
}

/** The same with another node beside it, on one database: the other's view of the scene, and its rows. */
async function pair(t) {
  const { url, run } = await database();
  const env = { DOCENT_STORE: url, DOCENT_BLOB: path.join(await folder(t), "blobs") };
  const s = await scene(t, { env, args: ["--node", "n1"] });
  const kb = await start(t, { env: { ...s.server.chatEnv(), ...env }, args: ["--node", "n2"], key: false });
  kb.key = s.kb.key;
  return { s, other: { ...s, kb, agent: new Agent(kb, s.agent.record, s.agent.key) }, run };
}

/** Reads a numbered stream on until `enough` says so of what there is; leaves it then. */
async function read({ kb, agent }, method, where, enough, { json, begun } = {}) {
  const stop = new AbortController();
  const reply = await fetch(`${kb.url}/api/v1${agent.path}${where}`, {
    method,
    headers: { authorization: `Bearer ${kb.key}`, "content-type": "application/json" },
    body: json && JSON.stringify(json),
    signal: stop.signal,
  });
  assert.equal(reply.status, 200);
  begun?.();
  let all = Buffer.alloc(0);
  for await (const piece of reply.body) {
    all = Buffer.concat([all, piece]);
    // Half a character may stand behind the last event.
    if (enough(all.lastIndexOf("\n\n") < 0 ? [] : numberedEvents(all.subarray(0, all.lastIndexOf("\n\n") + 2)))) break;
  }
  stop.abort();
  return numberedEvents(all.subarray(0, all.lastIndexOf("\n\n") + 2));
}
const textOf = (events) =>
  events
    .filter(({ event }) => event === "progress")
    .map(({ data }) => data.message)
    .join("");
const ended = (events) => ["finish", "error"].includes(events.at(-1)?.event);
const ask = (s, enough) =>
  read(s, "POST", `${s.messages}?stream=true&resumable=true`, enough, { json: { prompt: foreign[0] } });
const follow = (s, id, from, enough = ended, begun = undefined) =>
  read(s, "GET", `${s.messages}/${id}/stream?from=${from}`, enough, { begun });
/** Resolves as soon as the server follows; the events come later. */
const following = (s, id, from) =>
  new Promise((resolve, reject) => {
    const events = follow(s, id, from, ended, () => resolve({ events }));
    events.catch(reject);
  });

test("a stream that broke goes on where it broke, byte for byte", async (t) => {
  const s = await scene(t);
  const broken = await ask(s, (events) => textOf(events) === "One two three четыре");
  assert.deepEqual(
    broken.map(({ id }) => id),
    broken.map((_, i) => bytes(textOf(broken.slice(0, i + 1)))),
    "each id is the length of the text so far",
  );
  const { id } = broken[0].data;
  const at = broken.at(-1).id;
  s.chat.until = 6;
  const more = await follow(s, id, at, (events) => textOf(events).length > 4);
  s.chat.until = Infinity;
  const rest = await follow(s, id, more.at(-1).id);
  assert.equal(textOf(broken) + textOf(more) + textOf(rest), said);
  assert.equal(rest.at(-1).id, bytes(said));
  const message = await s.agent.expect(200, "GET", `${s.messages}/${id}`);
  const { finish } = { finish: rest.at(-1) };
  assert.deepEqual(
    [finish.event, finish.data.id, finish.data.session_id, finish.data.citations],
    ["finish", id, s.session, message.citations],
  );
  assert.equal(message.llm_response, said);
  assert.equal(s.chat.seen.length, 1, "the model was asked once");
});

test("a reload in the middle shows what there is, and later the whole", async (t) => {
  const s = await scene(t);
  const begun = await ask(s, (events) => textOf(events) === "One two three четыре");
  const { id } = begun[0].data;
  const shown = await until("the text to be kept", async () => {
    const list = (await s.agent.expect(200, "GET", s.messages)).messages;
    assert.deepEqual([list.total, list.data[0].id, list.data[0].is_running], [1, id, true]);
    return list.data[0].llm_response && list.data[0];
  });
  assert.equal(shown.llm_response, "One two three четыре");
  assert.deepEqual([shown.user_query, shown.citations], [foreign[0], null]);
  assert.equal((await s.agent.expect(200, "GET", `${s.messages}/${id}`)).is_running, true);
  s.chat.until = Infinity;
  const whole = await follow(s, id, 0);
  assert.equal(textOf(whole), said);
  const list = (await s.agent.expect(200, "GET", s.messages)).messages;
  assert.deepEqual([list.total, list.data[0].llm_response, list.data[0].is_running], [1, said, undefined]);
});

test("a finished answer gives its rest at once, from any byte", async (t) => {
  const s = await scene(t);
  s.chat.until = Infinity;
  const { id } = await s.agent.ask(foreign[0], { session: s.session });
  for (const [from, rest] of [
    [0, said],
    [4, said.slice(4)],
    [bytes("One two three чет"), "ыре fünf six 七 eight."],
    [bytes("One two three чет") + 1, "ыре fünf six 七 eight."],
    [bytes(said), ""],
    [bytes(said) + 100, ""],
  ]) {
    const events = await follow(s, id, from);
    assert.deepEqual([textOf(events), events.at(-1).event], [rest, "finish"], String(from));
  }
  // As clients continue that know the protocol.
  const reply = await s.agent.api("GET", `${s.messages}/${id}/stream`, { headers: { "last-event-id": "4" } });
  assert.equal(textOf(numberedEvents(reply.bytes)), said.slice(4));
  for (const from of ["-1", "x", "1.5"]) {
    const refused = await s.agent.api("GET", `${s.messages}/${id}/stream?from=${from}`);
    assert.deepEqual([refused.status, refused.json.data.message.split(" ")[0]], [400, "from"]);
  }
  assert.equal((await s.agent.api("GET", `${s.messages}/${id + 1000}/stream`)).status, 404);
});

test("who has not asked for a numbered stream gets none", async (t) => {
  const s = await scene(t);
  s.chat.until = Infinity;
  const { events } = await s.agent.stream(foreign[0]); // its reader knows no other line
  assert.deepEqual(events[0].data, { status: "start", prompt: foreign[0] });
});

test("an answer whose writer was killed ends with what there is, and the conversation goes on", async (t) => {
  const s = await scene(t);
  const begun = await ask(s, (events) => textOf(events) === "One two three четыре");
  const { id } = begun[0].data;
  await until(
    "the text to be kept",
    async () => (await s.agent.expect(200, "GET", `${s.messages}/${id}`)).llm_response,
  );
  await s.kb.kill9();
  await s.kb.restart();
  const ending = await follow(s, id, 0);
  assert.deepEqual(
    [textOf(ending), ending.at(-1).event, ending.at(-1).data.code],
    ["One two three четыре", "error", 502],
  );
  const message = await s.agent.expect(200, "GET", `${s.messages}/${id}`);
  assert.deepEqual([message.llm_response, message.is_running], ["One two three четыре", undefined]);
  // One that had not said anything yet.
  s.chat.until = 0;
  const silent = await ask(s, (events) => events.length && s.chat.live === 1);
  await s.kb.kill9();
  await s.kb.restart();
  assert.equal(textOf(await follow(s, silent[0].data.id, 0)), siesta);
  s.chat.until = Infinity;
  assert.equal((await s.agent.ask(foreign[0], { session: s.session })).llm_response, said);
  assert.equal((await s.agent.expect(200, "GET", s.messages)).messages.total, 3);
});

for (const [what, gone] of [
  ["conversation", (s) => s.agent.expect(200, "DELETE", `/conversations/${s.session}`)],
  ["agent", (s) => s.agent.expect(200, "DELETE", "")],
])
  test(`deleting the ${what} ends the answer and whoever follows it`, async (t) => {
    const s = await scene(t);
    const begun = await ask(s, (events) => textOf(events) === "One two three четыре");
    const follower = await following(s, begun[0].data.id, begun.at(-1).id);
    await gone(s);
    await until("the double to be left", () => s.chat.seen.at(-1).gone);
    const { event, data } = (await follower.events).at(-1);
    assert.deepEqual([event, data.code], ["error", 404]);
    assert.equal((await s.agent.api("GET", s.messages)).status, 404, "it stays deleted");
  });

test("a stop ends those who follow as well, when its grace is over", async (t) => {
  const s = await scene(t, { args: ["--stop-grace", "1"] });
  const begun = await ask(s, (events) => textOf(events) === "One two three четыре");
  const follower = await following(s, begun[0].data.id, begun.at(-1).id);
  assert.equal(await s.kb.stop(), 0);
  await follower.events.catch(() => []);
});

test("who hears nothing for four seconds is told to wait, in a numbered stream", async (t) => {
  const s = await scene(t, { settings: { hang_in_there_msg: "Still looking." } });
  s.chat.until = 0;
  const waiting = (events) => events.some(({ event }) => event === "waiting");
  const [first, begun] = await Promise.all([
    ask(s, waiting),
    until("the answer to begin", async () => {
      const reply = await s.agent.api("GET", s.messages);
      return reply.status === 200 && reply.data.messages.data[0];
    }),
  ]);
  assert.deepEqual(first.at(-1).data, { status: "waiting", text: "Still looking." });
  // Who comes later is told at once.
  const later = await follow(s, begun.id, 0, waiting);
  assert.deepEqual(later.at(-1).data, { status: "waiting", text: "Still looking." });
  s.chat.until = Infinity;
  assert.equal(textOf(await follow(s, begun.id, 0)), said);
});

test("an answer that one node writes is shown, continued and finished at another", async (t) => {
  const { s, other } = await pair(t);
  const broken = await ask(s, (events) => textOf(events) === "One two three четыре");
  const { id } = broken[0].data;
  const more = follow(other, id, broken.at(-1).id);
  const shown = await until("the other node to show it", async () => {
    const message = await other.agent.expect(200, "GET", `${s.messages}/${id}`);
    return message.llm_response && message;
  });
  assert.deepEqual([shown.llm_response, shown.is_running], ["One two three четыре", true]);
  s.chat.until = Infinity;
  const rest = await more;
  assert.equal(textOf(broken) + textOf(rest), said);
  assert.deepEqual([rest.at(-1).event, rest.at(-1).id, rest.at(-1).data.id], ["finish", bytes(said), id]);
  assert.equal(textOf(await follow(other, id, 0)), said);
  assert.equal(s.chat.seen.length, 1, "the model was asked once");
});

test("deleting the conversation at one node ends what another writes, and whoever follows it anywhere", async (t) => {
  const { s, other } = await pair(t);
  const begun = await ask(s, (events) => textOf(events) === "One two three четыре");
  const { id } = begun[0].data;
  const followers = await Promise.all([s, other].map((node) => following(node, id, begun.at(-1).id)));
  await other.agent.expect(200, "DELETE", `/conversations/${s.session}`);
  await until("the double to be left", () => s.chat.seen.at(-1).gone);
  for (const { events } of followers) {
    const { event, data } = (await events).at(-1);
    assert.deepEqual([event, data.code], ["error", 404]);
  }
  for (const { agent } of [s, other]) assert.equal((await agent.api("GET", s.messages)).status, 404);
});

test("when the node that writes dies, another ends the answer with what there is", async (t) => {
  const { s, other, run } = await pair(t);
  const begun = await ask(s, (events) => textOf(events) === "One two three четыре");
  const { id } = begun[0].data;
  await until(
    "the text to be kept",
    async () => (await other.agent.expect(200, "GET", `${s.messages}/${id}`)).llm_response,
  );
  const follower = await following(other, id, 0);
  await s.kb.kill9();
  await run("UPDATE answers SET lease_until = 1"); // as if twenty seconds had passed
  const ending = await follower.events;
  assert.deepEqual(
    [textOf(ending), ending.at(-1).event, ending.at(-1).data.code],
    ["One two three четыре", "error", 502],
  );
  const message = await other.agent.expect(200, "GET", `${s.messages}/${id}`);
  assert.deepEqual([message.llm_response, message.is_running], ["One two three четыре", undefined]);
  s.chat.until = Infinity;
  assert.equal((await other.agent.ask(foreign[0], { session: s.session })).llm_response, said);
  await s.kb.restart();
  const { total, data } = (await s.agent.expect(200, "GET", s.messages)).messages;
  assert.deepEqual([total, data.some(({ is_running }) => is_running)], [2, false]);
});
