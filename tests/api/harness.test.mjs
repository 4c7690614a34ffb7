// The checkers that the other stories lean on must themselves be able to say no.
import nodeTest from "node:test";
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { chmod, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { Description } from "./lib/schema.mjs";
import { chunks, namedEvents } from "./lib/sse.mjs";
import { folder, until } from "./lib/util.mjs";

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

/** Runs a program of the project as nobody within a run of stories would; gives { code, said }. */
const told = (program, args, env = {}) => {
  const clean = Object.entries(process.env).filter(
    ([name]) => !/^(NODE_TEST_CONTEXT|NODE_OPTIONS|DOCENT_TEST_)/.test(name),
  );
  return new Promise((done) =>
    execFile(
      program,
      args,
      { env: { ...Object.fromEntries(clean), ...env }, encoding: "latin1" },
      (error, stdout, stderr) => done({ code: error?.code ?? 0, said: stdout + stderr }),
    ),
  );
};

/** A file of stories, gone after the test. */
async function storyFile(t, name, text) {
  const file = path.join(await folder(t), `${name}.test.mjs`);
  await writeFile(file, text);
  return file;
}

nodeTest("a part of .ci/run keeps all that it said, whatever bytes, and shows what failed", async (t) => {
  const story = await storyFile(
    t,
    "late",
    `import test from "node:test";
     test("one that holds", () => process.stderr.write(Buffer.from([0, 0xff, 0, 10])));
     test("one that does not", () => { throw new Error("the reason"); });`,
  );
  const early = "echo FAILED the first; echo its reason; seq -f 'line %g of much' 1000; scripts/test-postgres \"$0\"";
  // Nobody asks it for a database.
  const env = { DOCENT_TEST_POSTGRES: path.dirname(story), DOCENT_TEST_TABLES: "" };
  const { code, said } = await told(".ci/run", ["early", "sh", "-c", early, story], env);
  assert.equal(code, 1);
  assert.match(said, /^== early\nFAILED the first\nits reason\nline 1 of much\n/);
  assert.match(said, /FAILED one that does not\n +Error: the reason\n/);
  assert.match(said, /\n0 flaky\n1 passed, 1 failed\n-- early: \d+ seconds\n0 flaky\n1 passed, 1 failed\n$/);
});

/** Fails the first time that it is told, where that is marked in `place`. */
const once = (name, place) =>
  `story("${name}", () => {
     const mark = ${JSON.stringify(place)} + "/" + ${JSON.stringify(name)};
     if (existsSync(mark)) return;
     writeFileSync(mark, "");
     throw new Error("the first time");
   });`;
const head = `import { existsSync, writeFileSync } from "node:fs";
  import { test as story } from ${JSON.stringify(path.resolve("tests/api/lib/harness.mjs"))};\n`;

nodeTest("a story that fails and then passes alone is counted apart, and more than three fail the run", async (t) => {
  const place = await folder(t);
  const some = await storyFile(
    t,
    "some",
    `${head}${once("now [and] then", place)}
     story("always", () => { throw new Error("each time"); });
     story("never", () => {});`,
  );
  const first = await told("scripts/test-stories", [some]);
  assert.equal(first.code, 1);
  assert.match(
    first.said,
    /\nflaky: now \[and\] then\n-- it failed first:\n[^]*the first time[^]*\n-- and passed alone:\n/,
  );
  assert.match(first.said, /\n1 flaky\n2 passed, 1 failed\n$/);
  assert.doesNotMatch(first.said, /flaky: always/);

  const names = ["a", "b", "c", "d"];
  const many = await storyFile(t, "many", head + names.map((name) => once(name, place)).join("\n"));
  const { code, said } = await told(".ci/run", ["all", "scripts/test-stories", many]);
  assert.equal(code, 1);
  assert.match(said, /\n4 flaky\n4 passed, 0 failed\n$/);
});

nodeTest("a unit test that fails and then passes alone is counted apart", async (t) => {
  const place = await folder(t);
  const programs = ["mended", "broken", "raced"].map((name) => path.join(place, `${name}_test`));
  const marked = (text) => `#!/bin/sh\n[ -e "$0.mark" ] && { echo "2 passed, 0 failed"; exit 0; }\n${text}\nexit 1\n`;
  await writeFile(programs[0], marked('touch "$0.mark"; echo "it fell: failed"; echo "1 passed, 1 failed"'));
  await writeFile(programs[1], marked('echo "1 passed, 1 failed"'));
  // What a sanitizer has seen once is there.
  await writeFile(programs[2], marked('touch "$0.mark"; echo "WARNING: ThreadSanitizer: data race"'));
  for (const program of programs) await chmod(program, 0o755);
  const { code, said } = await told("sh", ["-c", 'printf "%s\\n" "$@" | scripts/test-unit -', "sh", ...programs]);
  assert.equal(code, 1);
  assert.match(said, /\nflaky: mended_test\n-- it failed first:\nit fell: failed\n/);
  assert.match(said, /\n1 flaky\n3 passed, 2 failed\n$/);
});

nodeTest("a file of stories that never ends is ended, with its server", async (t) => {
  const file = await storyFile(
    t,
    "endless",
    `import http from "node:http";
     ${head}
     import { start } from ${JSON.stringify(path.resolve("tests/api/lib/harness.mjs"))};
     story("what listens on", async (t) => {
       const kb = await start(t);
       writeFileSync(process.argv[1] + ".pid", String(kb.child.pid));
       http.createServer().listen(0);
       await new Promise(() => {});
     });`,
  );
  const { code, said } = await told("scripts/test-stories", [file], {
    DOCENT_TEST_FILE_MS: "3000",
    DOCENT_TEST_PATIENCE: "1",
  });
  assert.equal(code, 1);
  assert.match(said, /endless\.test\.mjs was ended after \d+ ms\n/);
  const pid = Number(await readFile(`${file}.pid`, "utf8"));
  const state = () => readFile(`/proc/${pid}/status`, "utf8").catch(() => "State:\tZ");
  await until("the server to be gone", async () => /^State:\tZ/m.test(await state()));
});

nodeTest("patience grows with the load, and has an end", async () => {
  const asked = (factor) =>
    told(
      process.execPath,
      [
        "--input-type=module",
        "-e",
        `
      import { patient } from "./tests/api/lib/patience.mjs";
      console.log(patient(1000));`,
      ],
      factor ? { DOCENT_TEST_PATIENCE: factor } : {},
    );
  assert.equal(Number((await asked("1000")).said), 12_000);
  assert.ok(Number((await asked("3")).said) >= 3000);
  assert.ok(Number((await asked()).said) >= 1000);
});

nodeTest("lint refuses a figure that is compared as it is", async (t) => {
  const bare = await storyFile(t, "bare", 'assert.equal(\n  await figure(kb, "nodes"),\n  2,\n);\n');
  const waited = await storyFile(
    t,
    "waited",
    'await counted(kb, { nodes: 2 });\nconst n = await figure(kb, "nodes");\n',
  );
  const short = await storyFile(
    t,
    "short",
    'const nodes = (kb) => figure(kb, "nodes");\nassert.equal(await nodes(kb), 2);\n',
  );
  assert.deepEqual((await told("scripts/check-figures", [bare])).code, 1);
  assert.deepEqual((await told("scripts/check-figures", [short])).code, 1);
  assert.deepEqual(await told("scripts/check-figures", [waited]), { code: 0, said: "" });
});

nodeTest("a story's server ends though what is tidied up before it fails", async (t) => {
  const file = await storyFile(
    t,
    "untidy",
    `${head}
     import { start } from ${JSON.stringify(path.resolve("tests/api/lib/harness.mjs"))};
     story("what cannot be tidied", async (t) => {
       t.after(() => { throw new Error("the folder is not empty"); });
       await start(t);
     });`,
  );
  const { code, said } = await told("scripts/test-stories", [file]);
  assert.equal(code, 1);
  assert.match(said, /FAILED what cannot be tidied\n +Error: the folder is not empty\n/);
  assert.doesNotMatch(said, /was ended after/);
});
