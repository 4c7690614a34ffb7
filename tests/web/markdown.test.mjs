// Markdown that comes in pieces: what is read on from the last blocks is what is read from the beginning.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import test from "node:test";
import { fileURLToPath } from "node:url";

const skip = !existsSync("/usr/bin/esbuild") && "esbuild is not installed";
const file = fileURLToPath(new URL("../../web/lib/markdown.ts", import.meta.url));

/** Blocks that take in, end or change what stands before them. */
const parts = [
  "A line of words,\nand its second.",
  "A title\n===",
  "## Two",
  "- one\n- two",
  "- loose\n\n- looser\n\n  within",
  "1. first\n2. second\n   - deep",
  "> quoted\nand lazily so",
  "    code by its place",
  "```js\nlet a = 1;\n\n# none\n```",
  "```\nnever ended",
  "| a | b |\n| - | - |\n| 1 | 2 |",
  "---",
  "[1]: https://evil.example",
  "<div>\n\nhtml </div>",
  "text\r\nwith other ends",
  "*open **strong*",
];

test("a text that grows is read as it would be at once", { skip }, async () => {
  const script = execFileSync("/usr/bin/esbuild", ["--bundle", "--format=esm", file], { encoding: "utf8" });
  const { parse } = await import(`data:text/javascript,${encodeURIComponent(script)}`);
  let settled = 0;
  for (const first of parts)
    for (const second of parts)
      for (const gap of ["\n", "\n\n"]) {
        const text = [first, second, first, "Last words."].join(gap);
        let before = null;
        for (let n = 1; n <= text.length; n += 3) {
          before = parse(text.slice(0, n), before);
          assert.deepEqual(before.nodes, parse(text.slice(0, n)).nodes, JSON.stringify(text.slice(0, n)));
        }
        settled += before.settled.nodes;
      }
  assert.ok(settled > 500, "much of it is not read again");
  const other = parse("Something else.", parse("One.\n\nTwo.\n\nThree.\n\nFour."));
  assert.deepEqual(other, parse("Something else."));
});
