// What an owner sets in the page: the form comes from the service's own table of settings.
import { assert, faults, signedIn, start, test, until } from "./lib.mjs";
import { library } from "../api/lib/documents.mjs";

const masterOnly = ["master_project_smart_routing_mode", "master_project_user_agent_switching_enabled"];
/** Has a screen of its own. */
const elsewhere = ["persona_instructions"];
/** Kept for programs; it changes nothing, so nobody is asked for it. */
const nowhere = ["is_selling_enabled"];

const shown = (page) => page.locator("form [data-field]").evaluateAll((rows) => rows.map((row) => row.dataset.field));

test("every setting has a row in the page, those of masters on masters alone", async (t) => {
  const kb = await start(t);
  const plain = await kb.agent({ project_name: "Plain" }),
    master = await kb.agent({ project_name: "Master", is_master: "true" });
  const { page, quiet } = await signedIn(t, kb);
  for (const agent of [plain, master]) {
    const fields = [];
    for (const screen of ["behaviour", "look"]) {
      await page.goto(`${kb.url}/agents/${agent.id}/${screen}`);
      await page.locator("[data-field]").first().waitFor();
      fields.push(...(await shown(page)));
    }
    const schema = await agent.expect(200, "GET", "/settings/schema");
    assert.deepEqual([...fields, ...elsewhere, ...nowhere].sort(), schema.map((field) => field.name).sort());
    assert.equal(
      masterOnly.every((name) => fields.includes(name)),
      agent === master,
    );
  }
  quiet();
});

test("what is changed is saved together; one that is refused is marked alone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/look`);
  const row = (name) => page.locator(`[data-field=${name}]`);
  await row("chatbot_title").getByRole("textbox").fill("Ask Harbour Bikes");
  await row("chatbot_color").locator("input.mono").fill("#12");
  await row("title_avatar_enabled").getByRole("switch").click();
  await page.getByText("3 changes").waitFor();
  assert.equal(await page.locator(".widget-bar b").textContent(), "Ask Harbour Bikes", "the preview shows it before");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await row("chatbot_color").locator("small.bad").waitFor();
  assert.deepEqual(await page.locator("small.bad, .bad.note").count(), 1);
  await page.getByText("1 change", { exact: true }).waitFor();
  const stored = await agent.expect(200, "GET", "/settings");
  assert.equal(stored.chatbot_title, "Ask Harbour Bikes");
  assert.equal(stored.title_avatar_enabled, false);
  await row("chatbot_color").locator("input.mono").fill("#123456");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" });
  assert.equal((await agent.expect(200, "GET", "/settings")).chatbot_color, "#123456");
  await row("chatbot_title").getByRole("button", { name: "Back to default" }).click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" });
  assert.ok(!(await agent.expect(200, "GET", "/settings")).chatbot_title);
  quiet();
});

test("what the plan has not is locked and says so; what another field must turn on waits for it", async (t) => {
  const kb = await start(t, { env: { DOCENT_PLANS: "" } });
  const agent = await kb.agent();
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/behaviour`);
  const row = (name) => page.locator(`[data-field=${name}]`);
  await row("is_pdf_viewer").waitFor();
  assert.ok(await row("is_anonymize_pdfs").getByRole("switch").isDisabled());
  await row("is_anonymize_pdfs").getByText("Needs “Open cited PDF files in the viewer”").waitFor();
  await row("is_pdf_viewer").getByRole("switch").click();
  assert.ok(await row("is_anonymize_pdfs").getByRole("switch").isEnabled());
  await row("is_anonymize_pdfs").getByRole("switch").click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" });
  assert.equal((await agent.expect(200, "GET", "/settings")).is_anonymize_pdfs, true);
  quiet();
});

test("an agent is renamed, copied and, once its name is typed, deleted", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/behaviour`);
  await page.getByLabel("Name of the agent").fill("Harbour Bikes");
  await page.getByRole("button", { name: "Rename" }).click();
  await page.getByRole("button", { name: /^Choose an agent: Harbour Bikes/ }).waitFor();
  await page.getByRole("button", { name: "Make a copy" }).click();
  await page.getByText("“Harbour Bikes (copy)” is there").waitFor();
  await page.getByRole("button", { name: "Delete agent" }).click();
  const confirm = page.getByRole("dialog").getByRole("button", { name: "Delete agent" });
  assert.ok(await confirm.isDisabled());
  await page.getByRole("dialog").getByRole("textbox").fill("Harbour Bikes");
  await confirm.click();
  await page.getByRole("link", { name: /Harbour Bikes \(copy\)/ }).waitFor();
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 1);
  // It can be taken back, at once or from the list.
  await page.getByRole("status").getByRole("button", { name: "Undo" }).click();
  await page.getByRole("button", { name: /^Choose an agent: Harbour Bikes/ }).waitFor();
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 2);
  await agent.expect(200, "DELETE");
  await page.goto(`${kb.url}/agents`);
  await page.locator("summary", { hasText: "Recently deleted" }).click();
  await page.getByRole("button", { name: "Take back" }).click();
  await page.getByText("“Harbour Bikes” is back").waitFor();
  await page.getByRole("link", { name: /Harbour Bikes(?! \(copy\))/ }).waitFor();
  quiet();
});

test("a persona has versions: compared, brought back; a generated text is replaced and restored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/persona`);
  const text = page.getByLabel("Who the agent is, and how it speaks");
  for (const words of ["Be kind.", "Be kind.\nBe brief."]) {
    await text.fill(words);
    await page.getByRole("button", { name: "Save as a new version" }).click();
    await page.getByRole("button", { name: "Save as a new version", disabled: true }).waitFor();
  }
  const versions = await agent.expect(200, "GET", "/settings/personas");
  const before = versions.data.find((version) => version.instructions === "Be kind.").version;
  const row = page.locator(".versions li").filter({ hasText: `v${before}` });
  await row.getByRole("button", { name: "Compare with the newest" }).click();
  assert.match(await row.locator(".diff .new").textContent(), /Be brief\./);
  await row.getByRole("button", { name: "Activate" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Activate" }).click();
  await page.waitForFunction(() => document.querySelector("textarea").value === "Be kind.");
  quiet();
});

test("labels are made, changed, deleted, and brought back by undo", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/labels`);
  await page.getByRole("button", { name: "New label" }).first().click();
  await page.getByLabel("Name").fill("customers");
  await page.getByLabel("Users").fill("ann@example.org");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("row", { name: /customers ann@example.org/ }).waitFor();
  await page.getByRole("button", { name: "Delete customers" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await page.getByRole("row", { name: /customers/ }).waitFor();
  quiet();
});

test("where a document is to get its first label, the label is made at once, and closes the document", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "pay.txt": "Hester Quillby earns nine shillings a week." } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/content`);
  await page.getByRole("button", { name: "pay.txt", exact: true }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Labels" }).click();
  const sheet = page.getByRole("dialog", { name: "Labels of 1 document" });
  await sheet.getByText("This agent has no labels yet.").waitFor();
  assert.ok(await sheet.getByRole("button", { name: "Save" }).isDisabled(), "there is nothing to keep");
  await sheet.getByRole("button", { name: "New label" }).click();
  const making = page.getByRole("dialog", { name: "New label" });
  // Who thinks better of it is back where the document's labels are.
  await making.getByRole("button", { name: "Cancel" }).click();
  await sheet.getByRole("button", { name: "New label" }).click();
  await making.getByLabel("Name").fill("board");
  await making.getByRole("button", { name: "Save" }).click();
  await sheet.getByRole("button", { name: "board", pressed: true }).waitFor();
  await sheet.getByRole("button", { name: "Save" }).click();
  await sheet.waitFor({ state: "detached" });
  const [{ id }] = await agent.pages();
  const given = await agent.expect(200, "GET", `/pages/${id}/labels`);
  assert.deepEqual(
    given.map(({ name }) => name),
    ["board"],
  );
  quiet();
});

test("a conversation is read with its sources, its trust, and saved as a file", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "The Velmora lighthouse was built in 1874 by Hester Quillby." } });
  const message = await agent.ask("Who built the Velmora lighthouse?");
  await agent.expect(200, "PUT", `/conversations/${message.session}/messages/${message.id}/feedback`, {
    json: { reaction: "liked" },
  });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/conversations`);
  await page.locator("td.what button").first().click();
  await page.getByText("Liked").waitFor();
  await page.getByRole("button", { name: /^Source 1/ }).click();
  await page.getByRole("dialog").locator("mark.current").waitFor();
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Trust" }).click();
  await page.getByRole("dialog").getByText("The document says so, word for word.").waitFor();
  await page.keyboard.press("Escape");
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "txt", exact: true }).click(),
  ]);
  assert.match(file.suggestedFilename(), /\.txt$/);
  quiet();
});

test("reports are plots, tables and files; questions without an answer stand apart", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "The Velmora lighthouse was built in 1874 by Hester Quillby." } });
  await agent.ask("Who built the Velmora lighthouse?");
  await agent.ask("What is the boiling point of tungsten?");
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/analytics`);
  await page.locator(".plot canvas").first().waitFor();
  assert.equal(await page.locator(".tiles dd").first().textContent(), "2");
  await page.getByRole("button", { name: "As a table" }).first().click();
  await page.getByRole("columnheader", { name: "Interval" }).waitFor();
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "CSV: Questions" }).last().click(),
  ]);
  assert.equal(file.suggestedFilename(), "questions.csv");
  await page.getByRole("button", { name: /^Without an answer 1$/ }).click();
  await page.getByRole("cell", { name: "What is the boiling point of tungsten?", exact: true }).waitFor();
  await page.getByRole("cell", { name: "Who built the Velmora lighthouse?", exact: true }).waitFor({ state: "hidden" });
  await page.getByRole("button", { name: "Add content", exact: true }).waitFor();
  // The days that are named hold for the plots as well.
  const today = new Date().toISOString().slice(0, 10);
  await page.getByRole("textbox", { name: "From" }).fill("2026-01-01");
  await page.getByRole("textbox", { name: "To", exact: true }).fill("2026-01-03");
  await page.getByRole("cell", { name: "2026-01-02" }).waitFor();
  await page.getByRole("button", { name: /^All 0$/ }).waitFor();
  await page.getByRole("textbox", { name: "To", exact: true }).fill(today);
  await page.getByRole("textbox", { name: "From" }).fill(today);
  await page.getByRole("cell", { name: today }).waitFor();
  quiet();
});

test("what had no answer gets one in its owner's words", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "The Velmora lighthouse was built in 1874 by Hester Quillby." } });
  const question = "Who keeps the golden key of the harbour office?";
  await agent.ask(question);
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/analytics?open=1`);
  await page.getByRole("button", { name: `Add content: ${question}` }).click();
  await page.getByLabel("Write the answer yourself").fill("Osric Vellum keeps the golden key of the harbour office.");
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await until("the document", async () =>
    (await agent.pages()).some(({ index_status: s, filename: f }) => s === "ok" && f.startsWith("Who keeps")),
  );
  assert.match((await agent.ask(question)).llm_response, /Osric Vellum/);
  quiet();
});

test("a setting is reached by its name; what is discarded comes back by undo; the preview is turned", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.locator(".ask-foot").waitFor();
  await page.keyboard.press("Control+k");
  await page.getByRole("combobox", { name: "Go to …" }).fill("title");
  await page.getByRole("option", { name: /^Title ?Look & texts$/ }).click();
  await page.waitForURL(/\/look\?field=chatbot_title$/);
  await page.waitForFunction(() => document.activeElement?.closest("[data-field='chatbot_title']"));
  await page.keyboard.type("Ask the harbour");
  const preview = page.locator(".preview .widget");
  await preview.getByText("Ask the harbour").waitFor();
  await page.getByRole("button", { name: "Discard" }).click();
  await preview.getByText("Ask the harbour").waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo" }).click();
  await preview.getByText("Ask the harbour").waitFor();
  const wide = (await preview.boundingBox()).width;
  for (const turn of ["Dark", "Right to left", "As on a phone"]) await page.getByRole("button", { name: turn }).click();
  assert.match(await preview.getAttribute("class"), /dark/);
  assert.equal(await preview.getAttribute("dir"), "rtl");
  assert.ok((await preview.boundingBox()).width < wide);
  quiet();
});

test("licences are handed out, a plugin is described, a master gets its children", async (t) => {
  const kb = await start(t);
  const plain = await kb.agent({ project_name: "Harbour" }),
    master = await kb.agent({ project_name: "Desk", is_master: "true" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${plain.id}/licences`);
  await page.getByRole("button", { name: "Allow licences" }).click();
  await page.getByRole("button", { name: "New licence" }).first().click();
  await page.getByRole("dialog").getByLabel("Name").fill("The island's school");
  await page.getByRole("button", { name: "Create" }).click();
  const row = page.getByRole("row", { name: /The island's school/ });
  const key = await row.locator("code").textContent();
  assert.equal((await plain.expect(200, "GET", "/licenses"))[0].key, key);
  await row.getByRole("button", { name: /^Delete/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await row.waitFor({ state: "detached" });
  await page.goto(`${kb.url}/agents/${plain.id}/plugin`);
  await page.getByLabel("Name for models").fill("harbour_lookup");
  await page.getByLabel("Keywords").fill("tides, ferries");
  await page.getByLabel("Description").fill("Knows the harbour.");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText("Saved").waitFor();
  assert.equal((await plain.expect(200, "GET", "/plugins")).model_name, "harbour_lookup");
  await page.goto(`${kb.url}/agents/${master.id}/master`);
  await page.getByRole("checkbox", { name: /Harbour/ }).check();
  await until("the child", async () => (await master.expect(200, "GET")).child_project_ids?.includes(plain.id));
  quiet();
});

test("an agent that cannot answer says why: empty, nothing readable, a master that nobody answers for", async (t) => {
  const kb = await start(t);
  const full = await kb.agent({ project_name: "Harbour", files: { "tides.txt": "The tide turns at six." } });
  const broken = await kb.agent({ project_name: "Attic", files: { "old.pdf": "%PDF-1.4 of nothing" } });
  const empty = await kb.agent({ project_name: "Cellar" });
  const master = await kb.agent({ project_name: "Desk", is_master: "true" });
  await until("all to be read or given up", async () =>
    (await Promise.all([full, broken].map((one) => one.expect(200, "GET", "/progress")))).every((p) => !p.queued),
  );
  const { page, quiet } = await signedIn(t, kb);
  const card = (name, said) =>
    page.locator(".agent-card", { hasText: name }).getByText(said, { exact: true }).waitFor();
  await page.goto(`${kb.url}/agents`);
  await card("Harbour", "Answering");
  await card("Attic", "Nothing could be read");
  await card("Cellar", "Empty");
  await card("Desk", "No agents chosen");

  await page.goto(`${kb.url}/agents/${master.id}/ask`);
  await page.locator(".live", { hasText: "No agents chosen" }).waitFor();
  assert.equal(await page.getByRole("heading", { name: "Ask Desk" }).count(), 0, "nothing is offered to be asked");
  await page.locator(".empty").getByRole("link", { name: "Choose its agents" }).click();
  const child = (name) => page.getByRole("listitem").filter({ hasText: name });
  await child("Attic").getByText("Nothing could be read").waitFor();
  await child("Cellar").getByText("Empty", { exact: true }).waitFor();
  await child("Cellar").getByRole("checkbox").check();
  await until("the child", async () => (await master.expect(200, "GET")).child_project_ids?.includes(empty.id));
  await page.goto(`${kb.url}/agents/${master.id}/ask`);
  await page.getByRole("heading", { name: "Its agents have nothing to answer from yet" }).waitFor();
  await page.locator(".live", { hasText: "Empty" }).waitFor();

  // One that answers is enough.
  await master.expect(200, "POST", "", { json: { child_project_ids: [empty.id, full.id] } });
  await page.reload();
  await page.locator(".live", { hasText: "Answering" }).waitFor();
  await page.getByRole("heading", { name: "Ask Desk" }).waitFor();
  quiet();
});

test("a source is added by its address, planned, and deleted with its documents", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/sources`);
  await page.getByRole("button", { name: "Add content" }).first().click();
  await page.getByLabel("Or an address").fill("http://127.0.0.1:9/a.html");
  await page.getByRole("dialog").getByRole("button", { name: "Add", exact: true }).click();
  await page.locator(".source").waitFor();
  await page.getByRole("button", { name: /^Read again: / }).click();
  await page.getByLabel("Read again").first().selectOption("advanced");
  await page.getByRole("dialog").getByRole("button", { name: "Mon" }).click();
  await page.getByLabel("Hours").fill("06:00, 18:30");
  await page.getByText("How much one reading of a website takes").click();
  await page.getByLabel("Links away from the start").fill("3");
  await page.getByLabel("Look at it again on").fill("2031-05-01");
  await page.getByRole("dialog").getByRole("button", { name: "Save" }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
  assert.deepEqual(source.settings.refresh_schedule, [{ days: [1], hours: ["06:00", "18:30"] }]);
  assert.equal(source.settings.max_depth, 3);
  assert.equal(source.review_at, "2031-05-01T00:00:00.000000Z");
  await page.getByRole("button", { name: /^Delete http/ }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
  await page.getByRole("heading", { name: "No documents yet" }).waitFor();
  quiet();
});

test("figures stand beside those of the time before, of any days", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  await agent.ask("Who built the Velmora lighthouse?");
  const { page, quiet } = await signedIn(t, kb);
  const asked = [];
  page.on("request", (request) => {
    for (const path of new URL(request.url()).searchParams.getAll("path"))
      if (path.includes("/reports/analysis")) asked.push(Object.fromEntries(new URLSearchParams(path.split("?")[1])));
  });
  await page.goto(`${kb.url}/agents/${agent.id}/analytics`);
  await page.getByText("before: 0").first().waitFor();
  const day = (ms) => new Date(ms).toISOString().slice(0, 10);
  const now = Date.now(),
    before = (days) => day(now - days * 86_400_000);
  assert.deepEqual(asked, [{ interval: "weekly" }, { start_date: before(13), end_date: before(7) }]);
  asked.length = 0;
  await page.getByRole("button", { name: "30 days" }).click();
  await until("both", () => asked.length === 2);
  assert.deepEqual(asked, [{ start_date: before(29) }, { start_date: before(59), end_date: before(30) }]);
  await page.getByRole("button", { name: "Last 24 hours" }).click();
  await page.getByText("before: 0").first().waitFor({ state: "detached" });
  quiet();
});

test("the groups of a long form stay in sight, and lead to their settings", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/look`);
  const groups = page.getByRole("navigation", { name: "Groups of settings" });
  await groups.getByRole("button").last().click();
  const heading = page.locator("[data-group] h2").last();
  await until("the last group", () => heading.evaluate((node) => node === document.activeElement));
  const place = async (what) => (await what.boundingBox()).y;
  assert.ok((await place(groups)) < (await place(heading)), "nothing stands over its heading");
  assert.ok((await place(heading)) < 900 && (await place(groups)) >= 0);
  await page.locator("[data-field=chatbot_title]").getByRole("textbox").fill("Harbour");
  await groups.getByRole("button", { name: "1" }).waitFor();
  assert.deepEqual(await faults(page, "groups"), []);
  quiet();
});

test("what needs a model says so where there is none, and is not offered for a question", async (t) => {
  for (const [args, count] of [
    [[], 5],
    [["--models", "small-one"], 0],
  ]) {
    const kb = await start(t, { args });
    const agent = await kb.agent({ project_name: "Harbour", files: library });
    const { page, quiet } = await signedIn(t, kb);
    await page.goto(`${kb.url}/agents/${agent.id}/behaviour`);
    await page.locator("[data-field=response_source]").waitFor();
    assert.equal(await page.getByText("Needs a model", { exact: true }).count(), count);
    await page.goto(`${kb.url}/agents/${agent.id}/ask`);
    await page.locator(".starters").waitFor();
    await page.waitForLoadState("networkidle");
    assert.equal(await page.getByRole("button", { name: "Own content only" }).count(), count ? 0 : 1);
    quiet();
  }
});

test("what was saved is taken back by undo", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.expect(200, "POST", "/settings", { json: { chatbot_title: "Harbour" } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/look`);
  const title = page.locator("[data-field=chatbot_title]").getByRole("textbox");
  await title.fill("Lighthouse");
  await page.locator("[data-field=title_avatar_enabled]").getByRole("switch").click();
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Undo" }).click();
  await until("the old title", async () => (await title.inputValue()) === "Harbour");
  const stored = await agent.expect(200, "GET", "/settings");
  assert.deepEqual([stored.chatbot_title, stored.title_avatar_enabled], ["Harbour", true]);
  quiet();
});

test("one question is answered as the agent is and as it would be, before anything is saved", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  const asked = [];
  page.on("request", (request) => request.method() === "POST" && asked.push(request.postDataJSON()));
  await page.goto(`${kb.url}/agents/${agent.id}/persona`);
  const compare = page.getByRole("button", { name: "Compare answers" });
  assert.ok(await compare.isDisabled(), "nothing has changed");
  await page.getByLabel("Who the agent is, and how it speaks").fill("You speak like a sailor.");
  await compare.click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox", { name: "Question" }).fill("Who built the Velmora lighthouse?");
  await page.keyboard.press("Enter");
  for (const side of ["As it is now", "With these changes"])
    await dialog.getByRole("region", { name: side }).getByText("Hester Quillby").first().waitFor();
  assert.deepEqual(
    asked.map((body) => body.custom_persona),
    [undefined, "You speak like a sailor."],
  );
  assert.deepEqual(await faults(page, "two answers"), []);
  await page.keyboard.press("Escape");
  assert.ok(await page.getByRole("button", { name: "Save as a new version" }).isEnabled(), "nothing is saved");
  const stored = await agent.expect(200, "GET", "/settings");
  assert.ok(!JSON.stringify(stored).includes("sailor"));
  quiet();
});

test("light or dark is the system's, or the reader's choice, which stays", async (t) => {
  const kb = await start(t);
  const { page, quiet } = await signedIn(t, kb, { colorScheme: "light" });
  await page.goto(`${kb.url}/account`);
  const paper = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  const light = await paper();
  await page.getByLabel("Light or dark").selectOption("dark");
  const dark = await paper();
  assert.notEqual(dark, light);
  await page.reload();
  await page.getByLabel("Light or dark").waitFor();
  assert.equal(await paper(), dark);
  await page.getByLabel("Light or dark").selectOption("As the system has it");
  assert.equal(await paper(), light);
  quiet();
});

test("on a phone a row of a list shows all that it has", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  await agent.ask("Who built the Velmora lighthouse?");
  await kb.expect(201, "POST", "/keys", { json: { name: "The newsletter" } });
  const { page, quiet } = await signedIn(t, kb, { viewport: { width: 390, height: 844 } });
  const seen = {
    [`/agents/${agent.id}/content`]: page.getByRole("row", { name: /Velmora/ }).getByText("Ready"),
    [`/agents/${agent.id}/conversations`]: page.locator('td[data-title="Begun"]'),
    "/keys": page
      .getByRole("row", { name: /The newsletter/ })
      .getByRole("button")
      .last(),
  };
  for (const [path, what] of Object.entries(seen)) {
    await page.goto(kb.url + path);
    await what.first().waitFor();
    const box = await what.first().boundingBox();
    assert.ok(box && box.width > 0 && box.x >= 0 && box.x + box.width <= 390, `${path}: ${JSON.stringify(box)}`);
    assert.deepEqual(await faults(page, path), []);
  }
  quiet();
});

test("settings can be read on a phone: words have room, and nothing runs off the screen", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb, { viewport: { width: 390, height: 844 } });
  for (const screen of ["behaviour", "look"]) {
    await page.goto(`${kb.url}/agents/${agent.id}/${screen}`);
    await page.locator("[data-field]").first().waitFor();
    const content = page.locator(".content");
    assert.equal(await content.evaluate((node) => node.scrollWidth - node.clientWidth), 0, screen);
    const narrow = await page
      .locator(".setting .toggle")
      .evaluateAll((all) => all.filter((node) => node.getBoundingClientRect().width < 240).map((n) => n.textContent));
    assert.deepEqual(narrow, []);
    const off = await page
      .locator(".setting .badge")
      .evaluateAll((all) =>
        all.filter((node) => node.getBoundingClientRect().right > innerWidth).map((n) => n.textContent),
      );
    assert.deepEqual(off, []);
  }
  quiet();
});

test("what comes late moves nothing that is read already", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "a.txt": "The harbour has nine berths." } });
  const { page } = await signedIn(t, kb);
  await page.addInitScript(() => {
    window.moved = 0;
    new PerformanceObserver((list) => {
      for (const entry of list.getEntries()) window.moved += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  for (const screen of ["behaviour", "documents"]) {
    await page.goto(`${kb.url}/agents/${agent.id}/${screen}`);
    await page.locator("[data-field], table.list, .chip b").first().waitFor();
    await page.waitForTimeout(800);
    const moved = await page.evaluate(() => window.moved);
    assert.ok(moved < 0.03, `${screen}: ${moved}`);
  }
});

test("the preview of the widget takes neither focus nor place: its screen opens at its beginning", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "a.txt": "The harbour has nine berths." } });
  await agent.expect(200, "POST", "", { json: { is_shared: true } });
  for (const width of [1440, 1024, 390]) {
    const { page, context } = await signedIn(t, kb, { viewport: { width, height: 800 } });
    await page.goto(`${kb.url}/agents/${agent.id}/share`);
    const top = () => page.locator(".content").evaluate((node) => node.scrollTop);
    await page.locator(".live-preview iframe").waitFor();
    assert.equal(await top(), 0, `${width} wide`);
    // Below all else it comes when somebody comes to it, and stays where it is.
    if (width < 1180) await page.locator(".live-preview").evaluate((node) => node.scrollIntoView());
    const there = await top();
    assert.equal(there > 0, width < 1180, `${width} wide`);
    await page.frameLocator(".live-preview iframe").getByRole("textbox").waitFor();
    await page.waitForTimeout(300);
    assert.equal(await page.evaluate(() => document.activeElement.tagName === "IFRAME"), false, `${width} wide`);
    assert.equal(await top(), there, `${width} wide`);
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to …" }).waitFor();
    await context.close();
  }
});

test("black and white can be chosen where the default follows the scheme", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/look`);
  const row = page.locator('[data-field="chatbot_toolbar_color"]');
  await row.locator("input[type=color]").evaluate((node) => {
    node.value = "#000001";
    node.dispatchEvent(new Event("input", { bubbles: true }));
    node.value = "#000000";
    node.dispatchEvent(new Event("input", { bubbles: true }));
  });
  // What is written is drawn by the next frame.
  const written = row.locator("input.mono");
  await until("black to be written", async () => (await written.inputValue()) === "#000");
  const sent = page.waitForRequest((request) => request.method() === "POST" && request.url().endsWith("/settings"));
  await page.getByRole("button", { name: "Save", exact: true }).click();
  assert.deepEqual((await sent).postDataJSON(), { chatbot_toolbar_color: "#000" });
  await page.getByText("Saved", { exact: true }).waitFor();
  assert.equal((await agent.expect(200, "GET", "/settings")).chatbot_toolbar_color, "#000");
  await row.getByRole("button", { name: "Back to default" }).click();
  await until("the default to be shown", async () => (await written.inputValue()) === "#000000");
  quiet();
});

test("the palette finds what can be done, documents, conversations and settings by whatever they are called", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: { "tr-7.html": "<title>Helpful Hints for Travel</title><p>The stamp of the border is violet.</p>" },
  });
  await agent.ask("Which colour has the stamp of the border?");
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  const find = async (text) => {
    await page.keyboard.press("Control+k");
    await page.getByRole("combobox", { name: "Go to …" }).fill(text);
    return page.getByRole("option");
  };
  for (const text of ["logo", "avatar", "widget", "website", "upload", "delete", "rename", "theme", "dark", "color"]) {
    await (await find(text)).first().waitFor();
    await page.keyboard.press("Escape");
  }
  await (await find("helpful hints")).filter({ hasText: "Helpful Hints for Travel" }).click();
  await page.getByRole("dialog").getByText("violet").waitFor();
  await page.keyboard.press("Escape");
  await (await find("violet")).filter({ hasText: "Which colour has the stamp" }).click();
  await page.waitForURL(/conversations\?talk=/);
  await (await find("upload")).filter({ hasText: "Add content" }).first().click();
  await page.getByRole("dialog", { name: "Add content" }).waitFor();
  await page.keyboard.press("Escape");
  await (await find("new agent")).filter({ hasText: "New agent" }).first().click();
  await page.getByRole("dialog", { name: "New agent" }).waitFor();
  quiet();
});

test("conversations show what came of them and are found by their words; own tries are no program's", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "a.md": "The Velmora lighthouse is violet." } });
  await agent.ask("What colour has the Velmora lighthouse?", { session: "one" });
  const no = await agent.ask("How tall is the president of the moon?", { session: "one" });
  await agent.expect(200, "PUT", `/conversations/one/messages/${no.id}/feedback`, { json: { reaction: "disliked" } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: /Ask Harbour/ }).fill("Is the lighthouse violet?");
  await page.keyboard.press("Enter");
  await page.getByText("Velmora").first().waitFor();
  await until("it to be kept", async () => (await agent.expect(200, "GET", "/conversations")).data.length === 2);
  await page.goto(`${kb.url}/agents/${agent.id}/conversations`);
  const row = page.getByRole("row", { name: /What colour has/ });
  await row.waitFor();
  assert.match((await row.innerText()).replaceAll(/\s+/g, " "), /lighthouse\? 2 1 1 Programs/);
  assert.match(await page.getByRole("row", { name: /Is the lighthouse/ }).innerText(), /Dashboard/);
  await page.getByRole("searchbox").fill("PRESIDENT of the moon");
  await page.getByRole("row", { name: /Is the lighthouse/ }).waitFor({ state: "detached" });
  await row.waitFor();
  await page.goto(`${kb.url}/agents/${agent.id}/analytics`);
  const tile = page.locator(".tiles .card", { hasText: "Own tries" });
  await tile.getByText("1", { exact: true }).waitFor();
  assert.deepEqual(await faults(page, "analytics"), []);
  quiet();
});

test("who may see the log sees who changed which setting, and takes one change back", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  for (const can_export_conversation of [true, false])
    await agent.expect(200, "POST", "/settings", { json: { can_export_conversation } });
  await agent.expect(200, "POST", "/settings", { json: { default_prompt: "Ask the harbour" } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/behaviour`);
  await page.getByRole("button", { name: "History" }).click();
  const rows = page.getByRole("dialog").locator(".deleted li");
  await rows.first().waitFor();
  assert.equal(await rows.count(), 3);
  await rows.first().getByText("to “Ask the harbour”").waitFor();
  assert.deepEqual(await faults(page, "the history of settings"), []);
  await rows.nth(1).getByText("from on to off").waitFor();
  await rows.nth(1).getByRole("button", { name: "Take back" }).click();
  await rows.first().getByText("from off to on").waitFor();
  assert.equal((await agent.expect(200, "GET", "/settings")).can_export_conversation, true);
  quiet();
});
