// The checkers that the other stories lean on must themselves be able to say no.
import nodeTest from "node:test";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFile } from "node:fs/promises";
import path from "node:path";
import { Description } from "./lib/schema.mjs";
import { chunks, namedEvents } from "./lib/sse.mjs";
import { folder } from "./lib/util.mjs";

const reply = (status, body, type = "application/json") => ({
  status,
  headers: { "content-type": type },
  bytes: Buffer.from(body),
  text: body,
});
const record = {
  type: "object",
  required: ["id", "at"],
  properties: {
    id: { type: "integer" },
    at: { type: "string", format: "date-time" },
    note: { type: ["string", "null"] },
    tags: { type: "array", items: { type: "string" } },
    child: { anyOf: [{ $ref: "#/components/schemas/Error" }, { type: "null" }] },
  },
};
const error = { type: "object", required: ["status"], properties: { status: { type: "string" } } };
const content = (name) => ({ content: { "application/json": { schema: { $ref: `#/components/schemas/${name}` } } } });
const description = new Description({
  paths: { "/things/{id}": { get: { responses: { 200: content("Record"), 404: content("Error") } } } },
  components: { schemas: { Record: record, Error: error } },
});
const at = "2024-01-01T00:00:00.000000Z";

nodeTest("the description checker takes what is documented and nothing else", () => {
  const check = (status, json, type) =>
    description.check("GET", "/things/7", reply(status, typeof json === "string" ? json : JSON.stringify(json), type));
  for (const good of [
    { id: 1, at },
    { id: 1, at, note: null, tags: [], child: null },
    { id: 1, at, note: "x", tags: ["a"], child: { status: "x" } },
  ])
    check(200, good);
  check(404, { status: "error" });
  const bad = [
    [200, { id: 1 }],
    [200, { id: 1.5, at }],
    [200, { id: "1", at }],
    [200, { id: 1, at, extra: 1 }],
    [200, { id: 1, at: "2024-01-01T00:00:00Z" }],
    [200, { id: 1, at, tags: [1] }],
    [200, { id: 1, at, note: 5 }],
    [200, { id: 1, at, child: { state: "x" } }],
    [200, []],
    [200, "{"],
    [200, { id: 1, at }, "text/html"],
    [500, { status: "error" }],
    [404, { id: 1, at }],
  ];
  for (const [status, json, type] of bad) assert.throws(() => check(status, json, type), Error, JSON.stringify(json));
});

nodeTest("the stream readers take the contract's frames and nothing looser", () => {
  const good = 'event: start\ndata: {"status":"start"}\n\nevent: finish\ndata: {}\n\n';
  assert.deepEqual(
    namedEvents(Buffer.from(good)).map((e) => e.event),
    ["start", "finish"],
  );
  const bad = [
    good.replaceAll("\n", "\r\n"),
    good.slice(0, -1),
    `: comment\n\n${good}`,
    `id: 1\n${good}`,
    `retry: 5\n${good}`,
    good.replace("event: start", "event:start"),
    good.replace("data: {}", "data: {\ndata: }"),
    `\n${good}`,
    good.replace("{}", "[]"),
    good.replace("{}", "{"),
    "event: start\n\n",
    "",
  ];
  for (const text of bad) assert.throws(() => namedEvents(Buffer.from(text)), Error, JSON.stringify(text));
  assert.throws(
    () => namedEvents(Buffer.from([...Buffer.from('event: start\ndata: {"a":"'), 0xff, ...Buffer.from('"}\n\n')])),
    Error,
    "bad UTF-8",
  );
  assert.equal(chunks(Buffer.from("data: {}\n\ndata: [DONE]\n\n")).length, 1);
  for (const text of [
    "data: {}\n\n",
    "event: x\ndata: {}\n\ndata: [DONE]\n\n",
    "data: {}\n\ndata: [DONE]",
    "data:{}\n\ndata: [DONE]\n\n",
  ])
    assert.throws(() => chunks(Buffer.from(text)), Error, text);
});

nodeTest("a part of .ci/run keeps all that it said, whatever bytes, and shows what failed", async (t) => {
  const dir = await folder(t);
  const story = path.join(dir, "late.test.mjs");
  await writeFile(
    story,
    `import test from "node:test";
     test("one that holds", () => process.stderr.write(Buffer.from([0, 0xff, 0, 10])));
     test("one that does not", () => { throw new Error("the reason"); });`,
  );
  const early = "echo FAILED the first; echo its reason; seq -f 'line %g of much' 1000; scripts/test-postgres \"$0\"";
  // Nobody asks it for a database.
  const env = { ...process.env, DOCENT_TEST_POSTGRES: dir, DOCENT_TEST_TABLES: "" };
  delete env.NODE_TEST_CONTEXT; // or what runs within reports in another form
  const { code, said } = await new Promise((done) =>
    execFile(".ci/run", ["early", "sh", "-c", early, story], { env, encoding: "latin1" }, (error, stdout) =>
      done({ code: error?.code ?? 0, said: stdout }),
    ),
  );
  assert.equal(code, 1);
  assert.match(said, /^== early\nFAILED the first\nits reason\nline 1 of much\n/);
  assert.match(said, /FAILED one that does not\n +Error: the reason\n/);
  assert.match(said, /\n1 passed, 1 failed\n-- early: \d+ seconds\n1 passed, 1 failed\n$/);
});
