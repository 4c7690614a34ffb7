// Models without knowledge for llama.cpp: random weights and a real vocabulary.
//
//   node scripts/tiny-gguf.mjs KIND VOCABULARY.gguf OUT.gguf
//
// KIND is chat: two layers of a llama, whose tokens are what a grammar prescribes; embeddings: a BERT of one layer
// that hardly does anything, so that a vector is the mean of its words' vectors, and texts that share words are near
// each other; or rerank: the same with a head that gives a pair of texts a figure, of no meaning.
//
// GGUF is a head, members (name, type, value), the tensors' names and places, and their bytes.
import { readFileSync, writeFileSync } from "node:fs";

const [, , kind, from, to] = process.argv;
const WIDTH = 64;
const LAYERS = 2;
const HEADS = 4;
const INNER = 128;
const ALIGNED = 32;

const TYPES = { u32: 4, f32: 6, flag: 7, text: 8, list: 9 };
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
const flag = (yes) => Buffer.from([yes ? 1 : 0]);
const text = (s) => Buffer.concat([u64(Buffer.byteLength(s)), Buffer.from(s)]);
const member = (name, type, value) =>
  Buffer.concat([text(name), u32(TYPES[type]), { u32, f32, flag, text }[type](value)]);

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
const noise = (n, size = 0.17) => Buffer.from(Float32Array.from({ length: n }, () => chance() * size).buffer);
const ones = (n) => Buffer.from(new Float32Array(n).fill(1).buffer);
const nothing = (n) => Buffer.alloc(4 * n);

const { kept, tokens } = vocabularyOf(readFileSync(from));

/** Members, and tensors as [name, sides, bytes]: sides as llama.cpp counts them, the length of a row first. */
function llama() {
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
  return { members, tensors };
}

function bert(ranks) {
  const POSITIONS = 512;
  const MEAN = 1;
  const RANK = 4;
  const members = [
    member("general.architecture", "text", "bert"),
    member("general.file_type", "u32", 0),
    member("bert.context_length", "u32", POSITIONS),
    member("bert.embedding_length", "u32", WIDTH),
    member("bert.block_count", "u32", 1),
    member("bert.feed_forward_length", "u32", INNER),
    member("bert.attention.head_count", "u32", HEADS),
    member("bert.attention.layer_norm_epsilon", "f32", 1e-12),
    member("bert.attention.causal", "flag", false),
    member("bert.pooling_type", "u32", ranks ? RANK : MEAN),
    ...kept,
  ];
  const tensors = [
    ["token_embd.weight", [WIDTH, tokens], noise(WIDTH * tokens, 1)],
    ["token_types.weight", [WIDTH, 2], nothing(WIDTH * 2)],
    ["position_embd.weight", [WIDTH, POSITIONS], nothing(WIDTH * POSITIONS)],
  ];
  const norm = (name) =>
    tensors.push([`${name}.weight`, [WIDTH], ones(WIDTH)], [`${name}.bias`, [WIDTH], nothing(WIDTH)]);
  norm("token_embd_norm");
  for (const name of ["attn_q", "attn_k", "attn_v", "attn_output"])
    tensors.push([`blk.0.${name}.weight`, [WIDTH, WIDTH], noise(WIDTH * WIDTH, 0.02)]);
  tensors.push(["blk.0.ffn_up.weight", [WIDTH, INNER], noise(WIDTH * INNER, 0.02)]);
  tensors.push(["blk.0.ffn_down.weight", [INNER, WIDTH], noise(INNER * WIDTH, 0.02)]);
  norm("blk.0.attn_output_norm");
  norm("blk.0.layer_output_norm");
  if (ranks) {
    tensors.push(["cls.weight", [WIDTH, WIDTH], noise(WIDTH * WIDTH)], ["cls.bias", [WIDTH], nothing(WIDTH)]);
    tensors.push(["cls.output.weight", [WIDTH, 1], noise(WIDTH, 1)], ["cls.output.bias", [1], nothing(1)]);
  }
  return { members, tensors };
}

const { members, tensors } = kind === "chat" ? llama() : bert(kind === "rerank");

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
