// A talk with an agent: its turns, the answer that is coming, what each stands on. It knows no
// address: where questions go and what citations mean, its surface says (the dashboard, a public
// page, a widget). No element is made here.
import { signal, type Signal } from "@preact/signals";
import { events } from "./stream";
import type { Claim, Message } from "./types";

export interface Source {
  id: number;
  title: string;
  url: string | null;
  description: string | null;
  image: string | null;
}

export interface Question {
  text: string;
  files?: File[];
  /** Further fields of the message: labels, response_source, … */
  fields?: Record<string, unknown>;
}

export interface Service {
  /** Sends it; the answer is a stream of events. */
  ask(question: Question, abort: AbortSignal): Promise<Response>;
  sources(ids: number[]): Promise<Source[]>;
  /** What the answer states and where its documents say so; [] where the surface has none. */
  claims(messageId: number): Promise<Claim[]>;
  /** The words for a failure. */
  failed(error: Error): string;
}

export type State = "waiting" | "coming" | "done" | "stopped" | "failed";

export interface Turn {
  key: number;
  question: Question;
  text: Signal<string>;
  state: Signal<State>;
  error: Signal<string>;
  messageId: Signal<number | null>;
  sources: Signal<Source[]>;
  claims: Signal<Claim[]>;
  reaction: Signal<string | null>;
  tookMs: Signal<number | null>;
}

/** Drawing more often is work that nobody sees. */
const DRAW_MS = 50;
let keys = 0;

export function newTurn(question: Question): Turn {
  return {
    key: ++keys,
    question,
    text: signal(""),
    state: signal<State>("waiting"),
    error: signal(""),
    messageId: signal<number | null>(null),
    sources: signal<Source[]>([]),
    claims: signal<Claim[]>([]),
    reaction: signal<string | null>(null),
    tookMs: signal<number | null>(null),
  };
}

export class Talk {
  turns = signal<Turn[]>([]);
  busy = signal(false);
  #abort: AbortController | null = null;

  constructor(readonly service: Service) {}

  /** A stored talk, oldest first. */
  show(messages: Message[]) {
    this.turns.value = messages.map((message) => {
      const turn = newTurn({ text: message.user_query });
      turn.text.value = message.llm_response;
      turn.state.value = "done";
      turn.messageId.value = message.id;
      turn.reaction.value = message.response_feedback?.reaction ?? null;
      void this.#resolve(turn, message.citations ?? []);
      return turn;
    });
  }

  async ask(question: Question): Promise<Turn> {
    const turn = newTurn(question);
    this.turns.value = [...this.turns.value, turn];
    await this.#run(turn);
    return turn;
  }

  /** The same question again, in the place of its failed answer. */
  async retry(turn: Turn) {
    turn.text.value = "";
    turn.error.value = "";
    turn.state.value = "waiting";
    await this.#run(turn);
  }

  /** What has come stays. */
  stop() {
    this.#abort?.abort();
  }

  async #run(turn: Turn) {
    const abort = (this.#abort = new AbortController());
    const began = performance.now();
    let text = "",
      drawn = 0;
    this.busy.value = true;
    try {
      const reply = await this.service.ask(turn.question, abort.signal);
      for await (const { data } of events(reply)) {
        if (data.status === "error") throw new Error(String(data.error));
        if (data.status === "progress") {
          text += String(data.message ?? "");
          if (text && performance.now() - drawn >= DRAW_MS) {
            turn.state.value = "coming";
            turn.text.value = text;
            drawn = performance.now();
            // The browser draws between two pieces, however fast they come.
            await new Promise((go) => setTimeout(go));
          }
        }
        if (data.status === "finish") {
          turn.messageId.value = Number(data.id);
          turn.text.value = text;
          turn.state.value = "done";
          turn.tookMs.value = Math.round(performance.now() - began);
          void this.#resolve(turn, (data.citations as number[] | null) ?? []);
        }
      }
    } catch (error) {
      turn.text.value = text;
      if (abort.signal.aborted) turn.state.value = "stopped";
      else {
        turn.error.value = this.service.failed(error as Error);
        turn.state.value = "failed";
      }
    }
    if (this.#abort === abort) this.busy.value = false;
  }

  async #resolve(turn: Turn, ids: number[]) {
    if (!ids.length) return;
    const [sources, claims] = await Promise.all([
      this.service.sources(ids).catch(() => []),
      turn.messageId.value ? this.service.claims(turn.messageId.value).catch(() => []) : [],
    ]);
    turn.sources.value = sources;
    turn.claims.value = claims;
  }
}
