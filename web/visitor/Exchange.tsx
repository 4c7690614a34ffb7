import { useEffect, useRef, useState } from "preact/hooks";
import { useSignal } from "@preact/signals";
import { Icon } from "./Icon";
import { Formatted } from "./Formatted";
import { date } from "../lib/format";
import { put } from "../lib/language";
import { on, type Settings } from "../lib/look";
import type { TalkSource, Visitor, VisitTurn } from "../lib/visit";
import { t } from "../words/visitor";
import Differ from "./Differ";
import { Face } from "./Face";
import { usePart } from "../lib/usepart";
import { isViewed, keepOpen, opensFirst, Sources, titleOf } from "./Sources";

const HANG_MS = 4000;

/** The pictures of an answer's sources, looked for when the answer is seen. */
function usePictures(settings: Settings, visitor: Visitor, turn: VisitTurn) {
  const { look } = settings;
  const place = useRef<HTMLDivElement>(null);
  const wanted =
    !settings.share &&
    turn.state.value === "done" &&
    look.enable_citations !== 0 &&
    (turn.answer.value?.sources.length ?? 0) > 0;
  useEffect(() => {
    if (!wanted) return;
    const seen = new IntersectionObserver((entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      void visitor.look(turn);
    });
    seen.observe(place.current!);
    return () => seen.disconnect();
  }, [wanted]);
  const all = turn.pictures.value ?? [];
  const Drawn = usePart(all.length > 0, () => import("./Pictures"));
  const drawn = new Set<number>();
  const of = (n: number, is_inline: boolean) => {
    const source = turn.answer.value?.sources[n - 1];
    if (!Drawn || !source || (is_inline && drawn.has(n))) return null;
    const path = visitor.sourcePath(turn, source.id);
    const pictures = all
      .filter((picture) => picture.page_id === source.id && picture.is_inline === is_inline)
      .map(({ id, page_no, text }) => ({
        path: id ? `${path}/pictures/${id}` : `${path}/view/${page_no}`,
        text: text || titleOf(source, n),
      }));
    if (is_inline) drawn.add(n);
    return pictures.length > 0 && <Drawn pictures={pictures} limited={on(look.limit_image_citation_height, false)} />;
  };
  return { place, within: (sources: number[]) => sources.map((n) => of(n, true)), beside: (n: number) => of(n, false) };
}

/** True once nothing has come for so long. */
function useSlow(waiting: boolean): boolean {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    setSlow(false);
    if (!waiting) return;
    const timer = setTimeout(() => setSlow(true), HANG_MS);
    return () => clearTimeout(timer);
  }, [waiting]);
  return slow;
}

interface Props {
  settings: Settings;
  visitor: Visitor;
  turn: VisitTurn;
  title: string;
  onOpen?: (turn: VisitTurn, source: TalkSource, n: number) => void;
  onAsk: (question: string) => void;
  onReword: (question: string) => void;
}

/** A question and its answer. */
export function Exchange(props: Props) {
  const { settings, visitor, turn } = props;
  const { look } = settings;
  const sides = (look.user_avatar_orientation ?? "agent-left-user-right").split("-");
  const [agentSide, userSide] = [sides[1] === "right" ? "end" : "start", sides[3] === "right" ? "end" : "start"];
  return (
    <div class="exchange">
      <div class={`asked ${userSide}`}>
        {look.user_avatar_enabled && look.is_in_chat_user_avatar_enabled && (
          <Face name={visitor.name.value ?? t.you} src={look.user_avatar} kind="user" />
        )}
        <div class="bubble">
          <span class="hidden">{`${t.you}: `}</span>
          <span class="words" dir="auto">
            {turn.question.text}
          </span>
          {turn.question.files?.map((file) => (
            <span class="file">
              <Icon name="attach" />
              {file.name}
            </span>
          ))}
        </div>
      </div>
      <Reply {...props} side={agentSide} />
    </div>
  );
}

function Reply(props: Props & { side: string }) {
  const { settings, visitor, turn, title, side, onOpen } = props;
  const { look } = settings;
  const state = turn.state.value,
    answer = turn.answer.value;
  const slow = useSlow(state === "waiting");
  const citations = look.enable_citations ?? 3;
  const sources = (citations && answer?.sources) || [];
  const lists = citations === 1 || citations === 3,
    numbers = citations >= 2;
  const open = useSignal(opensFirst(look)),
    current = useSignal<number | null>(null);
  const back = useRef<HTMLElement | null>(null);
  const pictures = usePictures(settings, visitor, turn);
  const passages = answer?.closest ?? [];
  const isNear = state === "done" && passages.length > 0;
  const Near = usePart(isNear, () => import("./Closest"));
  const isLast =
    state === "done" && !settings.share && !!answer?.kind && visitor.talk.turns.value.at(-1)?.key === turn.key;
  const Behind = usePart(isLast, () => import("./After"));
  const show = (n: number, from: HTMLElement) => {
    back.current = from;
    current.value = n;
    visitor.heard("citation", { n });
    if (onOpen && sources[n - 1] && isViewed(sources[n - 1]!)) onOpen(turn, sources[n - 1]!, n);
    else open.value = true;
  };
  return (
    <div class={`reply ${side}`}>
      {look.is_in_chat_agent_avatar_enabled && <Face name={title} src={look.chat_bot_avatar} />}
      <div class="body" ref={pictures.place} aria-busy={state === "waiting" || state === "coming"}>
        <span class="hidden">{`${answer?.answered_by ?? title}: `}</span>
        {state === "waiting" && on(look.is_loading_indicator_enabled) && (
          <p class="dots" aria-hidden="true">
            <i />
            <i />
            <i />
          </p>
        )}
        {state === "waiting" && slow && (
          <p class="slow" role="status" dir="auto">
            {look.hang_in_there_msg}
          </p>
        )}
        {turn.text.value && state !== "failed" && (
          <Formatted
            text={turn.text.value}
            formatted={on(look.markdown_enabled)}
            coming={state === "coming"}
            behind={pictures.within}
            cite={(n) =>
              numbers && sources[n - 1] ? (
                <button
                  class="cite"
                  aria-label={put(t.source, { n, name: titleOf(sources[n - 1]!, n) })}
                  aria-current={current.value === n || undefined}
                  onClick={(event) => show(n, event.currentTarget)}
                >
                  {n}
                </button>
              ) : null
            }
          />
        )}
        {state === "stopped" && <p class="mute">{t.stopped}</p>}
        {state === "failed" && (
          <div class="failed" role="alert">
            <p dir="auto">{turn.error.value}</p>
            {turn.again.value && (
              <button class="small" disabled={visitor.talk.busy.value} onClick={() => visitor.talk.retry(turn)}>
                <Icon name="refresh" />
                {t.tryAgain}
              </button>
            )}
          </div>
        )}
        {sources.length > 0 && (lists || open.value) && (
          <Sources
            id={`sources-${turn.key}`}
            look={look}
            sources={sources}
            current={current.value}
            open={open.value}
            onToggle={(next) => {
              open.value = next;
              current.value = null;
              if (look.citations_view_type === "user" || !look.citations_view_type) keepOpen(next);
            }}
            onOpen={
              onOpen &&
              ((n) => {
                visitor.heard("citation", { n });
                onOpen(turn, sources[n - 1]!, n);
              })
            }
            pictures={pictures.beside}
            onBack={() => {
              current.value = null;
              back.current?.focus();
            }}
          />
        )}
        {isNear && Near && (
          <Near
            passages={passages}
            found={answer!.found}
            onOpen={onOpen && ((passage, n) => onOpen(turn, passage, n))}
            onFound={settings.share || !on(look.enable_feedbacks) ? undefined : (id) => void visitor.find(turn, id)}
          />
        )}
        {answer?.conflicts && <Differ conflicts={answer.conflicts} />}
        {answer?.verified && <p class="mute">{checked(answer.verified)}</p>}
        {answer?.answered_by && <p class="mute">{put(t.answeredBy, { name: answer.answered_by })}</p>}
        {state === "done" && <Acts settings={settings} visitor={visitor} turn={turn} />}
        {isLast && Behind && <Behind {...props} />}
      </div>
    </div>
  );
}

function checked({ by, at }: { by: string | null; at: string }) {
  const when = date(at);
  return by ? put(t.checkedBy, { name: by, date: when }) : put(t.checkedOn, { date: when });
}

/** The answer and its sources as text. */
function asText(turn: VisitTurn): string {
  const sources = turn.answer.value?.sources ?? [];
  const list = sources.map((source, i) => `[${i + 1}] ${titleOf(source, i + 1)}${source.url ? ` ${source.url}` : ""}`);
  return [turn.text.value, list.join("\n")].filter(Boolean).join("\n\n");
}

async function copy(text: string) {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // A frame without the right: the old way.
    const field = Object.assign(document.createElement("textarea"), { value: text });
    document.body.append(field);
    field.select();
    document.execCommand("copy");
    field.remove();
  }
}

function Acts({ settings, visitor, turn }: { settings: Settings; visitor: Visitor; turn: VisitTurn }) {
  const { look } = settings;
  const [copied, setCopied] = useState(false);
  const rated = !settings.share && on(look.enable_feedbacks) && turn.answer.value?.is_answered && turn.id.value;
  const reaction = turn.reaction.value;
  const react = (to: string) => void visitor.talk.react(turn, to).catch(() => {});
  return (
    <div class="acts">
      {rated && (
        <>
          <button aria-pressed={reaction === "liked"} aria-label={t.good} onClick={() => react("liked")}>
            <Icon name="thumb" />
          </button>
          <button aria-pressed={reaction === "disliked"} aria-label={t.bad} onClick={() => react("disliked")}>
            <Icon name="thumb" turned />
          </button>
        </>
      )}
      {on(look.enable_copy_button) && (
        <button
          aria-label={copied ? t.copied : t.copy}
          onClick={async () => {
            await copy(asText(turn));
            setCopied(true);
            setTimeout(() => setCopied(false), 2000);
          }}
        >
          <Icon name={copied ? "check" : "copy"} />
        </button>
      )}
    </div>
  );
}
