// The audit log as lines: to a file, to syslog, from each node its own; and a disk that is full loses nothing.
import { execFile } from "node:child_process";
import { mkdir, readFile, rename, stat } from "node:fs/promises";
import path from "node:path";
import { cluster } from "./lib/cluster.mjs";
import { counted } from "./lib/figures.mjs";
import { assert, docent, start, test, until } from "./lib/harness.mjs";
import { folder } from "./lib/util.mjs";

const lines = async (file) =>
  (await readFile(file, "utf8").catch(() => ""))
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
const rows = async (kb) => (await kb.expect(200, "GET", "/audit", { query: { limit: 100 } })).data;
const makes = (kb, name) => kb.expect(201, "POST", "/keys", { json: { name } });
const written = (file, count) => until(`${count} lines`, async () => (await lines(file)).length === count);

test("each row is a line of JSON, with what the interface says of it, and the file may be moved away", async (t) => {
  const file = path.join(await folder(t), "audit.jsonl");
  const kb = await start(t, { args: ["--audit-log", file] });
  await makes(kb, 'one\n"two"');
  const [row, first] = await rows(kb);
  await written(file, 2); // and that of the command that has made the story's key
  assert.equal(first.node, 0);
  const line = (await lines(file)).find(({ node }) => node === row.node);
  const { account_id: account, ...members } = line;
  assert.deepEqual(members, row);
  assert.ok(Number.isInteger(account));
  assert.equal((await stat(file)).mode & 0o777, 0o600);
  assert.ok(!(await readFile(file, "utf8")).includes(kb.key.split("|")[1]));
  // Whoever turns logs over tells nobody.
  await rename(file, `${file}.1`);
  await makes(kb, "three");
  await written(file, 1);
  assert.equal((await lines(file))[0].number, row.number + 1);
  // A command beside the service is told of as well.
  const made = await docent(["key", "create", "--data", kb.dir, "--name", "four"], { env: kb.places() });
  assert.equal(made.code, 0, made.stderr);
  await written(file, 2);
  assert.equal((await lines(file))[1].node, 0);
  const total = (await lines(file)).length + (await lines(`${file}.1`)).length;
  await counted(kb, { audit_lines_total: total, audit_lines_waiting: 0, audit_lines_failed_total: 0 });
  // What was done while nothing was written follows, and nothing comes twice.
  kb.args.splice(kb.args.indexOf("--audit-log"), 2);
  await kb.restart();
  await makes(kb, "five");
  kb.args.push("--audit-log", file);
  await kb.restart();
  await makes(kb, "six");
  await until("both", async () => (await lines(file)).filter((each) => each.node !== 0).length === 3);
  const numbers = (await lines(file)).filter((each) => each.node !== 0).map((each) => each.number);
  assert.deepEqual(numbers, [row.number + 1, row.number + 2, row.number + 3]);
});

test("what was done before it was turned on is no line", async (t) => {
  const file = path.join(await folder(t), "audit.jsonl");
  const kb = await start(t);
  await makes(kb, "before");
  kb.args.push("--audit-log", file);
  await kb.restart();
  await until("the place to be known", async () => (await makes(kb, "after"), (await lines(file)).length > 0));
  assert.ok((await lines(file)).every((line) => !JSON.stringify(line.changes).includes("before")));
});

test("a file that cannot be written loses no row and stops nobody; what waits follows in order", async (t) => {
  const dir = path.join(await folder(t), "gone");
  const file = path.join(dir, "audit.jsonl");
  const kb = await start(t, { args: ["--audit-log", file] });
  await until("the log to say it", async () => {
    await makes(kb, "waits");
    return kb.log.includes("audit log not written: its rows stay in the database and follow");
  });
  for (let i = 0; i < 5; i++) await makes(kb, `waits ${i}`);
  await counted(kb, {
    audit_lines_total: 0,
    audit_lines_waiting: (n) => n >= 6,
    audit_lines_failed_total: (n) => n > 0,
  });
  assert.equal(kb.log.split("audit log not written").length, 2, "once");
  await mkdir(dir);
  await counted(kb, { audit_lines_waiting: 0 });
  const all = (await rows(kb)).filter((row) => row.node !== 0).map((row) => row.number);
  const told = (await lines(file)).filter((line) => line.node !== 0).map((line) => line.number);
  assert.deepEqual(
    told,
    all.filter((number) => number >= told[0]).sort((a, b) => a - b),
  );
  await until("the log to say it", () => kb.log.includes("audit log is written again"));
});

/** Fills the small disk that the file is on, and makes room then. */
async function fills(t, file, makesRoom) {
  const kb = await start(t, { args: ["--audit-log", file] });
  await until("the disk to be full", async () => {
    for (let i = 0; i < 20; i++) await makes(kb, `key ${i} ${"x".repeat(60)}`);
    return kb.log.includes("audit log not written");
  });
  assert.equal(kb.log.match(/audit log not written.*/)[0].includes("No space left"), true, kb.log);
  const kept = await lines(file);
  assert.ok((await readFile(file, "utf8")).endsWith("\n") || kept.length === 0);
  await makes(kb, "goes on");
  await makesRoom();
  await counted(kb, { audit_lines_waiting: 0 });
  const told = (await lines(file)).filter((line) => line.node !== 0).map((line) => line.number);
  assert.deepEqual(
    told,
    Array.from({ length: told.length }, (_, i) => told[0] + i),
    "each once, in order",
  );
}

test(
  "a full disk leaves no half line",
  { skip: process.getuid() !== 0 && "needs to mount a small disk" },
  async (t) => {
    const dir = await folder(t);
    const run = (command, ...args) => new Promise((resolve) => execFile(command, args, (error) => resolve(!error)));
    if (!(await run("mount", "-t", "tmpfs", "-o", "size=8k", "tmpfs", dir))) return t.skip("cannot mount a small disk");
    try {
      await fills(t, path.join(dir, "audit.jsonl"), () => run("mount", "-o", "remount,size=1m", dir));
    } finally {
      await run("umount", "-l", dir);
    }
  },
);

test("syslog gets each row; while it is away they wait", async (t) => {
  const dir = await folder(t);
  const socket = path.join(dir, "log");
  // A datagram socket of Node is none of files: python's is.
  const listens = (out) =>
    execFile("python3", [
      "-c",
      "import socket,sys\ns=socket.socket(socket.AF_UNIX,socket.SOCK_DGRAM)\ns.bind(sys.argv[1])\n" +
        "f=open(sys.argv[2],'ab',0)\nwhile True: f.write(s.recv(1<<20)+b'\\n')",
      socket,
      out,
    ]);
  const kb = await start(t, { args: ["--audit-log", `syslog:${socket}`] });
  await makes(kb, "waits");
  await until("the log to say it", () => /audit log not written: .*cannot reach syslog at/.test(kb.log));
  const out = path.join(dir, "out");
  const child = listens(out);
  t.after(() => child.kill());
  const heard = async () => (await readFile(out, "utf8").catch(() => "")).split("\n").filter(Boolean);
  await until("its line, and that of the story's key", async () => (await heard()).length === 2);
  const said = await heard();
  assert.ok(said.some((line) => line.includes("waits")));
  for (const line of said)
    assert.match(line, /^<85>[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d docent\[\d+\]: \{"account_id":/);
  assert.equal(JSON.parse(said.at(-1).slice(said.at(-1).indexOf("{"))).action, "key.create");
  // More at once than its queue holds, and a long one.
  const long = Object.fromEntries(Array.from({ length: 59 }, (_, i) => [`f${i}`, "\u0001".repeat(200)]));
  await kb.expect(201, "POST", "/keys", { json: { name: "long", ...long } });
  await Promise.all(Array.from({ length: 60 }, (_, i) => makes(kb, `many ${i}`)));
  await counted(kb, { audit_lines_total: said.length + 61 });
  await until("all to be heard", async () => (await heard()).length === said.length + 61);
  const all = await heard();
  assert.ok(all.every((line) => JSON.parse(line.slice(line.indexOf("{"))).number));
});

test("each node writes the lines of its own acts, and of commands one does", async (t) => {
  const dir = await folder(t);
  const files = [1, 2].map((n) => path.join(dir, `n${n}.jsonl`));
  const { nodes } = await cluster(t, 2);
  for (const [i, node] of nodes.entries()) {
    node.args.push("--audit-log", files[i]);
    await node.restart();
  }
  await makes(nodes[0], "first");
  await makes(nodes[1], "second");
  const made = await docent(["key", "create", "--name", "third"], {
    env: { ...nodes[0].places(), DOCENT_DATA: nodes[0].dir },
  });
  assert.equal(made.code, 0, made.stderr);
  const all = async () => (await Promise.all(files.map(lines))).flat();
  await until("three lines", async () => (await all()).length === 3);
  const named = async (file) => (await lines(file)).filter((line) => line.node).map((line) => line.changes.name[1]);
  assert.deepEqual([await named(files[0]), await named(files[1])], [["first"], ["second"]]);
  assert.equal((await all()).filter((line) => line.node === 0).length, 1);
});
