// People whom the organisation's provider signs in: a real one (npm oidc-provider), asked over HTTP.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { ROLES, away, scene, signIn } from "./lib/entering.mjs";
import { Browser, CLIENT, SECRET } from "./lib/provider.mjs";
import { changeRows } from "./lib/rows.mjs";
import { folder } from "./lib/util.mjs";

const PAGE = { "x-docent-session": "1" };

const refused = (kb, reply, word) =>
  assert.deepEqual(
    [reply.status, reply.location, reply.headers["set-cookie"]],
    [303, `${kb.url}/login?provider=${word}`, undefined],
  );

test("who signs in at the provider is in, with what their groups give them", async (t) => {
  const { kb, idp } = await scene(t);
  const offered = await kb.expect(200, "GET", "/session", { plain: true, key: null });
  assert.deepEqual([offered.provider, offered.signed_in], ["127.0.0.1", false]);
  const ann = await signIn(kb, idp, "ann");
  assert.deepEqual([ann.person.name, ann.person.email, ann.person.role], ["Ann", "ann@example.org", "member"]);
  assert.deepEqual(ann.person.agents, [{ project_id: null, rights: ["ask"] }]);
  const [cookie] = ann.back.headers["set-cookie"];
  assert.match(cookie, /^docent=[A-Za-z0-9]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  const ben = await signIn(kb, idp, "ben");
  assert.equal(ben.person.role, "owner");
  await kb.expect(200, "GET", "/keys", ben.asking);
  assert.equal((await kb.api("GET", "/keys", ann.asking)).status, 403);
  const entries = (await kb.expect(200, "GET", "/audit", { query: { action: "session.begin" } })).data;
  assert.deepEqual(
    entries.map((row) => row.person_id),
    [ben.person.id, ann.person.id],
  );
  assert.equal((await kb.api("POST", "/user/keys", { ...ben.asking, json: {} })).status, 403, "no key outlives it");
});

test("a group opens a labelled document, and closes it when it is taken away", async (t) => {
  const { kb, idp } = await scene(t);
  const agent = await kb.agent({ files: { "salaries.txt": "The salary bands begin at 41,000 crowns." } });
  const [page] = await agent.settled();
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  const asks = async (who) => {
    const reply = await agent.expect(200, "POST", "/search", { ...who.asking, json: { query: "salary bands" } });
    return reply.passages.length;
  };
  const ann = await signIn(kb, idp, "ann");
  const cat = await signIn(kb, idp, "cat");
  assert.deepEqual([await asks(ann), await asks(cat)], [1, 0]);
  idp.people.ann.groups = ["staff"];
  const again = await signIn(kb, idp, "ann");
  assert.equal(again.person.id, ann.person.id);
  assert.deepEqual([await asks(again), await asks(ann)], [0, 0], "in every browser of hers");
  // The last group that is let in takes the person with it.
  idp.people.ann.groups = ["strangers"];
  const last = await away(kb, idp, "ann");
  refused(kb, await last.browser.get(last.callback), "nobody");
  for (const { asking } of [ann, again]) assert.equal((await kb.api("GET", "/projects", asking)).status, 401);
});

test("groups may come from the userinfo endpoint, to a public client or one that sends its secret in the body", async (t) => {
  for (const auth of ["none", "client_secret_post"]) {
    const { kb, idp } = await scene(t, { thin: true, auth, secret: auth !== "none" });
    const ben = await signIn(kb, idp, "ben");
    assert.deepEqual([ben.person.name, ben.person.email, ben.person.role], ["Ben", "ben@example.org", "owner"]);
    // What it says of another is not taken.
    idp.spoil = (_, res, at) =>
      at === "/me" &&
      (res.writeHead(200, { "content-type": "application/json" }),
      res.end(JSON.stringify({ sub: "eve", groups: ["it"] })),
      true);
    const there = await away(kb, idp, "ben");
    refused(kb, await there.browser.get(there.callback), "nobody");
    await until("the log to say it", () => /the provider names no groups claim=groups/.test(kb.log));
  }
});

test("two people with one address of mail are two people", async (t) => {
  const { kb, idp } = await scene(t);
  const { id } = (
    await kb.expect(201, "POST", "/people", { json: { name: "Invited", email: "ann@example.org", role: "owner" } })
  ).person;
  const [ann, cat] = [await signIn(kb, idp, "ann"), await signIn(kb, idp, "cat")];
  assert.equal(new Set([id, ann.person.id, cat.person.id]).size, 3);
  assert.deepEqual([ann.person.role, cat.person.role], ["member", "member"], "nobody becomes whom an owner invited");
});

test("the provider signs somebody out, by session and by person", async (t) => {
  const { kb, idp } = await scene(t);
  const [first, second, ben] = [
    await signIn(kb, idp, "ann"),
    await signIn(kb, idp, "ann"),
    await signIn(kb, idp, "ben"),
  ];
  const is = async (...all) =>
    Promise.all(all.map(async ({ asking }) => (await kb.api("GET", "/projects", asking)).status));
  assert.deepEqual(await is(first, second, ben), [200, 200, 200]);
  // Docent's own sign-out goes on to the provider, which tells the service that this session is over.
  const out = await kb.expect(200, "DELETE", "/session", { plain: true, ...second.asking });
  assert.match(out.continue, new RegExp(`^${idp.issuer}/session/end\\?client_id=docent&post_logout_redirect_uri=`));
  assert.deepEqual(await is(first, second, ben), [200, 401, 200]);
  const end = await first.browser.get(`${idp.issuer}/session/end?client_id=docent`);
  const xsrf = /name="xsrf" value="([^"]+)"/.exec(end.text)[1];
  await first.browser.get(`${idp.issuer}/session/end/confirm`, {
    method: "POST",
    headers: { "content-type": "application/x-www-form-urlencoded" },
    body: `xsrf=${xsrf}&logout=yes`,
  });
  await until("ann to be out", async () => (await is(first))[0] === 401);
  assert.equal(idp.fault, undefined);
  assert.deepEqual(await is(ben), [200]);
  const entries = (await kb.expect(200, "GET", "/audit", { query: { action: "session.end" } })).data;
  assert.ok(entries.length >= 2 && !JSON.stringify(entries).includes("eyJ"), "no token is kept");
  // What is no logout token signs nobody out, and its answer tells nothing.
  for (const logout_token of ["", "a.b.c", "x".repeat(70_000)]) {
    const reply = await kb.api("POST", "/login/oidc/logout", { plain: true, key: null, json: { logout_token } });
    assert.equal(reply.status, 400, reply.text);
  }
  assert.deepEqual(await is(ben), [200]);
});

test("a key that is new is asked for, and one that is gone counts no more", async (t) => {
  const { kb, idp } = await scene(t);
  await signIn(kb, idp, "ann");
  const keys = () => idp.asked["/jwks"];
  const before = keys();
  await signIn(kb, idp, "ben");
  assert.equal(keys(), before, "the keys are kept");
  idp.rotate("second", "ec");
  await signIn(kb, idp, "ann");
  assert.equal(keys(), before + 1);
  // Once a minute at most, whatever comes.
  idp.rotate("third");
  for (let i = 0; i < 3; i++) {
    const there = await away(kb, idp, "ann");
    refused(kb, await there.browser.get(there.callback), "refused");
  }
  assert.equal(keys(), before + 1);
  await until("the log to say it", () =>
    /nobody signed in through the provider.*an algorithm that the provider does not name/.test(kb.log),
  );
});

test("while the provider is away a page says so, and a link of the command line is the way in", async (t) => {
  const { kb, idp } = await scene(t);
  await idp.close();
  const browser = new Browser();
  refused(kb, await browser.get(`${kb.url}/login/oidc`), "away");
  const shell = await browser.get(`${kb.url}/login?provider=away`);
  assert.equal(shell.status, 200);
  const made = await docent(["key", "link", "--data", kb.dir, "--url", kb.url], { env: kb.places?.() });
  const link = /#([A-Za-z0-9]{43})\n$/.exec(made.stdout)?.[1];
  assert.equal(
    (await kb.api("POST", "/session", { plain: true, key: null, json: { link }, headers: PAGE })).status,
    201,
    made.stderr,
  );
  await idp.open();
  // It is left alone for some seconds, and then asked again.
  await until("the provider to be asked again", async () =>
    (await browser.get(`${kb.url}/login/oidc`)).location.startsWith(idp.issuer),
  );
  await signIn(kb, idp, "ann");
});

test("docent oidc check says what the provider offers, what is to be registered there, and what is missing", async (t) => {
  const { kb, idp, roles } = await scene(t);
  const args = ["--oidc-issuer", idp.issuer, "--oidc-client-id", CLIENT];
  const good = await docent(["oidc", "check", ...args, "--roles", roles, "--public-url", "https://kb.example.org"]);
  assert.equal(good.code, 0, good.stdout + good.stderr);
  assert.match(good.stdout, /^signatures +(\S+ )*RS256/m);
  assert.match(good.stdout, /^keys that can be used +[1-9]/m);
  assert.match(good.stdout, /^redirect URI +https:\/\/kb\.example\.org\/login\/oidc\/callback$/m);
  const open = await docent(["oidc", "check", ...args]);
  assert.equal(open.code, 1);
  assert.match(open.stdout, /--oidc-issuer needs --roles/);
  const other = await docent(["oidc", "check", ...args.with(1, `${idp.issuer}/other`), "--roles", roles]);
  assert.equal(other.code, 1, "it is no provider of that name");
  await idp.close();
  const away = await docent(["oidc", "check", ...args, "--roles", roles]);
  assert.equal(away.code, 1);
  assert.doesNotMatch(away.stdout, /^signatures/m);
  const none = await docent(["oidc", "check"], { env: kb.places() });
  assert.equal(none.code, 2);
  assert.match(none.stderr, /--oidc-issuer is missing/);
});

test("what comes back is of this attempt, this browser and this provider, or nobody signs in", async (t) => {
  const { kb, idp } = await scene(t);
  const replace = (url, name, value) => {
    const to = new URL(url);
    if (value === null) to.searchParams.delete(name);
    else to.searchParams.set(name, value);
    return to.href;
  };
  const one = await away(kb, idp, "ann");
  const two = await away(kb, idp, "ben");
  const state = (there) => new URL(there.callback).searchParams.get("state");
  const code = (there) => new URL(there.callback).searchParams.get("code");
  // Ben's address in Ann's browser: it is used up.
  refused(kb, await one.browser.get(two.callback), "again");
  refused(kb, await two.browser.get(two.callback), "again");
  for (const [why, spoil, word] of [
    ["no state", (url) => replace(url, "state", null), "again"],
    ["an empty state", (url) => replace(url, "state", ""), "again"],
    ["a made-up state", (url) => replace(url, "state", "x".repeat(43)), "again"],
    ["a huge state", (url) => replace(url, "state", "x".repeat(4000)), "again"],
    ["another's code", (url) => replace(url, "code", code(two)), "refused"],
    ["no code", (url) => replace(url, "code", null), "refused"],
    ["an empty code", (url) => replace(url, "code", ""), "refused"],
    ["a huge code", (url) => replace(url, "code", "x".repeat(4000)), "refused"],
    ["another issuer", (url) => replace(url, "iss", "https://evil.example"), "refused"],
    ["an issuer with a slash", (url) => replace(url, "iss", `${idp.issuer}/`), "refused"],
    ["no issuer, where the provider names it", (url) => replace(url, "iss", null), "refused"],
    ["an error beside the code", (url) => replace(url, "error", "access_denied"), "refused"],
  ]) {
    const there = await away(kb, idp, "ann");
    assert.notEqual(state(there), state(one));
    const reply = await there.browser.get(spoil(there.callback));
    refused(kb, reply, word);
    assert.ok(why && !reply.text.includes("ann"), why);
  }
  const used = await signIn(kb, idp, "ann");
  refused(kb, await used.browser.get(used.callback), "again");
  const bare = await away(kb, idp, "ann");
  refused(kb, await new Browser().get(bare.callback), "again");
  idp.refuses = true;
  const no = await away(kb, idp, "ann");
  refused(kb, await no.browser.get(no.callback), "refused");
  const lines = () =>
    kb.log.split("\n").filter((line) => line.includes("nobody signed in through the provider")).length;
  await until("each to be logged", () => lines() >= 17);
  assert.equal(lines(), 17);
  assert.ok(!kb.log.includes(code(one)) && !kb.log.includes(SECRET), "and tells nothing");
  assert.equal((await kb.expect(200, "GET", "/people")).length, 1, "nobody came but Ann");
});

test("answers of the provider that are not to be believed sign nobody in", async (t) => {
  const { kb, idp } = await scene(t);
  await signIn(kb, idp, "ben"); // its description is known
  const answer = (res, status, body) => {
    res.writeHead(status, { "content-type": "application/json" });
    res.end(typeof body === "string" ? body : JSON.stringify(body));
    return true;
  };
  const unsigned = (claims, head = { alg: "none" }) =>
    [head, claims].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url")).join(".");
  const now = Math.floor(Date.now() / 1000);
  const claims = { iss: idp.issuer, aud: CLIENT, sub: "ann", exp: now + 60, iat: now, groups: ["it"] };
  for (const [why, status, body, word] of [
    ["it fails", 500, {}, "away"],
    ["it refuses", 400, { error: "invalid_grant" }, "refused"],
    ["it does not know us", 401, { error: "invalid_client" }, "refused"],
    ["no JSON", 200, "<html>", "away"],
    ["a list", 200, [], "away"],
    ["no token", 200, {}, "refused"],
    ["a token of no kind", 200, { id_token: 7 }, "refused"],
    ["an unsigned token", 200, { id_token: `${unsigned(claims)}.` }, "refused"],
    [
      "a token with a made-up signature",
      200,
      { id_token: `${unsigned(claims, { alg: "RS256", kid: "first" })}.AAAA` },
      "refused",
    ],
    ["too much", 200, `"${"x".repeat(3 << 20)}"`, "away"],
  ]) {
    const there = await away(kb, idp, "ann");
    idp.spoil = (_, res, at) => at === "/token" && answer(res, status, body);
    const reply = await there.browser.get(there.callback);
    idp.spoil = null;
    assert.equal(reply.location, `${kb.url}/login?provider=${word}`, why);
    assert.equal(reply.headers["set-cookie"], undefined, why);
  }
  await signIn(kb, idp, "ann");
});

test("a sign-in that the provider gave lasts eight hours at the most", async (t) => {
  const { kb, idp } = await scene(t);
  const ann = await signIn(kb, idp, "ann");
  const is = async () => (await kb.api("GET", "/projects", ann.asking)).status;
  assert.equal(await is(), 200);
  const hours = (n) => `UPDATE sign_ins SET ends_at = ends_at - ${n} * 3600000000 WHERE ends_at > 0`;
  if (!(await changeRows(t, kb, hours(7)))) return;
  assert.equal(await is(), 200);
  await changeRows(t, kb, hours(1));
  assert.equal(await is(), 401);
});

test("a start that cannot work says why, and without a provider there is none", async (t) => {
  const dir = await folder(t);
  const [roles, empty] = [path.join(dir, "roles"), path.join(dir, "empty")];
  await writeFile(roles, ROLES);
  await writeFile(empty, "\n");
  const base = ["serve", "--data", path.join(dir, "data"), "--listen", "127.0.0.1:0"];
  const whole = ["--oidc-issuer", "https://id.example.org", "--oidc-client-id", "docent", "--roles", roles];
  for (const [args, sentence] of [
    [whole.slice(0, 2), "--oidc-issuer needs --roles: it says who is let in"],
    [[...whole.slice(0, 2), ...whole.slice(4)], "--oidc-issuer needs --oidc-client-id"],
    [["--oidc-issuer", "http://id.example.org", ...whole.slice(2)], "--oidc-issuer: it must begin with https:"],
    [["--oidc-issuer", "https://id.example.org/?a", ...whole.slice(2)], "--oidc-issuer: it may have no user"],
    [["--oidc-issuer", "id.example.org", ...whole.slice(2)], "--oidc-issuer: it is no address of the web"],
    [[...whole, "--oidc-scope", "email"], "--oidc-scope must have openid"],
    [[...whole, "--oidc-client-secret-file", path.join(dir, "none")], "--oidc-client-secret-file: "],
    [[...whole, "--oidc-client-secret-file", empty], "--oidc-client-secret-file is empty"],
  ]) {
    const { code, stderr } = await docent([...base, ...args]);
    assert.equal(code, 1, stderr);
    assert.ok(stderr.includes(sentence), stderr);
  }
  const kb = await start(t);
  assert.equal((await kb.expect(200, "GET", "/session", { plain: true, key: null })).provider, null);
  for (const [method, at] of [
    ["GET", "/login/oidc"],
    ["GET", "/login/oidc/callback"],
    ["POST", "/login/oidc/logout"],
  ])
    assert.equal(
      (await kb.api(method, at, { plain: true, key: null, json: method === "POST" ? {} : undefined })).status,
      404,
    );
});
