// Blobs in a bucket: the service works as with a directory, whatever the bucket's server does, and
// says in a sentence what is wrong.
import { readdir, readFile, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import { Bucket, SECRET } from "./lib/bucket.mjs";
import { counted } from "./lib/figures.mjs";
import { assert, docent, form, sleep, sqliteTest, start, test, until } from "./lib/harness.mjs";

const files = {
  "heron.txt": "The Heron pump costs 410 euros and weighs 12 kilograms.\n",
  "swan.txt": "The Swan pump costs 530 euros and weighs 19 kilograms.\n",
};

async function open(t, bucket = "stories", prefix = "one") {
  const s3 = await new Bucket().open(t);
  return { s3, env: s3.env(bucket, prefix) };
}

async function answers(agent, what = "Heron", price = 410) {
  const answer = await agent.ask(`How much does the ${what} pump cost?`);
  assert.match(answer.llm_response, new RegExp(`${price} euros`));
}

const run = (kb, command, ...args) => docent([command, "--data", kb.dir, ...args], { env: kb.env });
/** The name in a request for a blob's bytes. */
const blobOf = (ask) => (ask.req.method === "GET" ? /[0-9a-f]{64}$/.exec(ask.key)?.[0] : null);

test("documents are kept in the bucket alone, and the cache may be lost", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  await answers(agent);
  const page = await agent.page("heron.txt");
  assert.ok(s3.blobs("stories").length >= 5, "two originals, two texts, a segment");
  assert.ok(s3.objects.has("stories/one/installation"));
  assert.deepEqual((await readdir(kb.dir)).includes("blobs"), false);
  await counted(kb, { cache_misses_total: 0 }); // who made a blob has it

  assert.equal(await kb.stop(), 0);
  await rm(path.join(kb.dir, "cache"), { recursive: true });
  await kb.restart();
  await answers(agent);
  const original = await kb.api("GET", `/preview/${page.id}`);
  assert.deepEqual([original.status, original.text], [200, files["heron.txt"]]);
  await counted(kb, { cache_misses_total: (n) => n >= 2, bucket_fetched_bytes_total: (n) => n > 0 });

  await kb.stop();
  const check = await run(kb, "check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
  assert.match(check.stdout, /\n0 of \d+ blobs are named by no row\nsound\n$/);
  await kb.restart();
});

test("a directory's blobs may be copied into a bucket", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { blobFiles: true });
  const agent = await kb.agent({ files });
  await kb.stop();
  const from = path.join(kb.dir, "blobs");
  for (const entry of await readdir(from, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const folder = entry.parentPath ?? entry.path;
    const first = path.relative(from, folder).slice(0, 2);
    const bytes = await readFile(path.join(folder, entry.name));
    s3.objects.set(path.posix.join("stories/one", first, entry.name), { bytes, at: Date.now() });
  }
  await rm(from, { recursive: true });
  kb.env = env;
  await kb.restart();
  await answers(agent);
  await kb.stop();
  assert.match((await run(kb, "check")).stdout, /\nsound\n$/);
  await kb.restart();
});

test("what a check finds in a bucket", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { env });
  await kb.agent({ files });
  await kb.stop();
  const [lost, damaged] = s3.blobs("stories").map((name) => `stories/one/${name.slice(0, 2)}/${name}`);
  s3.objects.delete(lost);
  s3.objects.get(damaged).bytes = Buffer.from("something else");
  const check = await run(kb, "check");
  assert.equal(check.code, 1);
  assert.match(check.stdout, new RegExp(`blob ${lost.slice(-64)}: there is no blob`));
  assert.match(check.stdout, new RegExp(`blob ${damaged.slice(-64)}: .* is damaged in the bucket stories`));
  await kb.restart();
});

test("a check asks for sixteen blobs at once, for each once, and says how far it is", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { env });
  const many = Array.from({ length: 12 }, (_, i) => [`f${i}.txt`, `The pump of number ${i} costs ${i} euros.\n`]);
  await kb.agent({ files: Object.fromEntries(many) });
  await kb.stop();
  const all = s3.blobs("stories");
  assert.ok(all.length > 20);

  const asked = [];
  let waiting = 0;
  let most = 0;
  let told = "";
  s3.before = async (ask) => {
    const name = blobOf(ask);
    if (!name) return false;
    asked.push(name);
    most = Math.max(most, ++waiting);
    if (most < 16) await until("sixteen to be asked for", () => most >= 16);
    // One goes by bytes until it has been told how far it is: so it is slow, and not given up.
    if (name === asked[0] && !told) {
      const { bytes } = s3.objects.get(ask.at);
      ask.instead(async (res) => {
        let sent = 0;
        for (; !told && sent < bytes.length - 1; sent++) {
          res.write(bytes.subarray(sent, sent + 1));
          await sleep(1000);
        }
        res.end(bytes.subarray(sent));
        waiting--;
      });
      return true;
    }
    waiting--;
    return false;
  };
  const check = await docent(["check", "--data", kb.dir], { env, heard: (said) => (told = said) });
  assert.equal(check.code, 0, check.stdout + check.stderr);
  assert.match(check.stdout, new RegExp(`^${all.length} blobs checked\\n`));
  assert.match(check.stderr, new RegExp(`^${all.length - 1} of ${all.length} blobs checked\\n`));
  assert.equal(most, 16);
  assert.deepEqual([...asked].sort(), [...all].sort());
  s3.before = null;
  await kb.restart();
});

test("a server that fails now and then is not noticed", async (t) => {
  for (const bucket of ["storm-1", "cut-1", "wrong-1", "lost-1", "reset-1", "late-1"]) {
    const { env } = await open(t, bucket);
    const kb = await start(t, { env });
    const agent = await kb.agent({ files });
    await answers(agent);
    await kb.stop();
    await rm(path.join(kb.dir, "cache"), { recursive: true });
    await kb.restart();
    await answers(agent, "Swan", 530);
    await kb.end();
  }
});

test("while the bucket does not answer, warm agents do, and documents wait", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { env });
  const warm = await kb.agent({ files });
  await answers(warm);
  const isReady = async () => (await kb.api("GET", "/readyz")).json.status === "ready";
  await until("the bucket to answer", isReady);

  s3.before = () => true; // takes requests and says nothing
  await until("the bucket's silence to be noticed", async () => {
    const ready = await kb.api("GET", "/readyz");
    assert.equal(ready.status, 200);
    return ready.json.bucket === "does not answer" && ready.json.status === "degraded";
  });
  await answers(warm);
  await answers(warm, "Swan", 530);

  // What needs the bucket is refused, in our words, until it is back.
  s3.before = (ask) => ask.refuse("ServiceUnavailable", "", {}, 503);
  const away = (reply) => {
    assert.equal(reply.status, 503, reply.text);
    assert.equal(reply.json.message, "Service Unavailable");
    assert.ok(Number(reply.headers["retry-after"]) >= 1);
  };
  away(await warm.api("POST", "/sources", { form: form({}, { "tern.txt": "The Tern pump costs 5 euros.\n" }) }));
  const [page] = await warm.pages();
  await rm(path.join(kb.dir, "cache"), { recursive: true, force: true });
  away(await kb.api("GET", `/preview/${page.id}`));

  s3.before = null;
  await until("the bucket to answer again", isReady, 60_000);
  const late = await warm.add({ "gull.txt": "The Gull pump costs 99 euros.\n" });
  assert.equal(late.length, 3);
  await answers(warm, "Gull", 99);
});

test("documents in work when the bucket fails are read when it is back", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { env });
  const agent = await kb.agent({});
  let uploads = 0;
  // The original goes in; what is made of it does not.
  s3.before = (ask) => ask.req.method === "PUT" && ++uploads > 1 && ask.refuse("ServiceUnavailable", "", {}, 503);
  await agent.expect(200, "POST", "", { form: form({}, { "heron.txt": files["heron.txt"] }) });
  await until("the text to be refused", () => uploads > 3, 30_000);
  assert.equal((await agent.pages())[0].index_status, "queued");
  s3.before = null;
  await agent.settled(90_000);
  await answers(agent);
});

test("a power cut loses nothing that was acknowledged", async (t) => {
  const { env } = await open(t);
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  await kb.kill9();
  // Bytes that a power cut left of a file of the cache, and a download that never ended.
  const cache = path.join(kb.dir, "cache");
  for (const entry of await readdir(cache, { recursive: true, withFileTypes: true }))
    if (entry.isFile() && entry.name !== "lock")
      await writeFile(path.join(entry.parentPath ?? entry.path, entry.name), "");
  await writeFile(path.join(cache, "tmp", "0123"), "half");
  await kb.restart();
  await answers(agent);
  await counted(kb, { cache_damaged_total: (n) => n > 0 });
  assert.deepEqual(await readdir(path.join(cache, "tmp")), []);
});

test("another database is refused a bucket that has one, until adopt says otherwise", async (t) => {
  const { s3, env } = await open(t);
  const kb = await start(t, { env });
  const agent = await kb.agent({ files });
  await kb.stop();
  const before = s3.objects.size;

  const other = path.join(kb.dir, "other");
  const refused = await docent(["serve", "--data", other, "--listen", "127.0.0.1:0"], { env, ms: 20_000 });
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(refused.stderr, /^docent: .* holds no database, but the blobs in s3:\/\/stories\/one have one[^\n]*\n$/);
  const key = await docent(["key", "create", "--data", other], { env });
  assert.match(key.stderr, /have one: put it back/);
  assert.equal(s3.objects.size, before);

  s3.objects.delete("stories/one/installation");
  const lost = await docent(["serve", "--data", kb.dir, "--listen", "127.0.0.1:0"], { env, ms: 20_000 });
  assert.match(lost.stderr, /lost the mark of their installation.*docent adopt/);
  const adopted = await run(kb, "adopt");
  assert.equal(adopted.code, 0, adopted.stderr);
  assert.match(adopted.stdout, /\d+ blobs are named, 0 of them are missing; \d+ are there/);
  await kb.restart();
  await answers(agent);
});

test("a start says in one sentence what is wrong with the bucket", async (t) => {
  const s3 = await new Bucket().open(t);
  const rows = [
    ["missing", {}, /the bucket missing at 127\.0\.0\.1:\d+: there is no such bucket/],
    ["stories", { DOCENT_S3_KEY_ID: "NOBODY" }, /does not know the key of --s3-key-id/],
    ["stories", { DOCENT_S3_SECRET: "hush" }, /--s3-secret is not the secret of --s3-key-id/],
    ["skewed", {}, /the clock of this machine and that of its server are too far apart \(there it is /],
    ["elsewhere", {}, /it is in another region \(mars-1\) than --s3-region names/],
    ["stories", { DOCENT_S3_ENDPOINT: "http://127.0.0.1:1" }, /nobody takes connections there/],
  ];
  const kb = await start(t);
  await kb.stop();
  for (const [bucket, more, pattern] of rows) {
    const env = { ...s3.env(bucket), ...more };
    const { code, stderr } = await docent(["serve", "--data", path.join(kb.dir, "new"), "--listen", "127.0.0.1:0"], {
      env,
    });
    assert.equal(code, 1, stderr);
    assert.match(stderr, pattern);
    assert.equal(
      stderr
        .trim()
        .split("\n")
        .filter((line) => line.startsWith("docent: ")).length,
      1,
    );
    assert.doesNotMatch(stderr, new RegExp(`${SECRET}|hush|a secret of the server`));
  }
  await kb.restart();
});

sqliteTest("the secret may stand in a file, and is in no log, answer or figure", async (t) => {
  const { env } = await open(t, "storm-2");
  const kb = await start(t, { key: false, blobFiles: true });
  await kb.stop();
  const secret = path.join(kb.dir, "secret");
  await writeFile(secret, `${SECRET}\n`, { mode: 0o600 });
  kb.env = { ...env, DOCENT_S3_SECRET: "", DOCENT_S3_SECRET_FILE: secret, DOCENT_LOG: "debug" };
  await rm(path.join(kb.dir, "docent.db"));
  await rm(path.join(kb.dir, "blobs"), { recursive: true });
  await kb.restart();
  kb.key = (await docent(["key", "create", "--data", kb.dir], { env: kb.env })).stdout.trim();
  const agent = await kb.agent({ files });
  await answers(agent);
  const metrics = (await kb.api("GET", "/metrics")).text;
  assert.match(metrics, /docent_server_requests_total\{server="bucket"\} \d/);
  for (const text of [metrics, kb.log, await readFile(path.join(kb.dir, "docent.db"), "latin1")])
    assert.ok(!text.includes(SECRET));
});
