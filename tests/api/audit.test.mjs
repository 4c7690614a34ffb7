// The audit log: a row for each change, by whom and to what, in chains that show what was done to them.
import { readFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { invited, signedIn } from "./lib/people.mjs";
import { fill, rightBody, rightQuery } from "./lib/requests.mjs";
import { changeRows } from "./lib/rows.mjs";
import { furnished } from "./lib/scene.mjs";
import { root } from "./lib/service.mjs";

const rows = async (kb, query = {}) =>
  (await kb.expect(200, "GET", "/audit", { query: { limit: 100, ...query } })).data;

const verify = async (kb) => (await docent(["audit", "verify", "--data", kb.dir], { env: kb.places() })).stdout;

/** Asking is no change: it begins conversations, likes an answer, has it checked. */
const ASKING = new Set([
  "POST /api/v1/projects/{projectId}/conversations",
  "PUT /api/v1/projects/{projectId}/conversations/{sessionId}",
  "PUT /api/v1/projects/{projectId}/conversations/{sessionId}/messages/{messageId}/feedback",
  "POST /api/v1/projects/{projectId}/conversations/{sessionId}/messages/{messageId}/verify",
]);
/** What a row of the table says of itself in its description: it writes. */
const writes = ({ method, path: of, operation }) =>
  method !== "GET" &&
  !operation.security &&
  !/\/(search|warm|embeddings|messages|trials|chat\/completions|chat-completions)$/.test(of) &&
  !of.startsWith("/mcp/");
const last = new Set(["DELETE /api/v1/projects/{projectId}", "DELETE /api/v1/keys/{keyId}"]);

test("every route that changes something leaves one row, and asking leaves none", async (t) => {
  const kb = await start(t);
  const scene = await furnished(kb, { name: "Mine", versions: 1 });
  const description = await kb.description();
  const named = (route) => `${route.method} ${route.path}`;
  const routes = scene.operations.filter(writes);
  // What ends others comes behind them.
  const place = (route) => (last.has(named(route)) ? 2 : route.method === "DELETE" ? 1 : 0);
  routes.sort((a, b) => place(a) - place(b));
  assert.ok(routes.length > 40, `${routes.length}`);
  const before = async () => (await kb.expect(200, "GET", "/audit", { query: { limit: 1 } })).total;
  let count = await before();
  for (const route of routes) {
    const reply = await kb.api(route.method, fill(route.path, scene.ids), {
      query: rightQuery(route.operation),
      json: rightBody(description, route.operation),
    });
    const now = await before();
    const wanted = reply.status < 300 && !ASKING.has(named(route)) ? 1 : 0;
    const [row] = await rows(kb);
    // What a person alone may do is refused to a key: that is kept too.
    if (reply.status === 403 && row.outcome === "refused") assert.equal(now - count, 1, named(route));
    else assert.equal(now - count, wanted, `${named(route)}: ${reply.status} ${reply.text.slice(0, 200)}`);
    if (wanted) {
      assert.equal(row.outcome, "done", named(route));
      assert.equal(row.key_id, Number(kb.key.split("|")[0]));
      assert.match(row.action, /^[a-z]+\.[a-z]+$/);
      assert.equal(row.request_id, reply.headers["x-request-id"]);
      assert.equal(row.address, "127.0.0.1");
      assert.ok(row.object || /^(account|session)/.test(row.action), `${named(route)}: ${JSON.stringify(row)}`);
    }
    count = now;
  }
});

test("a row says who it was, what was sent, and how it was before; secrets are not in it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Before" });
  await agent.expect(200, "POST", "", { json: { project_name: "After" } });
  const [renamed] = await rows(kb);
  assert.deepEqual(
    [renamed.action, renamed.object, renamed.project_id],
    ["agent.update", `agent ${agent.id}`, agent.id],
  );
  assert.deepEqual(renamed.changes, { project_name: ["Before", "After"] });
  await agent.expect(200, "POST", "/settings", { json: { persona_instructions: "Be kind." } });
  assert.equal((await rows(kb))[0].changes.persona_instructions[1], "Be kind.");
  const ann = await invited(kb, { name: "Ann", agents: [{ project_id: agent.id, rights: ["manage"] }] });
  await kb.expect(200, "PUT", `/people/${ann.id}`, { json: { role: "auditor" } });
  assert.deepEqual((await rows(kb))[0].changes, { role: ["member", "auditor"] });
  await agent.expect(200, "POST", "", { ...ann.asking, json: { project_name: "Ann's" } });
  const [hers] = await rows(kb);
  assert.deepEqual([hers.person_id, hers.key_id], [ann.id, null]);
  assert.equal((await kb.api("DELETE", `/people/${ann.id}`, ann.asking)).status, 403);
  const [refused] = await rows(kb, { person_id: ann.id });
  assert.deepEqual([refused.action, refused.outcome], ["person.remove", "refused"]);
  // Sign-ins by a key: neither the key nor a link is kept.
  const made = await kb.expect(201, "POST", "/keys", { json: { name: "one" } });
  assert.equal((await rows(kb))[0].object, `key ${made.id}`);
  await signedIn(kb, { key: made.key });
  const [entered] = await rows(kb);
  assert.deepEqual([entered.action, entered.key_id], ["session.begin", made.id]);
  const all = (await kb.api("GET", "/audit", { query: { limit: 100 } })).text;
  for (const secret of [made.key.split("|")[1], kb.key.split("|")[1], ann.cookie.split("=")[1]])
    assert.ok(!all.includes(secret));
  // An address is kept without what opens it.
  await agent.api("POST", "/sources", { json: { sitemap_path: "https://ann:hunter2@docent.invalid/map.xml" } });
  assert.ok(!(await kb.api("GET", "/audit", { query: { limit: 100 } })).text.includes("hunter2"));
});

test("what fails changes nothing and leaves no row", async (t) => {
  const kb = await start(t);
  const count = (await rows(kb)).length;
  assert.equal((await kb.api("POST", "/people", { json: { name: "" } })).status, 400);
  assert.equal((await kb.api("DELETE", "/people/987654")).status, 404);
  assert.equal((await kb.api("GET", "/audit", { query: { start_date: "soon" } })).status, 400);
  assert.equal((await rows(kb)).length, count);
});

test("the log is asked by action, person, key, agent and time, and taken along as CSV", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "=HYPERLINK(1)" });
  const other = await kb.agent();
  await agent.expect(200, "POST", "", { json: { project_name: "B" } });
  const actions = async (query) => (await rows(kb, query)).map((row) => row.action);
  assert.deepEqual(await actions({ project_id: agent.id }), ["agent.update"]);
  assert.deepEqual(await actions({ action: "agent." }), ["agent.update", "agent.create", "agent.create"]);
  assert.deepEqual(await actions({ action: "agent.create", limit: 1 }), ["agent.create"]);
  assert.deepEqual(await actions({ person_id: 1 }), []);
  assert.deepEqual(await actions({ start_date: "2100-01-01" }), []);
  // A day belongs to the log whole, as to a report.
  const [{ at }] = await rows(kb, { project_id: agent.id });
  const today = at.slice(0, 10);
  assert.deepEqual(await actions({ project_id: agent.id, start_date: today, end_date: today }), ["agent.update"]);
  assert.deepEqual(await actions({ project_id: agent.id, end_date: at }), ["agent.update"]);
  assert.deepEqual(await actions({ end_date: "2020-01-01" }), []);
  const csv = await kb.api("GET", "/audit", { query: { format: "csv" } });
  assert.equal(csv.status, 200);
  const lines = csv.text.trim().split("\r\n");
  assert.equal(lines[0], "at,who,action,object,project_id,outcome,address,request_id,changes");
  assert.ok(lines.some((line) => line.includes(`"agent ${other.id}"`)));
  // Another account sees nothing of it.
  const stranger = await kb.newKey({ account: "stranger" });
  const theirs = await kb.expect(200, "GET", "/audit", { key: stranger });
  assert.deepEqual(
    theirs.data.map((row) => [row.action, /^docent key, user \d+$/.test(row.command)]),
    [["key.create", true]],
  );
});

test("the chain of rows holds, beside a running service too", async (t) => {
  const kb = await start(t);
  await kb.agent();
  await Promise.all([1, 2, 3, 4, 5, 6].map(() => kb.expect(201, "POST", "/keys", { json: {} })));
  assert.match(await verify(kb), /^\d+ rows in 2 chains, 0 findings\n$/);
});

test("a row that was changed, taken out or cut off at either end shows", async (t) => {
  const kb = await start(t);
  for (let i = 0; i < 5; i++) await kb.expect(201, "POST", "/keys", { json: { name: `k${i}` } });
  const [{ node, number }] = await rows(kb);
  const row = (n) => `node = ${node} AND seq = ${n}`;
  if (!(await changeRows(t, kb, "CREATE TABLE kept AS SELECT * FROM audit"))) return;
  for (const [change, finding] of [
    [`UPDATE audit SET person_id = 7 WHERE ${row(3)}`, `node ${node}, row 3: it was changed after it was written`],
    [`DELETE FROM audit WHERE ${row(3)}`, `node ${node}, row 4: rows before it are missing`],
    [`DELETE FROM audit WHERE ${row(1)}`, `node ${node}, row 2: rows before it are missing`],
    [`DELETE FROM audit WHERE node = ${node}`, `node ${node}, row ${number}: the last rows are missing`],
    [`DELETE FROM audit WHERE ${row(number)}`, `node ${node}, row ${number}: the last rows are missing`],
  ]) {
    await changeRows(t, kb, change);
    assert.ok((await verify(kb)).startsWith(finding), `${change}: ${await verify(kb)}`);
    await changeRows(t, kb, "DELETE FROM audit; INSERT INTO audit SELECT * FROM kept");
    assert.match(await verify(kb), /, 0 findings\n$/);
  }
  await changeRows(t, kb, "DROP TABLE kept");
});

test("old rows go by age from the beginning of each chain, and what is kept still holds", async (t) => {
  const kb = await start(t);
  for (let i = 0; i < 5; i++) await kb.expect(201, "POST", "/keys", { json: { name: `k${i}` } });
  const [{ node, number }] = await rows(kb);
  const aged = (n) => `UPDATE audit SET at = at - ${n} * 86400000000 WHERE node = ${node}`;
  if (!(await changeRows(t, kb, `${aged(40)} AND seq IN (1, 2, 4)`))) return;
  kb.args.push("--audit-days", "30");
  await kb.restart();
  await until("the log to say it", () => kb.log.includes("old rows of the audit log removed rows=2"));
  const all = async () => (await rows(kb)).filter((row) => row.node === node);
  const kept = async () => (await all()).filter((row) => row.action !== "audit.purge").map((row) => row.number);
  const [went, ...more] = (await all()).filter((row) => row.action === "audit.purge");
  assert.deepEqual(more, []);
  assert.match(went.object, /^2 rows before 20\d\d-/);
  assert.equal(went.command, "service");
  const behind = Array.from({ length: number - 2 }, (_, i) => 3 + i);
  assert.deepEqual((await kept()).sort(), behind, "what stands behind a younger row stays");
  const said = await verify(kb);
  assert.match(said, /row 4: it was changed after it was written\n(.*\n)*2 older rows went by age \(--audit-days\)\n$/);
  assert.match(said, /, 1 findings\n/, "the row whose time was changed here, and is kept");
  // Rows that say so are rows as others are; the last one, and what is written of those, stays.
  await changeRows(t, kb, aged(40));
  await until("all but the last to go", async () => (await kept()).length === 0 && (await all()).length === 2);
  assert.deepEqual(
    (await all()).map((row) => row.action),
    ["audit.purge", "audit.purge"],
  );
});

test("behind a row that was taken out none goes by age", async (t) => {
  const kb = await start(t);
  for (let i = 0; i < 5; i++) await kb.expect(201, "POST", "/keys", { json: { name: `k${i}` } });
  const [{ node }] = await rows(kb);
  kb.args.push("--audit-days", "30");
  const change = `UPDATE audit SET at = at - 40 * 86400000000; DELETE FROM audit WHERE node = ${node} AND seq = 2`;
  if (!(await changeRows(t, kb, change))) return;
  await until("the first to go", () => kb.log.includes("old rows of the audit log removed rows=1"));
  assert.match(await verify(kb), new RegExp(`node ${node}, row 3: rows before it are missing`));
});

test("the documentation's table is the program's", async () => {
  const { stdout } = await docent(["audit", "actions"]);
  // A difference is mended by printing the table again: build/docent audit actions.
  assert.ok((await readFile(path.join(root, "docs/people.md"), "utf8")).includes(stdout));
});

test("however deep what is sent is nested, its row is written", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({});
  for (const levels of [3, 17, 1000, 2040]) {
    const body = '{"project_name":"Deep","deep":' + '{"a":'.repeat(levels) + "1" + "}".repeat(levels + 1);
    const reply = await agent.api("POST", "", { body, headers: { "content-type": "application/json" } });
    assert.ok(reply.status === 200 || reply.status === 400, `${levels}: ${reply.text}`);
  }
  assert.ok(kb.alive());
  const [row] = await rows(kb);
  assert.equal(row.action, "agent.update");
  assert.deepEqual(row.changes.deep, [null, "(deeper than is kept)"]);
});
