// A wire between a node and its PostgreSQL that counts trips: what a client sends up to a Sync.
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const SYNC = 0x53;

/** Sees the messages of a connection go by; `more` with each trip. */
function counter(more) {
  let rest = Buffer.alloc(0),
    begun = false; // the first message has no letter
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = begun ? 1 : 0;
      if (rest.length < head + 4 || rest.length < head + rest.readInt32BE(head)) return;
      if (begun && rest[0] === SYNC) more();
      rest = rest.subarray(head + rest.readInt32BE(head));
      begun = true;
    }
  };
}

/** In front of the server whose socket `url` names: { url, seen: { trips }, close() }; `ms` is the way. */
export async function countingTrips(url, ms = 0) {
  const socket = new URL(url.replace("@/", "@x/")).searchParams.get("host");
  const dir = await mkdtemp(path.join(tmpdir(), "docent-trips-"));
  const seen = { trips: 0 };
  const later = (fn) => (ms ? setTimeout(fn, ms) : fn());
  const listener = net.createServer((client) => {
    const server = net.connect(path.join(socket, ".s.PGSQL.5432"));
    const count = counter(() => seen.trips++);
    client.on("data", (bytes) => {
      count(bytes);
      later(() => server.write(bytes));
    });
    server.on("data", (bytes) => later(() => client.write(bytes)));
    for (const [one, other] of [
      [client, server],
      [server, client],
    ]) {
      one.on("error", () => {});
      one.on("close", () => other.destroy());
    }
  });
  await new Promise((resolve) => listener.listen(path.join(dir, ".s.PGSQL.5432"), resolve));
  const close = async () => {
    listener.close();
    await rm(dir, { recursive: true, force: true });
  };
  return { seen, url: url.replace(socket, dir), close };
}
