// docent support: what a maintainer is sent says what is wrong, and holds no key, no secret, and no
// text of documents and visitors.
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync, statSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { inflateRawSync } from "node:zlib";
import { assert, docent, start, test } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";
import { folder, unique } from "./lib/util.mjs";

/** { name: text } of a ZIP file without surprises. */
function unpacked(file) {
  const bytes = readFileSync(file);
  const found = {};
  let at = bytes.readUInt32LE(bytes.length - 22 + 16);
  while (bytes.readUInt32LE(at) === 0x02014b50) {
    const [method, size] = [bytes.readUInt16LE(at + 10), bytes.readUInt32LE(at + 20)];
    const lengths = [28, 30, 32].map((offset) => bytes.readUInt16LE(at + offset));
    const name = bytes.toString("utf8", at + 46, at + 46 + lengths[0]);
    const local = bytes.readUInt32LE(at + 42);
    const begin = local + 30 + bytes.readUInt16LE(local + 26) + bytes.readUInt16LE(local + 28);
    const data = bytes.subarray(begin, begin + size);
    found[name] = (method === 8 ? inflateRawSync(data) : data).toString("utf8");
    at += 46 + lengths[0] + lengths[1] + lengths[2];
  }
  return found;
}

test("the packet of a service in use tells how it is, and none of its secrets and texts", async (t) => {
  const server = await models(t);
  const [token, secret, modelKey] = [1, 2, 3].map((n) => `${unique(700 + n)}${unique(800 + n)}`);
  const env = {
    DOCENT_METRICS_TOKEN: token,
    DOCENT_MODEL_URL: server.url,
    DOCENT_MODEL_NAME: "writer",
    DOCENT_MODEL_KEY: modelKey,
    DOCENT_S3_SECRET: secret,
    DOCENT_S3_KEY_ID: unique(900),
  };
  const kb = await start(t, { env, args: ["--log", "debug"] });
  const word = unique(41);
  const agent = await kb.agent({
    project_name: unique(43),
    files: { "harbour.txt": `The harbour of ${word} opens at six in the morning.` },
  });
  await agent.ask(`When does the harbour of ${word} open, asks ${unique(42)}?`);
  const dir = await folder(t);
  const [out, log] = [path.join(dir, "packet.zip"), path.join(dir, "docent.log")];
  const stamp = new Date().toISOString().replace("Z", "000Z");
  const lines = [
    `Nov 27 host other[7]: the harbour of ${word}, Bearer ${kb.key}`,
    `${stamp} debug asked prompt="the harbour of ${word}"`,
    `${stamp} info  key=${kb.key} t=${token}`,
  ];
  await writeFile(log, `${kb.log}${lines.join("\n")}\n`);

  const made = await docent(
    ["support", "--out", out, "--log-file", log, "--data", kb.dir, "--listen", new URL(kb.url).host],
    { env: { ...env, ...kb.places() } },
  );
  assert.equal(made.code, 0, made.stderr);
  assert.match(made.stdout, /packet\.zip\nLook through it before you send it\.\n$/);
  assert.equal(statSync(out).mode & 0o777, 0o600);
  const files = unpacked(out);
  assert.deepEqual(Object.keys(files).sort(), [
    "README.txt",
    "about.json",
    "doctor.json",
    "log.txt",
    "metrics.txt",
    "options.json",
  ]);

  const about = JSON.parse(files["about.json"]);
  assert.match(about.docent, /^\d+\.\d+\.\d+$/);
  assert.equal(about.rows.agents, 1);
  assert.equal(about.rows.messages >= 1, true, files["about.json"]);
  const options = Object.fromEntries(JSON.parse(files["options.json"]).map((row) => [row.name, row]));
  assert.deepEqual(options["model-key"], { name: "model-key", value: "(not shown)", from: "DOCENT_MODEL_KEY" });
  assert.deepEqual(options["data"], { name: "data", value: kb.dir, from: "flag" });
  assert.ok(JSON.parse(files["doctor.json"]).findings.length > 10);
  assert.match(files["metrics.txt"], /^docent_documents_indexed_total 1$/m);
  assert.match(files["log.txt"], / info {2}documents indexed /);
  assert.match(files["log.txt"], / info {2}key=\d+\|\(removed\) t=\(removed\)$/m);
  assert.ok(!/ debug /.test(files["log.txt"]));

  const all = Object.values(files).join("\n");
  const [, keyWord] = kb.key.split("|");
  for (const hidden of [
    keyWord,
    token,
    secret,
    modelKey,
    env.DOCENT_S3_KEY_ID,
    word,
    unique(42),
    unique(43),
    "harbour",
  ])
    assert.ok(!all.includes(hidden), `${hidden} is in the packet`);
});

test("a packet is made where nothing runs and options are wrong, and no file is overwritten", async (t) => {
  const dir = await folder(t);
  const out = path.join(dir, "packet.zip");
  const bad = ["support", "--out", out, "--data", dir, "--colour", "red"];
  assert.equal((await docent(bad)).code, 0);
  const files = unpacked(out);
  assert.match(files["doctor.json"], /unknown option --colour/);
  assert.match(files["options.json"], /unknown option --colour/);
  assert.match(files["metrics.txt"], /^# /);
  const before = readFileSync(out);
  const again = await docent(bad);
  assert.equal(again.code, 1);
  assert.match(again.stderr, /packet\.zip: File already exists/);
  assert.deepEqual(readFileSync(out), before);
  const missing = await docent(["support", "--out", path.join(dir, "b.zip"), "--log-file", "/nonexistent/log"]);
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /\/nonexistent\/log/);
  assert.ok(!existsSync(path.join(dir, "b.zip")));
});

test("a packet opens with other programs", async (t) => {
  const dir = await folder(t);
  const out = path.join(dir, "packet.zip");
  assert.equal((await docent(["support", "--out", out, "--data", path.join(dir, "data")])).code, 0);
  const python = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.namelist()))";
  try {
    assert.equal(execFileSync("python3", ["-c", python, out], { encoding: "utf8" }), "None 5\n");
  } catch (error) {
    if (error.code === "ENOENT") return t.skip("needs python3");
    throw error;
  }
});
