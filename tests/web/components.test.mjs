// The pages that show every component in its states (web/specimens).
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, readdir, readFile, rm } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import path from "node:path";
import { assert, browse, faults, faultsEverywhere, seen, test } from "./lib.mjs";
import { root } from "../api/lib/service.mjs";

const types = { ".html": "text/html", ".js": "text/javascript", ".css": "text/css", ".woff2": "font/woff2" };

/** The pages, bundled and served; null where nothing bundles them. */
async function specimens(t) {
  if (!existsSync("/usr/bin/esbuild")) return t.skip("esbuild is not installed");
  const folder = await mkdtemp(path.join(tmpdir(), "docent-specimens-"));
  t.after(() => rm(folder, { recursive: true, force: true }));
  execFileSync(path.join(root, "scripts/components"), [folder]);
  const server = createServer(async (request, response) => {
    const name = path.basename(new URL(request.url, "http://x").pathname) || "index.html";
    const bytes = await readFile(path.join(folder, name)).catch(() => null);
    response.writeHead(bytes ? 200 : 404, { "content-type": types[path.extname(name)] ?? "text/plain" });
    response.end(bytes);
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}` };
}

const pages = [
  { html: "index.html", folder: "components", alone: ["Shell"] },
  { html: "visitor.html", folder: "visitor", alone: ["Panel", "PanelWithTalk", "PanelClosed", "Viewer"] },
];

for (const { html, folder, alone } of pages)
  test(`every component of web/${folder} has its place, and is accessible in all its states`, async (t) => {
    const place = await specimens(t);
    if (!place) return;
    const { page, quiet } = await browse(t, place);
    await page.goto(`${place.url}/${html}`);
    await page.locator("[data-component]").first().waitFor();
    const shown = await page
      .locator("[data-component]")
      .evaluateAll((sections) => sections.map((section) => section.dataset.component));
    const files = (await readdir(path.join(root, "web", folder)))
      .filter((name) => name.endsWith(".tsx"))
      .map((name) => path.basename(name, ".tsx"));
    assert.deepEqual(shown, files.sort());
    const empty = await page
      .locator("[data-component]")
      .evaluateAll((all) => all.filter((one) => !one.querySelector(".specimen > div > *")).map((one) => one.id));
    assert.deepEqual(empty, [], "a place shows something");
    const found = await faultsEverywhere(page, html, { widths: [1000] });
    for (const opener of await page.locator("[data-opens]").all()) {
      await opener.click();
      const opened = page.locator("dialog[open], .toast").last();
      await opened.waitFor();
      for (const colorScheme of ["light", "dark"]) {
        await page.emulateMedia({ colorScheme });
        const here = `${await opener.textContent()}, ${colorScheme}`;
        const rules = colorScheme === "light" ? null : seen;
        found.push(...(await faults(page, here, { rules, within: "dialog[open], .toast" })));
      }
      await page.keyboard.press("Escape");
    }
    for (const name of alone) {
      await page.goto(`${place.url}/${html}?only=${name}`);
      await page.locator("#app > *").first().waitFor();
      found.push(...(await faults(page, name))); // the stories of the screens look at it in every light
    }
    // Of each landmark several states stand on the page.
    assert.deepEqual(
      found.filter((fault) => !/: landmark-/.test(fault)),
      [],
    );
    quiet();
  });
