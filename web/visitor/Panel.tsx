import { useEffect, useRef, useState } from "preact/hooks";
import { useComputed, useSignal, useSignalEffect } from "@preact/signals";
import { Icon } from "./Icon";
import { put } from "../lib/language";
import { on, type Settings } from "../lib/look";
import { part } from "../lib/part";
import { FILES_MOST } from "../lib/talk";
import type { TalkSource, Visitor, VisitTurn } from "../lib/visit";
import { withQuery } from "../lib/api";
import { t } from "../words/visitor";
import { Bar } from "./Bar";
import { Exchange } from "./Exchange";
import { prepare } from "./Formatted";
import { Field } from "./Field";
import { Foot } from "./Foot";
import { Opening, type Starter } from "./Opening";
import { usePart } from "../lib/usepart";
import type { Talks } from "./Talks";
import type Viewer from "./Viewer";

const NEAR = 60;

/** Follows the answer that is coming, until the reader scrolls up. */
function useFollow(visitor: Visitor) {
  const box = useRef<HTMLDivElement>(null);
  const following = useSignal(true);
  const toEnd = () => {
    following.value = true;
    box.current?.scrollTo({ top: box.current.scrollHeight });
  };
  useSignalEffect(() => {
    const turns = visitor.talk.turns.value;
    void turns.at(-1)?.text.value;
    void turns.at(-1)?.answer.value;
    if (following.peek()) requestAnimationFrame(() => box.current?.scrollTo({ top: box.current.scrollHeight }));
  });
  const onScroll = () => {
    const { scrollTop, scrollHeight, clientHeight } = box.current!;
    following.value = scrollHeight - scrollTop - clientHeight < NEAR;
  };
  return { box, following, toEnd, onScroll };
}

/** What is said to who does not see it: once, when an answer begins to be looked for and when it is
 * there. */
function useStatus(visitor: Visitor): string {
  return useComputed(() => {
    const state = visitor.talk.turns.value.at(-1)?.state.value;
    if (state === "waiting") return t.looking;
    return state === "done" && visitor.talk.busy.value === false ? t.answerIsThere : "";
  }).value;
}

interface Viewed {
  path: string;
  source: TalkSource;
  n: number;
  focused: boolean;
}

const ROOM_BESIDE = "(min-width: 1000px)";

/** The document in hand, and the viewer, which is fetched with the first. A finished answer opens its first PDF
 * where its owner wants that and there is room beside the talk. */
function useViewer({ look }: Settings, visitor: Visitor) {
  const [viewed, setViewed] = useState<Viewed | null>(null);
  const [View, setView] = useState<{ it: typeof Viewer } | null>(null);
  const last = visitor.talk.turns.value.at(-1);
  const opened = useRef(last?.key);
  const open = (turn: VisitTurn, source: TalkSource, n: number, focused = true) => {
    if (!turn.id.value) return;
    setViewed({ path: visitor.sourcePath(turn, source.id), source, n, focused });
    if (!View)
      void part(() => import("./Viewer")).then(
        (found) => setView({ it: found.default }),
        () => setViewed(null),
      );
  };
  useEffect(() => {
    if (!last || last.state.value !== "done" || opened.current === last.key || !last.answer.value) return;
    opened.current = last.key;
    const { sources } = last.answer.value;
    const pdf = sources.findIndex((source) => source.is_pdf);
    if (look.is_pdf_viewer && look.is_pdf_viewer_autoopen && pdf >= 0 && matchMedia(ROOM_BESIDE).matches)
      open(last, sources[pdf]!, pdf + 1, false);
  }, [last?.key, last?.state.value, last?.answer.value]);
  return { viewed, View: View?.it, open: look.is_pdf_viewer ? open : undefined, close: () => setViewed(null) };
}

/** The list of earlier talks, which is fetched when it is first opened. */
function useTalks(opened: boolean, onFailure: () => void) {
  const [List, setList] = useState<{ it: typeof Talks } | null>(null);
  useEffect(() => {
    if (opened && !List) void part(() => import("./Talks")).then((found) => setList({ it: found.Talks }), onFailure);
  }, [opened]);
  return List?.it;
}

interface Props {
  settings: Settings;
  visitor: Visitor;
  starters: Starter[];
  onClose?: () => void;
}

/** The whole of a talk: page, frame and panel show the same. */
export function Panel({ settings, visitor, starters, onClose }: Props) {
  const { look } = settings;
  const title = look.chatbot_title || settings.name;
  const text = useSignal(""),
    files = useSignal<File[]>([]),
    note = useSignal("");
  const [listing, setListing] = useState(false);
  const List = useTalks(listing, () => setListing(false));
  const [more, setMore] = useState(false);
  const [dropping, setDropping] = useState(false);
  const { box, following, toEnd, onScroll } = useFollow(visitor);
  const turns = visitor.talk.turns.value;
  const disabled = visitor.isLocked.value || visitor.isSpent.value || visitor.isClosed.value;
  const status = useStatus(visitor);
  const viewer = useViewer(settings, visitor);
  /** Somebody else's talk, behind a link. */
  const reading = settings.share !== null;
  const focus = () => document.getElementById("question")?.focus();
  useEffect(() => {
    // Within another page the page goes on holding it, and stays where it is.
    if (settings.surface !== "iframe" && matchMedia("(pointer: fine)").matches) focus();
  }, []);
  useEffect(() => {
    if (!visitor.person.value) return;
    setListing(false);
    setMore(false);
    viewer.close();
    text.value = note.value = "";
    files.value = [];
  }, [visitor.person.value]);

  const ask = (question: string) => {
    if (visitor.talk.busy.value || disabled) return;
    const attached = files.value;
    text.value = "";
    files.value = [];
    note.value = "";
    toEnd();
    void prepare().catch(() => {}); // while the answer is on its way
    void visitor.ask(question, attached);
    focus();
  };
  const addFiles = (added: File[]) => {
    const all = [...files.value, ...added];
    files.value = all.slice(0, FILES_MOST);
    note.value = all.length > FILES_MOST ? put(t.filesMost, { n: FILES_MOST }) : "";
    focus();
  };
  // A list for the team is for those whom their site has signed.
  const history =
    look.conversation_history === "everyone" ||
    (look.conversation_history === "team_members" && visitor.isSigned.value);
  const exports = on(look.can_export_conversation, false),
    sharing = on(look.can_share_conversation, false) && !!visitor.sessionId.value && !reading;
  const Share = usePart(sharing, () => import("./Share"));
  return (
    <div
      class={`panel ${viewer.viewed ? "with-viewer" : ""}`}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        if (more) setMore(false);
        else if (listing) setListing(false);
        else onClose?.();
      }}
      onDragOver={(event) => {
        if (![...(event.dataTransfer?.types ?? [])].includes("Files") || disabled) return;
        event.preventDefault();
        setDropping(true);
      }}
      onDragLeave={(event) => !event.currentTarget.contains(event.relatedTarget as Node) && setDropping(false)}
      onDrop={(event) => {
        event.preventDefault();
        setDropping(false);
        addFiles([...(event.dataTransfer?.files ?? [])]);
      }}
    >
      <Bar settings={settings} title={title}>
        {history && !reading && (
          <button class="icon" aria-label={t.talks} aria-expanded={listing} onClick={() => setListing(!listing)}>
            <Icon name="history" />
          </button>
        )}
        {turns.length > 0 && !reading && (
          <button
            class="icon"
            aria-label={t.newTalk}
            onClick={() => {
              visitor.begin();
              focus();
            }}
          >
            <Icon name="add" />
          </button>
        )}
        {sharing && Share && <Share visitor={visitor} />}
        {exports && visitor.sessionId.value && !reading && (
          <div class="menu">
            <button class="icon" aria-label={t.more} aria-expanded={more} onClick={() => setMore(!more)}>
              <Icon name="more" />
            </button>
            {more && (
              <ul>
                {["html", "txt", "json"].map((format) => (
                  <li>
                    <a
                      href={withQuery(visitor.path(`/conversations/${visitor.sessionId.value}/export`), { format })}
                      onClick={async (event) => {
                        event.preventDefault();
                        await visitor.save(format);
                        setMore(false);
                      }}
                    >
                      <Icon name="download" />
                      {`${t.download}: ${format}`}
                    </a>
                  </li>
                ))}
              </ul>
            )}
          </div>
        )}
        {onClose && (
          <button class="icon" aria-label={t.close} onClick={onClose}>
            <Icon name="close" />
          </button>
        )}
      </Bar>
      <main>
        {listing ? (
          List && <List visitor={visitor} onClose={() => setListing(false)} />
        ) : (
          <div class="log" ref={box} onScroll={onScroll} tabIndex={0} role="region" aria-label={t.messages}>
            <div class="talk">
              {reading && <p class="mute">{visitor.isClosed.value ? t.closed : t.shared}</p>}
              <Opening
                settings={settings}
                visitor={visitor}
                starters={starters}
                begun={turns.length > 0 || reading}
                onAsk={ask}
              />
              {turns.map((turn) => (
                <Exchange
                  key={turn.key}
                  settings={settings}
                  visitor={visitor}
                  turn={turn}
                  title={title}
                  onOpen={reading ? undefined : viewer.open}
                  onAsk={ask}
                  onReword={(question) => {
                    text.value = question;
                    focus();
                  }}
                />
              ))}
            </div>
          </div>
        )}
        {!listing && (
          <div class="below">
            {!following.value && turns.length > 0 && (
              <button class="to-end" onClick={toEnd}>
                <Icon name="down" />
                {t.toEnd}
              </button>
            )}
            {visitor.isLocked.value && (
              <p class="locked" role="status">
                {t.locked}
                <button class="small" onClick={() => visitor.begin()}>
                  {t.newTalk}
                </button>
              </p>
            )}
            {visitor.isSpent.value && (
              <p class="locked" dir="auto">
                {look.account_out_of_queries_msg}
              </p>
            )}
            {note.value && <p class="locked">{note.value}</p>}
            {settings.children.length > 0 && !reading && (
              <label class="child">
                <span>{t.choose}</span>
                <select
                  value={visitor.child.value ?? ""}
                  onChange={(event) => (visitor.child.value = Number(event.currentTarget.value) || null)}
                >
                  <option value="">{t.automatic}</option>
                  {settings.children.map((child) => (
                    <option value={child.id}>{child.name}</option>
                  ))}
                </select>
              </label>
            )}
            {!reading && (
              <Field
                text={text}
                files={files}
                placeholder={look.default_prompt}
                busy={visitor.talk.busy.value}
                disabled={disabled}
                onSend={() => ask(text.value.trim())}
                onStop={() => visitor.talk.stop()}
                onFiles={addFiles}
              />
            )}
            <Foot settings={settings} forgets={visitor.forgets.value} />
          </div>
        )}
      </main>
      <p class="hidden" role="status">
        {status}
      </p>
      {viewer.viewed && viewer.View && (
        <viewer.View
          look={look}
          {...viewer.viewed}
          onClose={() => {
            viewer.close();
            focus();
          }}
        />
      )}
      {dropping && <p class="dropping">{t.drop}</p>}
    </div>
  );
}
