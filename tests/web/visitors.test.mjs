// What visitors of a public agent meet in a real browser: its page, alone.
import { createHmac } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { assert, attacks, browse, faultsEverywhere, link as ownersLink, start, test, until } from "./lib.mjs";
import { library } from "../api/lib/documents.mjs";
import { request } from "../api/lib/http.mjs";
import { models } from "../api/lib/models.mjs";

const question = "Who built the Velmora lighthouse?";

/** A public agent; `settings` are put over its defaults. */
async function open(t, settings = {}, { files = {}, ...options } = {}) {
  const kb = await start(t, options);
  const agent = await kb.agent({ project_name: "Harbour", files: { ...library, ...files } });
  if (Object.keys(settings).length) await agent.expect(200, "POST", "/settings", { json: settings });
  const { shareable_link: link, shareable_slug: slug } = await agent.expect(200, "POST", "", {
    json: { is_shared: true },
  });
  return { kb, agent, link, slug };
}

const phone = { viewport: { width: 390, height: 844 } };

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
  // Originals are not shown by themselves: the document's own words are.
  const words = page.locator(".sources blockquote").first();
  assert.match(
    await words.textContent(),
    /^The Velmora lighthouse was built in 1874 by the engineer Hester Quillby\.$/,
  );
  await page.keyboard.press("Escape");
  await page.waitForFunction(() => document.activeElement?.className === "cite");
  assert.equal(await page.evaluate(() => document.cookie), "", "no script reads who the visitor is");
  await page.reload();
  await page.getByText("Hester Quillby").waitFor();
  quiet();
});

test("visitors read who has checked an answer, and when", async (t) => {
  const { kb, agent, link } = await open(t);
  const parking = { question: "Where do bicycles stand?", answer: "Bicycles stand on the roof." };
  await agent.expect(201, "POST", "/answers", { json: { ...parking, checked_by: "Ann" } });
  await agent.settled();
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page, parking.question);
  const line = page.getByText(/^Checked by Ann on \w+ \d+, 20\d\d$/);
  await line.waitFor();
  assert.deepEqual(await faultsEverywhere(page, "a checked answer"), []);
  await page.reload();
  await line.waitFor();
  await ask(page, question);
  await page.getByText("Hester Quillby").first().waitFor();
  assert.equal(await line.count(), 1, "of other answers nobody says so");
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
  await frame.locator(".acts").waitFor(); // the answer is stored
  const { data } = await agent.expect(200, "GET", "/conversations");
  const { messages } = await agent.expect(200, "GET", `/conversations/${data[0].session_id}/messages`);
  assert.equal(messages.data[0].metadata.request_source, "livechat");
  await page.keyboard.press("Escape");
  await page.locator("iframe").waitFor({ state: "hidden" });
  await until("the focus to be back", () => button.evaluate((node) => node.getRootNode().activeElement === node));
  // The talk is still there after a reload, though foreign storage is shut.
  await page.reload();
  await button.click();
  await frame.getByText("Hester Quillby").waitFor();
  quiet();
});

/** As a site's server signs who its visitor is, for ten minutes. */
function sign(claims, secret) {
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const exp = Math.floor(Date.now() / 1000) + 600;
  const head = `${part({ alg: "HS256", typ: "JWT" })}.${part({ exp, ...claims })}`;
  return `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
}

test("a site steers the panel beside its page: open, ask, context, identify, close; it hears of events, never of words", async (t) => {
  const { kb, agent } = await open(t, {
    use_context_aware_starter_question: true,
    example_questions: ["How is the machine descaled?", "Who built the lighthouse?"],
  });
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const { secret } = await agent.expect(201, "POST", "/embed-secret");
  const shop = await site(
    t,
    `<!doctype html><title>The Velmora lighthouse</title><h1>Tour</h1>
      <script>
        window.heard = [];
        for (const name of ["ready", "message", "citation", "close"])
          document.addEventListener("docent:" + name, (event) => heard.push([name, JSON.stringify(event.detail)]));
      </script>${code.replace(" defer", ' data-mode="copilot" defer')}`,
  );
  const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url] });
  await page.goto(shop.url);
  await page.waitForFunction(() => window.Docent);
  const steer = (name, value) => page.evaluate(([name, value]) => Docent[name](value), [name, value]);
  const frame = page.frameLocator("iframe");
  await steer("open");
  // What the page is about comes first; the page makes room.
  await frame.locator(".starter").nth(2).waitFor();
  assert.match(await frame.locator(".starter").first().textContent(), /lighthouse/i);
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).marginInlineEnd), "400px");
  await steer("identify", sign({ sub: "ann", name: "Ann Arbor" }, secret));
  await frame.getByText("Ann Arbor").waitFor();
  await steer("context", { basket: "The basket holds a brass telescope for 145 EUR." });
  await steer("ask", question);
  await frame.getByText("Hester Quillby").waitFor();
  await frame.locator("button.cite").first().click();
  await page.waitForFunction(() => heard.some(([name]) => name === "citation"));
  await steer("ask", "What does the basket hold?");
  await frame.locator(".reply .text", { hasText: "brass telescope" }).waitFor();
  await page.waitForFunction(() => heard.filter(([name]) => name === "message").length === 2);
  await steer("close");
  await page.locator("iframe").waitFor({ state: "hidden" });
  assert.equal(await page.evaluate(() => getComputedStyle(document.documentElement).marginInlineEnd), "0px");
  const heard = await page.evaluate(() => heard);
  assert.deepEqual(
    heard.map(([name]) => name),
    ["ready", "message", "citation", "message"],
  );
  assert.deepEqual(heard[2], ["citation", '{"n":1}']);
  assert.ok(!/Quillby|telescope/.test(JSON.stringify(heard)));
  const { data } = await agent.expect(200, "GET", "/conversations");
  const { messages } = await agent.expect(200, "GET", `/conversations/${data[0].session_id}/messages`);
  assert.deepEqual(new Set(messages.data.map((message) => message.metadata.request_source)), new Set(["embed"]));
  quiet();
});

test("who signs out leaves an empty panel: no talk and no document of theirs, at once and on the next page", async (t) => {
  const { kb, agent } = await open(t, { conversation_history: "everyone" });
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const { secret } = await agent.expect(201, "POST", "/embed-secret");
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["board"] } });
  const document = await agent.page("lighthouse.md");
  await agent.expect(200, "PUT", `/pages/${document.id}/labels`, { json: { label_ids: [label.id] } });
  const shop = await site(t, `<!doctype html><title>Shop</title><h1>Shop</h1>${code}`);
  const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url] });
  const frame = page.frameLocator("iframe");
  const identify = (jwt) => page.evaluate((jwt) => Docent.identify(jwt), jwt);
  const ann = { sub: "ann", name: "Ann Arbor", labels: ["board"] };
  const arrive = async () => {
    await page.goto(shop.url);
    await page.waitForFunction(() => window.Docent);
    await page.evaluate(() => Docent.open());
    await frame.getByRole("textbox").waitFor();
  };
  const answers = async (wanted) => {
    await page.evaluate((question) => Docent.ask(question), question);
    await frame.locator(".reply .text", { hasText: wanted }).waitFor();
    await frame.locator(".acts").waitFor();
  };
  await arrive();
  await identify(sign(ann, secret));
  await frame.getByText("Ann Arbor").waitFor();
  await answers("Hester Quillby");
  await identify(null);
  await frame.locator(".reply").waitFor({ state: "detached" });
  await frame.getByText("Ann Arbor").waitFor({ state: "detached" });
  await answers(/don't know|sorry/i);
  // Signed in again her talk is there; another page on which nobody is signed shows nothing of it.
  await identify(sign(ann, secret));
  await frame.getByText("Hester Quillby").waitFor();
  await arrive();
  await answers(/don't know|sorry/i);
  assert.equal(await frame.getByText("Hester Quillby").count(), 0, "the talk of before is not shown above it");
  assert.equal(await frame.getByText("Ann Arbor").count(), 0);
  quiet();
});

test("who signs out while an answer comes sees no more of it", async (t) => {
  const server = await models(t);
  const { kb, agent } = await open(t, {}, { env: server.chatEnv() });
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const { secret } = await agent.expect(201, "POST", "/embed-secret");
  const shop = await site(t, `<!doctype html><title>Shop</title><h1>Shop</h1>${code}`);
  const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url] });
  const frame = page.frameLocator("iframe");
  server.chat.until = 3; // pieces; the others wait
  await page.goto(shop.url);
  await page.waitForFunction(() => window.Docent);
  const signed = sign({ sub: "ann", name: "Ann Arbor" }, secret);
  await page.evaluate((jwt) => Docent.identify(jwt), signed);
  await page.evaluate((question) => Docent.ask(question), question);
  await frame.locator(".reply").waitFor();
  await until("the model to begin", () => server.chat.seen.at(-1)?.sent === 3);
  await page.evaluate(() => Docent.identify(null));
  await frame.locator(".reply").waitFor({ state: "detached" });
  server.chat.until = Infinity;
  await until("the model to end", () => server.chat.live === 0);
  // Whoever asks next is somebody else, and sees their own answer alone.
  await page.evaluate(() => Docent.ask("How long may goods be returned?"));
  await frame.locator(".reply .text", { hasText: "30 days" }).waitFor();
  assert.equal(await frame.locator(".reply").count(), 1);
  assert.equal(await frame.getByText("Quillby").count(), 0);
  quiet();
});

test("the agent stands within a page, where the page wants it, and says that it does", async (t) => {
  const { kb, agent } = await open(t);
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const shop = await site(
    t,
    `<!doctype html><title>Shop</title><main id="here"></main><footer>End</footer>
      ${code.replace(" defer", ' data-mode="inline" data-target="#here" defer')}`,
  );
  const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url] });
  await page.goto(shop.url);
  const frame = page.frameLocator("iframe");
  await frame.getByRole("textbox").fill(question);
  await page.keyboard.press("Enter");
  await frame.locator(".acts").waitFor();
  const [top, end] = await Promise.all([page.locator("iframe").boundingBox(), page.locator("footer").boundingBox()]);
  assert.ok(top.height > 400 && top.y + top.height <= end.y, JSON.stringify([top, end]));
  assert.equal(await frame.getByRole("button", { name: "Close" }).count(), 0);
  const { data } = await agent.expect(200, "GET", "/conversations");
  const { messages } = await agent.expect(200, "GET", `/conversations/${data[0].session_id}/messages`);
  assert.equal(messages.data[0].metadata.request_source, "iframe");
  quiet();
});

test("the line for the page, as Share gives it, shows the agent where the line stands", async (t) => {
  const { kb, agent } = await open(t);
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const line = code.replace(" defer>", ' data-mode="inline" defer>');
  const pages = {
    "in the text": `<main><p id="before">Before</p>${line}<p id="after">After</p></main>`,
    "in the head": `<head>${line}</head><p id="before">Before</p>`,
    "with a selector that is none": `<p id="before">Before</p>${line.replace("inline", 'inline" data-target="#')}`,
  };
  for (const [where, html] of Object.entries(pages)) {
    const shop = await site(t, `<!doctype html><title>Shop</title>${html}`);
    const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url] });
    await page.goto(shop.url);
    await page.frameLocator("iframe").getByRole("textbox").waitFor();
    const frame = await page.locator("iframe").boundingBox();
    const before = await page.locator("#before").boundingBox();
    assert.ok(frame.height > 400 && frame.y >= before.y + before.height, where);
    if (where === "in the text") assert.ok((await page.locator("#after").boundingBox()).y >= frame.y + frame.height);
    quiet();
  }
});

test("each line of Share, pasted as it is, works under the strictest policy, on a desk and on a phone", async (t) => {
  const { kb, agent } = await open(t, { chatbot_title: "Ask the harbour" });
  const owner = await browse(t, kb);
  await owner.page.goto(await ownersLink(kb));
  await owner.page.locator(".frame").waitFor();
  await owner.page.goto(`${kb.url}/agents/${agent.id}/share`);
  const ways = owner.page.getByRole("group", { name: "Put it into your site" });
  await ways.getByRole("button").nth(3).waitFor();
  const titles = await ways.getByRole("button").allTextContents();
  assert.equal(titles.length, 4);
  const policy = { "content-security-policy": `default-src 'none'; script-src ${kb.url}; frame-src ${kb.url}` };
  for (const [i, title] of titles.entries()) {
    await ways.getByRole("button", { name: title }).click();
    const line = await owner.page.locator("section", { hasText: "Put it into your site" }).locator("code").innerText();
    const shop = await site(t, `<!doctype html><html lang="en"><title>Shop</title><h1>Shop</h1>${line}</html>`, policy);
    for (const window of [{ viewport: { width: 1200, height: 800 } }, phone]) {
      const { page, quiet, context } = await browse(t, kb, { elsewhere: [shop.url], ...window });
      await page.goto(shop.url);
      // Button and panel wait for a click; the others are there.
      if (/float|copilot/.test(["float", "inline", "copilot", "frame"][i]))
        await page.getByRole("button", { name: "Ask the harbour" }).click();
      const frame = page.frameLocator("iframe");
      await frame.getByRole("textbox").fill(question);
      await frame.getByRole("textbox").press("Enter");
      await frame.getByText("Hester Quillby").waitFor();
      const box = await page.locator("iframe").boundingBox();
      const { width, height } = page.viewportSize();
      const fits = box.width > 300 && box.height > 380 && box.x >= 0 && box.x + box.width <= width + 1;
      assert.ok(fits, `${title} at ${width} × ${height}: ${JSON.stringify(box)}`);
      // The plain frame asks for a style that the page forbids: it stands without.
      if (!line.startsWith("<iframe")) quiet();
      await context.close();
    }
  }
});

test("a site that is not listed is shown nothing; one that is, the agent", async (t) => {
  const { kb, agent } = await open(t);
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const shop = await site(
    t,
    `<!doctype html><title>Shop</title><meta name="referrer" content="no-referrer"><h1>Shop</h1>${code}`,
  );
  const { page } = await browse(t, kb, { elsewhere: [shop.url] });
  const said = [];
  page.on("console", (message) => message.type() === "warning" && said.push(message.text()));
  const set = (allowed_domains_for_embedding) =>
    agent.expect(200, "POST", "/settings", { json: { allowed_domains_for_embedding } });
  await set(["shop.example"]);
  const told = page.waitForResponse((response) => response.url().endsWith("/launcher.js"));
  await page.goto(shop.url);
  assert.ok(!(await (await told).text()).includes("dress"));
  assert.equal(await page.getByRole("button").count(), 0);
  await until("the console's word for whoever made the site", () =>
    said.find((line) => line.includes(shop.url.replace(/\/$/, "")) && /not among the sites/.test(line)),
  );
  said.length = 0;
  await set(["localhost"]);
  await page.reload();
  await page.getByRole("button").click();
  await page.frameLocator("iframe").getByRole("textbox").waitFor();
  assert.deepEqual(said, []);
});

test("what is said while an answer takes long, fails, or is stopped", async (t) => {
  const { kb, link } = await open(t, { hang_in_there_msg: "One moment …", chatbot_siesta_msg: "We are asleep." });
  const { page } = await browse(t, kb);
  await page.goto(link);
  let answer;
  await page.route("**/messages", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    await new Promise((go) => (answer = go));
    return route.fulfill({
      contentType: "text/event-stream",
      body: 'event: error\ndata: {"status":"error","error":"x","code":502}\n\n',
    });
  });
  await ask(page, question);
  await page.locator(".dots").waitFor();
  assert.equal(await page.getByText("One moment …").count(), 0, "not at once");
  await page.getByText("One moment …").waitFor();
  answer();
  await page.getByText("We are asleep.").waitFor();
  await page.unroute("**/messages");
  await page.getByRole("button", { name: "Try again" }).click();
  await page.getByText("Hester Quillby").waitFor();
  assert.equal(await page.locator(".exchange").count(), 1);
  await page.route("**/messages", () => {});
  await ask(page, "And when?");
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped", { exact: true }).waitFor();
  await page.unroute("**/messages");
  await ask(page, question);
  await page.locator(".exchange").nth(2).locator("button.cite").first().waitFor();
});

test("the dots stay away where the owner wants that", async (t) => {
  const { kb, link } = await open(t, { is_loading_indicator_enabled: false });
  const { page } = await browse(t, kb);
  await page.goto(link);
  await page.route("**/messages", () => {});
  await ask(page, question);
  await page.locator(".bubble").waitFor();
  assert.equal(await page.locator(".dots").count(), 0);
  assert.equal(
    await page.locator("p.hidden[role=status]").textContent(),
    "Looking for an answer",
    "it is said all the same",
  );
});

test("a browser works before its first question, and nobody notices", async (t) => {
  const { kb, link } = await open(t, { enable_recaptcha_for_public_chatbots: true });
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page, question);
  await page.getByText("Hester Quillby").waitFor();
  quiet();
});

test("an agent that is closed says so at the next question", async (t) => {
  const { kb, agent, link } = await open(t);
  const { page } = await browse(t, kb);
  await page.goto(link);
  await page.locator("#question").waitFor();
  await agent.expect(200, "POST", "", { json: { is_shared: false } });
  await ask(page, question);
  await page.getByText("This agent is no longer public.").waitFor();
  assert.ok(await page.locator("#question").isDisabled());
});

test("files go along with a question, ten at most", async (t) => {
  const { kb, link } = await open(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  const note = (i) => ({
    name: `note ${i}.txt`,
    mimeType: "text/plain",
    buffer: Buffer.from(
      i ? `Note ${i} says nothing.` : "Invoice 4711. The total of this invoice is 145.50 EUR, due on 14 June 2024.",
    ),
  });
  await page.locator("input[type=file]").setInputFiles([...Array(11).keys()].map(note));
  await page.getByText("At most 10 files with one question").waitFor();
  for (let i = 9; i > 0; i--) await page.getByRole("button", { name: `Remove note ${i}.txt` }).click();
  await ask(page, "What is the total of this invoice?");
  await page.locator(".bubble .file", { hasText: "note 0.txt" }).waitFor();
  await page.locator(".reply .text", { hasText: "145.50" }).waitFor();
  quiet();
});

test("an answer's words never become an element, whatever they are", async (t) => {
  // The owner's own text is shown as an answer: no sentence of it is left out.
  const { kb, link } = await open(t, { no_answer_message: attacks.join("\n\n") });
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page, "What is the boiling point of tungsten?");
  await page.locator(".acts").waitFor();
  const found = await page.evaluate(() => ({
    elements: document.querySelectorAll(".text :is(img, script, iframe, style, object, svg)").length,
    links: [...document.querySelectorAll(".text a")].map((a) => [a.protocol, a.rel]),
  }));
  assert.equal(found.elements, 0);
  for (const link of found.links) assert.deepEqual(link, ["https:", "noopener noreferrer nofollow"]);
  quiet();
});

test("the page is accessible: light and dark, from either side, narrow and wide", async (t) => {
  const kb = await start(t);
  const found = [];
  for (const chatbot_msg_lang of ["en", "ar"]) {
    const agent = await kb.agent({ project_name: "Harbour", files: library });
    await agent.expect(200, "POST", "/settings", {
      json: {
        chatbot_msg_lang,
        example_questions: ["One?", "Two?", "Three?", "Four?"],
        ai_disclaimer: "Machines err.",
        chatbot_color: "#b5651d",
        conversation_history: "everyone",
        can_share_conversation: true,
        can_export_conversation: true,
        citations_view_type: "show",
        user_avatar_enabled: true,
      },
    });
    const { shareable_link: link } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
    const { page, context, quiet } = await browse(t, kb);
    const sides = [chatbot_msg_lang === "ar" ? "rtl" : "ltr"];
    const look = async (what) =>
      found.push(...(await faultsEverywhere(page, `${what}, ${chatbot_msg_lang}`, { sides })));
    await page.goto(link);
    await page.locator(".starter").first().waitFor();
    await look("before");
    await page.locator("#question").fill(question);
    await page.keyboard.press("Enter");
    await page.locator(".acts").waitFor();
    await look("an answer");
    await page.locator(".bar nav button").first().click();
    await page.locator(".talks li").first().waitFor();
    await look("the list");
    quiet();
    await context.close();
  }
  assert.deepEqual(found, []);
});

test("a recording opens at its moment, and its address leads there", async (t) => {
  const { kb, agent, link } = await open(t, { is_pdf_viewer: true, citations_view_type: "show" });
  const cue = (from, text) => `00:${from}.000 --> 01:00:00.000\n${text}\n`;
  const words = [
    cue("00:01", "Welcome to the tour of the harbour of Velmora."),
    cue("01:23", "The lighthouse window was painted by Ottilie Brandt in the year 1911."),
  ];
  await agent.add({ "tour.vtt": `WEBVTT\n\n${words.join("\n")}` });
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page, "Who painted the lighthouse window?");
  const row = page.locator(".sources .row", { hasText: "1:23" });
  const viewer = page.locator(".viewer");
  await row.click();
  await viewer.locator("mark.current", { hasText: "Ottilie Brandt" }).waitFor();
  await viewer.locator(".page-no", { hasText: "1:23" }).waitFor();
  assert.equal(await viewer.locator("a").count(), 0, "it is nowhere to be watched");
  const { id } = await agent.page("tour.vtt");
  await agent.expect(200, "PUT", `/pages/${id}/metadata`, { json: { url: "https://video.example/tour" } });
  await page.reload();
  await page.locator("button.cite").click();
  await viewer.locator("mark.current", { hasText: "Ottilie Brandt" }).waitFor();
  const watch = viewer.getByRole("link", { name: "1:23" });
  assert.equal(await watch.getAttribute("href"), "https://video.example/tour#t=83");
  await agent.expect(200, "POST", "/settings", { json: { is_pdf_viewer: false } });
  await page.reload();
  await row.waitFor();
  assert.equal(await row.getAttribute("href"), "https://video.example/tour#t=83");
  quiet();
});

test("what visitors fetch is small", async (t) => {
  const { kb, link } = await open(t);
  const { page } = await browse(t, kb);
  const asked = [];
  page.on("request", (request) => asked.push(request.url()));
  await page.goto(link);
  await page.locator("#question").waitFor();
  const size = async (url) => {
    const { bytes } = await request(url, { headers: { "accept-encoding": "gzip" } });
    return bytes.length;
  };
  let bytes = 0;
  for (const url of asked.filter((url) => /\.(js|css)$/.test(url))) bytes += await size(url);
  assert.ok(bytes > 5000 && bytes <= 48 * 1024, `page and its style: ${bytes} bytes`);
  let scripts = 0;
  for (const url of asked.filter((url) => url.endsWith(".js"))) scripts += await size(url);
  assert.ok(scripts <= 35 * 1024, `its scripts: ${scripts} bytes`);
  await ask(page, question);
  await page.locator("button.cite").first().waitFor();
  let all = 0;
  for (const url of asked.filter((url) => url.endsWith(".js"))) all += await size(url);
  assert.ok(all <= 45 * 1024, `with what draws an answer: ${all} bytes`);
  const loader = await size(`${kb.url}/widget.js`);
  assert.ok(loader > 500 && loader <= 3 * 1024, `widget.js: ${loader} bytes`);
});

test("where nothing answers for sure, what comes closest is shown, opens, and may be said to be it", async (t) => {
  const { kb, agent, link } = await open(t, { is_pdf_viewer: true });
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page, "Is there a restaurant near the cliff?");
  const closest = page.locator(".closest");
  await closest.getByText("No sure answer, but these passages come closest").waitFor();
  assert.match(await page.locator(".reply .text").textContent(), /I'm sorry, I don't know the answer/);
  assert.equal(await page.locator(".sources, button.cite").count(), 0, "it is no citation");
  assert.match(await closest.locator("blockquote").first().textContent(), /northern cliff/);
  const faults = await faultsEverywhere(page, "closest passages");
  assert.deepEqual(faults, []);
  await closest.locator("button.row").first().click();
  await page.locator(".viewer mark", { hasText: "northern cliff" }).first().waitFor();
  await page.keyboard.press("Escape");
  const it = closest.getByRole("button", { name: /^That was it/ }).first();
  await it.click();
  await until("the owner to see it", async () => {
    const { data } = await agent.expect(200, "GET", "/reports/intelligence");
    return data[0].found_page_id === 1;
  });
  await page.reload();
  await page.locator('.closest [aria-pressed="true"]').first().waitFor();
  await agent.expect(200, "POST", "/settings", { json: { enable_feedbacks: false } });
  await page.reload();
  await closest.waitFor();
  assert.equal(await closest.getByText("That was it").count(), 0);
  quiet();
});

test("a link that was closed or mistyped is a page in its reader's language, and JSON for programs", async (t) => {
  const { kb, agent, link, slug } = await open(t);
  await agent.expect(200, "POST", "", { json: { is_shared: false } });
  for (const [locale, words, side] of [
    ["de-DE", "Hier ist nichts", "ltr"],
    ["ar-EG", "لا يوجد شيء هنا", "rtl"],
    ["zh-TW", "这里什么也没有", "ltr"],
    ["nb-NO", "Her er det ingenting", "ltr"],
    ["xx", "There is nothing here", "ltr"],
  ]) {
    const { page, quiet, context } = await browse(t, kb, { locale });
    const reply = await page.goto(link);
    assert.equal(reply.status(), 404);
    await page.getByRole("heading", { name: words }).waitFor();
    assert.equal(await page.evaluate(() => document.documentElement.dir), side);
    for (const path of [`/embed/${slug}`, "/c/mistyped", "/nothing", "/projects/7/ask-me-anything?shareable_slug=x"]) {
      assert.equal((await page.goto(kb.url + path)).status(), 404, path);
      await page.getByRole("heading", { name: words }).waitFor();
    }
    if (locale === "de-DE") assert.deepEqual(await faultsEverywhere(page, "nothing"), []);
    quiet();
    await context.close();
  }
  const browserAsks = { headers: { accept: "text/html,application/xhtml+xml,*/*;q=0.8" } };
  for (const [path, options] of [
    [link.replace(kb.url, ""), { headers: { accept: "application/json" } }],
    [link.replace(kb.url, ""), {}],
    ["/nothing", { headers: { accept: "*/*" } }],
    ["/api/v1/nothing", browserAsks],
    [`/public/v1/agents/${slug}/visit`, browserAsks],
    ["/chat/completions", browserAsks],
  ]) {
    const { status, headers, text } = await request(kb.url + path, options);
    assert.ok(status === 404 || status === 405, path);
    assert.equal(headers["content-type"], "application/json", path);
    assert.equal(JSON.parse(text).status, "error");
  }
});

test("a site that may not show the agent shows the page of what is not there, as if there were none", async (t) => {
  const { kb, slug } = await open(t, { allowed_domains_for_embedding: ["shop.example"] });
  const shop = await site(t, `<!doctype html><title>Shop</title><iframe src="${kb.url}/embed/${slug}"></iframe>`);
  const { page } = await browse(t, kb, { elsewhere: [shop.url], locale: "fr-FR" });
  await page.goto(shop.url);
  await page.frameLocator("iframe").getByText("Il n’y a rien ici").waitFor();
});

test("who asks too much reads when to try again, by the clock where that is long, in the owner's language", async (t) => {
  const { kb, link } = await open(t, { chatbot_msg_lang: "de" }, { args: ["--public-daily", "1"] });
  for (const words of [/Hester Quillby/, /Versuchen Sie es um \d{1,2}:\d\d(?: Uhr)? noch einmal/]) {
    const { page, context } = await browse(t, kb);
    await page.goto(link);
    await page.locator("#question").fill(question);
    await page.keyboard.press("Enter");
    await page.locator(".reply", { hasText: words }).waitFor();
    await context.close();
  }
});

test("where nothing answers, it says how much was searched, and the question goes to a person, whom the owner sees", async (t) => {
  const { kb, agent, link } = await open(t, { contact_person: "The travel desk", chatbot_msg_lang: "visitor" });
  const { page, quiet } = await browse(t, kb, { locale: "de-DE", ...phone });
  await page.goto(link);
  await page.getByText(/Ich antworte aus den Dokumenten/).waitFor();
  await page.locator("#question").fill("Wer gewann die Weltmeisterschaft 1998?");
  await page.keyboard.press("Enter");
  await page.getByText(/Durchsuchte Dokumente: \d/).waitFor();
  await page.locator(".after .topics button").first().waitFor();
  await page.getByRole("button", { name: "Anders fragen" }).click();
  assert.equal(await page.locator("#question").inputValue(), "Wer gewann die Weltmeisterschaft 1998?");
  await page.getByRole("button", { name: "Einen Menschen fragen" }).click();
  const form = page.locator("form.person");
  await form.getByText("The travel desk antwortet per E-Mail.").waitFor();
  assert.deepEqual(await faultsEverywhere(page, "a person"), []);
  const mail = form.getByLabel("Ihre E-Mail-Adresse");
  await mail.fill("ann@example");
  assert.ok(await mail.evaluate((input) => input.validity.patternMismatch), "the browser says so, in German");
  await mail.fill("ann@example.org");
  // What was written stays where it is refused, and a visit that is asked for work by then does it.
  await form.getByLabel("Ihre Frage").fill("Wer gewann 1998?");
  await page.route("**/contact", (route) => route.fulfill({ status: 400, json: { message: "no" } }), { times: 1 });
  await agent.expect(200, "POST", "/settings", { json: { enable_recaptcha_for_public_chatbots: true } });
  await form.getByRole("button", { name: "Senden" }).click();
  await form.getByRole("alert").waitFor();
  assert.equal(await form.getByLabel("Ihre Frage").inputValue(), "Wer gewann 1998?");
  await form.getByRole("button", { name: "Senden" }).click();
  await page.getByText("Ihre Frage ist weitergegeben").waitFor();
  quiet();
  const owner = await browse(t, kb);
  await owner.page.goto(await ownersLink(kb));
  await owner.page.getByRole("button", { name: "New agent" }).first().waitFor();
  await owner.page.goto(`${kb.url}/agents/${agent.id}/analytics`);
  await owner.page.getByRole("heading", { name: "Left for a person" }).waitFor();
  await owner.page.getByRole("link", { name: "ann@example.org" }).waitFor();
  await owner.page.getByRole("cell", { name: "Wer gewann 1998?", exact: true }).waitFor();
  const saved = owner.page.waitForEvent("download");
  await owner.page.getByRole("button", { name: /Left for a person/ }).click();
  assert.equal((await saved).suggestedFilename(), "leads.csv");
});

test("addresses that visitors left are listed page by page, saved all, and write no field of a letter", async (t) => {
  const { kb, agent } = await open(t);
  await agent.ask(question);
  const { page, quiet } = await browse(t, kb);
  await page.goto(await ownersLink(kb));
  await page.getByRole("button", { name: "New agent" }).first().waitFor();
  // One visitor leaves three an hour: these are more than anybody waits for here.
  const all = Array.from({ length: 130 }, (_, i) => ({
    session_id: "",
    name: null,
    email: `visitor${i}?bcc=all@example.org`,
    captured_at: "2026-11-20T12:00:00.000000Z",
    other_data: { question: `Question ${i}?` },
  }));
  await page.route("**/reports/leads?*", (route) => {
    const query = new URL(route.request().url()).searchParams;
    const [current_page, per_page] = ["page", "limit"].map((name) => Number(query.get(name)));
    const from = (current_page - 1) * per_page;
    const last_page = Math.ceil(all.length / per_page);
    const data = { current_page, per_page, last_page, total: all.length, data: all.slice(from, from + per_page) };
    return route.fulfill({ json: { status: "success", data } });
  });
  await page.goto(`${kb.url}/agents/${agent.id}/analytics`);
  const first = page.getByRole("link", { name: "visitor0?bcc=all@example.org" });
  assert.equal(await first.getAttribute("href"), "mailto:visitor0%3Fbcc%3Dall@example.org");
  const list = page.locator("section.card", { hasText: "Left for a person" });
  await list.getByRole("button", { name: "Next page" }).click();
  await list.getByRole("cell", { name: "Question 25?" }).waitFor();
  const saved = page.waitForEvent("download");
  await list.getByRole("button", { name: /Left for a person/ }).click();
  const text = await readFile(await (await saved).path(), "utf8");
  assert.equal(text.trim().split("\r\n").length, 1 + all.length);
  quiet();
});

const help = `# Help

## How do I report a stolen card?

Report a stolen card to the bank at once: call 0800 4711, day and night. The bank sends a new card within two days.

## Who pays for repairs in the harbour?

Repairs in the harbour are paid by the harbour office. The harbour master signs the bill for each repair.

## How do I win the lottery?

## Parking

Parking costs two euros a day behind the lighthouse.
`;

test("a talk opens with a greeting, what is known, questions that are answered for sure, and topics", async (t) => {
  const { kb, link } = await open(
    t,
    { persona_instructions: "You are Gustav, the harbour guide. Be brief.", chatbot_msg_lang: "visitor" },
    { files: { "help.md": help } },
  );
  const { page, quiet } = await browse(t, kb, { locale: "de-DE" });
  await page.goto(link);
  await page.getByRole("heading", { name: "Guten Tag, ich bin Gustav. Was möchten Sie wissen?" }).waitFor();
  const starters = page.locator(".starter");
  await starters.filter({ hasText: "How do I report a stolen card?" }).waitFor();
  await page.getByText(/Ich antworte aus den Dokumenten hier \(\d+\)/).waitFor();
  assert.equal(await starters.filter({ hasText: "lottery" }).count(), 0, "nothing answers that");
  assert.match(await starters.filter({ hasText: "stolen" }).textContent(), /aus: Help/);
  await page.getByRole("heading", { name: "Andere Themen" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "returns.txt" }).count(), 0, "a file's name is no topic");
  assert.deepEqual(await faultsEverywhere(page, "opening"), []);
  await starters.filter({ hasText: "stolen" }).click();
  await page.locator(".reply .text", { hasText: "0800 4711" }).waitFor();
  // What the same document answers as well; what was asked is not asked again.
  await page.getByRole("heading", { name: "Hier auch beantwortet" }).waitFor();
  const related = page.locator(".reply .topics button");
  assert.equal(await related.filter({ hasText: "stolen" }).count(), 0);
  assert.deepEqual(await faultsEverywhere(page, "related questions"), []);
  await related.filter({ hasText: "Who pays for repairs" }).click();
  await page.locator(".reply .text", { hasText: "harbour office" }).waitFor();
  quiet();
});

test("texts, placeholder and the answer without an answer follow the visitor's browser, unless the owner fixes a language", async (t) => {
  const { kb, agent, link } = await open(t, { chatbot_msg_lang: "visitor", view_less_msg: "Fold" });
  for (const [locale, lang, dir, placeholder, none] of [
    ["de-AT", "de", "ltr", "Fragen Sie mich etwas", "Es tut mir leid, ich weiß die Antwort nicht"],
    ["fr-FR", "fr", "ltr", "Posez", "Désolé"],
    ["es-MX", "es", "ltr", "Pregúntame", "Lo siento"],
    ["pt-PT", "pt", "ltr", "Pergunte", "Lamento"],
    ["zh-CN", "zh", "ltr", "", "抱歉"],
    ["ja-JP", "ja", "ltr", "", "申し訳"],
    ["ar-EG", "ar", "rtl", "", "عذر"],
    ["xx", "en", "ltr", "Ask Me Anything ...", "I'm sorry"],
  ]) {
    const { page, context, quiet } = await browse(t, kb, { locale, ...(locale === "ar-EG" ? phone : {}) });
    await page.goto(link);
    const field = page.locator("#question");
    await field.waitFor();
    assert.deepEqual(await page.evaluate(() => [document.documentElement.lang, document.documentElement.dir]), [
      lang,
      dir,
    ]);
    assert.ok((await field.getAttribute("placeholder")).startsWith(placeholder), locale);
    await field.fill("Xylophone quarks?");
    await page.keyboard.press("Enter");
    await page.locator(".reply .text", { hasText: none }).waitFor();
    quiet();
    await context.close();
  }
  await agent.expect(200, "POST", "/settings", { json: { chatbot_msg_lang: "fr" } });
  const { page } = await browse(t, kb, { locale: "de-DE" });
  await page.goto(link);
  await page.getByRole("button", { name: "Envoyer" }).waitFor();
});

test("an open page follows its owner's changes: at the next question, and when somebody comes back to it", async (t) => {
  const { kb, agent, link } = await open(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
  await page.locator(".acts").waitFor();
  const set = (json) => agent.expect(200, "POST", "/settings", { json });
  await set({ chatbot_title: "Ask the harbour", chatbot_toolbar_color: "#123456", chatbot_msg_lang: "de" });
  await page.waitForTimeout(3100); // it does not ask for each turn of the head
  await page.locator("#question").fill("How much is a ticket?");
  await page.keyboard.press("Enter");
  await page.getByRole("heading", { name: "Ask the harbour" }).waitFor();
  assert.equal(
    await page.locator(".bar").evaluate((node) => getComputedStyle(node).backgroundColor),
    "rgb(18, 52, 86)",
  );
  await page.getByRole("button", { name: "Senden" }).waitFor();
  await page.locator(".acts").nth(1).waitFor();
  assert.equal(await page.locator(".exchange").count(), 2, "the talk goes on");
  await set({ chatbot_title: "Harbour desk", chatbot_msg_lang: "en" });
  await page.waitForTimeout(3100);
  await page.evaluate(() => dispatchEvent(new Event("focus")));
  await page.getByRole("heading", { name: "Harbour desk" }).waitFor();
  await page.getByRole("button", { name: "Send" }).waitFor();
  quiet();
});

test("the list for the team is shown to whom a site has signed, and to nobody else", async (t) => {
  const { kb, agent, link } = await open(t, { conversation_history: "team_members" });
  const { live_chat_code: code } = await agent.expect(200, "GET");
  const { secret } = await agent.expect(201, "POST", "/embed-secret");
  const shop = await site(t, `<!doctype html><title>Shop</title><h1>Shop</h1>${code}`);
  const { page, quiet } = await browse(t, kb, { elsewhere: [shop.url] });
  const list = (where) => where.getByRole("button", { name: "Conversations" });
  await page.goto(link);
  await page.locator("#question").waitFor();
  assert.equal(await list(page).count(), 0, "nobody is signed here");
  await page.goto(shop.url);
  await page.waitForFunction(() => window.Docent);
  const part = (value) => Buffer.from(JSON.stringify(value)).toString("base64url");
  const head = `${part({ alg: "HS256", typ: "JWT" })}.${part({ sub: "ann", exp: Math.floor(Date.now() / 1000) + 600 })}`;
  const token = `${head}.${createHmac("sha256", secret).update(head).digest("base64url")}`;
  await page.evaluate((token) => (Docent.open(), Docent.identify(token)), token);
  const frame = page.frameLocator("iframe");
  await list(frame).click();
  await frame.getByText("No conversations yet").waitFor();
  quiet();
});

test("a question from left to right is read so on a page from right to left", async (t) => {
  const { kb, link } = await open(t, { chatbot_msg_lang: "ar" });
  const { page } = await browse(t, kb);
  await page.goto(link);
  await page.locator("#question").fill("What if the bike is stolen?");
  await page.keyboard.press("Enter");
  const words = page.locator(".bubble .words");
  await words.waitFor();
  // The question mark stands at the right of the words, where they end.
  const ends = await words.evaluate((node) => {
    const text = document.createTreeWalker(node, NodeFilter.SHOW_TEXT).nextNode();
    const at = (i) => {
      const range = document.createRange();
      range.setStart(text, i);
      range.setEnd(text, i + 1);
      return range.getBoundingClientRect().x;
    };
    return [at(0), at(text.length - 1)];
  });
  assert.ok(ends[1] > ends[0], JSON.stringify(ends));
});

test("a question that was asked without a network is sent when it is back", async (t) => {
  const { kb, link } = await open(t);
  const { page, context } = await browse(t, kb);
  await page.goto(link);
  await page.locator("#question").waitFor();
  await context.setOffline(true);
  await page.locator("#question").fill(question);
  await page.keyboard.press("Enter");
  await page.getByText("There is no connection.").waitFor();
  await context.setOffline(false);
  await page.getByText("Hester Quillby").waitFor();
  assert.equal(await page.locator(".exchange").count(), 1);
});

test("where documents disagree, visitors read both statements with their days, and none that is closed to them", async (t) => {
  const fares = (day, price) =>
    `---\ndate: ${day}\n---\n# Fares of ${day.slice(0, 4)}\n\nA ticket for the Orvik ferry costs ${price} crowns.`;
  const { kb, agent, link } = await open(
    t,
    {},
    { files: { "old.md": fares("2022-03-01", 7), "new.md": fares("2024-05-02", 9) } },
  );
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page, "What does a ticket for the Orvik ferry cost?");
  const both = page.locator(".closest", { hasText: "The documents differ on this" });
  await both.waitFor();
  assert.match(await page.locator(".reply .text").first().textContent(), /9 crowns/);
  assert.deepEqual(await both.locator("blockquote").allTextContents(), [
    "A ticket for the Orvik ferry costs 9 crowns.",
    "A ticket for the Orvik ferry costs 7 crowns.",
  ]);
  assert.match(
    (await both.locator("li > div").allTextContents()).join(" "),
    /Fares of 2024.*2024.*Fares of 2022.*2022/,
  );
  assert.deepEqual(await faultsEverywhere(page, "documents that differ"), []);
  const old = await agent.page("old.md");
  const [{ id }] = await agent.expect(201, "POST", "/labels", { json: { names: ["staff"] } });
  await agent.expect(200, "PUT", `/pages/${old.id}/labels`, { json: { label_ids: [id] } });
  await page.reload();
  await page.locator(".reply .text").first().waitFor();
  assert.equal(await both.count(), 0);
  quiet();
});
