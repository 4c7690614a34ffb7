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
  assert.deepEqual(
    { ...list, data: idsOf(list) },
    {
      current_page: 1,
      data: ids.slice(2).reverse(),
      first_page_url: `${path}?page=1`,
      from: 1,
      last_page: 2,
      last_page_url: `${path}?page=2`,
      next_page_url: `${path}?page=2`,
      path,
      per_page: 10,
      prev_page_url: null,
      to: 10,
      total: 12,
    },
  );
});

test("a list's last page ends with the last record", async (t) => {
  const { kb, ids } = await withAgents(t, 12);
  const list = await kb.expect(200, "GET", "/projects", { query: { page: 2 } });
  assert.deepEqual(
    [list.current_page, idsOf(list), list.from, list.to, list.next_page_url, list.prev_page_url],
    [2, [ids[1], ids[0]], 11, 12, null, `${kb.url}/api/v1/projects?page=1`],
  );
});

test("an empty list has one page from null to null", async (t) => {
  const kb = await start(t);
  const list = await kb.expect(200, "GET", "/projects");
  assert.deepEqual(
    [
      list.data,
      list.total,
      list.from,
      list.to,
      list.last_page,
      list.current_page,
      list.next_page_url,
      list.prev_page_url,
    ],
    [[], 0, null, null, 1, 1, null, null],
  );
});

test("a page past the end is empty and says where the end is", async (t) => {
  const { kb } = await withAgents(t, 3);
  const list = await kb.expect(200, "GET", "/projects", { query: { page: 50 } });
  assert.deepEqual(
    [list.data, list.from, list.to, list.current_page, list.last_page, list.total, list.next_page_url],
    [[], null, null, 50, 1, 3, null],
  );
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
  const cases = {
    "limit=0": [1, 1],
    "limit=-7": [1, 1],
    "limit=1000": [1, 100],
    "limit=x": [1, 10],
    "limit=": [1, 10],
    "page=0": [1, 10],
    "page=-1": [1, 10],
    "page=x": [1, 10],
    "page=1.5": [1, 10],
    "limit=99999999999999999999": [1, 10],
  };
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
  const cases = {
    "": down,
    "order=desc": down,
    "order=asc": ids,
    "order=ASC": ids,
    "order=sideways": down,
    "order=asc&orderBy=created_at": ids,
    "orderBy=created_at": down,
    "orderBy=id&order=asc": ids,
    "orderBy=project_name": down,
  };
  for (const [query, wanted] of Object.entries(cases))
    assert.deepEqual(idsOf(await kb.expect(200, "GET", "/projects", { query })), wanted, query);
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

/** Follows next_page_url from a first request, and then prev_page_url back: the ids of each way. */
async function walk(kb, path, query, listOf = (data) => data, id = (record) => record.id) {
  const there = [],
    back = [];
  const load = (url) => kb.expect(200, "GET", new URL(url).pathname, { query: new URL(url).search.slice(1) });
  let list = listOf(await kb.expect(200, "GET", path, { query }));
  const first = list;
  for (;;) {
    there.push(...list.data.map(id));
    assert.ok(!list.path.includes("?"));
    if (!list.next_page_url) break;
    list = listOf(await load(list.next_page_url));
  }
  for (const [name, want] of [
    ["first_page_url", first],
    ["last_page_url", list],
  ])
    assert.deepEqual(listOf(await load(first[name])).data.map(id), want.data.map(id), name);
  for (;;) {
    back.unshift(...list.data.map(id));
    if (!list.prev_page_url) break;
    list = listOf(await load(list.prev_page_url));
  }
  assert.deepEqual(back, there, "the way back");
  return there;
}

test("whoever follows next_page_url meets every record that was asked for once, and no other", async (t) => {
  const kb = await start(t);
  const names = Array.from({ length: 50 }, (_, i) => `${i % 2 ? "odd" : "even"} & more+${i}%.txt`);
  const agent = await kb.agent({ files: Object.fromEntries(names.map((name) => [name, `The text of ${name}.`])) });
  await kb.agent({ project_name: "é/&?=#+ 1" });
  await kb.agent({ project_name: "é/&?=#+ 2" });
  await agent.expect(201, "POST", "/labels", { json: { names: ["a", "b", "c", "d", "e", "f", "g"] } });
  for (let i = 0; i < 7; i++)
    await agent.expect(201, "POST", "/conversations", { json: { name: i < 5 ? `Kept ${i} & so on` : `Other ${i}` } });
  const { session } = await agent.ask("Hello");
  for (let i = 0; i < 4; i++) await agent.ask(`Hello ${i}`, { session });
  for (let i = 0; i < 4; i++)
    await agent.expect(200, "POST", "/settings", { json: { persona_instructions: `Text ${i}` } });
  const pages = (data) => data.pages,
    rows = (list) => new Set(list).size;
  const at = (end) => `${agent.path}${end}`;
  const cases = [
    // path, query, how many
    [at("/pages"), "limit=5", 50, pages],
    [at("/pages"), { limit: 5, search: "odd & more+", order: "asc" }, 25, pages],
    [at("/pages"), { per_page: 7, search: "EVEN*%", index_status: "ok", crawl_status: "ok" }, 25, pages],
    [at("/pages"), { limit: 5, index_status: "failed" }, 0, pages],
    ["/projects", { limit: 1, name: "é/&?=#+" }, 2],
    ["/projects", { limit: 1, duration: 1, orderBy: "created_at", order: "asc" }, 3],
    [at("/labels"), "limit=2", 7],
    [at("/conversations"), { limit: 2, name: "& so", userFilter: "me" }, 5],
    [at(`/conversations/${session}/messages`), { limit: 2, includeInsights: 1 }, 5, (data) => data.messages],
    [at("/settings/personas"), "limit=2", 5, undefined, (persona) => persona.version],
    [
      at("/reports/intelligence"),
      { limit: 2, start_date: "2020-01-01", end_date: "2199-01-01T00:00:00Z" },
      5,
      undefined,
      (row) => row.prompt_id,
    ],
    [at("/reports/leads"), { limit: 2, session_id: "x y" }, 0],
  ];
  for (const [path, query, count, listOf, id] of cases) {
    const ids = await walk(kb, path, query, listOf, id);
    assert.deepEqual([ids.length, rows(ids)], [count, count], `${path} ${JSON.stringify(query)}`);
  }
  const list = pages(
    await agent.expect(200, "GET", "/pages", { query: "search=a%26b+%C3%A9%00&unknown=1&limit=5&page=3&limit=9" }),
  );
  assert.equal(list.first_page_url, `${kb.url}/api/v1${agent.path}/pages?page=1&limit=5&search=a%26b%20%C3%A9%00`);
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
