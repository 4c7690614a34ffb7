// Every release reads the data of every older one. A data directory of each is kept in
// tests/fixtures/data (scripts/data-fixture.mjs makes one, before a release); the first is from before there
// were releases.
import { execFile } from "node:child_process";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { assert, docent, start, test } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { Agent, root } from "./lib/service.mjs";
import { folder } from "./lib/util.mjs";

const kept = path.join(root, "tests/fixtures/data");

/** All that was put into it is there. */
async function isAll(t, facts, env) {
  const kb = await start(t, { env, key: false });
  kb.key = facts.key;
  const agent = new Agent(kb, facts.agent, facts.key);
  const { llm_response } = await agent.ask("How long does the warranty of the kettle last?");
  assert.match(llm_response, /27 months/);
  const gone = await agent.ask("Is the toaster still sold?");
  assert.doesNotMatch(gone.llm_response, /no longer sold/, "what was deleted stays so");
  assert.deepEqual((await agent.pages()).map(({ filename }) => filename).sort(), ["kettle.txt", "returns.md"]);
  const original = await kb.api("GET", `/preview/${(await agent.page("returns.md")).id}`);
  assert.match(original.text, /within 30 days/);
  const talk = JSON.stringify(await agent.expect(200, "GET", "/conversations/first/messages"));
  assert.match(talk, /Who painted the ceiling/);
  assert.match(talk, /Nobody knows – noch nicht/);
  assert.match(JSON.stringify(await agent.expect(200, "GET", "/labels")), /Ärzte/);
  await agent.add({ "new.txt": "The new kettle costs 31 euros.\n" });
  assert.match((await agent.ask("What does the new kettle cost?")).llm_response, /31 euros/);
  const second = new Agent(kb, facts.second, facts.key);
  assert.match((await second.ask("When does the shop open?")).llm_response, /nine/);
  await agent.expect(200, "DELETE", `/pages/${(await agent.page("new.txt")).id}`);
  assert.equal(await kb.stop(), 0);
}

async function isSound(store, blob) {
  const checked = await docent(["check", "--store", store, "--blob", blob]);
  assert.equal(checked.code, 0, checked.stdout + checked.stderr);
}

for (const name of (await readdir(kept)).sort())
  test(`data of ${name.replace(".tar.gz", "")} is read, on SQLite and moved to PostgreSQL`, async (t) => {
    const dir = await folder(t);
    await promisify(execFile)("tar", ["-xzf", path.join(kept, name), "-C", dir]);
    const facts = JSON.parse(await readFile(path.join(dir, "facts.json"), "utf8"));
    const data = path.join(dir, "data");
    const blobs = path.join(data, "blobs");
    await isAll(t, facts, { DOCENT_STORE: data, DOCENT_BLOB: blobs });
    await isSound(data, blobs);
    const { url } = await database();
    const moved = await docent(["move", "--from", data, "--to", url]);
    assert.equal(moved.code, 0, moved.stderr);
    await isAll(t, facts, { DOCENT_STORE: url, DOCENT_BLOB: blobs });
    await isSound(url, blobs);
  });
