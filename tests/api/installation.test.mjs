// A database and its blobs belong together: a start with a database that is empty, gone or another
// one is refused before anything is lost, and the right one brings everything back.
import { cp, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, start, test } from "./lib/harness.mjs";

const files = Object.fromEntries(
  Array.from({ length: 6 }, (_, i) => [
    `pump-${i}.txt`,
    `The Heron-${i} pump costs ${400 + i} euros and weighs ${10 + i} kilograms.\n`,
  ]),
);

/** A server whose store and blobs are in directories of their own, with documents; then stopped. */
async function stopped(t) {
  const kb = await start(t, { key: false });
  const [store, blob] = ["store", "blob"].map((name) => path.join(kb.dir, name));
  await kb.stop();
  kb.args = ["--store", store, "--blob", blob];
  await kb.restart();
  kb.key = (await docent(["key", "create", "--data", kb.dir, ...kb.args])).stdout.trim();
  const agent = await kb.agent({ files });
  assert.equal(await kb.stop(), 0);
  return Object.assign(kb, { store, blob, agent });
}

/** Every file under the directory, except the trash's. */
async function filesIn(dir) {
  const all = await readdir(dir, { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
    .sort();
}

async function refused(kb, pattern, args = kb.args) {
  const before = await filesIn(kb.blob);
  const { code, stderr } = await docent(["serve", "--data", kb.dir, "--listen", "127.0.0.1:0", ...args], {
    ms: 10_000,
  });
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^docent: [^\n]+\n$/, "one sentence");
  assert.match(stderr, pattern);
  assert.deepEqual(await filesIn(kb.blob), before, "not a blob is gone");
}

async function answersAll(kb) {
  await kb.restart();
  for (const [name, text] of Object.entries(files)) {
    const page = await kb.agent.page(name);
    const answer = await kb.agent.ask(`How much does the Heron-${name.match(/\d/)[0]} pump cost?`);
    assert.deepEqual(answer.citations, [page.id], answer.llm_response);
    const original = await kb.api("GET", `/preview/${page.id}`);
    assert.deepEqual([original.status, original.text], [200, text]);
  }
}

test("a store that is not mounted does not start, and loses nothing", async (t) => {
  const kb = await stopped(t);
  await rename(kb.store, `${kb.store}.away`);
  await refused(kb, /holds no database, but the blobs in .* have one: put it back/);
  await mkdir(kb.store, { recursive: true });
  await refused(kb, /put it back/);
  const key = await docent(["key", "create", "--data", kb.dir, ...kb.args]);
  assert.equal(key.code, 1);
  assert.match(key.stderr, /put it back/);
  assert.deepEqual((await readdir(kb.store)).sort(), [], "no second database was begun");
  await rm(kb.store, { recursive: true });
  await rename(`${kb.store}.away`, kb.store);
  await answersAll(kb);
});

test("a database cut to nothing does not start, is not called sound, and loses nothing", async (t) => {
  const kb = await stopped(t);
  const database = path.join(kb.store, "docent.db");
  await cp(database, `${database}.away`);
  await truncate(database, 0);
  const check = await docent(["check", "--data", kb.dir, ...kb.args]);
  assert.equal(check.code, 1);
  assert.ok(!/sound/.test(check.stdout));
  await refused(kb, /put it back/);
  await rename(`${database}.away`, database);
  await answersAll(kb);
});

test("an empty database of its own is another installation, and check says so", async (t) => {
  const kb = await stopped(t);
  const other = path.join(kb.dir, "other");
  const args = ["--store", other, "--blob", kb.blob];
  assert.equal((await docent(["key", "create", "--data", path.join(kb.dir, "elsewhere"), "--store", other])).code, 0);
  await refused(kb, /belong to another installation .* docent adopt/, args);
  const check = await docent(["check", ...args]);
  assert.equal(check.code, 1);
  assert.match(check.stdout, /not marked as belonging together/);
  assert.match(check.stdout, /(\d+) of \1 blobs are named by no row/);
  const adopted = await docent(["adopt", ...args]);
  assert.equal(adopted.code, 1);
  assert.match(adopted.stderr, /names none of the \d+ blobs .* --discard/);
  await answersAll(kb);
});

test("blobs that are not mounted do not start", async (t) => {
  const kb = await stopped(t);
  await rename(kb.blob, `${kb.blob}.away`);
  await mkdir(kb.blob);
  await refused(kb, /names \d+ blobs, and .* is empty: put them back/);
  await rm(kb.blob, { recursive: true });
  await rename(`${kb.blob}.away`, kb.blob);
  await answersAll(kb);
});

test("blobs without their mark need the operator's word", async (t) => {
  const kb = await stopped(t);
  await rm(path.join(kb.blob, "installation"));
  await refused(kb, /lost the mark of their installation.*docent adopt/);
  const adopted = await docent(["adopt", "--data", kb.dir, ...kb.args]);
  assert.equal(adopted.code, 0, adopted.stderr);
  assert.match(adopted.stdout, /\d+ blobs are named, 0 of them are missing/);
  assert.match(await readFile(path.join(kb.blob, "installation"), "utf8"), /^[0-9a-f]{32}\n$/);
  await answersAll(kb);
});

test("adopt finds the data as serve does", async (t) => {
  const kb = await stopped(t);
  assert.equal((await docent(["adopt", "--colour"])).code, 2);
  await writeFile(path.join(kb.dir, "docent.ini"), `store = ${kb.store}\nblob = ${kb.blob}\n`);
  assert.equal((await docent(["adopt", "--config", path.join(kb.dir, "docent.ini")])).code, 0);
  const none = await docent(["adopt", "--data", path.join(kb.dir, "nowhere")]);
  assert.deepEqual([none.code, none.stdout], [1, ""]);
  assert.match(none.stderr, /there is no database/);
  await answersAll(kb);
});
