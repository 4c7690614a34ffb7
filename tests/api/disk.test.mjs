// A disk that fills up: an error that says so, never a crash, and all is well when there is room.
import { execFile } from "node:child_process";
import { mkdtemp, rm, rmdir, statfs, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { promisify } from "node:util";
import { assert, form, sqliteTest, start, test, until } from "./lib/harness.mjs";
import { library, questions } from "./lib/documents.mjs";

const run = promisify(execFile);
const MB = 1 << 20;

/** A file system of its own, or null where this user may not mount one. */
async function smallDisk(t, megabytes) {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-disk-"));
  try {
    await run("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m`, "docent-story", dir]);
  } catch {
    await rmdir(dir);
    return null;
  }
  t.after(async () => {
    await run("umount", ["-l", dir]);
    await rmdir(dir);
  });
  return dir;
}

/** Leaves `spare` bytes free; gives the ballast's name. */
async function fill(dir, spare) {
  const ballast = path.join(dir, "ballast");
  for (let tries = 0; ; tries++) {
    const { bavail, bsize } = await statfs(dir);
    try {
      await run("fallocate", ["-l", String(Math.max(1, bavail * bsize - spare)), ballast]);
      return ballast;
    } catch (error) {
      if (tries === 20) throw error; // the server wrote meanwhile
      await rm(ballast, { force: true });
    }
  }
}

test("a disk with no room for an upload refuses it and goes on answering", async (t) => {
  const disk = await smallDisk(t, 400);
  if (!disk) return t.skip("mounting a tmpfs needs root");
  const kb = await start(t, { dir: path.join(disk, "data") });
  const agent = await kb.agent({ files: library });
  const ballast = await fill(disk, 100 * MB);
  const reply = await kb.api("POST", "/projects", {
    form: form({ project_name: "x" }, { "big.txt": Buffer.alloc(8 * MB, "text ") }),
    agent: false,
  });
  assert.equal(reply.status, 500);
  assert.match(reply.json.message, /does not fit: the disk has .* left and 256 MB are kept free/);
  const [question, , words] = questions[0];
  assert.ok((await agent.ask(question)).llm_response.includes(words), "messages still have the room that is kept free");
  await rm(ballast);
  const after = await kb.agent({ files: { "big.txt": Buffer.from(`${library["returns.txt"]}\n`.repeat(100)) } });
  assert.equal((await after.pages())[0].index_status, "ok");
});

sqliteTest("a disk that is full to the last byte gives errors, no crash, and nothing half done", async (t) => {
  const disk = await smallDisk(t, 400);
  if (!disk) return t.skip("mounting a tmpfs needs root");
  const kb = await start(t, { dir: path.join(disk, "data") });
  const agent = await kb.agent({ files: library });
  const [question, , words] = questions[0];
  const before = await agent.ask(question);
  const ballast = await fill(disk, 0);
  await writeFile(path.join(disk, "crumbs"), Buffer.alloc(64 << 10)).catch(() => {});

  const kept = [];
  let failed = 0;
  for (let i = 0; i < 200 && failed < 5; i++) {
    const reply = await agent.api("POST", `/conversations/full-${i}/messages`, { json: { prompt: question } });
    if (reply.status === 200) kept.push([`full-${i}`, reply.data.id]);
    else {
      failed++;
      assert.equal(reply.status, 500, reply.text);
    }
  }
  assert.equal(failed, 5, "the disk is full and says so");
  const attempts = [
    ["POST", "/projects", { json: { project_name: "x" } }],
    ["POST", `${agent.path}/conversations`, { json: { name: "y" } }],
    ["POST", "/projects", { form: form({ project_name: "z" }, { "a.txt": "text" }) }],
    ["POST", agent.path, { json: { project_name: "Renamed" } }],
  ];
  for (const [method, where, options] of attempts)
    assert.equal((await kb.api(method, where, options)).status, 500, where);
  assert.ok(kb.alive());
  assert.equal((await agent.expect(200, "GET")).project_name, "Story", "reading goes on");
  assert.equal((await kb.expect(200, "GET", "/projects")).total, 1);
  const streamed = await agent.stream(question).catch((error) => error);
  if (!(streamed instanceof Error))
    assert.deepEqual(streamed.events.at(-1).event, "error", "a stream that cannot be stored ends with an error");

  await rm(ballast);
  await rm(path.join(disk, "crumbs"), { force: true });
  const after = await agent.ask(question);
  assert.deepEqual([after.llm_response, after.citations], [before.llm_response, before.citations]);
  assert.ok(after.llm_response.includes(words));
  for (const [session, id] of kept) await agent.expect(200, "GET", `/conversations/${session}/messages/${id}`);
  await agent.add({ "new.txt": "The Drellick pump moves 44 litres a minute." });
  assert.ok((await agent.ask("How many litres does the Drellick pump move?")).llm_response.includes("44 litres"));
  assert.equal(await kb.stop(), 0);
  const check = await kb.cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("documents that meet a full disk while they are indexed are indexed when there is room", async (t) => {
  const disk = await smallDisk(t, 400);
  if (!disk) return t.skip("mounting a tmpfs needs root");
  const kb = await start(t, { dir: path.join(disk, "data") });
  const agent = await kb.agent();
  const files = Object.fromEntries(
    Array.from({ length: 50 }, (_, i) => [
      `${i}.txt`,
      `The Drellick-${i} pump moves ${i + 10} litres a minute. `.repeat(4000),
    ]),
  );
  await agent.expect(200, "POST", "", { form: form({}, files), agent: false });
  const ballast = await fill(disk, 0);
  await until("the full disk to be met", () => /no space left/i.test(kb.log));
  assert.ok(kb.alive());
  await agent.expect(200, "GET", "/pages");
  await rm(ballast);
  const pages = await agent.settled(60_000);
  assert.deepEqual([...new Set(pages.map((page) => `${page.index_status}: ${page.status_reason ?? ""}`))], ["ok: "]);
});
