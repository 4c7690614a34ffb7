// docent doctor: what it says of a machine on which all is well, of a service that runs, and of each
// thing that is wrong; and that it changes nothing.
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, writeFile } from "node:fs/promises";
import net from "node:net";
import path from "node:path";
import { promisify } from "node:util";
import { Bucket } from "./lib/bucket.mjs";
import { certificate } from "./lib/certificate.mjs";
import { assert, docent, sqliteTest, start, test } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";
import { runRows } from "./lib/rows.mjs";
import { folder } from "./lib/util.mjs";

const run = promisify(execFile);

/** { code, findings, of(about): its findings } */
async function doctor(args, options) {
  const { code, stdout, stderr } = await docent(["doctor", "--json", ...args], options);
  assert.equal(stderr, "");
  const said = JSON.parse(stdout);
  const counted = (health) => said.findings.filter((found) => found.health === health).length;
  for (const health of ["ok", "warn", "fail"]) assert.equal(said[health], counted(health));
  assert.equal(code, said.fail ? 1 : 0, stdout);
  return { code, said, of: (about) => said.findings.filter((found) => found.about === about) };
}

/** One finding of that kind matches, and says what to do where something is wrong. */
function found({ of, said }, about, health, sentence) {
  const one = of(about).find((finding) => finding.health === health && sentence.test(finding.what));
  assert.ok(one, `${about} ${health} ${sentence} is not in ${JSON.stringify(said.findings, null, 1)}`);
  return one;
}

/** A port that a program holds which is not Docent. */
async function taken(t) {
  const server = net.createServer((socket) => socket.end("220 hello\r\n"));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  t.after(() => server.close());
  return `127.0.0.1:${server.address().port}`;
}

test("where all is well every line says so, and nothing has been made", async (t) => {
  const dir = path.join(await folder(t), "data");
  const at = ["--data", dir, "--store", dir, "--blob", path.join(dir, "blobs"), "--listen", "127.0.0.1:0"];
  const seen = await doctor(at);
  assert.equal(seen.code, 0, JSON.stringify(seen.said));
  found(seen, "options", "ok", /would take them/);
  found(seen, "sandbox", "ok", /seccomp.*rlimits/);
  found(seen, "sandbox", "ok", /a PDF document was read in it/);
  found(seen, "memory", "ok", /^\d+ MB$/);
  found(seen, "disk", "ok", /MB left of/);
  found(seen, "helpers", "ok", /^pdftotext \d/);
  found(seen, "database", "ok", /none yet/);
  found(seen, "models", "ok", /^none/);
  found(seen, "listen", "ok", /is free/);
  assert.equal(seen.of("clock").length, 1);
  assert.ok(!existsSync(dir));

  const { code, stdout } = await docent(["doctor", ...at]);
  assert.equal(code, 0);
  assert.match(stdout, /^ok {4}options {6}the service would take them\n/);
  assert.match(stdout, /\n\d+ ok, \d+ to look at, 0 wrong\n$/);
});

sqliteTest("beside a service that runs, the doctor knows it and changes nothing", async (t) => {
  const kb = await start(t, { blobFiles: true });
  await kb.agent({ files: { "a.txt": "The harbour opens at six in the morning." } });
  const before = (await readdir(kb.dir, { recursive: true })).sort();
  const seen = await doctor(["--data", kb.dir, "--listen", new URL(kb.url).host]);
  assert.equal(seen.code, 0, JSON.stringify(seen.said));
  found(seen, "database", "ok", /answers reads and writes/);
  found(seen, "blobs", "ok", /they belong to the database/);
  found(seen, "listen", "ok", new RegExp(`is served by process ${kb.child.pid}`));
  assert.equal(found(seen, "backups", "warn", /none was ever made/).to_do.includes("--backup"), true);
  assert.deepEqual((await readdir(kb.dir, { recursive: true })).sort(), before);
  await kb.expect(200, "GET", "/projects");
});

const wrong = [
  {
    name: "a port that another program holds",
    args: async (t) => ["--listen", await taken(t)],
    about: "listen",
    sentence: /is taken by another program/,
  },
  {
    name: "an address that this machine does not have",
    args: async () => ["--listen", "192.0.2.1:8080"],
    about: "listen",
    sentence: /cannot be had: Cannot assign requested address/,
  },
  {
    name: "an option that the service would refuse",
    args: async () => ["--workers", "many"],
    about: "options",
    sentence: /--workers is many/,
  },
  {
    name: "a file of options that names what there is not",
    args: async (t) => {
      const config = path.join(await folder(t), "docent.conf");
      await writeFile(config, "colour = red\n");
      return ["--config", config];
    },
    about: "options",
    sentence: /docent\.conf:1: unknown option colour/,
  },
  {
    name: "a block list that is not there",
    args: async () => ["--block-list", "/nonexistent/words"],
    about: "options",
    sentence: /\/nonexistent\/words/,
  },
  {
    name: "a data directory that is a file",
    args: async (t) => {
      const file = path.join(await folder(t), "data");
      await writeFile(file, "");
      return ["--data", file, "--store", file];
    },
    about: "disk",
    sentence: /is no directory/,
  },
  {
    name: "a bucket that nobody serves",
    args: async () => ["--blob", "s3://docs/x", "--s3-endpoint", "http://127.0.0.1:9", "--s3-key-id", "a"],
    env: { DOCENT_S3_SECRET: "b" },
    about: "blobs",
    sentence: /127\.0\.0\.1/,
  },
  {
    name: "a model server that nobody serves",
    args: async () => ["--model-url", "http://127.0.0.1:9/v1", "--model-name", "writer"],
    about: "models",
    sentence: /^writer \(chat\): /,
  },
  {
    name: "a place of backups that is something else",
    args: async () => ["--backup", "ftp://backups/here"],
    about: "backups",
    sentence: /is no place for backups/,
  },
  {
    name: "a key of another certificate",
    args: async (t) => {
      const [one, other] = [await certificate(t), await certificate(t)];
      const dir = await folder(t);
      await writeFile(path.join(dir, "cert.pem"), one.cert);
      await writeFile(path.join(dir, "key.pem"), other.key);
      return ["--tls-cert", path.join(dir, "cert.pem"), "--tls-key", path.join(dir, "key.pem")];
    },
    about: "certificate",
    sentence: /is not the key of/,
  },
];

for (const row of wrong)
  test(`the doctor finds ${row.name}`, async (t) => {
    const dir = await folder(t);
    const places = ["--data", dir, "--store", dir, "--blob", path.join(dir, "blobs"), "--listen", "127.0.0.1:0"];
    const seen = await doctor([...places, ...(await row.args(t))], { env: row.env });
    assert.equal(seen.code, 1);
    found(seen, row.about, "fail", row.sentence);
  });

test("a certificate is told of before it runs out, and when it has", async (t) => {
  const dir = await folder(t);
  const [cert, key, request] = ["cert.pem", "key.pem", "req.pem"].map((name) => path.join(dir, name));
  const fresh = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost"];
  await run("openssl", ["req", ...fresh, "-keyout", key, "-out", request]);
  for (const [days, health, sentence] of [
    [90, "ok", /good for (89|90) days/],
    [3, "warn", /runs out in [23] days/],
    [-1, "fail", /has run out/],
  ]) {
    await run("openssl", ["x509", "-req", "-in", request, "-signkey", key, "-days", String(days), "-out", cert]);
    const seen = await doctor(["--data", dir, "--listen", "127.0.0.1:0", "--tls-cert", cert, "--tls-key", key]);
    found(seen, "certificate", health, sentence);
  }
});

test("a bucket is read, written and cleared, and models are asked", async (t) => {
  const bucket = await new Bucket().open(t);
  const server = await models(t);
  const dir = await folder(t);
  const env = bucket.env("docs", "x");
  const args = ["--data", dir, "--store", dir, "--listen", "127.0.0.1:0"];
  const seen = await doctor([...args, "--model-url", server.url, "--model-name", "writer"], { env });
  assert.equal(seen.code, 0, JSON.stringify(seen.said));
  found(seen, "models", "ok", /^writer \(chat\) works in \d+ ms/);
  found(seen, "blobs", "ok", /^s3:\/\/docs\/x/);
  assert.ok(bucket.log.some((line) => line.startsWith("PUT docs/x/")));
  assert.equal(bucket.objects.size, 0);
  const bad = await doctor(args, { env: { ...env, DOCENT_S3_SECRET: "wrong" } });
  found(bad, "blobs", "fail", /signature/i);
  bucket.before = (ask) => ask.req.method === "PUT" && ask.refuse("AccessDenied");
  const readOnly = await doctor(args, { env });
  found(readOnly, "blobs", "fail", /./);
});

sqliteTest("a database of a newer program, or of another installation than the blobs, is named", async (t) => {
  const kb = await start(t, { blobFiles: true });
  const other = await start(t, { blobFiles: true });
  await kb.stop();
  await other.stop();
  const at = ["--data", kb.dir, "--listen", "127.0.0.1:0"];
  const mixed = await doctor([...at, "--blob", path.join(other.dir, "blobs")]);
  found(mixed, "blobs", "fail", /do not belong to this database/);
  const add = "INSERT INTO schema_migrations (version, name, applied_at) VALUES (99999, 'later', 0)";
  if (!(await runRows(kb.dir, add))) return t.skip("needs the sqlite3 program");
  const newer = await doctor(at);
  found(newer, "database", "fail", /has schema 99999, this program knows up to \d+/);
  await runRows(kb.dir, "DELETE FROM schema_migrations WHERE version = 99999");
  assert.equal((await doctor(at)).code, 0);
  await runRows(kb.dir, "DELETE FROM schema_migrations WHERE version = (SELECT max(version) FROM schema_migrations)");
  const older = await doctor(at);
  assert.equal(older.code, 0);
  found(older, "database", "warn", /of an older program/);
});
