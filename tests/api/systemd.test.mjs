// What systemd is told of the service.
import { spawn } from "node:child_process";
import path from "node:path";
import { assert, start, test, until } from "./lib/harness.mjs";
import { binary } from "./lib/service.mjs";
import { folder } from "./lib/util.mjs";

test("systemd hears when the service is ready, reads its configuration again, and stops", async (t) => {
  const socket = path.join(await folder(t), "notify");
  const listener = spawn(path.join(path.dirname(binary), "notified"), [socket], { stdio: ["pipe", "pipe", "inherit"] });
  t.after(() => listener.stdin.end());
  let text = "";
  listener.stdout.on("data", (piece) => (text += piece));
  await until("the listener", () => text.includes("listening\n"));
  const kb = await start(t, { env: { NOTIFY_SOCKET: socket } });
  await until("READY", () => text === "listening\nREADY=1\n");
  kb.child.kill("SIGHUP");
  await until("RELOADING", () => /\nRELOADING=1\|MONOTONIC_USEC=\d+\nREADY=1\n$/.test(text));
  assert.equal(await kb.stop(), 0);
  await until("STOPPING", () => text.endsWith("READY=1\nSTOPPING=1\n"));
});
