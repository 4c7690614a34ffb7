// A server under test, its command line, and an agent in it.
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { multipart, form, raw, request } from "./http.mjs";
import "./machine.mjs";
import { patient } from "./patience.mjs";
import { psql } from "./psql.mjs";
import { Description } from "./schema.mjs";
import { namedEvents } from "./sse.mjs";
import { until } from "./util.mjs";

export const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../../..");
export const binary = path.resolve(process.env.DOCENT_BINARY ?? path.join(root, "build/docent"));

const START_MS = 20_000;
const STOP_MS = 30_000;

/** What a file that is ended in the middle would leave behind. */
const children = new Set();
process.on("exit", () => children.forEach((child) => child.kill("SIGKILL")));
function spawned(...args) {
  const child = spawn(...args);
  children.add(child);
  child.on("close", () => children.delete(child));
  return child;
}

/** The caller's environment without what would configure Docent. What a model is asked beside the answers, and the
 * network that finds by meaning, are for the stories that turn them on. All of them come from one address. */
function environment(extra = {}) {
  const clean = Object.entries(process.env).filter(([name]) => !name.startsWith("DOCENT_"));
  const ours = { DOCENT_MODEL_CHORES: "no", DOCENT_ENCODER: "none", DOCENT_WRONG_KEYS: "1000000" };
  return { ...Object.fromEntries(clean), ...ours, ...extra };
}

/** Where PostgreSQL listens (scripts/with-postgres): then each data directory has a database there. */
export const postgres = process.env.DOCENT_TEST_POSTGRES;
/** What the databases of new data directories are copies of, if anything (tables.mjs): one there, or a file. */
const tables = process.env.DOCENT_TEST_TABLES;
const databases = new Map();

const sql = (text) => psql(postgres, "postgres", text);

/** The environment that names the store of a data directory: nothing for SQLite. */
export async function storeOf(dir) {
  if (!postgres || !dir) return {};
  if (!databases.has(dir)) {
    const name = `story-${randomUUID()}`;
    databases.set(
      dir,
      sql(`CREATE DATABASE "${name}"${tables ? ` TEMPLATE "${tables}"` : ""}`).then(() => name),
    );
  }
  return { DOCENT_STORE: `postgresql://docent@/${await databases.get(dir)}?host=${postgres}` };
}

/**
 * A bucket "stories" on a server (scripts/with-s3): with DOCENT_TEST_BLOB=s3 the blobs of each data
 * directory are there, under a prefix of its own.
 */
const bucket = process.env.DOCENT_TEST_BLOB === "s3" && {
  DOCENT_S3_ENDPOINT: process.env.DOCENT_TEST_S3,
  DOCENT_S3_KEY_ID: process.env.DOCENT_TEST_S3_KEY_ID,
  DOCENT_S3_SECRET: process.env.DOCENT_TEST_S3_SECRET,
};
const prefixes = new Map();
const apart = new Set(); // data directories whose blobs are files there, whatever the run says

function blobsOf(dir) {
  if (!bucket || !dir || apart.has(dir)) return {};
  if (!prefixes.has(dir)) prefixes.set(dir, randomUUID());
  return { ...bucket, DOCENT_BLOB: `s3://stories/${prefixes.get(dir)}` };
}

async function dropStore(dir) {
  const name = await databases.get(dir);
  databases.delete(dir);
  if (name) await sql(`DROP DATABASE "${name}" WITH (FORCE)`);
}

/** How long a command may take: a trial that lasts longer leaves more to look through. */
const ENOUGH_MS = 60_000 + 1000 * Number(process.env.DOCENT_TRIAL_SECONDS ?? 0);

/** Runs `docent args…` to its end: { code, stdout, stderr }. */
export async function docent(args, { env, input, cwd, ms = ENOUGH_MS, heard } = {}) {
  const data = args.includes("--data") ? args[args.indexOf("--data") + 1] : env?.DOCENT_DATA;
  const places = {
    ...(databases.has(data) ? await storeOf(data) : {}),
    ...(prefixes.has(data) ? blobsOf(data) : {}),
  };
  return new Promise((resolve, reject) => {
    const child = spawned(binary, args, {
      env: environment({ ...places, ...env }),
      cwd,
      stdio: ["pipe", "pipe", "pipe"],
    });
    const out = [],
      err = [];
    const timer = setTimeout(() => child.kill("SIGKILL"), patient(ms));
    child.stdout.on("data", (piece) => out.push(piece));
    child.stderr.on("data", (piece) => {
      err.push(piece);
      heard?.(Buffer.concat(err).toString());
    });
    child.on("error", reject);
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({ code: code ?? signal, stdout: Buffer.concat(out).toString(), stderr: Buffer.concat(err).toString() });
    });
    child.stdin.on("error", () => {}); // it may end without reading
    child.stdin.end(input);
  });
}

export class Service {
  log = "";

  /**
   * addressSpaceKb: as `ulimit -v` sets it. program: another one than is tested. blobFiles: the story is
   * about the files of blobs, so they are in the data directory.
   */
  constructor({
    args = [],
    env = {},
    dir = null,
    addressSpaceKb = "unlimited",
    key = true,
    program = binary,
    blobFiles = false,
  } = {}) {
    this.program = program;
    this.blobFiles = blobFiles;
    this.wantsKey = key;
    this.args = args;
    this.addressSpaceKb = addressSpaceKb;
    this.env = env;
    this.dir = dir;
    this.ownDir = !dir;
  }

  async begin() {
    if (this.dir) await mkdir(this.dir, { recursive: true });
    else {
      this.dir = await mkdtemp(path.join(tmpdir(), "docent-story-"));
      if (tables && !postgres && this.program === binary && !this.env.DOCENT_STORE)
        await copyFile(tables, path.join(this.dir, "docent.db"));
    }
    if (this.blobFiles) apart.add(this.dir);
    await this.spawn();
    if (this.wantsKey) this.key = await this.newKey();
  }

  /** Starts the program on the data directory and waits until it listens. */
  async spawn() {
    this.log = "";
    const limited =
      this.addressSpaceKb === "unlimited" ? [] : ["sh", "-c", `ulimit -v ${this.addressSpaceKb}; exec "$0" "$@"`];
    const [program, ...args] = [
      ...limited,
      this.program,
      "serve",
      "--data",
      this.dir,
      "--listen",
      "127.0.0.1:0",
      ...this.args,
    ];
    const env = environment({ ...(await storeOf(this.dir)), ...blobsOf(this.dir), ...this.env });
    const child = spawned(program, args, { env, stdio: ["ignore", "ignore", "pipe"] });
    this.child = child;
    this.ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
    this.url = await new Promise((resolve, reject) => {
      const ms = patient(START_MS);
      const timer = setTimeout(() => reject(new Error(`the server did not listen within ${ms} ms:\n${this.log}`)), ms);
      child.stderr.on("data", (piece) => {
        this.log = (this.log + piece).slice(-200_000);
        const listening = /(?:^|"message":")listening on (https?:\/\/[^\s"]+)/m.exec(this.log);
        if (listening) {
          clearTimeout(timer);
          resolve(listening[1]);
        }
      });
      child.on("error", reject);
      child.on("close", (code, signal) => {
        clearTimeout(timer);
        reject(new Error(`the server ended with ${code ?? signal} before it listened:\n${this.log}`));
      });
    });
  }

  /** Asks the server to stop; gives its exit code. */
  async stop() {
    if (!this.child) return 0;
    const child = this.child;
    this.child = null;
    child.kill("SIGTERM");
    const timer = setTimeout(() => child.kill("SIGKILL"), patient(STOP_MS));
    const code = await this.ended;
    clearTimeout(timer);
    return code;
  }

  /** The power cut. */
  async kill9() {
    const child = this.child;
    this.child = null;
    child.kill("SIGKILL");
    await this.ended;
  }

  /** A power cut while it is still starting. */
  async crashAtStart(ms) {
    const child = spawned(binary, ["serve", "--data", this.dir, "--listen", "127.0.0.1:0", ...this.args], {
      env: environment({ ...(await storeOf(this.dir)), ...blobsOf(this.dir), ...this.env }),
      stdio: "ignore",
    });
    const ended = new Promise((resolve) => child.on("close", resolve));
    setTimeout(() => child.kill("SIGKILL"), ms);
    await ended;
  }

  async restart() {
    if (this.child) assert.equal(await this.stop(), 0, "the server stops cleanly");
    await this.spawn();
  }

  async end() {
    const code = await this.stop();
    await dropStore(this.dir);
    if (this.ownDir && this.dir) await rm(this.dir, { recursive: true, force: true });
    assert.equal(code, 0, `the server ended with ${code}:\n${this.log.slice(-4000)}`);
  }

  alive() {
    return this.child !== null && this.child.exitCode === null && this.child.signalCode === null;
  }

  cli(...args) {
    return docent(args, {
      env: { ...this.places(), DOCENT_DATA: this.dir, DOCENT_URL: this.url, DOCENT_API_KEY: this.key },
    });
  }

  /** Where its data is, where that is not the data directory alone. */
  places() {
    return Object.fromEntries(
      Object.entries(this.env).filter(([name]) => /^DOCENT_(CONFIG|STORE|BLOB|S3_)/.test(name)),
    );
  }

  /** A key of an account (the usual one unless named), perhaps of a plan, perhaps limited to agents. */
  async newKey({ account, plan, agents = [] } = {}) {
    const args = ["key", "create", "--data", this.dir];
    if (account) args.push("--account", account);
    if (plan) args.push("--plan", plan);
    for (const id of agents) args.push("--agent", String(id));
    const made = await docent(args, { env: this.places() });
    assert.equal(made.code, 0, made.stderr);
    return made.stdout.trim();
  }

  async revoke(key) {
    const done = await docent(["key", "revoke", "--data", this.dir, key.split("|")[0]], { env: this.places() });
    assert.equal(done.code, 0, done.stderr);
  }

  /**
   * One request; every answer is checked against the description of its route.
   *   json, form (parts), urlencoded, body   what to send, at most one
   *   query     object or string             headers   more fields, or over the usual ones
   *   key       another key; null: none      url       of another server
   */
  async api(method, where, options = {}) {
    const { json, form: parts, urlencoded, query, key = this.key, headers = {} } = options;
    let { body } = options,
      type;
    if (json !== undefined) [body, type] = [JSON.stringify(json), "application/json"];
    if (urlencoded !== undefined)
      [body, type] = [new URLSearchParams(urlencoded).toString(), "application/x-www-form-urlencoded"];
    if (parts !== undefined) ({ body, type } = multipart(parts));
    const route =
      /^\/(api|mcp)\//.test(where) || /^\/(healthz|readyz|metrics|openapi\.json)$/.test(where) || options.plain
        ? where
        : `/api/v1${where}`;
    const search = query === undefined ? "" : `?${typeof query === "string" ? query : new URLSearchParams(query)}`;
    const reply = await request(this.url + route + search, {
      method,
      body,
      headers: {
        accept: "application/json",
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(type ? { "content-type": type } : {}),
        ...headers,
      },
      agent: options.agent,
    });
    (await this.description()).check(method, route, reply);
    if (reply.headers["content-type"] === "application/json" && reply.bytes.length) {
      reply.json = JSON.parse(reply.text);
      reply.data = reply.json.data;
    }
    return reply;
  }

  /** The same, and the status must be this; gives the envelope's data. */
  async expect(status, method, where, options) {
    const reply = await this.api(method, where, options);
    assert.equal(reply.status, status, `${method} ${where} answered ${reply.status}: ${reply.text.slice(0, 500)}`);
    return reply.data;
  }

  raw(bytes, options) {
    return raw(this.url, bytes, options);
  }

  async description() {
    if (!this.openapi) {
      const reply = await request(`${this.url}/openapi.json`);
      assert.equal(reply.status, 200);
      this.openapi = new Description(JSON.parse(reply.text));
    }
    return this.openapi;
  }

  /** An agent with these fields and files ({ name: text }), its documents indexed. */
  async agent({ files = {}, key, ...fields } = {}) {
    const data = await this.expect(201, "POST", "/projects", {
      key,
      form: form({ project_name: "Story", ...fields }, files),
    });
    const agent = new Agent(this, data, key);
    if (Object.keys(files).length) await agent.settled();
    return agent;
  }
}

export class Agent {
  constructor(kb, record, key) {
    this.kb = kb;
    this.id = record.id;
    this.record = record;
    this.key = key;
    this.path = `/projects/${record.id}`;
  }

  api(method, where = "", options = {}) {
    return this.kb.api(method, this.path + where, { key: this.key, ...options });
  }

  expect(status, method, where = "", options = {}) {
    return this.kb.expect(status, method, this.path + where, { key: this.key, ...options });
  }

  /** All its pages, oldest first. */
  async pages(query = {}) {
    const all = [];
    for (let page = 1; ; page++) {
      const { pages } = await this.expect(200, "GET", "/pages", {
        query: { order: "asc", limit: 100, page, ...query },
      });
      all.push(...pages.data);
      if (page >= pages.last_page) return all;
    }
  }

  async page(filename) {
    const found = (await this.pages()).find((page) => page.filename === filename);
    assert.ok(found, `the agent has a document ${filename}`);
    return found;
  }

  /** Waits until no document is queued; gives them. */
  async settled(ms = 30_000) {
    await until(
      "the documents to be indexed",
      async () => {
        const { pages } = await this.expect(200, "GET", "/pages", { query: { index_status: "queued", limit: 1 } });
        return pages.total === 0;
      },
      ms,
      15,
    );
    return this.pages();
  }

  /** Waits until every passage is found by meaning too. */
  encoded(ms = 60_000) {
    return until(
      "every passage to be found by meaning",
      async () => {
        const { queued, meaning } = await this.expect(200, "GET", "/progress");
        return queued === 0 && meaning && meaning.passages > 0 && meaning.ready === meaning.passages;
      },
      ms,
    );
  }

  async add(files) {
    await this.expect(200, "POST", "", { form: form({}, files) });
    return this.settled();
  }

  /** Asks; gives the message record. */
  async ask(prompt, { session = randomUUID(), ...options } = {}) {
    const message = await this.expect(200, "POST", `/conversations/${session}/messages`, {
      json: { prompt },
      ...options,
    });
    return Object.assign(message, { session });
  }

  /** Asks for a stream; gives { reply, events, text, finish }. */
  async stream(prompt, { session = randomUUID(), json = {}, ...options } = {}) {
    const reply = await this.api("POST", `/conversations/${session}/messages`, {
      query: { stream: "true" },
      json: { prompt, ...json },
      ...options,
    });
    assert.equal(reply.status, 200, reply.text);
    const events = namedEvents(reply.bytes);
    const text = events
      .filter((e) => e.event === "progress")
      .map((e) => e.data.message)
      .join("");
    return { reply, events, text, session, finish: events.at(-1).data };
  }

  /** The names of the documents that a message cites, in order. */
  async sources(message) {
    const titles = [];
    for (const id of message.citations ?? [])
      titles.push((await this.pages()).find((page) => page.id === id)?.filename);
    return titles;
  }
}
