import { signal } from "@preact/signals";
import { useState } from "preact/hooks";
import { AddContent } from "../components/AddContent";
import { Button } from "../components/Button";
import { DayField } from "../components/DayField";
import { Empty } from "../components/Empty";
import { Leads } from "../components/Leads";
import { Loaded } from "../components/Loaded";
import { Pager } from "../components/Pager";
import { Plot } from "../components/Plot";
import { Screen } from "../components/Shell";
import { Rows } from "../components/Table";
import { get } from "../lib/api";
import { daysBefore, lastDays } from "../lib/before";
import { readContent } from "../lib/content";
import { languageName } from "../lib/fields";
import { csv, saveBlob } from "../lib/files";
import { dateTime, number, percent } from "../lib/format";
import { useResource } from "../lib/resource";
import { goQuery, location_ } from "../lib/router";
import { tell } from "../lib/state";
import type { List } from "../lib/types";
import { w } from "../words/dashboard";

interface Point {
  queries_number: number;
  created_at_interval: string;
}
interface Analysis {
  queries: Point[];
  conversations: Point[];
  queries_per_conversation: Point[];
}
interface Sums {
  total: number;
  outcomes: { outcome: "answer" | "closest" | "nothing"; count: number }[];
  /** Of those that closest passages were shown for, those that found it there. */
  found: number;
}
interface Question {
  prompt_id: number;
  user_query: string;
  ai_response: string;
  created_at: string;
  content_source: string | null;
  user_intent: string | null;
  user_emotion: string | null;
  language: string | null;
  feedback: string | null;
  /** Only of those beside which passages were shown; and which of their documents was it. */
  outcome?: "closest";
  found_page_id?: number;
  chatbot_deployment: string;
  browser: string | null;
}

/** Times that one click leads to, in days. */
const LAST = [30, 90, 365];

const surface = (name: string) => w.surfaces[name as "web"] ?? name;

const short = (n: number) => number(Math.round(n * 100) / 100);

/** A day under a plot is short; names of days and hours are. */
const named = (interval: string) =>
  /^\d{4}-/.test(interval)
    ? new Intl.DateTimeFormat(document.documentElement.lang, {
        month: "short",
        day: "numeric",
        timeZone: "UTC",
      }).format(new Date(interval))
    : interval;

/** Those that are shown as a table, whatever days they are of. */
const tables = signal<string[]>([]);

const sum = (points: Point[]) => points.reduce((all, point) => all + point.queries_number, 0);

const perConversation = (series: Analysis) => sum(series.queries) / Math.max(1, sum(series.conversations));

/** What it was in the time before, and by how much it has changed since. */
function Before({ now, before }: { now: number; before: number }) {
  const change = before && Math.round((now / before - 1) * 100);
  return (
    <small class="lead num">
      {w.before(short(before))}
      {before > 0 && ` (${change > 0 ? "+" : ""}${percent(change / 100)})`}
    </small>
  );
}

interface SeriesProps {
  title: string;
  points: Point[];
  whole?: number;
  /** The same of the time before; undefined: that is not known. */
  before?: number;
}

/** A plot, its figures as a table, and the same as a file. */
function Series({ title, points, whole = sum(points), before }: SeriesProps) {
  const asTable = tables.value.includes(title);
  return (
    <section class="card padded">
      <div class="split">
        <h2>{title}</h2>
        <b class="num lead">{short(whole)}</b>
        {before !== undefined && <Before now={whole} before={before} />}
        <span class="space" />
        <Button
          kind="quiet"
          pressed={asTable}
          onClick={() =>
            (tables.value = asTable ? tables.value.filter((other) => other !== title) : [...tables.value, title])
          }
        >
          {w.asTable}
        </Button>
        <Button
          kind="quiet"
          icon="download"
          label={w.csvOf(title)}
          onClick={() =>
            saveBlob(
              csv([[w.interval, title], ...points.map((p) => [p.created_at_interval, p.queries_number])]),
              `${title}.csv`,
            )
          }
        />
      </div>
      {asTable ? (
        <Rows
          rows={points}
          idOf={(point) => point.created_at_interval}
          columns={[
            { title: w.interval, cell: (point) => point.created_at_interval },
            { title, kind: "right num", cell: (point) => short(point.queries_number) },
          ]}
        />
      ) : (
        <Plot
          name={title}
          labels={points.map((p) => named(p.created_at_interval))}
          values={points.map((p) => p.queries_number)}
        />
      )}
    </section>
  );
}

/** Shares of a whole, the largest first. */
function Shares({ title, rows, total }: { title: string; rows: [string, number][]; total: number }) {
  const sorted = [...rows].sort((a, b) => b[1] - a[1]).slice(0, 8);
  return (
    <section class="card padded">
      <div class="split">
        <h2>{title}</h2>
        <span class="space" />
        <Button
          kind="quiet"
          icon="download"
          label={w.csvOf(title)}
          onClick={() => saveBlob(csv([[title, w.questionsTitle], ...sorted]), `${title}.csv`)}
        />
      </div>
      <ul class="shares">
        {sorted.map(([name, count]) => (
          <li key={name}>
            <span>{name}</span>
            <span class="bar">
              <i style={{ width: `${(count / Math.max(1, total)) * 100}%` }} />
            </span>
            <span class="num">
              {number(count)} · {percent(count / Math.max(1, total))}
            </span>
          </li>
        ))}
        {!sorted.length && <li class="lead">{w.none}</li>}
      </ul>
    </section>
  );
}

const count = (list: Question[], of: (question: Question) => string | null) => {
  const counts = new Map<string, number>();
  for (const question of list) counts.set(of(question) ?? w.unknown, (counts.get(of(question) ?? w.unknown) ?? 0) + 1);
  return [...counts];
};

const isOpen = (question: Question) => question.content_source === null && question.user_intent === "information";

const QuestionState = ({ question, isOpen }: { question: Question; isOpen: boolean }) => (
  <>
    {isOpen ? (
      <span class="badge warn">{question.outcome ? w.closestShown : w.withoutAnswer}</span>
    ) : (
      <span class="badge ok">{w.answered}</span>
    )}{" "}
    {question.found_page_id && <span class="badge ok">{w.foundIt}</span>}{" "}
    {question.feedback && <span class="badge">{w.reaction[question.feedback as "liked"] ?? question.feedback}</span>}
  </>
);

export default function Analytics({ id }: { id: number }) {
  const interval = location_.value.query.get("interval") ?? "weekly";
  const from = location_.value.query.get("from") ?? "",
    to = location_.value.query.get("to") ?? "",
    page = Number(location_.value.query.get("page") ?? 1),
    onlyOpen = location_.value.query.get("open") === "1";
  const isDated = Boolean(from || to);
  /** The question that content is added for; empty: for any. */
  const [adding, setAdding] = useState<string | null>(null);
  const base = `/projects/${id}/reports`;
  const figures = useResource(
    async (signal) => {
      const [queries, conversations, traffic, { never_cited }] = await Promise.all([
        get<Sums>(`${base}/queries`, { filters: "total,outcomes" }, signal),
        get<{ total: number; average_queries_per_conversation: number }>(`${base}/conversations`, {}, signal),
        get<{ sources: { request_source: string; request_source_number: number }[] }>(`${base}/traffic`, {}, signal),
        readContent(id, signal),
      ]);
      return { queries, conversations, traffic, never_cited };
    },
    [id],
  );
  const analysis = useResource(
    async (signal) => {
      const days = isDated || interval === "weekly" ? daysBefore(from, to) : null;
      const [series, before] = await Promise.all([
        get<Analysis>(`${base}/analysis`, isDated ? { start_date: from, end_date: to } : { interval }, signal),
        days && get<Analysis>(`${base}/analysis`, { ...days }, signal),
      ]);
      return { series, before };
    },
    [id, interval, from, to],
  );
  const questions = useResource(
    async (signal) => {
      const read = (unanswered: boolean) =>
        get<List<Question>>(
          `${base}/intelligence`,
          { limit: 100, page: unanswered === onlyOpen ? page : 1, start_date: from, end_date: to, unanswered },
          signal,
        );
      const [all, open] = await Promise.all([read(false), read(true)]);
      return { all, open };
    },
    [id, from, to, page, onlyOpen],
  );
  return (
    <Screen title={w.analytics}>
      <div class="column">
        <Loaded from={figures}>
          {({ queries, conversations, traffic, never_cited: neverCited }) => {
            const own = traffic.sources.find((row) => row.request_source === "web")?.request_source_number ?? 0;
            const share = (outcome: string) =>
              percent((queries.outcomes.find((row) => row.outcome === outcome)?.count ?? 0) / queries.total);
            if (!queries.total)
              return (
                <Empty icon="analytics" title={w.analyticsNone}>
                  <p>{w.analyticsNoneText}</p>
                  <Button kind="primary" icon="ask" href={`/agents/${id}/ask`}>
                    {w.ask}
                  </Button>
                </Empty>
              );
            return (
              <>
                <h2>{w.sinceTheBeginning}</h2>
                <dl class="tiles num">
                  {[
                    [w.questionsTitle, number(queries.total)],
                    [w.answered, share("answer")],
                    [w.closestShown, share("closest")],
                    ...(queries.found ? [[w.foundAmong, number(queries.found)]] : []),
                    [w.nothingFound, share("nothing")],
                    [w.ownTries, number(own)],
                    [w.neverCitedTitle, <a href={`/agents/${id}/content?state=never`}>{number(neverCited)}</a>],
                    [w.conversations, number(conversations.total)],
                    [w.perConversation, short(conversations.average_queries_per_conversation)],
                  ].map(([name, value]) => (
                    <div class="card" key={name}>
                      <dt>{name}</dt>
                      <dd>{value}</dd>
                    </div>
                  ))}
                </dl>
                <div class="split">
                  <span class="chips" role="group" aria-label={w.interval}>
                    {["weekly", "daily"].map((each) => (
                      <button
                        key={each}
                        class="chip"
                        aria-pressed={interval === each && !isDated}
                        onClick={() =>
                          goQuery(
                            { interval: each === "weekly" ? null : each, from: null, to: null, page: null },
                            { replace: true },
                          )
                        }
                      >
                        {w.intervals[each as "weekly"]}
                      </button>
                    ))}
                    {LAST.map((count) => {
                      const { start_date, end_date } = lastDays(count);
                      return (
                        <button
                          key={count}
                          class="chip"
                          aria-pressed={from === start_date && (to === end_date || !to)}
                          onClick={() =>
                            goQuery({ interval: null, from: start_date, to: null, page: null }, { replace: true })
                          }
                        >
                          {w.lastDays(count)}
                        </button>
                      );
                    })}
                  </span>
                  <span class="space" />
                  <span class="days">
                    <DayField
                      label={w.from}
                      value={from}
                      onChange={(day) => goQuery({ from: day, page: null }, { replace: true })}
                    />
                    <DayField
                      label={w.to}
                      value={to}
                      onChange={(day) => goQuery({ to: day, page: null }, { replace: true })}
                    />
                  </span>
                </div>
                <Loaded from={analysis}>
                  {({ series, before }) => (
                    <div class="plots">
                      <Series
                        title={w.questionsTitle}
                        points={series.queries}
                        before={before ? sum(before.queries) : undefined}
                      />
                      <Series
                        title={w.conversations}
                        points={series.conversations}
                        before={before ? sum(before.conversations) : undefined}
                      />
                      <Series
                        title={w.perConversation}
                        points={series.queries_per_conversation}
                        whole={perConversation(series)}
                        before={before ? perConversation(before) : undefined}
                      />
                      <Shares
                        title={w.cameFrom}
                        total={queries.total}
                        rows={traffic.sources.map((row) => [surface(row.request_source), row.request_source_number])}
                      />
                    </div>
                  )}
                </Loaded>
                <Leads id={id} />
                <h2>{w.questionsTitle}</h2>
                <Loaded from={questions}>
                  {({ all, open }) => {
                    const list = onlyOpen ? open : all;
                    const rows = list.data;
                    return (
                      <>
                        <div class="plots">
                          <Shares
                            title={w.languages}
                            total={all.data.length}
                            rows={count(all.data, (q) => q.language && languageName(q.language))}
                          />
                          <Shares title={w.browsers} total={all.data.length} rows={count(all.data, (q) => q.browser)} />
                        </div>
                        <section class="card">
                          <div class="split card-title">
                            <span class="chips">
                              <button
                                class="chip"
                                aria-pressed={!onlyOpen}
                                onClick={() => goQuery({ open: null, page: null }, { replace: true })}
                              >
                                {w.all} <b class="num">{number(all.total)}</b>
                              </button>
                              <button
                                class="chip"
                                aria-pressed={onlyOpen}
                                onClick={() => goQuery({ open: "1", page: null }, { replace: true })}
                              >
                                {w.withoutAnswer} <b class="num">{number(open.total)}</b>
                              </button>
                            </span>
                            <span class="space" />
                            {open.total > 0 && (
                              <Button icon="add" onClick={() => setAdding("")}>
                                {w.addContent}
                              </Button>
                            )}
                            <Button
                              kind="quiet"
                              icon="download"
                              label={w.csvOf(w.questionsTitle)}
                              onClick={() => {
                                saveBlob(
                                  csv([
                                    [w.question, w.answer, w.asked, w.language, w.cameFrom, w.reactionTitle],
                                    ...rows.map((q) => [
                                      q.user_query,
                                      q.ai_response,
                                      q.created_at,
                                      q.language,
                                      q.chatbot_deployment,
                                      q.feedback,
                                    ]),
                                  ]),
                                  "questions.csv",
                                );
                                tell(w.saved);
                              }}
                            />
                          </div>
                          <Rows
                            rows={rows}
                            idOf={(question) => question.prompt_id}
                            columns={[
                              { title: w.question, kind: "wide", cell: (q) => <div dir="auto">{q.user_query}</div> },
                              { title: w.asked, kind: "num", cell: (q) => dateTime(q.created_at) },
                              { title: w.language, cell: (q) => (q.language ? languageName(q.language) : "–") },
                              {
                                title: w.state,
                                cell: (q) => <QuestionState question={q} isOpen={onlyOpen || isOpen(q)} />,
                              },
                            ]}
                            actions={
                              onlyOpen
                                ? (q) => (
                                    <Button
                                      kind="quiet"
                                      icon="add"
                                      label={`${w.addContent}: ${q.user_query}`}
                                      onClick={() => setAdding(q.user_query)}
                                    />
                                  )
                                : undefined
                            }
                          />
                          {!rows.length && <p class="lead padded">{w.none}</p>}
                        </section>
                        <Pager list={list} />
                      </>
                    );
                  }}
                </Loaded>
              </>
            );
          }}
        </Loaded>
      </div>
      {adding !== null && <AddContent id={id} question={adding || undefined} onClose={() => setAdding(null)} />}
    </Screen>
  );
}
