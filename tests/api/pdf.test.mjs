// What stands on pages of PDFs, as it is read from them.
import { assert, start, test } from "./lib/harness.mjs";
import { placed } from "./lib/print.mjs";

async function blocks(kb, pdf) {
  const agent = await kb.agent();
  await agent.add({ "page.pdf": pdf });
  const [page] = await agent.pages();
  assert.equal(page.index_status, "ok", page.status_reason);
  const { blocks } = await agent.expect(200, "GET", `/pages/${page.id}/text`);
  return [agent, blocks.map((block) => [block.type, block.text])];
}

test("a table is read row by row, each with the names of its columns", async (t) => {
  const kb = await start(t);
  const cells = [
    ["Service", "Unit", "Price"],
    ["Berth", "night", "9.00"],
    ["Water", "cubic metre", "2.50"],
    ["Electricity", "kWh", "0.31"],
  ];
  const rows = cells.flatMap((row, i) => row.map((cell, j) => [60 + 170 * j, 130 + 18 * i, cell]));
  const [agent, read] = await blocks(
    kb,
    placed([
      [60, 60, "Prices of the harbour", 18],
      [60, 90, "These are the prices of the harbour of Velm for the year, all of them with tax."],
      ...rows,
      [60, 230, "Whoever stays for longer than a month asks the harbour master for an offer of his own."],
    ]),
  );
  assert.deepEqual(read, [
    ["heading", "Prices of the harbour"],
    ["paragraph", "These are the prices of the harbour of Velm for the year, all of them with tax."],
    ["table", "Service: Berth; Unit: night; Price: 9.00"],
    ["table", "Service: Water; Unit: cubic metre; Price: 2.50"],
    ["table", "Service: Electricity; Unit: kWh; Price: 0.31"],
    ["paragraph", "Whoever stays for longer than a month asks the harbour master for an offer of his own."],
  ]);
  assert.match((await agent.ask("What is the price of electricity?")).llm_response, /0\.31/);
});

test("two columns of text are read one after the other", async (t) => {
  const kb = await start(t);
  const left = [
    "The harbour of Velm has nine berths",
    "for ships of up to thirty metres, and",
    "a pier for those that have to wait.",
  ];
  const right = [
    "At night a ship waits there until the",
    "master of the harbour has given it a",
    "berth. It comes in with the tide.",
  ];
  const column = (lines, x) => lines.map((line, i) => [x, 100 + 13 * i, line]);
  const [, read] = await blocks(kb, placed([...column(left, 60), ...column(right, 320)]));
  assert.deepEqual(
    read.map(([, text]) => text),
    [left.join(" "), right.join(" ")],
  );
});
