// Whole websites, on small sites of the test's own: what belongs to one, what is left out and why.
import { readFileSync, readdirSync } from "node:fs";
import { brotliCompressSync } from "node:zlib";
import { assert, sleep, start, test, until } from "./lib/harness.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const quick = { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "5" } };

/** An HTML page with a word of its own and links. */
const page = (word, links = [], { head = "", ...more } = {}) => ({
  "content-type": "text/html",
  body: `<html><head><title>The ${word} page</title>${head}</head><body><main><h1>The ${word} page</h1><p>The ${word} page says that ${word} parcels are kept in the hall of ${word} things, on the left.</p></main>${links.map((to) => (to.startsWith("<") ? to : `<a href="${to}">x</a>`)).join("")}</body></html>`,
  etag: `"${word}"`,
  ...more,
});

const read = (agent, ms = 30_000) =>
  until(
    "the website to be read",
    async () => {
      const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
      return source.sync_status !== "queued" && source;
    },
    ms,
  );
/** Path to states and reason, of all documents. */
const states = async (agent, web) =>
  Object.fromEntries(
    (await agent.pages()).map((p) => [
      p.page_url.replace(web.url, ""),
      p.status_reason ? [p.crawl_status, p.index_status, p.status_reason.replaceAll(web.url, "")] : p.index_status,
    ]),
  );
const ok = (...paths) => Object.fromEntries(paths.map((path) => [path, "ok"]));
const asked = (web) => web.log.map((entry) => entry.path);

test("a website is read by all kinds of its links, breadth first, and each page once", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  web
    .set(
      "/",
      page("teal", ["/a", "b?utm_source=x#top", '<map><area href="/area"></map>', "/a", "/index.html", "/pic.png"], {
        head: '<link rel="next" href="/next"><link rel="alternate" hreflang="de" href="/de"><link rel="stylesheet" href="/s.css">',
      }),
    )
    .set("/a", page("grey", ["/deep", "/", "mailto:x@y.z", "javascript:x()"]))
    .set(
      "/b",
      page("pink", ["/b?PHPSESSID=123", "http://elsewhere.example/"], { head: '<link rel="canonical" href="/named">' }),
    )
    .set("/named", page("lime"))
    .set("/area", page("blue"))
    .set("/next", page("rose", ["/old", "/moved"]))
    .set("/de", page("wine", ["/gone"]))
    .set("/deep", page("mint", ["/deeper"]))
    .set("/deeper", page("gold"))
    .set("/old", { status: 301, location: "/new" })
    .set("/new", page("navy"))
    .set("/moved", { "content-type": "text/html", body: '<meta http-equiv="refresh" content="0; url=/target">Moved' })
    .set("/target", page("plum"))
    .set("/unlinked", page("jade"));
  const agent = await kb.agent({ sitemap_path: web.url });
  const source = await read(agent);
  assert.deepEqual([source.sync_status, source.sync_reason], ["ok", null]);
  assert.deepEqual(await states(agent, web), {
    ...ok("/", "/a", "/b", "/named", "/area", "/next", "/de", "/deep", "/deeper", "/new", "/target"),
    "/gone": ["failed", "n/a", "the host answered 404: not found"],
  });
  const paths = asked(web).filter((path) => !path.startsWith("/sitemap"));
  assert.deepEqual([...new Set(paths)], paths, "nothing twice");
  assert.ok(paths.indexOf("/deeper") > paths.indexOf("/deep") && paths.indexOf("/deep") > paths.indexOf("/de"));
  assert.equal(web.whole[0].path, "/robots.txt");
  assert.match((await agent.ask("Where are gold parcels kept?")).llm_response, /hall of gold things/);
  // A second time only what has changed is sent, and what is new is found.
  const before = web.log.length;
  web.set("/deeper", page("gold", ["/fresh"], { etag: '"gold2"' })).set("/fresh", page("sand"));
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  await read(agent);
  assert.equal((await states(agent, web))["/fresh"], "ok");
  const again = web.log.slice(before).filter((entry) => !entry.path.startsWith("/sitemap"));
  for (const { path, headers } of again)
    assert.equal(!!headers["if-none-match"], !["/fresh", "/gone"].includes(path), path);
  assert.equal(new Set(again.map((entry) => entry.path)).size, again.length);
});

test("the start path says what belongs to a website; use_full_url_crawl takes the whole host", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  web
    .set("/docs/", page("teal", ["/docs/a", "/blog", "../docsother", "/docs/x/../b"]))
    .set("/docs/a", page("grey"))
    .set("/docs/b", page("pink"))
    .set("/blog", page("blue", ["/"]))
    .set("/docsother", page("rose"))
    .set("/", page("wine"))
    .set("/page", page("mint", ["/page/one", "/pages"]))
    .set("/page/one", page("gold"))
    .set("/pages", page("navy"))
    .set("/one.html", page("plum", ["/docs/a"]));
  const crawl = async (path, more = {}) => {
    const agent = await kb.agent({ sitemap_path: web.url + path, ...more });
    await read(agent);
    return Object.keys(await states(agent, web)).sort();
  };
  assert.deepEqual(await crawl("/docs/"), ["/docs/", "/docs/a", "/docs/b"]);
  assert.deepEqual(await crawl("/page"), ["/page", "/page/one"]);
  assert.deepEqual(await crawl("/one.html"), ["/one.html"]);
  assert.deepEqual(await crawl("/docs/", { max_depth: 0 }), ["/docs/"]);
  assert.deepEqual(await crawl("/one.html", { use_full_url_crawl: true }), ["/docs/a", "/one.html"]);
  assert.deepEqual(await crawl("/docs/", { use_full_url_crawl: true }), [
    "/",
    "/blog",
    "/docs/",
    "/docs/a",
    "/docs/b",
    "/docsother",
  ]);
});

test("use_full_url_crawl goes on from what a sitemap or feed names to the rest of the host", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  web
    .set("/a.html", page("teal", ["/b.html", "http://elsewhere.example/"]))
    .set("/b.html", page("grey", ["/deep/c"]))
    .set("/deep/c", page("pink"))
    .sitemap("/maps/one.xml", ["/a.html"])
    .set("/feed.rss", {
      "content-type": "application/rss+xml",
      body: `<rss version="2.0"><channel><title>News</title><item><link>${web.url}/b.html</link></item></channel></rss>`,
    })
    .sitemap("/none.xml", []);
  const crawl = async (path, more = {}) => {
    const agent = await kb.agent({ sitemap_path: web.url + path, ...more });
    const source = await read(agent);
    await agent.settled();
    return { agent, source, found: await states(agent, web) };
  };
  const listed = await crawl("/maps/one.xml");
  assert.deepEqual(listed.found, ok("/a.html"), "what it names alone, unless more is asked for");
  const map = await crawl("/maps/one.xml", { use_full_url_crawl: true });
  assert.deepEqual([map.source.sync_status, map.source.sync_reason], ["ok", null]);
  assert.deepEqual(map.found, ok("/a.html", "/b.html", "/deep/c"));
  const feed = await crawl("/feed.rss", { use_full_url_crawl: true });
  assert.deepEqual(feed.found, ok("/b.html", "/deep/c"));
  const none = await crawl("/none.xml", { use_full_url_crawl: true });
  assert.deepEqual([none.source.sync_status, none.source.sync_reason], ["failed", "it lists no address"]);
  const page404 = await crawl("/sitemap-of-nothing", { use_full_url_crawl: true });
  assert.equal(page404.source.sync_status, "failed");
  // Once the option is set, the next reading of the list goes on from its pages as well.
  await listed.agent.expect(200, "POST", "", { json: { use_full_url_crawl: true } });
  web.set("/b.html", page("grey", ["/deep/c", "/new"])).set("/new", page("jade"));
  await listed.agent.expect(201, "PUT", `/sources/${listed.source.id}/instant-sync`);
  await until("the second reading", async () => (await states(listed.agent, web))["/new"] === "ok");
  await read(listed.agent);
  assert.deepEqual(await states(listed.agent, web), ok("/a.html", "/b.html", "/deep/c", "/new"));
});

test("the pictures of a website's sitemap are its pages', found by links or by it alone", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  const entry = (path) =>
    `<url><loc>${web.url}${path}</loc><image:image><image:loc>${web.url}${path}.png</image:loc></image:image></url>`;
  web
    .set("/", page("teal", ["/linked"]))
    .set("/linked", page("grey"))
    .set("/only", page("pink"))
    .set("/sitemap.xml", {
      "content-type": "application/xml",
      body: `<urlset xmlns:image="x">${entry("/linked")}${entry("/only")}</urlset>`,
    });
  const pictures = async (image_extraction_type) => {
    const agent = await kb.agent({ sitemap_path: web.url, image_extraction_type });
    await read(agent);
    const found = {};
    for (const { id, page_url } of await agent.pages())
      found[page_url.replace(web.url, "")] = (await agent.expect(200, "GET", `/pages/${id}/metadata`)).image;
    return found;
  };
  assert.deepEqual(await pictures("sync_from_sitemap"), {
    "/": null,
    "/linked": `${web.url}/linked.png`,
    "/only": `${web.url}/only.png`,
  });
  assert.deepEqual(await pictures("none"), { "/": null, "/linked": null, "/only": null });
});

test("what a page says to crawlers is kept to, and the pages of its sitemaps are found too", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  web
    .set("/robots.txt", {
      body: `User-agent: *\nDisallow: /secret\nSitemap: ${web.url}/maps/one.xml`,
      "content-type": "text/plain",
    })
    .sitemap("/maps/one.xml", ["/listed", "/secret/listed", "/a"])
    .set(
      "/",
      page("teal", [
        "/a",
        '<a rel="nofollow" href="/never">x</a>',
        "/secret",
        "/hidden",
        "/quiet",
        "/header",
        "/silent",
      ]),
    )
    .set("/a", page("grey"))
    .set("/listed", page("pink"))
    .set("/hidden", page("blue", ["/behind"], { head: '<meta name="robots" content="noindex">' }))
    .set("/behind", page("rose"))
    .set("/quiet", page("wine", ["/never"], { head: '<meta name="robots" content="nofollow">' }))
    .set("/header", page("mint", [], { "x-robots-tag": "noindex" }))
    .set("/silent", page("gold", ["/never"], { "x-robots-tag": "googlebot: noindex, nofollow" }))
    .set("/never", page("navy"));
  web.set("/silent", page("gold", [], { "x-robots-tag": "googlebot: noindex" }));
  const agent = await kb.agent({ sitemap_path: web.url });
  await read(agent);
  const noindex = ["ok", "limited", "the page asks not to be found (noindex)"];
  const found = await states(agent, web);
  delete found["/secret/listed"];
  assert.deepEqual(found, {
    ...ok("/", "/a", "/listed", "/behind", "/quiet", "/silent"),
    "/hidden": noindex,
    "/header": noindex,
  });
  for (const path of ["/secret", "/secret/listed", "/never", "/sitemap.xml"])
    assert.ok(!asked(web).includes(path), path);
  const { llm_response } = await agent.ask("Where are blue parcels kept?");
  assert.doesNotMatch(llm_response, /hall of blue/);
});

test("the same text under two addresses is found once, and the other says so", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  web
    .set("/", page("teal", ["/one", "/two"]))
    .set("/one", page("grey"))
    .set("/two", page("grey"));
  const agent = await kb.agent({ sitemap_path: web.url });
  await read(agent);
  const found = await states(agent, web);
  const [first, second] = found["/one"] === "ok" ? ["/one", "/two"] : ["/two", "/one"];
  assert.deepEqual(found, { ...ok("/", first), [second]: ["ok", "limited", `it says the same as ${first}`] });
});

test("a copy that differs in a word is limited and names its original, until that is gone", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  const long = (heading, ending) => ({
    "content-type": "text/html",
    body: `<html><head><title>${heading}</title></head><body><main><h1>${heading}</h1>${Array.from({ length: 60 }, (_, i) => `<p>The ${"abcdefghij"[i % 10]}${"klmnopqrst"[Math.floor(i / 10)]}-warden keeps the ${"uvwxyzabcd"[i % 10]}${"efghijklmn"[Math.floor(i / 10)]}-keys of the northern storehouse.</p>`).join("")}<p>${ending}</p></main></body></html>`,
    etag: `"${heading}${ending}"`,
  });
  web
    .set("/", page("teal", ["/original"]))
    .set("/original", {
      ...long("Wardens", "Printed for readers."),
      body: long("Wardens", "Printed for readers.").body.replace(
        "</main>",
        '</main><a href="/print">p</a><a href="/figure">f</a><a href="/heading">h</a>',
      ),
    })
    .set("/print", long("Wardens", "Printed for visitors."))
    .set("/figure", long("Wardens", "Printed for 7 readers."))
    .set("/heading", long("Stewards", "Printed for readers."));
  const agent = await kb.agent({ sitemap_path: web.url });
  const source = await read(agent);
  const all = ok("/", "/original", "/figure", "/heading");
  const copy = { "/print": ["ok", "limited", "it says nearly the same as /original"] };
  assert.deepEqual(await states(agent, web), { ...all, ...copy });
  // Reading again changes nothing; nor does another process that takes over.
  await kb.kill9();
  await kb.spawn();
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  await read(agent);
  assert.deepEqual(await states(agent, web), { ...all, ...copy });
  const original = (await agent.pages()).find((p) => p.page_url.endsWith("/original"));
  await agent.expect(200, "DELETE", `/pages/${original.id}`);
  delete all["/original"];
  await until("the copy to take its place", async () => (await states(agent, web))["/print"] === "ok");
  assert.deepEqual(await states(agent, web), { ...all, ...ok("/print") });
});

test("calendars, sessions and circles end, and the source says what was left out", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  const any = (match, links) => (req, res) => {
    const word = req.url.replace(/\W/g, "") || "root";
    res.writeHead(200, { "content-type": "text/html" }).end(page(word, links(req.url)).body);
  };
  web.pages.get = (path) => {
    const number = Number(/\d+$/.exec(path)?.[0] ?? 0);
    if (path.startsWith("/day/")) return any(path, () => [`/day/${number + 1}`]);
    if (path.startsWith("/round")) return any(path, () => [`${path}/round`]);
    if (path === "/") return any(path, () => ["/day/1", "/round"]);
  };
  const agent = await kb.agent({ sitemap_path: web.url, max_depth: 30 });
  const source = await read(agent);
  const found = Object.keys(await states(agent, web));
  assert.equal(found.filter((path) => path.startsWith("/day/")).length, 30);
  assert.ok(found.filter((path) => path.startsWith("/round")).length <= 4);
  assert.equal(source.sync_reason, "links left out: 1, more than 30 links away from the start (max_depth)");
});

test("a website ends at the limits of its source and of the plan, which are named", async (t) => {
  const kb = await start(t, { ...quick, plans: undefined });
  const web = await site(t);
  const many = Array.from({ length: 40 }, (_, i) => `/p${i}`);
  web.set("/", page("teal", many));
  for (const path of many) web.set(path, page(path.slice(1)));
  const agent = await kb.agent({ sitemap_path: web.url, max_pages: 10 });
  let source = await read(agent);
  assert.equal(Object.keys(await states(agent, web)).length, 10);
  assert.equal(source.sync_reason, "links left out: 31, over the 10 pages that max_pages and the plan allow");
  // With more room the rest is found, though no page has changed.
  await agent.expect(201, "PUT", `/sources/${source.id}`, { json: { max_pages: 100 } });
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  source = await read(agent);
  assert.equal(Object.values(await states(agent, web)).filter((state) => state === "ok").length, 41);
  assert.equal(source.sync_reason, null);
  for (const [json, message] of [
    [{ max_pages: 0 }, "max_pages must be an integer from 1 to 1000000"],
    [{ max_depth: "x" }, "max_depth must be an integer from 0 to 1000"],
    [{ max_minutes: 1.5 }, "max_minutes must be an integer from 1 to 525600"],
  ])
    assert.equal((await agent.api("PUT", `/sources/${source.id}`, { json })).json.message, message);
});

test("a website whose start cannot be read says why, and one that moved is read where it is", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t),
    moved = await site(t);
  web.set("/closed/", { status: 403 });
  const closed = await kb.agent({ sitemap_path: `${web.url}/closed/` });
  const source = await read(closed);
  assert.deepEqual(
    [source.sync_status, source.sync_reason],
    ["failed", "the host answered 403: it refuses to show this page"],
  );
  web.set("/start", { status: 302, location: `${moved.url}/en/` });
  moved
    .set("/en/", page("teal", ["/en/a", "/fr/"]))
    .set("/en/a", page("grey"))
    .set("/fr/", page("pink"));
  const agent = await kb.agent({ sitemap_path: `${web.url}/start` });
  await read(agent);
  assert.deepEqual(await states(agent, moved), ok("/en/", "/en/a"));
});

test("a check for robots in place of a page is limited, and never takes the place of what was read", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  const wall = {
    "content-type": "text/html",
    body: `<html><head><title>Just a moment...</title></head><body>Checking <script src="/cdn-cgi/challenge-platform/x"></script></body></html>`,
  };
  web
    .set("/", page("teal", ["/shown", "/sent", "/about", "/a"]))
    .set("/shown", wall)
    .set("/sent", { status: 403, "cf-mitigated": "challenge" })
    .set("/about", page("<code>Just a moment...</code> rose"))
    .set("/a", page("grey"));
  const agent = await kb.agent({ sitemap_path: web.url });
  await read(agent);
  const reason = "the host shows a check for robots in place of the page (Cloudflare)";
  assert.deepEqual(await states(agent, web), {
    ...ok("/", "/about", "/a"),
    "/shown": ["limited", "limited", reason],
    "/sent": ["limited", "limited", reason],
  });
  web.set("/a", wall);
  const { id } = (await agent.pages()).find((p) => p.page_url.endsWith("/a"));
  await agent.expect(200, "POST", `/pages/${id}/reindex`);
  await agent.settled();
  assert.deepEqual((await states(agent, web))["/a"], ["limited", "ok", `${reason}; what was read before is kept`]);
  assert.match((await agent.ask("Where are grey parcels kept?")).llm_response, /hall of grey things/);
});

test("a page that leads out of its website is not followed there, and a page that is gone goes", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t),
    other = await site(t);
  other.set("/x", page("pink"));
  web
    .set("/", page("teal", ["/out", "/a"]))
    .set("/out", { status: 302, location: `${other.url}/x` })
    .set("/a", page("grey"));
  const agent = await kb.agent({ sitemap_path: web.url, remove_unexist_pages: true });
  const source = await read(agent);
  assert.deepEqual(await states(agent, web), ok("/", "/a"));
  assert.deepEqual(other.whole, []);
  web.pages.delete("/a");
  await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
  await read(agent);
  assert.deepEqual(await states(agent, web), ok("/"));
  assert.equal(asked(web).filter((path) => path === "/out").length, 1, "where it leads is known");
  await agent.expect(200, "DELETE", `/sources/${source.id}`);
  await sleep(0);
  assert.deepEqual(await states(agent, web), {});
});

test(
  "power cuts and killed parsers, again and again while a website is read: all of it, and no page twice",
  { timeout: 900_000 },
  async (t) => {
    const kb = await start(t, { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "0" } });
    const web = await site(t);
    const count = Number(process.env.DOCENT_CRAWL_PAGES ?? 400);
    web.pages.get = (path) => {
      const i = path === "/" ? 0 : Number(/^\/p(\d+)$/.exec(path)?.[1] ?? count);
      if (i >= count) return undefined;
      const links = [1, 2, 3].map((n) => 3 * i + n).filter((n) => n < count);
      return page(`n${i}`, ["/", `/p${Math.max(1, i >> 1)}`, ...links.map((n) => `/p${n}`)]);
    };
    const agent = await kb.agent({ sitemap_path: web.url });
    const children = () =>
      readdirSync("/proc")
        .filter((pid) => /^\d+$/.test(pid))
        .filter((pid) => {
          try {
            return readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ")[1] === String(kb.child.pid);
          } catch {
            return false; // it has ended meanwhile
          }
        });
    let cuts = 0;
    for (let asked = 0; asked < count; asked = web.log.length) {
      await until("some pages", () => web.log.length >= Math.min(asked + count / 8, count), 300_000);
      const [child] = children();
      try {
        if (child && cuts % 2) process.kill(Number(child), "SIGKILL");
      } catch {
        // it has ended meanwhile
      }
      await kb.kill9();
      await kb.spawn();
      cuts++;
    }
    assert.ok(cuts >= 5, `${cuts} cuts`);
    const source = await read(agent, 600_000);
    assert.equal(source.sync_reason, null);
    const pages = await agent.pages();
    assert.equal(pages.length, count);
    assert.equal(new Set(pages.map((p) => p.page_url)).size, count);
    assert.deepEqual(
      pages.filter((p) => p.index_status !== "ok").map((p) => [p.page_url, p.status_reason]),
      [],
    );
    // What a cut interrupted is asked for once more, and nothing else is.
    const times = new Map();
    for (const path of asked(web)) times.set(path, (times.get(path) ?? 0) + 1);
    const extra = [...times].filter(([path, n]) => path.startsWith("/p") && n > 1).length;
    t.diagnostic(`${count} pages, ${cuts} cuts, ${extra} pages asked for more than once`);
    assert.ok(extra <= cuts * 12, `${extra} pages were asked for again`);
    assert.equal(await kb.stop(), 0);
    // What no sweep has come to yet is no finding, however much it is.
    const check = await kb.cli("check");
    assert.equal(check.code, 0, check.stdout + check.stderr);
  },
);

test("hosts that break off, lie, go round or never end leave each page with its reason, and the others are read", async (t) => {
  const kb = await start(t, quick);
  const web = await site(t);
  let storm = 1;
  const forever = (res, piece) => {
    const more = () => {
      while (!res.destroyed && res.write(piece));
      if (!res.destroyed) res.once("drain", more);
    };
    more();
  };
  web
    .set("/", page("teal", ["/reset", "/short", "/round", "/endless", "/storm", "/brotli", "/inner", "/other"]))
    .set("/reset", (req, res) => res.destroy())
    .set("/short", (req, res) => {
      res.writeHead(200, { "content-type": "text/html", "content-length": 100000 }).write("<p>cut");
      res.socket.end();
    })
    .set("/round", { status: 302, location: "/round2" })
    .set("/round2", { status: 302, location: "/round" })
    .set("/endless", (req, res) =>
      forever(res.writeHead(200, { "content-type": "text/html" }), "<p>more</p>".repeat(5000)),
    )
    .set("/storm", (req, res) =>
      storm-- > 0
        ? res.writeHead(429, { "retry-after": "1" }).end()
        : res.writeHead(200, { "content-type": "text/html" }).end(page("gold").body),
    )
    .set("/brotli", { ...page("grey"), body: brotliCompressSync(page("grey").body), "content-encoding": "br" })
    .set("/inner", { status: 302, location: "http://169.254.169.254/latest/meta-data/" })
    .set("/other", page("pink"));
  const agent = await kb.agent({ sitemap_path: web.url });
  // Two of them are tried again for minutes; the rest is over long before.
  const again = ["/reset", "/short"];
  const found = await until(
    "all but those that are tried again",
    async () => {
      const all = await states(agent, web);
      const waiting = Object.keys(all).filter((path) => all[path] === "queued" || all[path][1] === "queued");
      return Object.keys(all).length === 8 && waiting.every((path) => again.includes(path)) && all;
    },
    90_000,
  );
  for (const path of again) delete found[path];
  assert.deepEqual(found, {
    ...ok("/", "/storm", "/brotli", "/other"),
    "/round": ["failed", "n/a", "127.0.0.1 redirects more than 5 times"],
    "/endless": ["failed", "n/a", "127.0.0.1 sends more than 100 MB"],
  });
  assert.equal(web.asked("/storm").length, 2);
  assert.match((await agent.ask("Where are grey parcels kept?")).llm_response, /hall of grey things/);
  await agent.expect(200, "DELETE");
});
