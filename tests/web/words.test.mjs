// The words of the pages. Visitors': each language of the owner's built-in texts has them all, with the
// same holes. The dashboard's: each of its languages has them all, and no page has words of its own.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";
import { fileURLToPath } from "node:url";

const folder = new URL("../../web/words/visitor/", import.meta.url);
const read = (name) => readFile(new URL(name, folder), "utf8");

/** Keys and texts of a module, which holds nothing else. */
const words = (source) =>
  new Map(
    [...source.matchAll(/^ {2}(\w+):\s+("(?:[^"\\]|\\.)*"),$/gm)].map(([, key, text]) => [key, JSON.parse(text)]),
  );
const holes = (text) => [...text.matchAll(/\{\w+\}/g)].map(String).sort();

test("every language of the built-in texts has all words of visitors", async () => {
  const texts = await readFile(new URL("../../src/settings/texts.c", import.meta.url), "utf8");
  const codes = [...texts.matchAll(/LANGUAGE\("([\w-]+)"/g)].map((match) => match[1]);
  assert.ok(codes.length >= 30);
  const files = (await readdir(folder)).filter((name) => name !== "index.ts").map((name) => name.replace(".ts", ""));
  assert.deepEqual(files.sort(), [...codes].sort());
  const index = await read("index.ts"),
    english = words(await read("en.ts"));
  assert.ok(english.size >= 45);
  for (const code of codes.filter((code) => code !== "en")) {
    assert.ok(index.includes(`import("./${code}")`), code);
    const other = words(await read(`${code}.ts`));
    assert.deepEqual([...other.keys()], [...english.keys()], code);
    let same = 0;
    for (const [key, text] of other) {
      assert.ok(text.trim(), `${code}.${key}`);
      assert.deepEqual(holes(text), holes(english.get(key)), `${code}.${key}`);
      same += text === english.get(key);
    }
    assert.ok(same < 8, `${code} has ${same} texts in English`);
  }
});

test("every word that the pages use is there, and every one that is there is used", async () => {
  const used = new Set();
  for (const folder of ["../../web/visitor/", "../../web/lib/", "../../web/"]) {
    const place = new URL(folder, import.meta.url);
    for (const name of await readdir(place))
      if (/\.tsx?$/.test(name))
        for (const match of (await readFile(new URL(name, place), "utf8")).matchAll(/\bt\.(\w+)/g)) used.add(match[1]);
  }
  const there = new Set(words(await read("en.ts")).keys());
  assert.deepEqual(
    [...there].filter((key) => !used.has(key)),
    [],
  );
});

const dashboard = new URL("../../web/words/dashboard/", import.meta.url);
const skip = !existsSync("/usr/bin/esbuild") && "esbuild is not installed";

/** A table of the dashboard, whose words are functions where they have holes. */
async function table(code) {
  globalThis.document ??= { documentElement: { lang: "en" } };
  const file = fileURLToPath(new URL(`${code}.ts`, dashboard));
  const script = execFileSync("/usr/bin/esbuild", ["--bundle", "--format=esm", file], { encoding: "utf8" });
  return (await import(`data:text/javascript,${encodeURIComponent(script)}`)).default;
}

/** [path, word] of a table and of the tables in it. */
const entries = (words, path = "") =>
  Object.entries(words).flatMap(([key, word]) =>
    typeof word === "object" ? entries(word, `${path}${key}.`) : [[path + key, word]],
  );

/** Which of its holes a word shows. */
const shown = (word) => {
  if (typeof word === "string") return [];
  const filling = Array.from({ length: word.length }, (_, i) => i + 71);
  return filling.filter((n) => word(...filling).includes(n));
};

test("each language of the dashboard has all its words, with the same holes", { skip }, async () => {
  const codes = (await readdir(dashboard))
    .filter((name) => /^[a-z]{2}\.ts$/.test(name))
    .map((name) => name.slice(0, 2));
  const index = await readFile(new URL("index.ts", dashboard), "utf8");
  const english = new Map(entries(await table("en")));
  assert.ok(english.size > 500);
  for (const code of codes.filter((code) => code !== "en")) {
    assert.ok(index.includes(`import("./${code}")`), code);
    const words = await table(code);
    const other = new Map(entries(words));
    assert.deepEqual([...other.keys()], [...english.keys()], code);
    let same = 0;
    for (const [key, word] of other) {
      const model = english.get(key);
      assert.equal(typeof word, typeof model, `${code}.${key}`);
      assert.deepEqual(shown(word), shown(model), `${code}.${key}`);
      const said = typeof word === "string" ? word : word(...Array(word.length).fill(1));
      assert.ok(said.trim(), `${code}.${key}`);
      same += said.length > 4 && word === model;
    }
    assert.ok(same < 40, `${code} has ${same} texts in English`);
    // Of each setting it is said what it does.
    assert.deepEqual(Object.keys(words.settings.help), Object.keys(words.settings.titles), code);
  }
});

test("no sentence that a person reads has the name of a field or a value of a program in it", { skip }, async () => {
  const known = new Set();
  for (const name of ["fields.c", "options.c"])
    for (const [, field] of (await readFile(new URL(`../../src/settings/${name}`, import.meta.url), "utf8")).matchAll(
      /(?:FIELD|OPTION)\w*\((\w+)/g,
    ))
      known.add(field);
  assert.ok(known.size > 60, `${known.size} fields`);
  const table_ = await readFile(new URL("../../src/api/reasons.c", import.meta.url), "utf8");
  const codes = (name) =>
    new Set(
      [
        ...table_
          .split(`${name}[] = {`)[1]
          .split("\n};")[0]
          .matchAll(/\{ "(\w+)", "/g),
      ].map((match) => match[1]),
    );
  const [documents, refusals] = [codes("documents"), codes("refusals")];
  assert.ok(documents.size > 25 && refusals.size > 25);
  for (const code of (await readdir(dashboard)).filter((name) => /^[a-z]{2}\.ts$/.test(name))) {
    const words = await table(code.slice(0, 2));
    // Every reason and refusal that the service has a code for is said, and no other.
    assert.deepEqual(Object.keys(words.reasons).sort(), [...documents].sort(), code);
    assert.deepEqual(Object.keys(words.refusals).sort(), [...refusals, "other"].sort(), code);
    for (const [key, word] of entries(words)) {
      if (key.startsWith("reading.find.") || key === "figures" || key === "interface") continue;
      let said = typeof word === "string" ? word : word(...Array(word.length).fill(7));
      // In help a name between backquotes is shown as the title of its setting.
      if (key.startsWith("settings.help."))
        said = said.replaceAll(/`([^`]+)`/g, (_, name) => (name in words.settings.titles ? "…" : name));
      assert.ok(!/\p{L}_\p{L}|\bnull\b|\bundefined\b|`/u.test(said), `${code} ${key}: ${said}`);
    }
  }
});

test("every reason for which a document is not read has words of its own, but for the machine's", async () => {
  const table_ = await readFile(new URL("../../src/api/reasons.c", import.meta.url), "utf8");
  const rows = [
    ...table_
      .split("documents[] = {")[1]
      .split("\n};")[0]
      .matchAll(/\{ "(\w+)", "(.*)" \}/g),
  ].map(([, code, sentence]) => [
    code,
    new RegExp(
      `^${sentence
        .replaceAll(/[.?()[\]]/g, "\\$&")
        .replaceAll("*", ".*")
        .replaceAll("%", ".+")}$`,
    ),
  ]);
  const of = (sentence) => rows.find(([, pattern]) => pattern.test(sentence))[0];
  for (const [sentence, code] of Object.entries({
    "the host answered 404: not found": "gone",
    "the host answered 418": "host_answered",
    "the host answered 500: it has a problem of its own": "host_answered",
    "the PDF is locked with a password": "locked",
    "the Word document is damaged, empty or locked with a password; save it as .docx": "damaged",
    "the PDF has no text layer (scanned?), and text in pictures was left alone, because is_ocr_enabled was 0":
      "pictures_off",
    "the plan allows 20 documents an agent": "plan_documents",
    "the website's pages are more than 100 MB (max_megabytes)": "site_megabytes",
    "waiting for its host, which is asked for one page at a time": "waits_host",
    "127.0.0.1:9 does not answer within 10 seconds": "host_silent",
    "something that nobody has thought of": "unreadable",
  }))
    assert.equal(of(sentence), code, sentence);
  // What readers of formats refuse with, all of them: no more than the machine's own troubles are left over.
  const others = /has no page|nobody takes|, and $/; // said to who looks at a page; of a sentence's beginning
  const left = new Set();
  for (const name of await readdir(new URL("../../src/parse/", import.meta.url)))
    if (/(pdf|docx|xlsx|pptx|epub|odf|rtf|email|picture|archive|old_\w+|formats|document)\.c$/.test(name)) {
      const text = await readFile(new URL(`../../src/parse/${name}`, import.meta.url), "utf8");
      for (const [, sentence] of text.matchAll(/KB_E_\w+,\s*"((?:[^"\\]|\\.)+)"/g))
        if (sentence.includes(" ") && !others.test(sentence) && of(sentence) === "unreadable") left.add(sentence);
    }
  assert.deepEqual([...left].sort(), []);
});

/** The source of the dashboard's pages, without what is remarked in it. */
async function sources() {
  const list = [];
  for (const folder of ["../../web/screens/", "../../web/components/", "../../web/lib/", "../../web/"]) {
    const place = new URL(folder, import.meta.url);
    for (const name of await readdir(place))
      if (/\.tsx?$/.test(name)) {
        const text = await readFile(new URL(name, place), "utf8");
        list.push([name, text.replaceAll(/\/\*[^]*?\*\/|^\s*\/\/.*$| \/\/ .*$/gm, "")]);
      }
  }
  return list;
}

test("every word of the dashboard is used", { skip }, async () => {
  const used = new Set(
    (await sources()).flatMap(([, text]) => [...text.matchAll(/\bw(?:ords)?\.(\w+)/g)].map((match) => match[1])),
  );
  assert.deepEqual(
    Object.keys(await table("en")).filter((key) => !used.has(key)),
    [],
  );
});

test("what the dashboard shows are words of the table", async () => {
  const said = [
    /[>}]\s*([^<>{}`;=()]*\p{L}{2,}[^<>{}`;=()]*?)\s*<\//gu, // an element's text to its end
    /(?<=[^=]>)\s*(\p{L}[^<>{}`;=()]*) \{/gu, // and up to what is put in
    /\b(?:title|label|placeholder|alt|help|aside|aria-label)="([^"]*\p{L}[^"]*)"/gu,
    /"(\p{Lu}\p{Ll}+(?: [\p{L}’']+)+[.?!…]?)"/gu, // a sentence
    /\btell\(\s*["`]([^"`]*)/gu,
  ];
  const names = ["Docent", "/openapi.json", "/metrics", "https://www.example.org"];
  const found = [];
  for (const [name, text] of await sources())
    if (name !== "widget.ts" && name !== "visitor.tsx")
      for (const pattern of said)
        for (const [, words] of text.matchAll(pattern))
          if (!names.includes(words.trim())) found.push(`${name}: ${words}`);
  assert.deepEqual(found, []);
});

test("each action of the audit log, and each kind of them, has its words in every language", async () => {
  const actions = await readFile(new URL("../../src/store/audit_actions.h", import.meta.url), "utf8");
  const names = [...actions.matchAll(/\tX\(\w+,\s*"([a-z.]+)"/g)].map((match) => match[1]);
  assert.ok(names.length >= 50);
  // Kinds that have a screen are called as it is.
  const screen = await readFile(new URL("../../web/screens/Activity.tsx", import.meta.url), "utf8");
  const known = [...screen.matchAll(/^ {2}(\w+): w\.\w+,$/gm)].map((match) => match[1]);
  const kinds = [...new Set(names.map((name) => name.split(".")[0]))].filter((kind) => !known.includes(kind));
  for (const file of (await readdir(dashboard)).filter((name) => name !== "index.ts")) {
    const text = await readFile(new URL(file, dashboard), "utf8");
    const part = text.slice(text.indexOf("\n  activity: {"));
    const of = (table, key) =>
      [
        ...part
          .slice(part.indexOf(`\n    ${table}: {`))
          .split("\n    }")[0]
          .matchAll(key),
      ]
        .map((match) => match[1])
        .sort();
    assert.deepEqual(of("actions", /^ {6}"([a-z.]+)": "[^"]+",$/gm), [...names].sort(), file);
    assert.deepEqual(of("families", /^ {6}(\w+): "[^"]+",$/gm), [...kinds].sort(), file);
  }
});
