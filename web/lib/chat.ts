// The dashboard's talk with an agent: where its questions go, and what its answers stand on.
import { signal, type Signal } from "@preact/signals";
import { get, put, send, V1 } from "./api";
import { newTurn, Talk, type Question, type Turn } from "./talk";
import type { Claim, ClosestPassage, List, Message, Metadata } from "./types";
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
  /** What comes near where nothing answers for sure, each with where it is from. */
  closest: Signal<Near[]>;
  /** The document of that one that was it. */
  found: Signal<number | null>;
  /** Nothing answers it. */
  isOpen: Signal<boolean>;
}

export interface Near {
  passage: ClosestPassage;
  source: Source;
}

export const newChatTurn = (question: Question): ChatTurn => ({
  ...newTurn(question),
  sources: signal<Source[]>([]),
  claims: signal<Claim[]>([]),
  closest: signal<Near[]>([]),
  found: signal<number | null>(null),
  isOpen: signal(false),
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

async function near(turn: ChatTurn, id: number, passages: ClosestPassage[] = []) {
  turn.closest.value = await Promise.all(
    passages.map(async (passage) => ({ passage, source: await sourceOf(id, passage.page_id) })),
  );
}

/** What is known of an answer: that it is none. */
const isNone = ({ customer_intelligence: known, closest_passages: near }: Message) =>
  Boolean(near?.length) || (known?.answer_kind === "none" && !known.is_answered);

/** Of an answer that came without a source: small talk has none either. */
async function judge(turn: ChatTurn, base: string) {
  const { messages } = await get<{ messages: List<Message> }>(base, { limit: 1, includeInsights: true });
  turn.isOpen.value = messages.data.some((message) => message.id === turn.id.value && isNone(message));
}

const messagesOf = (id: number, session: string) => `/projects/${id}/conversations/${session}/messages`;

/** That closest passage was it, or was it not after all. */
export async function find(id: number, session: string, turn: ChatTurn, page: number) {
  const found = turn.found.value === page ? null : page;
  await put(`${messagesOf(id, session)}/${turn.id.value}/feedback`, { found_page_id: found });
  turn.found.value = found;
}

/** A message of a stored conversation. */
export function storedTurn(id: number, session: string, message: Message): ChatTurn {
  const turn = newChatTurn({ text: message.user_query });
  turn.text.value = message.llm_response;
  turn.state.value = message.is_running ? "coming" : "done";
  turn.id.value = message.id;
  turn.reaction.value = message.response_feedback?.reaction ?? null;
  turn.found.value = message.found_page_id ?? null;
  turn.isOpen.value = isNone(message);
  void ground(turn, id, session, message.citations ?? []);
  void near(turn, id, message.closest_passages);
  return turn;
}

export function chat(id: number, session: string): Talk<ChatTurn> {
  const base = messagesOf(id, session);
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
    whole: (turn, { citations, closest_passages }) => {
      void ground(turn, id, session, (citations as number[] | null) ?? []);
      const passages = (closest_passages as ClosestPassage[] | undefined) ?? [];
      void near(turn, id, passages);
      turn.isOpen.value = passages.length > 0;
      if (!passages.length && !(citations as number[] | null)?.length) void judge(turn, base).catch(() => {});
    },
    failed: ({ message, status }) => ({
      text: message || w.noService,
      again: !(status >= 400 && status < 500) || status === 429,
    }),
    react: (turn, reaction) => put(`${base}/${turn.id.value}/feedback`, { reaction }),
  });
}
