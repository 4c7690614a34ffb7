// Checked answers and labels: on every path that somebody may ask by, an answer is said to those whom its labels open,
// and the labels of each document that it cites; before, while and after these change.
import { randomUUID } from "node:crypto";
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { invited } from "./lib/people.mjs";
import { Agent } from "./lib/service.mjs";
import { sign, visit } from "./lib/visit.mjs";

const question = "What is the code word of the harbour vault?";
const near = "harbour vault code word";
const word = "KX-QUILLWORT";
/** What the answer's document is called. */
const title = `Is ${word} right?`;
const answer = `The code word of the harbour vault is ${word}.`;

/** An agent with the library, the labels hr and legal, and a checked answer with these fields. */
async function scene(t, fields = () => ({})) {
  const kb = await start(t, { env: { DOCENT_PUBLIC_ADDRESS: "300" } });
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const record = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const settings = { is_pdf_viewer: true, can_export_conversation: true };
  await agent.expect(200, "POST", "/settings", { json: settings });
  const { secret } = await agent.expect(201, "POST", "/embed-secret");
  const made = await agent.expect(201, "POST", "/labels", { json: { names: ["hr", "legal"] } });
  const ids = Object.fromEntries(made.map((label) => [label.name, label.id]));
  const page = await agent.page("espresso.md");
  const checked = await agent.expect(201, "POST", "/answers", {
    json: { questions: [title, question], answer, ...(await fields({ agent, ids, page })) },
  });
  await agent.settled();
  const label = (id, ...names) =>
    agent.expect(200, "PUT", `/pages/${id}/labels`, { json: { label_ids: names.map((name) => ids[name]) } });
  return { kb, agent, ids, page, checked, label, secret, slug: record.shareable_slug };
}

/** What an answer of the service tells, with everything in it that is not the question itself. */
const told = (reply) => reply.text ?? JSON.stringify(reply);

/** Each way to ask, as somebody with these labels, whom their application vouches for. Gives { way: what it told }. */
async function byKey({ kb, agent, checked }, labels) {
  const fields = labels.length ? { labels } : {};
  const session = randomUUID();
  const path = `/conversations/${session}`;
  const message = await agent.expect(200, "POST", `${path}/messages`, { json: { prompt: question, ...fields } });
  const sent = (options) => agent.api("POST", `/conversations/${randomUUID()}/messages`, options);
  const chat = (more) =>
    agent.api("POST", "/chat/completions", {
      json: { messages: [{ role: "user", content: question }], ...fields, ...more },
    });
  const query = labels.map((label) => `labels[]=${label}`).join("&");
  const mcp = (method, params = {}) =>
    kb.api("POST", `/mcp/projects/${agent.id}?${query}`, {
      plain: true,
      headers: { accept: "application/json, text/event-stream" },
      json: { jsonrpc: "2.0", id: 1, method, params },
    });
  const tool = (name, args) => mcp("tools/call", { name, arguments: args });
  const uri = `docent://projects/${agent.id}/documents/${checked.id}`;
  return {
    message: told(message),
    stream: told((await agent.stream(question, { json: fields })).reply),
    form: told(await sent({ urlencoded: { prompt: question, labels: JSON.stringify(labels) } })),
    "form of parts": told(await sent({ form: form({ prompt: question, labels: JSON.stringify(labels) }) })),
    overview: told(await sent({ json: { prompt: "What do you know about?", ...fields } })),
    "follow-up": told(await sent({ json: { prompt: `So: ${question}`, ...fields } })),
    "other words": told(await sent({ json: { prompt: `${near}?`, ...fields } })),
    chat: told(await chat({})),
    "chat in pieces": told(await chat({ stream: true })),
    search: told(await agent.api("POST", "/search", { json: { query: question, ...fields } })),
    "search by words": told(await agent.api("POST", "/search", { json: { query: near, explain: true, ...fields } })),
    "search by address": told(
      await agent.api("GET", "/search", { query: { query: near, labels: JSON.stringify(labels) } }),
    ),
    trial: told(await agent.api("POST", "/trials", { json: { question, passages: 50, ...fields } })),
    "mcp ask": told(await tool("ask", { question })),
    "mcp search": told(await tool("search", { query: near })),
    "mcp read": told(await tool("read_document", { document_id: checked.id })),
    "mcp resource": told(await mcp("resources/read", { uri })),
    "mcp resources": told(await mcp("resources/list")),
    claims: told(await agent.api("GET", `${path}/messages/${message.id}/claims`)),
    export: told(await agent.api("GET", `${path}/export`)),
  };
}

/** A person of the account with these labels, who may only ask. */
async function byPerson({ kb, agent, checked }, person) {
  const asking = person.asking;
  const page = checked.id;
  const of = async (method, where, options = {}) => told(await agent.api(method, where, { ...asking, ...options }));
  return {
    "person's message": await of("POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: question } }),
    "person's search": await of("GET", "/search", { query: { query: near } }),
    "person's text": await of("GET", `/pages/${page}/text`),
    "person's passages": await of("GET", `/pages/${page}/passages`),
    "person's citation": await of("GET", `/citations/${page}`),
    "person's preview": told(await kb.api("GET", `/preview/${page}`, asking)),
  };
}

/** A visitor of the agent's page. */
async function byVisitor({ checked }, { call, ask }) {
  const { last, reply } = await ask(question);
  const talk = `/conversations/${last.session_id}`;
  const source = `${talk}/messages/${last.id}/sources/${checked.id}`;
  return {
    "visitor's message": told(reply),
    "visitor's conversation": told(await call("GET", talk)),
    "visitor's source": told(await call("GET", `${source}/text`)),
    "visitor's export": told(await call("GET", `${talk}/export`)),
  };
}

/** Those of the ways that told what only the answer says. */
const leaks = (ways) => Object.keys(ways).filter((way) => ways[way].includes(word));

const KINDS = [[], ["hr"], ["legal"], ["hr", "legal"]];

/** Of each kind a person of the account, and a visitor. */
async function peopleOf({ kb, agent, secret, slug }) {
  const people = new Map();
  const exp = Math.floor(Date.now() / 1000) + 600;
  for (const labels of KINDS) {
    const identity = labels.length ? sign({ sub: randomUUID(), labels, exp }, secret) : null;
    people.set(labels.join(), {
      ...(await invited(kb, { name: `Ann ${labels}`, labels, agents: [{ project_id: agent.id, rights: ["ask"] }] })),
      visitor: await visit(kb, slug, { identity }),
    });
  }
  return people;
}

/** Everybody sees the answer on every path who has all the labels that it needs, and nobody else on any. */
async function holds(all, people, needs, why) {
  for (const labels of KINDS) {
    const person = people.get(labels.join());
    const ways = {
      ...(await byKey(all, labels)),
      ...(await byPerson(all, person)),
      ...(await byVisitor(all, person.visitor)),
    };
    const opens = needs.every((name) => labels.includes(name));
    assert.deepEqual(
      leaks(ways),
      opens ? Object.keys(ways) : [],
      `${why}: asked as ${labels.join(" and ") || "nobody"}`,
    );
  }
}

test("a checked answer's own labels close it on every path", async (t) => {
  const all = await scene(t, ({ ids }) => ({ label_ids: [ids.hr] }));
  const people = await peopleOf(all);
  await holds(all, people, ["hr"], "it has a label");
  await all.agent.expect(200, "PUT", `/answers/${all.checked.id}`, { json: { label_ids: [] } });
  await holds(all, people, [], "it has none any more");
});

test("a checked answer is closed on every path by what closes the documents that it cites", async (t) => {
  const all = await scene(t, ({ page }) => ({ citations: [page.id] }));
  const { agent, page, checked, label, ids } = all;
  const people = await peopleOf(all);
  await holds(all, people, [], "nothing is labelled");
  await label(page.id, "hr");
  await holds(all, people, ["hr"], "its document has a label");
  const other = await agent.page("returns.txt");
  await label(other.id, "legal");
  await agent.expect(200, "PUT", `/answers/${checked.id}`, { json: { citations: [page.id, other.id] } });
  await holds(all, people, ["hr", "legal"], "it cites another");
  await label(page.id, "legal");
  await label(other.id);
  await holds(all, people, ["legal"], "its documents have other labels");
  await label(page.id);
  await holds(all, people, [], "they have none");

  const others = await peopleOf(all); // a visitor may ask so much a minute
  const { uploads } = await agent.expect(200, "GET", "/sources");
  const sourced = (...names) =>
    agent.expect(201, "PUT", `/sources/${uploads.id}`, { json: { label_ids: names.map((name) => ids[name]) } });
  await sourced("hr");
  await holds(all, others, ["hr"], "their source has a label");
  await sourced();
  await agent.expect(200, "DELETE", `/pages/${other.id}`);
  await holds(all, others, ["nobody"], "one of them was deleted");
});

test("a copy of an agent closes its checked answers as the agent did, whatever became of that", async (t) => {
  const all = await scene(t, ({ page }) => ({ citations: [page.id] }));
  await all.label(all.page.id, "hr");
  const copy = new Agent(all.kb, await all.agent.expect(201, "POST", "/replicate"), all.agent.key);
  await all.label(all.page.id);
  const record = await copy.expect(200, "POST", "", { json: { is_shared: true } });
  const { secret } = await copy.expect(201, "POST", "/embed-secret");
  const [checked] = (await copy.expect(200, "GET", "/answers")).data;
  const there = { ...all, agent: copy, checked, secret, slug: record.shareable_slug };
  await holds(there, await peopleOf(there), ["hr"], "the copy");
});

test("a question that is asked once a label was put on gets nothing, whatever is asked meanwhile", async (t) => {
  const { agent, label, page } = await scene(t, ({ page }) => ({ citations: [page.id] }));
  const ways = [
    async () => (await agent.ask(question)).llm_response,
    async () => (await agent.stream(question)).text,
    async () => JSON.stringify(await agent.expect(200, "POST", "/search", { json: { query: near } })),
  ];
  let closed = false; // nobody who asks from now on may see it
  let over = false;
  const seen = { open: 0, closed: 0 };
  const asking = ways.map(async (way) => {
    while (!over) {
      const begun = closed;
      const said = (await way()).includes(word);
      if (begun && closed) assert.equal(said, false, "it was asked when the label was there");
      seen[said ? "open" : "closed"]++;
    }
  });
  for (let round = 0; round < 12; round++) {
    const before = seen.closed;
    await label(page.id, "hr");
    closed = true;
    await until("some to ask", async () => seen.closed >= before + 6, 30_000, 5);
    closed = false;
    const opened = seen.open;
    await label(page.id);
    await until("some to see it again", async () => seen.open >= opened + 3, 30_000, 5);
  }
  over = true;
  await Promise.all(asking);
});

test("a talk goes on without what a label has closed since: neither said again nor named", async (t) => {
  const all = await scene(t, ({ page }) => ({ citations: [page.id] }));
  const { agent, checked, kb, label, page, slug } = all;
  const visitor = await visit(kb, slug);
  const { last } = await visitor.ask(question);
  assert.equal(last.sources[0].title, title);
  const session = randomUUID();
  const ask = (prompt, fields) =>
    agent.expect(200, "POST", `/conversations/${session}/messages`, { json: { prompt, ...fields } });
  assert.match((await ask(question, {})).llm_response, /QUILLWORT/);
  await label(page.id, "hr");
  for (const prompt of ["And what is it?", question, "Tell me more about the vault."]) {
    assert.ok(!told(await ask(prompt, {})).includes(word), prompt);
    assert.ok(!told((await visitor.ask(prompt, { session_id: last.session_id })).reply).includes(word), prompt);
  }
  assert.match((await ask(question, { labels: ["hr"] })).llm_response, /QUILLWORT/);
  const talk = `/conversations/${last.session_id}`;
  const [stored] = (await visitor.call("GET", talk)).data.messages;
  assert.deepEqual(
    stored.sources.map((source) => [source.title, source.url]),
    [
      [null, null],
      [null, null],
    ],
  );
  for (const rest of ["text", "file", "view/1", "view/1/words"])
    assert.equal(
      (await visitor.call("GET", `${talk}/messages/${last.id}/sources/${checked.id}/${rest}`)).status,
      404,
      rest,
    );
});

test("what begins a talk names no question and no answer that a label closes", async (t) => {
  const all = await scene(t, ({ page }) => ({ citations: [page.id] }));
  const { agent, kb, label, page, slug } = all;
  const begin = async () => {
    const visitor = await visit(kb, slug);
    const starters = async () => (await visitor.call("GET", "/starters")).data;
    await until("the opening", async () => !(await starters()).is_coming, 30_000, 100);
    return JSON.stringify([await starters(), await agent.expect(200, "GET", "/opening")]);
  };
  assert.ok((await begin()).includes(word), "it is a question that is answered for sure");
  await label(page.id, "hr");
  assert.ok(!(await begin()).includes(word), "it is closed, at once");
  // Made anew with it closed, and with a question in it that three have asked who may see it.
  for (const external_id of ["ann", "bob", "eve"])
    await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
      json: { prompt: title, labels: ["hr"], external_id },
    });
  await agent.add({ "more.md": "# Crates\n\nA crate holds nine apples.\n" });
  assert.ok(!(await begin()).includes(word), "and so it stays");
});

test("who improves answers finds by trials, tests, gaps and conflicts what their own labels open", async (t) => {
  const all = await scene(t, ({ page }) => ({ citations: [page.id] }));
  const { agent, kb, label, page, ids } = all;
  const secret = `It is told that ${word} hangs in the hall.`;
  await agent.add({
    "vault-old.md": `# The vault\n\nThe vault of ${word} holds 40 crates.\n`,
    "vault-new.md": `# The vault\n\nThe vault of ${word} holds 70 crates.\n`,
  });
  const [old, now] = [await agent.page("vault-old.md"), await agent.page("vault-new.md")];
  for (const one of [page, old]) await label(one.id, "hr");
  await agent.expect(200, "PUT", `/pages/${old.id}/metadata`, { json: { title: secret } });
  await label(now.id, "hr");
  const checkers = new Map();
  for (const labels of [[], ["hr"]])
    checkers.set(
      labels.join(),
      await invited(kb, { name: "Checker", labels, agents: [{ project_id: agent.id, rights: ["answers"] }] }),
    );
  await until("the conflict", async () => !(await agent.expect(200, "GET", "/conflicts")).is_coming, 60_000, 100);
  assert.ok(JSON.stringify(await agent.expect(200, "GET", "/conflicts")).includes(word), "who keeps it sees it");
  for (const external_id of ["ann", "bob", "eve"])
    await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, { json: { prompt: near, external_id } });
  let gaps;
  await until("a gap", async () => (gaps = (await agent.expect(200, "GET", "/gaps")).data).length > 0);
  const ways = async ({ asking }) => {
    const of = async (method, where, options = {}) => told(await agent.api(method, where, { ...asking, ...options }));
    return {
      trial: await of("POST", "/trials", { json: { question, passages: 50 } }),
      conflicts: await of("GET", "/conflicts"),
      "a test's document": await of("POST", "/tests", { json: { question: "Who is it?", documents: [old.id] } }),
    };
  };
  assert.deepEqual(leaks(await ways(checkers.get(""))), []);
  const open = await ways(checkers.get("hr"));
  assert.deepEqual(leaks(open), Object.keys(open));
  for (const { id } of gaps)
    assert.ok(!told(await agent.api("GET", `/gaps/${id}`, checkers.get("").asking)).includes(word), "a gap's passages");
  for (const labels of [["hr"], [ids.hr], [["hr"]]]) {
    const reply = await agent.api("POST", "/trials", { ...checkers.get("").asking, json: { question, labels } });
    assert.deepEqual(
      [reply.status, leaks({ reply: reply.text })],
      [403, []],
      "nobody names labels that are not theirs",
    );
  }
});
