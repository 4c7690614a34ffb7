// The specification row by row: events (6), statuses and their bodies (7), limits (8).
import { assert, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { TIME, each, status } from "./lib/spec-rows.mjs";
import { namedEvents } from "./lib/sse.mjs";

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
