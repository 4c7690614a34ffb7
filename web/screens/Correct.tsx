import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Toggle } from "../components/Toggle";
import { correct, keep, type Given } from "../lib/improve";
import { attempt, tell } from "../lib/state";
import { w } from "../words/dashboard";

/** An answer, put right where it stands. */
export function Correct({ id, given, onClose }: { id: number; given: Given; onClose: () => void }) {
  const [question, setQuestion] = useState(given.question);
  const [answer, setAnswer] = useState(given.isAnswered ? given.answer : "");
  const [isKept, setKept] = useState(true);
  const [busy, setBusy] = useState(false);
  async function send() {
    if (busy || !answer.trim() || !question.trim()) return;
    setBusy(true);
    const done = await attempt(async () => {
      const is = await correct(id, given, question, answer);
      if (isKept) await keep(id, { ...given, question }, [is]);
      tell(w.improve.corrected);
    });
    setBusy(false);
    if (done) onClose();
  }
  return (
    <Dialog
      sheet
      title={w.improve.correct}
      onClose={onClose}
      onSubmit={() => void send()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!answer.trim() || !question.trim()}>
            {w.save}
          </Button>
        </>
      }
    >
      {!given.checked && (
        <Field label={w.improve.question} help={w.improve.questionHelp}>
          {(about) => (
            <textarea
              {...about}
              class="input"
              dir="auto"
              rows={2}
              value={question}
              onInput={(e) => setQuestion(e.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <Field label={w.improve.answer} help={w.improve.answerHelp}>
        {(about) => (
          <textarea
            {...about}
            class="input"
            dir="auto"
            rows={8}
            value={answer}
            onInput={(e) => setAnswer(e.currentTarget.value)}
          />
        )}
      </Field>
      <Toggle label={w.improve.keep} help={w.improve.keepHelp} checked={isKept} onChange={setKept} />
    </Dialog>
  );
}

/** What can be done with an answer that was given: put it right, or keep it as a test. */
export function Mend({ id, given }: { id: number; given: Given }) {
  const [correcting, setCorrecting] = useState(false);
  return (
    <>
      <Button kind="quiet" icon="spark" onClick={() => setCorrecting(true)}>
        {w.improve.correct}
      </Button>
      <Button
        kind="quiet"
        icon="check"
        onClick={() =>
          void attempt(async () => {
            await keep(id, given, given.isAnswered ? given.citations : []);
            tell(w.improve.kept);
          })
        }
      >
        {w.improve.keep}
      </Button>
      {correcting && <Correct id={id} given={given} onClose={() => setCorrecting(false)} />}
    </>
  );
}
