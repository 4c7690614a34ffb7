// Documents beside an answer, as the reader sees them: the page of a PDF with the sentence marked on it.
import { assert, browse, faults, signedIn, start, test, until } from "./lib.mjs";
import { typedPdf } from "../api/lib/print.mjs";
import { zip } from "../api/lib/zip.mjs";

/** Twelve pages; what is asked for stands on the ninth, in two lines. */
const pages = Array.from({ length: 12 }, (_, i) => [
  `Chapter ${i + 1} of the harbour's handbook`,
  "",
  ...Array.from(
    { length: 30 },
    (_, k) => `Rule ${i + 1}.${k + 1}: boats of class ${i * 31 + k} moor at pier ${k + 2}.`,
  ),
  ...(i === 8 ? ["The harbour master of Velmora is Isolde Fenwick, who keeps", "the keys of both gates."] : []),
]);

async function asked(t, options) {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "harbour.pdf": typedPdf(pages) } });
  const all = await signedIn(t, kb, options);
  await all.page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await all.page.getByRole("textbox", { name: "Ask Harbour …" }).fill("Who is the harbour master of Velmora?");
  await all.page.keyboard.press("Enter");
  return { kb, agent, ...all };
}

test("the cited page of a PDF opens beside the answer, with the sentence marked on it", async (t) => {
  const { page, quiet } = await asked(t);
  const sheet = page.locator(".leaf[data-page='9']");
  const mark = sheet.locator(".mark.current");
  await mark.first().waitFor();
  await page.getByText("Page 9 of 12").waitFor();
  // It is in view, over the words that it marks, and both lines have their part.
  const [scroller, ...rects] = await Promise.all([
    page.locator(".paper-scroll").boundingBox(),
    mark.nth(0).boundingBox(),
    mark.nth(1).boundingBox(),
  ]);
  assert.equal(await mark.count(), 2);
  for (const rect of rects)
    assert.ok(rect.y > scroller.y && rect.y + rect.height < scroller.y + scroller.height, JSON.stringify(rect));
  const word = await sheet.getByText("Isolde", { exact: false }).boundingBox();
  assert.ok(Math.abs(word.y - rects[0].y) < 6 && word.x > rects[0].x, "the mark lies where the words are");
  const drawn = await sheet.locator("canvas").evaluate((canvas) => {
    const dots = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data;
    return dots.some((dot, i) => i % 4 === 0 && dot < 90);
  });
  assert.ok(drawn, "the page is drawn");
  // Words can be selected, and only pages that are near hold a picture.
  await page.evaluate(() => {
    const words = [...document.querySelectorAll(".leaf[data-page='9'] .layer span")];
    const at = words.findIndex((word) => word.textContent.startsWith("Isolde"));
    getSelection().setBaseAndExtent(words[at].firstChild, 0, words[at + 1].firstChild, 7);
  });
  assert.equal(await page.evaluate(() => getSelection().toString().trim()), "Isolde Fenwick");
  assert.equal(await page.locator(".leaf[data-page='1'] canvas").evaluate((canvas) => canvas.width), 0);
  // The text of the same document, with the same sentence.
  await page.locator(".doc-kind").getByRole("button", { name: "Text" }).click();
  await page.locator(".paper mark.current").waitFor();
  assert.match(await page.locator(".paper mark.current").textContent(), /Isolde Fenwick, who keeps the keys/);
  quiet();
});

test("the viewer is accessible, and scrolling leads to other pages", async (t) => {
  const { page, quiet } = await asked(t, { colorScheme: "dark" });
  await page.locator(".leaf .mark.current").first().waitFor();
  assert.deepEqual(await faults(page, "viewer, dark"), []);
  await page.locator(".paper-scroll").focus();
  await page.keyboard.press("End");
  await page.getByText("Page 12 of 12").waitFor();
  await page.locator(".leaf[data-page='12'] .layer span").first().waitFor();
  quiet();
});

test("a visitor's viewer waits for a click where its owner wants that, and shows no name of an anonymous PDF", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "Payroll 2024.pdf": typedPdf(pages) } });
  const set = (json) => agent.expect(200, "POST", "/settings", { json });
  await set({ is_pdf_viewer: true, is_pdf_viewer_autoopen: false, is_anonymize_pdfs: true });
  const { shareable_link: address } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { page, quiet } = await browse(t, kb);
  await page.goto(address);
  await page.getByRole("textbox").fill("Who is the harbour master of Velmora?");
  await page.keyboard.press("Enter");
  await page.locator(".acts").waitFor();
  assert.equal(await page.locator(".viewer").count(), 0, "not by itself");
  await page.locator(".reply button.cite").first().click();
  await page.locator(".viewer .leaf .mark.current").first().waitFor();
  assert.ok(!(await page.content()).includes("Payroll"));
  assert.equal(await page.locator(".viewer").getByRole("button", { name: "Download" }).count(), 0);
  // Without the viewer a number leads to the list.
  await set({ is_pdf_viewer: false });
  await page.reload();
  await page.locator(".reply button.cite").first().click();
  await page.locator(".sources .row").first().waitFor();
  assert.equal(await page.locator(".viewer").count(), 0);
  quiet();
});

test("what a page fetches when it is needed is asked for again where the network failed for a moment", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "harbour.pdf": typedPdf(pages) } });
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: true, is_pdf_viewer_autoopen: false } });
  const { shareable_link: address } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { page } = await browse(t, kb);
  const failed = new Map();
  await page.route(/\/(markdown|Viewer)-[^/]*\.js$/, (route) => {
    const name = /(markdown|Viewer)/.exec(route.request().url())[1];
    failed.set(name, (failed.get(name) ?? 0) + 1);
    return failed.get(name) <= 2 ? route.abort("connectionfailed") : route.continue();
  });
  await page.goto(address);
  await page.getByRole("textbox").fill("Who is the harbour master of Velmora?");
  await page.keyboard.press("Enter");
  await page.locator(".acts").waitFor();
  await page.locator(".reply button.cite").first().click();
  await page.locator(".viewer .leaf .mark.current").first().waitFor();
  assert.deepEqual(Object.fromEntries(failed), { markdown: 3, Viewer: 3 });
});

test("what has no pages to look at opens as its text, with the sentence marked", async (t) => {
  const kb = await start(t);
  const words = (name) => `The keeper of the ${name} gate is Osric ${name}son, who lives in Velmora.`;
  const docx = zip({
    "[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
    "_rels/.rels": `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
    "word/document.xml": `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>${words("silver")}</w:t></w:r></w:p></w:body></w:document>`,
  });
  const agent = await kb.agent({
    project_name: "Harbour",
    file_data_retension: "false",
    files: {
      "iron.pdf": typedPdf([["Gates", words("iron")]]),
      "copper.md": `# Gates\n\n${words("copper")}\n`,
      "golden.html": `<html><body><h1>Gates</h1><p>${words("golden")}</p></body></html>`,
      "silver.docx": docx,
    },
  });
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: true, citations_view_type: "show" } });
  const { shareable_link: address } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  await until("the originals to go", async () => (await agent.pages()).every((page) => page.is_file_kept === false));
  const { page, quiet } = await browse(t, kb);
  await page.goto(address);
  for (const [i, name] of ["iron", "copper", "golden", "silver"].entries()) {
    await page.getByRole("textbox").fill(`Who is the keeper of the ${name} gate?`);
    await page.keyboard.press("Enter");
    const exchange = page.locator(".exchange").nth(i);
    await exchange.locator(".acts").waitFor();
    if (!(await page.locator(".viewer").count())) await exchange.locator(".sources .row").first().click();
    await page.locator(".viewer mark.current", { hasText: `Osric ${name}son` }).waitFor();
    assert.equal(await page.locator(".viewer canvas").count(), 0);
    await page.locator(".viewer").getByRole("button", { name: "Close" }).click();
  }
  quiet();
});

test("a visitor sees the cited page and its neighbours, labelled, and no others", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: { "harbour.pdf": typedPdf(pages) } });
  await agent.expect(200, "POST", "/settings", {
    json: { is_pdf_viewer: true, is_pdf_page_visibility_limited: true, pdf_limited_page_label: "Excerpt" },
  });
  const { shareable_link: address } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { page, quiet } = await browse(t, kb);
  await page.goto(address);
  await page.getByRole("textbox").fill("Who is the harbour master of Velmora?");
  await page.keyboard.press("Enter");
  // It opens with the answer, where there is room beside the talk.
  const viewer = page.locator(".viewer");
  await viewer.getByText("Excerpt").waitFor();
  await viewer.locator(".leaf[data-page='9'] .mark.current").first().waitFor();
  const shown = await viewer
    .locator(".leaf")
    .evaluateAll((sheets) => sheets.map((sheet) => Number(sheet.dataset.page)));
  assert.ok(shown.includes(9) && shown.length < pages.length, `${shown}`);
  assert.equal(await viewer.getByRole("button", { name: "Download" }).count(), 0);
  assert.deepEqual(await faults(page, "the visitor's viewer"), []);
  // What opens by itself leaves the focus where the next question is written. By keyboard away and back.
  await page.waitForFunction(() => document.activeElement.id === "question");
  await viewer.locator(".paper-scroll").focus();
  await page.keyboard.press("Escape");
  await viewer.waitFor({ state: "detached" });
  await page.locator(".reply button.cite").first().click();
  await viewer.locator(".leaf .mark.current").first().waitFor();
  // The label leads to the address that the document has elsewhere.
  const [{ id }] = await agent.pages();
  await agent.expect(200, "PUT", `/pages/${id}/metadata`, { json: { url: "https://shop.example/handbook" } });
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_limited_label_linked: true } });
  await page.keyboard.press("Escape");
  await page.locator(".reply button.cite").first().click();
  assert.equal(await viewer.locator("a.limited").getAttribute("href"), "https://shop.example/handbook");
  await viewer.locator(".leaf .mark.current").first().waitFor();
  // On a phone it covers the talk.
  await page.setViewportSize({ width: 390, height: 844 });
  const box = await viewer.boundingBox();
  assert.ok(box.x === 0 && box.width === 390, JSON.stringify(box));
  quiet();
});
