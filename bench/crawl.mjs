/*
 * How fast whole websites are read, from the address to pages that can be found, and in how much
 * memory:
 *
 *   make bench B=crawl          or: node bench/crawl.mjs [PAGES] [SITES]
 *   node bench/crawl.mjs frontier [ADDRESSES]
 *
 * A child process serves SITES (4) websites on 127.0.0.1 to 127.0.0.4, PAGES (20,000) pages together,
 * each of some 300 words and a dozen links, without a sitemap. An agent is made of each website, all
 * at once, and the time runs until the last one is read. The pause between two requests to a host is
 * set to 0, so a host is asked for one page after the other, each as long after the last as that took.
 *
 * Beside it, in the same run, what people use reads the same websites, as many pages at a time as
 * there are websites: crawlee (from npm, @crawlee/cheerio), which takes the text of each page and
 * stores it, and wget -r (from Debian), which stores the pages as files and reads nothing of them. The
 * ratios are of pages a second. Crawlee is installed into $DOCENT_PEERS (/tmp/docent-peers) and used
 * again by later runs; where it cannot be, the run goes on without it.
 *
 * frontier: one website whose first pages lead to ADDRESSES (100,000) addresses. In the middle of
 * finding them the service is killed and started anew. Then: whether each is known once, how fast
 * pages are read while all the others wait, what the lists of the interface cost meanwhile, and memory.
 */
import { execFileSync, spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Service } from "../tests/api/lib/service.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const words = "parcel hall lamp river garden copper signal winter orchard engine ledger harbour violet mason".split(
  " ",
);
const LINKS = 200; // of a page of the website with many addresses

function random(seed) {
  return () => (seed = (seed * 1103515245 + 12345) % 2147483648);
}

/** A page of so many words, always the same for a number. */
function page(i, links) {
  const next = random(i * 7919 + 1);
  const text = Array.from({ length: 300 }, () => words[next() % words.length]).join(" ");
  const anchors = links(next).map((to) => `<li><a href="${to}">On to ${to}</a></li>`);
  return `<!doctype html><html lang="en"><head><title>Page ${i}</title></head><body><nav><ul>${anchors.join("")}</ul></nav><main><h1>Page ${i}</h1><p>${text}.</p></main></body></html>`;
}

/** A page of a website of `count`. */
const siteOf = (count) => (url) => {
  const i = url === "/" ? 0 : Number(/^\/p(\d+)\.html$/.exec(url)?.[1] ?? count);
  if (i >= count) return null;
  return page(i, (next) =>
    [1, 2, 3, 4]
      .map((n) => 4 * i + n)
      .concat(Array.from({ length: 8 }, () => next() % count))
      .filter((n) => n > 0 && n < count)
      .map((n) => `/p${n}.html`),
  );
};

/** A number in words: addresses that differ by numbers alone are as many as a trap would have. */
const spelt = (n) =>
  n
    .toString(words.length)
    .split("")
    .map((digit) => words[parseInt(digit, words.length)])
    .join("-");

/** The start leads to hubs, each of them to LINKS further addresses. */
const frontierOf = (addresses) => {
  const hubs = Math.ceil(addresses / LINKS);
  const paths = new Map(Array.from({ length: addresses }, (_, i) => [`/leaf/${spelt(i)}`, i]));
  const hubPaths = new Map(Array.from({ length: hubs }, (_, i) => [`/hub/${spelt(i)}`, i]));
  const leaves = [...paths.keys()];
  return (url) => {
    if (url === "/") return page(0, () => [...hubPaths.keys()]);
    const hub = hubPaths.get(url),
      leaf = paths.get(url);
    if (hub !== undefined) return page(hub + 1, () => leaves.slice(hub * LINKS, (hub + 1) * LINKS));
    return leaf === undefined ? null : page(hubs + leaf, () => ["/"]);
  };
};

async function serve(kind, count, sites) {
  const answer = kind === "frontier" ? frontierOf(count) : siteOf(count);
  let port = 0;
  for (let site = 1; site <= sites; site++) {
    const server = http.createServer((req, res) => {
      const body = answer(req.url);
      if (body === null) return res.writeHead(404).end();
      res.writeHead(200, { "content-type": "text/html" }).end(body);
    });
    await new Promise((resolve) => server.listen(port, `127.0.0.${site}`, resolve));
    port = server.address().port;
  }
  process.stdout.write(`${port}\n`);
}

/** The addresses of the websites, served by a child until it is killed. */
async function serving(kind, count, sites) {
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url), "serve", kind, count, sites]);
  const port = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text).trim())));
  return { server, urls: Array.from({ length: sites }, (_, i) => `http://127.0.0.${i + 1}:${port}/`) };
}

/** Memory of its own, in MB. */
const anonymous = (pid) => Number(/RssAnon:\s+(\d+)/.exec(fs.readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

async function docent(urls, each) {
  const kb = new Service({ env: { DOCENT_FETCH_ALLOW: "127.0.0.0/8", DOCENT_HOST_PAUSE: "0" } });
  await kb.begin();
  try {
    const start = performance.now(),
      agents = [];
    let most = 0,
      all = 0,
      pace = 0;
    for (const sitemap_path of urls) agents.push(await kb.agent({ sitemap_path }));
    for (let quarter = 1, read = []; read.length < agents.length;) {
      await sleep(500);
      read = [];
      let indexed = 0;
      for (const agent of agents) {
        const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
        if (source.sync_status !== "queued") read.push(source);
        indexed += (await agent.expect(200, "GET", "/stats")).pages_indexed;
      }
      const seconds = (performance.now() - start) / 1000,
        own = anonymous(kb.child.pid);
      most = Math.max(most, own);
      if (indexed > all) pace = indexed / seconds;
      all = indexed;
      while (indexed >= (quarter * each * urls.length) / 4 && quarter <= 4) {
        console.log(
          `docent: ${indexed} pages read and indexed after ${seconds.toFixed(0)} s, ${(indexed / seconds).toFixed(0)} a second, ${own.toFixed(0)} MB of its own`,
        );
        quarter++;
      }
    }
    console.log(`docent: ${all} pages, ${pace.toFixed(0)} a second, at most ${most.toFixed(0)} MB of its own`);
    return pace;
  } finally {
    await kb.end();
  }
}

async function wget(urls) {
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "docent-wget-"));
  const start = performance.now();
  let most = 0,
    count = 0;
  const running = urls.map(
    (url) =>
      new Promise((resolve) => {
        const child = spawn("wget", ["-q", "-r", "-l", "inf", "-P", dir, url], { stdio: "ignore" });
        const timer = setInterval(() => {
          try {
            const status = fs.readFileSync(`/proc/${child.pid}/status`, "utf8");
            most = Math.max(most, Number(/VmRSS:\s+(\d+)/.exec(status)[1]) / 1024);
          } catch {
            // it has ended
          }
        }, 200);
        child.on("close", () => resolve(clearInterval(timer)));
        child.on("error", resolve);
      }),
  );
  await Promise.all(running);
  const seconds = (performance.now() - start) / 1000;
  for (const host of fs.readdirSync(dir)) count += fs.readdirSync(path.join(dir, host)).length;
  console.log(
    `wget: ${count} pages stored after ${seconds.toFixed(0)} s, ${(count / seconds).toFixed(0)} a second, ${most.toFixed(0)} MB the largest of ${urls.length}`,
  );
  fs.rmSync(dir, { recursive: true, force: true });
  return count / seconds;
}

const peers = process.env.DOCENT_PEERS ?? path.join(os.tmpdir(), "docent-peers");
const crawleeAt = path.join(peers, "crawlee/node_modules/@crawlee/cheerio/index.mjs");

/** Reads the websites with crawlee, in a process of its own: "PAGES SECONDS MB". */
async function crawleeChild(sites, urls) {
  const { CheerioCrawler, log } = await import(pathToFileURL(crawleeAt).href);
  log.setLevel(log.LEVELS.OFF);
  let pages = 0;
  const start = performance.now();
  const crawler = new CheerioCrawler({
    minConcurrency: sites,
    maxConcurrency: sites,
    async requestHandler({ request, $, enqueueLinks, pushData }) {
      pages++;
      await pushData({ url: request.url, title: $("title").text(), text: $("main").text() });
      await enqueueLinks({ strategy: "same-hostname" });
    },
  });
  await crawler.run(urls);
  const seconds = (performance.now() - start) / 1000;
  console.log(`${pages} ${seconds} ${process.resourceUsage().maxRSS / 1024}`);
}

function crawlee(urls) {
  if (!fs.existsSync(crawleeAt))
    try {
      fs.mkdirSync(path.join(peers, "crawlee"), { recursive: true });
      execFileSync(
        "npm",
        ["install", "--no-audit", "--no-fund", "--prefix", path.join(peers, "crawlee"), "@crawlee/cheerio"],
        { stdio: "ignore" },
      );
    } catch {
      return console.log("crawlee: not there, and not to be had from npm") ?? 0;
    }
  const dir = fs.mkdtempSync(path.join(os.tmpdir(), "docent-crawlee-"));
  try {
    const out = execFileSync(process.execPath, [fileURLToPath(import.meta.url), "crawlee", ...urls], {
      env: { ...process.env, CRAWLEE_STORAGE_DIR: dir },
      stdio: ["ignore", "pipe", "inherit"],
    });
    const [pages, seconds, mb] = out.toString().trim().split(" ").map(Number);
    console.log(
      `crawlee: ${pages} pages read and stored after ${seconds.toFixed(0)} s, ${(pages / seconds).toFixed(0)} a second, ${mb.toFixed(0)} MB`,
    );
    return pages / seconds;
  } finally {
    fs.rmSync(dir, { recursive: true, force: true });
  }
}

/** One website of very many addresses, and a power cut while they are found. */
async function frontier(url, addresses) {
  const hubs = Math.ceil(addresses / LINKS),
    pages = addresses + hubs + 1;
  const kb = new Service({ env: { DOCENT_FETCH_ALLOW: "127.0.0.0/8", DOCENT_HOST_PAUSE: "0" } });
  await kb.begin();
  try {
    const agent = await kb.agent({ sitemap_path: url, max_pages: 1_000_000, max_minutes: 10_000 });
    const timed = async (where, query) => {
      const start = performance.now();
      const data = await agent.expect(200, "GET", where, { query });
      return { data, ms: performance.now() - start };
    };
    const start = performance.now();
    let most = 0,
      cut = false;
    const look = async () => {
      await sleep(250);
      const { data, ms } = await timed("/progress");
      most = Math.max(most, anonymous(kb.child.pid));
      return { ...data, ms, seconds: (performance.now() - start) / 1000 };
    };
    // What the cut interrupts comes again behind all that wait, with what it leads to.
    for (let tenth = 1, at = { total: 0 }; at.total < pages - 16 * LINKS;) {
      at = await look();
      for (; at.total >= (tenth * pages) / 10; tenth++)
        console.log(
          `found: ${at.total} after ${at.seconds.toFixed(0)} s, ${at.done} read, ${anonymous(kb.child.pid).toFixed(0)} MB of its own, progress in ${at.ms.toFixed(0)} ms`,
        );
      if (!cut && at.total > pages / 2) {
        cut = true;
        await kb.kill9();
        const before = performance.now();
        await kb.spawn();
        console.log(`cut: listening again after ${((performance.now() - before) / 1000).toFixed(1)} s`);
      }
    }
    const before = await look();
    let after;
    do after = await look();
    while (after.done < before.done + 1000 && after.seconds < before.seconds + 300);
    console.log(
      `read: ${((after.done - before.done) / (after.seconds - before.seconds)).toFixed(0)} pages a second while ${after.queued} wait, at most ${most.toFixed(0)} MB of its own`,
    );
    for (const [where, query] of [
      ["/progress"],
      ["/sources"],
      ["/pages", { limit: 100 }],
      ["/pages", { limit: 100, index_status: "queued" }],
      ["/stats"],
    ])
      console.log(`asked: ${where} ${JSON.stringify(query ?? {})} in ${(await timed(where, query)).ms.toFixed(0)} ms`);
    const urls = new Set();
    let rows = 0;
    for (let n = 1, last = 1; n <= last; n++) {
      const { data } = await timed("/pages", { limit: 100, order: "asc", page: n });
      last = data.pages.last_page;
      rows += data.pages.data.length;
      for (const row of data.pages.data) urls.add(row.page_url);
    }
    console.log(`known: ${rows} pages, ${urls.size} of different addresses, ${pages} there are`);
    const files = fs.readdirSync(kb.dir).filter((name) => name.startsWith("docent.db"));
    const size = files.reduce((sum, name) => sum + fs.statSync(path.join(kb.dir, name)).size, 0);
    console.log(`store: ${(size / 2 ** 20).toFixed(0)} MB, ${(size / rows).toFixed(0)} bytes a page`);
  } finally {
    await kb.end();
  }
}

const [what, ...rest] = process.argv.slice(2);
if (what === "serve") await serve(rest[0], Number(rest[1]), Number(rest[2]));
else if (what === "crawlee") await crawleeChild(rest.length, rest);
else if (what === "frontier") {
  const addresses = Number(rest[0] ?? 100_000);
  const { server, urls } = await serving("frontier", addresses, 1);
  try {
    await frontier(urls[0], addresses);
  } finally {
    server.kill();
  }
} else {
  const pages = Number(what ?? 20_000),
    sites = Number(rest[0] ?? 4),
    each = Math.floor(pages / sites);
  const { server, urls } = await serving("site", each, sites);
  try {
    const own = await docent(urls, each);
    for (const [name, pace] of [
      ["crawlee", crawlee(urls)],
      ["wget", await wget(urls)],
    ])
      if (pace) console.log(`ratio: docent reads ${(own / pace).toFixed(3)} times as many pages a second as ${name}`);
  } finally {
    server.kill();
  }
}
