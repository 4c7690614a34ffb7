// The libraries in web/vendor are those of its list, byte by byte, each with its licence.
import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import test from "node:test";
import { fileURLToPath } from "node:url";

const vendor = fileURLToPath(new URL("../../web/vendor", import.meta.url));

test("what is vendored is what the list names", async () => {
  const list = JSON.parse(await readFile(path.join(vendor, "vendor.json"), "utf8"));
  const listed = new Map();
  for (const { name, version, licence, integrity, files } of list) {
    assert.ok(["MIT", "OFL-1.1"].includes(licence), `${name} is under ${licence}`);
    assert.match(version, /^\d+\.\d+\.\d+$/);
    assert.match(integrity, /^sha512-[A-Za-z0-9+/]{86}==$/);
    assert.ok(
      files.some((file) => file.to.endsWith("/LICENSE")),
      `${name} comes without its licence`,
    );
    for (const file of files) listed.set(file.to, file.sha256);
  }
  const there = (await readdir(vendor, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name !== "vendor.json")
    .map((entry) => path.relative(vendor, path.join(entry.parentPath ?? entry.path, entry.name)));
  assert.deepEqual(there.sort(), [...listed.keys()].sort());
  for (const [name, sha256] of listed)
    assert.equal(
      createHash("sha256")
        .update(await readFile(path.join(vendor, name)))
        .digest("hex"),
      sha256,
      name,
    );
});
