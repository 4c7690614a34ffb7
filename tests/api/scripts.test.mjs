// Pages whose text is written by a script: a browser runs it, behind the same guard as everything else.
import { chmodSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";
import { mayFetch, site } from "./lib/site.mjs";

const chromium = ["/usr/lib/chromium/chromium", "/usr/bin/chromium"].find((file) => existsSync(file));
const skip = chromium ? false : "no Chromium is installed";
const quick = { ...mayFetch.env, DOCENT_HOST_PAUSE: "5" };

/** A page that is empty until its script has run. */
const shell = (script, { head = "", body = '<div id="app"></div>' } = {}) => ({
  "content-type": "text/html",
  body: `<html><head><title>A shell</title>${head}</head><body>${body}<script>${script}</script></body></html>`,
  etag: '"shell"',
});
const says = (word) =>
  `document.getElementById("app").innerHTML = "<h1>${word}</h1><p>The ${word} parcels are kept in the hall of ${word} things.</p>";`;

const settled = (agent, ms = 120_000) =>
  until(
    "each document to be read or given up",
    async () => {
      const pages = await agent.pages();
      const { sitemaps } = await agent.expect(200, "GET", "/sources");
      return (
        pages.length > 0 &&
        sitemaps.every((source) => source.sync_status !== "queued") &&
        pages.every((page) => page.crawl_status !== "queued" && page.index_status !== "queued") &&
        pages
      );
    },
    ms,
  );
const state = (page) => [page.crawl_status, page.index_status, page.status_reason];
/** Processes whose command line has the word; not those of which only the entry is left. */
const processes = (word) =>
  readdirSync("/proc").filter((pid) => {
    try {
      return /^\d+$/.test(pid) && readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
    } catch {
      return false; // it has ended meanwhile
    }
  });
/** A folder of the story's own for what its browsers leave, which may run as nobody. */
function ownFolder(t) {
  const dir = mkdtempSync(path.join(tmpdir(), "docent-story-browsers-"));
  chmodSync(dir, 0o755);
  t.after(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
}

test(
  "what scripts write is read and leads on; what they fetch passes robots.txt and the guard",
  { skip },
  async (t) => {
    const folder = ownFolder(t);
    const kb = await start(t, { env: { ...quick, TMPDIR: folder } });
    const web = await site(t);
    web
      .set("/robots.txt", { body: "User-agent: *\nDisallow: /forbidden", "content-type": "text/plain" })
      .set(
        "/",
        shell(
          `setTimeout(async () => {
           const got = await (await fetch("/data.json")).json();
           const closed = [];
           for (const url of ["http://169.254.169.254/latest/meta-data/", "http://[fd00::1]/", "/forbidden/data.json"])
             await fetch(url).then((r) => closed.push(r.status), () => closed.push("closed"));
           ${says("teal")}
           document.getElementById("app").innerHTML += "<p>" + got.text + "</p><p>The gates were " + closed.join(", ") + ".</p><a href='/plain'>on</a><a href='/moved'>on</a>";
         }, 3000);
         new Image().src = "/picture.png";`,
          { head: '<link rel="icon" href="/icon.png">' },
        ),
      )
      .set("/data.json", {
        body: '{"text":"Fetched letters lie in the drawer of fetched things."}',
        "content-type": "application/json",
      })
      .page("/plain", "Plain", "The plain parcels are kept in the hall of plain things, where all can see them.")
      .set("/moved", shell(`location.href = "http://elsewhere.invalid/"`));
    const agent = await kb.agent({ sitemap_path: web.url });
    const found = Object.fromEntries((await settled(agent)).map((page) => [page.page_url.replace(web.url, ""), page]));
    assert.deepEqual(state(found["/"]), ["ok", "ok", null]);
    assert.deepEqual(state(found["/plain"]), ["ok", "ok", null]);
    assert.match((await agent.ask("Where are the teal parcels kept?")).llm_response, /hall of teal things/);
    assert.match((await agent.ask("Where do fetched letters lie?")).llm_response, /drawer of fetched things/);
    assert.match((await agent.ask("How were the gates?")).llm_response, /closed, closed, closed/);
    for (const path of ["/forbidden/data.json", "/picture.png", "/icon.png", "/favicon.ico"])
      assert.equal(web.asked(path).length, 0, path);
    assert.equal(web.whole[0].path, "/robots.txt");
    assert.match(web.asked("/data.json")[0].headers["user-agent"], /^Docent\//);
    assert.equal(found["/moved"], undefined, "a page that leads out of its website is none of it");
    // Again: the same text, so nothing is indexed anew.
    const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
    await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
    await settled(agent);
    assert.ok(web.asked("/data.json").length >= 2);
    assert.match((await agent.ask("Where are the teal parcels kept?")).llm_response, /hall of teal things/);
    assert.deepEqual(processes(folder), []);
    assert.deepEqual(readdirSync(folder), []);
  },
);

test("without the operator's word a script reaches no inner address", { skip }, async (t) => {
  const web = await site(t);
  const inner = await site(t);
  inner.set("/secret", { body: "secret", "content-type": "text/plain", "access-control-allow-origin": "*" });
  // The page's own network is open; the other loopback address is not.
  const kb = await start(t, { env: { ...quick, DOCENT_FETCH_ALLOW: "127.0.0.1/32" } });
  const port = new URL(inner.url).port;
  web.set(
    "/app.html",
    shell(`(async () => {
      let what = [];
      for (const host of ["127.0.0.2", "localhost.localdomain", "[::1]"])
        what.push(await fetch("http://" + host + ":${port}/secret", { mode: "no-cors" }).then(() => "open", () => "closed"));
      try { new WebSocket("ws://127.0.0.2:${port}/socket"); } catch {}
      ${says("grey")} document.getElementById("app").innerHTML += "<p>The doors were " + what.join(", ") + ".</p>";
    })();`),
  );
  const agent = await kb.agent({ sitemap_path: `${web.url}/app.html` });
  assert.deepEqual(state((await settled(agent))[0]), ["ok", "ok", null]);
  assert.match((await agent.ask("How were the doors?")).llm_response, /closed, closed, closed/);
  assert.deepEqual(inner.whole, []);
});

test(
  "scripts without an end, or that want too much, leave the page with its reason, and no process",
  { skip },
  async (t) => {
    const folder = ownFolder(t);
    const kb = await start(t, { env: { ...quick, TMPDIR: folder } });
    const web = await site(t);
    web
      .set("/endless.html", shell("for (;;);"))
      .set("/ticking.html", shell(`setInterval(() => {}, 1); setTimeout(() => { ${says("pink")} }, 2000);`))
      .set("/waiting.html", shell(`${says("blue")} fetch("/never");`))
      .set("/never", () => {});
    const agent = await kb.agent({ sitemap_path: `${web.url}/endless.html` });
    for (const path of ["/ticking.html", "/waiting.html"])
      await agent.expect(201, "POST", "/sources", { json: { sitemap_path: web.url + path } });
    const found = Object.fromEntries((await settled(agent)).map((page) => [page.page_url.replace(web.url, ""), page]));
    assert.deepEqual(state(found["/endless.html"]), [
      "ok",
      "failed",
      "there is no text in the page; it may be written by a script, which was not done within its time",
    ]);
    assert.deepEqual(state(found["/ticking.html"]), ["ok", "ok", null]);
    assert.deepEqual(state(found["/waiting.html"]), ["ok", "ok", null]);
    assert.deepEqual(processes(folder), []);
    assert.deepEqual(readdirSync(folder), []);
  },
);

test("a browser dies with the service, and its folder goes at the next start", { skip }, async (t) => {
  const folder = ownFolder(t);
  const kb = await start(t, { env: { ...quick, TMPDIR: folder } });
  const web = await site(t);
  web.set("/endless.html", shell("for (;;);"));
  const agent = await kb.agent({ sitemap_path: `${web.url}/endless.html` });
  await until("the browser to run", () => processes(folder).length > 2, 30_000);
  await kb.kill9();
  const left = readdirSync(folder);
  assert.ok(left.length > 0);
  await until("its processes to be gone", () => processes(folder).length === 0, 10_000);
  web.set("/endless.html", shell(says("wine")));
  await kb.spawn();
  for (const name of left) assert.ok(!existsSync(path.join(folder, name)), `${name} is still there`);
  assert.deepEqual(state((await settled(agent))[0]), ["ok", "ok", null]);
});

test("without a browser the page says what is missing; without executive_js nobody asks for one", async (t) => {
  const kb = await start(t, { env: { ...quick, DOCENT_CHROMIUM: "none" } });
  const web = await site(t);
  web
    .set("/empty.html", shell(says("gold")))
    .set("/short.html", shell(says("gold"), { body: '<p>The mint parcels are kept here.</p><div id="app"></div>' }));
  const agent = await kb.agent({ sitemap_path: `${web.url}/empty.html` });
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${web.url}/short.html` } });
  const off = await kb.agent({ sitemap_path: `${web.url}/empty.html`, executive_js: false });
  const note = "it may be written by a script, and no browser (Chromium) can be run here";
  const found = Object.fromEntries((await settled(agent)).map((page) => [page.page_url.replace(web.url, ""), page]));
  assert.deepEqual(state(found["/empty.html"]), ["ok", "failed", `there is no text in the page; ${note}`]);
  assert.deepEqual(state(found["/short.html"]).slice(0, 2), ["ok", "ok"]);
  assert.deepEqual(state((await settled(off))[0]), ["ok", "failed", "there is no text in the file"]);
});
