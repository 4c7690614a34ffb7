// Whether an agent answers, and if not, why. A master answers where one of its own agents does.
import { useEffect, useState } from "preact/hooks";
import { get } from "./api";
import { useResource } from "./resource";
import type { Agent, Progress, Stats } from "./types";

/** unread: nothing of what it has could be read; later: it does not answer, and who asks may not see why; alone: a
 * master without agents. */
export type Readiness = "answers" | "reading" | "later" | "unread" | "empty" | "alone";

/** Of an agent by itself. `progress` is needed where nothing answers; null: it is not to be had. */
export function ownReadiness(stats: Stats, progress: Progress | null): Readiness {
  // What is read again answers meanwhile as it was.
  if (stats.pages_indexed > 0 || stats.total_words_indexed > 0) return "answers";
  // The figures are asked for apart from each other: whichever knows of a document first.
  if (progress && progress.done > progress.failed + progress.limited) return "answers";
  // A website that was just added has no page yet.
  if (progress && progress.queued + progress.sources > 0) return "reading";
  if (stats.pages_found === 0) return "empty";
  return progress ? "unread" : "later";
}

/** Of a master: the best of its agents and itself. */
export function masterReadiness(own: Readiness, children: Readiness[]): Readiness {
  const best = (["answers", "reading", "later", "unread"] as const).find(
    (one) => one === own || children.includes(one),
  );
  return best ?? (children.length ? "empty" : "alone");
}

async function readOwn(id: number, signal: AbortSignal) {
  const stats = await get<Stats>(`/projects/${id}/stats`, {}, signal);
  const first = ownReadiness(stats, null);
  if (first === "answers") return { stats, readiness: first };
  const progress = await get<Progress>(`/projects/${id}/progress`, {}, signal).catch(() => null);
  return { stats, readiness: ownReadiness(stats, progress) };
}

/** Asks again while something is read, and seldom while there is nothing. */
const READING_MS = 2000,
  IDLE_MS = 15000;

/** The agent's figures and whether it answers; undefined until they are there. */
export function useReadiness({ id, is_master, child_project_ids }: Agent) {
  const children = is_master ? (child_project_ids ?? []) : [];
  const resource = useResource(
    async (signal) => {
      // One that is gone meanwhile answers nothing.
      const [own, ...others] = await Promise.all([
        readOwn(id, signal),
        ...children.map((child) => readOwn(child, signal).catch(() => null)),
      ]);
      const readiness = is_master
        ? masterReadiness(
            own!.readiness,
            others.map((other) => other?.readiness ?? "empty"),
          )
        : own!.readiness;
      return { stats: own!.stats, readiness };
    },
    [id, is_master, children.join()],
  );
  const now = resource.value.value;
  const [turn, setTurn] = useState(0);
  useEffect(() => {
    if (!now || now.readiness === "answers") return;
    const timer = setTimeout(
      async () => {
        if (!document.hidden) await resource.again();
        setTurn(turn + 1);
      },
      now.readiness === "reading" ? READING_MS : IDLE_MS,
    );
    return () => clearTimeout(timer);
  }, [now?.readiness, turn, resource]);
  return now;
}
