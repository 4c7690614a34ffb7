// The operator's catalogue of models: what its file may say, what agents may name, and the command that
// asks each server whether it works.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { library, questions } from "./lib/documents.mjs";
import { figure } from "./lib/figures.mjs";
import { models } from "./lib/models.mjs";

async function catalogue(t, list) {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-models-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = path.join(dir, "models.json");
  const write = (entries) => writeFile(file, JSON.stringify({ models: entries }));
  await write(list);
  return { file, dir, write };
}

const check = (env) => docent(["models", "check"], { env });

test("models check asks each server one question and prints what works", async (t) => {
  const server = await models(t);
  const { file } = await catalogue(t, [
    { id: "writer", url: server.url, name: "double", key_env: "WRITER_KEY" },
    { id: "meaning", kind: "embeddings", url: server.url },
    { id: "judge", kind: "rerank", url: `${server.url}/` },
    { id: "guard", kind: "moderation", url: server.url },
    { id: "ears", kind: "transcription", url: server.url },
  ]);
  server.likes = () => 0.5;
  const env = { DOCENT_MODELS: file, WRITER_KEY: "sk-of-the-writer" };
  const { code, stdout, stderr } = await check(env);
  assert.equal(code, 0, stdout + stderr);
  const rows = Object.fromEntries(
    stdout
      .trim()
      .split("\n")
      .map((line) => line.split(/\s{2,}/))
      .map(([id, ...rest]) => [id.split(" ")[0], rest.join("  ")]),
  );
  for (const [id, want] of [
    ["writer", /works: streams/],
    ["meaning", /works: 64 dimensions/],
    ["judge", /works: 0.500 and 0.500/],
    ["guard", /works: a harmless text is let through/],
    ["ears", /not asked/],
  ])
    assert.match(
      stdout.split("\n").find((line) => line.startsWith(id)),
      want,
      JSON.stringify(rows),
    );
  assert.equal(server.chat.seen[0].key, "Bearer sk-of-the-writer");
  assert.deepEqual([server.chat.seen[0].body.model, server.chat.seen[0].body.stream], ["double", true]);
  server.chat.mode = "401";
  const bad = await check(env);
  assert.equal(bad.code, 1);
  assert.match(bad.stdout, /writer .*fails: the model writer refuses the key \(401\)/);
  assert.ok(!(bad.stdout + bad.stderr).includes("sk-of"), "the key is in nothing that is printed");
});

const fine = [
  "ok comments crlf noblank events multiline tools twochoices length filter afterdone dupfinish nofinish nodone",
  "garbage badutf8 lonesurrogate nul nullcontent halfchar gzip shortlength plain",
]
  .join(" ")
  .split(" ");
const failing = {
  400: "refuses the request (400)",
  403: "refuses the key (403)",
  404: "does not know the address or the model (404)",
  context: "finds the prompt longer than its context",
  redirect: "does not answer as a model's server (307)",
  html: "answers with what is no JSON",
  badjson: "answers with what is no JSON",
  500: "fails (500)",
  529: "fails (529)",
  cut: "breaks off in its answer",
  cutjson: "breaks off in its answer",
  rst: "breaks off in its answer",
  error: "breaks off with an error",
  errordone: "breaks off with an error",
  errorfinish: "breaks off with an error",
  truncutf8: "breaks off in its answer",
  hugeline: "has more than 1 MB",
  reset: "cannot be asked: the connection broke",
  empty: "it answers without a text",
  nochoices: "it answers without a text",
};

test("every dialect works, at any cut of the bytes, and with what servers add to it", async (t) => {
  const server = await models(t);
  const env = server.chatEnv();
  server.chat.say = "Ready — 退货 👍 now.";
  for (const dialect of ["openai", "llamacpp", "vllm", "ollama", "sglang", "azure", "openrouter", "litellm"])
    for (const wire of [0, 1]) {
      Object.assign(server.chat, { dialect, wire, reasoning: wire ? "hm, let me see" : null });
      assert.match((await check(env)).stdout, /works: streams/, `${dialect}, ${wire}`);
    }
  Object.assign(server.chat, { wire: 0, dialect: "openai" });
  for (const mode of fine) {
    server.chat.mode = mode;
    const { code, stdout } = await check(env);
    assert.deepEqual([code, /works: streams/.test(stdout)], [0, true], `${mode}: ${stdout}`);
  }
});

test("each way of failing is told by its own sentence, tried again only where that may help", async (t) => {
  const server = await models(t);
  const env = server.chatEnv();
  server.chat.say = "One two three four.";
  for (const [mode, sentence] of Object.entries(failing)) {
    Object.assign(server.chat, { mode, seen: [], at: 2 });
    const { code, stdout } = await check(env);
    assert.deepEqual([code, stdout.includes(sentence)], [1, true], `${mode}: ${stdout}`);
    const tries = ["500", "529", "html", "badjson", "reset"].includes(mode) ? 3 : 1;
    assert.equal(server.chat.seen.length, tries, mode);
    assert.ok(!stdout.includes("sk-secret"), mode);
  }
});

test("what the file says wrongly is named, with the model", async (t) => {
  const { file, write } = await catalogue(t, []);
  const url = "http://127.0.0.1:9/v1";
  for (const [entries, want] of [
    [{}, "must be an object with a list"],
    [[{ url }], "id must be a text"],
    [[{ id: "a b", url }], "id must be without blanks"],
    [[{ id: "a" }], "model a: url is missing"],
    [[{ id: "a", url: "ftp://x" }], "model a: url is ftp://x"],
    [[{ id: "a", url, kind: "talk" }], "model a: kind must be"],
    [[{ id: "a", url, tier: "best" }], "model a: tier must be values of agent_capability"],
    [[{ id: "a", url, context: 0 }], "model a: context must be a whole number"],
    [[{ id: "a", url, max_tokens: 9000 }], "model a: max_tokens is 9000, its context is 8192"],
    [[{ id: "a", url, key_env: "NO_SUCH_NAME" }], "model a: the key of key_env must have"],
    [[{ id: "a", url, key_file: "/no/such" }], "model a: cannot"],
    [[{ id: "a", url, price: 3 }], "model a: price must be an object"],
    [[{ id: "a", url, fallback: ["b"] }], "model a: there is no model b to fall back to"],
    [
      [
        { id: "a", url },
        { id: "a", url },
      ],
      "there are two models a",
    ],
    [[{ id: "a", url, speed: 3 }], "model a: there is no member speed"],
    [[{ id: "a", url, more: { stream: false } }], "model a: more may not hold stream"],
  ]) {
    await write(entries);
    const { code, stderr } = await check({ DOCENT_MODELS: file });
    assert.equal(code, 2);
    assert.ok(stderr.includes(want), `${want}: ${stderr}`);
  }
});

test("models check says so where no model is configured", async () => {
  const { code, stdout, stderr } = await check({});
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^no model is configured: .*--models/);
});

test("agents may name the catalogue's chat models, and the file is read again on SIGHUP", async (t) => {
  const url = "http://127.0.0.1:9/v1";
  const { file, write } = await catalogue(t, [
    { id: "small-1", url },
    { id: "meaning", kind: "embeddings", url },
  ]);
  const kb = await start(t, { env: { DOCENT_MODELS: file } });
  const agent = await kb.agent();
  const name = async (id) => (await agent.api("POST", "/settings", { json: { chatbot_model: id } })).status === 200;
  assert.deepEqual([await name("small-1"), await name("large-2"), await name("meaning")], [true, false, false]);
  await write([{ id: "large-2", url }]);
  kb.child.kill("SIGHUP");
  await until("the file to be read", () => kb.log.includes("model catalogue read again"));
  assert.deepEqual([await name("large-2"), await name("small-1")], [true, false]);
  await write([{ id: "large-2" }]);
  kb.child.kill("SIGHUP");
  await until("the file to be refused", () => kb.log.includes("model catalogue stays as it was"));
  assert.equal(await name("large-2"), true);
});

test("what a model has counted stays when the catalogue is read again, unless the model is another", async (t) => {
  const server = await models(t);
  const { file, write } = await catalogue(t, [
    { id: "same", url: server.url },
    { id: "moved", url: server.url },
  ]);
  const kb = await start(t, { env: { DOCENT_MODELS: file } });
  const agent = await kb.agent({ files: library });
  for (const id of ["same", "moved"]) {
    await agent.expect(200, "POST", "/settings", { json: { chatbot_model: id } });
    await agent.ask(questions[0][0]);
  }
  const tokens = async (id) => figure(kb, "model_prompt_tokens_total", id);
  const before = await tokens("same");
  assert.ok(before > 0);
  assert.ok((await tokens("moved")) > 0);
  await write([
    { id: "moved", url: `${server.url}/`, name: "another" },
    { id: "same", url: server.url },
  ]);
  kb.child.kill("SIGHUP");
  await until("the file to be read", () => kb.log.includes("model catalogue read again"));
  assert.deepEqual([await tokens("same"), await tokens("moved")], [before, 0]);
});
