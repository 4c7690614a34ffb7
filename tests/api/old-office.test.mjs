// Sheets, presentations and messages of the old binary Office formats, made here record by record.
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { data, skip } from "./lib/evaluation.mjs";
import { assert, docent, patient, test } from "./lib/harness.mjs";

const u16 = (...values) => Buffer.from(Uint16Array.from(values).buffer);
const u32 = (...values) => Buffer.from(Uint32Array.from(values).buffer);
const f64 = (value) => Buffer.from(Float64Array.of(value).buffer);
const wide = (text) => Buffer.from(text, "utf16le");

/** A container of streams, none so short that it would lie in the mini stream. */
function ole(streams) {
  const sector = 512;
  const names = Object.keys(streams);
  const bodies = names.map((name) => {
    const body = streams[name];
    return Buffer.concat([body, Buffer.alloc(Math.max(4096, Math.ceil(body.length / sector) * sector) - body.length)]);
  });
  const folders = Math.ceil((names.length + 1) / 4);
  const next = [0xfffffffd];
  for (let i = 0; i < folders; i++) next.push(i + 1 < folders ? i + 2 : 0xfffffffe);
  const starts = bodies.map((body) => {
    const start = next.length;
    const count = body.length / sector;
    for (let i = 0; i < count; i++) next.push(i + 1 < count ? start + i + 1 : 0xfffffffe);
    return start;
  });
  assert.ok(next.length <= 128, "one sector lists all others");
  const entry = (name, type, right, child, start, size) => {
    const bytes = Buffer.alloc(128);
    wide(name).copy(bytes);
    bytes.writeUInt16LE((name.length + 1) * 2, 0x40);
    bytes[0x42] = type;
    bytes.writeUInt32LE(0xffffffff, 0x44);
    bytes.writeUInt32LE(right, 0x48);
    bytes.writeUInt32LE(child, 0x4c);
    bytes.writeUInt32LE(start, 0x74);
    bytes.writeUInt32LE(size, 0x78);
    return bytes;
  };
  const entries = [entry("Root Entry", 5, 0xffffffff, 1, 0xfffffffe, 0)];
  names.forEach((name, i) =>
    entries.push(entry(name, 2, i + 1 < names.length ? i + 2 : 0xffffffff, 0xffffffff, starts[i], bodies[i].length)),
  );
  while (entries.length % 4) entries.push(Buffer.alloc(128));
  const head = Buffer.alloc(512, 0xff);
  Buffer.from("d0cf11e0a1b11ae1", "hex").copy(head);
  head.fill(0, 8, 24);
  u16(0x3e, 3, 0xfffe, 9, 6, 0, 0, 0).copy(head, 24);
  u32(0, 1, 1, 0, 4096, 0xfffffffe, 0, 0xfffffffe, 0, 0).copy(head, 40);
  const table = Buffer.alloc(sector, 0xff);
  next.forEach((to, i) => table.writeUInt32LE(to, i * 4));
  return Buffer.concat([head, table, ...entries, ...bodies]);
}

/* ---- a workbook */

const record = (type, ...parts) => {
  const body = Buffer.concat(parts);
  return Buffer.concat([u16(type, body.length), body]);
};
const begin = (kind) => record(0x809, u16(0x600, kind, 0, 0), u32(0, 0));
const end = record(0x0a);
const name = (text) => Buffer.concat([Buffer.of(text.length, 1), wide(text)]);
const cell = (type, row, column, style, ...rest) => record(type, u16(row, column, style), ...rest);

function workbook({ locked = false, strings = 6 } = {}) {
  const shared = ["Part", "Price", "Since", "Größe ✓ der Schraube", "hidden row", "secret"];
  // The fourth string is cut within its characters; the record behind says anew how wide they are.
  const cut = 7;
  const sst = [
    record(
      0xfc,
      u32(strings, strings),
      ...shared.slice(0, 3).map((text) => Buffer.concat([u16(text.length), Buffer.of(0), Buffer.from(text, "latin1")])),
      u16(shared[3].length),
      Buffer.of(1 | 8),
      u16(1),
      wide(shared[3].slice(0, cut)),
    ),
    record(
      0x3c,
      Buffer.of(1),
      wide(shared[3].slice(cut)),
      u16(0, 0),
      ...shared.slice(4).map((text) => Buffer.concat([u16(text.length), Buffer.of(1), wide(text)])),
    ),
  ];
  const one = [
    begin(0x10),
    record(0x208, u16(2, 0, 9, 255, 0, 0, 0x20, 0)),
    ...[0, 1, 2].map((i) => cell(0xfd, 0, i, 0, u32(i))),
    cell(0xfd, 1, 0, 0, u32(3)),
    cell(0x27e, 1, 1, 0, u32((1250 << 2) | 3)), // 12.50 in hundredths
    cell(0x203, 1, 2, 1, f64(43831)), // a day, by its format
    cell(0xfd, 2, 0, 0, u32(4)),
    cell(0x27e, 2, 1, 0, u32((1 << 2) | 2)),
    // A chart within the sheet has an end of its own.
    begin(0x20),
    end,
    record(0x06, u16(3, 0, 0), Buffer.of(0, 0, 0, 0, 0, 0, 0xff, 0xff), u16(0)),
    record(0x207, u16(4), Buffer.of(0), Buffer.from("nuts")),
    record(0xbd, u16(3, 1), u16(0), u32((7 << 2) | 2), u16(1), u32((43832 << 2) | 2), u16(2)),
    cell(0x205, 4, 0, 0, Buffer.of(1, 0)),
    record(0x06, u16(4, 1, 0), f64(0.1 + 0.2), u16(0)),
    end,
  ];
  const two = [begin(0x10), cell(0xfd, 0, 0, 0, u32(5)), end];
  const globals = (at) => [
    begin(5),
    ...(locked ? [record(0x2f, Buffer.alloc(6))] : []),
    record(0x41e, u16(164, 10), Buffer.of(0), Buffer.from("yyyy-mm-dd")),
    record(0xe0, u16(0, 0), Buffer.alloc(16)),
    record(0xe0, u16(0, 164), Buffer.alloc(16)),
    record(0x85, u32(at[0]), Buffer.of(0, 0), name("Lager")),
    record(0x85, u32(at[1]), Buffer.of(1, 0), name("Weg")),
    ...sst,
    end,
  ];
  const length = (parts) => Buffer.concat(parts).length;
  const first = length(globals([0, 0]));
  return ole({ Workbook: Buffer.concat([...globals([first, first + length(one)]), ...one, ...two]) });
}

/* ---- a presentation */

const piece = (type, instance, body, inner = false) =>
  Buffer.concat([u16((instance << 4) | (inner ? 15 : 0), type), u32(body.length), body]);
const text = (kind, said) => [piece(3999, 0, u32(kind)), piece(4000, 0, wide(said))];

function presentation({ locked = false } = {}) {
  const slide = (box, hidden) =>
    piece(
      1006,
      0,
      Buffer.concat([
        piece(1017, 0, Buffer.concat([u32(0, 0), u16(0, hidden ? 4 : 0), u32(0)])),
        piece(1036, 0, piece(0xf00d, 0, Buffer.concat(text(4, box)), true), true),
      ]),
      true,
    );
  const slides = [slide("A box of its own", false), slide("Hidden box", true)];
  const list = [
    piece(1011, 0, u32(2, 0, 0, 0, 0)),
    ...text(0, "Der Hafen\vvon Velmora"),
    ...text(1, "The quay is made of granite.\rThe lock is not."),
    piece(1011, 0, u32(3, 0, 0, 0, 0)),
    ...text(0, "Hidden title"),
  ];
  const document = piece(1000, 0, piece(4080, 0, Buffer.concat(list), true), true);
  const objects = [document, ...slides];
  const places = objects.map((_, i) => Buffer.concat(objects.slice(0, i)).length + 1);
  const stream = [Buffer.alloc(1), ...objects]; // nothing lies at 0
  const at = Buffer.concat(stream).length;
  stream.push(piece(6002, 0, u32((3 << 20) | 1, ...places)));
  const edit = Buffer.concat(stream).length;
  stream.push(piece(4085, 0, u32(0, 0, 0, at, 1, 0, 0, ...(locked ? [1] : []))));
  return ole({
    "Current User": piece(4086, 0, u32(20, 0xe391c05f, edit, 0, 0)),
    "PowerPoint Document": Buffer.concat(stream),
  });
}

const message = () =>
  ole({
    "__properties_version1.0": Buffer.alloc(32),
    "__substg1.0_0037001F": wide("The key of the lighthouse"),
    "__substg1.0_0C1A001F": wide("Ottilie Brandt"),
    "__substg1.0_1000001F": wide("It lies under\r\nthe third stone.\r\n\r\nOttilie\r\n"),
  });

/* ---- */

async function reader(t) {
  const dir = await mkdtemp(join(tmpdir(), "docent-office-"));
  t.after(() => rm(dir, { recursive: true, force: true }));
  return async (file, bytes) => {
    await writeFile(join(dir, file), bytes);
    const { code, stdout, stderr } = await docent(["parse", join(dir, file)], { ms: 60_000 });
    return code ? { reason: stderr } : { ...JSON.parse(stdout), reason: undefined };
  };
}
const said = ({ blocks }) => blocks.map((block) => (block.heading ? `${block.heading}: ${block.text}` : block.text));

test("an old sheet gives rows with the names of their columns; hidden rows and sheets stay out", async (t) => {
  const read = await reader(t);
  const parsed = await read("a.xls", workbook());
  assert.equal(parsed.reason, undefined);
  assert.deepEqual(said(parsed), [
    "Lager",
    "Lager: Part: Größe ✓ der Schraube; Price: 12.5; Since: 2020-01-01",
    "Lager: Part: nuts; Price: 7; Since: 2020-01-02",
    "Lager: Part: TRUE; Price: 0.3",
  ]);
});

test("an old presentation gives its slides' titles and texts, in boxes too; hidden ones stay out", async (t) => {
  const read = await reader(t);
  const parsed = await read("a.ppt", presentation());
  assert.equal(parsed.reason, undefined);
  assert.deepEqual(said(parsed), [
    "Der Hafen von Velmora",
    "Der Hafen von Velmora: The quay is made of granite.",
    "Der Hafen von Velmora: The lock is not.",
    "Der Hafen von Velmora: A box of its own",
  ]);
  assert.deepEqual(
    parsed.blocks.map((block) => block.page),
    [1, 1, 1, 1],
  );
});

test("an Outlook message gives its subject, sender and text", async (t) => {
  const read = await reader(t);
  const parsed = await read("a.msg", message());
  assert.equal(parsed.title, "The key of the lighthouse", parsed.reason);
  assert.deepEqual(said(parsed).slice(1), [
    "The key of the lighthouse: From: Ottilie Brandt",
    "The key of the lighthouse: It lies under the third stone.",
    "The key of the lighthouse: Ottilie",
  ]);
});

test("real files of old programs are read", { skip }, async (t) => {
  const read = await reader(t);
  for (const [file, phrase] of [
    ["ti-testPPT.ppt", "Service Release 1"],
    ["ti-testMSG.msg", "working on making the type detection code more modular"],
  ]) {
    const parsed = await read(file, await readFile(join(data, "parse", "files", file)));
    assert.ok(said(parsed).join("\n").includes(phrase), `${file}: ${parsed.reason}`);
  }
});

test("a damaged, locked or hostile one ends with a sentence, and soon", async (t) => {
  const read = await reader(t);
  const [book, slides] = [workbook(), presentation()];
  const with32 = (bytes, at, value) => {
    const copy = Buffer.from(bytes);
    copy.writeUInt32LE(value, at);
    return copy;
  };
  const cases = [
    ["locked.xls", workbook({ locked: true }), /locked with a password/],
    ["locked.ppt", presentation({ locked: true }), /locked with a password/],
    ["cut.xls", book.subarray(0, 600), /old binary Office format; save it as/],
    ["short.xls", book.subarray(0, 1700), /there is no text in the file/],
    ["sectors.xls", with32(book, 0x1c, 0x00ff_fffe), /damaged/],
    ["cut.ppt", slides.subarray(0, 2600), /damaged/],
  ];
  for (const [file, bytes, sentence] of cases) assert.match((await read(file, bytes)).reason ?? "", sentence, file);
  for (const [file, bytes] of [
    ["loop.xls", with32(book, 512 + 4 * 2, 2)], // a sector that follows itself
    ["folder.xls", with32(book, 512 + 4, 1)],
    ["lists.xls", with32(book, 0x44, 1)], // the table goes on in the folder
    ["strings.xls", workbook({ strings: 0xffffffff })],
    [
      "deep.ppt",
      ole({ "Current User": piece(4086, 0, u32(20, 0, 0)), "PowerPoint Document": Buffer.alloc(9000, 0x0f) }),
    ],
  ]) {
    const begun = Date.now();
    const { reason, blocks } = await read(file, bytes);
    assert.ok(blocks || /^docent parse: .{20,}\n$/.test(reason), `${file}: ${reason}`);
    assert.doesNotMatch(reason ?? "", /crashed|stopped|longer/, file);
    assert.ok(Date.now() - begun < patient(20_000), file);
  }
});
