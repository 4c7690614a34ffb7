/*
 * How many scanned pages are read in a minute of one core, and how many letters are wrong:
 *
 *   make bench B=ocr          or: node bench/ocr.mjs [PAGES] [ROUNDS]
 *
 * PAGES (16) pages of English text are printed at 200 dpi and put into a PDF as pictures, as a scanner
 * does. `docent parse --ocr` reads that, in its sandbox and with all that belongs to it: the layout,
 * the language, the places of words. Beside it stands what one would type: `pdftoppm -r 300` and
 * `tesseract`, with one thread each, a page a core at a time like ours; and the same told to find out how a
 * page lies (`--psm 1`), which ours always does. They take turns, ROUNDS (3) times.
 *
 * Time is that of processors (user and system, of all processes), so other work on the machine hardly
 * counts; wall time is printed beside it.
 */
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { errorRate, mixedPdf, scanned, setLines } from "../tests/api/lib/print.mjs";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "..");
const program = process.env.DOCENT_BINARY ?? path.join(root, "build/docent");
const words = `the harbour office of a town keeps moorings in its inner basin and whoever comes late finds a letter
box at the door where they may leave their name with a note about how long their boat is to stay until winter when
ice covers water for some weeks and everything that can float has been moved to an eastern shed`.split(/\s+/);
const pages = Number(process.argv[2] ?? 16),
  rounds = Number(process.argv[3] ?? 3),
  cores = os.availableParallelism();

/** Some 300 words in sentences; the same number is the same page. */
function text(page) {
  let seed = page * 7919 + 1;
  const next = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
  const sentence = () => {
    const said = Array.from({ length: 8 + next(10) }, () => words[next(words.length)]).join(" ");
    return `${said[0].toUpperCase()}${said.slice(1)}, ${next(1000)} of ${next(90) + 10}.`;
  };
  return Array.from({ length: 22 }, sentence).join(" ");
}

/** The processors' seconds of all children that have ended and been waited for, theirs too. */
function childSeconds() {
  const fields = fs.readFileSync("/proc/self/stat", "utf8").split(") ")[1].split(" ");
  return (Number(fields[13]) + Number(fields[14])) / 100;
}

function run(command, args) {
  const child = spawn(command, args, {
    stdio: ["ignore", "pipe", "ignore"],
    env: { ...process.env, OMP_THREAD_LIMIT: "1" },
  });
  const pieces = [];
  child.stdout.on("data", (piece) => pieces.push(piece));
  return new Promise((resolve, reject) =>
    child.once("error", reject).once("close", (code) => {
      if (code) reject(new Error(`${command} ends with ${code}`));
      else resolve(Buffer.concat(pieces));
    }),
  );
}

async function docent(file) {
  const parsed = JSON.parse(await run(program, ["parse", "--ocr", file]));
  return parsed.blocks.map((block) => block.text).join("\n");
}

async function byHand(file, dir, options) {
  const texts = [];
  const queue = Array.from({ length: pages }, (_, i) => i + 1);
  const reader = async () => {
    for (let page = queue.shift(); page; page = queue.shift()) {
      const picture = path.join(dir, `page-${page}`);
      await run("pdftoppm", ["-r", "300", "-gray", "-f", page, "-l", page, "-singlefile", file, picture].map(String));
      texts[page] = String(
        await run("tesseract", [`${picture}.pgm`, "stdout", "-l", "eng", "--dpi", "300", ...options]),
      );
    }
  };
  await Promise.all(Array.from({ length: cores }, reader));
  return texts.join("\n");
}

const dir = fs.mkdtempSync(path.join(os.tmpdir(), "bench-ocr-"));
try {
  const file = path.join(dir, "scan.pdf");
  const lines = Array.from({ length: pages }, (_, i) => setLines(text(i)));
  fs.writeFileSync(file, mixedPdf(lines.map((of) => scanned(of))));
  const wanted = lines.flat().join(" ");
  const readers = [
    { name: "docent parse --ocr", read: docent },
    { name: "pdftoppm and tesseract", read: (at) => byHand(at, dir, []) },
    { name: "the same with --psm 1", read: (at) => byHand(at, dir, ["--psm", "1"]) },
  ];
  for (const reader of readers) Object.assign(reader, { rates: [], walls: [] });
  for (let round = 0; round < rounds; round++)
    for (const reader of readers) {
      const before = childSeconds(),
        started = process.hrtime.bigint();
      const got = await reader.read(file);
      reader.rates.push(pages / ((childSeconds() - before) / 60));
      reader.walls.push(pages / (Number(process.hrtime.bigint() - started) / 60e9));
      reader.wrong = errorRate(wanted, got);
    }
  const median = (list) => list.sort((a, b) => a - b)[Math.floor(list.length / 2)];
  console.log(`${pages} pages at 200 dpi, ${cores} cores, ${rounds} rounds in turn (medians)`);
  for (const { name, rates, walls, wrong } of readers)
    console.log(
      `  ${name.padEnd(24)}${median(rates).toFixed(1).padStart(7)} pages a minute and core, ${median(walls).toFixed(1)} a minute here, ${(100 * wrong).toFixed(2)} % of the letters wrong`,
    );
  for (const peer of readers.slice(1))
    console.log(`  ratio to ${peer.name}: ${(median(readers[0].rates) / median(peer.rates)).toFixed(2)}`);
} finally {
  fs.rmSync(dir, { recursive: true });
}
