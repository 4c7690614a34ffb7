// Benches are run by hand, now and then: what they import is there all the same. Libraries of peers are not
// looked at: whoever compares with them installs them.
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { assert, test } from "./lib/harness.mjs";
import { root } from "./lib/service.mjs";

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
