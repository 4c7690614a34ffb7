// Draws docs/images anew: twelve screens of a made-up shop, by the browser that the stories use. Look at each
// before it is committed, then: pngquant or the like is not needed, all of them have 1.5 MB at most.
//
//   node --test scripts/screenshots.mjs
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { start } from "../tests/api/lib/harness.mjs";
import { setLines, typedPdf } from "../tests/api/lib/print.mjs";
import { assert, link, test } from "../tests/web/lib.mjs";

const { chromium } = createRequire(new URL("../tests/web/lib.mjs", import.meta.url))("playwright-core");
const folder = fileURLToPath(new URL("../docs/images/", import.meta.url));
const MOST = 1.5 * 1024 * 1024;
const desktop = { viewport: { width: 1360, height: 850 } },
  phone = { viewport: { width: 390, height: 780 }, isMobile: true, hasTouch: true };

const warranty = [
  "Warranty and returns. Harbour Bikes, edition of 2026.",
  "A frame is guaranteed for ten years from the day of purchase, every other part for two. The guarantee covers faults of material and of making. It does not cover wear of chains, tyres and brake pads, nor damage by salt water.",
  "A bicycle may be returned within 30 days if it has been ridden for less than 50 kilometres. The customer brings it to the shop or pays its postage. The money is paid back to the card within five working days.",
  "Batteries keep at least 70 percent of their capacity for 500 charges. A battery that falls below that within three years is replaced without charge. Store it at 40 to 60 percent and between 10 and 20 degrees.",
  "An inspection after the first 300 kilometres is free. After that we recommend one each year; it costs 79 crowns and takes a day. Bring the service booklet, which is needed for the guarantee of the frame.",
];

const questions = [
  "How long is the guarantee of a frame?",
  "Within how many days may a bicycle be returned?",
  "How much does an inspection cost?",
  "Do you sell helmets for dogs?",
  "How long does a battery last?",
  "What does the guarantee not cover?",
];

async function furnish(t) {
  const kb = await start(t);
  const sheet = typedPdf(
    warranty.map((text, i) => [`${i + 1}. Harbour Bikes`, "", ...setLines(warranty.slice(i).join(" "))]),
  );
  const agent = await kb.agent({
    project_name: "Harbour Bikes",
    files: {
      "Warranty and returns.pdf": sheet,
      "Opening hours.md": "# Opening hours\n\nThe shop is open from nine to six, on Saturdays to two.",
      "Rental.md":
        "# Rental\n\nA city bicycle costs 18 crowns a day, one with a motor 42. A lock and lights go with it. Whoever keeps it for a week pays for five days.",
      "Care of chains.md":
        "# Care of chains\n\nClean the chain every 200 kilometres with a dry cloth and put one drop of oil on each link. A chain that is longer than 0.75 percent is replaced.",
      "Prices of the workshop.md":
        "# Prices of the workshop\n\n| Work | Crowns |\n| --- | --- |\n| Inspection | 79 |\n| New chain | 45 |\n| Brakes | 38 |",
    },
  });
  await agent.expect(200, "POST", "/settings", {
    json: {
      is_pdf_viewer: true,
      chatbot_color: "#0a5f57",
      chatbot_title: "Ask Harbour Bikes",
      example_questions: questions.slice(0, 3),
      input_field_addendum: "Answers come from our own documents.",
    },
  });
  await agent.expect(200, "POST", "/settings", {
    json: { persona_instructions: "You answer briefly and kindly, as the people of a small bicycle shop do." },
  });
  await agent.expect(200, "POST", "/settings", {
    json: {
      persona_instructions: "You answer briefly, as the people of a small bicycle shop do. Name prices in crowns.",
    },
  });
  for (const question of questions) await agent.ask(question);
  const { shareable_link } = await agent.expect(200, "POST", "", { json: { is_shared: true } });
  return { kb, agent, address: shareable_link };
}

async function ask(page, question) {
  await page.getByRole("textbox").last().fill(question);
  await page.keyboard.press("Enter");
}

test("screens are drawn", async (t) => {
  const { kb, agent, address } = await furnish(t);
  const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
  t.after(() => browser.close());
  const own = (screen) => `${kb.url}/agents/${agent.id}/${screen}`;
  const cited = async (page) => {
    await ask(page, questions[0]);
    await page.locator(".leaf .mark.current").first().waitFor();
  };
  const visited = async (page) => {
    await ask(page, questions[0]);
    await page.locator(".reply .cite").first().waitFor();
  };
  const shots = [
    ["ask", desktop, own("ask"), cited],
    ["ask-dark", { ...desktop, colorScheme: "dark" }, own("ask"), cited],
    ["documents", desktop, own("documents")],
    [
      "conversations",
      desktop,
      own("conversations"),
      async (page) => {
        await page.locator("td.what button").first().click();
        await page.locator(".answer").first().waitFor();
      },
    ],
    ["analytics", desktop, own("analytics"), (page) => page.locator(".uplot").first().waitFor()],
    ["persona", desktop, own("persona")],
    ["behaviour", { ...desktop, colorScheme: "dark" }, own("behaviour")],
    ["look", desktop, own("look")],
    ["share", desktop, own("share"), (page) => page.frameLocator("iframe").getByRole("textbox").waitFor()],
    [
      "page",
      desktop,
      address,
      async (page) => {
        await visited(page);
        await page.locator(".viewer .mark.current").first().waitFor();
      },
    ],
    ["phone", phone, own("ask"), visited],
    ["page-phone", { ...phone, colorScheme: "dark" }, address, visited],
  ];
  mkdirSync(folder, { recursive: true });
  for (const [name, options, where, then] of shots) {
    const context = await browser.newContext({ locale: "en-GB", ...options });
    const page = await context.newPage();
    page.setDefaultTimeout(15_000);
    if (!where.startsWith(address)) {
      await page.goto(await link(kb));
      await page.waitForURL(/\/agents/);
    }
    await page.goto(where);
    await page.waitForTimeout(700); // lists and plots
    await then?.(page)?.catch?.((error) => t.diagnostic(`${name}: ${error.message.split("\n")[0]}`));
    await page.waitForFunction(() => !document.querySelector(".spinner") && document.fonts.status === "loaded");
    await page.mouse.move(0, 0);
    await page.screenshot({ path: `${folder}${name}.png`, animations: "disabled" });
    await context.close();
  }
  const all = readdirSync(folder).reduce((sum, name) => sum + statSync(folder + name).size, 0);
  assert.ok(all < MOST, `${all} bytes`);
});
