import { useSignal } from "@preact/signals";
import { useMemo, useState } from "preact/hooks";
import { chat } from "../lib/chat";
import { randomId } from "../lib/random";
import { w } from "../words/dashboard";
import { Answer } from "./Answer";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Note } from "./Note";
import { QuestionField } from "./QuestionField";

interface Props {
  id: number;
  /** What a message says of its own answer, as it would be once it is saved. */
  fields: Record<string, unknown>;
  onClose: () => void;
}

/** One question, answered as the agent is and as it would be: before anything is saved. */
export function TwoAnswers({ id, fields, onClose }: Props) {
  const text = useSignal("");
  const [asked, setAsked] = useState(false);
  const sides = useMemo(
    () => [
      { title: w.two.now, talk: chat(id, randomId()), fields: {} },
      { title: w.two.then, talk: chat(id, randomId()), fields },
    ],
    [],
  );
  const busy = sides.some(({ talk }) => talk.busy.value);
  const ask = () => {
    setAsked(true);
    for (const { talk, fields } of sides) {
      talk.show([]);
      void talk.ask({ text: text.value.trim(), fields });
    }
  };
  return (
    <Dialog
      sheet
      title={w.two.title}
      onClose={() => {
        for (const { talk } of sides) talk.stop();
        onClose();
      }}
    >
      <p class="lead">{w.two.text}</p>
      <form
        class="composer"
        onSubmit={(event) => {
          event.preventDefault();
          if (text.value.trim() && !busy) ask();
        }}
      >
        <QuestionField text={text} placeholder={w.question} />
        <div class="row">
          <span class="space" />
          <Button kind="primary" type="submit" busy={busy} disabled={!text.value.trim()}>
            {w.two.ask}
          </Button>
        </div>
      </form>
      {asked && (
        <div class="two-answers">
          {sides.map(({ title, talk }) => (
            <section class="card padded" key={title} aria-label={title}>
              <h3>{title}</h3>
              {talk.turns.value.map((turn) => (
                <Answer key={turn.key} turn={turn} shown={null} onShow={() => {}}>
                  {turn.state.value === "failed" && <Note kind="bad">{turn.error.value}</Note>}
                  {turn.tookMs.value !== null && <small class="lead num">{w.took(turn.tookMs.value)}</small>}
                </Answer>
              ))}
            </section>
          ))}
        </div>
      )}
    </Dialog>
  );
}
