// The dashboard of an agent with 100,000 documents and 10,000 conversations.
import { readFile } from "node:fs/promises";
import { assert, browse, link, patient, start, test } from "./lib.mjs";
import { lighthouse } from "../api/lib/documents.mjs";
import { changeRows } from "../api/lib/rows.mjs";

/** What the server may compute for a screen, in milliseconds, and for a search, which reads each name; and what may
 * pass until it is there, where others work on the machine too. */
const WORK = 150,
  SEARCH = 600,
  SOON = Number(process.env.DOCENT_SOON ?? 10_000);

/** So many more copies of the table's one row; `own` is what each has of its own, by its number. */
const copies = (table, n, own) => `
CREATE TEMP TABLE many AS WITH RECURSIVE turn(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM turn WHERE i < ${n})
  SELECT ${table}.* FROM turn, ${table};
UPDATE many SET id = id + rowid, ${own};
INSERT INTO ${table} SELECT * FROM many;
DROP TABLE many;`;
/** A talk every half minute. */
const EARLIER = "created_at = created_at - rowid * 30000000";
const rows = `PRAGMA synchronous = OFF; BEGIN;
${copies("pages", 99_999, "filename = 'note ' || rowid || '.md', filename_key = 'note ' || rowid || '.md'")}
${copies("conversations", 9_999, `session_id = printf('%08x-0000-4000-8000-000000000000', rowid), ${EARLIER}`)}
${copies("messages", 9_999, `conversation_id = conversation_id + rowid, ${EARLIER}`)}
UPDATE agent_totals SET pages_found = 100000, pages_crawled = 100000, pages_indexed = 100000, queries = 10000;
UPDATE counters SET last = 100000 WHERE name = 'page';
UPDATE counters SET last = 10000 WHERE name IN ('conversation', 'message');
COMMIT;`;

/** Milliseconds that the server has computed. */
async function worked(kb) {
  const [user, system] = (await readFile(`/proc/${kb.child.pid}/stat`, "utf8")).split(") ")[1].split(" ").slice(11);
  return (Number(user) + Number(system)) * 10;
}

test("an agent of 100,000 documents and 10,000 conversations opens at once", async (t) => {
  if (process.env.DOCENT_TEST_POSTGRES) return t.skip("its rows are made by SQLite's own means");
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Archive", files: { "lighthouse.md": lighthouse } });
  await agent.ask("Who built the Velmora lighthouse?");
  if (!(await changeRows(t, kb, rows))) return;
  const { page, quiet } = await browse(t, kb);
  await page.goto(await link(kb));
  await page.getByText("100,000 documents").waitFor();
  for (const [screen, shown] of [
    ["content", "100,000"],
    ["content?state=amiss&search=nothing", "No document fits"],
    ["content?state=ready&search=note+777", "note 777"],
    ["conversations", "Who built the Velmora lighthouse?"],
    ["analytics", "10,000"],
    ["ask", "Ask Archive"],
  ]) {
    const before = await worked(kb),
      began = Date.now();
    await page.goto(`${kb.url}/agents/${agent.id}/${screen}`);
    await page.getByText(shown).first().waitFor();
    const took = Date.now() - began;
    await page.waitForLoadState("networkidle");
    const work = (await worked(kb)) - before;
    t.diagnostic(`${screen}: shown after ${took} ms, ${work} ms of the server's work`);
    assert.ok(work < patient(screen.includes("search") ? SEARCH : WORK), `${screen}: the server worked for ${work} ms`);
    assert.ok(took < patient(SOON), `${screen} took ${took} ms`);
  }
  quiet();
});
