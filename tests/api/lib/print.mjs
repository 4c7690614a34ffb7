// Text on paper, and scans of it: PDFs are written by hand, poppler draws them with a font that they bring,
// and noise is added to the dots. What stands on a page is known to the letter, so what was read off it
// can be measured.
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { deflateSync } from "node:zlib";
import { font } from "./machine.mjs";
import { crc32 } from "./zip.mjs";

const WIDTH = 595; // points of A4
const HEIGHT = 842;
const LINES = 44;
const LETTERS = 84; // a line

/** A PDF of these objects; the first is the catalogue. */
function pdfOf(objects) {
  const pieces = [Buffer.from("%PDF-1.4\n")];
  let at = pieces[0].length;
  const places = objects.map((object, i) => {
    const body = Buffer.concat([Buffer.from(`${i + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n")]);
    pieces.push(body);
    at += body.length;
    return at - body.length;
  });
  const rows = places.map((place) => `${String(place).padStart(10, "0")} 00000 n \n`).join("");
  pieces.push(
    Buffer.from(
      `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${rows}trailer\n<< /Size ${objects.length + 1} /Root 1 0 R >>\nstartxref\n${at}\n%%EOF\n`,
    ),
  );
  return Buffer.concat(pieces);
}

const stream = (head, body) =>
  Buffer.concat([Buffer.from(`<< ${head} /Length ${body.length} >>\nstream\n`), body, Buffer.from("\nendstream")]);

/** The widths of Latin letters in a TrueType font, from the blank on, in thousandths of its size. */
function widthsOf(ttf) {
  const tables = new Map();
  for (let i = 0; i < ttf.readUInt16BE(4); i++) {
    const at = 12 + 16 * i;
    tables.set(ttf.toString("latin1", at, at + 4), ttf.subarray(ttf.readUInt32BE(at + 8)));
  }
  const units = tables.get("head").readUInt16BE(18);
  const measured = tables.get("hhea").readUInt16BE(34);
  const cmap = tables.get("cmap");
  let map; // of Unicode, in segments
  for (let i = 0; i < cmap.readUInt16BE(2); i++) {
    const at = 4 + 8 * i;
    const one = cmap.subarray(cmap.readUInt32BE(at + 4));
    if (cmap.readUInt16BE(at) === 3 && one.readUInt16BE(0) === 4) map = one;
  }
  const segments = map.readUInt16BE(6) / 2;
  const glyph = (letter) => {
    for (let i = 0; i < segments; i++) {
      if (map.readUInt16BE(14 + 2 * i) < letter) continue;
      const first = map.readUInt16BE(16 + 2 * (segments + i));
      if (first > letter) return 0;
      const shift = map.readUInt16BE(16 + 2 * (2 * segments + i));
      const place = 16 + 2 * (3 * segments + i);
      const offset = map.readUInt16BE(place);
      return ((offset ? map.readUInt16BE(place + offset + 2 * (letter - first)) : letter) + shift) & 0xffff;
    }
    return 0;
  };
  return Array.from({ length: 224 }, (_, i) => {
    const at = 4 * Math.min(glyph(32 + i), measured - 1);
    return Math.round((1000 * tables.get("hmtx").readUInt16BE(at)) / units);
  });
}

let printed;
/** The font that a page is drawn with: the objects that describe it, the first of which is number `at`. */
function embedded(at) {
  if (!printed) {
    const file = readFileSync(font);
    printed = { file: stream("/Filter /FlateDecode", deflateSync(file)), widths: widthsOf(file) };
  }
  return {
    face: `<< /Type /Font /Subtype /TrueType /BaseFont /DejaVuSerif /Encoding /WinAnsiEncoding /FirstChar 32 /LastChar 255 /Widths [${printed.widths.join(" ")}] /FontDescriptor ${at} 0 R >>`,
    objects: [
      `<< /Type /FontDescriptor /FontName /DejaVuSerif /Flags 34 /FontBBox [-770 -347 2105 1109] /ItalicAngle 0 /Ascent 939 /Descent -236 /CapHeight 729 /StemV 80 /FontFile2 ${at + 1} 0 R >>`,
      printed.file,
    ],
  };
}

/** `drawn`: they bring their font. What is only read by its text does with the name of one. */
function pdfOfPages(pages, { drawn = false } = {}) {
  const own = drawn ? embedded(4 + 3 * pages.length) : null;
  const kids = pages.map((_, i) => `${4 + 3 * i} 0 R`).join(" ");
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${kids}] /Count ${pages.length} >>`,
    own?.face ?? "<< /Type /Font /Subtype /Type1 /BaseFont /Times-Roman /Encoding /WinAnsiEncoding >>",
  ];
  pages.forEach(({ content, image }, i) => {
    const picture = image ? `/XObject << /I ${6 + 3 * i} 0 R >>` : "";
    objects.push(
      `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 ${WIDTH} ${HEIGHT}] /Contents ${5 + 3 * i} 0 R /Resources << /Font << /F 3 0 R >> ${picture} >> >>`,
      stream("", content),
      image ?? "null",
    );
  });
  return pdfOf([...objects, ...(own?.objects ?? [])]);
}

/** A page with words where they are put: [x, y from the top, text, size]. */
export function placed(words) {
  const escaped = (text) => text.replace(/[\\()]/g, "\\$&");
  const content = words.map(
    ([x, y, text, size = 10]) => `BT /F ${size} Tf ${x} ${HEIGHT - y} Td (${escaped(text)}) Tj ET\n`,
  );
  return pdfOfPages([{ content: Buffer.from(content.join(""), "latin1") }]);
}

/** Lines as they would be set. */
export function setLines(text) {
  const lines = [""];
  for (const word of text.split(/\s+/)) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= LETTERS) lines.push(word);
    else lines[lines.length - 1] = last ? `${last} ${word}` : word;
  }
  return lines.slice(0, LINES);
}

/** The content of a page with these lines, turned by so many degrees. */
function typed(lines, degrees = 0, size = 11) {
  const a = (degrees * Math.PI) / 180;
  const turn = [Math.cos(a), Math.sin(a), -Math.sin(a), Math.cos(a), 0, 0];
  // Round the middle of the page.
  turn[4] = WIDTH / 2 - (turn[0] * WIDTH) / 2 - (turn[2] * HEIGHT) / 2;
  turn[5] = HEIGHT / 2 - (turn[1] * WIDTH) / 2 - (turn[3] * HEIGHT) / 2;
  const shown = lines.map((line) => `(${line.replace(/[()\\]/g, "\\$&")}) '`).join("\n");
  return Buffer.from(
    `${turn.map((n) => n.toFixed(5)).join(" ")} cm BT /F ${size} Tf 15 TL 70 770 Td\n${shown}\nET`,
    "latin1",
  );
}

/** A PDF with a text layer: pages of lines. */
export const typedPdf = (pages) => pdfOfPages(pages.map((lines) => ({ content: typed(lines) })));

/** A page as a scanner sees it: { width, height, grey }. noise: how much of the 255 steps a dot may be off. */
export function scanned(lines, { dpi = 200, degrees = 0, noise = 0 } = {}) {
  // DejaVu is wider than Times.
  const input = pdfOfPages([{ content: typed(lines, degrees, 9) }], { drawn: true });
  const pgm = execFileSync("pdftoppm", ["-q", "-gray", "-r", String(dpi), "-"], { input, maxBuffer: 1 << 28 });
  const [head, width, height] = /^P5\n(\d+) (\d+)\n255\n/.exec(pgm.subarray(0, 64).toString("latin1"));
  const grey = Buffer.from(pgm.subarray(head.length));
  let seed = 12345; // the same dots every time
  for (let i = 0; noise && i < grey.length; i++) {
    seed = (seed * 1103515245 + 12345) & 0x7fffffff;
    const off = ((seed >> 8) % (2 * noise + 1)) - noise;
    grey[i] = Math.max(0, Math.min(255, grey[i] + off));
  }
  return { width: Number(width), height: Number(height), grey, dpi };
}

/** By 0, 90, 180 or 270 degrees, with the clock. */
export function turned(scan, degrees) {
  let { width, height, grey } = scan;
  for (let i = 0; i < degrees; i += 90) {
    const next = Buffer.alloc(grey.length);
    for (let y = 0; y < height; y++)
      for (let x = 0; x < width; x++) next[x * height + (height - 1 - y)] = grey[y * width + x];
    [width, height, grey] = [height, width, next];
  }
  return { ...scan, width, height, grey };
}

const imageOf = ({ width, height, grey }) =>
  stream(
    `/Type /XObject /Subtype /Image /Width ${width} /Height ${height} /ColorSpace /DeviceGray /BitsPerComponent 8 /Filter /FlateDecode`,
    deflateSync(grey, { level: 1 }),
  );

/**
 * A PDF whose pages are pictures (scans), or lines, which make a page with text, or { lines, picture, place }: lines
 * and a picture that stands at [x, y, width, height] points, from the page's top left.
 */
export function mixedPdf(pages) {
  const drawn = ([x, y, w, h]) => Buffer.from(`\nq ${w} 0 0 ${h} ${x} ${HEIGHT - y - h} cm /I Do Q`);
  return pdfOfPages(
    pages.map((page) => {
      if (Array.isArray(page)) return { content: typed(page) };
      if (!page.lines) return { content: drawn([0, 0, WIDTH, HEIGHT]), image: imageOf(page) };
      return { content: Buffer.concat([typed(page.lines), drawn(page.place)]), image: imageOf(page.picture) };
    }),
  );
}

export function pngOf({ width, height, grey }) {
  const rows = Buffer.alloc((width + 1) * height);
  for (let y = 0; y < height; y++) grey.copy(rows, y * (width + 1) + 1, y * width, (y + 1) * width);
  const chunk = (type, body) => {
    const named = Buffer.concat([Buffer.from(type), body]);
    const size = Buffer.alloc(4);
    const sum = Buffer.alloc(4);
    size.writeUInt32BE(body.length);
    sum.writeUInt32BE(crc32(named));
    return Buffer.concat([size, named, sum]);
  };
  const head = Buffer.alloc(13);
  head.writeUInt32BE(width, 0);
  head.writeUInt32BE(height, 4);
  head[8] = 8;
  return Buffer.concat([
    Buffer.from("\x89PNG\r\n\x1a\n", "latin1"),
    chunk("IHDR", head),
    chunk("IDAT", deflateSync(rows, { level: 1 })),
    chunk("IEND", Buffer.alloc(0)),
  ]);
}

/** Uncompressed, one strip; `scans` are its pages. */
export function tiffOf(scans) {
  const pieces = [Buffer.from("II*\0\0\0\0\0", "latin1")];
  let at = 8;
  let link = { buffer: pieces[0], offset: 4 };
  for (const { width, height, grey } of scans) {
    const tags = [
      [256, width],
      [257, height],
      [258, 8],
      [259, 1],
      [262, 1],
      [273, at],
      [277, 1],
      [278, height],
      [279, grey.length],
    ];
    pieces.push(grey);
    at += grey.length;
    if (at % 2) at += pieces.push(Buffer.alloc(1)) && 1;
    const ifd = Buffer.alloc(2 + 12 * tags.length + 4);
    ifd.writeUInt16LE(tags.length, 0);
    tags.forEach(([tag, value], i) => {
      ifd.writeUInt16LE(tag, 2 + 12 * i);
      ifd.writeUInt16LE(4, 4 + 12 * i);
      ifd.writeUInt32LE(1, 6 + 12 * i);
      ifd.writeUInt32LE(value, 10 + 12 * i);
    });
    link.buffer.writeUInt32LE(at, link.offset);
    link = { buffer: ifd, offset: ifd.length - 4 };
    pieces.push(ifd);
    at += ifd.length;
  }
  return Buffer.concat(pieces);
}

/** Letters to change, drop or add, as a share of what stood there. Blanks count as one. */
export function errorRate(wanted, got) {
  const a = [...wanted.replace(/\s+/g, " ").trim()];
  const b = [...got.replace(/\s+/g, " ").trim()];
  let row = b.map((_, i) => i + 1);
  row.unshift(0);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length] / a.length;
}
