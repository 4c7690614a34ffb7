// What each setting of answering does, one row a setting: turned, it has to be seen. A row whose check would pass
// with a setting that does nothing is no check; a setting without a row fails the first story.
import { randomUUID } from "node:crypto";
import { readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, form, start, test } from "./lib/harness.mjs";
import { contentOf, promptOf, sourcesOf } from "./lib/chat.mjs";
import {
  espresso,
  followUp,
  foreign,
  library,
  lighthouse,
  lighthouses,
  noAnswer,
  questions,
} from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

const [question] = questions[0];
const tiers = ["fastest-responses", "optimal-choice", "advanced-reasoning", "complex-tasks"];

/** Everything that the behaviour of answers names. */
const behaviours = `own_content default_is_own_content llm_content no_answer_message no_model persona_instructions
  persona_versions persona_summary task_planner context_depth agent_capability chatbot_model quote_sure_answers use_planner_mode
  max_actions_per_query is_hybrid_search enable_agent_knowledge_base_awareness user_awareness conversation_time_window
  follow_ups lang chatbot_msg_lang enable_citations citation_truth citations_answer_source_label_msg
  citations_sources_label_msg citations_view_type image_citation_display limit_image_citation_height
  use_opengraph_image_citation max_inline_images_per_response hide_sources_from_responses chatbot_siesta_msg
  hang_in_there_msg account_out_of_queries_msg chatbot_failed_moderation_msg is_anonymized
  conversation_retention_period labels labels_exclusive allowed_domains_for_embedding
  master_project_smart_routing_mode example_questions use_context_aware_starter_question`.split(/\s+/);

/** Held by a story of its own: its file, its name as it begins, and what it turns. */
const elsewhere = {
  persona_versions: ["api/personas", "a changed text makes the next version", "persona_instructions"],
  task_planner: ["api/planner", "a model plans the searches from the task-planner text", "task-planner"],
  max_actions_per_query: ["api/planner", "max_actions_per_query bounds the searches", "max_actions_per_query"],
  conversation_time_window: ["api/effects", "conversation_time_window: a day of history", "conversation_time_window"],
  citations_answer_source_label_msg: ["web/look", "each setting is seen on the public page", null],
  citations_sources_label_msg: ["web/look", "each setting is seen on the public page", null],
  citations_view_type: ["web/look", "each setting is seen on the public page", null],
  image_citation_display: ["api/pictures", "each setting of pictures", "image_citation_display"],
  limit_image_citation_height: ["web/look", "each setting is seen on the public page", null],
  use_opengraph_image_citation: ["api/pictures", "each setting of pictures", "use_opengraph_image_citation"],
  max_inline_images_per_response: ["api/pictures", "each setting of pictures", "max_inline_images_per_response"],
  hide_sources_from_responses: ["api/awareness", "hide_sources_from_responses", "hide_sources_from_responses"],
  hang_in_there_msg: ["web/visitors", "what is said while an answer takes long", "hang_in_there_msg"],
  account_out_of_queries_msg: ["api/visitors", "the quota is told", "account_out_of_queries_msg"],
  chatbot_failed_moderation_msg: [
    "api/effects",
    "a prompt with a word of the block list",
    "chatbot_failed_moderation_msg",
  ],
  conversation_retention_period: ["api/effects", "conversation_retention_period", "conversation_retention_period"],
  allowed_domains_for_embedding: ["web/visitors", "a site that is not listed", "allowed_domains_for_embedding"],
  use_context_aware_starter_question: [
    "api/visitors",
    "starters follow the page",
    "use_context_aware_starter_question",
  ],
};

const answer = async (agent, prompt, more = {}) =>
  (await agent.ask(prompt, { json: { prompt, ...more } })).llm_response;

/** Each gets an agent of the library, and beside it: set(json), chat (the double), last() (its last request), kb. */
const seen = {
  async own_content({ agent, chat, set }) {
    chat.say = "Tungsten boils at 5555 degrees.";
    await set({ response_source: "own_content" });
    const message = await agent.ask(foreign[0]);
    assert.deepEqual([message.llm_response, message.citations, chat.seen.length], [noAnswer, null, 0]);
    // What the documents do not say is no answer, whatever the model does; what they say stands in.
    assert.match(await answer(agent, question), /Hester Quillby/);
    chat.say = null;
    assert.match(await answer(agent, question), /Hester Quillby/);
  },
  async default_is_own_content({ agent, chat, set }) {
    chat.say = "Tungsten boils at 5555 degrees.";
    await set({ response_source: "llm_content" });
    assert.equal(await answer(agent, foreign[0]), chat.say);
    await set({ response_source: "default" });
    const { response_source } = await agent.expect(200, "GET", "/settings");
    assert.deepEqual([response_source, await answer(agent, foreign[0])], ["default", noAnswer]);
  },
  async llm_content({ agent, chat, set }) {
    chat.say = "Tungsten boils at 5555 degrees.";
    assert.equal(await answer(agent, foreign[0]), noAnswer);
    await set({ response_source: "llm_content" });
    assert.equal(await answer(agent, foreign[0]), chat.say);
    await agent.ask(question);
    assert.ok(sourcesOf(chat.seen.at(-1).body).length, "passages as well");
  },
  async no_answer_message({ agent, set }) {
    assert.equal(await answer(agent, foreign[0]), noAnswer);
    await set({ no_answer_message: "Ask the harbour master." });
    assert.equal(await answer(agent, foreign[0]), "Ask the harbour master.");
  },
  async no_model({ plain }) {
    const agent = await plain.agent({ files: library });
    const texts = Object.values(library).map((text) => text.replace(/\s+/g, " "));
    for (const [asked, name, words] of questions) {
      const message = await agent.ask(asked);
      const said = message.llm_response.split(/(?<=[.!?])\s+/);
      assert.ok(message.llm_response.includes(words) && (await agent.sources(message)).includes(name), asked);
      assert.ok(
        said.every((sentence) => texts.some((text) => text.includes(sentence))),
        message.llm_response,
      );
      assert.equal(await answer(agent, asked), message.llm_response, "the same each time");
    }
    assert.match(await answer(agent, "Hello"), /^Hello/);
    assert.match(await answer(agent, "What can you do?"), /The Velmora Lighthouse/);
  },
  async persona_instructions({ agent, set, last, system }) {
    await agent.ask(question);
    assert.ok(!promptOf(last()).includes("Gustav"));
    await set({ persona_instructions: "You are Gustav." });
    await agent.ask(question);
    assert.ok(system().includes("Gustav") && sourcesOf(last()).every(({ text }) => !text.includes("Gustav")));
  },
  async persona_summary({ agent, chat, set }) {
    await set({ persona_instructions: "You are Gustav the long-winded." });
    const session = randomUUID();
    await agent.ask(followUp.first, { session });
    const rewriting = async (summary) => {
      chat.seen.length = 0;
      const json = { prompt: followUp.then, sub_personas: { "persona-summary": summary } };
      await agent.ask(followUp.then, { session, json });
      assert.match(promptOf(chat.answers.at(-1).body), /Gustav the long-winded/, "the answer gets the whole persona");
      return promptOf(chat.seen.find(({ body }) => !body.stream).body);
    };
    assert.match(await rewriting("Gustav, in short."), /Gustav, in short\./);
    assert.doesNotMatch(await rewriting(""), /Gustav/);
  },
  async context_depth({ agent, set, last }) {
    await agent.add(
      Object.fromEntries(
        Array.from({ length: 24 }, (_, i) => [
          `n${i}.txt`,
          `The harbour master of port ${i} signs the ledger in the evening.`,
        ]),
      ),
    );
    const sources = async (context_depth) => {
      await set({ context_depth });
      await agent.ask("Who signs the ledger of the harbour?");
      return sourcesOf(last()).length;
    };
    const [few, more, most] = [await sources("compact"), await sources("balanced"), await sources("extended")];
    assert.ok(few <= 10 && few < more && more <= 20 && more < most && most <= 24, `${few}, ${more}, ${most}`);
  },
  async agent_capability({ agent, set, last }) {
    for (const tier of tiers) {
      await set({ agent_capability: tier });
      await agent.ask(question);
      assert.equal(last().model, `m-${tier}`);
    }
  },
  async chatbot_model({ agent, set, last }) {
    for (const [chatbot_model, want] of [
      ["m-complex-tasks", "m-complex-tasks"],
      [null, "m-fastest-responses"],
    ]) {
      await set({ agent_capability: "fastest-responses", chatbot_model });
      await agent.ask(question);
      assert.equal(last().model, want);
    }
    const { status, json } = await agent.api("POST", "/settings", {
      json: { chatbot_model: "nobody", chatbot_msg_lang: "de" },
    });
    assert.equal(status, 207, JSON.stringify(json));
  },
  async quote_sure_answers({ agent, chat, set }) {
    const asked = async (quote_sure_answers, prompt) => {
      const before = chat.seen.length;
      await set({ quote_sure_answers });
      const message = await agent.ask(prompt);
      return [chat.seen.length - before, message.citations?.length ?? 0];
    };
    const near = "Who painted the tower of the lighthouse?";
    assert.deepEqual(await asked(false, question), [1, 1]);
    assert.deepEqual(await asked(true, question), [0, 1]);
    assert.equal((await asked(true, near))[0], (await asked(false, near))[0], "what is not sure is the model's");
    await set({ quote_sure_answers: false });
  },
  async use_planner_mode({ plain }) {
    const agent = await plain.agent({ files: library });
    const whole = async (prompt, ...words) => {
      const text = await answer(agent, prompt);
      return words.every((word) => text.includes(word));
    };
    const found = async (use_planner_mode) => {
      await agent.expect(200, "POST", "/settings", { json: { use_planner_mode } });
      return [
        await whole(
          "How long does the warranty of the Brisca 200 last, and when may goods be returned?",
          "27 months",
          "30 days",
        ),
        await whole(
          "Within how many days may goods be returned? How much is a ticket for the lighthouse?",
          "30 days",
          "7 crowns",
        ),
        await whole(
          "Who built the Velmora lighthouse and how long does the warranty of the Brisca 200 last?",
          "Quillby",
          "27 months",
        ),
      ];
    };
    assert.ok((await found(false)).includes(false));
    assert.deepEqual(await found(true), [true, true, true]);
  },
  async is_hybrid_search({ plain }) {
    const files = {
      "guide.txt":
        "What to do about a printer error on the display: the printer shows each error on its display, and the display error test lists what an error means.",
      "service.txt": "After long use the unit may stop with ERR-4012. Call the workshop in that case.",
      "other.txt": "ERR-4013 goes away by itself. Wait a while.",
    };
    const agent = await plain.agent({ files });
    const first = async (is_hybrid_search) => {
      await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search } });
      const query = "What should I do about printer error ERR-4012 on the display?";
      return (await agent.expect(200, "POST", "/search", { json: { query } })).passages[0].filename;
    };
    assert.deepEqual([await first(false), await first(true)], ["guide.txt", "service.txt"]);
  },
  async enable_agent_knowledge_base_awareness({ plain }) {
    const agent = await plain.agent({ files: library });
    assert.match(await answer(agent, "What do you know about?"), /Velmora Lighthouse/);
    await agent.expect(200, "POST", "/settings", { json: { enable_agent_knowledge_base_awareness: false } });
    assert.equal(await answer(agent, "What do you know about?"), noAnswer);
  },
  async user_awareness({ agent, kb, set, last }) {
    await kb.expect(200, "POST", "/user", { form: form({ name: "Ottilie Brandt" }) });
    for (const user_awareness of [true, false]) {
      await set({ user_awareness });
      await agent.ask(question);
      assert.equal(promptOf(last()).includes("Ottilie"), user_awareness);
    }
  },
  async follow_ups({ plain }) {
    const agent = await plain.agent({ files: lighthouses });
    const session = randomUUID();
    await agent.ask(followUp.first, { session });
    const after = await agent.ask(followUp.then, { session });
    assert.match(after.llm_response, /Hester Quillby/);
    assert.doesNotMatch(await answer(agent, followUp.then), /Hester Quillby/, "alone it asks about nothing");
  },
  async lang({ agent, system }) {
    await answer(agent, question, { lang: "de" });
    assert.match(system(), /language with the code de/);
    await answer(agent, question);
    assert.doesNotMatch(system(), /language with the code/);
  },
  async chatbot_msg_lang({ agent, set }) {
    assert.equal(await answer(agent, foreign[0]), noAnswer);
    await set({ chatbot_msg_lang: "de" });
    const { no_answer_message } = await agent.expect(200, "GET", "/settings");
    assert.notEqual(no_answer_message, noAnswer);
    assert.equal(await answer(agent, foreign[0]), no_answer_message);
  },
  async enable_citations({ agent, set }) {
    const { id } = await agent.page("lighthouse.md");
    for (const [enable_citations, list, marked] of [
      [0, null, false],
      [1, [id], false],
      [2, [id], true],
      [3, [id], true],
    ]) {
      await set({ enable_citations, enable_inline_citations_api: true });
      const message = await agent.ask(question);
      assert.deepEqual(
        [message.citations, message.llm_response.includes("[1]")],
        [list, marked],
        String(enable_citations),
      );
    }
  },
  async citation_truth({ agent, chat, set }) {
    await set({ response_source: "llm_content", enable_citations: 3, enable_inline_citations_api: true });
    for (const [cites, lies, marked] of [
      ["good", "none", true],
      ["invented", "number", false],
      ["good", "number", false],
      ["good", "name", false],
      ["good", "negated", false],
    ]) {
      Object.assign(chat, { cites, lies });
      const { llm_response } = await agent.ask(question);
      assert.deepEqual(
        [/\[\d\]/.test(llm_response), /\[[a-z]\d[a-z]\]/.test(llm_response)],
        [marked, false],
        llm_response,
      );
    }
  },
  async chatbot_siesta_msg({ agent, chat, set }) {
    await set({ response_source: "llm_content", chatbot_siesta_msg: "The harbour sleeps." });
    chat.mode = "400";
    const session = randomUUID();
    const { status } = await agent.api("POST", `/conversations/${session}/messages`, { json: { prompt: foreign[0] } });
    const { messages } = await agent.expect(200, "GET", `/conversations/${session}/messages`);
    assert.deepEqual([status, messages.data.at(-1).llm_response], [502, "The harbour sleeps."]);
  },
  async is_anonymized({ agent, chat }) {
    const secret = "ottilie@example.com";
    for (const is_anonymized of [false, true]) {
      await agent.expect(200, "POST", "", { json: { is_anonymized } });
      chat.seen.length = 0;
      const message = await agent.ask(`I am ${secret}. ${question}`);
      assert.deepEqual(
        [JSON.stringify(chat.seen).includes(secret), message.user_query.includes(secret)],
        [!is_anonymized, !is_anonymized],
      );
    }
  },
  async labels({ agent, chat }) {
    await agent.add({ "board.txt": "The board paid Hester Quillby 7700 crowns for the Velmora lighthouse." });
    const asked = "What did the board pay for the Velmora lighthouse?";
    const told = async (more) => {
      chat.seen.length = 0;
      await answer(agent, asked, more);
      return JSON.stringify(chat.seen).includes("7700");
    };
    assert.equal(await told({}), true);
    const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board", "crew"] } });
    const { id } = await agent.page("board.txt");
    await agent.expect(200, "PUT", `/pages/${id}/labels`, { json: { label_ids: [label.id] } });
    const both = [["board"], ["crew"]];
    assert.deepEqual(
      [
        await told({}),
        await told({ labels: ["crew"] }),
        await told({ labels: ["crew", "board"] }),
        await told({ labels: both }),
      ],
      [false, false, true, false],
    );
  },
  async labels_exclusive({ agent, chat }) {
    await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
    await answer(agent, question, { labels: ["board"] });
    assert.ok(JSON.stringify(chat.seen).includes("Quillby"), "documents without labels are everybody's");
    chat.seen.length = 0;
    assert.equal(await answer(agent, question, { labels: ["board"], labels_exclusive: true }), noAnswer);
    assert.ok(!JSON.stringify(chat.seen).includes("Quillby"));
  },
  async master_project_smart_routing_mode({ plain }) {
    const sea = await plain.agent({ project_name: "Sea", files: { "lighthouse.md": lighthouse } });
    const coffee = await plain.agent({ project_name: "Coffee", files: { "espresso.md": espresso } });
    const master = await plain.agent({ project_name: "Master", is_master: "true" });
    await master.expect(200, "POST", "", { json: { child_project_ids: [sea.id, coffee.id] } });
    const talk = async (mode) => {
      await master.expect(200, "POST", "/settings", { json: { master_project_smart_routing_mode: mode } });
      const session = randomUUID();
      const said = [];
      for (const [prompt] of [questions[0], questions[2]])
        said.push((await master.ask(prompt, { session })).llm_response);
      return [said[0].includes("Hester Quillby"), said[1].includes("27 months")];
    };
    assert.deepEqual(await talk("off"), [false, false]);
    assert.deepEqual(await talk("start-only"), [true, false]);
    assert.deepEqual(await talk("every-message"), [true, true]);
  },
  async example_questions({ plain }) {
    const agent = await plain.agent({ files: library });
    assert.doesNotMatch(await answer(agent, "What can you do?"), /Who feeds the gulls\?/);
    await agent.expect(200, "POST", "/settings", { json: { example_questions: ["Who feeds the gulls?"] } });
    assert.match(await answer(agent, "What can you do?"), /Who feeds the gulls\?/);
  },
};

test("every behaviour of answers has a row, or a story elsewhere that turns it", async () => {
  assert.deepEqual([...Object.keys(seen), ...Object.keys(elsewhere)].sort(), [...behaviours].sort());
  for (const [name, [file, begins, turns]] of Object.entries(elsewhere)) {
    const text = await readFile(new URL(`../${file}.test.mjs`, import.meta.url), "utf8");
    const story = text.split(/^(?:test|sqliteTest)\(/m).find((part) => part.startsWith(`"${begins}`));
    assert.ok(story, `${name}: no story "${begins}…" in ${file}`);
    // A table above the story turns what the story does not name.
    assert.ok((turns ? story : text).includes(turns ?? name), `${name}: "${begins}…" of ${file} does not turn it`);
    assert.match(story, /assert|waitFor/, name);
  }
});

test("each setting of answering is seen when it is turned", async (t) => {
  const server = await models(t);
  const file = path.join(tmpdir(), `docent-models-${process.pid}-${randomUUID()}.json`);
  const list = tiers.map((tier) => ({ id: `m-${tier}`, url: server.url, tier: [tier], context: 65536 }));
  await writeFile(file, JSON.stringify({ models: list }));
  t.after(() => rm(file));
  const kb = await start(t, { env: { DOCENT_MODELS: file, DOCENT_MODEL_CHORES: "no" } });
  const plain = await start(t);
  const { chat } = server;
  const usual = { say: chat.say, cites: chat.cites, lies: chat.lies, mode: chat.mode };
  const wrong = [];
  for (const [name, check] of Object.entries(seen)) {
    const agent = await kb.agent({ files: library });
    Object.assign(chat, usual);
    chat.seen.length = 0;
    const last = () => chat.answers.at(-1).body;
    try {
      await check({
        agent,
        kb,
        plain,
        chat,
        last,
        set: (json) => agent.expect(200, "POST", "/settings", { json }),
        system: () => contentOf(last().messages[0]),
      });
    } catch (error) {
      wrong.push(`${name}: ${error.stack}`);
    }
  }
  assert.equal(wrong.length, 0, wrong.join("\n\n"));
});
