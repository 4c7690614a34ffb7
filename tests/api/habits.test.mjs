// Habits of real clients that the service must take: browsers, old suites, bots, typed kits.
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { request } from "./lib/http.mjs";
import { library } from "./lib/documents.mjs";

test("a browser's preflight is answered without a key, for every route", async (t) => {
  const kb = await start(t);
  for (const { path } of (await kb.description()).operations) {
    const reply = await request(kb.url + path.replace(/\{[^}]+\}/g, "1"), {
      method: "OPTIONS",
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "authorization,content-type",
      },
    });
    assert.ok([200, 204].includes(reply.status), `${path}: ${reply.status}`);
    assert.equal(reply.headers["access-control-allow-origin"], "*", path);
    for (const method of ["GET", "POST", "PUT", "DELETE"])
      assert.ok(reply.headers["access-control-allow-methods"].includes(method), path);
    for (const field of ["authorization", "content-type", "accept"])
      assert.ok(reply.headers["access-control-allow-headers"].toLowerCase().includes(field), path);
  }
});

test("a page of another site may send the fields that its client library wants, but not the one of our own", async (t) => {
  const kb = await start(t);
  const asked = async (fields) => {
    const { status, headers } = await kb.api("OPTIONS", "/projects/1/chat/completions", {
      key: null,
      headers: {
        origin: "https://shop.example",
        "access-control-request-method": "POST",
        ...(fields && { "access-control-request-headers": fields }),
      },
    });
    assert.equal(status, 204);
    assert.equal(headers.vary, "access-control-request-headers");
    return headers["access-control-allow-headers"].split(", ");
  };
  const usual = ["authorization", "content-type", "accept"];
  assert.deepEqual(await asked(), usual);
  const library = ["x-stainless-os", "mcp-protocol-version", "mcp-method", "last-event-id", "x_y"];
  assert.deepEqual(await asked(["authorization", ...library].join(",")), [...usual, ...library]);
  assert.deepEqual(await asked("X-Docent-Session, x-a;b, x-b"), [...usual, "x-b"]);
});

test("every answer may be read by a page of another site, errors and streams too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const headers = { origin: "https://shop.example" };
  const replies = [
    await kb.api("GET", "/projects", { headers }),
    await kb.api("GET", "/projects/999", { headers }),
    await kb.api("GET", "/projects", { headers, key: null }),
    await kb.api("PATCH", "/projects", { headers }),
    (await agent.stream("Hello", { headers })).reply,
  ];
  for (const reply of replies) assert.equal(reply.headers["access-control-allow-origin"], "*");
});

test("HEAD answers like GET, without the body", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("returns.txt");
  for (const where of [
    "/projects",
    agent.path,
    `${agent.path}/pages`,
    `${agent.path}/stats`,
    `/preview/${page.id}`,
    "/healthz",
    "/projects/999",
    "/nothing",
  ]) {
    const [head, get] = [await kb.api("HEAD", where), await kb.api("GET", where)];
    assert.deepEqual(
      [head.status, head.headers["content-length"], head.headers["content-type"], head.bytes.length],
      [get.status, get.headers["content-length"], get.headers["content-type"], 0],
      where,
    );
  }
});

test("unknown query parameters are ignored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.expect(200, "GET", "/pages", {
    query: "duration=90&lastUpdatedAfter=x&userFilter=all&_=123&page&=&a=b=c&%zz=1",
  });
  await agent.expect(200, "GET", "", { query: "x=%00%ff&y[]=1&y[]=2" });
});

test("of a query parameter given twice the first counts", async (t) => {
  const kb = await start(t);
  const list = await kb.expect(200, "GET", "/projects", { query: "limit=3&limit=7&page=1&page=9" });
  assert.deepEqual([list.per_page, list.current_page], [3, 1]);
});

test("GET with a JSON body is GET", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const where of ["/projects", agent.path, `${agent.path}/pages`, `${agent.path}/conversations`])
    await kb.expect(200, "GET", where, {
      body: '{"page": 2, "limit": 1}',
      headers: { "content-type": "application/json" },
    });
  assert.equal(
    (await kb.expect(200, "GET", "/projects", { body: '{"page": 2}', headers: { "content-type": "application/json" } }))
      .current_page,
    1,
    "the body counts for nothing",
  );
});

test("DELETE with a JSON body is DELETE", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.expect(200, "DELETE", "", { json: { force: true } });
});

test("POST with a JSON type and an empty body is a request without fields", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const headers = { "content-type": "application/json" };
  await agent.expect(201, "POST", "/conversations", { body: "", headers });
  await agent.expect(200, "POST", "", { body: "", headers });
  await agent.expect(200, "POST", "", { body: "  \r\n", headers });
});

test("JSON is read whatever content type is declared", async (t) => {
  const kb = await start(t);
  for (const type of [
    "application/json",
    "application/json; charset=utf-8",
    "Application/JSON",
    "text/plain",
    "application/vnd.api+json",
  ])
    assert.equal(
      (await kb.expect(201, "POST", "/projects", { body: '{"project_name":"x"}', headers: { "content-type": type } }))
        .project_name,
      "x",
    );
  const bom = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from('{"project_name":"bom"}')]);
  assert.ok(
    [201, 400].includes(
      (await kb.api("POST", "/projects", { body: bom, headers: { "content-type": "application/json" } })).status,
    ),
  );
});

test("connections are kept for the next request, also after an error", async (t) => {
  const kb = await start(t);
  const get = (path, key) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${key ? `Authorization: Bearer ${key}\r\n` : ""}\r\n`;
  const end = "GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
  const bytes = await kb.raw(
    get("/api/v1/projects", kb.key) +
      get("/api/v1/projects") +
      get("/nothing") +
      get("/api/v1/projects/999", kb.key) +
      end,
  );
  assert.deepEqual(bytes.toString().match(/HTTP\/1\.1 \d+/g), [
    "HTTP/1.1 200",
    "HTTP/1.1 401",
    "HTTP/1.1 404",
    "HTTP/1.1 404",
    "HTTP/1.1 200",
  ]);
});

test("a body may come in chunks, with Expect: 100-continue", async (t) => {
  const kb = await start(t);
  const json = JSON.stringify({ project_name: "Chunked" });
  const chunks = [...json].map((c) => `1\r\n${c}\r\n`).join("");
  const head = `POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kb.key}\r\nContent-Type: application/json\r\nConnection: close\r\n`;
  const reply = (await kb.raw(`${head}Transfer-Encoding: chunked\r\n\r\n${chunks}0\r\n\r\n`)).toString();
  assert.match(reply, /^HTTP\/1\.1 201 /);
  const { connect } = await import("node:net");
  const said = await new Promise((resolve, reject) => {
    let text = "";
    const socket = connect(Number(new URL(kb.url).port), "127.0.0.1", () =>
      socket.write(`${head}Expect: 100-continue\r\nContent-Length: ${json.length}\r\n\r\n`),
    );
    socket.on("data", (piece) => {
      if (!text) socket.write(json);
      text += piece;
    });
    socket.on("close", () => resolve(text));
    socket.on("error", reject);
  });
  assert.match(said, /^HTTP\/1\.1 100 Continue\r\n\r\nHTTP\/1\.1 201 /);
});

test("malformed requests are refused with 400 and the connection is closed", async (t) => {
  const kb = await start(t);
  const cases = [
    "GET / HTTP/1.1\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
    "GET / HTTP/1.1\nHost: x\n\n",
    "GET /\u0000 HTTP/1.1\r\nHost: x\r\n\r\n",
    "POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "GET / HTTP/1.1\r\nHost: x\r\n folded\r\n\r\n",
    "POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    "POST /api/v1/projects HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nab",
  ];
  for (const bytes of cases) {
    const reply = (await kb.raw(bytes)).toString();
    assert.match(reply, /^HTTP\/1\.[01] 400 /, JSON.stringify(bytes));
    assert.equal(reply.match(/HTTP\/1\.[01] \d+/g).length, 1);
    assert.equal(JSON.parse(reply.split("\r\n\r\n")[1]).data.code, 400);
  }
});

test("an id in a body or a path may be sent as clients write it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await kb.expect(200, "GET", `/projects/${String(agent.id).padStart(6, "0")}`);
  const master = await kb.agent({ is_master: "true" });
  const reply = await master.api("POST", `/conversations/${randomUUID()}/messages`, {
    json: { prompt: "Hello", child_project_id: "555" },
  });
  assert.equal(reply.json.message, "Agent with id 555 not found", "it was read as an id");
});

test("a head beyond the limits gets a fitting status, which its body repeats", async (t) => {
  const kb = await start(t);
  const cases = {
    414: `GET /${"x".repeat(9000)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    431: `GET / HTTP/1.1\r\nHost: x\r\n${"x-field: y\r\n".repeat(120)}\r\n`,
    505: "GET / HTTP/2.0\r\nHost: x\r\n\r\n",
  };
  for (const [status, bytes] of Object.entries(cases)) {
    const reply = (await kb.raw(bytes)).toString();
    assert.match(reply, new RegExp(`^HTTP/1\\.1 ${status} `));
    assert.equal(JSON.parse(reply.split("\r\n\r\n")[1]).data.code, Number(status));
  }
});

test("a send repeated after a lost answer is a second message, and both are whole", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const session = randomUUID();
  const ask = () => agent.ask("Within how many days may goods be returned?", { session });
  const [one, two] = [await ask(), await ask()];
  assert.notEqual(one.id, two.id);
  assert.deepEqual([one.llm_response, one.citations], [two.llm_response, two.citations]);
  assert.equal((await agent.expect(200, "GET", `/conversations/${session}/messages`)).messages.total, 2);
});

test("a client that tries every failure four times at once hurts nobody", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const wrong = () => agent.api("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: "" } });
  const right = () => agent.ask("Who built the Velmora lighthouse?");
  const replies = await Promise.all(Array.from({ length: 400 }, (_, i) => (i % 5 ? wrong() : right())));
  for (const [i, reply] of replies.entries())
    if (i % 5) assert.deepEqual([reply.status, reply.json.message], [400, "prompt can't be empty"]);
    else assert.ok(reply.llm_response.includes("Hester Quillby"));
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 80);
});

test("a purge that reads page one again and deletes ten at a time empties the list", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await Promise.all(Array.from({ length: 37 }, (_, i) => agent.ask(`Message ${i}`)));
  let rounds = 0;
  for (;;) {
    const { data, total } = await agent.expect(200, "GET", "/conversations", { query: { page: 1 } });
    if (data.length === 0) {
      assert.equal(total, 0);
      break;
    }
    // Some are deleted twice: an impatient client.
    const replies = await Promise.all(
      [...data, data[0]].map((c) => agent.api("DELETE", `/conversations/${c.session_id}`)),
    );
    assert.ok(replies.every((r) => r.status === 200 || r.status === 404));
    assert.equal(replies.filter((r) => r.status === 200).length, data.length);
    assert.ok(++rounds <= 4);
  }
  assert.equal(rounds, 4);
});

test("lists and messages are read with a JSON body on GET, and with stale parameters", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { session, id } = await agent.ask("Hello");
  for (const where of ["", "/messages", `/messages/${id}`, `/messages/${id}/claims`, "/export"].map(
    (end) => `/conversations${end === "" ? "" : `/${session}${end}`}`,
  )) {
    const plain = await agent.expect(200, "GET", where);
    const odd = await agent.expect(200, "GET", where, {
      body: '{"page":7,"order":"asc"}',
      headers: { "content-type": "application/json" },
      query: "duration=90&is_chat_active=1&metadata=x&ocr_mode=2&page=1&page=9",
    });
    assert.deepEqual(odd, plain, where);
  }
});

test("a number is no text, but where others call a thing by a number", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const [page] = await agent.pages();
  const session = "/conversations/talk";
  await agent.expect(201, "POST", "/conversations", { json: { name: "Talk", session_id: "talk" } });
  for (const [method, where, json, name] of [
    ["POST", `${session}/messages`, { prompt: 5 }, "prompt"],
    ["POST", `${session}/messages`, { prompt: "Hello", lang: 5 }, "lang"],
    ["PUT", session, { name: 5 }, "name"],
    ["PUT", `/pages/${page.id}/metadata`, { title: 5 }, "title"],
    ["PATCH", "/settings/persona/1/sub-personas/persona-summary", { instructions: 5 }, "instructions"],
    ["POST", "", { project_name: 5 }, "project_name"],
    ["POST", "/search", { query: 5 }, "query"],
  ]) {
    const reply = await agent.api(method, where, { json });
    assert.deepEqual([reply.status, reply.json.message], [400, `${name} must be a string`], where);
  }
  const sent = await agent.api("POST", `${session}/messages`, { json: { prompt: "Hello", external_id: 77 } });
  assert.equal(sent.json.data.metadata.external_id, "77");
  const asked = { messages: [{ role: "user", content: "Hello" }], session_id: 78, model: 79 };
  const chat = await agent.api("POST", "/chat/completions", { json: asked });
  assert.deepEqual([chat.status, chat.json.model], [200, "79"]);
  assert.equal((await agent.api("GET", "/conversations/78/messages")).json.data.messages.total, 1);
});
