// Agents (path name: projects): create, read, list, update, delete, statistics.
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";

test("an agent made from its name alone answers 201 with the whole record, active at once", async (t) => {
  const kb = await start(t);
  const agent = await kb.expect(201, "POST", "/projects", { json: { project_name: "My Agent" } });
  const { id, user_id, team_id, created_at, updated_at, ...rest } = agent;
  assert.ok(Number.isInteger(id) && id > 0);
  assert.equal(user_id, team_id);
  assert.equal(created_at, updated_at);
  assert.ok(Math.abs(Date.parse(created_at) - Date.now()) < 60_000);
  assert.deepEqual(rest, {
    project_name: "My Agent",
    sitemap_path: null,
    is_chat_active: true,
    index_state: "ok",
    is_master: false,
    deleted_at: null,
    type: "SITEMAP",
    is_shared: false,
    shareable_slug: null,
    shareable_link: null,
    embed_code: null,
    live_chat_code: null,
    are_licenses_allowed: false,
    subdomain_slug: null,
    file_data_retension: true,
    is_ocr_enabled: 0,
    is_anonymized: false,
    is_vision_enabled: false,
    is_vision_compress_image: false,
    use_planner_mode: false,
    is_low_performance_mode_enabled: false,
    allow_extra_timeout: false,
    use_full_url_crawl: false,
    image_extraction_type: "none",
  });
  assert.deepEqual(await kb.expect(200, "GET", `/projects/${id}`), agent);
});

test("the record tells every flag of ingestion as it was sent last", async (t) => {
  const kb = await start(t);
  const defaults = {
    file_data_retension: true,
    is_ocr_enabled: 0,
    is_anonymized: false,
    is_vision_enabled: false,
    is_vision_compress_image: false,
    use_planner_mode: false,
    is_low_performance_mode_enabled: false,
    allow_extra_timeout: false,
    use_full_url_crawl: false,
    image_extraction_type: "none",
  };
  const others = {
    file_data_retension: false,
    is_ocr_enabled: 2,
    is_anonymized: true,
    is_vision_enabled: true,
    is_vision_compress_image: true,
    use_planner_mode: true,
    is_low_performance_mode_enabled: true,
    allow_extra_timeout: true,
    use_full_url_crawl: true,
    image_extraction_type: "sync_from_sitemap",
  };
  const flags = (record) => Object.fromEntries(Object.keys(defaults).map((name) => [name, record[name]]));
  const plain = await kb.expect(201, "POST", "/projects", { json: { project_name: "plain" } });
  const full = await kb.expect(201, "POST", "/projects", { form: form({ project_name: "full", ...others }) });
  assert.deepEqual([flags(plain), flags(full)], [defaults, others]);
  const { use_planner_mode, ...changeable } = others;
  assert.deepEqual(flags(await kb.expect(200, "POST", `/projects/${plain.id}`, { json: changeable })), {
    ...others,
    use_planner_mode: false,
  });
  await kb.expect(200, "POST", `/projects/${plain.id}/settings`, { json: { use_planner_mode } });
  for (const record of [
    await kb.expect(200, "GET", `/projects/${plain.id}`),
    await kb.expect(201, "POST", `/projects/${plain.id}/replicate`),
    ...(await kb.expect(200, "GET", "/projects")).data,
  ])
    assert.deepEqual(flags(record), others, record.project_name);
});

test("an agent is created by multipart, urlencoded and JSON alike", async (t) => {
  const kb = await start(t);
  const fields = { project_name: "Three ways", is_master: "true", is_ocr_enabled: "1", file_data_retension: "1" };
  const records = [
    await kb.expect(201, "POST", "/projects", { form: form(fields) }),
    await kb.expect(201, "POST", "/projects", { urlencoded: fields }),
    await kb.expect(201, "POST", "/projects", {
      json: { project_name: "Three ways", is_master: true, is_ocr_enabled: 1, file_data_retension: true },
    }),
  ];
  for (const record of records) assert.deepEqual([record.project_name, record.is_master], ["Three ways", true]);
});

test("an agent needs a name that is not empty and not too long", async (t) => {
  const kb = await start(t);
  const empty = "Agent name can't be empty";
  const cases = [
    [{}, empty],
    [{ project_name: "" }, empty],
    [{ project_name: "   \t\n" }, empty],
    [{ project_name: null }, empty],
    [{ project_name: "x".repeat(256) }, "project_name has 256 characters, the limit is 255"],
    [{ project_name: ["a"] }, "project_name must be a string"],
    [{ project_name: { a: 1 } }, "project_name must be a string"],
    [{ project_name: true }, "project_name must be a string"],
  ];
  for (const [json, message] of cases)
    assert.equal((await kb.api("POST", "/projects", { json })).json.message, message);
  assert.equal((await kb.api("POST", "/projects")).json.message, empty, "no body at all");
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 0);
});

test("a name keeps its letters, whatever they are, up to 255 characters", async (t) => {
  const kb = await start(t);
  for (const name of [
    "日本語のエージェント",
    "😀".repeat(255),
    'a"b\\c/d<e>&f',
    "ünïcödé",
    "tab\tinside",
    "\u202eright",
  ])
    assert.equal((await kb.expect(201, "POST", "/projects", { json: { project_name: name } })).project_name, name);
  assert.equal(
    (await kb.expect(201, "POST", "/projects", { json: { project_name: "  trimmed  " } })).project_name,
    "trimmed",
  );
  assert.equal((await kb.expect(201, "POST", "/projects", { json: { project_name: "42" } })).project_name, "42");
});

test("an agent's fields are checked, each by its own rule", async (t) => {
  const kb = await start(t);
  const cases = [
    [{ is_master: "perhaps" }, "is_master must be true or false"],
    [{ is_anonymized: 2 }, "is_anonymized must be true or false"],
    [{ is_ocr_enabled: 3 }, "is_ocr_enabled must be an integer from 0 to 2"],
    [{ image_extraction_type: "all" }, "image_extraction_type must be none or sync_from_sitemap"],
    [{ sitemap_path: "" }, "Sitemap path can't be empty"],
    [{ sitemap_path: "ftp://example.org/" }, "sitemap_path must be an http or https address"],
    [{ sitemap_path: "javascript:alert(1)" }, "sitemap_path must be an http or https address"],
  ];
  for (const [fields, message] of cases) {
    const reply = await kb.api("POST", "/projects", { json: { project_name: "x", ...fields } });
    assert.deepEqual([reply.status, reply.json.message], [400, message]);
  }
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 0);
});

test("booleans and integers come in all the forms that clients send", async (t) => {
  const kb = await start(t);
  const yes = [true, 1, "true", "TRUE", "True", "1"],
    no = [false, 0, "false", "False", "0", null];
  for (const is_master of yes)
    assert.equal(
      (await kb.expect(201, "POST", "/projects", { json: { project_name: "x", is_master } })).is_master,
      true,
    );
  for (const is_master of no)
    assert.equal(
      (await kb.expect(201, "POST", "/projects", { json: { project_name: "x", is_master } })).is_master,
      false,
    );
  for (const is_ocr_enabled of [0, 1, 2, "0", "2", "true", "false", true, false])
    await kb.expect(201, "POST", "/projects", { json: { project_name: "x", is_ocr_enabled } });
});

test("unknown and stale fields are ignored", async (t) => {
  const kb = await start(t);
  const agent = await kb.expect(201, "POST", "/projects", {
    json: {
      project_name: "x",
      id: 999,
      user_id: 5,
      is_chat_active: true,
      metadata: { a: 1 },
      ocr_mode: "x",
      shareable_slug: "y",
      nonsense: [1],
    },
  });
  assert.notEqual(agent.id, 999);
  assert.equal(agent.shareable_slug, null);
});

test("an agent with a file becomes active when its first document is indexed", async (t) => {
  const kb = await start(t);
  const made = await kb.expect(201, "POST", "/projects", {
    form: form({ project_name: "x" }, { "returns.txt": library["returns.txt"] }),
  });
  assert.equal(made.is_chat_active, false);
  await until(
    "the agent to be active",
    async () => (await kb.expect(200, "GET", `/projects/${made.id}`)).is_chat_active,
  );
  const { pages } = await kb.expect(200, "GET", `/projects/${made.id}/pages`);
  assert.equal(pages.data[0].index_status, "ok");
});

test("an update changes what it names and nothing else", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Before" });
  const after = await agent.expect(200, "POST", "", { json: { project_name: "After", are_licenses_allowed: true } });
  assert.deepEqual(
    { ...after, updated_at: 0 },
    { ...agent.record, project_name: "After", are_licenses_allowed: true, updated_at: 0 },
  );
  assert.ok(after.updated_at > agent.record.updated_at);
  const same = await agent.expect(200, "POST", "", { json: {} });
  assert.equal(same.project_name, "After");
  assert.deepEqual(await agent.expect(200, "GET"), same);
});

test("an update takes multipart and urlencoded bodies too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal(
    (await agent.expect(200, "POST", "", { form: form({ project_name: "By form" }) })).project_name,
    "By form",
  );
  assert.equal(
    (await agent.expect(200, "POST", "", { urlencoded: { project_name: "By pairs" } })).project_name,
    "By pairs",
  );
});

test("a refused update changes nothing, the fields before the wrong one included", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Before" });
  for (const json of [
    { project_name: "After", is_shared: "perhaps" },
    { is_shared: true, project_name: "" },
    { project_name: "After", is_ocr_enabled: 9 },
  ])
    assert.equal((await agent.api("POST", "", { json })).status, 400);
  assert.deepEqual(await agent.expect(200, "GET"), agent.record);
});

test("is_master is set at creation only", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal((await agent.expect(200, "POST", "", { json: { is_master: true } })).is_master, false);
});

test("sharing gives a slug, a link and codes; unsharing closes them; sharing again opens another address", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const shared = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  assert.match(shared.shareable_slug, /^[0-9a-f]{32}$/);
  assert.ok(shared.shareable_link.startsWith(`${kb.url}/`) && shared.shareable_link.includes(shared.shareable_slug));
  assert.ok(shared.embed_code.includes(shared.shareable_slug) && shared.live_chat_code.includes("<script"));
  assert.deepEqual(await agent.expect(200, "GET"), shared);
  const renamed = await agent.expect(200, "POST", "", { json: { project_name: "Other", is_shared: true } });
  assert.equal(renamed.shareable_slug, shared.shareable_slug, "sharing what is shared keeps the address");
  const closed = await agent.expect(200, "POST", "", { json: { is_shared: false } });
  assert.deepEqual(
    [closed.is_shared, closed.shareable_link, closed.embed_code, closed.live_chat_code],
    [false, null, null, null],
  );
  const again = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  assert.notEqual(again.shareable_slug, shared.shareable_slug);
});

test("width and height go into the embed code, escaped", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.expect(200, "POST", "", { json: { is_shared: true } });
  assert.match((await agent.expect(200, "GET")).embed_code, /width="100%" height="auto"/);
  assert.match(
    (await agent.expect(200, "GET", "", { query: { width: "640", height: "50vh" } })).embed_code,
    /width="640" height="50vh"/,
  );
  const nasty = (await agent.expect(200, "GET", "", { query: { width: '"><script>', height: "a&b" } })).embed_code;
  assert.ok(nasty.includes("&quot;&gt;&lt;script&gt;") && nasty.includes("a&amp;b") && !nasty.includes("<script"));
  const [listed] = (await kb.expect(200, "GET", "/projects", { query: { width: "7em" } })).data;
  assert.match(listed.embed_code, /width="7em"/);
});

test("the list filters by a part of the name, without case", async (t) => {
  const kb = await start(t);
  for (const project_name of ["Blue whale", "blueberry", "Red fox", "100% sure", "under_score", "Ünïcode"])
    await kb.agent({ project_name });
  const cases = {
    blue: ["Blue whale", "blueberry"],
    WHALE: ["Blue whale"],
    "%": ["100% sure"],
    _: ["under_score"],
    fish: [],
    "": 6,
    "*": [],
  };
  for (const [name, wanted] of Object.entries(cases)) {
    const list = await kb.expect(200, "GET", "/projects", { query: { name, order: "asc" } });
    if (typeof wanted === "number") assert.equal(list.total, wanted, name);
    else
      assert.deepEqual(
        list.data.map((agent) => agent.project_name),
        wanted,
        name,
      );
    assert.equal(list.total, list.data.length, name);
  }
});

test("the list filters by age in days and ignores what is no number", async (t) => {
  const kb = await start(t);
  await kb.agent();
  for (const duration of ["1", "90", "0", "-1", "x", "", "100000", "99999999999999999999"])
    assert.equal((await kb.expect(200, "GET", "/projects", { query: { duration } })).total, 1, duration);
});

test("statistics have exactly the eight integers of the contract", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await agent.ask("Who built the Velmora lighthouse?");
  await agent.ask("Hello");
  const stats = await agent.expect(200, "GET", "/stats");
  assert.deepEqual(Object.keys(stats).sort(), [
    "crawl_credits_used",
    "pages_crawled",
    "pages_found",
    "pages_indexed",
    "query_credits_used",
    "total_queries",
    "total_storage_credits_used",
    "total_words_indexed",
  ]);
  for (const value of Object.values(stats)) assert.ok(Number.isInteger(value));
  assert.deepEqual([stats.pages_found, stats.pages_crawled, stats.pages_indexed, stats.total_queries], [3, 3, 3, 2]);
  assert.ok(stats.total_words_indexed > 100);
});

test("deleting an agent removes everything of it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const keep = await kb.agent({ project_name: "Keep", files: { "returns.txt": library["returns.txt"] } });
  const message = await agent.ask("Who built the Velmora lighthouse?");
  const page = await agent.page("lighthouse.md");
  assert.deepEqual(await agent.expect(200, "DELETE"), { deleted: true });
  const gone = [
    "",
    "/stats",
    "/pages",
    "/conversations",
    `/conversations/${message.session}/messages`,
    `/conversations/${message.session}/messages/${message.id}`,
    `/citations/${page.id}`,
  ];
  for (const where of gone)
    assert.equal((await agent.api("GET", where)).json.message, `Agent with id ${agent.id} not found`, where);
  assert.equal((await kb.api("GET", `/preview/${page.id}`)).status, 404);
  assert.equal((await agent.api("DELETE")).status, 404);
  assert.equal(
    (await agent.api("POST", `/conversations/${message.session}/messages`, { json: { prompt: "Hello" } })).status,
    404,
  );
  assert.deepEqual(
    (await kb.expect(200, "GET", "/projects")).data.map((a) => a.id),
    [keep.id],
  );
  assert.deepEqual((await keep.ask("Within how many days may goods be returned?")).citations, [
    (await keep.page("returns.txt")).id,
  ]);
  await kb.restart();
  assert.equal((await agent.api("GET")).status, 404);
});

test("an agent that is deleted while it is being indexed stays deleted", async (t) => {
  const kb = await start(t);
  const files = Object.fromEntries(
    Array.from({ length: 40 }, (_, i) => [`${i}.txt`, `${library["returns.txt"]} Copy ${i}.`]),
  );
  const { id } = await kb.expect(201, "POST", "/projects", { form: form({ project_name: "x" }, files) });
  await kb.expect(200, "DELETE", `/projects/${id}`);
  const agent = await kb.agent({ files: { "a.txt": library["returns.txt"] } });
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 1);
  assert.equal((await agent.pages()).length, 1);
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.match(check.stdout, /sound/, check.stdout + check.stderr);
});

test("agents survive a restart unchanged and answer as before", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const [record, pages] = [await agent.expect(200, "GET"), await agent.pages()];
  const before = await agent.ask("How long does the warranty of the Brisca 200 last?");
  const oldUrl = kb.url;
  await kb.restart();
  assert.deepEqual(await agent.expect(200, "GET"), record);
  const moved = JSON.parse(JSON.stringify(pages).replaceAll(oldUrl, kb.url));
  const strip = (list) => list.map(({ page_url_hash, ...page }) => page); // the hash of an address that moved
  assert.deepEqual(strip(await agent.pages()), strip(moved));
  const after = await agent.ask("How long does the warranty of the Brisca 200 last?");
  assert.deepEqual([after.llm_response, after.citations], [before.llm_response, before.citations]);
  assert.notEqual(after.llm_response, noAnswer);
});
