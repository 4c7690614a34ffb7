// What was deleted is gone at once, and can be taken back for a while: documents and agents.
import { assert, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { invited } from "./lib/people.mjs";
import { zip } from "./lib/zip.mjs";

const QUESTION = "What is the return period for goods?";
const bin = async (agent) => (await agent.expect(200, "GET", "/deleted")).data;
const quotes = async (agent, labels) =>
  (await agent.ask(QUESTION, { json: { prompt: QUESTION, labels } })).llm_response.includes("30 days");

test("a deleted document is gone for every question, and comes back with all that was said of it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library, file_data_retension: "false" });
  const page = await agent.page("returns.txt");
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["shop"] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/labels`, { json: { label_ids: [label.id] } });
  await agent.expect(200, "PUT", `/pages/${page.id}/metadata`, { json: { title: "Returned goods" } });
  assert.ok(await quotes(agent, ["shop"]));
  const json = { query: QUESTION, labels: ["shop"] };
  const found = async () => (await agent.expect(200, "POST", "/search", { json })).passages;
  assert.ok((await found()).length > 0);
  const before = await agent.expect(200, "GET", "/stats");

  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  for (const path of [`/pages/${page.id}/metadata`, `/pages/${page.id}/text`, `/citations/${page.id}`])
    await agent.expect(404, "GET", path);
  assert.equal((await agent.pages()).length, 2);
  assert.equal(await quotes(agent, ["shop"]), false);
  assert.deepEqual(await found(), []);
  const between = await agent.expect(200, "GET", "/stats");
  assert.equal(between.pages_found, before.pages_found - 1);
  assert.ok(between.total_words_indexed < before.total_words_indexed);
  const [row] = await bin(agent);
  assert.deepEqual([row.id, row.title, row.filename, row.parts], [page.id, "Returned goods", "returns.txt", 0]);
  const kept = Date.parse(row.gone_at) - Date.parse(row.deleted_at);
  assert.equal(kept, 3 * 24 * 3600 * 1000);

  assert.deepEqual(await agent.expect(200, "POST", `/deleted/${page.id}/restore`), { restored: true });
  assert.deepEqual(await bin(agent), []);
  assert.ok((await found()).length > 0);
  const back = await agent.page("returns.txt");
  assert.deepEqual([back.id, back.index_status], [page.id, "ok"]);
  assert.equal((await agent.expect(200, "GET", `/pages/${page.id}/metadata`)).title, "Returned goods");
  assert.deepEqual(
    (await agent.expect(200, "GET", `/pages/${page.id}/labels`)).map((one) => one.id),
    [label.id],
    "whom it opens to is as it was",
  );
  assert.equal(await quotes(agent), false, "who has not its label does not find it");
  assert.ok(await quotes(agent, ["shop"]));
  const after = await agent.expect(200, "GET", "/stats");
  for (const name of ["pages_found", "pages_indexed", "total_words_indexed", "total_storage_credits_used"])
    assert.equal(after[name], before[name], name);
  await agent.expect(404, "POST", `/deleted/${page.id}/restore`);
});

test("what stands in the place of a deleted document keeps it out, and what is forgotten is gone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const other = await kb.agent({ files: { "a.md": "# Other\n\nThe other agent speaks of lamps." } });
  const page = await agent.page("returns.txt");
  await agent.expect(200, "PUT", `/pages/${page.id}/path`, { json: { path: "shop/returns.txt" } });
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  await other.expect(404, "POST", `/deleted/${page.id}/restore`);
  await other.expect(404, "DELETE", `/deleted/${page.id}`);

  const next = await agent.page("espresso.md");
  await agent.expect(200, "PUT", `/pages/${next.id}/path`, { json: { path: "shop/returns.txt" } });
  await agent.expect(400, "POST", `/deleted/${page.id}/restore`);
  assert.equal((await bin(agent)).length, 1);
  assert.deepEqual(await agent.expect(200, "DELETE", `/deleted/${page.id}`), { deleted: true });
  assert.deepEqual(await bin(agent), []);
  await agent.expect(404, "POST", `/deleted/${page.id}/restore`);
});

test("all that fit are deleted in one step and come back in one; a checked answer does not", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const json = { questions: ["Where is the till?"], answer: "The till is beside the northern door." };
  await agent.expect(201, "POST", "/answers", { json });
  await agent.settled();
  const ids = (await agent.pages()).map((page) => page.id);
  const changed = await agent.expect(200, "POST", "/content/change", { json: { action: "delete", page_ids: ids } });
  assert.equal(changed.done, 4);
  assert.equal(await quotes(agent), false);
  const kept = await bin(agent);
  assert.equal(kept.length, 3);
  assert.deepEqual(
    changed.page_ids,
    [...ids].sort((a, b) => a - b),
  );
  const back = (page_ids, status = 200) => agent.expect(status, "POST", "/deleted/restore", { json: { page_ids } });
  await back(["x"], 400);
  await back(Array(101).fill(1), 400);
  assert.deepEqual(await back([]), { done: 0, skipped: 0 });
  assert.deepEqual(await back(changed.page_ids), { done: 3, skipped: 1 });
  assert.ok(await quotes(agent));
  assert.deepEqual(await bin(agent), []);
  assert.deepEqual(await back(changed.page_ids), { done: 0, skipped: 4 }, "what is back stays as it is");
});

test("of many that come back, one whose place is taken stays where it is; nobody brings back another's", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const other = await kb.agent({ files: { "a.md": "# Other\n\nThe other agent speaks of lamps." } });
  const [page, next, third] = await Promise.all(Object.keys(library).map((name) => agent.page(name)));
  const path = async (id) => agent.expect(200, "PUT", `/pages/${id}/path`, { json: { path: "shop/one.txt" } });
  await path(page.id);
  const json = { page_ids: [page.id, third.id] };
  await agent.expect(200, "POST", "/content/change", { json: { action: "delete", ...json } });
  await path(next.id);
  assert.deepEqual(await other.expect(200, "POST", "/deleted/restore", { json }), { done: 0, skipped: 2 });
  assert.deepEqual(await agent.expect(200, "POST", "/deleted/restore", { json }), { done: 1, skipped: 1 });
  assert.deepEqual(
    (await bin(agent)).map((row) => row.id),
    [page.id],
  );
});

test("an archive comes back with its parts, and each opens to whom it did", async (t) => {
  const kb = await start(t);
  const members = { "in/returns.txt": library["returns.txt"], "in/espresso.md": library["espresso.md"] };
  const agent = await kb.agent({ files: { "shop.zip": zip(members) } });
  const shape = async () => (await agent.pages()).map((page) => [page.id, page.path ?? "", page.parent_id ?? 0]);
  const before = await shape();
  assert.equal(before.length, 3);
  const part = (await agent.pages()).find((page) => /returns/.test(page.path ?? ""));
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["shop"] } });
  await agent.expect(200, "PUT", `/pages/${part.id}/labels`, { json: { label_ids: [label.id] } });
  const archive = await agent.page("shop.zip");
  await agent.expect(200, "DELETE", `/pages/${archive.id}`);
  assert.deepEqual(await agent.pages(), []);
  assert.deepEqual(
    (await bin(agent)).map((row) => [row.id, row.parts]),
    [[archive.id, 2]],
  );
  await agent.expect(404, "POST", `/deleted/${part.id}/restore`);
  await agent.expect(200, "POST", `/deleted/${archive.id}/restore`);
  assert.deepEqual(await shape(), before);
  assert.equal(await quotes(agent), false, "the part's own label holds");
  assert.ok(await quotes(agent, ["shop"]));
  assert.equal((await agent.pages({ index_status: "queued" })).length, 0, "nothing is read again");
});

test("a deleted agent is gone at once, and comes back as it was to who keeps it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const may = (rights) => ({ name: rights, agents: [{ project_id: agent.id, rights: [rights] }] });
  const asker = await invited(kb, may("ask"));
  const keeper = await invited(kb, may("manage"));
  const talk = await agent.ask(QUESTION);
  await agent.expect(200, "DELETE", "");
  await agent.expect(404, "GET", "");
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 0);
  const [row] = await kb.expect(200, "GET", "/deleted-projects");
  assert.deepEqual([row.id, row.project_name], [agent.id, agent.record.project_name]);
  const restore = `/deleted-projects/${agent.id}/restore`;
  assert.deepEqual(await kb.expect(200, "GET", "/deleted-projects", asker.asking), [], "who only asks is not told");
  await kb.expect(404, "POST", restore, asker.asking);
  assert.deepEqual(await kb.expect(200, "POST", restore, keeper.asking), { restored: true });
  assert.deepEqual(await kb.expect(200, "GET", "/deleted-projects"), []);
  assert.ok(await quotes(agent));
  await agent.expect(200, "GET", `/conversations/${talk.session}/messages/${talk.id}`);
  const actions = (await kb.expect(200, "GET", "/audit")).data.map((one) => one.action);
  assert.ok(actions.includes("agent.restore") && actions.includes("agent.delete"));
});

test("where nothing is kept, what is deleted cannot be taken back", async (t) => {
  const kb = await start(t, { args: ["--deleted-days", "0"] });
  const agent = await kb.agent({ files: library });
  const page = await agent.page("returns.txt");
  await agent.expect(200, "DELETE", `/pages/${page.id}`);
  assert.deepEqual(await bin(agent), []);
  await agent.expect(404, "POST", `/deleted/${page.id}/restore`);
  await agent.expect(200, "DELETE", "");
  assert.deepEqual(await kb.expect(200, "GET", "/deleted-projects"), []);
  await kb.expect(404, "POST", `/deleted-projects/${agent.id}/restore`);
});
