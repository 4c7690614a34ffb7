// The words of visitors: each language of the owner's built-in texts has them all, with the same holes.
import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import test from "node:test";

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
