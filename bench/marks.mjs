// Sentences of PDFs and where they are marked: each page is asked for the places of its sentences, as a viewer
// does, and what is marked is held against what pdftotext says, page by page, on its own.
//
//   node bench/marks.mjs [--data ../shared/data] [--sentences 2000]
//
// Prints how many sentences are marked on the page that holds them, with exactly their letters; and those that are
// not. What stands several times on its page counts only where the mark lies at the same one of them as the text.
import { execFileSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import test from "node:test";
import { form, start } from "../tests/api/lib/harness.mjs";

const option = (name, otherwise) => {
  const at = process.argv.indexOf(`--${name}`);
  return at > 0 ? process.argv[at + 1] : otherwise;
};
const data = resolve(option("data", new URL("../../shared/data", import.meta.url).pathname), "parse/files");
const wanted = Number(option("sentences", 2000));
const least = 0.995;
const MOST = 1500; // of one document

/** Letters and figures alone: what two ways of writing a text have in common. */
const letters = (text) =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, "");

const segmenter = new Intl.Segmenter("en", { granularity: "sentence" });

/** The sentences of a block with their bytes in the document. */
function* sentences(block) {
  for (const { segment } of segmenter.segment(block.text)) {
    const text = segment.trim();
    if (letters(text).length < 4) continue;
    const at = block.text.indexOf(segment) + segment.indexOf(text);
    yield {
      text,
      offset: block.offset + Buffer.byteLength(block.text.slice(0, at)),
      length: Buffer.byteLength(text),
      page: block.page_no,
      // Of a table's row the values stand in it, their names above.
      values:
        block.type === "table" &&
        text
          .split("; ")
          .map((cell) => letters(cell.split(": ").at(-1)))
          .filter(Boolean),
    };
  }
}

const count = (whole, part) => whole.split(part).length - 1;

test(
  "sentences of PDFs are marked on their pages",
  { skip: !existsSync(data) && `no documents at ${data}` },
  async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({});
    let asked = 0,
      right = 0,
      twice = 0;
    const wrong = [];
    const files = readdirSync(data).filter((name) => name.endsWith(".pdf"));
    const documents = [];
    for (const name of files) {
      await agent.expect(200, "POST", "", { form: form({}, { [name]: readFileSync(join(data, name)) }) });
      await agent.settled();
      const { pages } = await agent.expect(200, "GET", "/pages", { query: { search: name } });
      const page = pages.data.find((p) => p.filename === name && p.index_status === "ok");
      if (page) documents.push({ name, page, all: await sentencesOf(agent, page) });
    }
    // As many of each as there are, but no document may be the whole figure.
    const share = fairShare(documents.map(({ all }) => all.length));
    for (const { name, page, all } of documents) {
      const step = Math.max(1, all.length / share);
      const chosen = [];
      for (let i = 0; i < all.length && chosen.length < share; i += step) chosen.push(all[Math.floor(i)]);
      for (const no of new Set(chosen.map((s) => s.page))) {
        const own = textOf(name, no);
        if (own === null) continue;
        const here = chosen.filter((s) => s.page === no);
        for (let i = 0; i < here.length; i += 50) {
          const part = here.slice(i, i + 50);
          const { words, marks } = await agent.expect(200, "GET", `/pages/${page.id}/view/${no}/words`, {
            query: { marks: part.map((s) => `${s.offset}:${s.length}`).join(",") },
          });
          const whole = letters(words.map((word) => word.text).join(""));
          part.forEach((sentence, k) => {
            const marked = letters(marks[k].words.map((word) => words[word].text).join(""));
            const wish = letters(sentence.text);
            // A mark may take whole words: a sentence that ends within one has the rest of it too.
            const is = sentence.values
              ? sentence.values.every((value) => marked.includes(value))
              : marked.includes(wish) && marked.length <= wish.length + 12;
            const alone = sentence.values || count(whole, wish) < 2;
            const first = marks[k].words[0];
            const before = letters(
              words
                .slice(0, first)
                .map((word) => word.text)
                .join(""),
            );
            const place = alone || count(before, wish) === sentence.nth;
            asked++;
            twice += !alone;
            if (is && place && (sentence.values || own.includes(wish.slice(0, 4)))) right++;
            else wrong.push(`${name} page ${no}: "${sentence.text.slice(0, 80)}" marked "${marked.slice(0, 60)}"`);
          });
        }
      }
    }
    console.log(`${asked} sentences of ${documents.length} PDFs, ${twice} of them several times on their page`);
    console.log(`marked where they stand: ${right} (${((100 * right) / asked).toFixed(2)} %)`);
    for (const line of wrong.slice(0, 40)) console.log(`  ${line}`);
    if (right < asked * least) throw new Error(`${right} of ${asked} is less than ${least * 100} %`);
  },
);

/** Every sentence of a document, with how many of the same stand before it on its page. */
async function sentencesOf(agent, page) {
  const all = [];
  const seen = {};
  for (let from = 0; from !== null && all.length < MOST;) {
    const text = await agent.expect(200, "GET", `/pages/${page.id}/text`, { query: { from, length: 1 << 20 } });
    for (const block of text.blocks) {
      seen[block.page_no] ??= "";
      for (const sentence of sentences(block)) {
        if (all.length === MOST) return all;
        const at = Buffer.from(block.text)
          .subarray(0, sentence.offset - block.offset)
          .toString();
        all.push({ ...sentence, nth: count(seen[block.page_no] + letters(at), letters(sentence.text)) });
      }
      seen[block.page_no] += letters(block.text);
    }
    from = text.next_from;
  }
  return all;
}

/** The letters of a page, by a program and in an order that have nothing to do with ours. */
function textOf(name, no) {
  const argv = ["-q", "-f", no, "-l", no, "-cropbox", join(data, name), "-"];
  try {
    return letters(execFileSync("pdftotext", argv, { timeout: 5_000 }).toString());
  } catch {
    return null; // a page that was made to hold up its reader
  }
}

/** So many of each document that together they make what is wanted. */
function fairShare(lengths) {
  let share = 1;
  const sum = (n) => lengths.reduce((all, length) => all + Math.min(length, n), 0);
  const most = Math.max(...lengths);
  while (share < most && sum(share) < wanted) share++;
  return share;
}
