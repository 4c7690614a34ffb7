// What goes wrong looks the same everywhere: the error envelope and the contract's texts.
import { randomUUID } from "node:crypto";
import { assert, start, test, until } from "./lib/harness.mjs";

/** The whole error body, as the contract prints it. */
function isError(reply, status, message) {
  assert.equal(reply.status, status, reply.text);
  assert.equal(reply.json.status, "error");
  assert.equal(reply.json.data.code, status);
  if (message instanceof RegExp) assert.match(reply.json.data.message, message);
  else assert.equal(reply.json.data.message, message);
  assert.equal(reply.json.message, reply.json.data.message, "the top-level copy that two clients read");
  assert.equal(reply.json.error.message, reply.json.data.message, "the member that chat libraries read");
  assert.equal(reply.headers["content-type"], "application/json");
}

test("an error names the full address of its request, query included", async (t) => {
  const kb = await start(t);
  const reply = await kb.api("GET", "/projects/9", { query: { width: "50%" } });
  isError(reply, 404, "Agent with id 9 not found");
  assert.equal(reply.json.url, `${kb.url}/api/v1/projects/9?width=50%25`);
  assert.deepEqual(Object.keys(reply.json).sort(), ["data", "error", "message", "status", "url"]);
  assert.deepEqual(Object.keys(reply.json.data).sort(), ["code", "message"]);
});

test("answers carry the contract's headers", async (t) => {
  const kb = await start(t);
  for (const where of ["/projects", "/projects/9"]) {
    const { headers } = await kb.api("GET", where);
    assert.equal(headers["content-type"], "application/json");
    assert.equal(headers["cache-control"], "no-cache, private");
  }
});

test("no answer may be taken for another type, and pages of browsers may read what clients need", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "A lighthouse." } });
  const [page] = await agent.pages();
  const message = await agent.ask("Hello");
  const cases = [
    ["GET", "/projects"],
    ["GET", "/projects/9"],
    ["PATCH", "/projects"],
    ["GET", "/nothing"],
    ["GET", "/healthz"],
    ["GET", "/openapi.json"],
    ["GET", "/metrics"],
    ["GET", `/preview/${page.id}`],
    ["GET", `${agent.path}/conversations/${message.session}/export`, { format: "html" }],
  ];
  for (const [method, where, query] of cases) {
    const { headers, rawHeaders } = await kb.api(method, where, { query });
    assert.equal(headers["x-content-type-options"], "nosniff", where);
    assert.equal(rawHeaders.filter((name) => name.toLowerCase() === "x-content-type-options").length, 1, where);
    assert.deepEqual(headers["access-control-expose-headers"].split(", "), [
      "x-request-id",
      "x-ratelimit-limit",
      "x-ratelimit-remaining",
      "retry-after",
      "x-should-retry",
      "etag",
      "content-disposition",
      "www-authenticate",
    ]);
  }
});

test("every answer names its request as the log does, and no two are alike", async (t) => {
  const kb = await start(t, { args: ["--log", "debug"] });
  const agent = await kb.agent();
  const replies = [
    await kb.api("GET", "/projects"),
    await kb.api("GET", "/projects"),
    await kb.api("GET", "/healthz", { plain: true }),
    await kb.api("GET", "/projects/999"),
    await kb.api("GET", "/projects", { key: null }),
    (await agent.stream("Hello")).reply,
  ];
  const refused = await kb.api("GET", "/nothing", { plain: true });
  const ids = [...replies, refused].map((reply) => reply.headers["x-request-id"]);
  for (const id of ids) assert.match(id ?? "", /^[0-9A-Za-z]{6}-\d+$/);
  assert.equal(new Set(ids).size, ids.length);
  const named = `request=${refused.headers["x-request-id"]}
`;
  await until("the log to name it", () => kb.log.includes(named));
  const other = await start(t);
  const there = (await other.api("GET", "/projects")).headers["x-request-id"];
  assert.notEqual(there.split("-")[0], ids[0].split("-")[0], "another process");
});

test("an id that is no integer gives 400, not 404", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    ["GET", "/projects/abc", "Agent id must be integer"],
    ["GET", "/projects/1.5", "Agent id must be integer"],
    ["GET", "/projects/1e3", "Agent id must be integer"],
    ["GET", "/projects/0x10", "Agent id must be integer"],
    ["GET", "/projects/99999999999999999999", "Agent id must be integer"],
    ["GET", "/projects/%E2%91%A0", "Agent id must be integer"],
    ["GET", "/projects/null/stats", "Agent id must be integer"],
    ["DELETE", "/projects/undefined", "Agent id must be integer"],
    ["POST", "/projects/x/conversations", "Agent id must be integer"],
    ["DELETE", `${agent.path}/pages/abc`, "Page id must be integer"],
    ["GET", `${agent.path}/citations/abc`, "Page id must be integer"],
    ["GET", "/preview/abc", "Page id must be integer"],
  ];
  for (const [method, where, message] of cases) isError(await kb.api(method, where), 400, message);
});

test("what is not there is named in the 404", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const message = await agent.ask("Hello");
  const uuid = randomUUID();
  const cases = [
    ["GET", "/projects/999", "Agent with id 999 not found"],
    ["POST", "/projects/999", "Agent with id 999 not found"],
    ["DELETE", "/projects/999", "Agent with id 999 not found"],
    ["GET", "/projects/0", "Agent with id 0 not found"],
    ["GET", "/projects/-5", "Agent with id -5 not found"],
    ["GET", "/projects/999/stats", "Agent with id 999 not found"],
    ["GET", "/projects/999/pages", "Agent with id 999 not found"],
    ["POST", "/projects/999/conversations", "Agent with id 999 not found"],
    ["DELETE", `${agent.path}/pages/999`, "Page with id 999 not found"],
    ["GET", `${agent.path}/citations/999`, "Page with id 999 not found"],
    ["GET", "/preview/999", "Page with id 999 not found"],
    ["PUT", `${agent.path}/conversations/${uuid}`, `Conversation with session id ${uuid} not found`, { name: "x" }],
    ["DELETE", `${agent.path}/conversations/${uuid}`, `Conversation with session id ${uuid} not found`],
    ["GET", `${agent.path}/conversations/${uuid}/messages`, `Conversation with session id ${uuid} not found`],
    [
      "GET",
      `${agent.path}/conversations/${message.session}/messages/999`,
      "Conversation message with id 999 not found",
    ],
  ];
  for (const [method, where, text, json] of cases) isError(await kb.api(method, where, { json }), 404, text);
});

test("an unknown address gives 404 in the same envelope", async (t) => {
  const kb = await start(t);
  for (const where of [
    "/api/v1/nothing",
    "/api/v2/projects",
    "/projects",
    "/nothing",
    "/api/v1/projects/1/pages/2/3/4",
    "/api/v1//projects",
  ])
    isError(await kb.api("GET", where, { plain: true }), 404, /./);
});

test("a method that an address does not have gives 405 and names those it has", async (t) => {
  const kb = await start(t);
  for (const [method, where] of [
    ["PATCH", "/projects"],
    ["PUT", "/projects/1"],
    ["DELETE", "/projects"],
    ["POST", "/projects/1/stats"],
    ["PUT", "/projects/1/chat/completions"],
  ]) {
    const reply = await kb.api(method, where);
    isError(reply, 405, /./);
    assert.match(reply.headers.allow ?? "", /GET|POST/, `${method} ${where}`);
    assert.ok(!(reply.headers.allow ?? "").split(/, */).includes(method));
  }
});

test("malformed JSON gives 400 and changes nothing", async (t) => {
  const kb = await start(t);
  const bodies = [
    "{",
    '{"project_name":}',
    "[1,2",
    "{'project_name':'x'}",
    '{"project_name":"x"}}',
    "nonsense",
    '"text"',
    "12",
    "[]",
    "null",
    '{"project_name":"\\ud800"}',
    Buffer.from([0x7b, 0xff, 0x7d]),
    `{"project_name":"${"x".repeat(3)}\n"}`,
    "[".repeat(20000),
    `${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`,
  ];
  for (const body of bodies)
    isError(await kb.api("POST", "/projects", { body, headers: { "content-type": "application/json" } }), 400, /./);
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 0);
});

test("an error has words of ours alone, none of a library's or of SQL", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await kb.newKey({ account: "taken" });
  const session_id = randomUUID();
  await agent.expect(201, "POST", "/conversations", { json: { session_id } });
  const type = { "content-type": "application/json" };
  const malformed = (text) => ["POST", `${agent.path}/conversations`, { body: text, headers: type }];
  const cases = [
    [
      ["POST", `${agent.path}/conversations`, { json: { session_id } }],
      `Conversation with session id ${session_id} already exists`,
    ],
    [["POST", "/user", { json: { name: "taken" } }], null],
    [malformed('{"name":"a\\u0000b"}'), "malformed JSON at byte 18: the character \\u0000 is not taken"],
    [malformed('{"na\\u0000me":"a"}'), "malformed JSON at byte 13: the character \\u0000 is not taken"],
    [malformed('{"name":'), "malformed JSON at byte 8: it ends too early"],
    [malformed('{"name":tru}'), "malformed JSON at byte 11: what stands there does not belong there"],
    [malformed('{"a":1,"a":1}'), "malformed JSON at byte 10: a name stands twice in one object"],
    [malformed('{"a":1e999}'), "malformed JSON at byte 10: a number is too large"],
    [malformed('{"a":1}x'), "malformed JSON at byte 8: something follows its end"],
    [malformed(Buffer.from([0x7b, 0x22, 0xff, 0x22, 0x7d])), "malformed JSON at byte 2: it is not valid UTF-8"],
    [malformed('{"a":' + "[".repeat(4000)), "malformed JSON at byte 2053: it is nested too deeply"],
    [
      ["POST", `${agent.path}/conversations/${session_id}/messages`, { body: '{"prompt":"a\\u0000"}', headers: type }],
      /is not taken$/,
    ],
    [["POST", `${agent.path}/chat/completions`, { body: '{"messages":[}', headers: type }], /does not belong there$/],
  ];
  for (const [[method, where, options], message] of cases) {
    const reply = await kb.api(method, where, options);
    if (message !== null) isError(reply, 400, message);
    assert.doesNotMatch(
      reply.json.message ?? "",
      /UNIQUE|constraint|sqlite|SQL\b|JSON_|near '|token|jansson|_add\b|_update\b/i,
    );
  }
});

test("a body over its limit gives 400 with the figures", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const body = JSON.stringify({ name: "x".repeat(1_100_000) });
  const reply = await agent.api("POST", "/conversations", {
    body,
    headers: { "content-type": "application/json" },
    agent: false,
  });
  isError(reply, 400, /limit of 1 MB/);
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
});

test("foreign text comes back in an error as JSON text, whatever it holds", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const session = "%22%3Cscript%3E%0D%0A%C3%A9%F0%9F%98%80";
  const reply = await agent.api("GET", `/conversations/${session}/messages`);
  isError(reply, 404, /^Conversation with session id "<script>/);
  assert.ok(!reply.rawHeaders.some((field) => field.includes("script")));
});
