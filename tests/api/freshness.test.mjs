// Of documents that say the same: the newer is believed, the one whose review is over is not, and what they
// say otherwise is told.
import { randomUUID } from "node:crypto";
import { assert, start, test, until } from "./lib/harness.mjs";
import { promptOf } from "./lib/chat.mjs";
import { models } from "./lib/models.mjs";
import { typedPdf } from "./lib/print.mjs";

const dated = (date, text) => `---\ndate: ${date}\n---\n${text}`;
const files = {
  "prices-old.md": dated(
    "2022-03-01",
    "# Prices\n\nA locker of the Velmora pool costs 12 euros a month. Keys are at the desk.",
  ),
  "prices-new.md": dated(
    "2024-05-02",
    "# Prices\n\nA locker of the Velmora pool costs 15 euros a month. Keys are at the gate.",
  ),
  "hours.md": "# Hours\n\nThe Velmora pool opens at seven in the morning.",
};
const question = "What does a locker of the Velmora pool cost?";

async function pool(t, more = {}) {
  const kb = await start(t);
  const agent = await kb.agent({ files: { ...files, ...more } });
  const page = async (name) => (await agent.page(name)).id;
  const ask = (prompt = question, session = randomUUID(), fields = {}) =>
    agent.expect(200, "POST", `/conversations/${session}/messages`, { json: { prompt, ...fields } });
  const review = async (name, review_at) =>
    agent.expect(200, "PUT", `/pages/${await page(name)}/metadata`, { json: { review_at } });
  return { kb, agent, page, ask, review };
}

test("the newer of two documents answers, and the older is told with both days", async (t) => {
  const { agent, page, ask } = await pool(t);
  const session = randomUUID();
  const answer = await ask(question, session);
  assert.match(answer.llm_response, /15 euros/);
  assert.doesNotMatch(answer.llm_response, /12 euros/);
  assert.deepEqual(answer.citations, [await page("prices-new.md")]);
  assert.equal(answer.conflicts.length, 1);
  const [{ said, other }] = answer.conflicts;
  assert.deepEqual(
    [said.page_id, said.text, said.dated_at],
    [answer.citations[0], "A locker of the Velmora pool costs 15 euros a month.", "2024-05-02T00:00:00.000000Z"],
  );
  assert.deepEqual(
    [other.page_id, other.text, other.dated_at],
    [
      await page("prices-old.md"),
      "A locker of the Velmora pool costs 12 euros a month.",
      "2022-03-01T00:00:00.000000Z",
    ],
  );
  const [stored] = (await agent.expect(200, "GET", `/conversations/${session}/messages`)).messages.data;
  assert.deepEqual(stored.conflicts, answer.conflicts, "it is kept with the message");
  assert.equal(
    (await ask("When does the Velmora pool open?")).conflicts,
    undefined,
    "where nobody contradicts nothing is told",
  );
});

test("a document whose review is over comes behind, in answers and in searches", async (t) => {
  const { agent, page, ask, review } = await pool(t);
  const first = async () => {
    const { passages } = await agent.expect(200, "POST", "/search", { json: { query: question } });
    return passages[0].page_id;
  };
  assert.equal(await first(), await page("prices-new.md"), "the newer");
  await review("prices-new.md", "2025-01-01");
  const answer = await ask();
  assert.match(answer.llm_response, /12 euros/);
  assert.equal(answer.conflicts[0].other.page_id, await page("prices-new.md"));
  assert.equal(await first(), await page("prices-old.md"));
  await review("prices-old.md", "2025-01-01");
  assert.match((await ask()).llm_response, /15 euros/, "of two that are over, the newer");
  await review("prices-new.md", "2099-01-01");
  assert.match((await ask()).llm_response, /15 euros/, "a day that is to come changes nothing");
});

test("alone, a document past its review answers as before", async (t) => {
  const { ask, review } = await pool(t);
  await review("hours.md", "2020-01-01");
  assert.match((await ask("When does the Velmora pool open?")).llm_response, /at seven/);
});

test("the figures of one thing are not those of another", async (t) => {
  const { ask } = await pool(t, {
    "small.md": dated("2024-01-01", "# Brisca 200\n\nThe tank of the machine holds 2 litres of water."),
    "large.md": dated("2025-01-01", "# Brisca 300\n\nThe tank of the machine holds 4 litres of water."),
  });
  const answer = await ask("How much water does the tank of the Brisca 200 hold?");
  assert.match(answer.llm_response, /2 litres/);
  assert.equal(answer.conflicts, undefined);
});

test("what labels close is no other word", async (t) => {
  const { agent, page, ask } = await pool(t);
  const [{ id }] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  await agent.expect(200, "PUT", `/pages/${await page("prices-new.md")}/labels`, { json: { label_ids: [id] } });
  const open = await ask();
  assert.match(open.llm_response, /12 euros/);
  assert.equal(open.conflicts, undefined);
});

test("the owner is told which documents disagree, two by two, until they may both be right or one is gone", async (t) => {
  const { agent, page } = await pool(t, {
    "small.md": dated("2024-01-01", "# Forms\n\nForm 1 of the harbour takes 2 days to be read."),
  });
  const read = async () => {
    let found;
    await until("documents to be compared", async () => {
      found = await agent.expect(200, "GET", "/conflicts");
      return !found.is_coming;
    });
    return found.conflicts;
  };
  const pair = [await page("prices-new.md"), await page("prices-old.md")];
  const [one, ...others] = await read();
  assert.deepEqual(others, []);
  assert.deepEqual(
    [one.statements, one.sides.map(({ page_id }) => page_id), one.sides.map(({ text }) => text)],
    [
      1,
      pair,
      ["A locker of the Velmora pool costs 15 euros a month.", "A locker of the Velmora pool costs 12 euros a month."],
    ],
    "the newer first",
  );
  assert.deepEqual(
    one.sides.map(({ dated_at }) => dated_at.slice(0, 10)),
    ["2024-05-02", "2022-03-01"],
  );
  const put = (json, status = 200) => agent.expect(status, "PUT", "/conflicts", { json });
  assert.deepEqual((await put({ page_ids: pair })).conflicts, [], "both may be right");
  assert.equal((await put({ page_ids: pair, dismissed: false })).conflicts.length, 1);
  for (const page_ids of [[], [pair[0]], [pair[0], pair[0]]]) await put({ page_ids }, 400);
  await put({ page_ids: [pair[0], 99999] }, 404);
  await agent.expect(200, "DELETE", `/pages/${pair[1]}`);
  assert.deepEqual((await agent.expect(200, "GET", "/conflicts")).conflicts, [], "of one that is gone nothing is told");
});

test("a PDF and a page of the web say by themselves when they were written", async (t) => {
  const told = (properties) =>
    Buffer.from(
      typedPdf([["The Velmora pool opens at seven in the morning."]])
        .toString("latin1")
        .replace("/Root 1 0 R", `/Root 1 0 R /Info << ${properties} >>`),
      "latin1",
    );
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "both.pdf": told("/CreationDate (D:20230102030405+02'00') /ModDate (D:20240506070809Z)"),
      "made.pdf": told("/CreationDate (D:20230102030405+02'00')"),
      "silent.pdf": told("/Producer (D:20230102030405Z)"),
      "page.html":
        '<title>Pool</title><script type="application/ld+json">{"@type": "NewsArticle", "datePublished": "2022-03-04",' +
        '"comment": {"@type": "Comment", "datePublished": "2025-01-01"}}</script><p>The pool opens at seven.</p>',
    },
  });
  const days = {};
  for (const name of ["both.pdf", "made.pdf", "silent.pdf", "page.html"])
    days[name] = (await agent.expect(200, "GET", `/pages/${(await agent.page(name)).id}/metadata`)).dated_at;
  assert.deepEqual(days, {
    "both.pdf": "2024-05-06T07:08:09.000000Z",
    "made.pdf": "2023-01-02T01:04:05.000000Z",
    "silent.pdf": null,
    "page.html": "2022-03-04T00:00:00.000000Z",
  });
});

test("a model is told the days of what differs and which counts, and the reader sees both days", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ files });
  const ids = {};
  for (const name of Object.keys(files)) ids[name] = (await agent.page(name)).id;
  const ask = (prompt) => agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, { json: { prompt } });
  const source = (price) => {
    const prompt = promptOf(server.chat.answers.at(-1).body);
    return new RegExp(`<source ([^>]*)>[^<]*costs ${price} euros`).exec(prompt)[1];
  };
  const idOf = (attributes) => /id="([^"]+)"/.exec(attributes)[1];

  // A model that has not listened.
  server.chat.say = (body) =>
    `A locker of the Velmora pool costs 12 euros a month [${/<source id="(\w+)"[^>]*>[^<]*12 euros/.exec(promptOf(body))[1]}].`;
  const answer = await ask(question);
  assert.match(source(15), / date="2024-05-02"$/);
  assert.ok(source(12).endsWith(` date="2022-03-01" prefer="${idOf(source(15))}"`), source(12));
  assert.match(promptOf(server.chat.answers.at(-1).body), /- A source with "prefer" says something otherwise/);
  assert.match(answer.llm_response, /12 euros/);
  const [{ said, other }] = answer.conflicts;
  assert.deepEqual(
    [said.page_id, said.dated_at.slice(0, 10), other.page_id, other.dated_at.slice(0, 10)],
    [ids["prices-old.md"], "2022-03-01", ids["prices-new.md"], "2024-05-02"],
  );

  server.chat.say = null;
  await agent.expect(200, "DELETE", `/pages/${ids["prices-old.md"]}`);
  assert.match((await ask(question)).llm_response, /15 euros/);
  assert.doesNotMatch(promptOf(server.chat.answers.at(-1).body), /prefer|date="/, "where nothing differs");
});
