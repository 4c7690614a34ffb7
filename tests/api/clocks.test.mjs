// Nodes whose machines disagree about the time by far, and one whose time is set while it runs. All go
// by the database's.
import { readdirSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { at, nodesOf, sound } from "./lib/cluster.mjs";
import { assert, docent, form, test, until } from "./lib/harness.mjs";
import { database } from "./lib/postgres.mjs";
import { folder, unique } from "./lib/util.mjs";

const PAGE = { "x-docent-session": "1" };
const MINUTE = 60_000;

/** What makes a process take its time from a file (package faketime): "+1200s" is twenty minutes ahead. */
function faked(file) {
  const folder = readdirSync("/usr/lib", { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && readdirSync(`/usr/lib/${entry.name}`).includes("faketime"))
    .map((entry) => `/usr/lib/${entry.name}/faketime`)[0];
  assert.ok(folder, "the package faketime is installed");
  return {
    LD_PRELOAD: path.join(folder, "libfaketimeMT.so.1"),
    FAKETIME_TIMESTAMP_FILE: file,
    FAKETIME_CACHE_DURATION: "1",
    FAKETIME_DONT_FAKE_MONOTONIC: "1",
    // Waits are by that clock: without this each of them ends at once, and every thread spins.
    FAKETIME_FORCE_MONOTONIC_FIX: "0",
  };
}

/** Nodes whose machines are so many minutes ahead; set(i, minutes) sets one. */
async function apart(t, minutes, args = []) {
  const { url, run } = await database();
  const dir = await folder(t);
  const files = minutes.map((_, i) => path.join(dir, `time-${i}`));
  const set = (i, ahead) => writeFile(files[i], `${ahead < 0 ? "-" : "+"}${Math.abs(60 * ahead)}s\n`);
  for (const [i, ahead] of minutes.entries()) await set(i, ahead);
  const blobs = path.join(dir, "blobs");
  const places = files.map((file) => ({ DOCENT_STORE: url, DOCENT_BLOB: blobs, ...faked(file) }));
  return { nodes: await nodesOf(t, places, { args }), run, set };
}

const there = (run) =>
  run("SELECT count(*) FROM nodes WHERE beat_at > (extract(epoch FROM clock_timestamp()) - 10) * 1000000").then(Number);

/** How far a message that the node stores now is from this machine's time, in minutes. */
async function off(node, agent) {
  const { created_at } = await at(node, agent).ask("How long does the warranty last?");
  return Math.round(Math.abs(new Date(created_at) - Date.now()) / MINUTE);
}

const many = (from) =>
  Object.fromEntries(Array.from({ length: 6 }, (_, i) => [`f${from + i}.txt`, `The word is ${unique(from + i)}.`]));

test("nodes whose clocks are twenty minutes apart each way share work, sign-ins, links and limits", async (t) => {
  const { nodes, run } = await apart(t, [0, 20, -20], ["--rate-limit", "30/300"]);
  const agent = await nodes[0].agent();
  for (const node of nodes) assert.equal(await off(node, agent), 0, "its messages are of the database's time");
  assert.equal(await there(run), 3, "each sees the others");

  for (const [i, node] of nodes.entries())
    await at(node, agent).expect(200, "POST", "", { form: form({}, many(6 * i)) });
  const pages = await agent.settled(120_000);
  assert.deepEqual([pages.length, pages.every((page) => page.index_status === "ok")], [18, true]);
  assert.equal(await run("SELECT count(*) FROM pages WHERE attempts > 1"), "0", "each was read once");

  // A link lasts a quarter of an hour, a sign-in a week: made by one clock, judged by another.
  const [first, ahead, behind] = nodes;
  for (const node of [ahead, behind]) {
    const made = await docent(["key", "link", "--data", first.dir, "--url", first.url], { env: first.places() });
    const link = /#([A-Za-z0-9]{43})\n$/.exec(made.stdout)?.[1];
    const reply = await node.api("POST", "/session", { plain: true, key: null, json: { link }, headers: PAGE });
    assert.equal(reply.status, 201, reply.text);
    const cookie = reply.headers["set-cookie"][0].split(";")[0];
    for (const other of nodes) await other.expect(200, "GET", "/projects", { key: null, headers: { cookie, ...PAGE } });
  }

  // What a dead node held is taken up by those that are ahead and behind.
  await at(ahead, agent).expect(200, "POST", "", { form: form({}, many(100)) });
  await ahead.kill9();
  await run("UPDATE nodes SET beat_at = 1 WHERE name = 'n2'");
  assert.equal((await at(behind, agent).settled(120_000)).length, 24);
  await ahead.spawn();
  await sound(nodes);
});

test("a machine whose time is set while its node runs takes nothing from the others", async (t) => {
  const { nodes, run, set } = await apart(t, [0, 0]);
  const agent = await nodes[0].agent();
  for (const minutes of [20, -20]) {
    nodes[1].log = "";
    await set(1, minutes);
    const said = () => /this machine's time is not the database's, which counts ahead_s=(-?\d+)/.exec(nodes[1].log);
    const [, ahead] = await until("the node to notice", said, 30_000);
    assert.equal(Math.round(ahead / 60), minutes);
    assert.equal(await off(nodes[1], agent), 0);
    assert.equal(await there(run), 2);
  }
  await agent.expect(200, "POST", "", { form: form({}, many(0)) });
  await agent.settled(120_000);
  assert.equal(await run("SELECT count(*) FROM pages WHERE attempts > 1"), "0", "each was read once");
  await sound(nodes);
});
