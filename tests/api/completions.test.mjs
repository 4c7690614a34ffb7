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
    choices: [{ index: 0, message: { role: "assistant", content }, logprobs: null, finish_reason: "stop" }],
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
  assert.deepEqual(all.at(-1).choices, [{ index: 0, delta: {}, finish_reason: "stop" }]);
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

test("what is not served gives 501 and names it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const cases = [
    [{ audio: { voice: "x", format: "mp3" } }, "audio"],
    [{ modalities: ["text", "audio"] }, "audio"],
    [{ tools: [{ type: "function", function: { name: "f" } }] }, "tools"],
    [{ functions: [{ name: "f" }] }, "functions"],
    [{ n: 2 }, "n above 1"],
    [{ logprobs: true }, "logprobs"],
    [{ response_format: { type: "json_object" } }, "response_format other than text"],
    [
      {
        messages: [
          { role: "user", content: [{ type: "image_url", image_url: { url: "https://docent.invalid/x.png" } }] },
        ],
      },
      "content of type image_url",
    ],
  ];
  for (const [json, what] of cases) {
    const reply = await agent.api("POST", where, { json: { ...user("Hello"), ...json } });
    assert.deepEqual([reply.status, reply.json.message], [501, `${what} is not yet supported`]);
  }
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
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
    [await agent.api("POST", where, { json: { ...user("x"), n: 2 } }), 501, "server_error"],
    // Refused before a route was found.
    [await agent.api("GET", where), 405, "invalid_request_error"],
    [await agent.api("PUT", `${where}/`, { json: user("x") }), 405, "invalid_request_error"],
    [await agent.api("DELETE", "/chat-completions"), 405, "invalid_request_error"],
    [await kb.api("POST", `/agents/7${where}`, { json: user("x") }), 404, "invalid_request_error"],
    [await kb.api("POST", where, { json: user("x"), plain: true }), 404, "invalid_request_error"],
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
  const inVain = await agent.api("POST", where, { json: { ...user("x"), n: 2 } });
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
