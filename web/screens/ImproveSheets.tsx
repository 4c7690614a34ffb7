import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { date } from "../lib/format";
import * as improve from "../lib/improve";
import type { Checked, Disagreement, Due, Gap, Kept } from "../lib/improve";
import { useResource } from "../lib/resource";
import { attempt, tell } from "../lib/state";
import { w } from "../words/dashboard";
import { ReviewDate } from "./ReviewDate";

interface Props<T> {
  id: number;
  of: T;
  onClose: () => void;
  /** Something was done, and it is closed. */
  onDone: () => void;
}

/** Runs what a button does; what goes wrong is told. */
function useDoing(onDone: () => void) {
  const [busy, setBusy] = useState(false);
  const run = async (what: () => Promise<unknown>, said: string) => {
    if (busy) return;
    setBusy(true);
    const ok = await attempt(what);
    setBusy(false);
    if (!ok) return;
    tell(said);
    onDone();
  };
  return { busy, run };
}

const AnswerField = ({ value, onChange }: { value: string; onChange: (text: string) => void }) => (
  <Field label={w.improve.answer} help={w.improve.answerHelp}>
    {(about) => (
      <textarea
        {...about}
        class="input"
        dir="auto"
        rows={6}
        value={value}
        onInput={(e) => onChange(e.currentTarget.value)}
      />
    )}
  </Field>
);

/** A question without a good answer: how it was put, why nothing is said, and the answer that it gets. */
export function GapSheet({ id, of: gap, onClose, onDone }: Props<Gap>) {
  const [answer, setAnswer] = useState("");
  const { busy, run } = useDoing(onDone);
  const full = useResource((signal) => improve.readGap(id, gap.id, signal), [gap.id]);
  return (
    <Dialog
      sheet
      title={gap.question}
      onClose={onClose}
      onSubmit={() =>
        answer.trim() && void run(() => improve.answerGap(id, gap.id, answer), w.improve.gapAnswered(gap.asked))
      }
      footer={
        <>
          <Button disabled={busy} onClick={() => void run(() => improve.dismissGap(id, gap.id), w.improve.dismissed)}>
            {w.improve.dismiss}
          </Button>
          <Button href={`/agents/${id}/content?add=text`}>{w.improve.addDocument}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!answer.trim()}>
            {w.improve.answerIt}
          </Button>
        </>
      }
    >
      <AnswerField value={answer} onChange={setAnswer} />
      <Loaded from={full}>
        {({ questions, why, named, nearest }) => (
          <>
            <p>{why === "named" ? w.improve.whyNamed(named.join(", ")) : w.improve.why[why]}</p>
            <h3>{w.improve.asPut}</h3>
            <ul class="bulleted">
              {questions.map(({ message_id, question }) => (
                <li key={message_id} dir="auto">
                  {question}
                </li>
              ))}
            </ul>
            {nearest.length > 0 && <h3>{w.improve.nearest}</h3>}
            {nearest.map((passage, i) => (
              <blockquote key={i} dir="auto">
                {passage.text}
                <footer>
                  <a href={`/agents/${id}/content?document=${passage.page_id}`}>{passage.title ?? passage.page_id}</a>
                </footer>
              </blockquote>
            ))}
          </>
        )}
      </Loaded>
    </Dialog>
  );
}

/** A checked answer whose time is over, or whose documents are others now. */
export function AnswerSheet({ id, of: answer, onClose, onDone }: Props<Checked>) {
  const [text, setText] = useState(answer.answer);
  const { busy, run } = useDoing(onDone);
  const when = date(answer.checked_at);
  return (
    <Dialog
      sheet
      title={answer.questions[0]!}
      onClose={onClose}
      onSubmit={() => text.trim() && void run(() => improve.checkAgain(id, answer, text), w.improve.isChecked)}
      footer={
        <Button kind="primary" type="submit" busy={busy} disabled={!text.trim()}>
          {w.improve.checkedAgain}
        </Button>
      }
    >
      <p>
        {w.improve.answerState[answer.state]}{" "}
        <small>{answer.checked_by ? w.checkedBy(answer.checked_by, when) : w.checkedOn(when)}</small>
      </p>
      {answer.citations.map((cite) => (
        <p key={cite.page_id}>
          <a href={`/agents/${id}/content?document=${cite.page_id}`}>{w.document}</a>{" "}
          <small>{w.improve.documentState[cite.state]}</small>
        </p>
      ))}
      <AnswerField value={text} onChange={setText} />
    </Dialog>
  );
}

/** The day in so many months, as an input of a day has it. */
function inMonths(months: number) {
  const day = new Date();
  day.setMonth(day.getMonth() + months);
  return day.toISOString().slice(0, 10);
}

/** A document or source whose day has come: it still holds, until another day. */
export function DueSheet({ id, of: due, onClose, onDone }: Props<Due>) {
  const [until, setUntil] = useState(inMonths(12));
  const { busy, run } = useDoing(onDone);
  return (
    <Dialog
      sheet
      title={due.title}
      onClose={onClose}
      onSubmit={() => until && void run(() => improve.review(id, due, until), w.improve.isReviewed)}
      footer={
        <>
          <Button disabled={busy} onClick={() => void run(() => improve.review(id, due, null), w.improve.isReviewed)}>
            {w.improve.noReview}
          </Button>
          <Button href={`/agents/${id}/content${due.isSource ? "" : `?document=${due.id}`}`}>{w.content}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!until}>
            {w.improve.stillHolds}
          </Button>
        </>
      }
    >
      <p>
        {due.isSource ? w.improve.dueSource : w.improve.dueDocument} <small>{date(due.review_at)}</small>
      </p>
      <p class="lead">{w.improve.dueHelp}</p>
      <ReviewDate value={until} onChange={setUntil} />
    </Dialog>
  );
}

/** What two documents say of the same, with the day of each. */
export function DisagreementSheet({ id, of: pair, onClose, onDone }: Props<Disagreement>) {
  const { busy, run } = useDoing(onDone);
  return (
    <Dialog
      sheet
      title={w.improve.disagreeIn(pair.statements)}
      onClose={onClose}
      onSubmit={() => void run(() => improve.agree(id, pair), w.improve.isReviewed)}
      footer={
        <Button type="submit" busy={busy}>
          {w.improve.bothRight}
        </Button>
      }
    >
      <p class="lead">{w.improve.disagreeHelp}</p>
      {pair.sides.map((side) => (
        <blockquote key={side.page_id} dir="auto">
          {side.text}
          <footer>
            <a href={`/agents/${id}/content?document=${side.page_id}`}>{side.title}</a>
            {side.dated_at && ` · ${date(side.dated_at)}`}
          </footer>
        </blockquote>
      ))}
    </Dialog>
  );
}

/** A test, with what it wants and what is said, now and before it turned. */
export function TestSheet({ id, of: test, onClose, onDone }: Props<Kept>) {
  const { busy, run } = useDoing(onDone);
  const wanted = [
    ...test.phrases.map((phrase) => w.quoted(phrase)),
    ...test.documents.map(
      (document) => `${document.title ?? document.page_id}: ${w.improve.documentState[document.state]}`,
    ),
  ];
  return (
    <Dialog
      sheet
      title={test.question}
      onClose={onClose}
      footer={
        <>
          <Button
            kind="danger"
            icon="trash"
            disabled={busy}
            onClick={() => void run(() => improve.removeTest(id, test.id), w.deleted)}
          >
            {w.delete}
          </Button>
          <Button disabled={busy} onClick={() => void run(() => improve.runTest(id, test.id), w.improve.wasAsked)}>
            {w.improve.askNow}
          </Button>
          <Button
            kind="primary"
            busy={busy}
            onClick={() =>
              void run(async () => {
                await improve.keepAgain(id, test);
                await improve.runTest(id, test.id);
              }, w.improve.kept)
            }
          >
            {w.improve.keepNow}
          </Button>
        </>
      }
    >
      {test.why && <p>{w.improve.testWhy[test.why]}</p>}
      {test.labels.length > 0 && <p dir="auto">{w.improve.askedWith(test.labels.join(", "))}</p>}
      <h3>{w.improve.wants}</h3>
      <ul class="bulleted">
        {(wanted.length ? wanted : [test.refuse ? w.improve.noAnswer : w.improve.anyAnswer]).map((one) => (
          <li key={one} dir="auto">
            {one}
          </li>
        ))}
      </ul>
      <h3>{w.improve.saidNow}</h3>
      <blockquote dir="auto">{test.answer ?? w.improve.notAsked}</blockquote>
      {test.answer_before !== null && (
        <>
          <h3>{w.improve.saidBefore}</h3>
          <blockquote dir="auto">{test.answer_before}</blockquote>
        </>
      )}
    </Dialog>
  );
}
