// Wrong keys, links and tokens: who brings too many is told to wait, and whoever has a right one gets in.
import { at, cluster } from "./lib/cluster.mjs";
import { counted, figure } from "./lib/figures.mjs";
import { assert, start, test, until } from "./lib/harness.mjs";

const PAGE = { "x-docent-session": "1" };
const MOST = 5;
const wrong = (i = 0) => `${100000 + i}|${"a".repeat(43)}`;
const from = (address) => ({ "x-forwarded-for": address });

/** A service behind a proxy of its own, so that a story says whose address it is. */
const behind = (t, args = []) =>
  start(t, { args: ["--trusted-proxies", "127.0.0.1", "--wrong-keys", String(MOST), ...args] });

const asks = (kb, key, address = "203.0.113.7") => kb.api("GET", "/user", { key, headers: from(address) });
const signsIn = (kb, json, address = "203.0.113.7") =>
  kb.api("POST", "/session", { plain: true, key: null, json, headers: { ...PAGE, ...from(address) } });
const rows = async (kb, action) => (await kb.expect(200, "GET", "/audit", { query: { action } })).data;

/** So many wrong ones are 401, and the next is told to wait. */
async function shuts(tries) {
  for (let i = 0; i < MOST; i++) assert.equal((await tries(i)).status, 401, `try ${i}`);
  const over = await tries(MOST);
  assert.equal(over.status, 429, over.text);
  const wait = Number(over.headers["retry-after"]);
  assert.ok(wait > 0 && wait <= 601, `retry-after ${over.headers["retry-after"]}`);
  return over;
}

/** A span of ten minutes that ends meanwhile would begin the counting anew. */
async function withinASpan() {
  const left = 600_000 - (Date.now() % 600_000);
  if (left < 60_000) await new Promise((done) => setTimeout(done, left + 1000));
}

test("too many wrong keys from an address are told to wait; a right one from there gets in", async (t) => {
  await withinASpan();
  const kb = await behind(t);
  const over = await shuts((i) => asks(kb, wrong(i)));
  assert.match(over.json.message ?? over.json.data?.message, /Too many wrong keys/);
  assert.equal((await asks(kb, kb.key)).status, 200, "whose key is right");
  assert.equal((await signsIn(kb, { key: kb.key })).status, 201, "and who signs in with it");
  assert.equal((await asks(kb, wrong(), "203.0.113.8")).status, 401, "another address");
  assert.equal((await kb.api("GET", "/user", { key: null, headers: from("203.0.113.7") })).status, 401, "no key");
  const [row, ...more] = await rows(kb, "address.shut");
  assert.deepEqual(more, []);
  assert.equal(row.object, "address 203.0.113.7");
  assert.equal(row.address, "203.0.113.7");
  assert.equal(row.command, "service");
  await counted(kb, { wrong_keys_total: MOST + 2, wrong_keys_refused_total: 1, wrong_keys_shut_total: 1 });
  await until("the log to say it once", () => kb.log.includes('of="address 203.0.113.7"'));
  assert.equal(kb.log.split("too many wrong keys").length, 2);
  assert.ok(!kb.log.includes("aaaa"), "what was shown is not in the log");
});

test("keys at the sign-in, links and tokens of directories count together", async (t) => {
  await withinASpan();
  const kb = await behind(t);
  await shuts((i) =>
    [
      () => signsIn(kb, { key: wrong(i) }),
      () => signsIn(kb, { link: "b".repeat(43) }),
      () => kb.api("GET", "/scim/v2/Users", { plain: true, key: "wrong", headers: from("203.0.113.7") }),
    ][i % 3](),
  );
  const refused = await signsIn(kb, { link: "c".repeat(43) });
  assert.equal(refused.status, 429);
  const scim = await kb.api("GET", "/scim/v2/Users", { plain: true, key: "no", headers: from("203.0.113.7") });
  assert.equal(scim.status, 429);
  assert.equal(JSON.parse(scim.text).status, "429", "in SCIM's own form");
});

test("a key whose secret is tried from many addresses is said to its account, and goes on", async (t) => {
  await withinASpan();
  const kb = await behind(t);
  const number = kb.key.split("|")[0];
  await shuts((i) => asks(kb, `${number}|${"d".repeat(43)}`, `198.51.100.${i + 1}`));
  assert.equal((await asks(kb, kb.key, "198.51.100.99")).status, 200);
  const [row, ...more] = await rows(kb, "key.tried");
  assert.deepEqual(more, []);
  assert.equal(row.object, `key ${number}`);
  assert.deepEqual(await rows(kb, "address.shut"), []);
});

test("the addresses of one network of version 6 are one", async (t) => {
  await withinASpan();
  const kb = await behind(t);
  await shuts((i) => asks(kb, wrong(i), `2001:db8:1:2::${i + 1}`));
  assert.equal((await rows(kb, "address.shut"))[0].object, "address 2001:db8:1:2::");
});

test("who calls without a proxy is not believed about the address", async (t) => {
  await withinASpan();
  const kb = await start(t, { args: ["--wrong-keys", String(MOST)] });
  await shuts((i) => asks(kb, wrong(i), `203.0.113.${i}`));
});

test("with --wrong-keys 0 nobody is told to wait, and nothing is counted", async (t) => {
  const kb = await start(t, { args: ["--wrong-keys", "0"] });
  for (let i = 0; i < 150; i++) assert.equal((await asks(kb, wrong(i))).status, 401);
  await counted(kb, { wrong_keys_total: 0 });
});

test("a flood writes to the store as long as it is counted, and what is right never", async (t) => {
  await withinASpan();
  const kb = await behind(t);
  await asks(kb, kb.key);
  await until("the use of the key to be noted", async () => (await asks(kb, kb.key)).status === 200);
  const writes = () => figure(kb, "store_writes_total");
  const before = await writes();
  for (let i = 0; i < 50; i++) assert.equal((await asks(kb, kb.key)).status, 200);
  const right = (await writes()) - before;
  for (let i = 0; i < 200; i++) await asks(kb, wrong(i));
  const all = (await writes()) - before - right;
  // Others write now and then: leases, the node's sign of life.
  assert.ok(right < 10, `${right} writes of 50 right ones`);
  assert.ok(all <= MOST + 1 + 20, `${all} writes of 200 wrong ones`);
});

test("nodes count together, and one row says it", async (t) => {
  await withinASpan();
  const { nodes } = await cluster(t, 2, { DOCENT_WRONG_KEYS: String(MOST), DOCENT_TRUSTED_PROXIES: "127.0.0.1" });
  await shuts((i) => asks(nodes[i % 2], wrong(i)));
  for (const node of nodes) assert.equal((await asks(node, wrong(9))).status, 429);
  for (const node of nodes) assert.equal((await asks(node, node.key)).status, 200);
  assert.equal((await rows(nodes[0], "address.shut")).length, 1);
  const agent = await nodes[0].agent({});
  assert.equal((await at(nodes[1], agent).api("GET", "")).status, 200);
});
