/*
 * What many small agents cost, against the real server:
 *
 *   make bench B=many_agents         or: node bench/many_agents.mjs [AGENTS]
 *
 * Makes AGENTS agents (5,000) of one document each. Then the server is started anew and every agent
 * is asked twice, in an order of no locality: once with the usual limit of open agents, when most
 * questions find their agent closed, and once with room for all, when the second finds it open.
 * Prints how long questions take, what is open, memory, maps and descriptors. Time is the wall's.
 */
import fs from "node:fs";
import { form, multipart, request } from "../tests/api/lib/http.mjs";
import { Service } from "../tests/api/lib/service.mjs";

const agents = Number(process.argv[2] ?? 5000);
const TOGETHER = 8,
  STEP = 7919; // a prime: the order of no locality
const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const headersOf = (kb) => ({ accept: "application/json", authorization: `Bearer ${kb.key}` });

async function send(kb, method, where, body, type) {
  const reply = await request(`${kb.url}/api/v1${where}`, {
    method,
    body,
    headers: type ? { ...headersOf(kb), "content-type": type } : headersOf(kb),
  });
  if (reply.status >= 300) throw new Error(`${where} answered ${reply.status}: ${reply.text.slice(0, 300)}`);
  return JSON.parse(reply.text).data;
}

async function metrics(kb) {
  const { text } = await request(`${kb.url}/metrics`, { headers: headersOf(kb) });
  return Object.fromEntries(
    [...text.matchAll(/^(docent_\w+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]),
  );
}

function print(name, times) {
  times.sort((a, b) => a - b);
  const at = (share) => times[Math.floor(times.length * share)].toFixed(2);
  console.log(`| ${name} | ${at(0.5)} | ${at(0.95)} | ${at(0.99)} |`);
}

async function ask(kb, ids, name) {
  const times = [];
  for (let i = 0; i < ids.length; i++) {
    const n = (i * STEP) % ids.length;
    const start = performance.now();
    const data = await send(
      kb,
      "POST",
      `/projects/${ids[n]}/search`,
      JSON.stringify({ query: `Where is warehouse ${n}?` }),
      "application/json",
    );
    times.push(performance.now() - start);
    if (!JSON.stringify(data).includes(`Warehouse ${n} `)) throw new Error(`agent ${n} does not find its document`);
  }
  print(name, times);
}

async function state(kb) {
  const m = await metrics(kb),
    of = (file) => fs.readFileSync(`/proc/${kb.child.pid}/${file}`, "utf8");
  console.log(
    `\n${m.docent_open_agents} agents open: ${(m.docent_open_agent_heap_bytes / 1e6).toFixed(1)} MB for them by the server's count, ` +
      `${(m.docent_open_agent_mapped_bytes / 1e6).toFixed(0)} MB mapped; the process has ${(Number(/^Anonymous: +(\d+)/m.exec(of("smaps_rollup"))[1]) / 1024).toFixed(0)} MB of its own, ` +
      `${of("maps").trim().split("\n").length} maps, ${fs.readdirSync(`/proc/${kb.child.pid}/fd`).length} descriptors`,
  );
}

const kb = new Service();
await kb.begin();
try {
  const ids = [],
    start = performance.now();
  let next = 0;
  await Promise.all(
    Array.from({ length: TOGETHER }, async () => {
      while (next < agents) {
        const n = next++;
        const { body, type } = multipart(
          form(
            { project_name: `Agent ${n}` },
            { "a.txt": `Warehouse ${n} stands at the harbour of town ${n}. It holds ${n % 90} crates of tea.` },
          ),
        );
        ids[n] = (await send(kb, "POST", "/projects", body, type)).id;
      }
    }),
  );
  while ((await metrics(kb)).docent_queued_documents) await sleep(200);
  console.log(`${agents} agents of one document made in ${((performance.now() - start) / 1000).toFixed(0)} s`);
  for (const [name, args] of [
    ["the usual limit", []],
    ["room for all", ["--open-agents", String(agents)]],
  ]) {
    kb.args = args;
    await kb.restart();
    console.log(`\n| with ${name}, ms | p50 | p95 | p99 |\n| --- | --- | --- | --- |`);
    await ask(kb, ids, "first question to each agent");
    await ask(kb, ids, "second");
    await state(kb);
  }
} finally {
  await kb.end();
}
