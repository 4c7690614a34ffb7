// docent add: files, folders and addresses into an agent, from any machine that reaches the service.
import { spawn } from "node:child_process";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { connect, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { binary } from "./lib/service.mjs";
import { mayFetch, site } from "./lib/site.mjs";

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

/** The service behind a door that stays where it is when the service is started anew, and what was asked through it. */
async function door(t, kb) {
  const asked = [];
  const server = createServer((near) => {
    const far = connect(Number(new URL(kb.url).port), "127.0.0.1");
    near.on("data", (bytes) => {
      const text = bytes.toString("latin1");
      if (/^[A-Z]+ \//.test(text)) asked.push(text);
    });
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      one.on("error", () => other.destroy());
      one.on("close", () => other.destroy());
      one.pipe(other);
    }
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return { url: `http://127.0.0.1:${server.address().port}`, asked };
}

/** A website of so many pages, each of which leads to the next two. */
async function website(t, count) {
  const web = await site(t);
  for (let i = 0; i < count; i++)
    web.set(i ? `/p${i}` : "/", {
      "content-type": "text/html",
      body: `<html><head><title>Page ${i}</title></head><body><main><h1>Page ${i}</h1><p>The parcel of page ${i} lies in hall ${i * 7}.</p></main>${[
        2 * i + 1,
        2 * i + 2,
      ]
        .filter((n) => n < count)
        .map((n) => `<a href="/p${n}">on</a>`)
        .join("")}</body></html>`,
    });
  return web;
}

test("what is waited for is waited for on, when the service is killed and started anew meanwhile", async (t) => {
  const kb = await start(t, { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "100" } });
  const agent = await kb.agent();
  const web = await website(t, 20);
  const { url, asked } = await door(t, kb);
  const dir = await folder(t, { "a.txt": "Harbour." });
  const adding = docent(["add", "--url", url, "--key", kb.key, "--agent", String(agent.id), dir, `${web.url}/`]);
  await until("some pages", () => web.log.length >= 5);
  await kb.kill9();
  await kb.spawn();
  const { code, stdout, stderr } = await adding;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.deepEqual(stdout.trim().split("\n").sort(), [`ok\t${dir}/a.txt`, `ok\t${web.url}/`]);
  assert.equal((await agent.pages()).filter((page) => page.index_status === "ok").length, 21);
  const streams = asked.filter((head) => /\/progress .*text\/event-stream/s.test(head)).length;
  const looks = asked.filter((head) => /^GET \S*\/pages\?/.test(head)).length;
  assert.ok(streams >= 2, `${streams} streams`);
  t.diagnostic(`${streams} streams, ${looks} looks at the list`);
});

test("on a terminal a bar shows how many documents are read, how fast it goes and what is left", async (t) => {
  const kb = await start(t, { env: { ...mayFetch.env, DOCENT_HOST_PAUSE: "150" } });
  const agent = await kb.agent();
  const web = await website(t, 30);
  const command = `'${binary}' add --agent ${agent.id} ${web.url}/`;
  const child = spawn("script", ["-qec", command, "/dev/null"], {
    env: { ...process.env, DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let out = "";
  child.stdout.on("data", (piece) => (out += piece));
  const code = await new Promise((resolve) => child.on("close", resolve));
  assert.equal(code, 0, out);
  const bars = out.split("\r").map((bar) => bar.replace("\x1b[K", ""));
  assert.ok(
    bars.some((bar) => /^\[#*\.+\] \d+ of \d+ read, \d+ a minute, about \d+ s left$/.test(bar)),
    out,
  );
  assert.ok(
    bars.some((bar) => /^\[#{30}\] 30 of 30 read$/.test(bar)),
    out,
  );
});

test("what the agent has already is not sent again; what has changed, or could not be read, is", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "a.txt": "A lighthouse.", "b/c.txt": "A ferry.", "bad.pdf": "%PDF-1.7 broken" });
  const states = async () => {
    const { code, stdout } = await add(kb, agent, dir);
    const lines = stdout.trim().split("\n");
    return [code, Object.fromEntries(lines.map((line) => line.split("\t").slice(0, 2).reverse()))];
  };
  const at = (a, c, bad) => ({ [join(dir, "a.txt")]: a, [join(dir, "b/c.txt")]: c, [join(dir, "bad.pdf")]: bad });
  assert.deepEqual(await states(), [1, at("ok", "ok", "failed")]);
  assert.deepEqual(await states(), [1, at("known", "known", "failed")]);
  await writeFile(join(dir, "a.txt"), "Two lighthouses.");
  assert.deepEqual(await states(), [1, at("ok", "known", "failed")]);
  const names = (await agent.pages()).map((page) => page.filename).sort();
  assert.deepEqual(names, ["a.txt", "a.txt", "bad.pdf", "bad.pdf", "bad.pdf", "c.txt"]);
});

test("a wrong key is a failure and no wrong usage; so is a folder without files", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const dir = await folder(t, { "a.txt": "A lighthouse." });
  for (const more of [[], ["--no-wait"]]) {
    const { code, stdout, stderr } = await add({ url: kb.url, key: "123|x" }, agent, ...more, dir);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /^docent: the service answered 401: API Token is either missing or invalid$/m);
  }
  await mkdir(join(dir, "empty"));
  const { code, stderr } = await add(kb, agent, join(dir, "empty"));
  assert.deepEqual([code, stderr], [1, "docent: there is no file in it\n"]);
});

test("Ctrl-C says how much was sent, and ends by the signal", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const files = Object.fromEntries(Array.from({ length: 400 }, (_, i) => [`${i}.txt`, `Note ${i} is about tea.`]));
  const child = spawn(binary, ["add", "--agent", String(agent.id), await folder(t, files)], {
    env: { ...process.env, DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key },
    stdio: ["ignore", "ignore", "pipe"],
  });
  let said = "";
  child.stderr.on("data", (piece) => (said += piece));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(signal)));
  await until("some to be sent", async () => (await agent.expect(200, "GET", "/progress")).total > 3);
  child.kill("SIGINT");
  assert.equal(await ended, "SIGINT");
  const [, sent] = /^docent: interrupted; (\d+) of 400 were sent, and what was sent is read$/m.exec(said) ?? [];
  assert.ok(Number(sent) >= 3 && Number(sent) <= 400, said);
});
