// A question that compares two things has a place for each, and says which the documents do not have.
import { assert, start, test } from "./lib/harness.mjs";

const plans = {
  "basic.md":
    "# Basic plan\n\nThe Basic plan costs 9 euros a month. It has room for 3 projects and is answered by mail.\n",
  "team.md":
    "# Team plan\n\nThe Team plan costs 29 euros a month. It has 40 projects and is answered by phone on weekdays.\n",
  "heating.md": "# Heating\n\nThe boiler is serviced in September. Radiators are bled before the first frost.\n",
};

test("each side of a comparison is told, with its source", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: plans });
  for (const prompt of [
    "What is the difference between the Basic plan and the Team plan?",
    "Basic plan vs. Team plan",
  ]) {
    const message = await agent.ask(prompt);
    assert.match(message.llm_response, /9 euros/, prompt);
    assert.match(message.llm_response, /29 euros/, prompt);
    assert.equal(message.citations.length, 2, prompt);
  }
});

test("a side that no document has is said to be missing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: plans });
  const message = await agent.ask("What is the difference between the Basic plan and the Zephyr plan?");
  assert.doesNotMatch(message.llm_response, /29 euros/);
  assert.match(message.llm_response, /9 euros[^]*The documents say nothing about “the Zephyr plan”\.$/);
  assert.equal(message.citations.length, 1);
});
