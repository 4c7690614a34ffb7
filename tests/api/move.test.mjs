// docent move: an installation goes from SQLite and a directory to PostgreSQL and a bucket and back,
// with its ids, answers and files; whatever ends it in the middle, and whoever comes in between.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readdir, rm } from "node:fs/promises";
import path from "node:path";
import { isDeepStrictEqual } from "node:util";
import { Bucket } from "./lib/bucket.mjs";
import { assert, docent, sleep, start, test, until } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { Agent, binary } from "./lib/service.mjs";
import { folder, unique } from "./lib/util.mjs";

const files = Object.fromEntries(
  Array.from({ length: 40 }, (_, i) => [`f${i}.txt`, `The word of room ${unique(i)} is ${unique(100 + i)}.\n`]),
);

/** Addresses in answers are the same everywhere. */
const known = { DOCENT_PUBLIC_URL: "https://kb.example" };

/** A bucket: a real one where there is one (scripts/with-s3), else our double. */
async function bucket(t) {
  const prefix = randomUUID();
  if (!process.env.DOCENT_TEST_S3) return (await new Bucket().open(t)).env("stories", prefix);
  return {
    DOCENT_BLOB: `s3://stories/${prefix}`,
    DOCENT_S3_ENDPOINT: process.env.DOCENT_TEST_S3,
    DOCENT_S3_KEY_ID: process.env.DOCENT_TEST_S3_KEY_ID,
    DOCENT_S3_SECRET: process.env.DOCENT_TEST_S3_SECRET,
  };
}

/** A server on SQLite and a directory, whatever the stories run on. */
async function onDirectory(t) {
  const dir = await folder(t);
  const kb = await start(t, { env: { ...known, DOCENT_STORE: dir, DOCENT_BLOB: path.join(dir, "blobs") } });
  return { kb, dir };
}

/** The same installation elsewhere, with its key. */
async function reopened(t, before, env) {
  const kb = await start(t, { env: { ...known, ...env }, key: false });
  kb.key = before.key;
  return kb;
}

async function check(dir, blob, env) {
  const found = await docent(["check", "--store", dir, "--blob", blob], { env });
  assert.equal(found.code, 0, found.stdout + found.stderr);
  assert.match(found.stdout, /\nsound\n$/);
}

/** What users see of an agent: everything has its id. */
async function picture(kb, record) {
  const agent = new Agent(kb, record, kb.key);
  const list = async (where) => (await agent.expect(200, "GET", where)).data;
  const pages = await agent.pages();
  const talks = await list("/conversations");
  return {
    agent: await agent.expect(200, "GET"),
    settings: await agent.expect(200, "GET", "/settings"),
    stats: await agent.expect(200, "GET", "/stats"),
    sources: await agent.expect(200, "GET", "/sources"),
    labels: await list("/labels"),
    pages,
    talks,
    messages: await Promise.all(
      talks.map(async ({ session_id }) => agent.expect(200, "GET", `/conversations/${session_id}/messages`)),
    ),
    originals: await Promise.all(pages.slice(0, 5).map(async ({ id }) => (await kb.api("GET", `/preview/${id}`)).text)),
    user: await kb.expect(200, "GET", "/user"),
    keys: (await kb.expect(200, "GET", "/keys")).map(({ id, name }) => ({ id, name })),
  };
}

/** The same, once nothing in the background changes it any more. */
async function still(kb, record) {
  let last;
  return until("nothing to change", async () => {
    const before = last;
    last = await picture(kb, record);
    return isDeepStrictEqual(before, last) && last;
  });
}

/** An agent with a bit of everything. */
async function furnish(kb) {
  const agent = await kb.agent({ files });
  for (let i = 0; i < 3; i++) await agent.ask(`What is the word of room ${unique(i)}?`, { session: `talk-${i}` });
  await agent.expect(200, "POST", "/settings", { json: { no_answer_message: "Nobody knows – noch nicht." } });
  await agent.expect(201, "POST", "/labels", { json: { name: "Ärzte" } });
  return agent;
}

async function answers(kb, record, n) {
  const agent = new Agent(kb, record, kb.key);
  const { llm_response } = await agent.ask(`What is the word of room ${unique(n)}?`);
  assert.match(llm_response, new RegExp(unique(100 + n)));
}

const move = (args, env) => docent(["move", ...args], { env });

/** Ends it a little later each time, until it comes to its end by itself; gives how often, and all it said. */
async function moveWithPowerCuts(args, env, steps) {
  let text = "";
  for (let cuts = 0; ; cuts++) {
    const child = spawn(binary, ["move", ...args], {
      env: { PATH: process.env.PATH, ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
    const code = await Promise.race([ended, cuts < 12 ? sleep(steps * (cuts + 1)) : ended]);
    if (code === undefined) child.kill("SIGKILL");
    const how = await ended;
    if (how === 0) return { cuts, text };
    assert.equal(how, "SIGKILL", text);
  }
}

test("an installation goes to PostgreSQL and a bucket and back, and nothing in it changes", async (t) => {
  const { kb, dir } = await onDirectory(t);
  const agent = await furnish(kb);
  const before = await still(kb, agent.record);
  const { url } = await database();
  const env = await bucket(t);
  const there = ["--from", dir, "--to", url, "--blob", env.DOCENT_BLOB];

  const busy = await move(there, env);
  assert.equal(busy.code, 1);
  assert.match(busy.stderr, /is in use by process \d+/, "a server runs on it");
  assert.equal(await kb.stop(), 0);

  const moved = await moveWithPowerCuts(there, env, 40);
  assert.match(moved.text, /rows of \d+ tables are the same in both\n[^]*moved: the database is in postgresql:/);
  await check(dir, path.join(dir, "blobs"));
  await check(url, env.DOCENT_BLOB, env);

  const node = await reopened(t, kb, { ...env, DOCENT_STORE: url });
  assert.deepEqual(await picture(node, agent.record), before);
  await answers(node, agent.record, 7);
  const second = await node.agent({ files: { "new.txt": "A new room.\n" } });
  assert.ok(second.id > agent.id, "ids go on where they were");
  const later = await still(node, agent.record);
  const back = await folder(t);
  const home = ["--from", url, "--from-blob", env.DOCENT_BLOB, "--to", back];
  const inUse = await move(home, env);
  assert.equal(inUse.code, 1);
  assert.match(inUse.stderr, /in use by node/);
  assert.equal(await node.stop(), 0);

  await moveWithPowerCuts(home, env, 60);
  await check(url, env.DOCENT_BLOB, env);
  await check(back, path.join(back, "blobs"));
  const last = await reopened(t, kb, { DOCENT_STORE: back, DOCENT_BLOB: path.join(back, "blobs") });
  assert.deepEqual(await picture(last, agent.record), later);
  await answers(last, agent.record, 23);
  assert.deepEqual(await readdir(path.join(back, "tmp")), [], "no copy of a blob is left over");
});

test("the place before rests, a half one is not opened, and one that holds something is left alone", async (t) => {
  const { kb, dir } = await onDirectory(t);
  const agent = await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  await kb.stop();
  const target = await folder(t);
  const args = ["--from", dir, "--to", target];
  const serve = (where) =>
    docent([
      "serve",
      "--data",
      where,
      "--store",
      where,
      "--blob",
      path.join(where, "blobs"),
      "--listen",
      "127.0.0.1:0",
    ]);

  // A move that ended before its rows were there: the blobs stand in its way.
  const stray = path.join(target, "elsewhere");
  const other = await onDirectory(t);
  await other.kb.agent({ files: { "x.txt": "Something else.\n" } });
  await other.kb.stop();
  const wrong = await move(["--from", dir, "--to", stray, "--blob", path.join(other.dir, "blobs")]);
  assert.equal(wrong.code, 1);
  assert.match(wrong.stderr, /belong to another installation \([0-9a-f]{8}\): name an empty place\n$/);
  const half = await serve(stray);
  assert.equal(half.code, 1);
  assert.match(half.stderr, /is not whole: it is being moved there from .*; run docent move again to its end/);
  const full = await move(["--from", dir, "--to", other.dir]);
  assert.equal(full.code, 1);
  assert.match(full.stderr, /holds an installation already: name an empty one/);

  // Whoever opens the source gives the move up; it begins anew.
  assert.equal((await docent(["key", "create", "--data", dir], { env: { DOCENT_STORE: dir } })).code, 0);
  const done = await move(args);
  assert.equal(done.code, 0, done.stderr);
  const again = await move(args);
  assert.deepEqual([again.code, again.stderr], [0, ""], "it has been done");
  const rests = await serve(dir);
  assert.equal(rests.code, 1);
  assert.match(rests.stderr, /was moved to .*; docent adopt takes it back into use/);
  const twice = await move(["--from", dir, "--to", await folder(t)]);
  assert.equal(twice.code, 1);
  assert.match(twice.stderr, /was moved to .* already/);

  const node = await reopened(t, kb, { DOCENT_STORE: target, DOCENT_BLOB: path.join(target, "blobs") });
  await answers(node, agent.record, 0);
  assert.equal((await node.expect(200, "GET", "/keys")).length, 2, "the key of in between came along");
  await node.stop();
  assert.equal((await docent(["adopt", "--store", dir, "--blob", path.join(dir, "blobs")])).code, 0);
  await kb.restart();
  await answers(kb, agent.record, 0);
});

test("the database moves alone, and the blobs do", async (t) => {
  const { kb, dir } = await onDirectory(t);
  const agent = await kb.agent({ files: { "f0.txt": files["f0.txt"], "f1.txt": files["f1.txt"] } });
  await kb.stop();
  const { url } = await database();
  const blobs = path.join(dir, "blobs");
  const env = await bucket(t);

  const first = await move(["--from", dir, "--to", url]);
  assert.equal(first.code, 0, first.stderr);
  await check(url, blobs);
  const node = await reopened(t, kb, { DOCENT_STORE: url, DOCENT_BLOB: blobs });
  await answers(node, agent.record, 1);
  await node.stop();

  const second = await move(["--from", url, "--from-blob", blobs, "--blob", env.DOCENT_BLOB], env);
  assert.equal(second.code, 0, second.stderr);
  assert.match(second.stdout, /^\d+ blobs are copied, 0 were there\n/);
  await check(url, env.DOCENT_BLOB, env);
  const stale = await docent(["serve", "--data", node.dir, "--listen", "127.0.0.1:0"], {
    env: { DOCENT_STORE: url, DOCENT_BLOB: blobs },
  });
  assert.equal(stale.code, 1, "the blobs left behind are not taken for those in use");
  assert.match(stale.stderr, /belong to another installation/);
  await rm(blobs, { recursive: true });
  const last = await reopened(t, kb, { ...env, DOCENT_STORE: url });
  await answers(last, agent.record, 1);
});

test("what is no move is said in a sentence", async (t) => {
  const dir = await folder(t);
  for (const args of [[], ["--from", dir], ["--from", dir, "--to"], ["--from", dir, "--to", "x", "--data", "y"]])
    assert.equal((await move(args)).code, 2, args.join(" "));
  const help = await move(["--help"]);
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  for (const [args, sentence] of [
    [["--from", dir, "--to", dir], /both places are the same/],
    [["--from", path.join(dir, "no"), "--to", path.join(dir, "to")], /there is no database in/],
    [["--from", "postgresql://127.0.0.1:1/x", "--to", dir], /--from-blob has to say where its blobs are/],
  ]) {
    const { code, stderr } = await move(args);
    assert.equal(code, 1);
    assert.match(stderr, sentence);
  }
});
