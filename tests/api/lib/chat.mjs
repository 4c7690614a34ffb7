// The chat half of a model server's double: it answers from the sources in the prompt (or says what it is
// told to), in the dialects of the servers that people run, with every way of going wrong.
//
//   say       text, list of pieces, or function of the messages; null: from the prompt's sources
//   cites     for null: good none wrong shifted invented cut grouped adjacent fullwidth linked code
//             footnote bare early name upper
//   lies      none number negated name unsupported (the marker stays the right one)
//   dialect   openai llamacpp vllm ollama sglang azure openrouter litellm
//   mode      how it goes wrong (see `heads`, `trouble` and `stream`), after `at` pieces
//   pieces    "words", "chars", a number of characters, or null: as scripted
//   wire      bytes a write, wherever that cuts; ttft, gap: milliseconds
//   until     how many pieces may be sent; the others wait until it is raised
import { gzipSync } from "node:zlib";
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const stop = new Set(
  (
    "a an the of in on at to for from by with and or but is are was were be been am do does did has have had it its this " +
    "that these those he she they i you we not no can will would should may might what which who when where why how as if " +
    "than then so there here your my our"
  ).split(" "),
);
const words = (text) => text.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];

const root = (word) => {
  const end = ["ings", "ing", "ies", "ed", "es", "ly", "s"].find(
    (e) => word.endsWith(e) && word.length - e.length >= 3,
  );
  return end ? word.slice(0, -end.length) : word;
};

function overlap(query, text) {
  const asked = new Set(
    words(query)
      .filter((w) => !stop.has(w))
      .map(root),
  );
  const held = new Set(words(text).map(root));
  return asked.size ? [...asked].filter((w) => held.has(w)).length / asked.size : 0;
}

export const contentOf = (message) =>
  typeof message.content === "string" ? message.content : message.content.map((part) => part.text ?? "").join("");
export const promptOf = (body) => body.messages.map(contentOf).join("\n");

/** The sources of a prompt: [{ id, text }]. */
export const sourcesOf = (body) =>
  [...promptOf(body).matchAll(/<source id="([^"]+)"[^>]*>([^]*?)<\/source>/g)].map(([, id, text]) => ({
    id,
    text: text.trim(),
  }));
const sentences = (text) => text.split(/(?<=[.!?。])\s+|\n+/).filter((s) => words(s).length >= 3);

const lying = {
  none: (s) => s,
  number: (s) => s.replace(/\d+/g, (n) => String(Number(n) + 7)),
  negated: (s) => s.replace(/\b(is|are|was|were|can|may|must|will|has|have)\b/, "$1 not"),
  name: (s) => s.replace(/(?<=\s)[A-Z][a-z]{2,}/, "Zanzibar"),
  unsupported: () => "Bananas are blue and the moon is made of green cheese.",
};

const citing = {
  good: ({ body, mark, end }) => `${body} ${mark}${end}`,
  none: ({ body, end }) => `${body}${end}`,
  wrong: ({ body, other, end }) => `${body} [${other}]${end}`,
  shifted: ({ body, mark, end }) => `${body}${end} ${mark} And so it is.`,
  invented: ({ body, end }) => `${body} [z9z]${end}`,
  cut: ({ body, id }) => `${body} [${id[0]}`,
  grouped: ({ body, id, other, end }) => `${body} [${id}, ${other}]${end}`,
  adjacent: ({ body, mark, other, end }) => `${body} ${mark}[${other}]${mark}${end}`,
  fullwidth: ({ body, id, end }) => `${body} 【${id}】${end}`,
  linked: ({ body, mark, end }) => `${body} ${mark}(https://evil.example/?q=1)${end}`,
  code: ({ body, mark, end }) => `${body} ${mark}${end}\n\n\`\`\`\nprint(a${mark}, b[0])\n\`\`\`\n`,
  footnote: ({ body, id, end }) => `${body} [^${id}]${end}\n\n[^${id}]: https://evil.example/f\n`,
  bare: ({ body, id, end }) => `${body} (${id})${end}`,
  early: ({ body, mark, end }) => `${mark} ${body}${end}`,
  name: ({ body, text, end }) => `${body} [${text.slice(0, 24)}]${end}`,
  upper: ({ body, mark, end }) => `${body} ${mark.toUpperCase()}${end}`,
};

export class Chat {
  say = null;
  cites = "good";
  lies = "none";
  dialect = "openai";
  mode = "ok";
  modes = []; // one for each next request; then `mode`
  at = 2;
  pieces = "words";
  wire = 0;
  ttft = 0;
  gap = 0;
  until = Infinity;
  begins = () => true; // the head goes out once it is
  finish = "stop";
  reasoning = null;
  usage = null; // null: as asked for
  retryAfter = "1";
  of = null; // (body) => what is otherwise for this request: { mode, dialect, wire, … }
  seen = []; // { body, key, mode, sent, gone, at }
  live = 0;
  peak = 0;

  /** The requests for answers, without those for rewriting and the like. */
  get answers() {
    return this.seen.filter(({ body }) => body.stream);
  }

  /** An answer from the prompt's sources: the sentence nearest to the question. */
  compose(body) {
    const question = contentOf(body.messages.findLast((m) => m.role === "user")).slice(-600);
    const sources = sourcesOf(body);
    const best = sources
      .flatMap((source, i) => sentences(source.text).map((s) => ({ i, s, score: overlap(question, s) })))
      .sort((a, b) => b.score - a.score || a.i - b.i)[0];
    if (!best) return "I do not know.";
    const { id, text } = sources[best.i];
    const s = lying[this.lies](best.s);
    const [said, end] = /[.!?。]$/.test(s) ? [s.slice(0, -1), s.at(-1)] : [s, "."];
    const other = sources[(best.i + 1) % sources.length].id;
    return citing[this.cites]({ body: said, mark: `[${id}]`, id, other, text, end });
  }

  partsOf(body) {
    let said = typeof this.say === "function" ? this.say(body) : this.say;
    said ??= this.compose(body);
    if (Array.isArray(said)) return said;
    if (this.pieces === "chars") return [...said];
    if (typeof this.pieces === "number") return said.match(new RegExp(`[^]{1,${this.pieces}}`, "gu")) ?? [];
    return said.match(/\s*\S+|\s+$/g) ?? [];
  }

  async answer(body, req, res) {
    const own = Object.assign(Object.create(this), this.of?.(body));
    const mode = this.modes.shift() ?? own.mode;
    const entry = { body, key: req.headers.authorization, mode, sent: 0, gone: false, at: Date.now() };
    this.seen.push(entry);
    this.peak = Math.max(this.peak, ++this.live);
    let ended = false;
    res.on("close", () => {
      entry.gone = !ended;
      this.live--;
    });
    try {
      await new Answer(own, entry, res).run();
      ended = true;
    } catch (error) {
      if (error !== gone) throw error;
    }
  }
}

const gone = new Error("the client has left");

class Answer {
  constructor(chat, entry, res) {
    Object.assign(this, { chat, entry, res, mode: entry.mode, dialect: chat.dialect });
    res.setMaxListeners(0); // each full buffer waits for its end
  }

  async run() {
    const { chat, mode, entry } = this;
    while (!chat.begins()) await this.wait(10);
    if (await this.head()) return;
    const parts = ["empty", "nochoices"].includes(mode) ? [] : chat.partsOf(entry.body);
    const finish = { length: "length", filter: "content_filter" }[mode] ?? chat.finish;
    const n = words(promptOf(entry.body)).length;
    const usage = { prompt_tokens: n, completion_tokens: parts.length, total_tokens: n + parts.length };
    const stream = Boolean(entry.body.stream) !== ["plain", "sse"].includes(mode);
    this.withUsage = chat.usage ?? (entry.body.stream ? Boolean(entry.body.stream_options?.include_usage) : true);
    if (stream) await this.stream(parts, finish, usage);
    else await this.whole(parts, finish, usage);
  }

  json(value, status = 200, headers = {}) {
    this.res
      .writeHead(status, { "content-type": "application/json", ...headers })
      .end(typeof value === "string" ? value : JSON.stringify(value));
  }

  refuse(status, message, type, headers = {}) {
    const code = ["llamacpp", "vllm", "openrouter"].includes(this.dialect) ? status : type;
    this.json({ error: { message, type, param: null, code } }, status, headers);
  }

  reset() {
    this.res.socket.resetAndDestroy();
    throw gone;
  }

  async wait(ms) {
    for (const end = Date.now() + ms; Date.now() < end;) {
      if (this.res.destroyed) throw gone;
      await pause(Math.min(20, Math.max(1, end - Date.now())));
    }
  }

  /** Trouble that shows in the head. True: the request is dealt with. */
  async head() {
    const { mode, chat } = this;
    const later = chat.retryAfter ? { "retry-after": chat.retryAfter } : {};
    if (mode === "429") this.refuse(429, "Rate limit reached", "rate_limit_exceeded", later);
    else if (mode === "503") this.refuse(503, "overloaded", "overloaded_error", later);
    else if (/^\d+$/.test(mode)) this.refuse(Number(mode), `no, ${this.entry.key}`, "api_error");
    else if (mode === "context")
      this.refuse(
        400,
        "request (6027 tokens) exceeds the available context size (4096 tokens)",
        this.dialect === "llamacpp" ? "exceed_context_size_error" : "context_length_exceeded",
      );
    else if (mode === "redirect") this.json("", 307, { location: "http://127.0.0.1:9/elsewhere" });
    else if (mode === "html") this.json("<html>busy</html>", 200, { "content-type": "text/html" });
    else if (mode === "badjson") this.json('{"choices": [');
    else if (mode === "gzipped") {
      this.res.writeHead(200, { "content-type": "text/event-stream", "content-encoding": "gzip" });
      const bytes = gzipSync(`data: ${JSON.stringify(this.chunk({ content: "One" }))}\n\n`);
      for (let i = 0; i < bytes.length; i++) {
        await this.raw(bytes.subarray(i, i + 1));
        await this.wait(500);
      }
    } else if (mode === "hang") await this.wait(60_000);
    else if (mode === "reset") this.reset();
    else return false;
    return true;
  }

  get thoughts() {
    return ["ollama", "openrouter", "vllm"].includes(this.dialect) ? "reasoning" : "reasoning_content";
  }

  async whole(parts, finish, usage) {
    const { chat, mode } = this;
    await this.wait(chat.ttft + chat.gap * parts.length);
    const message = { role: "assistant", content: parts.join("") };
    if (chat.reasoning) message[this.thoughts] = chat.reasoning;
    const choices = mode === "nochoices" ? [] : [{ index: 0, message, finish_reason: finish }];
    const value =
      mode === "error"
        ? { error: { message: "engine died", type: "server_error", code: 500 } }
        : { id: "chatcmpl-1", object: "chat.completion", model: this.entry.body.model, usage, choices };
    const text = JSON.stringify(value);
    this.entry.sent = parts.length;
    if (!["cut", "cutjson", "shortlength", "stall", "rst"].includes(mode)) return this.json(text);
    this.res.writeHead(200, { "content-length": Buffer.byteLength(text) });
    this.res.write(text.slice(0, text.length / 2));
    if (mode === "stall") await this.wait(60_000);
    this.res.socket.destroySoon();
    throw gone;
  }

  // ---- a stream ----

  async raw(data) {
    const { wire } = this.chat;
    const bytes = Buffer.from(data);
    for (let i = 0; i < bytes.length; i += wire || bytes.length) {
      if (this.res.destroyed) throw gone;
      const free = this.res.write(wire ? bytes.subarray(i, i + wire) : bytes);
      if (wire) await new Promise((resolve) => setImmediate(resolve));
      if (!free) await new Promise((resolve) => (this.res.once("drain", resolve), this.res.once("close", resolve)));
    }
  }

  frame(value) {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    const end = this.mode === "crlf" ? "\r\n" : "\n";
    if (this.mode === "multiline" && text[0] === "{")
      return this.raw(`data: {${end}data: ${text.slice(1)}${end}${end}`);
    const before = this.mode === "events" ? `id: 7${end}event: message${end}retry: 10${end}` : "";
    return this.raw(`${before}data:${this.mode === "noblank" ? "" : " "}${text}${end}${end}`);
  }

  chunk(delta, finish = null, more = {}) {
    const choice = { index: 0, delta: delta ?? {}, finish_reason: finish };
    if (this.dialect === "azure") choice.content_filter_results = {};
    if (["vllm", "openai"].includes(this.dialect)) choice.logprobs = null;
    if (this.dialect === "ollama" && delta) choice.delta = { role: "assistant", content: "", ...delta };
    const value = {
      id: "chatcmpl-1",
      object: "chat.completion.chunk",
      model: this.entry.body.model,
      choices: delta === null && finish === null ? [] : [choice],
    };
    if (this.dialect === "openai" && this.withUsage) value.usage = null;
    return { ...value, ...more };
  }

  async begin() {
    const { mode, dialect, chat } = this;
    if (mode === "slowhead") await this.wait(60_000);
    const head = { "content-type": "text/event-stream" };
    if (mode === "gzip") head["content-encoding"] = "gzip";
    if (mode === "shortlength") head["content-length"] = "10000000";
    this.res.writeHead(200, head);
    this.res.flushHeaders();
    if (dialect === "azure") await this.frame(this.chunk(null, null, { prompt_filter_results: [{ prompt_index: 0 }] }));
    if (dialect === "openrouter" || mode === "comments") await this.raw(": OPENROUTER PROCESSING\n\n");
    if (dialect !== "ollama")
      await this.frame(this.chunk({ role: "assistant", content: dialect === "llamacpp" ? null : "" }));
    if (chat.ttft) await this.wait(chat.ttft);
    for (const piece of chat.reasoning?.match(/\s*\S+/g) ?? [])
      await this.frame(this.chunk({ [this.thoughts]: piece }));
  }

  async stream(parts, finish, usage) {
    const { mode, chat, entry } = this;
    await this.begin();
    let i = 0;
    for (; i < parts.length || (mode === "endless" && parts.length); i++) {
      while (i >= chat.until) await this.wait(1);
      if (i === chat.at && (await this.trouble())) return;
      await this.noise();
      const piece = parts[i % parts.length];
      if (mode === "halfchar" && /[^\x00-\x7f]/.test(piece)) await this.halves(piece);
      else await this.frame(this.chunk({ content: piece }));
      entry.sent = i + 1;
      if (chat.gap) await this.wait(chat.gap);
      else if (mode === "endless") await pause(1);
    }
    if (i <= chat.at && (await this.trouble())) return;
    if (mode === "truncutf8") {
      await this.raw(Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"caf\xc3', "latin1"));
      return this.res.end();
    }
    if (mode === "tools") finish = "tool_calls";
    if (mode !== "nofinish")
      for (let k = 0; k < (mode === "dupfinish" ? 2 : 1); k++) await this.frame(this.chunk({}, finish));
    if (this.withUsage)
      await this.frame(
        this.chunk(null, null, { usage, ...(this.dialect === "llamacpp" ? { timings: { predicted_n: i } } : {}) }),
      );
    if (mode !== "nodone") await this.frame("[DONE]");
    if (mode === "afterdone") {
      await this.frame(this.chunk({ content: " AFTER THE END" }));
      await this.frame("[DONE]");
    }
    if (mode === "shortlength") {
      this.res.socket.destroySoon();
      throw gone;
    }
    this.res.end();
  }

  async noise() {
    if (this.mode === "comments") await this.raw(":\n\n");
    if (this.mode === "nullcontent") await this.frame(this.chunk({ content: null }));
    if (this.mode === "tools")
      await this.frame(this.chunk({ tool_calls: [{ index: 0, id: "t1", function: { name: "f", arguments: "{" } }] }));
    if (this.mode === "twochoices") {
      const value = this.chunk({ content: "SECOND CHOICE " });
      value.choices[0].index = 1;
      await this.frame(value);
    }
  }

  async halves(piece) {
    const bytes = Buffer.from(`data: ${JSON.stringify(this.chunk({ content: piece }))}\n\n`);
    const at = bytes.findIndex((b) => b > 127) + 1;
    await this.raw(bytes.subarray(0, at));
    await pause(30);
    await this.raw(bytes.subarray(at));
  }

  /** After `at` pieces. True: that was the end. */
  async trouble() {
    const { mode } = this;
    const error = { message: "engine died", type: "server_error", code: 500 };
    const close = () => {
      this.res.socket.destroySoon();
      throw gone;
    };
    if (mode === "cut") close();
    if (mode === "cutjson") {
      await this.raw('data: {"id":"chatcmpl-1","choices":[{"index":0,"delta":{"conte');
      close();
    }
    if (mode === "rst") {
      await pause(50); // or what was written would be lost with it
      this.reset();
    }
    if (mode === "stall") await this.wait(60_000);
    if (mode === "blank")
      for (;;) {
        await this.frame(this.chunk({ content: "" }));
        await this.raw(": still there\n\n");
        await this.wait(50);
      }
    if (mode === "error" || mode === "errordone") {
      await this.frame({ error });
      if (mode === "errordone") await this.frame("[DONE]");
      this.res.end();
      return true;
    }
    if (mode === "errorfinish") {
      await this.frame({ ...this.chunk({ content: "" }, "error"), error: { code: 502, message: "gone" } });
      this.res.end();
      return true;
    }
    if (mode === "garbage") await this.raw("data: {not json\n\n");
    if (mode === "badutf8")
      await this.raw(Buffer.from('data: {"choices":[{"index":0,"delta":{"content":"\xff\xfe\xc3("}}]}\n\n', "latin1"));
    if (mode === "lonesurrogate") await this.raw('data: {"choices":[{"index":0,"delta":{"content":"\\ud83d"}}]}\n\n');
    if (mode === "nul")
      await this.raw('data: {"choices":[{"index":0,"delta":{"content":"\\u0000\\u0007\\u001b[31m"}}]}\n\n');
    if (mode === "hugeline") await this.raw(`data: {"x":"${"x".repeat(20_000_000)}"}\n\n`);
    return false;
  }
}
