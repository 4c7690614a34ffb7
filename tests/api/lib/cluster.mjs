// Several nodes on one database and one place for blobs, each behind wires of its own where a story
// cuts them; and clients that keep account of all that was acknowledged to them.
import path from "node:path";
import { Bucket } from "./bucket.mjs";
import { assert, form, sleep, start, until } from "./harness.mjs";
import { database } from "./postgres.mjs";
import { Agent } from "./service.mjs";
import { folder, seeded, unique } from "./util.mjs";
import { Wire } from "./wire.mjs";

/** `count` running nodes on a database and a directory; they share the key of the first. */
export async function cluster(t, count = 3, more = {}) {
  const { url, run } = await database();
  const blobs = path.join(await folder(t), "blobs");
  const places = Array.from({ length: count }, () => ({ DOCENT_STORE: url, DOCENT_BLOB: blobs, ...more }));
  return { nodes: await nodesOf(t, places), run };
}

/** Nodes n1, n2, … with these environments. */
export async function nodesOf(t, places, options = {}) {
  const nodes = [];
  for (const [i, env] of places.entries()) {
    const node = await start(t, {
      env,
      ...options,
      args: ["--node", `n${i + 1}`, ...(options.args ?? [])],
      key: i === 0,
    });
    node.key = nodes[0]?.key ?? node.key;
    nodes.push(node);
  }
  return nodes;
}

/**
 * Nodes with a wire to each of the servers (postgres.mjs) and one to a bucket, all of them the
 * story's: { nodes, wires: [{ servers, bucket }], bucket }.
 */
export async function wired(t, servers, { count = 3, query = "?silence=1", args = [], env = {} } = {}) {
  await servers[0].psql("postgres", "CREATE DATABASE docent");
  const bucket = await new Bucket().open(t);
  const wires = [];
  for (let i = 0; i < count; i++)
    wires.push({
      servers: await Promise.all(servers.map((server) => new Wire(server.socket).open(t))),
      bucket: await new Wire({ host: "127.0.0.1", port: bucket.server.address().port }).open(t),
    });
  const places = wires.map((wire) => ({
    ...env,
    DOCENT_STORE: `postgresql://docent@${wire.servers.map(({ port }) => `127.0.0.1:${port}`)}/docent${query}`,
    ...bucket.env("stories"),
    DOCENT_S3_ENDPOINT: `http://127.0.0.1:${wire.bucket.port}`,
  }));
  return { nodes: await nodesOf(t, places, { args }), wires, bucket };
}

/** The same agent by way of another node. */
export const at = (node, agent) => new Agent(node, agent.record, agent.key);

const GONE = ["ECONNRESET", "ECONNREFUSED", "EPIPE", "ETIMEDOUT"];

/**
 * Clients that ask, upload and delete at random nodes until stop(). What was acknowledged is in
 * `messages`, `pages` and `deleted`; verify() finds all of it again, and nothing twice.
 */
export class Clients {
  messages = []; // { session, id, prompt }
  pages = new Map(); // id: name
  deleted = new Set(); // ids
  sent = { messages: 0, pages: 0 };
  refused = new Map(); // what was said: how often
  answeredAt = Date.now(); // when the last write was acknowledged
  longestGap = 0;
  #running = true;

  constructor(nodes, agent, { seed = 1, count = 4 } = {}) {
    Object.assign(this, { nodes, agent, random: seeded(seed) });
    this.loops = Array.from({ length: count }, (_, i) => this.#loop(i));
  }

  async stop() {
    this.#running = false;
    await Promise.all(this.loops);
  }

  /** Waits until so many more writes were acknowledged. */
  async moves(count = 5, ms = 60_000) {
    const from = this.messages.length;
    await until("the clients to get on", () => this.messages.length >= from + count, ms);
  }

  async #loop(number) {
    for (let i = 0; this.#running; i++) {
      if (i % 7 === 3) await this.#upload();
      else if (i % 14 === 12) await this.#delete();
      else await this.#ask(`c${number}-${i % 3}`);
    }
  }

  /** The data of a success; undefined for what failed for a reason that may be. */
  async #send(method, where, options) {
    const node = this.random.pick(this.nodes.filter((one) => one.alive()));
    if (!node) return void (await sleep(20));
    let reply;
    try {
      reply = await at(node, this.agent).api(method, where, options);
    } catch (error) {
      if (!GONE.includes(error.code) && !/aborted|hang up/.test(error.message)) throw error;
      this.refused.set(error.code ?? "cut", (this.refused.get(error.code ?? "cut") ?? 0) + 1);
      return void (await sleep(20));
    }
    if (reply.status < 300) {
      this.longestGap = Math.max(this.longestGap, Date.now() - this.answeredAt);
      this.answeredAt = Date.now();
      return reply.data;
    }
    const said = `${reply.status} ${reply.json?.message}`;
    assert.equal(reply.status, 503, `${method} ${where} answered ${said}`);
    this.refused.set(said, (this.refused.get(said) ?? 0) + 1);
    await sleep(50);
  }

  async #ask(session) {
    const prompt = `How long does the warranty of the kettle last? ${this.sent.messages++}`;
    const message = await this.#send("POST", `/conversations/${session}/messages`, { json: { prompt } });
    if (message) this.messages.push({ session, id: message.id, prompt });
  }

  async #upload() {
    const name = `f${this.sent.pages++}.txt`;
    const text = `The ${unique(this.sent.pages)} engine weighs ${this.sent.pages} kilograms.`;
    const source = await this.#send("POST", "/sources", { form: form({}, { [name]: text }) });
    if (source) this.pages.set(source.pages[0].id, name);
  }

  async #delete() {
    const [id] = this.pages.keys();
    if (!id) return;
    this.pages.delete(id); // it may be gone even if the answer says otherwise
    if (await this.#send("DELETE", `/pages/${id}`)) this.deleted.add(id);
  }

  /** Everything that was acknowledged is there once, at every node; then `docent check` is content. */
  async verify() {
    await this.stop();
    const [node] = this.nodes;
    const agent = at(node, this.agent);
    const pages = await agent.settled(90_000);
    const named = new Map();
    for (const page of pages) {
      assert.ok(!named.has(page.filename), `${page.filename} is there twice`);
      named.set(page.filename, page);
      assert.ok(!this.deleted.has(page.id), `${page.filename} was deleted`);
      assert.equal(page.index_status, "ok", `${page.filename}: ${page.index_error ?? page.index_status}`);
    }
    for (const name of this.pages.values()) assert.ok(named.has(name), `${name} was acknowledged`);

    const found = new Map(); // prompt: ids
    for (const session of new Set(this.messages.map((message) => message.session)))
      for (const message of await this.#conversation(agent, session)) {
        assert.ok(!found.has(message.user_query), `there twice: ${message.user_query}`);
        found.set(message.user_query, message.id);
      }
    for (const { prompt, id } of this.messages) assert.equal(found.get(prompt), id, `the answer to: ${prompt}`);

    const last = [...named.values()].at(-1);
    const number = Number(/^f(\d+)\.txt$/.exec(last.filename)?.[1]);
    for (const one of this.nodes) {
      assert.match(
        (await at(one, this.agent).ask("How long does the warranty of the kettle last?")).llm_response,
        /27 months/,
      );
      if (number >= 0) {
        const answer = await at(one, this.agent).ask(`How much does the ${unique(number + 1)} engine weigh?`);
        assert.match(answer.llm_response, new RegExp(`${number + 1} kilograms`));
      }
    }
    await sound(this.nodes);
  }

  async #conversation(agent, session) {
    const all = [];
    for (let page = 1; ; page++) {
      const { messages } = await agent.expect(200, "GET", `/conversations/${session}/messages`, {
        query: { page, limit: 100 },
      });
      all.push(...messages.data);
      if (page >= messages.last_page) return all;
    }
  }
}

/** Ends all nodes; what they leave is sound. */
export async function sound(nodes) {
  for (const node of nodes) assert.equal(await node.stop(), 0, node.log.slice(-2000));
  const check = await nodes[0].cli("check");
  assert.equal(check.code, 0, check.stdout + check.stderr);
}
