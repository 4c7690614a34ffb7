// Small words that stories share.
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";
import { patient } from "./patience.mjs";

export const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Asks again until `probe` gives something truthy, and gives that; fails after `ms`, of an idle machine. */
export async function until(what, probe, ms = 20_000, pause = 10) {
  const begun = Date.now();
  for (;;) {
    // What is asked once more behind the end was not looked at for long: whoever looks was kept waiting, too.
    const isOver = Date.now() - begun > ms && Date.now() - begun > patient(ms);
    const got = await probe();
    if (got) return got;
    if (isOver) throw new Error(`waited ${Date.now() - begun} ms for ${what}`);
    await sleep(pause);
  }
}

/** A repeatable source of numbers in [0, 1): mulberry32. */
export function seeded(seed) {
  let a = seed >>> 0;
  const next = () => {
    a = (a + 0x6d2b79f5) >>> 0;
    let x = Math.imul(a ^ (a >>> 15), a | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return ((x ^ (x >>> 14)) >>> 0) / 4294967296;
  };
  next.int = (n) => Math.floor(next() * n);
  next.pick = (list) => list[next.int(list.length)];
  return next;
}

/** A word that stands nowhere else, from a number: "zorbaqel", … */
export function unique(n) {
  const onsets = ["b", "d", "f", "g", "k", "l", "m", "n", "p", "r", "t", "v", "z", "qu", "dr", "st"];
  const rhymes = ["ax", "el", "im", "or", "un", "yx", "ov", "ek", "ar", "il", "ub", "oz", "en", "ip", "uk", "az"];
  let word = "";
  let rest = n + 1;
  for (let i = 0; i < 5; i++) {
    word += onsets[rest % 16];
    rest = Math.floor(rest / 16);
    word += rhymes[(rest + i * 7) % 16];
    rest = Math.floor(rest / 3) + i;
  }
  return `${word}${n}`;
}

/** n words of filler text. */
export const words = (n, word = "lorem") => Array(n).fill(word).join(" ");

/** A folder of its own, gone after the story. A server of the story may still write in it, for it ends after what was
 * there before it: then it is tried again. */
export async function folder(t) {
  const dir = await mkdtemp(path.join(tmpdir(), "docent-story-"));
  t.after(() => rm(dir, { recursive: true, force: true, maxRetries: 20 }));
  return dir;
}

/** A file with the text, gone after the story. */
export async function fileOf(t, text) {
  const file = path.join(await folder(t), "file");
  await writeFile(file, text);
  return file;
}

/** A port of 127.0.0.1 that nobody listens on right now. */
export async function freePort() {
  const server = net.createServer();
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address();
  await new Promise((resolve) => server.close(resolve));
  return port;
}
