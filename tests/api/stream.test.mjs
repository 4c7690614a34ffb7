// The stream of the message endpoint, byte by byte as the contract's 1.12 frames it.
import net from "node:net";
import { randomUUID } from "node:crypto";
import { assert, start, test, until } from "./lib/harness.mjs";
import { foreign, library, noAnswer, questions } from "./lib/documents.mjs";

const question = questions[0][0];
const prompts = [
  question,
  foreign[0],
  "Hello!",
  "What can you do?",
  'Who built the "Velmora" lighthouse?\nAnd — when? 日本 😀 \\ / \u2028',
];

test("events come as start, an empty progress, progress, finish, and nothing else", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const prompt of prompts) {
    const { events } = await agent.stream(prompt);
    const names = events.map((e) => e.event);
    assert.ok(events.length >= 4, JSON.stringify(names));
    assert.deepEqual([names[0], names[1], names.at(-1)], ["start", "progress", "finish"]);
    assert.ok(names.slice(1, -1).every((name) => name === "progress"));
    assert.equal(events[1].data.message, "");
    assert.ok(
      events.slice(2, -1).every((e) => e.data.message.length > 0),
      "no empty fragment after the first",
    );
  }
});

test("each event has exactly its members, and the status repeats its name", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const members = {
    start: ["status", "prompt"],
    progress: ["status", "message"],
    finish: ["status", "id", "created_at", "session_id", "citations"],
  };
  for (const prompt of prompts) {
    const { events, finish, session } = await agent.stream(prompt);
    for (const { event, data } of events) {
      assert.deepEqual(Object.keys(data), members[event]);
      assert.equal(data.status, event);
      for (const word of ["type", "content", "choices", "delta"])
        assert.ok(!(word in data), `${word} is a word that parsers look at first`);
      assert.equal("citations" in data, event === "finish");
      assert.equal("message" in data, event === "progress");
    }
    assert.equal(events[0].data.prompt, prompt);
    assert.equal(finish.session_id, session);
    assert.match(finish.created_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
    assert.ok(Number.isInteger(finish.id));
    assert.ok(finish.citations === null || (finish.citations.length > 0 && finish.citations.every(Number.isInteger)));
  }
});

test("the stream is these bytes and no others", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { reply, finish, session } = await agent.stream(foreign[0]);
  assert.equal(
    reply.text,
    `event: start\ndata: {"status":"start","prompt":"${foreign[0]}"}\n\n` +
      'event: progress\ndata: {"status":"progress","message":""}\n\n' +
      `event: progress\ndata: {"status":"progress","message":"${noAnswer}"}\n\n` +
      `event: finish\ndata: {"status":"finish","id":${finish.id},"created_at":"${finish.created_at}","session_id":"${session}","citations":null}\n\n`,
  );
});

test("the answer to a streaming request has the headers that clients check", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { reply } = await agent.stream("Hello");
  assert.match(reply.headers["content-type"], /^text\/event-stream(; charset=utf-8)?$/);
  assert.equal(reply.headers["cache-control"], "no-cache");
  assert.equal(reply.headers.connection, "close");
  assert.equal(reply.headers["access-control-allow-origin"], "*");
  assert.ok(!("content-length" in reply.headers));
});

test("the fragments joined are the stored answer, and the finish event names it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const prompt of prompts) {
    const { text, finish, session } = await agent.stream(prompt);
    const stored = await agent.expect(200, "GET", `/conversations/${session}/messages/${finish.id}`);
    assert.deepEqual(
      [stored.llm_response, stored.user_query, stored.citations, stored.created_at],
      [text, prompt, finish.citations, finish.created_at],
    );
  }
});

test("a streamed answer and a whole one are the same", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const prompt of [question, foreign[0], "Hello!"]) {
    const [streamed, whole] = [await agent.stream(prompt), await agent.ask(prompt)];
    assert.deepEqual([streamed.text, streamed.finish.citations], [whole.llm_response, whole.citations]);
  }
});

test("stream in the query or the body decides, never the accept field", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const send = async (options) =>
    (await agent.api("POST", `/conversations/${randomUUID()}/messages`, options)).headers["content-type"].split(";")[0];
  const prompt = "Hello",
    [sse, json] = ["text/event-stream", "application/json"];
  for (const query of [
    "stream=true",
    "stream=1",
    "stream=TRUE",
    "lang=en&stream=true",
    "stream=1&lang=en&stream=1&lang=en",
  ])
    assert.equal(await send({ query, json: { prompt } }), sse, query);
  for (const query of ["stream=false", "stream=0", "stream=", "lang=en", ""])
    assert.equal(await send({ query, json: { prompt } }), json, query);
  for (const stream of [true, 1, "true", "1"]) assert.equal(await send({ json: { prompt, stream } }), sse);
  for (const stream of [false, 0, "false", null]) assert.equal(await send({ json: { prompt, stream } }), json);
  assert.equal(await send({ query: "stream=true", json: { prompt, stream: true } }), sse, "both");
  assert.equal(await send({ json: { prompt }, headers: { accept: "text/event-stream" } }), json);
  for (const accept of ["application/json", "text/event-stream", "*/*"])
    assert.equal(await send({ query: "stream=true", json: { prompt }, headers: { accept } }), sse, accept);
  assert.equal(
    (await agent.api("POST", `/conversations/${randomUUID()}/messages`, { query: "stream=maybe", json: { prompt } }))
      .status,
    400,
  );
});

test("an error before the stream is a plain JSON error with its status", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const query = "stream=true",
    where = `/conversations/${randomUUID()}/messages`;
  assert.deepEqual(
    [(await agent.api("POST", where, { query, json: { prompt: "" } })).json.message],
    ["prompt can't be empty"],
  );
  assert.equal(
    (await kb.api("POST", `/projects/999${where}`, { query, json: { prompt: "Hello" } })).json.message,
    "Agent with id 999 not found",
  );
  assert.equal((await agent.api("POST", where, { query, json: { prompt: "Hello" }, key: "123|x" })).status, 401);
});

test("a client that goes away mid-answer still finds the whole message stored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const whole = await agent.ask(question);
  const port = Number(new URL(kb.url).port);
  const body = JSON.stringify({ prompt: question });
  const sessions = [];
  const ways = ["half-closed at once", "closed at the first byte", "reset at the first byte"];
  for (let i = 0; i < 30; i++) {
    const way = ways[i % 3];
    const session = randomUUID();
    sessions.push([session, way]);
    await new Promise((resolve) => {
      const socket = net.connect(port, "127.0.0.1", () => {
        socket.write(
          `POST /api/v1${agent.path}/conversations/${session}/messages?stream=true HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${kb.key}\r\n` +
            `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
        );
        if (way === ways[0]) socket.end();
      });
      socket.on("data", () => (way === ways[1] ? socket.destroy() : way === ways[2] && socket.resetAndDestroy()));
      socket.on("error", () => {});
      socket.on("close", resolve);
    });
  }
  for (const [session, way] of sessions) {
    const reply = await until(
      `the message of a client that was ${way}`,
      async () => {
        const got = await agent.api("GET", `/conversations/${session}/messages`);
        return got.status === 200 && got;
      },
      5000,
    );
    const [message] = reply.data.messages.data;
    assert.deepEqual([message.llm_response, message.citations], [whole.llm_response, whole.citations]);
  }
});

test("two hundred streams at once each get their own answer", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const whole = await agent.ask(question);
  const streams = await Promise.all(Array.from({ length: 200 }, () => agent.stream(question, { agent: false })));
  for (const { text, finish } of streams)
    assert.deepEqual([text, finish.citations], [whole.llm_response, whole.citations]);
  assert.equal(new Set(streams.map((s) => s.finish.id)).size, 200);
});

test("the stream is chunked for HTTP/1.1 and plain until close for HTTP/1.0", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const body = JSON.stringify({ prompt: "Hello" });
  const ask = (version) =>
    kb.raw(
      `POST /api/v1${agent.path}/conversations/${randomUUID()}/messages?stream=1 HTTP/${version}\r\nHost: x\r\nAuthorization: Bearer ${kb.key}\r\n` +
        `Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
      { endAfter: false },
    );
  const [modern, old] = [(await ask("1.1")).toString(), (await ask("1.0")).toString()];
  assert.match(modern, /\r\ntransfer-encoding: chunked\r\n/i);
  assert.ok(modern.endsWith("\r\n0\r\n\r\n"));
  assert.doesNotMatch(old, /transfer-encoding/i);
  assert.ok(old.split("\r\n\r\n")[1].startsWith("event: start\ndata: {") && old.endsWith("\n\n"));
});

// How clients read the stream, each in its own rough way; all must find the whole answer and no more.
const readers = {
  /** A browser: lines, then the first of these members that is there. */
  "lines of data, looked through for known members": (text) => {
    let answer = "",
      sources = null;
    for (const line of text.split("\n")) {
      if (!line.startsWith("data:")) continue;
      const data = JSON.parse(line.slice(5));
      for (const member of ["type", "content", "citations", "message", "delta", "choices"])
        if (data[member] !== undefined) {
          if (member === "citations") sources = data.citations;
          else answer += data[member];
          break;
        }
    }
    return { answer, sources };
  },
  /** A bot: until the line that names the end. */
  "lines until the finish event": (text) => {
    let answer = "";
    for (const line of text.split("\n")) {
      if (line === "event: finish") return { answer };
      if (line.startsWith("data: ")) answer += JSON.parse(line.slice(6)).message ?? "";
    }
    return { answer: "the stream had no end" };
  },
  /** A widget: the status inside the data alone. */
  "the status inside the data": (text) => {
    let answer = "",
      sources;
    for (const [, json] of text.matchAll(/^data: (.*)$/gm)) {
      const data = JSON.parse(json);
      if (data.status === "progress") answer += data.message;
      else if (data.status === "finish") sources = data.citations;
      else if (data.status === "error") throw new Error(data.error);
    }
    return { answer, sources };
  },
  /** A script: whatever is called message. */
  "every message of every line": (text) => ({
    answer: text
      .split("\n")
      .map((line) => (/^data: /.test(line) ? (JSON.parse(line.slice(6)).message ?? "") : ""))
      .join(""),
  }),
  /** One client adds to the answer what it cannot parse. */
  "frames, and what is no frame is taken for the answer": (text) => {
    let answer = "";
    for (const frame of text.split("\n\n")) {
      const match = /^event: (\w+)\ndata: (.*)$/.exec(frame);
      answer += match ? (JSON.parse(match[2]).message ?? "") : frame;
    }
    return { answer };
  },
};

test("every way in which clients read the stream gives the stored answer", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const prompt of prompts) {
    const { reply, finish, session } = await agent.stream(prompt);
    const stored = await agent.expect(200, "GET", `/conversations/${session}/messages/${finish.id}`);
    for (const [how, read] of Object.entries(readers)) {
      const { answer, sources } = read(reply.text);
      assert.equal(answer, stored.llm_response, how);
      if (sources !== undefined && how !== "lines until the finish event")
        assert.deepEqual(sources, stored.citations, how);
    }
  }
});

test("the stream flag counts from the query, the body or both, whatever form the body has", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const type = async (options) =>
    (await agent.api("POST", `/conversations/${randomUUID()}/messages`, options)).headers["content-type"].split(";")[0];
  const part = (name, value) => ({
    head: `Content-Disposition: form-data; name="${name}"\r\nContent-Type: text/plain`,
    value,
  });
  assert.equal(
    await type({ form: [part("prompt", "Hello"), part("stream", "true")] }),
    "text/event-stream",
    "parts of a form with a type and no file name",
  );
  assert.equal(await type({ form: [part("prompt", "Hello"), part("stream", "0")] }), "application/json");
  assert.equal(await type({ urlencoded: { prompt: "Hello", stream: "1" } }), "text/event-stream");
  assert.equal(
    await type({ query: "stream=1&lang=en&stream=1&lang=en", json: { prompt: "Hello", stream: true, lang: "en" } }),
    "text/event-stream",
  );
  assert.equal(
    await type({ query: "stream=true", json: { prompt: "Hello", stream: false } }),
    "text/event-stream",
    "the query has the last word",
  );
  assert.equal(
    await type({ query: "stream=false", json: { prompt: "Hello", stream: true } }),
    "application/json",
    "the query has the last word",
  );
});
