// Content as its owner looks through it: titles, kinds, origins, how often it is cited, what needs the owner, and
// the same done to all that fit.
import { assert, start, test, until } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { mixedPdf, scanned } from "./lib/print.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const list = async (agent, query = {}) => (await agent.expect(200, "GET", "/content/pages", { query })).data;
const titles = async (agent, query) => (await list(agent, query)).map((page) => page.title);

test("documents are found and sorted by their titles, by kind, and by how often answers cite them", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "a.md": "# Zebra crossing\n\nThe zebra crossing is at the northern gate.",
      "b.html": "<html><head><title>Ärger im Hafen</title></head><body><p>The crane broke in May.</p></body></html>",
      "c.txt": "The lighthouse was built in 1871 by the harbour board.",
    },
  });
  const [c] = await list(agent, { search: "c.txt" });
  const all = await list(agent);
  assert.deepEqual(all.length, 3);
  assert.ok(all.every((page) => page.cited === 0 && page.words > 3 && page.source_id > 0));
  const sorted = await titles(agent, { sort: "title", order: "asc" });
  assert.equal(sorted.indexOf("Zebra crossing") > sorted.indexOf(c.title), true);
  assert.deepEqual(await titles(agent, { sort: "title" }), [...sorted].reverse());
  assert.deepEqual(await titles(agent, { search: "zebra CROSS" }), ["Zebra crossing"], "titles, without case");
  assert.deepEqual(await titles(agent, { search: "ärger" }), ["Ärger im Hafen"]);
  assert.deepEqual(await titles(agent, { search: "b.html" }), ["Ärger im Hafen"], "and names");
  assert.equal((await list(agent, { kind: "text" })).length, 3);
  assert.equal((await list(agent, { kind: "pdf" })).length, 0);
  assert.equal((await list(agent, { kind: "web" })).length, 0);

  const answer = await agent.ask("When was the lighthouse built?");
  assert.deepEqual(answer.citations, [c.id]);
  await agent.ask("Who built the lighthouse in 1871?");
  const cited = await list(agent, { sort: "cited" });
  assert.deepEqual([cited[0].id, cited[0].cited], [c.id, 2]);
  const never = await list(agent, { never_cited: "true" });
  assert.ok(never.every((page) => page.id !== c.id) && never.length === 2);
  const { ready, never_cited } = await agent.expect(200, "GET", "/content");
  assert.deepEqual([ready, never_cited], [3, 2]);

  // The owner's own title is what counts from then on, and a document that goes takes its count along.
  await agent.expect(200, "PUT", `/pages/${c.id}/metadata`, { json: { title: "Of the light" } });
  assert.deepEqual(await titles(agent, { search: "of the light" }), ["Of the light"]);
  assert.deepEqual(await titles(agent, { search: "the lighthouse was" }), []);
  await agent.expect(200, "DELETE", `/pages/${c.id}`);
  assert.equal((await agent.expect(200, "GET", "/content")).never_cited, 2);
});

test("what needs the owner stands by why, with what would help", async (t) => {
  const kb = await start(t);
  const scan = mixedPdf([scanned(["The marble room opens at eleven."])]);
  const agent = await kb.agent({ files: { ...library, "one.pdf": scan, "two.pdf": scan, "empty.txt": "" } });
  const { needs, amiss, total } = await agent.expect(200, "GET", "/content");
  assert.equal(amiss, 3);
  assert.equal(total, Object.keys(library).length + 3);
  const by = Object.fromEntries(needs.map((need) => [need.reason_code, need]));
  assert.deepEqual(Object.keys(by).sort(), ["empty", "pictures_off"]);
  assert.deepEqual(by.pictures_off.pages.map((page) => page.filename).sort(), ["one.pdf", "two.pdf"]);
  assert.ok(by.pictures_off.pages.every((page) => page.status_option === "is_ocr_enabled" && page.is_refreshable));
  assert.deepEqual((await list(agent, { state: "amiss" })).length, 3);
  assert.equal((await agent.page("empty.txt")).reason_code, "empty");
});

test("all that fit are deleted or read again, in steps, and nothing else is", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Pumps" });
  const files = Array.from({ length: 240 }, (_, i) => [`note-${i}.md`, `Note ${i} is about pump ${i}.`]);
  for (let i = 0; i < files.length; i += 40) await agent.add(Object.fromEntries(files.slice(i, i + 40)));
  const total = async () => (await agent.expect(200, "GET", "/pages")).pages.total;
  const change = (json) => agent.expect(200, "POST", "/content/change", { json });

  // note-1, note-10 to note-19, note-100 to note-199
  const steps = [];
  for (let after = 0; after !== null; after = steps.at(-1).next)
    steps.push(await change({ action: "delete", search: "note-1", after }));
  assert.deepEqual(
    steps.map((step) => step.done),
    [100, 11],
  );
  assert.equal(await total(), 129);
  assert.equal(new Set(steps.flatMap((step) => step.page_ids)).size, 111, "each is named");
  assert.equal((await list(agent, { search: "note-1" })).length, 0);
  assert.equal((await list(agent, { search: "note-2" })).length > 0, true);
  assert.equal((await agent.ask("What is note 205 about?")).citations.length > 0, true);

  // Files are read again from what is kept of them, and can be found all the while.
  const again = await change({ action: "reindex", search: "note-20" });
  assert.deepEqual([again.done, again.skipped, again.next, again.page_ids.length], [11, 0, null, 11]);
  await agent.settled();
  assert.equal((await list(agent, { state: "ready" })).length > 0, true);
  assert.equal((await agent.expect(200, "GET", "/content")).ready, 129);

  // Some that are named, each once; those that are gone are passed over.
  const [a, b] = await list(agent, { search: "note-20" });
  assert.deepEqual(await change({ action: "delete", page_ids: [a.id, b.id, a.id, 999999] }), {
    done: 2,
    skipped: 2,
    next: null,
    page_ids: [a.id, b.id],
  });
  assert.equal(await total(), 127);
  const other = await kb.agent({ files: { "x.md": "The berth is ninth." } });
  const [x] = await list(other);
  const none = { done: 0, skipped: 1, next: null, page_ids: [] };
  assert.deepEqual(await change({ action: "delete", page_ids: [x.id] }), none);
  assert.equal((await list(other)).length, 1, "nobody else's");
  await agent.expect(400, "POST", "/content/change", { json: { action: "burn" } });
  await agent.expect(400, "POST", "/content/change", { json: { action: "delete", state: "odd" } });
  await agent.expect(400, "POST", "/content/change", { json: { action: "delete", page_ids: ["x"] } });
  assert.equal(await total(), 127);
});

test("dead links of a website are no documents: they stand apart, with why", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const links = Array.from({ length: 12 }, (_, i) => `<a href="/gone/${i}">Gone ${i}</a>`).join(" ");
  web.page("/", "Harbour", `The harbour has nine berths. ${links}`);
  const agent = await kb.agent({ sitemap_path: `${web.url}/` });
  await until("the website to be read", async () => {
    const { data } = await agent.expect(200, "GET", "/content/pages", { query: { state: "unread" } });
    return data.length === 12;
  });
  const [dead] = await list(agent, { state: "unread" });
  assert.equal(dead.reason_code, "gone");
  assert.deepEqual((await list(agent)).length, 1, "of what is shown they are no part");
  const { origins, needs, amiss } = await agent.expect(200, "GET", "/content");
  assert.deepEqual([origins.length, origins[0].unread, origins[0].amiss, needs.length, amiss], [1, 12, 0, 0, 0]);
});

test("a refusal has a code and what stands in it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const refused = async (method, where, json) => {
    const [code, ...given] = (await agent.api(method, where, { json })).headers["docent-reason"].split(" ");
    return { code, given: given.map(decodeURIComponent) };
  };
  const long = await refused("POST", "/conversations/x/messages", { prompt: "x".repeat(9000) });
  assert.equal(long.code, "question_long");
  assert.equal(long.given[0], "9000");
  const empty = await refused("POST", "/conversations/x/messages", { prompt: "" });
  assert.equal(empty.code, "question_empty");
  const missing = await refused("GET", "/pages/999999/text");
  assert.equal(missing.code, "not_found");
});
