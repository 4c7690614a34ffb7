// Documents from addresses: a small site of the test's own is read, and what becomes of it is seen.
import net from "node:net";
import { gzipSync } from "node:zlib";
import { counted } from "./lib/figures.mjs";
import { assert, form, sleep, start, test, until } from "./lib/harness.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const lighthouse = [
  "The Velmora lighthouse",
  "The Velmora lighthouse was built in 1874 by Hester Quillby. Its lamp can be seen for nineteen miles.",
];
const espresso = [
  "The Brisca 200",
  "The warranty of the Brisca 200 espresso machine lasts 27 months from the day of purchase.",
];
const returns = ["Returns", "Goods may be returned within 30 days. The buyer pays for the parcel."];

/** A site of three pages with a sitemap. */
async function shop(t) {
  const web = await site(t);
  web
    .page("/lighthouse", ...lighthouse)
    .page("/espresso", ...espresso)
    .page("/returns", ...returns);
  return web.sitemap("/sitemap.xml", ["/lighthouse", "/espresso", "/returns"]);
}

const active = (agent) => until("the agent to be active", async () => (await agent.expect(200, "GET")).is_chat_active);
const pageOf = async (agent, url) => (await agent.pages()).find((page) => page.page_url === url);
const sources = (agent) => agent.expect(200, "GET", "/sources");
const read = (agent) =>
  until("the source to be read", async () => {
    const [source] = (await sources(agent)).sitemaps;
    return source.sync_status !== "queued" && source;
  });

/** All pages fetched and read: at least `count` of them. */
async function settled(agent, count) {
  await until(`${count} documents`, async () => (await agent.pages()).length >= count);
  return agent.settled();
}

test("an agent of a sitemap becomes active and answers with its pages", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  assert.equal(agent.record.type, "SITEMAP");
  assert.equal(agent.record.is_chat_active, false);
  await active(agent);
  const pages = await settled(agent, 3);
  assert.deepEqual(
    pages.map((page) => [page.page_url, page.crawl_status, page.index_status, page.is_refreshable, page.status_reason]),
    ["/lighthouse", "/espresso", "/returns"].map((path) => [web.url + path, "ok", "ok", true, null]),
  );
  const answer = await agent.ask("Who built the Velmora lighthouse?");
  assert.match(answer.llm_response, /Hester Quillby/);
  const citation = await agent.expect(200, "GET", `/citations/${answer.citations[0]}`);
  assert.deepEqual(
    [citation.url, citation.title, citation.description],
    [`${web.url}/lighthouse`, "The Velmora lighthouse", "About The Velmora lighthouse."],
  );
  const { sitemaps } = await sources(agent);
  assert.deepEqual(
    [sitemaps[0].sync_status, sitemaps[0].sync_reason, sitemaps[0].settings.sitemap_path],
    ["ok", null, `${web.url}/sitemap.xml`],
  );
  assert.ok(sitemaps[0].synced_at && sitemaps[0].next_sync_at === null);
  const stats = await agent.expect(200, "GET", "/stats");
  assert.deepEqual(
    [stats.pages_found, stats.pages_crawled, stats.pages_indexed, stats.crawl_credits_used],
    [3, 3, 3, 3],
  );
  assert.equal(web.most, 1, "of a host one thing is asked at a time");
});

test("a single address has its one document from the first moment, and the document keeps its id", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const empty = await kb.agent();
  for (const [agent, url] of [
    [null, `${web.url}/espresso`],
    [empty, `${web.url}/returns`],
  ]) {
    const id =
      agent?.id ?? (await kb.expect(201, "POST", "/projects", { json: { project_name: "x", sitemap_path: url } })).id;
    if (agent) await agent.expect(201, "POST", "/sources", { json: { sitemap_path: url } });
    const pages = async () => (await kb.expect(200, "GET", `/projects/${id}/pages`)).pages.data;
    const [first, ...others] = await pages(); // nothing is waited for
    assert.deepEqual([first.page_url, others], [url, []]);
    await until("the document", async () => (await pages())[0].index_status === "ok");
    assert.deepEqual(
      (await pages()).map((page) => page.id),
      [first.id],
      "no second one for the same address",
    );
  }
});

test("an address that is no sitemap is a single page", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/espresso#warranty` });
  assert.equal(agent.record.type, "URL");
  await active(agent);
  const [page, ...others] = await agent.pages();
  assert.equal(others.length, 0);
  assert.equal(page.page_url, `${web.url}/espresso`);
  assert.match((await agent.ask("How long does the warranty of the Brisca 200 last?")).llm_response, /27 months/);
});

test("the preview of a page with an address is its text, and nothing of its markup", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.set("/door", {
    "content-type": "text/html",
    body: `<!doctype html><html><head><title>The door</title></head><body><script>alert(1)</script><main><h1>Doors</h1><p onclick="alert(2)">The door &lt;b&gt; opens at nine.</p><ul><li>red<li>blue</ul><table><tr><th>Door<th>Key<tr><td>north<td>7</table></main></body></html>`,
  });
  const agent = await kb.agent({ sitemap_path: `${web.url}/door` });
  const [page] = await settled(agent, 1);
  const preview = await kb.api("GET", `/preview/${page.id}`);
  assert.deepEqual(
    [preview.status, preview.text],
    [
      200,
      `The door\n${web.url}/door\n\n\nDoors\n\nThe door <b> opens at nine.\n\n- red\n- blue\nDoor: north; Key: 7\n`,
    ],
  );
  for (const [name, value] of Object.entries({
    "content-type": "text/plain; charset=utf-8",
    "x-content-type-options": "nosniff",
    "content-security-policy": "sandbox; default-src 'none'",
    "content-disposition": `inline; filename="page-${page.id}.txt"; filename*=UTF-8''page-${page.id}.txt`,
  }))
    assert.equal(preview.headers[name], value);
  web.set("/silent", () => {});
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${web.url}/silent` } });
  const waiting = await pageOf(agent, `${web.url}/silent`);
  const reply = await kb.api("GET", `/preview/${waiting.id}`);
  assert.equal(reply.status, 404);
  assert.match(reply.json.data.message, new RegExp(`^Page ${waiting.id} has no text to show: .`));
  await agent.expect(200, "DELETE");
});

test("without the operator's word an inner address is refused with a sentence", async (t) => {
  const kb = await start(t);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/espresso` });
  const [page] = await settled(agent, 1);
  assert.deepEqual([page.crawl_status, page.index_status], ["failed", "n/a"]);
  assert.match(page.status_reason, /^.{20,}$/);
  assert.equal(web.log.length, 0);
  assert.equal((await agent.expect(200, "GET")).is_chat_active, false);
});

test("a sitemap that cannot be read is a failed page with the reason, and its source says so", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  const source = await read(agent);
  assert.equal(source.sync_status, "failed");
  assert.match(source.sync_reason, /could not be read: the host answered 404: not found/);
  const [page] = await agent.pages();
  assert.deepEqual(
    [page.page_url, page.crawl_status, page.index_status, page.status_reason],
    [`${web.url}/sitemap.xml`, "failed", "n/a", source.sync_reason],
  );
  // Once it is there, reindexing that page reads it, and the page gives way to those it lists.
  web.page("/returns", ...returns).sitemap("/sitemap.xml", ["/returns"]);
  assert.deepEqual(await agent.expect(200, "POST", `/pages/${page.id}/reindex`), { updated: true });
  await active(agent);
  assert.deepEqual(
    (await settled(agent, 1)).map((p) => p.page_url),
    [`${web.url}/returns`],
  );
});

test("sitemaps are read gzip'ed, through an index, redirected, as text and as feeds; foreign and strange addresses are left out", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  web
    .page("/a", "A", "Amber parcels weigh nine kilograms.")
    .page("/b?x=1&y=2", "B", "Blue parcels weigh seven kilograms.")
    .page("/c", "C", "Crimson parcels weigh five kilograms.");
  web.sitemap("/part.xml.gz", ["/a", "/a#top", "http://elsewhere.invalid/x", "ftp://127.0.0.1/x"], { gzip: true });
  web.set("/list-sitemap.txt", { body: `${web.url}/b?x=1&y=2\n`, "content-type": "text/plain" });
  web.set("/news.rss", {
    body: `<rss><channel><item><link>${web.url}/c</link><pubDate>Fri, 31 Jan 2025 10:00:00 GMT</pubDate></item></channel></rss>`,
    "content-type": "application/rss+xml",
  });
  web.set("/old.xml", { status: 301, location: "/list-sitemap.txt" });
  const parts = ["/index.xml", "/part.xml.gz", "/old.xml", "/news.rss", "/missing.xml"];
  web.set("/index.xml", {
    body: `<sitemapindex>${parts.map((p) => `<sitemap><loc>${web.url}${p}</loc></sitemap>`).join("")}</sitemapindex>`,
    "content-type": "application/xml",
  });
  const agent = await kb.agent({ sitemap_path: `${web.url}/index.xml` });
  const source = await read(agent);
  assert.equal(source.sync_status, "ok");
  assert.match(source.sync_reason, /1 parts of the sitemap could not be read; .*missing\.xml.*404/);
  assert.deepEqual(
    (await settled(agent, 3)).map((p) => [p.page_url, p.index_status]),
    ["/a", "/b?x=1&y=2", "/c"].map((p) => [web.url + p, "ok"]),
  );
  assert.equal(web.asked("/index.xml").length, 1, "an index that lists itself is read once");
});

test("what a host answers becomes the state of its page", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  let busy = 2;
  web.page("/moved-here", "Moved", "The moved page speaks of green parcels.");
  web.set("/moved", { status: 302, location: "/moved-here" });
  web.set("/locked", { status: 403, body: "no" });
  web.set("/empty", { body: "", "content-type": "text/html" });
  web.set("/blank", { body: "<html><body></body></html>", "content-type": "text/html" });
  web.set("/packed", {
    body: gzipSync("<html><title>Packed</title><body><p>The packed page speaks of violet parcels.</p></body></html>"),
    "content-type": "text/html",
    "content-encoding": "gzip",
  });
  web.set("/busy", (req, res) =>
    busy-- > 0
      ? res.writeHead(503, { "retry-after": "1" }).end()
      : res.writeHead(200, { "content-type": "text/plain" }).end("The busy page speaks of yellow parcels."),
  );
  web.set("/slow", (req, res) =>
    setTimeout(
      () => res.writeHead(200, { "content-type": "text/plain" }).end("The slow page speaks of orange parcels."),
      1500,
    ),
  );
  web.sitemap("/sitemap.xml", ["/moved", "/locked", "/missing", "/empty", "/blank", "/packed", "/busy", "/slow"]);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await until("the pages", async () => (await agent.pages()).length === 8);
  // While they wait, they say so.
  for (const page of await agent.pages())
    if (page.crawl_status === "queued") assert.match(page.status_reason, /waiting for its host|the host answered 503/);
  const pages = await settled(agent, 8);
  const state = Object.fromEntries(
    pages.map((p) => [p.page_url.slice(web.url.length), [p.crawl_status, p.index_status, p.status_reason]]),
  );
  assert.deepEqual(state, {
    "/moved": ["ok", "ok", null],
    "/packed": ["ok", "ok", null],
    "/busy": ["ok", "ok", null],
    "/slow": ["ok", "ok", null],
    "/locked": ["failed", "n/a", "the host answered 403: it refuses to show this page"],
    "/missing": ["failed", "n/a", "the host answered 404: not found"],
    "/empty": ["failed", "n/a", "the host sent an empty page"],
    "/blank": ["ok", "failed", "there is no text in the file"],
  });
  assert.match((await agent.ask("Of what does the busy page speak?")).llm_response, /yellow parcels/);
});

test("a slow host holds up nobody else", async (t) => {
  const kb = await start(t, mayFetch);
  const slow = await site(t),
    quick = await shop(t);
  slow.set("/stuck", () => {}); // never answers
  const one = await kb.agent({ sitemap_path: `${slow.url}/stuck` });
  await until("the slow host to be asked", () => slow.log.length);
  const two = await kb.agent({ sitemap_path: `${quick.url}/sitemap.xml` });
  await settled(two, 3);
  const upload = await kb.agent({ files: { "a.txt": "The third agent knows of silver parcels." } });
  assert.equal((await upload.pages())[0].index_status, "ok");
  const [page] = await one.pages();
  assert.equal(page.crawl_status, "queued");
  assert.ok(page.status_reason);
  await one.expect(200, "DELETE");
});

test("agents take turns at a host: a long list holds up no single page", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const many = Array.from({ length: 30 }, (_, i) => `/long-${i}`);
  for (const path of many)
    web.set(path, (req, res) =>
      setTimeout(() => res.writeHead(200, { "content-type": "text/plain" }).end(`The list says ${path}.`), 100),
    );
  web.page("/single", ...returns).sitemap("/sitemap.xml", many);
  const one = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await until("the list to be under way", () => web.log.length > 3);
  const two = await kb.agent({ sitemap_path: `${web.url}/single` });
  const before = web.log.length;
  await until("the single page to be asked for", () => web.asked("/single").length);
  const between = web.log.findIndex((entry) => entry.path === "/single") - before;
  assert.ok(between <= 2, `${between} pages of the list went first`);
  assert.equal(web.most, 1, "of a host one thing is asked at a time");
  await settled(two, 1);
  await one.expect(200, "DELETE");
});

test("a page that lasts is overtaken by another agent's, and by no more than one", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  web.set("/stuck", () => {}); // never answers
  web.page("/more", "More", "More parcels are kept in hall nine.").sitemap("/stuck.xml", ["/stuck", "/more"]);
  const one = await kb.agent({ sitemap_path: `${web.url}/stuck.xml` });
  await until("the page that lasts", () => web.asked("/stuck").length);
  const two = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await settled(two, 3);
  assert.deepEqual(
    [web.most, web.asked("/stuck").length, web.asked("/more").length],
    [2, 1, 0],
    "the agent's own pages wait",
  );
  await one.expect(200, "DELETE");
});

test("a sitemap or feed under any name is read as one when it is given as a source", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  web.sitemap("/export?type=pages", ["/lighthouse", "/espresso"]);
  web.set("/news", {
    body: `<?xml version="1.0"?><rss version="2.0"><channel><item><link>${web.url}/returns</link></item></channel></rss>`,
    "content-type": "text/html",
  });
  const agent = await kb.agent({ sitemap_path: `${web.url}/export?type=pages` });
  await until(
    "two documents",
    async () => (await agent.pages()).filter((page) => page.index_status === "ok").length === 2,
  );
  assert.deepEqual((await agent.pages()).map((page) => page.page_url).sort(), [
    `${web.url}/espresso`,
    `${web.url}/lighthouse`,
  ]);
  const source = await agent.expect(201, "POST", "/sources", { form: form({ sitemap_path: `${web.url}/news` }) });
  await until("the feed's document", async () => (await pageOf(agent, `${web.url}/returns`))?.index_status === "ok");
  assert.equal(await pageOf(agent, `${web.url}/news`), undefined);
  assert.ok((await agent.ask("Who pays for the parcel?")).llm_response.includes("buyer"));
  // Read again, it is still a list; and one that a page links to is a page like any other.
  web
    .set("/news", { body: `<rss><channel><item><link>${web.url}/extra</link></item></channel></rss>` })
    .page("/extra", "Extra", "The extra page speaks of violet parcels.");
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  await until("the feed's new document", async () => (await pageOf(agent, `${web.url}/extra`))?.index_status === "ok");
  assert.equal((await sources(agent)).sitemaps.length, 2);
});

test("forty hosts that take a call and never speak hold up nobody else", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const paths = [];
  for (let i = 0; i < 20; i++) {
    paths.push(`/page-${i}`);
    web.page(`/page-${i}`, `Page ${i}`, `Page number ${i} speaks of parcel ${i}.`);
  }
  web.sitemap("/sitemap.xml", paths);
  let calls = 0,
    givenUp = 0;
  const dead = await kb.agent({ project_name: "Dead" });
  for (let i = 0; i < 40; i++) {
    const sockets = new Set();
    const server = net.createServer((socket) => {
      calls++;
      sockets.add(socket.on("error", () => {}).on("close", () => givenUp++));
    });
    await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
    t.after(() => {
      for (const socket of sockets) socket.destroy();
      server.close();
    });
    // Sitemaps, pages of an agent, and some of both.
    await dead.expect(201, "POST", "/sources", {
      form: form({ sitemap_path: `http://127.0.0.1:${server.address().port}/${i % 2 ? "sitemap.xml" : "page"}` }),
    });
  }
  await until("the dead hosts to be called", () => calls >= 12);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await settled(agent, paths.length);
  assert.equal(givenUp, 0, "nobody had to wait until a dead one was given up");
  const { data: pages } = (await dead.expect(200, "GET", "/pages", { query: { limit: 100 } })).pages;
  for (const page of pages) assert.equal(page.crawl_status, "queued", page.status_reason);
  await dead.expect(200, "DELETE");
});

test("an unchanged page is not indexed again, a changed one answers anew", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await settled(agent, 3);
  await counted(kb, { documents_indexed_total: 3 });
  const page = await pageOf(agent, `${web.url}/espresso`);

  await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
  await agent.settled();
  assert.equal(web.asked("/espresso").at(-1).headers["if-none-match"], web.pages.get("/espresso").etag);
  await counted(kb, { addresses_not_modified_total: 1, documents_indexed_total: 3 });

  // Another tag, other markup, the same words: fetched, read, and left alone.
  web.page("/espresso", ...espresso, {
    etag: '"other"',
    body: web.pages.get("/espresso").body.replace("<main>", "<nav></nav><main class='x'>"),
  });
  await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
  await agent.settled();
  await counted(kb, { documents_unchanged_total: 1, documents_indexed_total: 3 });
  assert.match((await agent.ask("How long does the warranty of the Brisca 200 last?")).llm_response, /27 months/);

  web.page("/espresso", espresso[0], espresso[1].replace("27", "31"));
  await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
  await agent.settled();
  await counted("documents_indexed_total", 4);
  const answer = await agent.ask("How long does the warranty of the Brisca 200 last?");
  assert.match(answer.llm_response, /31 months/);
  assert.doesNotMatch(answer.llm_response, /27 months/);
});

test("a failed visit keeps what was read before", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await settled(agent, 3);
  const page = await pageOf(agent, `${web.url}/espresso`);
  for (const [broken, crawl, index, reason] of [
    [{ status: 404 }, "failed", "ok", /404: not found; what was read before is kept/],
    [{ body: "<html></html>", "content-type": "text/html" }, "ok", "failed", /no text/],
  ]) {
    web.set("/espresso", broken);
    await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
    await agent.settled();
    const after = await pageOf(agent, `${web.url}/espresso`);
    assert.deepEqual([after.crawl_status, after.index_status], [crawl, index]);
    assert.match(after.status_reason, reason);
    const answer = await agent.ask("How long does the warranty of the Brisca 200 last?");
    assert.match(answer.llm_response, /27 months/);
    assert.deepEqual(answer.citations, [page.id]);
  }
  web.page("/espresso", ...espresso);
  await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
  await agent.settled();
  const mended = await pageOf(agent, `${web.url}/espresso`);
  assert.deepEqual([mended.crawl_status, mended.index_status, mended.status_reason], ["ok", "ok", null]);
});

test("a sync adds, visits again and removes as its settings say", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await settled(agent, 3);
  const [source] = (await sources(agent)).sitemaps;
  const put = (json) => agent.expect(201, "PUT", `/sources/${source.id}`, { json });
  const sync = async () => {
    const before = (await sources(agent)).sitemaps[0].synced_at;
    await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
    await until("the sync", async () => (await sources(agent)).sitemaps[0].synced_at !== before);
    return agent.settled();
  };
  const paths = async () => (await agent.pages()).map((p) => p.page_url.slice(web.url.length));

  web
    .page("/new", "New", "The new page speaks of copper parcels.")
    .sitemap("/sitemap.xml", ["/lighthouse", "/espresso", "/new"], {
      lastmod: { "/lighthouse": "2001-01-01", "/espresso": "2100-01-01" },
    });
  await put({ create_new_pages: false });
  let asked = web.log.length;
  await sync();
  assert.deepEqual(await paths(), ["/lighthouse", "/espresso", "/returns"]);
  assert.deepEqual(
    web.log.slice(asked).map((e) => e.path),
    ["/sitemap.xml"],
  );

  await put({ create_new_pages: true, refresh_existing_pages: "if_updated" });
  asked = web.log.length;
  await sync();
  assert.deepEqual(await paths(), ["/lighthouse", "/espresso", "/returns", "/new"]);
  assert.deepEqual(
    web.log
      .slice(asked)
      .map((e) => e.path)
      .sort(),
    ["/espresso", "/new", "/sitemap.xml"],
    "not what is dated before its last visit",
  );

  await put({ refresh_existing_pages: "always" });
  asked = web.log.length;
  await sync();
  assert.deepEqual(
    web.log
      .slice(asked)
      .map((e) => e.path)
      .sort(),
    ["/espresso", "/lighthouse", "/new", "/sitemap.xml"],
  );

  // A sitemap that cannot be read removes nothing.
  await put({ remove_unexist_pages: true, refresh_existing_pages: "never" });
  const sitemap = web.pages.get("/sitemap.xml");
  web.set("/sitemap.xml", { status: 404 });
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  await until("the sync to fail", async () => (await sources(agent)).sitemaps[0].sync_status === "failed");
  assert.equal((await paths()).filter((p) => p !== "/sitemap.xml").length, 4);
  web.set("/sitemap.xml", sitemap);
  await sync();
  assert.deepEqual(await paths(), ["/lighthouse", "/espresso", "/new"]);
  assert.doesNotMatch((await agent.ask("Within how many days may goods be returned?")).llm_response, /30 days/);

  // And a page that its host no longer has goes at its next visit.
  web.pages.delete("/espresso");
  await put({ refresh_existing_pages: "always" });
  await sync();
  assert.deepEqual(await paths(), ["/lighthouse", "/new"]);
});

test("a deleted source takes its documents along", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({
    sitemap_path: `${web.url}/sitemap.xml`,
    files: { "gate.txt": "The gate code of the harbour office is 4711." },
  });
  await settled(agent, 4);
  const [source] = (await sources(agent)).sitemaps;
  assert.deepEqual(await agent.expect(200, "DELETE", `/sources/${source.id}`), { deleted: true });
  const answer = await agent.ask("How long does the warranty of the Brisca 200 last?");
  assert.doesNotMatch(answer.llm_response, /27 months/);
  assert.deepEqual(
    (await agent.pages()).map((p) => p.filename),
    ["gate.txt"],
  );
  assert.match((await agent.ask("What is the gate code of the harbour office?")).llm_response, /4711/);
  const stats = await agent.expect(200, "GET", "/stats");
  assert.deepEqual([stats.pages_found, stats.pages_indexed], [1, 1]);
  assert.equal(
    (await agent.api("DELETE", `/sources/${source.id}`)).json.message,
    `Agent source with id ${source.id} not found`,
  );
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("a power cut while a sitemap is read loses nothing", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const many = Array.from({ length: 12 }, (_, i) => `/p${i}`);
  for (const path of many) web.page(path, `Page ${path}`, `The parcel of ${path} is kept in hall ${path.slice(2)}.`);
  let hold = true;
  web.sitemap("/one.xml", many.slice(0, 6)).sitemap("/two-ready.xml", many.slice(4));
  web.set("/two.xml", (req, res) => {
    if (!hold) res.writeHead(200, { "content-type": "application/xml" }).end(web.pages.get("/two-ready.xml").body);
  });
  web.set("/sitemap.xml", {
    body: `<sitemapindex><sitemap><loc>${web.url}/one.xml</loc></sitemap><sitemap><loc>${web.url}/two.xml</loc></sitemap></sitemapindex>`,
  });
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await until("the second part to be asked for", () => web.asked("/two.xml").length);
  assert.equal((await sources(agent)).sitemaps[0].sync_status, "queued");
  await kb.kill9();
  hold = false;
  await kb.spawn();
  assert.equal((await read(agent)).sync_status, "ok");
  const pages = await settled(agent, 12);
  assert.deepEqual(
    pages.map((p) => p.index_status),
    Array(12).fill("ok"),
  );
  assert.equal(new Set(pages.map((p) => p.page_url)).size, 12);
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("the low performance mode asks gently, as a browser does", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await shop(t);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml`, is_low_performance_mode_enabled: "true" });
  await until("two pages to be asked for", () => web.log.length >= 3, 30_000);
  assert.match(web.log[0].headers["user-agent"], /^Mozilla\//);
  const gaps = web.log.slice(1).map((entry, i) => entry.at - web.log[i].at);
  assert.ok(Math.min(...gaps) >= 1900, `pauses of ${gaps} ms`);
  await agent.expect(200, "DELETE");
  await sleep(10);
});

test("a host that hangs, one that sends a byte a second and one that is away say so, and are read once they are well", async (t) => {
  const kb = await start(t, mayFetch);
  const [hanging, dripping, away] = [await site(t), await site(t), await site(t)];
  const well = (res, what) =>
    res.writeHead(200, { "content-type": "text/plain" }).end(`The ${what} host speaks of ${what} parcels.`);
  let ill = 2;
  hanging.set("/page", (req, res) => {
    if (hanging.asked("/page").length > 1) well(res, "hanging");
    else res.on("close", () => ill--);
  });
  dripping.set("/page", (req, res) => {
    if (dripping.asked("/page").length > 1) return well(res, "dripping");
    res.writeHead(200, { "content-type": "text/plain" });
    const timer = setInterval(() => res.write("x"), 1000);
    res.on("close", () => {
      clearInterval(timer);
      ill--;
    });
  });
  away.set("/page", (req, res) => well(res, "absent"));
  const { port } = away.server.address();
  await new Promise((resolve) => away.server.close(resolve));
  const agent = await kb.agent();
  for (const { url } of [hanging, dripping, away])
    await agent.expect(201, "POST", "/sources", { form: form({ sitemap_path: `${url}/page` }) });
  const reason = async ({ url }) => (await pageOf(agent, `${url}/page`))?.status_reason ?? "";
  const slow = /^127\.0\.0\.1 does not answer within 10 seconds, or sends less than 64 bytes a second$/;
  await until("the absent one to be missed", async () => /nobody takes connections there/.test(await reason(away)));
  await new Promise((resolve) => away.server.listen(port, "127.0.0.1", resolve));
  await until("both to be given up", () => ill === 0, 40_000);
  for (const one of [hanging, dripping])
    await until("the reason", async () => slow.test(await reason(one)) || one.asked("/page").length > 1);
  await until(
    "all three",
    async () => (await agent.pages()).filter((page) => page.index_status === "ok").length === 3,
    90_000,
  );
  for (const what of ["hanging", "dripping", "absent"])
    assert.match((await agent.ask(`Of what does the ${what} host speak?`)).llm_response, new RegExp(`${what} parcels`));
});
