// docent export and docent import FILE: an agent goes into a file and comes out of it, in the same installation or
// another, from and to SQLite and PostgreSQL, directories and buckets; and nothing comes of a file that is not whole.
import { execFileSync, spawn } from "node:child_process";
import { readFile, readdir, stat, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { library, questions } from "./lib/documents.mjs";
import { database } from "./lib/postgres.mjs";
import { rowsOf } from "./lib/rows.mjs";
import { Agent, binary } from "./lib/service.mjs";
import { folder, unique } from "./lib/util.mjs";

async function done(args, env) {
  const found = await docent(args, { env });
  assert.equal(found.code, 0, found.stdout + found.stderr);
  return found.stdout;
}

async function refused(args, sentence) {
  const found = await docent(args);
  assert.equal(found.code, 1, found.stdout);
  assert.match(found.stderr, sentence);
}

/** A service on SQLite and a directory, or on a database of PostgreSQL's own, whatever the stories run on. */
async function served(t, { url, ...options } = {}) {
  const dir = await folder(t);
  const blob = path.join(dir, "blobs");
  const kb = await start(t, { ...options, env: { DOCENT_STORE: url ?? dir, DOCENT_BLOB: blob, ...options.env } });
  return { kb, dir, at: ["--data", dir, "--store", url ?? dir, "--blob", blob] };
}

/** With everything on. */
async function furnish(kb) {
  const agent = await kb.agent({ project_name: "Library", files: library });
  const [staff] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff", "board"] } });
  await agent.expect(200, "PUT", "/labels", { json: { labels: [{ id: staff.id, users: ["ann@example.com"] }] } });
  await agent.add({ "secret.txt": "The word of the safe is quilmora.\n" });
  const { id: secret } = await agent.page("secret.txt");
  await agent.expect(200, "PUT", `/pages/${secret}/labels`, { json: { label_ids: [staff.id] } });
  const { id: coffee } = await agent.page("espresso.md");
  await agent.expect(200, "PUT", `/pages/${coffee}/metadata`, {
    json: { title: "Coffee", url: "https://example.com/coffee", description: "How it is made" },
  });
  for (const persona_instructions of ["Be brief.", "Be long."])
    await agent.expect(200, "POST", "/settings", { json: { persona_instructions } });
  await agent.expect(200, "POST", "/settings", { json: { no_answer_message: "Nothing here." } });
  await agent.expect(201, "POST", "/answers", {
    json: { questions: ["Who made this?"], answer: "The harbour's library made it.", citations: [coffee] },
  });
  const asked = await agent.ask(questions[0][0], { session: "3b6c1f5e-8f7b-4a44-9d0b-1f1f6f0e7a10" });
  await agent.expect(200, "PUT", `/conversations/${asked.session}/messages/${asked.id}/feedback`, {
    json: { reaction: "liked" },
  });
  await agent.add({ "old.txt": "The old harbour was closed.\n" });
  const { id: old } = await agent.page("old.txt");
  await agent.expect(200, "DELETE", `/pages/${old}`);
  return agent;
}

/** What there is of the agent, without what must be another: times of requests, addresses. */
async function recordOf(agent) {
  const all = async (route, query = {}) =>
    (await agent.expect(200, "GET", route, { query: { order: "asc", ...query } })).data;
  const names = new Map((await agent.pages()).map(({ id, filename }) => [id, filename]));
  const pages = [];
  for (const { id, filename, filesize, index_status } of await agent.pages()) {
    const { title, description } = await agent.expect(200, "GET", `/pages/${id}/metadata`);
    const labels = (await agent.expect(200, "GET", `/pages/${id}/labels`)).map(({ name }) => name);
    pages.push([filename, filesize, index_status, title, description, labels]);
  }
  const talks = [];
  for (const { session_id, name } of await all("/conversations")) {
    const { messages } = await agent.expect(200, "GET", `/conversations/${session_id}/messages`, {
      query: { order: "asc" },
    });
    for (const one of messages.data) {
      const cited = one.citations?.map((id) => names.get(id) ?? "gone");
      const { claims } = await agent.expect(200, "GET", `/conversations/${session_id}/messages/${one.id}/claims`);
      talks.push([
        ...[session_id, name, one.user_query, one.llm_response, one.created_at, cited],
        one.response_feedback?.reaction,
        claims.map(({ claim, status, sources }) => [claim, status, sources.map((id) => names.get(id))]),
      ]);
    }
  }
  return {
    pages: pages.sort(),
    talks,
    labels: (await all("/labels")).map(({ name, users }) => [name, users]),
    personas: (await all("/settings/personas")).map(({ instructions }) => instructions),
    answers: (await all("/answers")).map(({ questions, answer, citations }) => [
      questions,
      answer,
      citations.map(({ page_id, state }) => [names.get(page_id), state]),
    ]),
    said: (await agent.expect(200, "GET", "/settings")).no_answer_message,
  };
}

/** Word for word, and with the documents of the same name. */
async function answersOf(agent) {
  const names = new Map((await agent.pages()).map(({ id, filename }) => [id, filename]));
  const all = [];
  for (const question of [...questions.map(([one]) => one), "Who made this?", "What is the word of the safe?"]) {
    const { llm_response, citations } = await agent.ask(question);
    all.push([question, llm_response, citations?.map((id) => names.get(id))]);
  }
  return all;
}

/** The agent that a command's line names as the one here. */
function came(kb, told) {
  const [, id] = /is agent (\d+) here/.exec(told);
  return new Agent(kb, { id: Number(id) }, kb.key);
}

async function sound(at, env) {
  const checked = await docent(["check", ...at], { env });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
}

async function story(t, from, to) {
  const agent = await furnish(from.kb);
  const before = await recordOf(agent);
  const file = path.join(await folder(t), "library.agent");
  const told = await done(["export", "--agent", String(agent.id), "--to", file, ...from.at]);
  assert.match(told, /^agent \d+, "Library", is in .*: \d+ rows, \d+ blobs, \d+ bytes\n$/);
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  const answers = await answersOf(agent);

  const other = came(to.kb, await done(["import", file, ...to.at]));
  assert.deepEqual(await recordOf(other), before);
  assert.deepEqual(await answersOf(other), answers);
  assert.ok(
    (await other.pages()).every(({ filename }) => filename !== "old.txt"),
    "what was deleted stays there",
  );
  await other.add({ "new.txt": "The word of the new room is ambrella.\n" });
  assert.match((await other.ask("What is the word of the new room?")).llm_response, /ambrella/);
  return { agent, other, file, answers, before };
}

test("an agent goes into a file and comes out of it in another installation, and answers word for word", async (t) => {
  const from = await served(t);
  const to = await served(t);
  const { agent, other, file, before } = await story(t, from, to);
  assert.equal(other.id, agent.id, "ids stay where nothing has come to them");
  const again = came(to.kb, await done(["import", file, ...to.at]));
  assert.notEqual(again.id, other.id, "and are new ones where something has");
  assert.deepEqual(await recordOf(again), before);
  await to.kb.stop();
  await sound(to.at);
  const { stdout } = await docent(["audit", "verify", ...to.at]);
  assert.match(stdout, /rows/);
});

test("it comes back into the installation that it left, with ids of its own, and both live on", async (t) => {
  const here = await served(t);
  const { agent, other } = await story(t, here, here);
  assert.notEqual(other.id, agent.id);
  await here.kb.expect(200, "DELETE", `/projects/${agent.id}`);
  assert.match((await other.ask(questions[0][0])).llm_response, new RegExp(questions[0][2]));
  await here.kb.stop();
  await sound(here.at);
});

test("it goes from SQLite to PostgreSQL and back", async (t) => {
  const lite = await served(t);
  const server = await served(t, { url: (await database()).url });
  const { other, before } = await story(t, lite, server);
  const file = path.join(await folder(t), "back.agent");
  await done(["export", "--agent", String(other.id), "--to", file, ...server.at]);
  const back = came(lite.kb, await done(["import", file, ...lite.at]));
  const after = await recordOf(back);
  assert.deepEqual(after.talks.slice(0, 1), before.talks);
  assert.deepEqual(after.pages.length, before.pages.length + 1);
  await server.kb.stop();
  await sound(server.at);
});

test("conversations stay where they are when that is said", async (t) => {
  const from = await served(t);
  const to = await served(t);
  const agent = await furnish(from.kb);
  const file = path.join(await folder(t), "a.agent");
  const told = await done([
    ...["export", "--agent", String(agent.id), "--to", file, "--without-conversations"],
    ...from.at,
  ]);
  assert.match(told, /without conversations/);
  assert.ok(!(await readFile(file)).includes("3b6c1f5e"));
  const came_told = await done(["import", file, ...to.at]);
  assert.match(came_told, /0 conversations;.*\nit was exported without conversations\n/);
  const other = came(to.kb, came_told);
  assert.deepEqual((await other.expect(200, "GET", "/conversations")).data, []);
  assert.deepEqual(await answersOf(other), await answersOf(agent));
});

test("what waits to be read when it leaves is read where it arrives", async (t) => {
  const from = await served(t);
  const to = await served(t);
  const agent = await from.kb.agent({ files: {} });
  const dir = await folder(t);
  for (let i = 0; i < 60; i++)
    await writeFile(path.join(dir, `w${i}.txt`), `The word of room ${i} is w${unique(i)}.\n`);
  const sent = docent([
    "add",
    "--url",
    from.kb.url,
    "--key",
    from.kb.key,
    "--agent",
    String(agent.id),
    "--no-wait",
    dir,
  ]);
  await until("the first document", async () => (await agent.pages()).length > 0);
  const file = path.join(await folder(t), "a.agent");
  await done(["export", "--agent", String(agent.id), "--to", file, ...from.at]);
  await sent;
  const other = came(to.kb, await done(["import", file, ...to.at]));
  await until("all documents", async () => (await other.pages()).every(({ index_status }) => index_status === "ok"));
  const [{ filename }] = await other.pages();
  const i = Number(/\d+/.exec(filename)[0]);
  assert.match((await other.ask(`What is the word of room ${i}?`)).llm_response, new RegExp(unique(i)));
  await to.kb.stop();
  await sound(to.at);
});

test("a file that is cut off, damaged, longer or none of ours is refused, and nothing is left", async (t) => {
  const from = await served(t);
  const agent = await furnish(from.kb);
  const dir = await folder(t);
  const file = path.join(dir, "a.agent");
  await done(["export", "--agent", String(agent.id), "--to", file, ...from.at]);
  await refused(["export", "--agent", String(agent.id), "--to", file, ...from.at], /a\.agent is there already/);
  await refused(["export", "--agent", "999", "--to", `${file}2`, ...from.at], /999/);
  assert.deepEqual(await readdir(dir), ["a.agent"]);

  const to = await served(t);
  const whole = await readFile(file);
  const bad = path.join(dir, "bad.agent");
  const blobs = await readdir(path.join(to.dir, "blobs"));
  const cases = [
    ...[0, 5, 15, 20, 200, whole.length >> 1, whole.length - 40, whole.length - 1].map((n) => whole.subarray(0, n)),
    Buffer.concat([whole, Buffer.from("x")]),
    Buffer.from("an agent that is none\n".repeat(20)),
    Buffer.concat([Buffer.from("docent agent 2\n"), whole.subarray(15)]),
  ];
  for (let i = 0; i < 60; i++) {
    const bytes = Buffer.from(whole);
    bytes[Math.floor(((i + 0.5) * whole.length) / 60)] ^= 1 << (i % 8);
    cases.push(bytes);
  }
  for (const bytes of cases) {
    await writeFile(bad, bytes);
    await refused(
      ["import", bad, ...to.at],
      /bad\.agent: (it is (cut off|damaged|no agent that docent export has written)|it was written by a newer|something stands)/,
    );
  }
  await refused(["import", path.join(dir, "none.agent"), ...to.at], /cannot read .*none\.agent/);
  const pipe = path.join(dir, "pipe.agent");
  execFileSync("mkfifo", [pipe]);
  for (const none of [pipe, dir]) await refused(["import", none, ...to.at], /it is no file/);
  // Whose it would have been is not made for it.
  await writeFile(bad, cases[3]);
  await refused(["import", bad, "--account", "newcomer", ...to.at], /it is cut off/);
  assert.deepEqual((await to.kb.expect(200, "GET", "/projects")).data, []);
  assert.deepEqual(await readdir(path.join(to.dir, "blobs")), blobs);
  await to.kb.stop();
  assert.deepEqual(await rowsOf(to.dir, "SELECT handle FROM accounts"), ["default"]);
  await sound(to.at);
});

test("an import that was ended leaves nothing to be seen, and the next one brings all of it", async (t) => {
  const from = await served(t);
  const agent = await furnish(from.kb);
  const answers = await answersOf(agent);
  const dir = await folder(t);
  const file = path.join(dir, "a.agent");
  await done(["export", "--agent", String(agent.id), "--to", file, ...from.at]);
  const to = await served(t);
  let ended = 0,
    shown = 0;
  for (let i = 0; i < 25; i++) {
    const child = spawn(binary, ["import", file, ...to.at], { stdio: "ignore" });
    const over = new Promise((resolve) => child.on("exit", (code) => resolve(code)));
    const timer = setTimeout(() => child.kill("SIGKILL"), 4 * i);
    const code = await over;
    clearTimeout(timer);
    ended += code === null;
    const { total } = await to.kb.expect(200, "GET", "/projects");
    // One that is killed right behind its end has brought all of it.
    assert.ok(total === shown + 1 || (code === null && total === shown), `${total} after ${shown}`);
    shown = total;
  }
  const pages = (await agent.pages()).length;
  const { data: all } = await to.kb.expect(200, "GET", "/projects", { query: { limit: 100 } });
  for (const one of all) assert.equal((await new Agent(to.kb, one).pages()).length, pages);
  assert.ok(ended > 2, `${ended} were ended`);
  const other = came(to.kb, await done(["import", file, ...to.at]));
  assert.deepEqual(await answersOf(other), answers);
  await to.kb.stop();
  await sound(to.at);
});

test("an export that was ended leaves no file of that name, or a whole one", async (t) => {
  const from = await served(t);
  const agent = await furnish(from.kb);
  const dir = await folder(t);
  const file = path.join(dir, "a.agent");
  for (let i = 0; i < 10; i++) {
    const child = spawn(binary, ["export", "--agent", String(agent.id), "--to", file, ...from.at], { stdio: "ignore" });
    const timer = setTimeout(() => child.kill(i % 2 ? "SIGKILL" : "SIGTERM"), 5 * i);
    const code = await new Promise((resolve) => child.on("exit", (status) => resolve(status)));
    clearTimeout(timer);
    if (code !== 0 && !(await readdir(dir)).includes("a.agent")) continue;
    assert.deepEqual(await answersOf(came(from.kb, await done(["import", file, ...from.at]))), await answersOf(agent));
    break;
  }
});
