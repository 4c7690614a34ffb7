// Searching without asking: passages, where they stand, which words matched, and why.
import { assert, start, test, until } from "./lib/harness.mjs";
import { library, lighthouse } from "./lib/documents.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const search = (agent, json, options = {}) => agent.expect(200, "POST", "/search", { json, ...options });
const marked = ({ text, highlights }) =>
  highlights.map(({ start, length }) => [...text].slice(start, start + length).join(""));
const near = (a, b) => Math.abs(a - b) < 1e-3 * Math.max(1, Math.abs(b));

test("a search gives passages with their document, place, score and the words that matched", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("lighthouse.md");
  const found = await search(agent, { query: "How much is a ticket for the lighthouse?" });
  assert.equal(found.mode, "ranked");
  assert.equal(found.language, "en");
  assert.ok(found.searched >= 3 && found.took_us > 0);
  const [first] = found.passages;
  assert.deepEqual(
    [first.page_id, first.filename, first.metadata.title],
    [page.id, "lighthouse.md", "The Velmora Lighthouse"],
  );
  assert.deepEqual(
    first.metadata,
    await agent.expect(200, "GET", `/citations/${page.id}`),
    "the record that a citation resolves to",
  );
  assert.ok(first.text.includes("A ticket costs 7 crowns"), first.text);
  assert.equal(first.heading, "The Velmora Lighthouse");
  assert.equal(first.page_no, null);
  assert.equal(first.length, Buffer.byteLength(first.text));
  assert.ok(
    marked(first).some((word) => /^ticket$/i.test(word)),
    marked(first).join(),
  );
  assert.ok(
    marked(first).every((word) => /^(ticket|lighthouse|much)s?$/i.test(word)),
    marked(first).join(),
  );
  assert.deepEqual(
    found.passages.map((p) => p.score),
    found.passages.map((p) => p.score).sort((a, b) => b - a),
    "best first",
  );
  assert.ok(found.passages.every((p) => !("explanation" in p)));
});

test("a document is found by what its file or its address is called, whatever its title says", async (t) => {
  const kb = await start(t, mayFetch);
  const page = (text) => `<!doctype html><title>Document1</title><p>${text}</p>`;
  const agent = await kb.agent({
    files: {
      "holiday-policy.html": page("Everybody has twenty-five days a year, and may carry five over to the next."),
      "parental_leave.html": page("Everybody has sixty days a year, and may carry ten over to the next."),
      "on call.html": page("Everybody has two weeks a year, and may carry none over to the next."),
    },
  });
  for (const [query, name] of [
    ["holiday policy", "holiday-policy.html"],
    ["parental leave", "parental_leave.html"],
    ["on call", "on call.html"],
  ]) {
    const { passages } = await search(agent, { query });
    assert.deepEqual([passages[0]?.filename, passages[0]?.metadata.title], [name, "Document1"]);
    assert.ok(!passages[0].text.includes(name) && !passages[0].heading, "its text is its own");
  }
  const answer = await agent.ask("How many days a year does the holiday policy give?");
  assert.ok(answer.llm_response.includes("twenty-five days"), answer.llm_response);
  assert.deepEqual(answer.citations, [(await agent.page("holiday-policy.html")).id]);

  const web = (await site(t))
    .page("/en/pricing/?ref=x", "Acme", "Nine crowns a month.")
    .page("/en/our-history", "Acme", "Founded in a shed.")
    .page("/index.html", "Acme", "Welcome to all.");
  web.sitemap("/sitemap.xml", ["/en/pricing/?ref=x", "/en/our-history", "/index.html"]);
  const shop = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await until("three pages", async () => (await shop.pages()).length === 3);
  await shop.settled();
  for (const [query, text] of [
    ["pricing", "Nine crowns"],
    ["history", "Founded in"],
  ])
    assert.ok((await search(shop, { query })).passages[0].text.includes(text), query);
});

test("GET and POST, JSON and forms find the same", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const fields = { query: "descale with citric acid", limit: 2, mode: "words", explain: true };
  const texts = Object.fromEntries(Object.entries(fields).map(([name, value]) => [name, String(value)]));
  const bare = ({ took_us, ...rest }) => rest;
  const want = bare(await search(agent, fields));
  assert.ok(want.passages[0].text.includes("citric acid"));
  assert.deepEqual(bare(await agent.expect(200, "GET", "/search", { query: texts })), want);
  assert.deepEqual(bare(await agent.expect(200, "POST", "/search", { urlencoded: texts })), want);
});

test("mode words ranks by the words alone; ranked adds the second step; other modes are refused", async (t) => {
  const kb = await start(t, { args: ["--meaning", "none"] });
  const agent = await kb.agent({
    files: {
      "01.txt": "Solar matters come first, then the panel matters, and at last some warranty matters here.",
      "02.txt": "Solar panel warranty matters come first, then other matters, and at last some more here.",
    },
  });
  const query = "solar panel warranty";
  const words = await search(agent, { query, mode: "words", explain: true });
  const ranked = await search(agent, { query, mode: "ranked", explain: true });
  assert.deepEqual((await search(agent, { query, explain: true })).passages, ranked.passages, "ranked is the default");
  assert.deepEqual((await search(agent, { query, mode: null, explain: true })).passages, ranked.passages);
  assert.equal(ranked.passages[0].filename, "02.txt");
  for (const { explanation } of words.passages)
    assert.deepEqual([explanation.second_step, explanation.second_step_parts], [0, null]);
  for (const { explanation } of ranked.passages)
    assert.ok(explanation.second_step > 0 && explanation.second_step_parts.length === 6);
  for (const mode of ["hybrid", "vectors", "", "RANKED", 1]) {
    const reply = await agent.api("POST", "/search", { json: { query, mode } });
    const message = mode === 1 ? "mode must be a string" : "mode must be ranked or words";
    assert.deepEqual([reply.status, reply.json.message], [400, message], mode);
  }
});

test("the explanation of a score adds up to it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  for (const mode of ["words", "ranked"]) {
    const { passages } = await search(agent, {
      query: "Who built the Velmora lighthouse, and when?",
      mode,
      explain: true,
      limit: 100,
    });
    assert.ok(passages.length >= 2);
    for (const { score, explanation: why } of passages) {
      const sum = (list) => list.reduce((total, part) => total + part.contribution, 0);
      assert.equal(why.score, score);
      assert.ok(near(why.first_step + why.second_step + why.later_steps, score), JSON.stringify(why));
      assert.ok(near(sum(why.terms), why.first_step), JSON.stringify(why.terms));
      if (why.second_step_parts)
        assert.ok(near(sum(why.second_step_parts), why.second_step), JSON.stringify(why.second_step_parts));
      for (const term of why.terms) {
        assert.equal(term.contribution > 0, term.tf_title + term.tf_heading + term.tf_body > 0, term.term);
        assert.ok(term.contribution <= term.weight * term.idf * 1.001);
      }
    }
  }
});

test("limit is 1 to 100 and ten by default; bad input says what is right and where the limit is", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: Object.fromEntries(
      Array.from({ length: 14 }, (_, i) => [`n${i}.txt`, `Harbour note number ${i}: the ferry sails.`]),
    ),
  });
  const count = async (fields) => (await search(agent, { query: "harbour ferry", ...fields })).passages.length;
  assert.deepEqual(
    [
      await count({}),
      await count({ limit: 3 }),
      await count({ limit: "12" }),
      await count({ limit: 100 }),
      await count({ limit: null }),
    ],
    [10, 3, 12, 14, 10],
  );
  for (const [json, message] of [
    [{ query: "x", limit: 0 }, "limit must be an integer from 1 to 100"],
    [{ query: "x", limit: 101 }, "limit must be an integer from 1 to 100"],
    [{ query: "x", limit: "many" }, "limit must be an integer from 1 to 100"],
    [{}, "query can't be empty"],
    [{ query: "  " }, "query can't be empty"],
    [{ query: null }, "query can't be empty"],
    [{ query: ["x"] }, "query must be a string"],
    [{ query: "é".repeat(8001) }, "query has 8001 characters, the limit is 8000"],
    [{ query: "x", explain: "perhaps" }, "explain must be true or false"],
    [{ query: "x", labels: Array(51).fill("a") }, "labels holds a group of 51 labels, the limit is 50"],
  ]) {
    const reply = await agent.api("POST", "/search", { json });
    assert.deepEqual([reply.status, reply.json.message], [400, message]);
  }
  assert.equal((await agent.api("GET", "/search")).json.message, "query can't be empty");
  assert.equal(
    (await agent.api("GET", "/search", { query: "query=%ff" })).json.message,
    "the parameter query is not valid UTF-8",
  );
  assert.equal(await count({ query: "é".repeat(8000) }), 0, "nothing found is an empty list");
});

test("highlights count characters, in any script", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "keys.txt": "🔑🔑 Der Schlüssel für Öfen. 東京都の天気は晴れです。" } });
  assert.deepEqual(marked((await search(agent, { query: "Schlüssel" })).passages[0]), ["Schlüssel"]);
  assert.deepEqual(marked((await search(agent, { query: "天気" })).passages[0]), ["天気"]);
});

test("labels filter before the ranking: what is hidden is in no passage and no figure", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const [hr] = await agent.expect(201, "POST", "/labels", { json: { names: ["hr"] } });
  const all = await search(agent, { query: "Brisca warranty" });
  assert.equal(all.passages[0].filename, "espresso.md");
  const page = await agent.page("espresso.md");
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [hr.id] } });
  const closed = await search(agent, { query: "Brisca warranty" });
  assert.ok(closed.searched < all.searched && !JSON.stringify(closed).includes("Brisca"), "the very next search");
  for (const labels of [["hr"], [hr.id], [["hr"]], ["hr", "nobody"]]) {
    const open = await search(agent, { query: "Brisca warranty", labels });
    assert.deepEqual([open.passages[0].filename, open.searched], ["espresso.md", all.searched], JSON.stringify(labels));
  }
  const only = await search(agent, { query: "Brisca lighthouse goods", labels: ["hr"], labels_exclusive: true });
  assert.deepEqual([...new Set(only.passages.map((p) => p.filename))], ["espresso.md"]);
  assert.equal(only.searched, all.searched - closed.searched);
  const got = await agent.expect(200, "GET", "/search", { query: { query: "Brisca warranty", labels: '["hr"]' } });
  assert.equal(got.passages[0].filename, "espresso.md");
  assert.equal(
    (await agent.expect(200, "GET", "/search", { query: `query=Brisca&labels[]=${hr.id}` })).passages[0].filename,
    "espresso.md",
  );
});

// Two agents whose closed documents differ in their words, and in nothing else.
const secretive = async (kb, secret) => {
  const agent = await kb.agent({
    files: {
      "menu.txt":
        "The cafeteria opens at nine. Soup costs four crowns in the cafeteria, and the terrace has a view of the harbour.",
      "rooms.txt": "Rooms are booked at the desk. The large room seats forty people and has a view of the terrace.",
      "board.txt": `The ${secret[0]} merger is planned for May. Contact ${secret[1]} about the salary of the cafeteria staff.`,
      "staff.txt": `Ask ${secret[2]} about the cafeteria, and ${secret[1]} about the rooms.`,
    },
  });
  const [board] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  for (const name of ["board.txt", "staff.txt"])
    await agent.expect(200, "PUT", `/pages/${(await agent.page(name)).id}/labels`, { json: { label_ids: [board.id] } });
  return agent;
};
const told = ({ took_us, passages, ...rest }) => ({
  ...rest,
  passages: passages.map(({ page_id, metadata, ...passage }) => passage),
});

test("a word of documents that the request may not see cannot be told from one that is nowhere", async (t) => {
  const kb = await start(t);
  const one = await secretive(kb, ["zanzibaricus", "quetzalcoatlus", "katzenbergerova"]);
  const other = await secretive(kb, ["boustrophedon", "sesquipedalians", "antidisestablish"]);
  const slip = await search(one, { query: "quetzalcoatlux", labels: ["board"] });
  assert.deepEqual(
    slip.meant.map(({ word }) => word),
    ["quetzalcoatlus"],
    "whom the labels open it to is helped",
  );
  for (const query of [
    "quetzalcoatlux",
    "quetzalcoatlus",
    "salery",
    "salary",
    "katzenbergerowa",
    "zanzibaricus merger",
    "cafeteria salary",
    "cafeteria quetzalcoatlux",
    "terrace view katzenbergerova",
    "quet zanz cafeteria",
    "merger May",
    "wo ist die salary",
    "cafetiria view",
  ])
    for (const mode of ["ranked", "words"])
      for (const explain of [true, false]) {
        const said = told(await search(one, { query, mode, explain }));
        assert.deepEqual(said, told(await search(other, { query, mode, explain })), query);
        assert.ok(!/quetzal.*us\b|zanzib|salari|katzenbergerova"/.test(JSON.stringify(said.meant)), query);
        for (const { explanation } of said.passages)
          for (const { term, df } of explanation?.terms ?? [])
            if (/^(quet|zanz|katz|sal[ae]r|merger)/.test(term)) assert.equal(df, 0, term);
      }
  for (const prompt of [
    "Who is quetzalcoatlux?",
    "What does soup cost in the cafeteria, katzenbergerowa?",
    "When is the zanzibaricus merger?",
    "salery",
  ]) {
    const [a, b] = [await one.ask(prompt), await other.ask(prompt)];
    assert.equal(a.llm_response, b.llm_response, prompt);
  }
});

test("a deleted document's words are suggested by no search that comes after", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { ...library, "band.txt": "The xylophonist of the band plays on Friday." } });
  const suggested = async () =>
    (await search(agent, { query: "xylophonisd", explain: true })).meant.map(({ word }) => word);
  assert.deepEqual(await suggested(), ["xylophonist"]);
  const page = await agent.page("band.txt");
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  assert.deepEqual(await suggested(), []);
  const { passages } = await search(agent, { query: "lighthouse xylophonist", explain: true });
  assert.equal(passages[0].explanation.terms.find(({ term }) => term.startsWith("xylophon")).df, 0);
});

test("the very next search sees what was added and not what was deleted", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "lighthouse.md": lighthouse } });
  assert.deepEqual((await search(agent, { query: "Brisca" })).passages, []);
  await agent.add(library);
  const page = await agent.page("espresso.md");
  assert.equal((await search(agent, { query: "Brisca" })).passages[0].page_id, page.id);
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  assert.deepEqual((await search(agent, { query: "Brisca" })).passages, []);
});

test("a search uses no query of the plan and is stored nowhere, and the rate limit counts it", async (t) => {
  const kb = await start(t, { args: ["--rate-limit", "1/6"] });
  const agent = await kb.agent({ key: await kb.newKey({ account: "setup" }) });
  const fresh = await kb.newKey({ account: "setup" });
  const before = await agent.expect(200, "GET", "/stats", { key: fresh });
  const statuses = [];
  for (let i = 0; i < 7; i++)
    statuses.push((await agent.api("POST", "/search", { json: { query: "lighthouse" }, key: fresh })).status);
  assert.ok(statuses.includes(200) && statuses.at(-1) === 429, statuses.join());
  const other = await kb.newKey({ account: "setup" });
  assert.deepEqual(await agent.expect(200, "GET", "/stats", { key: other }), before);
  assert.equal((await agent.expect(200, "GET", "/conversations", { key: other })).total, 0);
});

test("a misspelt word finds what was meant, says so and marks it; a known word is left alone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const right = await search(agent, { query: "lighthouse ticket" });
  assert.deepEqual(right.meant, []);
  for (const slip of ["lihgthouse", "lighthuose", "lighthousee", "lghthouse", "lighthoise"]) {
    const found = await search(agent, { query: `${slip} ticket`, explain: true });
    assert.deepEqual(
      found.meant.map(({ asked, word }) => [asked, word]),
      [[slip, "lighthouse"]],
      slip,
    );
    assert.equal(found.passages[0].filename, "lighthouse.md", slip);
    assert.ok(
      marked(found.passages[0]).some((word) => /^lighthouse$/i.test(word)),
      slip,
    );
    const term = found.passages[0].explanation.terms.find(
      ({ contribution, term }) => contribution > 0 && term.startsWith("lighthous"),
    );
    assert.equal(term.weight, 0.5, slip);
  }
  assert.deepEqual((await search(agent, { query: "qzxwvk ticket" })).meant, [], "no word is near");
});

test("a question of two words is read in the language that its documents know it in", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "garten.md": "# Pflanzen\n\nIm Frühling brauchen die Gärten viel Wasser, und die Rosen werden geschnitten.",
      "haus.md": "# Wohnen\n\nDie Häuser am Hafen sind aus rotem Stein gebaut, und ihre Dächer tragen Schiefer.",
      "harbour.md": "# Harbour\n\nThe boats leave the harbour at nine and return before the evening tide.",
    },
  });
  const german = await search(agent, { query: "Haus Dach" });
  assert.deepEqual([german.language, german.passages[0].filename], ["de", "haus.md"]);
  const english = await search(agent, { query: "boat leaving" });
  assert.deepEqual([english.language, english.passages[0].filename], ["en", "harbour.md"]);
});
