// A visitor's page goes on with a running answer after a broken line or a reload, and nobody else does.
import { assert, start, test, until } from "./lib/harness.mjs";
import { foreign, library } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";
import { numberedEvents } from "./lib/sse.mjs";

const said = "One two three четыре fünf six 七 eight.";
const begun = "One two three четыре";
const page = { "x-docent-visitor": "1" };

async function scene(t, { settings = {} } = {}) {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ files: library });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content", ...settings } });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  Object.assign(server.chat, { say: said, until: 4 });
  return { kb, agent, slug, chat: server.chat, base: `/public/v1/agents/${slug}` };
}

/** Somebody's browser. */
async function visit({ kb, base }) {
  const reply = await kb.api("POST", `${base}/visit`, { plain: true, key: null, json: {}, headers: page });
  const cookie = reply.headers["set-cookie"][0].split(";")[0];
  const headers = { ...page, cookie };
  const call = (method, rest, options = {}) =>
    kb.api(method, base + rest, { plain: true, key: null, ...options, headers: { ...headers, ...options.headers } });
  /** Reads a stream on until `enough` says so of what there is; leaves it then. */
  const read = async (method, rest, enough, json) => {
    const stop = new AbortController();
    const reply = await fetch(kb.url + base + rest, {
      method,
      headers: { ...headers, "content-type": "application/json" },
      body: json && JSON.stringify(json),
      signal: stop.signal,
    });
    assert.equal(reply.status, 200);
    let all = Buffer.alloc(0);
    for await (const piece of reply.body) {
      all = Buffer.concat([all, piece]);
      if (all.includes("\n\n") && enough(numberedEvents(all.subarray(0, all.lastIndexOf("\n\n") + 2)))) break;
    }
    stop.abort();
    return numberedEvents(all.subarray(0, all.lastIndexOf("\n\n") + 2));
  };
  return { call, read, cookie };
}
const textOf = (events) =>
  events
    .filter(({ event }) => event === "progress")
    .map(({ data }) => data.message)
    .join("");
const ended = (events) => ["finish", "error"].includes(events.at(-1)?.event);
const ask = (visitor, enough) => visitor.read("POST", "/messages", enough, { prompt: foreign[0] });
const pathOf = (events) => `/conversations/${events[0].data.session_id}/messages/${events[0].data.id}`;

test("a visitor's broken answer goes on where it broke; its talk shows it meanwhile", async (t) => {
  const s = await scene(t);
  const ann = await visit(s);
  const broken = await ask(ann, (events) => textOf(events) === begun);
  const at = pathOf(broken);
  const talk = `/conversations/${broken[0].data.session_id}`;
  const shown = await until("the text to be kept", async () => {
    const [message] = (await ann.call("GET", talk)).data.messages;
    return message?.text && message;
  });
  assert.deepEqual([shown.is_running, shown.text, shown.id], [true, begun, broken[0].data.id]);
  assert.equal((await ann.call("POST", "/messages", { json: { prompt: "And?" } })).status, 429, "one at a time");
  s.chat.until = Infinity;
  const rest = await ann.read("GET", `${at}/stream?from=${broken.at(-1).id}`, ended);
  assert.equal(textOf(broken) + textOf(rest), said);
  assert.deepEqual([rest.at(-1).event, rest.at(-1).data.id], ["finish", broken[0].data.id]);
  const [message] = (await ann.call("GET", talk)).data.messages;
  assert.deepEqual([message.is_running, message.text], [false, said]);
  assert.equal(s.chat.seen.length, 1, "the model was asked once");
});

test("from may be odd; another visitor, a foreign page and a closed agent get nothing", async (t) => {
  const s = await scene(t);
  const [ann, bob] = [await visit(s), await visit(s)];
  const broken = await ask(ann, (events) => textOf(events) === begun);
  const at = pathOf(broken);
  for (const [from, status] of [
    ["-1", 400],
    ["1.5", 400],
    ["x", 400],
    ["%00", 400],
    ["99999999999999999999999", 400],
    ["0x10", 400],
  ])
    assert.equal((await ann.call("GET", `${at}/stream?from=${from}`)).status, status, from);
  for (const rest of [`${at}/stream`, `${at}/pictures`, at.split("/messages")[0]])
    assert.equal((await bob.call("GET", rest)).status, 404, rest);
  const swapped = { headers: { cookie: bob.cookie } };
  assert.equal((await ann.call("GET", `${at}/stream`, swapped)).status, 404, "two cookies swapped");
  assert.equal((await ann.call("GET", `${at}/stream`, { headers: { "x-docent-visitor": "" } })).status, 401);
  assert.equal((await ann.call("GET", `${at}/stream`, { headers: { "sec-fetch-site": "cross-site" } })).status, 401);
  for (const id of ["0", "-1", "9".repeat(30), "x"])
    assert.ok([400, 404].includes((await ann.call("GET", at.replace(/\d+$/, id) + "/stream")).status), id);
  // Who reads on is cut off as soon as the agent is closed.
  const follows = ann.read("GET", `${at}/stream?from=999999999`, ended).catch(() => []);
  await s.agent.expect(200, "POST", "", { json: { is_shared: false } });
  const last = (await follows).at(-1);
  assert.ok(!last || last.event !== "finish", "the stream has ended before its answer");
  assert.equal((await ann.call("GET", `${at}/stream`)).status, 404);
  s.chat.until = Infinity;
});

test("an answer whose server was killed ends with what there is, and its visitor may ask again", async (t) => {
  const s = await scene(t);
  const ann = await visit(s);
  const broken = await ask(ann, (events) => textOf(events) === begun);
  const at = pathOf(broken);
  const talk = at.split("/messages")[0];
  await until("the text to be kept", async () => (await ann.call("GET", talk)).data.messages[0]?.text);
  await s.kb.kill9();
  await s.kb.restart();
  const rest = await ann.read("GET", `${at}/stream?from=${broken.at(-1).id}`, ended);
  assert.deepEqual([textOf(rest), rest.at(-1).event, rest.at(-1).data.code], ["", "error", 502]);
  const [message] = (await ann.call("GET", talk)).data.messages;
  assert.deepEqual([message.is_running, message.text], [false, begun]);
});
