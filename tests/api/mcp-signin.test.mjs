// Programs that ask over MCP in the name of somebody: access tokens of the organisation's provider, for the address of
// one agent. The official SDK finds the provider by itself; tokens that do not count are made here.
import { createHmac, createPublicKey, generateKeyPairSync } from "node:crypto";
import { existsSync } from "node:fs";
import { assert, start, test } from "./lib/harness.mjs";
import { away, pages, scene } from "./lib/entering.mjs";
import { Browser } from "./lib/provider.mjs";
import { changeRows } from "./lib/rows.mjs";
import { PUBLIC, ask, mint } from "./lib/tokens.mjs";

const BACK = "http://127.0.0.1:9/callback";
const ABOUT = "/.well-known/oauth-protected-resource/mcp/projects";
const installed = existsSync(new URL("./node_modules/@modelcontextprotocol/sdk/package.json", import.meta.url));
const options = installed ? {} : { skip: "the npm packages are not installed" };

const place = (t, more) =>
  scene(t, { host: "docent.test", args: ["--public-url", PUBLIC], docents: () => [PUBLIC], program: BACK, ...more });

/** Somebody signs in to the dashboard, which has another name outside. */
async function enter(kb, idp, as) {
  const { browser, callback } = await away(kb, idp, as, undefined, PUBLIC);
  const back = await browser.get(callback.replace(PUBLIC, kb.url));
  assert.equal(back.status, 303, kb.log);
  const asking = pages(kb, browser);
  return (await kb.expect(200, "GET", "/session", { plain: true, ...asking })).person;
}

const found = (reply) => reply.json.result.structuredContent.passages.length;

test("the SDK's client finds the provider, and asks as who signs in there", options, async (t) => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { kb, idp } = await place(t);
  const agent = await kb.agent({ files: { "salaries.txt": "The salary bands begin at 41,000 crowns." } });
  await agent.settled();
  const ann = await enter(kb, idp, "ann");
  let to, tokens, verifier;
  const authProvider = {
    redirectUrl: BACK,
    clientMetadata: { client_name: "stories", redirect_uris: [BACK] },
    clientInformation: () => ({ client_id: "program" }),
    tokens: () => tokens,
    saveTokens: (given) => (tokens = given),
    redirectToAuthorization: (url) => (to = url),
    saveCodeVerifier: (text) => (verifier = text),
    codeVerifier: () => verifier,
  };
  const address = new URL(`${PUBLIC}/mcp/projects/${agent.id}`);
  const transport = () =>
    new StreamableHTTPClientTransport(address, {
      authProvider,
      fetch: (url, init) => fetch(String(url).replace(PUBLIC, kb.url), init),
    });
  const first = transport();
  await assert.rejects(new Client({ name: "stories", version: "1.0.0" }).connect(first), /Unauthorized/);
  assert.equal(to.origin, idp.issuer);
  assert.equal(to.searchParams.get("resource"), address.href);
  idp.as = "ann";
  const back = await new Browser().go(to.href, (url) => url.startsWith(BACK));
  const code = new URL(back).searchParams.get("code");
  assert.ok(code, back);
  await first.finishAuth(code);
  const client = new Client({ name: "stories", version: "1.0.0" });
  await client.connect(transport());
  t.after(() => client.close());
  const reply = await client.callTool({ name: "search", arguments: { query: "salary bands" } });
  assert.equal(reply.structuredContent.passages.length, 1);
  // It is hers: her labels close it, and it ends with her.
  const [page] = await agent.settled();
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  const closed = await client.callTool({ name: "search", arguments: { query: "salary bands" } });
  assert.equal(closed.structuredContent.passages.length, 0);
  await kb.expect(200, "DELETE", `/people/${ann.id}`);
  assert.equal((await ask(kb, agent, tokens.access_token)).status, 401);
});

test("a token opens what its person may, at the one address that it was made for", async (t) => {
  const { kb, idp } = await place(t);
  const agent = await kb.agent({ files: { "salaries.txt": "The salary bands begin at 41,000 crowns." } });
  const other = await kb.agent();
  const [page] = await agent.settled();
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  const search = { method: "tools/call", params: { name: "search", arguments: { query: "salary bands" } } };

  // Who has never signed in to the dashboard is nobody here.
  assert.equal((await ask(kb, agent, mint(idp, agent))).status, 401);
  for (const name of ["ann", "cat"]) await enter(kb, idp, name);
  assert.equal(found(await ask(kb, agent, mint(idp, agent), search)), 1);
  assert.equal(found(await ask(kb, agent, mint(idp, agent, { sub: "cat" }), search)), 0);
  assert.equal((await ask(kb, other, mint(idp, agent))).status, 401);
  assert.equal((await ask(kb, other, mint(idp, other))).status, 200);
  // Not at the interface.
  for (const where of ["/projects", `/projects/${agent.id}/pages`])
    assert.equal((await kb.api("GET", where, { key: mint(idp, agent) })).status, 401, where);
  // What the address is called by who asks changes nothing.
  const evil = mint(idp, agent, { aud: `http://evil.example/mcp/projects/${agent.id}` });
  assert.equal((await ask(kb, agent, evil, { headers: { host: "evil.example" } })).status, 401);
  // A group that is gone is gone here too.
  idp.people.ann.groups = ["staff"];
  await enter(kb, idp, "ann");
  assert.equal(found(await ask(kb, agent, mint(idp, agent), search)), 0);
});

test("whose directory switches them off, or who signed in too long ago, is refused", async (t) => {
  const { kb, idp } = await place(t);
  const agent = await kb.agent();
  const { token } = await kb.expect(201, "POST", "/directory-tokens", { json: { name: "Entra" } });
  const scim = async (method, where, json) => {
    const headers = { "content-type": "application/scim+json" };
    const reply = await kb.api(method, `/scim/v2/${where}`, {
      plain: true,
      key: token,
      headers,
      body: JSON.stringify({ schemas: [], ...json }),
    });
    assert.ok(reply.status < 300, reply.text);
    return JSON.parse(reply.text);
  };
  const { id } = await scim("POST", "Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: "ann@example.org",
    externalId: "ann",
    active: true,
  });
  const active = (value) =>
    scim("PATCH", `Users/${id}`, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value: { active: value } }],
    });
  const status = async () => (await ask(kb, agent, mint(idp, agent))).status;
  assert.equal(await status(), 401, "known to the directory alone");
  await enter(kb, idp, "ann");
  assert.equal(await status(), 200);
  await active(false);
  assert.equal(await status(), 401);
  await active(true);
  await enter(kb, idp, "ann");
  assert.equal(await status(), 200);
  const hours = (n) => `UPDATE people SET seen_at = seen_at - ${n} * 3600000000`;
  if (!(await changeRows(t, kb, hours(7)))) return;
  assert.equal(await status(), 200);
  await changeRows(t, kb, hours(1));
  assert.equal(await status(), 401);
  await enter(kb, idp, "ann");
  assert.equal(await status(), 200);
});

test("tokens that do not count are refused alike, and nothing of them is told", async (t) => {
  const { kb, idp } = await place(t);
  const agent = await kb.agent();
  await enter(kb, idp, "ann");
  assert.equal((await ask(kb, agent, mint(idp, agent))).status, 200);
  const now = Math.floor(Date.now() / 1000);
  const pem = createPublicKey({ key: idp.keys[0], format: "jwk" }).export({ type: "spki", format: "pem" });
  const good = mint(idp, agent);
  const wrong = {
    "alg none": mint(idp, agent, { head: { alg: "none" }, by: () => Buffer.alloc(0) }),
    "HS256 with the public key": mint(idp, agent, {
      head: { alg: "HS256" },
      by: (text) => createHmac("sha256", pem).update(text).digest(),
    }),
    "another key": mint(idp, agent, { by: generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey }),
    "an unknown kid": mint(idp, agent, { head: { kid: "other" } }),
    "an ID token": mint(idp, agent, { head: { typ: "JWT" }, aud: "docent", nonce: "n" }),
    "no type": mint(idp, agent, { head: { typ: undefined } }),
    "the service's own audience": mint(idp, agent, { aud: "docent" }),
    "the host's": mint(idp, agent, { aud: PUBLIC }),
    "another agent's": mint(idp, agent, { aud: `${PUBLIC}/mcp/projects/${agent.id}0` }),
    "no audience": mint(idp, agent, { aud: undefined }),
    "another issuer": mint(idp, agent, { iss: "https://evil.example" }),
    over: mint(idp, agent, { iat: now - 600, exp: now - 300 }),
    "no end": mint(idp, agent, { exp: undefined }),
    "from the future": mint(idp, agent, { iat: now + 900, exp: now + 1200 }),
    "nine hours old": mint(idp, agent, { iat: now - 9 * 3600 }),
    "who is not here": mint(idp, agent, { sub: "eve" }),
    nobody: mint(idp, agent, { sub: undefined }),
    cut: good.slice(0, -5),
    "longer than any": `${good}.${"x".repeat(9_000)}`,
    dots: "..",
  };
  const about = `${PUBLIC}${ABOUT}/${agent.id}`;
  const texts = new Set();
  for (const [name, token] of Object.entries(wrong)) {
    const reply = await ask(kb, agent, token);
    assert.equal(reply.status, 401, name);
    assert.equal(reply.headers["www-authenticate"], `Bearer error="invalid_token", resource_metadata="${about}"`, name);
    texts.add(reply.text);
  }
  assert.equal(texts.size, 1, "one sentence for all");
  assert.ok(!kb.log.includes(good.split(".")[2]), "no token is in the log");
  const none = await ask(kb, agent, null);
  assert.deepEqual([none.status, none.headers["www-authenticate"]], [401, `Bearer resource_metadata="${about}"`]);
  assert.equal((await ask(kb, agent, kb.key)).status, 200, "keys stay");
});

test("an address says whose tokens it takes, where there is a provider and the service knows its own name", async (t) => {
  const { kb, idp } = await place(t);
  const about = (service, id) => service.api("GET", `${ABOUT}/${id}`, { plain: true, key: null });
  const reply = await about(kb, 4711);
  assert.deepEqual(reply.json, {
    resource: `${PUBLIC}/mcp/projects/4711`,
    authorization_servers: [idp.issuer],
    scopes_supported: ["openid"],
    bearer_methods_supported: ["header"],
    resource_name: "Docent",
  });
  assert.equal((await about(kb, "x")).status, 400);
  // Who looks for a place to register hears where that is.
  const registered = await kb.api("POST", "/register", { plain: true, key: null, json: {} });
  assert.equal(registered.status, 403);
  assert.match(registered.json.error_description, /at the provider that the metadata/);
  const plain = await start(t);
  const unnamed = await scene(t);
  for (const service of [plain, unnamed.kb]) {
    const agent = await service.agent();
    assert.equal((await about(service, agent.id)).status, 404);
    assert.equal((await ask(service, agent, null)).headers["www-authenticate"], "Bearer");
    assert.equal((await ask(service, agent, mint(idp, agent))).status, 401);
  }
});
