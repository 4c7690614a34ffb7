// What the agent says of itself and of who asks; and its index opened before it is asked.
import { assert, start, test, until } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";

const set = (agent, json) => agent.expect(200, "POST", "/settings", { json });
const para = (word) => `${`The ${word} is described here at some length, so that the section has a passage of its own. `.repeat(14)}\n\n`;
const manual = `# Pump manual\n\n${para("pump")}## Installing\n\n${para("installing")}## Faults\n\n${para("fault")}## Care\n\n${para("care")}`;

test("an overview names titles and sections, and counts documents and passages", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { ...library, "manual.md": manual } });
  const { searched } = await agent.expect(200, "POST", "/search", { json: { query: "x" } });
  const says = async (prompt, json = {}) => (await agent.ask(prompt, { json: { prompt, ...json } })).llm_response;
  for (const prompt of ["What do you know about?", "What can you do?"]) {
    const text = await says(prompt);
    assert.ok(text.includes("- The Velmora Lighthouse"), text);
    assert.match(text, /- Pump manual \((Installing, )?Faults, Care\)/);
    assert.ok(text.includes(`Documents: 4. Passages: ${searched}.`), text);
  }
  const german = await says("Was weißt du?");
  assert.ok(german.includes(`Dokumente: 4. Abschnitte: ${searched}.`), german);
  // What the labels of a request close is in no line and no figure.
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["inner"] } });
  await agent.expect(200, "PUT", `/pages/${(await agent.page("manual.md")).id}/labels`, { json: { label_ids: [label.id] } });
  const closed = await says("What do you know about?");
  assert.ok(!closed.includes("Pump") && !closed.includes("Faults") && closed.includes("Documents: 3."), closed);
  assert.ok((await says("What do you know about?", { labels: ["inner"] })).includes("Documents: 4."));
  await set(agent, { enable_agent_knowledge_base_awareness: false });
  const off = await says("What can you do?");
  assert.ok(!off.includes("Documents:") && !off.includes("Velmora"), off);
  assert.equal(await says("What do you know about?"), noAnswer);
});

test("user_awareness: the agent knows the name of the key's account; off, it does not", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await kb.expect(200, "POST", "/user", { json: { name: "Ann Lee" } });
  for (const [prompt, want] of [["What is my name?", "Your name is Ann Lee."], ["Who am I?", "Your name is Ann Lee."], ["Wie heiße ich?", "Sie heißen Ann Lee."], ["我叫什么名字？", "您的名字是Ann Lee。"]]) {
    const message = await agent.ask(prompt);
    assert.deepEqual([message.llm_response, message.citations], [want, null], prompt);
  }
  assert.equal((await agent.stream("What is my name?")).text, "Your name is Ann Lee.");
  await set(agent, { user_awareness: false });
  const off = await agent.ask("What is my name?");
  assert.ok(!off.llm_response.includes("Ann"), off.llm_response);
});

test("ending_message is the reply to a goodbye", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  assert.equal((await agent.ask("Goodbye")).llm_response, "Goodbye!");
  await set(agent, { ending_message: "Farewell from the island." });
  assert.equal((await agent.ask("Bye!")).llm_response, "Farewell from the island.");
  assert.equal((await agent.ask("Auf Wiedersehen")).llm_response, "Farewell from the island.");
  assert.notEqual((await agent.ask("Thank you")).llm_response, "Farewell from the island.");
  for (const none of [null, ""]) {
    await set(agent, { ending_message: none });
    assert.equal((await agent.ask("Goodbye")).llm_response, "Goodbye!");
  }
});

test("beginning a conversation opens the agent's index before the first question", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const figures = async () => {
    const { text } = await kb.api("GET", "/metrics", { key: null });
    const value = (name) => Number(new RegExp(`^docent_${name} (\\S+)$`, "m").exec(text)[1]);
    return { open: value("open_agents"), loads: value("index_loads_total") };
  };
  const { session_id } = await agent.expect(201, "POST", "/conversations", { json: { name: "Before" } });
  for (const opening of [() => agent.expect(201, "POST", "/conversations", { json: { name: "First" } }), () => agent.expect(200, "GET", `/conversations/${session_id}/messages`)]) {
    await kb.restart();
    assert.deepEqual(await figures(), { open: 0, loads: 0 });
    await agent.expect(200, "GET");
    assert.equal((await figures()).loads, 0, "reading the agent opens nothing");
    await opening();
    await until("the index to be open", async () => (await figures()).open === 1);
    const { loads } = await figures();
    assert.equal(loads, 1);
    await agent.ask("Who built the Velmora lighthouse?", { session: session_id });
    assert.equal((await figures()).loads, loads, "the question found it open");
  }
});
