// Planner mode: a question of several parts is looked for part by part.
import { assert, start, test, until } from "./lib/harness.mjs";
import { contentOf, sourcesOf } from "./lib/chat.mjs";
import { library } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";
import { fileOf } from "./lib/util.mjs";

const set = (agent, json) => agent.expect(200, "POST", "/settings", { json });

/** How many searches the question took, by the server's log, which may arrive after the answer. */
async function searches(kb, agent, question) {
  const told = () => [...kb.log.matchAll(/answered agent=\d+ kind=\w+ steps=(\d+)/g)];
  const before = told().length;
  await agent.ask(question);
  await until("the answer's line in the log", () => told().length > before);
  return Number(told().at(-1)[1]);
}

/** Questions of two parts: the words and the documents of both. */
const double = [
  [
    "Who built the Velmora lighthouse and how long does the warranty of the Brisca 200 last?",
    ["Hester Quillby", "27 months"],
    ["lighthouse.md", "espresso.md"],
  ],
  [
    "Within how many days may goods be returned? How much is a ticket for the lighthouse?",
    ["30 days", "7 crowns"],
    ["returns.txt", "lighthouse.md"],
  ],
  [
    "How long does the warranty of the Brisca 200 last, and when may goods be returned?",
    ["27 months", "30 days"],
    ["espresso.md", "returns.txt"],
  ],
];

test("with use_planner_mode both parts of a question are answered and cited", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const whole = async ([question, words, files]) => {
    const message = await agent.ask(question);
    const sources = await agent.sources(message);
    return words.every((word) => message.llm_response.includes(word)) && files.every((file) => sources.includes(file));
  };
  const off = [];
  for (const row of double) off.push(await whole(row));
  await set(agent, { use_planner_mode: true });
  for (const row of double) assert.ok(await whole(row), `${row[0]}: ${(await agent.ask(row[0])).llm_response}`);
  assert.ok(off.includes(false), "without it one search does not reach all parts");
});

test("the answer's markers number the documents of all parts, in every form of asking", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library, use_planner_mode: "true" });
  await set(agent, { enable_inline_citations_api: true });
  const [question, words] = double[0];
  const message = await agent.ask(question);
  const first = message.llm_response.indexOf(words[0]),
    second = message.llm_response.indexOf(words[1]);
  assert.ok(first >= 0 && second > first, "in the order of the question");
  assert.match(message.llm_response.slice(first, second), /\[1\]/);
  assert.match(message.llm_response.slice(second), new RegExp(`\\[${message.citations.length}\\]`));
  assert.equal((await agent.stream(question)).text, message.llm_response);
  const chat = await agent.api("POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: question }], is_inline_citation: true },
  });
  assert.deepEqual(
    [chat.json.choices[0].message.content, chat.json.citations],
    [message.llm_response, message.citations],
  );
});

test("a part that says `it` means what the part before was about", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    use_planner_mode: "true",
    files: {
      "tower.txt": "The Tarnis tower was built by Edda Kroll. It rises 48 metres above the market.",
      "mill.txt": "The Orlen mill belongs to the town. Its wheel measures 6 metres across and it rises 12 metres.",
    },
  });
  const message = await agent.ask("Who built the Tarnis tower and how many metres does it rise?");
  assert.ok(
    message.llm_response.includes("Edda Kroll") && message.llm_response.includes("48 metres"),
    message.llm_response,
  );
  assert.ok(!message.llm_response.includes("12 metres"), message.llm_response);
});

test("max_actions_per_query bounds the searches, and so does the plan", async (t) => {
  const plans = await fileOf(t, "one = actions=1\n");
  const kb = await start(t, { args: ["--plans", plans] });
  const agent = await kb.agent({ files: library });
  const steps = (question) => searches(kb, agent, question);
  const four =
    "Who built the Velmora lighthouse? How much is a ticket for the lighthouse? How long does the warranty of the Brisca 200 last? Within how many days may goods be returned?";
  assert.equal(await steps(four), 1, "off: one search");
  await set(agent, { use_planner_mode: true });
  assert.equal(await steps(four), 2, "each question has one search, and one action more by default");
  await set(agent, { max_actions_per_query: 2 });
  assert.equal(await steps(four), 3);
  await set(agent, { max_actions_per_query: 10 });
  assert.equal(await steps(four), 4);
  const all = (await agent.ask(four)).llm_response;
  for (const words of ["Hester Quillby", "7 crowns", "27 months", "30 days"]) assert.ok(all.includes(words), all);
  assert.equal(await steps("Who built the Velmora lighthouse?"), 1, "a question of one part has one search");
  await kb.newKey({ plan: "one" }); // the account's plan from now on
  await until(
    "what was set before the plan to allow no more than it",
    async () => (await steps(four)) === 2,
    10_000,
    200,
  );
  await set(agent, { use_planner_mode: false });
  assert.equal(await steps(four), 1);
});

test("a part that the documents do not answer leaves the others their answer", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library, use_planner_mode: "true" });
  const message = await agent.ask("Who built the Velmora lighthouse and what is the boiling point of tungsten?");
  assert.ok(message.llm_response.includes("Hester Quillby"), message.llm_response);
  assert.deepEqual(await agent.sources(message), ["lighthouse.md"]);
  const none = await agent.ask("Which painter cut off his own ear, and what is the boiling point of tungsten?");
  assert.equal(none.citations, null);
});

test("the last two of agent_capability look for a question's parts without planner mode", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const [question, words] = double[0];
  const found = async () => words.filter((word) => agent.answer.includes(word)).length;
  for (const [agent_capability, parts] of [
    ["advanced-reasoning", 2],
    ["complex-tasks", 2],
  ]) {
    await set(agent, { agent_capability });
    agent.answer = (await agent.ask(question)).llm_response;
    assert.equal(await found(), parts, `${agent_capability}: ${agent.answer}`);
  }
  for (const agent_capability of ["optimal-choice", "fastest-responses", null]) {
    await set(agent, { agent_capability });
    assert.equal(await searches(kb, agent, question), 1, String(agent_capability));
  }
});

test("labels close each part of a question by itself", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library, use_planner_mode: "true" });
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["machines"] } });
  await agent.expect(200, "PUT", `/pages/${(await agent.page("espresso.md")).id}/labels`, {
    json: { label_ids: [label.id] },
  });
  const [question] = double[0];
  const closed = await agent.ask(question);
  assert.ok(
    closed.llm_response.includes("Hester Quillby") && !closed.llm_response.includes("27 months"),
    closed.llm_response,
  );
  const open = await agent.ask(question, { json: { prompt: question, labels: ["machines"] } });
  assert.ok(open.llm_response.includes("27 months"), open.llm_response);
});

test("action_overrides turn planning and the overview on and off for one message", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const ask = async (prompt, action_overrides) =>
    (await agent.ask(prompt, { json: { prompt, action_overrides } })).llm_response;
  const topics = "What do you know about?";
  let question, words;
  const both = (text) => words.every((word) => text.includes(word));
  for ([question, words] of double) if (!both(await ask(question, {}))) break;
  assert.ok(!both(await ask(question, {})), "one search does not reach both parts");
  assert.ok(both(await ask(question, { enabled: ["question_planning", "unheard_of"] })));
  assert.ok((await ask(topics, {})).includes("Velmora"));
  assert.ok(!(await ask(topics, { disabled: ["knowledge_base_overview"] })).includes("Velmora"));
  await set(agent, { use_planner_mode: true, enable_agent_knowledge_base_awareness: false });
  assert.ok(
    !both(await ask(question, { disabled: ["question_planning"], enabled: ["question_planning"] })),
    "off is off",
  );
  assert.ok((await ask(topics, { enabled: ["knowledge_base_overview"] })).includes("Velmora"));
});

/** An agent in planner mode with a model that answers the plan's request with `plan`. */
async function planned(t, plan, { settings = {}, files = library } = {}) {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ files });
  await set(agent, { use_planner_mode: true, ...settings });
  const { chat } = server;
  chat.say = (body) => (body.stream ? chat.compose(body) : typeof plan === "function" ? plan(body) : plan);
  const plans = () => chat.seen.filter(({ body }) => !body.stream);
  return { server, chat, kb, agent, plans };
}
const given = (chat) => sourcesOf(chat.answers.at(-1).body).map(({ text }) => text);
/** Both parts by other words than the documents', so that no rule takes it apart. */
const veiled = "Please compare the builder with the guarantee.";

test("a model plans the searches from the task-planner text, and its answer has the passages of all", async (t) => {
  const plan = '{"searches": ["Who built the Velmora lighthouse?", "How long is the warranty of the Brisca 200?"]}';
  const { agent, chat, kb, plans } = await planned(t, plan, { settings: { context_depth: "compact" } });
  assert.equal(await searches(kb, agent, veiled), 2);
  const [{ body }] = plans();
  assert.match(contentOf(body.messages[0]), /lighthouse\.md|Velmora/);
  assert.ok(contentOf(body.messages[0]).includes("at most"));
  assert.ok(body.max_tokens > 0 && contentOf(body.messages[1]).includes(veiled));
  const text = given(chat).join("\n");
  assert.ok(text.includes("Hester Quillby") && text.includes("27 months"), text);
  const { models: used } = await agent.expect(200, "GET", "/reports/models");
  assert.ok(used[0].prompt_tokens > 0 && used[0].answers === 1, "the plan is counted with its answer");

  const override = { prompt: veiled, sub_personas: { "task-planner": "Search for pumps alone." } };
  await agent.ask(veiled, { json: override });
  assert.ok(contentOf(plans().at(-1).body.messages[0]).includes("Search for pumps alone."));
});

test("a plan has no more searches than max_actions_per_query adds, and none without planner mode", async (t) => {
  const plan = JSON.stringify({ searches: double.flatMap(([question]) => question.split(" and ")).concat("ticket") });
  const { agent, kb, plans } = await planned(t, plan, { settings: { max_actions_per_query: 1 } });
  assert.equal(await searches(kb, agent, veiled), 2);
  await set(agent, { use_planner_mode: false });
  const before = plans().length;
  await agent.ask(double[0][0]);
  assert.equal(plans().length, before);
});

test("a plan that is none, finds nothing, or fails leaves the rule's own", async (t) => {
  const [question, words] = double[0];
  const { agent, chat, plans } = await planned(t, "I would search for the lighthouse.");
  const isWhole = async () => {
    await agent.ask(question);
    const text = given(chat).join("\n");
    assert.ok(
      words.every((word) => text.includes(word)),
      text,
    );
  };
  await isWhole();
  chat.say = (body) => (body.stream ? chat.compose(body) : '{"searches": ["zyzzyva quokka"]}');
  await isWhole();
  chat.modes = ["500", "500", "500"];
  await isWhole();
  assert.ok(plans().length >= 5);
});

test("what a label hides is in no plan", async (t) => {
  const files = { ...library, "canary-77.txt": "CANARY-77 was paid for the Velmora lighthouse." };
  const { agent, plans } = await planned(t, "none", { files });
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  const page = await agent.page("canary-77.txt");
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  await agent.ask(double[0][0]);
  assert.equal(plans().length, 1);
  assert.doesNotMatch(JSON.stringify(plans()), /canary/i);
});
