// Every way in which a model's server may answer, in every dialect: what becomes of the answer, what is
// stored, how often it is asked, and when it is left alone.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { counted, figure } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";
import { foreign, library } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const dialects = ["openai", "llamacpp", "vllm", "ollama", "sglang", "azure", "openrouter", "litellm"];
/** How many dialects each mode is tried in; the next one's begin where this one's end. */
const depth = Number(process.env.DOCENT_TEST_DIALECTS ?? 1);

const said = "One two three four five.";
const begun = "One two";
const siesta = "I'm having trouble answering right now. Please try again in a moment.";

/** Modes, the status of a whole answer, what is stored, requests a question, and how many of them count as failures. */
const table = [
  ["ok plain sse nofinish nodone garbage halfchar nullcontent comments crlf noblank", 200, said, 1, 0],
  ["events multiline tools twochoices length filter afterdone dupfinish shortlength gzip", 200, said, 1, 0],
  ["badutf8", 200, "One two\ufffd\ufffd\ufffd( three four five.", 1, 0],
  ["lonesurrogate", 200, "One two\ufffd three four five.", 1, 0],
  ["nul", 200, "One two\ufffd[31m three four five.", 1, 0],
  // A refusal of this one request says nothing of the server.
  ["400 413 422 empty nochoices", 502, siesta, 1, 0],
  ["context", 502, siesta, 2, 0], // once more with half of the passages
  ["401 403 404 redirect", 502, siesta, 1, 1],
  ["408", 504, siesta, 3, 3],
  ["429", 429, siesta, 3, 3],
  ["500 502 503 504 529 html gzipped reset badjson", 502, siesta, 3, 3],
  ["hang slowhead", 504, siesta, 1, 1],
  ["cut cutjson rst error errordone errorfinish hugeline", 502, begun, 1, 1],
  ["truncutf8", 502, said, 1, 1],
  ["stall blank", 504, begun, 1, 1],
  ["endless", 504, said, 1, 1],
].flatMap(([names, ...row]) => names.split(" ").map((mode) => [mode, ...row]));

/** What waits for a deadline has a near one. */
const times = {
  hang: { first_ms: 1000 },
  slowhead: { first_ms: 1000 },
  stall: { gap_ms: 1000 },
  blank: { gap_ms: 1000 },
  endless: { whole_ms: 2000 },
};
const FAILURES = 5; // in a row, and the server is left alone

async function walkAll(t, round) {
  assert.equal(new Set(table.map(([mode]) => mode)).size, 58);
  const walks = table.map((row, i) => {
    const dialect = dialects[(i + round) % dialects.length];
    // Any cut of the bytes, where there are not too many, nor too little time.
    const wire = row[0] === "hugeline" || row[0] in times ? 0 : [0, 1, 7][(i + round) % 3];
    return { id: `${row[0]}-${dialect}`, dialect, wire, row };
  });
  const server = await models(t);
  const file = path.join(tmpdir(), `docent-models-${process.pid}-${randomUUID()}.json`);
  const entry = ({ id, row: [mode] }) => ({ id, kind: "chat", url: server.url, ...times[mode] });
  await writeFile(file, JSON.stringify({ models: walks.map(entry) }));
  t.after(() => rm(file));
  const kb = await start(t, { env: { DOCENT_MODELS: file, DOCENT_MODEL_CHORES: "no" } });
  const agent = await kb.agent({ files: library });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  const { chat } = server;
  const well = new Set(); // servers that are well again
  const ways = new Map(walks.map(({ id, dialect, wire, row: [mode] }) => [id, { mode, dialect, wire }]));
  Object.assign(chat, { say: said, at: 2, retryAfter: null });
  chat.of = ({ model }) => (well.has(model) ? { mode: "ok" } : ways.get(model));

  async function walk({ id, row: [mode, status, text, tries, failures] }) {
    const asked = () => chat.seen.filter(({ body }) => body.model === id).length;
    const ask = async () => {
      const session = randomUUID();
      const json = { prompt: foreign[0], chatbot_model: id };
      const reply = await agent.api("POST", `/conversations/${session}/messages`, { json });
      const { messages } = await agent.expect(200, "GET", `/conversations/${session}/messages`);
      const [{ llm_response, is_running }] = messages.data;
      assert.deepEqual([messages.total, is_running], [1, undefined], id);
      return { status: reply.status, text: llm_response, secret: reply.text.includes("sk-") };
    };
    const is = (got) => (mode === "endless" ? got.startsWith(text) : got === text);
    const whole = await ask();
    assert.deepEqual([whole.status, is(whole.text), whole.secret], [status, true, false], `${id}: ${whole.text}`);
    // A kept connection that breaks before a byte came is no try of ours: libcurl takes the next, up to five.
    assert.ok(asked() === tries || (mode === "reset" && asked() <= 6 * tries), `${id}: ${asked()} requests`);
    await counted(kb, { server_requests_total: tries, server_failures_total: failures, server_state: 0 }, id);

    const { events, text: streamed } = await agent.stream(foreign[0], { json: { chatbot_model: id } });
    const { event, data } = events.at(-1);
    assert.ok(is(streamed), `${id}: ${streamed}`);
    if (status === 200) assert.equal(event, "finish", id);
    else assert.deepEqual([event, data.code >= 429], ["error", true], id);

    for (let n = 2; n < FAILURES; n++) await ask();
    const keptBack = () => figure(kb, "server_kept_back_total", id);
    if (failures) {
      const left = await until(`${id} to be left alone`, async () => {
        const got = await ask();
        return (await keptBack()) > 0 && got;
      });
      assert.deepEqual([left.status >= 429, left.text === siesta || is(left.text)], [true, true], id);
    } else {
      await counted(kb, { server_state: 0, server_kept_back_total: 0 }, id);
    }
    well.add(id);
    await until(`${id} to be asked again`, async () => (await ask()).text === said);
    await counted(kb, { server_state: 0 }, id);
  }
  // Some at a time, those that take longest first.
  walks.sort((a, b) => (b.row[0] in times) - (a.row[0] in times));
  const lane = async () => {
    for (let next; (next = walks.shift());) await walk(next);
  };
  await Promise.all(Array.from({ length: 10 }, lane));
  await until("the double to be left", () => chat.live === 0);
}

for (let round = 0; round < depth; round++)
  test(`each mode of a model's server ends as documented, is counted, and is left alone when it goes on (${round + 1})`, (t) =>
    walkAll(t, round));
