// Lists: the pagination envelope of the specification's 2.8 and the contract's additions.
import { assert, start, test } from "./lib/harness.mjs";

/** A server with n agents; the ids, oldest first. */
async function withAgents(t, n) {
  const kb = await start(t);
  const ids = [];
  for (let i = 1; i <= n; i++) ids.push((await kb.agent({ project_name: `Agent ${i}` })).id);
  return { kb, ids };
}

const idsOf = (list) => list.data.map((record) => record.id);

test("a list's first page has every member of the envelope", async (t) => {
  const { kb, ids } = await withAgents(t, 12);
  const list = await kb.expect(200, "GET", "/projects");
  const path = `${kb.url}/api/v1/projects`;
  assert.deepEqual({ ...list, data: idsOf(list) }, {
    current_page: 1, data: ids.slice(2).reverse(), first_page_url: `${path}?page=1`, from: 1, last_page: 2, last_page_url: `${path}?page=2`,
    next_page_url: `${path}?page=2`, path, per_page: 10, prev_page_url: null, to: 10, total: 12,
  });
});

test("a list's last page ends with the last record", async (t) => {
  const { kb, ids } = await withAgents(t, 12);
  const list = await kb.expect(200, "GET", "/projects", { query: { page: 2 } });
  assert.deepEqual([list.current_page, idsOf(list), list.from, list.to, list.next_page_url, list.prev_page_url],
    [2, [ids[1], ids[0]], 11, 12, null, `${kb.url}/api/v1/projects?page=1`]);
});

test("an empty list has one page from null to null", async (t) => {
  const kb = await start(t);
  const list = await kb.expect(200, "GET", "/projects");
  assert.deepEqual([list.data, list.total, list.from, list.to, list.last_page, list.current_page, list.next_page_url, list.prev_page_url],
    [[], 0, null, null, 1, 1, null, null]);
});

test("a page past the end is empty and says where the end is", async (t) => {
  const { kb } = await withAgents(t, 3);
  const list = await kb.expect(200, "GET", "/projects", { query: { page: 50 } });
  assert.deepEqual([list.data, list.from, list.to, list.current_page, list.last_page, list.total, list.next_page_url], [[], null, null, 50, 1, 3, null]);
});

test("limit and its alias per_page set the page size, limit first", async (t) => {
  const { kb } = await withAgents(t, 5);
  const sizes = { "limit=2": 2, "per_page=3": 3, "limit=2&per_page=4": 2 };
  for (const [query, size] of Object.entries(sizes)) {
    const list = await kb.expect(200, "GET", "/projects", { query });
    assert.deepEqual([list.per_page, list.data.length, list.last_page], [size, size, Math.ceil(5 / size)], query);
  }
});

test("page and limit outside their range are clamped, not refused", async (t) => {
  const { kb } = await withAgents(t, 2);
  const cases = { "limit=0": [1, 1], "limit=-7": [1, 1], "limit=1000": [1, 100], "limit=x": [1, 10], "limit=": [1, 10], "page=0": [1, 10], "page=-1": [1, 10],
    "page=x": [1, 10], "page=1.5": [1, 10], "limit=99999999999999999999": [1, 10] };
  for (const [query, [page, size]] of Object.entries(cases)) {
    const list = await kb.expect(200, "GET", "/projects", { query });
    assert.deepEqual([list.current_page, list.per_page], [page, size], query);
  }
  const far = await kb.expect(200, "GET", "/projects", { query: "page=9223372036854775807&limit=100" });
  assert.deepEqual([far.data, far.from, far.total], [[], null, 2]);
});

test("order turns a list round; a word that is neither asc nor desc does not", async (t) => {
  const { kb, ids } = await withAgents(t, 3);
  const down = [...ids].reverse();
  const cases = { "": down, "order=desc": down, "order=asc": ids, "order=ASC": ids, "order=sideways": down, "order=asc&orderBy=created_at": ids,
    "orderBy=created_at": down, "orderBy=id&order=asc": ids, "orderBy=project_name": down };
  for (const [query, wanted] of Object.entries(cases)) assert.deepEqual(idsOf(await kb.expect(200, "GET", "/projects", { query })), wanted, query);
});

test("walking a list by its last_page meets every record once", async (t) => {
  const { kb, ids } = await withAgents(t, 7);
  const seen = [];
  for (let page = 1, last = 1; page <= last; page++) {
    const list = await kb.expect(200, "GET", "/projects", { query: { page, limit: 3, order: "asc" } });
    seen.push(...idsOf(list));
    last = list.last_page;
  }
  assert.deepEqual(seen, ids);
});

test("each list has its own default page size", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const message = await agent.ask("Hello");
  assert.equal((await kb.expect(200, "GET", "/projects")).per_page, 10);
  assert.equal((await agent.expect(200, "GET", "/pages")).pages.per_page, 20);
  assert.equal((await agent.expect(200, "GET", "/conversations")).per_page, 10);
  assert.equal((await agent.expect(200, "GET", `/conversations/${message.session}/messages`)).messages.per_page, 20);
});

test("the addresses in a list use the public address when one is configured", async (t) => {
  const kb = await start(t, { args: ["--public-url", "https://docent.example/kb"] });
  const list = await kb.expect(200, "GET", "/projects");
  assert.equal(list.path, "https://docent.example/kb/api/v1/projects");
  assert.equal(list.first_page_url, "https://docent.example/kb/api/v1/projects?page=1");
});
