// Whole websites: real ones, served without their sitemap, are read by their links.
import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import path from "node:path";
import { createInterface } from "node:readline";
import { assert, start, test, until } from "./lib/harness.mjs";
import { data, skip } from "./lib/evaluation.mjs";
import { mayFetch } from "./lib/site.mjs";

// Without a browser: one would look at the pages of few words once more (scripts.test.mjs).
const plain = { env: { ...mayFetch.env, DOCENT_CHROMIUM: "none" } };

const serve = path.resolve(data, "../eval/serve.py");
const lines = (file) =>
  readFileSync(file, "utf8")
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));

/** The site's own server; its address and what was asked of it. */
async function served(t, name, kb) {
  const log = path.join(kb.dir, `${name}.log`);
  const child = spawn("python3", [serve, path.join(data, "sites", name), "--no-sitemap", "--log", log]);
  t.after(() => child.kill());
  const [url] = await new Promise((resolve) => createInterface(child.stdout).once("line", (line) => resolve([line])));
  return { url, asked: () => lines(log) };
}

const read = (agent) =>
  until(
    "the website to be read",
    async () => {
      const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
      return source.sync_status !== "queued" && source;
    },
    120_000,
  );

for (const name of ["uv-docs", "dplyr", "trpl-zh-cn"])
  test(
    `the pages that the links of ${name} reach are found, once each, and the second time for nothing`,
    { skip },
    async (t) => {
      const kb = await start(t, plain);
      const site = await served(t, name, kb);
      const agent = await kb.agent({ sitemap_path: site.url });
      const source = await read(agent);
      assert.equal(source.sync_status, "ok");
      const wanted = lines(path.join(data, "sites", name, "pages.jsonl")).filter((page) => page.depth !== null);
      const pages = await agent.pages();
      const known = new Map(pages.map((page) => [decodeURI(new URL(page.page_url).pathname), page]));
      assert.equal(known.size, pages.length, "no page twice");
      const index = (file) => file.replace(/index\.html$/, "");
      const missing = wanted.filter((page) => known.get(index(page.path))?.index_status !== "ok");
      const why = missing.map((page) => `${page.path}: ${known.get(index(page.path))?.status_reason ?? "not found"}`);
      t.diagnostic(`${name}: ${wanted.length - missing.length} of ${wanted.length} pages; ${why.join("; ")}`);
      assert.ok(missing.length <= wanted.length * 0.02, why.join("\n"));
      // Each under its own title: as it is written, or its heading, without the website's name.
      const folded = (text) => text.normalize("NFKC").replace(/\s+/g, " ").trim();
      for (const { path: where, title, h1 } of wanted) {
        const page = known.get(index(where));
        if (page?.index_status !== "ok") continue;
        const metadata = await agent.expect(200, "GET", `/pages/${page.id}/metadata`);
        const got = folded(metadata.title);
        assert.ok(folded(title).startsWith(got) || folded(h1 ?? "") === got, `${where}: ${got}, not ${title} or ${h1}`);
      }
      // Nothing but the website, robots.txt first, nothing twice.
      const first = site.asked();
      assert.equal(first[0].path, "/robots.txt");
      const paths = first.map((entry) => entry.path);
      assert.deepEqual(
        paths.filter((one, i) => paths.indexOf(one) !== i),
        [],
      );
      assert.deepEqual(
        paths.filter((one) => one.startsWith("/private/")),
        [],
      );
      assert.equal(Math.max(...first.map((entry) => entry.active)), 1);
      await agent.expect(201, "PUT", `/sources/${source.id}/instant-sync`);
      await read(agent);
      const again = site.asked().slice(first.length);
      const changed = again.filter((entry) => entry.status === 200 && entry.path !== "/robots.txt");
      t.diagnostic(
        `${name}: second time ${again.length} requests, ${changed.length} of them in full: ${changed.map((e) => e.path)}`,
      );
      assert.ok(again.filter((entry) => entry.status === 304).length >= wanted.length - missing.length);
    },
  );
