// Asking in the dashboard: how answers are drawn, what of a talk is shown, what is refused.
import { assert, faults, signedIn, start, test, until } from "./lib.mjs";
import { library } from "../api/lib/documents.mjs";
import { models } from "../api/lib/models.mjs";

test("an answer's lists and emphasis stay when its sentences get their marks", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  server.chat.say = [
    "## The tower",
    "",
    "1. The Velmora lighthouse was built in 1874 by the engineer Hester Quillby. [1]",
    "2. **Its lamp was converted to electricity in 1931.** [1]",
    "",
    "- The lighthouse is open to visitors from April to October. [1]",
  ].join("\n");
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill("Who built the Velmora lighthouse, and when?");
  await page.keyboard.press("Enter");
  const text = page.locator(".answer .text");
  const built = () =>
    text.evaluate((node) =>
      Object.fromEntries(
        ["ol", "ul", "li", "strong", ".heading"].map((tag) => [tag, node.querySelectorAll(tag).length]),
      ),
    );
  const whole = { ol: 1, ul: 1, li: 3, strong: 1, ".heading": 1 };
  await page.locator(".answer .proof").waitFor(); // the marks are there
  assert.deepEqual(await built(), whole);
  await text.locator("button.cite").first().click();
  await text.locator(".said", { hasText: "Hester Quillby" }).waitFor();
  assert.deepEqual(await built(), whole);
  await page.reload();
  await page.locator(".answer .proof").waitFor();
  assert.deepEqual(await built(), whole, "read again");
  assert.ok(!/[\uE000-\uE002]/.test(await text.textContent()));
  quiet();
});

test("an answer comes, and a document opens beside it, without moving what is read already", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const sentence = "The Velmora lighthouse was built in 1874 by the engineer Hester Quillby. [1]";
  server.chat.say = Array.from({ length: 9 }, (_, i) => `${i + 1}. ${sentence}`).join("\n");
  const { page, quiet } = await signedIn(t, kb);
  // As browsers count it: what moves right after a key or a click, its reader expects.
  await page.addInitScript(() => {
    window.moved = 0;
    new PerformanceObserver((list) => {
      for (const { value, hadRecentInput } of list.getEntries()) if (!hadRecentInput) window.moved += value;
    }).observe({ type: "layout-shift", buffered: true });
  });
  await page.route("**/messages?**", async (route) => {
    await page.waitForTimeout(700); // no longer right after the key
    return route.continue();
  });
  const still = async (what) => {
    await page.locator(".answer .proof").waitFor();
    await page.locator(".doc-side .doc").waitFor();
    await page.waitForTimeout(500);
    const moved = await page.evaluate(() => window.moved);
    assert.ok(moved < 0.02, `${what}: ${moved}`);
  };
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill("Who built the Velmora lighthouse, and when?");
  await page.keyboard.press("Enter");
  await still("an answer");
  await page.reload();
  await still("a stored one");
  // Who closes the document has the whole width.
  const width = () => page.locator(".talk-side").evaluate((node) => node.getBoundingClientRect().width);
  const before = await width();
  await page.locator(".doc-side").getByRole("button", { name: "Close" }).click();
  await until("the whole width", async () => (await width()) > before + 300);
  quiet();
});

test("of a long talk the newest questions are shown, and where the others are", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  for (let i = 1; i <= 103; i++)
    await agent.expect(200, "POST", "/conversations/long/messages", { json: { prompt: `Hello number ${i}` } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask?talk=long`);
  const questions = page.locator(".turn .question");
  await questions.first().waitFor();
  assert.equal(await questions.count(), 100);
  assert.equal(await questions.first().textContent(), "Hello number 4");
  assert.equal(await questions.last().textContent(), "Hello number 103");
  await page.getByRole("link", { name: "3 earlier questions: under Conversations" }).click();
  await page.locator("p.question", { hasText: /^Hello number 1$/ }).waitFor();
  quiet();
});

test("a question that is too long is counted, not sent", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  const field = page.getByRole("textbox", { name: "Ask Harbour …" });
  const counter = page.locator(".composer .count");
  await field.fill("Who built the lighthouse?");
  assert.equal(await counter.count(), 0, "nobody needs it");
  await field.fill("x".repeat(8100));
  assert.equal(await counter.textContent(), "8,100 / 8,000");
  assert.ok(await page.getByRole("button", { name: "Send" }).isDisabled());
  await page.keyboard.press("Enter");
  assert.equal(await page.locator(".turn").count(), 0);
  // A letter outside of the first plane is one letter.
  await field.fill("🜁".repeat(7999));
  assert.equal(await counter.textContent(), "7,999 / 8,000");
  assert.ok(await page.getByRole("button", { name: "Send" }).isEnabled());
  quiet();
});

test("what is refused for good is not offered again", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page
    .locator(".composer input[type=file]")
    .setInputFiles({ name: "x.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 1, 2, 255]) });
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill("What does it say?");
  await page.keyboard.press("Enter");
  await page.locator(".turn .note.bad").waitFor();
  assert.equal(await page.getByRole("button", { name: "Try again" }).count(), 0);
});

test("what is copied of an answer leads a colleague to its sources", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, context, quiet } = await signedIn(t, kb);
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill("Who built the Velmora lighthouse?");
  await page.keyboard.press("Enter");
  await page.locator(".answer .sources li").first().waitFor();
  await page.getByRole("button", { name: "Copy the answer with its sources" }).click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const { id } = await agent.page("lighthouse.md");
  const address = `${kb.url}/agents/${agent.id}/content?document=${id}`;
  assert.ok(copied.includes(`– ${address}`), copied);
  assert.ok(!copied.includes("/api/v1/"), copied);
  await page.goto(address);
  await page.getByRole("dialog").getByText("built in 1874 by the engineer Hester Quillby").waitFor();
  quiet();
});

test("what is shown has the names that it shows, and every sheet can be scrolled by keys", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page } = await signedIn(t, kb, { viewport: { width: 1000, height: 420 } });
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill("Who built the Velmora lighthouse?");
  await page.keyboard.press("Enter");
  await page.getByRole("button", { name: "Why was this found?" }).click();
  await page.locator(".why li").first().waitFor();
  const rules = ["label-content-name-mismatch", "scrollable-region-focusable"];
  assert.deepEqual(await faults(page, "why", { rules }), []);
  const body = page.locator("dialog.sheet .body");
  await body.focus();
  // The body grows until all of its figures are there, and the keys scroll softly.
  await until("the sheet to be scrolled", async () => {
    await page.keyboard.press("End");
    return body.evaluate((node) => node.scrollTop > 0);
  });
});

test("without a network a screen says so, and comes when the network is back", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, context } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).waitFor();
  await context.setOffline(true);
  await page.getByText("There is no network.").waitFor();
  await page.getByRole("link", { name: "Persona" }).click();
  await page.getByRole("button", { name: "Try again" }).waitFor();
  assert.deepEqual(await faults(page, "offline", { rules: ["color-contrast", "region"] }), []);
  await context.setOffline(false);
  await page.getByLabel("Who the agent is, and how it speaks").waitFor();
  assert.equal(await page.getByText("There is no network.").count(), 0);
});

test("who goes back to a place before the next one is there stays at it", async (t) => {
  const server = await models(t);
  const kb = await start(t, { env: server.chatEnv() });
  const built = "The Velmora lighthouse was built in 1874 by the engineer Hester Quillby.",
    left = "The last keeper of the lighthouse, Osric Tandy, left the tower in 1988.";
  const filler = Array.from(
    { length: 900 },
    (_, i) => `Ship number ${i} passed the cliff at hour ${i % 24} of a calm day.`,
  );
  const agent = await kb.agent({
    project_name: "Harbour",
    files: { "log.txt": [built, ...filler, left].join("\n\n") },
  });
  server.chat.say = `${built} [1]\n\n${left} [1]`;
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page
    .getByRole("textbox", { name: "Ask Harbour …" })
    .fill("Who built the lighthouse, and when did its keeper leave?");
  await page.keyboard.press("Enter");
  const mark = page.locator(".doc-side mark.current");
  await mark.filter({ hasText: "Hester Quillby" }).waitFor();
  let go, come;
  const held = new Promise((resolve) => (go = resolve)),
    came = new Promise((resolve) => (come = resolve));
  await page.route("**/text?**", async (route) => {
    await held;
    await route.continue();
    come();
  });
  const read = page.waitForRequest("**/text?**");
  await page.getByRole("button", { name: "Next passage" }).click();
  await read;
  await page.getByRole("button", { name: "Previous passage" }).click();
  const answered = page.waitForResponse("**/text?**");
  go();
  await came;
  await (await answered).finished();
  await page.waitForTimeout(300);
  await mark.filter({ hasText: "Hester Quillby" }).waitFor();
  // Once more, and nothing is held.
  await page.getByRole("button", { name: "Next passage" }).click();
  await mark.filter({ hasText: "Osric Tandy" }).waitFor();
  quiet();
});

test("what comes closest opens beside the question, and the owner sees which one was it", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.getByRole("textbox", { name: "Ask Harbour …" }).fill("Is there a restaurant near the cliff?");
  await page.keyboard.press("Enter");
  const closest = page.locator(".closest");
  await closest.getByText("No sure answer, but these passages come closest").waitFor();
  assert.equal(await page.locator(".answer .sources, .answer button.cite").count(), 0);
  await closest.locator("button.link").first().click();
  await page.locator(".doc mark", { hasText: "northern cliff" }).first().waitFor();
  assert.deepEqual(await faults(page), []);
  await closest.getByRole("button", { name: "That was it" }).first().click();
  await closest.locator('[aria-pressed="true"]').first().waitFor();
  await page.reload();
  await closest.locator('[aria-pressed="true"]').first().waitFor();
  const talk = new URL(page.url()).searchParams.get("talk");
  await page.goto(`${kb.url}/agents/${agent.id}/conversations?talk=${talk}`);
  await closest.locator(".badge", { hasText: "That was it" }).first().waitFor();
  await page.getByText("Closest passages").waitFor();
  await page.goto(`${kb.url}/agents/${agent.id}/analytics`);
  await page.locator(".tiles div", { hasText: "Closest passages" }).getByText("100").waitFor();
  await page.locator("td .badge", { hasText: "That was it" }).waitFor();
  quiet();
});

test("where nothing answers, the owner reads how much was searched, other topics, and may write the answer", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const { page, quiet } = await signedIn(t, kb);
  const open = `${kb.url}/agents/${agent.id}/ask`;
  await page.goto(open);
  const field = page.getByRole("textbox", { name: "Ask Harbour …" });
  await field.fill("Hello");
  await page.keyboard.press("Enter");
  await page.locator(".acts").waitFor();
  await field.fill("Who won the chess cup of 1911?");
  await page.keyboard.press("Enter");
  const help = page.locator(".unanswered");
  await help.getByText("3 documents searched").waitFor();
  assert.equal(await help.count(), 1, "small talk is no question without an answer");
  await help.getByRole("button", { name: "Brisca" }).waitFor();
  assert.deepEqual(await faults(page, "not found"), []);
  await help.getByRole("button", { name: "Ask in other words" }).click();
  assert.equal(await field.inputValue(), "Who won the chess cup of 1911?");
  await help.getByRole("button", { name: "Write the answer" }).click();
  await page.locator("dialog").getByText("Who won the chess cup of 1911?").waitFor();
  await page.keyboard.press("Escape");
  await page.reload();
  await help.getByText("3 documents searched").waitFor();
  await help.getByRole("button", { name: "Brisca" }).click();
  await page.locator(".answer", { hasText: "35 seconds" }).waitFor();
  assert.equal(await help.count(), 0);
  quiet();
});

test("an empty talk opens with questions that the documents answer", async (t) => {
  const kb = await start(t);
  const faq = "# Berths\n\n## How many berths has the harbour of Brisca?\n\nThe harbour of Brisca has nine berths.\n";
  const agent = await kb.agent({ project_name: "Harbour", files: { "berths.md": faq } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/ask`);
  await page.locator(".starters .chip", { hasText: "Berths" }).click();
  await page.locator(".answer", { hasText: "nine berths" }).waitFor();
  quiet();
});

test("a conversation tells who has checked an answer, and when", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour", files: library });
  const question = "Where can I park my bicycle?";
  await agent.expect(201, "POST", "/answers", { json: { question, answer: "In the yard.", checked_by: "Ann" } });
  await agent.settled();
  await agent.expect(200, "POST", "/conversations/bicycle/messages", { json: { prompt: question } });
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/agents/${agent.id}/conversations?talk=bicycle`);
  await page.locator(".facts-line", { hasText: /checked by Ann on \w+ \d+, \d{4}/ }).waitFor();
  quiet();
});
