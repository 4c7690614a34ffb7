// Pages (documents): states, search, filters, delete; citations resolve to them.
import { assert, form, start, test } from "./lib/harness.mjs";
import { library, noAnswer } from "./lib/documents.mjs";

test("the list of documents stands beside its agent", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const data = await agent.expect(200, "GET", "/pages");
  assert.deepEqual(Object.keys(data).sort(), ["pages", "project"]);
  assert.deepEqual(data.project, await agent.expect(200, "GET"));
  const ids = data.pages.data.map((page) => page.id);
  assert.deepEqual(
    ids,
    [...ids].sort((a, b) => b - a),
    "newest first",
  );
  const up = (await agent.expect(200, "GET", "/pages", { query: { order: "asc" } })).pages.data.map((page) => page.id);
  assert.deepEqual(up, ids.reverse());
});

test("search finds parts of names without case, * and ? standing for others", async (t) => {
  const kb = await start(t);
  const names = ["Report-2023.txt", "report-2024.txt", "summary.md", "100%_done.txt", "notes [old].txt"];
  const agent = await kb.agent({
    files: Object.fromEntries(names.map((n, i) => [n, `Document number ${i} about something.`])),
  });
  const cases = {
    report: [0, 1],
    "REPORT-2023": [0],
    "report-202?.txt": [0, 1],
    "report-2?.txt": [],
    "*2024*": [1],
    "r*4": [1],
    "sum*md": [2],
    "?ummary": [2],
    "%": [3],
    "100%_": [3],
    "[old]": [4],
    nothing: [],
    "": [0, 1, 2, 3, 4],
    "*": [0, 1, 2, 3, 4],
  };
  for (const [search, wanted] of Object.entries(cases)) {
    const { pages } = await agent.expect(200, "GET", "/pages", { query: { search, order: "asc" } });
    assert.deepEqual(
      pages.data.map((page) => page.filename),
      wanted.map((i) => names[i]),
      `search=${search}`,
    );
    assert.equal(pages.total, wanted.length);
  }
});

test("both statuses filter, alone and together", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: { "good.txt": library["returns.txt"], "bad.pdf": "%PDF-1.4 this is no PDF at all", "empty.txt": "" },
  });
  const names = async (query) =>
    (await agent.expect(200, "GET", "/pages", { query: { order: "asc", ...query } })).pages.data.map(
      (page) => page.filename,
    );
  assert.deepEqual(await names({ index_status: "ok" }), ["good.txt"]);
  assert.deepEqual(await names({ index_status: "failed" }), ["bad.pdf", "empty.txt"]);
  assert.deepEqual(await names({ index_status: "queued" }), []);
  assert.deepEqual(await names({ index_status: "n/a" }), []);
  assert.deepEqual(await names({ index_status: "limited" }), []);
  assert.deepEqual(await names({ crawl_status: "ok" }), ["good.txt", "bad.pdf", "empty.txt"]);
  assert.deepEqual(await names({ crawl_status: "ok", index_status: "failed" }), ["bad.pdf", "empty.txt"]);
  assert.deepEqual(await names({ crawl_status: "failed", index_status: "failed" }), []);
  assert.deepEqual(await names({ crawl_status: "all", index_status: "all" }), ["good.txt", "bad.pdf", "empty.txt"]);
  assert.deepEqual(await names({ index_status: "failed", search: "empty" }), ["empty.txt"]);
  for (const query of [{ index_status: "done" }, { crawl_status: "OK" }])
    assert.match(
      (await agent.api("GET", "/pages", { query })).json.message,
      /must be all, ok, failed, n\/a, queued or limited/,
    );
});

test("a document that cannot be read says why in a sentence", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "broken.pdf": "%PDF-1.7\nnothing behind it",
      "broken.docx": Buffer.from("PK\u0003\u0004broken"),
      "blank.md": "\n\n   \n",
    },
  });
  for (const page of await agent.pages()) {
    assert.equal(page.index_status, "failed", page.filename);
    assert.match(page.status_reason, /^.{10,}$/, page.filename);
    assert.ok(!/\/tmp\/|errno|0x|\(null\)/.test(page.status_reason), page.status_reason);
  }
});

test("one bad document does not hold up the good ones beside it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: { "bad.pdf": "%PDF-", ...library, "worse.docx": Buffer.from("PK\u0003\u0004 no archive") },
  });
  const states = Object.fromEntries((await agent.pages()).map((page) => [page.filename, page.index_status]));
  assert.deepEqual(states, {
    "bad.pdf": "failed",
    "worse.docx": "failed",
    "lighthouse.md": "ok",
    "espresso.md": "ok",
    "returns.txt": "ok",
  });
  assert.equal((await agent.expect(200, "GET")).is_chat_active, true);
});

test("the very next question does not see a deleted document", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const question = "How long does the warranty of the Brisca 200 last?";
  const page = await agent.page("espresso.md");
  assert.deepEqual((await agent.ask(question)).citations, [page.id]);
  assert.deepEqual(await agent.expect(200, "DELETE", `/pages/${page.id}`), { deleted: true });
  const after = await agent.ask(question);
  assert.ok(
    !after.llm_response.includes("27 months") && !(after.citations ?? []).includes(page.id),
    after.llm_response,
  );
  assert.ok(!(await agent.pages()).some((p) => p.id === page.id));
  assert.equal((await agent.api("DELETE", `/pages/${page.id}`)).json.message, `Page with id ${page.id} not found`);
  assert.equal((await agent.api("GET", `/citations/${page.id}`)).status, 404);
  assert.equal((await kb.api("GET", `/preview/${page.id}`)).status, 404);
  assert.ok(
    (await agent.ask("Who built the Velmora lighthouse?")).llm_response.includes("Hester Quillby"),
    "the others stay",
  );
});

test("a document that is deleted while it is queued never appears", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const files = Object.fromEntries(
    Array.from({ length: 30 }, (_, i) => [`${i}.txt`, `The ${i}th parcel weighs ${i} kilograms and is red.`]),
  );
  await agent.expect(200, "POST", "", { form: form({}, files) });
  const { pages } = await agent.expect(200, "GET", "/pages", { query: { limit: 100 } });
  const doomed = pages.data.filter((page) => Number.parseInt(page.filename) % 2);
  await Promise.all(doomed.map((page) => agent.expect(200, "DELETE", `/pages/${page.id}`)));
  const left = await agent.settled();
  assert.equal(left.length, 15);
  assert.ok(left.every((page) => page.index_status === "ok" && Number.parseInt(page.filename) % 2 === 0));
  const stats = await agent.expect(200, "GET", "/stats");
  assert.deepEqual([stats.pages_found, stats.pages_indexed], [15, 15]);
});

test("many documents deleted in parallel are all gone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.txt`, `Parcel ${i} is blue.`])),
  });
  // As a bulk purge does it: page 1 again and again, ten at a time, until the list is empty.
  for (let rounds = 0; ; rounds++) {
    const { pages } = await agent.expect(200, "GET", "/pages", { query: { limit: 10 } });
    if (pages.total === 0) break;
    assert.ok(rounds < 10);
    await Promise.all(pages.data.map((page) => agent.expect(200, "DELETE", `/pages/${page.id}`)));
  }
  const answer = await agent.ask("What colour is parcel 7?");
  assert.deepEqual([answer.llm_response, answer.citations], [noAnswer, null]);
});

test("a document is found as soon as its status is ok", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "first.txt": library["returns.txt"] } });
  for (let i = 0; i < 10; i++) {
    await agent.add({ [`note-${i}.txt`]: `The Quandrel-${i} valve opens at ${100 + i} degrees.` });
    const answer = await agent.ask(`At how many degrees does the Quandrel-${i} valve open?`);
    assert.deepEqual(await agent.sources(answer), [`note-${i}.txt`]);
    assert.ok(answer.llm_response.includes(`${100 + i} degrees`), answer.llm_response);
  }
});

test("a citation resolves to what the document is", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const answer = await agent.ask("Who built the Velmora lighthouse?");
  const metadata = await agent.expect(200, "GET", `/citations/${answer.citations[0]}`);
  const page = await agent.page("lighthouse.md");
  const { created_at, updated_at, word_count, description, ...rest } = metadata;
  assert.deepEqual(rest, {
    id: page.id,
    page_id: page.id,
    url: page.page_url,
    title: "The Velmora Lighthouse",
    image: null,
    custom_fields: {},
    deleted_at: null,
    dated_at: null,
    review_at: null,
  });
  assert.ok(description.startsWith("The Velmora lighthouse was built in 1874"), description);
  assert.ok(word_count > 80 && word_count < 120, String(word_count));
});

test("an address that is given as sitemap_path is a document without file members", async (t) => {
  const kb = await start(t);
  const { id } = await kb.expect(201, "POST", "/projects", {
    json: { project_name: "x", sitemap_path: "http://docent.invalid/page" },
  });
  const [page] = (await kb.expect(200, "GET", `/projects/${id}/pages`)).pages.data;
  assert.deepEqual([page.page_url, page.is_file, page.is_refreshable], ["http://docent.invalid/page", false, true]);
  for (const member of ["s3_path", "is_file_kept", "filename", "filesize"]) assert.ok(!(member in page), member);
});

test("a PDF and a picture without text fail, and their status tells whether they were looked at", async (t) => {
  const kb = await start(t);
  // One page that paints a grey box and holds no letter.
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R >>",
    "<< /Length 30 >>\nstream\n0.5 g 10 10 180 180 re f       \nendstream",
  ];
  let pdf = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = pdf.length;
    pdf += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const xref = pdf.length;
  pdf += `xref\n0 5\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}trailer\n<< /Size 5 /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`;
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  const unread = "text in pictures was left alone, because is_ocr_enabled was 0";
  const empty = "there is no text to be read in the picture";
  const blind = `${empty}; no model that sees is configured`;
  for (const { options, scan, picture } of [
    {
      options: { is_ocr_enabled: "0" },
      scan: `the PDF has no text layer (scanned?), and ${unread}`,
      picture: `the file is a picture, and ${unread}`,
    },
    { options: { is_ocr_enabled: "1" }, scan: empty, picture: empty },
    { options: { is_ocr_enabled: "0", is_vision_enabled: "1" }, scan: blind, picture: blind },
  ]) {
    const agent = await kb.agent({
      ...options,
      files: { "scan.pdf": pdf, "p.png": png, "text.txt": "Harbour." },
    });
    const state = async (name) =>
      (({ index_status, status_reason }) => [index_status, status_reason])(await agent.page(name));
    assert.deepEqual(await state("scan.pdf"), ["failed", scan]);
    assert.deepEqual(await state("p.png"), ["failed", picture]);
    assert.deepEqual(await state("text.txt"), ["ok", null]);
    const reply = await agent.api("POST", "/conversations/pictures/messages", {
      form: form({ prompt: "What does it say?" }, { "p.png": png }),
    });
    assert.deepEqual([reply.status, reply.json.data.message], [400, `p.png: ${picture}`]);
  }
});
