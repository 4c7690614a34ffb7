// The command line: what it prints, and how it ends (0 done, 1 failed, 2 wrong usage).
import { existsSync } from "node:fs";
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { assert, docent, sqliteTest, start, test, until } from "./lib/harness.mjs";
import { foreign, library, lighthouse, noAnswer, questions } from "./lib/documents.mjs";

async function folder(t) {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-cli-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return dir;
}

const commands = [
  "serve",
  "key",
  "ask",
  "add",
  "parse",
  "index",
  "proxy",
  "completions",
  "man",
  "doctor",
  "support",
  "models",
  "check",
  "adopt",
  "backup",
  "restore",
  "config",
  "move",
  "version",
  "help",
];

test("help lists every command, and docent alone is help", async () => {
  for (const args of [["help"], ["--help"], ["-h"], []]) {
    const { code, stdout, stderr } = await docent(args);
    assert.deepEqual([code, stderr], [0, ""]);
    for (const command of commands) assert.match(stdout, new RegExp(`docent ${command}\\b`));
    assert.ok(!stdout.includes("parse-worker"));
  }
});

test("version prints the version alone", async () => {
  for (const args of [["version"], ["--version"]]) {
    const { code, stdout } = await docent(args);
    assert.equal(code, 0);
    assert.match(stdout, /^docent \d+\.\d+\.\d+\n$/);
  }
});

test("wrong usage ends with 2 and says what is right on stderr, nothing on stdout", async (t) => {
  const dir = await folder(t);
  const file = path.join(dir, "x.txt");
  await writeFile(file, "text");
  const cases = [
    ["fly"],
    ["serve", "--colour", "red"],
    ["serve", "--data"],
    ["serve", "--listen", "nowhere", "--data", dir],
    ["serve", "--listen", "127.0.0.1:99999", "--data", dir],
    ["serve", "extra"],
    ["serve", "--workers", "many", "--data", dir],
    ["serve", "--log", "loud", "--data", dir],
    ["serve", "--tls-cert", file, "--data", dir],
    ["key"],
    ["key", "bake"],
    ["key", "revoke"],
    ["key", "revoke", "abc"],
    ["key", "create", "--agent", "x"],
    ["key", "create", "--colour"],
    ["ask"],
    ["ask", "--url", "http://x", "question"],
    ["ask", "--url", "http://x", "--key", "k", "--agent", "one", "question"],
    ["parse"],
    ["parse", "a", "b"],
    ["index"],
    ["index", "fly"],
    ["index", "build"],
    ["index", "search", "--index", dir],
    ["check", "--colour"],
    ["check", "a", "b"],
  ];
  for (const args of cases) {
    const { code, stdout, stderr } = await docent(args, { env: { DOCENT_DATA: dir } });
    assert.deepEqual([code, stdout], [2, ""], `docent ${args.join(" ")}: ${stderr}`);
    assert.ok(stderr.length > 10, `docent ${args.join(" ")} says something`);
  }
});

test("serve --help lists each option with its environment name and default", async () => {
  const { code, stdout } = await docent(["serve", "--help"]);
  assert.equal(code, 0);
  for (const [flag, env] of [
    ["--data", "DOCENT_DATA"],
    ["--listen", "DOCENT_LISTEN"],
    ["--config", "DOCENT_CONFIG"],
    ["--store", "DOCENT_STORE"],
    ["--blob", "DOCENT_BLOB"],
    ["--public-url", "DOCENT_PUBLIC_URL"],
    ["--tls-cert", "DOCENT_TLS_CERT"],
    ["--tls-key", "DOCENT_TLS_KEY"],
    ["--log", "DOCENT_LOG"],
  ])
    assert.ok(stdout.includes(flag) && stdout.includes(env), flag);
});

test("options come from flags first, then the environment, then the configuration file", async (t) => {
  const dir = await folder(t);
  const config = path.join(dir, "docent.ini");
  await writeFile(config, "# a comment\npublic-url = https://file.example\nworkers = 5\n");
  const kb = await start(t, { args: ["--config", config] });
  const base = async (service) => (await service.expect(200, "GET", "/projects")).path;
  assert.equal(await base(kb), "https://file.example/api/v1/projects");
  kb.env = { DOCENT_PUBLIC_URL: "https://environment.example" };
  await kb.restart();
  assert.equal(await base(kb), "https://environment.example/api/v1/projects");
  kb.args.push("--public-url=https://flag.example");
  await kb.restart();
  assert.equal(await base(kb), "https://flag.example/api/v1/projects");
});

test("a mistake in the configuration file is named with its line", async (t) => {
  const dir = await folder(t);
  const config = path.join(dir, "docent.ini");
  for (const [text, wanted] of [
    ["workers = 5\ncolour = red\n", /docent\.ini:2: unknown option colour/],
    ["\n\nnonsense\n", /docent\.ini:3/],
  ]) {
    await writeFile(config, text);
    const { code, stderr } = await docent(["serve", "--data", dir, "--config", config]);
    assert.equal(code, 2);
    assert.match(stderr, wanted);
  }
  assert.notEqual((await docent(["serve", "--data", dir, "--config", path.join(dir, "missing.ini")])).code, 0);
});

test("a second server on the same data directory is refused", async (t) => {
  const kb = await start(t, { blobFiles: true });
  const { code, stdout, stderr } = await docent(["serve", "--data", kb.dir, "--listen", "127.0.0.1:0"]);
  assert.deepEqual([code, stdout], [1, ""]);
  assert.match(stderr, /in use/);
  await kb.expect(200, "GET", "/projects");
});

test("a port that is taken is an error that names it", async (t) => {
  const kb = await start(t);
  const { host } = new URL(kb.url);
  const { code, stderr } = await docent(["serve", "--data", await folder(t), "--listen", host]);
  assert.equal(code, 1);
  assert.match(stderr, /^docent: .*/);
  assert.ok(stderr.includes(host.split(":")[1]), stderr);
});

test("an address that is not loopback is refused until a key exists, and plain HTTP must be asked for", async (t) => {
  const dir = await folder(t);
  const serve = (...more) => docent(["serve", "--data", dir, "--listen", "0.0.0.0:0", ...more], { ms: 5000 });
  const none = await serve("--allow-plain-http");
  assert.equal(none.code, 1);
  assert.match(none.stderr, /no key exists yet; make one first: docent key create/);
  assert.equal((await docent(["key", "create", "--data", dir])).code, 0);
  const plain = await serve();
  assert.equal(plain.code, 1);
  assert.match(plain.stderr, /plain HTTP/);
});

sqliteTest("every subcommand that opens the data finds it where the server does", async (t) => {
  const dir = await folder(t);
  const [data, store, blob, config] = ["data", "store", "blob", "docent.ini"].map((name) => path.join(dir, name));
  await writeFile(config, `data = ${data}\nstore = ${store}\nblob = ${blob}\n`);
  const ways = [
    { args: ["--data", data, "--store", store, `--blob=${blob}`] },
    { env: { DOCENT_DATA: data, DOCENT_STORE: store, DOCENT_BLOB: blob } },
    { args: ["--config", config] },
    { args: ["--store", store], env: { DOCENT_DATA: data, DOCENT_STORE: path.join(dir, "wrong"), DOCENT_BLOB: blob } },
  ];
  for (const { args = [], env } of ways) {
    const kb = await start(t, { dir: data, args, env, key: false });
    const made = await docent(["key", "create", "--account", "ann", ...args], { env });
    assert.equal(made.code, 0, made.stderr);
    kb.key = made.stdout.trim();
    await kb.agent({ files: { "a.txt": "The heron pump costs 499 euros." } });
    const id = kb.key.split("|")[0];
    assert.match((await docent(["key", "list", ...args], { env })).stdout, new RegExp(`^${id} .*valid`, "m"));
    assert.equal((await docent(["key", "revoke", id, ...args], { env })).code, 0);
    assert.equal(await kb.stop(), 0);
    const check = await docent(["check", ...args], { env });
    assert.equal(check.code, 0, check.stdout + check.stderr);
    assert.ok(!check.stdout.startsWith("0 blobs"), check.stdout);
  }
  assert.deepEqual((await readdir(data)).sort(), [], "nothing is made where nothing should be");
  assert.ok(!existsSync(path.join(dir, "wrong")));
});

test("only key create makes a database", async (t) => {
  const dir = await folder(t);
  for (const args of [["key", "list"], ["key", "revoke", "1000"], ["check"]]) {
    const { code, stdout, stderr } = await docent([...args, "--data", dir]);
    assert.deepEqual([code, stdout], [1, ""]);
    assert.match(stderr, /there is no database in /);
    assert.deepEqual(await readdir(dir), []);
  }
});

test("key create prints the key alone; list shows it without its secret; revoke ends it", async (t) => {
  const dir = await folder(t);
  const made = await docent(["key", "create", "--data", dir, "--account", "Ünï & Söns"]);
  assert.equal(made.code, 0);
  assert.match(made.stdout, /^\d{3,}\|[A-Za-z0-9]{20,}\n$/);
  const [id, secret] = made.stdout.trim().split("|");
  const list = await docent(["key", "list", "--data", dir]);
  assert.equal(list.code, 0);
  const line = list.stdout.split("\n").find((l) => l.startsWith(id));
  assert.ok(line.includes("Ünï & Söns") && line.includes("valid") && !line.includes(secret));
  assert.equal((await docent(["key", "revoke", "--data", dir, id])).code, 0);
  assert.match((await docent(["key", "list", "--data", dir])).stdout, new RegExp(`^${id}.*revoked`, "m"));
  const unknown = await docent(["key", "revoke", "--data", dir, "999999"]);
  assert.equal(unknown.code, 1);
  assert.ok(unknown.stderr.includes("999999"), unknown.stderr);
});

test("keys made at the same time by many processes are all different and all valid", async (t) => {
  const kb = await start(t);
  const keys = await Promise.all(Array.from({ length: 8 }, () => kb.newKey({ account: "crowd" })));
  assert.equal(new Set(keys).size, 8);
  for (const key of keys) await kb.expect(200, "GET", "/projects", { key });
});

sqliteTest("the data directory holds no key in the clear", async (t) => {
  const kb = await start(t);
  await kb.expect(200, "GET", "/projects");
  await kb.stop();
  const db = await readFile(path.join(kb.dir, "docent.db"));
  assert.ok(!db.includes(kb.key.split("|")[1]));
});

test("ask prints the answer and its sources", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const ask = (...args) => docent(["ask", "--url", kb.url, "--key", kb.key, "--agent", String(agent.id), ...args]);
  const answer = await ask(questions[0][0]);
  assert.deepEqual([answer.code, answer.stderr], [0, ""]);
  const page = await agent.page("lighthouse.md");
  assert.ok(answer.stdout.includes(questions[0][2]));
  assert.match(answer.stdout, /\n\n\[1\] The Velmora Lighthouse {2}http\S+\/preview\/\d+\n$/);
  assert.ok(answer.stdout.includes(page.page_url));
  const none = await ask(foreign[0]);
  assert.deepEqual([none.code, none.stderr], [3, ""], "a code of its own");
  const searched = "Documents searched: 3. Other words may find more.\n";
  assert.ok(none.stdout.startsWith(`${noAnswer}\n\n${searched}`), none.stdout);
  await until("topics", async () => (await ask(foreign[0])).stdout.includes("Topics: "));
  assert.equal((await ask("Hello")).code, 0, "small talk is an answer");
  const byEnv = await docent(["ask", questions[0][0]], {
    env: { DOCENT_URL: kb.url, DOCENT_API_KEY: kb.key, DOCENT_AGENT_ID: String(agent.id) },
  });
  assert.equal(byEnv.stdout, answer.stdout);
});

test("ask prints what comes closest where nothing answers for sure, and says so by its code", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const ask = (...args) => docent(["ask", "--url", kb.url, "--key", kb.key, "--agent", String(agent.id), ...args]);
  const near = "Is there a restaurant near the cliff?";
  const { code, stdout } = await ask(near);
  assert.equal(code, 3);
  assert.ok(stdout.startsWith(`${noAnswer}\n\nClosest passages, none of them a sure answer:\n\n`), stdout);
  assert.match(stdout, /northern cliff[^]*\n {2}The Velmora Lighthouse {2}http\S+\/preview\/\d+\n/);
  const json = await ask("--json", near);
  const { outcome, answered, answer, sources, closest } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, outcome, answered, answer, sources], [3, "closest", false, noAnswer, []]);
  assert.ok(closest[0].excerpt.includes("northern cliff") && closest[0].url.startsWith("http"));
});

test("ask takes its question from standard input, and gives one JSON object for programs", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const ask = (args, input) =>
    docent(["ask", "--url", kb.url, "--key", kb.key, "--agent", String(agent.id), ...args], { input });
  const [question, , words] = questions[0];
  for (const args of [[], ["-"]]) assert.ok((await ask(args, `${question}\n`)).stdout.includes(words));
  const empty = await ask([], " \n");
  assert.deepEqual([empty.code, empty.stderr], [1, "docent: standard input holds no question\n"]);
  const { code, stdout } = await ask(["--json"], question);
  const told = JSON.parse(stdout);
  const page = await agent.page("lighthouse.md");
  assert.equal(code, 0);
  assert.ok(told.answer.includes(words));
  assert.deepEqual(
    [told.answered, told.sources],
    [true, [{ document_id: page.id, title: "The Velmora Lighthouse", url: page.page_url }]],
  );
  const stored = await agent.expect(200, "GET", `/conversations/${told.conversation}/messages/${told.message_id}`);
  assert.equal(stored.user_query, question);
  const none = await ask(["--json", foreign[0]]);
  assert.deepEqual([none.code, JSON.parse(none.stdout).answered], [3, false]);
  const { outcome, closest, documents_searched: searched, topics } = JSON.parse(none.stdout);
  assert.deepEqual([outcome, closest, searched, Array.isArray(topics)], ["nothing", [], 3, true]);
  assert.equal(told.topics, undefined);
});

test("--help prints the usage of every command on standard output, and all is well", async () => {
  for (const args of [
    ["serve"],
    ["key"],
    ["key", "create"],
    ["ask"],
    ["add"],
    ["sync"],
    ["parse"],
    ["index"],
    ["index", "build"],
    ["proxy"],
    ["models"],
    ["models", "check"],
    ["check"],
    ["adopt"],
    ["move"],
  ]) {
    const { code, stdout, stderr } = await docent([...args, "--help"]);
    assert.deepEqual([code, stderr], [0, ""], `docent ${args.join(" ")} --help`);
    assert.ok(stdout.includes(`docent ${args[0]}`), stdout);
  }
});

test("ask says what the service said when it refuses, and when there is none", async (t) => {
  const kb = await start(t);
  const ask = (url, key, agent) => docent(["ask", "--url", url, "--key", key, "--agent", agent, "Hello"]);
  const missing = await ask(kb.url, kb.key, "999");
  assert.equal(missing.code, 1);
  assert.match(missing.stderr, /404: Agent with id 999 not found/);
  assert.match((await ask(kb.url, "123|x", "1")).stderr, /401: API Token is either missing or invalid/);
  const away = await ask("http://127.0.0.1:1", kb.key, "1");
  assert.equal(away.code, 1);
  assert.match(away.stderr, /cannot reach/);
});

test("parse prints what ingestion would index, as JSON", async (t) => {
  const dir = await folder(t);
  const file = path.join(dir, "lighthouse.md");
  await writeFile(file, lighthouse);
  const { code, stdout, stderr } = await docent(["parse", file]);
  assert.deepEqual([code, stderr], [0, ""]);
  const parsed = JSON.parse(stdout);
  assert.equal(parsed.title, "The Velmora Lighthouse");
  const text = parsed.blocks.map((block) => block.text).join("\n");
  assert.ok(text.includes("Osric Tandy"));
  assert.ok(JSON.stringify(parsed.blocks).includes("Visiting"), "the heading path");
});

test("parse says in a sentence why a file cannot be read", async (t) => {
  const dir = await folder(t);
  const broken = path.join(dir, "broken.pdf");
  await writeFile(broken, "%PDF-1.7\nnothing");
  for (const file of [broken, path.join(dir, "missing.txt"), dir]) {
    const { code, stdout, stderr } = await docent(["parse", file]);
    assert.deepEqual([code, stdout], [1, ""], file);
    assert.match(stderr, /^docent( parse)?: .{8,}\n$/);
  }
});

test("index builds, searches, counts and verifies a collection of JSON lines", async (t) => {
  const dir = await folder(t);
  const docs = path.join(dir, "docs.jsonl.gz"),
    queries = path.join(dir, "queries.jsonl"),
    index = path.join(dir, "index"),
    run = path.join(dir, "run.txt");
  const lines = Object.entries(library).map(([id, text]) => JSON.stringify({ id, title: id, text }));
  await writeFile(docs, gzipSync(`${lines.join("\n")}\n`));
  await writeFile(queries, questions.map(([text], i) => JSON.stringify({ id: `q${i}`, text })).join("\n"));
  const built = await docent(["index", "build", "--docs", docs, "--out", index]);
  assert.equal(built.code, 0, built.stderr);
  const searched = await docent([
    "index",
    "search",
    "--index",
    index,
    "--queries",
    queries,
    "--top",
    "3",
    "--run",
    run,
  ]);
  assert.equal(searched.code, 0, searched.stderr);
  assert.match(searched.stdout + searched.stderr, /p50.*p95.*p99/s);
  const rows = (await readFile(run, "utf8"))
    .trim()
    .split("\n")
    .map((line) => line.split(/\s+/));
  assert.ok(rows.every((row) => row.length === 6 && row[1] === "Q0"));
  for (const [i, [, document]] of questions.entries())
    assert.equal(rows.find((row) => row[0] === `q${i}` && row[3] === "1")[2], document);
  assert.equal((await docent(["index", "stats", "--index", index])).code, 0);
  assert.equal((await docent(["index", "verify", "--index", index])).code, 0);
  const bad = await docent([
    "index",
    "search",
    "--index",
    path.join(dir, "none"),
    "--queries",
    queries,
    "--top",
    "3",
    "--run",
    run,
  ]);
  assert.equal(bad.code, 1);
});

test("check finds a sound directory sound, waits its turn, and finds damage", async (t) => {
  const kb = await start(t, { blobFiles: true });
  await kb.agent({ files: library });
  const beside = await kb.cli("check");
  assert.equal(beside.code, 1, "not beside a running server");
  assert.match(beside.stderr, /in use/);
  await kb.stop();
  const sound = await kb.cli("check");
  assert.deepEqual([sound.code, sound.stdout.trim().split("\n").at(-1)], [0, "sound"]);
  // One byte of one blob.
  const { readdir, open } = await import("node:fs/promises");
  const files = (await readdir(path.join(kb.dir, "blobs"), { recursive: true, withFileTypes: true })).filter(
    (entry) => entry.isFile() && entry.name.length === 64,
  );
  const victim = path.join(files[0].parentPath ?? files[0].path, files[0].name);
  const bytes = await readFile(victim);
  bytes[bytes.length >> 1] ^= 1;
  const handle = await open(victim, "r+");
  await handle.write(bytes, 0, bytes.length, 0);
  await handle.close();
  const damaged = await kb.cli("check");
  assert.equal(damaged.code, 1);
  assert.match(damaged.stdout, new RegExp(files[0].name.slice(0, 12)));
  await rm(victim);
  assert.equal((await kb.cli("check")).code, 1, "a blob that is gone");
});

test("the server keeps its promise that SIGINT and SIGTERM end it well", async (t) => {
  const kb = await start(t);
  for (const signal of ["SIGINT", "SIGTERM"]) {
    const { child, ended } = kb;
    child.kill(signal);
    assert.equal(await ended, 0, signal);
    kb.child = null;
    await kb.restart();
  }
});

test("a data directory that other users may enter is told of at the start and left as it is", async (t) => {
  for (const [mode, told] of [
    [0o755, true],
    [0o770, true],
    [0o701, true],
    [0o700, false],
  ]) {
    const dir = await folder(t);
    await chmod(dir, mode);
    const kb = await start(t, { dir });
    assert.equal(
      kb.log.includes(`directory is open to other users path=${dir} mode=${mode.toString(8)}`),
      told,
      kb.log,
    );
    assert.equal((await stat(dir)).mode & 0o777, mode);
  }
  const made = path.join(await folder(t), "made");
  const kb = await start(t, { dir: undefined, args: ["--store", made, "--blob", `${made}-blobs`] });
  assert.ok(!kb.log.includes("open to other users"), kb.log);
  assert.equal((await stat(made)).mode & 0o777, 0o700);
});

test("config shows each option, its value and where that comes from, and no secret", async (t) => {
  const file = path.join(await folder(t), "docent.conf");
  await writeFile(file, "listen = 0.0.0.0:9\nworkers = 5\nmodel-key = hidden-1\n");
  const env = { DOCENT_WORKERS: "7", DOCENT_STORE: "postgresql://docent:hidden-2@host/db", DOCENT_BLOB: "" };
  const { code, stdout } = await docent(["config", "--config", file, "--log", "warn"], { env });
  assert.equal(code, 0);
  assert.ok(!/hidden/.test(stdout), stdout);
  const rows = new Map(stdout.split("\n").map((line) => [line.split(" ")[0], line.split(/\s+/).slice(1)]));
  assert.deepEqual(rows.get("listen"), ["0.0.0.0:9", file]);
  assert.deepEqual(rows.get("workers"), ["7", "DOCENT_WORKERS"], "the environment wins over the file");
  assert.deepEqual(rows.get("log"), ["warn", "flag"]);
  assert.deepEqual(rows.get("trash-days"), ["3", "default"]);
  assert.deepEqual(rows.get("deleted-days"), ["3", "default"]);
  assert.deepEqual(rows.get("store"), ["postgresql://host/db", "DOCENT_STORE"]);
  assert.deepEqual(rows.get("tls-cert"), [], "an option that nobody has set");
  assert.equal((await docent(["config", "--nonsense"])).code, 2);
});
