// A few made-up documents, and questions that they answer.

export const lighthouse = `# The Velmora Lighthouse

The Velmora lighthouse was built in 1874 by the engineer Hester Quillby. It stands on the northern
cliff of Velmora island, 61 metres above the sea. Its lamp was converted to electricity in 1931.

## Visiting

The lighthouse is open to visitors from April to October. A ticket costs 7 crowns for adults and
3 crowns for children. Guided tours begin at noon and last forty minutes.

## Keepers

The last keeper, Osric Tandy, left the tower in 1988, when the light was automated.
`;

export const espresso = `# Brisca 200 espresso machine: manual

The Brisca 200 heats up in 35 seconds. The water tank holds 1.8 litres. Descale the machine every
two months with citric acid. The brewing pressure is 9 bar.

## Faults

If the red lamp blinks three times, the pump has run dry; fill the tank and press the steam button.
The warranty of the Brisca 200 lasts 27 months from the day of purchase.
`;

export const returns = `Goods may be returned within 30 days of delivery. The customer pays the postage for
returns. Refunds are made to the original payment card within five working days.
`;

export const library = { "lighthouse.md": lighthouse, "espresso.md": espresso, "returns.txt": returns };

/** question: the document that answers it, and words that the answer must hold. */
export const questions = [
  ["Who built the Velmora lighthouse?", "lighthouse.md", "Hester Quillby"],
  ["How much is a ticket for the lighthouse?", "lighthouse.md", "7 crowns"],
  ["How long does the warranty of the Brisca 200 last?", "espresso.md", "27 months"],
  ["Within how many days may goods be returned?", "returns.txt", "30 days"],
];

/** Nothing above speaks to these. */
export const foreign = [
  "What is the boiling point of tungsten?",
  "Which painter cut off his own ear?",
  "How do I renew my passport in Portugal?",
];

export const noAnswer = "I'm sorry, I don't know the answer";

/** Two of a kind: what "it" is, only the question before tells. */
export const lighthouses = {
  "tarnis.md":
    "# The Tarnis lighthouse\n\nThe Tarnis lighthouse was built in 1902 by Edda Kroll. It was painted red in 1950.\n",
  "velmora.md": lighthouse,
};
export const followUp = {
  first: "When was the Velmora lighthouse built?",
  then: "And who built it?",
  words: "Hester Quillby",
  document: "velmora.md",
};
