// The account behind a key, licenses and plugins of its agents, and what an agent does.
import { assert, docent, form, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { request } from "./lib/http.mjs";

/** The smallest picture there is: one pixel. */
const pixel = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const photo = (bytes, filename = "me.png") => ({
  form: [{ name: "profile_photo", filename, type: "image/png", value: bytes }],
});

test("the account has a picture that anybody may load, until it is taken away", async (t) => {
  const kb = await start(t);
  assert.equal((await kb.expect(200, "GET", "/user")).profile_photo_url, null);
  const user = await kb.expect(200, "POST", "/user", photo(pixel));
  assert.match(user.profile_photo_url, /\/assets\/users\/\d+\/[0-9a-f]{64}\.png$/);
  const load = (url) => request(url, { headers: {} });
  const picture = await load(user.profile_photo_url);
  assert.equal(picture.status, 200);
  assert.equal(picture.headers["content-type"], "image/png");
  assert.equal(picture.headers["x-content-type-options"], "nosniff");
  assert.deepEqual(picture.bytes, pixel);
  assert.equal((await load(user.profile_photo_url.replace(/users\/\d+/, "users/999"))).status, 404);
  await kb.expect(200, "POST", "/user", { json: { name: "Ada" } });
  assert.equal(
    (await kb.expect(200, "GET", "/user")).profile_photo_url,
    user.profile_photo_url,
    "a new name leaves the picture",
  );
  assert.equal((await kb.expect(200, "POST", "/user", { json: { profile_photo: null } })).profile_photo_url, null);
  assert.equal((await load(user.profile_photo_url)).status, 404);
});

test("what is no picture is refused and changes nothing", async (t) => {
  const kb = await start(t);
  const before = await kb.expect(200, "GET", "/user");
  for (const [options, words] of [
    [photo(Buffer.from("no picture at all")), /no PNG, JPEG, WebP or GIF/],
    [photo(Buffer.alloc(6 << 20, pixel)), /the limit is/],
    [{ json: { profile_photo: "https://docent.invalid/me.png" } }, /valid image file for profile_photo/],
    [{ json: { name: "x".repeat(256) } }, /256 characters, the limit is 255/],
    [{ json: { name: " " } }, /can't be empty/],
  ]) {
    const reply = await kb.api("POST", "/user", options);
    assert.equal(reply.status, 400, reply.text);
    assert.match(reply.json.message, words);
  }
  assert.deepEqual(await kb.expect(200, "GET", "/user"), before);
});

test("a team member is found by id or address; nobody of another account is", async (t) => {
  const kb = await start(t);
  const key = await kb.newKey({ account: "ada@docent.invalid" });
  const other = await kb.expect(200, "GET", "/user");
  const ada = await kb.expect(200, "GET", "/user", { key });
  assert.equal(ada.email, "ada@docent.invalid");
  const search = (status, query) => kb.expect(status, "GET", "/user/search-team-member", { key, query });
  assert.deepEqual(await search(200, { email: "ADA@docent.invalid" }), ada);
  assert.deepEqual(await search(200, { user_id: ada.id }), ada);
  await search(404, { user_id: other.id });
  await search(404, { email: "eve@docent.invalid" });
  await search(404, { email: ada.email, user_id: other.id });
  await search(400, {});
  await search(400, { user_id: "x" });
});

test("whoever takes another's name does not get the key that the operator makes for the other", async (t) => {
  const kb = await start(t);
  const bob = await kb.newKey({ account: "bob@example.org" });
  const user = (key) => kb.expect(200, "GET", "/user", { key });
  const agent = await kb.agent({ key: bob, project_name: "Bob's" });
  for (const name of ["carol@example.org", "carol", "default"]) {
    assert.equal((await kb.expect(200, "POST", "/user", { key: bob, json: { name } })).name, name);
    const key = await kb.newKey({ account: name });
    assert.notEqual((await user(key)).id, (await user(bob)).id, `a key made for ${name} is not Bob's`);
    assert.equal((await kb.expect(200, "GET", "/projects", { key })).total, 0);
  }
  assert.equal((await user(bob)).email, "bob@example.org", "he is who he was");
  assert.equal((await user(await kb.newKey({ account: "bob@example.org" }))).id, (await user(bob)).id);
  await kb.expect(200, "GET", agent.path, { key: await kb.newKey({ account: "bob@example.org", agents: [agent.id] }) });
  await kb.expect(404, "GET", "/user/search-team-member", { key: bob, query: { email: "carol@example.org" } });
});

test("an account keeps its agents whatever its holders call it, and two may be called the same", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const stranger = await kb.newKey({ account: "stranger" });
  for (const key of [kb.key, stranger])
    assert.equal(
      (await kb.expect(200, "POST", "/user", { key, json: { name: "Ann \u202e\n1001" } })).name,
      "Ann \u202e\n1001",
    );
  for (const options of [{}, { agents: [agent.id] }])
    await kb.expect(200, "GET", agent.path, { key: await kb.newKey(options) });
  assert.equal((await kb.expect(200, "GET", "/projects", { key: stranger })).total, 0);
  const { stdout } = await docent(["key", "list", "--data", kb.dir]);
  for (const [key, account] of [
    [kb.key, "default"],
    [stranger, "stranger"],
  ])
    assert.match(
      stdout,
      new RegExp(`^${key.split("|")[0]} +${account} +Ann \\?\\?1001 `, "m"),
      "the list shows both, and the name disturbs no line",
    );
});

test("an account without an address has none, and its name is the handle at first", async (t) => {
  const kb = await start(t);
  const user = await kb.expect(200, "GET", "/user");
  assert.deepEqual([user.name, user.email], ["default", null]);
  const longest = "😀".repeat(255);
  assert.equal((await kb.expect(200, "POST", "/user", { json: { name: longest } })).name, longest);
});

test("licenses: refused until the agent allows them, then made, read, renamed and taken back", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const refused = await agent.api("GET", "/licenses");
  assert.equal(refused.status, 403);
  assert.match(refused.json.message, /Licenses are not allowed/);
  await agent.expect(403, "POST", "/licenses", { json: { name: "Ada" } });
  await agent.expect(200, "POST", "", { json: { are_licenses_allowed: true } });
  assert.deepEqual(await agent.expect(200, "GET", "/licenses"), []);
  const made = await agent.expect(201, "POST", "/licenses", { json: { name: " Ada " } });
  assert.match(made.licenseKey, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  assert.equal(made.license.key, made.licenseKey);
  assert.equal(made.license.name, "Ada");
  assert.equal(made.license.project_id, agent.id);
  for (const id of [made.license.id, made.licenseKey, made.licenseKey.toUpperCase()])
    assert.deepEqual((await agent.api("GET", `/licenses/${id}`)).json, { status: "success", license: made.license });
  const renamed = (await agent.api("PUT", `/licenses/${made.licenseKey}`, { json: { name: "Grace" } })).json.license;
  assert.equal(renamed.name, "Grace");
  assert.deepEqual(await agent.expect(200, "GET", "/licenses"), [renamed]);

  for (const [method, where, json] of [
    ["POST", "/licenses", {}],
    ["POST", "/licenses", { name: "x".repeat(256) }],
    ["POST", "/licenses", { name: [] }],
    ["PUT", `/licenses/${renamed.id}`, { name: "" }],
    ["GET", "/licenses/abc"],
    ["DELETE", "/licenses/1.5"],
  ])
    await agent.expect(422, method, where, { json });
  await kb.expect(422, "GET", "/projects/abc/licenses");
  const missing = await agent.api("GET", "/licenses/999");
  assert.equal(missing.status, 404);
  assert.equal(missing.json.message, "Agent license with id 999 not found");

  // Who holds the key may ask whether it is good.
  const good = () => kb.api("GET", `/licenses/${made.licenseKey}`, { key: null });
  assert.equal((await good()).json.license.name, "Grace");
  await agent.expect(200, "POST", "", { json: { are_licenses_allowed: false } });
  assert.equal((await good()).status, 404);
  await agent.expect(200, "POST", "", { json: { are_licenses_allowed: true } });
  assert.equal((await good()).status, 200);
  assert.deepEqual(await agent.expect(200, "DELETE", `/licenses/${renamed.id}`), { deleted: true });
  assert.equal((await good()).status, 404);
  await agent.expect(404, "DELETE", `/licenses/${renamed.id}`);

  const last = await agent.expect(201, "POST", "/licenses", { json: { name: "Last" } });
  const copy = await agent.expect(201, "POST", "/replicate");
  assert.deepEqual(await kb.expect(200, "GET", `/projects/${copy.id}/licenses`), [], "a copy hands out its own");
  await agent.expect(200, "DELETE");
  await kb.expect(404, "GET", `/licenses/${last.licenseKey}`, { key: null });
});

test("a plugin is stored, changed and copied with its agent", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const none = await agent.api("GET", "/plugins");
  assert.equal(none.status, 404);
  assert.equal(none.json.message, `Plugin for agent with id ${agent.id} not found`);
  await agent.expect(404, "PUT", "/plugins", { json: { model_name: "x", human_name: "X" } });
  for (const json of [
    {},
    { model_name: "a b", human_name: "X" },
    { model_name: "x" },
    { model_name: "x", human_name: "X", logo: "javascript:x" },
  ])
    await agent.expect(400, "POST", "/plugins", { json });
  await agent.expect(404, "GET", "/plugins");
  const made = await agent.expect(201, "POST", "/plugins", {
    json: { model_name: "velmora", human_name: "Velmora", keywords: "light, sea", description: "All about it." },
  });
  assert.equal(made.is_active, true);
  const changed = await agent.expect(200, "PUT", "/plugins", {
    json: { is_active: false, logo: "https://docent.invalid/l.png" },
  });
  assert.deepEqual(
    { ...changed, updated_at: 0 },
    { ...made, updated_at: 0, is_active: false, logo: "https://docent.invalid/l.png" },
  );
  assert.deepEqual(await agent.expect(200, "GET", "/plugins"), changed);
  const copy = await agent.expect(201, "POST", "/replicate");
  assert.deepEqual(await kb.expect(200, "GET", `/projects/${copy.id}/plugins`), changed);
  const anew = await agent.expect(201, "POST", "/plugins", { json: { model_name: "other", human_name: "Other" } });
  assert.equal(anew.keywords, "");
});

test("the actions are those that the settings turn on", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const enabled = async () =>
    Object.fromEntries((await agent.expect(200, "GET", "/actions")).tools.map((tool) => [tool.key, tool.is_enabled]));
  const plain = {
    knowledge_base_search: true,
    question_planning: false,
    code_matching: false,
    message_files: true,
    knowledge_base_overview: true,
  };
  assert.deepEqual(await enabled(), plain);
  await agent.expect(200, "POST", "/settings", {
    json: { enable_agent_knowledge_base_awareness: false, is_hybrid_search: true, use_planner_mode: true },
  });
  assert.deepEqual(await enabled(), {
    ...plain,
    question_planning: true,
    code_matching: true,
    knowledge_base_overview: false,
  });
  const master = await kb.agent({ is_master: "true" });
  const routing = async () =>
    (await master.expect(200, "GET", "/actions")).tools.find((tool) => tool.key === "agent_routing");
  assert.equal((await routing()).is_enabled, false, "it has no children");
  await master.expect(200, "POST", "", { json: { child_project_ids: [agent.id] } });
  assert.deepEqual([(await routing()).is_enabled, (await routing()).settings.child_project_ids], [true, [agent.id]]);
  await master.expect(200, "POST", "/settings", { json: { master_project_smart_routing_mode: "off" } });
  assert.equal((await routing()).is_enabled, false);
});
