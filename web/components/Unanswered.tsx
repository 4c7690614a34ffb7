import type { Opening } from "../lib/opening";
import { w } from "../words/dashboard";
import { Button } from "./Button";

interface Props {
  opening: Opening | undefined;
  onAsk: (question: string) => void;
  /** The question again, to be put otherwise. */
  onReword: () => void;
  /** Its owner answers it. */
  onWrite: () => void;
}

/** Where to go on from a question that nothing answers. */
export const Unanswered = ({ opening, onAsk, onReword, onWrite }: Props) => (
  <section class="unanswered" aria-label={w.unanswered.title}>
    <p class="chips">
      {opening !== undefined && opening.documents > 0 && (
        <span class="lead num">{w.unanswered.searched(opening.documents)}</span>
      )}
      <Button icon="refresh" onClick={onReword}>
        {w.unanswered.otherWords}
      </Button>
      <Button icon="add" onClick={onWrite}>
        {w.unanswered.write}
      </Button>
    </p>
    {opening !== undefined && opening.areas.length > 0 && (
      <p class="chips">
        <span class="lead">{w.unanswered.topics}</span>
        {opening.areas.map((area) => (
          <button key={area} class="chip" dir="auto" onClick={() => onAsk(area)}>
            {area}
          </button>
        ))}
      </p>
    )}
  </section>
);
