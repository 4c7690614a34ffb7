// How content comes into an agent, in a real browser: files, addresses, and how they are read.
import { readFileSync } from "node:fs";
import { assert, browse, changeRead, faults, link, patient, signedIn, start, test, until } from "./lib.mjs";
import { library, lighthouse } from "../api/lib/documents.mjs";
import { mixedPdf, scanned } from "../api/lib/print.mjs";
import { mayFetch, site } from "../api/lib/site.mjs";

const file = (name, text, mimeType = "text/markdown") => ({ name, mimeType, buffer: Buffer.from(text) });
const scan = () => mixedPdf([scanned(["The marble room opens at eleven."])]);

/** Drops files onto what is at that place of the page, as a hand would. */
async function drop(page, selector, files) {
  const data = await page.evaluateHandle((files) => {
    const data = new DataTransfer();
    for (const [name, text] of files) data.items.add(new File([text], name, { type: "text/markdown" }));
    return data;
  }, files);
  for (const type of ["dragenter", "dragover", "drop"])
    await page.dispatchEvent(selector, type, { dataTransfer: data, cancelable: true, bubbles: true });
}

test("a scan says that reading pictures is off; one button turns it on and reads the scan", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "scan.pdf": scan(), "a.md": lighthouse } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  const row = page.getByRole("row", { name: /scan\.pdf/ });
  await row.getByText("reading words in pictures is off").waitFor();
  assert.equal(await page.getByText("is_ocr_enabled").count(), 0, "no name of a field");
  assert.deepEqual(await faults(page, "a failed scan"), []);
  await row.getByRole("button", { name: "Read words in pictures, and read it again" }).click();
  await row.getByText("Ready").waitFor({ timeout: patient(60_000) });
  assert.equal((await agent.expect(200, "GET")).is_ocr_enabled, 1);
  quiet();
});

test("when the option is on already, a scan that failed before says so and is read again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "scan.pdf": scan(), "a.md": lighthouse } });
  await agent.expect(200, "POST", "", { json: { is_ocr_enabled: 1 } });
  const { page, quiet } = await signedIn(t, kb);
  const { id } = await agent.page("scan.pdf");
  await page.goto(`${kb.url}/agents/${agent.id}/documents?document=${id}`);
  const note = page.locator("dialog .note");
  await note.getByText("was off when it was read").waitFor();
  await note.getByRole("button", { name: "Read again" }).click();
  await until("the scan", async () => (await agent.page("scan.pdf")).index_status === "ok", 60_000);
  quiet();
});

test("how documents are read is set with a new agent, with more content, and later", async (t) => {
  const kb = await start(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(await link(kb));
  await page.getByRole("button", { name: "New agent" }).first().click();
  await page
    .locator("input[type=file]")
    .first()
    .setInputFiles(file("scan.pdf", scan(), "application/pdf"));
  await page.getByText("How documents are read").click();
  assert.equal(await page.getByLabel("Read what scripts write").count(), 0, "that is for addresses");
  await page.getByLabel("Scans and pictures").selectOption({ label: "Read their words (OCR)" });
  await page.getByLabel("More time for large documents").check();
  await page.getByLabel("Keep original files").uncheck();
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByText("Answering", { exact: true }).waitFor({ timeout: patient(60_000) });
  const { data } = await kb.expect(200, "GET", "/projects");
  const read = () => kb.expect(200, "GET", `/projects/${data[0].id}`);
  const language = async () => (await kb.expect(200, "GET", `/projects/${data[0].id}/settings`)).chatbot_msg_lang;
  await until("its visitors to read their own language", async () => (await language()) === "visitor");
  const options = ({ is_ocr_enabled, allow_extra_timeout, file_data_retension, is_vision_enabled }) => [
    is_ocr_enabled,
    allow_extra_timeout,
    file_data_retension,
    is_vision_enabled,
  ];
  assert.deepEqual(options(await read()), [1, true, false, false]);

  // With more content: what the agent has is shown, and what is changed counts for it.
  await page.getByRole("button", { name: "Add content" }).first().click();
  await page.getByText("How documents are read").click();
  assert.equal(await page.getByLabel("Scans and pictures").inputValue(), "1");
  await page.getByLabel("Describe pictures in documents").check();
  await page.getByLabel("Or an address").fill("docent.invalid/notes");
  await page.getByLabel("Read what scripts write").uncheck();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.deepEqual(options(await read()), [1, true, false, true]);
  const { sitemaps } = await kb.expect(200, "GET", `/projects/${data[0].id}/sources`);
  assert.deepEqual(
    [sitemaps[0].settings.sitemap_path, sitemaps[0].settings.executive_js],
    ["https://docent.invalid/notes", false],
  );

  // Later, by whatever name people have for it.
  for (const [word, title] of [
    ["ocr", "Scans and pictures"],
    ["scan", "Scans and pictures"],
    ["is_anonymized", "Mask personal data"],
  ]) {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to …" }).fill(word);
    await page.getByRole("option", { name: title }).first().click();
    const control = page.getByLabel(title);
    await control.waitFor();
    await until("the focus", () => control.evaluate((node) => node === document.activeElement));
  }
  await page.getByLabel("Mask personal data").check();
  await page.getByText("Saved").waitFor();
  assert.equal((await read()).is_anonymized, true);
  await page.getByLabel("Scans and pictures").selectOption("0");
  await until("it to be saved", async () => (await read()).is_ocr_enabled === 0);
  quiet();
});

test("the files that are chosen can be seen, in any window", async (t) => {
  const kb = await start(t);
  const { page } = await browse(t, kb);
  await page.goto(await link(kb));
  await page.getByRole("button", { name: "New agent" }).first().click();
  const files = Array.from({ length: 20 }, (_, i) => file(`note-${i}.md`, `Note ${i}.`));
  await page.locator("input[type=file]").first().setInputFiles(files);
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
  ])
    for (const isOpen of [false, true]) {
      await page.setViewportSize({ width, height });
      await page.locator("dialog details").evaluate((node, isOpen) => (node.open = isOpen), isOpen);
      const box = await page.locator(".file-list").boundingBox();
      assert.ok(box.height >= 180, `${width} wide, ${isOpen ? "open" : "folded"}: ${box.height} px`);
      assert.ok(await page.locator(".file-list li").first().isVisible());
      const over = await page.locator("dialog .body").evaluate((node) => node.scrollWidth - node.clientWidth);
      assert.equal(over, 0);
    }
});

test("the first button looks like every other, and its icon can be seen", async (t) => {
  const kb = await start(t);
  const { page } = await browse(t, kb);
  await page.goto(await link(kb));
  const [top, first] = [page.locator(".top .btn.primary"), page.locator(".empty .btn.primary")];
  await first.waitFor();
  const look = (button) =>
    button.evaluate((node) => {
      const icon = node.querySelector("svg");
      const style = getComputedStyle(icon);
      return [node.getBoundingClientRect().height, style.width, style.height, style.color, style.marginBottom];
    });
  assert.deepEqual(await look(first), await look(top));
});

test("an address needs no scheme, and a dialog begins with its first field", async (t) => {
  const kb = await start(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(await link(kb));
  await page.getByRole("button", { name: "New agent" }).first().click();
  await until("the focus", () =>
    page.getByLabel("Name of the agent").evaluate((node) => node === document.activeElement),
  );
  await page.getByRole("button", { name: "From an address" }).click();
  await page.getByLabel("Address", { exact: true }).fill("www.docent.invalid");
  assert.equal(await page.getByLabel("Name of the agent").getAttribute("placeholder"), "www.docent.invalid");
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/ask$/);
  const { data } = await kb.expect(200, "GET", "/projects");
  assert.equal(data[0].sitemap_path, "https://www.docent.invalid");
  quiet();
});

test("of several addresses those that were taken are not sent again where one is refused", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/content?add=files`);
  const field = page.getByRole("dialog").locator("textarea");
  const add = page.getByRole("dialog").getByRole("button", { name: "Add", exact: true });
  await field.fill("www.one.invalid\nftp://www.two.invalid\nwww.three.invalid");
  await add.click();
  await page.locator("dialog .note").waitFor();
  assert.equal(await field.inputValue(), "ftp://www.two.invalid\nwww.three.invalid");
  await field.fill("www.two.invalid\nwww.three.invalid");
  await add.click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const { sitemaps } = await agent.expect(200, "GET", "/sources");
  assert.deepEqual(
    sitemaps.map((source) => source.settings.sitemap_path).sort(),
    ["one", "three", "two"].map((name) => `https://www.${name}.invalid/`),
  );
  quiet();
});

test("files that are dropped anywhere are added, and the page is never left for them", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  const names = async () => (await agent.pages()).map((one) => one.filename);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  await page.locator("table.list").waitFor();
  await drop(page, ".rail", [["beside.md", "The harbour has nine berths."]]);
  await until("it", async () => (await names()).includes("beside.md"));
  // Beside the question it becomes content, once that is said; on the question it goes along with it.
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox").waitFor();
  await drop(page, ".talk-side", [["content.md", "The crane lifts four tons."]]);
  await page.locator("dialog .file-list", { hasText: "content.md" }).waitFor();
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await until("it", async () => (await names()).includes("content.md"));
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await drop(page, ".composer textarea", [["question.md", "A letter."]]);
  await page.locator(".ask-foot .chip", { hasText: "question.md" }).waitFor();
  assert.equal(await page.getByRole("dialog").count(), 0);
  // Where nothing takes it, nothing happens.
  await page.goto(`${kb.url}/usage`);
  await page.getByRole("heading", { name: "Usage" }).waitFor();
  const stays = await page.evaluate(() => {
    const data = new DataTransfer();
    data.items.add(new File(["x"], "x.md"));
    return !document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, cancelable: true, bubbles: true }));
  });
  assert.ok(stays, "the browser does not open it");
  quiet();
});

test("what is chosen is what is seen, or all that fit once that is said; another list begins anew", async (t) => {
  const kb = await start(t);
  const files = Object.fromEntries(
    Array.from({ length: 65 }, (_, i) => [`note-${i}.txt`, `Note ${i} is about pump ${i}.`]),
  );
  const agent = await kb.agent({ project_name: "Pumps" });
  for (const some of [Object.entries(files).slice(0, 40), Object.entries(files).slice(40)])
    await agent.add(Object.fromEntries(some));
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/content?state=ready`);
  const bar = page.getByRole("toolbar");
  await page.getByLabel("Choose all on this page").check();
  await bar.getByText("50 chosen").waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.locator("table.list tbody tr").nth(14).waitFor();
  await bar.waitFor({ state: "detached" });
  await page.getByLabel("Choose all on this page").check();
  await bar.getByText("15 chosen").waitFor();
  await page.getByRole("button", { name: "Never cited" }).click();
  await bar.waitFor({ state: "detached" });
  await page.getByRole("searchbox").fill("note-7");
  await page.getByLabel("Choose note-7.txt").check();
  await bar.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  const total = async () => (await agent.expect(200, "GET", "/pages")).pages.total;
  await until("one to be gone", async () => (await total()) === 64);
  // All that fit, though a page shows fifty of them.
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.getByRole("searchbox").fill("note-");
  await page.locator("table.list tbody tr").nth(49).waitFor();
  await page.getByLabel("Choose all on this page").check();
  await bar.getByRole("button", { name: "Choose all 64 that match" }).click();
  await bar.getByText("64 chosen").waitFor();
  await bar.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("heading", { name: "Delete 64 documents?" }).waitFor();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await until("all to be gone", async () => (await total()) === 0);
  // And all of them back, as long as it is said that they are gone.
  const toast = page.locator(".toast", { hasText: "64 documents deleted" });
  await toast.getByRole("button", { name: "Undo" }).click();
  await page.getByText("64 documents are back").waitFor();
  assert.equal(await total(), 64);
  await page.locator("table.list tbody tr").nth(49).waitFor();
  quiet();
});

test("what was chosen in one list is chosen in no other, and a page whose rows are gone leads to the last one", async (t) => {
  const kb = await start(t);
  const notes = Array.from({ length: 55 }, (_, i) => [`note-${i}.txt`, `Note ${i} is about pump ${i}.`]);
  const agent = await kb.agent({ project_name: "Pumps" });
  for (const some of [notes.slice(0, 40), notes.slice(40)]) await agent.add(Object.fromEntries(some));
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents?status=ok&page=2`);
  await page.waitForURL(/\/content\?state=ready$/);
  const bar = page.getByRole("toolbar");
  await page.getByLabel("Choose all on this page").check();
  await bar.getByRole("button", { name: "Choose all 55 that match" }).click();
  await bar.getByText("55 chosen").waitFor();
  await page.getByRole("button", { name: "Next page" }).click();
  await page.getByText("2 of 2").waitFor();
  await page.getByLabel("Choose all on this page").check();
  await bar.getByText("5 chosen", { exact: true }).waitFor();
  await bar.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator("table.list tbody tr").nth(49).waitFor();
  assert.equal((await agent.expect(200, "GET", "/pages")).pages.total, 50);
  quiet();
});

test("what needs the owner stands on top, each with the button that helps", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: { ...library, "one.pdf": scan(), "two.pdf": scan(), "empty.txt": "", "noise.bin": "\x00\x01\x02\xff\xfe" },
  });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  // Wherever one lands after uploading, it is said that some could not be read.
  await page.getByRole("link", { name: "4 not read" }).click();
  await page.getByRole("region", { name: "3 things need you" }).waitFor();
  const needs = page.locator(".needs");
  assert.ok(!/_|null|is_/.test((await needs.innerText()).replace(/\w+\.\w+/g, "")), "no name of a field");
  const row = (code) => needs.locator(`[data-need="${code}"]`);
  // A file that holds nothing is replaced by another, which the same people find, whatever it is called here.
  await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  const [staff] = (await agent.expect(200, "GET", "/labels")).data;
  const { id: empty } = await agent.page("empty.txt");
  await agent.expect(200, "PUT", `/pages/${empty}/labels`, { json: { label_ids: [staff.id] } });
  const chooser = page.waitForEvent("filechooser");
  await row("empty").getByRole("button", { name: "Replace the file" }).click();
  await (await chooser).setFiles(file('full "9".md', "The berth is the ninth."));
  await until("the file to go", async () => !(await agent.pages()).some((one) => one.filename === "empty.txt"));
  const full = (await agent.pages()).find((one) => one.filename.startsWith("full"));
  assert.equal((await agent.expect(200, "GET", `/pages/${full.id}/labels`)).length, 1);
  // One that nobody can read goes.
  await row("unknown_kind").or(row("no_text")).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  const noise = async () => (await agent.pages()).some((one) => one.filename === "noise.bin");
  await until("it to go", async () => !(await noise()));
  // Unless that was a mistake.
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await until("it to come back", noise);
  await row("unknown_kind").or(row("no_text")).getByRole("button", { name: "Remove" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await until("it to go again", async () => !(await noise()));
  // Two scans want one option.
  const one = page.getByRole("region", { name: "One thing needs you" });
  await one.getByRole("button", { name: "Read words in pictures" }).click();
  await one.waitFor({ state: "detached", timeout: patient(60_000) });
  for (const name of ["one.pdf", "two.pdf"])
    await until(name, async () => (await agent.page(name)).index_status === "ok", 60_000);
  quiet();
});

test("a locked document is opened where it stands, with its password", async (t) => {
  const locked = (name) => readFileSync(new URL(`../fixtures/locked/${name}`, import.meta.url));
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: { ...library, "plan.pdf": locked("aes-256.pdf"), "letter.docx": locked("agile.docx") },
  });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  const need = page.locator('.needs [data-need="locked"]');
  await need.getByText("It is locked with a password.").waitFor();
  await need.getByRole("button", { name: "Enter the password" }).click();
  const dialog = page.getByRole("dialog");
  const field = dialog.getByLabel("Password of the document");
  await field.fill("wrong");
  await page.keyboard.press("Enter");
  await dialog.getByText("That is not the document’s password.").waitFor();
  assert.deepEqual(await faults(page, "a locked document"), []);
  // One password opens both.
  await field.fill("schlüssel");
  await dialog.getByRole("button", { name: "Open" }).click();
  await dialog.waitFor({ state: "detached" });
  await page.getByText("2 documents are open and are being read").waitFor();
  await need.waitFor({ state: "detached", timeout: patient(60_000) });
  for (const name of ["plan.pdf", "letter.docx"])
    await until(name, async () => (await agent.page(name)).index_status === "ok", 60_000);
  quiet();
});

test("a change of how documents are read says what it would mend, and offers to read that again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "scan.pdf": scan(), "a.md": lighthouse } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/content`);
  const beside = page.getByRole("region", { name: "How documents are read" });
  await beside.getByText("One document waits for it.").waitFor();
  await beside.getByLabel("Mask personal data").check();
  await page.getByText("Saved").first().waitFor();
  assert.equal(await beside.getByRole("button", { name: "Read again what it concerns" }).count(), 0, "nothing to mend");
  await beside.getByLabel("Scans and pictures").selectOption("1");
  await beside.getByRole("button", { name: "Read again what it concerns" }).click();
  await until("the scan", async () => (await agent.page("scan.pdf")).index_status === "ok", 60_000);
  quiet();
});

test("titles come first; they, the text and the kind lead to a document", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Travel",
    files: {
      "tr-7.html": "<title>Helpful Hints for Travel</title><p>The stamp of the border is violet.</p>",
      "b.md": "# Berths\n\nThe harbour has nine berths.",
    },
  });
  await agent.ask("How many berths has the harbour?");
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  await page.waitForURL(/\/content$/);
  await page.getByRole("row", { name: /Helpful Hints for Travel/ }).waitFor();
  assert.match(await page.getByRole("row", { name: /Berths/ }).innerText(), /1 ×/);
  await page.getByRole("searchbox").fill("helpful hints");
  await page.waitForURL(/search=/);
  await page.getByRole("row", { name: /Berths/ }).waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Helpful Hints for Travel", exact: true }).first().click();
  await page.getByRole("dialog").getByText("violet").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("searchbox").fill("violet stamp");
  await page.getByRole("region", { name: "In the text of" }).getByText("Helpful Hints").waitFor();
  await page.goto(`${kb.url}/agents/${agent.id}/sources`);
  await page.waitForURL(/\/content$/);
  await page.getByRole("button", { name: "Never cited" }).click();
  await page.getByRole("row", { name: /Helpful Hints/ }).waitFor();
  assert.equal(await page.getByRole("row", { name: /Berths/ }).count(), 0);
  await page.getByRole("button", { name: "All" }).click();
  await page.getByLabel("Any kind").or(page.getByLabel("Kind")).first().selectOption("pdf");
  await page.getByText("No document fits").waitFor();
  assert.deepEqual(await faults(page, "content"), []);
  quiet();
});

test("a text is pasted, several addresses are added at once, and dead links are one line of their website", async (t) => {
  const kb = await start(t, mayFetch);
  const web = await site(t);
  const links = Array.from({ length: 12 }, (_, i) => `<a href="/gone/${i}">Gone ${i}</a>`).join(" ");
  web.page("/", "Harbour help", `The harbour has nine berths. ${links}`);
  web.page("/tides.html", "Tides", "The tide turns at six.");
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/content`);
  await page.locator(".live", { hasText: "Empty" }).waitFor(); // there is nothing to answer from
  await page.getByRole("button", { name: "Paste text" }).click();
  await page.getByLabel("Title").fill("Of the keeper");
  await page.getByLabel("Text", { exact: true }).fill("The keeper of the light is Hester Quillby.");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("row", { name: /Of the keeper/ }).waitFor();
  await until("it to be read", async () => (await agent.pages()).every((one) => one.index_status === "ok"));
  assert.match(JSON.stringify(await agent.ask("Who is the keeper of the light?")), /Hester Quillby/);

  await page.getByRole("button", { name: "Add content" }).first().click();
  await page.getByLabel("Or an address").fill(`${web.url}/\n${web.url}/tides.html`);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  assert.equal((await agent.expect(200, "GET", "/sources")).sitemaps.length, 2);
  const help = page.locator(".source", { hasText: "12 addresses could not be read" });
  await help.waitFor({ timeout: patient(60_000) });
  assert.equal(await page.getByRole("row", { name: /gone/ }).count(), 0, "they are no rows of the list");
  await page.getByRole("row", { name: /Harbour help/ }).waitFor();
  await help.getByRole("button", { name: "Show them" }).click();
  const report = page.getByRole("dialog");
  await report.getByRole("row", { name: /gone\/3/ }).waitFor();
  await report.getByText("There is no such page any more.").first().waitFor();
  assert.deepEqual(await faults(page, "dead links"), []);
  quiet();
});

test("an agent that cannot be read now is not said to be gone, and a late answer changes nothing", async (t) => {
  const kb = await start(t);
  const one = await kb.agent({ project_name: "Harbour", files: library });
  const two = await kb.agent({ project_name: "Lighthouse", files: library });
  const { page } = await signedIn(t, kb);
  let breaks = true;
  const mend = await changeRead(page, one.path, (read) =>
    breaks ? { status: 503, body: { status: "error", message: "the database does not answer" } } : read,
  );
  await page.goto(`${kb.url}/agents/${one.id}/documents`);
  await page.getByText("the database does not answer").waitFor();
  assert.equal(await page.getByText("There is nothing here").count(), 0);
  breaks = false;
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByRole("row", { name: /lighthouse\.md/ }).waitFor();
  // Slow: the other one is opened meanwhile.
  await page.goto(`${kb.url}/agents`);
  await mend();
  let release, came;
  await changeRead(page, one.path, async (read) => {
    await new Promise((go) => (release = go));
    came = true;
    return read;
  });
  await page
    .getByRole("link", { name: /Harbour/ })
    .first()
    .click();
  await until("it to be asked for", () => release);
  await page.goBack();
  await page
    .getByRole("link", { name: /Lighthouse/ })
    .first()
    .click();
  await page.getByRole("textbox", { name: "Ask Lighthouse …" }).waitFor();
  release();
  await until("it to come", () => came);
  await page.waitForTimeout(200);
  assert.ok(await page.getByRole("textbox", { name: "Ask Lighthouse …" }).isVisible());
  await page.goto(`${kb.url}/agents/${two.id + 1000}/documents`);
  await page.getByRole("heading", { name: "There is nothing here" }).first().waitFor();
});

test("a source says what it is and how far its reading is, in the reader's language", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: "https://docent.invalid/" } });
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: "https://docent.invalid/sitemap.xml" } });
  const list = (await agent.expect(200, "GET", "/sources")).sitemaps;
  assert.deepEqual(
    list.map(({ kind, page_count }) => [kind, page_count]),
    [
      ["website", 1],
      ["list", 0],
    ],
  );
  const { page, quiet } = await signedIn(t, kb, { locale: "de-DE" });
  // In the middle of its reading.
  await changeRead(page, `${agent.path}/sources`, (read) => {
    Object.assign(read.body.data.sitemaps[0], {
      sync_status: "queued",
      sync_reason: "its pages are being read: 126 are known, 83 of them wait",
      page_count: 126,
      pages_waiting: 83,
    });
    return read;
  });
  await page.goto(`${kb.url}/agents/${agent.id}/sources`);
  const cards = page.locator(".source");
  await cards.first().getByText("Ihre Seiten werden gelesen: 126 sind bekannt, 83 davon warten").waitFor();
  const words = (await cards.first().innerText()).replaceAll("\n", " ");
  assert.match(words, /Website/);
  assert.match(words, /126/);
  assert.ok(!/being read|sitemap_|null/.test(words), words);
  assert.match(await cards.nth(1).innerText(), /Liste von Adressen/);
  quiet();
});

test("what was deleted is taken back by Undo, or from where it stands for a while", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/documents`);
  const row = page.getByRole("row", { name: /returns\.txt/ });
  const gone = async () => {
    await row.getByRole("checkbox").check();
    await page.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete", exact: true }).click();
    await row.waitFor({ state: "detached" });
  };
  await gone();
  assert.equal((await agent.pages()).length, 2);
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await row.waitFor();
  await row.getByText("Ready").waitFor();
  assert.equal((await agent.pages()).length, 3);

  await gone();
  const bin = page.locator("summary", { hasText: "Recently deleted" });
  await bin.click();
  const kept = page.locator(".deleted li");
  await kept.getByText(/can be taken back until/).waitFor();
  assert.deepEqual(await faults(page, "what was deleted"), []);
  await kept.getByRole("button", { name: "Take back" }).click();
  await row.waitFor();
  await kept.waitFor({ state: "detached" });

  await gone();
  await bin.click();
  await kept.getByRole("button", { name: /^Delete for good/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete for good" }).click();
  await kept.waitFor({ state: "detached" });
  assert.deepEqual((await agent.expect(200, "GET", "/deleted")).data, []);

  for (const { id } of await agent.pages()) await agent.expect(200, "DELETE", `/pages/${id}`);
  await page.reload();
  await bin.click();
  await page.getByRole("button", { name: "Take all 2 back" }).click();
  await page.getByText("2 documents are back").waitFor();
  await kept.first().waitFor({ state: "detached" });
  assert.equal((await agent.pages()).length, 2);
  quiet();
});
