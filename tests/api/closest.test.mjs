// The third way: where nothing answers for sure and something is near, the closest passages stand
// beside the text that says so, and are no part of the answer.
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { library, noAnswer, questions } from "./lib/documents.mjs";

// On what the documents speak of, but not on what they say.
const near = [
  "Is there a restaurant near the cliff?",
  "Can I return a ticket for the opera?",
  "Can I bring my dog to the Velmora lighthouse?",
  "Who painted the tower of the lighthouse?",
  "Which colour does the Brisca 200 come in?",
  "Can I descale the machine with vinegar?",
  "Do I get my postage back when I return shoes?",
  "How many people visit the lighthouse in winter?",
  "Is the lamp of the tower for sale?",
];
const blank = (text) => text.replace(/[#\s]+/g, " ");

/** A refused question that has closest passages. */
async function refused(agent) {
  for (const prompt of near) {
    const message = await agent.ask(prompt);
    if (message.closest_passages) return { prompt, message };
  }
  assert.fail("none of the questions has closest passages");
}

test("a question that is not answered for sure shows what is near", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { prompt, message } = await refused(agent);
  assert.equal(message.llm_response, noAnswer);
  assert.equal(message.citations, null);
  for (const passage of message.closest_passages) {
    const page = (await agent.pages()).find(({ id }) => id === passage.page_id);
    assert.ok(blank(library[page.filename]).includes(blank(passage.quote)), passage.quote);
    assert.ok(passage.quote.length <= 800);
    assert.ok("title" in passage && "heading" in passage && "page_no" in passage);
  }
  const { messages } = await agent.expect(200, "GET", `/conversations/${message.session}/messages`);
  assert.deepEqual(messages.data[0].closest_passages, message.closest_passages);

  const { finish, text } = await agent.stream(prompt, { session: randomUUID() });
  assert.equal(text, noAnswer);
  assert.equal(finish.citations, null);
  assert.deepEqual(finish.closest_passages, message.closest_passages);
});

test("an answer has no closest passages, and neither has a greeting", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const prompt of [...questions.map(([question]) => question), "Hello!"]) {
    const message = await agent.ask(prompt);
    assert.notEqual(message.llm_response, noAnswer, prompt);
    assert.ok(!("closest_passages" in message), prompt);
  }
});

test("an agent without citations shows no closest passages", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { prompt } = await refused(agent);
  await agent.expect(200, "POST", "/settings", { json: { enable_citations: 0 } });
  const message = await agent.ask(prompt);
  assert.equal(message.llm_response, noAnswer);
  assert.ok(!("closest_passages" in message));
});
