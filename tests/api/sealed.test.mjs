// Secrets that the database has to give back: sealed with a key of the operator's, turned, moved, brought back, and
// what happens where the key is not there.
import { chmod, readFile, stat, writeFile } from "node:fs/promises";
import { randomBytes } from "node:crypto";
import path from "node:path";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { rowsOf } from "./lib/rows.mjs";
import { storeOf } from "./lib/service.mjs";
import { database } from "./lib/postgres.mjs";
import { folder } from "./lib/util.mjs";
import { sign, visit } from "./lib/visit.mjs";

const done = async (args, env) => {
  const made = await docent(args, { env });
  assert.equal(made.code, 0, made.stdout + made.stderr);
  return made.stdout;
};
const refused = async (args, why, env) => {
  const made = await docent(args, { env });
  assert.equal(made.code, 1, made.stdout);
  assert.match(made.stderr, why);
};

/** Files of new keys, and what they are called. */
async function keys(t, ...names) {
  const dir = await folder(t);
  const made = {};
  for (const name of names) {
    const file = path.join(dir, name);
    const said = await done(["secrets", "key", file]);
    made[name] = { file, id: /^the key ([0-9a-f]{16}) is in /.exec(said)[1] };
  }
  return made;
}

const served = (t, files, env = {}) => start(t, { env: files ? { DOCENT_SECRETS_KEY_FILE: files, ...env } : env });

/** A public agent whose site signs its visitors, and the secret for that. */
async function signing(kb, name = "Signing") {
  const agent = await kb.agent({ project_name: name });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { secret } = await agent.expect(201, "POST", "/embed-secret");
  return { agent, secret, slug };
}

const identity = (secret) => sign({ sub: "ann", name: "Ann", exp: Math.floor(Date.now() / 1000) + 600 }, secret);
const comes = async (kb, { slug, secret }) => (await visit(kb, slug, { identity: identity(secret) })).begun;

/** What stands in the database, of a store that nobody serves or one that is. */
async function stored(kb, at) {
  const { DOCENT_STORE: address } = await storeOf(kb.dir);
  return rowsOf(at ?? kb.env.DOCENT_STORE ?? address ?? kb.dir, "SELECT agent_id, secret FROM embed_secrets");
}

const secretsOf = (kb, verb, files) =>
  docent(["secrets", verb, "--data", kb.dir], {
    env: { ...kb.places(), ...(files ? { DOCENT_SECRETS_KEY_FILE: files } : {}) },
  });

test("a secret is sealed in the database, and signs visitors as before", async (t) => {
  const { a } = await keys(t, "a");
  const kb = await served(t, a.file);
  const one = await signing(kb);
  assert.equal((await comes(kb, one)).status, 201);
  assert.equal((await comes(kb, { ...one, secret: "x".repeat(43) })).status, 403);
  const rows = await stored(kb);
  if (rows) {
    assert.match(rows[0], new RegExp(`^${one.agent.id}\\|sealed:${a.id}:[A-Za-z0-9_-]{111}$`));
    assert.ok(!rows[0].includes(one.secret));
  } else t.diagnostic("without the program that reads the database");
  assert.match(
    (await secretsOf(kb, "list", a.file)).stdout,
    new RegExp(`^1 secrets that sign visitors: sealed with the key ${a.id}\n$`),
  );
  await kb.restart();
  assert.equal((await comes(kb, one)).status, 201, "after a start");
  assert.ok(!kb.log.includes("secrets"), kb.log);
});

test("without a key nothing changes; with one, rotate seals what is readable, beside the service", async (t) => {
  const { a, b } = await keys(t, "a", "b");
  const kb = await served(t);
  const one = await signing(kb);
  assert.equal((await secretsOf(kb, "list")).stdout, "1 secrets that sign visitors: readable\n");
  const plain = await secretsOf(kb, "rotate");
  assert.equal(plain.code, 1);
  assert.match(plain.stderr, /there is no key: name one by --secrets-key-file/);
  kb.env.DOCENT_SECRETS_KEY_FILE = a.file;
  await kb.restart();
  await until("the start to say it", () => /readable in the database: docent secrets rotate/.test(kb.log));
  assert.equal((await comes(kb, one)).status, 201);
  assert.equal((await secretsOf(kb, "rotate", a.file)).stdout, "1 secrets were sealed anew\n");
  assert.equal((await secretsOf(kb, "rotate", a.file)).stdout, "0 secrets were sealed anew\n");
  assert.equal((await comes(kb, one)).status, 201, "sealed while it is served");
  // A new key: the nodes know both, then all is sealed with the new one, then the old one goes.
  kb.env.DOCENT_SECRETS_KEY_FILE = `${b.file},${a.file}`;
  await kb.restart();
  assert.equal((await comes(kb, one)).status, 201);
  assert.equal((await secretsOf(kb, "rotate", `${b.file},${a.file}`)).stdout, "1 secrets were sealed anew\n");
  kb.env.DOCENT_SECRETS_KEY_FILE = b.file;
  await kb.restart();
  assert.equal((await comes(kb, one)).status, 201);
  assert.match((await secretsOf(kb, "list", b.file)).stdout, new RegExp(`the key ${b.id}\n$`));
  // And back.
  assert.equal((await secretsOf(kb, "unseal", b.file)).stdout, "1 secrets were made readable\n");
  delete kb.env.DOCENT_SECRETS_KEY_FILE;
  await kb.restart();
  assert.equal((await comes(kb, one)).status, 201);
  const kept = (await kb.expect(200, "GET", "/audit", { query: { action: "secret.seal" } })).data;
  assert.deepEqual(
    kept.map(({ command, object }) => [command, object]),
    [
      ["docent secrets unseal", "readable"],
      ["docent secrets rotate", `key ${b.id}`],
      ["docent secrets rotate", `key ${a.id}`],
    ],
  );
});

test("a key that is lost ends nothing but what needs it, by name, and a new secret mends it", async (t) => {
  const { a, b } = await keys(t, "a", "b");
  const kb = await served(t, a.file);
  const one = await signing(kb);
  for (const files of [undefined, b.file]) {
    if (files) kb.env.DOCENT_SECRETS_KEY_FILE = files;
    else delete kb.env.DOCENT_SECRETS_KEY_FILE;
    await kb.restart();
    await until("the start to say it", () =>
      new RegExp(`secrets that sign visitors do not open: .*key=${a.id} count=1`).test(kb.log),
    );
    const failed = await comes(kb, one);
    assert.equal(failed.status, 500, failed.text);
    assert.ok(!failed.text.includes(a.id), "who visits is not told");
    await until("the log to name it", () =>
      kb.log.includes(`the secret that signs visitors of agent ${one.agent.id} is sealed with the key ${a.id}`),
    );
    assert.equal((await visit(kb, one.slug)).begun.status, 201, "who is not signed comes in");
    assert.match((await secretsOf(kb, "list", files)).stdout, new RegExp(`${a.id}, which is not named\n$`));
  }
  assert.match(
    (await secretsOf(kb, "rotate", b.file)).stderr,
    new RegExp(`of agent ${one.agent.id} is sealed with the key ${a.id}`),
  );
  const { secret } = await one.agent.expect(201, "POST", "/embed-secret");
  assert.equal((await comes(kb, { ...one, secret })).status, 201);
  assert.match((await secretsOf(kb, "list", b.file)).stdout, new RegExp(`the key ${b.id}\n$`));
});

test("a sealed secret that was changed, or is another agent's, does not open", async (t) => {
  const { a } = await keys(t, "a");
  const kb = await served(t, a.file);
  const [one, two] = [await signing(kb, "One"), await signing(kb, "Two")];
  const { DOCENT_STORE: address } = await storeOf(kb.dir);
  const change = async (sql) => {
    await kb.stop();
    const ok = await rowsOf(address ?? kb.dir, sql);
    await kb.spawn();
    return ok;
  };
  const swap = `UPDATE embed_secrets SET secret = (SELECT o.secret FROM embed_secrets o WHERE o.agent_id = ${two.agent.id}) WHERE agent_id = ${one.agent.id}`;
  if (!(await change(swap))) return t.skip("needs the program that changes the database");
  assert.equal((await comes(kb, { ...one, secret: two.secret })).status, 500, "one that signs for another agent");
  assert.equal((await comes(kb, two)).status, 201);
  await change(
    `UPDATE embed_secrets SET secret = substr(secret, 1, length(secret) - 4) || 'AAAA' WHERE agent_id = ${two.agent.id}`,
  );
  assert.equal((await comes(kb, two)).status, 500);
  await until("the log to say it", () => kb.log.includes("is sealed, and was changed or is another's"));
});

test("a key is 32 bytes, or hexadecimal digits or Base64 of them, and a file without one is refused", async (t) => {
  const dir = await folder(t);
  const bytes = randomBytes(32);
  const write = async (name, content) => {
    await writeFile(path.join(dir, name), content);
    return path.join(dir, name);
  };
  const forms = [
    bytes,
    bytes.toString("hex"),
    `${bytes.toString("base64")}\n`,
    bytes.toString("base64url"),
    bytes.toString("hex").toUpperCase(),
  ];
  const kb = await served(t, await write("first", forms[0]));
  const one = await signing(kb);
  for (const [i, form] of forms.entries()) {
    const { stdout } = await secretsOf(kb, "list", await write(`form${i}`, form));
    assert.match(stdout, /^1 secrets that sign visitors: sealed with the key [0-9a-f]{16}\n$/, `form ${i}`);
  }
  assert.equal((await comes(kb, one)).status, 201);
  for (const wrong of ["", "no key", randomBytes(31), randomBytes(33), bytes.toString("hex").slice(1), "=".repeat(44)])
    assert.match(
      (await secretsOf(kb, "list", await write("wrong", wrong))).stderr,
      /holds no key: 32 bytes, 64 hexadecimal/,
    );
  const gone = path.join(dir, "gone");
  const { code, stderr } = await docent(["serve", "--data", await folder(t), "--secrets-key-file", gone]);
  assert.equal(code, 2);
  assert.match(stderr, /--secrets-key-file: .*gone/);
  const { file } = (await keys(t, "a")).a;
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  await refused(["secrets", "key", file], /cannot create/);
  await chmod(file, 0o400);
  assert.match(await readFile(file, "utf8"), /^[0-9a-f]{64}\n$/);
});

test("a backup, a move, a copy and a file of an agent take sealed rows as they are, or none", async (t) => {
  const { a } = await keys(t, "a");
  const dir = await folder(t);
  const at = ["--store", dir, "--blob", path.join(dir, "blobs")];
  const env = { DOCENT_STORE: dir, DOCENT_BLOB: path.join(dir, "blobs") };
  const kb = await served(t, a.file, env);
  const one = await signing(kb);
  // A copy, and an agent that came from a file, have no secret until one is made.
  await one.agent.expect(201, "POST", "/replicate");
  const file = path.join(await folder(t), "agent.docent");
  await done(["export", "--agent", String(one.agent.id), "--to", file, ...at]);
  assert.ok(!(await readFile(file)).includes(one.secret));
  assert.match(await done(["secrets", "list", ...at, "--secrets-key-file", a.file]), /^1 secrets /);
  // A backup needs no key of these, and neither does bringing it back.
  const place = await folder(t);
  await done(["backup", place, ...at]);
  const home = path.join(await folder(t), "back");
  await done(["restore", place, "--data", home]);
  const back = await start(t, {
    env: { DOCENT_STORE: home, DOCENT_BLOB: path.join(home, "blobs"), DOCENT_SECRETS_KEY_FILE: a.file },
    key: false,
  });
  assert.equal((await comes(back, one)).status, 201, "in the backup that came back");
  // And a move to another database.
  await kb.stop();
  const { url } = await database();
  await done(["move", "--from", dir, "--to", url]);
  const moved = await start(t, { env: { ...env, DOCENT_STORE: url, DOCENT_SECRETS_KEY_FILE: a.file }, key: false });
  assert.equal((await comes(moved, one)).status, 201, "after the move");
});
