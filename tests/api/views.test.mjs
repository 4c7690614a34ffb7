// Pages of PDFs as they are looked at: drawn, with the places of their words, and with the sentence marked.
import { assert, docent, form, start, test, until } from "./lib/harness.mjs";
import { lighthouse } from "./lib/documents.mjs";
import { typedPdf } from "./lib/print.mjs";

const manual = [
  [
    "Handbook of the Brisca 200",
    "",
    "The tank holds 1.8 litres. Press the lamp.",
    "The pump needs nine bar of pressure.",
  ],
  ["Handbook of the Brisca 200", "", "Descale it every two months with citric acid, and", "never with vinegar."],
  ["Handbook of the Brisca 200", "", "Faults come first. Press the lamp.", "Then come repairs. Press the lamp."],
];

const view = (page, n) => `/pages/${page.id}/view/${n}`;
const textOf = ({ words, marks }, i = 0) => marks[i].words.map((word) => words[word].text).join(" ");

/** The places of a text in what was read of the document, from the first to the last. */
async function placesOf(agent, page, text) {
  const { blocks } = await agent.expect(200, "GET", `/pages/${page.id}/text`);
  const whole = Buffer.concat(blocks.map((b, i) => Buffer.from(`${i ? "\n" : ""}${b.text}`)));
  const places = [];
  for (let at = whole.indexOf(text); at >= 0; at = whole.indexOf(text, at + 1))
    places.push({ offset: at, length: Buffer.byteLength(text) });
  return places;
}
const marks = (...places) => places.map(({ offset, length }) => `${offset}:${length}`).join(",");

test("a page of a PDF is drawn, and a sentence of the text is marked among its words", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "manual.pdf": typedPdf(manual) } });
  const page = await agent.page("manual.pdf");
  const text = await agent.expect(200, "GET", `/pages/${page.id}/text`);
  assert.deepEqual([text.pages, text.has_pictures], [3, true]);

  const drawn = await agent.api("GET", view(page, 2));
  assert.equal(drawn.status, 200);
  assert.equal(drawn.headers["content-type"], "image/jpeg");
  assert.deepEqual([...drawn.bytes.subarray(0, 3)], [0xff, 0xd8, 0xff]);
  assert.deepEqual((await agent.api("GET", view(page, 2))).bytes, drawn.bytes, "kept as it was drawn");

  const [cut] = await placesOf(agent, page, "Descale it every two months with citric acid, and never with vinegar.");
  const second = await agent.expect(200, "GET", `${view(page, 2)}/words`, { query: { marks: marks(cut) } });
  assert.equal(textOf(second), "Descale it every two months with citric acid, and never with vinegar.");
  const [first, last] = [second.marks[0].words[0], second.marks[0].words.at(-1)].map((i) => second.words[i]);
  assert.ok(last.line > first.line && last.box[1] > first.box[3] - 50, "it goes on in the next line");
  for (const { box } of second.words) {
    assert.ok(box[0] < box[2] && box[1] < box[3], `${box}`);
    assert.ok(
      box.every((n) => n >= 0 && n <= second.units),
      `${box}`,
    );
  }
  // On the page before there is nothing of it.
  const before = await agent.expect(200, "GET", `${view(page, 1)}/words`, { query: { marks: marks(cut) } });
  assert.deepEqual(before.marks, [{ ...cut, words: [] }]);
});

test("a sentence that stands twice is marked where its place is", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "manual.pdf": typedPdf(manual) } });
  const page = await agent.page("manual.pdf");
  const places = await placesOf(agent, page, "Press the lamp.");
  assert.equal(places.length, 3);
  const third = await agent.expect(200, "GET", `${view(page, 3)}/words`, { query: { marks: marks(...places) } });
  assert.deepEqual(third.marks[0].words, [], "the first is on another page");
  const lines = third.marks.slice(1).map(({ words }) => new Set(words.map((word) => third.words[word].line)));
  assert.deepEqual(
    [1, 2].map((i) => textOf(third, i)),
    ["Press the lamp.", "Press the lamp."],
  );
  assert.ok(
    [...lines[0]].every((line) => !lines[1].has(line)),
    "each in its own line",
  );
});

test("what has no pages to look at says so, and an original that is not kept is not drawn", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "manual.pdf": typedPdf(manual), "lighthouse.md": lighthouse } });
  const pdf = await agent.page("manual.pdf");
  const plain = await agent.page("lighthouse.md");
  assert.equal((await agent.expect(200, "GET", `/pages/${plain.id}/text`)).has_pictures, false);
  for (const path of [view(plain, 1), `${view(plain, 1)}/words`])
    assert.match((await agent.expect(404, "GET", path)).message, /no PDF: it has no pages to look at/);
  for (const n of [0, 4, 5000000, -1])
    for (const path of [view(pdf, n), `${view(pdf, n)}/words`])
      assert.match((await agent.expect(404, "GET", path)).message, /cannot be shown/, path);
  await agent.expect(400, "GET", view(pdf, "one"));
  for (const bad of ["1", "1:0", "x:1", "1:2,"])
    assert.equal(
      (await agent.api("GET", `${view(pdf, 1)}/words`, { query: { marks: bad } })).status,
      bad === "1:2," ? 200 : 400,
      bad,
    );

  const passing = await kb.agent({ file_data_retension: "false", files: { "manual.pdf": typedPdf(manual) } });
  const gone = await until("the original to go", async () => {
    const page = await passing.page("manual.pdf");
    return page.is_file_kept === false && page;
  });
  assert.equal((await passing.expect(200, "GET", `/pages/${gone.id}/text`)).has_pictures, false);
  for (const path of [view(gone, 1), `${view(gone, 1)}/words`])
    assert.match((await passing.expect(404, "GET", path)).message, /original .*is not kept/);
});
