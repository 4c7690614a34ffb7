// A directory of the organisation that keeps people and groups (SCIM 2.0), in requests as Entra ID and Okta send them.
import { readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";
import { away, scene, signIn } from "./lib/entering.mjs";
import { signedIn } from "./lib/people.mjs";
import { folder } from "./lib/util.mjs";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const PATCH = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
const ERROR = ["urn:ietf:params:scim:api:messages:2.0:Error"];

const ROLES = `staff = default:ask
7f1d0e2c-entra = default:content
it = default:owner
hr > hr
elsewhere = other:owner
`;

/** A directory with a token of its own: directory.get("Users/1"), directory.post("Users", {…}). */
async function directoryOf(kb, key = kb.key) {
  const { id, token } = await kb.expect(201, "POST", "/directory-tokens", { key, json: { name: "Entra" } });
  const asks = async (method, where, json, options = {}) => {
    const reply = await kb.api(method, `/scim/v2/${where}`, {
      plain: true,
      key: options.key === undefined ? token : options.key,
      query: options.query,
      body: options.body ?? (json === undefined ? undefined : JSON.stringify(json)),
      headers: { "content-type": "application/scim+json", ...options.headers },
    });
    if (reply.bytes.length) {
      assert.equal(reply.headers["content-type"], "application/scim+json", reply.text);
      reply.json = JSON.parse(reply.text);
    }
    return reply;
  };
  const wants = async (status, ...args) => {
    const reply = await asks(...args);
    assert.equal(reply.status, status, `${args[0]} ${args[1]}: ${reply.status} ${reply.text}`);
    if (status >= 400) {
      assert.deepEqual(reply.json.schemas, ERROR);
      assert.equal(reply.json.status, String(status));
      assert.ok(reply.json.detail, reply.text);
    }
    return reply.json;
  };
  const patch = (where, ...Operations) => wants(200, "PATCH", where, { schemas: PATCH, Operations });
  const find = async (kind, filter, query = {}) =>
    (await wants(200, "GET", kind, undefined, { query: { filter, ...query } })).Resources;
  return { id, token, asks, wants, patch, find };
}

async function withRoles(t, roles = ROLES) {
  const file = path.join(await folder(t), "roles");
  await writeFile(file, roles);
  const kb = await start(t, { args: ["--roles", file] });
  return { kb, directory: await directoryOf(kb) };
}

const person = async (kb, name) => (await kb.expect(200, "GET", "/people")).find((one) => one.name === name);
const status = async (kb, asking) => (await kb.api("GET", "/projects", asking)).status;

/** As Entra ID makes somebody. */
const entra = (name, more = {}) => ({
  schemas: [`${CORE}:User`, "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User"],
  externalId: `oid-${name}`,
  userName: `${name}@Example.org`,
  active: true,
  displayName: name[0].toUpperCase() + name.slice(1),
  emails: [{ primary: true, type: "work", value: `${name}@example.org` }],
  meta: { resourceType: "User" },
  name: { formatted: "x", familyName: "Example", givenName: name },
  "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User": { department: "Sales" },
  ...more,
});

test("what is served is described, and asked for by a token of the directory alone", async (t) => {
  const kb = await start(t);
  const directory = await directoryOf(kb);
  const config = await directory.wants(200, "GET", "ServiceProviderConfig");
  assert.deepEqual([config.patch.supported, config.bulk.supported, config.etag.supported], [true, false, true]);
  const kinds = await directory.wants(200, "GET", "ResourceTypes");
  assert.deepEqual(
    kinds.Resources.map((one) => [one.id, one.endpoint]),
    [
      ["User", "/Users"],
      ["Group", "/Groups"],
    ],
  );
  assert.equal((await directory.wants(200, "GET", "ResourceTypes/User")).schema, `${CORE}:User`);
  const schemas = await directory.wants(200, "GET", "Schemas");
  assert.ok(schemas.Resources[0].attributes.some((one) => one.name === "userName" && one.uniqueness === "server"));
  assert.equal((await directory.wants(200, "GET", `Schemas/${CORE}:Group`)).name, "Group");
  await directory.wants(404, "GET", "Schemas/none");
  // Nobody else's: no key, an account's key, a token with a letter changed, one that was revoked.
  const [first] = [directory.token.at(-1)];
  const changed = directory.token.slice(0, -1) + (first === "a" ? "b" : "a");
  for (const key of [null, "", kb.key, changed, `${directory.token}x`, "scim-", directory.token.slice(5)])
    for (const [method, where] of [
      ["GET", "Users"],
      ["POST", "Users"],
      ["DELETE", "Groups/1"],
    ])
      await directory.wants(401, method, where, method === "POST" ? entra("eve") : undefined, { key });
  // And the token opens nothing else.
  assert.equal((await kb.api("GET", "/people", { key: directory.token })).status, 401);
  const list = await kb.expect(200, "GET", "/directory-tokens");
  assert.deepEqual([list.length, list[0].name, list[0].id], [1, "Entra", directory.id]);
  assert.ok(list[0].seen_at);
  await kb.expect(200, "DELETE", `/directory-tokens/${directory.id}`);
  await directory.wants(401, "GET", "Users");
  const rows = (await kb.expect(200, "GET", "/audit", { query: { action: "directory." } })).data;
  assert.deepEqual(
    rows.map((row) => row.action),
    ["directory.revoke", "directory.create"],
  );
  assert.ok(!JSON.stringify(rows).includes(directory.token));
  assert.deepEqual(await kb.expect(200, "GET", "/people"), []);
});

test("somebody is made, found, changed and deleted as Entra ID does it", async (t) => {
  const { kb, directory } = await withRoles(t);
  assert.deepEqual(await directory.find("Users", 'userName eq "ann@example.org"'), []);
  const made = await directory.asks("POST", "Users", entra("ann"));
  assert.equal(made.status, 201, made.text);
  const { id } = made.json;
  assert.equal(made.headers.location, `${kb.url}/scim/v2/Users/${id}`);
  assert.equal(made.headers.etag, 'W/"1"');
  assert.deepEqual(made.json.meta.version, 'W/"1"');
  assert.deepEqual(made.json.emails, [{ value: "ann@example.org", type: "work", primary: true }]);
  assert.equal((await directory.wants(409, "POST", "Users", entra("ANN"))).scimType, "uniqueness");
  const again = await directory.find("Users", 'userName eq "ANN@example.ORG"');
  assert.deepEqual(
    again.map((one) => one.id),
    [id],
  );
  for (const filter of [
    'externalId eq "oid-ann"',
    `id eq "${id}"`,
    'displayName eq "Ann"',
    'emails[type eq "work"].value eq "ann@example.org"',
    `${CORE}:User:userName eq "ann@example.org" and active eq true`,
  ])
    assert.equal((await directory.find("Users", filter)).length, 1, filter);
  for (const filter of ['externalId eq "OID-ann"', 'userName eq ""', 'id eq "999999"', 'id eq "x"', "active eq false"])
    assert.equal((await directory.find("Users", filter)).length, 0, filter);
  const one = await person(kb, "Ann");
  assert.deepEqual([one.email, one.role, one.agents, one.active], ["ann@example.org", "member", [], true]);
  // Entra ID's own words: op with a capital, False as a string, dotted names, paths with a filter.
  const changed = await directory.patch(
    `Users/${id}`,
    { op: "Replace", path: "displayName", value: "Ann Example" },
    { op: "Add", path: 'emails[type eq "work"].value', value: "ann.example@example.org" },
    { op: "Replace", value: { "name.givenName": "Anna", "urn:x:y:User:department": "Law", externalId: "oid-2" } },
    { op: "Add", path: "urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:manager", value: "4" },
    { op: "Add", path: 'phoneNumbers[type eq "mobile"].value', value: "+1" },
  );
  assert.deepEqual(
    [changed.displayName, changed.emails[0].value, changed.name, changed.externalId, changed.meta.version],
    ["Ann Example", "ann.example@example.org", { givenName: "Anna", familyName: "Example" }, "oid-2", 'W/"2"'],
  );
  assert.equal((await person(kb, "Ann Example")).email, "ann.example@example.org");
  const off = await directory.patch(`Users/${id}`, { op: "Replace", path: "active", value: "False" });
  assert.equal(off.active, false);
  assert.equal((await person(kb, "Ann Example")).active, false);
  assert.equal((await directory.patch(`Users/${id}`, { op: "replace", value: { active: "True" } })).active, true);
  // Replaced as a whole: what is left out is empty, but nobody is switched on by that.
  await directory.patch(`Users/${id}`, { op: "replace", value: { active: false } });
  const replaced = await directory.wants(200, "PUT", `Users/${id}`, {
    userName: "ann@example.org",
    password: "hunter2",
  });
  assert.deepEqual([replaced.active, replaced.displayName, replaced.externalId], [false, undefined, undefined]);
  assert.equal((await directory.asks("DELETE", `Users/${id}`)).status, 204);
  await directory.wants(404, "GET", `Users/${id}`);
  await directory.wants(404, "DELETE", `Users/${id}`);
  await directory.wants(404, "PATCH", `Users/${id}`, { Operations: [{ op: "replace", value: { active: true } }] });
  assert.deepEqual(await kb.expect(200, "GET", "/people"), []);
  // What is kept of it: who, what, and no password.
  const text = (await kb.api("GET", "/audit", { query: { action: "person.", limit: 100 } })).text;
  const rows = JSON.parse(text).data.data;
  assert.equal(rows.at(-1).action, "person.create");
  assert.ok(rows.every((row) => row.command === `directory token ${directory.id}` && row.key_id === null));
  assert.ok(rows.some((row) => row.changes?.active?.[1] === "false"));
  assert.ok(!text.includes("hunter2"));
});

test("versions, fields and pages are as the standard has them", async (t) => {
  const kb = await start(t);
  const directory = await directoryOf(kb);
  const users = [];
  for (const name of ["ann", "ben", "cat", "dan", "eve"])
    users.push((await directory.wants(201, "POST", "Users", entra(name))).id);
  const page = await directory.wants(200, "GET", "Users", undefined, { query: { startIndex: 2, count: 2 } });
  assert.deepEqual(
    [page.totalResults, page.startIndex, page.itemsPerPage, page.Resources.map((one) => one.id)],
    [5, 2, 2, users.slice(1, 3)],
  );
  for (const [query, count] of [
    [{ count: 0 }, 0],
    [{ count: -3 }, 0],
    [{ startIndex: 0 }, 5],
    [{ startIndex: 9 }, 0],
    [{ startIndex: "9223372036854775807", count: "9223372036854775807" }, 0],
    [{ count: "many" }, 5],
  ]) {
    const list = await directory.wants(200, "GET", "Users", undefined, { query });
    assert.deepEqual([list.totalResults, list.Resources.length], [5, count], JSON.stringify(query));
  }
  const where = `Users/${users[0]}`;
  const few = await directory.wants(200, "GET", where, undefined, { query: { attributes: "userName" } });
  assert.deepEqual(Object.keys(few).sort(), ["id", "schemas", "userName"]);
  const without = await directory.wants(200, "GET", where, undefined, {
    query: { excludedAttributes: "groups, emails" },
  });
  assert.ok(!("groups" in without) && !("emails" in without) && "meta" in without);
  const same = await directory.asks("GET", where, undefined, { headers: { "if-none-match": 'W/"1"' } });
  assert.deepEqual([same.status, same.text], [304, ""]);
  const change = { Operations: [{ op: "replace", value: { displayName: "Other" } }] };
  await directory.wants(412, "PATCH", where, change, { headers: { "if-match": 'W/"7"' } });
  await directory.wants(412, "DELETE", where, undefined, { headers: { "if-match": "nonsense" } });
  await directory.wants(200, "PATCH", where, change, { headers: { "if-match": 'W/"1"' } });
  await directory.wants(412, "PUT", where, entra("ann"), { headers: { "if-match": 'W/"1"' } });
  await directory.wants(200, "PUT", where, entra("ann"), { headers: { "if-match": "*" } });
  for (const [filter, type] of [
    ["userName", "invalidFilter"],
    ['userName co "a"', "invalidFilter"],
    ['userName eq "a" or active eq true', "invalidFilter"],
    ['userName eq "a', "invalidFilter"],
    ['nickName eq "a"', "invalidFilter"],
    [Array(9).fill("active eq true").join(" and "), "invalidFilter"],
    ["[", "invalidFilter"],
  ])
    assert.equal((await directory.wants(400, "GET", "Users", undefined, { query: { filter } })).scimType, type, filter);
});

test("what cannot be is refused in SCIM's form, and changes nothing", async (t) => {
  const { kb, directory } = await withRoles(t);
  const { id } = await directory.wants(201, "POST", "Users", entra("ann"));
  const group = await directory.wants(201, "POST", "Groups", { displayName: "staff", members: [{ value: id }] });
  const operations = (...list) => ({ schemas: PATCH, Operations: list });
  const set = (value) => operations({ op: "replace", value });
  for (const [method, where, json, wanted, type] of [
    ["POST", "Users", {}, 400, "invalidValue"],
    ["POST", "Users", { userName: "  " }, 400, "invalidValue"],
    ["POST", "Users", { userName: { a: 1 } }, 400, "invalidValue"],
    ["POST", "Users", { userName: "x".repeat(300) }, 400, "invalidValue"],
    ["POST", "Users", { userName: "a\nb" }, 400, "invalidValue"],
    ["POST", "Users", { userName: "b", active: "perhaps" }, 400, "invalidValue"],
    ["PATCH", `Users/${id}`, {}, 400, "invalidSyntax"],
    ["PATCH", `Users/${id}`, operations({ op: "move", path: "active" }), 400, "invalidSyntax"],
    ["PATCH", `Users/${id}`, operations({ op: "remove" }), 400, "noTarget"],
    ["PATCH", `Users/${id}`, operations({ op: "replace", path: "emails[type eq", value: "x" }), 400, "invalidPath"],
    ["PATCH", `Users/${id}`, operations({ op: "replace", value: "x" }), 400, "invalidValue"],
    ["PATCH", `Users/${id}`, operations({ op: "remove", path: "userName" }), 400, "invalidValue"],
    ["PATCH", `Users/${id}`, set({ active: 2 }), 400, "invalidValue"],
    [
      "PATCH",
      `Users/${id}`,
      operations(...Array(300).fill({ op: "add", path: "active", value: true })),
      413,
      "tooMany",
    ],
    ["POST", "Groups", { displayName: "" }, 400, "invalidValue"],
    ["POST", "Groups", { displayName: "staff" }, 409, "uniqueness"],
    ["POST", "Groups", { displayName: "b", members: [{ value: "999999" }] }, 400, "invalidValue"],
    ["POST", "Groups", { displayName: "b", members: [{ value: group.id }] }, 400, "invalidValue"],
    ["POST", "Groups", { displayName: "b", members: [{ display: "ann" }] }, 400, "invalidValue"],
    ["POST", "Groups", { displayName: "b", members: "all" }, 400, "invalidValue"],
    [
      "PATCH",
      `Groups/${group.id}`,
      operations({ op: "replace", path: 'members[value eq "1"].display', value: "x" }),
      400,
      "invalidPath",
    ],
    ["GET", "Users/0", undefined, 404],
    ["GET", "Users/me", undefined, 404],
    ["GET", `Groups/${id}`, undefined, 404],
    ["GET", `Users/${"9".repeat(40)}`, undefined, 404],
    ["GET", "Bulk", undefined, 404],
    ["PATCH", "Users", {}, 405],
  ]) {
    const said = await directory.wants(wanted, method, where, json);
    if (type) assert.equal(said.scimType, type, `${method} ${where} ${JSON.stringify(json).slice(0, 100)}`);
  }
  for (const [body, type] of [
    ["[]", "invalidSyntax"],
    ["{", "invalidSyntax"],
    ["", "invalidSyntax"],
    ['{"userName":"a","userName":"b"}', "invalidSyntax"],
    [`${'{"a":'.repeat(5000)}1${"}".repeat(5000)}`, "invalidSyntax"],
  ])
    assert.equal((await directory.wants(400, "POST", "Users", undefined, { body })).scimType, type, body.slice(0, 40));
  await directory.wants(413, "POST", "Users", undefined, { body: JSON.stringify({ userName: "x".repeat(3_000_000) }) });
  assert.equal((await directory.wants(200, "GET", `Users/${id}`)).meta.version, 'W/"1"');
  assert.equal((await directory.wants(200, "GET", "Groups")).totalResults, 1);
  assert.equal((await kb.expect(200, "GET", "/people")).length, 1);
});

test("a group gives rights and labels as it is changed, as Okta and Entra ID change it", async (t) => {
  const { kb, directory } = await withRoles(t);
  const ids = {};
  for (const name of ["ann", "ben"]) ids[name] = (await directory.wants(201, "POST", "Users", entra(name))).id;
  const { ann, ben } = ids;
  const rights = async (name) => {
    const { role, agents, labels } = await person(kb, name);
    return [role, agents.flatMap((one) => one.rights), labels];
  };
  const staff = await directory.wants(201, "POST", "Groups", {
    schemas: [`${CORE}:Group`],
    displayName: "staff",
    members: [{ value: ann, display: "ann@example.org" }],
  });
  assert.deepEqual(await rights("Ann"), ["member", ["ask"], []]);
  assert.deepEqual(await rights("Ben"), ["member", [], []]);
  // Entra ID: the group's id counts as its name does.
  const law = await directory.wants(201, "POST", "Groups", { displayName: "Law", externalId: "7f1d0e2c-entra" });
  await directory.patch(`Groups/${law.id}`, { op: "Add", path: "members", value: [{ value: ann }, { value: ben }] });
  assert.deepEqual(await rights("Ann"), ["member", ["ask", "content"], []]);
  assert.deepEqual(await rights("Ben"), ["member", ["content"], []]);
  await directory.patch(`Groups/${law.id}`, { op: "Add", path: "members", value: [{ value: ann }] });
  await directory.patch(`Groups/${law.id}`, { op: "Remove", path: "members", value: [{ value: ben }] });
  assert.deepEqual(await rights("Ben"), ["member", [], []]);
  await directory.patch(`Groups/${law.id}`, { op: "remove", path: `members[value eq "${ann}"]` });
  await directory.patch(`Groups/${law.id}`, { op: "remove", path: `members[value eq "${ann}"]` });
  assert.deepEqual(await rights("Ann"), ["member", ["ask"], []]);
  // Okta: a new name in an object, and the whole list.
  await directory.patch(`Groups/${law.id}`, { op: "replace", value: { id: law.id, displayName: "hr" } });
  await directory.patch(`Groups/${law.id}`, {
    op: "replace",
    path: "members",
    value: [{ value: ann }, { value: ben }],
  });
  await directory.patch(`Groups/${law.id}`, { op: "replace", value: { externalId: "" } });
  assert.deepEqual(await rights("Ann"), ["member", ["ask"], ["hr"]]);
  await directory.patch(`Groups/${law.id}`, { op: "replace", path: "displayName", value: "it" });
  assert.deepEqual(await rights("Ben"), ["owner", [], []]);
  // Of another account the file says nothing here, whatever a directory sends.
  await directory.patch(`Groups/${law.id}`, { op: "replace", path: "displayName", value: "elsewhere" });
  assert.deepEqual(await rights("Ben"), ["member", [], []]);
  const groups = await directory.find("Groups", `id eq "${staff.id}" and members eq "${ann}"`, {
    excludedAttributes: "members",
  });
  assert.deepEqual([groups.length, "members" in groups[0]], [1, false]);
  assert.deepEqual(await directory.find("Groups", `id eq "${staff.id}" and members.value eq "${ben}"`), []);
  const seen = await directory.wants(200, "GET", `Users/${ann}`);
  assert.deepEqual(
    seen.groups.map((one) => one.display),
    ["staff", "elsewhere"],
  );
  const put = await directory.wants(200, "PUT", `Groups/${staff.id}`, {
    displayName: "staff",
    members: [{ value: ben }],
  });
  assert.deepEqual(
    put.members.map((one) => one.value),
    [ben],
  );
  assert.deepEqual(
    [await rights("Ann"), await rights("Ben")],
    [
      ["member", [], []],
      ["member", ["ask"], []],
    ],
  );
  assert.equal((await directory.asks("DELETE", `Groups/${staff.id}`)).status, 204);
  assert.deepEqual(await rights("Ben"), ["member", [], []]);
  await directory.wants(404, "GET", `Groups/${staff.id}`);
});

test("members that come at once from two sides are all in", async (t) => {
  const { directory } = await withRoles(t);
  const users = [];
  for (let i = 0; i < 8; i++) users.push((await directory.wants(201, "POST", "Users", entra(`p${i}`))).id);
  const { id } = await directory.wants(201, "POST", "Groups", { displayName: "staff" });
  const all = users.map((value) =>
    directory.asks("PATCH", `Groups/${id}`, { Operations: [{ op: "add", path: "members", value: [{ value }] }] }),
  );
  const replies = await Promise.all(all);
  const done = users.filter((_, i) => replies[i].status === 200);
  assert.ok(
    done.length > 0 && replies.every(({ status: s }) => s === 200 || s === 412),
    replies.map((r) => r.text).join(),
  );
  const { members } = await directory.wants(200, "GET", `Groups/${id}`);
  assert.deepEqual(members.map((one) => one.value).sort(), done.sort());
});

test("who is switched off is out at once: browsers, keys and links; and comes in again when switched on", async (t) => {
  const { kb, directory } = await withRoles(t);
  const { id } = await directory.wants(201, "POST", "Users", entra("ann"));
  await directory.wants(201, "POST", "Groups", { displayName: "staff", members: [{ value: id }] });
  const { id: who } = await person(kb, "Ann");
  const invite = async () => (await kb.expect(201, "POST", `/people/${who}/invitation`)).link.split("#")[1];
  const browser = await signedIn(kb, { link: await invite() });
  const { key } = await kb.expect(201, "POST", "/user/keys", { ...browser.asking, json: { name: "mine" } });
  const link = await invite();
  assert.deepEqual([await status(kb, browser.asking), await status(kb, { key })], [200, 200]);
  await directory.patch(`Users/${id}`, { op: "replace", value: { active: false } });
  assert.deepEqual([await status(kb, browser.asking), await status(kb, { key })], [401, 401]);
  const enter = (secret) =>
    kb.api("POST", "/session", {
      plain: true,
      key: null,
      json: { link: secret },
      headers: { "x-docent-session": "1" },
    });
  assert.equal((await enter(link)).status, 401);
  // An owner's new link does not go round the directory.
  const refused = await enter(await invite());
  assert.deepEqual(
    [refused.status, refused.json.message],
    [401, "your organisation's directory has switched you off here"],
  );
  await directory.patch(`Users/${id}`, { op: "replace", value: { active: true } });
  assert.deepEqual([await status(kb, browser.asking), await status(kb, { key })], [401, 401], "what ended has ended");
  const back = await signedIn(kb, { link: await invite() });
  assert.equal(back.data.person.id, who);
  assert.equal(await status(kb, back.asking), 200);
  // Deleted, they are gone.
  assert.equal((await directory.asks("DELETE", `Users/${id}`)).status, 204);
  assert.equal(await status(kb, back.asking), 401);
  assert.equal((await kb.api("GET", `/people/${who}`)).status, 404);
  // And an owner who lets somebody go leaves the directory its user.
  const { id: ben } = await directory.wants(201, "POST", "Users", entra("ben"));
  await kb.expect(200, "DELETE", `/people/${(await person(kb, "Ben")).id}`);
  assert.equal((await directory.patch(`Users/${ben}`, { op: "replace", value: { active: false } })).active, false);
});

test("another account's people and groups are not there", async (t) => {
  const { kb, directory } = await withRoles(t);
  const theirs = await directoryOf(kb, await kb.newKey({ account: "other" }));
  const { id } = await directory.wants(201, "POST", "Users", entra("ann"));
  const group = await directory.wants(201, "POST", "Groups", { displayName: "it", members: [{ value: id }] });
  const before = [
    await directory.wants(200, "GET", `Users/${id}`),
    await directory.wants(200, "GET", `Groups/${group.id}`),
  ];
  const off = { Operations: [{ op: "replace", value: { active: false } }] };
  for (const [method, where, json] of [
    ["GET", `Users/${id}`],
    ["PUT", `Users/${id}`, entra("ann")],
    ["PATCH", `Users/${id}`, off],
    ["DELETE", `Users/${id}`],
    ["GET", `Groups/${group.id}`],
    ["PUT", `Groups/${group.id}`, { displayName: "x" }],
    ["PATCH", `Groups/${group.id}`, { Operations: [{ op: "remove", path: "members" }] }],
    ["DELETE", `Groups/${group.id}`],
  ]) {
    const said = await theirs.wants(404, method, where, json);
    const none = await theirs.wants(404, method, where.replace(/\d+/, "987654"), json);
    assert.equal(said.detail, none.detail, "word for word what nobody's id gets");
  }
  for (const filter of ['userName eq "ann@example.org"', `id eq "${id}"`, 'externalId eq "oid-ann"'])
    assert.deepEqual(await theirs.find("Users", filter), []);
  assert.deepEqual(await theirs.find("Groups", 'displayName eq "it"'), []);
  // A foreign member looks like none at all; the same names are free.
  const foreign = await theirs.wants(400, "POST", "Groups", { displayName: "it", members: [{ value: id }] });
  const absent = await theirs.wants(400, "POST", "Groups", { displayName: "it", members: [{ value: "987654" }] });
  assert.equal(foreign.detail.replace(/\d+/, ""), absent.detail.replace(/\d+/, ""));
  const { id: own } = await theirs.wants(201, "POST", "Users", entra("ann"));
  await theirs.wants(201, "POST", "Groups", { displayName: "it", members: [{ value: own }] });
  await theirs.patch(`Users/${own}`, { op: "replace", value: { active: false } });
  assert.deepEqual(
    [await directory.wants(200, "GET", `Users/${id}`), await directory.wants(200, "GET", `Groups/${group.id}`)],
    before,
  );
  assert.equal((await person(kb, "Ann")).active, true);
  assert.equal((await kb.api("DELETE", `/directory-tokens/${theirs.id}`)).status, 404);
});

test("who signs in at the provider is whom the directory calls so, or whose verified address it has", async (t) => {
  const { kb, idp } = await scene(t);
  const directory = await directoryOf(kb);
  const off = (id) => directory.patch(`Users/${id}`, { op: "replace", value: { active: false } });
  // By the id of the provider, which is the directory's too; the groups of both count.
  const ann = await directory.wants(201, "POST", "Users", entra("ann", { externalId: "ann", userName: "a.example" }));
  await directory.wants(201, "POST", "Groups", { displayName: "editors", members: [{ value: ann.id }] });
  const before = await person(kb, "Ann");
  const first = await signIn(kb, idp, "ann");
  assert.equal(first.person.id, before.id, "she is whom the directory made");
  assert.deepEqual(
    first.person.agents.flatMap((one) => one.rights),
    ["ask", "content"],
  );
  // Nobody's: the same address, but the directory's user is somebody already.
  const cat = await signIn(kb, idp, "cat");
  assert.notEqual(cat.person.id, first.person.id);
  // By an address that the provider has verified.
  const ben = await directory.wants(
    201,
    "POST",
    "Users",
    entra("ben", { externalId: "else", userName: "BEN@example.org" }),
  );
  const benHere = await person(kb, "Ben");
  const second = await signIn(kb, idp, "ben");
  assert.equal(second.person.id, benHere.id);
  // Not by one that it has not: dan has no email_verified, and is a stranger to the directory.
  idp.people.dan.groups = ["staff"];
  const dan = await directory.wants(201, "POST", "Users", entra("dan", { externalId: "none" }));
  const danHere = await person(kb, "Dan");
  const third = await signIn(kb, idp, "dan");
  assert.notEqual(third.person.id, danHere.id);
  await off(dan.id);
  assert.equal(await status(kb, third.asking), 200);
  // Off and deleted: out at once, and the way in says why.
  await off(ann.id);
  assert.equal((await directory.asks("DELETE", `Users/${ben.id}`)).status, 204);
  for (const [name, { asking }] of [
    ["ann", first],
    ["ben", second],
  ]) {
    assert.equal(await status(kb, asking), 401);
    const there = await away(kb, idp, name);
    const back = await there.browser.get(there.callback);
    assert.deepEqual([back.status, back.location], [303, `${kb.url}/login?provider=off`]);
  }
  await directory.patch(`Users/${ann.id}`, { op: "replace", value: { active: true } });
  assert.equal((await signIn(kb, idp, "ann")).person.id, first.person.id);
  // Made anew, ben is let in.
  await directory.wants(201, "POST", "Users", entra("ben", { externalId: "ben" }));
  await signIn(kb, idp, "ben");
});

test("somebody who was here before the directory is found when it makes them, and ends with it", async (t) => {
  const { kb, idp } = await scene(t);
  const [ann, ben] = [await signIn(kb, idp, "ann"), await signIn(kb, idp, "ben")];
  // An owner's guest with the same address is nobody of the directory's.
  const guest = await kb.expect(201, "POST", "/people", { json: { name: "Guest", email: "ben@example.org" } });
  const directory = await directoryOf(kb);
  const made = await directory.wants(201, "POST", "Users", entra("ann", { externalId: "ann" }));
  const by = await directory.wants(201, "POST", "Users", entra("ben", { externalId: "x" }));
  assert.equal((await kb.expect(200, "GET", "/people")).length, 3, "nobody is there twice");
  // What the sign-in said stays until the directory takes it away.
  const staff = await directory.wants(201, "POST", "Groups", { displayName: "staff", members: [{ value: made.id }] });
  const rights = async () => (await kb.expect(200, "GET", `/people/${ann.person.id}`)).agents.length;
  assert.equal(await rights(), 1);
  await directory.patch(`Groups/${staff.id}`, { op: "remove", path: "members" });
  assert.equal(await rights(), 0, "the group that the sign-in named is gone with it");
  assert.equal(await status(kb, ann.asking), 401, "whom no group lets in is signed out");
  await directory.patch(`Users/${by.id}`, { op: "Replace", path: "active", value: "False" });
  assert.equal(await status(kb, ben.asking), 401);
  assert.equal((await kb.expect(200, "GET", `/people/${guest.person.id}`)).active, true);
});

test("a claim of the provider may name what the directory calls somebody", async (t) => {
  const { kb, idp } = await scene(t);
  const directory = await directoryOf(kb);
  await kb.stop();
  kb.args.push("--oidc-directory-claim", "name");
  await kb.spawn();
  idp.begin(); // it has another address
  await directory.wants(201, "POST", "Users", entra("x", { externalId: "Ann", userName: "x" }));
  const here = await person(kb, "X");
  assert.equal((await signIn(kb, idp, "ann")).person.id, here.id);
});

test("a group of the directory alone lets somebody in, whose sign-in names none", async (t) => {
  const { kb, idp } = await scene(t);
  const directory = await directoryOf(kb);
  const { id } = await directory.wants(201, "POST", "Users", entra("dan", { externalId: "dan" }));
  const there = await away(kb, idp, "dan");
  assert.equal((await there.browser.get(there.callback)).location, `${kb.url}/login?provider=nobody`);
  const it = await directory.wants(201, "POST", "Groups", { displayName: "it", members: [{ value: id }] });
  const dan = await signIn(kb, idp, "dan");
  assert.equal(dan.person.role, "owner");
  // Another account's directory that claims him, on or off, takes him nowhere and nothing from him.
  const theirs = await directoryOf(kb, await kb.newKey({ account: "other" }));
  const claimed = await theirs.wants(201, "POST", "Users", entra("dan", { externalId: "dan" }));
  for (const active of [true, false]) {
    await theirs.patch(`Users/${claimed.id}`, { op: "replace", value: { active } });
    assert.equal((await signIn(kb, idp, "dan")).person.id, dan.person.id);
    assert.equal(await status(kb, dan.asking), 200);
  }
  await directory.patch(`Groups/${it.id}`, { op: "remove", path: `members[value eq "${id}"]` });
  assert.equal(await status(kb, dan.asking), 401);
});

test("the token is stored as a hash alone", async (t) => {
  const kb = await start(t);
  const directory = await directoryOf(kb);
  await until("the log to have it", () => kb.log.length > 0);
  assert.ok(!kb.log.includes(directory.token.slice(5)));
  if (!kb.places().DOCENT_STORE) {
    await kb.stop();
    for (const name of ["docent.db", "docent.db-wal"]) {
      const bytes = await readFile(path.join(kb.dir, name)).catch(() => Buffer.alloc(0));
      assert.ok(!bytes.includes(directory.token.slice(5)));
    }
  }
});
