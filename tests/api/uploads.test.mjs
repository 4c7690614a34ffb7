// Files in requests: all the forms in which real clients send them.
import { createHash } from "node:crypto";
import { assert, form, start, test } from "./lib/harness.mjs";
import { multipart } from "./lib/http.mjs";
import { library } from "./lib/documents.mjs";

const text = library["returns.txt"];
const question = "Within how many days may goods be returned?";
const name = { name: "project_name", value: "Uploads" };

/** An agent made from these multipart parts, its documents indexed. */
async function upload(kb, parts) {
  const agent = await kb.agent();
  await agent.expect(200, "POST", "", { form: parts });
  await agent.settled();
  return agent;
}

test("a file is taken from file, files[], files[0] and files", async (t) => {
  const kb = await start(t);
  for (const field of ["file", "files[]", "files[0]", "files[17]", "files"]) {
    const agent = await upload(kb, [{ name: field, filename: "returns.txt", type: "text/plain", value: text }]);
    const pages = await agent.pages();
    assert.deepEqual(
      pages.map((page) => [page.filename, page.index_status]),
      [["returns.txt", "ok"]],
      field,
    );
    assert.deepEqual((await agent.ask(question)).citations, [pages[0].id], field);
  }
});

test("several files in one request are as many documents, in their order", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [
    { name: "files[]", filename: "a.txt", value: `Alpha. ${text}` },
    { name: "files[1]", filename: "b.md", value: "# Beta\n\nThe beta engine has two doors.\n" },
    { name: "file", filename: "c.txt", value: "Gamma rays were found in the cellar." },
    { name: "project_name", value: "Renamed too" },
  ]);
  assert.deepEqual(
    (await agent.pages()).map((page) => page.filename),
    ["a.txt", "b.md", "c.txt"],
  );
  assert.equal((await agent.expect(200, "GET")).project_name, "Renamed too");
});

test("a file without a filename is a document all the same", async (t) => {
  const kb = await start(t);
  for (const part of [
    { name: "file", value: text },
    { name: "files[]", value: text, type: "text/plain" },
    { name: "file", value: text, type: "application/octet-stream" },
  ]) {
    const agent = await upload(kb, [part]);
    const [page] = await agent.pages();
    assert.equal(page.index_status, "ok", JSON.stringify(part));
    assert.ok(page.filename.length > 0);
    assert.deepEqual((await agent.ask(question)).citations, [page.id]);
  }
});

test("a path in a filename is cut to its last part and never reaches the file system", async (t) => {
  const kb = await start(t);
  const cases = {
    "../../../../tmp/docent-evil.txt": "docent-evil.txt",
    "C:\\\\Users\\\\me\\\\notes.txt": "notes.txt",
    "/etc/passwd": "passwd",
    "folder/sub/deep.txt": "deep.txt",
    "..": "document",
    "a\tb.txt": "a b.txt",
  };
  for (const [sent, shown] of Object.entries(cases)) {
    const agent = await upload(kb, [{ name: "files[]", filename: sent, type: "text/plain", value: text }]);
    const [page] = await agent.pages();
    assert.equal(page.filename, shown, sent);
    assert.ok(!page.s3_path.includes("/.." + "/"), sent);
  }
});

test("filenames keep letters of every script, quotes and blanks", async (t) => {
  const kb = await start(t);
  const cases = {
    "报告 2024.txt": "报告 2024.txt",
    "Übersicht.txt": "Übersicht.txt",
    "semi;colon.txt": "semi;colon.txt",
    "😀.txt": "😀.txt",
  };
  for (const [sent, shown] of Object.entries(cases)) {
    const agent = await upload(kb, [{ name: "files[]", filename: sent, type: "text/plain", value: text }]);
    assert.equal((await agent.pages())[0].filename, shown);
  }
});

test("a filename looks like what it is, in uploads, in filename* and in messages", async (t) => {
  const kb = await start(t);
  const sent = "re\u202Egpj.exe\u2066\u200b\u{E0041}\u2028\u001bx.txt",
    shown = "regpj.exe .txt";
  const agent = await upload(kb, [
    { name: "files[]", filename: sent, type: "text/plain", value: text },
    {
      head: `Content-Disposition: form-data; name="files[]"; filename="x.txt"; filename*=UTF-8''${encodeURIComponent(`star-${sent}`)}`,
      value: text,
    },
  ]);
  assert.deepEqual(
    (await agent.pages()).map((page) => page.filename),
    [shown, `star-${shown}`],
  );
  const refused = await agent.api("POST", "/conversations/names/messages", {
    form: form({ prompt: "What is in it?" }, { [sent]: "" }),
  });
  assert.equal(refused.status, 400);
  assert.ok(refused.json.data.message.startsWith(`${shown}: `), refused.text);
});

test("a title as filename with another type is read by what the bytes are", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [
    {
      name: "files[]",
      filename: "Our returns, explained",
      type: "text/html",
      value: `<!doctype html><html><body><article><h1>Returns</h1><p>${text}</p></article></body></html>`,
    },
  ]);
  const [page] = await agent.pages();
  assert.equal(page.index_status, "ok", page.status_reason);
  assert.ok((await agent.ask(question)).llm_response.includes("30 days"));
});

test("text parts may carry a content type and no filename", async (t) => {
  const kb = await start(t);
  const agent = await kb.expect(201, "POST", "/projects", {
    form: [
      { name: "project_name", type: "text/plain", value: "Typed SDK" },
      { name: "is_master", type: "text/plain; charset=utf-8", value: "false" },
      { head: "content-disposition: form-data; name=is_anonymized", value: "true" },
      {
        head: 'Content-Type: text/plain\r\nContent-Disposition:form-data;name="sitemap_path"',
        value: "https://docent.invalid/page",
      },
    ],
  });
  assert.deepEqual(
    [agent.project_name, agent.sitemap_path, agent.type],
    ["Typed SDK", "https://docent.invalid/page", "URL"],
  );
});

test("an empty file field of a browser form is no document", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [
    name,
    { name: "files[]", filename: "", type: "application/octet-stream", value: "" },
  ]);
  assert.deepEqual(await agent.pages(), []);
});

test("an empty file is a document that failed, with the reason", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [{ name: "files[]", filename: "empty.txt", type: "text/plain", value: "" }]);
  const [page] = await agent.pages();
  assert.deepEqual([page.index_status, page.filesize], ["failed", 0]);
  assert.match(page.status_reason, /\w+ \w+/);
});

test("a record of an uploaded file has its name, size, path and preview", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [{ name: "files[]", filename: "returns.txt", type: "text/plain", value: text }]);
  const [page] = await agent.pages();
  const url = `${kb.url}/api/v1/preview/${page.id}`;
  assert.match(page.content_hash, /^[0-9a-f]{64}$/);
  assert.deepEqual(
    { ...page, created_at: 0, updated_at: 0 },
    {
      id: page.id,
      page_url: url,
      page_url_hash: createHash("md5").update(url).digest("hex"),
      project_id: agent.id,
      crawl_status: "ok",
      index_status: "ok",
      status_reason: null,
      is_file: true,
      is_refreshable: false,
      created_at: 0,
      updated_at: 0,
      deleted_at: null,
      s3_path: `project-${agent.id}/page-${page.id}/returns.txt`,
      is_file_kept: true,
      filename: "returns.txt",
      filesize: Buffer.byteLength(text),
      content_hash: page.content_hash,
    },
  );
});

test("the preview gives the bytes back as an attachment that no browser runs", async (t) => {
  const kb = await start(t);
  const bytes = Buffer.concat([
    Buffer.from("<script>alert(1)</script> The answer is in these bytes. "),
    Buffer.from(Array.from({ length: 256 }, (_, i) => i)),
  ]);
  const agent = await upload(
    kb,
    [{ name: "files[]", filename: 'näh "quoted".html', type: "text/html", value: bytes }].map((p) => ({
      ...p,
      filename: "näh 'x'.html",
    })),
  );
  const [page] = await agent.pages();
  const reply = await kb.api("GET", `/preview/${page.id}`);
  assert.equal(reply.status, 200);
  assert.ok(reply.bytes.equals(bytes));
  assert.match(
    reply.headers["content-disposition"],
    /^attachment; filename="n__h 'x'\.html"; filename\*=UTF-8''n%C3%A4h%20%27x%27\.html$/,
  );
  assert.equal(reply.headers["x-content-type-options"], "nosniff");
  assert.match(reply.headers["content-security-policy"], /sandbox/);
});

test("a part of a preview is given for a range, and 416 beyond the end", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [{ name: "files[]", filename: "a.txt", type: "text/plain", value: text }]);
  const [page] = await agent.pages();
  const where = `${kb.url}/api/v1/preview/${page.id}`;
  const { request } = await import("./lib/http.mjs");
  const get = (range) => request(where, { headers: { authorization: `Bearer ${kb.key}`, range } });
  const part = await get("bytes=6-8");
  assert.deepEqual(
    [part.status, part.text, part.headers["content-range"]],
    [206, text.slice(6, 9), `bytes 6-8/${text.length}`],
  );
  assert.equal((await get("bytes=-5")).text, text.slice(-5));
  assert.equal((await get(`bytes=${text.length}-`)).status, 416);
  assert.deepEqual(
    [(await get("pages=1-2")).status, (await get("bytes=x-y")).status],
    [200, 200],
    "what is no range is ignored",
  );
});

test("the same bytes uploaded twice are two documents, and deleting one keeps the other", async (t) => {
  const kb = await start(t);
  const agent = await upload(kb, [
    { name: "files[]", filename: "one.txt", value: text },
    { name: "files[]", filename: "two.txt", value: text },
  ]);
  const [one, two] = await agent.pages();
  await agent.expect(200, "DELETE", `/pages/${one.id}`);
  assert.equal((await kb.api("GET", `/preview/${two.id}`)).text, text);
  assert.deepEqual((await agent.ask(question)).citations, [two.id]);
});

test("files go away after indexing when the agent does not keep them; text and citations stay", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ file_data_retension: "false", files: { "returns.txt": text } });
  const [page] = await agent.pages();
  assert.equal(page.is_file_kept, false);
  const preview = await kb.api("GET", `/preview/${page.id}`);
  assert.deepEqual(
    [preview.status, preview.headers["content-type"], preview.text.trim()],
    [200, "text/plain; charset=utf-8", `returns.txt\n\n${text.trim().replaceAll("\n", " ")}`],
    "what was read of it",
  );
  assert.deepEqual((await agent.ask(question)).citations, [page.id]);
});

test("a broken form is refused and leaves nothing", async (t) => {
  const kb = await start(t);
  const good = multipart([name, { name: "files[]", filename: "a.txt", value: text }]);
  const end = good.body.length;
  const cases = {
    "cut before its end": [good.type, good.body.subarray(0, end - 20)],
    "no boundary": ["multipart/form-data", good.body],
    "another boundary": ["multipart/form-data; boundary=other", good.body],
    "no parts": [good.type, Buffer.from("")],
    "a part without a name": [good.type, multipart([{ head: "Content-Disposition: form-data", value: "x" }]).body],
    "a part without a disposition": [good.type, multipart([{ head: "Content-Type: text/plain", value: "x" }]).body],
    "a boundary of 200 characters": [`multipart/form-data; boundary=${"b".repeat(200)}`, good.body],
  };
  for (const [why, [type, body]] of Object.entries(cases)) {
    const reply = await kb.api("POST", "/projects", { body, headers: { "content-type": type } });
    assert.equal(reply.status, 400, `${why}: ${reply.text}`);
  }
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 0);
});

test("JSON cannot bring files", async (t) => {
  const kb = await start(t);
  const agent = await kb.expect(201, "POST", "/projects", {
    json: { project_name: "x", file: "hello", "files[]": ["a"] },
  });
  assert.equal((await kb.expect(200, "GET", `/projects/${agent.id}/pages`)).pages.total, 0);
});

test("a form with files to a route that takes none is refused", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  assert.equal(
    (await agent.api("POST", "/conversations", { form: form({ name: "x" }, { "a.txt": text }) })).status,
    400,
  );
  assert.equal((await agent.expect(200, "GET", "/conversations")).total, 0);
});
