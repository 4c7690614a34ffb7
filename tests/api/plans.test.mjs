// Plans: what an account may use, and what it is told when that is used up.
import { assert, start, test } from "./lib/harness.mjs";
import { fileOf } from "./lib/util.mjs";

/** A server with the plan "small" and a key of an account that has it. */
async function withPlan(t, figures) {
  const file = await fileOf(t, `small = ${figures}\n`);
  const kb = await start(t, { args: ["--plans", file] });
  kb.key = await kb.newKey({ account: "small", plan: "small" });
  return kb;
}

test("the default plan limits nothing", async (t) => {
  const kb = await start(t);
  const usage = await kb.expect(200, "GET", "/limits/usage");
  const most = 2 ** 31 - 1; // no client is refused by it, or divides by zero, or needs more than 32 bits for it
  assert.deepEqual(usage, {
    max_projects_num: most,
    current_projects_num: 0,
    max_total_storage_credits: most,
    current_total_storage_credits: 0,
    max_queries: most,
    current_queries: 0,
  });
  for (let i = 0; i < 60; i++) assert.equal((await kb.api("GET", "/projects")).status, 200);
});

test("a plan's agents are refused by name beyond its figure", async (t) => {
  const kb = await withPlan(t, "agents=2");
  await kb.agent();
  await kb.agent();
  const refused = await kb.api("POST", "/projects", { json: { project_name: "third" } });
  assert.equal(refused.status, 400);
  assert.match(refused.data.message, /^You have reached your agent limit/);
  assert.equal((await kb.expect(200, "GET", "/limits/usage")).current_projects_num, 2);
});

test("queries over the plan's month are refused with the text that clients look for", async (t) => {
  const kb = await withPlan(t, "queries=2");
  const agent = await kb.agent({ files: { "a.txt": "Goods may be returned within 30 days." } });
  const ask = () =>
    agent.api("POST", "/conversations/one/messages", { json: { prompt: "When may goods be returned?" } });
  assert.equal((await ask()).status, 200);
  assert.equal((await ask()).status, 200);
  const refused = await ask();
  assert.equal(refused.status, 429);
  assert.match(refused.data.message, /exhausted your current query credits/);
  const chat = await agent.api("POST", "/chat/completions", {
    json: { messages: [{ role: "user", content: "When?" }] },
  });
  assert.equal(chat.status, 429);
  assert.equal(chat.headers["x-should-retry"], "false");
  assert.match(chat.json.error.message, /exhausted your current query credits/);
  const usage = await kb.expect(200, "GET", "/limits/usage");
  assert.equal(usage.max_queries, 2);
  assert.equal(usage.current_queries, 2);
});

test("documents over the plan's figure are limited, with the reason", async (t) => {
  const kb = await withPlan(t, "pages=2");
  const agent = await kb.agent({ files: { "a.txt": "One text.", "b.txt": "Two texts.", "c.txt": "Three texts." } });
  const states = (await agent.pages()).map((page) => page.index_status).sort();
  assert.deepEqual(states, ["limited", "ok", "ok"]);
  const limited = (await agent.pages({ index_status: "limited" }))[0];
  assert.equal(limited.crawl_status, "limited");
  assert.equal(limited.status_reason, "the plan allows 2 documents an agent");
});

test("a rate limit gives a burst, then 429 with Retry-After, for each key by itself", async (t) => {
  const kb = await start(t, { args: ["--rate-limit", "2/5"] });
  const other = await kb.newKey();
  const first = await kb.api("GET", "/projects");
  assert.equal(first.headers["x-ratelimit-limit"], "5");
  assert.equal(first.headers["x-ratelimit-remaining"], "4");
  const replies = [];
  for (let i = 0; i < 12; i++) replies.push(await kb.api("GET", "/projects"));
  const refused = replies.filter((reply) => reply.status === 429);
  assert.ok(refused.length >= 5, `${refused.length} of 12 were refused`);
  assert.equal(refused[0].data.message, "Too Many Requests");
  assert.equal(refused[0].headers["retry-after"], "1");
  assert.equal(refused[0].headers["x-ratelimit-remaining"], "0");
  assert.equal((await kb.api("GET", "/projects", { key: other })).status, 200);
});

test("without the plan's feature labels can't be touched; a question's filter works all the same", async (t) => {
  const kb = await withPlan(t, "features=none");
  const agent = await kb.agent({ files: { "note.txt": "The Quandrel valve opens at 71 degrees." } });
  const page = await agent.page("note.txt");
  const { uploads } = await agent.expect(200, "GET", "/sources");
  for (const [method, where, json] of [
    ["GET", "/labels"],
    ["POST", "/labels", { names: ["hr"] }],
    ["PUT", "/labels", { labels: [] }],
    ["DELETE", "/labels/users", { labels: [] }],
    ["GET", "/labels/1"],
    ["PUT", "/labels/1", { name: "x" }],
    ["DELETE", "/labels/1"],
    ["GET", `/pages/${page.id}/labels`],
    ["PUT", `/pages/${page.id}/labels`, { label_ids: [] }],
    ["POST", "/sources", { sitemap_path: "https://a.example/", label_ids: [1] }],
    ["PUT", `/sources/${uploads.id}`, { label_ids: [] }],
  ]) {
    const reply = await agent.api(method, where, { json });
    assert.deepEqual(
      [reply.status, reply.json.message],
      [403, "Requires the labels plan feature"],
      `${method} ${where}`,
    );
  }
  const cited = async (fields) =>
    (
      await agent.expect(200, "POST", "/conversations/s/messages", {
        json: { prompt: "At how many degrees does the Quandrel valve open?", ...fields },
      })
    ).citations;
  assert.deepEqual([await cited({}), await cited({ labels: ["hr"], labels_exclusive: true })], [[page.id], null]);
});
