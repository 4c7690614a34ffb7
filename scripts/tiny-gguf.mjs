// A language model without knowledge for llama.cpp: two layers of random weights and a real vocabulary,
// whose tokens are what a grammar prescribes.
//
//   node scripts/tiny-gguf.mjs VOCABULARY.gguf OUT.gguf
//
// GGUF is a head, members (name, type, value), the tensors' names and places, and their bytes.
import { readFileSync, writeFileSync } from "node:fs";

const [, , from, to] = process.argv;
const WIDTH = 64;
const LAYERS = 2;
const HEADS = 4;
const INNER = 128;
const ALIGNED = 32;

const TYPES = { u32: 4, f32: 6, text: 8, list: 9 };
const BYTES = [1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8]; // of a value, by its type

const u32 = (n) => {
  const b = Buffer.alloc(4);
  b.writeUInt32LE(n);
  return b;
};
const u64 = (n) => {
  const b = Buffer.alloc(8);
  b.writeBigUInt64LE(BigInt(n));
  return b;
};
const f32 = (n) => {
  const b = Buffer.alloc(4);
  b.writeFloatLE(n);
  return b;
};
const text = (s) => Buffer.concat([u64(Buffer.byteLength(s)), Buffer.from(s)]);
const member = (name, type, value) => Buffer.concat([text(name), u32(TYPES[type]), { u32, f32, text }[type](value)]);

/** The members of a file that say how text becomes tokens, as they stand there, and how many tokens there are. */
function vocabularyOf(file) {
  let at = 16; // magic, version, count of tensors
  const number = () => Number(file.readBigUInt64LE((at += 8) - 8));
  const skip = (type) => {
    const bytes = type === TYPES.text ? number() : BYTES[type];
    at += bytes;
  };
  const kept = [];
  let tokens = 0;
  for (let left = number(); left > 0; left--) {
    const start = at;
    const length = number();
    const name = file.toString("utf8", at, (at += length));
    const type = file.readUInt32LE((at += 4) - 4);
    if (type === TYPES.list) {
      const of = file.readUInt32LE((at += 4) - 4);
      const count = number();
      if (name === "tokenizer.ggml.tokens") tokens = count;
      for (let i = 0; i < count; i++) skip(of);
    } else {
      skip(type);
    }
    if (name.startsWith("tokenizer.")) kept.push(file.subarray(start, at));
  }
  return { kept, tokens };
}

let seed = 1; // the same weights every time
const chance = () => (seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0) / 2 ** 32 - 0.5;
const noise = (n) => Buffer.from(Float32Array.from({ length: n }, () => chance() * 0.17).buffer);
const ones = (n) => Buffer.from(new Float32Array(n).fill(1).buffer);

const { kept, tokens } = vocabularyOf(readFileSync(from));
const members = [
  member("general.architecture", "text", "llama"),
  member("general.file_type", "u32", 0),
  member("llama.context_length", "u32", 32768),
  member("llama.embedding_length", "u32", WIDTH),
  member("llama.block_count", "u32", LAYERS),
  member("llama.feed_forward_length", "u32", INNER),
  member("llama.attention.head_count", "u32", HEADS),
  member("llama.attention.head_count_kv", "u32", HEADS),
  member("llama.attention.layer_norm_rms_epsilon", "f32", 1e-5),
  member("llama.rope.dimension_count", "u32", WIDTH / HEADS),
  member("llama.vocab_size", "u32", tokens),
  ...kept,
];
// Sides as llama.cpp counts them: the length of a row first.
const square = ["attn_q", "attn_k", "attn_v", "attn_output"].map((name) => [name, WIDTH, WIDTH]);
const shapes = [...square, ["ffn_gate", WIDTH, INNER], ["ffn_up", WIDTH, INNER], ["ffn_down", INNER, WIDTH]];
const tensors = [
  ["token_embd.weight", [WIDTH, tokens], noise(WIDTH * tokens)],
  ["output_norm.weight", [WIDTH], ones(WIDTH)],
];
for (let i = 0; i < LAYERS; i++) {
  for (const [name, x, y] of shapes) tensors.push([`blk.${i}.${name}.weight`, [x, y], noise(x * y)]);
  for (const name of ["attn_norm", "ffn_norm"]) tensors.push([`blk.${i}.${name}.weight`, [WIDTH], ones(WIDTH)]);
}

const padding = (n) => Buffer.alloc((ALIGNED - (n % ALIGNED)) % ALIGNED);
let place = 0;
const rows = tensors.map(([name, sides, bytes]) => {
  const row = Buffer.concat([text(name), u32(sides.length), ...sides.map(u64), u32(0), u64(place)]);
  place += bytes.length + padding(bytes.length).length;
  return row;
});
const head = Buffer.concat([
  Buffer.from("GGUF"),
  u32(3),
  u64(tensors.length),
  u64(members.length),
  ...members,
  ...rows,
]);
const body = tensors.flatMap(([, , bytes]) => [bytes, padding(bytes.length)]);
writeFileSync(to, Buffer.concat([head, padding(head.length), ...body]));
