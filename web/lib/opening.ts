// What an agent's documents answer for sure, and what they are about: what a talk opens with, and where it goes on
// from a question that nothing answers.
import { get } from "./api";
import { useResource } from "./resource";

export interface Opening {
  /** That everybody may find. */
  documents: number;
  asked: { question: string; page_id: number; title: string | null }[];
  areas: string[];
  /** It is made for the first time: later there is more. */
  is_coming: boolean;
}

const TRIES = 6,
  PAUSE_MS = 700;

/** Nobody waits for it: it is asked for again while it is made. */
export function useOpening(id: number): Opening | undefined {
  const read = useResource((signal) => get<Opening>(`/projects/${id}/opening`, {}, signal), [id]);
  const made = useResource(
    async (signal) => {
      let found = read.value.value;
      for (let tried = 1; found?.is_coming && tried <= TRIES; tried++) {
        await new Promise((go) => setTimeout(go, PAUSE_MS * tried));
        if (signal.aborted) return;
        found = await get<Opening>(`/projects/${id}/opening`, {}, signal);
      }
      return found;
    },
    [id, read.value.value],
  );
  return made.value.value ?? read.value.value;
}
