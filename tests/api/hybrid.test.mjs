// is_hybrid_search: codes, part numbers, versions and identifiers match as wholes and by parts.
import { assert, start, test } from "./lib/harness.mjs";

/** Each has the code in passing; the guide has every common word of every question. */
const files = {
  "guide.txt":
    "What to do about a printer error on the display: the printer shows each error on its display, and the display error test lists what an error means. " +
    "The price of a spare part for the pump is in the list of spare parts for each pump. Each release of the program brings new features; the features of a release are in the release notes. " +
    "The client has options, and what an option does for the client is in the options list.",
  "service.txt": "After long use the unit may stop with ERR-4012. Call the workshop in that case.",
  "other.txt": "ERR-4013 goes away by itself. Wait a while.",
  "parts.txt": "AB-77-X: five crowns. AB-77-Y: nine crowns.",
  "history.txt": "12.4.1: sorting by date. 12.5.0: sorting by name.",
  "keys.txt": "max_retry_count limits how often it tries again.",
};
const cases = [
  ["What should I do about printer error ERR-4012 on the display?", "service.txt", "ERR-4012"],
  ["What should I do about printer error err4012 on the display?", "service.txt", "ERR-4012"],
  ["What is the price of the spare part AB-77-X for the pump?", "parts.txt", "five crowns"],
  ["Which new features came with release 12.4.1 of the program?", "history.txt", "sorting by date"],
  ["Which sorting came with release 12.4 of the program?", "history.txt", "sorting by date"],
  ["What does the option max_retry_count do for the client?", "keys.txt", "how often it tries"],
];

test("is_hybrid_search puts the passage with the code before those with the common words", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  const first = async (query) => (await agent.expect(200, "POST", "/search", { json: { query } })).passages[0].filename;
  const off = [],
    on = [];
  for (const [question] of cases) off.push(await first(question));
  await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search: true } });
  for (const [question] of cases) on.push(await first(question));
  assert.deepEqual(
    on,
    cases.map(([, file]) => file),
  );
  assert.ok(off.filter((file) => file === "guide.txt").length >= 3, `without it the common words win: ${off.join()}`);
});

test("is_hybrid_search answers from the document with the code, and off is as it was", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  const ask = async (question) => {
    const message = await agent.ask(question);
    return { text: message.llm_response, sources: await agent.sources(message) };
  };
  const before = [];
  for (const [question] of cases) before.push(await ask(question));
  await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search: true } });
  for (const [question, file, words] of cases) {
    const answer = await ask(question);
    assert.ok(answer.sources.includes(file) && answer.text.includes(words), `${question}: ${JSON.stringify(answer)}`);
  }
  await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search: false } });
  const after = [];
  for (const [question] of cases) after.push(await ask(question));
  assert.deepEqual(after, before);
});

test("the explanation of a score shows the code as a term of its own", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  const why = async () =>
    (await agent.expect(200, "POST", "/search", { json: { query: "error ERR-4012", explain: true } })).passages[0]
      .explanation;
  assert.ok(!(await why()).terms.some((term) => term.term === "=err4012"));
  await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search: true } });
  const { terms } = await why();
  const code = terms.find((term) => term.term === "=err4012");
  assert.deepEqual([code.df, code.tf_body], [1, 1]);
  assert.ok(code.contribution > Math.max(...terms.filter((term) => term !== code).map((term) => term.contribution)));
});

test("action_overrides turn the matching of codes on and off for one message", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files });
  // Codes with digits are minded in any case.
  const question = "What does the client option maxRetry_Count do about the printer error on the display?";
  const words = "how often it tries";
  const found = async (action_overrides) =>
    (await agent.ask(question, { json: { prompt: question, action_overrides } })).llm_response.includes(words);
  assert.deepEqual([await found({}), await found({ enabled: ["code_matching"] })], [false, true]);
  await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search: true } });
  assert.deepEqual([await found({}), await found({ disabled: ["code_matching"] })], [true, false]);
});

test("the beginning of a code asks for all that begin so, alike", async (t) => {
  const kb = await start(t);
  const lines = [
    "Firmware 12.4.1 fixes the clock.",
    "Firmware 12.4.2 adds a night mode.",
    "Firmware 12.5.0 removes the beep.",
    "Firmware 12.40.1 turns the display.",
    "The pump AB-77-X costs five crowns.",
    "The pump AB-77-Y costs nine crowns.",
  ];
  for (const files of [
    { "all.txt": lines.join(" ") },
    Object.fromEntries(lines.map((line, i) => [`${i}.txt`, line])),
  ]) {
    const agent = await kb.agent({ files });
    await agent.expect(200, "POST", "/settings", { json: { is_hybrid_search: true } });
    for (const [question, wanted] of [
      ["What does firmware 12.4 do?", [0, 1]],
      ["What does firmware 12.4.2 do?", [1]],
      ["What does the pump AB-77 cost?", [4, 5]],
    ]) {
      const { llm_response } = await agent.ask(question);
      assert.deepEqual(
        lines.filter((line) => llm_response.includes(line)),
        wanted.map((i) => lines[i]),
        `${question} ${llm_response}`,
      );
    }
  }
});
