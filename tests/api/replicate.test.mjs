// A copy of an agent: it answers at once, with all that the original knows, and is from then on alone.
import { assert, form, start, test } from "./lib/harness.mjs";
import { library, questions } from "./lib/documents.mjs";
import { Agent } from "./lib/service.mjs";

const copyOf = async (agent, options) =>
  new Agent(agent.kb, await agent.expect(201, "POST", "/replicate", options), agent.key);

test("a copy answers at once, and cites documents of its own", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Library", files: library });
  await agent.ask(questions[0][0]);
  const copy = await copyOf(agent);
  assert.equal(copy.record.project_name, "Library (copy)");
  assert.equal(copy.record.is_chat_active, true);
  assert.equal(copy.record.is_shared, false);
  const theirs = new Set((await agent.pages()).map((page) => page.id));
  for (const [question, document, words] of questions) {
    const message = await copy.ask(question);
    assert.ok(message.llm_response.includes(words), message.llm_response);
    assert.deepEqual(await copy.sources(message), [document]);
    for (const id of message.citations)
      assert.ok(!theirs.has(id), "a citation of the copy names a document of the copy");
    const citation = await copy.expect(200, "GET", `/citations/${message.citations[0]}`);
    assert.equal(citation.id, message.citations[0]);
    const preview = await kb.api("GET", `/preview/${message.citations[0]}`);
    assert.equal(preview.text, library[document]);
  }
  const stats = await copy.expect(200, "GET", "/stats");
  assert.equal(stats.pages_indexed, 3);
  assert.equal(stats.total_queries, questions.length, "the original's questions are not the copy's");
  assert.equal((await copy.expect(200, "GET", "/conversations")).total, questions.length);
});

test("neither side sees what is done to the other", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Library", files: library });
  await agent.expect(200, "POST", "/settings", {
    json: { persona_instructions: "Be brief.", no_answer_message: "Nothing here." },
  });
  await agent.expect(200, "PUT", `/pages/${(await agent.page("espresso.md")).id}/metadata`, {
    json: { title: "Coffee" },
  });
  const copy = await copyOf(agent);
  const settings = await copy.expect(200, "GET", "/settings");
  assert.equal(settings.persona_instructions, "Be brief.");
  assert.equal(settings.no_answer_message, "Nothing here.");
  assert.equal((await copy.expect(200, "GET", "/settings/personas")).total, 2);
  const espresso = await copy.page("espresso.md");
  assert.equal((await copy.expect(200, "GET", `/pages/${espresso.id}/metadata`)).title, "Coffee");

  await copy.expect(200, "DELETE", `/pages/${(await copy.page("lighthouse.md")).id}`);
  await copy.expect(200, "POST", "/settings", {
    json: { no_answer_message: "Gone.", persona_instructions: "Be long." },
  });
  assert.equal((await copy.ask(questions[0][0])).llm_response, "Gone.");
  assert.ok((await agent.ask(questions[0][0])).llm_response.includes(questions[0][2]));
  assert.equal((await agent.expect(200, "GET", "/settings")).persona_instructions, "Be brief.");

  await agent.add({ "new.txt": "The harbour of Velmora was dredged in 1999." });
  assert.equal((await copy.ask("When was the harbour of Velmora dredged?")).llm_response, "Gone.");
  await agent.expect(200, "DELETE", `/pages/${(await agent.page("returns.txt")).id}`);
  assert.ok((await copy.ask(questions[3][0])).llm_response.includes("30 days"));

  await agent.expect(200, "DELETE");
  await kb.stop();
  const check = await kb.cli("check", "--data", kb.dir);
  assert.equal(check.code, 0, check.stdout + check.stderr);
  await kb.spawn(); // what the copy knows is read from the disk
  assert.ok((await copy.ask(questions[2][0])).llm_response.includes("27 months"));
});

test("what labels hide in the original they hide in the copy, and relabelling one leaves the other", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  await agent.expect(200, "PUT", `/pages/${(await agent.page("returns.txt")).id}/labels`, {
    json: { label_ids: [label.id] },
  });
  const copy = await copyOf(agent);
  const question = questions[3][0];
  const ask = (whom, labels) => whom.ask(question, { json: { prompt: question, labels } });
  for (const whom of [agent, copy]) {
    assert.ok(!(await ask(whom, [])).llm_response.includes("30 days"));
    assert.ok((await ask(whom, ["staff"])).llm_response.includes("30 days"));
  }
  const {
    data: [own],
  } = await copy.expect(200, "GET", "/labels");
  assert.equal(own.name, "staff");
  assert.notEqual(own.id, label.id);
  assert.ok(
    !(await ask(copy, [label.id])).llm_response.includes("30 days"),
    "an id of the original opens nothing in the copy",
  );
  await copy.expect(200, "PUT", `/pages/${(await copy.page("returns.txt")).id}/labels`, { json: { label_ids: [] } });
  assert.ok((await ask(copy, [])).llm_response.includes("30 days"));
  assert.ok(!(await ask(agent, [])).llm_response.includes("30 days"));
});

test("a copy of an agent that still reads its documents reads them too", async (t) => {
  const kb = await start(t);
  const agent = new Agent(
    kb,
    await kb.expect(201, "POST", "/projects", {
      form: form(
        { project_name: "Busy" },
        Object.fromEntries(
          Array.from({ length: 40 }, (_, i) => [`note ${i}.txt`, `The number of the vault ${i} is ${7000 + i}.`]),
        ),
      ),
    }),
  );
  const copies = [];
  for (let i = 0; i < 4; i++) copies.push(await copyOf(i % 2 ? copies[i - 1] : agent));
  for (const whom of [agent, ...copies]) {
    const pages = await whom.settled();
    assert.equal(pages.filter((page) => page.index_status === "ok").length, 40);
    assert.ok((await whom.ask("What is the number of the vault 31?")).llm_response.includes("7031"));
  }
});

test("names, limits and keys of copies", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "é".repeat(255), files: library });
  const copy = await copyOf(agent);
  assert.equal(copy.record.project_name, `${"é".repeat(248)} (copy)`);
  const limited = await kb.newKey({ agents: [agent.id] });
  await agent.expect(403, "POST", "/replicate", { key: limited });
  const key = await kb.newKey({ account: "small", plan: "basic" });
  const small = await kb.agent({ key, project_name: "Small", files: library });
  await copyOf(small);
  await copyOf(small);
  const reply = await small.api("POST", "/replicate");
  assert.equal(reply.status, 400);
  assert.match(reply.json.message, /reached your agent limit/);
});
