// The Model Context Protocol: the official TypeScript SDK's client, unchanged, and the protocol's own
// rules by hand. Without the registry there is no package, and its stories say so and are skipped.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { assert, start, test, until } from "./lib/harness.mjs";
import { followUp, foreign, library, noAnswer, questions } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const installed = ["sdk", "client"].every((name) =>
  existsSync(fileURLToPath(new URL(`./node_modules/@modelcontextprotocol/${name}/package.json`, import.meta.url))),
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
  assert.ok(tools.every((tool) => tool.title && tool.description && tool.annotations && tool.outputSchema));
});

test("an editor's address lists gaps and answers them, another does not", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const ask = (prompt, person) =>
    agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, { json: { prompt, external_id: person } });
  for (const person of ["ann", "bob", "eve"]) await ask("When does the swimming pool open?", person);
  for (const person of ["ann", "bob"]) await ask("What is the boiling point of tungsten?", person);
  await until("two gaps", async () => {
    const { data } = await agent.expect(200, "GET", "/gaps");
    return data.length === 2 && data.reduce((n, gap) => n + gap.asked, 0) === 5;
  });
  const reader = await connect(t, kb, agent);
  await assert.rejects(call(reader, "list_gaps"), /there is no tool of that name/);
  const editor = await connect(t, kb, agent, { query: "?edit=true" });
  assert.deepEqual(
    (await editor.listTools()).tools.map(({ name }) => name),
    ["ask", "search", "read_document", "list_gaps", "answer_gap"],
  );
  const { structuredContent, content } = await call(editor, "list_gaps");
  const [gap] = structuredContent.gaps;
  assert.deepEqual(
    [structuredContent.gaps.length, gap.question, gap.asked, gap.people],
    [1, "When does the swimming pool open?", 3, 3],
  );
  assert.ok(!content[0].text.includes("tungsten"), "what fewer than three have asked is not told");
  const empty = await call(editor, "answer_gap", { gap_id: gap.gap_id });
  assert.deepEqual([empty.isError, empty.content[0].text], [true, "answer can't be empty"]);
  const gone = await call(editor, "answer_gap", { gap_id: 987654, answer: "x" });
  assert.deepEqual([gone.isError, gone.content[0].text], [true, "Gap with id 987654 not found"]);
  const made = await call(editor, "answer_gap", { gap_id: gap.gap_id, answer: "It opens at seven.", label_ids: [1] });
  await agent.settled();
  const answer = await ask("when does the swimming pool open", "joe");
  assert.deepEqual(
    [answer.llm_response, answer.verified.answer_id],
    ["It opens at seven.", made.structuredContent.answer_id],
  );
  assert.deepEqual((await call(editor, "list_gaps")).structuredContent.gaps, []);
  const { data: kept } = await kb.expect(200, "GET", "/audit");
  assert.deepEqual(
    kept.filter((row) => row.action === "answer.create").map((row) => [row.outcome, row.project_id]),
    [["done", agent.id]],
    "the answer that was given leaves its row, and those that were refused none",
  );
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
  const address = `${kb.url}/agents/${agent.id}/documents?document=${page.id}`;
  assert.equal(first.citations[0].url, address, "an upload is in the dashboard");
  assert.equal(content.at(-1).text, `[1] ${first.citations[0].title}: ${address}`);
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
  assert.deepEqual([none.structuredContent.outcome, none.structuredContent.closest], ["nothing", []]);
  assert.deepEqual([first.outcome, first.closest], ["answer", []]);
});

test("ask shows what comes close where nothing answers for sure", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const client = await connect(t, kb, agent);
  const { structuredContent, content } = await call(client, "ask", {
    question: "Is there a restaurant near the cliff?",
  });
  const { outcome, answered, answer, citations, closest } = structuredContent;
  assert.deepEqual([outcome, answered, answer, citations], ["closest", false, noAnswer, []]);
  assert.equal(content[0].text, noAnswer);
  assert.ok(closest.length >= 1 && closest.length <= 3);
  for (const { document_id, title, url, excerpt } of closest) {
    assert.equal(url, `${kb.url}/agents/${agent.id}/documents?document=${document_id}`);
    assert.ok(content.at(-1).text.includes(`- ${title}: ${excerpt.replaceAll("\n", " ")}\n  ${url}`));
  }
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

test(
  "what an agent refuses is a result that says so, wrong arguments too; a wrong call is an error",
  options,
  async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({ files: library });
    const client = await connect(t, kb, agent);
    for (const [name, args, sentence] of [
      ["read_document", { document_id: 987654 }, "Document with id 987654 not found"],
      ["read_document", {}, "document_id must be an integer from 1 to 9223372036854775807"],
      ["read_document", { document_id: 1, length: 0 }, "length must be an integer from 1 to 100000"],
      ["ask", { question: " " }, "question can't be empty"],
      ["ask", { question, conversation: "a b" }, /session/i],
      ["search", { query: question, limit: 0 }, "limit must be an integer from 1 to 50"],
      ["search", { query: question, limit: 51 }, "limit must be an integer from 1 to 50"],
      ["search", { query: question, limit: "many" }, "limit must be an integer from 1 to 50"],
      ["search", { query: question, limit: 2.5 }, "limit must be an integer from 1 to 50"],
    ]) {
      const { isError, content } = await call(client, name, args);
      assert.equal(isError, true, `${name} ${JSON.stringify(args)}`);
      if (sentence instanceof RegExp) assert.match(content[0].text, sentence);
      else assert.equal(content[0].text, sentence);
    }
    assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
    const { id } = await agent.page(document);
    for (const document_id of [`${id}`, ` ${id} `, id])
      assert.equal((await call(client, "read_document", { document_id, length: "40" })).structuredContent.length, 40);
    assert.equal((await call(client, "search", { query: question, limit: "1" })).structuredContent.passages.length, 1);
    await assert.rejects(call(client, "dance"), /no tool of that name/);
    await assert.rejects(client.readResource({ uri: "file:///etc/passwd" }), /no such resource/);
    await assert.rejects(client.listResources({ cursor: "x" }), /cursor/);
  },
);

test("a client of stateless versions is served in its own, with no trip lost", options, async (t) => {
  const { Client, StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Häfen", files: library });
  for (const mode of ["auto", { pin: "2026-07-28" }, "legacy"]) {
    const seen = [];
    const counting = async (...args) => {
      const reply = await fetch(...args);
      if ((args[1]?.method ?? "GET") === "POST") seen.push(reply.status);
      return reply;
    };
    const client = new Client({ name: "stories", version: "1.0.0" }, { versionNegotiation: { mode } });
    await client.connect(
      new StreamableHTTPClientTransport(new URL(`${kb.url}/mcp/projects/${agent.id}`), {
        fetch: counting,
        requestInit: { headers: { Authorization: `Bearer ${kb.key}` } },
      }),
    );
    t.after(() => client.close());
    assert.equal(client.getServerVersion().title, "Häfen");
    assert.match(client.getInstructions(), /Häfen/);
    assert.equal((await client.listTools()).tools.length, 3);
    const { content, structuredContent } = await client.callTool({ name: "ask", arguments: { question } });
    assert.ok(content[0].text.includes(words), content[0].text);
    assert.equal(structuredContent.citations.length, 1);
    const { resources } = await client.listResources();
    const { contents } = await client.readResource({ uri: resources[0].uri });
    assert.ok(contents[0].text.length > 0);
    const wrong = await client.callTool({ name: "ask", arguments: {} });
    assert.equal(wrong.isError, true);
    await assert.rejects(client.readResource({ uri: "docent://x" }), /no such resource/);
    assert.ok(
      seen.every((status) => status < 300),
      `${JSON.stringify(mode)}: ${seen}`,
    );
  }
});

test("a client that knows OAuth alone ends with a sentence that says what to do", options, async (t) => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const kb = await start(t);
  const agent = await kb.agent();
  const authProvider = {
    redirectUrl: "http://127.0.0.1:9/callback",
    clientMetadata: { client_name: "stories", redirect_uris: ["http://127.0.0.1:9/callback"] },
    clientInformation: () => undefined,
    saveClientInformation: () => {},
    tokens: () => undefined,
    saveTokens: () => {},
    redirectToAuthorization: () => assert.fail("there is nowhere to go"),
    saveCodeVerifier: () => {},
    codeVerifier: () => "",
  };
  const client = new Client({ name: "stories", version: "1.0.0" });
  await assert.rejects(
    client.connect(new StreamableHTTPClientTransport(new URL(`${kb.url}/mcp/projects/${agent.id}`), { authProvider })),
    /Docent has no OAuth here, as no --public-url says what it is called\. Give the client an API key/,
  );
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
  const supported = ["2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"];
  const rpc = (method, params, id = 1) => ({ jsonrpc: "2.0", id, method, ...(params && { params }) });
  for (const [name, body, headers, status, code] of [
    ["a notification", { jsonrpc: "2.0", method: "notifications/initialized" }, {}, 202],
    ["an answer to us", { jsonrpc: "2.0", id: 7, result: {} }, {}, 202],
    ["a ping", rpc("ping"), {}, 200],
    ["an id in letters", rpc("ping", undefined, "a-1"), {}, 200],
    ["an unknown method", rpc("tools/dance"), {}, 200, -32601],
    ["params that are no object", rpc("tools/list", [1]), {}, 200, -32602],
    ["a version that is served", rpc("ping"), { "mcp-protocol-version": "2025-06-18" }, 200],
    ["the first version of this transport", rpc("ping"), { "mcp-protocol-version": "2025-03-26" }, 200],
    ["a version of the future", rpc("ping"), { "mcp-protocol-version": "2999-01-01" }, 400, -32022],
    ["a method of stateless versions", rpc("server/discover"), {}, 200, -32601],
    ["no JSON-RPC", { hello: 1 }, {}, 400, -32600],
    ["several at once", [rpc("ping")], {}, 400, -32600],
    ["no JSON", "{", {}, 400, -32700],
    ["an id that is none", rpc("ping", undefined, { a: 1 }), {}, 400, -32600],
    ["an id of null", rpc("ping", undefined, null), {}, 400, -32600],
  ]) {
    const reply = await send(body, headers);
    assert.equal(reply.status, status, name);
    assert.equal(reply.json?.error?.code, code, name);
    if (reply.json) assert.equal(reply.json.jsonrpc, "2.0", name);
    if (status === 200) assert.equal(reply.json.id, body.id, name);
    if (code === -32022) assert.deepEqual(reply.json.error.data, { supported, requested: "2999-01-01" });
    if (status === 202) assert.equal(reply.json, null, name);
  }
  const offered = async (protocolVersion) =>
    (await send(rpc("initialize", { protocolVersion }))).json.result.protocolVersion;
  for (const version of ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
    assert.equal(await offered(version), version);
  assert.equal(await offered("2026-07-28"), "2025-11-25", "who begins so gets the newest that does");
  assert.equal(await offered("1999-01-01"), "2025-11-25", "another one is met with the newest");
  const stranger = await kb.newKey({ account: "stranger" });
  for (const [key, status] of [
    [null, 401],
    [stranger, 404],
  ]) {
    const reply = await send(rpc("ping"), {}, key);
    assert.deepEqual([reply.status, reply.json.jsonrpc, reply.json.error.code], [status, "2.0", -32000]);
  }
  const get = await fetch(`${kb.url}/mcp/projects/${agent.id}`, { headers: { authorization: `Bearer ${kb.key}` } });
  assert.equal(get.status, 405, "there is no stream from our side");
  assert.equal((await get.json()).error.code, -32000);

  // Links came with 2025-06-18, as did the field that says the version; older readers fall over them.
  const kinds = async (headers) => {
    const { json } = await send(rpc("tools/call", { name: "ask", arguments: { question } }), headers);
    return json.result.content.map(({ type }) => type);
  };
  assert.deepEqual(await kinds({}), ["text", "text"]);
  assert.deepEqual(await kinds({ "mcp-protocol-version": "2025-03-26" }), ["text", "text"]);
  assert.deepEqual(await kinds({ "mcp-protocol-version": "2025-06-18" }), ["text", "resource_link", "text"]);

  // Stateless versions: each message says what it is, and fields of HTTP say the same.
  const meta = (version = "2026-07-28") => ({
    _meta: {
      "io.modelcontextprotocol/protocolVersion": version,
      "io.modelcontextprotocol/clientCapabilities": {},
    },
  });
  const fields = (method, more) => ({ "mcp-protocol-version": "2026-07-28", "mcp-method": method, ...more });
  const discovered = await send(rpc("server/discover", meta()), fields("server/discover"));
  assert.equal(discovered.status, 200);
  const { instructions, _meta, ...result } = discovered.json.result;
  assert.deepEqual(result, {
    supportedVersions: supported,
    capabilities: { tools: {}, resources: {} },
    resultType: "complete",
    ttlMs: 0,
    cacheScope: "private",
  });
  assert.equal(_meta["io.modelcontextprotocol/serverInfo"].name, "docent");
  const read = { name: "search", arguments: { query: question }, ...meta() };
  const base64 = `=?base64?${Buffer.from("search").toString("base64")}?=`;
  for (const [name, body, headers, status, code] of [
    ["a call", rpc("tools/call", read), fields("tools/call", { "mcp-name": "search" }), 200],
    ["a name in base64", rpc("tools/call", read), fields("tools/call", { "mcp-name": base64 }), 200],
    ["another name", rpc("tools/call", read), fields("tools/call", { "mcp-name": "ask" }), 400, -32020],
    ["no name", rpc("tools/call", read), fields("tools/call"), 400, -32020],
    ["another method", rpc("tools/list", meta()), fields("tools/call"), 400, -32020],
    ["no field of the version", rpc("tools/list", meta()), { "mcp-method": "tools/list" }, 400, -32020],
    ["no version in the message", rpc("tools/list"), fields("tools/list"), 400, -32020],
    ["what went with sessions", rpc("ping", meta()), fields("ping"), 404, -32601],
    ["a version of the future", rpc("tools/list", meta("2999-01-01")), fields("tools/list"), 400, -32022],
  ]) {
    const reply = await send(body, headers);
    assert.deepEqual([reply.status, reply.json.error?.code], [status, code], name);
    assert.equal(reply.json.id, 1, name);
  }
});

test("to pages of browsers it answers under its own name alone, wherever they come from", async (t) => {
  const kb = await start(t, { args: ["--public-url", "https://docent.example"] });
  const agent = await kb.agent();
  const asked = async (host, origin) =>
    (
      await kb.api("POST", `/mcp/projects/${agent.id}`, {
        plain: true,
        agent: false,
        headers: { host, ...(origin && { origin }) },
        json: { jsonrpc: "2.0", id: 1, method: "ping" },
      })
    ).status;
  const port = new URL(kb.url).port;
  for (const [host, origin, status] of [
    ["evil.example.com", "http://evil.example.com", 403], // its name was turned to this machine
    [`evil.example.com:${port}`, "null", 403],
    ["evil.example.com", undefined, 200], // no browser
    ["docent.example", "https://shop.example", 200],
    ["DOCENT.example", "https://docent.example", 200],
    [`localhost:${port}`, `http://localhost:${port}`, 200],
    [`127.0.0.1:${port}`, "https://shop.example", 200],
    ["[::1]", "null", 200],
    ["127.0.0.1.evil.example", "http://127.0.0.1.evil.example", 403],
  ])
    assert.equal(await asked(host, origin), status, `${host} from ${origin}`);
});
