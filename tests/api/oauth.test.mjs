// The service's own authorization server: programs that ask over MCP in the name of whoever let them in, where no
// provider signs people in.
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import path from "node:path";
import { nodesOf } from "./lib/cluster.mjs";
import { assert, start, test } from "./lib/harness.mjs";
import { invited, signedIn } from "./lib/people.mjs";
import {
  BACK,
  addressOf,
  answer,
  asking,
  challengeOf,
  exchanging,
  letIn,
  programs,
  renewing,
  revoke,
  token,
  verifier,
} from "./lib/programs.mjs";
import { database } from "./lib/postgres.mjs";
import { changeRows } from "./lib/rows.mjs";
import { PUBLIC, ask } from "./lib/tokens.mjs";
import { folder } from "./lib/util.mjs";

const SERVER = "/.well-known/oauth-authorization-server";
const RESOURCE = "/.well-known/oauth-protected-resource/mcp/projects";
const installed = existsSync(new URL("./node_modules/@modelcontextprotocol/sdk/package.json", import.meta.url));
const options = installed ? {} : { skip: "the npm packages are not installed" };
const SALARIES = { "salaries.txt": "The salary bands begin at 41,000 crowns." };
const search = { method: "tools/call", params: { name: "search", arguments: { query: "salary bands" } } };
const found = (reply) => reply.json.result.structuredContent.passages.length;

/** A service, an agent, a host of programs, and Ann, who may ask. */
async function scene(t, fields = { name: "Ann", agents: [{ project_id: null, rights: ["ask"] }] }) {
  const host = await programs(t);
  const kb = await start(t, host.options);
  const agent = await kb.agent({ files: SALARIES });
  await agent.settled();
  const ann = await invited(kb, fields);
  return { host, kb, agent, ann, client: host.program() };
}

/** What is kept of programs, oldest first. */
const kept = async (kb) => {
  const { data } = await kb.expect(200, "GET", "/audit", { query: { action: "program.", limit: 100 } });
  return data.map((row) => [row.action, row.outcome, row.person_id]).reverse();
};

test("a program is let in by its person, and asks in their name: code, tokens, renewal, end", async (t) => {
  const { kb, agent, ann, client } = await scene(t);
  const about = await kb.api("GET", SERVER, { plain: true, key: null });
  assert.deepEqual(about.json, {
    issuer: PUBLIC,
    authorization_endpoint: `${PUBLIC}/oauth/authorize`,
    token_endpoint: `${PUBLIC}/oauth/token`,
    revocation_endpoint: `${PUBLIC}/oauth/revoke`,
    scopes_supported: ["ask"],
    response_types_supported: ["code"],
    response_modes_supported: ["query"],
    grant_types_supported: ["authorization_code", "refresh_token"],
    code_challenge_methods_supported: ["S256"],
    token_endpoint_auth_methods_supported: ["none"],
    revocation_endpoint_auth_methods_supported: ["none"],
    client_id_metadata_document_supported: true,
    authorization_response_iss_parameter_supported: true,
  });
  const resource = await kb.api("GET", `${RESOURCE}/${agent.id}`, { plain: true, key: null });
  assert.deepEqual(resource.json.authorization_servers, [PUBLIC]);
  assert.deepEqual(resource.json.resource, addressOf(agent));
  assert.equal(
    (await ask(kb, agent, null)).headers["www-authenticate"],
    `Bearer resource_metadata="${PUBLIC}${RESOURCE}/${agent.id}"`,
  );

  const secret = verifier();
  const fields = asking(client, agent, secret);
  const question = await kb.expect(200, "GET", "/programs/asked", { query: fields, ...ann.asking });
  assert.deepEqual(question, {
    client_id: client,
    host: new URL(client).host,
    name: "Stories",
    back_to: null,
    project_id: agent.id,
    project_name: agent.record.project_name,
    all_documents: false,
  });
  const denied = await answer(kb, ann.asking, fields, false);
  assert.deepEqual(Object.fromEntries(denied.searchParams), {
    error: "access_denied",
    state: "a state & more",
    iss: PUBLIC,
  });
  const to = await answer(kb, ann.asking, fields);
  assert.equal(to.origin + to.pathname, BACK);
  const { code, ...rest } = Object.fromEntries(to.searchParams);
  assert.deepEqual(rest, { state: "a state & more", iss: PUBLIC });

  const given = await token(kb, exchanging(client, agent, code, secret));
  assert.equal(given.status, 200, given.text);
  assert.equal(given.headers["cache-control"], "no-store");
  const { access_token, refresh_token, ...more } = given.json;
  assert.deepEqual(more, { token_type: "Bearer", expires_in: 3600, scope: "ask" });
  assert.equal(found(await ask(kb, agent, access_token, search)), 1);

  const renewed = await token(kb, renewing(client, refresh_token));
  assert.equal(renewed.status, 200, renewed.text);
  assert.equal((await ask(kb, agent, access_token)).status, 401, "the one before has gone");
  assert.equal((await ask(kb, agent, renewed.json.access_token)).status, 200);

  const [row, ...none] = await kb.expect(200, "GET", "/programs", ann.asking);
  assert.deepEqual(none, []);
  assert.deepEqual(
    [row.client_id, row.name, row.project_id, row.person_id, row.key_id],
    [client, "Stories", agent.id, ann.id, null],
  );
  assert.ok(row.seen_at);
  assert.equal((await revoke(kb, { token: renewed.json.refresh_token, client_id: client })).status, 200);
  assert.equal((await ask(kb, agent, renewed.json.access_token)).status, 401);
  assert.equal((await token(kb, renewing(client, renewed.json.refresh_token))).json.error, "invalid_grant");
  assert.deepEqual(await kb.expect(200, "GET", "/programs", ann.asking), []);
  assert.deepEqual(await kept(kb), [
    ["program.deny", "done", ann.id],
    ["program.allow", "done", ann.id],
    ["program.revoke", "done", ann.id],
  ]);
  for (const text of [code, access_token, refresh_token, secret, renewed.json.refresh_token]) {
    assert.ok(!kb.log.includes(text), "nothing that opens is in the log");
    const audit = await kb.expect(200, "GET", "/audit", { query: { limit: 100 } });
    assert.ok(!JSON.stringify(audit).includes(text), "nor in what is kept");
  }
});

test("what a program asks wrongly is refused on the page, and sends nobody anywhere", async (t) => {
  const { host, kb, agent, ann, client } = await scene(t);
  const slow = () => {}; // says nothing
  host.documents.set("/slow", slow);
  host.documents.set("/huge", JSON.stringify({ client_id: `${host.url}/huge`, x: "x".repeat(20_000) }));
  host.documents.set("/moved", (_, res) => res.writeHead(302, { location: client }).end());
  host.documents.set("/broken", "{");
  host.documents.set("/list", "[]");
  host.documents.set("/deep", "[".repeat(5_000));
  host.documents.set("/failed", (_, res) => res.writeHead(500).end());
  host.program("/other", { client_id: client });
  host.program("/anywhere", { redirect_uris: [] });
  host.program("/secret", { client_secret: "s" });
  host.program("/script", { redirect_uris: ["javascript:alert(1)", "http://evil.example/back", "cursor://x/y"] });
  const stranger = await kb.agent({ project_name: "Not Ann's" });
  const ben = await invited(kb, { name: "Ben", agents: [{ project_id: stranger.id, rights: ["ask"] }] });
  const at = (path) => ({ client_id: host.url + path });
  const wrong = {
    "no program": { client_id: undefined },
    http: { client_id: client.replace("https:", "http:") },
    "no path": { client_id: host.url },
    "with a user": { client_id: client.replace("https://", "https://u:p@") },
    "with a fragment": { client_id: `${client}#x` },
    "with dots": { client_id: `${host.url}/a/../program.json` },
    "a private address": { client_id: "https://10.0.0.1/program.json" },
    "the host's metadata": { client_id: "https://169.254.169.254/latest" },
    "an inner name": { client_id: "https://[fd00::1]/program.json" },
    "nothing there": at("/missing"),
    "a failure there": at("/failed"),
    "too slow": at("/slow"),
    "too long": at("/huge"),
    "leads elsewhere": at("/moved"),
    "no JSON": at("/broken"),
    "no object": at("/list"),
    "too deep": at("/deep"),
    "another one's": at("/other"),
    "nowhere to go back": at("/anywhere"),
    "with a secret": at("/secret"),
    "a script to go back to": { ...at("/script"), redirect_uri: "javascript:alert(1)" },
    "plain http to go back to": { ...at("/script"), redirect_uri: "http://evil.example/back" },
    "another scheme to go back to": { ...at("/script"), redirect_uri: "cursor://x/y" },
    "another place to go back to": { redirect_uri: "https://evil.example/callback" },
    "a longer place": { redirect_uri: `${BACK}/more` },
    "a place with a query": { redirect_uri: `${BACK}?to=evil` },
    "another name of this machine": { redirect_uri: BACK.replace("127.0.0.1", "localhost") },
    "a fragment": { redirect_uri: `${BACK}#x` },
    "no place": { redirect_uri: undefined },
    "no PKCE": { code_challenge: undefined, code_challenge_method: undefined },
    "plain PKCE": { code_challenge_method: "plain" },
    "PKCE by no name": { code_challenge_method: undefined },
    "half a challenge": { code_challenge: "short" },
    "a token at once": { response_type: "token" },
    "no resource": { resource: undefined },
    "the service": { resource: PUBLIC },
    "another service": { resource: `http://evil.example/mcp/projects/${agent.id}` },
    "an agent by another number": { resource: `${addressOf(agent).replace(/\d+$/, "")}0${agent.id}` },
    "an agent that is not there": { resource: addressOf({ id: 999_999 }) },
    "a state without an end": { state: "x".repeat(3_000) },
  };
  const secret = verifier();
  const fields = (more) =>
    Object.fromEntries(Object.entries(asking(client, agent, secret, more)).filter(([, value]) => value !== undefined));
  // Any port of this machine is as good as the one that is listed.
  const moved = await answer(kb, ann.asking, fields({ redirect_uri: BACK.replace(":9/", ":4711/") }));
  assert.equal(moved.port, "4711");
  for (const [name, more] of Object.entries(wrong)) {
    for (const reply of [
      await kb.api("GET", "/programs/asked", { query: fields(more), ...ann.asking }),
      await kb.api("POST", "/programs", { json: { ...fields(more), allow: true }, ...ann.asking }),
    ]) {
      assert.ok([400, 404].includes(reply.status), `${name}: ${reply.status} ${reply.text}`);
      assert.ok(!/"continue"|41,000|program\.json"/.test(reply.text), name);
    }
  }
  // An agent out of reach is like one that is not there, for a person and for another account.
  const out = await kb.api("GET", "/programs/asked", { query: fields({}), ...ben.asking });
  const gone = await kb.api("GET", "/programs/asked", {
    query: fields({ resource: addressOf({ id: 999_999 }) }),
    ...ben.asking,
  });
  assert.deepEqual(
    [out.status, out.json.message.replace(agent.id, "N")],
    [404, gone.json.message.replace("999999", "N")],
  );
  const foreign = await signedIn(kb, { key: await kb.newKey({ account: "elsewhere" }) });
  assert.equal((await kb.api("GET", "/programs/asked", { query: fields({}), ...foreign.asking })).status, 404);
  // Nobody who is not signed in has anything fetched.
  const before = host.asked.length;
  assert.equal((await kb.api("GET", "/programs/asked", { query: fields({}), key: null })).status, 401);
  // A foreign page's form brings the cookie along and no field of ours.
  const forged = await kb.api("POST", "/programs", {
    json: { ...fields({}), allow: true },
    key: null,
    headers: { cookie: ann.cookie },
  });
  assert.equal(forged.status, 401);
  assert.equal(host.asked.length, before);
  assert.equal((await kb.expect(200, "GET", "/programs")).length, 0);
});

test("codes and tokens that do not fit are refused alike, and end what they were part of", async (t) => {
  const { host, kb, agent, ann, client } = await scene(t);
  const other = await kb.agent();
  const another = host.program("/another.json");
  const texts = new Set();
  const refuse = async (name, fields) => {
    const reply = await token(kb, fields);
    assert.deepEqual([reply.status, reply.json.error], [400, "invalid_grant"], `${name}: ${reply.text}`);
    texts.add(reply.text);
  };
  const wrong = {
    "another verifier": { code_verifier: verifier() },
    "a short verifier": { code_verifier: "short" },
    "the challenge for the verifier": (secret) => ({ code_verifier: challengeOf(secret) }),
    "another place": { redirect_uri: BACK.replace(":9/", ":10/") },
    "another agent": { resource: addressOf(other) },
    "another program": { client_id: another },
  };
  for (const [name, more] of Object.entries(wrong)) {
    const secret = verifier();
    const code = (await answer(kb, ann.asking, asking(client, agent, secret))).searchParams.get("code");
    const right = exchanging(client, agent, code, secret);
    await refuse(name, { ...right, ...(typeof more === "function" ? more(secret) : more) });
    await refuse(`${name}, then right`, right);
  }
  // A code that comes twice takes back what it gave.
  const twice = await letIn(kb, ann.asking, client, agent);
  assert.equal((await ask(kb, agent, twice.access_token)).status, 200);
  await refuse("a code a second time", exchanging(client, agent, twice.code, twice.secret));
  assert.equal((await ask(kb, agent, twice.access_token)).status, 401);
  await refuse("its refresh token", renewing(client, twice.refresh_token));
  // So does a refresh token, however long ago it was used.
  const stolen = await letIn(kb, ann.asking, client, agent);
  const second = (await token(kb, renewing(client, stolen.refresh_token))).json;
  const third = (await token(kb, renewing(client, second.refresh_token))).json;
  assert.equal((await ask(kb, agent, third.access_token)).status, 200);
  await refuse("a refresh token a second time", renewing(client, stolen.refresh_token));
  assert.equal((await ask(kb, agent, third.access_token)).status, 401);
  await refuse("the newest one", renewing(client, third.refresh_token));
  for (const more of [{ client_id: another }, { resource: addressOf(other) }]) {
    const mine = await letIn(kb, ann.asking, client, agent);
    await refuse("a refresh token of another", renewing(client, mine.refresh_token, more));
    assert.equal((await ask(kb, agent, mine.access_token)).status, 401);
  }
  await refuse("a code that was never made", exchanging(client, agent, "x".repeat(43), verifier()));
  await refuse("no code", exchanging(client, agent, "", verifier()));
  await refuse("a refresh token that was never made", renewing(client, "x".repeat(86)));
  assert.equal(texts.size, 1, "one sentence for all");
  // What is wrong of itself is said.
  const live = await letIn(kb, ann.asking, client, agent);
  for (const [fields, error] of [
    [{ ...renewing(client, live.refresh_token), grant_type: "password" }, "unsupported_grant_type"],
    [{ grant_type: "refresh_token", refresh_token: live.refresh_token }, "invalid_client"],
    [renewing(client, live.refresh_token, { resource: "https://evil.example/" }), "invalid_target"],
  ])
    assert.deepEqual([(await token(kb, fields)).status, (await token(kb, fields)).json.error], [400, error]);
  assert.equal((await ask(kb, agent, live.access_token)).status, 200, "and ends nothing");
  // Nobody else's to revoke, and no word of whether there is one.
  assert.equal((await revoke(kb, { token: live.access_token, client_id: another })).status, 200);
  assert.equal((await ask(kb, agent, live.access_token)).status, 200);
  // At the one agent, for asking, and nowhere else.
  assert.equal((await ask(kb, other, live.access_token)).status, 401);
  for (const [method, where] of [
    ["GET", "/projects"],
    ["GET", `/projects/${agent.id}/conversations`],
    ["POST", `/projects/${agent.id}/conversations`],
    ["GET", "/programs"],
    ["DELETE", `/projects/${agent.id}`],
  ])
    assert.equal((await kb.api(method, where, { key: live.access_token })).status, 401, where);
  assert.equal((await revoke(kb, { token: live.access_token, client_id: client })).status, 200);
  assert.equal((await ask(kb, agent, live.access_token)).status, 401);
  assert.deepEqual(
    new Set((await kept(kb)).map(([action, outcome]) => `${action} ${outcome}`)),
    new Set(["program.allow done", "program.revoke done"]),
  );
});

test("a token opens what its person's labels open, and follows them at once", async (t) => {
  const { kb, agent, ann, client } = await scene(t);
  const [page] = await agent.settled();
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  const mine = await letIn(kb, ann.asking, client, agent);
  const sees = async () => found(await ask(kb, agent, mine.access_token, search));
  const change = (json) => kb.expect(200, "PUT", `/people/${ann.id}`, { json });
  assert.equal(await sees(), 0);
  await change({ labels: ["hr"] });
  assert.equal(await sees(), 1);
  await change({ labels: [] });
  assert.equal(await sees(), 0);
  // An owner opens what is closed; a program in their name does not, and improves nothing.
  await change({ role: "owner" });
  assert.equal(await sees(), 0);
  const named = await kb.api("POST", `/mcp/projects/${agent.id}`, {
    query: "labels=hr",
    key: mine.access_token,
    json: { jsonrpc: "2.0", id: 1, ...search },
  });
  assert.ok(named.status === 403 || found(named) === 0, named.text);
  const edits = await kb.api("POST", `/mcp/projects/${agent.id}`, {
    query: "edits=true",
    key: mine.access_token,
    json: { jsonrpc: "2.0", id: 1, method: "tools/list", params: {} },
  });
  assert.ok(!/answer_gap/.test(edits.text));
  await change({ role: "member", agents: [] });
  assert.equal((await ask(kb, agent, mine.access_token)).status, 404);
  assert.equal((await token(kb, renewing(client, mine.refresh_token))).json.error, "invalid_grant");
  await change({ agents: [{ project_id: agent.id, rights: ["ask"] }] });
  const again = await letIn(kb, ann.asking, client, agent);
  assert.equal((await ask(kb, agent, again.access_token)).status, 200);
  await kb.expect(200, "DELETE", `/people/${ann.id}`);
  assert.equal((await ask(kb, agent, again.access_token)).status, 401);
  assert.equal((await token(kb, renewing(client, again.refresh_token))).json.error, "invalid_grant");
  assert.deepEqual(await kb.expect(200, "GET", "/programs"), []);
});

test("a directory that switches somebody off ends their programs", async (t) => {
  const { kb, agent, client } = await scene(t);
  const { token: key } = await kb.expect(201, "POST", "/directory-tokens", { json: { name: "Entra" } });
  const send = (method, where, json) =>
    kb.api(method, `/scim/v2/${where}`, {
      plain: true,
      key,
      headers: { "content-type": "application/scim+json" },
      body: JSON.stringify(json),
    });
  const made = await send("POST", "Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: "eve@example.org",
    active: true,
  });
  const person = (await kb.expect(200, "GET", "/people")).find(
    (each) => each.email !== "" || each.name.includes("eve"),
  );
  await kb.expect(200, "PUT", `/people/${person.id}`, { json: { agents: [{ project_id: null, rights: ["ask"] }] } });
  const { link } = await kb.expect(201, "POST", `/people/${person.id}/invitation`);
  const eve = await signedIn(kb, { link: link.split("#")[1] });
  const hers = await letIn(kb, eve.asking, client, agent);
  assert.equal((await ask(kb, agent, hers.access_token)).status, 200);
  const active = (value) =>
    send("PATCH", `Users/${JSON.parse(made.text).id}`, {
      schemas: ["urn:ietf:params:scim:api:messages:2.0:PatchOp"],
      Operations: [{ op: "replace", value: { active: value } }],
    });
  assert.equal((await active(false)).status, 200);
  assert.equal((await ask(kb, agent, hers.access_token)).status, 401);
  assert.equal((await active(true)).status, 200);
  assert.equal((await ask(kb, agent, hers.access_token)).status, 401, "it was ended, not put off");
});

test("a key that signed the browser in is what its programs stand on", async (t) => {
  const { kb, agent, client } = await scene(t);
  const { key } = await kb.expect(201, "POST", "/user/keys", { json: { name: "desk" } }).catch(() => ({}));
  const made = key ?? (await kb.expect(201, "POST", "/keys", { json: { name: "desk" } })).key;
  const desk = await signedIn(kb, { key: made });
  const fields = asking(client, agent, verifier());
  const question = await kb.expect(200, "GET", "/programs/asked", { query: fields, ...desk.asking });
  assert.equal(question.all_documents, true);
  const mine = await letIn(kb, desk.asking, client, agent);
  assert.equal((await ask(kb, agent, mine.access_token)).status, 200);
  const id = Number(made.split("|")[0]);
  assert.equal((await kb.expect(200, "GET", "/programs"))[0].key_id, id);
  await kb.expect(200, "DELETE", `/keys/${id}`);
  assert.equal((await ask(kb, agent, mine.access_token)).status, 401);
  assert.equal((await token(kb, renewing(client, mine.refresh_token))).json.error, "invalid_grant");
  assert.deepEqual(await kb.expect(200, "GET", "/programs"), []);
});

test("programs are seen and ended by who let them in, and by the account's owners", async (t) => {
  const { kb, agent, ann, client } = await scene(t);
  const ben = await invited(kb, { name: "Ben", agents: [{ project_id: null, rights: ["ask", "manage"] }] });
  const auditor = await invited(kb, { name: "Eve", role: "auditor" });
  const hers = await letIn(kb, ann.asking, client, agent);
  const his = await letIn(kb, ben.asking, client, agent);
  const list = async (who) => (await kb.expect(200, "GET", "/programs", who)).map((row) => row.person_id);
  assert.deepEqual(await list(ann.asking), [ann.id]);
  assert.deepEqual(await list(ben.asking), [ben.id]);
  assert.deepEqual(await list(auditor.asking), [ben.id, ann.id]);
  assert.deepEqual(await list({}), [ben.id, ann.id]);
  const [mine] = await kb.expect(200, "GET", "/programs", ann.asking);
  await kb.expect(404, "DELETE", `/programs/${mine.id}`, ben.asking);
  await kb.expect(404, "DELETE", `/programs/${mine.id}`, auditor.asking);
  assert.equal((await ask(kb, agent, hers.access_token)).status, 200);
  await kb.expect(200, "DELETE", `/programs/${mine.id}`, ann.asking);
  await kb.expect(404, "DELETE", `/programs/${mine.id}`, ann.asking);
  assert.equal((await ask(kb, agent, hers.access_token)).status, 401);
  const [other] = await kb.expect(200, "GET", "/programs");
  await kb.expect(200, "DELETE", `/programs/${other.id}`);
  assert.equal((await ask(kb, agent, his.access_token)).status, 401);
});

test("codes last a minute, access tokens an hour, and what is not renewed thirty days", async (t) => {
  const { kb, agent, ann, client } = await scene(t);
  const secret = verifier();
  const code = (await answer(kb, ann.asking, asking(client, agent, secret))).searchParams.get("code");
  const hour = await letIn(kb, ann.asking, client, agent);
  const older = (seconds) =>
    changeRows(
      t,
      kb,
      `UPDATE programs SET ends_at = ends_at - ${seconds * 1e6}, access_ends_at = access_ends_at - ${seconds * 1e6}`,
    );
  if (!(await older(120))) return;
  assert.equal((await token(kb, exchanging(client, agent, code, secret))).json.error, "invalid_grant");
  assert.equal((await ask(kb, agent, hour.access_token)).status, 200);
  await older(3600);
  assert.equal((await ask(kb, agent, hour.access_token)).status, 401);
  const renewed = await token(kb, renewing(client, hour.refresh_token));
  assert.equal(renewed.status, 200, renewed.text);
  assert.equal((await ask(kb, agent, renewed.json.access_token)).status, 200);
  await older(30 * 24 * 3600 + 1);
  assert.equal((await token(kb, renewing(client, renewed.json.refresh_token))).json.error, "invalid_grant");
  assert.deepEqual(await kb.expect(200, "GET", "/programs"), []);
});

test("of many who bring the same code or token at once, one is served at the most", async (t) => {
  const { kb, agent, ann, client } = await scene(t);
  const secret = verifier();
  const code = (await answer(kb, ann.asking, asking(client, agent, secret))).searchParams.get("code");
  const all = (fields) => Promise.all(Array.from({ length: 8 }, () => token(kb, fields)));
  const good = (replies) => replies.filter((reply) => reply.status === 200).length;
  assert.ok(good(await all(exchanging(client, agent, code, secret))) <= 1);
  const mine = await letIn(kb, ann.asking, client, agent);
  assert.ok(good(await all(renewing(client, mine.refresh_token))) <= 1);
  assert.deepEqual(await kb.expect(200, "GET", "/programs"), [], "and what is in doubt is over");
});

test("one node lets a program in, another gives the tokens, and its end reaches both", async (t) => {
  const host = await programs(t);
  const { url } = await database();
  const place = { ...host.options.env, DOCENT_STORE: url, DOCENT_BLOB: path.join(await folder(t), "blobs") };
  const [first, second] = await nodesOf(t, [place, place], { args: host.options.args });
  const agent = await first.agent();
  const ann = await invited(first, { name: "Ann", agents: [{ project_id: null, rights: ["ask"] }] });
  const client = host.program();
  const statuses = (key) => Promise.all([first, second].map(async (node) => (await ask(node, agent, key)).status));
  const mine = await letIn(first, ann.asking, client, agent, second);
  assert.deepEqual(await statuses(mine.access_token), [200, 200]);
  const renewed = (await token(first, renewing(client, mine.refresh_token))).json;
  assert.deepEqual(await statuses(mine.access_token), [401, 401]);
  assert.deepEqual(await statuses(renewed.access_token), [200, 200]);
  assert.equal((await token(second, renewing(client, mine.refresh_token))).json.error, "invalid_grant");
  assert.deepEqual(await statuses(renewed.access_token), [401, 401]);
});

test("without a name, or with a provider, there is no such server", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const [method, path] of [
    ["GET", SERVER],
    ["POST", "/oauth/token"],
    ["POST", "/oauth/revoke"],
  ])
    assert.equal((await kb.api(method, path, { plain: true, key: null })).status, 404, path);
  const fields = asking("https://client.example/x", agent, verifier());
  assert.equal((await kb.api("GET", "/programs/asked", { query: fields })).status, 404);
  assert.equal((await ask(kb, agent, "dat_" + "x".repeat(43))).headers["www-authenticate"], "Bearer");
  const page = await kb.api("GET", "/oauth/authorize", { plain: true, key: null });
  assert.match(page.headers["content-security-policy"], /frame-ancestors 'none'/);
});

test("the SDK's client lets itself in by the address of its description", options, async (t) => {
  const { Client } = await import("@modelcontextprotocol/sdk/client/index.js");
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const { kb, agent, ann, client } = await scene(t);
  let to, tokens, secret, information;
  const state = randomUUID();
  const authProvider = {
    redirectUrl: BACK,
    clientMetadataUrl: client,
    clientMetadata: { client_name: "stories", redirect_uris: [BACK], token_endpoint_auth_method: "none" },
    clientInformation: () => information,
    saveClientInformation: (given) => (information = given),
    state: () => state,
    tokens: () => tokens,
    saveTokens: (given) => (tokens = given),
    redirectToAuthorization: (url) => (to = url),
    saveCodeVerifier: (text) => (secret = text),
    codeVerifier: () => secret,
  };
  const transport = () =>
    new StreamableHTTPClientTransport(new URL(addressOf(agent)), {
      authProvider,
      fetch: (url, init) => fetch(String(url).replace(PUBLIC, kb.url), init),
    });
  const first = transport();
  await assert.rejects(new Client({ name: "stories", version: "1.0.0" }).connect(first), /Unauthorized/);
  assert.equal(to.origin + to.pathname, `${PUBLIC}/oauth/authorize`);
  assert.equal(to.searchParams.get("client_id"), client);
  const back = await answer(kb, ann.asking, Object.fromEntries(to.searchParams));
  assert.equal(back.searchParams.get("state"), state);
  await first.finishAuth(back.searchParams.get("code"));
  const asker = new Client({ name: "stories", version: "1.0.0" });
  await asker.connect(transport());
  t.after(() => asker.close());
  const reply = await asker.callTool({ name: "search", arguments: { query: "salary bands" } });
  assert.equal(reply.structuredContent.passages.length, 1);
  // When its access token is too old it renews it by itself.
  const before = tokens.access_token;
  tokens = { ...tokens, access_token: "dat_" + "x".repeat(43) };
  await asker.callTool({ name: "search", arguments: { query: "salary bands" } });
  assert.notEqual(tokens.access_token, before);
});
