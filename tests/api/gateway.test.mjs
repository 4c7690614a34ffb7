// People whom a gateway has signed in: who they are and what their groups open comes in fields of trusted proxies.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { folder } from "./lib/util.mjs";

const PAGE = { "x-docent-session": "1" };

const ROLES = `# what groups are
service desk = default:ask
CN=Editors,OU=Groups = default:content@1
it = default:owner
watch = default:auditor
hr > hr
elsewhere = support:manage
`;

async function behind(t, { roles = ROLES, args = ["--trusted-proxies", "127.0.0.0/8"] } = {}) {
  const dir = await folder(t);
  const file = path.join(dir, "roles");
  await writeFile(file, roles);
  const named = ["--sign-in-header", "X-Remote-User", "--sign-in-name-header", "X-Remote-Name"];
  const kb = await start(t, {
    args: [...args, ...named, "--sign-in-groups-header", "X-Remote-Groups", "--roles", file],
  });
  return { kb, file };
}

/** What the gateway puts into each request of theirs. */
const says = (user, groups, name) => ({
  "x-remote-user": user,
  "x-remote-groups": groups,
  ...(name && { "x-remote-name": name }),
});

async function signIn(kb, fields) {
  const reply = await kb.api("POST", "/session", {
    plain: true,
    key: null,
    json: { by: "gateway" },
    headers: { ...PAGE, ...fields },
  });
  const cookie = reply.headers["set-cookie"]?.[0].split(";")[0];
  return { ...reply, asking: { key: null, headers: { cookie, ...PAGE } } };
}

test("who they are, what their groups may and which labels they open comes from the gateway", async (t) => {
  const { kb } = await behind(t);
  const agent = await kb.agent();
  assert.equal(agent.id, 1);
  const offered = await kb.expect(200, "GET", "/session", { plain: true, key: null, headers: says("ann", "hr") });
  assert.deepEqual(offered.offers, ["gateway"]);
  assert.deepEqual((await kb.expect(200, "GET", "/session", { plain: true, key: null })).offers, []);
  const ann = await signIn(kb, says("ann@example.org", "service desk; CN=Editors,OU=Groups; hr; unknown", "Ann"));
  assert.equal(ann.status, 201, ann.text);
  assert.deepEqual(
    [ann.data.person.name, ann.data.person.email, ann.data.person.role],
    ["Ann", "ann@example.org", "member"],
  );
  assert.deepEqual(ann.data.person.agents, [
    { project_id: null, rights: ["ask"] },
    { project_id: 1, rights: ["content"] },
  ]);
  const people = await kb.expect(200, "GET", "/people");
  assert.deepEqual(
    people.map((row) => [row.id, row.labels]),
    [[ann.data.person.id, ["hr"]]],
  );
  await agent.expect(200, "GET", "/pages", ann.asking);
  assert.equal((await agent.api("GET", "/settings", ann.asking)).status, 403);
  const it = await signIn(kb, says("ben", "it,service desk"));
  assert.equal(it.data.person.role, "owner");
});

test("a group that is taken away takes its role and its label with it, and the last one all sessions", async (t) => {
  const { kb, file } = await behind(t);
  const agent = await kb.agent();
  const first = await signIn(kb, says("ann", "it,hr"));
  await kb.expect(200, "GET", "/keys", first.asking);
  const second = await signIn(kb, says("ann", "service desk"));
  assert.equal(second.data.person.id, first.data.person.id);
  // What they may is the person's: the browser that signed in before has no more.
  assert.equal((await kb.api("GET", "/keys", first.asking)).status, 403);
  assert.deepEqual((await kb.expect(200, "GET", "/people"))[0].labels, []);
  await kb.expect(200, "GET", agent.path, first.asking);
  const gone = await signIn(kb, says("ann", "unknown"));
  assert.deepEqual([gone.status, gone.json.message], [403, "none of your groups is let in"]);
  for (const { asking } of [first, second]) assert.equal((await kb.api("GET", agent.path, asking)).status, 401);
  assert.deepEqual(await kb.expect(200, "GET", "/people"), []);
  // The file is read with each sign-in.
  await writeFile(file, "unknown = default:ask\n");
  assert.equal((await signIn(kb, says("ann", "unknown"))).status, 201);
});

test("whose groups are of another account is let go in the one before", async (t) => {
  const { kb } = await behind(t);
  const first = await signIn(kb, says("ann", "service desk"));
  const moved = await signIn(kb, says("ann", "elsewhere"));
  assert.equal(moved.status, 201);
  assert.equal((await kb.api("GET", "/projects", first.asking)).status, 401);
  assert.deepEqual(await kb.expect(200, "GET", "/people"), []);
});

test("no key outlives the gateway's word", async (t) => {
  const { kb } = await behind(t);
  const ann = await signIn(kb, says("ann", "it"));
  const reply = await kb.api("POST", "/user/keys", { ...ann.asking, json: {} });
  assert.deepEqual(
    [reply.status, reply.json.message],
    [403, "you sign in through your organisation, and have no keys here"],
  );
});

test("what a gateway did not say signs nobody in", async (t) => {
  const { kb } = await behind(t);
  for (const [why, fields, status] of [
    ["nobody is named", { "x-remote-groups": "it" }, 401],
    ["an empty name", says("", "it"), 401],
    ["blanks", says("   ", "it"), 401],
    ["no groups", { "x-remote-user": "ann" }, 403],
    ["a group like another", says("ann", "IT"), 403],
    ["part of a group", says("ann", "service"), 403],
    ["a name of 300 letters", says("a".repeat(300), "it"), 401],
    ["a foreign page", { ...says("ann", "it"), origin: "https://evil.example" }, 403],
    ["no page of ours", { ...says("ann", "it"), "x-docent-session": "0" }, 403],
  ]) {
    const reply = await signIn(kb, fields);
    assert.equal(reply.status, status, `${why}: ${reply.text}`);
    assert.equal(reply.headers["set-cookie"], undefined, why);
  }
  assert.deepEqual(await kb.expect(200, "GET", "/people"), []);
});

test("the fields count from trusted proxies alone", async (t) => {
  const { kb } = await behind(t, { args: ["--trusted-proxies", "192.0.2.1"] });
  const reply = await signIn(kb, says("ann", "it"));
  assert.equal(reply.status, 401);
  const { offers } = await kb.expect(200, "GET", "/session", { plain: true, key: null, headers: says("ann", "it") });
  assert.deepEqual(offers, []);
});

test("a start that cannot work says why", async (t) => {
  const dir = await folder(t);
  const file = path.join(dir, "roles");
  const base = [
    "serve",
    "--data",
    path.join(dir, "data"),
    "--listen",
    "127.0.0.1:0",
    "--sign-in-header",
    "X-Remote-User",
  ];
  const more = ["--trusted-proxies", "127.0.0.1", "--sign-in-groups-header", "X-Groups", "--roles", file];
  for (const [roles, args, sentence] of [
    ["", [], "--sign-in-header needs --trusted-proxies: from nobody else the field counts"],
    ["", more.slice(0, 2), "--sign-in-header needs --sign-in-groups-header and --roles: they say who is let in"],
    ["# ok\nstaff default:ask\n", more, "--roles: line 2 must be GROUP = ACCOUNT:ROLE or GROUP > LABEL"],
    ["staff = default:king\n", more, "--roles: line 1 must be GROUP = ACCOUNT:ROLE or GROUP > LABEL"],
    ["staff = default:owner@3\n", more, "--roles: line 1 must be GROUP = ACCOUNT:ROLE or GROUP > LABEL"],
  ]) {
    await writeFile(file, roles);
    const { code, stderr } = await docent([...base, ...args]);
    assert.equal(code, 1, stderr);
    assert.ok(stderr.includes(sentence), stderr);
  }
});

test("who was let go is out of what they were reading", async (t) => {
  const { kb } = await behind(t);
  const agent = await kb.agent();
  const ann = await signIn(kb, says("ann", "it"));
  const reading = await fetch(`${kb.url}/api/v1/projects/${agent.id}/progress`, {
    headers: { ...ann.asking.headers, accept: "text/event-stream" },
  });
  assert.equal(reading.status, 200);
  let over = false;
  const end = () => (over = true);
  void reading.text().then(end, end);
  assert.equal((await signIn(kb, says("ann", ""))).status, 403);
  await until("the stream to end", () => over);
});
