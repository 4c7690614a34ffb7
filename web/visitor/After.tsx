import { useState } from "preact/hooks";
import { put } from "../lib/language";
import type { Settings } from "../lib/look";
import type { Visitor, VisitTurn } from "../lib/visit";
import { t } from "../words/visitor";
import { Topics } from "./Opening";
import { usePart } from "../lib/usepart";
import "./Panel"; // so that what both hold is one file: markdown.ts

const RELATED = 3;

interface Props {
  settings: Settings;
  visitor: Visitor;
  turn: VisitTurn;
  onAsk: (question: string) => void;
  /** The question again, to be put otherwise. */
  onReword: (question: string) => void;
}

const same = (a: string, b: string) => a.trim().toLowerCase() === b.trim().toLowerCase();

/** What the answer's own documents answer as well; nothing that was asked in this talk. */
function relatedOf(visitor: Visitor, turn: VisitTurn): string[] {
  const sources = turn.answer.value?.sources.map(({ id }) => id) ?? [];
  const turns = visitor.talk.turns.value;
  return (visitor.opening.value?.asked ?? [])
    .filter(({ page_id, question }) => sources.includes(page_id) && !turns.some((t) => same(t.question.text, question)))
    .slice(0, RELATED)
    .map(({ question }) => question);
}

/** What stands behind the last answer: where to go on from it, or from none. */
export default function After({ settings, visitor, turn, onAsk, onReword }: Props) {
  const opening = visitor.opening.value;
  const [handing, setHanding] = useState(false);
  const Handing = usePart(handing, () => import("./Person"));
  const person = settings.look.contact_person;
  if (turn.answer.value?.kind !== "none") {
    const related = relatedOf(visitor, turn);
    if (!related.length) return null;
    return (
      <section class="topics" aria-labelledby="related">
        <h2 id="related">{t.related}</h2>
        <ul>
          {related.map((question) => (
            <li>
              <button dir="auto" onClick={() => onAsk(question)}>
                {question}
              </button>
            </li>
          ))}
        </ul>
      </section>
    );
  }
  return (
    <div class="after">
      <p class="mute">
        {opening && opening.documents > 0 && <span>{put(t.searched, { n: opening.documents })}</span>}
        <button class="small" onClick={() => onReword(turn.question.text)}>
          {t.otherWords}
        </button>
        {person && (
          <button class="small" aria-expanded={handing} onClick={() => setHanding(!handing)}>
            {t.askPerson}
          </button>
        )}
      </p>
      {person && handing && Handing && <Handing name={person} visitor={visitor} turn={turn} />}
      {opening && <Topics areas={opening.areas} onAsk={onAsk} />}
    </div>
  );
}
