import { useEffect } from "preact/hooks";
import { ago, duration, number, percent } from "../lib/format";
import { ownReadiness, useReadiness, type Readiness } from "../lib/readiness";
import { agent, progress, readAgent, readProgress, readStats, stats } from "../lib/state";
import { sayReason } from "../lib/say";
import type { Agent } from "../lib/types";
import { w } from "../words/dashboard";

/** Asks often while documents are read and somebody looks, seldom otherwise. */
const BUSY_MS = 1000,
  IDLE_MS = 15000;

/** Keeps the agent's progress up to date as long as a screen shows it. */
export function useProgress(id: number, changed?: () => void) {
  useEffect(() => {
    let timer: ReturnType<typeof setTimeout>;
    let ended = false,
      isFirst = true;
    const turn = async () => {
      try {
        if (!document.hidden && (await readProgress(id)) && !ended) {
          // What a screen shows first it has just asked for itself.
          if (!isFirst) void readStats(id).catch(() => {});
          if (!agent.value?.is_chat_active) void readAgent(id).catch(() => {});
          if (!isFirst) changed?.();
        }
        isFirst = false;
      } catch {
        // The next turn asks again.
      }
      if (!ended) timer = setTimeout(turn, progress.value?.queued ? BUSY_MS : IDLE_MS);
    };
    const wake = () => {
      if (document.hidden) return;
      clearTimeout(timer);
      void turn();
    };
    void turn();
    document.addEventListener("visibilitychange", wake);
    addEventListener("docent:content", wake);
    return () => {
      ended = true;
      clearTimeout(timer);
      document.removeEventListener("visibilitychange", wake);
      removeEventListener("docent:content", wake);
    };
  }, [id]);
}

const kinds: Partial<Record<Readiness, string>> = { answers: "ok", unread: "warn" };

/** Whether an agent of a list answers, or why not. */
export const ReadyBadge = ({ is }: { is: Readiness | undefined }) => (
  <span class={`badge ${(is && kinds[is]) ?? ""}`}>{is ? w.readiness[is] : "\u00a0"}</span>
);

function LiveText({ is }: { is: Readiness | undefined }) {
  const queued = progress.value?.queued ?? 0;
  const meaning = progress.value?.meaning;
  const amiss = progress.value ? progress.value.failed + progress.value.limited : 0;
  return (
    <span class={`live ${is === "answers" ? "" : "off"}`} role="status">
      <i />
      {/* How many are being read says the rest. */}
      {is && w.readiness[is === "reading" && queued > 0 ? "later" : is]}
      {queued > 0 && ` · ${w.beingRead(queued)}`}
      {amiss > 0 && (
        <>
          {" · "}
          <a href={`/agents/${agent.value?.id}/content`}>{w.documentsNeedYou(amiss)}</a>
        </>
      )}
      {meaning && meaning.ready < meaning.passages && (
        <>
          {` · ${w.byMeaning(percent(meaning.ready / meaning.passages))}`}
          {meaning.seconds_left !== null && `, ${w.left(duration(meaning.seconds_left))}`}
        </>
      )}
    </span>
  );
}

const MasterLive = ({ master }: { master: Agent }) => <LiveText is={useReadiness(master)?.readiness} />;

/** Whether the agent answers, and how many documents are on their way. */
export function Live() {
  if (agent.value?.is_master) return <MasterLive master={agent.value} />;
  return <LiveText is={stats.value ? ownReadiness(stats.value, progress.value) : undefined} />;
}

/** What is read now and next, with reasons for what waits. */
export function Reading() {
  const now = progress.value;
  if (!now?.queued) return null;
  return (
    <section class="reading" aria-label={w.beingReadTitle}>
      <h2>
        {w.beingReadTitle}
        <small class="num">
          {w.of(number(now.total - now.queued), number(now.total))}
          {now.seconds_left !== null && ` · ${w.left(duration(now.seconds_left))}`}
        </small>
      </h2>
      <div class="bar">
        <i style={{ width: `${((now.total - now.queued) / Math.max(1, now.total)) * 100}%` }} />
      </div>
      <ul>
        {now.pages.slice(0, 5).map((page) => (
          <li key={page.id}>
            <b title={page.name}>{page.name}</b>
            <span class={page.reason ? "warn" : ""}>
              {page.state === "reading"
                ? w.readingNow
                : page.reason
                  ? `${sayReason(page)}${page.next_try_at ? ` ${w.nextTry(ago(page.next_try_at))}` : ""}`
                  : w.waits}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
