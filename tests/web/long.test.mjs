// A long answer comes in pieces, and the page stays light on its feet.
import { assert, browse, patient, start, test } from "./lib.mjs";
import { library } from "../api/lib/documents.mjs";
import { models } from "../api/lib/models.mjs";

const paragraph = (i) =>
  `${i}. The **${i}th** lamp of the tower burns with a *steady* light, and \`lamp ${i}\` is lit before dusk.\n\n`;
const block = (i) =>
  `## Lamp ${i}\n\nThe keeper of lamp ${i} climbs the stairs every evening, and writes into the book what the wind does, ` +
  `how far the light is seen, and which ships went by the rock before the fog came in.\n\n` +
  `- oil for ${i} nights\n- wicks, cut short\n- glass, **polished** with chalk\n\n` +
  `| Night | Ships |\n| --- | --- |\n| ${i} | ${i + 2} |\n| ${i + 1} | ${i + 5} |\n\n` +
  `\`\`\`\nlamp(${i}).light()\n\`\`\`\n\n${paragraph(i)}`;

/** Milliseconds that the page's main thread worked for its longest task; what others on the machine do
 * does not count. */
async function longestTask(browser, page, during) {
  await browser.startTracing(page, { categories: ["toplevel", "devtools.timeline"] });
  await during();
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString());
  const main = traceEvents.filter((e) => e.name === "thread_name" && e.args.name === "CrRendererMain");
  const threads = new Set(main.map((e) => `${e.pid}:${e.tid}`));
  const tasks = traceEvents.filter((e) => e.tdur && /RunTask$/.test(e.name) && threads.has(`${e.pid}:${e.tid}`));
  assert.ok(tasks.length > 100, `${tasks.length} tasks were seen`);
  return Math.max(...tasks.map((e) => e.tdur)) / 1000;
}

test("an answer of 60 KB never holds the page up for long, on a machine four times slower either", async (t) => {
  const server = await models(t);
  server.chat.say = Array.from({ length: 130 }, (_, i) => block(i))
    .join("")
    .slice(0, 60 * 1024);
  Object.assign(server.chat, { pieces: 100, gap: 10 });
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  const { shareable_link: link } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  const { browser, page, quiet } = await browse(t, kb);
  await page.goto(link);
  let longest = Infinity;
  // A busy machine makes tasks longer, never shorter: of three answers the lightest counts.
  for (let i = 0; i < 3 && longest * 4 > 150; i++) {
    await page.context().clearCookies();
    await page.reload();
    const now = await longestTask(browser, page, async () => {
      await page.locator("#question").fill("Tell me all about lamps.");
      await page.keyboard.press("Enter");
      await page.locator(".acts").waitFor({ timeout: patient(60_000) });
    });
    longest = Math.min(longest, now);
  }
  const written = await page.locator(".reply .text").last().textContent();
  assert.ok(written.length > 40_000, `${written.length} characters are shown`);
  t.diagnostic(`the longest task worked ${longest.toFixed(1)} ms`);
  assert.ok(longest * 4 <= 150, `a task worked ${longest} ms`);
  quiet();
});
