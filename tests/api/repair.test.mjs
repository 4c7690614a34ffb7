// A damaged index file costs no answers for long: the agent goes on with its other documents, says
// so, and the file is made anew from the stored texts; no document is read again for it.
import { open, readdir, readFile, rm, truncate, writeFile } from "node:fs/promises";
import path from "node:path";
import { counted, figure } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";

const names = ["walrus", "narwhal", "tapir", "lemur"];
const text = (name) => `The ${name} engine was designed in the year ${1900 + name.length} by Miriam ${name}.\n`;
const question = (name) => `In which year was the ${name} engine designed?`;

async function blobs(kb) {
  const all = await readdir(path.join(kb.dir, "blobs"), { recursive: true, withFileTypes: true });
  return all
    .filter((entry) => entry.isFile() && entry.name.length === 64)
    .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name));
}

async function withHandle(file, fn) {
  const handle = await open(file, "r+");
  try {
    return await fn(handle);
  } finally {
    await handle.close();
  }
}

/** Files of the index: segments, columns and models begin with a magic of theirs. */
async function indexFiles(kb, magic = "KBSEG") {
  const found = [];
  for (const file of await blobs(kb))
    if (
      (await withHandle(file, async (handle) => (await handle.read(Buffer.alloc(5), 0, 5, 0)).buffer.toString())) ===
      magic
    )
      found.push(file);
  return found.sort();
}

/** The segment that holds the document: only its own passages have the name in their title. */
async function segmentOf(kb, name) {
  for (const file of await indexFiles(kb)) if ((await readFile(file)).includes(name)) return file;
  return assert.fail(`no segment holds ${name}`);
}

/** Of the first byte from the middle on that is none of the zeros between sections. */
const flip = (file) =>
  withHandle(file, async (handle) => {
    const bytes = await handle.readFile();
    let at = Math.floor(bytes.length / 2);
    while (bytes[at] === 0) at++;
    await handle.write(Buffer.from([bytes[at] ^ 1]), 0, 1, at);
  });
const cut = (file) => withHandle(file, async (handle) => handle.truncate(Math.floor((await handle.stat()).size / 2)));
const kinds = {
  "a flipped bit": flip,
  "a file that is cut": cut,
  "an empty file": (file) => truncate(file, 0),
  "a file that is gone": rm,
};

/** An agent with a segment a document. */
async function agentWithSegments(kb, fields = {}) {
  const agent = await kb.agent({ files: { [`${names[0]}.txt`]: text(names[0]) }, ...fields });
  for (const name of names.slice(1)) await agent.add({ [`${name}.txt`]: text(name) });
  return agent;
}

const stateOf = async (agent) => (await agent.expect(200, "GET")).index_state;

async function answersAll(agent) {
  for (const name of names) {
    const message = await agent.ask(question(name));
    assert.deepEqual(await agent.sources(message), [`${name}.txt`], `${name}: ${message.llm_response}`);
  }
}

const repaired = (kb, agent) =>
  until(
    "the index to be repaired",
    async () =>
      (await stateOf(agent)) === "ok" && (await kb.api("GET", "/readyz", { key: null })).json.status === "ready",
    20_000,
    50,
  );

for (const [kind, damage] of Object.entries(kinds)) {
  test(`${kind} among the segments is made anew after a start`, async (t) => {
    const kb = await start(t, { blobFiles: true });
    const agent = await agentWithSegments(kb);
    const pages = await agent.pages();
    await kb.stop();
    const files = await indexFiles(kb);
    assert.equal(files.length, names.length);
    await damage(files[1]);
    await kb.restart();
    for (const name of names) await agent.ask(question(name)); // whatever it knows, it answers
    await repaired(kb, agent);
    await answersAll(agent);
    const seen = (list) => list.map(({ id, index_status, updated_at }) => [id, index_status, updated_at]);
    assert.deepEqual(seen(await agent.pages()), seen(pages), "no document was read again");
    await counted(kb, { documents_indexed_total: 0, segments_repaired_total: 1 });
    await kb.stop();
    const check = await kb.cli("check");
    assert.equal(check.code, 0, check.stdout);
  });
}

test("all index files gone: everything is answered again, uploads without originals too", async (t) => {
  const kb = await start(t, { blobFiles: true });
  const agent = await agentWithSegments(kb, { file_data_retension: "false" });
  await kb.stop();
  for (const file of await indexFiles(kb)) await rm(file);
  await kb.restart();
  await agent.ask(question(names[0]));
  await repaired(kb, agent);
  await answersAll(agent);
  await counted(kb, { documents_repaired_total: names.length });
});

test("a damage met by a question of a running server is mended, and so are kills in between", async (t) => {
  const kb = await start(t, { blobFiles: true });
  const agent = await agentWithSegments(kb);
  await answersAll(agent);
  // The stored texts of the passages: what an answer quotes.
  for (const file of await indexFiles(kb)) {
    await flip(file);
    const found = await agent.api("POST", "/search", { json: { query: "engine designed" } });
    assert.ok([200, 500].includes(found.status), found.text);
  }
  await kb.kill9();
  await kb.restart();
  await agent.ask(question(names[0]));
  await kb.kill9();
  await kb.restart();
  await until(
    "every answer",
    async () => {
      for (const name of names) if ((await agent.ask(question(name))).citations?.length !== 1) return false;
      return true;
    },
    90_000,
    200,
  );
  await repaired(kb, agent);
  await answersAll(agent);
});

test("a text that is gone too is read anew from its original, or its document fails with a reason", async (t) => {
  const kb = await start(t, { blobFiles: true });
  const kept = await agentWithSegments(kb);
  const unkept = await kb.agent({ files: { "dodo.txt": text("dodo") }, file_data_retension: "false" });
  await kb.stop();
  for (const file of await blobs(kb)) {
    const bytes = await withHandle(file, (handle) => handle.readFile());
    if (bytes.toString().startsWith("{") || bytes.toString().startsWith("KB")) await rm(file);
  }
  const check = await kb.cli("check");
  assert.equal(check.code, 1);
  assert.match(
    check.stdout,
    new RegExp(`^segment \\d+ of agent ${kept.id} is damaged \\(blob [0-9a-f]{64}\\); it is made anew`, "m"),
  );
  await kb.restart();
  await until(
    "the documents to be read again",
    async () =>
      (await stateOf(kept)) === "ok" &&
      (await stateOf(unkept)) === "ok" &&
      (await kept.pages({ index_status: "queued" })).length === 0,
    20_000,
    50,
  );
  await answersAll(kept);
  const [page] = await unkept.pages();
  assert.equal(page.index_status, "failed");
  assert.match(page.status_reason, /text was damaged on this server, and its original is not kept; upload it again/);
  await kb.stop();
  assert.equal((await kb.cli("check")).code, 0);
});

test("while it is repaired the agent says so, and so does readyz", async (t) => {
  const kb = await start(t, { args: ["--open-agents", "1"], blobFiles: true });
  const agent = await agentWithSegments(kb);
  const other = await kb.agent({ files: { "dodo.txt": text("dodo") } });
  // A repair that has to wait: a text is gone, and the blobs do not seem to be ours.
  const mark = path.join(kb.dir, "blobs", "installation");
  const texts = [];
  for (const file of await blobs(kb))
    if ((await readFile(file, "utf8")).startsWith("{") && (await readFile(file, "utf8")).includes(names[0]))
      texts.push(file);
  const kept = await readFile(mark);
  await writeFile(mark, `${"0".repeat(32)}\n`);
  for (const file of [...texts, await segmentOf(kb, names[0])]) await rm(file);
  await other.ask(question("dodo")); // closes the first
  for (const name of names.slice(1))
    assert.deepEqual(await agent.sources(await agent.ask(question(name))), [`${name}.txt`]);
  assert.equal(await stateOf(agent), "repairing");
  assert.equal(await stateOf(other), "ok");
  const ready = await kb.api("GET", "/readyz", { key: null });
  assert.deepEqual([ready.status, ready.json], [200, { status: "degraded", agents_repairing: 1 }]);
  await counted(kb, { agents_repairing: 1 });
  await until("a try that fails", async () => (await figure(kb, "repairs_failed_total")) >= 1);
  assert.equal((await agent.page(`${names[0]}.txt`)).index_status, "ok", "no document is given up for it");
  await writeFile(mark, kept);
  await repaired(kb, agent);
  await agent.settled();
  await answersAll(agent);
});
