// docent add: files, folders and addresses into an agent, from any machine that reaches the service.
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assert, docent, start, test, until } from "./lib/harness.mjs";

async function folder(t, files) {
  const dir = await mkdtemp(join(tmpdir(), "docent-add-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    await mkdir(join(dir, name, ".."), { recursive: true });
    await writeFile(join(dir, name), text);
  }
  return dir;
}

const add = (kb, agent, ...args) =>
  docent(["add", "--agent", String(agent.id), ...args], { env: { DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key } });

test("a folder is added with all that is in it, a line a document, and can be asked when the command ends", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, {
    "harbour.md": "# Harbour\n\nA berth costs nine crowns a night.",
    "deep/er/lights.txt": "The lighthouse of Velm is 31 metres high.",
    'deep/odd "name" ü.txt': "The ferry leaves at noon.",
    ".hidden": "not for anybody",
    ".git/config": "nor this",
  });
  await symlink("/etc/passwd", join(dir, "link.txt"));
  const { code, stdout, stderr } = await add(kb, agent, dir);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(
    stdout.trim().split("\n").sort(),
    ["deep/er/lights.txt", 'deep/odd "name" ü.txt', "harbour.md"].map((name) => `ok\t${join(dir, name)}`),
  );
  const names = (await agent.pages()).map((page) => page.filename).sort();
  assert.deepEqual(names, ["harbour.md", "lights.txt", 'odd "name" ü.txt']);
  assert.match((await agent.ask("How high is the lighthouse of Velm?")).llm_response, /31 metres/);
});

test("a document that cannot be read is named with its reason, and the command says so by its exit code", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "a.txt": "Good.", "b.pdf": "%PDF-1.4 and nothing" });
  const { code, stdout } = await add(kb, agent, join(dir, "a.txt"), join(dir, "b.pdf"));
  assert.equal(code, 1);
  assert.match(stdout, /^ok\t.*a\.txt$/m);
  assert.match(stdout, /^failed\t.*b\.pdf\tthe PDF is damaged$/m);
});

test("an address becomes a source; one that may not be fetched says why", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { code, stdout } = await add(kb, agent, "ftp://a.example/x", "--no-wait");
  assert.deepEqual([code, stdout], [1, ""], "no address of the web is a path, and there is none of that name");
  const sent = await add(kb, agent, "--no-wait", "http://docent.invalid/page");
  assert.deepEqual([sent.code, sent.stdout], [0, "sent\thttp://docent.invalid/page\n"]);
  const [source] = (await agent.expect(200, "GET", "/sources")).sitemaps;
  assert.equal(source.settings.sitemap_path, "http://docent.invalid/page");
  const refused = await add(kb, agent, "http://user:secret@docent.invalid/");
  assert.equal(refused.code, 1, refused.stdout);
});

test("docent add says what is missing, and that nobody is there", async (t) => {
  const dir = await folder(t, { "a.txt": "x" });
  const file = join(dir, "a.txt");
  for (const [args, code, sentence] of [
    [["add"], 2, /usage/],
    [["add", file], 2, /--agent/],
    [["add", "--url", "http://127.0.0.1:1", "--key", "k", "--agent", "x", file], 2, /number/],
    [["add", "--url", "http://127.0.0.1:1", "--key", "k", "--agent", "1", file], 1, /cannot reach/],
    [["add", "--url", "http://127.0.0.1:1", "--key", "k", "--agent", "1", join(dir, "none")], 1, /No such file/],
    [["add", "--colour", file], 2, /usage/],
  ]) {
    const { code: got, stderr } = await docent(args);
    assert.equal(got, code, args.join(" "));
    assert.match(stderr, sentence);
  }
});

test("a document that somebody deletes meanwhile is not waited for", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ is_ocr_enabled: "1" });
  // Large enough not to be read before it is deleted, or else it is done: both end.
  const dir = await folder(t, { "long.txt": "Harbour. ".repeat(400_000) });
  const adding = add(kb, agent, join(dir, "long.txt"));
  const page = await until("the document", async () => (await agent.pages())[0]);
  await agent.api("DELETE", `/pages/${page.id}`);
  const { stdout } = await adding;
  assert.match(stdout, /^(ok|failed)\t.*long\.txt/);
});
