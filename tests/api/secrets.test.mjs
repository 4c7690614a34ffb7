// What is in no request to any model server, whichever way it is asked: what a request's labels hide, and what an
// agent that anonymises masks. And keys are where they belong alone.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { figure } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";
import { contentOf } from "./lib/chat.mjs";
import { espresso, foreign, lighthouse } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const kinds = ["chat", "embeddings", "rerank", "moderation", "transcription"];
const keyOf = (kind) => `sk-key-of-the-${kind}`;
const hidden = "CANARY-77";
const personal = ["ottilie@example.com", "4111 1111 1111 1111", "+49 30 901820"];
const me = `I am ${personal[0]}, card ${personal[1]}, phone ${personal[2]}.`;
const builder = "Who built the Velmora lighthouse?";

/** A server of every kind, each with a key of its own, and a master whose child has a hidden document. */
async function scene(t) {
  const server = await models(t);
  const { chat } = server;
  const file = path.join(tmpdir(), `docent-models-${process.pid}-${randomUUID()}.json`);
  const catalogue = kinds.map((kind) => ({ id: kind, kind, url: server.url, key_env: `KEY_OF_${kind.toUpperCase()}` }));
  await writeFile(file, JSON.stringify({ models: catalogue }));
  t.after(() => rm(file));
  const env = Object.fromEntries(kinds.map((kind) => [`KEY_OF_${kind.toUpperCase()}`, keyOf(kind)]));
  const kb = await start(t, { env: { DOCENT_MODELS: file, DOCENT_LOG: "debug", DOCENT_MODEL_CHORES: "yes", ...env } });
  // The routing and the planning get an answer of their form, everything else a sentence of the sources.
  chat.say = (body) => {
    const orders = contentOf(body.messages[0]);
    if (/choose which of these/.test(orders)) return "1";
    if (/You plan searches/.test(orders)) return '{"searches": ["Who built the lighthouse?", "How much is a ticket?"]}';
    return chat.compose(body);
  };
  const sea = await kb.agent({ project_name: "Sea", is_anonymized: "true", files: { "lighthouse.md": lighthouse } });
  const coffee = await kb.agent({ project_name: "Coffee", files: { "espresso.md": espresso } });
  const master = await kb.agent({ project_name: "Master", is_master: "true", files: {} });
  await master.expect(200, "POST", "", { json: { child_project_ids: [sea.id, coffee.id] } });
  await master.expect(200, "POST", "/settings", { json: { master_project_smart_routing_mode: "every-message" } });
  const [label] = await sea.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  await sea.add({ "board.md": "# An empty note" });
  const { id } = await sea.page("board.md");
  await sea.expect(200, "PUT", `/pages/${id}/labels`, { json: { label_ids: [label.id] } });
  // The page keeps its labels when its file is replaced.
  await sea.add({
    "board.md": `# ${hidden}\n\nThe board paid Hester Quillby ${hidden} crowns. The Velmora lighthouse was built for the board.`,
  });
  for (const page of (await sea.pages()).filter(({ filename }) => filename === "board.md"))
    await sea.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  const settled = () =>
    until(
      "vectors and chores",
      async () => (await figure(kb, "segments_to_embed")) === 0 && (await figure(kb, "model_chores_waiting")) === 0,
    );
  // Documents are embedded as they are, those with labels too: their vectors are the search's own.
  await until("the hidden document's vector", () => server.texts().some((text) => text.includes(hidden)));
  await settled();
  server.log.length = chat.seen.length = 0;
  return { server, chat, kb, sea, master, settled };
}

test("no path to a model carries what labels hide, or what is masked", async (t) => {
  const { server, chat, kb, sea, master, settled } = await scene(t);
  await sea.expect(200, "POST", "/settings", {
    json: {
      agent_capability: "complex-tasks",
      use_context_aware_starter_question: true,
      persona_instructions: "You are Gustav. You speak of lighthouses. You are brief.",
    },
  });
  const asked = [builder, `What did the board pay for the Velmora lighthouse, and how much is a ticket?`, foreign[0]];
  for (const planner of [false, true])
    for (const source of ["own_content", "llm_content"]) {
      await sea.expect(200, "POST", "/settings", { json: { use_planner_mode: planner, response_source: source } });
      const session = randomUUID();
      for (const prompt of [...asked, "And how much was it?", "What do you know about?"])
        await sea.ask(`${me} ${prompt}`, { session });
    }
  await sea.stream(`${me} ${asked[1]}`);
  await master.ask(`${me} ${asked[1]}`);
  await sea.api("POST", "/chat/completions", { json: { messages: [{ role: "user", content: `${me} ${asked[1]}` }] } });
  await sea.expect(200, "GET", "/search", { query: { query: asked[1] } });
  await settled();
  const orders = chat.seen.map(({ body }) => contentOf(body.messages[0]));
  for (const path of [
    /# Sources/,
    /Rewrite the last question/,
    /You plan searches/,
    /choose which of these/,
    /a name of two/,
    /what the person wants/,
  ])
    assert.ok(
      orders.some((text) => path.test(text)),
      `${path} was walked`,
    );
  for (const path of ["embeddings", "rerank", "moderations"])
    assert.ok(server.asked(`/v1/${path}`).length > 0, `${path} was walked`);
  const sent = server.log.map(({ body }) => JSON.stringify(body));
  for (const secret of [hidden, ...personal])
    assert.equal(
      sent.find((text) => text.includes(secret)),
      undefined,
      secret,
    );
  assert.ok(!kb.log.includes(personal[0]));
  // Whom the labels open it to has it sent: it is there to be found.
  await sea.ask(asked[1], { json: { prompt: asked[1], labels: ["board"] } });
  assert.ok(JSON.stringify(chat.answers.at(-1).body).includes(hidden));
});

test("each key goes to its own server, and stands in no log, answer, figure or error", async (t) => {
  const { server, chat, kb, sea } = await scene(t);
  await sea.expect(200, "POST", "/settings", {
    json: { agent_capability: "complex-tasks", response_source: "llm_content" },
  });
  const heard = [];
  const ask = async () => {
    const session = randomUUID();
    heard.push((await sea.api("POST", `/conversations/${session}/messages`, { json: { prompt: builder } })).text);
    heard.push((await sea.api("GET", `/conversations/${session}/messages`)).text);
  };
  server.spoken = [[0, "The ferry leaves at seven."]];
  await sea.add({ "tour.wav": Buffer.concat([Buffer.from("RIFF\0\0\0\0WAVEfmt "), Buffer.alloc(2000, 7)]) });
  await ask();
  const places = {
    "/v1/chat/completions": "chat",
    "/v1/embeddings": "embeddings",
    "/v1/rerank": "rerank",
    "/v1/moderations": "moderation",
    "/v1/audio/transcriptions": "transcription",
  };
  for (const [place, kind] of Object.entries(places)) {
    const keys = new Set(server.asked(place).map(({ key }) => key));
    assert.deepEqual([...keys], [`Bearer ${keyOf(kind)}`], place);
  }
  // Each failing in words that hold the key, one after the other.
  for (const mode of ["401", "400", "500", "error", "html"]) {
    chat.mode = mode;
    await ask();
  }
  chat.mode = "ok";
  for (const way of [401, 500, "html"]) {
    server.way = way;
    await ask();
    heard.push((await sea.api("GET", "/search", { query: { query: builder, explain: "true" } })).text);
  }
  const page = await sea.page("tour.wav");
  heard.push(JSON.stringify(page), (await kb.api("GET", "/metrics", { key: null })).text, kb.log);
  heard.push((await sea.api("GET", "/reports/models")).text, (await sea.api("GET", "/settings")).text);
  for (const text of heard) assert.ok(!text.includes("sk-key"), text);
});
