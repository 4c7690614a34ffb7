// The Model Context Protocol: the official TypeScript SDK's client, unchanged, and the protocol's own
// rules by hand. Without the registry there is no package, and its stories say so and are skipped.
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, start, test } from "./lib/harness.mjs";
import { followUp, foreign, library, noAnswer, questions } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const installed = existsSync(
  fileURLToPath(new URL("./node_modules/@modelcontextprotocol/sdk/package.json", import.meta.url)),
);
const options = installed
  ? {}
  : { skip: "the npm packages are not installed (is the registry reachable? cd tests/api && npm ci)" };
const [question, document, words] = questions[0];

/** A connected client of the agent; query: of its address. */
async function connect(t, kb, agent, { key = kb.key, query = "" } = {}) {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client({ name: "stories", version: "1.0.0" });
  await client.connect(
    new StreamableHTTPClientTransport(new URL(`${kb.url}/mcp/projects/${agent.id}${query}`), {
      requestInit: { headers: { Authorization: `Bearer ${key}` } },
    }),
  );
  t.after(() => client.close());
  return client;
}

const call = (client, name, args = {}) => client.callTool({ name, arguments: args });

test("the SDK's client connects and is told what it can do", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const client = await connect(t, kb, agent);
  assert.deepEqual(Object.keys(client.getServerCapabilities()).sort(), ["resources", "tools"]);
  assert.equal(client.getServerVersion().title, "Harbour");
  assert.match(client.getInstructions(), /Harbour/);
  await client.ping();
  const { tools } = await client.listTools();
  assert.deepEqual(
    tools.map(({ name, inputSchema }) => [name, inputSchema.required]),
    [
      ["ask", ["question"]],
      ["search", ["query"]],
      ["read_document", ["document_id"]],
    ],
  );
  assert.ok(tools.every((tool) => tool.title && tool.description && tool.annotations));
});

test("ask answers with its citations, and goes on in its conversation", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const client = await connect(t, kb, agent);
  const page = await agent.page(document);
  const { content, structuredContent: first, isError } = await call(client, "ask", { question });
  assert.ok(!isError && content[0].text.includes(words) && /\[1\]/.test(content[0].text));
  assert.equal(first.answer, content[0].text);
  assert.deepEqual(
    first.citations.map((citation) => citation.document_id),
    [page.id],
  );
  assert.equal(content[1].type, "resource_link");
  const { contents } = await client.readResource({ uri: content[1].uri });
  assert.ok(contents[0].text.includes(words));
  const { structuredContent: second } = await call(client, "ask", {
    question: followUp.then,
    conversation: first.conversation,
  });
  assert.equal(second.conversation, first.conversation);
  const { messages } = await agent.expect(200, "GET", `/conversations/${first.conversation}/messages`);
  assert.equal(messages.total, 2, "both are messages of one conversation");
  const none = await call(client, "ask", { question: foreign[0] });
  assert.deepEqual([none.structuredContent.answered, none.structuredContent.citations], [false, []]);
  assert.equal(none.content[0].text, noAnswer);
});

test("search finds passages, read_document reads them where they stand", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const client = await connect(t, kb, agent);
  const { structuredContent, content } = await call(client, "search", { query: question, limit: 3 });
  const [best] = structuredContent.passages;
  assert.equal(best.document_id, (await agent.page(document)).id);
  assert.ok(structuredContent.passages.length <= 3 && content[0].text.includes(best.text));
  const length = Buffer.byteLength(best.text);
  const { structuredContent: part } = await call(client, "read_document", {
    document_id: best.document_id,
    offset: best.offset,
    length,
  });
  assert.equal(part.text, best.text);
  assert.ok(part.total >= best.offset + length);
});

test("documents are resources, page by page", options, async (t) => {
  const kb = await start(t);
  const notes = (from, to) =>
    Object.fromEntries(
      Array.from({ length: to - from }, (_, i) => [`note-${from + i}.txt`, `Note ${from + i} is about tea.`]),
    );
  const agent = await kb.agent({ files: notes(0, 50) });
  await agent.add(notes(50, 100));
  await agent.add(notes(100, 103));
  await agent.settled();
  const client = await connect(t, kb, agent);
  const first = await client.listResources();
  const second = await client.listResources({ cursor: first.nextCursor });
  assert.deepEqual([first.resources.length, second.resources.length, second.nextCursor], [100, 3, undefined]);
  assert.equal(new Set([...first.resources, ...second.resources].map(({ uri }) => uri)).size, 103);
  assert.deepEqual((await client.listResourceTemplates()).resourceTemplates, []);
});

test("labels stand in the address, and hide a document from every tool and list", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const hidden = await agent.page(document);
  const [staff] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  await agent.expect(200, "PUT", `/pages/${hidden.id}/labels`, { json: { label_ids: [staff.id] } });
  const open = await connect(t, kb, agent, { query: "?labels[]=staff" });
  const closed = await connect(t, kb, agent);
  const seen = async (client) => {
    const all = [
      (await call(client, "ask", { question })).content[0].text,
      JSON.stringify(await call(client, "search", { query: question })),
      JSON.stringify(await call(client, "read_document", { document_id: hidden.id })),
      JSON.stringify(await client.listResources()),
    ];
    return all.map((text) => text.includes(words) || text.includes(`/documents/${hidden.id}"`));
  };
  assert.deepEqual(await seen(open), [true, true, true, true]);
  assert.deepEqual(await seen(closed), [false, false, false, false]);
  const uri = `docent://projects/${agent.id}/documents/${hidden.id}`;
  await assert.rejects(closed.readResource({ uri }), /not found/);
  assert.equal((await open.readResource({ uri })).contents.length, 1);
  const widened = await call(closed, "search", { query: question, labels: ["staff"] });
  assert.ok(!JSON.stringify(widened).includes(words), "arguments do not open what the address does not");
});

test("ask waits for a model, and a model that fails is a result that says so", options, async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ files: library });
  const client = await connect(t, kb, agent);
  const { content, structuredContent } = await call(client, "ask", { question });
  assert.ok(content[0].text.includes(words) && /\[1\]/.test(content[0].text), content[0].text);
  assert.deepEqual(
    structuredContent.citations.map((citation) => citation.document_id),
    [(await agent.page(document)).id],
  );
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  server.chat.mode = "500";
  const failed = await call(client, "ask", { question: foreign[0] });
  assert.ok(failed.isError && failed.content[0].text.length > 0, JSON.stringify(failed));
});

test("what an agent refuses is a result that says so; a wrong call is an error", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const client = await connect(t, kb, agent);
  const missing = await call(client, "read_document", { document_id: 987654 });
  assert.deepEqual([missing.isError, missing.content[0].text], [true, "Document with id 987654 not found"]);
  await assert.rejects(call(client, "ask", { question: " " }), /question can't be empty/);
  await assert.rejects(call(client, "ask", { question, conversation: "a b" }), /-32602/);
  await assert.rejects(call(client, "search", { query: question, limit: 999 }), /limit must be an integer/);
  await assert.rejects(call(client, "dance"), /no tool of that name/);
  await assert.rejects(client.readResource({ uri: "file:///etc/passwd" }), /no such resource/);
  await assert.rejects(client.listResources({ cursor: "x" }), /cursor/);
});

test("the protocol's messages, by hand", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const send = async (body, headers = {}, key = kb.key) => {
    const reply = await fetch(`${kb.url}/mcp/projects/${agent.id}`, {
      method: "POST",
      headers: {
        "content-type": "application/json",
        accept: "application/json, text/event-stream",
        ...(key ? { authorization: `Bearer ${key}` } : {}),
        ...headers,
      },
      body: typeof body === "string" ? body : JSON.stringify(body),
    });
    const text = await reply.text();
    return { status: reply.status, json: text ? JSON.parse(text) : null };
  };
  const rpc = (method, params, id = 1) => ({ jsonrpc: "2.0", id, method, ...(params && { params }) });
  for (const [name, body, headers, status, code] of [
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}, 202],
    ["an answer to us", { jsonrpc: "2.0", id: 7, result: {} }, {}, 202],
    ["a ping", rpc("ping"), {}, 200],
    ["an id in letters", rpc("ping", undefined, "a-1"), {}, 200],
    ["an unknown method", rpc("tools/dance"), {}, 200, -32601],
    ["params that are no object", rpc("tools/list", [1]), {}, 200, -32602],
    ["a version that is served", rpc("ping"), { "mcp-protocol-version": "2025-06-18" }, 200],
    ["a version of the future", rpc("ping"), { "mcp-protocol-version": "2999-01-01" }, 400],
    ["no JSON-RPC", { hello: 1 }, {}, 400],
    ["several at once", [rpc("ping")], {}, 400],
    ["no JSON", "{", {}, 400],
    ["an id that is none", rpc("ping", undefined, { a: 1 }), {}, 400],
  ]) {
    const reply = await send(body, headers);
    assert.equal(reply.status, status, name);
    assert.equal(reply.json?.error?.code, code, name);
    if (status === 200) assert.equal(reply.json.id, body.id, name);
    if (status === 202) assert.equal(reply.json, null, name);
  }
  const offered = async (protocolVersion) =>
    (await send(rpc("initialize", { protocolVersion }))).json.result.protocolVersion;
  assert.equal(await offered("2025-06-18"), "2025-06-18");
  assert.equal(await offered("1999-01-01"), "2025-11-25", "another one is met with the newest");
  assert.equal((await send(rpc("ping"), {}, null)).status, 401);
  const stranger = await kb.newKey({ account: "stranger" });
  assert.equal((await send(rpc("ping"), {}, stranger)).status, 404);
  const get = await fetch(`${kb.url}/mcp/projects/${agent.id}`, { headers: { authorization: `Bearer ${kb.key}` } });
  assert.equal(get.status, 405, "there is no stream from our side");
});
