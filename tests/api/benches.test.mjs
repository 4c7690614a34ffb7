// Benches are run by hand, now and then: what they import is there all the same. Libraries of peers are not
// looked at: whoever compares with them installs them.
import { execFileSync } from "node:child_process";
import { readdir, readFile, writeFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { assert, test } from "./lib/harness.mjs";
import { root } from "./lib/service.mjs";
import { folder } from "./lib/util.mjs";

const IMPORT = /^import\s+(?:(\w+)\s*,?\s*)?(?:\{([^}]*)\}\s*)?from\s+"((?:\.|node:)[^"]+)";$/gm;

/** [[module, name]] of what a file imports by name. */
function imports(text) {
  return [...text.matchAll(IMPORT)].flatMap(([, whole, names, from]) => [
    ...(whole ? [[from, "default"]] : []),
    ...(names ?? "")
      .split(",")
      .map((name) => name.trim().split(/\s+as\s+/)[0])
      .filter(Boolean)
      .map((name) => [from, name]),
  ]);
}

test("every bench finds what it imports", async () => {
  const folder = path.join(root, "bench");
  const missing = [];
  const files = (await readdir(folder)).filter((name) => name.endsWith(".mjs"));
  assert.ok(files.length > 10);
  for (const file of files) {
    const text = await readFile(path.join(folder, file), "utf8");
    const found = imports(text);
    assert.equal(
      new Set(found.map(([from]) => from)).size,
      text.match(/^(?:import (?!\*).*|\} )from "(?:\.|node:)/gm)?.length ?? 0,
      file,
    );
    for (const [from, name] of found) {
      const at = from.startsWith(".") ? pathToFileURL(path.resolve(folder, from)) : from;
      const module = await import(at).catch((error) => ({ error }));
      if (!(name in module)) missing.push(`${file}: ${name} of ${from}`);
    }
  }
  assert.deepEqual(missing, []);
});

test("two revisions' runs of a bench are told as ratios, and what is beyond noise is marked", async (t) => {
  const dir = await folder(t);
  const table = (ms, rows, mb) => `adding to 100,000 rows, 2 cores\nrow 1  ${ms} ms  ${mb}MB\nall  ${rows} rows/s\n`;
  const runs = { old: [table("2.0", "1,000", 5), table("2.2", "1,100", 5)], new: [table("1.0", "1,050", 5)] };
  runs.new.push(table("1.1", "990", 5) + "what is new 7\n");
  for (const [which, texts] of Object.entries(runs))
    for (const [i, text] of texts.entries()) await writeFile(path.join(dir, `b.${which}.${i + 1}`), text);
  const say = (rounds) =>
    execFileSync(process.execPath, [path.join(root, "bench/ratios.mjs"), path.join(dir, "b"), rounds]).toString();
  assert.equal(say("2"), "adding to 100,000 rows, 2 cores\nrow 1  0.50! ms  5MB\nall   0.95 rows/s\n");
  // One round tells nothing of noise.
  assert.match(say("1"), /^row 1  0\.50 ms/m);
});
