import type { ComponentChildren } from "preact";
import { useEffect, useState } from "preact/hooks";
import { Loaded } from "../components/Loaded";
import { Screen } from "../components/Shell";
import { Rows } from "../components/Table";
import { ago, date, number } from "../lib/format";
import { read, type Checked, type Disagreement, type Due, type Gap, type Kept, type Week } from "../lib/improve";
import { useResource } from "../lib/resource";
import { w } from "../words/dashboard";
import { AnswerSheet, DisagreementSheet, DueSheet, GapSheet, TestSheet } from "./ImproveSheets";

/** What is done shows here a little later: the service asks again by itself. */
const LATER_MS = 5000;

type Open = { gap: Gap } | { answer: Checked } | { test: Kept } | { due: Due } | { disagreement: Disagreement };

/** j and k go through the rows, as in many lists; a row is a button, so that Enter opens it. */
function useKeys() {
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      const step = { j: 1, k: -1 }[event.key];
      const on = event.target as HTMLElement;
      if (!step || event.ctrlKey || event.metaKey || event.altKey) return;
      if (on.closest("dialog, input, textarea, select, [contenteditable]")) return;
      const rows = [...document.querySelectorAll<HTMLElement>(".improve td.what button")];
      const at = rows.indexOf(document.activeElement as HTMLElement);
      const next = rows[at < 0 ? (step > 0 ? 0 : rows.length - 1) : at + step];
      next?.focus();
      if (next) event.preventDefault();
    };
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, []);
}

function Weeks({ weeks }: { weeks: Week[] }) {
  const figure = (title: string, of: (week: Week) => number) => ({
    title,
    kind: "num right",
    cell: (week: Week) => number(of(week)),
  });
  return (
    <Part title={w.improve.weeks}>
      <Rows
        card
        rows={[...weeks].reverse()}
        idOf={(week) => week.from}
        columns={[
          { title: w.improve.from, kind: "num", cell: (week) => date(week.from) },
          figure(w.improve.asked, (week) => week.asked),
          figure(w.improve.answered, (week) => week.answered),
          figure(w.improve.checked, (week) => week.checked),
          figure(w.improve.mended, (week) => week.mended),
          figure(w.improve.open, (week) => week.open),
        ]}
      />
    </Part>
  );
}

const Part = ({ title, none, children }: { title: string; none?: string; children: ComponentChildren }) => (
  <section aria-label={title}>
    <h2>{title}</h2>
    {none ? <p class="lead">{none}</p> : children}
  </section>
);

const whyOf = (gap: Gap) =>
  (["disliked", "unanswered", "shaky"] as const).filter((why) => gap[why]).map((why) => w.improve.gapWhy[why]);

/** What is to be said of a test in a word: that it failed, or that its document is another. */
const wordOf = (test: Kept) =>
  test.state === "failed" && test.why ? w.improve.testWhy[test.why] : w.improve.documentState.changed;

interface ListProps<T extends { id: number }> {
  title: string;
  none: string;
  rows: T[];
  nameOf: (row: T) => string;
  badge: (row: T) => ComponentChildren;
  kind: "warn" | "bad" | "ok";
  when: (row: T) => string | null;
  onOpen: (row: T) => void;
}

const List = <T extends { id: number }>({ title, none, rows, nameOf, badge, kind, when, onOpen }: ListProps<T>) => (
  <Part title={title} none={rows.length ? undefined : none}>
    <Rows
      card
      rows={rows}
      idOf={(row) => row.id}
      columns={[
        {
          title: w.improve.question,
          kind: "what",
          cell: (row) => (
            <button dir="auto" onClick={() => onOpen(row)}>
              {nameOf(row)}
            </button>
          ),
        },
        { title: w.improve.what, cell: (row) => <span class={`badge ${kind}`}>{badge(row)}</span> },
        { title: w.improve.when, kind: "num aside-column", cell: (row) => ago(when(row)) },
      ]}
    />
  </Part>
);

/** What to mend next, what was mended, and what came of it week by week. */
export default function Improve({ id }: { id: number }) {
  const [open, setOpen] = useState<Open | null>(null);
  const all = useResource((signal) => read(id, signal), [id]);
  useKeys();
  const isComing = all.value.value?.disagreements.is_coming;
  useEffect(() => {
    if (!isComing) return;
    const timer = setInterval(() => void all.again(), LATER_MS);
    return () => clearInterval(timer);
  }, [isComing]);
  const close = () => setOpen(null);
  const done = () => {
    close();
    void all.again();
    setTimeout(() => void all.again(), LATER_MS);
  };
  return (
    <Screen title={w.improve.title}>
      <div class="column improve">
        <p class="lead">{w.improve.keys}</p>
        <Loaded from={all}>
          {({ gaps, answers, tests, closed, due, disagreements, turned, weeks }) => (
            <>
              <List
                title={w.improve.tests}
                none={w.improve.testsNone}
                rows={tests.data}
                nameOf={(test) => test.question}
                badge={wordOf}
                kind="bad"
                when={(test) => test.turned_at}
                onOpen={(test) => setOpen({ test })}
              />
              <List
                title={w.improve.answers}
                none={w.improve.answersNone}
                rows={answers.data}
                nameOf={(answer) => answer.questions[0]!}
                badge={(answer) => w.improve.answerState[answer.state]}
                kind="warn"
                when={(answer) => answer.checked_at}
                onOpen={(answer) => setOpen({ answer })}
              />
              <List
                title={w.improve.disagree}
                none={disagreements.is_coming ? w.improve.disagreeComing : w.improve.disagreeNone}
                rows={disagreements.conflicts}
                nameOf={({ sides }) => sides.map(({ title }) => title).join(" – ")}
                badge={({ statements }) => w.improve.disagreeIn(statements)}
                kind="warn"
                when={({ sides }) => sides[0]!.dated_at}
                onOpen={(disagreement) => setOpen({ disagreement })}
              />
              <List
                title={w.improve.due}
                none={w.improve.dueNone}
                rows={due}
                nameOf={(one) => one.title}
                badge={(one) => (one.isSource ? w.improve.dueSource : w.improve.dueDocument)}
                kind="warn"
                when={(one) => one.review_at}
                onOpen={(one) => setOpen({ due: one })}
              />
              <List
                title={w.improve.gaps}
                none={w.improve.gapsNone}
                rows={gaps.data}
                nameOf={(gap) => gap.question}
                badge={(gap) => [...whyOf(gap), w.improve.people(gap.people)].join(" · ")}
                kind="warn"
                when={(gap) => gap.last_at}
                onOpen={(gap) => setOpen({ gap })}
              />
              <List
                title={w.improve.mendedLately}
                none={w.improve.mendedNone}
                rows={[
                  ...closed.data.map((gap) => ({ id: gap.id, gap, test: null })),
                  ...turned.map((test) => ({ id: -test.id, gap: null, test })),
                ]}
                nameOf={({ gap, test }) => (gap ?? test).question}
                badge={({ gap }) =>
                  !gap
                    ? w.improve.passesAgain
                    : gap.of
                      ? w.improve.answersNow(gap.answers ?? 0, gap.of)
                      : w.improve.answeredOnce
                }
                kind="ok"
                when={({ gap, test }) => (gap ? gap.closed_at : test.turned_at)}
                onOpen={({ gap, test }) => setOpen(gap ? { gap } : { test })}
              />
              <Weeks weeks={weeks} />
            </>
          )}
        </Loaded>
      </div>
      {open && "gap" in open && <GapSheet id={id} of={open.gap} onClose={close} onDone={done} />}
      {open && "answer" in open && <AnswerSheet id={id} of={open.answer} onClose={close} onDone={done} />}
      {open && "disagreement" in open && (
        <DisagreementSheet id={id} of={open.disagreement} onClose={close} onDone={done} />
      )}
      {open && "due" in open && <DueSheet id={id} of={open.due} onClose={close} onDone={done} />}
      {open && "test" in open && <TestSheet id={id} of={open.test} onClose={close} onDone={done} />}
    </Screen>
  );
}
