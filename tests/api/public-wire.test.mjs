// The public routes from outside: every one of them crossed by other visitors, foreign pages and closed agents,
// asked with odd words, and listened to for what no visitor may hear.
import { assert, start, test } from "./lib/harness.mjs";
import { library } from "./lib/documents.mjs";
import { typedPdf } from "./lib/print.mjs";

const page = { "x-docent-visitor": "1" };
const question = "Who is the harbour master of Velmora?";
const NAME = "Payroll Zurich 2024";

async function open(t, settings = {}) {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: {
      [`${NAME}.pdf`]: typedPdf([["The harbour master of Velmora is Isolde Fenwick."], ["Page two."]]),
      ...library,
    },
  });
  await agent.expect(200, "POST", "/settings", {
    json: {
      is_pdf_viewer: true,
      is_anonymize_pdfs: true,
      conversation_history: "everyone",
      can_share_conversation: true,
      can_export_conversation: true,
      persona_instructions: "You are the secret keeper.",
      ...settings,
    },
  });
  const { shareable_slug: slug } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  return { kb, agent, slug, base: `/public/v1/agents/${slug}` };
}

async function visit({ kb, base }, prompt) {
  const begun = await kb.api("POST", `${base}/visit`, { plain: true, key: null, json: {}, headers: page });
  const cookie = begun.headers["set-cookie"][0].split(";")[0];
  const call = (method, rest, options = {}) =>
    kb.api(method, base + rest, {
      plain: true,
      key: null,
      ...options,
      headers: { ...page, cookie, ...options.headers },
    });
  const ask = async (text, fields = {}) => {
    const reply = await call("POST", "/messages", { json: { prompt: text, ...fields } });
    const last = JSON.parse([...reply.text.matchAll(/^data: (.*)$/gm)].at(-1)?.[1] ?? "{}");
    return { reply, last };
  };
  return { begun, call, ask, ...(prompt ? await ask(prompt) : {}) };
}

/** Every route of visitors, from the service's own description, with the visitor's things in its path. */
async function routesOf(kb, ids) {
  const { paths } = (await kb.api("GET", "/openapi.json", { plain: true, key: null })).json;
  const routes = [];
  for (const [path, methods] of Object.entries(paths)) {
    if (!path.startsWith("/public/v1/agents/{slug}/")) continue;
    const rest = path
      .slice("/public/v1/agents/{slug}".length)
      .replace(/\{(\w+)\}/g, (_, name) => ids[name] ?? assert.fail(`no value for ${name}`));
    for (const method of Object.keys(methods)) routes.push([method.toUpperCase(), rest]);
  }
  assert.ok(routes.length >= 20, `${routes.length}`);
  // What ends something comes last.
  return routes.sort(([a], [b]) => (a === "DELETE") - (b === "DELETE"));
}

const idsOf = (last) => ({
  sessionId: last.session_id,
  messageId: last.id,
  pageId: last.sources[0].id,
  pageNo: 1,
  pictureId: "0".repeat(64),
});
const bodies = {
  "/proof": { nonce: "1" },
  "/messages": { prompt: question },
};
const bodyOf = (method, rest) =>
  ["POST", "PUT"].includes(method)
    ? (bodies[rest] ?? (rest.endsWith("/feedback") ? { reaction: "liked" } : { name: "Mine" }))
    : undefined;

test("every route of visitors is shut for another visitor, for a foreign page, and when the agent is closed", async (t) => {
  const s = await open(t);
  const ann = await visit(s, question),
    bob = await visit(s);
  assert.equal(ann.last.status, "finish");
  const routes = await routesOf(s.kb, idsOf(ann.last));
  const own = new Set(["/visit", "/messages", "/conversations", "/starters", "/proof"]);
  for (const [method, rest] of routes) {
    const json = bodyOf(method, rest),
      what = `${method} ${rest}`;
    if (rest !== "/visit" || method === "GET")
      for (const headers of [
        { "x-docent-visitor": "" },
        { "x-docent-visitor": "x".repeat(43) },
        { origin: "https://evil.example" },
        { "sec-fetch-site": "cross-site" },
        { "sec-fetch-site": "same-site" },
        { cookie: "" },
      ])
        assert.equal((await ann.call(method, rest, { json, headers })).status, 401, what + JSON.stringify(headers));
    if (!own.has(rest)) assert.equal((await bob.call(method, rest, { json })).status, 404, `${what} of another`);
  }
  assert.equal((await bob.call("GET", "/conversations")).data.length, 0);
  await s.agent.expect(200, "POST", "", { json: { is_shared: false } });
  for (const [method, rest] of routes)
    assert.equal((await ann.call(method, rest, { json: bodyOf(method, rest) })).status, 404, `${method} ${rest}`);
});

test("nothing that a visitor can fetch holds a key, a file's name or a property of it, a path or an address", async (t) => {
  const s = await open(t);
  const ann = await visit(s, question);
  const none = await ann.ask("What is the boiling point of tungsten near Isolde Fenwick?");
  const routes = await routesOf(s.kb, idsOf(ann.last));
  const heard = [ann.begun.text, ann.reply.text, none.reply.text];
  for (const [method, rest] of routes) {
    if (method === "DELETE") continue;
    for (const query of rest.endsWith("/export")
      ? [{}, { format: "txt" }, { format: "html" }, { format: "csv" }]
      : [{}])
      heard.push(
        (await ann.call(method, rest, { json: rest === "/messages" ? undefined : bodyOf(method, rest), query })).text,
      );
  }
  const shared = await ann.call("POST", `/conversations/${ann.last.session_id}/share`);
  const secret = shared.data.url.split("/").at(-1);
  for (const path of [
    `/public/v1/shared/${secret}`,
    `/c/${secret}`,
    `/embed/${s.slug}`,
    `/embed/${s.slug}/launcher.js`,
  ])
    heard.push((await s.kb.api("GET", path, { plain: true, key: null })).text);
  const words = [
    NAME,
    ".pdf",
    s.kb.key.split("|")[1],
    "secret keeper",
    "s3_path",
    "/api/v1/",
    "closest_passages",
    "Type /Page",
  ];
  for (const text of heard) {
    for (const word of words) assert.ok(!text.includes(word), `${word} in ${text.slice(0, 300)}`);
    assert.doesNotMatch(text, /"(user_ip|user_agent|external_id)":"[^"]/);
  }
});

test("odd bodies, odd numbers and odd names meet a sentence, never a failure", async (t) => {
  const s = await open(t);
  const ann = await visit(s, question);
  const ids = idsOf(ann.last);
  const routes = await routesOf(s.kb, ids);
  const odd = [
    { raw: Buffer.from("{"), headers: { "content-type": "application/json" } },
    { raw: Buffer.from("[[[[[["), headers: { "content-type": "application/json" } },
    { raw: Buffer.alloc(4096, "a"), headers: { "content-type": "multipart/form-data; boundary=x" } },
    { raw: Buffer.from([0, 255, 1]), headers: { "content-type": "application/x-www-form-urlencoded" } },
    { json: { prompt: { a: 1 }, session_id: [], name: 7, nonce: {}, reaction: 5, child_project_id: "x", context: [] } },
    { json: { prompt: "x".repeat(9000), name: "n".repeat(9000), nonce: "n".repeat(9000), reaction: "adored" } },
    { json: { prompt: "\u0000", session_id: "../../etc", name: "\u0000", surface: "moon", identity: "a.b.c" } },
  ];
  const bad = [];
  for (const [method, rest] of routes) {
    if (method === "DELETE") continue;
    for (const [i, { raw, ...options }] of odd.entries()) {
      const reply = await ann.call(method, rest, raw ? { body: raw, ...options } : options);
      if (reply.status >= 500) bad.push(`${method} ${rest} body ${i}: ${reply.status} ${reply.text.slice(0, 100)}`);
    }
  }
  const source = `/conversations/${ids.sessionId}/messages/${ids.messageId}/sources/${ids.pageId}`;
  for (const no of ["0", "-1", "3", "99999999999999999999", "1.5", "x", "%00", "1%2f..%2f2", "%D9%A1"])
    for (const rest of [`/view/${no}`, `/view/${no}/words`, `/pictures/${no}`]) {
      const { status } = await ann.call("GET", source + rest);
      if (![400, 404].includes(status)) bad.push(`${rest}: ${status}`);
    }
  for (const query of [{ from: "-1" }, { from: "x" }, { length: "-5" }, { length: "9e99" }, { from: "9".repeat(30) }])
    if ((await ann.call("GET", `${source}/text`, { query })).status !== 400) bad.push(`text ${JSON.stringify(query)}`);
  for (const marks of ["x", ":", "1:0", "1:99999999999", `${"1:1,".repeat(60)}1:1`])
    if ((await ann.call("GET", `${source}/view/1/words`, { query: { marks } })).status !== 400)
      bad.push(`marks ${marks}`);
  assert.deepEqual(bad, []);
  // One unbroken line as long as a question may be, in letters of four bytes; one letter more is too long.
  const bob = await visit(s);
  assert.equal((await bob.ask("\u{1F600}".repeat(8000))).last.status, "finish");
  assert.equal((await bob.ask("a".repeat(8001))).reply.status, 400);
  assert.equal((await bob.ask("a".repeat(8000))).last.status, "finish");
  assert.equal((await s.kb.api("GET", "/healthz", { plain: true, key: null })).status, 200);
});

test("a document's path is a path within its folder, whatever is sent", async (t) => {
  const s = await open(t);
  const { id } = await s.agent.page(`${NAME}.pdf`);
  for (const path of [
    "../x",
    "a/../../x",
    "..",
    "/",
    "",
    "a\u0000b",
    ".",
    "a//../..",
    "x".repeat(5000),
    7,
    ["a"],
    null,
  ]) {
    const reply = await s.agent.api("PUT", `/pages/${id}/path`, { json: { path } });
    assert.ok(reply.status < 500, JSON.stringify(path));
    if (reply.status === 200) assert.ok(!/(^|\/)\.\.(\/|$)|\0/.test(reply.data.path ?? ""), JSON.stringify(path));
  }
});
