// Three machines and one proxy, as docs/scaling.md has them: with its files and no others, but for the
// addresses and folders of this machine.
import { execFile, spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { chmod, readFile, writeFile } from "node:fs/promises";
import https from "node:https";
import path from "node:path";
import { promisify } from "node:util";
import { Bucket, KEY_ID, SECRET } from "./lib/bucket.mjs";
import { certificate } from "./lib/certificate.mjs";
import { assert, form, start, test, until } from "./lib/harness.mjs";
import { multipart } from "./lib/http.mjs";
import { models } from "./lib/models.mjs";
import { database } from "./lib/postgres.mjs";
import { binary, root } from "./lib/service.mjs";
import { at } from "./lib/cluster.mjs";
import { folder, freePort } from "./lib/util.mjs";

const QUESTION = "How long does the warranty of the kettle last?";
const warranty = { "warranty.txt": "The warranty of the kettle lasts 27 months." };

/** A file that stands in the page, by its name there, with these texts in place of those. */
async function shown(name, changes) {
  const page = await readFile(path.join(root, "docs/scaling.md"), "utf8");
  const block = new RegExp(`^    # ${name.replaceAll(".", "\\.")}\n((?:    .*\n|\n(?=    ))+)`, "m").exec(page);
  assert.ok(block, `docs/scaling.md shows ${name}`);
  let text = block[1].replace(/^ {4}/gm, "");
  for (const [from, to] of Object.entries(changes)) {
    assert.equal(text.split(from).length, 2, `${name} has ${from}`);
    text = text.replace(from, () => to);
  }
  return text;
}

/** A node with the page's configuration. */
async function node(t, number, world) {
  const dir = await folder(t);
  const [config, secret] = ["docent.conf", "secret"].map((name) => path.join(dir, name));
  await writeFile(secret, `${SECRET}\n`);
  const changes = {
    "node = n1": `node = n${number}`,
    "10.0.0.11:8080": "127.0.0.1:0",
    "/var/lib/docent": path.join(dir, "data"),
    "postgresql://docent@db.internal/docent?sslmode=verify-full": world.url,
    "s3-key-id = docent": `s3-key-id = ${KEY_ID}`,
    "https://s3.internal": world.bucket.url,
    "/etc/docent/secret": secret,
    "10.0.0.10": "127.0.0.1",
  };
  await writeFile(config, await shown("/etc/docent/docent.conf", changes));
  const kb = await start(t, {
    env: { ...world.server.chatEnv(), DOCENT_CONFIG: config },
    dir: path.join(dir, "data"),
    key: number === 1,
  });
  kb.key ??= world.nodes[0].key;
  return kb;
}

/** nginx with the page's file; gives its port. */
async function nginx(t, nodes, tls) {
  const dir = await folder(t);
  const port = await freePort();
  const changes = {
    "listen 443": `listen 127.0.0.1:${port}`,
    "/etc/nginx/docent/chain.pem": path.join(dir, "chain.pem"),
    "/etc/nginx/docent/key.pem": path.join(dir, "key.pem"),
  };
  for (const [i, { url }] of nodes.entries()) changes[`10.0.0.${11 + i}:8080`] = new URL(url).host;
  const file = (name) => path.join(dir, name);
  await writeFile(file("chain.pem"), tls.cert);
  await writeFile(file("key.pem"), tls.key);
  await writeFile(file("docent.conf"), await shown("/etc/nginx/conf.d/docent.conf", changes));
  const own = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map((what) => `${what}_temp_path ${file(what)};`);
  await writeFile(
    file("nginx.conf"),
    `${process.getuid() === 0 ? "user root;" : ""} daemon off; worker_processes 1; pid ${file("pid")};
     error_log ${file("errors")} warn; events {} http { access_log off; ${own.join(" ")} include ${file("docent.conf")}; }`,
  );
  await chmod(dir, 0o755);
  const child = spawn("nginx", ["-p", dir, "-c", file("nginx.conf"), "-e", file("errors")], { stdio: "inherit" });
  const ended = new Promise((resolve, reject) => child.on("close", resolve).on("error", reject));
  t.after(async () => {
    child.kill("SIGTERM");
    await ended;
  });
  return { port, errors: () => readFile(file("errors"), "utf8") };
}

const CLIENT = "127.0.0.5"; // who is not the proxy

/** One request to nginx; `on` gets the text so far with each piece of it. */
function send(proxy, tls, method, where, { body, type, key, on = () => {} } = {}) {
  return new Promise((resolve, reject) => {
    const req = https.request(
      {
        host: "127.0.0.1",
        port: proxy.port,
        path: where,
        method,
        ca: tls.authority,
        servername: "localhost",
        localAddress: CLIENT,
        agent: false,
        headers: {
          host: "docs.example.com",
          authorization: `Bearer ${key}`,
          ...(body ? { "content-type": type, "content-length": Buffer.byteLength(body) } : {}),
        },
      },
      (res) => {
        let text = "";
        res.setEncoding("utf8");
        res.on("data", (piece) => on((text += piece)));
        res.on("error", reject);
        res.on("end", () => resolve({ status: res.statusCode, text }));
      },
    );
    req.on("error", reject);
    req.end(body);
  });
}

test("three nodes with the page's configuration, behind nginx with the page's file", async (t) => {
  const tls = await certificate(t);
  tls.authority = await readFile(tls.ca);
  const world = { nodes: [], bucket: await new Bucket().open(t), server: await models(t), ...(await database()) };
  for (let number = 1; number <= 3; number++) world.nodes.push(await node(t, number, world));
  const { nodes } = world;
  const { key } = nodes[0];
  const proxy = await nginx(t, nodes, tls);
  const call = (method, where, options) => send(proxy, tls, method, where, { key, ...options });
  await until("nginx to listen", () => call("GET", "/readyz").catch(() => null));
  const ask = (agent, options = {}) =>
    call(
      "POST",
      `/api/v1${agent.path}/conversations/${options.session ?? randomUUID()}/messages${options.query ?? ""}`,
      {
        body: JSON.stringify({ prompt: QUESTION }),
        type: "application/json",
        ...options,
      },
    );

  // An upload of some size, and who it was that asked.
  const { type, body } = multipart(form({}, { ...warranty, "long.txt": "All is well. ".repeat(400_000) }));
  const agent = await nodes[0].agent();
  const added = await call("POST", `/api/v1${agent.path}`, { body, type });
  assert.equal(added.status, 200, added.text);
  await agent.settled();
  const message = JSON.parse((await ask(agent)).text).data;
  assert.match(message.llm_response, /27 months/);
  assert.equal(message.metadata.user_ip, CLIENT);
  assert.equal((await call("GET", "/metrics")).status, 404);

  // A stream comes through piece by piece: the model goes on only when what it said has been read.
  const { chat } = world.server;
  Object.assign(chat, { say: "One two three four five six seven eight.", until: 4 });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  const read = [];
  const streamed = await ask(agent, {
    query: "?stream=true",
    on: (text) => {
      read.push(text);
      if (/"message":"[^"]*two/.test(text) || /One[^]*two/.test(text)) chat.until = Infinity;
    },
  });
  assert.equal(streamed.status, 200, streamed.text);
  assert.match(streamed.text, /event: finish/);
  assert.ok(
    read.some((text) => text.includes("two") && !text.includes("eight")),
    "what was said first came first",
  );
  chat.say = null;

  // The questions of one agent go to one node; those of all agents go to more than one.
  const agents = [];
  for (let i = 0; i < 10; i++) agents.push(await nodes[i % 3].agent({ files: warranty }));
  for (const one of nodes) one.log = "";
  for (const one of [...agents, ...agents, ...agents]) assert.match((await ask(one)).text, /27 months/);
  const answered = (one) => nodes.filter(({ log }) => log.includes(` answered agent=${one.id} `));
  await until("all to be in the logs", () => agents.every((one) => answered(one).length > 0));
  for (const one of agents) assert.equal(answered(one).length, 1, `agent ${one.id} was answered by one node`);
  assert.ok(new Set(agents.map((one) => answered(one)[0])).size > 1);

  // A node dies: its agents are answered by the others, at the next question.
  const [dead] = answered(agents[0]);
  const orphans = agents.filter((one) => answered(one)[0] === dead);
  await dead.kill9();
  for (const one of [...orphans, ...agents]) {
    const reply = await ask(one);
    assert.equal(reply.status, 200, `${reply.text}\n${await proxy.errors()}`);
    assert.match(reply.text, /27 months/);
  }
  const others = nodes.filter((one) => one !== dead);
  for (const one of others) assert.match((await at(one, agents[0]).ask(QUESTION)).llm_response, /27 months/);
});

test("systemd takes the page's unit", async (t) => {
  const unit = path.join(await folder(t), "docent.service");
  await writeFile(unit, await shown("/etc/systemd/system/docent.service", { "/usr/local/bin/docent": binary }));
  const { stdout, stderr } = await promisify(execFile)("systemd-analyze", ["verify", "--man=no", unit]);
  const about = (stdout + stderr).split("\n").filter((line) => line.includes("docent"));
  assert.deepEqual(about, []);
});
