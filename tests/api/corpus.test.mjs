// Real documents and questions, from ../shared/data beside the project; without it these are skipped.
import { randomUUID } from "node:crypto";
import { existsSync, readFileSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import { assert, form, start, test } from "./lib/harness.mjs";
import { data, skip } from "./lib/evaluation.mjs";
import { seeded } from "./lib/util.mjs";
import { noAnswer } from "./lib/documents.mjs";

const options = { timeout: 300_000, skip };

const lines = (text) =>
  text
    .split("\n")
    .filter(Boolean)
    .map((line) => JSON.parse(line));
/** The records of a collection file, which may be packed. */
function records(file) {
  const bytes = readFileSync(path.join(data, existsSync(path.join(data, file)) ? file : `${file}.gz`));
  return lines((bytes[0] === 0x1f ? gunzipSync(bytes) : bytes).toString("utf8"));
}

/** Files in requests of at most `count` files and 40 MB, the way a batch is sent. */
async function uploadAll(agent, files, count = 50) {
  let batch = {},
    bytes = 0;
  const flush = async () => {
    if (Object.keys(batch).length) await agent.expect(200, "POST", "", { form: form({}, batch) });
    [batch, bytes] = [{}, 0];
  };
  for (const [name, content] of files) {
    if (Object.keys(batch).length === count || bytes + content.length > 40e6) await flush();
    batch[name] = content;
    bytes += content.length;
  }
  await flush();
}

/** Every document has ended: found, or failed with a reason that a person can read. */
function allEnded(pages, total) {
  assert.equal(pages.length, total);
  for (const page of pages) {
    assert.ok(["ok", "failed"].includes(page.index_status), `${page.filename} is ${page.index_status}`);
    if (page.index_status === "failed") assert.match(page.status_reason ?? "", /\w+ \w+/, `${page.filename} says why`);
  }
}

const plain = (text) => text.normalize("NFKC").replace(/\s+/g, " ").trim();

/**
 * What of an answer stands in no source: the answer is read from its start, and at each place the
 * longest run of words that a source holds is taken away.
 */
function unsupported(answer, sources) {
  const texts = sources.map(plain);
  const words = plain(answer).split(" ");
  const foreign = [];
  for (let i = 0; i < words.length;) {
    let end = i;
    for (const text of texts) {
      let n = i;
      while (n < words.length && text.includes(words.slice(i, n + 1).join(" "))) n++;
      end = Math.max(end, n);
    }
    // A run of under four words is no sentence of a source, unless it closes the answer.
    if (end - i < 4 && end < words.length) (foreign.push(words[i]), i++);
    else i = Math.max(end, i + 1);
  }
  return foreign;
}

test("all parser files end found or failed with a reason, none queued", options, async (t) => {
  const kb = await start(t, { args: ["--log", "warn"] });
  const manifest = lines(await readFile(path.join(data, "parse/manifest.jsonl"), "utf8"));
  const names = (await readdir(path.join(data, "parse/files"))).sort();
  assert.ok(names.length >= 220);
  const agent = await kb.agent();
  await uploadAll(
    agent,
    await Promise.all(names.map(async (name) => [name, await readFile(path.join(data, "parse/files", name))])),
  );
  // Members of archives and attachments of mails are documents too.
  const pages = await agent.settled(280_000);
  const found = new Set(pages.map((page) => page.filename));
  assert.deepEqual(
    names.filter((name) => !found.has(name)),
    [],
  );
  allEnded(pages, pages.length);
  assert.ok(kb.alive());
  const ok = new Set(pages.filter((page) => page.index_status === "ok").map((page) => page.filename));
  // The formats that this version reads: what the set calls readable is found.
  const read = new Set(["txt", "md", "html", "pdf", "docx", "csv", "json"]);
  const readable = manifest.filter(
    (m) => read.has(m.format) && m.expect === "text" && !m.optional && !(m.tags ?? []).includes("optional"),
  );
  const missing = readable.filter((m) => !ok.has(m.file)).map((m) => m.file);
  assert.ok(
    missing.length <= readable.length * 0.05,
    `${missing.length} of ${readable.length} readable files failed: ${missing.join(", ")}`,
  );
  for (const { file } of manifest.filter((m) => m.expect === "refuse"))
    assert.ok(!ok.has(file), `${file} is locked and says so`);
});

test("500 documents of a collection are all found", options, async (t) => {
  const kb = await start(t, { args: ["--log", "warn"] });
  const docs = records("ir/scifact/docs.jsonl").slice(0, 500);
  const agent = await kb.agent();
  await uploadAll(
    agent,
    docs.map(({ id, title, text }) => [`${id}.md`, `# ${title}\n\n${text}\n`]),
  );
  const pages = await agent.settled(120_000);
  allEnded(pages, 500);
  assert.deepEqual(
    pages.filter((page) => page.index_status !== "ok").map((page) => `${page.filename}: ${page.status_reason}`),
    [],
  );
  const stats = await agent.expect(200, "GET", "/stats");
  assert.deepEqual([stats.pages_found, stats.pages_indexed], [500, 500]);
  // Asked by its own title, a document answers for itself.
  let first = 0;
  const sample = docs.filter((_, i) => i % 10 === 0);
  for (const { id, title } of sample) {
    const answer = await agent.ask(title);
    if (
      answer.citations &&
      (await agent.expect(200, "GET", `/citations/${answer.citations[0]}`)).url ===
        pages.find((p) => p.filename === `${id}.md`).page_url
    )
      first++;
  }
  assert.ok(first >= sample.length * 0.8, `${first} of ${sample.length} documents answer to their own title`);
});

test(
  "answers from real paragraphs are right, cited and verbatim; foreign questions are refused",
  options,
  async (t) => {
    const kb = await start(t, { args: ["--log", "warn"] });
    const random = seeded(200);
    const all = records("qa/squad/docs.jsonl");
    const docs = all.filter((_, i) => i % 4 === 0).slice(0, 200);
    const byId = new Map(docs.map((doc) => [doc.id, doc]));
    const agent = await kb.agent();
    const name = (id) => `${encodeURIComponent(id).replaceAll("%", "_")}.txt`;
    // Plain text: to Markdown, a tilde or an asterisk in a paragraph is a sign and not a letter.
    await uploadAll(
      agent,
      docs.map(({ id, title, text }) => [name(id), `${title}\n\n${text}\n`]),
    );
    const pages = new Map((await agent.settled(120_000)).map((page) => [page.id, page]));
    const docOf = new Map(docs.map((doc) => [name(doc.id), doc]));

    const questions = records("qa/squad/questions.jsonl").filter(
      (q) => byId.has(q.doc_id) && !q.is_impossible && q.answers.length,
    );
    const sample = Array.from({ length: 150 }, () => random.pick(questions));
    let right = 0,
      answered = 0;
    for (const question of sample) {
      const answer = await agent.ask(question.text);
      if (answer.citations === null) {
        assert.equal(answer.llm_response, noAnswer);
        continue;
      }
      answered++;
      const cited = answer.citations.map((id) => docOf.get(pages.get(id).filename));
      assert.ok(cited.every(Boolean));
      const foreign = unsupported(
        answer.llm_response,
        cited.map((doc) => `${doc.title} ${doc.text}`),
      );
      assert.deepEqual(
        foreign,
        [],
        `"${question.text}" -> "${answer.llm_response}" is in the cited text word for word`,
      );
      if (question.answers.some((gold) => plain(answer.llm_response).toLowerCase().includes(plain(gold).toLowerCase())))
        right++;
    }
    assert.ok(answered >= sample.length * 0.9, `${answered} of ${sample.length} answerable questions were answered`);
    assert.ok(right >= sample.length * 0.82, `${right} of ${sample.length} answers hold the gold answer`);

    const strangers = records("ir/nq-utd/queries.jsonl").slice(0, 60);
    let refused = 0;
    for (const { text } of strangers) {
      const answer = await agent.ask(text);
      assert.equal(
        answer.citations === null,
        answer.llm_response === noAnswer,
        "the no-answer text and citations null go together",
      );
      if (answer.citations === null) refused++;
    }
    assert.ok(refused >= strangers.length * 0.92, `${refused} of ${strangers.length} foreign questions were refused`);
  },
);

test("a paragraph that comes with the question answers among hundreds of the agent's own", options, async (t) => {
  const kb = await start(t, { args: ["--log", "warn"] });
  const all = records("qa/squad/docs.jsonl");
  const agent = await kb.agent();
  await uploadAll(
    agent,
    all
      .filter((_, i) => i % 2 === 0)
      .slice(0, 400)
      .map(({ title, text }, i) => [`${i}.txt`, `${title}\n\n${text}\n`]),
  );
  await agent.settled(120_000);
  const attached = new Map(
    all
      .filter((_, i) => i % 2 === 1)
      .slice(0, 400)
      .map((doc) => [doc.id, doc]),
  );
  const questions = records("qa/squad/questions.jsonl").filter(
    (q) => attached.has(q.doc_id) && !q.is_impossible && q.answers.length,
  );
  const sample = Array.from({ length: 60 }, (_, i) => questions[Math.floor((i * questions.length) / 60)]);
  let right = 0;
  for (const question of sample) {
    const { title, text } = attached.get(question.doc_id);
    const answer = await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, {
      form: form({ prompt: question.text }, { "attached.txt": `${title}\n\n${text}\n` }),
    });
    if (question.answers.some((gold) => plain(answer.llm_response).toLowerCase().includes(plain(gold).toLowerCase())))
      right++;
  }
  assert.ok(right >= sample.length * 0.82, `${right} of ${sample.length} answers hold the gold answer`);
});
