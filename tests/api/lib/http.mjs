// One HTTP request as exactly as a story wants it: nothing is added, followed or retried.
import http from "node:http";
import net from "node:net";
import { patient } from "./patience.mjs";

export const keepAlive = new http.Agent({ keepAlive: true, maxSockets: 64 });

/** The fields of an answer that came more than once; Node joins or drops them. */
function repeated(rawHeaders) {
  const names = rawHeaders.filter((_, i) => i % 2 === 0).map((name) => name.toLowerCase());
  return names.filter((name, i) => name !== "set-cookie" && names.indexOf(name) !== i);
}

/** Sends one request; gives { status, headers, rawHeaders, bytes, text }. body: Buffer, string or
 * an async iterable (sent chunked). An answer that has a field twice is a fault. */
export function request(url, { method = "GET", headers = {}, body, agent = keepAlive } = {}) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const path = url.slice(url.indexOf("/", url.indexOf("//") + 2));
    const req = http.request({ hostname, port, path, method, headers, agent }, (res) => {
      const pieces = [];
      res.on("data", (piece) => pieces.push(piece));
      res.on("error", reject);
      res.on("end", () => {
        const bytes = Buffer.concat(pieces);
        const twice = repeated(res.rawHeaders);
        if (twice.length) return reject(new Error(`${method} ${path}: ${res.statusCode} has ${twice} more than once`));
        resolve({
          status: res.statusCode,
          headers: res.headers,
          rawHeaders: res.rawHeaders,
          bytes,
          text: bytes.toString("utf8"),
        });
      });
    });
    req.on("error", reject);
    if (body === undefined || typeof body === "string" || Buffer.isBuffer(body)) {
      if (body !== undefined && !("content-length" in headers) && !("transfer-encoding" in headers))
        req.setHeader("content-length", Buffer.byteLength(body));
      req.end(body);
      return;
    }
    (async () => {
      for await (const piece of body) {
        if (req.destroyed || req.writableEnded) return;
        if (!req.write(piece))
          await new Promise((go) => {
            req.once("drain", go);
            req.once("close", go);
          });
      }
      req.end();
    })().catch(() => req.destroy());
  });
}

/** Sends raw bytes to the server at `url` and gives all bytes that come back until it closes. */
export function raw(url, bytes, { endAfter = true, ms = 10_000 } = {}) {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(url);
    const pieces = [];
    const socket = net.connect(Number(port), hostname, () => {
      socket.write(bytes);
      if (endAfter) socket.end();
    });
    socket.setTimeout(patient(ms), () => socket.destroy(new Error(`the server said nothing more for ${ms} ms`)));
    socket.on("data", (piece) => pieces.push(piece));
    socket.on("error", (error) => (pieces.length ? resolve(Buffer.concat(pieces)) : reject(error)));
    socket.on("close", () => resolve(Buffer.concat(pieces)));
  });
}

const bytesOf = (value) => (Buffer.isBuffer(value) ? value : Buffer.from(String(value)));

/**
 * A multipart body that can be as odd as real clients make it. Parts, in order:
 *   { name, value }                       a text field
 *   { name, filename, type, value }       a file; filename undefined: none is sent
 *   { head: "…", value }                  the part's own header lines, as they are
 */
export function multipart(parts, boundary = "----docentStory7MA4YWxkTrZu0gW") {
  const pieces = [];
  for (const part of parts) {
    let head = part.head;
    if (head === undefined) {
      head = `Content-Disposition: form-data; name="${part.name}"`;
      if (part.filename !== undefined) head += `; filename="${part.filename}"`;
      if (part.type !== undefined) head += `\r\nContent-Type: ${part.type}`;
    }
    pieces.push(Buffer.from(`--${boundary}\r\n${head}\r\n\r\n`), bytesOf(part.value), Buffer.from("\r\n"));
  }
  pieces.push(Buffer.from(`--${boundary}--\r\n`));
  return { type: `multipart/form-data; boundary=${boundary}`, body: Buffer.concat(pieces) };
}

/** The usual form: fields, and files by name. */
export function form(fields = {}, files = {}) {
  const parts = Object.entries(fields).map(([name, value]) => ({ name, value }));
  for (const [filename, value] of Object.entries(files))
    parts.push({ name: "files[]", filename, type: typeOf(filename), value });
  return parts;
}

const types = {
  txt: "text/plain",
  md: "text/markdown",
  html: "text/html",
  csv: "text/csv",
  json: "application/json",
  pdf: "application/pdf",
  docx: "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
};
export const typeOf = (filename) => types[filename.split(".").pop().toLowerCase()] ?? "application/octet-stream";
