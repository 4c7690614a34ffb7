/*
 * Small agents of made-up documents, in several languages, against the real server:
 *
 *   node bench/small_agents.mjs [--show]
 *
 * Each agent of small_agents.json is asked what its documents tell, in other words than theirs, and near
 * misses: a length, a colour, a discount or a sibling that they do not tell. Printed are the shares of the
 * former whose answer holds the phrase, or the closest passages do, and of the latter that are answered.
 * --show prints each answer that is not as it should be. The encoder is used where there is one.
 */
import fs from "node:fs";
import path from "node:path";
import { root, Service } from "../tests/api/lib/service.mjs";

const READ_MS = 60_000;
const show = process.argv.includes("--show");
const agents = JSON.parse(fs.readFileSync(path.join(root, "bench/small_agents.json"), "utf8"));
const encoder = path.join(root, "share/docent/encoder.kbe");

async function ask(agent, question) {
  const reply = await agent.ask(question),
    answered = Boolean(reply.citations?.length);
  return { answered, text: reply.llm_response, closest: (reply.closest_passages ?? []).map(({ excerpt }) => excerpt) };
}

function report(row, said) {
  if (show)
    console.log(
      `${said}: ${row.question}\n  ${(row.answered ? row.text : row.closest.join("\n--\n")).replaceAll("\n", "\n  ")}`,
    );
}

const squeezed = (text) => text.replace(/\s+/g, "").toLowerCase();
const kb = new Service({ env: fs.existsSync(encoder) ? { DOCENT_ENCODER: encoder } : {} }),
  lines = [];
await kb.begin();
try {
  for (const { lang, documents, own, near } of agents) {
    const agent = await kb.agent({ files: documents }),
      line = {
        lang,
        documents: Object.keys(documents).length,
        own: own.length,
        right: 0,
        shown: 0,
        near: near.length,
        asserted: 0,
      };
    if (fs.existsSync(encoder)) await agent.encoded(READ_MS);
    for (const { question, phrase } of own) {
      const row = { question, ...(await ask(agent, question)) },
        holds = (text) => squeezed(text).includes(squeezed(phrase)),
        right = row.answered && holds(row.text);
      line.right += right;
      line.shown += right || row.closest.some(holds);
      if (!right) report(row, row.answered ? "wrong" : row.closest.length ? "closest" : "nothing");
    }
    for (const question of near) {
      const row = { question, ...(await ask(agent, question)) };
      line.asserted += row.answered;
      if (row.answered) report(row, "near miss answered");
    }
    lines.push(line);
  }
} finally {
  await kb.end();
}
const sum = (field) => lines.reduce((all, line) => all + line[field], 0);
console.log(
  "| language | documents | own | right | in answer or closest | near misses | answered |\n|---|---|---|---|---|---|---|",
);
for (const { lang, documents, own, right, shown, near, asserted } of lines)
  console.log(`| ${[lang, documents, own, right, shown, near, asserted].join(" | ")} |`);
console.log(
  `| all | | ${sum("own")} | ${(sum("right") / sum("own")).toFixed(2)} | ${(sum("shown") / sum("own")).toFixed(2)} | ` +
    `${sum("near")} | ${(sum("asserted") / sum("near")).toFixed(2)} |`,
);
