// A real browser for stories: Debian's Chromium, driven by playwright-core. Where either is missing, the
// stories are skipped and say so.
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { after } from "node:test";
import "../api/lib/machine.mjs"; // Chromium writes with its fonts
import { assert, docent, patient, test as plainTest } from "../api/lib/harness.mjs";

export { assert, patient, start, until } from "../api/lib/harness.mjs";

const programs = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const program = process.env.DOCENT_BROWSER ?? programs.find((path) => existsSync(path));
const playwright = await import("playwright-core").catch(() => null);
const skip = !playwright ? "playwright-core is not installed" : !program ? "no Chromium on this machine" : false;

export const test = (name, fn) => plainTest(name, { skip }, fn);

/** One browser for the stories of a file. */
let launched = null;
const browserOfFile = () =>
  (launched ??= playwright.chromium.launch({ executablePath: program, args: ["--no-sandbox"] }));
after(async () => (await launched)?.close());

/** A window that knows nothing of other stories and ends with the test. What a page logs as an error, and requests to
 * anybody but the service and the places named in `elsewhere`, fail the test. */
export async function browse(t, kb, { elsewhere = [], ...options } = {}) {
  const browser = await browserOfFile();
  const context = await browser.newContext({ viewport: { width: 1440, height: 900 }, ...options });
  t.after(() => context.close());
  const page = await context.newPage();
  const wrong = [];
  // A test that fails tells it with what the server said.
  const note = (text) => (kb.log = `${kb.log ?? ""}a page: ${text}\n`);
  page.on("console", (message) => message.type() === "error" && (wrong.push(message.text()), note(message.text())));
  page.on("pageerror", (error) => (wrong.push(error.stack), note(error.stack)));
  page.on("requestfailed", (request) => note(`${request.url()} ${request.failure()?.errorText}`));
  page.on("request", (request) => {
    const expected = [`${kb.url}/`, ...elsewhere].some((place) => request.url().startsWith(place));
    if (/^(https?|wss?):/.test(request.url()) && !expected) wrong.push(`asked ${request.url()}`);
  });
  page.setDefaultTimeout(patient(20_000));
  /** Expected refusals are logged by the browser too; these are taken off. */
  const quiet = () =>
    assert.deepEqual(
      wrong.filter((line) => !/status of 40[0-9]/.test(line)),
      [],
    );
  return { browser, context, page, quiet };
}

/** The link that the operator's machine prints. */
export async function link(kb) {
  const made = await docent(["key", "link", "--data", kb.dir, "--url", kb.url]);
  assert.equal(made.code, 0, made.stderr);
  return made.stdout.trim();
}

/** A page that is signed in. */
export async function signedIn(t, kb, options) {
  const all = await browse(t, kb, options);
  await all.page.goto(await link(kb));
  await all.page.locator(".frame").waitFor();
  await all.page.waitForURL(/\/agents/);
  return all;
}

/** What a document may say so that a page does more than show it. */
export const attacks = [
  "<img src=x onerror=alert(1)>",
  "<script>alert(1)</script>",
  "[click](javascript:alert(1))",
  "![p](https://evil.example/p.png)",
  "[1]: https://evil.example",
  "<a href='https://evil.example'>x</a>",
  "[x](data:text/html,<script>alert(1)</script>)",
  "<iframe src=https://evil.example></iframe>",
  "<svg onload=alert(1)>",
  "[x](https://evil.example 'title\" onmouseover=alert(1)')",
  "<style>body{display:none}</style>",
  "&lt;script&gt;alert(1)&lt;/script&gt;",
];

let axe;
/** Rules that turn on colours and places; the others judge the elements, which are the same in any light. */
export const seen = ["color-contrast", "target-size", "link-in-text-block", "scrollable-region-focusable"];

/** What axe-core finds wrong with what is shown, or with a part of it: by all rules, or by those named. */
export async function faults(page, what, { rules = null, within = null } = {}) {
  axe ??= await readFile(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  // A specimen may wait for ever.
  await page.waitForFunction(
    () => !document.querySelector(".spinner:not([data-component] *)") && document.fonts.status === "loaded",
  );
  // The page's policy lets no text become a script; the driver's own world may.
  if (!(await page.evaluate(() => Boolean(window.axe)))) await page.evaluate((source) => (0, eval)(source), axe);
  return page.evaluate(
    async ([what, rules, within]) => {
      // What a change of light begins, begins with the next frame.
      await new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)));
      const passing = document
        .getAnimations()
        .filter((a) => a.effect?.getTiming().iterations === 1 || a instanceof CSSTransition);
      await Promise.all(passing.map((a) => a.finished.catch(() => {})));
      const { violations } = await window.axe.run(within ?? document, {
        runOnly: rules ?? ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"],
        resultTypes: ["violations"],
      });
      return violations.map(
        (v) =>
          `${what}: ${v.id}: ${v.help}: ${v.nodes
            .map((n) => n.html.slice(0, 160))
            .slice(0, 3)
            .join(" | ")}`,
      );
    },
    [what, rules, within],
  );
}

/** What of a screen stands where nobody sees it, or is too small for a finger: words that are cut, what sticks out of
 * the window, a table behind a scroll to the side, and whatever is pressed and has less than 24 by 24 px. */
const misfits = (page) =>
  page.evaluate(() => {
    const found = [];
    const isShown = (element) =>
      element.checkVisibility({ visibilityProperty: true }) && !element.closest(".hidden, svg");
    const name = (element) => `${element.outerHTML.slice(0, 90)} …`;
    for (const element of document.querySelectorAll("main *")) {
      if (!isShown(element)) continue;
      const { left, right, width } = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      // Words for readers of the screen alone.
      if (width <= 1 || style.clipPath !== "none" || element.parentElement.closest(".table-wrap")) continue;
      const out = Math.max(right - document.documentElement.clientWidth, -left);
      const over = element.scrollWidth - element.clientWidth;
      if (out > 1) found.push(`${Math.round(out)} px out of the window: ${name(element)}`);
      if (element.matches(".table-wrap") && over > 1) found.push(`${over} px behind a scroll: ${name(element)}`);
      const isText =
        !element.children.length && element.textContent && !element.matches("input, textarea, select, pre");
      if (isText && over > 1 && style.overflowX === "hidden" && style.textOverflow !== "ellipsis")
        found.push(`${over} px of words are cut: ${name(element)}`);
    }
    for (const element of document.querySelectorAll("button, a[href], input, select, textarea, summary")) {
      if (!isShown(element) || element.type === "file" || element.type === "hidden") continue;
      const style = getComputedStyle(element);
      // A link among the words of a sentence has their height.
      if (element.matches("a") && style.display === "inline" && element.closest("p, small, .lead")) continue;
      const { width, height } = (element.closest("label") ?? element).getBoundingClientRect();
      if (width > 1 && (width < 23.9 || height < 23.9))
        found.push(`${Math.round(width)} by ${Math.round(height)} px to press: ${name(element)}`);
    }
    return found;
  });

/** What is wrong with what is shown, narrow and wide, from either side, light and dark: nothing is loaded anew.
 * `within`: the part whose colours and places are looked at, where the rest was seen before. `isScreen`: it is a
 * screen of the dashboard, of which nothing may be cut. */
export async function faultsEverywhere(page, what, options = {}) {
  const { sides = ["ltr", "rtl"], widths = [320, 1440], within = null, isScreen = false } = options;
  const found = [];
  for (const width of widths) {
    await page.setViewportSize({ width, height: 900 });
    for (const side of sides) {
      await page.evaluate((side) => (document.documentElement.dir = side), side);
      // Colours are those of a screen, from whichever side and however wide.
      const isDark = width === widths[0] && side === sides[0];
      for (const colorScheme of isDark ? ["light", "dark"] : ["light"]) {
        await page.emulateMedia({ colorScheme });
        const here = `${what}, ${width}, ${side}, ${colorScheme}`;
        const first = side === sides[0] && colorScheme === "light";
        found.push(...(await faults(page, here, first ? {} : { rules: seen, within })));
      }
      const over = await page.evaluate(() => {
        const { scrollWidth, clientWidth } = document.documentElement;
        return scrollWidth - clientWidth;
      });
      if (over > 0) found.push(`${what}, ${width}, ${side}: ${over} px are cut off`);
      if (isScreen) found.push(...(await misfits(page)).map((one) => `${what}, ${width}, ${side}: ${one}`));
    }
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.evaluate((side) => (document.documentElement.dir = side), sides[0]);
  return found;
}

/** What the pages read at that address below /api/v1 is changed on its way, alone or together with others: `change`
 * gets { status, body } and gives what it becomes. Gives what ends that. */
export async function changeRead(page, address, change) {
  const at = (text) => text.split("?")[0] === address;
  const own = (url) => at(url.pathname.replace("/api/v1", ""));
  const among = (url) => url.pathname === "/api/v1/together" && url.searchParams.getAll("path").some(at);
  const matches = (url) => own(url) || among(url);
  const handle = async (route) => {
    const url = new URL(route.request().url());
    const response = await route.fetch();
    const body = await response.json();
    if (own(url)) {
      const { status, body: json } = await change({ status: response.status(), body });
      return route.fulfill({ status, json });
    }
    for (const [i, path] of url.searchParams.getAll("path").entries())
      if (at(path)) body.data[i] = await change(body.data[i]);
    return route.fulfill({ json: body });
  };
  await page.route(matches, handle);
  return () => page.unroute(matches, handle);
}
