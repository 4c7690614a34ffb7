// Many visitors at once, with their streams open, and readers who do not read.
import { readFile } from "node:fs/promises";
import net from "node:net";
import { assert, start, test, until } from "./lib/harness.mjs";
import { foreign, library } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";
import { numberedEvents } from "./lib/sse.mjs";

const CROWD = 40,
  WORKERS = 2,
  MORE_MB = 48; // sessions, prompts and what the kernel has not taken yet
const said = "One two three four five six seven eight.";
/** Nearly as long as an answer may be. */
const long = Array.from(
  { length: 9000 },
  (_, i) => `Sentence ${i} of the long answer, which is read by nobody at all, has come to its end. `,
);

/** Megabytes that the server holds. */
const held = async (kb) =>
  Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${kb.child.pid}/status`, "utf8"))[1]) / 1024;

/** A browser at an address of its own. */
async function visitor(kb, base, i) {
  const from = { "x-docent-visitor": "1", "x-forwarded-for": `198.51.100.${i + 1}` };
  const reply = await kb.api("POST", `${base}/visit`, { plain: true, key: null, json: {}, headers: from });
  assert.equal(reply.status, 201, reply.text);
  const headers = { ...from, cookie: reply.headers["set-cookie"][0].split(";")[0] };
  return {
    headers,
    get: (rest) => kb.api("GET", base + rest, { plain: true, key: null, headers }),
    ask: (prompt, signal) =>
      fetch(`${kb.url}${base}/messages`, {
        method: "POST",
        headers: { ...headers, "content-type": "application/json", accept: "text/event-stream" },
        body: JSON.stringify({ prompt }),
        signal,
      }),
  };
}

/** Asks and never reads a byte of what comes. */
function askAndLook(t, kb, base, headers, prompt) {
  const { hostname, port, host } = new URL(kb.url);
  const body = JSON.stringify({ prompt });
  const socket = net.connect(Number(port), hostname).pause();
  t.after(() => socket.destroy());
  socket.on("error", () => {});
  const fields = { ...headers, host, "content-type": "application/json", accept: "text/event-stream" };
  const lines = Object.entries({ ...fields, "content-length": body.length }).map(
    ([name, value]) => `${name}: ${value}`,
  );
  socket.write(`POST ${base}/messages HTTP/1.1\r\n${lines.join("\r\n")}\r\n\r\n${body}`);
}

test("a crowd of visitors has its streams open, and who does not read holds up nobody", async (t) => {
  const server = await models(t);
  const kb = await start(t, {
    env: server.chatEnv(),
    args: ["--workers", String(WORKERS), "--trusted-proxies", "127.0.0.1"],
  });
  const agent = await kb.agent({ files: library });
  await agent.expect(200, "POST", "/settings", {
    json: { response_source: "llm_content", conversation_history: "everyone" },
  });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const base = `/public/v1/agents/${slug}`;
  const { chat } = server;
  const isLong = (body) => body.messages.at(-1).content.includes("everything");
  Object.assign(chat, { say: said, until: 3, of: (body) => isLong(body) && { say: long, until: Infinity } });
  const before = await held(kb);

  const idle = await visitor(kb, base, CROWD);
  askAndLook(t, kb, base, idle.headers, `${foreign[0]} Tell me everything.`);
  const crowd = await Promise.all(
    Array.from({ length: CROWD }, async (_, i) => {
      const own = await visitor(kb, base, i);
      const reply = await own.ask(foreign[0]);
      assert.equal(reply.status, 200);
      return { own, reader: reply.body.getReader(), bytes: Buffer.alloc(0), ended: false };
    }),
  );
  const read = async (one, enough) => {
    while (!one.ended && !enough(one.bytes.toString())) {
      const { done, value } = await one.reader.read();
      one.ended = done;
      if (value) one.bytes = Buffer.concat([one.bytes, value]);
    }
  };
  // All of them are in the middle of their answers, twenty times as many as there are workers.
  await Promise.all(crowd.map((one) => read(one, (text) => text.includes("three"))));
  assert.ok(crowd.every((one) => !one.ended));
  assert.ok(chat.live >= CROWD);
  // The answer that nobody reads is whole, and stored.
  const talks = await until("the long answer", async () => {
    const { data } = await idle.get("/conversations");
    if (!data.length) return null;
    const talk = (await idle.get(`/conversations/${data[0].session_id}`)).data;
    return talk.messages[0] && !talk.messages[0].is_running && talk.messages;
  });
  assert.equal(talks[0].text.trim(), long.join("").trim());
  await agent.expect(200, "GET", "/stats");
  const more = (await held(kb)) - before;
  assert.ok(more < MORE_MB, `${more.toFixed()} MB more`);
  chat.until = Infinity;
  await Promise.all(crowd.map((one) => read(one, () => false)));
  for (const { bytes } of crowd) {
    const events = numberedEvents(bytes);
    assert.equal(events.at(-1).event, "finish");
    assert.equal(
      events
        .filter(({ event }) => event === "progress")
        .map(({ data }) => data.message)
        .join(""),
      said,
    );
  }
  t.diagnostic(`${CROWD} streams and one that is not read: ${more.toFixed(1)} MB more`);
});
