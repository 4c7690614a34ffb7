// Agents of a few documents: what they do not speak of is refused, whatever was asked before, and what
// they do speak of is answered, whatever was asked before or stands beside it.
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";
import { noAnswer } from "./lib/documents.mjs";

const documents = {
  "otter.txt":
    "The otter is a mammal of rivers and coasts. It lives in a den at the bank, which is called a holt. It eats fish, crabs and frogs. A grown otter weighs ten kilograms.",
  "boiler.txt":
    "The Calida boiler costs 1,850 euros. Its warranty lasts five years. The boiler must be serviced every autumn. Error code CB-217 means that the water pressure is too low.",
  "museum.txt":
    "The Rowan Museum opens at ten in the morning and closes at five. It is closed on Mondays. The entrance is in Mill Lane. Elsa Brandt founded the museum in 1921.",
  "parking.txt":
    "Staff park behind the warehouse. Visitors park in front of the gate. A permit costs 12 euros a month.",
  "leave.txt": "Every employee has 28 days of leave. Leave that is not taken by the end of March is lost.",
  "sauce.txt": "Melt the butter, stir in the flour and add the milk. Let the sauce simmer for eight minutes.",
  "router.txt":
    "The Nimbus router has four ports. The administrator's page is at 192.168.7.1. Hold the reset button for twelve seconds to restore the factory settings.",
  "choir.txt":
    "The choir rehearses on Thursdays at seven in the parish hall. New voices are welcome. Paul Weir conducts it.",
  "canoe.txt": "A canoe is rented for 25 euros a day. The deposit is 50 euros. Life jackets are included.",
  "library.txt": "Books are lent for four weeks. A lost book costs its price and a fee of three euros.",
  "printer.txt": "The printer on the second floor prints in colour. Toner is kept in the cupboard next to it.",
  "garden.txt": "The beech hedge is cut in June. Roses are pruned in March. The lawn is watered in the evening.",
  "trail.txt": "The ridge trail is 14 kilometres long. It takes five hours and begins at the chapel.",
};
const first = (count) => Object.fromEntries(Object.entries(documents).slice(0, count));

const plain = {
  "otter.txt": [
    ["Where does the otter live?", "holt"],
    ["What does the otter eat?", "crabs"],
    ["How much does a grown otter weigh?", "ten kilograms"],
  ],
  "boiler.txt": [
    ["How much does the boiler cost?", "1,850"],
    ["How long is the warranty of the boiler?", "five years"],
    ["What does CB-217 mean?", "pressure"],
  ],
  "trail.txt": [["How long is the ridge trail?", "14 kilometres"]],
  "leave.txt": [["How many days of leave do I have?", "28 days"]],
};
const foreign = [
  "Where does the penguin live?",
  "How much does the bicycle cost?",
  "What does the zebra eat?",
  "Who painted the Mona Lisa?",
  "What is the capital of Peru?",
  "When does the swimming pool open?",
  "How do I bake bread?",
  "What does error ZX-404 mean?",
  "How long is the warranty of the dishwasher?",
  "Who is the mayor of the town?",
  "How many moons does Jupiter have?",
  "Where is the airport?",
  "How tall is the cathedral?",
  "Can I pay by cheque?",
  "What is the boiling point of mercury?",
  "When was the telephone invented?",
  "How do I apply for a passport?",
  "Which team won the cup?",
];
const ALLOWED = 1; // of them

const inTurn = async (agent, prompts) => {
  const session = randomUUID(),
    replies = [];
  for (const prompt of prompts) replies.push((await agent.ask(prompt, { session })).llm_response);
  return replies;
};
const questionsOf = (count) => Object.keys(first(count)).flatMap((name) => plain[name] ?? []);

for (const count of [1, 2, 13]) {
  test(`an agent of ${count} refuses what is foreign, at once and after answers`, async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({ files: first(count) });
    const answers = questionsOf(count).slice(0, 3);
    for (const before of [[], answers.slice(0, 1), answers.slice(0, 2), answers]) {
      const answered = [];
      for (const prompt of foreign) {
        const replies = await inTurn(agent, [...before.map(([question]) => question), prompt]);
        if (replies.at(-1) !== noAnswer) answered.push(`${prompt} ${replies.at(-1)}`);
      }
      assert.ok(answered.length <= ALLOWED, `after ${before.length}: ${answered.join("\n")}`);
    }
  });

  test(`an agent of ${count} answers plain questions, also behind foreign ones`, async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({ files: first(count) });
    for (const [prompt, words] of questionsOf(count)) {
      const [alone] = await inTurn(agent, [prompt]);
      assert.ok(alone.includes(words), `${prompt} ${alone}`);
      const last = (await inTurn(agent, [...foreign.slice(0, 3), prompt])).at(-1);
      assert.ok(last.includes(words), `after three: ${prompt} ${last}`);
      for (const beside of ["My neighbour has a bicycle.", "I am from Lisbon.", "It is raining here."]) {
        const [both] = await inTurn(agent, [`${beside} ${prompt}`]);
        assert.ok(both.includes(words), `${beside} ${prompt} ${both}`);
      }
    }
  });
}

test("what is near but tells nothing of the kind that is asked for is no answer", async (t) => {
  const kb = await start(t);
  const agent = await kb.agent({ files: first(5) });
  const tells = [
    ["How much does the Calida boiler cost?", "1,850"],
    ["How much does a permit cost?", "12 euros"],
  ];
  for (const [question, words] of tells) assert.ok((await agent.ask(question)).llm_response.includes(words), question);
  for (const question of [
    "What colour is the Calida boiler?",
    "How heavy is the Calida boiler?",
    "How many watts does the Calida boiler have?",
    "Is there a discount on the boiler?",
    "What is the phone number of the Rowan Museum?",
    "How tall is the Rowan Museum?",
  ]) {
    const { llm_response: said, citations } = await agent.ask(question);
    assert.equal(citations, null, `${question}: ${said}`);
  }
});
