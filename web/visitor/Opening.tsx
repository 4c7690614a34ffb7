import { put } from "../lib/language";
import { type Settings } from "../lib/look";
import { t } from "../words/visitor";
import { Fold } from "./Fold";

interface Props {
  settings: Settings;
  name: string | null;
  starters: string[];
  begun: boolean;
  onAsk: (question: string) => void;
}

/** What stands before the first question: the large picture, a greeting, questions to begin with. */
export function Opening({ settings, name, starters, begun, onAsk }: Props) {
  const { look } = settings;
  const own = look.spotlight_avatar_type === "image" && look.spotlight_avatar;
  return (
    <>
      {!begun && look.spotlight_avatar_enabled && (
        <img
          class={`spotlight ${look.spotlight_avatar_shape ?? "rectangle"}`}
          src={own || "/assets/spotlight_avatar.png"}
          alt=""
        />
      )}
      {!begun && name && (
        <p class="hello" dir="auto">
          {put(t.hello, { name })}
        </p>
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
              {(question) => (
                <button class="starter" dir="auto" onClick={() => onAsk(question)}>
                  {question}
                </button>
              )}
            </Fold>
          </ul>
        </section>
      )}
    </>
  );
}
