// Gaps: questions that were not answered well, in groups, until somebody or a document answers them.
import { randomUUID } from "node:crypto";
import { library } from "./lib/documents.mjs";
import { assert, form, start, test, until } from "./lib/harness.mjs";

const pool =
  "# The pool\n\nThe swimming pool opens at seven in the morning. Towels are lent at the desk for two crowns.\n";

/** An agent, and who asks it: each name is another person. */
async function scene(t, { files = library, ...options } = {}) {
  const kb = await start(t, options);
  const agent = await kb.agent({ files });
  const ask = async (prompt, person, session = randomUUID()) => ({
    session,
    message: await agent.expect(200, "POST", `/conversations/${session}/messages`, {
      json: { prompt, external_id: person },
    }),
  });
  const gaps = async (query = {}) => (await agent.expect(200, "GET", "/gaps", { query })).data;
  /** The gaps, once they are as wanted. */
  const settled = async (what, ready, query) => {
    let list;
    await until(what, async () => ready((list = await gaps(query))), 20_000, 50);
    return list;
  };
  const react = ({ session, message }, reaction) =>
    agent.expect(200, "PUT", `/conversations/${session}/messages/${message.id}/feedback`, { json: { reaction } });
  return { kb, agent, ask, gaps, settled, react };
}

test("questions that ask the same are one gap, and a person counts once", async (t) => {
  const { agent, ask, settled } = await scene(t);
  await ask("When does the swimming pool open?", "ann");
  await ask("when does the SWIMMING pool open", "ann");
  await ask("When does the swimming pool open in the morning?", "bob");
  await ask("What is the boiling point of tungsten?", "ann");
  await ask("Who built the Velmora lighthouse?", "ann");
  const [first, second] = await settled(
    "four questions in two gaps",
    (list) => list.reduce((n, gap) => n + gap.asked, 0) === 4,
  );
  assert.deepEqual(
    [first, second].map((gap) => [
      gap.question,
      gap.state,
      gap.asked,
      gap.people,
      gap.unanswered,
      gap.disliked,
      gap.owner,
    ]),
    [
      ["When does the swimming pool open?", "open", 3, 2, 3, 0, null],
      ["What is the boiling point of tungsten?", "open", 1, 1, 1, 0, null],
    ],
  );
  const one = await agent.expect(200, "GET", `/gaps/${first.id}`);
  assert.deepEqual(
    one.questions.map((question) => [question.question, question.why]),
    [
      ["When does the swimming pool open in the morning?", ["unanswered"]],
      ["when does the SWIMMING pool open", ["unanswered"]],
      ["When does the swimming pool open?", ["unanswered"]],
    ],
  );
  assert.ok(["unfound", "closest", "nothing"].includes(one.why), one.why);
  assert.match(one.explanation, /^(No passage|Passages) /);
  assert.deepEqual((await agent.expect(200, "GET", "/gaps", { query: { people: 2 } })).total, 1);
  assert.deepEqual((await agent.expect(200, "GET", "/gaps", { query: { state: "dismissed" } })).total, 0);
});

test("why nothing is said names what the documents lack", async (t) => {
  const { agent, ask, settled } = await scene(t);
  await ask("How long is the warranty of the Brisca 999?", "ann");
  const [gap] = await settled("the gap", (list) => list.length === 1);
  const one = await agent.expect(200, "GET", `/gaps/${gap.id}`);
  assert.deepEqual([one.why, one.named.length > 0], ["named", true]);
  assert.match(one.explanation, /^No passage has what it names: .*999/);
  assert.equal(one.nearest[0].title, "Brisca 200 espresso machine: manual");
});

test("a gap that later documents answer is closed by itself, and opens when it is asked in vain again", async (t) => {
  const { agent, ask, settled } = await scene(t);
  await ask("When does the swimming pool open?", "ann");
  await ask("When does the swimming pool open in the morning?", "bob");
  const [gap] = await settled("the gap", (list) => list[0]?.asked === 2);
  await agent.expect(201, "POST", "/sources", { form: form({}, { "pool.md": pool }) });
  await agent.settled();
  const [closed] = await settled("the gap to be closed", (list) => list[0].state === "answered");
  assert.deepEqual(
    [closed.id, closed.answers, closed.of, closed.by_itself, Boolean(closed.closed_at)],
    [gap.id, 2, 2, true, true],
  );
  const page = await agent.page("pool.md");
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  await ask("When does the swimming pool open?", "eve");
  const [again] = await settled("it to be open again", (list) => list[0].asked === 3);
  assert.deepEqual([again.state, again.people], ["open", 3]);
  assert.equal((await agent.expect(200, "GET", "/stats")).total_queries, 3, "to ask anew is no query");
});

test("a gap is answered once, for all who asked", async (t) => {
  const { agent, ask, settled } = await scene(t);
  await ask("When does the swimming pool open?", "ann");
  await ask("when does the swimming pool open", "bob");
  const [gap] = await settled("the gap", (list) => list[0]?.asked === 2);
  const none = await agent.api("POST", `/gaps/${gap.id}/answer`, { json: {} });
  assert.deepEqual([none.status, none.json.message], [400, "answer can't be empty"]);
  const answered = await agent.expect(201, "POST", `/gaps/${gap.id}/answer`, {
    json: { answer: "It opens at seven.", checked_by: "Ann" },
  });
  assert.equal(answered.state, "answered");
  const answer = await agent.expect(200, "GET", `/answers/${answered.answer_id}`);
  assert.deepEqual([answer.questions, answer.checked_by], [["When does the swimming pool open?"], "Ann"]);
  await agent.settled();
  const replay = await agent.expect(200, "POST", `/gaps/${gap.id}/replay`);
  assert.deepEqual([replay.answers, replay.of], [2, 2]);
  assert.deepEqual(
    replay.questions.map((question) => question.answer),
    ["It opens at seven.", "It opens at seven."],
  );
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 2, "nothing of it is stored");
  await ask("What is the boiling point of tungsten?", "ann");
  await settled("a second gap", (list) => list.length === 2);
  const report = await agent.expect(200, "GET", "/reports/queries", { query: { filters: "gaps" } });
  assert.deepEqual(report, { gaps: { open: 1, answered: 1, by_itself: 0, dismissed: 0, waiting: 1 } });
  const { weeks } = await agent.expect(200, "GET", "/reports/improvement");
  assert.equal(weeks.length, 8);
  assert.deepEqual({ ...weeks[7], from: null }, { from: null, asked: 3, answered: 0, checked: 1, mended: 1, open: 1 });
  const [told] = await settled("the figures", (list) => list[0].answers === 2);
  assert.deepEqual([told.of, told.state, told.by_itself], [2, "answered", false]);
});

test("what was disliked is a gap until its asker takes that back", async (t) => {
  const { ask, settled, react } = await scene(t);
  const asked = await ask("Who built the Velmora lighthouse?", "ann");
  await react(asked, "disliked");
  const [gap] = await settled("the gap", (list) => list.length === 1);
  assert.deepEqual([gap.disliked, gap.unanswered, gap.asked], [1, 0, 1]);
  await react(asked, "liked");
  await settled("no gap", (list) => list.length === 0);
});

test("a gap is dismissed, given to somebody, and gone with its last conversation", async (t) => {
  const { agent, ask, gaps, settled } = await scene(t);
  const first = await ask("When does the swimming pool open?", "ann");
  const second = await ask("when does the swimming pool open", "bob");
  const [gap] = await settled("the gap", (list) => list[0]?.asked === 2);
  const put = (json) => agent.expect(200, "PUT", `/gaps/${gap.id}`, { json });
  assert.deepEqual((({ state, owner }) => [state, owner])(await put({ owner: "Eve" })), ["open", "Eve"]);
  assert.deepEqual((({ state, owner }) => [state, owner])(await put({ state: "dismissed" })), ["dismissed", "Eve"]);
  await ask("When does the swimming pool open?", "eve");
  const [still] = await settled("three questions", (list) => list[0].asked === 3);
  assert.equal(still.state, "dismissed", "what was dismissed stays so");
  assert.equal((await put({ state: "open", owner: null })).closed_at, null);
  const bad = await agent.api("PUT", `/gaps/${gap.id}`, { json: { state: "done" } });
  assert.deepEqual([bad.status, bad.json.message], [400, "state must be open, answered or dismissed"]);

  await agent.expect(200, "DELETE", `/conversations/${first.session}`);
  const [left] = await gaps();
  assert.deepEqual(
    [left.id, left.question, left.asked, left.people],
    [gap.id, "when does the swimming pool open", 2, 2],
  );
  await agent.expect(200, "DELETE", `/conversations/${second.session}`);
  for (const { session_id } of (await agent.expect(200, "GET", "/conversations")).data)
    await agent.expect(200, "DELETE", `/conversations/${session_id}`);
  assert.deepEqual(await gaps(), []);
  const gone = await agent.api("GET", `/gaps/${gap.id}`);
  assert.deepEqual([gone.status, gone.json.message], [404, `Gap with id ${gap.id} not found`]);
});
