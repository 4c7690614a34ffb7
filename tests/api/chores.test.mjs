// What a model does beside the answers: names, descriptions, insights and sub-personas, in the
// background, with the rule's work in their place wherever it fails.
import { randomUUID } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { figure } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";
import { contentOf, promptOf } from "./lib/chat.mjs";
import { library, questions } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const [question] = questions[0];
const lighthouse = { "lighthouse.md": library["lighthouse.md"] };

/** What each request is for, by its orders. */
const kinds = {
  name: /name of two to six words/,
  insight: /what the person wants/,
  description: /Describe the document/,
  summary: /Summarise the description/,
  planner: /Rewrite the notes/,
  starters: /questions that a visitor/,
};
const kindOf = (body) => Object.keys(kinds).find((kind) => kinds[kind].test(contentOf(body.messages[0])));

/** A service with a model that does chores: `says` by kind, a text or a function of the request. */
async function scene(t, says = {}, { agent: more = {}, env = {} } = {}) {
  const server = await models(t);
  const { chat } = server;
  chat.say = (body) => {
    const said = says[kindOf(body)];
    return body.stream ? chat.compose(body) : ((typeof said === "function" ? said(body) : said) ?? "-");
  };
  const kb = await start(t, { env: server.chatEnv({ DOCENT_MODEL_CHORES: "yes", ...env }) });
  const agent = await kb.agent({ files: lighthouse, ...more });
  const asked = (kind) => chat.seen.filter(({ body }) => kindOf(body) === kind);
  const settled = () => until("all chores to be done", async () => (await left(kb)) === 0);
  return { server, chat, kb, agent, asked, settled, says };
}
const left = (kb) => figure(kb, "model_chores_waiting");
const named = async (agent, session) => {
  const list = await agent.expect(200, "GET", "/conversations");
  return list.data.find((row) => row.session_id === session).name;
};

test("a conversation is named by the model, unless a person has named it", async (t) => {
  const { agent, asked, settled } = await scene(t, { name: '"The lighthouse\'s builder"' });
  const [first, second] = [randomUUID(), randomUUID()];
  await agent.ask(question, { session: first });
  await until("the name", async () => (await named(agent, first)) === "The lighthouse's builder");
  await agent.ask("And how tall is it?", { session: first });
  await agent.expect(201, "POST", "/conversations", { json: { name: "Mine", session_id: second } });
  await agent.ask(question, { session: second });
  await settled();
  assert.equal(await named(agent, second), "Mine");
  assert.equal(asked("name").length, 1, "the first message names it, the others do not");
  assert.ok(promptOf(asked("name")[0].body).includes(question));
});

test("a name that is none leaves the first prompt", async (t) => {
  const bad = ["[a link](https://evil.example/)", "two\nlines", "x".repeat(300), ""];
  const { agent, asked, settled } = await scene(t, { name: () => bad.shift() });
  const sessions = Array.from({ length: 4 }, () => randomUUID());
  for (const session of sessions) await agent.ask(question, { session });
  await settled();
  assert.equal(asked("name").length, 4);
  for (const session of sessions) assert.equal(await named(agent, session), question);
});

test("insights of the reports are the model's, where neither people nor documents say it", async (t) => {
  const said = { intent: "purchase", emotion: "dissatisfied", content_source: "general_knowledge" };
  const { agent, settled, says } = await scene(t, { insight: JSON.stringify(said) });
  const rows = async () => (await agent.expect(200, "GET", "/reports/intelligence")).data;
  const message = await agent.ask(question);
  await until("the insight", async () => (await rows())[0].user_intent === "purchase");
  const [row] = await rows();
  assert.deepEqual([row.user_emotion, row.content_source], ["dissatisfied", "own_content"]);
  await agent.expect(200, "PUT", `/conversations/${message.session}/messages/${message.id}/feedback`, {
    json: { reaction: "liked" },
  });
  assert.equal((await rows())[0].user_emotion, "satisfied", "a reaction says more than a model");
  says.insight = '{"intent": "world_domination", "emotion": 7}';
  await agent.ask(question);
  await settled();
  assert.deepEqual([(await rows())[0].user_intent, (await rows())[0].user_emotion], ["information", null]);
});

test("a document without a description of its own is described by the model", async (t) => {
  const described = "A leaflet on the lighthouse of Velmora: its builder, its height and its tickets.";
  const html =
    "<html><head><meta name=description content='Its own words.'></head><body><p>Some text of it.</p></body></html>";
  const { agent, asked, settled } = await scene(
    t,
    { description: described },
    { agent: { files: { ...lighthouse, "own.html": html } } },
  );
  const of = async (name) => {
    const page = await agent.page(name);
    return (await agent.expect(200, "GET", `/pages/${page.id}/metadata`)).description;
  };
  await until("the description", async () => (await of("lighthouse.md")) === described);
  await settled();
  assert.equal(await of("own.html"), "Its own words.");
  assert.equal(asked("description").length, 1);
  assert.ok(promptOf(asked("description")[0].body).includes("Hester Quillby"));
});

test("the summary and the planner's notes are the model's, and its rule's until then", async (t) => {
  const { agent, settled, asked } = await scene(t, {
    summary: "Gustav, a harbour cat who answers briefly.",
    planner: "Lighthouse: search lighthouse.md. Anything else: say that it is not known.",
  });
  await agent.expect(200, "POST", "/settings", { json: { persona_instructions: "You are Gustav, the harbour cat." } });
  const texts = async () => {
    const { generated } = await agent.expect(200, "GET", "/settings/persona/2/sub-personas");
    return generated.map((row) => row.instructions).sort();
  };
  await until("both", async () => {
    const [first, second] = await texts();
    return first?.startsWith("Gustav, a harbour cat") && second?.startsWith("Lighthouse: search");
  });
  await settled();
  assert.ok(promptOf(asked("summary").at(-1).body).includes("You are Gustav"));
  assert.match(promptOf(asked("planner").at(-1).body), /lighthouse/i);
});

test("what labels hide and what the mask covers is in no request", async (t) => {
  const files = {
    ...lighthouse,
    "board.txt": "The board paid Hester Quillby CANARY-77 crowns for the Velmora lighthouse.",
  };
  const { kb, agent, chat, settled, asked } = await scene(t, {}, { agent: { files: {}, is_anonymized: "true" } });
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  await agent.add({ "board.txt": "An empty note of the board." });
  const page = await agent.page("board.txt");
  await settled();
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  await agent.add(files);
  const hidden = (await agent.pages()).filter((row) => row.filename === "board.txt");
  for (const { id } of hidden)
    await agent.expect(200, "PUT", `/pages/${id}/labels`, { json: { label_ids: [label.id] } });
  await settled();
  chat.seen.length = 0;
  const prompt = "I am jane.roe@example.org. What did the board pay for the Velmora lighthouse?";
  const message = await agent.ask(prompt, { json: { prompt, labels: ["board"] } });
  assert.ok(message.llm_response.includes("CANARY-77"), message.llm_response);
  await settled();
  assert.ok(asked("name").length === 1 && asked("insight").length === 1);
  await agent.expect(200, "POST", "/settings", { json: { use_context_aware_starter_question: true } });
  const starters = await visitorOf(kb, agent);
  await starters({ title: "What the board paid jane.roe@example.org for the Velmora lighthouse" });
  await settled();
  assert.equal(asked("starters").length, 1);
  const sent = JSON.stringify(chat.seen.filter(({ body }) => !body.stream));
  assert.ok(!sent.includes("CANARY") && !sent.includes("jane.roe"), sent);
});

/** What a visitor of the agent gets to begin with, on the page around with that title and address. */
async function visitorOf(kb, agent) {
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const path = `/public/v1/agents/${slug}`;
  const begun = await kb.api("POST", `${path}/visit`, {
    plain: true,
    key: null,
    json: {},
    headers: { "x-docent-visitor": "1" },
  });
  const headers = { "x-docent-visitor": "1", cookie: begun.headers["set-cookie"][0].split(";")[0] };
  return async (query = {}) =>
    (await kb.api("GET", `${path}/starters`, { plain: true, key: null, headers, query })).data;
}

test("questions to begin with are the model's, for the agent and for the page around; nobody waits", async (t) => {
  const said = { starters: "Here are some:\n1. Who built the lighthouse?\n2. How tall is the lighthouse?\nBye." };
  const { kb, agent, asked, settled } = await scene(t, said);
  const starters = await visitorOf(kb, agent);
  const its = ["Who built the lighthouse?", "How tall is the lighthouse?"];
  await settled();
  assert.deepEqual((await starters()).suggested, [], "who comes first does not wait");
  await until("the agent's own", async () => (await starters()).suggested.length > 0);
  assert.deepEqual((await starters()).suggested, its);
  assert.ok(promptOf(asked("starters")[0].body).includes("Hester Quillby"));
  await agent.expect(200, "POST", "/settings", {
    json: { use_context_aware_starter_question: true, example_questions: ["May I come in?"] },
  });
  const page = { title: "The Velmora lighthouse", address: "https://a.example/visit?token=CANARY#x" };
  const first = await starters(page);
  assert.deepEqual([first.questions, first.suggested], [["May I come in?"], []]);
  assert.ok(first.topics.length, "what the documents have on it is there at once");
  await until("the page's", async () => (await starters(page)).suggested.length > 0);
  assert.equal(asked("starters").length, 2, "once a page");
  const prompt = promptOf(asked("starters")[1].body);
  assert.ok(prompt.includes(page.title) && prompt.includes("https://a.example/visit"), prompt);
  assert.ok(!prompt.includes("CANARY"), "what stands behind the path is the visitor's own");
  assert.deepEqual((await starters({ ...page, address: "https://b.example/" })).suggested, [], "each page has its own");
  assert.deepEqual((await starters({ title: "Zzyzx qqfl", address: "" })).suggested, []);
  await settled();
  assert.equal(asked("starters").length, 3, "the documents have nothing on the last one");
});

test("texts that are no questions, lead away or are in another language begin nothing", async (t) => {
  const bad = [
    "I can tell you everything on lighthouses.",
    "Have you seen https://evil.example/? <img src=x>?",
    "Wer hat den Leuchtturm gebaut und wie hoch ist er?\nWas kostet der Eintritt für die Kinder?",
  ];
  const { kb, agent, asked, settled } = await scene(t, { starters: () => bad.shift() ?? "-" });
  const starters = await visitorOf(kb, agent);
  await agent.expect(200, "POST", "/settings", { json: { use_context_aware_starter_question: true } });
  await settled();
  for (const n of [1, 2, 3]) {
    const page = { title: "The Velmora lighthouse", address: `https://a.example/${n}` };
    await starters(page);
    await settled();
    assert.equal(asked("starters").length, n);
    const { suggested, topics } = await starters(page);
    assert.deepEqual(suggested, []);
    assert.ok(topics.length);
  }
});

test("chores are counted, and fail without a trace in what is answered", async (t) => {
  const { agent, chat, kb, settled, asked } = await scene(t, { name: "The builder" });
  chat.modes = ["500", "500", "500"];
  await until("a failure", async () => (await figure(kb, "model_chores_failed_total")) > 0);
  const message = await agent.ask(question);
  assert.ok(message.llm_response.includes("Hester Quillby"));
  await until("the name", async () => (await named(agent, message.session)) === "The builder");
  const { models: used } = await agent.expect(200, "GET", "/reports/models");
  assert.equal(used[0].answers, 1, "chores are no answers");
  const words = (body) => promptOf(body).match(/[\p{L}\p{N}]+/gu).length;
  assert.ok(used[0].prompt_tokens > words(chat.answers[0].body), "but cost as they do");
  assert.ok(asked("name").length >= 1);
});

test("an account that has used up its tokens gets no more of them", async (t) => {
  const file = path.join(tmpdir(), `docent-plans-${process.pid}-${randomUUID()}`);
  await writeFile(file, "default = tokens=1\n");
  t.after(() => rm(file));
  const said = { description: "A leaflet on the lighthouse of Velmora, its height and its tickets." };
  const { agent, asked, settled } = await scene(t, said, { env: { DOCENT_PLANS: file } });
  await settled();
  assert.equal(asked("description").length, 1);
  await agent.add({ "espresso.md": library["espresso.md"] });
  await settled();
  assert.equal(asked("description").length, 1);
});
