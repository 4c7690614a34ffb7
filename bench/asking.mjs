/* One streamed question, as benches time it; how they say times. */
import { randomUUID } from "node:crypto";
import net from "node:net";

/* Asks on a connection of its own, made before the clock starts: streams close theirs. */
export async function ask(url, agent, key, prompt) {
  const body = JSON.stringify({ prompt }),
    { port } = new URL(url);
  const text =
    `POST /api/v1/projects/${agent}/conversations/${randomUUID()}/messages?stream=true HTTP/1.1\r\n` +
    `Host: 127.0.0.1\r\nAccept: text/event-stream\r\nAuthorization: Bearer ${key}\r\n` +
    `Content-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
  const socket = net.connect(Number(port), "127.0.0.1");
  socket.setNoDelay(true);
  await new Promise((resolve, reject) => socket.once("connect", resolve).once("error", reject));
  return new Promise((resolve, reject) => {
    let got = "",
      first = 0;
    const start = performance.now();
    socket.on("data", (piece) => {
      got += piece.toString("latin1");
      if (!first && /"status":"progress","message":"[^"]/.test(got)) first = performance.now() - start;
    });
    socket.on("error", reject);
    socket.on("close", () => {
      if (!got.startsWith("HTTP/1.1 200") || !first) reject(new Error(got.slice(0, 800)));
      else resolve({ first, whole: performance.now() - start });
    });
    socket.write(text);
  });
}

/* Of times in order. */
export const quantile = (times, share) => times[Math.min(times.length - 1, Math.floor(times.length * share))];
