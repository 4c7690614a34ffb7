// docent proxy: what a browser extension sees, in front of a real service.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import http from "node:http";
import { assert, docent, start, test } from "./lib/harness.mjs";
import { binary } from "./lib/service.mjs";
import { raw, request } from "./lib/http.mjs";
import { library } from "./lib/documents.mjs";

const clean = () => Object.fromEntries(Object.entries(process.env).filter(([name]) => !name.startsWith("DOCENT_")));
const settings = (kb, agent) => ({ DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key, DOCENT_AGENT_ID: String(agent.id) });

class Proxy {
  constructor(url, child, ended) {
    Object.assign(this, { url, child, ended });
  }

  /** One call; its answer always carries the fields that browsers ask for. */
  async call(method, path, { json, body = json === undefined ? undefined : JSON.stringify(json), headers = {} } = {}) {
    const reply = await request(this.url + path, {
      method,
      body,
      headers: { ...(body === undefined ? {} : { "content-type": "application/json" }), ...headers },
    });
    assert.equal(reply.headers["access-control-allow-origin"], this.origin ?? "*");
    assert.equal(reply.headers["access-control-allow-methods"], "GET, POST, PUT, DELETE, OPTIONS");
    assert.equal(reply.headers["access-control-allow-headers"], "Content-Type, Authorization");
    if (reply.bytes.length) reply.json = JSON.parse(reply.text);
    return reply;
  }

  async expect(status, method, path, options) {
    const reply = await this.call(method, path, options);
    assert.equal(reply.status, status, `${method} ${path} answered ${reply.status}: ${reply.text}`);
    return reply.json;
  }

  /** An error has exactly two texts, and the sentence says this. */
  async fails(status, sentence, method, path, options) {
    const json = await this.expect(status, method, path, options);
    assert.deepEqual(Object.keys(json).sort(), ["error", "message"]);
    assert.ok(json.error.length > 3 && json.error.length < 40);
    assert.match(json.message, sentence);
    return json;
  }
}

async function proxy(t, env, { args = [] } = {}) {
  const child = spawn(binary, ["proxy", "--listen", "127.0.0.1:0", ...args], {
    env: { ...clean(), ...env },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let log = "";
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
  t.after(async () => {
    child.kill("SIGTERM");
    assert.equal(await ended, 0, log);
  });
  const url = await new Promise((resolve, reject) => {
    child.stderr.on("data", (piece) => {
      log += piece;
      const listening = /^listening on (http:\S+)$/m.exec(log);
      if (listening) resolve(listening[1]);
    });
    ended.then((code) => reject(new Error(`the proxy ended with ${code}: ${log}`)));
  });
  const made = new Proxy(url, child, ended);
  Object.defineProperty(made, "log", { get: () => log });
  return made;
}

async function scene(t, env = {}) {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Reading room", files: library });
  return { kb, agent, front: await proxy(t, { ...settings(kb, agent), ...env }) };
}

/** A service that answers everything with this. */
async function pretender(t, answer) {
  const asked = [];
  const server = http.createServer((req, res) => {
    let body = "";
    req.on("data", (piece) => (body += piece));
    req.on("end", () => {
      asked.push({ method: req.method, url: req.url, body, key: req.headers.authorization });
      answer(res, req);
    });
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

test("a question through the proxy is answered, cited and kept in one conversation", async (t) => {
  const { agent, front } = await scene(t);
  const sessionId = randomUUID();
  const first = await front.expect(200, "POST", "/api/chat", {
    json: { sessionId, message: "Who built the Velmora lighthouse?" },
  });
  assert.deepEqual(Object.keys(first), ["success", "message", "conversationId", "sessionId", "messageId", "citations"]);
  assert.equal(first.success, true);
  assert.match(first.message, /Hester Quillby/);
  assert.equal(first.sessionId, sessionId);
  assert.ok(Number.isInteger(first.conversationId) && Number.isInteger(first.messageId));
  const second = await front.expect(200, "POST", "/api/chat", {
    json: { sessionId, message: "How much is a ticket for the lighthouse?", conversationId: first.conversationId },
  });
  assert.equal(second.conversationId, first.conversationId);
  assert.notEqual(second.messageId, first.messageId);
  const { messages } = await agent.expect(200, "GET", `/conversations/${sessionId}/messages`);
  assert.equal(messages.total, 2);

  assert.equal(first.citations.length > 0, true);
  const citation = await front.expect(200, "GET", `/api/citations?citationId=${first.citations[0]}`);
  assert.equal(citation.success, true);
  assert.deepEqual(citation.data, await agent.expect(200, "GET", `/citations/${first.citations[0]}`));

  const nothing = await front.expect(200, "POST", "/api/chat", {
    json: { sessionId, message: "What is the boiling point of tungsten?" },
  });
  assert.deepEqual(nothing.citations, []);
});

test("feedback reaches the message, its id as a number or as text", async (t) => {
  const { agent, front } = await scene(t);
  const sessionId = randomUUID();
  const { messageId } = await front.expect(200, "POST", "/api/chat", {
    json: { sessionId, message: "Who built the Velmora lighthouse?" },
  });
  for (const [id, reaction] of [
    [messageId, "liked"],
    [String(messageId), "disliked"],
  ]) {
    const { success, data } = await front.expect(200, "PUT", "/api/feedback", {
      json: { sessionId, messageId: id, reaction },
    });
    assert.equal(success, true);
    assert.equal(data.id, messageId);
    assert.equal(data.response_feedback.reaction, reaction);
    assert.equal(
      (await agent.expect(200, "GET", `/conversations/${sessionId}/messages/${messageId}`)).response_feedback.reaction,
      reaction,
    );
  }
  await front.fails(404, /not found/, "PUT", "/api/feedback", {
    json: { sessionId, messageId: 987654, reaction: "liked" },
  });
});

test("the settings that an extension shows", async (t) => {
  const { agent, front } = await scene(t);
  assert.deepEqual(await front.expect(200, "GET", "/api/settings"), {
    success: true,
    data: { name: "Reading room", avatar: null, suggestedQuestions: [], defaultPrompt: "Ask Me Anything ..." },
  });
  await agent.expect(200, "POST", "/settings", {
    json: { default_prompt: "What now?", example_questions: ["One?", "Two?"] },
  });
  assert.deepEqual((await front.expect(200, "GET", "/api/settings")).data, {
    name: "Reading room",
    avatar: null,
    suggestedQuestions: ["One?", "Two?"],
    defaultPrompt: "What now?",
  });
});

test("health says what is configured, and nothing else works before it is", async (t) => {
  const { front } = await scene(t);
  const health = await front.expect(200, "GET", "/api/health");
  assert.ok(Math.abs(new Date(health.timestamp) - Date.now()) < 60_000);
  delete health.timestamp;
  const endpoints = { chat: "/api/chat", health: "/api/health", settings: "/api/settings" };
  assert.deepEqual(health, {
    status: "ok",
    configured: true,
    config: { hasAPIKey: true, hasProjectID: true },
    features: { chat: true },
    endpoints,
  });

  for (const [env, missing, config] of [
    [{}, /lacks DOCENT_API_KEY and DOCENT_AGENT_ID\.$/, { hasAPIKey: false, hasProjectID: false }],
    [{ DOCENT_AGENT_ID: "7", DOCENT_API_KEY: "" }, /lacks DOCENT_API_KEY\.$/, { hasAPIKey: false, hasProjectID: true }],
    [{ DOCENT_API_KEY: "1|x" }, /lacks DOCENT_AGENT_ID\.$/, { hasAPIKey: true, hasProjectID: false }],
  ]) {
    const bare = await proxy(t, env);
    const said = await bare.expect(200, "GET", "/api/health");
    assert.deepEqual(
      [said.status, said.configured, said.config, said.features],
      ["ok", false, config, { chat: false }],
    );
    await bare.fails(500, missing, "POST", "/api/chat", { json: { sessionId: "s", message: "m" } });
    await bare.fails(500, missing, "GET", "/api/settings");
    await bare.fails(500, missing, "GET", "/api/citations?citationId=1");
    await bare.fails(500, missing, "PUT", "/api/feedback", {
      json: { sessionId: "s", messageId: 1, reaction: "liked" },
    });
  }
});

test("a call that lacks something is refused before the service is asked", async (t) => {
  const service = await pretender(t, (res) => res.end("{}"));
  const front = await proxy(t, { DOCENT_URL: service.url, DOCENT_API_KEY: "1|x", DOCENT_AGENT_ID: "7" });
  const message = "A question",
    sessionId = "s-1";
  for (const json of [
    { message },
    { message, sessionId: "" },
    { message, sessionId: 5 },
    { message, sessionId: "a/b" },
    { message, sessionId: ".." },
    { message, sessionId: "a?b" },
    { message, sessionId: "x".repeat(129) },
    { message, sessionId: "naïve" },
  ])
    await front.fails(400, /^sessionId is required/, "POST", "/api/chat", { json });
  for (const json of [
    { sessionId },
    { sessionId, message: "" },
    { sessionId, message: " \n\t " },
    { sessionId, message: 5 },
    { sessionId, message: null },
  ])
    await front.fails(400, /^message is required/, "POST", "/api/chat", { json });
  for (const body of ["", "{", "[]", "5", "null", '{"sessionId":"s","message":"\xff'])
    await front.fails(400, /./, "POST", "/api/chat", { body: Buffer.from(body, "latin1") });
  await front.fails(400, /./, "POST", "/api/chat", { json: { sessionId, message: "x".repeat(300_000) } });
  await front.fails(400, /^sessionId/, "PUT", "/api/feedback", { json: { messageId: 1, reaction: "liked" } });
  for (const messageId of [undefined, null, 0, -1, "x", "", 1.5, "99999999999999999999"])
    await front.fails(400, /^messageId is required/, "PUT", "/api/feedback", {
      json: { sessionId, messageId, reaction: "liked" },
    });
  for (const reaction of [undefined, null, "", "loved", 1])
    await front.fails(400, /^reaction is required/, "PUT", "/api/feedback", {
      json: { sessionId, messageId: 1, reaction },
    });
  for (const query of [
    "",
    "?citationId=",
    "?citationId=x",
    "?citationId=0",
    "?citationId=-4",
    "?citationId=1/2",
    "?citationId=1.5",
  ])
    await front.fails(400, /^citationId is required/, "GET", `/api/citations${query}`);
  assert.deepEqual(service.asked, []);
});

test("another method is 405, another path 404, and OPTIONS is always welcome", async (t) => {
  const front = await proxy(t, {});
  const routes = {
    "/api/chat": "POST",
    "/api/health": "GET",
    "/api/settings": "GET",
    "/api/feedback": "PUT",
    "/api/citations": "GET",
  };
  for (const [path, right] of Object.entries(routes)) {
    for (const method of ["GET", "POST", "PUT", "DELETE", "PATCH"])
      if (method !== right) {
        await front.fails(405, /./, method, path);
      }
    const asked = await front.call("OPTIONS", path, {
      headers: { origin: "https://x.example", "access-control-request-method": right },
    });
    assert.deepEqual([asked.status, asked.text], [200, ""]);
  }
  await front.fails(404, /./, "GET", "/");
  await front.fails(404, /./, "GET", "/api/v1/projects");
  assert.equal((await front.call("OPTIONS", "/anything")).status, 200);
  assert.match(
    (await raw(front.url, "nonsense\r\n\r\n")).toString(),
    /^HTTP\/1\.1 400 [^]*"error":"Invalid request","message":/,
  );
});

test("the service is called as the contract says, with the proxy's key alone", async (t) => {
  const service = await pretender(t, (res) =>
    res.end(
      JSON.stringify({
        status: "success",
        data: { id: null, llm_response: "Yes.", conversation_id: 3, citations: null },
      }),
    ),
  );
  const front = await proxy(t, {
    DOCENT_URL: `${service.url}/base/`,
    DOCENT_API_KEY: "12|secret",
    DOCENT_AGENT_ID: "7",
  });
  const said = await front.expect(200, "POST", "/api/chat", {
    json: { sessionId: "a.b_c~d-E", message: "Is “it” <so>?" },
    headers: { authorization: "Bearer mine" },
  });
  assert.deepEqual(said, {
    success: true,
    message: "Yes.",
    conversationId: 3,
    sessionId: "a.b_c~d-E",
    messageId: null,
    citations: [],
  });
  assert.equal(service.asked.length, 1);
  const [asked] = service.asked;
  assert.deepEqual(
    [asked.method, asked.url, asked.key],
    ["POST", "/base/api/v1/projects/7/conversations/a.b_c~d-E/messages?stream=false&lang=en", "Bearer 12|secret"],
  );
  assert.deepEqual(JSON.parse(asked.body), { prompt: "Is “it” <so>?", response_source: "default" });
});

test("what the operator or the service did wrong is a 502 that gives nothing away", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const chat = { json: { sessionId: "s", message: "Who built the lighthouse?" } };

  const wrongKey = await proxy(t, { ...settings(kb, agent), DOCENT_API_KEY: "99|0000000000000000000000000" });
  assert.equal((await wrongKey.expect(200, "GET", "/api/health")).configured, true);
  await wrongKey.fails(502, /refuses the proxy's key/, "POST", "/api/chat", chat);
  await wrongKey.fails(502, /refuses the proxy's key/, "GET", "/api/settings");

  const wrongAgent = await proxy(t, { ...settings(kb, agent), DOCENT_AGENT_ID: "987654" });
  await wrongAgent.fails(502, /not found/, "POST", "/api/chat", chat);
  await wrongAgent.fails(502, /not found/, "GET", "/api/settings");

  const nobody = await proxy(t, { ...settings(kb, agent), DOCENT_URL: "http://127.0.0.1:1" });
  for (const [method, path, options] of [
    ["POST", "/api/chat", chat],
    ["GET", "/api/settings"],
    ["GET", "/api/citations?citationId=1"],
    ["PUT", "/api/feedback", { json: { sessionId: "s", messageId: 1, reaction: "liked" } }],
  ]) {
    const { message } = await nobody.fails(502, /cannot be reached/, method, path, options);
    assert.ok(!message.includes("127.0.0.1"), "the visitor does not learn where the service is");
  }

  const right = await proxy(t, settings(kb, agent));
  await right.fails(404, /not found/, "GET", "/api/citations?citationId=987654");
  await right.fails(400, /8,?000/, "POST", "/api/chat", { json: { sessionId: "s", message: "x".repeat(8001) } });

  for (const answer of [
    (res) => res.end("no JSON"),
    (res) => res.end("{}"),
    (res) => res.end('{"data":[]}'),
    (res) => res.end('{"data":{}}'),
    (res) => res.destroy(),
    (res) => {
      res.statusCode = 500;
      res.end("<html>");
    },
    (res) => {
      res.statusCode = 302;
      res.setHeader("location", kb.url);
      res.end("{}");
    },
    (res) => res.end(`{"data":{"llm_response":"${"x".repeat(5 << 20)}"}}`),
  ]) {
    const odd = await pretender(t, answer);
    const front = await proxy(t, { ...settings(kb, agent), DOCENT_URL: odd.url });
    await front.fails(502, /^The knowledge base /, "POST", "/api/chat", chat);
    assert.equal(odd.asked.length, 1);
  }
  const spent = await pretender(t, (res) => {
    res.statusCode = 429;
    res.end('{"data":{"message":"You have exhausted your current query credits"}}');
  });
  await (
    await proxy(t, { ...settings(kb, agent), DOCENT_URL: spent.url })
  ).fails(502, /exhausted your current query credits/, "POST", "/api/chat", chat);
  assert.ok(!wrongKey.log.includes("0000000000000000000000000"), "the log does not hold the key");
});

test("with an origin configured, only that origin may call", async (t) => {
  const origin = "chrome-extension://abcdefghijklmnop";
  const { front } = await scene(t, { DOCENT_PROXY_ORIGIN: origin });
  front.origin = origin;
  const json = { sessionId: randomUUID(), message: "Who built the Velmora lighthouse?" };
  const mine = await front.call("POST", "/api/chat", { json, headers: { origin } });
  assert.equal(mine.status, 200);
  assert.equal(mine.headers.vary, "origin");
  await front.expect(200, "POST", "/api/chat", { json }); // no browser
  for (const [method, path, options] of [
    ["POST", "/api/chat", { json }],
    ["GET", "/api/settings", {}],
    ["GET", "/api/health", {}],
    ["GET", "/api/citations?citationId=1", {}],
    ["PUT", "/api/feedback", { json: { sessionId: "s", messageId: 1, reaction: "liked" } }],
  ])
    for (const other of ["https://evil.example", `${origin}x`, "null"])
      await front.fails(403, /another origin/, method, path, { ...options, headers: { origin: other } });
  assert.equal((await front.call("OPTIONS", "/api/chat", { headers: { origin: "https://evil.example" } })).status, 200);
});

test("a proxy that stops does not wait for the service", async (t) => {
  let arrived;
  const waiting = new Promise((resolve) => (arrived = resolve));
  const service = await pretender(t, () => arrived());
  const front = await proxy(t, { DOCENT_URL: service.url, DOCENT_API_KEY: "1|x", DOCENT_AGENT_ID: "7" });
  const answer = front.fails(502, /cannot be reached/, "POST", "/api/chat", { json: { sessionId: "s", message: "m" } });
  await waiting;
  front.child.kill("SIGTERM");
  await answer;
  assert.equal(await front.ended, 0);
});

test("wrong options end with 2 and say what is right", async () => {
  for (const [args, wanted] of [
    [["--colour", "red"], /unknown option --colour/],
    [["--url"], /--url needs a value/],
    [["--url", "nowhere"], /not a valid URL/],
    [["--url", "ftp://x/"], /http or https/],
    [["--url", "http://u:p@x/"], /without user/],
    [["--url", "http://x/?y"], /query/],
    [["--agent", "seven"], /--agent is seven/],
    [["--listen", "here"], /HOST:PORT/],
    [["--origin", "abc"], /one origin/],
    [["--origin", "https://a/"], /without a slash/],
    [["--origin", "https://a https://b"], /one origin/],
    [["--log", "loud"], /--log is loud/],
    [["extra"], /unknown option extra/],
  ]) {
    const { code, stdout, stderr } = await docent(["proxy", ...args]);
    assert.deepEqual([code, stdout], [2, ""], args.join(" "));
    assert.match(stderr, wanted);
  }
  const { code, stdout } = await docent(["proxy", "--help"]);
  assert.equal(code, 0);
  for (const name of ["DOCENT_URL", "DOCENT_API_KEY", "DOCENT_AGENT_ID", "DOCENT_PROXY_ORIGIN", "DOCENT_PROXY_LISTEN"])
    assert.ok(stdout.includes(name));
});
