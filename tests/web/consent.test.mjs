// The page that a program sends its reader to: who asks for what, and what comes of the answer.
import { BACK, addressOf, asking, exchanging, programs, token, verifier } from "../api/lib/programs.mjs";
import { assert, browse, faults, start, test } from "./lib.mjs";

test("a reader is led to the sign-in and back, sees who asks for what, and lets it in, or not", async (t) => {
  const host = await programs(t);
  const kb = await start(t, host.options);
  const agent = await kb.agent({ project_name: "Harbour" });
  const client = host.program("/desk.json", { client_name: "<b>Desk</b>" });
  const { page, quiet } = await browse(t, kb, { elsewhere: ["http://127.0.0.1:9"] });
  const sent = [];
  await page.route(`${BACK}**`, (route) => {
    sent.push(new URL(route.request().url()));
    return route.fulfill({
      body: "<!doctype html><html lang=en><title>Desk</title><main><h1>Back</h1></main></html>",
      contentType: "text/html",
    });
  });
  const secret = verifier();
  const where = (more) => `${kb.url}/oauth/authorize?${new URLSearchParams(asking(client, agent, secret, more))}`;
  await page.goto(where());
  await page.getByLabel("Key").fill(kb.key);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByRole("heading", { name: "May this program ask in your name?" }).waitFor();
  await page.getByText("<b>Desk</b>").waitFor();
  await page.getByText(new URL(client).host).waitFor();
  await page.getByText("It may ask Harbour as").waitFor();
  assert.deepEqual(await faults(page, "the question"), []);
  await page.getByRole("button", { name: "Deny" }).click();
  await page.getByRole("heading", { name: "Back" }).waitFor();
  assert.equal(sent[0].searchParams.get("error"), "access_denied");
  await page.goto(where());
  await page.getByRole("button", { name: "Allow" }).click();
  await page.getByRole("heading", { name: "Back" }).waitFor();
  const given = await token(kb, exchanging(client, agent, sent[1].searchParams.get("code"), secret));
  assert.equal(given.status, 200, given.text);

  // It stands in the account's screen, and ends there.
  await page.goto(`${kb.url}/account`);
  await page.getByRole("heading", { name: "Programs" }).waitFor();
  assert.deepEqual(await faults(page, "the account"), []);
  await page.getByRole("button", { name: "Revoke <b>Desk</b>" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Revoke" }).click();
  await page.getByRole("heading", { name: "Programs" }).waitFor({ state: "detached" });
  assert.deepEqual(await kb.expect(200, "GET", "/programs"), []);

  // What is wrong is said here, and leads nowhere.
  quiet();
  await page.goto(where({ redirect_uri: "https://evil.example/callback" }));
  await page.getByText("an address that the program's description does not list").waitFor();
  await page.goto(where({ resource: addressOf({ id: 4711 }) }));
  await page.getByRole("button", { name: "Try again" }).waitFor();
  assert.equal(await page.getByRole("button", { name: "Allow" }).count(), 0);
  assert.equal(sent.length, 2);
});
