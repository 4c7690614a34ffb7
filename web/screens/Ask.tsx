import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { AddContent } from "../components/AddContent";
import { Answer, opened, Proof, type Shown } from "../components/Answer";
import { Avatar } from "../components/Avatar";
import { Button } from "../components/Button";
import { Composer } from "../components/Composer";
import { Copy } from "../components/Copy";
import { DocumentPane } from "../components/DocumentPane";
import { Empty } from "../components/Empty";
import { Icon } from "../components/Icon";
import { Loaded } from "../components/Loaded";
import { Live, Reading, useProgress } from "../components/Reading";
import { Screen } from "../components/Shell";
import { Unanswered } from "../components/Unanswered";
import { get, type ApiError } from "../lib/api";
import { takeDrops } from "../lib/drops";
import { chat, find, storedTurn, type ChatTurn, type Source } from "../lib/chat";
import { bytes } from "../lib/format";
import { useOpening, type Opening } from "../lib/opening";
import { may } from "../lib/people";
import { randomId } from "../lib/random";
import { useReadiness } from "../lib/readiness";
import { useResource } from "../lib/resource";
import { goQuery, location_ } from "../lib/router";
import { agent, attempt, hasFeature, stats } from "../lib/state";
import { FILES_MOST, type Question, type Talk } from "../lib/talk";
import { readUsage } from "../lib/usage";
import type { Agent, Label, List, Message } from "../lib/types";
import { w } from "../words/dashboard";
import { Why } from "./Why";

/** Of a stored talk so many questions are shown: the newest. */
const SHOWN = 100;

/** What goes with the next question: labels that open documents, where answers may come from, files. */
const labels = signal<number[]>([]);
const isGeneral = signal(false);
const model = signal("");
const files = signal<File[]>([]);

/** Nothing is stored of a talk before its first question. */
function neverAsked(error: ApiError) {
  if (error.status === 404) return { messages: null };
  throw error;
}

/** Where somebody else finds a source: on the web, or here, once they are signed in. */
const linkTo = (id: number, { id: page, url }: Source) =>
  url && !url.includes("/api/v1/preview/") ? url : `${location.origin}/agents/${id}/content?document=${page}`;

interface ActionsProps {
  id: number;
  talk: Talk<ChatTurn>;
  turn: ChatTurn;
  onWhy: () => void;
}

function Actions({ id, talk, turn, onWhy }: ActionsProps) {
  const react = (reaction: string) => attempt(() => talk.react(turn, reaction));
  return (
    <div class="acts">
      <Button
        kind="quiet"
        icon="thumb"
        label={w.goodAnswer}
        pressed={turn.reaction.value === "liked"}
        onClick={() => void react("liked")}
      />
      <span class="upside">
        <Button
          kind="quiet"
          icon="thumb"
          label={w.badAnswer}
          pressed={turn.reaction.value === "disliked"}
          onClick={() => void react("disliked")}
        />
      </span>
      <Copy
        quiet
        label={w.copyAnswer}
        text={() =>
          [
            turn.text.value,
            ...turn.sources.value.map((source, i) => `[${i + 1}] ${source.title} – ${linkTo(id, source)}`),
          ].join("\n")
        }
      />
      <Button kind="quiet" icon="help" label={w.whyFound} onClick={onWhy} />
      <span class="space" />
      <Proof turn={turn} />
      {turn.tookMs.value !== null && <span class="num">{w.took(turn.tookMs.value)}</span>}
    </div>
  );
}

function Options({ id }: { id: number }) {
  const offered = useResource(
    async (signal): Promise<Label[]> =>
      hasFeature("labels") ? (await get<List<Label>>(`/projects/${id}/labels`, { limit: 100 }, signal)).data : [],
    [id],
  );
  const schema = useResource(
    (signal) => get<{ name: string; choices: string[] }[]>(`/projects/${id}/settings/schema`, {}, signal),
    [id],
  );
  const known = offered.value.value ?? [];
  const models = schema.value.value?.find((field) => field.name === "chatbot_model")?.choices ?? [];
  const [open, setOpen] = useState(false);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    model.value = "";
  }, [id]);
  const chosen = known.filter((label) => labels.value.includes(label.id));
  return (
    <>
      <button type="button" class="chip" onClick={() => input.current!.click()}>
        <Icon name="attach" />
        {w.attach}
      </button>
      <input
        ref={input}
        type="file"
        hidden
        multiple
        aria-label={w.attach}
        onChange={(event) => {
          files.value = [...files.value, ...(event.currentTarget.files ?? [])].slice(0, FILES_MOST);
          event.currentTarget.value = "";
        }}
      />
      {known.length > 0 && (
        <span class="menu">
          <button
            type="button"
            class="chip"
            aria-pressed={chosen.length > 0}
            aria-expanded={open}
            onClick={() => setOpen(!open)}
          >
            {chosen.length ? chosen.map((label) => label.name).join(", ") : w.noLabels}
          </button>
          {open && (
            <span class="label-menu card" onKeyDown={(event) => event.key === "Escape" && setOpen(false)}>
              {known.map((label) => (
                <label key={label.id}>
                  <input
                    type="checkbox"
                    checked={labels.value.includes(label.id)}
                    onChange={(event) =>
                      (labels.value = event.currentTarget.checked
                        ? [...labels.value, label.id]
                        : labels.value.filter((other) => other !== label.id))
                    }
                  />
                  {label.name}
                </label>
              ))}
            </span>
          )}
        </span>
      )}
      {models.length > 0 && (
        <button
          type="button"
          class="chip"
          aria-pressed={isGeneral.value}
          onClick={() => (isGeneral.value = !isGeneral.value)}
        >
          {isGeneral.value ? w.generalToo : w.ownOnly}
        </button>
      )}
      {models.length > 0 && (
        <select
          class="chip"
          aria-label={w.modelForThis}
          title={w.modelForThis}
          value={model.value}
          onChange={(event) => (model.value = event.currentTarget.value)}
        >
          <option value="">{w.usualModel}</option>
          {models.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </>
  );
}

/** Follows the answer while the reader is at its end; a scroll upwards stops that. */
function useFollow(turns: ChatTurn[]) {
  const element = useRef<HTMLDivElement>(null);
  const atEnd = useRef(true);
  const [away, setAway] = useState(false);
  useEffect(() => {
    const box = element.current!;
    const watch = () => {
      atEnd.current = box.scrollHeight - box.scrollTop - box.clientHeight < 60;
      setAway(!atEnd.current);
    };
    const observer = new ResizeObserver(() => atEnd.current && box.scrollTo(0, box.scrollHeight));
    box.addEventListener("scroll", watch, { passive: true });
    observer.observe(box.firstElementChild!);
    return () => {
      box.removeEventListener("scroll", watch);
      observer.disconnect();
    };
  }, []);
  useEffect(() => {
    atEnd.current = true;
    element.current?.scrollTo(0, element.current.scrollHeight);
  }, [turns.length]);
  return {
    element,
    away,
    toEnd: () => element.current?.scrollTo({ top: element.current.scrollHeight, behavior: "smooth" }),
  };
}

interface StartersProps {
  id: number;
  opening: Opening | undefined;
  onAsk: (text: string) => void;
}

/** The owner's questions, or else those that the documents answer for sure, each with where it is from. */
function Starters({ id, opening, onAsk }: StartersProps) {
  const settings = useResource(
    (signal) => get<{ example_questions: string[] | null }>(`/projects/${id}/settings`, {}, signal),
    [id],
  );
  const own = (settings.value.value?.example_questions ?? []).map((question) => ({ question, title: null }));
  const made = own.length ? own : (opening?.asked ?? []).slice(0, 3);
  const all = made.length ? made : [{ question: w.whatDoYouKnow, title: null }];
  return (
    <div class="chips starters">
      {all.slice(0, 6).map(({ question, title }) => (
        <button key={question} class="chip" onClick={() => onAsk(question)}>
          <span dir="auto">{question}</span>
          {title && <small dir="auto">{title}</small>}
        </button>
      ))}
    </div>
  );
}

/** A master that nobody answers for says so, and where that is mended. */
function MasterHello({ master, children }: { master: Agent; children: ComponentChildren }) {
  const is = useReadiness(master)?.readiness;
  if (!is) return null;
  if (is !== "alone" && is !== "empty") return <>{children}</>;
  return (
    <Empty icon="agents" title={is === "alone" ? w.masterAloneTitle : w.masterEmptyTitle}>
      <p>{is === "alone" ? w.masterAloneText : w.masterEmptyText}</p>
      {may(master.id, "manage") && (
        <Button kind="primary" icon="agents" href={`/agents/${master.id}/master`}>
          {w.masterChoose}
        </Button>
      )}
    </Empty>
  );
}

export default function Ask({ id }: { id: number }) {
  const session = location_.value.query.get("talk") ?? "";
  const own = useRef(session || randomId());
  if (session && session !== own.current) own.current = session;
  const talk = useMemo(() => chat(id, own.current), [id, own.current]);
  const text = useSignal("");
  const [shown, setShown] = useState<(Shown & { turn: ChatTurn }) | null>(null);
  /** Nobody wants a document beside the talk: it has the whole width until the next question. */
  const [isAlone, setAlone] = useState(false);
  const [why, setWhy] = useState<ChatTurn | null>(null);
  const [adding, setAdding] = useState<File[] | null>(null);
  /** A question that its owner answers. */
  const [writing, setWriting] = useState("");
  const opening = useOpening(id);
  const [over, setOver] = useState(false);
  const turns = talk.turns.value;
  const { element, away, toEnd } = useFollow(turns);
  const now = agent.value!;
  useProgress(id);
  // What is dropped anywhere but on the question becomes content.
  useEffect(() => takeDrops({ over: setOver, take: setAdding }), []);

  // What is stored of this talk, unless something is asked before it comes.
  const stored = useResource(
    async (signal) => {
      if (!session || talk.turns.peek().length) return null;
      const { messages } = await get<{ messages: List<Message> }>(
        `/projects/${id}/conversations/${session}/messages`,
        { limit: SHOWN, order: "desc", includeInsights: true },
        signal,
      ).catch(neverAsked);
      if (!messages || talk.turns.peek().length) return null;
      talk.show(messages.data.reverse().map((message) => storedTurn(id, session, message)));
      return messages;
    },
    [talk],
  );
  const { total = 0, data = [] } = stored.value.value ?? {};
  const earlier = total - data.length;
  useEffect(() => {
    setShown(null);
    setAlone(false);
  }, [talk]);
  // A finished answer opens its first document where there is room for one beside it.
  const last = turns.at(-1);
  const settled = last?.claims.value.length ?? 0;
  useEffect(() => {
    if (!last || !settled || shown?.turn === last || !matchMedia("(min-width: 1200px)").matches) return;
    const claim = last.claims.value.findIndex((c) => c.places.length);
    if (claim >= 0)
      show(last, { claim, source: last.sources.value.findIndex((s) => s.id === last.claims.value[claim]!.sources[0]) });
  }, [last, settled]);

  function show(turn: ChatTurn, what: Shown) {
    if (opened(turn, what).doc)
      setShown({ ...what, claim: what.claim !== null && what.claim >= 0 ? what.claim : null, turn });
  }
  async function ask(prompt: string) {
    const question: Question = {
      text: prompt,
      files: files.value,
      fields: {
        ...(labels.value.length ? { labels: labels.value } : {}),
        ...(model.value ? { chatbot_model: model.value } : {}),
        ...(isGeneral.value ? { response_source: "llm_content" } : {}),
      },
    };
    text.value = "";
    files.value = [];
    setAlone(false);
    goQuery({ talk: own.current }, { replace: true });
    await talk.ask(question);
    void readUsage().catch(() => {});
  }
  function startAnew() {
    own.current = randomId();
    goQuery({ talk: null });
  }

  const { doc, places: ofDoc } = shown ? opened(shown.turn, shown) : { doc: undefined, places: [] };
  const current = Math.max(
    0,
    ofDoc.findIndex((c) => c.i === shown?.claim),
  );
  // Where a document will open, nothing else stands meanwhile: what is read already stays in its place.
  const isReading = session !== "" && stored.value.value === undefined && !stored.error.value;
  const hasRoom = !isAlone && (turns.length > 0 || isReading);
  const hello =
    stats.value?.pages_found === 0 && !now.is_master ? (
      <Empty icon="document" title={w.askNothingTitle}>
        <p>{w.askNothingText}</p>
        <Button kind="primary" icon="add" onClick={() => setAdding([])}>
          {w.addContent}
        </Button>
      </Empty>
    ) : (
      <Empty icon="ask" title={w.askTitle(now.project_name)}>
        <p>{w.askText}</p>
        <Starters id={id} opening={opening} onAsk={(question) => void ask(question)} />
      </Empty>
    );
  const greeting = now.is_master ? <MasterHello master={now}>{hello}</MasterHello> : hello;

  return (
    <>
      <Screen
        bare
        title={w.ask}
        aside={<Live />}
        actions={
          <>
            {turns.length > 0 && (
              <Button icon="ask" onClick={startAnew}>
                {w.newConversation}
              </Button>
            )}
            <Button kind="primary" icon="add" onClick={() => setAdding([])}>
              {w.addContent}
            </Button>
          </>
        }
      >
        <div class={`ask-body ${doc ? "with-doc" : hasRoom ? "with-room" : ""} ${over ? "over" : ""}`}>
          <div class="talk-side">
            <div class="talk-scroll" ref={element}>
              <div class="talk">
                {!turns.length && (session ? <Loaded from={stored}>{() => greeting}</Loaded> : greeting)}
                {earlier > 0 && turns.length > 0 && (
                  <p class="lead">
                    <a href={`/agents/${id}/conversations?talk=${own.current}`}>{w.earlierQuestions(earlier)}</a>
                  </p>
                )}
                {turns.map((turn) => (
                  <div class="turn" key={turn.key}>
                    <p class="question" dir="auto">
                      {turn.question.text}
                      {turn.question.files?.map((file) => (
                        <span class="badge" key={file.name}>
                          <Icon name="attach" />
                          {file.name}
                        </span>
                      ))}
                    </p>
                    <div class="reply">
                      <Avatar name={now.project_name} />
                      <Answer
                        turn={turn}
                        shown={shown?.turn === turn ? shown : null}
                        onShow={(what) => show(turn, what)}
                        onFound={(page) => void attempt(() => find(id, own.current, turn, page))}
                      >
                        {turn.state.value === "failed" && (
                          <div class="note bad" role="alert">
                            <Icon name="alert" />
                            <span>
                              {turn.error.value}{" "}
                              {turn.again.value && (
                                <Button
                                  kind="quiet"
                                  icon="refresh"
                                  disabled={talk.busy.value}
                                  onClick={() => void talk.retry(turn)}
                                >
                                  {w.tryAgain}
                                </Button>
                              )}
                            </span>
                          </div>
                        )}
                        {turn.state.value === "stopped" && <p class="lead">{w.stopped}</p>}
                        {turn.state.value === "done" && turn.id.value && (
                          <Actions id={id} talk={talk} turn={turn} onWhy={() => setWhy(turn)} />
                        )}
                        {turn === last && turn.state.value === "done" && turn.isOpen.value && (
                          <Unanswered
                            opening={opening}
                            onAsk={(question) => void ask(question)}
                            onReword={() => {
                              text.value = turn.question.text;
                              document.querySelector<HTMLElement>(".composer textarea")?.focus();
                            }}
                            onWrite={() => setWriting(turn.question.text)}
                          />
                        )}
                      </Answer>
                    </div>
                  </div>
                ))}
                <p class="hidden" role="status">
                  {last?.state.value === "done" ? w.answerIsThere : ""}
                </p>
              </div>
            </div>
            {away && turns.length > 0 && (
              <div class="to-end">
                <Button icon="down" label={w.toTheEnd} onClick={toEnd} />
              </div>
            )}
            <div class="ask-foot">
              {files.value.length > 0 && (
                <span class="chips">
                  {files.value.map((file) => (
                    <button
                      key={file.name}
                      class="chip"
                      aria-label={`${w.remove} ${file.name}`}
                      onClick={() => (files.value = files.value.filter((f) => f !== file))}
                    >
                      {file.name} <span class="num">{bytes(file.size)}</span>
                      <Icon name="close" />
                    </button>
                  ))}
                </span>
              )}
              <Composer
                text={text}
                placeholder={w.askAgent(now.project_name)}
                busy={talk.busy.value}
                onSend={() => void ask(text.value.trim())}
                onStop={() => talk.stop()}
                onFiles={(more) => (files.value = [...files.value, ...more].slice(0, FILES_MOST))}
              >
                <Options id={id} />
              </Composer>
              <small>{w.askCounts}</small>
            </div>
          </div>
          {doc && shown && (
            <div class="doc-side">
              <DocumentPane
                agentId={id}
                source={doc}
                n={shown.source + 1}
                places={ofDoc.map((c) => c.place)}
                current={current}
                onCurrent={(i) => setShown({ ...shown, claim: ofDoc[i]!.i })}
                onClose={() => {
                  setShown(null);
                  setAlone(true);
                }}
              />
              <Reading />
            </div>
          )}
        </div>
      </Screen>
      {adding && <AddContent id={id} begun={adding} onClose={() => setAdding(null)} />}
      {writing && <AddContent id={id} question={writing} onClose={() => setWriting("")} />}
      {why && <Why id={id} question={why.question.text} onClose={() => setWhy(null)} />}
    </>
  );
}
