// How long `docent serve` takes from its start to listening, and what memory it holds when idle:
// resident, and of that its own (anonymous; the rest is mapped files).
// The peer is a node:http server that does nothing.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROUNDS = 15;
const binary = process.env.DOCENT_BINARY ?? "build/docent";
const peer = `require("http").createServer((q, s) => s.end("x")).listen(0, "127.0.0.1", () => console.error("listening on"))`;

// Starts a command, waits for its line, lets it rest, reads its memory, stops it.
async function round(command, args) {
  const begun = process.hrtime.bigint();
  const child = spawn(command, args, { stdio: ["ignore", "ignore", "pipe"] });
  await new Promise((resolve, reject) => {
    child.stderr.on("data", (text) => String(text).includes("listening on") && resolve());
    child.on("exit", (code) => reject(new Error(`${command} ended with ${code}`)));
  });
  const ms = Number(process.hrtime.bigint() - begun) / 1e6;
  await new Promise((resolve) => setTimeout(resolve, 300));
  const status = readFileSync(`/proc/${child.pid}/status`, "utf8");
  const mb = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)[1]) / 1024;
  child.removeAllListeners("exit");
  child.kill("SIGTERM");
  await new Promise((resolve) => child.on("exit", resolve));
  return { ms, resident: mb("VmRSS"), own: mb("RssAnon") };
}

const median = (values) => values.sort((a, b) => a - b)[values.length >> 1];
const results = { docent: [], node: [] };
const dir = mkdtempSync(join(tmpdir(), "docent-start-"));
for (let i = 0; i < ROUNDS; i++) {
  results.docent.push(await round(binary, ["serve", "--data", dir, "--listen", "127.0.0.1:0"]));
  results.node.push(await round(process.execPath, ["-e", peer]));
}
rmSync(dir, { recursive: true });
console.log("server    start to listening, ms   idle, MB resident   of that anonymous   (medians)");
for (const [name, rounds] of Object.entries(results)) {
  const at = (what, width) =>
    median(rounds.map((round) => round[what]))
      .toFixed(1)
      .padStart(width);
  console.log(`${name.padEnd(8)} ${at("ms", 24)} ${at("resident", 19)} ${at("own", 19)}`);
}
