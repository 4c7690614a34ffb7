// Documents that are locked with a password: opened once, kept without it, and the password nowhere.
import { readFileSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";

const locked = (name) => readFileSync(new URL(`../fixtures/locked/${name}`, import.meta.url));
const PASSWORD = "schlüssel";

const unlock = (agent, page, password) => agent.api("POST", `/pages/${page.id}/unlock`, { json: { password } });
const isRead = (agent, name) =>
  until(`${name} to be read`, async () => (await agent.page(name)).index_status === "ok", 60_000);

/** Every file below a folder. */
function* filesBelow(folder) {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name);
    const stat = statSync(path);
    if (stat.isDirectory()) yield* filesBelow(path);
    else if (stat.isFile()) yield path;
  }
}

test("a locked document is opened by its password, found, shown, and read again without it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: { "plan.pdf": locked("aes-256.pdf"), "old.pdf": locked("rc4-40.pdf"), "letter.docx": locked("agile.docx") },
  });
  for (const name of ["plan.pdf", "old.pdf", "letter.docx"]) {
    const page = await agent.page(name);
    assert.equal(page.index_status, "failed");
    assert.equal(page.reason_code, "locked");
    // A wrong one says so, and nothing is lost.
    const wrong = await unlock(agent, page, "Schlüssel");
    assert.equal(wrong.status, 400);
    assert.equal(wrong.headers["docent-reason"], "password_wrong");
    assert.deepEqual(await agent.page(name), page);
    assert.deepEqual((await unlock(agent, page, PASSWORD)).json.data, { updated: true });
    await isRead(agent, name);
    const found = await agent.expect(200, "POST", "/search", { json: { query: "taken back within 30 days" } });
    assert.ok(JSON.stringify(found).includes("Goods are taken back within 30 days"), JSON.stringify(found));
  }
  // What is kept can be drawn, and read again, without anybody's password.
  const plan = await agent.page("plan.pdf");
  const drawn = await agent.api("GET", `/pages/${plan.id}/view/1`);
  assert.equal(drawn.status, 200);
  await agent.expect(200, "POST", "/content/change", { json: { action: "reindex", page_ids: [plan.id] } });
  await isRead(agent, "plan.pdf");
  // The password is in no file of the service, its log included.
  for (const path of filesBelow(kb.dir)) assert.equal(readFileSync(path).indexOf(PASSWORD), -1, path);
  assert.ok(!kb.log.includes(PASSWORD));
  // It is open: there is nothing more to open.
  assert.equal((await unlock(agent, plan, PASSWORD)).headers["docent-reason"], "unlock_not");
});

test("what is not locked, or cannot be opened here, is refused with what helps", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: { "plan.pdf": locked("aes-128.pdf"), "note.md": "The berth is the ninth." },
  });
  const plan = await agent.page("plan.pdf");
  const reason = async (page, password) => {
    const reply = await unlock(agent, page, password);
    return [reply.status, reply.headers["docent-reason"]];
  };
  assert.deepEqual(await reason(await agent.page("note.md"), PASSWORD), [400, "unlock_not"]);
  assert.deepEqual(await reason(plan, ""), [400, "field_empty password"]);
  assert.deepEqual(await reason(plan, "x".repeat(257)), [400, "field_long password 257 256"]);
  assert.equal((await unlock(agent, { id: 999999 }, PASSWORD)).status, 404);
  // Who may do all with it has another password, and that opens it too.
  assert.equal((await unlock(agent, plan, "owner")).status, 200);
  await isRead(agent, "plan.pdf");
});
