// The documents: tables are what the program prints, and a link leads somewhere.
import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { assert, docent, test } from "./lib/harness.mjs";
import { root } from "./lib/service.mjs";

const read = (file) => readFile(path.join(root, file), "utf8");

/** All Markdown files of a folder, and of those in it where `deep`. */
async function markdown(folder, deep) {
  const names = await readdir(path.join(root, folder), { recursive: deep });
  return names.filter((name) => name.endsWith(".md")).map((name) => path.join(folder, name));
}

const pages = async () => [
  ...(await markdown(".", false)),
  ...(await markdown("docs", true)),
  ...(await markdown("bench/results", false)),
];

/** The text without its code, where brackets mean something else. */
const prose = (text) =>
  text
    .replace(/^```[^]*?^```/gm, "")
    .replace(/^ {4}.*$/gm, "")
    .replace(/`[^`\n]*`/g, "");

const links = (text) => [...prose(text).matchAll(/\]\(([^()\s]+)\)/g)].map(([, target]) => target);

/** The names under which a page's headings are linked to. */
const anchors = (text) =>
  [...text.matchAll(/^#+ +(.+)$/gm)].map(([, title]) =>
    title
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );

for (const [file, args] of [
  ["docs/configuration.md", ["serve"]],
  ["docs/proxy.md", ["proxy"]],
])
  test(`${file} has the table that docent ${args} prints`, async () => {
    const { code, stdout } = await docent([...args, "--help=markdown"]);
    assert.equal(code, 0);
    // A difference is mended by printing the table again: build/docent COMMAND --help=markdown.
    assert.equal(/^\| Flag [^]*?(?=\n\n|\n$)/m.exec(await read(file))[0], stdout.trimEnd());
  });

test("every link of the documents to a file of the project leads to it", async () => {
  let followed = 0;
  for (const file of await pages()) {
    for (const target of links(await read(file))) {
      if (/^[a-z]+:/.test(target)) continue; // the world's
      const [name, anchor] = target.split("#");
      const found = name ? path.join(path.dirname(file), name) : file;
      assert.ok(existsSync(path.join(root, found)), `${file}: ${target} leads nowhere`);
      if (anchor) assert.ok(anchors(await read(found)).includes(anchor), `${file}: ${target} leads to no heading`);
      followed++;
    }
  }
  assert.ok(followed > 20, `${followed} links were seen`);
});

test("each page says in its first line for whom it is, and none is for makers and others", async () => {
  for (const file of await markdown("docs", false))
    assert.match(await read(file), /^# [^\n]+\n\nFor (?!whoever works on Docent)/, file);
  for (const file of await markdown("docs/makers", false))
    assert.match(await read(file), /^# [^\n]+\n\nFor whoever works on Docent\. /, file);
});

test("each promise is held by tests that there are", async () => {
  const rows = [...(await read("docs/promises.md")).matchAll(/^\| (\d+) \|[^|]*\|([^|]*)\|$/gm)];
  assert.deepEqual(
    rows.map(([, number]) => Number(number)),
    Array.from({ length: 10 }, (_, i) => i + 1),
  );
  const files = (await readdir(path.join(root, "tests/api"))).filter((name) => name.endsWith(".test.mjs"));
  const stories = (await Promise.all(files.map((name) => read(`tests/api/${name}`)))).join("\n");
  for (const [, number, held] of rows) {
    const names = [...held.matchAll(/`([^`]+)`/g)].map(([, name]) => name);
    assert.ok(names.length, `promise ${number} names no test`);
    for (const name of names)
      assert.ok(stories.includes(`est("${name}"`), `promise ${number}: there is no test "${name}"`);
  }
});

test("how it is tested counts no more than there is, and names files that there are", async () => {
  const page = await read("docs/testing.md");
  const files = async (folder, end) =>
    (await readdir(path.join(root, folder), { recursive: true })).filter(
      (name) => name.endsWith(end) && !name.includes("node_modules"),
    );
  const stories = async (folder) => {
    const texts = await Promise.all((await files(folder, ".test.mjs")).map((name) => read(path.join(folder, name))));
    return texts.join("\n").match(/^ *(?:sqliteT|t)est\(/gm).length;
  };
  const rows = [
    [/over ([\d,]+) programs/, (await files("tests/unit", "_test.c")).length],
    [/^\| stories .* over ([\d,]+) stories/m, await stories("tests/api")],
    [/^\| pages .* over ([\d,]+) stories/m, await stories("tests/web")],
    [/over ([\d,]+) targets/, (await files("tests/fuzz", "_fuzz.c")).length],
    [/over ([\d,]+) inputs kept/, (await files("tests/fixtures/fuzz", "")).length],
  ];
  for (const [told, count] of rows) {
    const least = Number(told.exec(page)[1].replace(",", ""));
    assert.ok(count >= least, `${told}: the page says over ${least}, there are ${count}`);
  }
  const known = new Set([...(await files("tests/api", ".test.mjs")), ...(await files("scripts", ""))]);
  for (const [, name] of page.matchAll(/`(?:scripts\/)?([\w-]+\.test\.mjs|test-\w+)/g))
    assert.ok(known.has(name), `the page names ${name}, which is not there`);
});
