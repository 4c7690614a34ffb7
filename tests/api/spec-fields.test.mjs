// The specification row by row: what agents, documents, labels, personas and messages have (2.1 to 2.6),
// and how lists are answered (2.8).
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";
import { TIME, each, status } from "./lib/spec-rows.mjs";

test("spec 2.1: the fields of an agent", async (t) => {
  const kb = await start(t);
  const create = (fields) => kb.api("POST", "/projects", { json: { project_name: "Row", ...fields } });
  const flags = [
    "is_master",
    "file_data_retension",
    "is_anonymized",
    "is_vision_enabled",
    "is_vision_compress_image",
    "use_planner_mode",
    "is_low_performance_mode_enabled",
    "allow_extra_timeout",
    "use_full_url_crawl",
  ];
  await each(t, [
    [
      "spec 2.1 project_name: string",
      async () => {
        assert.equal((await create({ project_name: "Named" })).data.project_name, "Named");
        status(await create({ project_name: ["x"] }), 400, "project_name must be a string");
      },
    ],
    ...flags.map((name) => [
      `spec 2.1 ${name}: boolean`,
      async () => {
        for (const value of [true, false, "true", "0"]) status(await create({ [name]: value }), 201);
        status(await create({ [name]: "perhaps" }), 400, `${name} must be true or false`);
      },
    ]),
    [
      "spec 2.1 is_master: false by default, at creation only",
      async () => {
        assert.equal((await create({})).data.is_master, false);
        const { data } = await create({ is_master: true });
        assert.equal(
          (await kb.expect(200, "POST", `/projects/${data.id}`, { json: { is_master: false } })).is_master,
          true,
        );
      },
    ],
    [
      "spec 2.1 is_shared: by an update only",
      async () => {
        const { data } = await create({ is_shared: true });
        assert.deepEqual([data.is_shared, data.shareable_link], [false, null]);
        const shared = await kb.expect(200, "POST", `/projects/${data.id}`, { json: { is_shared: true } });
        assert.ok(shared.is_shared && shared.shareable_link.includes(shared.shareable_slug));
      },
    ],
    [
      "spec 2.1 are_licenses_allowed: false by default, by an update only",
      async () => {
        const { data } = await create({ are_licenses_allowed: true });
        assert.equal(data.are_licenses_allowed, false);
        assert.equal(
          (await kb.expect(200, "POST", `/projects/${data.id}`, { json: { are_licenses_allowed: true } }))
            .are_licenses_allowed,
          true,
        );
      },
    ],
    [
      "spec 2.1 use_planner_mode: false by default, in the create request only",
      async () => {
        const mode = async (id) => (await kb.expect(200, "GET", `/projects/${id}/settings`)).use_planner_mode;
        const plain = (await create({})).data.id,
          planner = (await create({ use_planner_mode: true })).data.id;
        assert.deepEqual([await mode(plain), await mode(planner)], [false, true]);
        await kb.expect(200, "POST", `/projects/${plain}`, { json: { use_planner_mode: true } });
        assert.equal(await mode(plain), false);
      },
    ],
    [
      "spec 2.1 is_ocr_enabled: 0, 1, 2",
      async () => {
        for (const value of [0, 1, 2, "2"]) status(await create({ is_ocr_enabled: value }), 201);
        for (const value of [3, -1, "x"]) status(await create({ is_ocr_enabled: value }), 400);
      },
    ],
    [
      "spec 2.1 image_extraction_type: none, sync_from_sitemap",
      async () => {
        for (const value of ["none", "sync_from_sitemap"]) status(await create({ image_extraction_type: value }), 201);
        status(
          await create({ image_extraction_type: "all" }),
          400,
          "image_extraction_type must be none or sync_from_sitemap",
        );
      },
    ],
  ]);
});

test("spec 2.2 to 2.6: documents, labels, personas, messages", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("espresso.md");
  await each(t, [
    [
      "spec 2.2 a page is identified by an integer inside its agent",
      async () => {
        assert.ok(Number.isInteger(page.id) && page.project_id === agent.id);
        const other = await kb.agent();
        status(await other.api("GET", `/pages/${page.id}/metadata`), 404, `Page with id ${page.id} not found`);
      },
    ],
    ...[
      ["title", 255],
      ["url", 2000],
      ["description", 500],
      ["image", 2000],
    ].map(([name, max]) => [
      `spec 2.3 metadata ${name}: ${max} characters, nullable`,
      async () => {
        const put = (value) => agent.api("PUT", `/pages/${page.id}/metadata`, { json: { [name]: value } });
        const longest =
          name === "title" || name === "description"
            ? "é".repeat(max)
            : `https://docent.invalid/${"x".repeat(max - 23)}`;
        assert.equal((await put(longest)).data[name], longest);
        status(await put(`${longest}x`), 400);
        assert.equal(
          (await agent.expect(200, "GET", `/pages/${page.id}/metadata`))[name],
          longest,
          "refused, nothing stored",
        );
        status(await put(null), 200);
        assert.notEqual((await agent.expect(200, "GET", `/pages/${page.id}/metadata`))[name], longest);
      },
    ]),
    [
      "spec 2.4 labels are referenced by integer ids; a document without any is open to all",
      async () => {
        const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["row"] } });
        assert.ok(Number.isInteger(label.id));
        const ask = async () => (await agent.ask("How long does the warranty of the Brisca 200 last?")).llm_response;
        assert.ok((await ask()).includes("27 months"));
        await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
        assert.equal(await ask(), noAnswer);
        await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [] } });
        assert.ok((await ask()).includes("27 months"));
      },
    ],
    [
      "spec 2.5 each update of the persona is a numbered version with its sub-personas by slug",
      async () => {
        const before = (await agent.expect(200, "GET", "/settings/personas")).data[0].version;
        await agent.expect(200, "POST", "/settings", { json: { persona_instructions: "Be brief." } });
        const { data } = await agent.expect(200, "GET", "/settings/personas");
        assert.deepEqual([data[0].version, data[0].instructions], [before + 1, "Be brief."]);
        await agent.expect(200, "PATCH", `/settings/persona/${before + 1}/sub-personas/task-planner`, {
          json: { instructions: "Mine" },
        });
        const { project_overrides } = await agent.expect(200, "GET", `/settings/persona/${before + 1}/sub-personas`);
        assert.deepEqual(
          project_overrides.map((row) => [row.slug, row.instructions]),
          [["task-planner", "Mine"]],
        );
      },
    ],
    [
      "spec 2.6 a conversation is made with a name and identified by a UUID",
      async () => {
        const made = await agent.expect(201, "POST", "/conversations", { json: { name: "Row" } });
        assert.match(made.session_id, /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/);
        assert.equal(made.name, "Row");
      },
    ],
    [
      "spec 2.6 a message has its fields, each of its type",
      async () => {
        const message = await agent.ask("Who built the Velmora lighthouse?", {
          query: { external_id: "mine" },
          headers: { "user-agent": "rows" },
        });
        for (const name of ["id", "user_id"]) assert.ok(Number.isInteger(message[name]), name);
        for (const name of ["created_at", "updated_at"]) assert.match(message[name], TIME);
        assert.equal(message.user_query, "Who built the Velmora lighthouse?");
        assert.ok(message.llm_response.includes("Hester Quillby"));
        assert.deepEqual(message.metadata, {
          user_ip: "127.0.0.1",
          user_agent: "rows",
          external_id: "mine",
          request_source: "api",
        });
        assert.ok(message.citations.every(Number.isInteger) && message.citations.length);
      },
    ],
    [
      "spec 2.6 citations are null when there are none; what is not available is an empty string",
      async () => {
        const message = await agent.ask("Which painter cut off his own ear?");
        assert.deepEqual(
          [message.citations, message.metadata.user_agent, message.metadata.external_id],
          [null, "", ""],
        );
      },
    ],
  ]);
});

test("spec 2.8: the pagination envelope of every list", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const session = randomUUID();
  for (const prompt of ["Hello", "Thanks", "Bye"]) await agent.ask(prompt, { session });
  await agent.expect(201, "POST", "/labels", { json: { names: ["a", "b", "c"] } });
  for (const persona_instructions of ["One.", "Two."])
    await agent.expect(200, "POST", "/settings", { json: { persona_instructions } });
  for (let i = 0; i < 2; i++) await kb.agent();
  await agent.ask("Hello");
  await agent.ask("Hello");
  const lists = [
    ["agents", "/projects", (data) => data, 10],
    ["pages", `${agent.path}/pages`, (data) => data.pages, 20],
    ["personas", `${agent.path}/settings/personas`, (data) => data, 20],
    ["conversations", `${agent.path}/conversations`, (data) => data, 10],
    ["messages", `${agent.path}/conversations/${session}/messages`, (data) => data.messages, 20],
    ["labels", `${agent.path}/labels`, (data) => data, 100],
  ];
  await each(
    t,
    lists.map(([name, where, of, size]) => [
      `spec 2.8 the list of ${name}`,
      async () => {
        assert.equal(of(await kb.expect(200, "GET", where)).per_page, size);
        const first = of(await kb.expect(200, "GET", where, { query: { limit: 2 } })),
          last = of(await kb.expect(200, "GET", where, { query: { limit: 2, page: 2 } }));
        const url = (page) => `${kb.url}/api/v1${where}?page=${page}&limit=2`;
        assert.deepEqual(
          { ...first, data: first.data.length },
          {
            current_page: 1,
            data: 2,
            first_page_url: url(1),
            from: 1,
            last_page: 2,
            last_page_url: url(2),
            next_page_url: url(2),
            path: `${kb.url}/api/v1${where}`,
            per_page: 2,
            prev_page_url: null,
            to: 2,
            total: 3,
          },
        );
        assert.deepEqual(
          [
            last.current_page,
            last.data.length,
            last.from,
            last.to,
            last.next_page_url,
            last.prev_page_url,
            last.last_page,
          ],
          [2, 1, 3, 3, null, url(1), 2],
        );
      },
    ]),
  );
  await t.test("spec 2.8 the list of pages stands beside its agent", async () =>
    assert.equal((await agent.expect(200, "GET", "/pages")).project.id, agent.id),
  );
});
