// Vectors and a reranker from servers of the operator's: what they add, and that nothing else stops
// when they are slow, wrong or away.
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { folder } from "./lib/util.mjs";
import { counted, figure } from "./lib/figures.mjs";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { foreign, library, noAnswer, questions } from "./lib/documents.mjs";
import { models } from "./lib/models.mjs";

/** A file that no agent has. */
async function note(t) {
  const file = path.join(await folder(t), "note.txt");
  await writeFile(file, "Dough rests under a damp cloth.");
  return file;
}
const search = (agent, query, more = {}) => agent.expect(200, "POST", "/search", { json: { query, ...more } });
const names = ({ passages }) => passages.map((p) => p.filename);
const embedded = (kb, n = 1) =>
  until(
    "the passages to be embedded",
    async () => (await figure(kb, "segments_to_embed")) === 0 && (await figure(kb, "passages_embedded_total")) >= n,
  );

async function sound(kb) {
  await kb.stop();
  const { code, stdout } = await kb.cli("check");
  assert.deepEqual([code, stdout.trim().split("\n").at(-1)], [0, "sound"], stdout);
}

const pets = {
  "cats.txt": "Felines sleep most of the day and hunt at dusk.",
  "boats.txt": "The ferry leaves the harbour at eight in the morning.",
  "soup.txt": "Boil the carrots for twenty minutes and add salt.",
};

test("a document is found by its words at once and by its meaning soon after", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({ files: pets });
  assert.equal(names(await search(agent, "felines hunt"))[0], "cats.txt");
  await embedded(kb, 3);
  const found = await search(agent, "kitten", { explain: true });
  assert.deepEqual([names(found)[0], found.vectors, found.reranker], ["cats.txt", "used", "off"]);
  assert.deepEqual(
    (await search(agent, "kitten", { mode: "words" })).passages,
    [],
    "by its words alone it is not there",
  );
  // What was sent: the key, the model's name, the title in front of the words.
  const [probe, batch] = server.asked("/v1/embeddings");
  assert.equal(probe.body.input.length, 1, "how long its vectors are is asked first");
  assert.deepEqual([batch.key, batch.body.model], ["Bearer sk-secret-of-the-double", "double-small"]);
  assert.ok(batch.body.input.includes(`cats.txt\n${pets["cats.txt"]}`), JSON.stringify(batch.body.input));
  assert.ok(!kb.log.includes("sk-secret"), "the key is in no log line");
  await sound(kb);
});

test("an agent's record and its progress say how far its passages are found by meaning", async (t) => {
  const server = await models(t);
  const plain = await start(t);
  const without = await plain.agent({ files: pets });
  assert.equal((await without.expect(200, "GET")).meaning, undefined, "nobody makes vectors");
  assert.equal((await without.expect(200, "GET", "/progress")).meaning, undefined);
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({ files: pets });
  await embedded(kb, 3);
  const whole = { passages: 3, ready: 3, seconds_left: 0 };
  assert.deepEqual((await agent.expect(200, "GET")).meaning, whole);
  assert.deepEqual((await agent.expect(200, "GET")).meaning, whole, "answered from memory");
  assert.deepEqual((await agent.expect(200, "GET", "/progress")).meaning, whole);
  await agent.add({ "bread.txt": "Knead the dough for ten minutes and let it rest." });
  await until("the fourth", async () => (await agent.expect(200, "GET")).meaning.ready === 4);
  const { stderr } = await docent([
    "add",
    "--url",
    kb.url,
    "--key",
    kb.key,
    "--agent",
    String(agent.id),
    await note(t),
  ]);
  assert.match(stderr, /^found by words (now, by meaning (soon|in about \d+ s)|and by meaning)\n$/);
});

test("vectors of texts are made in the form that client libraries speak", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.embedEnv() });
  const input = ["The ferry leaves at eight.", "query: when does the ferry leave?"];
  const made = async (more) => (await kb.api("POST", "/embeddings", { json: { input, ...more } })).json;
  const plain = await made({ model: "double-small" });
  const packed = await made({ encoding_format: "base64", input_type: "query" });
  assert.deepEqual([plain.object, plain.model, plain.data.length], ["list", "double-small", 2]);
  assert.ok(plain.data[0].embedding.length > 1 && plain.usage.total_tokens > 5);
  const bytes = Buffer.from(packed.data[0].embedding, "base64");
  assert.equal(bytes.length, 4 * plain.data[0].embedding.length);
  plain.data[0].embedding.forEach((x, k) => assert.ok(Math.abs(x - bytes.readFloatLE(4 * k)) < 1e-6));
  assert.ok(server.texts().includes("when does the ferry leave?"), "the word before it says what it is");
  const refused = async (status, json, says) => {
    const reply = await kb.api("POST", "/embeddings", { json });
    assert.equal(reply.status, status, reply.text);
    assert.match(reply.text, says);
  };
  await refused(400, {}, /input must be a text or a list of texts/);
  await refused(400, { input: [] }, /input must be a text/);
  await refused(400, { input: [[1, 2]] }, /numbers of tokens are not taken/);
  await refused(400, { input: ["a", " "] }, /input 1 has no words/);
  await refused(400, { input: Array(65).fill("a") }, /more than 64 texts/);
  await refused(400, { input: "a", input_type: "sonnet" }, /input_type is query or passage/);
  await refused(400, { input: "a", encoding_format: "hex" }, /encoding_format is float or base64/);
  await refused(400, { input: "a", dimensions: 7 }, /dimensions is 7, the model has/);
  await refused(404, { input: "a", model: "another" }, /The model of this service is double-small/);
  const none = await start(t);
  assert.equal((await none.api("POST", "/embeddings", { json: { input: "a" } })).status, 501);
});

test("many vectors are asked for in batches, and of an account one call at a time is worked on", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.embedEnv() });
  const make = (input, key) => kb.api("POST", "/embeddings", { json: { input }, key });
  const input = Array.from({ length: 40 }, (_, i) => `ferry ${i}`);
  assert.equal((await make(input)).json.data.length, 40);
  assert.deepEqual(
    server
      .asked("/v1/embeddings")
      .map(({ body }) => body.input.length)
      .filter((texts) => texts > 1), // by one it is found how long vectors are, by whoever needs to know
    [32, 8],
    "as many as one request takes",
  );
  let go;
  const held = new Promise((arrived) => {
    server.ways.push((body, send) => {
      go = () => send(server.embeddings(body.input));
      arrived();
    });
  });
  const first = make("ferry");
  await held;
  const second = await make("harbour");
  assert.equal(second.status, 429);
  assert.match(second.text, /one call at a time/);
  assert.equal(second.headers["retry-after"], "1");
  const other = await kb.newKey({ account: "somebody else" });
  assert.equal((await make("harbour", other)).status, 200);
  go();
  assert.equal((await first).status, 200);
  assert.equal((await make("harbour")).status, 200, "its turn is over");
});

test("a question's vector is asked for once, over kept connections", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({ files: pets });
  await embedded(kb, 3);
  const before = server.texts().length;
  for (let i = 0; i < 5; i++) await search(agent, "When does the ferry leave?");
  await agent.ask("When does the ferry leave?");
  assert.equal(server.texts().length, before + 1);
  for (let i = 0; i < 5; i++) await search(agent, `ferry ${i}`);
  assert.equal(
    new Set(
      server
        .asked("/v1/embeddings")
        .slice(-6)
        .map((entry) => entry.socket),
    ).size,
    1,
  );
});

test("the explanation shows vectors, fusion and the reranker", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  server.likes = (text) => (text.includes("ferry") ? 7 : text.includes("Felines") ? 3 : -2);
  const kb = await start(t, { env: { ...server.embedEnv(), ...server.rerankEnv() } });
  const agent = await kb.agent({ files: pets });
  await embedded(kb, 3);
  const near = (a, b) => Math.abs(a - b) < 1e-4 * Math.max(1, Math.abs(b));
  const query = "kitten on the ferry";
  const found = await search(agent, query, { explain: true });
  assert.equal(found.reranker, "off", "the usual agent_capability asks for none");
  for (const { score, explanation: why } of found.passages) {
    assert.ok(near(why.first_step + why.second_step + why.later_steps, why.fusion.words.score), JSON.stringify(why));
    const { words, vectors, fused } = why.fusion;
    assert.ok(
      near((words.contribution ?? 0) + (vectors.contribution ?? 0), fused) && near(fused, score),
      JSON.stringify(why.fusion),
    );
    assert.deepEqual(
      [words.weight, vectors.weight, why.fusion.relevance].map((x) => x && Math.round(x * 100) / 100),
      [0.5, 1, null],
    );
  }
  await agent.expect(200, "POST", "/settings", { json: { agent_capability: "complex-tasks" } });
  const judged = await search(agent, query, { explain: true, limit: 1 });
  assert.deepEqual([judged.vectors, judged.reranker, names(judged)[0]], ["used", "used", "boats.txt"]);
  assert.equal(judged.passages[0].explanation.fusion.relevance, 7);
  const [{ body }] = server.asked("/v1/rerank");
  assert.deepEqual(
    [body.model, body.query, body.top_n, body.documents.length],
    ["double-judge", query, 3, 3],
    "also those beyond the limit",
  );
  // One that fails leaves the order.
  for (const way of ["few", "nan", "html", 500]) {
    server.ways = [way, way];
    const plain = await search(agent, query, { explain: true });
    assert.deepEqual([plain.reranker, names(plain)], ["failed", names(found)], String(way));
  }
  assert.equal(JSON.stringify((await search(agent, query)).passages).includes("explanation"), false);
});

test("answers draw on what vectors find, quote verbatim, and still refuse", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: { ...server.embedEnv(), ...server.rerankEnv() } });
  const plain = await start(t);
  const agent = await kb.agent({ files: library }),
    same = await plain.agent({ files: library });
  await embedded(kb, 3);
  for (const capability of ["optimal-choice", "complex-tasks"]) {
    for (const a of [agent, same]) await a.expect(200, "POST", "/settings", { json: { agent_capability: capability } });
    for (const [question, document, words] of questions) {
      const message = await agent.ask(question);
      assert.ok(message.llm_response.includes(words), message.llm_response);
      assert.deepEqual(await agent.sources(message), [document]);
      assert.equal(message.llm_response, (await same.ask(question)).llm_response);
    }
    for (const question of foreign) assert.equal((await agent.ask(question)).llm_response, noAnswer);
  }
  assert.ok(server.asked("/v1/rerank").length > 0);
});

test("without vectors of a document there is nothing of it to leak: labels and deletions hold for vectors", async (t) => {
  const server = (await models(t)).alike("payroll", "wages");
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({
    files: { "secret.txt": "The payroll of the harbour master is nine thousand crowns.", ...pets },
  });
  await embedded(kb, 4);
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  const page = await agent.page("secret.txt");
  assert.equal(names(await search(agent, "wages"))[0], "secret.txt");
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  for (const query of ["wages", "payroll of the harbour master", "ferry"]) {
    for (const labels of [undefined, ["other"], []]) {
      const found = await search(agent, query, { labels, limit: 100, explain: true });
      assert.ok(!JSON.stringify(found).includes("thousand"), query);
    }
    assert.ok(
      (await search(agent, query, { labels: ["board"], limit: 100 })).passages.some((p) => p.filename === "secret.txt"),
    );
    assert.ok(!(await agent.ask(query)).llm_response.includes("thousand"));
  }
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  for (const labels of [undefined, ["board"]])
    assert.ok(!names(await search(agent, "wages", { labels, limit: 100 })).includes("secret.txt"));
});

test("a server that is away, slow or wrong stops nothing, and its work is done when it is back", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  await server.down();
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({ files: pets });
  assert.equal(names(await search(agent, "ferry harbour"))[0], "boats.txt");
  assert.ok((await agent.ask("When does the ferry leave the harbour?")).llm_response.includes("eight in the morning"));
  await until("a failure", async () => (await figure(kb, "server_failures_total", "embed_documents")) >= 1);
  await server.up();
  await embedded(kb, 3);
  for (const way of [
    "stall",
    500,
    429,
    "html",
    "huge",
    "few",
    "dims",
    "ragged",
    "nan",
    "infinite",
    "words",
    "redirect",
    401,
    "retry-after",
  ]) {
    server.way = way;
    const query = `kitten ${way}`;
    const found = await search(agent, `${query} felines`, { explain: true });
    assert.equal(found.vectors, "failed", String(way));
    assert.equal(names(found)[0], "cats.txt");
    // Each has its chance: the breaker lets one through after its pause.
    server.way = "right";
    await until(
      "the server to be asked again",
      async () => (await search(agent, `${query} again ${Date.now()}`, { explain: true })).vectors === "used",
      20_000,
      100,
    );
  }
  assert.ok(!server.asked("/v1/elsewhere").length, "a redirect is not followed");
  assert.ok(!kb.log.includes("sk-secret"), "what a server says in a refusal is not repeated");
  await until("the log to say so", () => /server left alone server=embed_questions state=open/.test(kb.log));
  await until("the log to say so", () => /server answers again server=embed_questions state=closed/.test(kb.log));
  await counted(kb, { server_failures_total: (n) => n >= 10 }, "embed_questions");
});

test("vectors that come wrong are none: nothing is stored of them, and the right ones come later", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  const kb = await start(t, { env: server.embedEnv() });
  await kb.agent({ files: { "first.txt": "One document, so that the server is known." } });
  await embedded(kb, 1);
  for (const way of ["few", "twice", "dims", "nan", "retry-after", 503, "stall-short"]) {
    server.ways = way === "stall-short" ? [(_, __, res) => setTimeout(() => res.destroy(), 300)] : [way, way, way];
    const agent = await kb.agent({ files: pets });
    await until(
      "the vectors",
      async () => (await search(agent, "kitten", { explain: true })).passages[0]?.filename === "cats.txt",
      40_000,
      50,
    );
  }
  await sound(kb);
});

test("texts that the server refuses are halved, and the rest of the batch does not wait for them", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  server.way = (body, send) =>
    body.input.some((text) => text.includes("poison"))
      ? send({}, 400)
      : body.input.some((text) => text.length > 1500)
        ? send({}, 413)
        : send(server.embeddings(body.input, "right"));
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({
    files: {
      ...pets,
      "poison.txt": "This poison is refused.",
      "long.txt": `Felines too. ${"Words and more words of it. ".repeat(90)}`,
    },
  });
  await embedded(kb, 6);
  await counted(kb, { passages_not_embedded_total: 1 });
  assert.deepEqual(names(await search(agent, "kitten", { limit: 2 })).sort(), ["cats.txt", "long.txt"].sort());
  assert.equal(names(await search(agent, "poison refused"))[0], "poison.txt");
  // Whoever looks for something to embed the next time finds what is new and nothing else.
  const asked = server.texts().length;
  await agent.add({ "later.txt": "A later document about the tides." });
  await embedded(kb, 7);
  assert.ok(
    server
      .texts()
      .slice(asked)
      .every((text) => text.includes("tides")),
    "what is refused is not asked for ever",
  );
});

test("a server that fails on a long text, rather than refuse it, has all others embedded and goes on", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  for (const way of [500, 503, "drop"]) {
    const asked = server.log.length;
    server.way = (body, send, res) => {
      if (!body.input.some((text) => text.length > 1500 || text.includes("poison")))
        return send(server.embeddings(body.input, "right"));
      return way === "drop" ? res.destroy() : send({}, way);
    };
    const kb = await start(t, { env: server.embedEnv() });
    const agent = await kb.agent({
      files: {
        "poison.txt": "This poison is too much.",
        ...pets,
        "long.txt": `Felines too. ${"Words and more words of it. ".repeat(90)}`,
      },
    });
    const other = await kb.agent({ files: { "other.txt": "Felines in another agent." } });
    await embedded(kb, 7);
    assert.deepEqual(
      names(await search(agent, "kitten", { limit: 2 })).sort(),
      ["cats.txt", "long.txt"].sort(),
      String(way),
    );
    assert.deepEqual(names(await search(other, "kitten")), ["other.txt"]);
    await counted(kb, { passages_not_embedded_total: 1 });
    await counted(kb, { server_state: 0 }, "embed_documents"); // it is not left alone
    assert.ok(!/server left alone server=embed_documents/.test(kb.log));
    assert.ok(server.log.length - asked < 120, `${server.log.length - asked} requests`);
    const before = server.log.length;
    await kb.agent({ files: { "later.txt": "A later document." } });
    await embedded(kb, 8);
    assert.ok(
      !server.log.slice(before).some(({ body }) => body.input.some((text) => text.includes("poison"))),
      "what was refused is not asked for again",
    );
    await kb.stop();
  }
});

test("a judge that is too busy does not hold the answer back, and is not asked until it said", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.rerankEnv() });
  const agent = await kb.agent({ files: pets });
  await agent.expect(200, "POST", "/settings", { json: { agent_capability: "advanced-reasoning" } });
  server.ways = [(_, send) => send({}, 429, { "retry-after": "2" })];
  const first = await search(agent, "ferry harbour", { explain: true });
  assert.deepEqual(
    [names(first)[0], server.asked("/v1/rerank").length],
    ["boats.txt", 1],
    "one request, and no other in the time that it has",
  );
  await search(agent, "ferry harbour again");
  assert.equal(server.asked("/v1/rerank").length, 1, "it is left alone");
  await until("it to be asked again", async () => {
    await search(agent, `ferry harbour ${Date.now()}`);
    return server.asked("/v1/rerank").length > 1;
  });
  const [one, two] = server.asked("/v1/rerank");
  assert.ok(two.at - one.at >= 1900, `${two.at - one.at} ms`);
});

test("another model makes vectors of its own beside the old ones; going back costs nothing", async (t) => {
  const server = (await models(t)).alike("felines", "kitten");
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({ files: pets });
  await embedded(kb, 3);
  // A new name: vectors of the old model are not compared with the new one's questions.
  server.dims = 32;
  kb.env = server.embedEnv({ DOCENT_EMBED_NAME: "double-large" });
  server.way = "stall";
  await kb.restart();
  const words = await search(agent, "felines hunt", { explain: true });
  assert.deepEqual([words.vectors, names(words)[0]], ["none", "cats.txt"]);
  // Right only when nobody is left to ask: an answer to a server that is stopping is made twice.
  await kb.stop();
  server.way = "right";
  await kb.spawn();
  await until(
    "the new vectors",
    async () => (await search(agent, "kitten", { explain: true })).vectors === "used",
    20_000,
    50,
  );
  assert.equal(names(await search(agent, "kitten"))[0], "cats.txt");
  const texts = server.texts().filter((text) => text.includes("carrots")).length;
  assert.equal(texts, 2, "each model read it once");
  // Back to the old one: its column is still there.
  server.dims = 64;
  kb.env = server.embedEnv();
  await kb.restart();
  await until(
    "the old vectors",
    async () => (await search(agent, "kitten", { explain: true })).vectors === "used",
    20_000,
    50,
  );
  assert.equal(server.texts().filter((text) => text.includes("carrots")).length, texts);
  await sound(kb);
});

test("merges carry vectors along, a kill -9 loses none that were counted, and few are made twice", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.embedEnv() });
  const agent = await kb.agent({ files: pets });
  for (let i = 0; i < 12; i++) await agent.add({ [`note${i}.txt`]: `Note ${i} is about the lamp number ${i}.` });
  await until("a merge", async () => (await figure(kb, "segment_merges_total")) >= 1);
  await embedded(kb, 15);
  await kb.kill9();
  const read = server.texts().length;
  await kb.spawn();
  await until(
    "the server to be asked",
    async () => (await search(agent, "lamp", { explain: true })).vectors === "used",
  );
  await agent.add({ "later.txt": "A later document about the lamp of the tides." });
  await embedded(kb, 1);
  const asked = server
    .texts()
    .slice(read)
    .filter((text) => !text.includes("tides"));
  assert.ok(asked.length <= 3, `the probe, a question, what is new and nothing else: ${JSON.stringify(asked)}`);
  const found = await search(agent, "lamp number 7", { explain: true, limit: 100 });
  assert.ok(found.passages.every((p) => p.explanation.fusion.vectors.score !== null));
  await sound(kb);
});

test("a stop does not wait for a server that does not answer", async (t) => {
  const server = await models(t);
  server.way = "stall";
  const kb = await start(t, { env: { ...server.embedEnv(), ...server.rerankEnv() } });
  await kb.agent({ files: pets });
  await until("the server to be asked", () => server.log.length > 0);
  // Documents may take a minute; the harness ends a server that stops for longer than half of it.
  await kb.restart();
});

test("options that do not fit are refused by name at the start", async () => {
  const cases = [
    [["--embed-url", "ftp://x/v1", "--embed-name", "m"], /--embed-url is ftp:\/\/x\/v1; it must begin with http/],
    [["--embed-url", "no address", "--embed-name", "m"], /--embed-url: /],
    [["--embed-url", "http://u:hunter2@x/v1", "--embed-name", "m"], /--embed-url holds a user or password/],
    [
      ["--embed-url", "http://x/v1?a=b", "--embed-name", "m"],
      /--embed-url is http:\/\/x\/v1\?a=b; it must end with its path/,
    ],
    [["--embed-url", "http://x/v1"], /--embed-url needs --embed-name/],
    [["--embed-name", "m"], /--embed-name needs --embed-url/],
    [["--rerank-key", "sk-hush"], /--rerank-key needs --rerank-url/],
    [
      ["--rerank-url", "http://x/v1", "--rerank-name", "two words"],
      /--rerank-name must be at most 100 bytes without blanks/,
    ],
    [["--rerank-url", "http://x/v1", "--rerank-name", "m", "--rerank-key", "sk-hu sh"], /--rerank-key must be at most/],
  ];
  for (const [args, want] of cases) {
    const { code, stderr } = await docent(["serve", ...args]);
    assert.equal(code, 2, stderr);
    assert.match(stderr, want);
    assert.ok(!/hunter2|sk-hu/.test(stderr), stderr);
  }
});

test("without servers nothing is said of them", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: pets });
  const found = await search(agent, "ferry", { explain: true });
  assert.deepEqual(
    [found.vectors, found.reranker, found.passages[0].explanation.fusion],
    [undefined, undefined, undefined],
  );
  await counted(kb, { segments_to_embed: undefined });
});
