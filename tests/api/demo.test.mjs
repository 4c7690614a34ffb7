// A newcomer's first questions, asked of Docent's own documents as `make run` loads them.
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { assert, start, test } from "./lib/harness.mjs";
import { root } from "./lib/service.mjs";

const files = ["README.md", "CHANGELOG.md"].concat(
  readdirSync(path.join(root, "docs"))
    .filter((name) => name.endsWith(".md"))
    .map((name) => `docs/${name}`),
);

// What an answer must say, and the document that it must be taken from.
const questions = [
  ["How do I back up Docent?", /docent backup /, "backup.md"],
  ["How do I set up TLS?", /--tls-cert/, "operating.md"],
  ["How can I restrict who sees a document?", /labels/, "interface.md"],
  ["Which file formats can it read?", /PDF, Word, Excel/, "parsing.md"],
  ["How do I connect a model server?", /name its address|DOCENT_MODEL_URL|--model-url/, "models.md"],
  ["How do I upgrade to a new version?", /put the new binary/, "operating.md"],
  ["Can several users work with it?", /Several people can work/, "operating.md"],
  ["How do I delete everything?", /remove the data directory/, "operating.md"],
  ["How do I change the port?", /--listen/, "operating.md"],
  ["How much memory does it need?", /80 MB of memory/, "questions.md"],
  ["How do I get rid of an agent?", /delete it/, "operating.md"],
  ["How do I install it?", /`?make run`? in the source tree/, "questions.md"],
  ["How do I get vectors of texts for another program?", /\/api\/v1\/embeddings/, "questions.md"],
  ["How do I limit who sees a document?", /label/, "questions.md"],
  ["Can I put it on my website?", /paste the line/, "questions.md"],
  ["Does it run on Windows?", /runs on Linux/, "questions.md"],
  ["What does it cost?", /Docent costs nothing/, "questions.md"],
  ["I lost my key, what now?", /Make a new one/, "questions.md"],
  ["How often does it re-read my website?", /As often as you say/, "questions.md"],
  ["How do I see which questions were not answered?", /lists the questions without an answer/, "questions.md"],
  ["Does it send my data anywhere?", /sends nothing home/, "questions.md"],
  ["How do I use it with Claude or another agent?", /Model Context Protocol/, "questions.md"],
  ["Can it read YouTube videos?", /yt-dlp/, "questions.md"],
  ["Can it read scanned PDFs?", /tesseract/, "questions.md"],
  ["How big can an upload be?", /100 MB/, "questions.md"],
  ["How do I move from SQLite to Postgres?", /docent move/, "questions.md"],
  ["Why does it say it does not know?", /nothing in its documents answers/, "questions.md"],
];

test("a newcomer's first questions are answered from the right document", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: Object.fromEntries(files.map((name) => [path.basename(name), readFileSync(path.join(root, name))])),
  });
  for (const [question, said, source] of questions)
    await t.test(question, async () => {
      const message = await agent.ask(question);
      assert.match(message.llm_response, said);
      assert.ok((await agent.sources(message)).includes(source), `cites ${source}`);
      assert.ok(message.llm_response.length < 2500, "is no whole page");
    });
});
