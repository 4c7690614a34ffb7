// The specification row by row: the settings (2.7), and how they and personas are changed (4.3).
import { assert, form, start, test } from "./lib/harness.mjs";
import { each, status } from "./lib/spec-rows.mjs";

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
