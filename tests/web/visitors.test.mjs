// What visitors of a public agent meet in a real browser: its page, alone.
import { createServer } from "node:http";
import { assert, browse, faults, start, test } from "./lib.mjs";
import { library } from "../api/lib/documents.mjs";

const question = "Who built the Velmora lighthouse?";

/** A public agent; `settings` are put over its defaults. */
async function open(t, settings = {}, options = {}) {
  const kb = await start(t, options);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  if (Object.keys(settings).length) await agent.expect(200, "POST", "/settings", { json: settings });
  const { shareable_link: link, shareable_slug: slug } = await agent.expect(200, "POST", "", {
    json: { is_shared: true },
  });
  return { kb, agent, link, slug };
}

async function ask(page, text) {
  await page.getByRole("textbox", { name: "Ask Me Anything ..." }).fill(text);
  await page.keyboard.press("Enter");
}

test("the public page answers with a numbered sentence, which leads to its source and back", async (t) => {
  const { kb, link } = await open(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await page.getByRole("heading", { name: "Harbour" }).waitFor();
  await ask(page, question);
  const cite = page.getByRole("button", { name: /^Source 1: / }).first();
  await cite.waitFor();
  assert.match(await page.locator(".reply .text").textContent(), /Hester Quillby/);
  await cite.click();
  const row = page.locator(".sources .row").first();
  await page.waitForFunction(() => document.activeElement?.classList.contains("row"));
  assert.match(await row.textContent(), /lighthouse/i);
  await page.keyboard.press("Escape");
  assert.equal(await page.evaluate(() => document.activeElement?.className), "cite");
  assert.equal(await page.evaluate(() => document.cookie), "", "no script reads who the visitor is");
  await page.reload();
  await page.getByText("Hester Quillby").waitFor();
  quiet();
});

/** A foreign site, under another name and port than the service. */
async function site(t, html, headers = {}) {
  const server = createServer((request, response) => {
    response.writeHead(200, { "content-type": "text/html; charset=utf-8", ...headers });
    response.end(html);
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  t.after(() => server.close());
  return { url: `http://localhost:${server.address().port}/`, host: `localhost:${server.address().port}` };
}

const hostile = `html{font-size:10px}body{transform:translateX(40px)}*{color:red!important;display:inline!important;
  visibility:hidden!important;opacity:.1!important;position:static!important;width:9px!important}iframe{display:none!important}`;

test("one line puts the agent into a foreign page with the strictest policy and a hostile style", async (t) => {
  const { kb, agent } = await open(t, { chatbot_title: "Ask the harbour" });
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const shop = await site(
    t,
    `<!doctype html><title>Shop</title><style nonce="x">${hostile}</style><h1>Shop</h1>${code}`,
    { "content-security-policy": `default-src 'none'; style-src 'nonce-x'; script-src ${kb.url}; frame-src ${kb.url}` },
  );
  const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url], viewport: { width: 1100, height: 800 } });
  const frames = [];
  page.on("request", (request) => request.isNavigationRequest() && frames.push(request.url()));
  await page.goto(shop.url);
  const button = page.getByRole("button", { name: "Ask the harbour" });
  await button.waitFor();
  assert.equal(frames.length, 1, "no frame before it is wanted");
  const box = await button.boundingBox();
  assert.ok(box.width >= 56 && box.x > 1000 && box.y > 700, JSON.stringify(box));
  await button.focus();
  await page.keyboard.press("Enter");
  const frame = page.frameLocator("iframe");
  await frame.getByRole("heading", { name: "Ask the harbour" }).waitFor();
  await frame.getByRole("textbox").fill(question);
  await page.keyboard.press("Enter");
  await frame.getByText("Hester Quillby").waitFor();
  const { data } = await agent.expect(200, "GET", "/conversations");
  const { messages } = await agent.expect(200, "GET", `/conversations/${data[0].session_id}/messages`);
  assert.equal(messages.data[0].metadata.request_source, "livechat");
  await page.keyboard.press("Escape");
  await page.locator("iframe").waitFor({ state: "hidden" });
  assert.ok(await button.evaluate((node) => node.getRootNode().activeElement === node), "the focus is back");
  // The talk is still there after a reload, though foreign storage is shut.
  await page.reload();
  await button.click();
  await frame.getByText("Hester Quillby").waitFor();
  quiet();
});

test("a site that is not listed is shown nothing; one that is, the agent", async (t) => {
  const { kb, agent } = await open(t);
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const shop = await site(
    t,
    `<!doctype html><title>Shop</title><meta name="referrer" content="no-referrer"><h1>Shop</h1>${code}`,
  );
  const { page } = await browse(t, kb, { elsewhere: [shop.url] });
  const set = (allowed_domains_for_embedding) =>
    agent.expect(200, "POST", "/settings", { json: { allowed_domains_for_embedding } });
  await set(["shop.example"]);
  const told = page.waitForResponse((response) => response.url().endsWith("/launcher.js"));
  await page.goto(shop.url);
  assert.ok(!(await (await told).text()).includes("dress"));
  assert.equal(await page.getByRole("button").count(), 0);
  await set(["localhost"]);
  await page.reload();
  await page.getByRole("button").click();
  await page.frameLocator("iframe").getByRole("textbox").waitFor();
});
