// The whole way of an owner and of a visitor, in a real browser: no step needs a document to be read first.
import { assert, browse, faults, link, patient, start, test, until } from "./lib.mjs";
import { espresso, lighthouse, returns } from "../api/lib/documents.mjs";
import { mixedPdf, scanned, typedPdf } from "../api/lib/print.mjs";
import { mayFetch, site } from "../api/lib/site.mjs";

const kinds = { md: "text/markdown", txt: "text/plain", html: "text/html", csv: "text/csv", pdf: "application/pdf" };
const file = (name, content) => ({
  name,
  mimeType: kinds[name.split(".").at(-1)] ?? "application/octet-stream",
  buffer: Buffer.from(content),
});
const note = (i) => `The pump of basin ${i} is looked after by Ada Keeper${i}.`;

const handbook = [
  "Die Liegegebuehr betraegt zwanzig Kronen am Tag.",
  "Der alte Turm steht auf der noerdlichen Klippe der Insel, 61 Meter ueber dem Meer.",
];

/** Twenty of five kinds; what is wrong with five of them their names say. */
const files = [
  file("lighthouse.md", lighthouse),
  file("espresso.md", espresso),
  file("returns.txt", returns),
  file("hours.html", "<h1>Opening hours</h1><p>The harbour office is open from eight to four.</p>"),
  file("berths.csv", "berth,boat\n7,Gull\n8,Tern\n"),
  file("handbook.pdf", typedPdf([["Handbook"], ["Liegeplatz", ...handbook]])),
  ...Array.from({ length: 9 }, (_, i) => file(`pump-${i}.txt`, note(i))),
  file("scan-one.pdf", mixedPdf([scanned(["The marble room opens at eleven."])])),
  file("scan-two.pdf", mixedPdf([scanned(["The amber room opens at noon."])])),
  file("empty.txt", ""),
  file("noise.bin", "\x00\x01\x02\xff\xfe"),
  file("damaged.pdf", "%PDF-1.7\nnothing of a document\n"),
];

const questions = [
  ["Who built the Velmora lighthouse?", "Hester Quillby"],
  ["How much is a ticket for the lighthouse?", "7 crowns"],
  ["How long does the warranty of the Brisca 200 last?", "27 months"],
  ["Within how many days may goods be returned?", "30 days"],
  ["When is the harbour office open?", "eight to four"],
  ["Who looks after the pump of basin 3?", "Keeper3"],
  ["When does the marble room open?", "eleven"],
  ["When does the amber room open?", "noon"],
  ["How many berths has the harbour of Brisca?", "nine berths"],
  ["How is the berth found that was empty before?", "green buoy"],
];

/** Each trouble has a button that helps. */
async function mend(page, agent) {
  const row = (code) => page.locator(`.needs [data-need="${code}"]`);
  await row("pictures_off").getByRole("button", { name: "Read words in pictures" }).click();
  const chooser = page.waitForEvent("filechooser");
  await row("empty").getByRole("button", { name: "Replace the file" }).click();
  await (await chooser).setFiles(file("full.txt", "The berth that was empty before is found at the green buoy."));
  await row("empty").waitFor({ state: "detached" });
  for (const name of ["noise.bin", "damaged.pdf"]) {
    await page.locator(".needs li", { hasText: name }).getByRole("button", { name: "Remove" }).click();
    await page.getByRole("dialog").getByRole("button", { name: "Delete" }).click();
    await page.locator(".needs li", { hasText: name }).waitFor({ state: "detached" });
  }
  await page.locator(".needs").waitFor({ state: "detached", timeout: patient(120_000) });
  await until("all to be read", async () => (await agent()).every((one) => one.index_status === "ok"), 60_000);
}

async function addWebsite(t, page) {
  const web = await site(t);
  const dead = Array.from({ length: 60 }, (_, i) => `<a href="/gone/${i}">Gone ${i}</a>`).join(" ");
  web.page("/", "Harbour help", `The harbour of Brisca has nine berths. ${dead}`);
  await page.getByRole("button", { name: "Add content" }).first().click();
  await page.getByLabel("Or an address").fill(web.url);
  await page.getByRole("button", { name: "Add", exact: true }).click();
  await page.getByRole("dialog").waitFor({ state: "detached" });
  await page.locator(".source", { hasText: "60 addresses could not be read" }).waitFor({ timeout: patient(120_000) });
  assert.equal(await page.getByRole("row", { name: /gone/ }).count(), 0, "dead links are one line");
  await page.getByRole("row", { name: /Harbour help/ }).waitFor();
}

async function askAll(page) {
  const field = page.getByRole("textbox", { name: "Ask Harbour …" });
  for (const [i, [question, words]] of questions.entries()) {
    await field.fill(question);
    await page.keyboard.press("Enter");
    const turn = page.locator(".turn").nth(i);
    await turn.locator(".acts").waitFor();
    assert.ok((await turn.locator(".answer").innerText()).includes(words), `${question}: ${await turn.innerText()}`);
  }
}

/** Gives the link that the screen shows. */
async function share(page) {
  await page.getByRole("link", { name: "Share & embed" }).click();
  await page.getByRole("button", { name: "Make it public" }).click();
  await page.getByRole("switch", { name: "Open cited PDF files in the viewer" }).click();
  await page.getByRole("textbox", { name: "Who answers what the documents do not" }).fill("The harbour office");
  await page.getByRole("button", { name: "Save", exact: true }).click();
  await page.getByRole("button", { name: "Save", exact: true }).waitFor({ state: "detached" });
  return page.getByRole("link", { name: "Open", exact: true }).getAttribute("href");
}

async function visit(t, kb, address) {
  const phone = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true, locale: "de-DE" };
  const { page, quiet } = await browse(t, kb, phone);
  await page.goto(address);
  await page.getByText(/Ich antworte aus den Dokumenten/).waitFor();
  const ask = async (question, i) => {
    await page.locator("#question").fill(question);
    await page.keyboard.press("Enter");
    await page.locator(".exchange").nth(i).locator(".acts").waitFor(); // the next one may be asked
  };
  await ask("Wie hoch ist die Liegegebuehr am Tag?", 0);
  await page
    .getByRole("button", { name: /^Quelle 1: / })
    .first()
    .click();
  await page.locator(".viewer .mark.current, .viewer mark.current").first().waitFor();
  assert.deepEqual(await faults(page, "the source"), []);
  await page.locator(".viewer").getByRole("button", { name: "Schließen" }).click();
  await ask("Gibt es ein Restaurant nahe der Klippe?", 1);
  const last = page.locator(".exchange").last();
  await last.locator(".closest li").first().waitFor();
  await last.getByText(/Durchsuchte Dokumente: \d/).waitFor();
  await last.getByRole("button", { name: "Einen Menschen fragen" }).click();
  await last.getByLabel("Ihre E-Mail-Adresse").fill("ida@example.org");
  await last.getByRole("button", { name: "Senden" }).click();
  await page.getByText("Ihre Frage ist weitergegeben").waitFor();
  quiet();
}

test("from the sign-in to a visitor's address: twenty files, five of them broken, a website, ten questions, a link", async (t) => {
  const kb = await start(t, mayFetch);
  const { page, quiet } = await browse(t, kb);
  await page.goto(await link(kb));
  await page.getByRole("button", { name: "New agent" }).first().click();
  await page.locator("input[type=file]").first().setInputFiles(files);
  await page.getByLabel("Name of the agent").fill("Harbour");
  await page.getByRole("button", { name: "Create" }).click();
  await page.getByRole("link", { name: "5 not read" }).click();
  const id = Number(/agents\/(\d+)/.exec(page.url())[1]);
  await mend(
    page,
    async () => (await kb.expect(200, "GET", `/projects/${id}/pages`, { query: "limit=100" })).pages.data,
  );
  await addWebsite(t, page);
  await page.getByRole("link", { name: "Ask", exact: true }).click();
  await askAll(page);
  const address = await share(page);
  await visit(t, kb, address);
  await page.getByRole("link", { name: "Analytics" }).click();
  await page.getByRole("link", { name: "ida@example.org" }).waitFor();
  await page.getByRole("cell", { name: "Gibt es ein Restaurant nahe der Klippe?", exact: true }).first().waitFor();
  quiet();
});
