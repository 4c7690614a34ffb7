// Parts of an installation of several nodes fail while clients ask, upload and delete: nodes, the
// database, its successor, the bucket, and the wires between them. What was acknowledged is there in
// the end, once, and `docent check` is content. DOCENT_TRIAL_SECONDS makes each of them longer.
import { Bucket } from "./lib/bucket.mjs";
import { Clients, at, sound, wired } from "./lib/cluster.mjs";
import { assert, form, sleep, start, test, until } from "./lib/harness.mjs";
import { Server, database } from "./lib/postgres.mjs";
import { mayFetch, site } from "./lib/site.mjs";
import { seeded, unique } from "./lib/util.mjs";

const SECONDS = Number(process.env.DOCENT_TRIAL_SECONDS ?? 0);
const SEED = Number(process.env.DOCENT_SEED ?? 9);
const QUESTION = "How long does the warranty of the kettle last?";
const warranty = { "warranty.txt": "The warranty of the kettle lasts 27 months." };

/** Calls `fault` so many times, or as long as the trial lasts. */
async function again(times, fault) {
  const end = Date.now() + 1000 * SECONDS;
  for (let i = 0; i < times || Date.now() < end; i++) await fault(i);
}

/** Each reaches its database and its bucket. */
async function well(nodes) {
  const states = await Promise.all(nodes.map((node) => node.api("GET", "/readyz", { plain: true, key: null })));
  return states.every(({ json }) => json?.status === "ready");
}

/** Three nodes, an agent that knows one thing, and clients at work. */
async function begin(t, servers, options) {
  const world = await wired(t, servers, options);
  const agent = await world.nodes[0].agent({ files: warranty });
  return { ...world, agent, clients: new Clients(world.nodes, agent, { seed: SEED }) };
}

test("a node is killed again and again, and the others go on", async (t) => {
  const { nodes, clients } = await begin(t, [await Server.begin(t)]);
  const random = seeded(SEED);
  await clients.moves();
  await again(3, async () => {
    const node = random.pick(nodes);
    await node.kill9();
    await clients.moves(10);
    await node.spawn();
    if (SECONDS) await sleep(3000);
  });
  await clients.verify();
});

test("the database restarts, fast, at once and killed, and the nodes go on by themselves", async (t) => {
  const server = await Server.begin(t);
  const { nodes, clients } = await begin(t, [server]);
  const processes = nodes.map((node) => node.child.pid);
  const ways = [
    async () => (await server.stop("fast"), await server.start()),
    async () => (await server.stop("immediate"), await server.start()),
    async () => (await server.kill9(), await server.startAgain()),
  ];
  await again(3, async (i) => {
    await clients.moves();
    await ways[i % 3]();
  });
  await clients.moves();
  assert.deepEqual(
    nodes.map((node) => node.child?.pid),
    processes,
    "no node was started anew",
  );
  await clients.verify();
});

test("while the database is away, nodes say so and answer 503; it comes back, they do", async (t) => {
  const server = await Server.begin(t);
  const { nodes, wires } = await wired(t, [server], { count: 2 });
  const agent = await nodes[0].agent({ files: warranty });
  const ready = async (node) => {
    const reply = await node.api("GET", "/readyz", { key: null });
    return `${reply.status} ${reply.text.trim()}`;
  };
  assert.equal(await ready(nodes[0]), '200 {"status":"ready"}');
  for (const wire of wires) await wire.servers[0].refuse();
  for (const node of nodes) {
    await until("the node to say so", async () => (await ready(node)).startsWith("503"));
    const reply = await at(node, agent).api("POST", "/conversations/s/messages", { json: { prompt: QUESTION } });
    assert.equal(reply.status, 503, reply.text);
    assert.doesNotMatch(reply.json.message, /SQL|libpq|postgres|127\.0\.0\.1:/i);
  }
  for (const wire of wires) await wire.servers[0].accept();
  for (const node of nodes) {
    await until("the node to be ready", async () => (await ready(node)).startsWith("200"));
    assert.match((await at(node, agent).ask(QUESTION)).llm_response, /27 months/);
  }
  await sound(nodes);
});

test("wires to the database are cut, slow, silent and give one byte at a time", async (t) => {
  const { wires, clients } = await begin(t, [await Server.begin(t)]);
  const random = seeded(SEED);
  const faults = [
    async (wire) => wire.cut(),
    async (wire) => {
      wire.delayMs = 5;
      await clients.moves();
      wire.delayMs = 0;
    },
    async (wire) => {
      wire.bytewise = true;
      await clients.moves();
      wire.bytewise = false;
    },
    // Half open: what was said in the silence is lost with the connection.
    async (wire) => {
      wire.freeze();
      await clients.moves(2);
      wire.cut();
      wire.thaw();
    },
    async (wire) => {
      await wire.refuse();
      await clients.moves();
      await wire.accept();
    },
  ];
  await again(faults.length, async (i) => {
    await clients.moves();
    await faults[i % faults.length](random.pick(wires).servers[0]);
  });
  await clients.verify();
});

test("the database's successor takes over, and nothing acknowledged is lost", async (t) => {
  const settings = ["wal_level = replica", "max_wal_senders = 4", "hot_standby = on"];
  const first = await Server.begin(t, { settings });
  const second = await Server.begin(t, { of: first });
  // From here on a commit is acknowledged only when the successor has it.
  await first.psql("postgres", "ALTER SYSTEM SET synchronous_standby_names = '*'");
  await first.psql("postgres", "SELECT pg_reload_conf()");
  const follows = "SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'";
  await until("the successor to follow", async () => (await first.psql("postgres", follows)) === "1");

  const { nodes, wires, clients } = await begin(t, [first, second], {
    query: "?target_session_attrs=read-write&silence=1",
  });
  const processes = nodes.map((node) => node.child.pid);
  await clients.moves(20);
  await first.kill9();
  for (const wire of wires) await wire.servers[0].refuse();
  await second.psql("postgres", "ALTER SYSTEM RESET synchronous_standby_names");
  await second.promote();
  const promoted = Date.now();
  await clients.moves(20);
  t.diagnostic(`${clients.messages.length} kept; writes went on ${clients.answeredAt - promoted} ms after at most`);
  assert.deepEqual(
    nodes.map((node) => node.child?.pid),
    processes,
    "no node was started anew",
  );
  await clients.verify();
});

test("the bucket is silent, fails, is slow and cut: agents that are open answer, documents wait", async (t) => {
  const { nodes, wires, bucket, clients } = await begin(t, [await Server.begin(t)]);
  const all = (fault) => Promise.all(wires.map((wire) => fault(wire.bucket)));
  // Of the clients' agent there is always something new in the bucket; this one rests.
  const agent = await nodes[0].agent({ files: warranty });
  for (const node of nodes) assert.match((await at(node, agent).ask(QUESTION)).llm_response, /27 months/);
  const faults = [
    [() => all((wire) => (wire.bytesPerSecond = 50_000)), () => all((wire) => (wire.bytesPerSecond = 0))],
    [() => (bucket.before = (ask) => ask.refuse("SlowDown")), () => (bucket.before = null)],
    [() => all((wire) => wire.refuse()), () => all((wire) => wire.accept())],
    [() => all((wire) => wire.freeze()), () => all((wire) => (wire.cut(), wire.thaw()))],
  ];
  // What fails is left alone for up to half a minute then: that is for long trials.
  await again(SECONDS ? faults.length : 1, async (i) => {
    const [make, mend] = faults[i % faults.length];
    await clients.moves(2);
    await make();
    for (const node of nodes) assert.match((await at(node, agent).ask(QUESTION)).llm_response, /27 months/);
    if (SECONDS) await sleep(3000);
    await mend();
  });
  await until("the bucket to be asked again", () => well(nodes), 60_000);
  await clients.verify();
});

test("a database or bucket that keeps nothing while websites are read costs none of their pages, and no try", async (t) => {
  const { url, run } = await database();
  const bucket = await new Bucket().open(t);
  const kb = await start(t, {
    env: { DOCENT_STORE: url, ...bucket.env("stories"), ...mayFetch.env, DOCENT_HOST_PAUSE: "5" },
  });
  await run(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql
             AS $$ BEGIN RAISE EXCEPTION 'no room' USING ERRCODE = 'disk_full'; END $$`);
  const sites = await Promise.all([site(t), site(t)]);
  for (const [i, web] of sites.entries()) {
    for (const name of ["oak", "elm"])
      web.page(`/${name}`, name, `The ${name} of garden ${i} is ${20 + i} metres tall.`);
    web.page("/", "Garden", `Garden ${i} has two trees.`);
    web.sitemap("/list.xml", ["/oak", "/elm"]);
    // From the moment that its list is read, no page can be added.
    const { body, ...headers } = web.pages.get("/list.xml");
    web.set("/sitemap.xml", async (_, res) => {
      await run("CREATE OR REPLACE TRIGGER no_room BEFORE INSERT ON pages FOR EACH ROW EXECUTE FUNCTION refuse()");
      res.writeHead(200, headers).end(body);
    });
  }
  const whole = await kb.agent(),
    listed = await kb.agent();
  await whole.expect(201, "POST", "/sources", { form: form({ sitemap_path: `${sites[0].url}/` }) });
  await until("the start page to be read", async () => (await whole.pages()).length === 1);
  await listed.expect(201, "POST", "/sources", { form: form({ sitemap_path: `${sites[1].url}/sitemap.xml` }) });
  const waiting = "SELECT count(*) FROM sources WHERE reason LIKE 'no space left%' AND attempts = 0 AND status = 0";
  await until("both sources to wait", async () => (await run(waiting)) === "2", 20_000);

  let refused = 0;
  bucket.before = (ask) => ask.req.method === "PUT" && (refused++, ask.refuse("AccessDenied"));
  await run("DROP TRIGGER no_room ON pages");
  for (const web of sites) web.set("/sitemap.xml", web.pages.get("/list.xml"));
  await until(
    "all trees to be met",
    () => sites.every((web) => web.asked("/oak").length && web.asked("/elm").length),
    30_000,
  );
  const waits = "SELECT count(*) FROM pages WHERE crawl_status = 0 AND attempts = 0 AND due_at > 0";
  await until("pages to wait for the bucket", async () => (await run(waits)) === "4" && refused >= 4, 30_000);

  bucket.before = null;
  for (const [agent, count] of [
    [whole, 3],
    [listed, 2],
  ]) {
    const pages = await agent.settled(60_000);
    assert.deepEqual(
      pages.map((page) => page.index_status),
      Array(count).fill("ok"),
    );
  }
  assert.match((await whole.ask("How tall is the elm?")).llm_response, /20 metres/);
});

test("websites are read whole while nodes, the database and the bucket fail in turn", async (t) => {
  const server = await Server.begin(t);
  const env = { ...mayFetch.env, DOCENT_HOST_PAUSE: "5" };
  const { nodes, wires, bucket } = await wired(t, [server], { env });
  const random = seeded(SEED);
  const agent = await nodes[0].agent();
  const expected = [];
  /** A website of pages that lead to each other, and others that only its sitemap names. */
  const open = async (n) => {
    const web = await site(t);
    const names = Array.from({ length: 12 }, (_, i) => `/${i % 2 ? "linked" : "listed"}-${i}`);
    for (const name of names) web.page(name, `Tree ${name}`, `The tree ${name} of garden ${n} is ${n} metres tall.`);
    const links = names.filter((name) => name.startsWith("/linked")).map((name) => `<a href="${name}">${name}</a>`);
    web.page("/", `Garden ${n}`, `Garden ${n} has trees. ${links.join(" ")}`);
    web.sitemap(
      "/sitemap.xml",
      names.filter((name) => name.startsWith("/listed")),
    );
    for (const [path, { body = "", status = 200, etag, ...headers }] of web.pages)
      web.set(path, (_, res) => void setTimeout(() => res.writeHead(status, headers).end(body), random.int(400)));
    expected.push(...["/", ...names].map((name) => web.url + name));
    await at(random.pick(nodes), agent).expect(201, "POST", "/sources", {
      form: form({ sitemap_path: `${web.url}/` }),
    });
  };
  const away = async (ms) => (await server.stop("immediate"), await sleep(ms), await server.start());
  const faults = [
    () => away(0),
    () => away(3000),
    async () => {
      const wire = random.pick(wires).servers[0];
      wire.freeze();
      await sleep(3000);
      wire.cut();
      wire.thaw();
    },
    async () => {
      bucket.before = (ask) => ask.refuse("AccessDenied");
      await sleep(2000);
      bucket.before = null;
    },
    async () => {
      const node = random.pick(nodes);
      await node.kill9();
      await node.spawn();
    },
  ];
  await again(faults.length, async (i) => {
    await open(i);
    await sleep(random.int(1500));
    await faults[i % faults.length]();
    await until("the nodes to be well", () => well(nodes), 30_000);
  });
  const left = async () => (await agent.pages()).filter((page) => page.index_status !== "ok");
  const read = async () => (await agent.pages()).length >= expected.length && !(await left()).length;
  await until("all pages to be read", read, 120_000).catch(async (error) => {
    error.message += `: ${JSON.stringify((await left()).slice(0, 5))} of ${expected.length}, ${(await agent.pages()).length}`;
    throw error;
  });
  assert.deepEqual((await agent.pages()).map((page) => page.page_url).sort(), expected.sort());
  await sound(nodes);
});
