// Signing in at the organisation's provider, in a browser, which is of another site than the service.
import { scene } from "../api/lib/entering.mjs";
import { assert, browse, faults, test } from "./lib.mjs";

test("one button leads to the provider and back, signing out goes there too, and a refusal is said", async (t) => {
  const { kb, idp } = await scene(t, { host: "localhost" });
  const at = () => kb.url.replace("127.0.0.1", "localhost");
  const { page } = await browse(t, kb);
  idp.as = "ben";
  await page.goto(`${at()}/login`);
  const button = page.getByRole("button", { name: "Sign in with 127.0.0.1" });
  await button.waitFor();
  assert.deepEqual(await faults(page, "the sign-in"), []);
  await button.click();
  await page.waitForURL(`${at()}/agents`);
  await page.getByRole("link", { name: "People" }).waitFor();
  // Who came to another page is led back to it, once.
  await page.context().clearCookies({ name: /docent/ });
  await page.goto(`${at()}/people?from=mail`);
  await button.click();
  await page.waitForURL(`${at()}/people?from=mail`);
  await page.goto(`${at()}/agents`);
  await page.getByRole("link", { name: "People" }).waitFor();
  assert.equal(new URL(page.url()).pathname, "/agents");
  await page.getByRole("button", { name: "Sign out" }).click();
  await page.waitForURL(`${idp.issuer}/session/end**`);
  // Whom no group lets in reads why.
  await page.context().clearCookies();
  idp.as = "dan";
  await page.goto(`${at()}/login`);
  await button.click();
  await page.getByText("None of your groups may use this service.").waitFor();
  assert.equal(new URL(page.url()).search, "");
});
