// A model server's double on 127.0.0.1: embeddings as bags of hashed words, a reranker that likes what
// it is told to like, and every way of going wrong.
import http from "node:http";
import { Chat } from "./chat.mjs";

const DIMS = 64;

/** Words of one meaning hash alike: what makes a vector find what a word does not. */
const meanings = new Map();

const hash = (word) => [...word].reduce((h, c) => Math.imul(h ^ c.codePointAt(0), 16777619) >>> 0, 2166136261);

/** A unit vector for a text: the same text, the same vector. */
export function vectorOf(text, dims = DIMS) {
  const v = new Array(dims).fill(0);
  for (const word of text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? ["_"]) {
    const h = hash(meanings.get(word) ?? word);
    v[h % dims] += (h >>> 16) % 2 ? 1 : -1;
    v[(h >>> 8) % dims] += 0.5;
  }
  const length = Math.hypot(...v) || 1;
  return v.map((x) => x / length);
}

/** The fields of a form, as text. */
function fieldsOf(text, req) {
  const boundary = /boundary=(\S+)/.exec(req.headers["content-type"])[1];
  const parts = text.split(`--${boundary}`).slice(1, -1);
  return Object.fromEntries(
    parts.map((part) => {
      const [head, ...rest] = part.split("\r\n\r\n");
      const [, name, file] = /name="([^"]*)"(?:; filename="([^"]*)")?/.exec(head);
      const value = rest.join("\r\n\r\n").slice(0, -2);
      return [name, file === undefined ? value : { filename: file, value }];
    }),
  );
}

export class Models {
  log = []; // { path, body, key, at }
  dims = DIMS;
  ways = []; // one for each next request; then `way`
  way = "right";
  chat = new Chat(); // of /chat/completions, which has ways of its own

  async open(t) {
    this.server = http.createServer((req, res) => this.answer(req, res));
    await new Promise((resolve) => this.server.listen(0, "127.0.0.1", resolve));
    this.server.unref();
    this.port = this.server.address().port;
    this.url = `http://127.0.0.1:${this.port}/v1`;
    t.after(() => this.close());
    return this;
  }

  close() {
    return new Promise((resolve) => {
      this.server.closeAllConnections();
      this.server.close(resolve);
    });
  }

  /** Away, and back at the same address. */
  async down() {
    await this.close();
  }

  async up() {
    this.server = http.createServer((req, res) => this.answer(req, res));
    await new Promise((resolve) => this.server.listen(this.port, "127.0.0.1", resolve));
    this.server.unref();
  }

  /** The words share a vector from now on. */
  alike(...words) {
    for (const word of words) meanings.set(word.toLowerCase(), words[0].toLowerCase());
    return this;
  }

  embedEnv(more = {}) {
    return {
      DOCENT_EMBED_URL: this.url,
      DOCENT_EMBED_NAME: "double-small",
      DOCENT_EMBED_KEY: "sk-secret-of-the-double",
      ...more,
    };
  }

  rerankEnv() {
    return { DOCENT_RERANK_URL: `${this.url}/`, DOCENT_RERANK_NAME: "double-judge" };
  }

  chatEnv(more = {}) {
    return {
      DOCENT_MODEL_URL: this.url,
      DOCENT_MODEL_NAME: "double-chat",
      DOCENT_MODEL_KEY: "sk-secret-of-the-chat",
      ...more,
    };
  }

  /** What is said in a recording: [second, text], whatever its bytes are. */
  spoken = [[0, "Nothing of note."]];
  hears = () => ({
    language: "english",
    text: this.spoken.map(([, text]) => text).join(" "),
    segments: this.spoken.map(([start, text], id) => ({ id, start, end: start + 3, text: ` ${text}` })),
  });

  /** Texts that the moderation flags hold this. */
  forbidden = "FORBIDDEN";

  moderations(input) {
    const flagged = String(input).includes(this.forbidden);
    return { id: "m", results: [{ flagged, categories: { violence: flagged } }] };
  }

  asked(path) {
    return this.log.filter((entry) => entry.path === path);
  }

  /** All texts that were embedded. */
  texts() {
    return this.asked("/v1/embeddings").flatMap(({ body }) => body.input);
  }

  async answer(req, res) {
    const pieces = [];
    for await (const piece of req) pieces.push(piece);
    const text = Buffer.concat(pieces).toString();
    const body = /^multipart/.test(req.headers["content-type"]) ? fieldsOf(text, req) : JSON.parse(text);
    this.log.push({
      path: req.url,
      body,
      key: req.headers.authorization,
      at: Date.now(),
      socket: req.socket.remotePort,
    });
    if (req.url.endsWith("/chat/completions")) return this.chat.answer(body, req, res);
    const way = this.ways.shift() ?? this.way;
    const send = (value, status = 200, headers = {}) =>
      res
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(typeof value === "string" ? value : JSON.stringify(value));
    if (typeof way === "function") return way(body, send, res);
    if (way === "stall") return; // until the other side goes
    if (typeof way === "number") return send({ error: { message: `no, ${req.headers.authorization}` } }, way);
    if (way === "retry-after") return send({}, 429, { "retry-after": "1" });
    if (way === "redirect") return send("", 307, { location: `${this.url}/elsewhere` });
    if (way === "html") return send("<html>busy</html>");
    if (way === "huge") return send(`{"data": [${" ".repeat(40_000_000)}]}`);
    if (req.url === "/v1/audio/transcriptions") return send(this.hears(body));
    if (req.url === "/v1/embeddings") return send(this.embeddings(body.input, way));
    if (req.url === "/v1/moderations") return send(this.moderations(body.input));
    if (req.url === "/v1/rerank") return send(this.judgements(body, way));
    send({}, 404);
  }

  embeddings(texts, way) {
    const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text, this.dims) }));
    if (way === "backwards") data.reverse();
    if (way === "few") data.pop();
    if (way === "dims") for (const row of data) row.embedding.push(0);
    if (way === "ragged") data.at(-1).embedding.push(0);
    if (way === "twice") for (const row of data) row.index = 0;
    const text = JSON.stringify({ object: "list", model: "double", data, usage: { total_tokens: 1 } });
    if (way === "nan") return text.replace(/"embedding":\[[^,]*/, '"embedding":[NaN');
    if (way === "infinite") return text.replace(/"embedding":\[[^,]*/, '"embedding":[1e300');
    if (way === "words") return text.replace(/"embedding":\[[^,]*/, '"embedding":["a"');
    return text;
  }

  likes = () => 0;

  judgements({ query, documents, top_n }, way) {
    const results = documents
      .map((text, index) => ({ index, relevance_score: this.likes(text, query) }))
      .sort((a, b) => b.relevance_score - a.relevance_score)
      .slice(0, top_n);
    if (way === "few") results.pop();
    if (way === "nan") return JSON.stringify({ results }).replace(/"relevance_score":[^}]*/, '"relevance_score":NaN');
    return { id: "x", results, meta: {} };
  }
}

export const models = (t) => new Models().open(t);
