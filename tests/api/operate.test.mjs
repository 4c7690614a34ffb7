// What an operator watches: histograms of calls, searches and transactions, and that the alert rules and
// the dashboard of docs/operate ask for figures that the service has.
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { promisify } from "node:util";
import { assert, start, test } from "./lib/harness.mjs";
import { models } from "./lib/models.mjs";
import { root } from "./lib/service.mjs";

const alerts = path.join(root, "docs/operate/alerts.yml");
const figures = async (kb) => (await kb.api("GET", "/metrics", { key: null })).text;

/** { "name{labels}": value } */
const valuesOf = (text) =>
  Object.fromEntries([...text.matchAll(/^docent_([^ #]+) (\S+)$/gm)].map(([, name, value]) => [name, Number(value)]));

/** Of one histogram: its bounds grow, each count holds the one before, and the last is all. */
function sound(values, name, labels = "") {
  const inside = labels ? `{${labels}}` : "";
  const bounds = Object.entries(values)
    .filter(([key]) => key.startsWith(`${name}_bucket{${labels}${labels && ","}le=`))
    .map(([key, count]) => [Number(/le="([^"]+)"/.exec(key)[1].replace("+Inf", "Infinity")), count]);
  assert.equal(bounds.length, 17, `${name}${inside}`);
  for (let i = 1; i < bounds.length; i++)
    assert.ok(bounds[i][0] > bounds[i - 1][0] && bounds[i][1] >= bounds[i - 1][1], `${name} ${bounds[i]}`);
  assert.equal(bounds.at(-1)[1], values[`${name}_count${inside}`]);
  assert.ok(values[`${name}_sum${inside}`] >= 0);
  return values[`${name}_count${inside}`];
}

test("calls are timed by what they do and what came of them, searches and transactions too", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "a.txt": "The harbour opens at six in the morning." } });
  const before = valuesOf(await figures(kb));
  for (let i = 0; i < 3; i++) await agent.ask("When does the harbour open?");
  await agent.stream("When does the harbour open?");
  assert.equal((await kb.api("GET", "/projects/999999")).status, 404);
  await kb.expect(200, "GET", "/projects");
  const values = valuesOf(await figures(kb));
  const more = (key) => (values[key] ?? 0) - (before[key] ?? 0);
  assert.equal(more('call_seconds_count{does="ask",status="2xx"}'), 4);
  assert.equal(more("search_seconds_count"), 4);
  assert.ok(more('call_seconds_count{does="read",status="4xx"}') >= 1);
  assert.ok(more('call_seconds_count{does="read",status="2xx"}') >= 1);
  assert.ok(more("store_commit_seconds_count") >= 4);
  assert.ok(sound(values, "call_seconds", 'does="ask",status="2xx"') >= 4);
  assert.ok(sound(values, "call_seconds", 'does="write",status="2xx"') >= 1);
  sound(values, "search_seconds");
  sound(values, "store_commit_seconds");
  assert.equal(values['document_read_seconds_count{format="text"}'], 1);
  await agent.add({ "b.md": "# Ferry\n\nThe ferry leaves at seven.\n", "c.pdf": "%PDF-1.4 no document" });
  const read = valuesOf(await figures(kb));
  assert.equal(sound(read, "document_read_seconds", 'format="markdown"'), 1);
  assert.equal(sound(read, "document_read_seconds", 'format="unknown"'), 1);
  const version = (await kb.cli("version")).stdout.trim().split(" ")[1];
  assert.equal(values[`build_info{version="${version}"}`], 1);
  assert.ok(Math.abs(values.start_time_seconds - Date.now() / 1000) < 600);
});

test("every figure that the alerts and the dashboard ask for is one that the service has", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: { DOCENT_MODEL_URL: server.url, DOCENT_MODEL_NAME: "writer" } });
  const agent = await kb.agent({ files: { "a.txt": "The harbour opens at six in the morning." } });
  await agent.ask("When does the harbour open?");
  const text = await figures(kb);
  const known = new Set([...text.matchAll(/^(docent_\w+?)(?:\{| )/gm)].map(([, name]) => name));
  const dashboard = JSON.parse(await readFile(path.join(root, "docs/operate/dashboard.json"), "utf8"));
  const asked = dashboard.panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr]));
  for (const [, expr] of (await readFile(alerts, "utf8")).matchAll(/expr: (\|\n(?: {10}.*\n)+|.*)/g))
    asked.push(["alerts.yml", expr]);
  let count = 0;
  for (const [where, expr] of asked)
    for (const [name] of expr.matchAll(/docent_\w+/g)) {
      assert.ok(known.has(name), `${where} asks for ${name}, which /metrics does not have`);
      count++;
    }
  assert.ok(count > 30, `${count} figures were looked for`);
  const places = dashboard.panels.map(({ gridPos: { x, y } }) => `${x} ${y}`);
  assert.equal(new Set(places).size, places.length, "two panels stand at one place");
  assert.deepEqual(new Set(dashboard.panels.map(({ type }) => type)), new Set(["stat", "timeseries"]));
});

// promtool is in Debian's package prometheus.
const promtool = process.env.DOCENT_TEST_PROMTOOL;
if (promtool)
  test("promtool takes the alert rules and what /metrics says", async (t) => {
    const kb = await start(t);
    const { stdout } = await promisify(execFile)(promtool, ["check", "rules", alerts]);
    assert.match(stdout, /SUCCESS: \d+ rules found/);
    const check = promisify(execFile)(promtool, ["check", "metrics"]);
    check.child.stdin.end(await figures(kb));
    // It would have other names for some figures; what is no figure at all is an error of parsing.
    await check.catch((error) => assert.doesNotMatch(error.stderr, /error while linting|text format parsing/));
  });
