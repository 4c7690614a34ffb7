// Headings: where nothing stands under them they are what a document says, and found; between sections they part what
// is said, and are no answer by themselves.
import { assert, start, test } from "./lib/harness.mjs";

test("a document of headings alone is read, and answers", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "hours.md": "# Opening hours are nine to five\n",
      "garage.html": "<html><body><h1>The garage is behind the church</h1><h2>Six places</h2></body></html>",
    },
  });
  for (const [prompt, words] of [
    ["What are the opening hours?", "nine to five"],
    ["Where is the garage?", "behind the church"],
  ]) {
    const { llm_response } = await agent.ask(prompt);
    assert.ok(llm_response.includes(words), llm_response);
  }
});

test("a heading without text below it is found and answers", async (t) => {
  const kb = await start(t);
  const text = `# Alpha shop

## The shop is closed on Sunday

## Tickets cost 12 euros

### Prices

The pump costs 499 euros in the main shop.
`;
  const agent = await kb.agent({ files: { "shop.md": text } });
  const { passages } = await agent.expect(200, "POST", "/search", { json: { query: "closed Sunday" } });
  assert.match(passages[0].text, /closed on Sunday/);
  for (const [prompt, words] of [
    ["When is the shop closed?", "The shop is closed on Sunday"],
    ["What do tickets cost?", "Tickets cost 12 euros"],
    ["What does the pump cost?", "The pump costs 499 euros"],
  ]) {
    const { llm_response } = await agent.ask(prompt);
    assert.ok(llm_response.includes(words), `${prompt} ${llm_response}`);
  }
});

const chapters = Array.from(
  { length: 20 },
  (_, i) =>
    `## Chapter ${i + 1}\n\nThe zebra number ${i + 1} weighs ${300 + i} kilos. Visitors may see it at ${i} o'clock.\n`,
);
const sections = {
  "town.md":
    "# Town\n\n## Lighthouse\n\nHester Quillby built the lighthouse in 1888.\n\n## Ferry\n\nThe ferry costs 12 euros.\n",
  "zebras.md": `# Zebras\n\n${chapters.join("\n")}`,
  "errors.md":
    "# Errors\n\n## ERR-4011\n\nThe lid is open.\n\n## ERR-4012\n\nThe tank is empty. Fill it.\n\n## ERR-4013\n\nThe lamp is broken.\n",
};

test("an answer is of one section, without the heading", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: sections });
  for (const [prompt, answer] of [
    ["What does the ferry cost?", /^The ferry costs 12 euros\.$/],
    ["Who built the lighthouse?", /^Hester Quillby built the lighthouse in 1888\.$/],
    ["How heavy is zebra number 12?", /^The zebra number 12 weighs 311 kilos\.( Visitors .* 11 o'clock\.)?$/],
    ["What does ERR-4012 mean?", /^The tank is empty\.( Fill it\.)?$/],
  ]) {
    const { llm_response } = await agent.ask(prompt);
    assert.match(llm_response, answer, prompt);
  }
});
