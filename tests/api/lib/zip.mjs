// ZIP archives, good ones and such as nobody should send.
import { deflateRawSync } from "node:zlib";

/* Node has its own since 20.15; Debian 12 has 18. */
const table = Array.from({ length: 256 }, (_, i) => {
  for (let bit = 0; bit < 8; bit++) i = i & 1 ? (i >>> 1) ^ 0xedb88320 : i >>> 1;
  return i >>> 0;
});

export function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 0xff] ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/**
 * members: { name: text or bytes } or a list of { name, data, locked, link, size, crc }, where size and crc
 * are what is claimed.
 */
export function zip(members) {
  const list = Array.isArray(members) ? members : Object.entries(members).map(([name, data]) => ({ name, data }));
  const locals = [],
    heads = [];
  let at = 0;
  for (const { name, data, locked = false, link = false, size, crc } of list) {
    const bytes = Buffer.from(data),
      packed = deflateRawSync(bytes),
      path = Buffer.from(name);
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0);
    common.writeUInt16LE(0x800 | (locked ? 1 : 0), 2);
    common.writeUInt16LE(8, 4);
    common.writeUInt32LE(crc ?? crc32(bytes), 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(size ?? bytes.length, 18);
    common.writeUInt16LE(path.length, 22);
    const local = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, path, packed]);
    const head = Buffer.concat([Buffer.from("PK\x01\x02\x14\x03", "latin1"), common, Buffer.alloc(14), path]);
    head.writeUInt32LE(((link ? 0o120777 : name.endsWith("/") ? 0o040755 : 0o100644) << 16) >>> 0, 38);
    head.writeUInt32LE(at, 42);
    at += local.length;
    locals.push(local);
    heads.push(head);
  }
  const directory = Buffer.concat(heads),
    end = Buffer.alloc(22);
  end.write("PK\x05\x06", "latin1");
  end.writeUInt16LE(list.length, 8);
  end.writeUInt16LE(list.length, 10);
  end.writeUInt32LE(directory.length, 12);
  end.writeUInt32LE(at, 16);
  return Buffer.concat([...locals, directory, end]);
}
