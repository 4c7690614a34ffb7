// A talk with an agent: its turns, the answer that is coming, what each stands on. It knows no
// address: where questions go and what citations mean, its surface says (the dashboard, a public
// page, a widget). No element is made here.
import { signal, type Signal } from "@preact/signals";
import { ApiError } from "./api";
import { bytesOfText, goOn } from "./goon";
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
  /** Sends it; the answer is a stream of events, each with its place, and can be read on. */
  ask(question: Question, abort: AbortSignal): Promise<Response>;
  /** What the answer has beyond so many bytes, while it is written or later. */
  readOn(messageId: number, from: number, abort: AbortSignal): Promise<Response>;
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
  /** The question may be sent again: what it failed of may pass. */
  again: Signal<boolean>;
  /** What is said while nothing comes yet. */
  waiting: Signal<string>;
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
    again: signal(true),
    waiting: signal(""),
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
      turn.state.value = message.is_running ? "coming" : "done";
      turn.messageId.value = message.id;
      turn.reaction.value = message.response_feedback?.reaction ?? null;
      void this.#resolve(turn, message.citations ?? []);
      return turn;
    });
    const last = this.turns.value.at(-1);
    if (last?.state.value === "coming") void this.#run(last, true);
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
    turn.messageId.value = null;
    await this.#run(turn);
  }

  /** What has come stays. */
  stop() {
    this.#abort?.abort();
  }

  /** Asks, or reads on what is being written already. */
  async #run(turn: Turn, begun = false) {
    const abort = (this.#abort = new AbortController());
    const began = performance.now();
    this.busy.value = true;
    try {
      const isWhole = !begun && (await this.#read(turn, await this.service.ask(turn.question, abort.signal), abort));
      if (!isWhole)
        await goOn({
          length: () => bytesOfText(turn.text.value),
          read: async (from) =>
            this.#read(turn, await this.service.readOn(turn.messageId.value!, from, abort.signal), abort),
          signal: abort.signal,
        });
      if (!begun) turn.tookMs.value = Math.round(performance.now() - began);
    } catch (error) {
      if (abort.signal.aborted) turn.state.value = "stopped";
      else {
        const { status } = error as ApiError;
        turn.error.value = this.service.failed(error as Error);
        turn.again.value = !(status >= 400 && status < 500) || status === 429;
        turn.state.value = "failed";
      }
    }
    if (this.#abort === abort) this.busy.value = false;
  }

  /** True: the answer is whole. False: its line broke, and the answer goes on without a reader. */
  async #read(turn: Turn, reply: Response, abort: AbortController): Promise<boolean> {
    let text = turn.text.value,
      drawn = 0,
      late: ReturnType<typeof setTimeout> | undefined;
    const draw = () => {
      clearTimeout(late);
      late = undefined;
      turn.state.value = "coming";
      turn.text.value = text;
      drawn = performance.now();
    };
    try {
      for await (const { data } of events(reply)) {
        if (data.status === "error") throw new ApiError(String(data.error), Number(data.code));
        if (data.status === "start") turn.messageId.value = Number(data.id);
        if (data.status === "waiting") turn.waiting.value = String(data.text ?? "");
        if (data.status === "progress") {
          text += String(data.message ?? "");
          if (text && performance.now() - drawn >= DRAW_MS) {
            draw();
            // The browser draws between two pieces, however fast they come.
            await new Promise((go) => setTimeout(go));
          } else if (text) late ??= setTimeout(draw, DRAW_MS); // a pause may follow
        }
        if (data.status === "finish") {
          turn.messageId.value = Number(data.id);
          turn.text.value = text;
          turn.state.value = "done";
          void this.#resolve(turn, (data.citations as number[] | null) ?? []);
          return true;
        }
      }
    } catch (error) {
      if (error instanceof ApiError || abort.signal.aborted) throw error; // else the line has broken
    } finally {
      clearTimeout(late);
      turn.text.value = text;
    }
    if (!turn.messageId.value) throw new ApiError("", 0);
    return false;
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
