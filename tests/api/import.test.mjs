// docent import: agents of one service come to another, with all that the interface lets come; whatever ends it in
// the middle, nothing comes twice and nothing is missing.
import { spawn } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, sleep, start, test } from "./lib/harness.mjs";
import { library, questions } from "./lib/documents.mjs";
import { Agent, binary } from "./lib/service.mjs";
import { folder } from "./lib/util.mjs";

const commandOf = (from, to, map, ...more) => [
  ...["import", "--from", from.url, "--from-key", from.key, "--url", to.url, "--key", to.key, "--map", map],
  ...more,
];

async function done(args) {
  const found = await docent(args);
  assert.equal(found.code, 0, found.stdout + found.stderr);
  return found.stdout;
}

/** Two agents and a master of them, with everything on. */
async function furnish(kb) {
  const agent = await kb.agent({ project_name: "Library", files: library });
  const [staff] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff", "board"] } });
  await agent.expect(200, "PUT", "/labels", {
    json: { labels: [{ id: staff.id, users: ["ann@example.com", "bob@example.com"] }] },
  });
  await agent.add({ "secret.txt": "The word of the safe is quilmora.\n" });
  const { id: secret } = await agent.page("secret.txt");
  await agent.expect(200, "PUT", `/pages/${secret}/labels`, { json: { label_ids: [staff.id] } });
  const { id: coffee } = await agent.page("espresso.md");
  await agent.expect(200, "PUT", `/pages/${coffee}/metadata`, {
    json: { title: "Coffee", url: "https://example.com/coffee", description: "How it is made" },
  });
  for (const persona_instructions of ["Be brief.", "Be long."])
    await agent.expect(200, "POST", "/settings", { json: { persona_instructions } });
  await agent.expect(200, "POST", "/settings", {
    json: { no_answer_message: "Nothing here.", example_questions: ["What is here?"], citations_view_type: "hide" },
  });
  await agent.expect(201, "POST", "/answers", {
    json: {
      questions: ["Who made this?", "Whose is it?"],
      answer: "The harbour's library made it.",
      citations: [coffee],
    },
  });
  const asked = await agent.ask(questions[0][0], { session: "3b6c1f5e-8f7b-4a44-9d0b-1f1f6f0e7a10" });
  await agent.ask("What is the word of the safe?", { session: asked.session });
  await agent.expect(200, "PUT", `/conversations/${asked.session}/messages/${asked.id}/feedback`, {
    json: { reaction: "liked" },
  });
  await agent.expect(200, "PUT", `/conversations/${asked.session}`, { json: { name: "About the lighthouse" } });
  const other = await kb.agent({ project_name: "Harbour", files: { "h.txt": "The harbour opens at six.\n" } });
  const master = await kb.expect(201, "POST", "/projects", { json: { project_name: "Both", is_master: true } });
  await kb.expect(200, "POST", `/projects/${master.id}`, { json: { child_project_ids: [agent.id, other.id] } });
  return { agent, other };
}

/** What there is of all agents, without what must be another: ids, times, marks. */
async function recordsOf(kb) {
  const agents = (await kb.expect(200, "GET", "/projects", { query: { order: "asc" } })).data;
  const names = new Map(agents.map(({ id, project_name }) => [id, project_name]));
  const all = {};
  for (const record of agents) {
    const agent = new Agent(kb, record, kb.key);
    const labels = (await agent.expect(200, "GET", "/labels", { query: { order: "asc" } })).data;
    const pages = [];
    for (const page of await agent.pages()) {
      const metadata = await agent.expect(200, "GET", `/pages/${page.id}/metadata`);
      const ofPage = await agent.expect(200, "GET", `/pages/${page.id}/labels`);
      pages.push({
        name: page.filename,
        size: page.filesize,
        state: page.index_status,
        said: [metadata.title, metadata.url.replace(/^.*\/preview\/\d+$/, "its own"), metadata.description],
        labels: ofPage.map(({ name }) => name),
      });
    }
    const talks = [];
    for (const { session_id, name, created_at } of (await agent.expect(200, "GET", "/conversations")).data) {
      const { messages } = await agent.expect(200, "GET", `/conversations/${session_id}/messages`, {
        query: { order: "asc", includeInsights: true },
      });
      const said = messages.data.map((one) => [
        ...[one.user_query, one.llm_response, one.created_at, one.response_feedback?.reaction],
        ...[one.citations?.length, one.customer_intelligence.is_answered],
      ]);
      talks.push([session_id, name, created_at, said]);
    }
    const settings = JSON.parse(JSON.stringify(await agent.expect(200, "GET", "/settings")).replaceAll(kb.url, ""));
    const answers = (await agent.expect(200, "GET", "/answers", { query: { order: "asc" } })).data;
    const personas = (await agent.expect(200, "GET", "/settings/personas", { query: { order: "asc" } })).data;
    all[record.project_name] = {
      is_master: record.is_master,
      children: record.child_project_ids?.map((id) => names.get(id)),
      labels: labels.map(({ name, users }) => [name, users]),
      pages,
      talks,
      settings,
      personas: personas.map(({ instructions }) => instructions),
      answers: answers.map((one) => [one.questions, one.answer, one.citations.length]),
    };
  }
  return all;
}

async function answersAsBefore(kb) {
  const [record] = (await kb.expect(200, "GET", "/projects", { query: { name: "Library" } })).data;
  const agent = new Agent(kb, record, kb.key);
  for (const [question, , words] of questions) {
    const message = await agent.ask(question);
    assert.ok(message.llm_response.includes(words), message.llm_response);
  }
  assert.equal((await agent.ask("Whose is it?")).llm_response, "The harbour's library made it.");
  assert.equal((await agent.ask("What is the word of the safe?")).llm_response, "Nothing here.");
}

test("agents of another service come with all that the interface lets come, and once", async (t) => {
  const from = await start(t);
  const to = await start(t);
  const { agent } = await furnish(from);
  const before = await recordsOf(from);
  const map = path.join(await folder(t), "map");

  const told = await done(commandOf(from, to, map));
  assert.match(
    told,
    new RegExp(`agent ${agent.id} is \\d+ here, "Library": 4 documents, 2 labels, 0 sources, 1 checked`),
  );
  assert.match(told, /1 checked answers, 1 conversations\n[^]*\nall of it has come\n$/);
  assert.deepEqual(await recordsOf(to), before);
  const lines = (await readFile(map, "utf8")).split("\n");
  assert.deepEqual(JSON.parse(lines[0]), { import: from.url, to: to.url });
  assert.ok(lines.some((line) => line.includes('"kind":"page"')));

  // Again: only what is new.
  await agent.add({ "new.txt": "A new room was opened in May.\n" });
  await done(commandOf(from, to, map));
  assert.deepEqual(await recordsOf(to), await recordsOf(from));
  await answersAsBefore(to);
  const other = await docent(commandOf(to, from, map));
  assert.match(other.stderr, /is of another import: /);
  const wrong = await docent(commandOf({ url: from.url, key: "none" }, to, path.join(await folder(t), "m")));
  assert.match(wrong.stderr, /the service answered 401/);
  await to.stop();
  const checked = await to.cli("check");
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  await to.spawn();
});

/** Ends it a little later each time, and takes the end of its map away, until it comes to its end. */
async function withPowerCuts(args, map, steps, temp) {
  for (let cuts = 0; ; cuts++) {
    const child = spawn(binary, args, { stdio: ["ignore", "pipe", "pipe"], env: { ...process.env, TMPDIR: temp } });
    let text = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
    if ((await Promise.race([ended, sleep(steps * (cuts + 1))])) === undefined) child.kill("SIGKILL");
    const how = await ended;
    if (how === 0) return cuts;
    assert.equal(how, "SIGKILL", text);
    const lines = (await readFile(map, "utf8").catch(() => "")).split("\n");
    // What was brought last was not written down, or not to its end.
    if (lines.length > 2) await writeFile(map, lines.slice(0, -2).join("\n") + "\n" + (cuts % 2 ? '{"kind":"pa' : ""));
  }
}

test("an import that is ended again and again brings each thing once", async (t) => {
  const from = await start(t);
  const to = await start(t);
  await furnish(from);
  const map = path.join(await folder(t), "map"),
    temp = await folder(t);
  const cuts = await withPowerCuts(commandOf(from, to, map), map, 10, temp);
  assert.ok(cuts >= 2, `${cuts} cuts`);
  assert.deepEqual(await readdir(temp), []);
  assert.deepEqual(await recordsOf(to), await recordsOf(from));
  await answersAsBefore(to);
});

test("only the agents that are named come, and what cannot is told", async (t) => {
  const from = await start(t);
  const to = await start(t);
  const { agent, other } = await furnish(from);
  await from.expect(200, "POST", `/projects/${other.id}`, { json: { is_shared: true, file_data_retension: false } });
  await other.add({ "unkept.txt": "This file is not kept.\n" });
  const told = await done(commandOf(from, to, path.join(await folder(t), "map"), "--only", String(other.id)));
  assert.match(told, new RegExp(`^agent ${other.id} is \\d+ here, "Harbour": 1 documents`));
  assert.match(told, /1 uploads, whose files are not kept there: send them anew/);
  assert.match(told, /the address of its public page, which is another one now/);
  const agents = (await to.expect(200, "GET", "/projects")).data;
  assert.deepEqual(
    agents.map(({ project_name, is_shared }) => [project_name, is_shared]),
    [["Harbour", true]],
  );
  assert.ok(agent);
  for (const args of [["import"], ["import", "--from", from.url], ["import", "--only", "x"]])
    assert.equal((await docent(args)).code, 2, args.join(" "));
  await done(["import", "--help"]);
});

test("a conversation that was held elsewhere is brought whole or not at all, and counts as nobody's questions", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "h.txt": "The harbour opens at six.\n" } });
  const other = await kb.agent({ files: { "i.txt": "The inn closes at ten.\n" } });
  const where = "/conversations/3b6c1f5e-8f7b-4a44-9d0b-1f1f6f0e7a10/history";
  const [page] = await agent.pages();
  const [foreign] = await other.pages();
  const one = {
    user_query: "When?",
    llm_response: "At six.",
    created_at: "2020-05-01T10:00:00Z",
    citations: [page.id],
  };
  for (const [history, sentence] of [
    [[], /history must be a list/],
    [[one, { ...one, created_at: "2999-01-01T00:00:00Z" }], /history\[1\]\.created_at must be a time that has been/],
    [[one, { ...one, citations: [foreign.id] }], /history\[1\]\.citations must be ids of the agent's documents/],
    [[{ ...one, reaction: "loved" }], /history\[0\]\.reaction/],
    [[{ ...one, user_query: "" }], /history\[0\]\.user_query/],
  ])
    assert.match(JSON.stringify(await agent.expect(400, "POST", where, { json: { history } })), sentence);
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
  await agent.expect(201, "POST", where, { json: { history: [one, { ...one, user_query: "And then?" }] } });
  const again = await agent.expect(400, "POST", where, { json: { history: [one] } });
  assert.match(JSON.stringify(again), /has that conversation already/);
  const [talk] = (await agent.expect(200, "GET", "/conversations")).data;
  assert.deepEqual([talk.name, talk.created_at.slice(0, 10)], ["When?", "2020-05-01"]);
  assert.equal((await agent.expect(200, "GET", "/stats")).total_queries, 0);
});
