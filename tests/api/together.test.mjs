// Several reads in one request.
import { assert, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";

const together = (kb, paths, options) =>
  kb.api("GET", "/together", { query: String(new URLSearchParams(paths.map((path) => ["path", path]))), ...options });

test("what is read together is what each address answers alone, in the order that it was asked for", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const base = `/projects/${agent.id}`;
  const paths = [
    `${base}/stats`,
    "/projects?limit=1&page=1",
    `${base}/content/pages?sort=title&order=asc`,
    `${base}/conversations?search=${encodeURIComponent("a&b=ü")}`,
    "/limits/usage",
    `${base}/stats`,
  ];
  const { status, data } = await together(kb, paths);
  assert.equal(status, 200);
  for (const [i, path] of paths.entries()) {
    const alone = await kb.api("GET", ...path.split("?").map((part, n) => (n ? { query: part } : part)));
    assert.deepEqual(data[i], { status: 200, body: alone.json }, path);
  }
});

test("one that is refused has its own status, sentence and reason; the others stand", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const { data } = await together(kb, [
    "/projects/999999/stats",
    `/projects/${agent.id}/stats`,
    `/projects/${agent.id}/content/pages?state=odd`,
    "/nothing",
    `/projects/${agent.id}`.replace("/projects", "//projects"),
    "/together?path=/projects",
    `/projects/${agent.id}/conversations/a%2Fb/messages/1/claims`,
  ]);
  assert.deepEqual(
    data.map(({ status }) => status),
    [404, 200, 400, 404, 404, 404, 404],
  );
  const alone = await kb.api("GET", "/projects/999999/stats");
  assert.equal(data[0].body.message, alone.json.message);
  assert.ok(data[2].body.message);
});

test("nothing is read together that a key may not read alone, and each counts by itself", async (t) => {
  const kb = await start(t);
  const mine = await kb.agent({ files: library });
  const other = await kb.agent({ files: library });
  const { key } = await kb.expect(201, "POST", "/keys", { json: { name: "one", project_ids: [mine.id] } });
  const { data } = await together(kb, [`/projects/${mine.id}`, `/projects/${other.id}`, "/keys"], { key });
  assert.deepEqual(
    data.map(({ status }) => status),
    [200, 404, 403],
  );
  assert.equal((await together(kb, ["/projects"], { key: "nobody's" })).status, 401);
});

test("a stream, a part or an unchanged answer cannot be asked for among others", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: library });
  const path = `/projects/${agent.id}/progress`;
  const headers = { accept: "text/event-stream", "if-none-match": "*", range: "bytes=0-1" };
  const { data } = await together(kb, [path, path], { headers });
  assert.deepEqual(
    data.map(({ status, body }) => [status, body.status]),
    [
      [200, "success"],
      [200, "success"],
    ],
  );
});

test("at least one and at most 32 are read together", async (t) => {
  const kb = await start(t);
  assert.equal((await kb.api("GET", "/together")).status, 400);
  assert.equal((await together(kb, Array(32).fill("/projects"))).status, 200);
  assert.equal((await together(kb, Array(33).fill("/projects"))).status, 400);
});
