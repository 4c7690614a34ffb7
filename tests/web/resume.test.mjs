// A visitor's page and an answer that is being written: a line that breaks, a page that is loaded anew.
import net from "node:net";
import { assert, browse, link as signInLink, start, test } from "./lib.mjs";
import { foreign, library, questions } from "../api/lib/documents.mjs";
import { models } from "../api/lib/models.mjs";

const said = "One two three четыре fünf six 七 eight.";
const begun = "One two three четыре";

async function open(t) {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  await agent.expect(200, "POST", "/settings", { json: { response_source: "llm_content" } });
  const { shareable_link: link } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  Object.assign(server.chat, { say: said, until: 4 });
  return { kb, agent, link, chat: server.chat };
}

/** A line to the service that can be cut. */
async function line(t, kb) {
  const sockets = new Set();
  const server = net.createServer((socket) => {
    const there = net.connect(Number(new URL(kb.url).port), "127.0.0.1");
    for (const [from, to] of [
      [socket, there],
      [there, socket],
    ]) {
      sockets.add(from);
      from.pipe(to);
      from.on("error", () => to.destroy());
      from.on("close", () => sockets.delete(from) && to.destroy());
    }
  });
  await new Promise((go) => server.listen(0, "127.0.0.1", go));
  const cut = () => sockets.forEach((socket) => socket.destroy());
  t.after(() => {
    cut();
    server.close();
  });
  return { url: `http://127.0.0.1:${server.address().port}`, cut };
}

async function ask(page) {
  await page.locator("#question").fill(foreign[0]);
  await page.keyboard.press("Enter");
  await page.locator(".reply .text", { hasText: begun }).waitFor();
}

test("an answer goes on behind the place where its line broke, and is not asked for twice", async (t) => {
  const { kb, link, chat } = await open(t);
  const { url, cut } = await line(t, kb);
  const { page } = await browse(t, kb, { elsewhere: [`${url}/`] });
  await page.goto(link.replace(kb.url, url));
  await ask(page);
  cut();
  chat.until = 6;
  await page.locator(".reply .text", { hasText: "fünf" }).waitFor();
  cut();
  chat.until = Infinity;
  await page.locator(".acts").waitFor();
  assert.equal((await page.locator(".reply .text").innerText()).trim(), said);
  assert.equal(await page.locator(".exchange").count(), 1);
  assert.equal(chat.seen.length, 1);
});

test("a page that is loaded anew in the middle of an answer goes on with it, and can be stopped", async (t) => {
  const { kb, link, chat } = await open(t);
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await ask(page);
  await page.reload();
  await page.locator(".reply .text", { hasText: begun }).waitFor();
  await page.getByRole("button", { name: "Stop" }).waitFor();
  chat.until = Infinity;
  await page.locator(".acts").waitFor();
  assert.equal((await page.locator(".reply .text").innerText()).trim(), said);
  assert.equal(chat.seen.length, 1, "the model was asked once");
  // Once more, and stopped.
  chat.until = 4;
  await page.locator("#question").fill(foreign[0]);
  await page.keyboard.press("Enter");
  await page.locator(".exchange").nth(1).locator(".text", { hasText: begun }).waitFor();
  await page.reload();
  await page.getByRole("button", { name: "Stop" }).click();
  await page.getByText("Stopped", { exact: true }).waitFor();
  assert.ok(await page.locator("#question").isEnabled());
  chat.until = Infinity;
  quiet();
});

test("an agent that is closed in the middle of an answer says so", async (t) => {
  const { kb, agent, link, chat } = await open(t);
  const { page } = await browse(t, kb);
  await page.goto(link);
  await ask(page);
  await agent.expect(200, "POST", "", { json: { is_shared: false } });
  await page.getByText("This agent is no longer public.").waitFor();
  assert.ok(await page.locator("#question").isDisabled());
  chat.until = Infinity;
});

/** The dashboard's own field, over a line that can be cut. */
async function askOwn(t, opened, prompt = foreign[0]) {
  const { kb, agent } = opened;
  const { url, cut } = await line(t, kb);
  const { page, quiet } = await browse(t, kb, { elsewhere: [`${url}/`] });
  await page.goto((await signInLink(kb)).replace(kb.url, url));
  await page.locator(".frame").waitFor();
  await page.goto(`${url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill(prompt);
  await page.keyboard.press("Enter");
  return { page, cut, quiet, text: page.locator(".answer .text") };
}

test("in the dashboard too an answer goes on behind the place where its line broke, and after a reload", async (t) => {
  const opened = await open(t);
  const { page, cut, text } = await askOwn(t, opened);
  await text.filter({ hasText: begun }).waitFor();
  cut();
  opened.chat.until = 6;
  await text.filter({ hasText: "fünf" }).waitFor();
  await page.reload();
  await text.filter({ hasText: "fünf" }).waitFor();
  opened.chat.until = Infinity;
  await page.locator(".answer .acts").waitFor();
  assert.equal((await text.innerText()).trim(), said);
  assert.equal(await page.locator(".turn").count(), 1);
  assert.equal(opened.chat.seen.length, 1, "the model was asked once");
});

test("in the dashboard a stream that ends without its last event is gone on with", async (t) => {
  const opened = await open(t);
  opened.chat.until = Infinity;
  const { kb, agent } = opened;
  const { page, quiet } = await browse(t, kb);
  await page.goto(await signInLink(kb));
  await page.locator(".frame").waitFor();
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.route("**/messages?**", async (route) => {
    if (route.request().method() !== "POST") return route.continue();
    const reply = await route.fetch();
    const body = await reply.text();
    // A proxy that gives up in the middle of a sentence, and says nothing of it.
    return route.fulfill({
      response: reply,
      body: body.slice(0, body.indexOf("fünf")).replace(/id: \d+\nevent: progress\ndata: [^\n]*$/, ""),
    });
  });
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill(foreign[0]);
  await page.keyboard.press("Enter");
  await page.locator(".answer .acts").waitFor();
  assert.equal((await page.locator(".answer .text").innerText()).trim(), said);
  quiet();
});

test("in the dashboard the words for a long wait stand where the answer will be", async (t) => {
  const opened = await open(t);
  await opened.agent.expect(200, "POST", "/settings", { json: { hang_in_there_msg: "One moment, please." } });
  opened.chat.until = 0;
  const { page } = await askOwn(t, opened, questions[0][0]);
  await page.getByText(/being read/).waitFor();
  await page.getByText("One moment, please.").waitFor();
  opened.chat.until = Infinity;
  await page.locator(".answer .acts").waitFor();
  assert.equal(await page.getByText("One moment, please.").count(), 0);
});

/** Holds what a page asks for, until it is let go. */
async function hold(page, method, path) {
  let go;
  const held = new Promise((resolve) => (go = resolve));
  let heard;
  const asked = new Promise((resolve) => (heard = resolve));
  await page.route(path, async (route) => {
    if (route.request().method() !== method) return route.fallback();
    heard();
    await held;
    // The page may have left it by then.
    return route.continue().catch(() => {});
  });
  return { asked, go: () => (go(), page.unroute(path)) };
}

test("a question that is asked before the talk of this day is there stands, and is answered", async (t) => {
  const { kb, link, chat } = await open(t);
  chat.until = Infinity;
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await page.locator("#question").fill(foreign[0]);
  await page.keyboard.press("Enter");
  await page.locator(".acts").waitFor();
  const { asked, go } = await hold(page, "GET", "**/conversations/*");
  await page.reload();
  await asked;
  await page.locator("#question").fill("Which berths are free?");
  await page.keyboard.press("Enter");
  await page.locator(".bubble", { hasText: "Which berths are free?" }).waitFor();
  await go();
  await page.locator(".acts").waitFor();
  assert.deepEqual(await page.locator(".bubble .words").allInnerTexts(), ["Which berths are free?"]);
  assert.equal((await page.locator(".reply .text").innerText()).trim(), said);
  quiet();
});

test("who turns to an earlier talk while another is answered asks in that one from then on", async (t) => {
  const { kb, agent, link, chat } = await open(t);
  await agent.expect(200, "POST", "/settings", { json: { conversation_history: "everyone" } });
  chat.until = Infinity;
  const { page, quiet } = await browse(t, kb);
  await page.goto(link);
  await page.locator("#question").fill(foreign[0]);
  await page.keyboard.press("Enter");
  await page.locator(".acts").waitFor();
  await page.getByRole("button", { name: "New conversation" }).click();
  chat.until = 4;
  const question = await hold(page, "POST", "**/messages");
  await page.locator("#question").fill("Which berths are free?");
  await page.keyboard.press("Enter");
  await question.asked;
  await page.getByRole("button", { name: "Conversations" }).click();
  await page.locator(".talks .name", { hasText: foreign[0] }).click();
  await page.locator(".acts").waitFor();
  await question.go();
  chat.until = Infinity;
  await page.locator("#question").fill("And for how long?");
  await page.keyboard.press("Enter");
  await page.locator(".exchange").nth(1).locator(".acts").waitFor();
  const { data: talks } = await agent.expect(200, "GET", "/conversations");
  const asked = [];
  for (const { session_id } of talks) {
    const { messages } = await agent.expect(200, "GET", `/conversations/${session_id}/messages`);
    asked.push(messages.data.map(({ user_query }) => user_query).sort());
  }
  assert.ok(
    asked.some((talk) => talk.join() === ["And for how long?", foreign[0]].join()),
    JSON.stringify(asked),
  );
  quiet();
});
