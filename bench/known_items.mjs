/*
 * Whether a site's own headings find the pages that they stand on, against the real server:
 *
 *   make bench B=known_items         or: node bench/known_items.mjs [SITE…]
 *
 * A SITE is a folder of `site.tar.gz`, `pages.jsonl` and `known_items.jsonl`; by default those of the
 * evaluation data beside the checkout. The site is served from this process, fetched by a sitemap of
 * its pages, and asked for each item twice: as a search, and as a question. Prints how often the
 * item's page comes first, its mean reciprocal rank among twenty passages, and how often an answer
 * quotes it first. Which page is fetched when differs from run to run, and with it the last digit.
 */
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { Service } from "../tests/api/lib/service.mjs";

const evaluation = new URL("../../shared/data/sites", import.meta.url).pathname;
const sites =
  process.argv.length > 2
    ? process.argv.slice(2)
    : fs.existsSync(evaluation)
      ? fs.readdirSync(evaluation).map((name) => path.join(evaluation, name))
      : [];
const SETTLED_MS = 300_000,
  LEARNED_MS = 15_000;
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const records = (file) =>
  fs
    .readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));

/** Serves the pages and a sitemap of those that can be reached; gives its address. */
async function serve(dir, pages) {
  const files = new Map(pages.map(({ path: at, file }) => [at, path.join(dir, file)]));
  const server = http.createServer((req, res) => {
    const at = new URL(req.url, "http://a").pathname;
    if (at === "/docent-sitemap.xml") {
      const urls = pages
        .filter(({ depth }) => depth !== null)
        .map((page) => `<url><loc>http://${req.headers.host}${page.path.replaceAll("&", "&amp;")}</loc></url>`);
      return res
        .writeHead(200, { "content-type": "application/xml" })
        .end(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">${urls.join("")}</urlset>`);
    }
    if (!files.has(at)) return res.writeHead(404).end();
    res.writeHead(200, { "content-type": "text/html; charset=utf-8" });
    fs.createReadStream(files.get(at)).pipe(res);
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}

async function learned(kb) {
  for (const until = Date.now() + LEARNED_MS; Date.now() < until; await sleep(300))
    if (/^docent_factors_learned_total [1-9]/m.test((await kb.api("GET", "/metrics", { key: null })).text))
      return sleep(2000);
}

async function measure(kb, site) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "docent-known-"));
  const pages = records(path.join(site, "pages.jsonl")),
    items = records(path.join(site, "known_items.jsonl"));
  execFileSync("tar", ["xzf", path.join(site, "site.tar.gz"), "-C", dir]);
  const server = await serve(dir, pages),
    wanted = pages.filter(({ depth }) => depth !== null).length;
  try {
    const agent = await kb.agent({ sitemap_path: `http://127.0.0.1:${server.address().port}/docent-sitemap.xml` });
    while ((await agent.pages()).length < wanted) await sleep(200);
    const came = await agent.settled(SETTLED_MS);
    const where = new Map(came.map((page) => [page.id, new URL(page.page_url).pathname]));
    let first = 0,
      reciprocal = 0,
      cited = 0;
    await learned(kb);
    for (const { text, path: at } of items) {
      const { passages } = await agent.expect(200, "POST", "/search", { json: { query: text, limit: 20 } });
      const place = [...new Set(passages.map((passage) => where.get(passage.page_id)))].indexOf(at);
      const answer = await agent.ask(text);
      first += place === 0;
      reciprocal += place < 0 ? 0 : 1 / (place + 1);
      cited += where.get(answer.citations?.[0]) === at;
    }
    const share = (n) => ((100 * n) / items.length).toFixed(1);
    console.log(
      `| ${path.basename(site)} (${items.length}) | ${came.filter((page) => page.index_status === "ok").length} | ${share(first)} | ${share(reciprocal)} | ${share(cited)} |`,
    );
  } finally {
    server.closeAllConnections();
    server.close();
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

if (!sites.length) {
  console.log("skipped: no sites beside the checkout, and none named");
  process.exit(0);
}
console.log("| site (items) | pages | first right | reciprocal rank | quoted first |\n| --- | --- | --- | --- | --- |");
for (const site of sites) {
  const kb = new Service({ env: { DOCENT_FETCH_ALLOW: "127.0.0.0/8" } });
  await kb.begin();
  try {
    await measure(kb, site);
  } finally {
    await kb.end();
  }
}
