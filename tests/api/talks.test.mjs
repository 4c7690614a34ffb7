// Talks in the five biggest languages: a turn that leans on the one before is read with it, and a change of
// subject is one.
import { randomUUID } from "node:crypto";
import { assert, start, test } from "./lib/harness.mjs";

const talks = {
  English: {
    text: "# The tower\n\n## Hours\n\nIn summer the tower is open from 9 to 21. In winter the tower is open from 11 to 15.\n\n## Prices\n\nA ticket for adults costs 8 crowns. A ticket for children costs 3 crowns.\n\n## The lift\n\nThe lift was built in 1931 by Ida Lund. It carries six people.\n",
    turns: [
      ["When is the tower open in summer?", "9 to 21"],
      ["And in winter?", "11 to 15"],
      ["What does a ticket for adults cost?", "8 crowns"],
      ["And for children?", "3 crowns"],
      ["Who built the lift?", "Ida Lund"],
    ],
  },
  German: {
    text: "# Der Turm\n\n## Zeiten\n\nIm Sommer ist der Turm von 9 bis 21 Uhr geöffnet. Im Winter ist der Turm von 11 bis 15 Uhr geöffnet.\n\n## Preise\n\nEine Karte für Erwachsene kostet 8 Kronen. Eine Karte für Kinder kostet 3 Kronen.\n\n## Der Aufzug\n\nDer Aufzug wurde 1931 von Ida Lund gebaut. Er trägt sechs Personen.\n",
    turns: [
      ["Wann ist der Turm im Sommer geöffnet?", "9 bis 21"],
      ["Und im Winter?", "11 bis 15"],
      ["Was kostet eine Karte für Erwachsene?", "8 Kronen"],
      ["Und für Kinder?", "3 Kronen"],
      ["Wer hat den Aufzug gebaut?", "Ida Lund"],
    ],
  },
  French: {
    text: "# La tour\n\n## Horaires\n\nEn été, la tour est ouverte de 9 heures à 21 heures. En hiver, la tour est ouverte de 11 heures à 15 heures.\n\n## Tarifs\n\nUn billet pour adultes coûte 8 couronnes. Un billet pour enfants coûte 3 couronnes.\n\n## L'ascenseur\n\nL'ascenseur a été construit en 1931 par Ida Lund. Il porte six personnes.\n",
    turns: [
      ["Quand la tour est-elle ouverte en été ?", "9 heures"],
      ["Et en hiver ?", "11 heures"],
      ["Combien coûte un billet pour adultes ?", "8 couronnes"],
      ["Et pour les enfants ?", "3 couronnes"],
      ["Qui a construit l'ascenseur ?", "Ida Lund"],
    ],
  },
  Spanish: {
    text: "# La torre\n\n## Horario\n\nEn verano la torre abre de 9 a 21 horas. En invierno la torre abre de 11 a 15 horas.\n\n## Precios\n\nUna entrada para adultos cuesta 8 coronas. Una entrada para niños cuesta 3 coronas.\n\n## El ascensor\n\nEl ascensor fue construido en 1931 por Ida Lund. Lleva a seis personas.\n",
    turns: [
      ["¿Cuándo abre la torre en verano?", "9 a 21"],
      ["¿Y en invierno?", "11 a 15"],
      ["¿Cuánto cuesta una entrada para adultos?", "8 coronas"],
      ["¿Y para niños?", "3 coronas"],
      ["¿Quién construyó el ascensor?", "Ida Lund"],
    ],
  },
  Chinese: {
    text: "# 高塔\n\n## 时间\n\n夏天高塔的开放时间是九点到二十一点。冬天高塔的开放时间是十一点到十五点。\n\n## 票价\n\n成人票的价格是8元。儿童票的价格是3元。\n\n## 电梯\n\n电梯是李明在1931年建造的。电梯可以坐六个人。\n",
    turns: [
      ["夏天高塔的开放时间是什么？", "九点到二十一点"],
      ["那冬天呢？", "十一点到十五点"],
      ["成人票的价格是多少？", "8元"],
      ["儿童票呢？", "3元"],
      ["电梯是谁建造的？", "李明"],
    ],
  },
};

for (const [language, { text, turns }] of Object.entries(talks))
  test(`a talk in ${language} goes on, and comes to something else`, async (t) => {
    const kb = await start(t);
    const agent = await kb.agent({ files: { "tower.md": text } });
    const session = randomUUID();
    for (const [prompt, words] of turns) {
      const { llm_response: said } = await agent.ask(prompt, { session });
      assert.ok(said.includes(words), `${prompt} ${said}`);
    }
  });
