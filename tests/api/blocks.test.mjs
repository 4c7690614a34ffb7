// What is said is what one would quote: whole lists, the rows that matter, an answer with its question.
import { assert, start, test } from "./lib/harness.mjs";

const manual = `# Kiln

The kiln stands in the yard, behind the workshop. It burns wood.[^1]

## Firing

To fire the kiln, take these steps:

1. Open the gas tap at the wall.
2. Press the lighter until the flame stays.
3. Close the door.

The firing takes a day. Nobody may open the door before it is cold.

## Fees

| Clay | Fee | Colour |
| --- | --- | --- |
| Stoneware | 14 crowns | grey |
| Earthenware | 9 crowns | red |
| Porcelain | 31 crowns | white |

## Questions

{{% faq "May I bring my own glaze?" %}}
Yes.
{{% /faq %}}

{% details Who sweeps the ashes? %}
Whoever fired last.
{% enddetails %}
`;

async function asked(t, question) {
  const kb = await start(t);
  const agent = await kb.agent({ files: { "kiln.md": manual } });
  const { id, session, llm_response: text } = await agent.ask(question);
  const { claims } = await agent.expect(200, "GET", `/conversations/${session}/messages/${id}/claims`);
  for (const { claim, places } of claims) {
    const { blocks } = await agent.expect(200, "GET", `/pages/${places[0].page_id}/text`),
      whole = Buffer.from(blocks.map((block) => block.text).join("\n")),
      { offset, length } = places[0];
    assert.equal(whole.toString("utf8", offset, offset + length), claim, "it stands there word for word");
  }
  return text;
}

test("steps are said from first to last, with the line that leads to them", async (t) => {
  assert.equal(
    await asked(t, "How do I fire the kiln?"),
    "To fire the kiln, take these steps:\n1. Open the gas tap at the wall.\n" +
      "2. Press the lighter until the flame stays.\n3. Close the door.",
  );
});

test("of a table the row that was asked for is said, with its columns", async (t) => {
  assert.equal(await asked(t, "What is the fee for porcelain?"), "Clay: Porcelain; Fee: 31 crowns; Colour: white");
});

test("steps that two passages share are said whole, in their order, once", async (t) => {
  const kb = await start(t);
  const words = (n, word) => Array.from({ length: n }, (_, i) => `${word}${i}`).join(" "),
    steps = ["Ask for the key of the forge", "Light the coal", "Work the bellows", "Heat the iron", "Quench it"];
  const agent = await kb.agent({
    files: {
      "forge.md":
        `# Forge\n\nThe forge is old: ${words(38, "stone")}.\n\n## How to forge a nail\n\n` +
        steps.map((step, i) => `${i + 1}. ${step} ${words(6, `so${i}x`)}.\n`).join("") +
        `\nNobody forges at night, for the neighbours sleep.\n`,
    },
  });
  const { passages } = await agent.expect(200, "POST", "/search", { json: { query: "forge a nail" } });
  assert.ok(
    passages.every(({ text }) => !(text.includes(steps[0]) && text.includes(steps[4]))),
    "they are cut",
  );
  const { llm_response: text } = await agent.ask("How do I quench the iron when I forge a nail with the bellows?");
  let from = 0;
  for (const step of steps) {
    const at = text.indexOf(step);
    assert.ok(at >= from, `${step} in ${text}`);
    assert.equal(text.indexOf(step, at + 1), -1, `${step} twice in ${text}`);
    from = at;
  }
  assert.ok(text.startsWith("How to forge a nail\n1. Ask"), text);
});

test("a list that is longer than an answer says where it goes on, and one that is whole does not", async (t) => {
  const tools = ["spanner", "brush", "mallet", "gauge"];
  const step = (i) => `Loosen ring ${i} of the great boiler with the ${tools[i % 4]} and lay it on bench ${i + 100}.`;
  const numbers = Array.from({ length: 45 }, (_, i) => i + 1);
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "boiler.md": `# Yearly service of the boiler

To do the yearly service, follow these steps:

${numbers.map((i) => `${i}. ${step(i)}`).join("\n")}

The service is done when the lamp is green.
`,
      "kiln.md": manual,
    },
  });
  const { llm_response: begun } = await agent.ask("How do I do the yearly service?");
  assert.ok(begun.includes(`1. ${step(1)}\n2. ${step(2)}\n`), begun);
  assert.ok(!begun.includes(step(45)), "it has no room");
  assert.match(begun, /\.\n\n…( \[1\])?$/);
  assert.equal(begun.match(/…/g).length, 1, begun);

  const { llm_response: middle } = await agent.ask("Where do I lay ring 23 of the great boiler?");
  assert.match(middle, /bench 123/);
  const shown = numbers.filter((i) => middle.includes(step(i)));
  assert.equal(/(^|\n\n)…\n\n\d/.test(middle), shown.length > 1 && shown[0] > 1, middle);
  assert.equal(/\n\n…( \[1\])?(\n\n|$)/.test(middle), shown.length > 1 && shown.at(-1) < 45, middle);

  const { llm_response: whole } = await agent.ask("How do I fire the kiln?");
  assert.match(whole, /3\. Close the door\./);
  assert.ok(!whole.includes("…"), whole);
});

test("a list is not joined to that of the next section", async (t) => {
  const kb = await start(t);
  const items = (word) => Array.from({ length: 12 }, (_, i) => `- ${word} the ${i}th crown of the purse of Orlin`),
    forge = [
      "# Purse",
      "## What to do",
      items("Do spend").join("\n"),
      "## What not to do",
      items("Never lend").join("\n"),
    ];
  const agent = await kb.agent({ files: { "purse.md": `${forge.join("\n\n")}\n` } });
  const { llm_response: text } = await agent.ask("What to do with the 7th crown of the purse, spend it?");
  assert.match(text, /Do spend the 7th/);
  assert.doesNotMatch(
    text.split("\n\n").find((place) => place.includes("Do spend the 7th")),
    /Never lend/,
    text,
  );
});

test("code is said as code, in the steps that it belongs to, with its blanks", async (t) => {
  const kb = await start(t);
  const panel = [
    "# Panel",
    "## Starting",
    "To start the panel of the workshop, type this at its keyboard in the hall:",
    '````sh\npanel on \\\n    --slow\n\npanel says ```\necho "It is warm. Go in."\n````',
    "## Cleaning",
    "To clean the oven of the workshop, take these steps:",
    "1. Stop it:\n\n    ```sh\n    if cold\n      oven open\n    ```",
    "2. Sweep the ashes.",
    "3. Say that it is done:\n\n   ```sh\n   oven done\n     oven open\n   ```",
  ];
  const agent = await kb.agent({ files: { "panel.md": `${panel.join("\n\n")}\n` } });
  const settings = { enable_citations: 3, enable_inline_citations_api: true };
  await agent.expect(200, "POST", "/settings", { json: settings });
  const start_it = (await agent.ask("How do I start the panel?")).llm_response,
    clean_it = (await agent.ask("How do I clean the oven?")).llm_response;
  assert.equal(
    start_it,
    "To start the panel of the workshop, type this at its keyboard in the hall:\n" +
      '````\npanel on \\\n    --slow\n\npanel says ```\necho "It is warm. Go in."\n````\n\n[1]',
  );
  assert.equal(
    clean_it,
    "To clean the oven of the workshop, take these steps:\n1. Stop it:\n" +
      "    ````\n    if cold\n      oven open\n    ````\n2. Sweep the ashes.\n" +
      "3. Say that it is done:\n    ```\n    oven done\n      oven open\n    ```\n\n[1]",
  );
});

test("an answer of a word stands with the question of its shortcode", async (t) => {
  assert.equal(await asked(t, "May I bring my own glaze?"), "May I bring my own glaze?\nYes.");
  assert.equal(await asked(t, "Who sweeps the ashes?"), "Who sweeps the ashes?\nWhoever fired last.");
});

test("a footnote at a sentence's end is not said", async (t) => {
  assert.equal(
    await asked(t, "Where does the kiln stand?"),
    "The kiln stands in the yard, behind the workshop. It burns wood.",
  );
});

test("where an answer goes back in its document, both parts have the number", async (t) => {
  const between = "There is a river, and a meadow with birds that sing in spring, and nobody minds them at all.";
  const kb = await start(t);
  const agent = await kb.agent({
    files: {
      "mill.txt": [
        "Some say that the old mill of Orlin was built in 1760 by Anna Berg and her brother.",
        ...["blue", "green", "red", "grey"].map((word) => `${between} The birds are ${word}.`),
        "The old mill of Orlin was built in 1770.",
      ].join("\n\n"),
    },
  });
  await agent.expect(200, "POST", "/settings", { json: { enable_citations: 3, enable_inline_citations_api: true } });
  assert.equal(
    (await agent.ask("When was the old mill of Orlin built?")).llm_response,
    "The old mill of Orlin was built in 1770. [1]\n\n" +
      "Some say that the old mill of Orlin was built in 1760 by Anna Berg and her brother. [1]",
  );
});

test("who asks whether, or how many, hears that first", async (t) => {
  const kb = await start(t);
  const files = {
    "inn.md":
      "# The Orlin inn\n\nThe Orlin inn stands at the end of the valley, below the old chapel. Dogs are not allowed in the inn of Orlin. They wait in the yard.\n\nThe inn of Orlin was a mill once, with a wheel. The inn has 17 rooms with a view of the river.\n",
    "gasthof.md":
      "# Gasthof Orlin\n\nDer Gasthof steht am Ende des Tals, unter der alten Kapelle. Hunde sind im Gasthof nicht erlaubt. Sie warten im Hof.\n",
    "auberge.md":
      "# Auberge d'Orlin\n\nL'auberge se trouve au fond de la vallée, sous la vieille chapelle. Les chiens ne sont pas admis dans l'auberge. Ils attendent dans la cour.\n",
    "posada.md":
      "# Posada de Orlin\n\nLa posada está al final del valle, bajo la vieja capilla. No se admiten perros en la posada. Esperan en el patio.\n",
    "kezhan.md": "# 奥林客栈\n\n奥林客栈在山谷的尽头，旁边有一座老教堂。客栈里不能带狗。狗可以在院子里等。\n",
  };
  for (const [file, question, begins] of [
    ["inn.md", "Are dogs allowed in the inn of Orlin?", "Dogs are not allowed"],
    ["inn.md", "How many rooms does the inn have?", "The inn has 17 rooms"],
    ["gasthof.md", "Sind Hunde im Gasthof erlaubt?", "Hunde sind im Gasthof nicht erlaubt."],
    ["auberge.md", "Les chiens sont-ils admis dans l'auberge ?", "Les chiens ne sont pas admis"],
    ["posada.md", "¿Se admiten perros en la posada?", "No se admiten perros"],
    ["kezhan.md", "客栈里能不能带狗？", "客栈里不能带狗。"],
  ]) {
    const agent = await kb.agent({ files: { [file]: files[file] } });
    const { llm_response: text } = await agent.ask(question);
    assert.ok(text.startsWith(begins), `${question}: ${text}`);
  }
});
