import { useMemo, useState } from "preact/hooks";
import { Answer, opened, Proof, type Shown } from "../components/Answer";
import { Avatar } from "../components/Avatar";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { DayField } from "../components/DayField";
import { Dialog } from "../components/Dialog";
import { DocumentPane } from "../components/DocumentPane";
import { Empty } from "../components/Empty";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { SearchField } from "../components/SearchField";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, remove } from "../lib/api";
import { storedTurn, type ChatTurn } from "../lib/chat";
import { languageName } from "../lib/fields";
import type { Given } from "../lib/improve";
import { download } from "../lib/files";
import { ago, date, dateTime, number } from "../lib/format";
import { useResource } from "../lib/resource";
import { goQuery, location_ } from "../lib/router";
import { may } from "../lib/people";
import { agent, attempt, tell } from "../lib/state";
import type { Claim, Conversation, List, Message } from "../lib/types";
import { w } from "../words/dashboard";
import { Mend } from "./Correct";

const flags = { pass: "ok", review: "warn", fail: "bad" } as Record<string, string>;

interface Trust {
  overall_status: string;
  stakeholder_analysis: Record<string, { flag: string; rationale: string; recommendations: string[] }>;
}

/** How far one answer may be trusted, for each kind of reader. */
function TrustSheet({ path, onClose }: { path: string; onClose: () => void }) {
  const trust = useResource((signal) => get<Trust>(`${path}/trust-score`, {}, signal), [path]);
  const claims = useResource((signal) => get<{ claims: Claim[] }>(`${path}/claims`, {}, signal), [path]);
  return (
    <Dialog sheet title={w.trust} onClose={onClose}>
      <Loaded from={trust}>
        {(value) => (
          <ul class="plain-list">
            {Object.entries(value.stakeholder_analysis).map(([reader, row]) => (
              <li key={reader}>
                <span class={`badge ${flags[row.flag]}`}>{w.trustFlag[row.flag as "pass"]}</span>
                <span>
                  <b>{w.readers[reader as "end_user"] ?? reader}</b>
                  <small>{row.rationale}</small>
                  {row.recommendations.map((advice) => (
                    <small key={advice}>→ {advice}</small>
                  ))}
                </span>
              </li>
            ))}
          </ul>
        )}
      </Loaded>
      <h2>{w.statements}</h2>
      <Loaded from={claims}>
        {(value) =>
          value.claims.length ? (
            <ul class="plain-list">
              {value.claims.map((claim, i) => (
                <li key={i}>
                  <span class={`badge ${{ supported: "ok", unsupported: "bad", unverifiable: "warn" }[claim.status]}`}>
                    {w.claimStatus[claim.status]}
                  </span>
                  <span>
                    <b>{claim.claim}</b>
                    <small>{claim.reason}</small>
                  </span>
                </li>
              ))}
            </ul>
          ) : (
            <p class="lead">{w.noStatements}</p>
          )
        }
      </Loaded>
    </Dialog>
  );
}

function checked({ verified }: Message) {
  if (!verified) return null;
  const when = date(verified.at);
  return verified.by ? w.checkedBy(verified.by, when) : w.checkedOn(when);
}

function Facts({ message }: { message: Message }) {
  const known = message.customer_intelligence;
  const facts = [
    dateTime(message.created_at),
    w.surfaces[message.metadata.request_source as "web"] ?? message.metadata.request_source,
    known?.language && languageName(known.language),
    known && !known.is_answered && (known.outcome === "closest" ? w.closestShown : w.notAnswered),
    checked(message),
  ].filter(Boolean);
  return <p class="lead facts-line num">{facts.join(" · ")}</p>;
}

/** What another document says otherwise, with the days of both. */
const Differing = ({ message }: { message: Message }) => (
  <>
    {message.conflicts?.map(({ said, other }, i) => (
      <Note key={i} kind="warn">
        {w.improve.otherwise(
          other.title ?? w.document,
          said.dated_at && date(said.dated_at),
          other.dated_at && date(other.dated_at),
        )}{" "}
        <q dir="auto">{other.text}</q>
      </Note>
    ))}
  </>
);

/** So many earlier questions a test keeps, and of such a length. */
const TURNS = 10,
  TURN_CHARS = 1000;

const given = (messages: Message[], i: number): Given => ({
  question: messages[i]!.user_query,
  turns: messages
    .slice(0, i)
    .map((message) => message.user_query)
    .filter((text) => text.trim() && text.length <= TURN_CHARS)
    .slice(-TURNS),
  answer: messages[i]!.llm_response,
  isAnswered: messages[i]!.customer_intelligence?.is_answered ?? true,
  citations: messages[i]!.citations ?? [],
  checked: messages[i]!.verified?.answer_id,
});

function Transcript({ id, session, messages }: { id: number; session: string; messages: Message[] }) {
  const turns = useMemo(() => messages.map((message) => storedTurn(id, session, message)), [messages]);
  const [shown, setShown] = useState<(Shown & { turn: ChatTurn }) | null>(null);
  const [trusted, setTrusted] = useState(0);
  const { doc, places: ofDoc } = shown ? opened(shown.turn, shown) : { doc: undefined, places: [] };
  return (
    <>
      <div class="talk">
        {turns.map((turn, i) => (
          <div class="turn" key={turn.key}>
            <p class="question" dir="auto">
              {turn.question.text}
            </p>
            <div class="reply">
              <Avatar name={agent.value!.project_name} />
              <Answer
                turn={turn}
                shown={shown?.turn === turn ? shown : null}
                onShow={(what) => setShown({ ...what, turn })}
              >
                <div class="acts">
                  {turn.reaction.value && (
                    <span
                      class={`badge ${turn.reaction.value === "liked" ? "ok" : turn.reaction.value === "disliked" ? "bad" : ""}`}
                    >
                      {w.reaction[turn.reaction.value as "liked"]}
                    </span>
                  )}
                  <Button kind="quiet" icon="licence" onClick={() => setTrusted(turn.id.value!)}>
                    {w.trust}
                  </Button>
                  {may(id, "answers") && !messages[i]!.is_running && <Mend id={id} given={given(messages, i)} />}
                  <span class="space" />
                  <Proof turn={turn} />
                </div>
                <Differing message={messages[i]!} />
                <Facts message={messages[i]!} />
              </Answer>
            </div>
          </div>
        ))}
      </div>
      {trusted > 0 && (
        <TrustSheet
          path={`/projects/${id}/conversations/${session}/messages/${trusted}`}
          onClose={() => setTrusted(0)}
        />
      )}
      {doc && shown && (
        <Dialog sheet title={doc.title} onClose={() => setShown(null)}>
          <div class="sheet-doc">
            <DocumentPane
              agentId={id}
              source={doc}
              n={shown.source + 1}
              places={ofDoc.map((c) => c.place)}
              current={Math.max(
                0,
                ofDoc.findIndex((c) => c.i === shown.claim),
              )}
              onCurrent={(i) => setShown({ ...shown, claim: ofDoc[i]!.i })}
              onClose={() => setShown(null)}
            />
          </div>
        </Dialog>
      )}
    </>
  );
}

const formats = ["html", "txt", "json", "csv"];

function Open({ id, session, onGone }: { id: number; session: string; onGone: () => void }) {
  const [deleting, setDeleting] = useState(false);
  const talk = useResource(
    (signal) =>
      get<{ conversation: Conversation; messages: List<Message> }>(
        `/projects/${id}/conversations/${session}/messages`,
        { limit: 100, order: "asc", includeInsights: true },
        signal,
      ),
    [session],
  );
  return (
    <Loaded from={talk}>
      {({ conversation, messages }) => (
        <>
          <div class="split transcript-head">
            <Button kind="quiet" icon="previous" label={w.back} onClick={() => goQuery({ talk: null })} />
            <h2>{conversation.name}</h2>
            <span class="space" />
            {formats.map((format) => (
              <Button
                key={format}
                kind="quiet"
                onClick={() =>
                  void attempt(() =>
                    download(
                      `/api/v1/projects/${id}/conversations/${session}/export?format=${format}`,
                      `${conversation.name || "conversation"}.${format}`,
                    ),
                  )
                }
              >
                {format}
              </Button>
            ))}
            <Button href={`/agents/${id}/ask?talk=${session}`}>{w.continueTalk}</Button>
            <Button kind="danger" icon="trash" label={w.delete} onClick={() => setDeleting(true)} />
          </div>
          <Transcript id={id} session={session} messages={messages.data} />
          {messages.total > messages.data.length && (
            <p class="lead">{w.firstOf(messages.data.length, messages.total)}</p>
          )}
          {deleting && (
            <Confirm
              title={w.deleteConversation}
              action={w.delete}
              onClose={() => setDeleting(false)}
              onConfirm={async () => {
                await remove(`/projects/${id}/conversations/${session}`);
                tell(w.deleted);
                onGone();
              }}
            >
              <p>{w.deleteConversationText}</p>
            </Confirm>
          )}
        </>
      )}
    </Loaded>
  );
}

export default function Conversations({ id }: { id: number }) {
  const { query } = location_.value;
  const session = query.get("talk"),
    name = query.get("name") ?? "",
    whose = query.get("whose") ?? "",
    since = query.get("since") ?? "",
    page = Number(query.get("page") ?? 1);
  const list = useResource(
    (signal) =>
      get<List<Conversation>>(
        `/projects/${id}/conversations`,
        { search: name, userFilter: whose, lastUpdatedAfter: since, page, limit: 30 },
        signal,
      ),
    [id, name, whose, since, page],
  );
  const isFiltered = name || whose || since;
  return (
    <Screen title={w.conversations}>
      <div class={`column ${session ? "narrow" : ""}`}>
        {session ? (
          <Open
            key={session}
            id={id}
            session={session}
            onGone={() => {
              goQuery({ talk: null });
              void list.again();
            }}
          />
        ) : (
          <>
            <div class="split">
              <SearchField
                label={w.searchTalks}
                value={name}
                onSearch={(text) => goQuery({ name: text, page: null }, { replace: true })}
              />
              <select
                class="input short"
                aria-label={w.filter}
                onChange={(e) => goQuery({ whose: e.currentTarget.value || null, page: null }, { replace: true })}
              >
                {Object.entries(w.whose).map(([value, title]) => (
                  <option key={value} value={value} selected={whose === value}>
                    {title}
                  </option>
                ))}
              </select>
              <DayField
                label={w.sinceDate}
                value={since}
                onChange={(day) => goQuery({ since: day || null, page: null }, { replace: true })}
              />
            </div>
            <Loaded from={list}>
              {(talks) => (
                <Table
                  list={talks}
                  idOf={(talk) => talk.id}
                  empty={
                    <Empty icon="conversations" title={isFiltered ? w.conversationsNoMatch : w.conversationsNone}>
                      {isFiltered ? (
                        <Button onClick={() => goQuery({ name: null, whose: null, since: null, page: null })}>
                          {w.showAll}
                        </Button>
                      ) : (
                        <>
                          <p>{w.conversationsNoneText}</p>
                          <Button kind="primary" icon="ask" href={`/agents/${id}/ask`}>
                            {w.ask}
                          </Button>
                        </>
                      )}
                    </Empty>
                  }
                  columns={[
                    {
                      title: w.conversation,
                      kind: "what",
                      cell: (talk) => (
                        <button onClick={() => goQuery({ talk: talk.session_id })}>{talk.name || w.unnamed}</button>
                      ),
                    },
                    { title: w.questionsTitle, kind: "num right", cell: (talk) => number(talk.questions) },
                    {
                      title: w.unansweredShort,
                      kind: "num right",
                      cell: (talk) => (talk.unanswered ? <b class="warn">{number(talk.unanswered)}</b> : "–"),
                    },
                    {
                      title: w.dislikedShort,
                      kind: "num right aside-column",
                      cell: (talk) => (talk.disliked ? number(talk.disliked) : "–"),
                    },
                    {
                      title: w.cameFrom,
                      kind: "aside-column",
                      cell: (talk) => w.surfaces[talk.request_source as "web"] ?? talk.request_source,
                    },
                    { title: w.begun, kind: "num wide-column", cell: (talk) => dateTime(talk.created_at) },
                    { title: w.lastMessage, kind: "num", cell: (talk) => ago(talk.updated_at) },
                  ]}
                />
              )}
            </Loaded>
          </>
        )}
      </div>
    </Screen>
  );
}
