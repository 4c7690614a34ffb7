// The dashboard in its reader's language.
import { assert, browse, faults, link, start, test } from "./lib.mjs";

test("the dashboard speaks the browser's language, or the one chosen, and keeps it", async (t) => {
  const kb = await start(t);
  const { id } = await kb.agent({ project_name: "Lichter" });
  const { page, quiet } = await browse(t, kb, { locale: "de-AT" });
  await page.goto(kb.url);
  await page.getByRole("heading", { name: "Anmelden" }).waitFor();
  assert.equal(await page.getAttribute("html", "lang"), "de-AT");
  assert.deepEqual(await faults(page, "sign-in"), []);
  await page.goto(await link(kb));
  await page.getByRole("heading", { name: "Agenten" }).waitFor();
  // Settings: their names, their choices and what the service says of them in English.
  await page.goto(`${kb.url}/agents/${id}/behaviour`);
  const row = page.locator("[data-field=citations_view_type]");
  await row.getByText("Liste der Quellen", { exact: true }).waitFor();
  assert.equal(await row.locator("option").nth(1).textContent(), "Offen");
  assert.match(await row.textContent(), /Ob die Liste der Quellen offen ist/);
  await page.goto(`${kb.url}/account`);
  await page.getByLabel("Sprache dieser Seiten").selectOption("en");
  await page.getByRole("heading", { name: "Account" }).waitFor();
  await page.goto(`${kb.url}/agents`);
  await page.getByRole("heading", { name: "Agents" }).waitFor();
  await page.goto(`${kb.url}/account`);
  await page.getByLabel("Language of these pages").selectOption("");
  await page.getByRole("heading", { name: "Konto" }).waitFor();
  quiet();
});
