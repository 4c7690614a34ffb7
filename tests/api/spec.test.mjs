// The specification row by row: sections 2, 4, 6, 7 and 8. A row that needs more than a look has its
// stories elsewhere; here each has a name with its number. One server a section.
import { randomUUID } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";
import { namedEvents } from "./lib/sse.mjs";

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Runs rows one after another: [name, fn]. */
async function each(t, rows) {
  for (const [name, fn] of rows) await t.test(name, fn);
}

const status = (reply, wanted, message) => {
  assert.equal(reply.status, wanted, reply.text.slice(0, 300));
  if (message !== undefined) assert.equal(reply.json.message, message);
};

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

/** Section 2.7 as the specification has it: [field, kind, default, limits…]; `?` after the kind: null is a value. */
const SETTINGS = [
  ["chat_bot_bg_type", "choice", "color", "image", "color"],
  ["chat_bot_bg_color", "colour", "#FFFFFF"],
  ["chat_bot_color_scheme", "choice", "fresh", "fresh", "legacy"],
  ["radius_styling", "choice", "soft", "sharp", "soft", "round", "legacy"],
  ["font_family", "choice", "inter", "inter", "public-sans"],
  ["chatbot_color", "colour", "#000000"],
  ["chatbot_toolbar_color", "colour", "#000000"],
  ["chatbot_title", "text?", undefined, 200],
  ["chatbot_title_color", "colour?", "#565656"],
  ["user_avatar_enabled", "flag", false],
  ["title_avatar_enabled", "flag", true],
  ["spotlight_avatar_enabled", "flag", false],
  ["spotlight_avatar_shape", "choice?", "rectangle", "circle", "rectangle"],
  ["spotlight_avatar_type", "choice?", "default", "default", "image"],
  [
    "user_avatar_orientation",
    "choice?",
    "agent-left-user-right",
    "agent-left-user-right",
    "agent-right-user-right",
    "agent-right-user-left",
    "agent-left-user-left",
  ],
  ["agent_title_avatar_alignment", "choice", "left", "left", "center", "right"],
  ["is_in_chat_agent_avatar_enabled", "flag", true],
  ["is_in_chat_user_avatar_enabled", "flag", true],
  ["is_loading_indicator_enabled", "flag?", true],
  ["remove_branding", "flag?", false],
  ["markdown_enabled", "flag?", true],
  ["enable_feedbacks", "flag?", true],
  ["enable_copy_button", "flag?", true],
  ["input_field_addendum", "text?", undefined, 100],
  ["ai_disclaimer", "text?", undefined, 160],
  ["default_prompt", "text", "Ask Me Anything ...", 255],
  ["persona_instructions", "text?", undefined, 12000],
  ["citations_answer_source_label_msg", "text?", undefined, 255],
  ["citations_sources_label_msg", "text?", undefined, 255],
  ["hang_in_there_msg", "text?", undefined, 255],
  ["chatbot_siesta_msg", "text?", undefined, 255],
  ["chatbot_failed_moderation_msg", "text?", undefined, 255],
  ["account_out_of_queries_msg", "text?", undefined, 255],
  ["no_answer_message", "text?", "I'm sorry, I don't know the answer", 1000],
  ["ending_message", "text?", undefined, 1000],
  ["try_asking_questions_msg", "text?", "Try asking these questions...", 255],
  ["view_more_msg", "text?", "View more", 255],
  ["view_less_msg", "text?", "View less", 255],
  ["pdf_limited_page_label", "text", "Limited", 0],
  ["response_source", "choice", "default", "default", "own_content", "llm_content"],
  [
    "chatbot_msg_lang",
    "choice",
    "en",
    ...(
      "sq ar hy az ba eu be bn bh bs pt-BR bg yue ca hne hr cs da doi nl en et fo fi fr gl ka de el gu hry he hi hu id ga it ja jv kn ks kk kok ko ky lv lt mk mai ms mt " +
      "cmn mr mwr nan mo mn me ne no or ps fa pl pt pa raj ro ru sa sat sr sd si sk sl es sw sv tg ta tt te th tr tk uk ur uz vi cy wuu"
    ).split(" "),
  ],
  [
    "agent_capability",
    "choice?",
    "optimal-choice",
    "fastest-responses",
    "optimal-choice",
    "advanced-reasoning",
    "complex-tasks",
  ],
  ["enable_citations", "int?", 3, 0, 3],
  ["citations_view_type", "choice?", "user", "user", "show", "hide"],
  ["image_citation_display", "choice?", "default", "default", "first_only"],
  ["limit_image_citation_height", "flag?", false],
  ["use_opengraph_image_citation", "flag?", false],
  ["max_inline_images_per_response", "int", 2, 0, 3],
  ["enable_inline_citations_api", "flag?", false],
  ["hide_sources_from_responses", "flag?", true],
  ["enable_recaptcha_for_public_chatbots", "flag?", false],
  ["is_selling_enabled", "flag?", false],
  ["can_share_conversation", "flag?", false],
  ["can_export_conversation", "flag?", false],
  ["conversation_time_window", "int?", 0, 0, 2],
  ["conversation_retention_period", "choice", "year", "custom", "year", "never"],
  ["conversation_retention_days", "int", 0, 0],
  ["use_context_aware_starter_question", "flag?", false],
  ["enable_agent_knowledge_base_awareness", "flag", true],
  ["is_hybrid_search", "flag?", false],
  ["user_awareness", "flag", true],
  ["context_depth", "choice?", "compact", "compact", "balanced", "extended", "rich", "max", "custom"],
  ["use_planner_mode", "flag?", false],
  ["conversation_history", "choice", "hidden", "hidden", "team_members", "everyone"],
  ["is_pdf_viewer", "flag", false],
];
/** The answer's name of a field that has another one. */
const ANSWERED = {
  chat_bot_bg_type: "chatbot_background_type",
  chat_bot_bg_color: "chatbot_background_color",
  chat_bot_color_scheme: "chatbot_color_scheme",
};

test("spec 2.7: the settings", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent(),
    fresh = await kb.agent();
  const defaults = await fresh.expect(200, "GET", "/settings");
  const post = async (name, value) => (await agent.api("POST", "/settings", { json: { [name]: value } })).status;
  await each(
    t,
    SETTINGS.map(([name, type, initial, ...limits]) => [
      `spec 2.7 ${name}: ${type}`,
      async () => {
        const kind = type.replace("?", ""),
          at = ANSWERED[name] ?? name;
        const read = async () => (await agent.expect(200, "GET", "/settings"))[at];
        const takes = async (...values) => {
          for (const value of values)
            assert.deepEqual([await post(name, value), await read()], [200, value], JSON.stringify(value));
        };
        const refuses = async (...values) => {
          const before = await read();
          for (const value of values)
            assert.deepEqual(
              [await post(name, value), await read()],
              [400, before],
              JSON.stringify(value).slice(0, 80),
            );
        };
        if (initial !== undefined) assert.equal(defaults[at], initial);
        else assert.ok(defaults[at] === null || defaults[at] === "", `${defaults[at]}`);
        if (kind === "flag") (await takes(true, false), await refuses("perhaps", 2, []));
        if (kind === "choice") (await takes(...limits), await refuses("neither", 5, [limits[0]]));
        if (kind === "colour") (await takes("#123abc"), await refuses("#12345678901", "reddish"));
        if (kind === "int")
          (await takes(...[limits[0], limits[1]].filter((n) => n !== undefined)),
            await refuses(limits[0] - 1, "x", ...(limits[1] === undefined ? [] : [limits[1] + 1])));
        if (kind === "text") {
          await takes('é<b>"x"');
          if (limits[0]) (await takes("é".repeat(limits[0])), await refuses("é".repeat(limits[0] + 1), ["x"]));
        }
        if (type.endsWith("?")) assert.equal(await post(name, null), 200);
        else await refuses(null);
        if (name === "chatbot_msg_lang") await post(name, "en");
      },
    ]),
  );
  await each(t, [
    [
      "spec 2.7 example_questions[]: array of string",
      async () => {
        await agent.expect(200, "POST", "/settings", {
          form: [
            { name: "example_questions[]", value: "One?" },
            { name: "example_questions[]", value: "Two?" },
          ],
        });
        assert.deepEqual((await agent.expect(200, "GET", "/settings")).example_questions, ["One?", "Two?"]);
      },
    ],
    [
      "spec 2.7 allowed_domains_for_embedding: array of string, nullable; empty allows any",
      async () => {
        for (const value of [["example.org"], [], null])
          assert.equal(await post("allowed_domains_for_embedding", value), 200);
      },
    ],
    [
      "spec 2.7 the viewer's fields require one another",
      async () => {
        const other = await kb.agent();
        const chain = ["is_pdf_viewer", "is_pdf_page_visibility_limited", "is_pdf_limited_label_linked"];
        for (const name of ["is_pdf_viewer_autoopen", "is_anonymize_pdfs", ...chain.slice(1)])
          assert.equal(
            (await other.api("POST", "/settings", { json: { [name]: name !== "is_pdf_viewer_autoopen" } })).status,
            400,
            name,
          );
        for (const name of chain) await other.expect(200, "POST", "/settings", { json: { [name]: true } });
        for (const name of ["is_pdf_viewer_autoopen", "is_anonymize_pdfs"])
          await other.expect(200, "POST", "/settings", { json: { [name]: true } });
      },
    ],
    [
      "spec 2.7 the fields of master agents: taken for these, ignored for others",
      async () => {
        const master = await kb.agent({ is_master: "true" });
        for (const [who, want] of [
          [master, "every-message"],
          [agent, "start-only"],
        ]) {
          await who.api("POST", "/settings", { json: { master_project_smart_routing_mode: "every-message" } });
          assert.equal((await who.expect(200, "GET", "/settings")).master_project_smart_routing_mode, want);
        }
        assert.equal((await master.expect(200, "GET", "/settings")).master_project_user_agent_switching_enabled, true);
        for (const mode of ["off", "start-only"])
          await master.expect(200, "POST", "/settings", { json: { master_project_smart_routing_mode: mode } });
      },
    ],
    [
      "spec 2.7 max_actions_per_query: with planner mode, in the same request or before",
      async () => {
        const other = await kb.agent();
        assert.equal((await other.api("POST", "/settings", { json: { max_actions_per_query: 3 } })).status, 400);
        await other.expect(200, "POST", "/settings", { json: { max_actions_per_query: 3, use_planner_mode: true } });
        await other.expect(200, "POST", "/settings", { json: { max_actions_per_query: 4 } });
        assert.equal((await other.expect(200, "GET", "/settings")).max_actions_per_query, 4);
      },
    ],
    [
      "spec 2.7 chatbot_model: null, or one of the operator's catalogue",
      async () => {
        assert.equal(await post("chatbot_model", null), 200);
        assert.equal(await post("chatbot_model", "unheard-of"), 400);
      },
    ],
  ]);
  // The five pictures: "a picture is taken by its content" of settings.test.mjs.
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

test("spec 4.1: agents", async (t) => {
  const kb = await start(t);
  const ids = [];
  for (let i = 0; i < 12; i++)
    ids.push(
      (await kb.expect(201, "POST", "/projects", { json: { project_name: i < 11 ? `Row ${i}` : "Lighthouse" } })).id,
    );
  const list = async (query) => (await kb.expect(200, "GET", "/projects", { query })).data;
  await each(t, [
    [
      "spec 4.1 GET projects: newest first, ten of a page",
      async () =>
        assert.deepEqual(
          (await list({})).map((a) => a.id),
          ids.slice(2).reverse(),
        ),
    ],
    [
      "spec 4.1 GET projects: page",
      async () =>
        assert.deepEqual(
          (await list({ page: 2 })).map((a) => a.id),
          ids.slice(0, 2).reverse(),
        ),
    ],
    [
      "spec 4.1 GET projects: order",
      async () =>
        assert.deepEqual(
          (await list({ order: "asc", limit: 3 })).map((a) => a.id),
          ids.slice(0, 3),
        ),
    ],
    [
      "spec 4.1 GET projects: orderBy",
      async () => {
        for (const orderBy of ["id", "created_at"])
          assert.deepEqual(
            (await list({ orderBy, order: "asc", limit: 100 })).map((a) => a.id),
            ids,
          );
      },
    ],
    [
      "spec 4.1 GET projects: name",
      async () =>
        assert.deepEqual(
          (await list({ name: "light" })).map((a) => a.id),
          [ids[11]],
        ),
    ],
    ["spec 4.1 GET projects: duration", async () => assert.equal((await list({ duration: 1, limit: 100 })).length, 12)],
    [
      "spec 4.1 GET projects: width and height go into the embed code",
      async () => {
        await kb.expect(200, "POST", `/projects/${ids[0]}`, { json: { is_shared: true } });
        const sized = (await list({ order: "asc", limit: 1, width: "320px", height: "99px" }))[0].embed_code;
        assert.ok(sized.includes('width="320px"') && sized.includes('height="99px"'));
        const plain = (await kb.expect(200, "GET", `/projects/${ids[0]}`)).embed_code;
        assert.ok(plain.includes('width="100%"') && plain.includes('height="auto"'));
      },
    ],
    [
      "spec 4.1 POST projects: 201 with the agent, from multipart with file and files[]",
      async () => {
        const reply = await kb.api("POST", "/projects", {
          form: [
            ["project_name", "Files"],
            ["file", { name: "one.txt", data: "One." }],
            ["files[]", { name: "two.txt", data: "Two." }],
          ].map(([name, value]) =>
            typeof value === "string"
              ? { name, value }
              : { name, filename: value.name, value: value.data, type: "text/plain" },
          ),
        });
        status(reply, 201);
        assert.equal((await kb.expect(200, "GET", `/projects/${reply.data.id}/pages`)).pages.total, 2);
      },
    ],
    [
      "spec 4.1 POST projects: 400 for a creation error",
      async () => status(await kb.api("POST", "/projects", { json: {} }), 400, "Agent name can't be empty"),
    ],
    [
      "spec 4.1 GET project: configuration and status",
      async () => {
        const agent = await kb.expect(200, "GET", `/projects/${ids[0]}`);
        assert.deepEqual([agent.id, agent.is_chat_active], [ids[0], true]);
        status(await kb.api("GET", "/projects/987654"), 404, "Agent with id 987654 not found");
        status(await kb.api("GET", "/projects/x1"), 400, "Agent id must be integer");
      },
    ],
    [
      "spec 4.1 POST project: changes name or configuration, not the documents",
      async () => {
        const before = await kb.agent({ files: library });
        const changed = await before.expect(200, "POST", "", { form: form({ project_name: "Renamed" }) });
        assert.equal(changed.project_name, "Renamed");
        assert.equal((await before.pages()).length, 3);
      },
    ],
    [
      "spec 4.1 DELETE project: gone with all it had, for good",
      async () => {
        const agent = await kb.agent({ files: { "a.txt": "Alone." } });
        const { session } = await agent.ask("Alone?");
        assert.deepEqual(await agent.expect(200, "DELETE"), { deleted: true });
        for (const where of ["", "/pages", "/settings", "/stats", `/conversations/${session}/messages`])
          status(await agent.api("GET", where), 404);
      },
    ],
    [
      "spec 4.1 GET stats: usage and documents",
      async () => {
        const agent = await kb.agent({ files: library });
        await agent.ask("Hello");
        const stats = await agent.expect(200, "GET", "/stats");
        assert.deepEqual([stats.pages_found, stats.pages_indexed, stats.total_queries], [3, 3, 1]);
      },
    ],
  ]);
});

test("spec 4.2: pages", async (t) => {
  const kb = await start(t);
  const files = Object.fromEntries(
    Array.from({ length: 23 }, (_, i) => [`note-${String(i).padStart(2, "0")}.txt`, `Harbour note ${i}.`]),
  );
  const agent = await kb.agent({ files: { ...files, "Broken.txt": "", "100%_sure.txt": "Sure." } });
  const list = async (query) => (await agent.expect(200, "GET", "/pages", { query })).pages;
  const names = async (query) => (await list({ limit: 100, order: "asc", ...query })).data.map((page) => page.filename);
  await each(t, [
    [
      "spec 4.2 GET pages: page and limit, twenty by default",
      async () => {
        assert.deepEqual(
          [(await list({})).data.length, (await list({ page: 2 })).data.length, (await list({ limit: 7 })).data.length],
          [20, 5, 7],
        );
      },
    ],
    [
      "spec 4.2 GET pages: order, desc by default",
      async () => {
        const down = (await list({ limit: 100 })).data.map((page) => page.id),
          up = (await list({ limit: 100, order: "asc" })).data.map((page) => page.id);
        assert.deepEqual(down, [...up].reverse());
      },
    ],
    [
      "spec 4.2 GET pages: search without case, * any sequence, ? one character",
      async () => {
        for (const [search, count] of [
          ["NOTE-0", 10],
          ["note-?1", 3],
          ["n*9.txt", 2],
          ["broken", 1],
          ["100%_", 1],
          ["%", 1],
          ["_", 1],
          ["absent", 0],
        ])
          assert.equal((await names({ search })).length, count, search);
      },
    ],
    ...["crawl_status", "index_status"].map((name) => [
      `spec 4.2 GET pages: ${name}`,
      async () => {
        const counts = {};
        for (const value of ["all", "ok", "failed", "n/a", "queued", "limited"])
          counts[value] = (await names({ [name]: value })).length;
        assert.equal(counts.all, 25);
        assert.equal(
          counts.ok + counts.failed + counts["n/a"] + counts.queued + counts.limited,
          25,
          JSON.stringify(counts),
        );
        assert.equal(counts.ok, name === "index_status" ? 24 : 25, JSON.stringify(counts)); // read, but without a word
        for (const value of ["failed", "n/a"])
          if (counts[value]) assert.deepEqual(await names({ [name]: value }), ["Broken.txt"]);
      },
    ]),
    [
      "spec 4.2 DELETE page: gone, and no answer uses it",
      async () => {
        const page = await agent.page("100%_sure.txt");
        assert.deepEqual(await agent.expect(200, "DELETE", `/pages/${page.id}`), { deleted: true });
        assert.equal((await agent.ask("Sure?")).citations, null);
        status(await agent.api("DELETE", `/pages/${page.id}`), 404, `Page with id ${page.id} not found`);
      },
    ],
    [
      "spec 4.2 POST reindex: an upload is refused with 403",
      async () => {
        const page = await agent.page("note-00.txt");
        status(
          await agent.api("POST", `/pages/${page.id}/reindex`),
          403,
          `The Document with the id ${page.id} couldn't have been updated`,
        );
      },
    ],
    [
      "spec 4.2 GET and PUT metadata: JSON with any of the four fields",
      async () => {
        const { id } = await agent.page("note-00.txt");
        const before = await agent.expect(200, "GET", `/pages/${id}/metadata`);
        const after = await agent.expect(200, "PUT", `/pages/${id}/metadata`, { json: { title: "New" } });
        assert.deepEqual({ ...after, updated_at: 0 }, { ...before, title: "New", updated_at: 0 });
      },
    ],
    [
      "spec 4.2 GET and PUT labels: the whole list is replaced",
      async () => {
        const { id } = await agent.page("note-01.txt");
        const [one, two] = await agent.expect(201, "POST", "/labels", { json: { names: ["one", "two"] } });
        const put = (label_ids) => agent.expect(200, "PUT", `/pages/${id}/labels`, { json: { label_ids } });
        for (const want of [[one.id, two.id], [two.id], []]) {
          assert.deepEqual((await put(want)).map((label) => label.id).sort(), [...want].sort());
          assert.deepEqual(
            (await agent.expect(200, "GET", `/pages/${id}/labels`)).map((label) => label.id).sort(),
            [...want].sort(),
          );
        }
      },
    ],
  ]);
});

test("spec 4.3: settings and personas", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (let i = 1; i <= 22; i++)
    await agent.expect(200, "POST", "/settings", { json: { persona_instructions: `Version ${i}.` } });
  await each(t, [
    [
      "spec 4.3 POST settings: 200, what is left out stays",
      async () => {
        const before = await agent.expect(200, "GET", "/settings");
        assert.deepEqual(await agent.expect(200, "POST", "/settings", { form: form({ chatbot_title: "Row" }) }), {
          updated: true,
        });
        assert.deepEqual(await agent.expect(200, "GET", "/settings"), { ...before, chatbot_title: "Row" });
      },
    ],
    [
      "spec 4.3 POST settings: 207 when partly applied",
      async () => {
        const data = await agent.expect(207, "POST", "/settings", {
          json: { chatbot_title: "Other", is_anonymize_pdfs: true },
        });
        assert.deepEqual(
          [data.updated, data.updated_fields, Object.keys(data.failed_fields)],
          [true, ["chatbot_title"], ["is_anonymize_pdfs"]],
        );
      },
    ],
    [
      "spec 4.3 POST settings: 400 for a malformed value alone",
      async () => status(await agent.api("POST", "/settings", { json: { chatbot_color: "reddish" } }), 400),
    ],
    [
      "spec 4.3 GET personas: page and limit, twenty by default",
      async () => {
        const first = await agent.expect(200, "GET", "/settings/personas");
        assert.deepEqual([first.data.length, first.total, first.data[0].version], [20, 23, 23]);
        assert.deepEqual(
          (await agent.expect(200, "GET", "/settings/personas", { query: { page: 2, limit: 15 } })).data.length,
          8,
        );
      },
    ],
    [
      "spec 4.3 GET persona: { status, persona }",
      async () => {
        const { json } = await agent.api("GET", "/settings/persona/3");
        assert.deepEqual(
          [Object.keys(json).sort(), json.persona.version, json.persona.instructions],
          [["persona", "status"], 3, "Version 2."],
        );
      },
    ],
    [
      "spec 4.3 GET sub-personas: is_generating, generated, project_overrides",
      async () => {
        const data = await agent.expect(200, "GET", "/settings/persona/3/sub-personas");
        assert.deepEqual(Object.keys(data).sort(), ["generated", "is_generating", "project_overrides"]);
      },
    ],
    [
      "spec 4.3 PATCH sub-persona: text, blank or null; generated rows stay",
      async () => {
        const where = "/settings/persona/23/sub-personas";
        const patch = async (instructions) =>
          (await agent.expect(200, "PATCH", `${where}/persona-summary`, { json: { instructions } }))
            .project_overrides[0].instructions;
        for (const value of ["Mine", "", null]) assert.equal(await patch(value), value);
        const { generated } = await agent.expect(200, "GET", where);
        assert.ok(generated.every((row) => row.instructions !== "Mine"));
      },
    ],
  ]);
});

test("spec 4.4: conversations and messages", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const chat = (json) =>
    agent.api("POST", "/chat/completions", {
      json: { messages: [{ role: "user", content: "Who built the Velmora lighthouse?" }], ...json },
    });
  const text = (reply) => reply.json.choices[0].message.content;
  const labels = await agent.expect(201, "POST", "/labels", { json: { names: ["sea"] } });
  const page = await agent.page("lighthouse.md");
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [labels[0].id] } });
  await each(t, [
    [
      "spec 4.4 POST conversations: JSON with a name",
      async () =>
        assert.equal((await agent.expect(201, "POST", "/conversations", { json: { name: "Row" } })).name, "Row"),
    ],
    [
      "spec 4.4 POST messages: { status, data }",
      async () => {
        const { json } = await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
          json: { prompt: "Hello" },
        });
        assert.deepEqual([json.status, json.data.user_query], ["success", "Hello"]);
      },
    ],
    [
      "spec 4.4 chat messages: system, user and assistant, content a string",
      async () => {
        const reply = await chat({
          messages: [
            { role: "system", content: "Be kind." },
            { role: "user", content: "Hi" },
            { role: "assistant", content: "Hello" },
            { role: "user", content: "Within how many days may goods be returned?" },
          ],
        });
        assert.ok(text(reply).includes("30 days"));
        status(await chat({ messages: [{ role: "wizard", content: "Hi" }] }), 400);
        status(await chat({ messages: [] }), 400);
      },
    ],
    [
      "spec 4.4 chat model: string, nullable",
      async () =>
        assert.deepEqual(
          [(await chat({ model: "m" })).json.model, (await chat({ model: null })).json.model],
          ["m", null],
        ),
    ],
    [
      "spec 4.4 chat stream: false by default",
      async () => {
        assert.equal((await chat({})).headers["content-type"], "application/json");
        assert.match((await chat({ stream: true })).headers["content-type"], /^text\/event-stream/);
      },
    ],
    [
      "spec 4.4 chat lang: the language of the answer",
      async () => {
        const hello = async (fields) => text(await chat({ messages: [{ role: "user", content: "Hello" }], ...fields }));
        assert.notEqual(await hello({ lang: "de" }), await hello({}));
      },
    ],
    [
      "spec 4.4 chat external_id: string, nullable",
      async () => {
        const { json } = await chat({ external_id: "row-7", session_id: "row" });
        assert.equal(
          (await agent.expect(200, "GET", `/conversations/row/messages/${json.id}`)).metadata.external_id,
          "row-7",
        );
        status(await chat({ external_id: null }), 200);
      },
    ],
    [
      "spec 4.4 chat is_inline_citation: false by default",
      async () => {
        const asked = { messages: [{ role: "user", content: "Within how many days may goods be returned?" }] };
        assert.ok(!text(await chat(asked)).includes("[1]"));
        assert.ok(text(await chat({ ...asked, is_inline_citation: true })).includes("[1]"));
      },
    ],
    [
      "spec 4.4 chat labels: a flat list is any of them, a list of lists all of these",
      async () => {
        assert.equal(text(await chat({})), noAnswer);
        for (const value of [["sea"], [labels[0].id], [["sea"]], ["sea", "unknown"]])
          assert.ok(text(await chat({ labels: value })).includes("Quillby"), JSON.stringify(value));
        for (const value of [["unknown"], [["sea"], ["unknown"]], [], null])
          assert.equal(text(await chat({ labels: value })), noAnswer, JSON.stringify(value));
      },
    ],
    [
      "spec 4.4 chat labels: 20 groups, 50 of a group, 500 in all, 100 characters; invalid values are ignored",
      async () => {
        const group = (n) => Array.from({ length: n }, (_, i) => `l${i}`);
        for (const [value, wanted] of [
          [Array(20).fill(["a"]), 200],
          [Array(21).fill(["a"]), 400],
          [group(50), 200],
          [group(51), 400],
          [Array(10).fill(group(50)), 200],
          [Array(11).fill(group(50)), 400],
          [["é".repeat(100)], 200],
          [["é".repeat(101)], 400],
        ])
          assert.equal((await chat({ labels: value })).status, wanted, JSON.stringify(value).slice(0, 60));
        assert.ok(text(await chat({ labels: [null, {}, 1.5, "sea"] })).includes("Quillby"));
      },
    ],
    [
      "spec 4.4 chat labels_exclusive: only pages with the labels, or those and unlabelled ones",
      async () => {
        const asked = {
          messages: [{ role: "user", content: "Within how many days may goods be returned?" }],
          labels: ["sea"],
        };
        assert.ok(text(await chat(asked)).includes("30 days"));
        assert.equal(text(await chat({ ...asked, labels_exclusive: true })), noAnswer);
      },
    ],
    [
      "spec 4.4 chat sub_personas: an object by slug, strings or null",
      async () => {
        status(await chat({ sub_personas: { "persona-summary": "Short.", "task-planner": null, unheard: "x" } }), 200);
        status(await chat({ sub_personas: null }), 200);
        status(await chat({ sub_personas: { "persona-summary": 5 } }), 400);
      },
    ],
    [
      "spec 4.4 chat errors: 401, 404, 501",
      async () => {
        const json = { messages: [{ role: "user", content: "Hi" }] };
        status(await agent.api("POST", "/chat/completions", { json, key: null }), 401);
        status(await kb.api("POST", "/projects/987654/chat/completions", { json }), 404);
        status(await chat({ audio: { voice: "x", format: "mp3" } }), 501);
      },
    ],
  ]);
});

test("spec 6: events", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const prompt = "Who built the Velmora lighthouse?";
  const { reply, events, session } = await agent.stream(prompt);
  await each(t, [
    [
      "spec 6 each event has an event line and a data line of JSON",
      async () => {
        const blocks = reply.bytes.toString().split("\n\n").filter(Boolean);
        for (const block of blocks) assert.match(block, /^event: (start|progress|finish)\ndata: \{.*\}$/);
        assert.equal(namedEvents(reply.bytes).length, blocks.length);
      },
    ],
    [
      "spec 6 start: status, prompt",
      async () => assert.deepEqual([events[0].event, events[0].data], ["start", { status: "start", prompt }]),
    ],
    [
      "spec 6 progress: fragments that append to the answer, the first may be empty",
      async () => {
        const middle = events.slice(1, -1);
        assert.ok(
          middle.length >= 2 &&
            middle.every(
              (e) => e.event === "progress" && e.data.status === "progress" && typeof e.data.message === "string",
            ),
        );
        const stored = await agent.expect(200, "GET", `/conversations/${session}/messages/${events.at(-1).data.id}`);
        assert.equal(middle.map((e) => e.data.message).join(""), stored.llm_response);
      },
    ],
    [
      "spec 6 finish: status, id, created_at, session_id, citations",
      async () => {
        const { data } = events.at(-1);
        assert.deepEqual(Object.keys(data), ["status", "id", "created_at", "session_id", "citations"]);
        assert.ok(Number.isInteger(data.id) && TIME.test(data.created_at) && data.session_id === session);
        assert.deepEqual(data.citations, [(await agent.page("lighthouse.md")).id]);
      },
    ],
    [
      "spec 6 finish: citations null when there are none",
      async () => assert.equal((await agent.stream("Which painter cut off his own ear?")).finish.citations, null),
    ],
  ]);
});

test("spec 7: statuses and their bodies", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "Alone." } });
  const page = await agent.page("a.txt");
  const rows = [
    [400, "a bad argument", () => kb.api("GET", "/projects/abc"), "Agent id must be integer"],
    [
      400,
      "an agent creation error",
      () => kb.api("POST", "/projects", { json: { project_name: "" } }),
      "Agent name can't be empty",
    ],
    [
      400,
      "a page metadata error",
      () => agent.api("PUT", `/pages/${page.id}/metadata`, { json: { image: "no address" } }),
      "Image must be valid url.",
    ],
    [
      400,
      "a settings update error",
      () => agent.api("POST", "/settings", { json: { radius_styling: "odd" } }),
      undefined,
    ],
    [
      401,
      "an API token validation error",
      () => kb.api("GET", "/projects", { key: "1|wrong" }),
      "API Token is either missing or invalid",
    ],
    [
      403,
      "a page reindex error",
      () => agent.api("POST", `/pages/${page.id}/reindex`),
      `The Document with the id ${page.id} couldn't have been updated`,
    ],
    [
      404,
      "an agent that is not found",
      () => kb.api("GET", "/projects/987654/stats"),
      "Agent with id 987654 not found",
    ],
    [
      404,
      "a page that is not found",
      () => agent.api("GET", "/pages/987654/metadata"),
      "Page with id 987654 not found",
    ],
    [
      501,
      "unsupported arguments",
      () => agent.api("POST", "/chat/completions", { json: { messages: [{ role: "user", content: "x" }], audio: {} } }),
      undefined,
    ],
  ];
  await each(
    t,
    rows.map(([code, name, ask, message]) => [
      `spec 7 ${code}: ${name}`,
      async () => {
        const reply = await ask();
        status(reply, code, message);
        assert.deepEqual(
          [reply.json.status, reply.json.data.code, reply.json.data.message],
          ["error", code, reply.json.message],
        );
        assert.ok(reply.json.url.startsWith(`${kb.url}/api/v1/projects`));
      },
    ]),
  );
  await t.test("spec 7 207: a partial settings update is a success", async () => {
    const reply = await agent.api("POST", "/settings", { json: { chatbot_title: "x", chatbot_model: "unheard-of" } });
    assert.deepEqual([reply.status, reply.json.status], [207, "success"]);
  });
  await t.test("spec 7 429: the message variant is in plans.test.mjs, the rate limit here", async () => {
    const slow = await start(t, { args: ["--rate-limit", "1/3"] });
    const statuses = [];
    for (let i = 0; i < 5; i++) statuses.push(await slow.api("GET", "/user"));
    const refused = statuses.at(-1);
    status(refused, 429, "Too Many Requests");
    assert.ok(Number(refused.headers["retry-after"]) >= 1 && refused.headers["x-ratelimit-remaining"] === "0");
  });
});

test("spec 8: limits", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "Alone." } });
  const page = await agent.page("a.txt");
  const texts = [
    ["persona_instructions", 12000],
    ["no_answer_message", 1000],
    ["ending_message", 1000],
    ["ai_disclaimer", 160],
    ["input_field_addendum", 100],
    ["chatbot_title", 200],
    ...[
      "default_prompt",
      "citations_answer_source_label_msg",
      "citations_sources_label_msg",
      "hang_in_there_msg",
      "chatbot_siesta_msg",
      "chatbot_failed_moderation_msg",
      "account_out_of_queries_msg",
      "try_asking_questions_msg",
      "view_more_msg",
      "view_less_msg",
    ].map((name) => [name, 255]),
  ];
  await each(t, [
    ...texts.map(([name, max]) => [
      `spec 8 ${name}: ${max} characters`,
      async () => {
        await agent.expect(200, "POST", "/settings", { json: { [name]: "é".repeat(max) } });
        const refused = await agent.api("POST", "/settings", { json: { [name]: "é".repeat(max + 1) } });
        status(refused, 400);
        assert.match(refused.json.message, new RegExp(`${max + 1}.*${max}`));
        assert.equal((await agent.expect(200, "GET", "/settings"))[name], "é".repeat(max));
      },
    ]),
    ...["chatbot_color", "chatbot_toolbar_color"].map((name) => [
      `spec 8 ${name}: 9 characters`,
      async () => {
        await agent.expect(200, "POST", "/settings", { json: { [name]: "#12345678" } });
        status(await agent.api("POST", "/settings", { json: { [name]: "#123456789" } }), 400);
      },
    ]),
    [
      "spec 8 labels of a document: 50",
      async () => {
        const ids = [];
        for (let i = 0; i < 51; i += 17)
          ids.push(
            ...(
              await agent.expect(201, "POST", "/labels", {
                json: { names: Array.from({ length: 17 }, (_, k) => `l${i + k}`) },
              })
            ).map((label) => label.id),
          );
        await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: ids.slice(0, 50) } });
        status(await agent.api("PUT", `/pages/${page.id}/labels`, { json: { label_ids: ids } }), 400);
        assert.equal((await agent.expect(200, "GET", `/pages/${page.id}/labels`)).length, 50);
      },
    ],
    [
      "spec 8 max_actions_per_query: 1 by default",
      async () => assert.equal((await agent.expect(200, "GET", "/settings")).max_actions_per_query, 1),
    ],
    [
      "spec 8 default_prompt and page sizes have their defaults",
      async () => {
        const fresh = await kb.agent();
        assert.equal((await fresh.expect(200, "GET", "/settings")).default_prompt, "Ask Me Anything ...");
        assert.deepEqual(
          [
            (await kb.expect(200, "GET", "/projects")).per_page,
            (await fresh.expect(200, "GET", "/pages")).pages.per_page,
            (await fresh.expect(200, "GET", "/settings/personas")).per_page,
          ],
          [10, 20, 20],
        );
      },
    ],
  ]);
  // 50 files, 100 MB a file and 1 GB a batch: limits.test.mjs; the label filter: spec 4.4 above.
});
