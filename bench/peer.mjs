// The benches' peer: plain node:http. Prints its port, ends with its standard input.
//   small KEY        a small JSON for requests with that bearer key
//   streams COUNT    event streams: 20 events at 100 ms, spread evenly
//   upload FILE      writes a request's body to a file, no parsing: an upper bound
import { createWriteStream, writeFileSync } from "node:fs";
import http from "node:http";
import { pipeline } from "node:stream/promises";

const [mode, argument] = process.argv.slice(2);
const json = '{"status":"success","data":{"id":12,"name":"a small thing","created_at":"2026-11-20T00:00:00.000000Z"}}';
const streams = new Set();

const now = () => Number(process.hrtime.bigint() / 1000n) / 1000; // ms, the clock of CLOCK_MONOTONIC

function send(stream, at, left) {
  setTimeout(() => {
    stream.write(`event: progress\ndata: {"status":"progress","at":${Math.round(at * 1000)}}\n\n`);
    if (left > 1) send(stream, at + 100, left - 1);
  }, at - now());
}

const modes = {
  small(req, res) {
    if (req.headers.authorization !== `Bearer ${argument}`) return res.writeHead(401).end();
    res.writeHead(200, { "Content-Type": "application/json", "Content-Length": json.length });
    res.end(json);
  },
  streams(req, res) {
    res.writeHead(200, { "Content-Type": "text/event-stream" });
    res.flushHeaders();
    streams.add(res);
    res.on("close", () => streams.delete(res));
    if (streams.size < Number(argument)) return;
    const start = now() + 500;
    [...streams].forEach((stream, k) => send(stream, start + (k * 100) / streams.size, 20));
  },
  async upload(req, res) {
    await pipeline(req, createWriteStream(argument));
    res.end("done");
  },
};
const server = http.createServer(modes[mode]);
server.listen({ port: 0, host: "127.0.0.1", backlog: 4096 }, () => writeFileSync(1, `${server.address().port}\n`));
process.stdin.resume().on("end", () => process.exit(0));
