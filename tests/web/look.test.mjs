// Every setting that visitors are told of, and what they see of it: a row a field, in one browser. A field
// without a row fails.
import { readFile } from "node:fs/promises";
import { assert, browse, start, test, until } from "./lib.mjs";
import { library } from "../api/lib/documents.mjs";
import { pngOf } from "../api/lib/print.mjs";
import { mayFetch, site } from "../api/lib/site.mjs";

const question = "Who built the Velmora lighthouse?";
const png = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
const picture = { picture: png };

/** Two pages of the web with pictures of 300 dots; the service fetches them, the browser does not. */
const mill = "Who built the Brindle mill?";
const pictured = { use_opengraph_image_citation: true, citations_view_type: "show" };
const webPage = (title, words) => ({
  "content-type": "text/html",
  body: `<html><head><title>${title}</title><meta property="og:image" content="/share.png"></head><body><main><h1>${title}</h1><p>${words}</p><img src="/${title.length}.png" alt="${title}"><img src="/b${title.length}.png" alt="Its plan"><p>It stands beside the river, where the old road crosses the valley.</p></main></body></html>`,
});
async function addPages(t, agent) {
  const web = await site(t);
  const image = {
    "content-type": "image/png",
    body: pngOf({ width: 300, height: 300, grey: Buffer.alloc(90000, 99) }),
  };
  web.set("/mill", webPage("The Brindle mill", "The Brindle mill was built in 1790 by the carpenter Tobias Ferrow."));
  web.set(
    "/bridge",
    webPage("The Brindle bridge", "The Brindle bridge was painted in 1920 by the artist Wilma Sorrel."),
  );
  for (const path of ["/share.png", "/16.png", "/18.png", "/b16.png", "/b18.png"]) web.set(path, image);
  web.sitemap("/sitemap.xml", ["/mill", "/bridge"]);
  await agent.expect(201, "POST", "/sources", { json: { sitemap_path: `${web.url}/sitemap.xml` } });
  await until("the pages to be read", async () => {
    const all = await agent.pages();
    return all.length === Object.keys(library).length + 2 && all.every((page) => page.index_status === "ok");
  });
}
/** How many pictures stand within the answer's text and beside its sources, once so many are drawn. */
async function pictures(page, most) {
  await page.waitForFunction(
    (most) => document.querySelectorAll(".pictures canvas:not([hidden])").length >= most,
    most,
  );
  return {
    within: await count(page, ".text .pictures canvas"),
    beside: await count(page, ".sources .pictures canvas"),
  };
}
const tallest = (page) =>
  page
    .locator(".pictures canvas")
    .evaluateAll((all) => Math.round(Math.max(...all.map((canvas) => canvas.getBoundingClientRect().height))));

const css = (page, selector, property) =>
  page
    .locator(selector)
    .first()
    .evaluate((node, property) => getComputedStyle(node)[property], property);
const count = (page, selector) => page.locator(selector).count();
const text = (page, selector) => page.locator(selector).first().innerText();
const rgb = (hex) => `rgb(${[1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16)).join(", ")})`;
const field = "#question";

/** A question and its answer. */
async function ask(page, prompt = question) {
  await page.locator(field).fill(prompt);
  await page.keyboard.press("Enter");
  await page.locator(".exchange").last().locator(".acts, .failed").first().waitFor({ state: "attached" });
}
const side = async (page, selector) => {
  const box = await page.locator(selector).first().boundingBox();
  const log = await page.locator(".talk").boundingBox();
  return box.x - log.x < log.x + log.width - box.x - box.width ? "left" : "right";
};

/** {field: value, …, with: further settings, see: what must hold before a question, after: … after its answer}. */
const rows = [
  {
    chat_bot_avatar: picture,
    see: async (p) => assert.equal(await count(p, ".bar .face img"), 1),
    after: async (p) => assert.equal(await count(p, ".reply .face img"), 1),
  },
  { chatbot_title: "Ask the harbour", see: async (p) => assert.equal(await text(p, "h1"), "Ask the harbour") },
  { chatbot_title: "", see: async (p) => assert.equal(await text(p, "h1"), "Harbour") },
  { chatbot_title_color: "#7a1f1f", see: async (p) => assert.equal(await css(p, "h1", "color"), rgb("#7a1f1f")) },
  {
    chatbot_title_color: "#f4f4f4",
    see: async (p) => assert.notEqual(await css(p, "h1", "color"), rgb("#f4f4f4"), "nobody could read it"),
  },
  {
    chatbot_title_color: null,
    see: async (p) => assert.equal(await css(p, "h1", "color"), rgb("#565656"), "as by default"),
  },
  {
    chatbot_toolbar_color: "#000",
    see: async (p) => assert.equal(await css(p, ".bar", "backgroundColor"), "rgb(0, 0, 0)", "black can be chosen"),
  },
  {
    chatbot_toolbar_color: "#ff000080",
    see: async (p) => assert.equal(await css(p, ".bar", "backgroundColor"), "rgb(255, 127, 127)", "half of it"),
  },
  {
    chat_bot_bg_color: "#fff",
    see: async (p) => {
      await p.emulateMedia({ colorScheme: "dark" });
      assert.equal(await css(p, ".panel", "backgroundColor"), "rgb(255, 255, 255)", "white in the dark too");
      await p.emulateMedia({ colorScheme: "light" });
    },
  },
  {
    chatbot_toolbar_color: "#123456",
    see: async (p) => assert.equal(await css(p, ".bar", "backgroundColor"), rgb("#123456")),
  },
  {
    chatbot_color: "#8a2be2",
    after: async (p) => assert.equal(await css(p, ".bubble", "backgroundColor"), rgb("#8a2be2")),
  },
  {
    chatbot_color: "#ffee00",
    after: async (p) => assert.notEqual(await css(p, ".bubble", "color"), rgb("#ffffff"), "dark ink on a light colour"),
  },
  {
    chat_bot_bg_color: "#fdf3e0",
    see: async (p) => assert.equal(await css(p, ".panel", "backgroundColor"), rgb("#fdf3e0")),
  },
  {
    chat_bot_bg: picture,
    with: { chat_bot_bg_type: "image" },
    see: async (p) => assert.match(await css(p, ".panel", "backgroundImage"), /\/assets\/agents\/.*\.png/),
  },
  {
    chat_bot_bg_type: "color",
    with: { chat_bot_bg: picture },
    see: async (p) => assert.equal(await css(p, ".panel", "backgroundImage"), "none"),
  },
  {
    chat_bot_color_scheme: "legacy",
    with: { chatbot_color: "#0d3b66" },
    see: async (p) => assert.equal(await css(p, ".bar", "backgroundColor"), rgb("#0d3b66")),
  },
  { radius_styling: "sharp", see: async (p) => assert.equal(await css(p, ".bar .face", "borderRadius"), "0px") },
  { radius_styling: "round", after: async (p) => assert.equal(await css(p, ".bubble", "borderTopLeftRadius"), "22px") },
  { radius_styling: "legacy", after: async (p) => assert.equal(await css(p, ".bubble", "borderTopLeftRadius"), "8px") },
  { font_family: "public-sans", see: async (p) => assert.match(await css(p, "body", "fontFamily"), /^"?Public Sans/) },
  {
    user_avatar: picture,
    with: { user_avatar_enabled: true },
    after: async (p) => assert.equal(await count(p, ".asked .face img"), 1),
  },
  { user_avatar_enabled: false, after: async (p) => assert.equal(await count(p, ".asked .face"), 0) },
  {
    is_in_chat_user_avatar_enabled: false,
    with: { user_avatar_enabled: true },
    after: async (p) => assert.equal(await count(p, ".asked .face"), 0),
  },
  { is_in_chat_agent_avatar_enabled: false, after: async (p) => assert.equal(await count(p, ".reply .face"), 0) },
  { title_avatar_enabled: false, see: async (p) => assert.equal(await count(p, ".bar .face"), 0) },
  {
    agent_title_avatar_alignment: "center",
    see: async (p) => assert.equal(await css(p, ".bar .who", "justifyContent"), "center"),
  },
  ...[
    ["agent-left-user-right", "left", "right"],
    ["agent-right-user-right", "right", "right"],
    ["agent-right-user-left", "right", "left"],
    ["agent-left-user-left", "left", "left"],
  ].map(([user_avatar_orientation, agent, user]) => ({
    user_avatar_orientation,
    after: async (p) => assert.deepEqual([await side(p, ".reply .face"), await side(p, ".bubble")], [agent, user]),
  })),
  {
    spotlight_avatar_enabled: true,
    see: async (p) => assert.equal(await count(p, ".spotlight"), 1),
    after: async (p) => assert.equal(await count(p, ".spotlight"), 0),
  },
  {
    spotlight_avatar: picture,
    with: { spotlight_avatar_enabled: true, spotlight_avatar_type: "image" },
    see: async (p) => assert.match(await p.locator(".spotlight").getAttribute("src"), /\/assets\/agents\//),
  },
  {
    spotlight_avatar_type: "default",
    with: { spotlight_avatar_enabled: true },
    see: async (p) => assert.equal(await p.locator(".spotlight").getAttribute("src"), "/assets/spotlight_avatar.png"),
  },
  {
    spotlight_avatar_shape: "circle",
    with: { spotlight_avatar_enabled: true },
    see: async (p) => assert.equal(await css(p, ".spotlight", "borderRadius"), "50%"),
  },
  { remove_branding: true, see: async (p) => assert.ok(!(await text(p, ".foot")).includes("Docent")) },
  { remove_branding: false, see: async (p) => assert.match(await text(p, ".foot"), /Made with Docent/) },
  {
    enable_feedbacks: false,
    after: async (p) => assert.equal(await p.getByRole("button", { name: "Good answer" }).count(), 0),
  },
  { enable_feedbacks: true, after: pressThumb },
  {
    enable_copy_button: false,
    after: async (p) => assert.equal(await p.getByRole("button", { name: "Copy the answer" }).count(), 0),
  },
  { enable_copy_button: true, after: copies },
  {
    input_field_addendum: "Ask us anything about bikes.",
    see: async (p) => assert.match(await text(p, ".foot"), /Ask us anything about bikes\./),
  },
  { ai_disclaimer: "Machines err.", see: async (p) => assert.equal(await text(p, ".notice"), "Machines err.") },
  {
    default_prompt: "What would you like to know?",
    see: async (p) =>
      assert.equal(
        await p.getByRole("textbox", { name: "What would you like to know?" }).getAttribute("placeholder"),
        "What would you like to know?",
      ),
  },
  {
    example_questions: [question],
    see: (p) => p.getByRole("button", { name: question }).click(),
    then: (p) => p.getByText("Hester Quillby").first().waitFor(),
  },
  {
    try_asking_questions_msg: "Perhaps this:",
    with: { example_questions: ["One?"] },
    see: async (p) => assert.equal(await text(p, ".starters h2"), "Perhaps this:"),
  },
  {
    view_more_msg: "Show all",
    with: { example_questions: ["1?", "2?", "3?", "4?"] },
    see: async (p) => {
      assert.equal(await count(p, ".starter"), 3);
      await p.getByRole("button", { name: "Show all" }).click();
      assert.equal(await count(p, ".starter"), 4);
    },
  },
  {
    view_less_msg: "Fewer",
    with: { example_questions: ["1?", "2?", "3?", "4?"] },
    see: async (p) => {
      await p.locator(".fold").click();
      await p.getByRole("button", { name: "Fewer" }).click();
      assert.equal(await count(p, ".starter"), 3);
    },
  },
  {
    citations_answer_source_label_msg: "From here",
    after: async (p) => assert.match(await text(p, ".sources .label"), /^From here/),
  },
  {
    citations_sources_label_msg: "From these",
    with: { example_questions: ["x?"] },
    after: async (p) => assert.equal(await count(p, ".sources"), 1),
  },
  {
    enable_citations: 0,
    after: async (p) => assert.deepEqual([await count(p, ".sources"), await count(p, ".cite")], [0, 0]),
  },
  {
    enable_citations: 1,
    after: async (p) => assert.deepEqual([await count(p, ".sources"), await count(p, "button.cite")], [1, 0]),
  },
  {
    enable_citations: 2,
    after: async (p) => {
      assert.equal(await count(p, ".sources"), 0);
      await p.locator("button.cite").first().click();
      await p.locator(".sources .row").waitFor();
    },
  },
  {
    enable_citations: 3,
    after: async (p) => assert.deepEqual([await count(p, ".sources"), (await count(p, "button.cite")) > 0], [1, true]),
  },
  {
    image_citation_display: "default",
    with: pictured,
    prompt: mill,
    after: async (p) => assert.deepEqual(await pictures(p, 3), { within: 1, beside: 2 }),
  },
  {
    image_citation_display: "first_only",
    with: { ...pictured, enable_citations: 1 },
    prompt: mill,
    after: async (p) => assert.deepEqual(await pictures(p, 1), { within: 0, beside: 1 }),
  },
  {
    max_inline_images_per_response: 1,
    with: { ...pictured, use_planner_mode: true },
    prompt: "Who built the Brindle mill? Who painted the Brindle bridge?",
    after: async (p) => assert.equal((await pictures(p, 4)).within, 1),
  },
  {
    max_inline_images_per_response: 0,
    with: { ...pictured, use_planner_mode: true },
    prompt: "Who built the Brindle mill? Who painted the Brindle bridge?",
    after: async (p) => assert.equal((await pictures(p, 4)).within, 2),
  },
  {
    use_opengraph_image_citation: false,
    with: { citations_view_type: "show" },
    prompt: mill,
    after: async (p) => assert.deepEqual(await pictures(p, 2), { within: 1, beside: 1 }),
  },
  {
    use_opengraph_image_citation: true,
    with: { citations_view_type: "show" },
    prompt: mill,
    after: async (p) => assert.deepEqual(await pictures(p, 3), { within: 1, beside: 2 }),
  },
  {
    limit_image_citation_height: true,
    with: pictured,
    prompt: mill,
    after: async (p) =>
      assert.deepEqual([await pictures(p, 3), (await tallest(p)) <= 160], [{ within: 1, beside: 2 }, true]),
  },
  {
    limit_image_citation_height: false,
    with: pictured,
    prompt: mill,
    after: async (p) =>
      assert.deepEqual([await pictures(p, 3), (await tallest(p)) >= 300], [{ within: 1, beside: 2 }, true]),
  },
  { citations_view_type: "show", after: async (p) => assert.ok(await p.locator(".sources .row").isVisible()) },
  { citations_view_type: "hide", after: async (p) => assert.ok(!(await p.locator(".sources .row").isVisible())) },
  { citations_view_type: "user", after: keepsFold },
  {
    markdown_enabled: false,
    with: { no_answer_message: "**No** idea" },
    prompt: "What is the boiling point of tungsten?",
    after: async (p) => assert.equal(await text(p, ".reply .text"), "**No** idea"),
  },
  {
    markdown_enabled: true,
    with: { no_answer_message: "**No** idea" },
    prompt: "What is the boiling point of tungsten?",
    after: async (p) => assert.equal(await text(p, ".reply strong"), "No"),
  },
  {
    no_answer_message: "Nobody knows.",
    prompt: "What is the boiling point of tungsten?",
    after: async (p) => {
      assert.equal(await text(p, ".reply .text"), "Nobody knows.");
      assert.equal(await p.getByRole("button", { name: "Good answer" }).count(), 0);
    },
  },
  {
    ending_message: "Fair winds!",
    prompt: "Goodbye",
    after: async (p) => assert.equal(await text(p, ".reply .text"), "Fair winds!"),
  },
  { conversation_history: "everyone", after: history },
  {
    conversation_history: "hidden",
    see: async (p) => assert.equal(await p.getByRole("button", { name: "Conversations" }).count(), 0),
  },
  { can_export_conversation: true, after: exported },
  { can_share_conversation: true, after: shared },
  {
    conversation_time_window: 2,
    after: async (p) => assert.equal(await p.getByText("This conversation is closed").count(), 0),
  },
  {
    chatbot_msg_lang: "de",
    see: async (p) => {
      assert.equal(await p.evaluate(() => document.documentElement.lang), "de");
      await p.getByRole("button", { name: "Senden" }).waitFor();
    },
  },
  {
    chatbot_msg_lang: "ar",
    see: async (p) => {
      assert.equal(await p.evaluate(() => document.documentElement.dir), "rtl");
      await p.getByRole("button", { name: "إرسال" }).waitFor();
    },
    after: async (p) => assert.equal(await side(p, ".bubble"), "left", "mirrored"),
  },
];

async function pressThumb(page) {
  const up = page.getByRole("button", { name: "Good answer" });
  await up.click();
  assert.equal(await up.getAttribute("aria-pressed"), "true");
  await up.click();
  assert.equal(await up.getAttribute("aria-pressed"), "false");
}
async function copies(page) {
  await page.getByRole("button", { name: "Copy the answer" }).click();
  await page.getByRole("button", { name: "Copied" }).waitFor();
  assert.match(await page.evaluate(() => navigator.clipboard.readText()), /Hester Quillby[^]*\n\n\[1\] /);
}
async function keepsFold(page) {
  const row = page.locator(".sources .row");
  assert.ok(!(await row.isVisible()));
  await page.locator(".sources .label").click();
  await row.waitFor();
  await page.reload();
  await row.waitFor();
  await page.locator(".sources .label").click();
}
async function history(page) {
  await page.getByRole("button", { name: "New conversation" }).click();
  await page.getByRole("button", { name: "Conversations", exact: true }).click();
  await page.getByRole("button", { name: `Rename: ${question}` }).click();
  await page.getByRole("textbox", { name: "Rename" }).fill("The tower");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByRole("button", { name: /^The tower/ }).click();
  await page.getByText("Hester Quillby").waitFor();
  await page.getByRole("button", { name: "Conversations", exact: true }).click();
  await page.getByRole("button", { name: "Delete: The tower" }).click();
  await page.getByRole("button", { name: "Delete", exact: true }).click();
  await page.getByText("No conversations yet").waitFor();
}
async function exported(page) {
  for (const format of ["html", "txt", "json"]) {
    await page.getByRole("button", { name: "More" }).click();
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.getByRole("link", { name: `Download: ${format}` }).click(),
    ]);
    assert.match(await readFile(await file.path(), "utf8"), /Hester Quillby/, format);
  }
}
async function shared(page) {
  await page.getByRole("button", { name: "Share" }).click();
  await page.getByRole("button", { name: "Make a link" }).click();
  const url = await page.locator(".sheet input").inputValue();
  const other = await page.context().newPage();
  await other.goto(url);
  await other.getByText("Hester Quillby").waitFor();
  assert.equal(await other.locator("textarea").count(), 0, "it is read, and nothing is asked");
  await page.getByRole("button", { name: "Take the link back" }).click();
  await page.locator(".sheet").waitFor({ state: "detached" });
  await other.reload();
  assert.equal(await other.getByText("Hester Quillby").count(), 0);
  await other.close();
}

/** Told to visitors, and held by a story of its own: its file, and its name as it begins. */
const elsewhere = {
  contact_person: ["web/visitors", "where nothing answers, it says how much was searched"],
  is_loading_indicator_enabled: ["web/visitors", "the dots stay away"],
  hang_in_there_msg: ["web/visitors", "what is said while an answer takes long"],
  chatbot_siesta_msg: ["web/visitors", "what is said while an answer takes long"],
  chatbot_failed_moderation_msg: ["api/effects", "a prompt with a word of the block list"],
  account_out_of_queries_msg: ["api/visitors", "the quota is told"],
  enable_recaptcha_for_public_chatbots: ["web/visitors", "a browser works before its first question"],
  use_context_aware_starter_question: ["api/visitors", "starters follow the page around"],
  use_planner_mode: ["api/planner", "with use_planner_mode both parts"],
  pdf_limited_page_label: ["web/viewer", "a visitor sees the cited page"],
  is_pdf_viewer: ["web/viewer", "a visitor's viewer waits"],
  is_pdf_viewer_autoopen: ["web/viewer", "a visitor's viewer waits"],
  is_anonymize_pdfs: ["web/viewer", "a visitor's viewer waits"],
  is_pdf_page_visibility_limited: ["web/viewer", "a visitor sees the cited page"],
  is_pdf_limited_label_linked: ["web/viewer", "a visitor sees the cited page"],
};

test("a story that holds a setting elsewhere is there, and sets it", async () => {
  for (const [field, [file, name]] of Object.entries(elsewhere)) {
    const text = await readFile(new URL(`../${file}.test.mjs`, import.meta.url), "utf8");
    const stories = text.split(/^test\(/m).slice(1);
    const story = stories.find((story) => story.startsWith(`"${name}`) && story.includes(field));
    assert.ok(story, `${field}: no story "${name}…" of ${file} sets it`);
    assert.match(story, /assert|waitFor/, field);
  }
});

const fieldOf = (row) => Object.keys(row).find((key) => !["with", "see", "after", "then", "prompt"].includes(key));

test("every setting that visitors are told of has a row, or says where it is held", async () => {
  const source = await readFile(new URL("../../src/settings/fields.c", import.meta.url), "utf8");
  const told = [...source.matchAll(/\{ FIELD\((\w+)\), ([^\n]*)/g)]
    .filter(([, , rest]) => /^(APPEARANCE|TEXTS)|VISITORS/.test(rest))
    .map(([, name]) => name);
  assert.ok(told.length > 60);
  const held = [...new Set(rows.map(fieldOf)), ...Object.keys(elsewhere)];
  assert.deepEqual([...held].sort(), [...told].sort());
});

/** The settings that a row sends, files among them. */
function body(row) {
  const form = new FormData();
  const name = fieldOf(row);
  for (const [key, value] of Object.entries({ [name]: row[name], ...row.with })) {
    if (value?.picture) form.append(key, new Blob([value.picture], { type: "image/png" }), "p.png");
    else if (Array.isArray(value)) for (const item of value) form.append(`${key}[]`, item);
    else form.append(key, String(value));
  }
  return form;
}

/** The address of a public agent of its own with the settings of the row: one row knows nothing of another. */
async function shownOf(kb, master, row, what) {
  const copy = await master.expect(201, "POST", "/replicate");
  const path = `/projects/${copy.id}`;
  const reply = await fetch(`${kb.url}/api/v1${path}/settings`, {
    method: "POST",
    headers: { authorization: `Bearer ${kb.key}` },
    body: body(row),
  });
  assert.equal(reply.status, 200, `${what}: ${await reply.text()}`);
  const json = { project_name: "Harbour", is_shared: true };
  return (await kb.expect(200, "POST", path, { json })).shareable_link;
}

const clipboard = ["clipboard-read", "clipboard-write"];

test("each setting is seen on the public page as its name says", async (t) => {
  // Each row's visitor comes from an address of its own: one address may not ask so much.
  const kb = await start(t, { ...mayFetch, args: ["--trusted-proxies", "127.0.0.1"] });
  const master = await kb.agent({ project_name: "Harbour", files: library });
  await addPages(t, master);
  const wrong = [];
  const only = process.env.DOCENT_FIELD; // one field alone, while one works on it
  const left = rows.map((row, i) => ({ row, i })).filter(({ row }) => !only || fieldOf(row) === only);
  // Four windows share the rows. A window forgets who its visitor was; its scripts and fonts may stay.
  const walk = async () => {
    const window = () => browse(t, kb, { viewport: { width: 900, height: 800 }, permissions: clipboard });
    let { context, page } = await window();
    for (let next = left.shift(); next; next = left.shift()) {
      const { row, i } = next;
      const what = `${fieldOf(row)}: ${JSON.stringify(row[fieldOf(row)]?.picture ? "a picture" : row[fieldOf(row)])}`;
      const address = await shownOf(kb, master, row, what);
      await context.setExtraHTTPHeaders({ "x-forwarded-for": `192.0.2.${i + 1}` });
      try {
        await page.goto(address);
        await page.locator("h1").waitFor();
        await row.see?.(page);
        await row.then?.(page);
        if (row.after) {
          await ask(page, row.prompt);
          await row.after(page);
        }
        await page.evaluate(() => localStorage.clear());
        await context.clearCookies();
      } catch (error) {
        wrong.push(`${what}: ${error.message.split("\n").slice(0, 6).join(" ")}`);
        await context.close();
        ({ context, page } = await window());
      }
    }
  };
  await Promise.all([walk(), walk(), walk(), walk()]);
  assert.deepEqual(wrong, []);
});
