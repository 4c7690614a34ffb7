// Backups and restores that are killed, again and again: scripts/test-kills [KILLS] [SECONDS] [SEED]
//
// A service is asked, given documents and relieved of them. Meanwhile backups of it are made, to two places, one of
// them encrypted, and the backup or the service is killed (SIGKILL) at a moment by chance. Whatever backup has a
// record afterwards was called complete: it is verified, and it is restored into an empty directory, which is killed
// as well, until it has come to its end; then `docent check` looks at all of it, and it is asked. The last line is
//
//   987 kills (412 of backups, 160 of the service, 415 of restores): 214 backups complete, 214 verified, 214 restored
//
// Ends with 1 as soon as one of them is not. Prints its seed first; what happened after it depends on the machine too.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { form } from "../tests/api/lib/http.mjs";
import { runRows } from "../tests/api/lib/rows.mjs";
import { binary, docent, Service } from "../tests/api/lib/service.mjs";
import { seeded, sleep, unique } from "../tests/api/lib/util.mjs";

const KILLS = Number(process.argv[2] ?? 1000);
const SECONDS = Number(process.argv[3] ?? 600);
const SEED = Number(process.argv[4] ?? Date.now() % 1e6);
const DOCUMENTS = 40;

const random = seeded(SEED);
const base = await mkdtemp(path.join(tmpdir(), "docent-kills-"));
const kills = { backups: 0, service: 0, restores: 0 };
const count = { complete: 0, verified: 0, restored: 0, removed: 0 };
const end = Date.now() + SECONDS * 1000;
const all = () => kills.backups + kills.service + kills.restores;
const isOver = () => all() >= KILLS || Date.now() > end;

class Failure extends Error {}

async function done(args, env) {
  const { code, stdout, stderr } = await docent(args, { env });
  if (code !== 0) throw new Failure(`docent ${args.join(" ")} ended with ${code}:\n${stdout}${stderr}`);
  return stdout;
}

/** Runs a command; what is to be killed is, `after` so many milliseconds, if the command has not come to its end by
 * then. Gives the command's code or signal, and whether the kill came in time. */
async function cut(args, env, after, kill) {
  const child = spawn(binary, args, { env: { PATH: process.env.PATH, ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let text = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (piece) => (text += piece));
  const ended = new Promise((resolve) => child.on("close", (code, signal) => resolve(code ?? signal)));
  const inTime = await Promise.race([ended.then(() => false), sleep(after).then(() => true)]);
  if (inTime) await (kill ? kill() : child.kill("SIGKILL"));
  return { how: await ended, inTime, text };
}

/** How long such a command takes when nothing happens to it: a moment by chance is within that, and a bit behind. */
class Moments {
  ms = 300;
  took(ms) {
    this.ms = this.ms * 0.8 + ms * 0.2;
  }
  next() {
    return random() * this.ms * 1.1;
  }
}
const moments = { backup: new Moments(), restore: new Moments() };

const kb = new Service({ dir: path.join(base, "data") });
await kb.begin();
const agent = await kb.agent({
  files: Object.fromEntries(
    Array.from({ length: DOCUMENTS }, (_, i) => [
      `f${i}.txt`,
      `The word of room ${unique(i)} is ${unique(100 + i)}.\n`,
    ]),
  ),
});
const at = ["--data", kb.dir];
const key = path.join(base, "key");
await done(["backup", "key", key]);
const places = [
  { at: path.join(base, "plain"), env: {}, seen: new Set() },
  { at: path.join(base, "encrypted"), env: { DOCENT_BACKUP_KEY_FILE: key }, seen: new Set() },
];

/** Somebody at work: documents come and go, and questions are asked, whatever is killed meanwhile. */
let working = true;
async function work() {
  for (let n = 0; working; n++) {
    await sleep(20);
    if (!kb.child || !kb.url) continue;
    try {
      await agent.ask(`What is the word of room ${unique(n % DOCUMENTS)}?`, { session: randomUUID() });
      if (n % 3 === 0)
        await agent.expect(200, "POST", "", {
          form: form({}, { [`n${n}.txt`]: `Number ${n} is ${unique(5000 + n)}.\n` }),
        });
      if (n % 9 === 8) {
        const pages = (await agent.expect(200, "GET", "/pages", { query: { limit: 100 } })).pages.data;
        const one = pages.find(({ filename }) => /^n\d/.test(filename));
        if (one) await agent.expect(200, "DELETE", `/pages/${one.id}`);
        count.removed += one ? 1 : 0;
      }
    } catch {
      await sleep(50); // it was killed
    }
  }
}
const worker = work();

/** The turn of a backup that was killed ends by itself after ten seconds; nobody waits for it here. */
async function endTurn() {
  if (!(await runRows(kb.dir, "PRAGMA busy_timeout = 5000; UPDATE backups SET lease_until = 0"))) await sleep(12_000);
}

async function backUp(place) {
  const hitsService = random() < 0.3;
  const began = Date.now();
  const { how, inTime, text } = await cut(
    ["backup", place.at, ...at],
    place.env,
    moments.backup.next(),
    hitsService ? () => kb.kill9() : null,
  );
  if (hitsService && inTime) {
    kills.service++;
    await kb.spawn();
  } else if (how === "SIGKILL") kills.backups++;
  if (how === 0 && !inTime) moments.backup.took(Date.now() - began);
  if (how !== 0 && how !== "SIGKILL") throw new Failure(`docent backup ended with ${how}:\n${text}`);
  if (how !== 0) await endTurn();
}

async function restore(place, id) {
  const to = path.join(base, "restored");
  const args = ["restore", place.at, "--data", to, "--at", id];
  for (let tries = 0; ; tries++) {
    const began = Date.now();
    const calm = tries > 3 || isOver();
    const { how, text } = await cut(args, place.env, calm ? 600_000 : moments.restore.next());
    // All was there, and the kill came before the run could say so.
    if (how === 0 || (tries && / is not empty: /.test(text))) {
      if (!tries) moments.restore.took(Date.now() - began);
      break;
    }
    if (how !== "SIGKILL") throw new Failure(`docent restore of ${id} ended with ${how}:\n${text}`);
    kills.restores++;
  }
  await done(["check", "--data", to]);
  count.restored++;
  await rm(to, { recursive: true });
}

/** Backups that have a record were called complete. */
async function lookAtNew(place) {
  const listed = (await done(["backup", "list", place.at], place.env)).trim().split("\n").filter(Boolean);
  for (const line of listed) {
    const id = line.split(" ")[0];
    if (place.seen.has(id)) continue;
    place.seen.add(id);
    count.complete++;
    if (!/ blobs$/.test(line)) throw new Failure(`a backup is not whole: ${line}`);
    const said = await done(["backup", "verify", place.at, "--at", id], place.env);
    if (!/ of them asked\nit comes back\n$/.test(said)) throw new Failure(said);
    count.verified++;
    await restore(place, id);
  }
}

const told = () =>
  `${all()} kills (${kills.backups} of backups, ${kills.service} of the service, ${kills.restores} of restores): ` +
  `${count.complete} backups complete, ${count.verified} verified, ${count.restored} restored`;

console.log(`seed ${SEED}`);
let code = 0;
try {
  for (const place of places) await done(["backup", place.at, ...at], place.env);
  for (let round = 1; !isOver(); round++) {
    const place = places[round % places.length];
    await backUp(place);
    await lookAtNew(place);
    if (round % 50 === 0) console.log(told());
  }
  if (!count.removed) throw new Failure("nobody was at work meanwhile");
} catch (error) {
  code = 1;
  console.log(error instanceof Failure ? error.message : error);
}
working = false;
await worker;
await kb.stop();
if (code) console.log(`what is there stays in ${base}`);
else await rm(base, { recursive: true, force: true });
console.log(told());
process.exit(code);
