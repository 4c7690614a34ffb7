// A connection as hostile or hurried clients use it: bodies nobody asked for, and requests that do
// not wait for the answers before them.
import { assert, start, test } from "./lib/harness.mjs";
import { fill, variables } from "./lib/requests.mjs";
import { readAnswers } from "./lib/answers.mjs";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];

/** Ways to send a body, or none. */
const bodies = {
  "no body": () => "\r\n",
  "one byte": () => "Content-Length: 1\r\n\r\nx",
  "a JSON body": () => "Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}",
  "a form": () => "Content-Type: application/x-www-form-urlencoded\r\nContent-Length: 3\r\n\r\na=b",
  "an empty chunked body": () => "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
  "a chunked body": () => "Transfer-Encoding: chunked\r\n\r\n1\r\nx\r\n0\r\n\r\n",
};

test("every route answers every method, with and without a body", async (t) => {
  const kb = await start(t);
  const { operations } = await kb.description();
  const paths = [...new Set(operations.map((o) => o.path)), "/", "/nothing"];
  assert.ok(
    paths.length > 40 && ["/healthz", "/readyz", "/metrics", "/openapi.json"].every((path) => paths.includes(path)),
  );
  for (const path of paths) {
    const target = fill(path, Object.fromEntries(variables(path).map((name) => [name, 1])));
    for (const key of [null, kb.key]) {
      const authorization = key ? `Authorization: Bearer ${key}\r\n` : "";
      const requests = METHODS.flatMap((method) =>
        Object.entries(bodies).map(([name, rest]) => ({
          method,
          name,
          bytes: `${method} ${target} HTTP/1.1\r\nHost: a\r\n${authorization}${rest()}`,
        })),
      );
      // Each on a connection of its own: one that is refused before its body has come is closed.
      const answers = await Promise.all(
        requests.map(async ({ method, bytes }) => readAnswers(await kb.raw(bytes), [method])),
      );
      assert.ok(kb.alive(), `the server lives after ${target}`);
      answers.forEach((got, i) => {
        const what = `${requests[i].method} ${target} with ${requests[i].name}`;
        assert.equal(got.length, 1, `${what} is answered once`);
        assert.ok(got[0].status >= 200 && got[0].status < 500, `${what}: ${got[0].status}`);
      });
    }
  }
  assert.deepEqual((await kb.api("GET", "/healthz", { key: null })).json, { status: "ok" });
});

test("200 pipelined requests are answered in order, whoever answers them", async (t) => {
  const kb = await start(t);
  const agents = [await kb.agent({ project_name: "First" }), await kb.agent({ project_name: "Second" })];
  await Promise.all(agents.map((agent) => agent.expect(200, "GET"))); // from now on memory knows them
  const key = `Authorization: Bearer ${kb.key}\r\n`;
  const health = { bytes: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n", says: /"ok"/ };
  const healthWithBody = { bytes: "GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx", says: /"ok"/ };
  const chunkedHealth = {
    bytes: "GET /healthz HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n\r\n",
    says: /"ok"/,
  };
  const read = (i) => ({
    bytes: `GET /api/v1${agents[i].path} HTTP/1.1\r\nHost: a\r\n${key}\r\n`,
    says: new RegExp(`"project_name":"${["First", "Second"][i]}"`),
  });
  const missing = (i) => ({
    bytes: `POST /nothing/${i} HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\n{}`,
    says: new RegExp(`/nothing/${i}"`),
  });
  const ready = { bytes: "GET /readyz HTTP/1.1\r\nHost: a\r\n\r\n", says: /"ready"/ };
  const mixes = {
    "the loop's own": () => health,
    "cached agents": (i) => read(i % 2),
    "the loop's and the workers'": (i) => [health, ready, read(0), read(1)][i % 4],
    "with bodies": (i) => [health, healthWithBody, chunkedHealth, missing(i), read(i % 2), ready][i % 6],
  };
  for (const [name, mix] of Object.entries(mixes))
    for (const count of [32, 33, 34, 65, 200]) {
      const requests = Array.from({ length: count }, (_, i) => mix(i));
      const answers = readAnswers(await kb.raw(requests.map((r) => r.bytes).join("")));
      assert.equal(answers.length, count, `${name}, ${count} of them`);
      answers.forEach((answer, i) => assert.match(answer.body, requests[i].says, `${name}: answer ${i} of ${count}`));
    }
});
