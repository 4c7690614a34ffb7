// Questions one after another: what was asked before helps those that lean on it, and no other.
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { noAnswer } from "./lib/documents.mjs";

const files = {
  "lobby.txt": "The master document says the lobby is on floor nine.",
  "animals.txt": "The narwhal has a long tusk. It lives in the Arctic. The zebra has stripes.",
  "pump.txt": "The pump costs 499 euros. The warranty of the pump lasts 36 months.",
  "zephyr.txt":
    "The Zephyr espresso machine heats water to 93 degrees Celsius. The warranty of the Zephyr lasts 24 months. Descale the Zephyr every month.",
};

// Asks all of them in one conversation; the replies.
const inTurn = async (agent, prompts) => {
  const session = randomUUID(),
    replies = [];
  for (const prompt of prompts) replies.push((await agent.ask(prompt, { session })).llm_response);
  return replies;
};

test("a complete question is answered after others as it is alone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  for (const [prompt, words] of [
    ["On which floor is the lobby?", "floor nine"],
    ["What does the pump cost?", "499 euros"],
    ["How long does the warranty of the Zephyr last?", "24 months"],
  ]) {
    const [alone] = await inTurn(agent, [prompt]);
    assert.ok(alone.includes(words), alone);
    for (const before of [
      ["What does the zebra have?", "When is the income tax return due?"],
      ["Where is the museum?", "Who runs the marathon?"],
      ["Where does the narwhal live?"],
    ])
      assert.equal((await inTurn(agent, [...before, prompt])).at(-1), alone, `${before} ${prompt}`);
  }
});

test("a question that the documents do not speak to is refused after an answered one too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  for (const before of [
    "How long does the warranty of the Zephyr last?",
    "What does the zebra have?",
    "On which floor is the lobby?",
  ])
    for (const prompt of [
      "Where is the museum?",
      "How much is the parking?",
      "When is the marathon?",
      "What is a nurse's salary?",
      "And where is the museum?",
      "Does it have a swimming pool?",
    ]) {
      const [first, then] = await inTurn(agent, [before, prompt]);
      assert.notEqual(first, noAnswer);
      assert.equal(then, noAnswer, `${before} ${prompt}`);
    }
});

test("a question that leans on the one before is read with it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  const replies = await inTurn(agent, ["What does the narwhal have?", "Where does it live?"]);
  assert.ok(replies[1].includes("Arctic"), replies[1]);
  assert.ok((await inTurn(agent, ["Tell me about the Zephyr.", "How long is its warranty?"]))[1].includes("24 months"));
});

test("a greeting, thanks or an address beside a question changes nothing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  for (const prompt of ["What does the narwhal have?", "How long does the warranty of the Zephyr last?"]) {
    const [alone] = await inTurn(agent, [prompt]);
    assert.notEqual(alone, noAnswer);
    for (const text of [
      `${prompt} My mail is a@b.org.`,
      `${prompt} My mail is a@b.org`,
      `My mail is ann.lee@example.org. ${prompt}`,
      `Hello! ${prompt} Thank you very much.`,
    ])
      assert.equal((await inTurn(agent, [text]))[0], alone, text);
  }
});

test("an agent of one document answers plain questions on it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "zephyr.txt":
        "The Zephyr espresso machine heats water to 93 degrees Celsius. The warranty of the Zephyr lasts 24 months. The machine must be descaled every three months. The water tank holds two litres.",
    },
  });
  for (const [prompt, words] of [
    ["How long is the warranty?", "24 months"],
    ["How often must it be descaled?", "three months"],
    ["How hot does the water get?", "93 degrees"],
    ["What does the tank hold?", "two litres"],
  ])
    assert.ok((await agent.ask(prompt)).llm_response.includes(words), prompt);
  for (const prompt of [
    "Where is the museum?",
    "Where does the penguin live?",
    "How much does the bicycle cost?",
    "What is the capital of France?",
  ])
    assert.equal((await agent.ask(prompt)).llm_response, noAnswer, prompt);
});
