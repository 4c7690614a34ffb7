// A wire between a server under test and one that it needs: a TCP proxy on 127.0.0.1 that passes
// bytes on, and on command is slow, silent or cut.
//
//   const wire = await new Wire({ path: "/tmp/…/.s.PGSQL.5432" }).open(t);
//   wire.delayMs = 20; wire.bytesPerSecond = 1e6; wire.bytewise = true;
//   wire.freeze();   // takes connections and bytes, and passes nothing on
//   wire.thaw();     // what was held goes on
//   wire.cut();      // ends all connections; new ones work
//   await wire.refuse(); await wire.accept();  // as if nobody listened there
import net from "node:net";

/** One direction of a connection: what came, in order, each piece not before its time. */
class Lane {
  pieces = []; // { bytes, due }; bytes null: the end
  last = 0;
  timer = null;

  constructor(wire, to) {
    Object.assign(this, { wire, to });
  }

  take(bytes) {
    const { delayMs, bytesPerSecond } = this.wire;
    const begin = Math.max(Date.now() + delayMs, this.last);
    this.last = begin + (bytes && bytesPerSecond ? (1000 * bytes.length) / bytesPerSecond : 0);
    this.pieces.push({ bytes, due: this.last });
    this.wire.passed += bytes?.length ?? 0;
    this.go();
  }

  go() {
    clearTimeout(this.timer);
    while (this.pieces.length && !this.wire.frozen) {
      const { bytes, due } = this.pieces[0];
      const wait = due - Date.now();
      if (wait > 0) {
        this.timer = setTimeout(() => this.go(), wait);
        return;
      }
      if (bytes && this.wire.bytewise && bytes.length > 1) {
        this.to.write(bytes.subarray(0, 1));
        this.pieces[0].bytes = bytes.subarray(1);
        this.timer = setImmediate(() => this.go());
        return;
      }
      this.pieces.shift();
      if (bytes) this.to.write(bytes);
      else this.to.end();
    }
  }
}

export class Wire {
  delayMs = 0; // each way
  bytesPerSecond = 0; // 0: as many as come
  bytewise = false;
  frozen = false;
  passed = 0; // bytes
  taken = 0; // connections
  #pairs = new Set();

  /** to: what net.connect() takes. */
  constructor(to) {
    this.to = to;
  }

  async open(t) {
    await this.accept();
    t.after(() => this.refuse());
    return this;
  }

  async accept() {
    this.server = net.createServer((near) => this.#take(near));
    await new Promise((resolve) => this.server.listen(this.port ?? 0, "127.0.0.1", resolve));
    this.port = this.server.address().port;
  }

  async refuse() {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.cut();
    await closed;
  }

  #take(near) {
    this.taken++;
    const far = net.connect(this.to);
    const pair = { near, far, lanes: [new Lane(this, far), new Lane(this, near)] };
    this.#pairs.add(pair);
    const end = () => {
      near.destroy();
      far.destroy();
      this.#pairs.delete(pair);
    };
    for (const [from, lane] of [
      [near, pair.lanes[0]],
      [far, pair.lanes[1]],
    ]) {
      from.setNoDelay(true);
      from.on("data", (bytes) => lane.take(bytes));
      from.on("end", () => lane.take(null));
      from.on("error", end);
      from.on("close", () => (near.destroyed && far.destroyed ? this.#pairs.delete(pair) : undefined));
    }
  }

  freeze() {
    this.frozen = true;
  }

  thaw() {
    this.frozen = false;
    for (const { lanes } of this.#pairs) for (const lane of lanes) lane.go();
  }

  cut() {
    for (const { near, far } of this.#pairs) {
      near.resetAndDestroy();
      far.destroy();
    }
    this.#pairs.clear();
  }
}
