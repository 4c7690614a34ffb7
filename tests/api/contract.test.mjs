// The wire contract row by row, where no other story has the row for its name: what clients of the
// reference interface read, send and retry.
import { createHash, randomUUID } from "node:crypto";
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";

async function each(t, rows) {
  for (const [name, fn] of rows) await t.test(name, fn);
}

test("contract 1.0: common rules", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "Alone." } });
  await each(t, [
    [
      "contract 1.0 envelope: { status: success, data }",
      async () => {
        for (const where of [
          "/projects",
          "/user",
          "/limits/usage",
          agent.path,
          `${agent.path}/pages`,
          `${agent.path}/settings`,
          `${agent.path}/stats`,
        ]) {
          const { json } = await kb.api("GET", where);
          assert.deepEqual([Object.keys(json).sort(), json.status], [["data", "status"], "success"], where);
        }
      },
    ],
    [
      "contract 1.0 page labels are a bare array",
      async () => {
        const page = await agent.page("a.txt");
        assert.ok(Array.isArray((await agent.api("GET", `/pages/${page.id}/labels`)).json.data));
      },
    ],
    [
      "contract 1.0 deleted_at is present and null for what lives; created_at and updated_at are never null",
      async () => {
        const page = await agent.page("a.txt");
        const conversation = await agent.expect(201, "POST", "/conversations");
        for (const record of [
          await agent.expect(200, "GET"),
          page,
          conversation,
          await agent.expect(200, "GET", `/pages/${page.id}/metadata`),
        ]) {
          assert.equal(record.deleted_at, null);
          assert.ok(record.created_at && record.updated_at);
        }
      },
    ],
    [
      "contract 1.0 a key passes the clients' check: digits, a bar, letters and digits",
      async () => assert.match(kb.key, /^\d+\|[A-Za-z0-9]{20,}$/),
    ],
    [
      "contract 1.0 a key that is limited to agents lists only these",
      async () => {
        await kb.agent();
        const key = await kb.newKey({ agents: [agent.id] });
        assert.deepEqual(
          (await kb.expect(200, "GET", "/projects", { key })).data.map((a) => a.id),
          [agent.id],
        );
      },
    ],
    [
      "contract 1.0 flags are true and false, never 0 and 1",
      async () => {
        const record = await agent.expect(200, "GET");
        for (const name of ["is_chat_active", "is_master", "is_shared", "are_licenses_allowed"])
          assert.equal(typeof record[name], "boolean", name);
      },
    ],
    [
      "contract 1.0 an error has its message at the top too",
      async () => {
        const { json } = await kb.api("GET", "/projects/987654");
        const message = "Agent with id 987654 not found";
        assert.deepEqual(json, {
          status: "error",
          url: `${kb.url}/api/v1/projects/987654`,
          data: { code: 404, message },
          message,
          error: { message, type: "invalid_request_error", param: null, code: "not_found" },
        });
      },
    ],
    [
      "contract 1.0 texts: an unknown message, conversation and page",
      async () => {
        const { session } = await agent.ask("Hello");
        assert.equal(
          (await agent.api("GET", `/conversations/${session}/messages/987654`)).json.message,
          "Conversation message with id 987654 not found",
        );
        assert.equal(
          (await agent.api("GET", "/conversations/unheard/messages")).json.message,
          "Conversation with session id unheard not found",
        );
        assert.equal((await agent.api("GET", "/citations/987654")).json.message, "Page with id 987654 not found");
      },
    ],
    [
      "contract 1.0 lists: per_page is limit's other name, both between 1 and 100",
      async () => {
        for (const [query, size] of [
          [{ per_page: 3 }, 3],
          [{ limit: 0 }, 1],
          [{ limit: 101 }, 100],
          [{ limit: 5, per_page: 7 }, 5],
        ])
          assert.equal(
            (await agent.expect(200, "GET", "/pages", { query })).pages.per_page,
            size,
            JSON.stringify(query),
          );
      },
    ],
  ]);
});

test("contract 1.1 to 1.6: agents, pages, metadata, labels", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("espresso.md");
  await each(t, [
    [
      "contract 1.1 type: SITEMAP for a sitemap and for none, URL for another address",
      async () => {
        const type = async (sitemap_path) =>
          (
            await kb.expect(201, "POST", "/projects", {
              json: { project_name: "x", ...(sitemap_path ? { sitemap_path } : {}) },
            })
          ).type;
        assert.deepEqual(
          [await type(), await type("https://docent.invalid/sitemap.xml"), await type("https://docent.invalid/about")],
          ["SITEMAP", "SITEMAP", "URL"],
        );
      },
    ],
    [
      "contract 1.1 an agent with nothing to index is active at once; with files, once one is found",
      async () => {
        assert.equal((await kb.expect(201, "POST", "/projects", { json: { project_name: "x" } })).is_chat_active, true);
        const reply = await kb.api("POST", "/projects", { form: form({ project_name: "x" }, { "a.txt": "Harbour." }) });
        assert.equal(reply.data.is_chat_active, false);
        await until(
          "the agent to be active",
          async () => (await kb.expect(200, "GET", `/projects/${reply.data.id}`)).is_chat_active,
        );
        const { data } = await kb.api("POST", `/projects/${reply.data.id}/conversations/${randomUUID()}/messages`, {
          json: { prompt: "Harbour?" },
        });
        assert.equal(data.citations.length, 1, "active means answerable");
      },
    ],
    [
      "contract 1.1 update answers with the new values, delete with { deleted: true }",
      async () => {
        const other = await kb.agent();
        assert.equal((await other.expect(200, "POST", "", { json: { project_name: "New" } })).project_name, "New");
        assert.deepEqual(await other.expect(200, "DELETE"), { deleted: true });
      },
    ],
    [
      "contract 1.2 stats: exactly the eight integers",
      async () => {
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
        assert.ok(Object.values(stats).every(Number.isInteger));
      },
    ],
    [
      "contract 1.4 an upload's page_url is its preview, page_url_hash its MD5",
      async () => {
        assert.equal(page.page_url, `${kb.url}/api/v1/preview/${page.id}`);
        assert.equal(page.page_url_hash, createHash("md5").update(page.page_url).digest("hex"));
        assert.deepEqual(
          [page.is_file, page.is_refreshable, page.is_file_kept, page.filesize],
          [true, false, true, Buffer.byteLength(library["espresso.md"])],
        );
        assert.equal(page.s3_path, `project-${agent.id}/page-${page.id}/espresso.md`);
      },
    ],
    [
      "contract 1.4 a page of an address has none of the files' members",
      async () => {
        const web = await kb.agent({ sitemap_path: "https://docent.invalid/about" });
        const [record] = (await web.expect(200, "GET", "/pages")).pages.data;
        for (const name of ["s3_path", "is_file_kept", "filename", "filesize"]) assert.ok(!(name in record), name);
        assert.deepEqual([record.is_file, record.is_refreshable], [false, true]);
      },
    ],
    [
      "contract 1.4 pages are listed by their ids",
      async () => {
        const ids = (await agent.pages()).map((p) => p.id);
        assert.deepEqual(
          ids,
          [...ids].sort((a, b) => a - b),
        );
      },
    ],
    [
      "contract 1.5 metadata begins with the document's title, address and first words",
      async () => {
        const meta = await agent.expect(200, "GET", `/pages/${page.id}/metadata`);
        assert.deepEqual(
          [meta.id, meta.page_id, meta.url, meta.title, meta.image, meta.custom_fields],
          [page.id, page.id, page.page_url, "Brisca 200 espresso machine: manual", null, {}],
        );
        assert.ok(meta.description.includes("35 seconds") && meta.word_count > 20);
      },
    ],
    [
      "contract 1.6 an unknown label id is refused and changes nothing",
      async () => {
        const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["known"] } });
        assert.equal(
          (await agent.api("PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id, 987654] } })).status,
          400,
        );
        assert.deepEqual(await agent.expect(200, "GET", `/pages/${page.id}/labels`), []);
      },
    ],
  ]);
});

test("contract 1.8 to 1.13 and 2: conversations, messages, the account", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await each(t, [
    [
      "contract 1.8 create is 201 for a body, {}, nothing; a UUID in the body is the session",
      async () => {
        for (const options of [{ json: { name: "x" } }, { json: {} }, {}])
          await agent.expect(201, "POST", "/conversations", options);
        const session_id = randomUUID();
        assert.equal(
          (await agent.expect(201, "POST", "/conversations", { json: { session_id } })).session_id,
          session_id,
        );
      },
    ],
    [
      "contract 1.8 a send to an unknown session makes the conversation",
      async () => {
        const session = randomUUID();
        const message = await agent.ask("Hello", { session });
        const { conversation } = await agent.expect(200, "GET", `/conversations/${session}/messages`);
        assert.deepEqual([conversation.id, conversation.name], [message.conversation_id, "Hello"]);
      },
    ],
    [
      "contract 1.9 a message has conversation_id, tools, response_feedback",
      async () => {
        const message = await agent.ask("Hello");
        assert.deepEqual(
          [Number.isInteger(message.conversation_id), message.tools, message.response_feedback],
          [true, [], null],
        );
      },
    ],
    [
      "contract 1.9 stream is true, 1, false, 0, in query or body",
      async () => {
        for (const [query, json, streamed] of [
          ["stream=1", {}, true],
          ["stream=true", {}, true],
          ["stream=0", {}, false],
          ["stream=false", {}, false],
          ["", { stream: 1 }, true],
          ["", { stream: false }, false],
        ]) {
          const reply = await agent.api("POST", `/conversations/${randomUUID()}/messages`, {
            query,
            json: { prompt: "Hello", ...json },
          });
          assert.equal(
            reply.headers["content-type"].startsWith("text/event-stream"),
            streamed,
            `${query} ${JSON.stringify(json)}`,
          );
        }
      },
    ],
    [
      "contract 1.10 a citation is a page id that resolves to the metadata record",
      async () => {
        const { citations } = await agent.ask("Who built the Velmora lighthouse?");
        const page = await agent.page("lighthouse.md");
        assert.deepEqual(citations, [page.id]);
        assert.deepEqual(
          await agent.expect(200, "GET", `/citations/${page.id}`),
          await agent.expect(200, "GET", `/pages/${page.id}/metadata`),
        );
      },
    ],
    [
      "contract 1.10 [n] in the text means citations[n - 1]",
      async () => {
        await agent.expect(200, "POST", "/settings", {
          json: { enable_inline_citations_api: true, use_planner_mode: true },
        });
        const message = await agent.ask(
          "Within how many days may goods be returned? Who built the Velmora lighthouse?",
        );
        const names = await agent.sources(message);
        const marks = [...message.llm_response.matchAll(/\[(\d+)\]/g)].map((m) => Number(m[1]));
        assert.deepEqual(
          [names, marks],
          [
            ["returns.txt", "lighthouse.md"],
            [1, 2],
          ],
          message.llm_response,
        );
        await agent.expect(200, "POST", "/settings", {
          json: { enable_inline_citations_api: false, use_planner_mode: false },
        });
      },
    ],
    [
      "contract 1.11 flags in any case; enable_citations and conversation_time_window as flags",
      async () => {
        const read = async (name) => (await agent.expect(200, "GET", "/settings"))[name];
        for (const [name, value, want] of [
          ["remove_branding", "TRUE", true],
          ["remove_branding", "0", false],
          ["enable_citations", "false", 0],
          ["enable_citations", true, 3],
          ["conversation_time_window", "true", 1],
          ["conversation_time_window", false, 0],
        ]) {
          await agent.expect(200, "POST", "/settings", { json: { [name]: value } });
          assert.equal(await read(name), want, `${name} ${value}`);
        }
      },
    ],
    [
      "contract 1.11 example_questions as name[], name[0], repeated or a JSON array",
      async () => {
        for (const send of [
          { json: { example_questions: ["A?", "B?"] } },
          ...[
            ["example_questions[]", "example_questions[]"],
            ["example_questions[0]", "example_questions[1]"],
            ["example_questions", "example_questions"],
          ].map(([a, b]) => ({
            form: [
              { name: a, value: "A?" },
              { name: b, value: "B?" },
            ],
          })),
        ]) {
          await agent.expect(200, "POST", "/settings", { json: { example_questions: [] } });
          await agent.expect(200, "POST", "/settings", send);
          assert.deepEqual(
            (await agent.expect(200, "GET", "/settings")).example_questions,
            ["A?", "B?"],
            JSON.stringify(send),
          );
        }
      },
    ],
    [
      "contract 1.12 no field name that parsers look at first, citations only in finish",
      async () => {
        const { events } = await agent.stream("Who built the Velmora lighthouse?");
        for (const { event, data } of events) {
          for (const name of ["type", "content", "choices", "delta"])
            assert.ok(!(name in data), `${event} has ${name}`);
          assert.equal("citations" in data, event === "finish");
          assert.equal("message" in data, event === "progress");
        }
      },
    ],
    [
      "contract 1.13 the whole answer's members",
      async () => {
        const { json } = await agent.api("POST", "/chat/completions", {
          json: { messages: [{ role: "user", content: "Hello" }] },
        });
        assert.deepEqual(
          [
            Object.keys(json)
              .filter((k) => k !== "citations")
              .sort(),
            json.object,
            typeof json.id,
            Object.keys(json.choices[0]).sort(),
          ],
          [
            ["choices", "created", "id", "model", "object", "usage"],
            "chat.completion",
            "string",
            ["finish_reason", "index", "logprobs", "message"],
          ],
        );
      },
    ],
    [
      "contract 2.1 the list of conversations by order, orderBy, userFilter, name, lastUpdatedAfter",
      async () => {
        const other = await kb.agent();
        for (const name of ["One", "Two", "Three"])
          await other.expect(201, "POST", "/conversations", { json: { name } });
        const names = async (query) =>
          (await other.expect(200, "GET", "/conversations", { query })).data.map((c) => c.name);
        assert.deepEqual(await names({}), ["Three", "Two", "One"]);
        for (const orderBy of ["id", "created_at"])
          assert.deepEqual(await names({ order: "asc", orderBy }), ["One", "Two", "Three"]);
        assert.deepEqual(
          [
            await names({ name: "tw" }),
            await names({ userFilter: "me" }),
            await names({ userFilter: "all" }),
            await names({ lastUpdatedAfter: "2999-01-01" }),
          ],
          [["Two"], ["Three", "Two", "One"], ["Three", "Two", "One"], []],
        );
      },
    ],
    [
      "contract 2.1 feedback: liked, disliked, neutral, null",
      async () => {
        const { id, session } = await agent.ask("Hello");
        for (const reaction of ["liked", "disliked", "neutral", null])
          assert.equal(
            (
              await agent.expect(200, "PUT", `/conversations/${session}/messages/${id}/feedback`, {
                json: { reaction },
              })
            ).response_feedback?.reaction ?? null,
            reaction,
          );
      },
    ],
    [
      "contract 2.3 activating a version adds one, by both paths",
      async () => {
        const other = await kb.agent();
        for (const persona_instructions of ["First.", "Second."])
          await other.expect(200, "POST", "/settings", { json: { persona_instructions } });
        assert.deepEqual(await other.expect(200, "PUT", "/settings/persona/activate/2"), { updated: true });
        assert.deepEqual(
          await other.expect(200, "PUT", "/settings/persona-activate-version", { json: { version: 3 } }),
          { updated: true },
        );
        assert.deepEqual(
          (await other.expect(200, "GET", "/settings/personas")).data
            .map((p) => [p.version, p.instructions, p.is_active])
            .slice(0, 2),
          [
            [5, "Second.", true],
            [4, "First.", false],
          ],
        );
      },
    ],
    [
      "contract 2.4 label names: up to 20 characters, no digit in front; deleted ones come back",
      async () => {
        const make = (names) => agent.api("POST", "/labels", { json: { names } });
        assert.equal((await make(["é".repeat(20)])).status, 201);
        for (const name of ["é".repeat(21), "1st", ""]) assert.equal((await make([name])).status, 400, name);
        const [label] = (await make(["back"])).data;
        await agent.expect(200, "DELETE", `/labels/${label.id}`);
        assert.equal((await make(["back"])).data[0].id, label.id);
      },
    ],
    [
      "contract 2.5 the user and the limits",
      async () => {
        const user = await kb.expect(200, "GET", "/user");
        assert.ok(
          Number.isInteger(user.id) && user.email === null && user.name && Number.isInteger(user.current_team_id),
        );
        assert.equal((await kb.expect(200, "POST", "/user", { form: form({ name: "Renamed" }) })).name, "Renamed");
        const usage = await kb.expect(200, "GET", "/limits/usage");
        assert.ok(
          Object.values(usage).every(Number.isInteger) && usage.current_projects_num >= 1 && usage.current_queries >= 1,
        );
      },
    ],
  ]);
});
