// People in the dashboard: invited in the page, signed in by their link, with what they may and nothing else.
import { readFile } from "node:fs/promises";
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
  // How far reading is, is not hers to know; that the agent answers is.
  await ann.page.locator(".live", { hasText: "Answering" }).waitFor();
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

test("an owner sees who changed what, by what, whom, which agent and when, and takes it along", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    project_name: "Harbour",
    files: { "tide.txt": "The tide of Velmora is high at noon." },
  });
  const vault = await kb.agent({ project_name: "Vault" });
  await agent.expect(200, "POST", "/settings", { json: { context_depth: "rich" } });
  const { link } = await kb.expect(201, "POST", "/people", {
    json: { name: "Ann", role: "member", agents: [{ project_id: agent.id, rights: ["manage"] }] },
  });
  const ann = await browse(t, kb);
  await ann.page.goto(link);
  await ann.page.getByText("Harbour").first().waitFor();
  assert.equal(await ann.page.getByRole("link", { name: "Activity" }).count(), 0, "not for members");
  await ann.page.evaluate(
    (id) =>
      fetch(`/api/v1/projects/${id}`, {
        method: "POST",
        headers: { "x-docent-session": "1", "content-type": "application/json" },
        body: '{"project_name":"Port"}',
      }),
    agent.id,
  );
  await vault.expect(200, "DELETE", "");

  const { page, quiet } = await signedIn(t, kb);
  await page.getByRole("link", { name: "Activity" }).click();
  const row = (text) => page.locator("tbody tr").filter({ hasText: text });
  await row("Agent deleted").filter({ hasText: "an agent that is gone" }).waitFor();
  await row("Settings changed").filter({ hasText: "How much a model is given" }).waitFor();
  await row("Agent changed").filter({ hasText: "Ann" }).filter({ hasText: "Port" }).waitFor();
  assert.deepEqual(await faults(page, "activity"), []);

  await page.getByLabel("Who").selectOption({ label: "Ann" });
  await row("Settings changed").waitFor({ state: "detached" });
  await row("Signed in").waitFor();
  await page.getByLabel("What").selectOption({ label: "Agents" });
  await row("Signed in").waitFor({ state: "detached" });
  await row("Agent changed").waitFor();
  assert.equal(await page.locator("tbody tr").count(), 1);
  const fetched = page.waitForEvent("download");
  await page.getByRole("button", { name: "CSV" }).click();
  const rows = (await readFile(await (await fetched).path(), "utf8")).trim().split("\r\n");
  assert.equal(rows.length, 2);
  assert.match(rows[1], /,"agent\.update",/);
  await page.getByLabel("From").fill("2099-01-01");
  await page.getByText("Nothing fits.").waitFor();
  await page.reload();
  await page.getByText("Nothing fits.").waitFor();
  assert.equal(await page.getByLabel("What").inputValue(), "agent");
  quiet();
});

test("an owner lets a directory in, sees whom it switches off, and shuts it out", async (t) => {
  const kb = await start(t);
  const { page, quiet } = await signedIn(t, kb);
  await page.goto(`${kb.url}/people`);
  await page.getByRole("button", { name: "New token" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByLabel("Name").fill("Staff");
  await dialog.getByRole("button", { name: "Create" }).click();
  await dialog.getByRole("button", { name: "I have kept it" }).waitFor();
  const [address, token] = await dialog.locator(".command code").allTextContents();
  assert.equal(address, `${kb.url}/scim/v2`);
  assert.deepEqual(await faults(page, "the token"), []);
  await dialog.getByRole("button", { name: "I have kept it" }).click();

  const scim = (method, path, body) =>
    fetch(`${address}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, "content-type": "application/scim+json" },
      body: body && JSON.stringify(body),
    });
  const made = await scim("POST", "/Users", {
    schemas: ["urn:ietf:params:scim:schemas:core:2.0:User"],
    userName: "ann@example.org",
    displayName: "Ann",
    active: true,
  });
  assert.equal(made.status, 201);
  const { id } = await made.json();
  await page.reload();
  const ann = page.locator("tbody tr").filter({ hasText: "Ann" });
  await ann.waitFor();
  assert.equal(await ann.getByText("switched off").count(), 0);
  const off = { op: "replace", path: "active", value: false };
  const schemas = ["urn:ietf:params:scim:api:messages:2.0:PatchOp"];
  assert.equal((await scim("PATCH", `/Users/${id}`, { schemas, Operations: [off] })).status, 200);
  await page.reload();
  await ann.getByText("switched off").waitFor();
  assert.deepEqual(await faults(page, "people with a directory"), []);

  await page.getByRole("button", { name: "Revoke Staff" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("button", { name: "Revoke Staff" }).waitFor({ state: "detached" });
  assert.equal((await scim("GET", "/Users")).status, 401);
  await ann.getByText("switched off").waitFor();
  quiet();
});
