// Reads in the audit log: from which level on which of them leave a row, and that none does unless it is asked for.
import { counted, figure } from "./lib/figures.mjs";
import { assert, docent, start, test } from "./lib/harness.mjs";
import { invited } from "./lib/people.mjs";

const READS = ["audit.export", "conversation.export", "conversation.read", "document.read"];
const rows = async (kb) =>
  (await kb.expect(200, "GET", "/audit", { query: { limit: 100 } })).data.filter((row) => READS.includes(row.action));

/** An agent with a document that has a label and one that has none, and a conversation. */
async function scene(kb) {
  const agent = await kb.agent({
    files: { "open.txt": "The shop opens at nine.", "closed.txt": "The vault opens at ten." },
  });
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  const [open, closed] = [await agent.page("open.txt"), await agent.page("closed.txt")];
  await agent.expect(200, "PUT", `/pages/${closed.id}/labels`, { json: { label_ids: [label.id] } });
  const { session_id: session } = await agent.expect(201, "POST", "/conversations", { json: {} });
  const said = { json: { prompt: "When does the shop open?" } };
  const { id: message } = await agent.expect(200, "POST", `/conversations/${session}/messages`, said);
  return { agent, open, closed, session, message };
}

/** Everything that can be read of it, once. */
async function readsAll(kb, { agent, open, closed, session, message }) {
  for (const { id } of [open, closed]) {
    await agent.expect(200, "GET", `/pages/${id}/text`);
    await agent.expect(200, "GET", `/pages/${id}/passages`);
    await agent.expect(200, "GET", `/pages/${id}/metadata`);
    assert.equal((await kb.api("GET", `/preview/${id}`)).status, 200);
  }
  await agent.expect(200, "GET", "/conversations");
  await agent.expect(200, "GET", `/conversations/${session}/messages`);
  await agent.expect(200, "GET", `/conversations/${session}/messages/${message}`);
  assert.equal((await agent.api("GET", `/conversations/${session}/export`, { query: { format: "csv" } })).status, 200);
  assert.equal((await kb.api("GET", "/audit", { query: { format: "csv" } })).status, 200);
  // What is not there is not read.
  assert.equal((await agent.api("GET", "/conversations/none/messages")).status, 404);
  assert.equal((await agent.api("GET", "/pages/99999999/text")).status, 404);
}

const exported = ["audit.export", "conversation.export"];
const conversed = [...exported, "conversation.read", "conversation.read"];
for (const [level, wanted] of [
  ["none", []],
  ["exports", exported],
  ["conversations", conversed],
  ["all", [...conversed, "document.read", "document.read", "document.read"]],
])
  test(`with --audit-reads ${level} these leave a row: ${wanted.join(", ") || "none"}`, async (t) => {
    const kb = await start(t, { args: level === "none" ? [] : ["--audit-reads", level] });
    const all = await scene(kb);
    await readsAll(kb, all);
    const kept = await rows(kb);
    assert.deepEqual(kept.map((row) => row.action).sort(), wanted);
    for (const row of kept) {
      assert.equal(row.key_id, Number(kb.key.split("|")[0]));
      assert.equal(row.outcome, "done");
      if (row.action !== "audit.export") assert.equal(row.project_id, all.agent.id);
      if (row.action === "document.read") assert.equal(row.object, `document ${all.closed.id}`);
      if (/^conversation/.test(row.action))
        assert.ok([`conversation ${all.session}`, `message ${all.message}`].includes(row.object), row.object);
    }
    const verified = await docent(["audit", "verify", "--data", kb.dir], { env: kb.places() });
    assert.match(verified.stdout, / 0 findings/);
  });

test("one's own conversation is nobody's read, and who may see others' leaves a row with their name", async (t) => {
  const kb = await start(t, { args: ["--audit-reads", "conversations"] });
  const { agent, session } = await scene(kb);
  const asker = await invited(kb, { name: "Ann", agents: [{ project_id: agent.id, rights: ["ask"] }] });
  const reader = await invited(kb, { name: "Rea", agents: [{ project_id: agent.id, rights: ["conversations"] }] });
  const [ann, rea] = [asker.asking, reader.asking];
  const path = `/projects/${agent.id}/conversations`;
  const mine = await kb.expect(201, "POST", path, { ...ann, json: {} });
  await kb.expect(200, "POST", `${path}/${mine.session_id}/messages`, {
    ...ann,
    json: { prompt: "When does the shop open?" },
  });
  await kb.expect(200, "GET", `${path}/${mine.session_id}/messages`, ann);
  assert.equal((await kb.api("GET", `${path}/${session}/messages`, ann)).status, 404);
  assert.deepEqual(await rows(kb), [], "her own, and one that she may not see");
  await kb.expect(200, "GET", `${path}/${mine.session_id}/messages`, rea);
  const [row, ...more] = await rows(kb);
  assert.deepEqual(more, []);
  assert.deepEqual(
    [row.action, row.person_id, row.object],
    ["conversation.read", reader.id, `conversation ${mine.session_id}`],
  );
});

test("reads cost no write while they leave no row", async (t) => {
  const kb = await start(t);
  const { agent, session, closed } = await scene(kb);
  const reads = async () => {
    await agent.expect(200, "GET", `/conversations/${session}/messages`);
    await agent.expect(200, "GET", `/pages/${closed.id}/text`);
  };
  await reads();
  const before = await figure(kb, "store_writes_total");
  for (let i = 0; i < 30; i++) await reads();
  // Leases and the node's signs of life are written now and then.
  await counted(kb, { store_writes_total: (n) => n - before < 20 });
});

test("a level that there is none of is refused", async (t) => {
  const { code, stderr } = await docent(["serve", "--audit-reads", "some"]);
  assert.equal(code, 2);
  assert.match(stderr, /--audit-reads is some; it must be none, exports, conversations or all/);
});
