// Improving: an answer is put right where it stands, kept as a test, and what turns is seen; by keyboard alone.
import { form } from "../api/lib/harness.mjs";
import { assert, faults, faultsEverywhere, signedIn, start, test, until } from "./lib.mjs";

const first = "When does the ferry to Velmora leave?";
const again = "At what time does the Velmora ferry leave?";

/** An agent whose document is wrong, and a page that is signed in. */
async function scene(t) {
  const kb = await start(t);
  const agent = await kb.agent({ project_name: "Harbour" });
  const put = async (text) => {
    await agent.expect(201, "POST", "/sources", { form: form({ path: "ferry.txt" }, { "ferry.txt": text }) });
    await agent.settled();
  };
  await put("The ferry to Velmora leaves at nine.");
  const { page, quiet } = await signedIn(t, kb);
  return { kb, agent, put, page, quiet, open: (name) => page.goto(`${kb.url}/agents/${agent.id}/${name}`) };
}

test("a wrong answer is corrected in place, right at the next question, kept, and told when its document changes", async (t) => {
  const { agent, put, page, quiet, open } = await scene(t);
  const wrong = await agent.ask(first);
  assert.match(wrong.llm_response, /at nine/);

  await open("conversations");
  await page.getByRole("button", { name: first }).click();
  await page.getByRole("button", { name: "Correct", exact: true }).click();
  const sheet = page.getByRole("dialog", { name: "Correct" });
  await sheet.getByRole("textbox", { name: "Answer" }).fill("From June on the ferry to Velmora leaves at ten.");
  assert.deepEqual(await faults(page, "the correction"), []);
  await sheet.getByRole("button", { name: "Save" }).click();
  await page.getByText("Corrected: who asks this").waitFor();
  await agent.settled();

  const right = await agent.ask(again);
  assert.equal(right.llm_response, "From June on the ferry to Velmora leaves at ten.");
  let kept;
  await until(
    "the test to pass",
    async () => {
      kept = (await agent.expect(200, "GET", "/tests")).data;
      return kept.length === 1 && kept[0].state === "passed";
    },
    20_000,
  );
  assert.equal(kept[0].question, first);

  await open("improve");
  await page.getByText("All checked answers are up to date.").waitFor();
  assert.deepEqual(await faults(page, "nothing to mend"), []);
  await put("The ferry to Velmora leaves at eleven.");
  await page.reload();
  const part = page.getByRole("region", { name: "Checked answers to look at" });
  await part.getByText("Its document has changed").waitFor();

  // Whoever looks at it says that it holds, and the warning goes.
  await part.getByRole("button", { name: first }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Checked: say this" }).click();
  await page.getByText("All checked answers are up to date.").waitFor();
  quiet();
});

test("a test that turned shows both answers, and the keyboard alone mends it and a gap", async (t) => {
  const { agent, put, page, quiet, open } = await scene(t);
  const { citations } = await agent.ask(first);
  await agent.expect(201, "POST", "/tests", { json: { question: first, documents: citations, phrases: ["at nine"] } });
  const kept = async () => (await agent.expect(200, "GET", "/tests")).data[0];
  await until("the test to pass", async () => (await kept()).state === "passed", 20_000);
  await put("The ferry to Velmora leaves at eleven.");
  // It may have been asked between the two documents, and is asked again then.
  await until(
    "the test to turn",
    async () =>
      (({ state, why, answer }) => state === "failed" && why === "not found" && /eleven/.test(answer))(await kept()),
    20_000,
  );
  await agent.ask("What is the boiling point of tungsten?");
  const gaps = async (query) => (await agent.expect(200, "GET", "/gaps", { query })).data;
  await until("the gap", async () => (await gaps({ state: "open" })).length === 1, 20_000);

  await open("ask");
  await page.keyboard.press("Control+k");
  await page.keyboard.type("mend");
  await page.getByRole("option", { name: "Improve" }).waitFor();
  await page.keyboard.press("Enter");
  await page.getByText("Nothing is found any more").waitFor();
  assert.deepEqual(await faultsEverywhere(page, "what is to be mended"), []);
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const sheet = page.getByRole("dialog", { name: first });
  await sheet.getByText("leaves at nine").waitFor();
  await sheet.getByText("leaves at eleven").waitFor();
  assert.deepEqual(await faults(page, "a test that turned"), []);
  await page.keyboard.press("Escape");
  await sheet.waitFor({ state: "detached" });

  // Back on its row; the next one is the gap.
  await page.keyboard.press("j");
  await page.keyboard.press("Enter");
  const gap = page.getByRole("dialog", { name: "What is the boiling point of tungsten?" });
  await gap.getByText("As people put it").waitFor();
  await page.keyboard.type("It boils at 5,930 degrees.");
  assert.deepEqual(await faults(page, "a gap"), []);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("k");
  for (let i = 0; i < 6; i++) {
    if (await gap.getByRole("button", { name: "Answer", exact: true }).evaluate((b) => b === document.activeElement))
      break;
    await page.keyboard.press("Tab");
  }
  await page.keyboard.press("Enter");
  await page.getByText("Answered. 1 question is asked anew").waitFor();
  const mended = page.getByRole("region", { name: "Mended lately" });
  await mended.getByRole("button", { name: "What is the boiling point of tungsten?" }).waitFor();
  await until("it to be answered", async () => (await gaps({ state: "answered" }))[0]?.answers === 1, 20_000);
  await page.reload();
  await mended.getByText("answers 1 of 1").waitFor();
  const week = page.getByRole("region", { name: "Week by week" }).getByRole("row").nth(1);
  assert.match(await week.innerText(), /2\s+1\s+1\s+1\s+0$/);
  quiet();
});

test("a document whose day has come is shown, and stands again until another day", async (t) => {
  const { agent, page, open } = await scene(t);
  const { id } = await agent.page("ferry.txt");
  await agent.expect(200, "PUT", `/pages/${id}/metadata`, { json: { review_at: "2025-01-01" } });
  const { uploads } = await agent.expect(200, "GET", "/sources");
  await agent.expect(201, "PUT", `/sources/${uploads.id}`, { json: { review_at: "2025-02-01" } });

  await open("content");
  await page.getByText("Review is due").first().waitFor();
  await open("improve");
  const part = page.getByRole("region", { name: "Documents to look at again" });
  await part.getByRole("button", { name: "All uploads" }).waitFor();
  await part.getByRole("button", { name: "ferry" }).click();
  const sheet = page.getByRole("dialog");
  await sheet.getByLabel("Look at it again on").fill("2099-05-01");
  assert.deepEqual(await faults(page, "a review"), []);
  await sheet.getByRole("button", { name: "It still holds" }).click();
  await page.getByText("Noted").waitFor();
  const { review_at } = await agent.expect(200, "GET", `/pages/${id}/metadata`);
  assert.equal(review_at, "2099-05-01T00:00:00.000000Z");

  await part.getByRole("button", { name: "All uploads" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "No review any more" }).click();
  await part.getByText("No document is due.").waitFor();
  assert.equal((await agent.expect(200, "GET", "/sources")).uploads.review_at, null);
});

test("who looks at a conversation reads what another document says otherwise", async (t) => {
  const { agent, page, open } = await scene(t);
  const dated = (day, price) =>
    `---\ndate: ${day}\n---\n# Fares\n\nA ticket for the Velmora ferry costs ${price} euros.`;
  await agent.add({ "old.md": dated("2022-03-01", 7), "new.md": dated("2024-05-02", 9) });
  const answer = await agent.ask("What does a ticket for the Velmora ferry cost?");
  assert.match(answer.llm_response, /9 euros/);
  await open("conversations");
  await page.getByRole("button", { name: "What does a ticket" }).click();
  await page.getByText("says otherwise than this answer").waitFor();
  await page.getByText("costs 7 euros").waitFor();
  assert.deepEqual(await faults(page, "a conflict"), []);
});

test("documents that disagree stand under what there is to mend, until both are right", async (t) => {
  const { agent, page, open } = await scene(t);
  const fares = (day, price) =>
    `---\ndate: ${day}\ntitle: Fares of ${day}\n---\nA ticket for the Velmora ferry costs ${price} euros.`;
  await agent.add({ "old.md": fares("2022-03-01", 7), "new.md": fares("2024-05-02", 9) });
  await open("improve");
  const part = page.getByRole("region", { name: "Documents that disagree" });
  await part.getByRole("button", { name: "Fares of 2024-05-02 – Fares of 2022-03-01" }).click({ timeout: 60_000 });
  const sheet = page.getByRole("dialog");
  await sheet.getByText("costs 9 euros").waitFor();
  await sheet.getByText("costs 7 euros").waitFor();
  assert.deepEqual(await faults(page, "a disagreement"), []);
  await sheet.getByRole("button", { name: "Both are right" }).click();
  await part.getByText("No documents disagree in figures.").waitFor();
});

test("an answer that labels close is kept as a test of somebody who has them", async (t) => {
  const { agent, put, page, quiet, open } = await scene(t);
  const { citations } = await agent.ask(first);
  const [label] = await agent.expect(201, "POST", "/labels", { json: { names: ["crew"] } });
  await agent.expect(200, "PUT", `/pages/${citations[0]}/labels`, { json: { label_ids: [label.id] } });
  await agent.ask(first, { json: { prompt: first, labels: ["crew"] } });
  await open("conversations");
  await page.getByRole("button", { name: first }).first().click();
  await page.getByRole("button", { name: "Keep as a test", exact: true }).first().click();
  let kept;
  await until(
    "the test to pass",
    async () => {
      [kept] = (await agent.expect(200, "GET", "/tests")).data;
      return kept?.state === "passed";
    },
    20_000,
  );
  assert.deepEqual(kept.labels, ["crew"]);
  await put("The ferry to Velmora leaves at eleven.");
  await open("improve");
  await page.getByRole("button", { name: first }).click();
  await page.getByText("Asked as somebody with the labels crew.").waitFor();
  quiet();
});
