/*
 * How fast whole websites are read, from the address to pages that can be found, and in how much
 * memory:
 *
 *   make bench B=crawl          or: node bench/crawl.mjs [PAGES] [SITES]
 *
 * A child process serves SITES (4) websites on 127.0.0.1 to 127.0.0.4, PAGES (20,000) pages together,
 * each of some 300 words and a dozen links, without a sitemap. An agent is made of each website, all
 * at once, and the time runs until the last one is read. The pause between two requests to a host is
 * set to 0, so a host is asked for one page after the other, each as long after the last as that took.
 *
 * Beside it wget follows the same links, all sites at once, each with one connection and no pause. It
 * stores the pages as files and reads nothing of them.
 */
import { spawn } from "node:child_process";
import fs from "node:fs";
import http from "node:http";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { Service } from "../tests/api/lib/service.mjs";

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const words = "parcel hall lamp river garden copper signal winter orchard engine ledger harbour violet mason".split(
  " ",
);

/** A page of a website of `count`; the same number is the same page. */
function page(i, count) {
  let seed = i * 7919 + 1;
  const next = () => (seed = (seed * 1103515245 + 12345) % 2147483648);
  const text = Array.from({ length: 300 }, () => words[next() % words.length]).join(" ");
  const links = [1, 2, 3, 4].map((n) => 4 * i + n).concat(Array.from({ length: 8 }, () => next() % count));
  const anchors = links.filter((n) => n > 0 && n < count).map((n) => `<li><a href="/p${n}.html">Page ${n}</a></li>`);
  return `<!doctype html><html lang="en"><head><title>Page ${i}</title></head><body><nav><ul>${anchors.join("")}</ul></nav><main><h1>Page ${i}</h1><p>${text}.</p></main></body></html>`;
}

if (process.argv[2] === "serve") {
  const count = Number(process.argv[3]),
    sites = Number(process.argv[4]);
  let port = 0;
  for (let site = 1; site <= sites; site++) {
    const server = http.createServer((req, res) => {
      const i = req.url === "/" ? 0 : Number(/^\/p(\d+)\.html$/.exec(req.url)?.[1] ?? count);
      if (i >= count) return res.writeHead(404).end();
      res.writeHead(200, { "content-type": "text/html" }).end(page(i, count));
    });
    await new Promise((resolve) => server.listen(port, `127.0.0.${site}`, resolve));
    port = server.address().port;
  }
  process.stdout.write(`${port}\n`);
} else {
  const pages = Number(process.argv[2] ?? 20_000),
    sites = Number(process.argv[3] ?? 4),
    each = Math.floor(pages / sites);
  const server = spawn(process.execPath, [fileURLToPath(import.meta.url), "serve", each, sites]);
  const port = await new Promise((resolve) => server.stdout.once("data", (text) => resolve(String(text).trim())));
  const urls = Array.from({ length: sites }, (_, i) => `http://127.0.0.${i + 1}:${port}/`);
  try {
    await docent(urls, each);
    await wget(urls);
  } finally {
    server.kill();
  }
}

async function docent(urls, each) {
  const kb = new Service({ env: { DOCENT_FETCH_ALLOW: "127.0.0.0/8", DOCENT_HOST_PAUSE: "0" } });
  await kb.begin();
  try {
    const rss = () =>
      Number(/RssAnon:\s+(\d+)/.exec(fs.readFileSync(`/proc/${kb.child.pid}/status`, "utf8"))[1]) / 1024;
    const start = performance.now(),
      agents = [];
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
      const seconds = (performance.now() - start) / 1000;
      while (indexed >= (quarter * each * urls.length) / 4 && quarter <= 4) {
        console.log(
          `docent: ${indexed} pages read and indexed after ${seconds.toFixed(0)} s, ${(indexed / seconds).toFixed(0)} a second, ${rss().toFixed(0)} MB of its own`,
        );
        quarter++;
      }
    }
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
}
