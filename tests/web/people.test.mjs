// People in the dashboard: invited in the page, signed in by their link, with what they may and nothing else.
import { assert, browse, faults, signedIn, start, test } from "./lib.mjs";

test("somebody is invited, signs in by the link, sees what they may, and is let go", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: { "tide.txt": "The tide of Velmora is high at noon." },
  });
  await kb.agent({ project_name: "Vault" });
  const { page, quiet } = await signedIn(t, kb);
  await page.getByRole("link", { name: "People" }).click();
  await page.getByRole("button", { name: "Invite" }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Ann");
  await dialog.getByLabel("E-mail").fill("ann@example.org");
  await dialog.getByLabel("Agent").selectOption({ label: "Harbour" });
  assert.deepEqual(await faults(page, "the invitation"), []);
  await dialog.getByRole("button", { name: "Invite" }).click();
  const link = await page.locator(".command code").textContent();
  assert.match(link, /\/login#[A-Za-z0-9]{43}$/);
  await page.getByRole("button", { name: "I have sent it" }).click();
  await page.getByText("Harbour: Ask").waitFor();
  assert.deepEqual(await faults(page, "people"), []);

  const ann = await browse(t, kb);
  await ann.page.goto(link);
  await ann.page.getByText("Harbour").first().waitFor();
  assert.equal(await ann.page.getByText("Vault").count(), 0);
  assert.equal(await ann.page.getByRole("link", { name: "Keys" }).count(), 0);
  assert.equal(await ann.page.getByRole("link", { name: "People" }).count(), 0);
  await ann.page.goto(`${kb.url}/agents/${agent.id}/ask`);
  const rail = ann.page.getByRole("navigation");
  await rail.getByRole("link", { name: "Conversations" }).waitFor();
  for (const hidden of ["Content", "Persona", "Labels", "Share"])
    assert.equal(await rail.getByRole("link", { name: hidden }).count(), 0, hidden);
  await ann.page.getByRole("textbox", { name: "Ask Harbour …" }).fill("When is the tide of Velmora high?");
  await ann.page.keyboard.press("Enter");
  await ann.page.getByText("high at noon").first().waitFor();

  // Her browser stands in the list; letting her go signs it out.
  await page.reload();
  await page.getByRole("button", { name: "Let Ann go" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Let go" }).click();
  await page.getByText("Harbour: Ask").waitFor({ state: "detached" });
  quiet();
  await ann.page.reload();
  await ann.page.getByRole("heading", { name: "Sign in" }).waitFor();
});
