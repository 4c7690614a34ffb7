// docent sync: an agent's documents like the files of a folder or Git checkout.
import { execFileSync, spawn } from "node:child_process";
import { mkdir, mkdtemp, rename, rm, symlink, unlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

import { assert, docent, form, start, test, until } from "./lib/harness.mjs";
import { binary } from "./lib/service.mjs";

async function put(dir, files) {
  for (const [name, text] of Object.entries(files)) {
    await mkdir(dirname(join(dir, name)), { recursive: true });
    await writeFile(join(dir, name), text);
  }
}

async function folder(t, files) {
  const dir = await mkdtemp(join(tmpdir(), "docent-sync-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  await put(dir, files);
  return dir;
}

const environment = (kb) => ({ DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key });

/** The lines it prints, sorted; its exit code is asserted. */
async function sync(kb, agent, code, ...args) {
  const run = await docent(["sync", "--agent", String(agent.id), ...args], { env: environment(kb) });
  assert.deepEqual([run.code, run.stderr], [code, ""], run.stdout);
  return run.stdout.trim().split("\n").filter(Boolean).sort();
}

const paths = async (agent) => Object.fromEntries((await agent.pages()).map((page) => [page.path, page.id]));
const first = {
  "harbour.md": "# Harbour\n\nA berth costs nine crowns a night.",
  "deep/lights.txt": "The lighthouse of Velm is 31 metres high.",
  'deep/odd "name" ü.txt': "The ferry leaves at noon.",
  "notes.log": "Nobody needs this.",
  ".hidden": "not for anybody",
};

test("a folder is mirrored: new, changed, moved and deleted files, and nothing twice", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, first);
  await symlink("/etc/passwd", join(dir, "link.txt"));
  assert.deepEqual(await sync(kb, agent, 0, dir), [
    "ok\tdeep/lights.txt",
    'ok\tdeep/odd "name" ü.txt',
    "ok\tharbour.md",
    "ok\tnotes.log",
  ]);
  const before = await paths(agent);
  assert.deepEqual(await sync(kb, agent, 0, dir), [], "all is as it was");

  await put(dir, { "harbour.md": "# Harbour\n\nA berth costs eleven crowns a night." });
  await rename(join(dir, "deep"), join(dir, "deeper"));
  await unlink(join(dir, "notes.log"));
  assert.deepEqual(await sync(kb, agent, 0, dir), [
    "moved\tdeeper/lights.txt",
    'moved\tdeeper/odd "name" ü.txt',
    "ok\tharbour.md",
  ]);
  assert.ok((await paths(agent))["notes.log"], "what is gone stays where nobody said --delete");
  assert.deepEqual(await sync(kb, agent, 0, "--delete", dir), ["deleted\tnotes.log"]);
  assert.deepEqual(await paths(agent), {
    "deeper/lights.txt": before["deep/lights.txt"],
    'deeper/odd "name" ü.txt': before['deep/odd "name" ü.txt'],
    "harbour.md": before["harbour.md"],
  });
  assert.match((await agent.ask("What does a berth cost?")).llm_response, /eleven crowns/);
  assert.match((await agent.ask("How high is the lighthouse of Velm?")).llm_response, /31 metres/);
});

test("a folder of more files than one list of documents has room for is mirrored once", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const names = Array.from({ length: 230 }, (_, i) => `n${String(i).padStart(3, "0")}.txt`);
  const dir = await folder(t, Object.fromEntries(names.map((name) => [name, `The parcel ${name} is there.`])));
  assert.deepEqual(
    await sync(kb, agent, 0, "--delete", dir),
    names.map((name) => `ok\t${name}`),
  );
  const pages = await agent.pages();
  assert.equal(pages.length, 230);
  assert.deepEqual([...new Set(pages.map((page) => page.index_status))], ["ok"]);
  assert.deepEqual(await sync(kb, agent, 0, "--delete", dir), [], "all is as it was");
  await unlink(join(dir, names[0]));
  await unlink(join(dir, names[229]));
  assert.deepEqual(await sync(kb, agent, 0, "--delete", dir), [`deleted\t${names[0]}`, `deleted\t${names[229]}`]);
});

test("a file with another name keeps its id and is found by that name", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "old.txt": "The ferry leaves at noon." });
  await sync(kb, agent, 0, dir);
  const { "old.txt": id } = await paths(agent);
  await rename(join(dir, "old.txt"), join(dir, "timetable.txt"));
  assert.deepEqual(await sync(kb, agent, 0, dir), ["ok\ttimetable.txt"], "it is read again with its name");
  const [page] = await agent.pages();
  assert.deepEqual([page.id, page.path, page.filename], [id, "timetable.txt", "timetable.txt"]);
});

test("originals that are not kept: a moved file comes anew, an unchanged one does not", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ file_data_retension: "0" });
  const dir = await folder(t, { "a.txt": "The ferry leaves at noon.", "b.txt": "The harbour is deep." });
  await sync(kb, agent, 0, dir);
  assert.deepEqual(await sync(kb, agent, 0, dir), []);
  await rename(join(dir, "a.txt"), join(dir, "c.txt"));
  assert.deepEqual(await sync(kb, agent, 0, "--delete", dir), ["deleted\ta.txt", "ok\tc.txt"]);
  assert.deepEqual(Object.keys(await paths(agent)).sort(), ["b.txt", "c.txt"]);
});

test("--include chooses files, --prefix keeps two folders apart, and other documents are left alone", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  await agent.add({ "by hand.txt": "Somebody sent this." });
  const dir = await folder(t, first);
  const other = await folder(t, { "harbour.md": "Another harbour." });
  assert.deepEqual(await sync(kb, agent, 0, "--delete", "--include", "*.md", "--include", "deep/*", dir), [
    "ok\tdeep/lights.txt",
    'ok\tdeep/odd "name" ü.txt',
    "ok\tharbour.md",
  ]);
  assert.deepEqual(await sync(kb, agent, 0, "--delete", "--prefix", "other", other), ["ok\tharbour.md"]);
  const names = (await agent.pages()).map((page) => page.path ?? page.filename).sort();
  assert.deepEqual(names, [
    "by hand.txt",
    "deep/lights.txt",
    'deep/odd "name" ü.txt',
    "harbour.md",
    "other/harbour.md",
  ]);
});

test("a folder that is empty, as one that is not mounted is, deletes nothing", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "a.txt": "The ferry leaves at noon." });
  await sync(kb, agent, 0, dir);
  await unlink(join(dir, "a.txt"));
  const run = await docent(["sync", "--agent", String(agent.id), "--delete", dir], { env: environment(kb) });
  assert.equal(run.code, 1);
  assert.match(run.stderr, /no file to mirror .* nothing is deleted/);
  assert.equal((await agent.pages()).length, 1);
});

test("citations lead to where readers have the file, and follow another base address", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "guide/the ferry.md": "# Ferry\n\nThe ferry leaves at noon." });
  const url = async () => {
    const { citations } = await agent.ask("When does the ferry leave?");
    return (await agent.expect(200, "GET", `/citations/${citations[0]}`)).url;
  };
  await sync(kb, agent, 0, "--base-url", "https://docs.example/base", dir);
  assert.equal(await url(), "https://docs.example/base/guide/the%20ferry.md");
  assert.deepEqual(await sync(kb, agent, 0, "--base-url", "https://docs.example/{stem}.html", dir), [
    "ok\tguide/the ferry.md",
  ]);
  assert.equal(await url(), "https://docs.example/guide/the%20ferry.html");
  assert.deepEqual(await sync(kb, agent, 0, "--base-url", "https://docs.example/{stem}.html", dir), []);
});

test("what cannot be read is named each time, and is tried again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "a.txt": "Good.", "b.pdf": "%PDF-1.4 and nothing" });
  const failed = "failed\tb.pdf\tthe PDF is damaged";
  assert.deepEqual(await sync(kb, agent, 1, dir), [failed, "ok\ta.txt"]);
  assert.deepEqual(await sync(kb, agent, 1, dir), [failed]);
  assert.equal((await agent.pages()).length, 2);
});

test("of a Git checkout what its rules ignore is left out, in a folder of it, too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, {
    ".gitignore": "build/\n*.tmp\n",
    "docs/guide.md": "# Guide\n\nThe ferry leaves at noon.",
    "docs/new.md": "Not yet committed.",
    "docs/scratch.tmp": "Ignored.",
    "docs/build/out.md": "Ignored.",
    "src/main.md": "Of another folder.",
  });
  const git = (...args) => execFileSync("git", ["-C", dir, "-c", "user.name=a", "-c", "user.email=a@b.c", ...args]);
  git("init", "-q");
  git("add", "docs/guide.md");
  git("commit", "-q", "-m", "first");
  assert.deepEqual(await sync(kb, agent, 0, join(dir, "docs")), ["ok\tguide.md", "ok\tnew.md"]);
});

test("--watch follows the folder and new folders in it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "a.txt": "The ferry leaves at noon." });
  const child = spawn(binary, ["sync", "--watch", "--delete", "--agent", String(agent.id), dir], {
    env: { ...process.env, ...environment(kb) },
  });
  let out = "";
  child.stdout.on("data", (piece) => (out += piece));
  const ended = new Promise((resolve) => child.on("close", resolve));
  const line = (text) => until(JSON.stringify(text), () => out.includes(`${text}\n`));
  try {
    await line("ok\ta.txt");
    await put(dir, { "deep/er/b.txt": "The harbour is deep." });
    await line("ok\tdeep/er/b.txt");
    await put(dir, { "deep/er/c.txt": "Berths are cheap." });
    await line("ok\tdeep/er/c.txt");
    await put(dir, { "a.txt": "The ferry leaves at one." });
    await until("the new text", async () =>
      /at one/.test((await agent.ask("When does the ferry leave?")).llm_response),
    );
    await unlink(join(dir, "a.txt"));
    await line("deleted\ta.txt");
    assert.deepEqual(Object.keys(await paths(agent)).sort(), ["deep/er/b.txt", "deep/er/c.txt"]);
  } finally {
    child.kill();
    await ended;
  }
});

test("docent sync says what is missing, and that nobody is there", async (t) => {
  const dir = await folder(t, { "a.txt": "x" });
  const there = ["--url", "http://127.0.0.1:1", "--key", "k", "--agent", "1"];
  for (const [args, code, sentence] of [
    [[], 2, /usage/],
    [[dir], 2, /--agent/],
    [[...there, "--colour", dir], 2, /usage/],
    [[...there, dir, dir], 2, /usage/],
    [[...there, join(dir, "none")], 1, /No such file/],
    [[...there, join(dir, "a.txt")], 2, /is a file; name a folder/],
    [[...there, dir], 1, /cannot reach/],
  ]) {
    const { code: got, stderr } = await docent(["sync", ...args]);
    assert.equal(got, code, args.join(" "));
    assert.match(stderr, sentence);
  }
});

test("a path is put once: the same bytes change nothing, others take their place", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const send = (text, fields) => agent.api("POST", "/sources", { form: form(fields, { "x.txt": text }) });
  const record = async (reply) => (await reply).json.data.pages[0];
  const one = await record(send("The ferry leaves at noon.", { path: "a/b.txt", url: "https://docs.example/b" }));
  assert.deepEqual([one.path, one.filename, one.link_url], ["a/b.txt", "b.txt", "https://docs.example/b"]);
  assert.match(one.content_hash, /^[0-9a-f]{64}$/);
  await agent.settled();
  const same = await record(send("The ferry leaves at noon.", { path: "a/b.txt" }));
  assert.deepEqual([same.id, same.index_status, same.link_url], [one.id, "ok", one.link_url]);
  const other = await record(send("The ferry leaves at one.", { path: "a/b.txt" }));
  assert.equal(other.id, one.id);
  assert.notEqual(other.content_hash, one.content_hash);
  await agent.settled();
  assert.match((await agent.ask("When does the ferry leave?")).llm_response, /at one/);
  assert.equal((await agent.expect(200, "GET", "/stats")).pages_found, 1);

  for (const path of ["/a", "a/", "a//b", "../a", "a/./b", "a\u0007"])
    assert.equal((await send("x", { path })).status, 400, path);
  assert.equal((await send("x", { path: "c", url: "ftp://x.example" })).status, 400);
  const [, two] = await agent.add({ "two.txt": "Two." });
  const taken = await agent.api("PUT", `/pages/${two.id}/path`, { json: { path: "a/b.txt" } });
  assert.equal(taken.status, 400, taken.text);
  assert.match(taken.json.data.message, /is at the path a\/b\.txt already/);
});
