// The specification row by row: agents, pages, conversations and messages (4.1, 4.2, 4.4).
import { randomUUID } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";
import { each, status } from "./lib/spec-rows.mjs";

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
