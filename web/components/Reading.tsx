import { useEffect } from "preact/hooks";
import { ago, duration, number, percent } from "../lib/format";
import { agent, progress, readAgent, readProgress, readStats } from "../lib/state";
import { sayReason } from "../lib/say";
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

/** Whether the agent answers, and how many documents are on their way. */
export function Live() {
  const queued = progress.value?.queued ?? 0;
  const meaning = progress.value?.meaning;
  const amiss = progress.value ? progress.value.failed + progress.value.limited : 0;
  // Without a document there is nothing to answer from; a master has those of its children.
  const isEmpty = progress.value?.total === 0 && !agent.value?.is_master;
  const active = agent.value?.is_chat_active && !isEmpty;
  return (
    <span class={`live ${active ? "" : "off"}`} role="status">
      <i />
      {active ? w.answering : w.notAnswering}
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
