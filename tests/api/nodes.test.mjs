// Several nodes on one PostgreSQL database and one directory of blobs: any of them answers for any
// agent, and what one of them acknowledged holds for all.
import path from "node:path";
import { at, cluster } from "./lib/cluster.mjs";
import { figure } from "./lib/figures.mjs";
import { assert, form, patient, start, test, until } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { mayFetch, site } from "./lib/site.mjs";
import { folder, unique } from "./lib/util.mjs";

const warranty = (months) => ({ "warranty.txt": `The warranty of the kettle lasts ${months} months.` });
const question = "How long does the warranty of the kettle last?";

test("nodes that start at the same moment on an empty database make one installation of it", async (t) => {
  const { url } = await database();
  const env = { DOCENT_STORE: url, DOCENT_BLOB: path.join(await folder(t), "blobs") };
  const options = (i) => ({ env, args: ["--node", `n${i}`], key: false });
  const started = await Promise.allSettled([1, 2, 3].map((i) => start(t, options(i))));
  const nodes = started.map(({ value, reason }) => value ?? assert.fail(reason));
  const key = await nodes[0].newKey();
  for (const node of nodes) await node.expect(200, "GET", "/user", { key });
  for (const node of nodes) assert.equal(await node.stop(), 0);
  const check = await nodes[0].cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("what is uploaded to one node is answered from by all", async (t) => {
  const { nodes } = await cluster(t);
  const agent = await nodes[0].agent({ files: warranty(27) });
  for (const node of nodes) assert.match((await at(node, agent).ask(question)).llm_response, /27 months/);
});

test("a node says its name in its log and figures, and opens an agent's index when it is told to", async (t) => {
  const { nodes } = await cluster(t, 2);
  const agent = await nodes[0].agent({ files: warranty(27) });
  for (const [i, node] of nodes.entries()) {
    const { passages } = await at(node, agent).expect(200, "POST", "/warm");
    assert.equal(passages, 1);
    const { text } = await node.api("GET", "/metrics", { key: null });
    assert.match(text, new RegExp(`^docent_node_info\\{node="n${i + 1}"\\} 1$`, "m"));
    assert.match(text, /^docent_open_agents 1$/m);
    await until("both to be there", async () => (await figure(node, "nodes")) === 2, 10_000);
    await until("the log to name the node", () =>
      new RegExp(`parser confined by=.* node=n${i + 1}$`, "m").test(node.log),
    );
  }
  const key = await nodes[1].newKey({ account: "other" });
  await nodes[1].expect(404, "POST", `/projects/${agent.id}/warm`, { key });
});

test("a conversation goes on at whichever node is asked", async (t) => {
  const { nodes } = await cluster(t);
  const agent = await nodes[0].agent({ files: warranty(27) });
  const session = "one-conversation";
  for (const node of nodes) await at(node, agent).ask(question, { session });
  for (const node of nodes) {
    const { messages } = await at(node, agent).expect(200, "GET", `/conversations/${session}/messages`);
    assert.equal(messages.total, 3);
  }
});

test("which closest passage was it is said to one node and counted at all", async (t) => {
  const { nodes } = await cluster(t);
  const agent = await nodes[0].agent({ files: warranty(27) });
  const message = await at(nodes[0], agent).ask("Is the kettle sold in Velmora?");
  assert.equal(message.outcome, "closest");
  const [{ page_id: found_page_id }] = message.closest_passages;
  const path = `/conversations/${message.session}/messages/${message.id}`;
  await at(nodes[1], agent).expect(200, "PUT", `${path}/feedback`, { json: { found_page_id } });
  for (const node of nodes) {
    assert.equal((await at(node, agent).expect(200, "GET", path)).found_page_id, found_page_id);
    const { outcomes, found } = await at(node, agent).expect(200, "GET", "/reports/queries", {
      query: "filters=outcomes",
    });
    assert.deepEqual([outcomes.map(({ count }) => count), found], [[0, 1, 0], 1]);
  }
});

test("deletes, settings and labels hold at the next question everywhere", async (t) => {
  const { nodes } = await cluster(t);
  const agent = await nodes[0].agent({ files: { ...warranty(27), "other.txt": "Lions live in Africa." } });
  for (const node of nodes) assert.match((await at(node, agent).ask(question)).llm_response, /27 months/);

  for (let round = 0; round < 5; round++) {
    const writer = nodes[round % nodes.length];
    const text = `Nothing is known of that (${unique(round)}).`;
    await at(writer, agent).expect(200, "POST", "/settings", { json: { no_answer_message: text } });
    for (const node of nodes) {
      const settings = await at(node, agent).expect(200, "GET", "/settings");
      assert.equal(settings.no_answer_message, text);
    }
  }
  const page = await at(nodes[1], agent).page("warranty.txt");
  await at(nodes[2], agent).expect(200, "DELETE", `/pages/${page.id}`);
  for (const node of nodes) assert.doesNotMatch((await at(node, agent).ask(question)).llm_response, /27/);

  await at(nodes[1], agent).expect(200, "DELETE");
  for (const node of nodes) await at(node, agent).expect(404, "GET");
});

test("a revoked key stops at once on its node, and within a second elsewhere", async (t) => {
  const { nodes } = await cluster(t);
  const key = await nodes[0].newKey();
  for (const node of nodes) await node.expect(200, "GET", "/user", { key });
  const { id } = (await nodes[0].expect(200, "GET", "/keys")).find((row) => key.startsWith(`${row.id}|`));

  await nodes[0].expect(200, "DELETE", `/keys/${id}`);
  const revoked = Date.now();
  await nodes[0].expect(401, "GET", "/user", { key });
  for (const node of nodes.slice(1))
    await until("the key to be refused", async () => (await node.api("GET", "/user", { key })).status === 401);
  assert.ok(
    Date.now() - revoked < patient(5_000),
    "it took no longer than the cache's second, and a slow machine's time",
  );
});

test("many documents are read by all nodes, each once, and a killed node's are read by the others", async (t) => {
  const { nodes, run } = await cluster(t);
  const agent = await nodes[0].agent();
  const files = (from) =>
    Object.fromEntries(Array.from({ length: 12 }, (_, i) => [`f${from + i}.txt`, `The word is ${unique(from + i)}.`]));
  for (let i = 0; i < 3; i++) await at(nodes[i], agent).expect(200, "POST", "", { form: form({}, files(12 * i)) });
  await nodes[2].kill9();
  // It is silent for longer than counts as being there: as if ten seconds had passed.
  await run("UPDATE nodes SET beat_at = 1 WHERE name = 'n3'");
  const pages = await at(nodes[1], agent).settled(60_000);
  assert.equal(pages.length, 36);
  assert.ok(pages.every((page) => page.index_status === "ok"));
  for (const n of [0, 17, 35]) {
    const answer = await at(nodes[n % 2], agent).ask(`Which word is ${unique(n)}?`);
    assert.match(answer.llm_response, new RegExp(unique(n)));
  }
  await nodes[2].spawn();
  assert.equal((await at(nodes[2], agent).pages()).length, 36);
});

test("messages that many clients send to all nodes are all kept, and counted", async (t) => {
  const { nodes } = await cluster(t);
  const agent = await nodes[0].agent({ files: warranty(27) });
  const sessions = ["a", "b", "c"];
  const asked = await Promise.all(
    Array.from({ length: 60 }, (_, i) =>
      at(nodes[i % nodes.length], agent).ask(`${question} ${i}`, { session: sessions[i % 4] ?? "d" }),
    ),
  );
  assert.equal(new Set(asked.map((message) => message.id)).size, 60);
  for (const node of nodes) {
    let total = 0;
    for (const session of [...sessions, "d"])
      total += (await at(node, agent).expect(200, "GET", `/conversations/${session}/messages`)).messages.total;
    assert.equal(total, 60);
    assert.equal((await at(node, agent).expect(200, "GET", "/stats")).total_queries, 60);
  }
  for (const node of nodes) assert.equal(await node.stop(), 0);
  const check = await nodes[0].cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
});

test("a process that takes over a node's name ends the one before it", async (t) => {
  const { nodes } = await cluster(t, 2);
  const twin = await start(t, { env: nodes[0].env, args: ["--node", "n1"], key: false });
  await until("the first to end", () => !nodes[0].alive(), 30_000);
  twin.key = nodes[0].key;
  await twin.expect(200, "GET", "/user");
});

test("nodes whose connections are cut go on by themselves, and nothing acknowledged is lost", async (t) => {
  const { nodes, run } = await cluster(t, 2);
  const agent = await nodes[0].agent({ files: warranty(27) });
  const cut = () =>
    run(
      "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity " +
        "WHERE datname = current_database() AND pid <> pg_backend_pid()",
    );
  const kept = [];
  let refused = 0;
  const client = async (node, name) => {
    for (let i = 0; i < 30; i++) {
      const reply = await at(node, agent).api("POST", `/conversations/${name}/messages`, {
        json: { prompt: question },
      });
      if (reply.status === 200) kept.push({ name, id: reply.data.id });
      else {
        assert.ok(reply.status >= 500, `${reply.status}: ${reply.text}`);
        refused++;
      }
    }
  };
  const clients = nodes.map((node, i) => client(node, `s${i}`));
  for (let i = 0; i < 5; i++) await cut();
  await Promise.all(clients);
  assert.ok(kept.length > refused, `${kept.length} were kept, ${refused} refused`);
  // A cut may still reach what a node does next: what it refuses as busy is asked again.
  for (const { name, id } of kept) {
    const get = () => at(nodes[1], agent).api("GET", `/conversations/${name}/messages/${id}`);
    const { status, text } = await until("the connections to be whole", async () => {
      const reply = await get();
      return reply.status !== 503 && reply;
    });
    assert.equal(status, 200, text);
  }
  for (const node of nodes) assert.match((await at(node, agent).ask(question)).llm_response, /27 months/);
});

/** A website of that many pages in a sitemap, each answered after ms; `answered` has the times. */
async function shop(t, count, ms) {
  const web = await site(t);
  web.answered = [];
  const paths = Array.from({ length: count }, (_, i) => `/page-${i}`);
  for (const path of paths)
    web.set(path, (req, res) =>
      setTimeout(() => {
        web.answered.push(Date.now());
        res.writeHead(200, { "content-type": "text/plain" }).end(`The word of ${path} is ${unique(path.length)}.`);
      }, ms),
    );
  web.sitemap("/sitemap.xml", paths);
  web.set("/stuck", () => {}); // never answers
  web.set("/stuck-too", () => {});
  return web;
}

const crawled = (node, agent, count) =>
  until(
    `${count} pages`,
    async () =>
      (await at(node, agent).pages()).filter((page) => page.is_file === false && page.index_status === "ok").length ===
      count,
    60_000,
  );

test("a host is asked for one thing at a time, with its pause, whichever node asks", async (t) => {
  const { nodes } = await cluster(t, 2, { ...mayFetch.env, DOCENT_HOST_PAUSE: "60" });
  const web = await shop(t, 12, 5);
  const agents = [];
  for (const node of nodes) agents.push(await node.agent({ sitemap_path: `${web.url}/sitemap.xml` }));
  for (const agent of agents) await crawled(nodes[0], agent, 12);
  assert.equal(web.most, 1);
  const asked = web.log.filter((entry) => entry.path.startsWith("/page-")).map((entry) => entry.at);
  assert.equal(asked.length, 24);
  for (let i = 1; i < asked.length; i++) assert.ok(asked[i] - web.answered[i - 1] >= 59, `request ${i} kept its pause`);
});

test("a page that lasts on one node is overtaken by an agent of another, and a killed node's lines are free", async (t) => {
  const { nodes, run } = await cluster(t, 2, mayFetch.env);
  const [first, second] = nodes;
  const web = await shop(t, 3, 5);
  await second.stop();
  await first.agent({ sitemap_path: `${web.url}/stuck` });
  await until("the page that lasts", () => web.asked("/stuck").length);
  await second.spawn();
  const quick = await second.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await crawled(second, quick, 3);
  assert.deepEqual([web.most, web.asked("/stuck").length], [2, 1]);

  // Both lines are the first one's when it dies.
  await second.stop();
  await first.agent({ sitemap_path: `${web.url}/stuck-too` });
  await until("both lines to be taken", () => web.asked("/stuck-too").length);
  await first.kill9();
  await run("UPDATE nodes SET beat_at = 1 WHERE name = 'n1'");
  web.page("/stuck", "Stuck", "It is stuck no more.").page("/stuck-too", "Stuck too", "Nor is this.");
  await second.spawn();
  const third = await second.agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await crawled(second, third, 3);
});

// A node that nobody has ever counted: it came and died between two beats of the others.
test("what a node held that came and died unseen is freed, once more a while later, and then no more", async (t) => {
  const { nodes, run } = await cluster(t, 2, mayFetch.env);
  const web = await shop(t, 1, 5);
  const agent = await nodes[0].agent({ sitemap_path: `${web.url}/sitemap.xml` });
  await crawled(nodes[0], agent, 1);
  const readings = () => web.asked("/sitemap.xml").length;
  /** The dead node has the sitemap leased for an hour. */
  const hold = () =>
    run(
      "UPDATE sources SET state = 1, lease_node = 99, lease_epoch = lease_epoch + 1, due_at = " +
        `${(Date.now() + 3_600_000) * 1000} WHERE type = 'sitemap'`,
    );
  const freeAt = () => run("SELECT free_at FROM nodes WHERE id = 99");
  const taken = async (before) => {
    await until("what it held to be taken up", () => readings() > before, 14_000);
    await until("the reading to end", async () => (await run("SELECT count(*) FROM sources WHERE state = 1")) === "0");
  };

  let before = readings();
  const begun = Date.now();
  await hold();
  await run("INSERT INTO nodes (id, name, life, started_at, beat_at) VALUES (99, 'brief', 1, 1, 1)");
  await taken(before);
  const next = Number(await freeAt()) / 1000;
  assert.ok(next - begun > 30_000 && next - Date.now() <= 60_000, `once more ${next - begun} ms later`);

  // A commit of it came late; the minute is over.
  before = readings();
  await hold();
  await run("UPDATE nodes SET free_at = 1 WHERE id = 99");
  await taken(before);
  await until("the end of it", async () => Number(await freeAt()) > 4e18, 5_000);
  for (const node of nodes) {
    const said = node.log.match(/leases of nodes that are gone freed/g) ?? [];
    assert.ok(said.length <= 2, node.log);
  }
});
