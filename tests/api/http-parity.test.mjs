// The same raw bytes to Docent's HTTP server and to Node's (insecureHTTPParser off): both must
// understand the same requests. Docent may refuse what Node accepts where a rule in `stricter` says
// why; it may never accept what Node refuses.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import http from "node:http";
import net from "node:net";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { patient } from "./lib/patience.mjs";

// Older parsers take requests without Host and some more; what is compared is the strict one.
const older = Number(process.versions.node.split(".")[0]) < 20 && "the reference is the parser of Node 20";

const root = path.resolve(path.dirname(fileURLToPath(import.meta.url)), "../..");
const build = path.resolve(root, process.env.BUILD ?? "build");
const program = path.join(build, "tests/unit/http/http_echo_server");

const H = "Host: a\r\n";
const get = (fields = H) => `GET /x HTTP/1.1\r\n${fields}\r\n`;
const post = (fields, body = "") => `POST /x HTTP/1.1\r\n${H}${fields}\r\n${body}`;
const chunked = (body) => post("Transfer-Encoding: chunked\r\n", body);
const line = (text) => `${text}\r\n${H}\r\n`;

// Latin-1 strings: a character is a byte.
const vectors = {
  plain: get(),
  query: line("GET /x?a=b&c=%20 HTTP/1.1"),
  "three pipelined": get() + get() + get(),
  HEAD: line("HEAD /x HTTP/1.1"),
  DELETE: line("DELETE /x HTTP/1.1"),
  "OPTIONS path": line("OPTIONS /x HTTP/1.1"),
  "absolute form": line("GET http://b/x HTTP/1.1"),
  "absolute form, user": line("GET http://u@b/x HTTP/1.1"),
  "absolute form, other scheme": line("GET ftp://b/x HTTP/1.1"),
  "relative target": line("GET x HTTP/1.1"),
  CONNECT: line("CONNECT a:80 HTTP/1.1"),
  TRACE: line("TRACE /x HTTP/1.1"),
  PROPFIND: line("PROPFIND /x HTTP/1.1"),
  "unknown method": line("FOO /x HTTP/1.1"),
  "small method": line("get /x HTTP/1.1"),
  "method with paren": line("G(T /x HTTP/1.1"),
  "method with NUL": line("GE\0T /x HTTP/1.1"),
  "no target": line("GET HTTP/1.1"),
  "no version": line("GET /x"),
  "two blanks": line("GET  /x HTTP/1.1"),
  tab: line("GET\t/x HTTP/1.1"),
  "blank at end": line("GET /x HTTP/1.1 "),
  "blank in target": line("GET /x y HTTP/1.1"),
  "version 0.9": line("GET /x HTTP/0.9"),
  "version 1.0": line("GET /x HTTP/1.0"),
  "version 1.2": line("GET /x HTTP/1.2"),
  "version 2.0": line("GET /x HTTP/2.0"),
  "version 11": line("GET /x HTTP/11"),
  "version with letters": line("GET /x HTTP/1.x"),
  "small version": line("GET /x http/1.1"),
  fragment: line("GET /x#y HTTP/1.1"),
  "UTF-8 target": line("GET /\xc3\xaf HTTP/1.1"),
  "control byte in target": line("GET /\x01 HTTP/1.1"),
  "DEL in target": line("GET /\x7f HTTP/1.1"),
  "quote in target": line('GET /"x" HTTP/1.1'),
  "malformed escape": line("GET /%zz HTTP/1.1"),
  "escaped NUL": line("GET /%00 HTTP/1.1"),
  "empty line first": "\r\n" + get(),
  "bare LF first": "\n" + get(),
  "blank first": " " + get(),
  "no Host": get(""),
  "no Host, 1.0": "GET /x HTTP/1.0\r\n\r\n",
  "two Hosts": get(H + H),
  "two different Hosts": get(H + "Host: b\r\n"),
  "empty Host": get("Host:\r\n"),
  "Host with blank": get("Host: a b\r\n"),
  "Host with slash": get("Host: a/b\r\n"),
  "Host with comma": get("Host: a,b\r\n"),
  "blank before colon": get("Host : a\r\n"),
  "tab before colon": get(H + "A\t: b\r\n"),
  "no colon": get(H + "abc\r\n"),
  "empty name": get(H + ": b\r\n"),
  "name with paren": get(H + "A(: b\r\n"),
  "name with NUL": get(H + "A\0: b\r\n"),
  "name with high byte": get(H + "A\xe4: b\r\n"),
  "empty value": get(H + "A:\r\n"),
  "value with tab": get(H + "A: b\tc\r\n"),
  "value with high bytes": get(H + "A: \xff\x80\r\n"),
  "value with NUL": get(H + "A: b\0c\r\n"),
  "value with control byte": get(H + "A: b\x1fc\r\n"),
  "value with DEL": get(H + "A: b\x7fc\r\n"),
  "obs-fold": get(H + "A: b\r\n c\r\n"),
  "obs-fold with tab": get(H + "A: b\r\n\tc\r\n"),
  "fold before any field": `GET /x HTTP/1.1\r\n ${H}\r\n`,
  "bare CR in value": get(H + "A: b\rc\r\n"),
  "bare CR ends a line": get(H + "A: b\rB: c\r\n"),
  "bare LF ends the request line": `GET /x HTTP/1.1\n${H}\r\n`,
  "bare LF ends a field": get("Host: a\nA: b\r\n"),
  "bare LF ends the head": `GET /x HTTP/1.1\r\n${H}\n`,
  "CR CR LF": `GET /x HTTP/1.1\r\r\n${H}\r\n`,
  "30 KB value": get(H + `A: ${"b".repeat(30000)}\r\n`),
  "100 KB value": get(H + `A: ${"b".repeat(100000)}\r\n`),
  "500 fields": get(H + "A: b\r\n".repeat(500)),
  "long target": line(`GET /${"a".repeat(9000)} HTTP/1.1`),

  length: post("Content-Length: 3\r\n", "abc"),
  "length and what follows": post("Content-Length: 3\r\n", "abc") + get(),
  "length 0": post("Content-Length: 0\r\n") + get(),
  "length 003": post("Content-Length: 003\r\n", "abc"),
  "length too short for the body": post("Content-Length: 2\r\n", "abc"),
  "length too long for the body": post("Content-Length: 9\r\n", "abc"),
  "length +3": post("Content-Length: +3\r\n", "abc"),
  "length 3x": post("Content-Length: 3x\r\n", "abc"),
  "length -1": post("Content-Length: -1\r\n", "abc"),
  "length 0x3": post("Content-Length: 0x3\r\n", "abc"),
  "length 3.0": post("Content-Length: 3.0\r\n", "abc"),
  "length empty": post("Content-Length:\r\n", "abc"),
  "length with blank inside": post("Content-Length: 3 3\r\n", "abc"),
  "length with blanks around": post("Content-Length: \t3 \t\r\n", "abc"),
  "length list": post("Content-Length: 3, 3\r\n", "abc"),
  "two lengths": post("Content-Length: 3\r\nContent-Length: 4\r\n", "abcd"),
  "two equal lengths": post("Content-Length: 3\r\nContent-Length: 3\r\n", "abc"),
  "length over 64 bits": post("Content-Length: 18446744073709551619\r\n", "abc"),
  "body without length": post("", "abc"),
  "GET with body": `GET /x HTTP/1.1\r\n${H}Content-Length: 2\r\n\r\n{}`,
  "length and chunked": post("Content-Length: 3\r\nTransfer-Encoding: chunked\r\n", "0\r\n\r\n"),
  "chunked and length": post("Transfer-Encoding: chunked\r\nContent-Length: 3\r\n", "0\r\n\r\n"),

  chunked: chunked("3\r\nabc\r\n0\r\n\r\n"),
  "chunked and what follows": chunked("3\r\nabc\r\n0\r\n\r\n") + get(),
  Chunked: post("Transfer-Encoding: Chunked\r\n", "0\r\n\r\n"),
  xchunked: post("Transfer-Encoding: xchunked\r\n", "0\r\n\r\n"),
  "chunked, identity": post("Transfer-Encoding: chunked, identity\r\n", "0\r\n\r\n"),
  "gzip, chunked": post("Transfer-Encoding: gzip, chunked\r\n", "0\r\n\r\n"),
  identity: post("Transfer-Encoding: identity\r\n", "abc"),
  "chunked twice": post("Transfer-Encoding: chunked\r\n".repeat(2), "0\r\n\r\n"),
  "chunked with a parameter": post("Transfer-Encoding: chunked;a=b\r\n", "0\r\n\r\n"),
  "chunked with a vertical tab": post("Transfer-Encoding: \x0bchunked\r\n", "0\r\n\r\n"),
  "chunked in 1.0": `POST /x HTTP/1.0\r\n${H}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`,
  "chunk extension": chunked("3;a=b\r\nabc\r\n0;c\r\n\r\n"),
  "quoted extension": chunked('3;a="b;c"\r\nabc\r\n0\r\n\r\n'),
  "extension with bare LF": chunked("3;a\nb\r\nabc\r\n0\r\n\r\n"),
  "extension with bare CR": chunked("3;a\rb\r\nabc\r\n0\r\n\r\n"),
  "extensions over 16 KB": chunked(`1;${"a".repeat(20000)}\r\nx\r\n0\r\n\r\n`),
  trailer: chunked("0\r\nA: b\r\n\r\n") + get(),
  "trailer with a length": chunked("0\r\nContent-Length: 5\r\n\r\n") + get(),
  "trailer without colon": chunked("0\r\nabc\r\n\r\n"),
  "capital digits": chunked("A\r\n0123456789\r\n0\r\n\r\n"),
  "leading zeros": chunked("0003\r\nabc\r\n000\r\n\r\n"),
  "chunk 0x": chunked("0x3\r\nabc\r\n0\r\n\r\n"),
  "chunk +": chunked("+3\r\nabc\r\n0\r\n\r\n"),
  "chunk -": chunked("-3\r\nabc\r\n0\r\n\r\n"),
  "blank before the size": chunked(" 3\r\nabc\r\n0\r\n\r\n"),
  "blank after the size": chunked("3 \r\nabc\r\n0\r\n\r\n"),
  "no size": chunked("\r\nabc\r\n0\r\n\r\n"),
  "size over 64 bits": chunked("10000000000000003\r\nabc\r\n0\r\n\r\n"),
  "bare LF after the size": chunked("3\nabc\r\n0\r\n\r\n"),
  "bare CR after the size": chunked("3\rabc\r\n0\r\n\r\n"),
  "bare LF after data": chunked("3\r\nabc\n0\r\n\r\n"),
  "data too long": chunked("3\r\nabcd\r\n0\r\n\r\n"),
  "data too short": chunked("4\r\nabc\r\n0\r\n\r\n"),
  "no end": chunked("3\r\nabc\r\n"),
  Expect: post("Expect: 100-continue\r\nContent-Length: 3\r\n", "abc"),
  "Expect something else": post("Expect: tea\r\nContent-Length: 3\r\n", "abc"),
  "Connection: close": get(H + "Connection: close\r\n") + get(),
  "Connection: Close in a list": get(H + "Connection: x, Close\r\n") + get(),
  "1.0 with keep-alive": `GET /x HTTP/1.0\r\n${H}Connection: keep-alive\r\n\r\n` + get(),
};

const served = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"];
// Why Docent refuses what Node accepts.
const stricter = [
  [
    "only the methods of the interface",
    (b) => [...b.matchAll(/^([^\s:]+) \S+ HTTP\//gm)].some(([, method]) => !served.includes(method)),
  ],
  ["a request line has a version", (b) => /^(\r\n)*\S+ \S+\r\n/.test(b)],
  ["only HTTP/1.0 and 1.1", (b) => /HTTP\/(?!1\.[01]\r)/.test(b)],
  ["a line ends with CR LF", (b) => /(^|[^\r])\n/.test(b)],
  ["a folded field is refused (RFC 9112 5.2)", (b) => /\r\n[ \t]/.test(b)],
  [
    "a target has no fragment, and is a path or an http address",
    (b) => (/^\S+ ([^/\s]\S*|\S*#\S*) /m.test(b) && !/^\S+ https?:\/\/[\w.:-]+[/ ]/m.test(b)) || /^\S+ \S*#/m.test(b),
  ],
  ["an address in the target has a valid host and no user", (b) => /^\S+ http:\/\/[^/]*@/im.test(b)],
  ["an escape is %XX and not %00", (b) => /^\S+ \S*%(?![0-9a-fA-F]{2})|%00/m.test(b)],
  ["Host is a host name with a port", (b) => /^host:[ \t]*[^\r\n]*[^\w.:~!$&'()*+;=[\]%\r\n-][^\r\n]*\r$/im.test(b)],
  [
    "one Host, one Content-Length, even if equal",
    (b) => (b.match(/^host:/gim) ?? []).length > 1 || (b.match(/^content-length:/gim) ?? []).length > 1,
  ],
  ["HTTP/1.0 has no Transfer-Encoding (RFC 9112 6.1)", (b) => /HTTP\/1\.0\r\n/.test(b) && /transfer-encoding/i.test(b)],
  ["the only transfer coding is chunked", (b) => /^transfer-encoding:(?![ \t]*chunked[ \t]*\r$)/im.test(b)],
  ["one Transfer-Encoding", (b) => (b.match(/^transfer-encoding:/gim) ?? []).length > 1],
  ["100 fields", (b) => (b.match(/\n/g) ?? []).length > 100],
  ["8 KB of request line, 32 KB of head", (b) => b.length > 8192],
  ["a value holds no control byte, DEL included", (b) => /[\x00-\x08\x0b\x0c\x0e-\x1f\x7f]/.test(b)],
  ["one Expect, and only 100-continue", (b) => /^expect:(?![ \t]*100-continue[ \t]*\r$)/im.test(b)],
  ["extensions are token[=token or quoted]", (b) => /^[0-9a-f]+;/im.test(b)],
  ["a trailer is a field", (b) => /\r\n0+[^\r]*\r\n[^\r]/.test(b)],
];

// What Docent accepts although Node does not.
const laxer = [
  [
    "blanks around a value are blanks or tabs (RFC 9110 5.6.3), a length's too",
    (b) => /^content-length:[ \t]*\t|^content-length: *\d+[ \t]*\t/im.test(b),
  ],
  [
    "HTTP/1.0 peers that ask for it keep their connection",
    (b) => /HTTP\/1\.0\r\n/.test(b) && /^connection:[^\r]*keep-alive/im.test(b),
  ],
];

// Seeded mutations: the same ones in every run.
function* mutations(count, seed) {
  const random = () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const bases = Object.entries(vectors).filter(([, bytes]) => bytes.length < 400);
  const spices = [
    "\r",
    "\n",
    "\r\n",
    "\0",
    " ",
    "\t",
    ":",
    ";",
    ",",
    "=",
    "\x7f",
    "\x80",
    "\xff",
    "0",
    "9",
    "f",
    "A",
    "/",
    "%",
    "#",
    "?",
    '"',
    "\\",
    "(",
    "\x0b",
  ];
  for (let i = 0; i < count; i++) {
    let [name, bytes] = bases[Math.floor(random() * bases.length)];
    for (let k = 1 + Math.floor(random() * 2); k > 0; k--) {
      const at = Math.floor(random() * bytes.length);
      const spice = spices[Math.floor(random() * spices.length)];
      const kind = Math.floor(random() * 4);
      if (kind === 0) bytes = bytes.slice(0, at) + spice + bytes.slice(at);
      else if (kind === 1) bytes = bytes.slice(0, at) + spice + bytes.slice(at + 1);
      else if (kind === 2) bytes = bytes.slice(0, at) + bytes.slice(at + 1);
      else {
        const lines = bytes.split("\r\n");
        const which = Math.floor(random() * lines.length);
        lines.splice(which, 0, lines[which]);
        bytes = lines.join("\r\n");
      }
    }
    yield [`mutation ${i} of ${name}`, bytes];
  }
}

// What a server understood: the X-Echo fields of its answers, in order.
// pause_ms: byte by byte, so far apart. Node answers nothing of what came together with a malformed request.
function understood(port, bytes, pause_ms = 0) {
  return new Promise((resolve) => {
    const answers = [];
    const socket = net.connect(port, "127.0.0.1", async () => {
      socket.setNoDelay(true);
      if (!pause_ms) return socket.end(Buffer.from(bytes, "latin1"));
      for (const byte of Buffer.from(bytes, "latin1")) {
        if (socket.destroyed) break;
        socket.write(Buffer.of(byte));
        await new Promise((next) => setTimeout(next, pause_ms));
      }
      socket.end();
    });
    socket.on("data", (data) => answers.push(data));
    socket.on("error", () => {});
    socket.setTimeout(patient(20_000), () => socket.destroy());
    socket.on("close", () => {
      const text = Buffer.concat(answers).toString("latin1");
      resolve({ echoes: [...text.matchAll(/^X-Echo: (.*)\r$/gm)].map((m) => m[1].trim()), text });
    });
  });
}

let reference, docent, port;

before(async () => {
  reference = http.createServer(
    {
      insecureHTTPParser: false,
      maxHeaderSize: 32 * 1024,
      requestTimeout: patient(10_000), // a request comes byte by byte, from 32 at once
      headersTimeout: patient(5_000),
      connectionsCheckingInterval: 200,
    },
    (req, res) => {
      const body = [];
      req.on("data", (data) => body.push(data));
      req.on("end", () => {
        const target = Buffer.from(req.url, "latin1").toString("hex");
        res.setHeader("X-Echo", `${req.method} ${target} ${Buffer.concat(body).toString("hex")}`);
        res.end();
      });
    },
  );
  await new Promise((resolve) => reference.listen(0, "127.0.0.1", resolve));
  assert.ok(existsSync(program), `${program} is built by make build`);
  docent = spawn(program, [], { stdio: ["pipe", "pipe", "inherit"] });
  port = await new Promise((resolve) => docent.stdout.once("data", (data) => resolve(Number(data))));
});

after(async () => {
  // Where `before` failed, some of them are not there, and what is left open would hold the file for ever.
  docent?.stdin.end();
  reference?.closeAllConnections();
  reference?.close();
});

// Are the requests of `some` among those of `all`, in their order?
function areAmong(some, all) {
  let at = 0;
  for (const echo of all) if (echo === some[at]) at++;
  return at === some.length;
}

function judge(name, bytes, ours, theirs) {
  const fewer = areAmong(ours.echoes, theirs.echoes);
  const more = areAmong(theirs.echoes, ours.echoes);
  const side = (answer) => `${JSON.stringify(answer.echoes)} ${JSON.stringify(answer.text.slice(0, 24))}`;
  const show = `${name}: ${JSON.stringify(bytes.slice(0, 300))}\n  docent ${side(ours)}\n  node   ${side(theirs)}`;
  if (fewer && more) return null;
  if (fewer) return stricter.some(([, applies]) => applies(bytes)) ? null : `refused without a rule\n${show}`;
  if (more && laxer.some(([, applies]) => applies(bytes))) return null;
  return `${more ? "accepted" : "understood otherwise"}\n${show}`;
}

async function compare(list) {
  const faults = [];
  for (let i = 0; i < list.length; i += 32) {
    await Promise.all(
      list.slice(i, i + 32).map(async ([name, bytes]) => {
        const ours = await understood(port, bytes);
        let theirs = await understood(reference.address().port, bytes);
        for (const pause_ms of [1, 4, 12]) {
          if (ours.echoes.length <= theirs.echoes.length) break;
          theirs = await understood(reference.address().port, bytes, pause_ms);
        }
        const fault = judge(name, bytes, ours, theirs);
        if (fault) faults.push(fault);
      }),
    );
  }
  assert.equal(faults.length, 0, `${faults.length} of ${list.length}:\n${faults.join("\n")}`);
}

test("docent and node understand the same requests, from a table", { skip: older }, () =>
  compare(Object.entries(vectors)),
);
test("docent and node understand the same requests, mutated", { skip: older }, () =>
  compare([...mutations(600, Number(process.env.SEED ?? 20261120))]),
);
