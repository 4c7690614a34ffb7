// What systemd is told of the service.
import { spawn } from "node:child_process";
import path from "node:path";
import { assert, sleep, start, test, until } from "./lib/harness.mjs";
import { binary } from "./lib/service.mjs";
import { folder } from "./lib/util.mjs";

/** What systemd hears of a service with that environment: { socket, heard() }. */
async function listen(t) {
  const socket = path.join(await folder(t), "notify");
  const listener = spawn(path.join(path.dirname(binary), "notified"), [socket], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => listener.stdin.end());
  let text = "";
  listener.stdout.on("data", (piece) => (text += piece));
  await until("the listener", () => text.includes("listening\n"));
  return { socket, heard: () => text };
}

test("systemd hears when the service is ready, reads its configuration again, and stops", async (t) => {
  const { socket, heard } = await listen(t);
  const kb = await start(t, { env: { NOTIFY_SOCKET: socket } });
  await until("READY", () => heard() === "listening\nREADY=1\n");
  kb.child.kill("SIGHUP");
  await until("RELOADING", () => /\nRELOADING=1\|MONOTONIC_USEC=\d+\nREADY=1\n$/.test(heard()));
  assert.equal(await kb.stop(), 0);
  await until("STOPPING", () => heard().endsWith("READY=1\nSTOPPING=1\n"));
});

test("a watchdog hears of a service that turns, and nothing of one that is stopped or watched elsewhere", async (t) => {
  const { socket, heard } = await listen(t);
  const beats = () => heard().split("WATCHDOG=1\n").length - 1;
  const kb = await start(t, { env: { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "300000" } });
  await until("five beats", () => beats() >= 5);
  kb.child.kill("SIGHUP"); // reading again does not end it
  await until("RELOADING", () => heard().includes("RELOADING=1"));
  const before = beats();
  await until("three more", () => beats() >= before + 3);
  await kb.expect(200, "GET", "/projects");
  assert.equal(await kb.stop(), 0);

  const other = await listen(t);
  const unwatched = await start(t, {
    env: { NOTIFY_SOCKET: other.socket, WATCHDOG_USEC: "100000", WATCHDOG_PID: "1" },
  });
  await until("READY", () => other.heard().includes("READY=1"));
  await sleep(600);
  assert.ok(!other.heard().includes("WATCHDOG"));
  assert.equal(await unwatched.stop(), 0);
});
