// A talk with an agent: its turns, the answer that is coming, and how it is gone on with where its line
// breaks. It knows no address: where questions go and what an answer stands on, its surface says (the
// dashboard, a public page, a widget). No element is made here.
import { signal, type Signal } from "@preact/signals";
import { ApiError } from "./api";
import { bytesOfText, goOn } from "./goon";
import { events } from "./stream";

export interface Question {
  text: string;
  files?: File[];
  /** Further fields of the message: labels, response_source, … */
  fields?: Record<string, unknown>;
}

/** How many files a question may take along. */
export const FILES_MOST = 10;

export type State = "waiting" | "coming" | "done" | "stopped" | "failed";

export interface Turn {
  key: number;
  question: Question;
  text: Signal<string>;
  state: Signal<State>;
  error: Signal<string>;
  /** The question may be sent again: what it failed of may pass. */
  again: Signal<boolean>;
  /** There was no network to send it by. */
  isUnsent: boolean;
  /** What is said while nothing comes yet. */
  waiting: Signal<string>;
  /** How many sources a model reads for it; 0: that is not known. */
  reading: Signal<number>;
  /** Of the message; null: the service has not named it yet. */
  id: Signal<number | null>;
  reaction: Signal<string | null>;
  /** How long the whole answer took; null: it was not waited for here. */
  tookMs: Signal<number | null>;
}

export type Data = Record<string, unknown>;

/** Where a surface sends questions. Each keeps what it shows of an answer in a turn of its own kind. */
export interface Service<T extends Turn> {
  turn(question: Question): T;
  /** Sends it; the answer is a stream of events, each with its place, and can be read on. */
  ask(turn: T, abort: AbortSignal): Promise<Response>;
  /** What the answer has beyond so many bytes, while it is written or later. */
  readOn(turn: T, from: number, abort: AbortSignal): Promise<Response>;
  /** It is said that there is no such answer: an error says that there never will be. */
  missing?(abort: AbortSignal): Promise<unknown>;
  /** The answer has its number. */
  begun?(turn: T, data: Data): void;
  /** All of its text is there, as far as was told: what it stands on. The answer is done when this is. */
  whole(turn: T, data: Data): Promise<void> | void;
  /** The conversation is gone, and its answer with it. */
  gone?(): void;
  /** Nobody here reads the answer any longer. */
  left?(): void;
  /** The words for a failure, and whether the question may be sent again. */
  failed(error: ApiError): { text: string; again: boolean };
  react(turn: T, reaction: string | null): Promise<unknown>;
}

/** Drawing more often is work that nobody sees. */
const DRAW_MS = 50;
let keys = 0;

export const newTurn = (question: Question): Turn => ({
  key: ++keys,
  question,
  text: signal(""),
  state: signal<State>("waiting"),
  error: signal(""),
  again: signal(true),
  isUnsent: false,
  waiting: signal(""),
  reading: signal(0),
  id: signal<number | null>(null),
  reaction: signal<string | null>(null),
  tookMs: signal<number | null>(null),
});

export class Talk<T extends Turn> {
  turns = signal<T[]>([]);
  busy = signal(false);
  /** Of the answer that is read now. What comes after its end is dropped. */
  #abort: AbortController | null = null;

  constructor(readonly service: Service<T>) {}

  /** These in place of what is shown, oldest first; an answer that is still written is read on. */
  show(turns: T[]) {
    this.stop();
    this.turns.value = turns;
    const last = turns.at(-1);
    if (last?.state.value === "coming") void this.#run(last, true);
  }

  /** One answer at a time: nothing is asked while one comes. */
  async ask(question: Question) {
    if (this.busy.value) return;
    const turn = this.service.turn(question);
    this.turns.value = [...this.turns.value, turn];
    await this.#run(turn);
  }

  /** The same question again, in the place of its failed answer. */
  async retry(turn: T) {
    if (this.busy.value) return;
    turn.text.value = turn.error.value = "";
    turn.state.value = "waiting";
    turn.id.value = null;
    await this.#run(turn);
  }

  /** The network is back: a question that could not leave is sent. */
  async goOnline() {
    const last = this.turns.value.at(-1);
    if (last?.isUnsent && last.state.value === "failed") await this.retry(last);
  }

  /** What has come stays. */
  stop() {
    if (!this.#abort) return;
    this.#abort.abort();
    this.#abort = null;
    this.busy.value = false;
    this.service.left?.();
  }

  /** Likes, or likes no longer. It is shown at once, and taken back where the service does not take it. */
  async react(turn: T, reaction: string) {
    const before = turn.reaction.value;
    turn.reaction.value = before === reaction ? null : reaction;
    try {
      await this.service.react(turn, turn.reaction.value);
    } catch (error) {
      turn.reaction.value = before;
      throw error;
    }
  }

  /** Asks, or reads on what is being written already. */
  async #run(turn: T, begun = false) {
    const abort = (this.#abort = new AbortController());
    const { signal } = abort;
    const began = performance.now();
    this.busy.value = true;
    try {
      if (begun || !(await this.#read(turn, await this.service.ask(turn, signal), signal)))
        await goOn({
          length: () => bytesOfText(turn.text.value),
          read: async (from) => this.#read(turn, await this.service.readOn(turn, from, signal), signal),
          missing: async () => this.service.missing?.(signal),
          signal,
        });
      if (!begun) turn.tookMs.value = Math.round(performance.now() - began);
    } catch (error) {
      if (signal.aborted) turn.state.value = "stopped";
      else this.#fail(turn, error as ApiError);
    }
    if (this.#abort !== abort) return;
    this.#abort = null;
    this.busy.value = false;
  }

  #fail(turn: T, error: ApiError) {
    const { text, again } = this.service.failed(error);
    turn.isUnsent = !error.status && !navigator.onLine;
    turn.error.value = text;
    turn.again.value = again;
    turn.state.value = "failed";
  }

  /** True: the answer is whole. False: its line broke, and the answer goes on without a reader. */
  async #read(turn: T, reply: Response, abort: AbortSignal): Promise<boolean> {
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
        abort.throwIfAborted();
        if (data.status === "error") throw this.#told(data);
        if (data.status === "start") {
          turn.id.value = Number(data.id);
          this.service.begun?.(turn, data);
        }
        if (data.status === "reading") turn.reading.value = Number(data.sources);
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
          turn.text.value = text;
          await this.service.whole(turn, data);
          text = turn.text.value;
          turn.state.value = "done";
          return true;
        }
      }
    } catch (error) {
      if (error instanceof ApiError || abort.aborted) throw error; // else the line has broken
    } finally {
      clearTimeout(late);
      turn.text.value = text;
    }
    if (!turn.id.value) throw new ApiError("", 0);
    return false;
  }

  /** An error that the stream tells. Asked again, a question whose conversation is gone begins another. */
  #told({ code, error }: Data): ApiError {
    const isGone = Number(code) === 404;
    if (isGone) this.service.gone?.();
    return new ApiError(String(error), isGone ? 503 : Number(code));
  }
}
