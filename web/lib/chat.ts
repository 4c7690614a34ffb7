// The dashboard's talk with an agent: where its questions go, and what its answers stand on.
import { signal, type Signal } from "@preact/signals";
import { get, put, send, V1 } from "./api";
import { newTurn, Talk, type Question, type Turn } from "./talk";
import type { Claim, Message, Metadata } from "./types";
import { w } from "../words/dashboard";

export interface Source {
  id: number;
  title: string;
  url: string | null;
}

export interface ChatTurn extends Turn {
  sources: Signal<Source[]>;
  /** What the answer states, and where its documents say so. */
  claims: Signal<Claim[]>;
}

export const newChatTurn = (question: Question): ChatTurn => ({
  ...newTurn(question),
  sources: signal<Source[]>([]),
  claims: signal<Claim[]>([]),
});

async function sourceOf(id: number, page: number): Promise<Source> {
  const found = await get<Metadata>(`/projects/${id}/citations/${page}`).catch(() => null);
  return { id: page, title: found?.title || found?.url || w.deletedDocument, url: found?.url ?? null };
}

/** Looks for what an answer stands on; it is shown without until that is there. */
async function ground(turn: ChatTurn, id: number, session: string, pages: number[]) {
  if (!pages.length) return;
  const [sources, { claims }] = await Promise.all([
    Promise.all(pages.map((page) => sourceOf(id, page))),
    get<{ claims: Claim[] }>(`/projects/${id}/conversations/${session}/messages/${turn.id.value}/claims`).catch(() => ({
      claims: [],
    })),
  ]);
  turn.sources.value = sources;
  turn.claims.value = claims;
}

/** A message of a stored conversation. */
export function storedTurn(id: number, session: string, message: Message): ChatTurn {
  const turn = newChatTurn({ text: message.user_query });
  turn.text.value = message.llm_response;
  turn.state.value = message.is_running ? "coming" : "done";
  turn.id.value = message.id;
  turn.reaction.value = message.response_feedback?.reaction ?? null;
  void ground(turn, id, session, message.citations ?? []);
  return turn;
}

export function chat(id: number, session: string): Talk<ChatTurn> {
  const base = `/projects/${id}/conversations/${session}/messages`;
  return new Talk<ChatTurn>({
    turn: newChatTurn,
    ask({ question: { text, files = [], fields = {} } }, signal) {
      const form = new FormData();
      form.set("prompt", text);
      for (const file of files) form.append("files[]", file);
      for (const [name, value] of Object.entries(fields)) form.set(name, JSON.stringify(value));
      return send("POST", V1 + base, {
        query: { stream: true, resumable: true },
        body: files.length ? form : { prompt: text, ...fields },
        signal,
      });
    },
    readOn: (turn, from, signal) => send("GET", `${V1}${base}/${turn.id.value}/stream`, { query: { from }, signal }),
    whole: (turn, { citations }) => void ground(turn, id, session, (citations as number[] | null) ?? []),
    failed: ({ message, status }) => ({
      text: message || w.noService,
      again: !(status >= 400 && status < 500) || status === 429,
    }),
    react: (turn, reaction) => put(`${base}/${turn.id.value}/feedback`, { reaction }),
  });
}
