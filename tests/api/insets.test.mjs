// Pictures within documents, read and described by a model that sees: in PDF, Word, PowerPoint, OpenDocument and EPUB
// files, and on pages of the web.
import { promptOf } from "./lib/chat.mjs";
import { assert, form, test, until } from "./lib/harness.mjs";
import { mixedPdf, pngOf, scanned, setLines } from "./lib/print.mjs";
import { look, imagesOf, scene } from "./lib/sight.mjs";
import { mayFetch, site } from "./lib/site.mjs";
import { zip } from "./lib/zip.mjs";

/** A grey picture that is like no other. */
const dots = (width, height, grey) => ({ width, height, grey: Buffer.alloc(width * height, grey) });
const png = (width, height, grey) => pngOf(dots(width, height, grey));
const sees = { is_ocr_enabled: "2" };

const relations = (...targets) =>
  `<Relationships>${targets
    .map(([id, type, target]) => `<Relationship Id="${id}" Type="http://x/${type}" Target="${target}"/>`)
    .join("")}</Relationships>`;
const types = "<Types/>";
const p = (...runs) => `<w:p>${runs.map((run) => `<w:r>${run}</w:r>`).join("")}</w:p>`;
const t = (text) => `<w:t>${text}</w:t>`;
const blip = (id) => `<w:drawing><a:blip r:embed="${id}"/></w:drawing>`;

const docx = (body, pictures) =>
  zip({
    "[Content_Types].xml": types,
    "_rels/.rels": relations(["a", "officeDocument", "word/document.xml"]),
    "word/_rels/document.xml.rels": relations(
      ...Object.keys(pictures).map((name, i) => [`i${i + 1}`, "image", `media/${name}`]),
    ),
    "word/document.xml": `<w:document xmlns:w="w" xmlns:a="a" xmlns:r="r"><w:body>${body}</w:body></w:document>`,
    ...Object.fromEntries(Object.entries(pictures).map(([name, bytes]) => [`word/media/${name}`, bytes])),
  });

const pptx = (picture) =>
  zip({
    "[Content_Types].xml": types,
    "_rels/.rels": relations(["a", "officeDocument", "ppt/presentation.xml"]),
    "ppt/_rels/presentation.xml.rels": relations(["s1", "slide", "slides/s1.xml"], ["s2", "slide", "slides/s2.xml"]),
    "ppt/presentation.xml": `<p:presentation xmlns:p="p" xmlns:r="r"><p:sldSz cx="1000000" cy="500000"/><p:sldIdLst><p:sldId id="256" r:id="s1"/><p:sldId id="257" r:id="s2"/></p:sldIdLst></p:presentation>`,
    "ppt/slides/s1.xml": `<p:sld xmlns:p="p" xmlns:a="a"><p:sp><a:p><a:t>The first slide of the harbour.</a:t></a:p></p:sp></p:sld>`,
    "ppt/slides/_rels/s2.xml.rels": relations(["i1", "image", "../media/a.png"]),
    "ppt/slides/s2.xml": `<p:sld xmlns:p="p" xmlns:a="a" xmlns:r="r"><p:sp><a:p><a:t>The second slide of the harbour.</a:t></a:p></p:sp><p:pic><p:blipFill><a:blip r:embed="i1"/></p:blipFill><p:spPr><a:xfrm><a:off x="100000" y="100000"/><a:ext cx="500000" cy="250000"/></a:xfrm></p:spPr></p:pic></p:sld>`,
    "ppt/media/a.png": picture,
  });

const odt = (picture) =>
  zip({
    mimetype: "application/vnd.oasis.opendocument.text",
    "content.xml": `<office:document-content xmlns:office="o" xmlns:text="t" xmlns:draw="d" xmlns:xlink="x"><office:body><office:text><text:p>The text of the harbour.</text:p><text:p><draw:frame><draw:image xlink:href="Pictures/a.png"/></draw:frame></text:p></office:text></office:body></office:document-content>`,
    "Pictures/a.png": picture,
  });

const epub = (picture) =>
  zip({
    mimetype: "application/epub+zip",
    "META-INF/container.xml": `<container><rootfiles><rootfile full-path="OPS/book.opf"/></rootfiles></container>`,
    "OPS/book.opf": `<package><manifest><item id="c" href="text/one.xhtml"/></manifest><spine><itemref idref="c"/></spine></package>`,
    "OPS/text/one.xhtml": `<html><body><h1>Harbour</h1><p>The chapter of the harbour.</p><img src="../pictures/a%20b.png" alt=""/><p>After it.</p></body></html>`,
    "OPS/pictures/a b.png": picture,
  });

const pdf = (picture = dots(400, 200, 80)) =>
  mixedPdf([
    setLines("The first page of the harbour has words of its own, and nothing else is to be seen on it at all."),
    {
      lines: setLines("The second page of the harbour has words of its own as well, and a picture below them."),
      picture,
      place: [100, 300, 200, 100],
    },
  ]);

const plain = ({ text, page_no }) => [text, page_no];
const says = "The ferry Aurelia leaves from pier nine.";

test("a picture within a file is described where it stands, on its page, and cited", async (s) => {
  const { kb, chat, looked, state, blocks } = await scene(s, { see: () => `${says}\n\nA white ship.` });
  const picture = png(300, 150, 90);
  const files = {
    "a.docx": docx(p(t("The text of the harbour.")) + p(t("See: "), blip("i1")) + p(t("After it.")), {
      "a.png": picture,
    }),
    "a.pptx": pptx(picture),
    "a.odt": odt(picture),
    "a.epub": epub(picture),
    "a.pdf": pdf(),
  };
  const agent = await kb.agent({ files, ...sees });
  const wanted = {
    "a.docx": [
      ["The text of the harbour.", null],
      [says, null],
      ["A white ship.", null],
      ["See:", null],
      ["After it.", null],
    ],
    "a.pptx": [
      ["The first slide of the harbour.", 1],
      ["The second slide of the harbour.", 2],
      [says, 2],
      ["A white ship.", 2],
    ],
    "a.odt": [
      ["The text of the harbour.", null],
      [says, null],
      ["A white ship.", null],
    ],
    "a.epub": [
      ["Harbour", null],
      ["The chapter of the harbour.", null],
      [says, null],
      ["A white ship.", null],
      ["After it.", null],
    ],
  };
  for (const [name, want] of Object.entries(wanted)) {
    assert.deepEqual(await state(agent, name), ["ok", null], name);
    assert.deepEqual((await blocks(agent, name)).map(plain), want, name);
  }
  assert.deepEqual(await state(agent, "a.pdf"), ["ok", null]);
  assert.deepEqual((await blocks(agent, "a.pdf")).map(plain).slice(-2), [
    [says, 2],
    ["A white ship.", 2],
  ]);
  // One request a file, each with that one picture.
  assert.equal(looked().length, 5);
  const shown = looked().map(({ body }) => imagesOf(body).map((url) => look(url)));
  assert.ok(shown.every((pictures) => pictures.length === 1 && pictures[0].kind === "jpeg"));
  assert.deepEqual(
    shown.map(([{ side }]) => side).sort((a, b) => a - b),
    [300, 300, 300, 300, 556], // those of a PDF as 200 dots an inch
  );

  const message = await agent.ask("From which pier does the ferry Aurelia leave?");
  assert.match(message.llm_response, /pier nine/);
  assert.match(promptOf(chat.answers.at(-1).body), /pier nine/);
  // A passage of its own: nothing of the text round it is in it.
  const { passages } = await agent.expect(200, "POST", "/search", { json: { query: "ferry Aurelia" } });
  const found = passages.filter(({ text }) => text.includes("Aurelia"));
  assert.deepEqual([...new Set(found.map(({ text }) => text))], [`${says}\nA white ship.`]);
  assert.equal(found.length, 5);
});

test("what a picture of a PDF shows is marked where it stands on its page, beside the words of the page", async (s) => {
  const { kb, blocks } = await scene(s, { see: () => says });
  const agent = await kb.agent({ files: { "a.pdf": pdf() }, ...sees });
  const read = await blocks(agent, "a.pdf");
  const offset = read.slice(0, -1).reduce((n, { text }) => n + Buffer.byteLength(text) + 1, 0);
  const { id } = await agent.page("a.pdf");
  const { words, marks } = await agent.expect(200, "GET", `/pages/${id}/view/2/words`, {
    query: { marks: `${offset}:${Buffer.byteLength(says)}` },
  });
  assert.ok(
    words
      .map(({ text }) => text)
      .join(" ")
      .startsWith("The second page of the harbour"),
  );
  const marked = marks[0].words.map((i) => words[i]);
  assert.deepEqual(
    marked.map(({ text }) => text),
    [says],
  );
  // 100, 300 to 300, 400 of 595 by 842 points.
  const near = marked[0].box.map((n, i) => Math.abs(n - [100 / 595, 300 / 842, 300 / 595, 400 / 842][i]));
  assert.ok(
    near.every((off) => off < 0.002 || off > 1),
    marked[0].box.join(" "),
  );
});

test("a picture is shown once however often it stands there, and ornaments never", async (s) => {
  const { kb, looked, state } = await scene(s, { see: (nth) => `Picture number ${nth}.` });
  const logo = dots(200, 200, 60);
  const page = (name, picture, place) => ({
    lines: setLines(
      `The ${name} page of the harbour with words of its own, some of them long and others rather short.`,
    ),
    picture,
    place,
  });
  const files = {
    "logos.pdf": mixedPdf([
      page("first", logo, [20, 20, 60, 60]),
      page("second", logo, [20, 20, 60, 60]),
      page("third", logo, [20, 700, 60, 60]),
      page("fourth", dots(300, 300, 99), [20, 20, 20, 20]), // too small to be seen
      page("fifth", dots(300, 300, 98), [0, 0, 595, 842]), // a ground
    ]),
    "logos.docx": docx(p(t("Text."), blip("i1")) + p(blip("i1"), blip("i2"), blip("i3"), blip("i4"), blip("i5")), {
      "a.png": png(200, 100, 10),
      "same.png": png(200, 100, 10),
      "small.png": png(40, 40, 20),
      "lines.emf": "a drawing of lines",
      "other.PNG": png(200, 100, 30),
    }),
  };
  const agent = await kb.agent({ files, ...sees });
  assert.deepEqual(await state(agent, "logos.pdf"), ["ok", null]);
  assert.deepEqual(await state(agent, "logos.docx"), ["ok", null]);
  assert.equal(looked().length, 3);
});

test("pictures are left alone where nobody asks for them, nobody sees, or the agent masks", async (s) => {
  const { kb, looked, blocks, state } = await scene(s, { see: () => says });
  const file = docx(p(t("The text of the harbour."), blip("i1")), { "a.png": png(300, 150, 90) });
  for (const options of [{}, { is_ocr_enabled: "1" }, { ...sees, is_anonymized: "true" }]) {
    const agent = await kb.agent({ files: { "a.docx": file }, ...options });
    assert.deepEqual(await state(agent, "a.docx"), ["ok", null]);
    assert.deepEqual((await blocks(agent, "a.docx")).map(plain), [["The text of the harbour.", null]]);
  }
  assert.equal(looked().length, 0);
  const small = await kb.agent({
    files: { "a.docx": docx(p(t("Text.")) + p(blip("i1")), { "a.png": png(1600, 400, 90) }) },
    is_vision_enabled: "true",
    is_vision_compress_image: "true",
  });
  await small.settled();
  assert.deepEqual(
    imagesOf(looked().at(-1).body).map((url) => look(url).side),
    [1200],
  );
  const blind = await scene(s, { list: ["chat"] });
  const agent = await blind.kb.agent({ files: { "a.docx": file }, ...sees });
  assert.deepEqual(await blind.state(agent, "a.docx"), ["ok", null]);
});

test("a picture that the model does not read is read by OCR, and the document says so", async (s) => {
  const { kb, chat, state, blocks } = await scene(s, {});
  chat.mode = "400";
  const sign = pngOf(scanned(setLines("The harbour office of Lindholm opens at seven in the morning."), { dpi: 150 }));
  const files = {
    "a.docx": docx(p(t("Text.")) + p(blip("i1"), blip("i2")), { "sign.png": sign, "grey.png": png(300, 150, 90) }),
  };
  const agent = await kb.agent({ files, ...sees });
  assert.deepEqual(await state(agent, "a.docx"), [
    "ok",
    "2 of 2 pictures in it were left to OCR, not seen by a model: the model a-vision refuses the request (400)",
  ]);
  assert.match(
    (await blocks(agent, "a.docx")).map(({ text }) => text).join(" "),
    /^Text\. .*harbour office of Lindholm/,
  );
});

test("a document that is nothing but a picture is what the picture shows", async (s) => {
  const { kb, state, blocks } = await scene(s, { see: () => says });
  const files = { "a.docx": docx(p(blip("i1")), { "a.png": png(300, 150, 90) }) };
  const agent = await kb.agent({ files, ...sees });
  assert.deepEqual(await state(agent, "a.docx"), ["ok", null]);
  assert.deepEqual((await blocks(agent, "a.docx")).map(plain), [[says, null]]);
});

test("hostile pictures within documents cost themselves alone", async (s) => {
  const { kb, looked, state } = await scene(s, { see: () => says });
  const huge = png(300, 150, 90);
  huge.writeUInt32BE(100_000, 16);
  huge.writeUInt32BE(100_000, 20);
  const pictures = {
    "huge.png": huge,
    "cut.png": png(300, 150, 80).subarray(0, 60),
    "junk.jpg": Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(5000, 0xa5)]),
    "bomb.bmp": Buffer.alloc(40 << 20, "BM"),
    "good.png": png(300, 150, 70),
  };
  const body = p(t("Text.")) + p(...[1, 2, 3, 4, 5, 6].map((n) => blip(`i${n}`))) + p(blip("../../x"), blip(""));
  const agent = await kb.agent({ files: { "a.docx": docx(body, pictures) }, ...sees });
  const [status, reason] = await state(agent, "a.docx");
  assert.equal(status, "ok");
  assert.match(reason, /^4 of 5 pictures in it could not be looked at; the first: .*picture/);
  assert.equal(looked().length, 1);
  assert.equal((await agent.ask("From which pier does the ferry Aurelia leave?")).citations.length, 1);
});

test("the pictures of a page of the web are described, once for as long as the page stays the same", async (s) => {
  const { kb, looked } = await scene(s, { see: (nth) => `${says} Seen ${nth} times.`, env: mayFetch.env });
  const web = await site(s);
  const body = (words) =>
    `<html><head><title>Harbour</title></head><body><main><h1>Harbour</h1><p>${"The harbour has a long stone pier. ".repeat(5)}${words}</p><img src="/a.png"><img src="/small.png"><img src="/none.png"><p>${"Boats moor at its end, two at a time. ".repeat(5)}</p></main></body></html>`;
  web.set("/page", { "content-type": "text/html", body: body("It is old.") });
  web.set("/a.png", { "content-type": "image/png", body: png(300, 150, 90) });
  web.set("/small.png", { "content-type": "image/png", body: png(40, 40, 90) });
  const agent = await kb.agent({ sitemap_path: `${web.url}/page`, ...sees });
  await agent.settled();
  const [page] = await agent.pages();
  assert.deepEqual([page.index_status, page.status_reason], ["ok", null]);
  const texts = async () =>
    (await agent.expect(200, "GET", `/pages/${page.id}/text`)).blocks.map(({ text }) => text.slice(0, 20));
  const order = ["Harbour", "The harbour has a lo", says.slice(0, 20), "Boats moor at its en"];
  assert.deepEqual(await texts(), order);
  assert.equal(looked().length, 1);
  const again = async () => {
    await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
    await agent.settled();
  };
  await again();
  assert.equal(looked().length, 1, "nothing has changed");
  web.set("/page", { "content-type": "text/html", body: body("It is new.") });
  await again();
  assert.equal(looked().length, 2);
  assert.deepEqual(await texts(), order);
});

test("a document that is deleted while a model looks at its pictures is looked at no longer", async (s) => {
  const { kb, chat, looked } = await scene(s, {});
  chat.mode = "hang";
  const agent = await kb.agent({ ...sees });
  const file = docx(p(t("Text."), blip("i1")), { "a.png": png(300, 150, 90) });
  await agent.expect(201, "POST", "/sources", { form: form({}, { "a.docx": file }) });
  await until("the model to look", () => looked().length === 1);
  await agent.expect(200, "DELETE", "");
  await until("it to be left alone", () => looked()[0].gone);
});
