// Whether a processor without AVX finds the same: natural questions are asked of one data directory by this
// processor, then by the same binary on an emulated one of 2008 (qemu-x86_64, Debian's qemu-user).
//
//   bench/run old_processor         or: node bench/old_processor.mjs [FOLDER]
//
// FOLDER holds `corpora.tar.xz` and `questions.jsonl`; by default those of the evaluation data beside the
// checkout. Printed: of how many questions the first ten are the same, in the same order and with the same
// scores. Ends with 1 where fewer than 95 of 100 are.
import { execFileSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { form } from "../tests/api/lib/http.mjs";
import { Service, binary } from "../tests/api/lib/service.mjs";

const CORPORA = ["iotawatt", "login-gov", "hexo-zh", "etalab-fr", "evcc-de"],
  BATCH = 50,
  WAIT_MS = 1_200_000,
  TEN = 10,
  WANTED = 0.95;
const folder = process.argv[2] ?? new URL("../../shared/data/natural", import.meta.url).pathname,
  qemu = "/usr/bin/qemu-x86_64",
  env = { DOCENT_ENCODER: path.resolve("share/docent/encoder.kbe") };

for (const needed of [qemu, folder])
  if (!fs.existsSync(needed)) {
    console.log(`skipped: ${needed} is missing`);
    process.exit(0);
  }

const place = fs.mkdtempSync(path.join(os.tmpdir(), "docent-old-processor-")),
  data = path.join(place, "data"),
  old = path.join(place, "docent");
fs.mkdirSync(data);
fs.writeFileSync(old, `#!/bin/sh\nexec ${qemu} -cpu Nehalem ${binary} "$@"\n`, { mode: 0o755 });
execFileSync("tar", ["-C", place, "-xf", path.join(folder, "corpora.tar.xz")]);

const questions = fs
  .readFileSync(path.join(folder, "questions.jsonl"), "utf8")
  .trim()
  .split("\n")
  .map((line) => JSON.parse(line))
  .filter(({ corpus }) => CORPORA.includes(corpus));

async function upload(kb, corpus) {
  const dir = path.join(place, corpus),
    files = fs
      .readdirSync(dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => path.join(entry.parentPath ?? entry.path, entry.name))
      .sort();
  let agent;
  for (let i = 0; i < files.length; i += BATCH) {
    const some = Object.fromEntries(
      files
        .slice(i, i + BATCH)
        .map((file) => [path.relative(dir, file).replaceAll(path.sep, "-"), fs.readFileSync(file)]),
    );
    if (agent) await agent.expect(200, "POST", "", { form: form({}, some) });
    else agent = await kb.agent({ files: some });
  }
  await agent.settled(WAIT_MS);
  await agent.encoded(WAIT_MS);
  return agent;
}

/** The first ten of each question: address of the passage, and score. */
async function ask(agents) {
  const found = [];
  for (const { corpus, question } of questions) {
    const { passages } = await agents.get(corpus).expect(200, "POST", "/search", { json: { query: question } });
    // Addresses have the port of the server.
    found.push(passages.slice(0, TEN).map((passage) => JSON.stringify(passage).replace(/127\.0\.0\.1:\d+/g, "here")));
  }
  return found;
}

const kb = new Service({ dir: data, env });
await kb.begin();
const agents = new Map();
for (const corpus of CORPORA) agents.set(corpus, await upload(kb, corpus));
const here = await ask(agents);
kb.program = old;
await kb.restart();
const there = await ask(agents);
await kb.end();
fs.rmSync(place, { recursive: true });

let same = 0;
here.forEach((results, i) => {
  const k = results.findIndex((passage, rank) => passage !== there[i][rank]);
  if (k < 0) same++;
  else console.log(`${questions[i].id} differs from place ${k + 1} on: ${results[k]} ${there[i][k]}`);
});
console.log(`${same} of ${here.length} questions: the same first ten, with the same scores`);
process.exit(same / here.length < WANTED ? 1 : 0);
