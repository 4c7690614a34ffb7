// Browsers that sign in: with a key or a link, for pages of ours alone; and keys made by the interface.
import { assert, docent, sleep, start, test, until } from "./lib/harness.mjs";
import { fill, rightBody } from "./lib/requests.mjs";
import { furnished } from "./lib/scene.mjs";

const PAGE = { "x-docent-session": "1" };

/** Signs in; gives the cookie as a browser sends it. */
async function signIn(kb, json, headers = {}) {
  const reply = await kb.api("POST", "/session", { plain: true, key: null, json, headers: { ...PAGE, ...headers } });
  assert.equal(reply.status, 201, reply.text);
  const [set] = reply.headers["set-cookie"];
  return { set, cookie: set.split(";")[0], data: reply.data };
}

const asBrowser = (cookie, headers = PAGE) => ({ key: null, headers: { cookie, ...headers } });

async function link(kb, ...args) {
  const made = await docent(["key", "link", "--data", kb.dir, "--url", kb.url, ...args]);
  assert.equal(made.code, 0, made.stderr);
  const found = /^(http:\S+)\/login#([A-Za-z0-9]{43})\n$/.exec(made.stdout);
  assert.ok(found, made.stdout);
  assert.equal(found[1], kb.url);
  return found[2];
}

test("a browser signs in with a key, uses the interface without it, and signs out", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const { set, cookie, data } = await signIn(kb, { key: kb.key });
  assert.match(set, /^docent=[A-Za-z0-9]{43}; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800$/);
  assert.equal(data.signed_in, true);
  assert.equal(data.key_id, Number(kb.key.split("|")[0]));
  assert.ok(!JSON.stringify(data).includes(kb.key.split("|")[1]), "the key does not come back");
  const seen = await kb.expect(200, "GET", "/projects", asBrowser(cookie));
  assert.equal(seen.data[0].id, agent.id);
  await kb.expect(200, "DELETE", "/session", { plain: true, ...asBrowser(cookie) });
  assert.equal((await kb.api("GET", "/projects", asBrowser(cookie))).status, 401);
});

test("signing out ends what the browser was reading; another browser of the same key reads on", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent();
  const read = async (cookie) => {
    const reply = await fetch(`${kb.url}/api/v1/projects/${agent.id}/progress`, {
      headers: { ...PAGE, cookie, accept: "text/event-stream" },
    });
    assert.equal(reply.status, 200);
    const stream = { over: false };
    stream.end = reply.text().then(
      () => (stream.over = true),
      () => (stream.over = true),
    );
    return stream;
  };
  const [leaves, stays] = [await signIn(kb, { key: kb.key }), await signIn(kb, { key: kb.key })];
  const first = await read(leaves.cookie),
    second = await read(stays.cookie);
  await kb.expect(200, "DELETE", "/session", { plain: true, ...asBrowser(leaves.cookie) });
  await until("the stream of who has signed out to end", () => first.over);
  await sleep(1500); // the owners are asked twice a second
  assert.equal(second.over, false);
  await kb.expect(200, "DELETE", "/session", { plain: true, ...asBrowser(stays.cookie) });
  await second.end;
});

test("a wrong key signs nobody in", async (t) => {
  const kb = await start(t);
  for (const key of ["", "wrong", `${kb.key}x`, `1000|${"a".repeat(43)}`]) {
    const reply = await kb.api("POST", "/session", { plain: true, key: null, json: { key }, headers: PAGE });
    assert.equal(reply.status, 401, key);
    assert.equal(reply.json.message, "That is no valid key");
    assert.equal(reply.headers["set-cookie"], undefined);
  }
});

test("a link signs one browser in, once, and not after its key was revoked", async (t) => {
  const kb = await start(t);
  const secret = await link(kb);
  await signIn(kb, { link: secret });
  const again = await kb.api("POST", "/session", { plain: true, key: null, json: { link: secret }, headers: PAGE });
  assert.equal(again.status, 401);
  assert.equal(again.json.message, "this link has been used or is older than 15 minutes");
  const key = await kb.newKey();
  const late = await link(kb, key.split("|")[0]);
  await kb.revoke(key);
  await until("the key to stop", async () => (await kb.api("GET", "/projects", { key })).status === 401);
  const reply = await kb.api("POST", "/session", { plain: true, key: null, json: { link: late }, headers: PAGE });
  assert.equal(reply.status, 401);
});

test("before there is a key, the service says the command that makes one", async (t) => {
  const kb = await start(t, { key: false });
  const before = await kb.expect(200, "GET", "/session", { plain: true, key: null });
  assert.equal(before.signed_in, false);
  assert.equal(before.has_keys, false);
  assert.equal(before.command, `docent key create --data ${kb.dir}`);
  await kb.newKey();
  const after = await kb.expect(200, "GET", "/session", { plain: true, key: null });
  assert.deepEqual([after.has_keys, after.command], [true, null]);
});

test("a browser is out as soon as the key that it signed in with is revoked", async (t) => {
  const kb = await start(t);
  const key = await kb.newKey();
  const { cookie } = await signIn(kb, { key });
  await kb.expect(200, "GET", "/projects", asBrowser(cookie));
  await kb.expect(200, "DELETE", `/keys/${key.split("|")[0]}`);
  assert.equal((await kb.api("GET", "/projects", asBrowser(cookie))).status, 401);
});

test("a browser that signed in stays in over a restart of the service", async (t) => {
  const kb = await start(t);
  const { cookie } = await signIn(kb, { key: kb.key });
  await kb.restart();
  await kb.expect(200, "GET", "/projects", asBrowser(cookie));
});

/** What a foreign page can make a browser send, cookie and all. */
const forged = {
  "a form or a picture: no field of ours": {},
  "a field of ours with another value": { "x-docent-session": "0" },
  "a foreign origin that found out the field": { ...PAGE, origin: "https://evil.example" },
  "an origin that hides itself": { ...PAGE, origin: "null" },
  "a browser that says it comes from elsewhere": { ...PAGE, "sec-fetch-site": "cross-site" },
  "another host of the same site": { ...PAGE, "sec-fetch-site": "same-site" },
};

test("the cookie counts on no route for what a foreign page makes a browser send", async (t) => {
  const kb = await start(t);
  const { agent, ids, operations } = await furnished(kb, { name: "Mine" });
  const { cookie } = await signIn(kb, { key: kb.key });
  const description = await kb.description();
  let crossed = 0;
  for (const [why, headers] of Object.entries(forged))
    for (const route of operations.filter((o) => !o.operation.security)) {
      const reply = await kb.api(route.method, fill(route.path, ids), {
        ...asBrowser(cookie, headers),
        json: route.method === "GET" ? undefined : rightBody(description, route.operation),
      });
      assert.equal(reply.status, 401, `${route.method} ${route.path}, ${why}`);
      crossed++;
    }
  assert.ok(crossed > 400, `${crossed} crossings`);
  for (const [why, headers] of Object.entries(forged))
    for (const [method, json] of [
      ["POST", { key: kb.key }],
      ["DELETE", undefined],
    ]) {
      const reply = await kb.api(method, "/session", { plain: true, ...asBrowser(cookie, headers), json });
      assert.equal(reply.status, 403, `${method} /session, ${why}`);
    }
  await agent.expect(200, "GET", "", asBrowser(cookie, { ...PAGE, origin: kb.url, "sec-fetch-site": "same-origin" }));
});

test("no other origin is told that it may send our field, or cookies", async (t) => {
  const kb = await start(t);
  const reply = await kb.api("OPTIONS", "/projects", {
    key: null,
    headers: {
      origin: "https://evil.example",
      "access-control-request-method": "POST",
      "access-control-request-headers": "x-docent-session",
    },
  });
  assert.ok(!reply.headers["access-control-allow-headers"].includes("x-docent-session"));
  assert.equal(reply.headers["access-control-allow-credentials"], undefined);
});

test("behind TLS the cookie is held to this host and to TLS", async (t) => {
  const kb = await start(t, { args: ["--public-url", "https://docent.example"] });
  const { set } = await signIn(kb, { key: kb.key }, { origin: "https://docent.example" });
  assert.match(set, /^__Host-docent=\S+; Path=\/; HttpOnly; SameSite=Strict; Max-Age=604800; Secure$/);
});

test("a key is made by the interface, shown once, limited, seen last used and revoked", async (t) => {
  const kb = await start(t);
  const [mine, other] = [await kb.agent({ project_name: "Mine" }), await kb.agent({ project_name: "Other" })];
  const made = await kb.expect(201, "POST", "/keys", { json: { name: "The newsletter", project_ids: [mine.id] } });
  assert.match(made.key, new RegExp(`^${made.id}\\|[A-Za-z0-9]{43}$`));
  const of = async () => (await kb.expect(200, "GET", "/keys")).find((key) => key.id === made.id);
  const before = await of();
  assert.deepEqual(
    [before.name, before.project_ids, before.seen_at, before.is_mine],
    ["The newsletter", [mine.id], null, false],
  );
  assert.ok(!JSON.stringify(before).includes(made.key.split("|")[1]));
  await kb.expect(200, "GET", mine.path, { key: made.key });
  assert.equal((await kb.api("GET", other.path, { key: made.key })).status, 404);
  assert.ok((await of()).seen_at, "its use is noted");
  for (const [method, where, json] of [
    ["GET", "/keys"],
    ["POST", "/keys", {}],
  ])
    assert.equal(
      (await kb.api(method, where, { key: made.key, json })).status,
      403,
      "a limited key sees and makes none",
    );
  await kb.expect(200, "DELETE", `/keys/${made.id}`);
  assert.equal((await kb.api("GET", mine.path, { key: made.key })).status, 401);
  assert.equal(await of(), undefined);
  const wrong = await kb.api("POST", "/keys", { json: { project_ids: [987654] } });
  assert.deepEqual([wrong.status, wrong.json.message], [404, "Agent with id 987654 not found"]);
});
