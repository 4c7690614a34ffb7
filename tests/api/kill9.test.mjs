// kill -9 is a power cut. Clients upload, ask, delete, change settings and label; at a random moment
// the process is killed; after each start everything that was acknowledged is there, nothing is half
// there or undone, and in the end nothing is stuck and every reference holds. DOCENT_SEED tries other
// moments.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { assert, form, patient, sleep, start, test } from "./lib/harness.mjs";
import { Agent } from "./lib/service.mjs";
import { namedEvents } from "./lib/sse.mjs";
import { seeded, unique } from "./lib/util.mjs";

const SEED = Number(process.env.DOCENT_SEED ?? 9);
const ROUNDS = Number(process.env.DOCENT_ROUNDS ?? (process.env.DOCENT_TEST_POSTGRES ? 30 : 60));
// What clients get done between two cuts depends on what a commit costs.
const ENOUGH = process.env.DOCENT_TEST_POSTGRES ? ROUNDS / 2 : ROUNDS;
const AGENT_ROUNDS = 12; // an agent is written to for so many rounds, then another one is
const SETTLE_ROUNDS = 20; // every so many rounds the queue must run empty
const CLIENTS = 12;
// Each client has a setting of its own in every agent: so the last acknowledged value is known, and a
// change that takes another client's with it is seen.
const FIELDS = [
  "default_prompt",
  "citations_answer_source_label_msg",
  "citations_sources_label_msg",
  "hang_in_there_msg",
  "chatbot_siesta_msg",
  "chatbot_failed_moderation_msg",
  "account_out_of_queries_msg",
  "ending_message",
  "try_asking_questions_msg",
  "view_more_msg",
  "view_less_msg",
  "pdf_limited_page_label",
];

/** What one writer wrote: the last acknowledged value, and those sent since without an answer. */
class Register {
  constructor(value) {
    this.allowed = [value];
  }

  sending(value) {
    this.allowed.push(value);
  }

  acknowledged(value) {
    this.allowed = [value];
  }

  /** Found after a start: from then on it is that. */
  found(value, what) {
    const same = (one) => JSON.stringify(one) === JSON.stringify(value);
    assert.ok(
      this.allowed.some(same),
      `${what} is ${JSON.stringify(value)}, not one of ${JSON.stringify(this.allowed)}`,
    );
    this.allowed = [value];
  }
}

/** What the clients know: acknowledged, or sent without an answer (maybe). */
class World {
  constructor(kb, random) {
    Object.assign(this, { kb, random, agents: [], messages: [], words: 0 });
    this.begin();
  }

  /** What happened in this round alone. */
  begin() {
    this.round = {
      touched: new Set(),
      agents: [],
      uploads: [],
      messages: [],
      sessions: [],
      pageDeletes: [],
      sessionDeletes: [],
    };
  }

  get agent() {
    return this.agents.at(-1);
  }

  /** n files that each speak of a thing of their own. */
  files(n) {
    const files = {},
      things = {};
    for (let i = 0; i < n; i++) {
      const word = unique(this.words++);
      things[`${word}.txt`] = word;
      files[`${word}.txt`] =
        `The ${word} engine was designed in the year ${1000 + (this.words % 900)} and weighs ${this.words} kilograms.\n`;
    }
    return { files, things };
  }
}

/** What is known of an agent beside its documents (things) and those that were deleted (gone). */
function known(name, things) {
  return {
    name,
    things: new Map(Object.entries(things)),
    gone: new Set(),
    settings: new Map(),
    labels: new Map(),
    pageLabels: new Map(),
  };
}

/** A request whose answer may never come: undefined then. Any answer but a success is a failure. */
async function attempt(what, request) {
  let reply;
  try {
    reply = await request();
  } catch (error) {
    if (["ECONNRESET", "ECONNREFUSED", "EPIPE"].includes(error.code) || /aborted|hang up/.test(error.message))
      return undefined;
    throw error;
  }
  assert.ok(reply.status < 300, `${what}: ${reply.status} ${reply.text}`);
  return reply;
}

async function createAgent(world) {
  const { files, things } = world.files(1 + world.random.int(3));
  const name = `agent ${randomUUID()}`;
  const reply = await attempt("create", () =>
    world.kb.api("POST", "/projects", { form: form({ project_name: name }, files) }),
  );
  const made = { ...known(name, things), handle: reply && new Agent(world.kb, reply.data) };
  if (reply) world.agents.push(made);
  world.round.agents.push(made);
}

async function upload(world, agent) {
  const { files, things } = world.files(1 + world.random.int(4));
  const reply = await attempt("upload", () => agent.handle.api("POST", "", { form: form({}, files) }));
  if (reply) for (const [name, word] of Object.entries(things)) agent.things.set(name, word);
  world.round.uploads.push({ agent, things, sure: Boolean(reply) });
}

async function send(world, agent) {
  const session =
    world.random() < 0.3 && world.round.sessions.length
      ? world.random.pick(world.round.sessions).session
      : randomUUID();
  const word = world.random.pick([...agent.things.values()]);
  const prompt = `How much does the ${word} engine weigh?`;
  const stream = world.random() < 0.5;
  world.round.sessions.push({ agent, session });
  const reply = await attempt("send", () =>
    agent.handle.api("POST", `/conversations/${session}/messages`, {
      query: stream ? "stream=true" : "",
      json: { prompt },
    }),
  );
  if (!reply) return;
  let data = reply.data;
  if (stream) {
    const events = namedEvents(reply.bytes);
    assert.equal(events.at(-1).event, "finish", reply.text);
    data = {
      ...events.at(-1).data,
      llm_response: events
        .filter((e) => e.event === "progress")
        .map((e) => e.data.message)
        .join(""),
    };
  }
  world.round.messages.push({
    agent,
    session,
    id: data.id,
    prompt,
    text: data.llm_response,
    citations: data.citations,
  });
}

async function deletePage(world, agent) {
  const list = await attempt("list", () => agent.handle.api("GET", "/pages", { query: { limit: 20 } }));
  if (!list?.data.pages.data.length || agent.things.size < 5) return;
  const page = world.random.pick(list.data.pages.data);
  let reply;
  try {
    reply = await agent.handle.api("DELETE", `/pages/${page.id}`);
  } catch {
    reply = undefined;
  }
  if (reply && reply.status !== 200 && reply.status !== 404) assert.fail(`delete: ${reply.text}`); // 404: another client was first
  world.round.pageDeletes.push({ agent, page, sure: reply?.status === 200 });
  if (reply?.status === 200) agent.gone.add(page.filename);
}

async function changeSetting(world, agent, field) {
  const value = `text ${world.words++}`;
  if (!agent.settings.has(field)) {
    const before = await attempt("settings", () => agent.handle.api("GET", "/settings"));
    if (!before) return;
    agent.settings.set(field, new Register(before.data[field]));
  }
  const register = agent.settings.get(field);
  register.sending(value);
  world.round.touched.add(agent);
  const reply = await attempt("settings", () => agent.handle.api("POST", "/settings", { json: { [field]: value } }));
  if (reply) register.acknowledged(value);
}

/** Makes a label, puts one on a document, or deletes one that no document has. */
async function changeLabels(world, agent, me) {
  const mine = [...agent.labels.values()].filter(
    (label) => label.owner === me && label.id && label.state.allowed.at(-1),
  );
  const chance = world.random();
  world.round.touched.add(agent);
  if (!mine.length || chance < 0.3) {
    const label = { owner: me, name: `label ${world.words++}`, used: false, state: new Register(false) };
    agent.labels.set(label.name, label);
    label.state.sending(true);
    const reply = await attempt("label", () => agent.handle.api("POST", "/labels", { json: { name: label.name } }));
    if (reply) label.id = reply.data[0].id;
    if (reply) label.state.acknowledged(true);
  } else if (chance < 0.45) {
    const label = mine.find((one) => !one.used);
    if (!label) return;
    label.state.sending(false);
    const reply = await attempt("label deleted", () => agent.handle.api("DELETE", `/labels/${label.id}`));
    if (reply) label.state.acknowledged(false);
  } else {
    const list = await attempt("list", () => agent.handle.api("GET", "/pages", { query: { limit: 50 } }));
    // Each document is labelled by one client alone.
    const page = list?.data.pages.data.find((one) => one.id % CLIENTS === me);
    if (!page) return;
    const label = world.random.pick(mine);
    label.used = true;
    if (!agent.pageLabels.has(page.filename)) agent.pageLabels.set(page.filename, new Register([]));
    const register = agent.pageLabels.get(page.filename);
    register.sending([label.name]);
    let reply;
    try {
      reply = await agent.handle.api("PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
    } catch {
      return;
    }
    if (reply.status === 200) register.acknowledged([label.name]);
    else assert.equal(reply.status, 404, reply.text); // another client deleted it
  }
}

async function deleteSession(world, agent) {
  const mine = world.round.messages.filter((m) => m.agent === agent);
  if (!mine.length) return;
  const { session } = world.random.pick(mine);
  let reply;
  try {
    reply = await agent.handle.api("DELETE", `/conversations/${session}`);
  } catch {
    reply = undefined;
  }
  world.round.sessionDeletes.push({ agent, session, sure: reply?.status === 200 });
}

/** One client: one thing after another until the power goes. */
async function client(world, power, me) {
  while (power.on) {
    const chance = world.random();
    const agent = world.agent;
    if (!agent || chance < 0.02) await createAgent(world);
    else if (chance < 0.25) await upload(world, agent);
    else if (chance < 0.6) await send(world, agent);
    else if (chance < 0.68) await deletePage(world, agent);
    else if (chance < 0.72) await deleteSession(world, agent);
    else if (chance < 0.86) await changeSetting(world, agent, FIELDS[me]);
    else await changeLabels(world, agent, me);
  }
}

/** Documents of an agent by name, after checking each for itself. */
async function pagesOf(agent) {
  const byName = new Map();
  for (const page of await agent.handle.pages()) {
    assert.ok(!byName.has(page.filename), `${page.filename} is there once`);
    assert.ok(
      ["queued", "ok"].includes(page.index_status),
      `${page.filename} is ${page.index_status}: ${page.status_reason}`,
    );
    assert.equal(page.crawl_status, page.index_status);
    byName.set(page.filename, page);
  }
  return byName;
}

async function isFound(agent, page, word) {
  // Its own first words: whatever an answer is worth, this is in the document.
  const answer = await agent.handle.ask(`The ${word} engine was designed in the year`, { session: "probe" });
  assert.deepEqual(answer.citations, [page.id], `${page.filename} is ok, so it is found: ${answer.llm_response}`);
}

async function isNotFound(agent, filename, pageId, why = "was deleted") {
  const answer = await agent.handle.ask(`The ${filename.replace(".txt", "")} engine was designed in the year`, {
    session: "probe",
  });
  assert.ok(!(answer.citations ?? []).includes(pageId), `${filename} ${why}, so it is not found`);
}

/** All or nothing: those of a request without an answer. */
function wholeOrNot(what, names, pages, gone) {
  const wanted = names.filter((name) => !gone.has(name));
  const there = wanted.filter((name) => pages.has(name));
  assert.ok(
    there.length === 0 || there.length === wanted.length,
    `${what}: ${there.length} of ${wanted.length} documents are there`,
  );
  return there.length > 0 || wanted.length === 0;
}

async function verifyAgents(world) {
  const { round } = world;
  for (const made of round.agents.filter((a) => !a.handle)) {
    const list = await world.kb.expect(200, "GET", "/projects", { query: { name: made.name } });
    assert.ok(list.total <= 1);
    if (list.total === 0) continue;
    made.handle = new Agent(world.kb, list.data[0]);
    const pages = await pagesOf(made);
    assert.deepEqual(
      [...pages.keys()].sort(),
      [...made.things.keys()].sort(),
      "an agent appears with all its documents",
    );
    world.agents.unshift(made); // not written to, but kept
  }
}

async function verifyPages(world, agent) {
  const { round } = world;
  const pages = await pagesOf(agent);
  // Deletes without an answer may have happened or not.
  for (const { page, sure } of round.pageDeletes.filter((d) => d.agent === agent)) {
    if (sure) assert.ok(!pages.has(page.filename), `${page.filename} was deleted and stays so`);
    else if (!pages.has(page.filename)) agent.gone.add(page.filename);
  }
  for (const { things, sure } of round.uploads.filter((u) => u.agent === agent && !u.sure))
    if (!sure && wholeOrNot("an upload", Object.keys(things), pages, agent.gone))
      for (const [name, word] of Object.entries(things)) agent.things.set(name, word);
  const wanted = [...agent.things.keys()].filter((name) => !agent.gone.has(name)).sort();
  assert.deepEqual([...pages.keys()].sort(), wanted, "every acknowledged document is there, and no other");
  const ok = wanted.filter((name) => pages.get(name).index_status === "ok" && !agent.pageLabels.has(name));
  for (const name of ok.slice(-2)) await isFound(agent, pages.get(name), agent.things.get(name));
  for (const { page, sure } of round.pageDeletes.filter((d) => d.agent === agent).slice(-1))
    if (sure) await isNotFound(agent, page.filename, page.id);
}

async function verifySettings(agent) {
  if (!agent.settings.size) return;
  const settings = await agent.handle.expect(200, "GET", "/settings");
  for (const [field, register] of agent.settings) register.found(settings[field], field);
}

async function verifyLabels(agent) {
  if (!agent.labels.size) return;
  const there = new Map();
  for (let page = 1, last = 1; page <= last; page++) {
    const list = await agent.handle.expect(200, "GET", "/labels", { query: { limit: 100, page } });
    last = list.last_page;
    for (const label of list.data) there.set(label.name, label.id);
  }
  for (const label of agent.labels.values()) {
    label.state.found(there.has(label.name), `the label ${label.name}`);
    label.id = there.get(label.name);
    there.delete(label.name);
  }
  assert.deepEqual([...there.keys()], [], "no other label is there");
  if (!agent.pageLabels.size) return;
  const pages = await pagesOf(agent);
  let hidden = 1;
  for (const [name, register] of agent.pageLabels) {
    if (!pages.has(name)) continue;
    const labels = (await agent.handle.expect(200, "GET", `/pages/${pages.get(name).id}/labels`)).map(
      (label) => label.name,
    );
    register.found(labels, `labels of ${name}`);
    if (labels.length && hidden-- > 0) await isNotFound(agent, name, pages.get(name).id, "has a label");
  }
}

async function verifyMessages(world) {
  const { round } = world;
  const deleted = new Map(round.sessionDeletes.map((d) => [d.session, d]));
  for (const { agent, session, id, prompt, text, citations } of round.messages) {
    if (deleted.has(session)) continue;
    const message = await agent.handle.expect(200, "GET", `/conversations/${session}/messages/${id}`);
    assert.deepEqual([message.user_query, message.llm_response, message.citations], [prompt, text, citations]);
    world.messages.push({ agent, session, id, text });
  }
  for (const { agent, session } of round.sessions) {
    const reply = await agent.handle.api("GET", `/conversations/${session}/messages`, { query: { limit: 100 } });
    if (reply.status === 404) continue;
    assert.equal(reply.status, 200);
    for (const message of reply.data.messages.data)
      assert.ok(message.user_query.length > 0 && message.llm_response.length > 0, "no message is half there");
  }
  for (const { agent, session, sure } of round.sessionDeletes) {
    // Another client may have written to it since; then it began anew.
    const reply = await agent.handle.api("GET", `/conversations/${session}/messages`);
    if (sure && reply.status === 200) assert.ok(round.sessions.filter((s) => s.session === session).length > 1);
  }
}

async function verify(world) {
  await verifyAgents(world);
  const touched = new Set([...world.round.uploads, ...world.round.pageDeletes].map((x) => x.agent));
  for (const agent of touched) await verifyPages(world, agent);
  for (const agent of world.round.touched) {
    await verifySettings(agent);
    await verifyLabels(agent);
  }
  await verifyMessages(world);
}

test(
  `nothing acknowledged is lost and nothing is half there through ${ROUNDS} power cuts`,
  { timeout: 420_000 },
  async (t) => {
    const kb = await start(t, { args: ["--log", "warn"] });
    const world = new World(kb, seeded(SEED));
    for (let round = 1; round <= ROUNDS; round++) {
      world.begin();
      if (!world.agent || round % AGENT_ROUNDS === 0) await createAgent(world);
      const power = { on: true };
      const clients = Array.from({ length: CLIENTS }, (_, me) =>
        client(world, power, me).finally(() => (power.on = false)),
      );
      // The slower the machine, the later: something has to be under way.
      await sleep(patient(2 + world.random.int(world.random() < 0.7 ? 60 : 220)));
      await kb.kill9();
      power.on = false;
      await Promise.all(clients);
      if (world.random() < 0.15) await kb.crashAtStart(world.random.int(80));
      await kb.restart();
      try {
        await verify(world);
      } catch (error) {
        error.message += `\n(seed ${SEED}, round ${round})`;
        throw error;
      }
      if (round % SETTLE_ROUNDS === 0) for (const agent of world.agents.slice(-4)) await agent.handle.settled();
    }

    // At rest: nothing is queued, everything is found, every message of every round is there.
    let documents = 0;
    for (const agent of world.agents) {
      await agent.handle.settled();
      const pages = await pagesOf(agent);
      documents += pages.size;
      for (const [name, page] of [...pages].filter(([name]) => !agent.pageLabels.has(name)).slice(0, 12))
        await isFound(agent, page, agent.things.get(name));
      await verifySettings(agent);
      await verifyLabels(agent);
      for (const name of [...agent.gone].slice(0, 3)) assert.ok(!pages.has(name));
      const stats = await agent.handle.expect(200, "GET", "/stats");
      assert.deepEqual([stats.pages_found, stats.pages_indexed], [pages.size, pages.size]);
    }
    const deleted = new Set();
    for (const { agent, session, id, text } of world.messages) {
      const reply = await agent.handle.api("GET", `/conversations/${session}/messages/${id}`);
      if (reply.status === 404) deleted.add(session);
      else assert.equal(reply.data.llm_response, text);
    }
    assert.equal(deleted.size, 0);
    assert.ok(
      documents > ENOUGH && world.messages.length > ENOUGH,
      `${documents} documents and ${world.messages.length} messages are enough of a test`,
    );
    await kb.restart();
    const leftovers = (await readdir(path.join(kb.dir, "tmp"))).filter((name) => !name.startsWith("."));
    assert.deepEqual(leftovers, [], "no temporary file of an earlier life is left");
    assert.equal(await kb.stop(), 0);
    const check = await kb.cli("check");
    assert.equal(check.code, 0, check.stdout + check.stderr);
    assert.match(check.stdout, /^sound$/m);
  },
);
