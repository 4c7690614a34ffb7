import { put } from "../lib/language";
import { type Settings } from "../lib/look";
import type { Visitor } from "../lib/visit";
import { t } from "../words/visitor";
import { Fold } from "./Fold";

/** A question to begin with, and the document that it is from. */
export interface Starter {
  question: string;
  from: string | null;
}
export const plain = (question: string): Starter => ({ question, from: null });

interface Props {
  settings: Settings;
  visitor: Visitor;
  starters: Starter[];
  begun: boolean;
  onAsk: (question: string) => void;
}

/** What stands before the first question: the large picture, a greeting, what the agent knows, questions to begin with. */
export function Opening({ settings, visitor, starters, begun, onAsk }: Props) {
  const { look, persona } = settings;
  const own = look.spotlight_avatar_type === "image" && look.spotlight_avatar;
  const name = visitor.name.value,
    opening = visitor.opening.value;
  return (
    <>
      {!begun && look.spotlight_avatar_enabled && (
        <img
          class={`spotlight ${look.spotlight_avatar_shape ?? "rectangle"}`}
          src={own || "/assets/spotlight_avatar.png"}
          alt=""
        />
      )}
      {!begun && (
        <div class="greeting">
          {name && (
            <p class="hello" dir="auto">
              {put(t.hello, { name })}
            </p>
          )}
          <h2 dir="auto">{persona ? put(t.greetingOf, { name: persona }) : t.greeting}</h2>
          <p class="mute">{opening && opening.documents > 0 ? put(t.knows, { n: opening.documents }) : "\u00a0"}</p>
        </div>
      )}
      {look.ai_disclaimer && (
        <p class="notice" dir="auto">
          {look.ai_disclaimer}
        </p>
      )}
      {!begun && starters.length > 0 && (
        <section class="starters" aria-labelledby="starters">
          <h2 id="starters" dir="auto">
            {look.try_asking_questions_msg}
          </h2>
          <ul>
            <Fold items={starters} more={look.view_more_msg} less={look.view_less_msg}>
              {({ question, from }) => (
                <button class="starter" onClick={() => onAsk(question)}>
                  <span dir="auto">{question}</span>
                  {from && <small dir="auto">{put(t.from, { name: from })}</small>}
                </button>
              )}
            </Fold>
          </ul>
        </section>
      )}
      {!begun && opening && <Topics areas={opening.areas} onAsk={onAsk} />}
    </>
  );
}

/** What else the documents are about. */
export const Topics = ({ areas, onAsk }: { areas: string[]; onAsk: (question: string) => void }) =>
  areas.length > 0 ? (
    <section class="topics" aria-labelledby="topics">
      <h2 id="topics">{t.topics}</h2>
      <ul>
        {areas.map((area) => (
          <li>
            <button dir="auto" onClick={() => onAsk(area)}>
              {area}
            </button>
          </li>
        ))}
      </ul>
    </section>
  ) : null;
