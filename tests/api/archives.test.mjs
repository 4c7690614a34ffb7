// Documents within a document: the files of a ZIP archive, and what is attached to a mail.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assert, docent, start, test } from "./lib/harness.mjs";
import { zip } from "./lib/zip.mjs";

/** What is in the agent: { path or file name: [index status, reason] }. */
async function shown(agent) {
  const pages = await agent.settled();
  return Object.fromEntries(pages.map((page) => [page.path ?? page.filename, [page.index_status, page.status_reason]]));
}

test("each file of an archive is a document with its path, and can be cited", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const archive = zip({
    "manual/": "",
    "manual/harbour.md": "# Harbour\n\nA berth costs nine crowns a night.",
    "manual/deep/lights.txt": "The lighthouse of Velm is 31 metres high.",
    "prices.csv": "thing,price\nberth,nine crowns\n",
    "__MACOSX/manual/._harbour.md": "litter",
    ".DS_Store": "litter",
    "picture.bin": Buffer.from([0, 1, 2, 3, 0, 0, 0, 255, 254, 0]),
  });
  await agent.add({ "documents.zip": archive });
  assert.deepEqual(await shown(agent), {
    "documents.zip": ["ok", "its 4 documents are read one by one"],
    "manual/harbour.md": ["ok", null],
    "manual/deep/lights.txt": ["ok", null],
    "prices.csv": ["ok", null],
    "picture.bin": ["failed", "the file is of a kind that cannot be read"],
  });
  const answer = await agent.ask("How high is the lighthouse of Velm?");
  assert.match(answer.llm_response, /31 metres/);
  assert.deepEqual(await agent.sources(answer), ["lights.txt"]);
  const [parent, ...parts] = await agent.pages();
  assert.deepEqual([...new Set(parts.map((page) => page.parent_id))], [parent.id]);
  await agent.expect(200, "DELETE", `/pages/${parent.id}`);
  assert.deepEqual(await agent.pages(), [], "they go with the archive");
  assert.doesNotMatch((await agent.ask("How high is the lighthouse of Velm?")).llm_response, /31 metres/);
});

test("another version of an archive changes what is other in it, and keeps the rest", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const put = async (files) => {
    await agent.expect(201, "POST", "/sources", {
      form: [
        { name: "path", value: "all.zip" },
        { name: "file", filename: "all.zip", value: zip(files) },
      ],
    });
    await agent.settled();
    return Object.fromEntries((await agent.pages()).map((page) => [page.path, page.id]));
  };
  const before = await put({ "a.txt": "The ferry leaves at noon.", "b.txt": "It is deep.", "c.txt": "Gone soon." });
  const after = await put({ "a.txt": "The ferry leaves at one.", "b.txt": "It is deep.", "d.txt": "New here." });
  for (const name of ["all.zip", "a.txt", "b.txt"]) assert.equal(after[name], before[name], name);
  assert.deepEqual(Object.keys(after).sort(), ["a.txt", "all.zip", "b.txt", "d.txt"]);
  assert.match((await agent.ask("When does the ferry leave?")).llm_response, /at one/);
  assert.equal((await agent.expect(200, "GET", "/stats")).pages_found, 4);
});

test("hostile archives end with a sentence, and leave nothing behind", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const good = { name: "good.txt", data: "The ferry leaves at noon." };
  const many = Array.from({ length: 5001 }, (_, i) => ({ name: `${i}.txt`, data: "x" }));
  const zeros = Buffer.alloc(64 << 20);
  const rows = [
    ["bomb.zip", [{ name: "zeros.txt", data: zeros }], /unpacks to more than 250 times its size/],
    ["liar.zip", [{ name: "zeros.txt", data: zeros, size: 10 }], /unpacks to more|damaged/],
    ["claims.zip", Array(300).fill({ name: "x", data: "x", size: 0xfffffff0 }), /unpacks to more than 1024 MB/],
    ["many.zip", many, /holds 5001 documents, the limit is 5000/],
    ["locked.zip", [{ ...good, locked: true }], /locked with a password/],
    ["damaged.zip", [{ ...good, crc: 1 }], /all files in the archive are damaged/],
    ["empty.zip", [{ name: "folder/", data: "" }], /no file in the archive/],
    ["links.zip", [{ name: "etc", data: "/etc/passwd", link: true }], /no file in the archive/],
  ];
  for (const [name, members, reason] of rows) {
    await agent.add({ [name]: zip(members) });
    const page = (await agent.pages()).at(-1);
    assert.deepEqual([page.filename, page.index_status], [name, "failed"], name);
    assert.match(page.status_reason, reason, name);
  }
  assert.equal((await agent.pages()).length, rows.length);
});

test("an archive with a bad file in it gives the others; paths that lead out of it do not", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const archive = zip([
    { name: "../../etc/a.txt", data: "The ferry leaves at noon." },
    { name: "C:\\Users\\b.txt", data: "A berth costs nine crowns." },
    { name: "/abs/c.txt", data: "The harbour is deep." },
    { name: "same.txt", data: "One of two." },
    { name: "same.txt", data: "Two of two." },
    { name: "locked.txt", data: "secret", locked: true },
    { name: "damaged.txt", data: "other", crc: 7 },
    { name: "inner.zip", data: zip({ "x.txt": "Deeper still." }) },
  ]);
  await agent.add({ "mixed.zip": archive });
  assert.deepEqual(await shown(agent), {
    "mixed.zip": ["ok", "its 6 documents are read one by one; locked with a password: 1; damaged: 1"],
    "etc/a.txt": ["ok", null],
    "C:/Users/b.txt": ["ok", null],
    "abs/c.txt": ["ok", null],
    "same.txt": ["ok", null],
    "same (2).txt": ["ok", null],
    "inner.zip": ["failed", "an archive within another document is not opened; upload it by itself"],
  });
});

const mail = (boundary, ...parts) =>
  [
    "From: Ada <ada@harbour.example>",
    "To: office@harbour.example",
    "Subject: The new timetable",
    "MIME-Version: 1.0",
    `Content-Type: multipart/mixed; boundary="${boundary}"`,
    "",
    ...parts.flatMap((part) => [`--${boundary}`, ...part]),
    `--${boundary}--`,
    "",
  ].join("\r\n");
const base64 = (text) => Buffer.from(text).toString("base64");

test("what is attached to a mail is a document of its own, beside the mail", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const text = mail(
    "b1",
    ["Content-Type: text/plain; charset=utf-8", "", "Please find the timetable attached."],
    [
      "Content-Type: text/csv",
      "Content-Disposition: attachment; filename*=utf-8''time%20table%20%C3%BC.csv",
      "Content-Transfer-Encoding: base64",
      "",
      base64("ship,leaves\nferry to Velm,noon\n"),
    ],
    [
      'Content-Type: application/zip; name="../all.zip"',
      "Content-Disposition: attachment",
      "Content-Transfer-Encoding: base64",
      "",
      base64(zip({ "x.txt": "x" })),
    ],
    ["Content-Type: application/pgp-signature", "Content-Disposition: attachment", "", "-----BEGIN"],
  );
  await agent.add({ "timetable.eml": text });
  assert.deepEqual(await shown(agent), {
    "timetable.eml": ["ok", "its 2 documents are read one by one"],
    "time table ü.csv": ["ok", null],
    "all.zip": ["failed", "an archive within another document is not opened; upload it by itself"],
  });
  const answer = await agent.ask("When does the ferry to Velm leave?");
  assert.deepEqual(await agent.sources(answer), ["time table ü.csv"]);
  assert.match((await agent.ask("Who sent the new timetable?")).llm_response, /Ada/);
});

test("a mail that says nothing still gives what is attached to it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const attached = [
    "Content-Type: text/plain",
    "Content-Disposition: attachment; filename=a.txt",
    "",
    "It leaves at noon.",
  ];
  await agent.add({ "a.eml": `Subject: .\r\n${mail("b2", attached).replace(/^(From|To|Subject):.*\r\n/gm, "")}` });
  assert.deepEqual(await shown(agent), {
    "a.eml": ["ok", "the document in it is read by itself"],
    "a.txt": ["ok", null],
  });
});

test("a copy of an agent has the archive and its documents, and they belong together", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.add({ "all.zip": zip({ "a.txt": "The ferry leaves at noon.", "b.txt": "It is deep." }) });
  await agent.settled();
  const copy = await kb.expect(201, "POST", `/projects/${agent.id}/replicate`);
  const { pages } = await kb.expect(200, "GET", `/projects/${copy.id}/pages`, { query: { order: "asc" } });
  const [archive, ...parts] = pages.data;
  assert.deepEqual(
    parts.map((page) => [page.path, page.parent_id]),
    [
      ["a.txt", archive.id],
      ["b.txt", archive.id],
    ],
  );
});

test("docent add waits for the documents in an archive, and names them", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await mkdtemp(join(tmpdir(), "docent-archives-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, "all.zip");
  await writeFile(file, zip({ "a.txt": "The ferry leaves at noon.", "deep/b.pdf": "%PDF-1.4 and nothing" }));
  const { code, stdout } = await docent(["add", "--agent", String(agent.id), file], {
    env: { DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key },
  });
  assert.equal(code, 1);
  assert.deepEqual(stdout.trim().split("\n").sort(), [
    `failed\t${file}/deep/b.pdf\tthe PDF is damaged`,
    `ok\t${file}\tits 2 documents are read one by one`,
    `ok\t${file}/a.txt`,
  ]);
});
