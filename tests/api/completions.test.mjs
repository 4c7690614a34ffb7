// chat/completions: the endpoint in the form that chat client libraries speak (contract 1.13).
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { chunks } from "./lib/sse.mjs";
import { followUp, foreign, library, lighthouses, noAnswer, questions } from "./lib/documents.mjs";

const where = "/chat/completions";
const [question, , words] = questions[2];
const user = (content) => ({ messages: [{ role: "user", content }] });

test("a whole answer has the layout of the chat format, without an envelope", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { status, json } = await agent.api("POST", where, { json: { ...user(question), model: "any-model" } });
  assert.equal(status, 200);
  const page = await agent.page("espresso.md");
  const content = json.choices[0].message.content;
  assert.ok(content.includes(words), content);
  assert.match(json.id, /^\d+$/);
  assert.ok(Math.abs(json.created - Date.now() / 1000) < 60);
  assert.deepEqual(json, {
    id: json.id,
    object: "chat.completion",
    created: json.created,
    model: "any-model",
    choices: [
      {
        index: 0,
        message: {
          role: "assistant",
          content,
          refusal: null,
          annotations: [
            {
              type: "url_citation",
              url_citation: {
                start_index: 0,
                end_index: [...content].length,
                url: `${kb.url}/agents/${agent.id}/documents?document=${page.id}`,
                title: "Brisca 200 espresso machine: manual",
              },
            },
          ],
        },
        logprobs: null,
        finish_reason: "stop",
      },
    ],
    usage: {
      prompt_tokens: json.usage.prompt_tokens,
      completion_tokens: json.usage.completion_tokens,
      total_tokens: json.usage.prompt_tokens + json.usage.completion_tokens,
      completion_tokens_details: { reasoning_tokens: 0, accepted_prediction_tokens: 0, rejected_prediction_tokens: 0 },
    },
    citations: [page.id],
  });
  // A word has at least one token, and few have more than two.
  for (const [text, tokens] of [
    [question, json.usage.prompt_tokens],
    [content, json.usage.completion_tokens],
  ]) {
    const count = text.split(/\s+/).length;
    assert.ok(tokens >= count && tokens <= 3 * count, `${tokens} tokens in ${count} words`);
  }
  const more = await agent.api("POST", where, {
    json: { messages: [{ role: "system", content: "Be brief, please." }, ...user(question).messages] },
  });
  assert.equal(more.json.usage.prompt_tokens, json.usage.prompt_tokens + 5);
});

test("the model that was asked for comes back, and null when none was", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  for (const [json, wanted] of [
    [{}, null],
    [{ model: null }, null],
    [{ model: "a/b:c" }, "a/b:c"],
  ])
    assert.equal((await agent.api("POST", where, { json: { ...user("Hello"), ...json } })).json.model, wanted);
});

test("a stream is data frames alone, one id and model in all, closed by [DONE]", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const reply = await agent.api("POST", where, { json: { ...user(question), stream: true, model: "m" } });
  assert.match(reply.headers["content-type"], /^text\/event-stream(; charset=utf-8)?$/);
  assert.equal(reply.headers["cache-control"], "no-cache");
  assert.ok(!/^(event|id|retry|:)/m.test(reply.text), "no field but data");
  const all = chunks(reply.bytes);
  const [{ id, created }] = all;
  for (const chunk of all) {
    const { choices, citations, ...head } = chunk;
    assert.deepEqual(head, { id, object: "chat.completion.chunk", created, model: "m" });
    assert.deepEqual(Object.keys(choices[0]), ["index", "delta", "finish_reason"]);
    assert.equal(citations !== undefined, chunk === all.at(-1));
  }
  assert.deepEqual(all[0].choices, [{ index: 0, delta: { role: "assistant", content: "" }, finish_reason: null }]);
  const { annotations } = (await agent.api("POST", where, { json: user(question) })).json.choices[0].message;
  assert.equal(annotations.length, 1);
  assert.deepEqual(all.at(-1).choices, [{ index: 0, delta: { annotations }, finish_reason: "stop" }]);
  for (const chunk of all.slice(1, -1))
    assert.deepEqual([Object.keys(chunk.choices[0].delta), chunk.choices[0].finish_reason], [["content"], null]);
  const text = all
    .slice(1, -1)
    .map((chunk) => chunk.choices[0].delta.content)
    .join("");
  const whole = (await agent.api("POST", where, { json: user(question) })).json;
  assert.equal(text, whole.choices[0].message.content);
  assert.deepEqual(all.at(-1).citations, whole.citations);
});

test("the stream's bytes are the contract's", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { text } = await agent.api("POST", where, { json: { ...user(foreign[0]), stream: true } });
  const head = /^data: (\{"id":"[^"]+","object":"chat\.completion\.chunk","created":\d+,"model":null),/.exec(text)[1];
  const frame = (delta, reason) =>
    `data: ${head},"choices":[{"index":0,"delta":${delta},"finish_reason":${reason}}]}\n\n`;
  assert.equal(
    text,
    frame('{"role":"assistant","content":""}', null) +
      frame(`{"content":"${noAnswer}"}`, null) +
      frame("{}", '"stop"') +
      "data: [DONE]\n\n",
  );
});

test("include_usage adds a last chunk with usage and no choices", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const reply = await agent.api("POST", where, {
    json: { ...user("Hello"), stream: true, stream_options: { include_usage: true } },
  });
  const last = chunks(reply.bytes).at(-1);
  assert.deepEqual(last.choices, []);
  assert.equal(last.usage.prompt_tokens, 1);
  assert.ok(last.usage.completion_tokens > 1);
  assert.equal(last.usage.total_tokens, 1 + last.usage.completion_tokens);
  for (const stream_options of [{ include_usage: false }, {}, null, undefined]) {
    const without = await agent.api("POST", where, { json: { ...user("Hello"), stream: true, stream_options } });
    assert.ok(!without.text.includes("usage"));
  }
});

test("content may be an array of text parts, which are joined", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const content = [
    { type: "text", text: "How long does the warranty " },
    { type: "text", text: "of the Brisca 200 last?" },
  ];
  assert.ok((await agent.api("POST", where, { json: user(content) })).json.choices[0].message.content.includes(words));
});

test("the caller's own messages are the history", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: lighthouses });
  const messages = [
    { role: "system", content: "Be brief." },
    { role: "user", content: followUp.first },
    { role: "assistant", content: "In 1874." },
    { role: "user", content: followUp.then },
  ];
  assert.ok(
    (await agent.api("POST", where, { json: { messages } })).json.choices[0].message.content.includes(followUp.words),
  );
});

test("each call is a conversation of its own unless a session is named", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: lighthouses });
  await agent.api("POST", where, { json: user("Hello") });
  await agent.api("POST", where, { json: user("Hello") });
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 2);
  const session_id = randomUUID();
  await agent.api("POST", where, { json: { ...user(followUp.first), session_id } });
  const second = await agent.api("POST", where, { json: { ...user(followUp.then), session_id } });
  assert.ok(second.json.choices[0].message.content.includes(followUp.words), "the session's messages are the history");
  const { messages } = await agent.expect(200, "GET", `/conversations/${session_id}/messages`);
  assert.equal(messages.total, 2);
  assert.equal(String(messages.data[0].id), second.json.id, "the id is the message's");
  assert.equal((await agent.api("POST", where, { json: { ...user("Hello"), session_id: "a b" } })).status, 400);
});

test("an answer is stored as a message, with its external id", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const session_id = randomUUID();
  for (const stream of [false, true]) {
    await agent.api("POST", where, { json: { ...user(question), session_id, external_id: "e-7", stream } });
    const [message] = (await agent.expect(200, "GET", `/conversations/${session_id}/messages`)).messages.data;
    assert.deepEqual([message.user_query, message.metadata.external_id], [question, "e-7"]);
    assert.ok(message.llm_response.includes(words));
  }
});

test("an unanswerable question gives the no-answer text and no citations", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { json } = await agent.api("POST", where, { json: user(foreign[1]) });
  assert.deepEqual([json.choices[0].message.content, json.citations], [noAnswer, []]);
});

test("inline citations appear when asked for, and only then", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const text = async (json) =>
    (await agent.api("POST", where, { json: { ...user(question), ...json } })).json.choices[0].message.content;
  assert.match(await text({ is_inline_citation: true }), /\[1\]/);
  assert.doesNotMatch(await text({ is_inline_citation: false }), /\[\d\]/);
  assert.doesNotMatch(await text({}), /\[\d\]/);
});

test("sampling parameters and other stale members are accepted and ignored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const json = {
    ...user("Hello"),
    temperature: 0.7,
    top_p: 0.1,
    max_tokens: 5,
    max_completion_tokens: 5,
    stop: ["x"],
    seed: 1,
    presence_penalty: 1,
    frequency_penalty: -1,
    user: "u",
    n: 1,
    logprobs: false,
    logit_bias: {},
    tools: [],
    response_format: { type: "text" },
    modalities: ["text"],
    lang: "en",
    labels: [],
    labels_exclusive: false,
    sub_personas: {},
    metadata: {},
    store: true,
    parallel_tool_calls: true,
    audio: null,
  };
  assert.equal((await agent.api("POST", where, { json })).status, 200);
});

test("what is not served is the request's fault and named; audio has the status of its own", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const tools = [{ type: "function", function: { name: "f" } }];
  const one = { type: "function", function: { name: "f" } };
  const picture = { type: "image_url", image_url: { url: "https://docent.invalid/x.png" } };
  const cases = [
    [501, { audio: { voice: "x", format: "mp3" } }, "audio"],
    [501, { modalities: ["text", "audio"] }, "audio"],
    [400, { modalities: ["text", "video"] }, "modalities other than text"],
    [400, { tools, tool_choice: "required" }, "a tool_choice that demands a call"],
    [400, { tools, tool_choice: one }, "a tool_choice that demands a call"],
    [
      400,
      { tools, tool_choice: { type: "allowed_tools", allowed_tools: { mode: "required", tools } } },
      "a tool_choice that demands a call",
    ],
    [400, { functions: [{ name: "f" }], function_call: { name: "f" } }, "a function_call that demands a call"],
    [400, { n: 2 }, "n above 1"],
    [400, { logprobs: true }, "logprobs"],
    [400, { response_format: { type: "json_object" } }, "response_format other than text"],
    [400, { response_format: { type: "json_schema", json_schema: {} } }, "response_format other than text"],
    [400, { messages: [{ role: "user", content: [picture] }] }, "content of type image_url"],
  ];
  for (const [status, json, what] of cases) {
    const reply = await agent.api("POST", where, { json: { ...user("Hello"), ...json } });
    assert.equal(reply.status, status, JSON.stringify(json));
    assert.ok(reply.json.message.startsWith(`${what} is not yet supported`), reply.json.message);
  }
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
});

test("tools that are offered and not demanded are answered in words, and what tools said is passed over", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: lighthouses });
  const tools = [{ type: "function", function: { name: "look_up", parameters: { type: "object" } } }];
  const text = async (json) => {
    const reply = await agent.api("POST", where, { json });
    assert.equal(reply.status, 200, reply.text);
    const { message, finish_reason } = reply.json.choices[0];
    assert.deepEqual([message.tool_calls, finish_reason], [undefined, "stop"]);
    return message.content;
  };
  const plain = await text(user(followUp.first));
  for (const more of [
    { tools },
    { tools, tool_choice: "auto" },
    { tools, tool_choice: "none" },
    { tools, tool_choice: { type: "allowed_tools", allowed_tools: { mode: "auto", tools } } },
    { functions: [{ name: "look_up" }] },
    { functions: [{ name: "look_up" }], function_call: "auto" },
  ])
    assert.equal(await text({ ...user(followUp.first), ...more }), plain);
  const call = { id: "c1", type: "function", function: { name: "look_up", arguments: "{}" } };
  const messages = [
    { role: "user", content: followUp.first },
    { role: "assistant", content: null, tool_calls: [call] },
    { role: "tool", tool_call_id: "c1", content: "In 1492." },
    { role: "assistant", content: "In 1874." },
    { role: "user", content: followUp.then },
  ];
  assert.ok((await text({ messages, tools })).includes(followUp.words));
  assert.equal(await text({ messages: messages.slice(0, 3), tools }), plain, "the tool's turn is not the question");
});

test("annotations name each cited document once, where the answer marks it, with an address for people", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("espresso.md");
  const url = "https://shop.example/brisca";
  await agent.expect(200, "PUT", `/pages/${page.id}/metadata`, { json: { title: "Die Brisca é", url } });
  const { json } = await agent.api("POST", where, { json: { ...user(question), is_inline_citation: true } });
  const { content, annotations } = json.choices[0].message;
  assert.equal(annotations.length, json.citations.length);
  const [{ url_citation: cited }] = annotations;
  assert.deepEqual([cited.url, cited.title], [url, "Die Brisca é"]);
  assert.equal([...content].slice(cited.start_index, cited.end_index).join(""), "[1]");
  const none = await agent.api("POST", where, { json: user(foreign[1]) });
  assert.deepEqual(none.json.choices[0].message.annotations, []);
});

test("one address serves every agent of a key, which model names, and lists tell those names", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Kaffee & Tee: the Shop", files: library });
  const other = await kb.agent({ project_name: "灯台" });
  const asked = async (model, key = kb.key) =>
    await kb.api("POST", where, { json: { ...user(question), ...(model !== undefined && { model }) }, key });
  const models = await kb.api("GET", "/models");
  assert.deepEqual(models.json, {
    object: "list",
    data: [
      { id: `${other.id}`, object: "model", created: models.json.data[0].created, owned_by: "docent", name: "灯台" },
      {
        id: `${agent.id}-kaffee-tee-the-shop`,
        object: "model",
        created: models.json.data[1].created,
        owned_by: "docent",
        name: "Kaffee & Tee: the Shop",
      },
    ],
  });
  const [, mine] = models.json.data;
  assert.ok(Math.abs(mine.created - Date.now() / 1000) < 60);
  assert.deepEqual((await agent.api("GET", "/models")).json, { object: "list", data: [mine] });
  assert.deepEqual((await kb.api("GET", `/models/${mine.id}`)).json, mine);
  for (const model of [mine.id, `${agent.id}`, `${agent.id}-its-former-name`, agent.id]) {
    const reply = await asked(model);
    assert.equal(reply.status, 200, reply.text);
    assert.ok(reply.json.choices[0].message.content.includes(words));
    assert.equal(reply.json.model, `${model}`);
  }
  assert.equal((await asked(`${other.id}`)).json.choices[0].message.content, noAnswer);
  for (const model of [undefined, "", null]) assert.equal((await asked(model)).status, 400);
  for (const model of ["gpt-4", `${agent.id}x`, `x-${agent.id}`, "987654", "0", "-1", "9".repeat(30)]) {
    const reply = await asked(model);
    assert.deepEqual([reply.status, reply.json.error.type], [404, "invalid_request_error"], model);
  }
  // Other keys reach their own agents alone.
  const limited = await kb.newKey({ agents: [other.id] });
  const stranger = await kb.newKey({ account: "stranger" });
  const names = async (key) => (await kb.api("GET", "/models", { key })).json.data.map((model) => model.id);
  assert.deepEqual([await names(limited), await names(stranger)], [[`${other.id}`], []]);
  for (const key of [limited, stranger]) {
    assert.equal((await asked(mine.id, key)).status, 404);
    assert.equal((await kb.api("GET", `/models/${mine.id}`, { key })).status, 404);
  }
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 4, "each call is a conversation of its own");
});

test("the list of models has all agents of an account", async (t) => {
  const kb = await start(t);
  for (let i = 0; i < 101; i++) await kb.expect(201, "POST", "/projects", { json: { project_name: `Agent ${i}` } });
  const { data } = (await kb.api("GET", "/models")).json;
  assert.equal(new Set(data.map((model) => model.id)).size, 101);
});

test("messages that cannot be read give 400 and say which", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    [{}, /messages must be an array/],
    [{ messages: [] }, /messages must be an array/],
    [{ messages: "Hello" }, /messages must be an array/],
    [{ messages: [{ role: "oracle", content: "x" }] }, /messages\[0\]\.role/],
    [{ messages: ["Hello"] }, /messages\[0\]/],
    [{ messages: [{ role: "assistant", content: "x" }] }, /user message/],
    [{ messages: [{ role: "user", content: "  " }] }, /user message/],
    [{ messages: [{ role: "user", content: null }] }, /user message/],
    [{ messages: [{ role: "user", content: 5 }] }, /messages\[0\]\.content/],
    [user("x".repeat(8001)), /8001 characters, the limit is 8000/],
    [{ ...user("x"), stream: "maybe" }, /stream must be true or false/],
    [{ messages: Array(1001).fill({ role: "user", content: "x" }) }, /1001 messages, the limit is 1000/],
  ];
  for (const [json, message] of cases) {
    const reply = await agent.api("POST", where, { json });
    assert.equal(reply.status, 400, JSON.stringify(json).slice(0, 100));
    assert.match(reply.json.message, message);
  }
  assert.equal((await agent.api("POST", where)).status, 400, "no body");
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
});

test("errors carry the member that chat libraries read", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    [await agent.api("POST", where, { json: {} }), 400, "invalid_request_error"],
    [await kb.api("POST", `/projects/999${where}`, { json: user("x") }), 404, "invalid_request_error"],
    [await agent.api("POST", where, { json: user("x"), key: "123|x" }), 401, "authentication_error"],
    [await agent.api("POST", where, { json: { ...user("x"), n: 2 } }), 400, "invalid_request_error"],
    [await agent.api("POST", where, { json: { ...user("x"), audio: {} } }), 501, "server_error"],
    [await kb.api("POST", where, { json: { ...user("x"), model: "gpt-4" } }), 404, "invalid_request_error"],
    // Refused before a route was found.
    [await agent.api("GET", where), 405, "invalid_request_error"],
    [await agent.api("PUT", `${where}/`, { json: user("x") }), 405, "invalid_request_error"],
    [await agent.api("DELETE", "/chat-completions"), 405, "invalid_request_error"],
    [await kb.api("POST", `/agents/7${where}`, { json: user("x") }), 404, "invalid_request_error"],
    [await kb.api("POST", `/chat${where}`, { json: user("x") }), 404, "invalid_request_error"],
    [await agent.api("POST", where, { body: "x".repeat(5_000_000), agent: false }), 400, "invalid_request_error"],
  ];
  for (const [reply, status, type] of cases) {
    assert.equal(reply.status, status);
    assert.deepEqual(
      { ...reply.json.error, code: typeof reply.json.error.code },
      { message: reply.json.data.message, type, param: null, code: "string" },
    );
    assert.deepEqual([reply.json.status, reply.json.data.code], ["error", status]);
  }
  for (const [method, path] of [
    ["GET", "/projects/999"],
    ["PATCH", "/projects"],
    ["GET", `${agent.path}/completions`],
    ["GET", `${agent.path}${where}/x`],
    ["POST", "/projects/1/responses"],
    ["GET", "/nothing"],
  ]) {
    const { json } = await kb.api(method, path, { plain: false });
    assert.equal(json.error.message, json.data.message, `${method} ${path}: elsewhere too`);
  }
});

test("what is asked in vain says so, to libraries that ask again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const inVain = await agent.api("POST", where, { json: { ...user("x"), audio: {} } });
  assert.deepEqual([inVain.status, inVain.headers["x-should-retry"]], [501, "false"]);
  for (const reply of [
    await agent.api("POST", where, { json: {} }),
    await agent.api("POST", where, { json: user("Hello") }),
  ])
    assert.ok(!("x-should-retry" in reply.headers));
});

test("the path that one client uses is the same endpoint", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  assert.ok(
    (await agent.api("POST", "/chat-completions", { json: user(question) })).json.choices[0].message.content.includes(
      words,
    ),
  );
});
