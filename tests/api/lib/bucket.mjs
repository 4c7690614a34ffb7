// A small S3 server on 127.0.0.1 that keeps objects in memory, checks signatures and the hashes of
// bodies, and misbehaves as it is told: by the words of a bucket's name ("storm-2" fails twice), or
// by a function that sees each request first. Run by itself it prints its address:
//
//   node tests/api/lib/bucket.mjs
import { createHash, createHmac } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { pathToFileURL } from "node:url";

export const KEY_ID = "TESTKEY";
export const SECRET = "testsecret";

const sha256 = (bytes) => createHash("sha256").update(bytes).digest("hex");
const hmac = (key, text) => createHmac("sha256", key).update(text).digest();
const xml = (body) => `<?xml version="1.0" encoding="UTF-8"?>\n${body}`;
const escaped = (text) => text.replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/"/g, "&quot;");

/** What is wrong with the signature of a request; null: nothing. */
function badSignature(req, url, body) {
  const found =
    /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\d{8})\/([^/]+)\/s3\/aws4_request, ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      req.headers.authorization ?? "",
    );
  if (!found) return "AccessDenied";
  const [, keyId, day, region, signed, signature] = found;
  if (keyId !== KEY_ID) return "InvalidAccessKeyId";
  const time = req.headers["x-amz-date"];
  const names = signed.split(";");
  if (!names.includes("host") || !names.includes("x-amz-content-sha256")) return "AccessDenied";
  const canonical = [
    req.method,
    url.pathname,
    url.search.slice(1),
    ...names.map((name) => `${name}:${req.headers[name].trim()}`),
    "",
    signed,
    req.headers["x-amz-content-sha256"],
  ].join("\n");
  const query = url.search.slice(1).split("&");
  if (query.join("&") !== [...query].sort().join("&")) return "SignatureDoesNotMatch";
  const scope = `${day}/${region}/s3/aws4_request`;
  const text = ["AWS4-HMAC-SHA256", time, scope, sha256(canonical)].join("\n");
  const key = [region, "s3", "aws4_request"].reduce(hmac, hmac(`AWS4${SECRET}`, day));
  if (hmac(key, text).toString("hex") !== signature) return "SignatureDoesNotMatch";
  return req.headers["x-amz-content-sha256"] === sha256(body) ? null : "XAmzContentSHA256Mismatch";
}

const STATUS = {
  NoSuchBucket: 404,
  NoSuchKey: 404,
  NoSuchUpload: 404,
  InternalError: 500,
  SlowDown: 503,
  AuthorizationHeaderMalformed: 400,
  XAmzContentSHA256Mismatch: 400,
  PermanentRedirect: 301,
};

/** What words of a bucket's name do to a request, so many times for each method and object. */
const faults = {
  storm: (ask) => ask.refuse("InternalError"),
  slowdown: (ask) => ask.refuse("SlowDown", "", { "retry-after": "1" }),
  reset: (ask) => ask.req.socket.destroy(),
  freeze: () => {},
  // Done, and the answer is lost.
  lost: async (ask) => {
    if (ask.req.method === "GET") return false;
    await ask.server.serve({ ...ask, send: () => ask.req.socket.destroy() });
    return true;
  },
  cut: (ask) => ask.instead((res, bytes) => res.write(bytes.subarray(0, bytes.length >> 1), () => res.destroy())),
  drip: (ask) => ask.instead((res, bytes) => res.write(bytes.subarray(0, 1))),
  wrong: (ask) =>
    ask.instead((res, bytes) => res.end(Buffer.concat([bytes.subarray(0, -1), Buffer.from([bytes.at(-1) ^ 1])]))),
  late: (ask) => (ask.req.method === "GET" && ask.key ? ask.refuse("NoSuchKey") : false),
  broken: (ask) =>
    ask.req.method === "POST" && ask.query.has("uploadId") ? ask.refuse("InternalError", "", {}, 200) : false,
  // Removes one after another, and takes its time.
  slow: async (ask) => {
    if (ask.req.method === "DELETE") await new Promise((done) => setTimeout(done, 200));
    return false;
  },
  keep: (ask) => (ask.req.method === "DELETE" ? ask.refuse("AccessDenied") : false),
  half: (ask) => (ask.query.get("partNumber") === "2" ? ask.refuse("InternalError") : false),
};
/** Refusals of everything. */
const refusals = {
  missing: "NoSuchBucket",
  denied: "AccessDenied",
  skewed: "RequestTimeTooSkewed",
  elsewhere: "AuthorizationHeaderMalformed",
  redirect: "PermanentRedirect",
  full: "QuotaExceeded",
};

export class Bucket {
  objects = new Map(); // "bucket/key": { bytes, at }
  uploads = new Map(); // id: { key, parts }
  log = []; // "GET bucket/key?query"
  counts = new Map();
  before = null; // (ask) => whether it has dealt with the request
  ageMs = 0; // everything seems so much older

  /** tls: { key, cert } of the name localhost. */
  async open(t, port = 0, tls = null) {
    const answer = (req, res) => this.answer(req, res);
    this.server = tls ? https.createServer(tls, answer) : http.createServer(answer);
    this.server.keepAliveTimeout = 60_000;
    await new Promise((resolve) => this.server.listen(port, "127.0.0.1", resolve));
    this.url = `${tls ? "https://localhost" : "http://127.0.0.1"}:${this.server.address().port}`;
    t?.after(() => this.close());
    return this;
  }

  close() {
    return new Promise((resolve) => {
      this.server.close(resolve);
      this.server.closeAllConnections();
    });
  }

  /** The environment of a server whose blobs are in that bucket. */
  env(bucket, prefix = "") {
    return {
      DOCENT_BLOB: `s3://${bucket}${prefix && "/"}${prefix}`,
      DOCENT_S3_ENDPOINT: this.url,
      DOCENT_S3_KEY_ID: KEY_ID,
      DOCENT_S3_SECRET: SECRET,
    };
  }

  /** The names of the blobs in a bucket. */
  blobs(bucket) {
    return [...this.objects.keys()]
      .filter((key) => key.startsWith(`${bucket}/`) && /\/[0-9a-f]{64}$/.test(key))
      .map((key) => key.slice(-64));
  }

  async answer(req, res) {
    const url = new URL(req.url, this.url);
    const chunks = [];
    for await (const chunk of req) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const [, name, key] = /^\/([^/]*)\/?(.*)$/.exec(url.pathname);
    const ask = { server: this, req, url, body, name, key, at: `${name}/${key}`, query: url.searchParams };
    ask.send = (status, bytes = "", headers = {}) => {
      const out = Buffer.from(bytes);
      res.writeHead(status, { "content-length": out.length, ...headers });
      res.end(req.method === "HEAD" ? "" : out);
    };
    ask.instead = (fn) => {
      const object = req.method === "GET" && key && this.objects.get(ask.at);
      if (!object) return false;
      res.writeHead(200, { "content-length": object.bytes.length });
      fn(res, object.bytes);
      return true;
    };
    ask.refuse = (code, more = "", headers = {}, status = STATUS[code] ?? 403) => {
      const text = xml(`<Error><Code>${code}</Code><Message>a secret of the server</Message>${more}</Error>`);
      ask.send(status, req.method === "HEAD" ? "" : text, { "content-type": "application/xml", ...headers });
      return true;
    };
    this.log.push(`${req.method} ${ask.at}${url.search}`);
    if (url.pathname === "/uploads") return ask.send(200, String(this.uploads.size));
    try {
      if ((await this.before?.(ask)) || (await this.misbehave(ask))) return;
      const bad = badSignature(req, url, body);
      if (bad) return ask.refuse(bad);
      this.serve(ask);
    } catch (error) {
      ask.send(500, String(error.stack));
    }
  }

  async misbehave(ask) {
    const words = ask.name.split("-");
    for (const word of words) {
      if (refusals[word]) return ask.refuse(refusals[word], "<Region>mars-1</Region>");
      if (!faults[word]) continue;
      const times = Number(words[words.indexOf(word) + 1] ?? Infinity);
      const at = `${word} ${ask.req.method} ${ask.at} ${ask.query.get("partNumber") ?? ""}`;
      const count = (this.counts.get(at) ?? 0) + 1;
      if (count > times) continue;
      this.counts.set(at, count);
      if ((await faults[word](ask)) !== false) return true;
    }
    return false;
  }

  serve(ask) {
    const { req, key, query } = ask;
    if (!key) return query.has("uploads") ? this.listUploads(ask) : this.list(ask);
    if (query.has("uploads") || query.has("uploadId")) return this.multipart(ask);
    const object = this.objects.get(ask.at);
    if (req.method === "PUT") {
      this.objects.set(ask.at, { bytes: ask.body, at: Date.now() });
      return ask.send(200, "", { etag: `"${sha256(ask.body).slice(0, 32)}"` });
    }
    if (req.method === "DELETE") {
      this.objects.delete(ask.at);
      return ask.send(204);
    }
    if (!object) return ask.refuse("NoSuchKey");
    if (req.method === "HEAD") return ask.send(200, "", { "content-length": object.bytes.length });
    ask.send(200, object.bytes);
  }

  /** Pages of three, or of a thousand where there is much; with tokens that have to be encoded and unescaped. */
  list(ask) {
    const prefix = ask.query.get("prefix") ?? "";
    const token = ask.query.get("continuation-token");
    const from = token ? token.replace(/^<&"\+ /, "") : "";
    const all = [...this.objects]
      .map(([at, object]) => [at.slice(ask.name.length + 1), object, at])
      .filter(([key, , at]) => at.startsWith(`${ask.name}/${prefix}`) && key > from)
      .sort(([a], [b]) => (a < b ? -1 : 1));
    const page = all.slice(0, all.length > 1000 ? 1000 : 3);
    const next =
      all.length > page.length
        ? `<NextContinuationToken>${escaped(`<&"+ ${page.at(-1)[0]}`)}</NextContinuationToken>`
        : "";
    const rows = page.map(
      ([key, object]) =>
        `<Contents><Key>${escaped(key)}</Key><LastModified>${this.time(object.at)}</LastModified><Size>${object.bytes.length}</Size></Contents>`,
    );
    ask.send(200, xml(`<ListBucketResult>${next}${rows.join("")}</ListBucketResult>`));
  }

  time(at) {
    return new Date(at - this.ageMs).toISOString();
  }

  listUploads(ask) {
    const ours = [...this.uploads].filter(([, upload]) => upload.at.startsWith(`${ask.name}/`));
    const rows = ours.map(
      ([id, upload]) =>
        `<Upload><Key>${upload.at.slice(ask.name.length + 1)}</Key><UploadId>${escaped(id)}</UploadId><Initiated>${this.time(upload.begun)}</Initiated></Upload>`,
    );
    ask.send(200, xml(`<ListMultipartUploadsResult>${rows.join("")}</ListMultipartUploadsResult>`));
  }

  multipart(ask) {
    const { req, query } = ask;
    if (req.method === "POST" && query.has("uploads")) {
      const id = `+/=&${this.uploads.size + this.log.length}`; // to be encoded
      this.uploads.set(id, { at: ask.at, parts: new Map(), begun: Date.now() });
      return ask.send(
        200,
        xml(`<InitiateMultipartUploadResult><UploadId>${escaped(id)}</UploadId></InitiateMultipartUploadResult>`),
      );
    }
    const upload = this.uploads.get(query.get("uploadId"));
    if (!upload || upload.at !== ask.at) return ask.refuse("NoSuchUpload");
    if (req.method === "PUT") {
      const etag = `"${sha256(ask.body).slice(0, 32)}"`;
      upload.parts.set(Number(query.get("partNumber")), { bytes: ask.body, etag });
      return ask.send(200, "", { etag });
    }
    this.uploads.delete(query.get("uploadId"));
    if (req.method === "DELETE") return ask.send(204);
    const named = [...ask.body.toString().matchAll(/<PartNumber>(\d+)<\/PartNumber><ETag>([^<]+)<\/ETag>/g)];
    const parts = named.map(([, number, etag]) => {
      const part = upload.parts.get(Number(number));
      return part?.etag === etag ? part.bytes : null;
    });
    if (!parts.length || parts.includes(null)) return ask.refuse("InvalidPart", "", {}, 400);
    this.objects.set(ask.at, { bytes: Buffer.concat(parts), at: Date.now() });
    ask.send(200, xml("<CompleteMultipartUploadResult></CompleteMultipartUploadResult>"));
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const bucket = await new Bucket().open();
  console.log(bucket.url);
  process.stdin.on("end", () => process.exit(0)).resume(); // with whoever started it
}
