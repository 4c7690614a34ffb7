// A wire between a node and its PostgreSQL that counts trips: what a client sends up to a Sync. What each
// asked is kept, for a story that fails to say.
import { mkdtemp, rm } from "node:fs/promises";
import net from "node:net";
import { tmpdir } from "node:os";
import path from "node:path";

const [SYNC, PARSE, BIND] = [0x53, 0x50, 0x42];

/** Texts of a message that end with a zero. */
const texts = (bytes) => bytes.toString("latin1", 5).split("\0");

/** Sees the messages of a connection go by; `more` with each trip, and the statements that it runs. */
function counter(more) {
  let rest = Buffer.alloc(0),
    begun = false, // the first message has no letter
    asked = [];
  const known = new Map(); // statements by name
  return (bytes) => {
    rest = Buffer.concat([rest, bytes]);
    for (;;) {
      const head = begun ? 1 : 0;
      if (rest.length < head + 4 || rest.length < head + rest.readInt32BE(head)) return;
      if (begun && rest[0] === PARSE) known.set(texts(rest)[0], texts(rest)[1].slice(0, 70));
      if (begun && rest[0] === BIND) asked.push(known.get(texts(rest)[1]));
      if (begun && rest[0] === SYNC) {
        more(asked);
        asked = [];
      }
      rest = rest.subarray(head + rest.readInt32BE(head));
      begun = true;
    }
  };
}

/** In front of the server whose socket `url` names: { url, seen: { trips }, close() }; `ms` is the way. */
export async function countingTrips(url, ms = 0) {
  const socket = new URL(url.replace("@/", "@x/")).searchParams.get("host");
  const dir = await mkdtemp(path.join(tmpdir(), "docent-trips-"));
  const seen = { trips: 0, asked: [] };
  // A timer of Node's comes up to a millisecond late, which would be half of a trip.
  const at = (due, fn) => (performance.now() < due ? setImmediate(at, due, fn) : fn());
  const later = (fn) => (ms ? at(performance.now() + ms, fn) : fn());
  const listener = net.createServer((client) => {
    const server = net.connect(path.join(socket, ".s.PGSQL.5432"));
    const count = counter((asked) => {
      seen.trips++;
      seen.asked.push(asked.join("\n   "));
    });
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
