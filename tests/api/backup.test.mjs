// docent backup and docent restore: an installation that is being served goes to a place of backups
// and comes back, from and to SQLite and PostgreSQL, directories and buckets; whatever ends it in the
// middle, whatever the bucket refuses, and whatever is deleted and swept meanwhile.
import { execFileSync, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from "node:fs/promises";
import path from "node:path";
import { Bucket } from "./lib/bucket.mjs";
import { assert, docent, sleep, start, test, until } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { runRows } from "./lib/rows.mjs";
import { Agent, binary } from "./lib/service.mjs";
import { counted } from "./lib/figures.mjs";
import { folder, unique } from "./lib/util.mjs";

const files = Object.fromEntries(
  Array.from({ length: 30 }, (_, i) => [`f${i}.txt`, `The word of room ${unique(i)} is ${unique(100 + i)}.\n`]),
);

/** A server on SQLite and a directory, whatever the stories run on. */
async function onDirectory(t, options = {}) {
  const dir = await folder(t);
  const env = { DOCENT_STORE: dir, DOCENT_BLOB: path.join(dir, "blobs"), ...options.env };
  const kb = await start(t, { ...options, env });
  return { kb, dir, at: ["--data", dir] };
}

async function onServer(t) {
  const { url } = await database();
  const dir = await folder(t);
  const kb = await start(t, { env: { DOCENT_STORE: url, DOCENT_BLOB: path.join(dir, "blobs") } });
  return { kb, dir, at: ["--data", dir, "--store", url, "--blob", path.join(dir, "blobs")] };
}

async function done(args, env) {
  const found = await docent(args, { env });
  assert.equal(found.code, 0, found.stdout + found.stderr);
  return found.stdout;
}

async function refused(args, sentence, env) {
  const found = await docent(args, { env });
  assert.equal(found.code, 1, found.stdout);
  assert.match(found.stderr, sentence);
}

async function verified(place, env) {
  assert.match(await done(["backup", "verify", place], env), /agents, [1-9]\d* of them asked\nit comes back\n$/);
}

/** The restored installation is sound, and answers as the one before. */
async function answersThere(t, before, record, { dir, url, env = {} }, n = 3) {
  const blob = env.DOCENT_BLOB ?? path.join(dir, "blobs");
  const checked = await docent(["check", "--data", dir, "--store", url ?? dir, "--blob", blob], { env });
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
  const kb = await start(t, { env: { DOCENT_STORE: url ?? dir, DOCENT_BLOB: blob, ...env }, key: false });
  kb.key = before.key;
  const agent = new Agent(kb, record, kb.key);
  const { llm_response } = await agent.ask(`What is the word of room ${unique(n)}?`);
  assert.match(llm_response, new RegExp(unique(100 + n)));
  return { kb, agent };
}

const markOf = (dir) => readFile(path.join(dir, "blobs/installation"), "utf8");

test("a served installation is backed up, only what is new is sent, and it comes back with a new mark", async (t) => {
  const { kb, dir, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const asked = await agent.ask(`What is the word of room ${unique(3)}?`);
  const place = await folder(t);

  assert.match(await done(["backup", place, ...at]), /^\d{8}T\d{6}\.\d{6}Z: a database of \d+ bytes and \d+ blobs/);
  assert.match(await done(["backup", place, ...at]), /blobs, of which 0 were copied; \d{1,6} bytes sent/);
  await verified(place);
  const listed = (await done(["backup", "list", place])).trim().split("\n");
  assert.equal(listed.length, 2);
  await agent.ask("A question after the first backups?");
  await done(["backup", place, ...at]);

  const to = await folder(t);
  await rm(to, { recursive: true });
  assert.match(await done(["restore", place, "--data", to]), /restored: the database is in /);
  assert.notEqual(await markOf(to), await markOf(dir));
  assert.deepEqual((await readdir(to)).sort(), ["blobs", "docent.db"]);
  const after = await answersThere(t, kb, agent.record, { dir: to });
  const talk = await after.agent.expect(200, "GET", `/conversations/${asked.session}/messages`);
  assert.match(JSON.stringify(talk), new RegExp(unique(103)));
  const second = await after.kb.agent({ files: { "new.txt": "A new room.\n" } });
  assert.ok(second.id > agent.id + 1000, "ids that the life before may have given out are skipped");

  await refused(["restore", place, "--data", to], /is not empty: a backup is restored into an empty directory only/);
  await after.kb.stop();
  await refused(
    ["backup", place, "--data", to],
    /has the backups of another installation .*or, if this is that one restored, say --take-over once/,
  );
  await done(["backup", place, "--data", to, "--take-over"]);
  await refused(["backup", place, ...at], /has the backups of another installation/);
});

test("a place whose volume is not mounted is not begun anew", async (t) => {
  const { kb, at } = await onDirectory(t);
  await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  const place = await folder(t);
  await done(["backup", place, ...at]);
  await rename(place, `${place}.away`);
  await refused(["backup", place, ...at], /had backups and has none now: is its volume mounted\?/);
  await rm(place, { recursive: true });
  await rename(`${place}.away`, place);
  assert.match(await done(["backup", place, ...at]), /of which 0 were copied/);
  await rm(path.join(place, "snapshots"), { recursive: true });
  await refused(["backup", place, ...at], /is its volume mounted/);
});

test("a backup is chosen by its time", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  const place = await folder(t);
  await done(["backup", place, ...at]);
  const between = new Date().toISOString();
  await agent.ask("Was this asked later?", { session: "later" });
  await done(["backup", place, ...at]);

  const to = await folder(t);
  await done(["restore", place, "--data", to, "--at", between]);
  const { agent: restored } = await answersThere(t, kb, agent.record, { dir: to }, 0);
  const talks = (await restored.expect(200, "GET", "/conversations")).data;
  assert.ok(!talks.data?.some(({ session_id }) => session_id === "later"), JSON.stringify(talks));
  await refused(
    ["restore", place, "--data", await folder(t), "--at", "2001-01-01"],
    /there is no backup as old as that/,
  );
  await refused(
    ["restore", place, "--data", await folder(t), "--at", "yesterday"],
    /--at is yesterday; it must be a time/,
  );
});

/** The newest backup of the place, as if it had been made at another time. */
async function dated(place, time) {
  const snapshots = path.join(place, "snapshots");
  const name = (await readdir(snapshots))
    .filter((file) => file.endsWith(".json"))
    .sort()
    .at(-1);
  const id = `${new Date(time).toISOString().replace(/[-:]/g, "").slice(0, -1)}000Z`;
  const [json] = (await readFile(path.join(snapshots, name), "utf8")).split("\n");
  const record = json.replaceAll(name.slice(0, -5), id);
  const [hash] = execFileSync("b2sum", ["-l", "256"], { input: record, encoding: "utf8" }).split(" ");
  await writeFile(path.join(snapshots, `${id}.json`), `${record}\n${hash}\n`);
  await rm(path.join(snapshots, name));
  return id;
}

test("a clock that was ahead neither stops backups nor makes an old one the newest", async (t) => {
  const { kb, dir, at } = await onDirectory(t);
  await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  const place = await folder(t);
  await done(["backup", place, ...at]);
  const soon = await dated(place, Date.now() + 3_600_000);
  await done(["backup", place, ...at]);
  const [first, second] = (await done(["backup", "list", place])).split("\n");
  assert.equal(first.slice(0, soon.length), soon);
  assert.ok(second.slice(0, soon.length) > soon, second);

  const far = await dated(place, Date.now() + 30 * 86_400_000);
  await refused(["backup", place, ...at], new RegExp(`is of a time to come, ${far}: set the clock, or remove`));
  await rm(path.join(place, "snapshots", `${far}.json`));
  await kb.stop();
  const ahead = (Date.now() + 30 * 86_400_000) * 1000;
  const sql = `UPDATE backups SET lease_until = ${ahead}, tried_at = ${ahead}, drill_tried_at = ${ahead}`;
  if (!(await runRows(dir, sql))) return t.skip("needs the sqlite3 program");
  const env = { DOCENT_STORE: dir, DOCENT_BLOB: path.join(dir, "blobs") };
  const again = await start(t, {
    env: { ...env, DOCENT_BACKUP: place, DOCENT_BACKUP_EVERY: "1s", DOCENT_BACKUP_DRILL: "1s" },
  });
  await counted(again, { backups_kept: (n) => n >= 2, backup_drilled_at_seconds: (n) => n > 0 });
  assert.equal(await again.stop(), 0); // it works in folders that go before it
});

test("what a restore leaves that was killed while it wrote its first file goes with the next one", async (t) => {
  const { kb, at } = await onDirectory(t);
  await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  const place = await folder(t);
  await done(["backup", place, ...at]);
  const to = await folder(t);
  await writeFile(path.join(to, "restoring.tmpAbCdEf"), "20261127T1");
  await done(["restore", place, "--data", to]);
  assert.deepEqual((await readdir(to)).sort(), ["blobs", "docent.db"]);
});

test("of two restores into one place the second is told of the first", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const place = await folder(t);
  await done(["backup", place, ...at]);
  const to = await folder(t);
  const both = await Promise.all([1, 2].map(() => docent(["restore", place, "--data", to])));
  const [first, second] = both.sort((a, b) => a.code - b.code);
  assert.equal(first.code, 0, first.stderr);
  assert.equal(second.code, 1, second.stdout);
  assert.match(second.stderr, /another restore into .* is under way|is not empty: a backup is restored/);
  await answersThere(t, kb, agent.record, { dir: to });
});

test("a backup of PostgreSQL and a directory comes back in SQLite and a bucket, and that one in PostgreSQL", async (t) => {
  const { kb, at } = await onServer(t);
  const agent = await kb.agent({ files });
  await agent.ask(`What is the word of room ${unique(3)}?`);
  const place = await folder(t);
  await done(["backup", place, ...at]);
  await verified(place);

  const env = (await new Bucket().open(t)).env("stories", randomUUID());
  const middle = await folder(t);
  await done(["restore", place, "--data", middle, "--blob", env.DOCENT_BLOB], { ...env, DOCENT_BLOB: "" });
  const there = await answersThere(t, kb, agent.record, { dir: middle, env });

  const bucketPlace = `s3://stories/${randomUUID()}`;
  await done(["backup", bucketPlace, "--data", middle], env);
  await verified(bucketPlace, env);
  await there.kb.stop();
  const { url } = await database();
  const last = await folder(t);
  const blob = path.join(last, "blobs");
  await done(["restore", bucketPlace, "--data", last, "--store", url, "--blob", blob], env);
  await answersThere(t, kb, agent.record, { dir: last, url }, 17);
  await refused(
    ["restore", bucketPlace, "--data", await folder(t), "--store", url, "--blob", await folder(t)],
    /is not empty, or does not answer/,
    env,
  );
});

test("the blobs of an installation, and what is no place of backups, are left alone", async (t) => {
  const { kb, dir, at } = await onDirectory(t);
  await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  const blobs = path.join(dir, "blobs");
  const all = async () => (await readdir(blobs, { recursive: true })).sort();
  const before = await all();
  await refused(["backup", blobs, ...at, "--keep", "1h:all"], /holds blobs and is no place of backups/);
  assert.deepEqual(await all(), before);
  const env = (await new Bucket().open(t)).env("stories", randomUUID());
  const other = await start(t, { env: { DOCENT_STORE: await folder(t), ...env } });
  await other.agent({ files: { "x.txt": "Something else.\n" } });
  await refused(["backup", env.DOCENT_BLOB, ...at], /holds blobs and is no place of backups/, {
    ...env,
    DOCENT_BLOB: "",
  });
  const empty = await folder(t);
  await refused(["backup", "verify", empty], /is no place of backups/);
  await refused(["restore", path.join(empty, "no"), "--data", await folder(t)], /is no place of backups/);
  assert.deepEqual(await readdir(empty), []);
  const never = await folder(t);
  await refused(["backup", await folder(t), "--data", never], /there is no database in/);
  for (const args of [["backup"], ["backup", "list"], ["backup", empty, "--at", "x"], ["restore"]])
    assert.equal((await docent(args)).code, 2, args.join(" "));
  await done(["backup", "--help"]);
});

/** Ends it a little later each time, until it comes to its end by itself. */
async function withPowerCuts(args, env, steps, cutsMax = 10) {
  let text = "";
  for (let cuts = 0; ; cuts++) {
    const child = spawn(binary, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
    const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
    const code = await Promise.race([ended, cuts < cutsMax ? sleep(steps * (cuts + 1)) : ended]);
    if (code === undefined) child.kill("SIGKILL");
    const how = await ended;
    if (how === 0) return { cuts, text };
    // The cut came when all was there, and before the run could say so.
    if (cuts && args[0] === "restore" && / is not empty: /.test(text) && !existsSync(path.join(args[3], "restoring")))
      return { cuts, text };
    assert.equal(how, "SIGKILL", text);
  }
}

test("kill -9 in the middle of backups and restores leaves nothing half, and the next run goes on", async (t) => {
  const { kb, dir, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const place = await folder(t);
  await withPowerCuts(["backup", place, ...at], {}, 15, 6);
  for (const temp of [dir, place])
    assert.deepEqual(
      (await readdir(path.join(temp, "tmp"))).filter((name) => /^(backup|copies)/.test(name)),
      [],
    );
  await verified(place);
  const to = await folder(t);
  await withPowerCuts(["restore", place, "--data", to], {}, 15);
  await answersThere(t, kb, agent.record, { dir: to });
  const { url } = await database();
  const home = await folder(t);
  await withPowerCuts(["restore", place, "--data", home, "--store", url, "--blob", path.join(home, "blobs")], {}, 40);
  await answersThere(t, kb, agent.record, { dir: home, url });
});

test("encrypted backups come back with their key alone, and who has no key reads nothing of them", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  await agent.ask(`What is the word of room ${unique(3)}?`);
  const place = await folder(t);
  const keys = await folder(t);
  const key = ["--backup-key-file", path.join(keys, "key")];
  const other = ["--backup-key-file", path.join(keys, "other")];
  assert.match(await done(["backup", "key", key[1]]), /^the key [0-9a-f]{16} is in /);
  await refused(["backup", "key", key[1]], /cannot create .*key/);
  await done(["backup", "key", other[1]]);
  assert.equal((await stat(key[1])).mode & 0o777, 0o600);

  await done(["backup", place, ...at, ...key]);
  assert.match(await done(["backup", place, ...at, ...key]), /of which 0 were copied; \d{1,6} bytes sent/);
  assert.equal((await done(["backup", "list", place, ...key])).trim().split("\n").length, 2);
  assert.match(await done(["backup", "verify", place, ...key]), /\nit comes back\n$/);
  // Neither the words nor the names of what is there can be found.
  const blobs = await readdir(at[1], { recursive: true });
  const names = new Set(blobs.map((name) => path.basename(name)).filter((name) => /^[0-9a-f]{64}$/.test(name)));
  assert.ok(names.size > Object.keys(files).length);
  for (const name of await readdir(place, { recursive: true })) {
    assert.ok(!names.has(path.basename(name)), name);
    const bytes = await readFile(path.join(place, name)).catch(() => Buffer.alloc(0));
    assert.ok(!bytes.includes(unique(103)) && !bytes.includes('"database"'), name);
  }

  const id = (await readFile(path.join(place, "snapshots/place"), "utf8")).split(" ")[3];
  const wrong = new RegExp(`encrypted with the key ${id}, and the one in --backup-key-file is [0-9a-f]{16}`);
  for (const args of [
    ["backup", place, ...at],
    ["backup", "verify", place],
    ["restore", place, "--data", await folder(t)],
  ]) {
    await refused([...args, ...other], wrong);
    await refused(args, new RegExp(`encrypted with the key ${id}: name its file with --backup-key-file`));
  }
  const open = await folder(t);
  await done(["backup", open, ...at]);
  await refused(["backup", open, ...at, ...key], /has backups that are not encrypted: name another place/);
  await writeFile(other[1], "a password\n");
  await refused(["backup", "verify", place, ...other], /holds no key: 64 hexadecimal digits/);

  const to = await folder(t);
  await withPowerCuts(["restore", place, "--data", to, ...key], {}, 15);
  await answersThere(t, kb, agent.record, { dir: to });
});

test("encrypted backups in a bucket come back, and what was changed there is found", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const bucket = await new Bucket().open(t);
  const env = bucket.env("stories", randomUUID());
  const place = env.DOCENT_BLOB;
  delete env.DOCENT_BLOB;
  Object.assign(env, await keyFor(t));
  await withPowerCuts(["backup", place, ...at], env, 25, 4);
  await agent.ask("A question after the first backup?");
  await done(["backup", place, ...at], env);
  await verified(place, env);
  const to = await folder(t);
  await done(["restore", place, "--data", to], env);
  await answersThere(t, kb, agent.record, { dir: to });

  const newest = [...bucket.objects.keys()].filter((name) => name.endsWith("Z.json")).sort();
  bucket.objects.set(newest[1], bucket.objects.get(newest[0]));
  await refused(["backup", "verify", place], /its sealed bytes were changed/, env);
});

test("a bucket that refuses one request in ten delays a backup and a restore, and damages neither", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const bucket = await new Bucket().open(t);
  let count = 0;
  bucket.before = (ask) => ++count % 10 === 0 && ask.refuse("InternalError");
  const env = bucket.env("stories", randomUUID());
  const place = env.DOCENT_BLOB;
  delete env.DOCENT_BLOB;
  await done(["backup", place, ...at], env);
  await done(["backup", place, ...at], env);
  await verified(place, env);
  const to = await folder(t);
  await done(["restore", place, "--data", to], env);
  await answersThere(t, kb, agent.record, { dir: to });
  assert.ok(count > 100);
});

test("what is deleted and merged meanwhile is in every backup that named it", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const place = await folder(t);
  let going = true;
  const changes = (async () => {
    for (let i = 0; going; i++) {
      await agent.add({ [`g${i}.txt`]: `The word of hall ${unique(500 + i)} is ${unique(900 + i)}.\n` });
      if (i % 2) await agent.expect(200, "DELETE", `/pages/${(await agent.page(`g${i}.txt`)).id}`);
    }
  })();
  const ids = [];
  for (let i = 0; i < 5; i++) ids.push((await done(["backup", place, ...at])).slice(0, 23));
  going = false;
  await changes;
  for (const id of ids) assert.match(await done(["backup", "verify", place, "--at", id]), /it comes back\n$/, id);
  const to = await folder(t);
  await done(["restore", place, "--data", to, "--at", ids[2]]);
  await answersThere(t, kb, agent.record, { dir: to });
});

test("a blob that is damaged where it comes from makes the backup no whole one, and verify says what is wrong in a place", async (t) => {
  const { kb, dir, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const place = await folder(t);
  await done(["backup", place, ...at]);
  const blobs = (await readdir(place, { recursive: true })).filter((name) => /\/[0-9a-f]{64}$/.test(name));
  const original = blobs.find((name) => !/^(tmp|trash)/.test(name) && name);
  const whole = await readFile(path.join(place, original));
  await writeFile(path.join(place, original), Buffer.concat([whole.subarray(1), Buffer.from("x")]));
  await refused(["backup", "verify", place], /findings|is not what|bytes are others|damaged/);
  await writeFile(path.join(place, original), whole);
  await verified(place);

  const lost = (await readdir(path.join(dir, "blobs"), { recursive: true })).filter((name) =>
    /[0-9a-f]{64}$/.test(name),
  );
  await rm(path.join(dir, "blobs", lost[0]));
  const second = await folder(t);
  await refused(["backup", second, ...at], /the backup is not whole: 1 blobs are missing or damaged/);
  assert.match(await done(["backup", "list", second]), /, not whole\n$/);
  await refused(["backup", "verify", second], /findings/);
  assert.ok(agent);
});

/** The environment of a key that is made for this. */
async function keyFor(t) {
  const file = path.join(await folder(t), "key");
  await done(["backup", "key", file]);
  return { DOCENT_BACKUP_KEY_FILE: file };
}

for (const sealed of [false, true])
  test(`old ${sealed ? "encrypted backups" : "backups"} go as they are told to, and what none names any more goes a day later`, async (t) => {
    const { kb, at } = await onDirectory(t);
    const agent = await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
    const place = await folder(t);
    const env = sealed ? await keyFor(t) : {};
    const objects = async () =>
      (await readdir(place, { recursive: true })).filter((name) => /[0-9a-f]{64}$/.test(name));
    for (let i = 0; i < 3; i++) {
      await agent.ask(`Question ${i}?`);
      await done(["backup", place, ...at], env);
    }
    const before = (await objects()).length;
    const long = new Date(Date.now() - 2 * 86_400_000);
    for (const name of await objects()) await utimes(path.join(place, name), long, long);
    await agent.ask("One more?");
    assert.match(
      await done(["backup", place, ...at, "--keep", "30d:daily"], env),
      /3 older backups were let go of; 1 are there/,
    );
    assert.ok((await objects()).length < before);
    await verified(place, env);
    await refused(["backup", place, ...at, "--keep", "30d:sometimes"], /does not say what to keep/, env);
  });

test("the service makes backups on its calendar, encrypted, sees that they come back, and tells of both", async (t) => {
  const place = await folder(t);
  const key = await keyFor(t);
  const { kb } = await onDirectory(t, {
    env: {
      ...key,
      DOCENT_BACKUP: place,
      DOCENT_BACKUP_EVERY: "1s",
      DOCENT_BACKUP_KEEP: "1h:all",
      DOCENT_BACKUP_DRILL: "1s",
    },
  });
  const agent = await kb.agent({ files: { "f0.txt": files["f0.txt"] } });
  await agent.ask(`What is the word of room ${unique(0)}?`);
  await counted(kb, {
    backups_kept: (n) => n >= 3,
    backup_drilled_at_seconds: (n) => n > 0,
    backup_finished_at_seconds: (n) => Date.now() / 1000 - n < 60,
    backup_held_bytes: (n) => n > 1000,
    backup_every_seconds: 1,
    backup_failed: 0,
    backup_drill_failed: 0,
  });
  const shown = await kb.expect(200, "GET", "/backups");
  assert.deepEqual(
    {
      ...shown,
      finished_at: !!shown.finished_at,
      state_at: !!shown.state_at,
      verified_at: !!shown.verified_at,
      next_at: Date.parse(shown.next_at) > Date.parse(shown.finished_at) - 60_000,
      kept: shown.kept >= 3,
      held_bytes: shown.held_bytes > 1000,
    },
    {
      every_s: 1,
      finished_at: true,
      state_at: true,
      next_at: true,
      verified_at: true,
      kept: true,
      held_bytes: true,
      is_encrypted: true,
      is_late: shown.is_late,
      has_failed: false,
      verification_failed: false,
    },
  );
  await until("the log to say so", () => /backup made id=/.test(kb.log));
  await until("the log to say so", () => /backup comes back id=/.test(kb.log));
  const to = await folder(t);
  await kb.stop();
  await done(["restore", place, "--data", to], key);
  await answersThere(t, kb, agent.record, { dir: to }, 0);
});

test("a place that cannot be opened is a failure that /metrics tells of, and is tried again in its time", async (t) => {
  const place = path.join(await folder(t), "place");
  await writeFile(place, "a file\n");
  const { kb } = await onDirectory(t, { env: { DOCENT_BACKUP: place, DOCENT_BACKUP_EVERY: "1s" } });
  await counted(kb, { backup_failed: 1, backups_kept: 0 });
  const { has_failed, finished_at, next_at } = await kb.expect(200, "GET", "/backups");
  assert.deepEqual(
    { has_failed, finished_at, planned: !!next_at },
    { has_failed: true, finished_at: null, planned: true },
  );
  await rm(place);
  await counted(kb, { backup_failed: 0, backups_kept: (n) => n >= 1 });
  await until("the log to say so", () => /backup failed to=/.test(kb.log));
});

test("a restore into PostgreSQL goes on after kill -9, and behind its end only tidies up", async (t) => {
  const { kb, at } = await onDirectory(t);
  const agent = await kb.agent({ files });
  const place = await folder(t);
  const [id] = (await done(["backup", place, ...at])).split(":");
  const { url } = await database();
  const to = await folder(t);
  const args = ["restore", place, "--data", to, "--store", url, "--blob", path.join(to, "blobs")];
  await withPowerCuts(args, {}, 60);

  // As it is when the copy of the database is gone, and what says that a restore is under way is not.
  await mkdir(path.join(to, "restore"));
  await writeFile(path.join(to, "restore/arrived"), "yes\n");
  await writeFile(path.join(to, "restoring"), `${id} ${place}\n`);
  await done(args);
  assert.deepEqual((await readdir(to)).sort(), ["blobs"]);
  await answersThere(t, kb, agent.record, { dir: to, url });
});
