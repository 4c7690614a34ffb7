#!/usr/bin/env node
// Makes the data directory of a release, with a bit of everything, as a fixture that every later program
// has to read (tests/api/releases.test.mjs): scripts/data-fixture.mjs PROGRAM VERSION
import { execFileSync } from "node:child_process";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { Service, root } from "../tests/api/lib/service.mjs";

const [program, version] = process.argv.slice(2);
if (!version) {
  console.error("usage: scripts/data-fixture.mjs PROGRAM VERSION");
  process.exit(2);
}
const dir = await mkdtemp(path.join(tmpdir(), "docent-fixture-"));
const kb = new Service({ program: path.resolve(program), dir: path.join(dir, "data"), key: false });
await kb.begin();
const key = execFileSync(program, ["key", "create", "--data", kb.dir], { encoding: "utf8" }).trim();
kb.key = key;
const agent = await kb.agent({
  files: {
    "kettle.txt": "The warranty of the kettle lasts 27 months.\n",
    "returns.md": "# Returns\n\nGoods may be returned within 30 days.\n",
    "gone.txt": "The toaster is no longer sold.\n",
  },
});
await agent.expect(200, "DELETE", `/pages/${(await agent.page("gone.txt")).id}`);
await agent.expect(200, "POST", "/settings", { json: { no_answer_message: "Nobody knows – noch nicht." } });
await agent.expect(201, "POST", "/labels", { json: { name: "Ärzte" } });
await agent.ask("How long does the warranty of the kettle last?", { session: "first" });
await agent.ask("Who painted the ceiling of the hall?", { session: "first" });
const second = await kb.agent({ files: { "hours.txt": "The shop opens at nine.\n" } });
await kb.stop();
await writeFile(path.join(dir, "facts.json"), JSON.stringify({ key, agent: agent.record, second: second.record }));
await rm(path.join(kb.dir, "tmp"), { recursive: true, force: true });
const to = path.join(root, "tests/fixtures/data");
await mkdir(to, { recursive: true });
execFileSync(
  "tar",
  ["--sort=name", "--owner=0", "--group=0", "--numeric-owner", "-czf", `${to}/${version}.tar.gz`, "data", "facts.json"],
  { cwd: dir },
);
await rm(dir, { recursive: true });
