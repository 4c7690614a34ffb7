// Figures of /metrics. A figure may be counted a moment behind the commit that shows what it counts, so
// stories wait for it: counted(). Lint refuses a figure that is compared as it is (scripts/check-figures).
import assert from "node:assert/strict";
import { until } from "./util.mjs";

/** A figure; server: the label of a server's figure. undefined: there is none of that name. */
export async function figure(kb, name, server) {
  const { text } = await kb.api("GET", "/metrics", { key: null });
  const line = new RegExp(`^docent_${name}${server ? `\\{server="${server}"\\}` : ""} (\\S+)$`, "m").exec(text);
  return line ? Number(line[1]) : undefined;
}

/** Waits until the figures are these: { name: number, or what it has to fulfil }. */
export async function counted(kb, wanted, server) {
  let got;
  const holds = ([name, want]) => (typeof want === "function" ? want(got[name]) : got[name] === want);
  const asked = async () => {
    got = {};
    for (const name of Object.keys(wanted)) got[name] = await figure(kb, name, server);
    return Object.entries(wanted).every(holds);
  };
  await until("the figures", asked).catch(() =>
    assert.fail(`the figures ${server ?? ""} are ${JSON.stringify(got)}, not ${Object.entries(wanted).join("; ")}`),
  );
}
