// robots.txt: what a host keeps crawlers out of is not asked for, by whatever way it is found.
import { assert, start, test, until } from "./lib/harness.mjs";
import { changeRows } from "./lib/rows.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const rules = (text) => ({ body: text, "content-type": "text/plain" });
const words = { html: "text/html" };
const page = (word) => ({
  body: `<h1>${word}</h1><p>The page speaks of ${word} parcels.</p>`,
  "content-type": words.html,
});

/** The paths that were asked for, robots.txt and all. */
const asked = (web) => web.whole.map((entry) => entry.path);
const settled = async (agent, count) => {
  await until(`${count} documents`, async () => (await agent.pages()).length >= count);
  return Object.fromEntries(
    (await agent.settled()).map((p) => [
      new URL(p.page_url).pathname,
      [p.crawl_status, p.index_status, p.status_reason],
    ]),
  );
};
const forbidden = "robots.txt of 127.0.0.1 does not allow this address";

test("robots.txt is the first thing asked of a host, and once; what it forbids is limited and never asked for", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web
    .set(
      "/robots.txt",
      rules("User-agent: *\nDisallow: /\n\nUser-agent: docent\nDisallow: /private/\nAllow: /private/open"),
    )
    .set("/a", page("teal"))
    .set("/private/b", page("grey"))
    .set("/private/open", page("pink"))
    .sitemap("/sitemap.xml", ["/a", "/private/b", "/private/open"]);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  assert.deepEqual(await settled(agent, 3), {
    "/a": ["ok", "ok", null],
    "/private/b": ["limited", "limited", forbidden],
    "/private/open": ["ok", "ok", null],
  });
  const other = await kb.agent({ sitemap_path: `${web.url}/private/b`, max_depth: 0 });
  assert.deepEqual((await settled(other, 1))["/private/b"], ["limited", "limited", forbidden]);
  assert.deepEqual(asked(web), ["/robots.txt", "/sitemap.xml", "/a", "/private/open"]);
  assert.equal(web.most, 1);
});

test("a sitemap that robots.txt forbids is not read, and its source says why", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.set("/robots.txt", rules("User-agent: *\nDisallow: /*.xml$")).sitemap("/sitemap.xml", ["/a"]);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  const source = await until("the reading", async () => {
    const [found] = (await agent.expect(200, "GET", "/sources")).sitemaps;
    return found.sync_status === "failed" && found;
  });
  assert.equal(source.sync_reason, `the sitemap could not be read: ${forbidden}`);
  assert.deepEqual(asked(web), ["/robots.txt"]);
});

test("a redirect is not followed to where robots.txt forbids it, on this host or another", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t),
    other = await site(t);
  web.set("/robots.txt", rules("User-agent: *\nDisallow: /private"));
  other.set("/robots.txt", rules("User-agent: *\nDisallow: /closed")).set("/open", page("teal"));
  web.set("/here", { status: 302, location: "/private" });
  web.set("/there", { status: 302, location: `${other.url}/closed` });
  web.set("/free", { status: 302, location: `${other.url}/open` });
  web.sitemap("/sitemap.xml", ["/here", "/there", "/free"]);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  assert.deepEqual(await settled(agent, 3), {
    "/here": ["limited", "limited", forbidden],
    "/there": ["limited", "limited", forbidden],
    "/free": ["ok", "ok", null],
  });
  assert.deepEqual(asked(web), ["/robots.txt", "/sitemap.xml", "/here", "/there", "/free"]);
  assert.deepEqual(asked(other), ["/robots.txt", "/open"]);
});

test("a host whose robots.txt cannot be read is asked for nothing until it can; one without is open", async (t) => {
  const kb = await start(t, mayFetch);
  const ill = await site(t),
    without = await site(t),
    turning = await site(t);
  let failures = 1;
  ill.set("/robots.txt", (req, res) =>
    failures-- > 0 ? res.writeHead(503).end() : res.writeHead(200).end("User-agent: *\nDisallow: /b"),
  );
  for (const web of [ill, without, turning]) web.set("/a", page("teal")).set("/b", page("grey"));
  ill.sitemap("/sitemap.xml", ["/a", "/b"]);
  without.set("/robots.txt", { status: 403 });
  turning.set("/robots.txt", { status: 302, location: "/robots.txt" });
  const agent = await kb.agent({ sitemap_path: `${ill.url}/a`, max_depth: 0 });
  const waits = await until(
    "the first answer",
    async () => (await agent.pages())[0].status_reason.includes("503") && (await agent.pages())[0],
  );
  assert.match(waits.status_reason, /its robots.txt cannot be read, the host answered 503: not available right now/);
  assert.equal(waits.crawl_status, "queued");
  assert.deepEqual(await settled(agent, 1), { "/a": ["ok", "ok", null] });
  assert.deepEqual(asked(ill), ["/robots.txt", "/robots.txt", "/a"]);
  for (const web of [without, turning]) {
    const reader = await kb.agent({ sitemap_path: `${web.url}/a`, max_depth: 0 });
    assert.deepEqual(await settled(reader, 1), { "/a": ["ok", "ok", null] });
    assert.equal(asked(web).at(-1), "/a");
  }
});

test("Crawl-delay is the least pause, and a robots.txt without an end is cut", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.set("/robots.txt", (req, res) => {
    res.writeHead(200, { "content-type": "text/plain" });
    res.write("User-agent: *\nCrawl-delay: 1.2\nDisallow: /b\n");
    const more = () => {
      while (!res.destroyed && res.write(`${"# and so on ".repeat(1000)}\n`));
      if (!res.destroyed) res.once("drain", more);
    };
    more();
  });
  web
    .set("/a", page("teal"))
    .set("/b", page("grey"))
    .set("/c", page("pink"))
    .sitemap("/sitemap.xml", ["/a", "/b", "/c"]);
  const agent = await kb.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  assert.deepEqual(await settled(agent, 3), {
    "/a": ["ok", "ok", null],
    "/b": ["limited", "limited", forbidden],
    "/c": ["ok", "ok", null],
  });
  assert.deepEqual(asked(web), ["/robots.txt", "/sitemap.xml", "/a", "/c"]);
  const [sitemap, a, c] = web.log.map((entry) => entry.at);
  assert.ok(a - sitemap >= 1150 && c - a >= 1150, `${a - sitemap} ms, ${c - a} ms`);
});

test("a page that robots.txt has come to forbid keeps what was read before", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  web.set("/a", page("teal"));
  const agent = await kb.agent({ sitemap_path: `${web.url}/a`, max_depth: 0 });
  await settled(agent, 1);
  web.set("/robots.txt", rules("User-agent: *\nDisallow: /"));
  // A day later, as far as the store knows.
  if (!(await changeRows(t, kb, "UPDATE robots SET good_until = 1"))) return;
  const [{ id }] = await agent.pages();
  await agent.expect(200, "POST", `/pages/${id}/reindex`);
  assert.deepEqual(await settled(agent, 1), {
    "/a": ["limited", "ok", `${forbidden}; what was read before is kept`],
  });
  assert.deepEqual(asked(web), ["/robots.txt", "/a", "/robots.txt"]);
  assert.match((await agent.ask("Of what parcels does the page speak?")).llm_response, /teal/);
});
