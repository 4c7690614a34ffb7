// The dashboard in a real browser, as the person at it meets it.
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import {
  assert,
  attacks,
  browse,
  changeRead,
  faults,
  faultsEverywhere,
  link,
  signedIn,
  patient,
  start,
  test,
  until,
} from "./lib.mjs";
import { lighthouse, library } from "../api/lib/documents.mjs";
import { request } from "../api/lib/http.mjs";

const FIRST_VIEW = 80 * 1024;

const file = (name, text) => ({ name, mimeType: "text/markdown", buffer: Buffer.from(text) });

/** Every route of the dashboard that an agent has. */
const screens = [
  "ask",
  "documents",
  "sources",
  "conversations",
  "improve",
  "analytics",
  "persona",
  "behaviour",
  "look",
  "labels",
  "licences",
  "plugin",
  "share",
  "master",
];
const places = ["/agents", "/keys", "/people", "/activity", "/usage", "/account", "/system"];

test("from the printed link to the first cited answer on one's own file", async (t) => {
  const kb = await start(t);
  const { page, quiet } = await browse(t, kb);
  const began = Date.now();
  await page.goto(await link(kb));
  await page.getByRole("heading", { name: "Make your first agent" }).waitFor();
  assert.ok(!page.url().includes("#"), "the link's secret does not stay in the address");
  await page.getByRole("button", { name: "New agent" }).first().click();
  await page.locator("input[type=file]").first().setInputFiles(file("The lighthouse.md", lighthouse));
  assert.equal(await page.getByLabel("Name of the agent").getAttribute("placeholder"), "The lighthouse");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Answering", { exact: true }).waitFor();
  await page.getByRole("textbox", { name: "Ask The lighthouse …" }).fill("Who built the Velmora lighthouse?");
  await page.keyboard.press("Enter");
  // The sentence, its number, and the same sentence marked in the document beside it.
  const mark = page.locator(".paper mark.current");
  await mark.waitFor();
  assert.match(await mark.textContent(), /The Velmora lighthouse was built in 1874 by the engineer Hester Quillby\./);
  assert.match(await page.locator(".answer .said").textContent(), /Hester Quillby/);
  await page.getByText("The statement stands in the documents").waitFor();
  assert.ok(Date.now() - began < patient(60_000), `it took ${Date.now() - began} ms`);
  quiet();
});

test("an agent of more files than a request takes gets all of them, once", async (t) => {
  const kb = await start(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(await link(kb));
  await page.getByRole("button", { name: "New agent" }).first().click();
  const files = Array.from({ length: 60 }, (_, i) => file(`note-${i}.md`, `Note ${i} is about pump ${i}.`));
  await page.locator("input[type=file]").first().setInputFiles(files);
  await page.getByLabel("Name of the agent").fill("Pumps");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("textbox", { name: "Ask Pumps …" }).waitFor();
  const { data } = await kb.expect(200, "GET", "/projects");
  assert.equal(data.length, 1);
  const { pages } = await kb.expect(200, "GET", `/projects/${data[0].id}/pages`);
  assert.equal(pages.total, files.length);
  quiet();
});

test("before there is a key the page says the command; a wrong key is told in a sentence", async (t) => {
  const kb = await start(t, { key: false });
  const { page, quiet } = await browse(t, kb);
  await page.goto(kb.url);
  await page.getByText(`docent key create --data ${kb.dir}`).waitFor();
  const key = await kb.newKey();
  await page.getByRole("button", { name: "I have made it" }).click();
  await page.getByLabel("Key").fill("1000|wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByText("That is no key of this service").waitFor();
  await page.getByLabel("Key").fill(key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "Make your first agent" }).waitFor();
  assert.equal(
    await page.evaluate(() => document.cookie + JSON.stringify({ ...localStorage, ...sessionStorage })),
    "{}",
  );
  quiet();
});

test("a key that is revoked elsewhere leads back to the sign-in", async (t) => {
  const kb = await start(t);
  const { page } = await signedIn(t, kb);
  const other = await kb.newKey();
  await page.waitForLoadState("networkidle"); // what is on its way would lead there by itself
  await kb.expect(200, "DELETE", `/keys/${kb.key.split("|")[0]}`, { key: other });
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("heading", { name: "Sign in" }).waitFor();
});

test("a key is made in the page, shown once, and revoked", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.getByRole("link", { name: "Keys" }).click();
  await page.getByRole("button", { name: "New key" }).click();
  await page.getByLabel("Name").fill("The newsletter");
  await page.getByRole("button", { name: "Harbour" }).click();
  await page.getByRole("button", { name: "Create" }).click();
  const key = await page.locator(".command code").textContent();
  await kb.expect(200, "GET", agent.path, { key });
  await page.getByRole("button", { name: "I have kept it" }).click();
  const row = page.getByRole("row", { name: /The newsletter/ });
  assert.match(await row.textContent(), /Harbour/);
  assert.ok(!(await page.content()).includes(key.split("|")[1]));
  await row.getByRole("button").click();
  await page.getByRole("button", { name: "Revoke", exact: true }).click();
  await row.waitFor({ state: "detached" });
  assert.equal((await kb.api("GET", agent.path, { key })).status, 401);
  quiet();
});

test("documents are dropped, watched, looked at, found by name and deleted", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  await page.getByRole("heading", { name: "No documents yet" }).waitFor();
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles([
      ...Object.entries(library).map(([name, text]) => file(name, text)),
      file("empty.pdf", "%PDF-1.7\nno more of it"),
    ]);
  await page.getByRole("button", { name: /^Ready 3$/ }).waitFor();
  const failed = page.getByRole("row", { name: /empty\.pdf/ });
  await failed.getByText("Failed").waitFor();
  assert.ok((await failed.locator("small").last().textContent()).length > 10, "it says why");
  await page
    .getByRole("row", { name: /espresso\.md/ })
    .locator(".what button")
    .first()
    .click();
  await page.getByRole("dialog").getByText("The Brisca 200 heats up in 35 seconds.").waitFor();
  await page.getByRole("button", { name: "Passages" }).click();
  await page.locator(".passage-list li", { hasText: "the pump has run dry" }).waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("light*");
  await page.getByRole("row", { name: /espresso/ }).waitFor({ state: "detached" });
  await page
    .getByRole("row", { name: /lighthouse\.md/ })
    .getByRole("checkbox")
    .check();
  await page.getByRole("toolbar").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No document fits" }).waitFor();
  assert.equal((await agent.pages()).length, 3);
  quiet();
});

test("a folder is taken whole; documents are labelled, read again and described, and a lost title comes back", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  const folder = await mkdtemp(path.join(tmpdir(), "docent-folder-"));
  t.after(() => rm(folder, { recursive: true }));
  await mkdir(path.join(folder, "deep", "deeper"), { recursive: true });
  const places = ["", "deep", "deep/deeper"];
  for (const [i, [name, text]] of Object.entries(library).entries())
    await writeFile(path.join(folder, places[i % 3], name), text);
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  await page.getByLabel("Choose a folder").and(page.locator("input")).setInputFiles(folder);
  await page.getByRole("button", { name: /^Ready 3$/ }).waitFor();
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  const many = page.getByRole("toolbar");
  await many.getByRole("button", { name: "Labels" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "staff" }).click();
  await dialog.getByRole("button", { name: "Save" }).click();
  await dialog.waitFor({ state: "detached" });
  for (const { id } of await agent.pages())
    assert.equal((await agent.expect(200, "GET", `/pages/${id}/labels`)).length, 1);
  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await many.getByRole("button", { name: "Read again" }).click();
  await page.getByText("3 documents").first().waitFor();
  await page.getByRole("button", { name: /^Ready 3$/ }).waitFor();
  const { id } = await agent.page("espresso.md");
  const titled = async () => (await agent.expect(200, "GET", `/pages/${id}/metadata`)).title;
  await agent.expect(200, "PUT", `/pages/${id}/metadata`, { json: { title: "The machine" } });
  await page
    .getByRole("row", { name: /espresso\.md/ })
    .locator(".what button")
    .first()
    .click();
  await dialog.getByRole("button", { name: "In citations" }).click();
  await dialog.getByLabel("Title").waitFor();
  assert.equal(await dialog.getByLabel("Title").inputValue(), "The machine");
  await dialog.getByRole("button", { name: "Back to the document's own words" }).click();
  await until("the document's own title", async () => (await titled()) !== "The machine");
  await dialog.getByRole("button", { name: "Undo" }).click();
  await until("the title", async () => (await titled()) === "The machine");
  quiet();
});

test("by keyboard alone: the palette leads to an agent, a question is asked, its source opened and left", async (t) => {
  const kb = await start(t);
  await kb.agent({ project_name: "Harbour", files: library });
  const { context, page, quiet } = await signedIn(t, kb, { viewport: { width: 1000, height: 800 } });
  // On a slow machine too what is typed at once belongs into the palette.
  const machine = await context.newCDPSession(page);
  await machine.send("Emulation.setCPUThrottlingRate", { rate: 20 });
  await page.keyboard.press("Control+k");
  await page.keyboard.type("harb");
  await machine.send("Emulation.setCPUThrottlingRate", { rate: 1 });
  await page.getByRole("option", { name: /Harbour/ }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: /^Ask Harbour/ }).waitFor();
  await page.waitForFunction(() => document.activeElement?.tagName === "TEXTAREA");
  await page.keyboard.type("Who built the Velmora lighthouse?");
  await page.keyboard.press("Enter");
  const cite = page.getByRole("button", { name: /^Source 1/ }).first();
  await cite.waitFor();
  await cite.focus();
  await page.keyboard.press("Enter");
  await page.locator(".paper mark.current").waitFor();
  await page.getByRole("button", { name: "Close the document" }).focus();
  await page.keyboard.press("Enter");
  await page.locator(".paper").waitFor({ state: "detached" });
  quiet();
});

test("an answer's words never become an element, whatever they are", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "a.txt": attacks
        .map((text, i) => `The zorgel number ${i} of the vault is ${text} as it is written.`)
        .join("\n\n"),
    },
  });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  for (let i = 0; i < attacks.length; i += 3) {
    await page.getByRole("textbox").fill(`What is the zorgel number ${i} of the vault?`);
    await page.keyboard.press("Enter");
    await page
      .locator(".turn")
      .nth(i / 3)
      .locator(".acts")
      .waitFor();
  }
  const found = await page.evaluate(() => ({
    elements: [...document.querySelectorAll(".answer :is(img, script, iframe, style, object), .answer svg:not(.icon)")]
      .length,
    links: [...document.querySelectorAll(".answer a")].map((a) => [a.protocol, a.rel]),
  }));
  assert.equal(found.elements, 0);
  for (const [protocol, rel] of found.links)
    assert.deepEqual([protocol, rel], ["https:", "noopener noreferrer nofollow"]);
  quiet();
});

test("every screen is accessible: light and dark, from either side, narrow and wide", async (t) => {
  const kb = await start(t);
  // Each list has rows, of which some are long.
  const files = {
    ...library,
    "damaged.pdf": "%PDF-1.7 of nothing",
    [`${"minutes-of-the-board-".repeat(4)}.txt`]: "Noted.",
  };
  const agent = await kb.agent({ project_name: "Harbour", files, is_shared: "true" });
  const master = await kb.agent({ project_name: "All of it", is_master: "true" });
  for (const question of [
    "Who built the Velmora lighthouse?",
    "What is the boiling point of tungsten, and is it known by whom, where and in which year it was first measured?",
  ])
    await agent.ask(question);
  await agent.expect(201, "POST", "/labels", { json: { names: ["staff", "board"] } });
  await agent.expect(200, "POST", "", { json: { is_shared: true, are_licenses_allowed: true } });
  await agent.expect(201, "POST", "/licenses", { json: { name: "The island's school" } });
  await kb.expect(201, "POST", "/people", { json: { name: "Ann", email: "ann@harbour.example.org", role: "owner" } });
  const { context, page, quiet } = await signedIn(t, kb);
  const paths = [
    ...places,
    `/agents/${master.id}/ask`,
    `/agents/${master.id}/master`,
    ...screens.map((screen) => `/agents/${agent.id}/${screen}`),
  ];
  const found = [];
  const look = async (page, path, within) => {
    await page.goto(kb.url + path);
    await page.locator("h1").waitFor();
    found.push(...(await faultsEverywhere(page, path, { within, widths: [390, 1024, 1440], isScreen: true })));
    if (process.env.SHOTS)
      for (const width of [390, 1024]) {
        await page.setViewportSize({ width, height: 900 });
        await page.screenshot({ path: `${process.env.SHOTS}/${width}${path.replaceAll("/", "_")}.png` });
      }
  };
  // What stands around a screen, of the account and of an agent, is looked at once.
  for (const path of [paths.shift(), paths.pop()]) await look(page, path);
  // Two pages share the screens; each is loaded once.
  const walk = async (page) => {
    for (let path = paths.shift(); path; path = paths.shift()) await look(page, path, "main");
  };
  await Promise.all([walk(page), walk(await context.newPage())]);
  assert.deepEqual(found, []);
  quiet();
});

test("what opens over a screen is accessible too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const found = [];
  for (const colorScheme of ["light", "dark"]) {
    const { page, context, quiet } = await signedIn(t, kb, { colorScheme, viewport: { width: 390, height: 844 } });
    const look = async (what) => found.push(...(await faults(page, `${what}, ${colorScheme}`)));
    await page.getByRole("button", { name: "New agent" }).click();
    await look("a new agent");
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+k");
    await page.getByRole("option", { name: /Harbour/ }).waitFor();
    await look("the palette");
    await page.keyboard.press("Escape");
    await page.goto(`${kb.url}/agents/${agent.id}/documents`);
    await page
      .getByRole("row", { name: /lighthouse\.md/ })
      .locator(".what button")
      .first()
      .click();
    await page.locator(".paper").waitFor();
    await look("a document");
    await page.getByRole("button", { name: "In citations" }).click();
    await look("a document in citations");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "Menu" }).click();
    await page.getByRole("link", { name: "Persona" }).waitFor();
    await look("the rail");
    await page.goto(`${kb.url}/agents/${agent.id}/ask`);
    await page.getByRole("textbox").fill("Who built the Velmora lighthouse?");
    await page.keyboard.press("Enter");
    await page.locator(".acts").waitFor();
    await look("an answer");
    await page.getByRole("button", { name: "Why was this found?" }).click();
    await page.locator(".why li").first().waitFor();
    await look("why it was found");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: /^Source 1/ }).click();
    await page.locator(".paper mark.current").waitFor();
    await look("a cited document");
    quiet();
    await context.close();
  }
  assert.deepEqual(found, []);
});

test("one question may go to another model", async (t) => {
  const kb = await start(t, { args: ["--models", "small-one, large-one"] });
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("combobox", { name: "Model for this question" }).selectOption("large-one");
  await page.getByRole("textbox").fill("Who built the Velmora lighthouse?");
  const [sent] = await Promise.all([
    page.waitForRequest((request) => request.method() === "POST" && request.url().includes("/messages")),
    page.keyboard.press("Enter"),
  ]);
  assert.equal(sent.postDataJSON().chatbot_model, "large-one");
});

test("an agent is made public, seen as its visitors see it, and given to other sites", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/share`);
  await page.getByRole("button", { name: "Make it public" }).click();
  const { shareable_link, live_chat_code, embed_code } = await until("the link", async () => {
    const record = await agent.expect(200, "GET");
    return record.is_shared && record;
  });
  await page.getByText(shareable_link, { exact: true }).waitFor();
  const code = page.locator("section", { hasText: "Put it into your site" }).locator("code");
  assert.equal(await code.textContent(), live_chat_code);
  await page.getByRole("button", { name: "Beside the page" }).click();
  assert.equal(await code.textContent(), live_chat_code.replace(" defer", ' data-mode="copilot" defer'));
  await page.getByRole("button", { name: "Plain frame" }).click();
  assert.equal(await code.textContent(), embed_code.replace('height="auto"', 'height="720"'));
  // The preview is the agent itself.
  const inside = page.frameLocator(".live-preview iframe");
  await inside.getByRole("textbox").fill("Who built the Velmora lighthouse?");
  await inside.getByRole("textbox").press("Enter");
  await inside.getByText("Hester Quillby").first().waitFor();
  // What is decided now: whether sources open, in which language it speaks, who answers the rest.
  await page.getByLabel("Open cited PDF files in the viewer").waitFor();
  await page.getByLabel("Who answers what the documents do not").waitFor();
  assert.equal(
    await page.getByLabel("Language of the texts").locator("option").first().textContent(),
    "As the visitor’s browser",
  );
  assert.deepEqual(await faults(page, "share"), []);
  await page.getByRole("switch", { name: "Public" }).click();
  await page.getByRole("button", { name: "Close it" }).click();
  await page.getByRole("button", { name: "Make it public" }).waitFor();
  assert.equal((await agent.expect(200, "GET")).is_shared, false);
  quiet();
});

test("the first view is small", async (t) => {
  const kb = await start(t);
  const { page } = await browse(t, kb);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(`${kb.url}/login`, { waitUntil: "networkidle" });
  let bytes = 0;
  for (const url of asked.filter((each) => !each.endsWith(".woff2")))
    bytes += Number((await request(url, { headers: { "accept-encoding": "gzip" } })).headers["content-length"]);
  assert.ok(bytes > 5000 && bytes < FIRST_VIEW, `${bytes} bytes`);
});

test("over HTTP/1.1 no screen takes more than twelve requests, and on a phone nothing of it moves", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  await agent.ask("Who built the Velmora lighthouse?");
  await agent.expect(200, "GET", "/opening");
  const { page, quiet } = await signedIn(t, kb, { viewport: { width: 390, height: 844 } });
  const asked = [];
  page.on("request", (request) => request.url().startsWith(kb.url) && asked.push(request.url()));
  await page.addInitScript(() => {
    window.moved = [];
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput, sources } of list.getEntries())
        if (!hadRecentInput) window.moved.push([value, ...sources.map(({ node }) => node?.className ?? "")]);
    }).observe({ type: "layout-shift", buffered: true });
  });
  for (const place of [...screens.map((name) => `/agents/${agent.id}/${name}`), ...places]) {
    await page.goto("about:blank");
    asked.length = 0;
    await page.goto(kb.url + place, { waitUntil: "networkidle" });
    await page.locator(".content, .ask-body").waitFor();
    await page.waitForLoadState("networkidle");
    assert.ok(asked.length > 6 && asked.length <= 12, `${place}: ${asked.length}\n${asked.join("\n")}`);
    const moved = await page.evaluate(() => window.moved);
    assert.ok(moved.reduce((sum, [value]) => sum + value, 0) <= 0.02, `${place} moves: ${JSON.stringify(moved)}`);
  }
  const { shareable_link: link } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  // What visitors see of it is a page of its own, which comes when somebody comes to it.
  asked.length = 0;
  await page.goto(`${kb.url}/agents/${agent.id}/share`, { waitUntil: "networkidle" });
  await page.getByText("Put it into your site").waitFor();
  assert.ok(asked.length <= 12, `Share of what is public: ${asked.length}\n${asked.join("\n")}`);
  await page.locator(".live-preview iframe").scrollIntoViewIfNeeded();
  await page.frameLocator(".live-preview iframe").getByRole("textbox").waitFor();
  await page.goto("about:blank");
  asked.length = 0;
  await page.goto(new URL(new URL(link).pathname, kb.url).href, { waitUntil: "networkidle" });
  assert.ok(asked.length > 4 && asked.length <= 12, `the public page: ${asked.length}\n${asked.join("\n")}`);
  quiet();
});

test("what cannot be read says so, changes nothing, and comes when it is asked for again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  const { page } = await signedIn(t, kb);
  const fail = (path) => changeRead(page, path, () => ({ status: 503, body: { message: "The store is away." } }));
  let mend = await fail("/limits/usage");
  await page.goto(`${kb.url}/usage`);
  await page.getByText("The store is away.").waitFor();
  await mend();
  await page.getByRole("button", { name: "Try again" }).click();
  await page.locator(".meter").first().waitFor();
  // Labels that nobody has seen are not saved over.
  const [{ id: first }] = (await agent.expect(200, "GET", "/content/pages", { query: { limit: 1 } })).data;
  mend = await fail(`${agent.path}/pages/${first}/labels`);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  await page.locator("tbody td.check input").first().check();
  await page.locator(".bulk").getByRole("button", { name: "Labels" }).click();
  const dialog = page.locator("dialog");
  await dialog.getByText("The store is away.").waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Save" }).isDisabled());
  await mend();
  await dialog.getByRole("button", { name: "Try again" }).click();
  await dialog.getByRole("button", { name: "staff" }).waitFor();
  assert.ok(await dialog.getByRole("button", { name: "Save" }).isEnabled());
});

test("the operator sees when the last backup was made, and when one fails", async (t) => {
  const place = path.join(await mkdtemp(path.join(tmpdir(), "docent-web-backup-")), "place");
  t.after(() => rm(path.dirname(place), { recursive: true, force: true }));
  const kb = await start(t, { env: { DOCENT_BACKUP: place, DOCENT_BACKUP_EVERY: "1d" } });
  await until("the first backup", async () => (await kb.expect(200, "GET", "/backups")).finished_at);
  await until("its drill", async () => (await kb.expect(200, "GET", "/backups")).verified_at);
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/system`);
  const card = page.getByRole("region", { name: "Backups" });
  const fact = (name) => card.locator("dt", { hasText: name }).locator("xpath=following-sibling::dd[1]");
  await card.getByText("Last one").waitFor();
  assert.match(await fact("Last one").textContent(), /ago|now/);
  assert.match(await fact("Next one").textContent(), /^(in \d+ hours|tomorrow)$/);
  assert.match(await fact("Seen to come back").textContent(), /ago|now/);
  assert.match(await fact("They hold").textContent(), /^1 · /);
  assert.equal(await fact("Encrypted").textContent(), "no");
  assert.deepEqual(await faultsEverywhere(page, "the backups' card"), []);
  await changeRead(page, "/backups", (reply) => ({ ...reply, body: { data: { ...reply.body.data, is_late: true } } }));
  await page.reload();
  await card.getByText("No backup was made for a while").waitFor();
  quiet();
});
