// What operators ask: health, readiness, figures, the description of the interface.
import net from "node:net";
import path from "node:path";
import { figure } from "./lib/figures.mjs";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { Service } from "./lib/service.mjs";
import { fileOf } from "./lib/util.mjs";

test("health and readiness need no key", async (t) => {
  const kb = await start(t);
  assert.deepEqual((await kb.api("GET", "/healthz", { key: null })).json, { status: "ok" });
  assert.deepEqual((await kb.api("GET", "/readyz", { key: null })).json, { status: "ready" });
});

test("the figures are in Prometheus' text form and count what happened", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await agent.ask("Hello");
  // Counted behind the commit that shows it.
  await until("all to be counted", async () => (await figure(kb, "documents_indexed_total")) === 3);
  const { text, headers } = await kb.api("GET", "/metrics", { key: null });
  assert.match(headers["content-type"], /^text\/plain; version=0\.0\.4/);
  for (const line of text.trim().split("\n"))
    assert.match(line, /^(# (HELP|TYPE) docent_\w+ .+|docent_\w+(\{[^}]*\})? -?[\d.e+]+)$/);
  const value = (name) => Number(new RegExp(`^docent_${name} (\\S+)$`, "m").exec(text)?.[1]);
  assert.equal(value("documents_indexed_total"), 3);
  assert.equal(value("queued_documents"), 0);
  assert.ok(
    value("http_requests_total") >= 3 && value("store_commits_total") >= 3 && value("passages_indexed_total") >= 3,
  );
});

test("with a token the figures are for its bearer alone", async (t) => {
  const kb = await start(t, { env: { DOCENT_METRICS_TOKEN: "figures-please" } });
  assert.equal((await kb.api("GET", "/metrics", { key: null })).status, 403);
  assert.equal((await kb.api("GET", "/metrics")).status, 403, "an API key is no metrics token");
  assert.equal((await kb.api("GET", "/metrics", { key: "figures-please" })).status, 200);
});

test("that token may stand in a file", async (t) => {
  const file = await fileOf(t, "figures-please\n");
  const kb = await start(t, { env: { DOCENT_METRICS_TOKEN_FILE: file } });
  assert.equal((await kb.api("GET", "/metrics", { key: null })).status, 403);
  assert.equal((await kb.api("GET", "/metrics", { key: "figures-please" })).status, 200);
  const both = await docent(["serve", "--data", path.join(kb.dir, "other"), "--metrics-token", "a"], {
    env: { DOCENT_METRICS_TOKEN_FILE: file },
    ms: 10_000,
  });
  assert.equal(both.code, 2);
  assert.equal(both.stderr, "docent: --metrics-token and --metrics-token-file are both given\n");
});

test("what a proxy passed on is not loopback's, though the proxy is", async (t) => {
  const kb = await start(t);
  for (const headers of [
    { "x-forwarded-for": "203.0.113.5" },
    { "x-forwarded-for": "127.0.0.1" },
    { forwarded: "for=127.0.0.1" },
    { "x-real-ip": "127.0.0.1" },
    { via: "1.1 front" },
    { "x-forwarded-proto": "https" },
    { "x-forwarded-host": "docs.example.com" },
  ])
    assert.equal((await kb.api("GET", "/metrics", { key: null, headers })).status, 403, JSON.stringify(headers));
  assert.equal((await kb.api("GET", "/metrics", { key: null })).status, 200);
  for (const [host, status] of [
    ["localhost:8080", 200],
    ["127.0.0.1", 200],
    ["[::1]:8080", 200],
    ["evil.example.com", 403],
    ["evil.example.com:8080", 403],
    ["localhost.evil.example.com", 403],
    ["127.0.0.1.evil.example.com", 403],
  ])
    assert.equal((await kb.api("GET", "/metrics", { key: null, headers: { host } })).status, status, host);
  const withToken = await start(t, { env: { DOCENT_METRICS_TOKEN: "figures-please" } });
  assert.equal(
    (await withToken.api("GET", "/metrics", { key: "figures-please", headers: { "x-forwarded-for": "203.0.113.5" } }))
      .status,
    200,
  );
});

test("a trusted proxy says who its requests are from, and nobody else does", async (t) => {
  const from = async (kb, chain) =>
    (await (await kb.agent()).ask("Hello", { headers: { "x-forwarded-for": chain } })).metadata.user_ip;
  const open = await start(t);
  assert.equal(await from(open, "203.0.113.5"), "127.0.0.1", "nobody is trusted unless named");
  const other = await start(t, { args: ["--trusted-proxies", "10.0.0.0/8"] });
  assert.equal(await from(other, "203.0.113.5"), "127.0.0.1", "this one is not named");
  const kb = await start(t, { env: { DOCENT_TRUSTED_PROXIES: "127.0.0.1, 10.0.0.0/8" } });
  for (const [chain, client] of [
    ["203.0.113.5", "203.0.113.5"],
    ["8.8.8.8, 203.0.113.5", "203.0.113.5"],
    ["203.0.113.5, 10.1.2.3", "203.0.113.5"],
    ["[2001:db8::7]:99", "2001:db8::7"],
    ["203.0.113.5, nonsense", "127.0.0.1"],
    ["", "127.0.0.1"],
  ])
    assert.equal(await from(kb, chain), client, chain);
  assert.equal(
    (await kb.api("GET", "/metrics", { key: null, headers: { "x-forwarded-for": "127.0.0.1" } })).status,
    403,
  );
  assert.equal((await kb.api("GET", "/metrics", { key: null })).status, 200, "the machine's own");
  const wrong = await docent(["serve", "--data", `${kb.dir}/x`, "--trusted-proxies", "proxy.example.com"]);
  assert.deepEqual(
    [wrong.code, /--trusted-proxies: "proxy\.example\.com" is no network/.test(wrong.stderr)],
    [1, true],
    wrong.stderr,
  );
});

test("a log of objects has nothing else, whatever it leaves out", async (t) => {
  for (const level of ["info", "error"]) {
    const kb = await start(t, { args: ["--log", `${level},json`] });
    const lines = kb.log.trim().split("\n");
    const [first] = lines.map((line) => JSON.parse(line)).filter(({ message }) => message.includes(kb.url));
    assert.equal(first.message, `listening on ${kb.url}`);
  }
});

test("addresses are those under which the client reached a trusted proxy", async (t) => {
  const headers = { "x-forwarded-proto": "https", "x-forwarded-host": "kb.example.com" };
  const seen = async (kb) => {
    const agent = await kb.agent({ files: { "a.txt": "The lighthouse is 41 metres high." } });
    const [page] = (await kb.api("GET", `${agent.path}/pages`, { headers })).json.data.pages.data;
    const listed = (await kb.api("GET", `${agent.path}/pages`, { headers, query: { limit: 1 } })).json.data.pages;
    const missing = (await kb.api("GET", "/projects/999999", { headers })).json.url;
    return [page.page_url, listed.first_page_url, missing].map((url) => new URL(url).origin);
  };
  const named = await start(t, { args: ["--trusted-proxies", "127.0.0.1"] });
  assert.deepEqual(await seen(named), Array(3).fill("https://kb.example.com"));
  for (const value of ["kb.example.com/x", "a b", '"'])
    assert.equal(
      (await named.api("GET", "/projects/9", { headers: { "x-forwarded-host": value } })).json.url,
      `${named.url}/api/v1/projects/9`,
      value,
    );
  const open = await start(t);
  assert.deepEqual(await seen(open), Array(3).fill(open.url), "nobody is believed unless named");
  const fixed = await start(t, {
    args: ["--trusted-proxies", "127.0.0.1", "--public-url", "https://docs.example.org"],
  });
  assert.deepEqual(await seen(fixed), Array(3).fill("https://docs.example.org"), "what the operator says goes first");
});

test("the description is OpenAPI 3.1 without a loose end", async (t) => {
  const kb = await start(t);
  const { json: api } = await kb.api("GET", "/openapi.json", { key: null });
  assert.match(api.openapi, /^3\.1\.\d+$/);
  assert.ok(api.info.title && api.info.version);
  const ids = new Set(),
    used = new Set();
  const walk = (node) => {
    if (node === null || typeof node !== "object") return;
    if (typeof node.$ref === "string") {
      const name = node.$ref.replace("#/components/schemas/", "");
      assert.ok(api.components.schemas[name], `${node.$ref} exists`);
      if (!used.has(name)) (used.add(name), walk(api.components.schemas[name]));
    }
    Object.values(node).forEach(walk);
  };
  walk(api.paths);
  for (const [path, item] of Object.entries(api.paths))
    for (const [method, operation] of Object.entries(item)) {
      const where = `${method} ${path}`;
      assert.ok(["get", "put", "post", "delete", "patch"].includes(method), where);
      assert.ok(operation.summary && operation.tags.length && operation.operationId, where);
      assert.ok(!ids.has(operation.operationId), `${operation.operationId} is used once`);
      ids.add(operation.operationId);
      const inPath = [...path.matchAll(/\{(\w+)\}/g)].map((m) => m[1]);
      assert.deepEqual(
        operation.parameters.filter((p) => p.in === "path").map((p) => p.name),
        inPath,
        where,
      );
      assert.ok(
        operation.parameters.every((p) => p.in !== "path" || p.required),
        where,
      );
      const statuses = Object.keys(operation.responses);
      if (where !== "post /register")
        // it is there to refuse
        assert.ok(
          statuses.some((s) => s.startsWith("2") || s === "303"),
          where,
        );
      if (!operation.security) assert.ok(statuses.includes("401"), `${where} needs a key and says 401`);
    }
  for (const name of Object.keys(api.components.schemas)) assert.ok(used.has(name), `the schema ${name} is used`);
});

test("the description passes a validator of OpenAPI 3.1", async (t) => {
  let Validator, Ajv;
  try {
    ({ Validator } = await import("@seriousme/openapi-schema-validator"));
    ({ default: Ajv } = await import("ajv/dist/2020.js"));
  } catch {
    t.skip("the npm packages are not installed (is the registry reachable? cd tests/api && npm ci)");
    return;
  }
  const kb = await start(t);
  const { json } = await kb.api("GET", "/openapi.json", { key: null });
  const check = async (description) => {
    const judge = new Validator();
    return { ...(await judge.validate(structuredClone(description))), version: judge.version };
  };
  assert.deepEqual(await check(json), { valid: true, version: "3.1" });
  // What it leaves to the dialect: each schema is one of JSON Schema 2020-12, references and all.
  const ajv = new Ajv({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false });
  ajv.addVocabulary(["components"]);
  for (const [name, schema] of Object.entries(json.components.schemas))
    assert.doesNotThrow(() => ajv.compile({ ...schema, components: json.components }), name);
  assert.throws(() => ajv.compile({ type: "objekt" }), "it can say no");
  const broken = structuredClone(json);
  delete broken.info.title;
  assert.equal((await check(broken)).valid, false, "it can say no");
});

test("every route of the specification that is built is described", async (t) => {
  const kb = await start(t);
  const { operations } = await kb.description();
  const described = new Set(
    operations.map((o) => `${o.method} ${o.path.replace("/api/v1", "").replace(/\{\w+\}/g, "{}")}`),
  );
  for (const route of [
    "GET /projects",
    "POST /projects",
    "GET /projects/{}",
    "POST /projects/{}",
    "DELETE /projects/{}",
    "GET /projects/{}/stats",
    "GET /projects/{}/pages",
    "DELETE /projects/{}/pages/{}",
    "POST /projects/{}/conversations",
    "POST /projects/{}/conversations/{}/messages",
    "POST /projects/{}/chat/completions",
    "GET /projects/{}/conversations",
    "PUT /projects/{}/conversations/{}",
    "DELETE /projects/{}/conversations/{}",
    "GET /projects/{}/conversations/{}/messages",
    "GET /projects/{}/conversations/{}/messages/{}",
    "GET /projects/{}/citations/{}",
    "GET /preview/{}",
    "GET /healthz",
    "GET /readyz",
    "GET /metrics",
    "GET /openapi.json",
  ])
    assert.ok(described.has(route), route);
});

test("the service stops when it is told to, a request in hand answered, and does not sit out its grace", async (t) => {
  const kb = await start(t, { args: ["--stop-grace", "3600"] });
  const agent = await kb.agent({ files: library });
  await Promise.all(Array.from({ length: 20 }, () => agent.ask("Who built the Velmora lighthouse?")));
  const port = Number(new URL(kb.url).port);
  const body = JSON.stringify({ prompt: "Who built the Velmora lighthouse?" });
  let text = "";
  const socket = net.connect(port, "127.0.0.1").on("data", (bytes) => (text += bytes));
  socket.write(
    `POST /api/v1${agent.path}/conversations/last/messages HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kb.key}\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\nExpect: 100-continue\r\n\r\n`,
  );
  await until("the body to be wanted", () => text.includes("100 Continue"));
  const stopped = kb.stop();
  await until(
    "nobody new to be let in",
    () =>
      new Promise((resolve) => {
        const other = net.connect(port, "127.0.0.1");
        other
          .on("connect", () => {
            other.destroy();
            resolve(false);
          })
          .on("error", () => resolve(true));
      }),
  );
  socket.write(body);
  assert.equal(await stopped, 0);
  assert.match(text, /HTTP\/1\.1 200 OK[^]*Hester Quillby/);
});

test("with little address space the service runs, or refuses to start with a sentence", async (t) => {
  const kb = await start(t, { addressSpaceKb: 600_000 });
  const agent = await kb.agent({ files: library });
  const asked = Array.from({ length: 200 }, async (_, i) =>
    i % 2 ? agent.pages() : agent.ask("Who built the Velmora lighthouse?"),
  );
  for (const got of await Promise.all(asked)) assert.ok(got);
  assert.ok(kb.alive());
  for (const kilobytes of [100_000, 200_000, 300_000]) {
    const small = new Service({ addressSpaceKb: kilobytes });
    try {
      await small.begin();
      assert.equal((await small.expect(200, "GET", "/projects")).total, 0);
      await small.end();
    } catch (error) {
      assert.match(error.message, /ended with 1 before it listened:\n(.*\n)*docent: \S+ .+/, `${kilobytes} KB`);
      small.child = null;
      await small.end();
    }
  }
});

test("the description has the program's version, and what clients meet: refusals, long addresses, types of exports", async (t) => {
  const kb = await start(t);
  const { info, paths } = (await kb.api("GET", "/openapi.json", { plain: true })).json;
  assert.equal(`docent ${info.version}\n`, (await docent(["--version"])).stdout);
  const agent = "/api/v1/projects/{projectId}";
  for (const where of [`${agent}/chat/completions`, "/api/v1/chat/completions"])
    for (const status of ["400", "403", "404", "501", "502", "504"])
      assert.ok(paths[where].post.responses[status], `${where} ${status}`);
  const { responses } = paths[`${agent}/conversations/{sessionId}/export`].get;
  assert.deepEqual(Object.keys(responses["200"].content), ["application/json", "text/csv", "text/plain", "text/html"]);
  const long = await kb.api("GET", "/projects", { query: { name: "x".repeat(9000) } });
  assert.equal(long.status, 414);
  assert.ok(paths["/api/v1/projects"].get.responses["414"]);
});
