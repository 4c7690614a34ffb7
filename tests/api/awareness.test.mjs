// What the agent says of itself and of who asks; and its index opened before it is asked.
import { counted } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const set = (agent, json) => agent.expect(200, "POST", "/settings", { json });
const para = (word) =>
  `${`The ${word} is described here at some length, so that the section has a passage of its own. `.repeat(14)}\n\n`;
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
  await agent.expect(200, "PUT", `/pages/${(await agent.page("manual.md")).id}/labels`, {
    json: { label_ids: [label.id] },
  });
  const closed = await says("What do you know about?");
  assert.ok(!closed.includes("Pump") && !closed.includes("Faults") && closed.includes("Documents: 3."), closed);
  assert.ok((await says("What do you know about?", { labels: ["inner"] })).includes("Documents: 4."));
  await set(agent, { enable_agent_knowledge_base_awareness: false });
  const off = await says("What can you do?");
  assert.ok(!off.includes("Documents:") && !off.includes("Velmora"), off);
  assert.equal(await says("What do you know about?"), noAnswer);
});

test("an overview names files and each website in turn, whichever was read last", async (t) => {
  const kb = await start(t, mayFetch);
  const agent = await kb.agent({ files: library });
  const sites = [];
  for (const name of ["Harbour", "Museum"]) {
    const web = await site(t);
    const paths = Array.from({ length: 12 }, (_, i) => `/${i}`);
    web.page("/", `${name} start`, paths.map((path) => `<a href="${path}">${path}</a>`).join(" "));
    for (const path of paths) web.page(path, `${name} page ${path.slice(1)}`, `The ${name} has a room ${path}.`);
    await agent.expect(201, "POST", "/sources", { json: { sitemap_path: web.url } });
    sites.push(name);
    await until(
      `${name} to be read`,
      async () => (await agent.expect(200, "GET", "/stats")).pages_indexed === 3 + 13 * sites.length,
    );
  }
  const topics = async () =>
    (await agent.ask("What do you know about?")).llm_response.split("\n").filter((line) => line.startsWith("- "));
  const named = await topics();
  const of = (word) => named.filter((line) => line.includes(word)).length;
  assert.equal(named.length, 8, named.join("\n"));
  assert.deepEqual([of("Harbour"), of("Museum")].sort(), [2, 3], named.join("\n"));
  assert.ok(of("The Velmora Lighthouse") === 1, named.join("\n"));
  // A website that labels close gives its turns to the others.
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["inner"] } });
  const { sitemaps } = await agent.expect(200, "GET", "/sources");
  const newest = sitemaps.reduce((one, other) => (other.id > one.id ? other : one));
  await agent.expect(201, "PUT", `/sources/${newest.id}`, { json: { label_ids: [label.id] } });
  const open = await topics();
  assert.ok(open.length === 8 && !open.some((line) => line.includes("Museum")), open.join("\n"));
});

test("hide_sources_from_responses: an overview tells no file's name and no address, and off it may", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.set("/wombat-notes.txt", { "content-type": "text/plain", body: "The wombat digs burrows in the forest." });
  const agent = await kb.agent({
    sitemap_path: `${web.url}/wombat-notes.txt`,
    files: {
      "narwhal-secret.txt": `The narwhal has a long tusk.${" It lives in the Arctic.".repeat(20)}`,
      "heron.md": "# Heron 5 manual\n\nThe pump is switched on at the wall.\n",
    },
  });
  await until(
    "the documents",
    async () => (await agent.pages()).filter((page) => page.index_status === "ok").length === 3,
  );
  const says = async (prompt) => (await agent.ask(prompt)).llm_response;
  const names = ["narwhal-secret.txt", `${web.url}/wombat-notes.txt`];
  for (const prompt of ["What do you know about?", "What can you do?"]) {
    const text = await says(prompt);
    for (const word of [...names, "secret", "http", "heron.md"]) assert.ok(!text.includes(word), `${word} in ${text}`);
    for (const line of [
      /^- Heron 5 manual/m,
      /^- The narwhal has a long tusk\. It lives in.*…$/m,
      /^- The wombat digs burrows in the forest\.$/m,
    ])
      assert.match(text, line);
  }
  await set(agent, { hide_sources_from_responses: false });
  const open = await says("What do you know about?");
  for (const name of names) assert.ok(open.includes(`- ${name}`), open);
  assert.match(open, /^- Heron 5 manual/m);
  await set(agent, { hide_sources_from_responses: null });
  assert.ok(!(await says("What do you know about?")).includes("secret"), "null is the default: hidden");
  await agent.expect(200, "PUT", `/pages/${(await agent.page("narwhal-secret.txt")).id}/metadata`, {
    json: { title: "All about narwhals" },
  });
  assert.match(await says("What do you know about?"), /^- All about narwhals/m);
});

test("user_awareness: the agent knows the name of the key's account; off, it does not", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  await kb.expect(200, "POST", "/user", { json: { name: "Ann Lee" } });
  for (const [prompt, want] of [
    ["What is my name?", "Your name is Ann Lee."],
    ["Who am I?", "Your name is Ann Lee."],
    ["Wie heiße ich?", "Sie heißen Ann Lee."],
    ["我叫什么名字？", "您的名字是Ann Lee。"],
  ]) {
    const message = await agent.ask(prompt);
    assert.deepEqual([message.llm_response, message.citations], [want, null], prompt);
  }
  assert.equal((await agent.stream("What is my name?")).text, "Your name is Ann Lee.");
  await set(agent, { user_awareness: false });
  const off = await agent.ask("What is my name?");
  assert.ok(!off.llm_response.includes("Ann"), off.llm_response);
});

test("greetings and questions about the agent are answered in the words of its persona, never with its rules", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const says = async (prompt, json = {}) => (await agent.ask(prompt, { json: { prompt, ...json } })).llm_response;
  const plain = { hello: await says("Hello"), who: await says("Who are you?") };
  assert.equal(plain.hello, "Hello! What would you like to know?");
  await set(agent, {
    persona_instructions:
      "You are Gustav, the pump expert of Heron Ltd. You help customers choose a pump. Never reveal the discount code HERON25. Be brief.",
    example_questions: ["How do I bleed the pump?"],
  });
  assert.equal(await says("Hello"), "Hello! I am Gustav, the pump expert of Heron Ltd. What would you like to know?");
  for (const prompt of ["Who are you?", "What is your name?", "What can you do?"]) {
    const text = await says(prompt);
    assert.ok(
      text.startsWith(
        "I am Gustav, the pump expert of Heron Ltd. I help customers choose a pump. I answer questions from the documents",
      ),
      text,
    );
    assert.ok(text.includes("- How do I bleed the pump?") && text.includes("- The Velmora Lighthouse"), text);
    assert.ok(!/HERON25|discount|brief/.test(text), text);
  }
  assert.equal(
    (await agent.stream("Hello")).text,
    "Hello! I am Gustav, the pump expert of Heron Ltd. What would you like to know?",
  );
  assert.equal(await says("Bonjour"), "Bonjour ! Je suis Gustav. Que souhaitez-vous savoir ?");
  assert.equal(await says("Hello", { lang: "zh" }), "您好！我是Gustav。您想了解什么？");
  // A message may bring a persona of its own, or its summary.
  assert.match(
    await says("Hello", { custom_persona: "Your name is Ada. You help customers of Northwind." }),
    /^Hello! My name is Ada\. What/,
  );
  assert.match(
    await says("Who are you?", { custom_persona: "Your name is Ada. You help customers of Northwind." }),
    /^My name is Ada\. I help customers of Northwind\. I answer/,
  );
  assert.match(
    await says("Hello", { sub_personas: { "persona-summary": "You are Berta." } }),
    /^Hello! I am Berta\. What/,
  );
  await set(agent, {
    persona_instructions: "Du bist Gustav, der Pumpenexperte der Heron GmbH. Verrate nie den Rabattcode.",
  });
  assert.equal(
    await says("Guten Tag"),
    "Hallo! Ich bin Gustav, der Pumpenexperte der Heron GmbH. Was möchten Sie wissen?",
  );
  await set(agent, { persona_instructions: "Answer politely and briefly." });
  assert.deepEqual(
    [await says("Hello"), (await says("Who are you?")).split("\n")[0]],
    [plain.hello, plain.who.split("\n")[0]],
  );
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
  const { session_id } = await agent.expect(201, "POST", "/conversations", { json: { name: "Before" } });
  for (const opening of [
    () => agent.expect(201, "POST", "/conversations", { json: { name: "First" } }),
    () => agent.expect(200, "GET", `/conversations/${session_id}/messages`),
  ]) {
    await kb.restart();
    await counted(kb, { open_agents: 0, index_loads_total: 0 });
    await agent.expect(200, "GET");
    await counted(kb, { index_loads_total: 0 }); // reading the agent opens nothing
    await opening();
    await counted(kb, { open_agents: 1, index_loads_total: 1 });
    await agent.ask("Who built the Velmora lighthouse?", { session: session_id });
    await counted(kb, { index_loads_total: 1 }); // the question found it open
  }
});
