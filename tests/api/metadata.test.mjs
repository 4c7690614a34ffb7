// What a citation of a document shows, and fetching documents again.
import { assert, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { changeRows } from "./lib/rows.mjs";

test("metadata begins with the document's own and takes its owner's words", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const page = await agent.page("espresso.md");
  const where = `/pages/${page.id}/metadata`;
  const own = await agent.expect(200, "GET", where);
  assert.deepEqual(
    [own.id, own.page_id, own.url, own.title],
    [page.id, page.id, page.page_url, "Brisca 200 espresso machine: manual"],
  );
  assert.deepEqual(await agent.expect(200, "GET", `/citations/${page.id}`), own, "a citation is the same record");
  const put = (json) => agent.expect(200, "PUT", where, { json });
  const changed = await put({ title: "The manual", image: "https://x.org/a.png" });
  assert.deepEqual(
    [changed.title, changed.image, changed.url, changed.description],
    ["The manual", "https://x.org/a.png", own.url, own.description],
  );
  assert.equal((await put({ url: "https://x.org/manual" })).title, "The manual", "what is left out stays");
  const after = await agent.expect(200, "GET", where);
  assert.deepEqual(after, {
    ...own,
    title: "The manual",
    url: "https://x.org/manual",
    image: "https://x.org/a.png",
    updated_at: after.updated_at,
  });
  assert.ok(after.updated_at > own.updated_at);
  const back = await put({ title: null, url: null, image: null });
  assert.deepEqual(
    [back.title, back.url, back.image],
    [own.title, own.url, own.image],
    "null gives the document's own back",
  );
  assert.equal((await agent.expect(200, "PUT", where, { urlencoded: { title: "By a form" } })).title, "By a form");
});

test("metadata has limits, and its addresses are absolute ones", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "returns.txt": library["returns.txt"] } });
  const page = await agent.page("returns.txt");
  const where = `/pages/${page.id}/metadata`;
  const own = await agent.expect(200, "GET", where);
  for (const [name, limit, base] of [
    ["title", 255, ""],
    ["url", 2000, "https://x.org/"],
    ["description", 500, ""],
    ["image", 2000, "https://x.org/"],
  ]) {
    const fits = base + "é".repeat(limit - base.length);
    assert.equal((await agent.expect(200, "PUT", where, { json: { [name]: fits } }))[name], fits);
    const reply = await agent.api("PUT", where, { json: { [name]: `${fits}x` } });
    assert.deepEqual(
      [reply.status, reply.json.message],
      [400, `${name} has ${limit + 1} characters, the limit is ${limit}`],
    );
    assert.equal((await agent.api("PUT", where, { json: { [name]: ["x"] } })).status, 400);
    await agent.expect(200, "PUT", where, { json: { [name]: null } });
  }
  for (const address of [
    "https://user:secret@x.org/",
    "https://user@x.org/a",
    "https://x.org/a\nb",
    "a.png",
    "/a.png",
    "//x.org/a.png",
    "ftp://x.org/a.png",
    "http://",
    "https:///a",
    "https://x.org:99999/a.png",
    "https://1.2.3.256/a.png",
    "https://x%zz.org/a.png",
    "javascript:alert(1)",
    "data:image/png;base64,AA",
    "https://x.org/a b.png",
    'https://x.org/"><script>',
  ]) {
    for (const [name, message] of [
      ["url", "Url must be valid url."],
      ["image", "Image must be valid url."],
    ]) {
      const reply = await agent.api("PUT", where, { json: { title: "no", [name]: address } });
      assert.deepEqual([reply.status, reply.json.message], [400, message], address);
    }
  }
  assert.equal((await agent.expect(200, "GET", where)).title, own.title, "a refused change changes nothing");
  for (const [method, json] of [["GET"], ["PUT", { title: "x" }]]) {
    assert.equal(
      (await agent.api(method, "/pages/999999/metadata", { json })).json.message,
      "Page with id 999999 not found",
    );
    assert.equal((await agent.api(method, "/pages/x/metadata", { json })).json.message, "Page id must be integer");
  }
});

test("addresses that an older version took are not handed out", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "returns.txt": library["returns.txt"] } });
  const page = await agent.page("returns.txt");
  const own = await agent.expect(200, "GET", `/citations/${page.id}`);
  if (
    !(await changeRows(
      t,
      kb,
      `UPDATE pages SET meta_url = 'javascript:alert(1)', meta_image = 'data:image/png;base64,AA', image = '//evil.example/a.png';`,
    ))
  )
    return;
  const { url, image } = await agent.expect(200, "GET", `/citations/${page.id}`);
  assert.deepEqual([url.replace(/^https?:..[^/]*/, ""), image], [own.url.replace(/^https?:..[^/]*/, ""), null]);
});

test("an uploaded document is not fetched again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "returns.txt": library["returns.txt"] } });
  const page = await agent.page("returns.txt");
  const reply = await agent.api("POST", `/pages/${page.id}/reindex`);
  assert.deepEqual(
    [reply.status, reply.json.message],
    [403, `The Document with the id ${page.id} couldn't have been updated`],
  );
  assert.equal((await agent.api("POST", "/pages/999999/reindex")).json.message, "Page with id 999999 not found");
  assert.equal((await agent.page("returns.txt")).index_status, "ok");
});

test("a document with an address goes back into the queue", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ sitemap_path: "http://127.0.0.1:9/page.html" });
  const [page] = await agent.settled();
  assert.notEqual(page.index_status, "queued");
  assert.deepEqual(await agent.expect(200, "POST", `/pages/${page.id}/reindex`), { updated: true });
  const [again] = await agent.settled();
  assert.ok(again.updated_at > page.updated_at);
});

test("a document has a date, and one when its owner wants to look at it again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "fees.md": "---\ndate: 2024-03-02\n---\n# Fees\n\nA locker of the Velmora pool costs 12 euros a month.",
      "hours.txt": "The Velmora pool opens at seven and closes at nine.",
    },
  });
  const fees = await agent.page("fees.md");
  const hours = await agent.page("hours.txt");
  const read = (page) => agent.expect(200, "GET", `/pages/${page.id}/metadata`);
  const put = (page, json) => agent.expect(200, "PUT", `/pages/${page.id}/metadata`, { json });
  const due = async () =>
    (await agent.expect(200, "GET", "/content/pages", { query: { review_due: true } })).data.map(({ id }) => id);
  const row = async (page) => (await agent.expect(200, "GET", "/content/pages")).data.find(({ id }) => id === page.id);

  assert.equal((await read(fees)).dated_at, "2024-03-02T00:00:00.000000Z", "of its front matter");
  assert.equal((await read(hours)).dated_at, null);
  assert.equal((await agent.expect(200, "GET", `/citations/${fees.id}`)).dated_at, "2024-03-02T00:00:00.000000Z");

  assert.equal((await put(fees, { review_at: "2025-01-01" })).review_at, "2025-01-01T00:00:00.000000Z");
  assert.equal((await put(hours, { review_at: "2099-01-01" })).review_at, "2099-01-01T00:00:00.000000Z");
  assert.equal((await put(fees, { title: "Our fees" })).review_at, "2025-01-01T00:00:00.000000Z", "left out, it stays");
  assert.deepEqual(await due(), [fees.id], "the other's day is to come");
  assert.deepEqual([(await row(fees)).is_review_due, (await row(hours)).is_review_due], [true, false]);
  const wrong = await agent.api("PUT", `/pages/${fees.id}/metadata`, { json: { review_at: "soon" } });
  assert.deepEqual([wrong.status, wrong.json.message], [400, "review_at must be a date or an ISO 8601 time"]);
  assert.equal((await put(fees, { review_at: null })).review_at, null);
  assert.deepEqual(await due(), []);

  const { uploads } = await agent.expect(200, "GET", "/sources");
  const source = await agent.expect(201, "PUT", `/sources/${uploads.id}`, { json: { review_at: "2025-02-03" } });
  assert.deepEqual([source.review_at, source.is_review_due], ["2025-02-03T00:00:00.000000Z", true]);
  assert.deepEqual(
    [(await row(fees)).review_at, (await row(fees)).is_review_due, (await row(hours)).is_review_due],
    ["2025-02-03T00:00:00.000000Z", true, false],
    "a source's day is that of its documents that have none",
  );
  assert.deepEqual(await due(), [], "of which the source is told, not each of them");

  await agent.expect(200, "DELETE", `/pages/${hours.id}`);
  await agent.expect(200, "POST", `/deleted/${hours.id}/restore`);
  assert.equal((await read(hours)).review_at, "2099-01-01T00:00:00.000000Z", "who takes it back has its day again");
});
