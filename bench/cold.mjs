/*
 * The first question to an agent whose index is not on the server's disk, and the next one: 100,000
 * passages, in a bucket of Ceph's gateway beside it.
 *
 *   make bench B=cold       or  DOCENT_BINARY=build-release/docent node bench/cold.mjs [PASSAGES]
 */
import { spawnSync } from "node:child_process";
import { createHmac, createHash } from "node:crypto";
import { rm } from "node:fs/promises";
import path from "node:path";
import { form } from "../tests/api/lib/http.mjs";
import { Service } from "../tests/api/lib/service.mjs";

if (!process.env.DOCENT_TEST_S3) {
  const beside = path.resolve(import.meta.dirname, "../scripts/with-s3");
  process.exit(spawnSync(beside, [process.execPath, ...process.argv.slice(1)], { stdio: "inherit" }).status);
}
const PASSAGES = Number(process.argv[2] ?? 100_000);
const ROUNDS = 9;
const PER_FILE = 1000;
const WORDS = 110; // a passage has up to 120

const { DOCENT_TEST_S3: url, DOCENT_TEST_S3_KEY_ID: id, DOCENT_TEST_S3_SECRET: secret } = process.env;
const made = spawnSync("curl", [
  "-sSf",
  "--user",
  `${id}:${secret}`,
  "--aws-sigv4",
  "aws:amz:us-east-1:s3",
  "-H",
  "x-amz-content-sha256: UNSIGNED-PAYLOAD",
  "-X",
  "PUT",
  `${url}/cold`,
]);
if (made.status !== 0) throw new Error(String(made.stderr));

// Words by Zipf's law, the same in each run.
let seed = 7;
const random = () => (seed = (seed * 1103515245 + 12345) % 2147483648) / 2147483648;
const word = () => {
  let n = Math.floor(60_000 ** random()) + 1,
    text = "";
  for (; n > 0; n = Math.floor(n / 16)) text += "bakedilomunapest"[n % 16] + "aeiou"[n % 5];
  return text;
};
const file = (i) => {
  const parts = [];
  for (let p = 0; p < PER_FILE; p++)
    parts.push(`Section ${i * PER_FILE + p}. ${Array.from({ length: WORDS }, word).join(" ")}.`);
  return parts.join("\n\n");
};

const kb = new Service({
  env: { DOCENT_BLOB: "s3://cold/bench", DOCENT_S3_ENDPOINT: url, DOCENT_S3_KEY_ID: id, DOCENT_S3_SECRET: secret },
});
await kb.begin();
const agent = await kb.agent({});
for (let i = 0; i < PASSAGES / PER_FILE; i++) {
  await agent.expect(200, "POST", "", { form: form({}, { [`part-${i}.txt`]: file(i) }) });
}
await agent.settled(600_000);
const figure = async (name) =>
  Number(new RegExp(`^docent_${name} (\\d+)$`, "m").exec((await kb.api("GET", "/metrics")).text)?.[1]);
// Merging and learning come to their end first: they would fetch, too.
for (let before = "", same = 0; same < 6; await new Promise((resolve) => setTimeout(resolve, 1000))) {
  const now = [
    await figure("segment_merges_total"),
    await figure("factors_learned_total"),
    await figure("segments_folded_total"),
  ].join();
  same = now === before ? same + 1 : 0;
  before = now;
}
const questions = Array.from({ length: ROUNDS }, () => Array.from({ length: 9 }, word).join(" ") + "?");
const timed = async (text) => {
  const begun = process.hrtime.bigint();
  await agent.ask(text);
  return Number(process.hrtime.bigint() - begun) / 1e6;
};
const cold = [],
  warm = [];
let fetched;
for (const question of questions) {
  await kb.stop();
  await rm(path.join(kb.dir, "cache"), { recursive: true });
  await kb.spawn();
  await kb.api("GET", "/projects");
  cold.push(await timed(question));
  fetched = [await figure("bucket_fetched_bytes_total"), await figure("cache_misses_total")];
  for (const other of questions) warm.push(await timed(other));
}
const at = (list, share) => list.sort((a, b) => a - b)[Math.floor(list.length * share)].toFixed(1);
console.log(`${PASSAGES} passages, ${(fetched[0] / 1e6).toFixed(0)} MB fetched in ${fetched[1]} blobs`);
console.log(
  `cold p50 ${at(cold, 0.5)} ms, most ${at(cold, 0.999)} ms; warm p50 ${at(warm, 0.5)} ms (${ROUNDS} starts)`,
);
await kb.end();
