// Files in a message: their text answers this one question, together with the agent's documents.
import { randomUUID } from "node:crypto";
import { readdir } from "node:fs/promises";
import path from "node:path";
import { assert, form, start, test } from "./lib/harness.mjs";
import { library, noAnswer, questions } from "./lib/documents.mjs";

const invoice = `Invoice 2024-118

From: Harlow Tools Ltd.
To: Brimstone Bakery

Two dough hooks, 40.00 crowns each.
One mixing bowl, 65.50 crowns.

The total of this invoice is 145.50 crowns. It is due on 14 June 2024.
Please pay to the account of Harlow Tools.
`;

const where = () => `/conversations/${randomUUID()}/messages`;
const ask = (agent, prompt, files, fields = {}, options = {}) =>
  agent.api("POST", where(), { form: form({ prompt, ...fields }, files), ...options });

/** A PDF of one page with these lines, small and correct. */
function pdf(lines) {
  const text = `BT /F1 12 Tf 72 720 Td 16 TL ${lines.map((line) => `(${line.replace(/[()\\]/g, "\\$&")}) Tj T*`).join(" ")} ET`;
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    "<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
    "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents 4 0 R /Resources << /Font << /F1 5 0 R >> >> >>",
    `<< /Length ${text.length} >>\nstream\n${text}\nendstream`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
  ];
  let out = "%PDF-1.4\n";
  const places = objects.map((object, i) => {
    const at = out.length;
    out += `${i + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const xref = out.length;
  return Buffer.from(
    `${out}xref\n0 6\n0000000000 65535 f \n${places.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("")}trailer\n<< /Size 6 /Root 1 0 R >>\nstartxref\n${xref}\n%%EOF\n`,
  );
}

test("a question about an attached file is answered from it, without a citation", async (t) => {
  const kb = await start(t);
  const agents = [await kb.agent(), await kb.agent({ files: library })];
  for (const agent of agents) {
    for (const [prompt, words] of [
      ["What is the total in this invoice?", "145.50"],
      ["When is the invoice due?", "14 June 2024"],
      ["How much does a mixing bowl cost?", "65.50"],
    ]) {
      const { status, data } = await ask(agent, prompt, { "invoice.txt": invoice });
      assert.equal(status, 200);
      assert.ok(data.llm_response.includes(words), `${prompt} -> ${data.llm_response}`);
      assert.equal(data.citations, null, prompt);
    }
    assert.equal(
      (await agent.ask("What is the total in this invoice?")).llm_response,
      noAnswer,
      "the file has gone with its message",
    );
  }
});

test("a PDF answers too, and so does a file in a stream", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const file = {
    "offer.pdf": pdf(["Offer 77", "The delivery of the kiln takes nine weeks.", "The kiln weighs 310 kilograms."]),
  };
  const { status, data, text } = await ask(agent, "How much does the kiln weigh?", file);
  assert.equal(status, 200, text);
  assert.ok(data.llm_response.includes("310 kilograms"), data.llm_response);
  const streamed = await ask(
    agent,
    "How long does the delivery of the kiln take?",
    file,
    {},
    { query: { stream: "true" } },
  );
  assert.match(streamed.headers["content-type"], /^text\/event-stream/);
  assert.ok(streamed.text.includes("nine weeks") && streamed.text.includes('"citations":null'), streamed.text);
});

test("the agent's documents and the files answer together, and only pages are cited", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { data } = await ask(agent, questions[0][0], { "invoice.txt": invoice });
  assert.ok(data.llm_response.includes(questions[0][2]));
  assert.deepEqual(await agent.sources(data), [questions[0][1]]);
  await agent.expect(200, "POST", "/settings", { json: { enable_inline_citations_api: true } });
  assert.match((await ask(agent, questions[0][0], { "invoice.txt": invoice })).data.llm_response, /\[1\]/);
  assert.doesNotMatch(
    (await ask(agent, "What is the total of the invoice?", { "invoice.txt": invoice })).data.llm_response,
    /\[\d\]/,
  );
});

test("several files under any of the names that clients use", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const parts = [
    { name: "prompt", value: "Who painted the Orlen mural?" },
    { name: "file", filename: "C:\\docs\\a.txt", type: "text/plain", value: "The Orlen bridge was opened in 1961." },
    { name: "files[]", filename: "b.md", value: "# Murals\n\nThe Orlen mural was painted by Tessaly Brandt.\n" },
    { name: "files[0]", filename: "c.txt", value: "Nothing of note." },
  ];
  assert.ok((await agent.expect(200, "POST", where(), { form: parts })).llm_response.includes("Tessaly Brandt"));
});

test("labels hide documents of the agent, not the files of the message", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["closed"] } });
  await agent.expect(200, "PUT", `/pages/${(await agent.page("lighthouse.md")).id}/labels`, {
    json: { label_ids: [label.id] },
  });
  assert.equal((await ask(agent, questions[0][0], { "invoice.txt": invoice })).data.llm_response, noAnswer);
  assert.ok(
    (
      await ask(agent, "What is the total in this invoice?", { "invoice.txt": invoice }, { labels_exclusive: "true" })
    ).data.llm_response.includes("145.50"),
  );
});

test("an agent that anonymises masks what its files hold", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ is_anonymized: "true" });
  const { data } = await ask(agent, "What is the e-mail address of the clerk?", {
    "clerk.txt": "The e-mail address of the clerk is clerk@brimstone.example. The clerk works upstairs.",
  });
  assert.ok(data.llm_response.includes("[email]") && !data.llm_response.includes("clerk@"), data.llm_response);
});

test("a file that cannot be read is refused with a sentence that names it, and nothing is stored", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const png = Buffer.from(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    "base64",
  );
  for (const [files, message] of [
    [{ "scan.png": png }, /^scan\.png: the file is a picture/],
    [{ "empty.txt": "" }, /^empty\.txt: /],
    [{ "blank.txt": " \n\n" }, /^blank\.txt: /],
    [{ "song.mp3": Buffer.from("ID3\u0003\u0000\u0000\u0000\u0000\u0000\u0000") }, /^song\.mp3: /],
    [{ "broken.pdf": "%PDF-1.4\nnot really" }, /^broken\.pdf: /],
    [{ "broken.docx": Buffer.from("PK\u0003\u0004 and nothing more") }, /^broken\.docx: /],
    [
      Object.fromEntries(Array.from({ length: 11 }, (_, i) => [`${i}.txt`, "A word."])),
      /^the message has 11 files, the limit is 10/,
    ],
    [{ "big.txt": "many words of text ".repeat(240_000) }, /hold more than 4194304 bytes of text/],
  ]) {
    const reply = await ask(agent, "What does it say?", files);
    assert.deepEqual(
      [reply.status, message.test(reply.json.message)],
      [400, true],
      `${Object.keys(files)[0]}: ${reply.text}`,
    );
  }
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
  assert.equal((await ask(agent, "", { "invoice.txt": invoice })).json.message, "prompt can't be empty");
});

test("files are not kept: neither as documents nor on the disk", async (t) => {
  const kb = await start(t, { blobFiles: true });
  const agent = await kb.agent({ files: library });
  const blobs = async () => (await readdir(path.join(kb.dir, "blobs"), { recursive: true })).sort();
  const before = await blobs();
  await ask(agent, "What is the total in this invoice?", { "invoice.txt": invoice });
  assert.deepEqual(await blobs(), before);
  assert.deepEqual(
    (await readdir(path.join(kb.dir, "tmp"))).filter((name) => /^(upload|segment)-/.test(name)),
    [],
  );
  assert.equal((await agent.pages()).length, 3);
});

test("no more than four messages of an account have their files read at once; the others are told to come again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const words = "some words of a long file. ".repeat(100_000);
  const replies = await Promise.all(
    Array.from({ length: 24 }, () =>
      ask(agent, "What is the total in this invoice?", { "a.txt": words, "b.txt": invoice }),
    ),
  );
  const [taken, refused] = [replies.filter((r) => r.status === 200), replies.filter((r) => r.status === 429)];
  assert.equal(taken.length + refused.length, 24);
  // On a slow machine those that take longer wait for each other, too.
  assert.ok(taken.length >= 1 && taken.every((r) => r.data.llm_response.includes("145.50")));
  assert.ok(refused.length >= 1, "twenty-four at once are more than four");
  for (const reply of refused)
    assert.deepEqual([reply.headers["retry-after"], reply.json.message.startsWith("Too Many Requests")], ["1", true]);
});
