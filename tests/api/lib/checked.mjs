// How often checked answers win, and how often they should not have: for a story and a bench.
import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";

export const set = JSON.parse(readFileSync(new URL("../../fixtures/verified.json", import.meta.url), "utf8"));

/** Makes the answers of the set and asks its questions: figures, and the questions that went wrong. */
export async function measure(agent, { answers, paraphrases, near }) {
  const ids = {};
  for (const [name, [question, answer]] of Object.entries(answers))
    ids[name] = (await agent.expect(201, "POST", "/answers", { json: { question, answer } })).id;
  await agent.encoded();
  const won = async (prompt) =>
    (await agent.expect(200, "POST", `/conversations/${randomUUID()}/messages`, { json: { prompt } })).verified
      ?.answer_id;
  const figures = { won: 0, asked: paraphrases.length, wrong: 0, near: near.length, lost: [], falsely: [] };
  for (const [name, question] of paraphrases) {
    const id = await won(question);
    figures.won += id === ids[name];
    figures.wrong += id !== undefined && id !== ids[name];
    if (id !== ids[name]) figures.lost.push(question);
  }
  for (const [, question] of near) if (await won(question)) figures.falsely.push(question);
  return figures;
}
