// Words that are only painted: scans and pictures, read by tesseract in the sandbox.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { availableParallelism, tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

import { data, skip } from "./lib/evaluation.mjs";
import { counted } from "./lib/figures.mjs";
import { assert, docent, form, start, test, until } from "./lib/harness.mjs";
import { errorRate, mixedPdf, pngOf, scanned, setLines, tiffOf, turned, typedPdf } from "./lib/print.mjs";

const report = `The harbour office of Lindholm keeps the moorings of the inner basin. A berth costs 4.50 euro a
night, water included, and electricity is paid by the unit at the yellow posts. The office opens at
seven in the morning and closes at nine in the evening; whoever comes later finds a letter box at its
door. The shower tokens are sold by the bakery, which also keeps the keys of the washing machines.`;

/** What is read off a file: { text, pages, blocks }. */
async function read(t, name, bytes) {
  const dir = await mkdtemp(join(tmpdir(), "docent-ocr-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  const file = join(dir, name);
  await writeFile(file, bytes);
  const { code, stdout, stderr } = await docent(["parse", "--ocr", file], { ms: 300_000 });
  if (code) return { reason: stderr };
  const parsed = JSON.parse(stdout);
  return { ...parsed, text: parsed.blocks.map((block) => block.text).join("\n") };
}

const gif = ({ width, height, grey }) => {
  // Codes of nine bits that never grow, because the table is cleared in time.
  const bits = [];
  const put = (code) => {
    for (let i = 0; i < 9; i++) bits.push((code >> i) & 1);
  };
  for (let i = 0; i < grey.length; i++) {
    if (i % 250 === 0) put(256);
    put(grey[i]);
  }
  put(257);
  const bytes = Buffer.alloc(Math.ceil(bits.length / 8));
  bits.forEach((bit, i) => (bytes[i >> 3] |= bit << (i & 7)));
  const screen = Buffer.alloc(7);
  screen.writeUInt16LE(width, 0);
  screen.writeUInt16LE(height, 2);
  screen[4] = 0xf7;
  const palette = Buffer.from(Array.from({ length: 768 }, (_, i) => Math.floor(i / 3)));
  const image = Buffer.alloc(10);
  image[0] = 0x2c;
  image.writeUInt16LE(width, 5);
  image.writeUInt16LE(height, 7);
  const blocks = [];
  for (let i = 0; i < bytes.length; i += 255) {
    const piece = bytes.subarray(i, i + 255);
    blocks.push(Buffer.from([piece.length]), piece);
  }
  return Buffer.concat([
    Buffer.from("GIF89a"),
    screen,
    palette,
    image,
    Buffer.from([8]),
    ...blocks,
    Buffer.from([0, 0x3b]),
  ]);
};

test("a scan, and pictures of every kind, are read to the letter", async (t) => {
  const lines = setLines(report);
  const page = scanned(lines);
  const small = scanned(lines, { dpi: 150 });
  for (const [name, bytes] of [
    ["scan.pdf", mixedPdf([page])],
    ["page.png", pngOf(page)],
    ["page.gif", gif(small)],
  ]) {
    const { text, reason } = await read(t, name, bytes);
    assert.equal(reason, undefined, name);
    const rate = errorRate(report, text);
    assert.ok(rate <= 0.02, `${name}: ${rate}`);
  }
  const { text, pages, blocks } = await read(t, "fax.tiff", tiffOf([small, scanned(["The second page is short."])]));
  assert.equal(pages, 2);
  assert.ok(errorRate(`${report} The second page is short.`, text) <= 0.02);
  assert.equal(blocks.at(-1).page, 2);
});

test("a page that lies on its side or on its head is read", async (t) => {
  const texts = [90, 180, 270].map((degrees) => [
    degrees,
    `${report} This page was turned by ${degrees} degrees of the compass.`,
  ]);
  const scans = texts.map(([degrees, text]) => turned(scanned(setLines(text)), degrees));
  const { text, pages } = await read(t, "turned.pdf", mixedPdf(scans));
  assert.equal(pages, 3);
  const rate = errorRate(texts.map(([, text]) => text).join(" "), text);
  assert.ok(rate <= 0.02, String(rate));
});

test("amounts at the foot of scanned invoices stay, the number of the page at their head goes", async (t) => {
  const due = ["412.50", "198.00", "77.25"];
  const scans = due.map((amount, i) => {
    const lines = Array(48).fill("");
    lines[0] = `Page ${i + 1} of 3`;
    lines[8] = `This invoice of the harbour of Velm is for a berth of nine metres, ${i + 3} nights and water.`;
    lines[47] = `Amount due: ${amount} euro`;
    return scanned(lines);
  });
  const { text } = await read(t, "invoices.pdf", mixedPdf(scans));
  for (const amount of due) assert.match(text, new RegExp(`Amount due: ${amount} euro`));
  assert.doesNotMatch(text, /Page \d of 3/);
});

test("the place of each word is kept, in ten-thousandths of the page", async (t) => {
  const { blocks } = await read(t, "scan.pdf", mixedPdf([scanned(setLines(report))]));
  const seen = new Map();
  for (const { text, boxes } of blocks) {
    assert.equal(boxes.length % 6, 0);
    let end = 0;
    for (let i = 0; i < boxes.length; i += 6) {
      const [at, n, x0, y0, x1, y1] = boxes.slice(i, i + 6);
      assert.ok(at >= end && n > 0, "in the order of the text");
      end = at + n;
      assert.ok(x0 < x1 && y0 < y1 && x1 <= 10000 && y1 <= 10000);
      const word = Buffer.from(text).subarray(at, end).toString();
      assert.doesNotMatch(word, / /);
      seen.set(word, { x0, y0 });
    }
    assert.equal(end, Buffer.byteLength(text));
  }
  // Set at 70 points from the left of 595; its first line stands some 770 - 15 above the foot of 842.
  const { x0, y0 } = seen.get("harbour");
  assert.ok(x0 > 1176 && x0 < 2200 && y0 > 850 && y0 < 1150, `${x0} ${y0}`);
});

test("a PDF with some scanned pages gives the text of all, each page once and in order", async (t) => {
  const [a, b, c] = ["first", "second", "third"].map(
    (nth) => `This is the ${nth} page of the deed of Lindholm. ${report}`,
  );
  const pdf = mixedPdf([setLines(a), scanned(setLines(b)), setLines(c)]);
  const { blocks, pages } = await read(t, "deed.pdf", pdf);
  assert.equal(pages, 3);
  const of = (page) =>
    blocks
      .filter((block) => block.page === page)
      .map((block) => block.text)
      .join(" ");
  for (const [i, text] of [a, b, c].entries()) assert.ok(errorRate(text, of(i + 1)) <= 0.02, `page ${i + 1}`);
  assert.deepEqual(
    blocks.map((block) => block.page),
    blocks.map((block) => block.page).sort(),
  );
  assert.ok(
    !blocks.some((block) => block.page !== 2 && block.boxes),
    "text that the file has itself is not read off a picture",
  );
});

test(
  "two in a hundred letters may be wrong at 200 dpi, six where the page is noisy and lies askew",
  { skip },
  async (t) => {
    const docs = (name) =>
      gunzipSync(readFileSync(join(data, "qa", name, "docs.jsonl.gz")))
        .toString()
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    // What the font of the page has.
    const plain = (text) => /^[\x20-\x7e\n]+$/.test(text) && text.length > 600;
    const texts = docs("squad")
      .map((doc) => doc.text)
      .filter(plain)
      .slice(0, 2)
      .map((text) => setLines(text));
    assert.equal(texts.length, 2);
    const wanted = texts.flat().join(" ");
    for (const [name, how, most] of [
      ["clean", {}, 0.02],
      ["noisy", { noise: 60, degrees: 3 }, 0.06],
    ]) {
      const { text, reason } = await read(t, `${name}.pdf`, mixedPdf(texts.map((lines) => scanned(lines, how))));
      assert.equal(reason, undefined);
      const rate = errorRate(wanted, text);
      t.diagnostic(`${name}: ${(100 * rate).toFixed(2)} % of the letters`);
      assert.ok(rate <= most, `${name}: ${rate}`);
    }
  },
);

test("a hostile picture fails with a sentence, and soon", async (t) => {
  const page = scanned(setLines("A short page."), { dpi: 72 });
  const png = pngOf(page);
  const huge = Buffer.from(png);
  huge.writeUInt32BE(100_000, 16);
  huge.writeUInt32BE(100_000, 20);
  const sheet = typedPdf([["x"]])
    .toString("latin1")
    .replace("[0 0 595 842]", "[0 0 9e6 9e6]");
  for (const [name, bytes] of [
    ["cut.png", png.subarray(0, 200)],
    ["huge.png", huge],
    ["junk.jpg", Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(5000, 0xa5)])],
    ["loop.tiff", Buffer.from("II*\0\x08\0\0\0\0\0\x08\0\0\0", "latin1")],
    ["junk.webp", Buffer.from("RIFF\xff\xff\xff\x7fWEBPVP8 \xff\xff\xff\x7f", "latin1")],
    ["junk.gif", Buffer.concat([Buffer.from("GIF89a\xff\xff\xff\xff\xf7\0\0", "latin1"), Buffer.alloc(900, 0x2c)])],
    ["sheet.pdf", Buffer.from(sheet, "latin1")],
  ]) {
    const { reason, text } = await read(t, name, bytes);
    if (name === "sheet.pdf" && text) continue; // its one letter is text
    assert.match(reason ?? "", /^docent parse: .{20,}\n$/, name);
  }
});

test("scanned pages can be found and are cited by their page", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    is_ocr_enabled: "1",
    files: {
      "deed.pdf": mixedPdf([
        setLines("A covering letter of the notary, who sends the deed and asks for its return."),
        scanned(setLines(report)),
      ]),
    },
  });
  assert.equal((await agent.page("deed.pdf")).index_status, "ok");
  const { llm_response } = await agent.ask("How much does a berth cost a night?");
  assert.match(llm_response, /4\.50 euro/);
  // A picture in a message is read like those of the agent.
  const reply = await agent.api("POST", "/conversations/pictures/messages", {
    form: form(
      { prompt: "Where are the shower tokens of Lindholm sold?" },
      { "p.png": pngOf(scanned(setLines(report))) },
    ),
  });
  assert.equal(reply.status, 200, reply.text);
  assert.match(reply.json.data.llm_response, /bakery/);
});

test("a long scan is in nobody's way, and ends with its agent or its server", async (t) => {
  const kb = await start(t);
  const page = scanned(setLines(report), { dpi: 100 });
  const scan = mixedPdf(Array.from({ length: 60 }, () => page));
  const upload = async (agent, name, bytes) =>
    agent.expect(201, "POST", "/sources", { form: form({}, { [name]: bytes }) });
  const slow = await kb.agent({ is_ocr_enabled: "1", files: { "a.txt": "Harbour." } });
  await upload(slow, "scan.pdf", scan);
  await until("the scan to be at work", async () => (await slow.page("scan.pdf"))?.index_status === "queued");
  // Documents that come meanwhile are read, those of the same agent too.
  await upload(slow, "b.txt", "The quay is long.");
  await until("the quick one", async () => (await slow.page("b.txt")).index_status === "ok");
  assert.equal((await slow.page("scan.pdf")).index_status, "queued");
  await slow.expect(200, "DELETE", "");
  // With the agent gone, its places are free for another scan.
  const next = await kb.agent({ is_ocr_enabled: "1", files: { "one.png": pngOf(page) } });
  assert.equal((await next.page("one.png")).index_status, "ok");
  await upload(next, "scan.pdf", scan);
  await until("the second scan", async () => (await next.page("scan.pdf")).index_status === "queued");
  const before = process.hrtime.bigint();
  await kb.stop();
  const seconds = Number(process.hrtime.bigint() - before) / 1e9;
  t.diagnostic(`stopped within ${seconds.toFixed(1)} s`);
});

/** The processes of that name that a process has started, and those have. */
function descendants(pid, name) {
  const all = readdirSync("/proc")
    .filter((entry) => /^\d+$/.test(entry))
    .map((entry) => {
      try {
        const [, comm, rest] = /^\d+ \((.*)\) (.*)$/s.exec(readFileSync(`/proc/${entry}/stat`, "utf8"));
        return { pid: Number(entry), comm, parent: Number(rest.split(" ")[1]), ended: rest[0] === "Z" };
      } catch {
        return null; // it has ended meanwhile
      }
    })
    .filter((one) => one && !one.ended);
  const of = (parent) => all.filter((one) => one.parent === parent).flatMap((one) => [one, ...of(one.pid)]);
  return of(pid).filter((one) => one.comm === name);
}

test("a scan is read by all cores, and to its end though its children and its server are killed", async (t) => {
  const kb = await start(t);
  const words = ["anchor", "barrel", "candle", "diamond", "engine"];
  const scan = mixedPdf(
    words.map((word) =>
      scanned(setLines(`The ${word} of Lindholm is kept in the ${word} room.\n${report.slice(0, 120)}`), { dpi: 100 }),
    ),
  );
  const agent = await kb.agent({ is_ocr_enabled: "1" });
  await agent.expect(201, "POST", "/sources", { form: form({}, { "scan.pdf": scan }) });
  const readers = () => descendants(kb.child.pid, "tesseract");
  /** Kills one of those that read, or its parent; one that has ended meanwhile is none. */
  const kill = (who) =>
    until("one that can be killed", () => {
      try {
        return readers().some((reader) => process.kill(reader[who], "SIGKILL"));
      } catch (error) {
        if (error.code === "ESRCH") return false;
        throw error;
      }
    });
  await until(
    "a page to be read on each core",
    () => readers().length >= Math.min(availableParallelism(), words.length),
  );
  // That it takes long was found out by parsing it, and what came of that is kept.
  await counted(kb, { documents_parsed_total: 1 });
  await kill("parent");
  await kill("pid");
  await until("others to be read", () => readers().length > 0);
  const orphans = readers();
  await kb.kill9();
  const gone = ({ pid }) => !existsSync(`/proc/${pid}`);
  await until("what the server had started to end with it", () => orphans.every(gone));
  await kb.spawn();
  await kill("parent");
  const page = await until(
    "the scan",
    async () => {
      const [one] = await agent.pages();
      return one.index_status !== "queued" && one;
    },
    120_000,
  );
  assert.deepEqual([page.index_status, page.status_reason], ["ok", null]);
  await counted(kb, { documents_indexed_total: 1, documents_parsed_total: 0 });
  const { blocks, pages } = await agent.expect(200, "GET", `/pages/${page.id}/text`);
  assert.equal(pages, words.length);
  words.forEach((word, i) => {
    const said = blocks.filter((block) => block.text.includes(`${word} room`));
    assert.deepEqual(
      said.map((block) => block.page_no),
      [i + 1],
      word,
    );
  });
});

test("an upload that failed because an option was off names it, and is read again once it is on", async (t) => {
  const kb = await start(t);
  const scan = mixedPdf([scanned(["The marble room opens at eleven."])]);
  const agent = await kb.agent({ files: { "scan.pdf": scan, "notes.txt": "The harbour has nine berths." } });
  const page = await agent.page("scan.pdf");
  assert.deepEqual([page.index_status, page.status_option, page.is_refreshable], ["failed", "is_ocr_enabled", true]);
  await agent.expect(200, "POST", "", { form: form({ is_ocr_enabled: "1" }) });
  const { updated } = await agent.expect(200, "POST", `/pages/${page.id}/reindex`);
  assert.equal(updated, true);
  const read = await until("the scan", async () => {
    const now = await agent.page("scan.pdf");
    return now.index_status !== "queued" && now;
  });
  assert.deepEqual([read.id, read.index_status, read.status_reason], [page.id, "ok", null]);
  assert.ok(!("status_option" in read));
  const { llm_response } = await agent.ask("When does the marble room open?");
  assert.match(llm_response, /eleven/);
  // What could be read is deleted and sent again instead.
  for (const name of ["scan.pdf", "notes.txt"]) {
    const { id, is_refreshable } = await agent.page(name);
    assert.equal(is_refreshable, false, name);
    await agent.expect(403, "POST", `/pages/${id}/reindex`);
  }
});
