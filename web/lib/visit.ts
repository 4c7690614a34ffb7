// A visitor's talk with a public agent: the visit, questions and their streams, what was said before.
// No element is made here.
import { signal, type Signal } from "@preact/signals";
import { ApiError, call, headers, send } from "./api";
import { bytesOfText, goOn } from "./goon";
import { put } from "./language";
import type { Settings } from "./look";
import { events } from "./stream";
import { prove } from "./work";
import { t } from "../words/visitor";

export interface Place {
  page_no: number | null;
  second: number | null; // of a recording
  offset: number;
  length: number;
}
export interface TalkSource {
  id: number;
  title: string | null;
  url: string | null;
  is_pdf: boolean;
  places: Place[];
}
/** A picture of a source, in the order in which they are shown. */
export interface TalkPicture {
  page_id: number;
  /** null: page `page_no` of a PDF. */
  id: string | null;
  page_no: number | null;
  text: string;
  is_inline: boolean;
}
interface AnswerParts {
  is_answered: boolean;
  kind: string | null;
  sources: TalkSource[];
  answered_by: string | null;
}
export interface TalkMessage extends AnswerParts {
  id: number;
  /** It is being written: text is as far as it has come. */
  is_running: boolean;
  prompt: string;
  text: string;
  created_at: string;
  reaction: string | null;
}
export interface TalkName {
  session_id: string;
  name: string;
  created_at: string;
  updated_at: string;
}
interface Talk extends TalkName {
  is_locked: boolean;
  is_coming: boolean;
  messages: TalkMessage[];
}
interface Visit {
  name: string | null;
  token: string | null;
  work: { challenge: string; bits: number } | null;
  session_id: string | null;
  is_new: boolean;
}

export type TurnState = "waiting" | "coming" | "done" | "stopped" | "failed";

export interface VisitTurn {
  key: number;
  prompt: string;
  files: File[];
  text: Signal<string>;
  state: Signal<TurnState>;
  error: Signal<string>;
  /** The question may be sent again. */
  again: Signal<boolean>;
  /** There was no network to send it by. */
  isUnsent: boolean;
  id: Signal<number | null>;
  answer: Signal<AnswerParts | null>;
  reaction: Signal<string | null>;
  /** null: nobody has looked for them. */
  pictures: Signal<TalkPicture[] | null>;
}

/** Drawing more often is work that nobody sees. */
const DRAW_MS = 50;
export const FILES_MOST = 10;
let keys = 0;

function newTurn(prompt: string, files: File[] = []): VisitTurn {
  return {
    key: ++keys,
    prompt,
    files,
    text: signal(""),
    state: signal<TurnState>("waiting"),
    error: signal(""),
    again: signal(false),
    isUnsent: false,
    id: signal<number | null>(null),
    answer: signal<AnswerParts | null>(null),
    reaction: signal<string | null>(null),
    pictures: signal<TalkPicture[] | null>(null),
  };
}

function stored(message: TalkMessage): VisitTurn {
  const turn = newTurn(message.prompt);
  turn.text.value = message.text;
  turn.state.value = message.is_running ? "coming" : "done";
  turn.id.value = message.id;
  turn.answer.value = message;
  turn.reaction.value = message.reaction;
  return turn;
}

/** Whom a JWT names; the service looks whether it is true. */
function subjectOf(token: string): string {
  try {
    return String(JSON.parse(atob(token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/"))).sub);
  } catch {
    return "";
  }
}

export class Visitor {
  turns = signal<VisitTurn[]>([]);
  busy = signal(false);
  /** Of the talk in hand; null: the next question begins one. */
  sessionId = signal<string | null>(null);
  isLocked = signal(false);
  name = signal<string | null>(null);
  /** Another number: what is on the screen is somebody else's. */
  person = signal(0);
  /** The site around has said who the visitor is. */
  isSigned = signal(false);
  /** The browser keeps no cookie for us. */
  forgets = signal(false);
  /** The quota is used up: nothing more is asked. */
  isSpent = signal(false);
  isClosed = signal(false);
  child = signal<number | null>(null);
  /** What the site around says of the moment. */
  context = "";
  /** Something has happened that a site around may hear of; what was said is not among it. */
  heard: (what: string, detail: Record<string, unknown>) => void = () => {};
  #base: string;
  #abort: AbortController | null = null;
  #visiting: Promise<void> | null = null;
  #work: Visit["work"] = null;
  #identity = "";

  constructor(public settings: Settings) {
    this.#base = `/public/v1/agents/${settings.slug}`;
    headers["x-docent-visitor"] = "1";
  }

  path = (rest: string) => this.#base + rest;

  /** Begins the visit, or goes on with it; and with the talk of this day. */
  visit(): Promise<void> {
    return this.#visiting ?? this.#follow(Promise.resolve());
  }

  /** Visits one after the other: of two cookies the last one's stays. */
  #follow(before: Promise<void>): Promise<void> {
    const visiting = before
      .catch(() => {})
      .then(() => this.#visit())
      .catch((error) => {
        if (this.#visiting === visiting) this.#visiting = null;
        throw error;
      });
    return (this.#visiting = visiting);
  }

  async #visit() {
    const identity = this.#identity;
    let visit = await this.#arrive(false);
    if (visit.is_new) headers["x-docent-visitor"] = "1"; // not the secret of the visit before
    try {
      if (this.turns.value.length) this.sessionId.value = visit.is_new ? null : this.sessionId.value;
      else if (visit.session_id) await this.open(visit.session_id);
      if (visit.is_new) await send("GET", this.path("/visit")); // was the cookie kept?
    } catch (error) {
      if ((error as ApiError).status !== 401) throw error;
      visit = await this.#arrive(true);
      headers["x-docent-visitor"] = visit.token!;
      this.forgets.value = true;
    }
    if (identity !== this.#identity) return; // another one follows
    this.name.value = visit.name;
    this.isSigned.value = this.#identity !== "";
    this.#work = visit.work;
  }

  #arrive = (in_memory: boolean) =>
    call<Visit>("POST", this.path("/visit"), {
      body: { surface: this.settings.surface, site: this.settings.site, in_memory, identity: this.#identity || null },
    });

  /** Who the visitor is, as their site has signed it; empty: nobody in particular. What is shown of somebody
   * else goes at once. */
  async identify(token: string) {
    const before = this.#identity;
    if (token === before) return;
    this.#identity = token;
    const isOther = !!before && subjectOf(token) !== subjectOf(before);
    if (isOther) {
      this.name.value = null;
      this.person.value++;
    }
    if (isOther || !this.busy.value) this.begin();
    await this.#follow(this.#visiting ?? Promise.resolve()).catch(() => {});
  }

  /** What the documents have on the page around, and questions that a model has written for it. */
  starters = (title: string, address: string) =>
    call<{ topics: string[]; suggested: string[] }>("GET", this.path("/starters"), { query: { title, address } });

  async open(sessionId: string) {
    const identity = this.#identity;
    const talk = await call<Talk>("GET", this.path(`/conversations/${sessionId}`));
    if (identity !== this.#identity) return;
    this.sessionId.value = talk.session_id;
    this.isLocked.value = talk.is_locked;
    this.turns.value = talk.messages.map(stored);
    const last = this.turns.value.at(-1);
    if (last && talk.messages.at(-1)!.is_running) void this.#run(last, true);
    else if (talk.is_coming) void this.#await(sessionId);
  }

  /** An answer was about to begin when the page was left: it is stored when it is whole. */
  async #await(sessionId: string) {
    for (let i = 0; i < 60 && this.sessionId.value === sessionId && !this.busy.value; i++) {
      await new Promise((go) => setTimeout(go, 1000));
      const talk = await call<Talk>("GET", this.path(`/conversations/${sessionId}`));
      if (this.sessionId.value !== sessionId || this.busy.value) return;
      if (talk.messages.length > this.turns.value.length) this.turns.value = talk.messages.map(stored);
      if (!talk.is_coming) return;
    }
  }

  begin() {
    this.stop();
    this.sessionId.value = null;
    this.isLocked.value = false;
    this.turns.value = [];
  }

  talks = () => call<TalkName[]>("GET", this.path("/conversations"));
  rename = (id: string, name: string) => send("PUT", this.path(`/conversations/${id}`), { body: { name } });
  async remove(id: string) {
    await send("DELETE", this.path(`/conversations/${id}`));
    if (this.sessionId.value === id) this.begin();
  }

  share = async () =>
    (await call<{ url: string }>("POST", this.path(`/conversations/${this.sessionId.value}/share`))).url;
  unshare = () => send("DELETE", this.path(`/conversations/${this.sessionId.value}/share`));

  /** A talk that somebody has shared: it is read, and nothing is asked. */
  async read(secret: string) {
    const talk = await call<{ messages: TalkMessage[] }>("GET", `/public/v1/shared/${secret}`);
    this.turns.value = talk.messages.map(stored);
  }

  /** Downloads the talk: its request needs a field that no link sends. */
  async save(format: string) {
    const reply = await send("GET", this.path(`/conversations/${this.sessionId.value}/export`), { query: { format } });
    const url = URL.createObjectURL(await reply.blob());
    Object.assign(document.createElement("a"), { href: url, download: `conversation.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async ask(prompt: string, files: File[] = []) {
    if (this.busy.value) return;
    const turn = newTurn(prompt, files);
    this.turns.value = [...this.turns.value, turn];
    await this.#run(turn);
  }

  /** The same question again, in the place of its failed answer. */
  async retry(turn: VisitTurn) {
    turn.text.value = turn.error.value = "";
    turn.state.value = "waiting";
    await this.#run(turn);
  }

  /** The network is back: a question that could not leave is sent. */
  async goOnline() {
    const last = this.turns.value.at(-1);
    if (last?.isUnsent && last.state.value === "failed" && !this.busy.value) await this.retry(last);
  }

  /** What has come stays. */
  stop() {
    if (!this.#abort) return;
    this.#abort.abort();
    void send("DELETE", this.path("/messages")).catch(() => {});
  }

  async react(turn: VisitTurn, reaction: string) {
    const next = turn.reaction.value === reaction ? null : reaction;
    const before = turn.reaction.value;
    turn.reaction.value = next;
    try {
      await send("PUT", this.path(`/conversations/${this.sessionId.value}/messages/${turn.id.value}/feedback`), {
        body: { reaction: next },
      });
    } catch {
      turn.reaction.value = before;
    }
  }

  /** Where the service has a source of an answer. */
  sourcePath = (turn: VisitTurn, pageId: number) =>
    this.path(`/conversations/${this.sessionId.value}/messages/${turn.id.value}/sources/${pageId}`);

  /** The pictures of an answer's sources, once. */
  async look(turn: VisitTurn) {
    if (turn.pictures.value || !turn.id.value) return;
    turn.pictures.value = [];
    const path = this.path(`/conversations/${this.sessionId.value}/messages/${turn.id.value}/pictures`);
    turn.pictures.value = await call<TalkPicture[]>("GET", path).catch(() => []);
  }

  async #request(turn: VisitTurn, signal: AbortSignal): Promise<Response> {
    await this.visit();
    if (this.#work) {
      const { challenge, bits } = this.#work;
      await send("POST", this.path("/proof"), { body: { nonce: await prove(challenge, bits, signal) }, signal });
      this.#work = null;
    }
    const fields: Record<string, string | number> = { prompt: turn.prompt };
    if (this.sessionId.value) fields.session_id = this.sessionId.value;
    if (this.child.value) fields.child_project_id = this.child.value;
    if (this.context) fields.context = this.context;
    let body: unknown = fields;
    if (turn.files.length) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      for (const file of turn.files) form.append("files[]", file, file.name);
      body = form;
    }
    return send("POST", this.path("/messages"), { body, signal, headers: { accept: "text/event-stream" } });
  }

  /** Asks, or reads on what is being written already. */
  async #run(turn: VisitTurn, begun = false) {
    const abort = (this.#abort = new AbortController());
    this.busy.value = true;
    try {
      try {
        if (begun || !(await this.#ask(turn, abort.signal))) await this.#goOn(turn, abort.signal);
      } catch (error) {
        const { status } = error as ApiError;
        if (begun || turn.id.value) throw error;
        if (status === 401)
          this.#visiting = null; // the visit is over, or asks for work now
        else if (status === 404 && this.sessionId.value)
          this.sessionId.value = null; // the talk is gone
        else throw error;
        if (!(await this.#ask(turn, abort.signal))) await this.#goOn(turn, abort.signal);
      }
    } catch (error) {
      this.#fail(turn, abort, error as ApiError);
    }
    if (this.#abort === abort) {
      this.#abort = null;
      this.busy.value = false;
    }
  }

  /** True: the answer is whole. False: its line broke, and the answer goes on without a reader. */
  async #ask(turn: VisitTurn, abort: AbortSignal): Promise<boolean> {
    turn.id.value = null;
    const reply = await this.#request(turn, abort);
    return this.#read(turn, reply, abort);
  }

  async #read(turn: VisitTurn, reply: Response, abort: AbortSignal): Promise<boolean> {
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
        if (data.status === "error") {
          const isGone = Number(data.code) === 404; // the talk, which somebody has deleted: the next one is another
          if (isGone) this.sessionId.value = null;
          throw new ApiError(String(data.error), isGone ? 503 : Number(data.code));
        }
        if (data.status === "start") {
          turn.id.value = Number(data.id);
          this.sessionId.value = String(data.session_id);
        }
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
          await this.#end(turn, data);
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

  /** A stream that was gone on with does not name the sources: the talk does. */
  async #end(turn: VisitTurn, data: Record<string, unknown>) {
    if (data.sources) turn.answer.value = data as unknown as AnswerParts;
    else {
      const talk = await call<Talk>("GET", this.path(`/conversations/${this.sessionId.value}`));
      const whole = talk.messages.find(({ id }) => id === turn.id.value);
      if (whole) {
        turn.text.value = whole.text;
        turn.answer.value = whole;
      }
    }
    turn.state.value = "done";
    this.heard("message", {});
  }

  /** Reads on behind what is there. */
  #goOn(turn: VisitTurn, signal: AbortSignal) {
    const path = this.path(`/conversations/${this.sessionId.value}/messages/${turn.id.value}/stream`);
    return goOn({
      length: () => bytesOfText(turn.text.value),
      read: async (from) => this.#read(turn, await send("GET", path, { query: { from }, signal }), signal),
      missing: () => send("GET", this.path("/visit"), { signal }), // is the agent still public?
      signal,
    });
  }

  #fail(turn: VisitTurn, abort: AbortController, error: ApiError) {
    const { look } = this.settings;
    if (abort.signal.aborted) {
      turn.state.value = "stopped";
      return;
    }
    turn.state.value = "failed";
    turn.again.value = true;
    turn.isUnsent = !error.status && !navigator.onLine;
    if (error.status === 404) {
      turn.error.value = t.closed;
      turn.again.value = false;
      this.isClosed.value = true;
    } else if (error.status === 429 && !error.retryAfter) {
      turn.error.value = look.account_out_of_queries_msg;
      turn.again.value = false;
      this.isSpent.value = true;
    } else if (error.status === 429) turn.error.value = put(t.tooMany, { n: error.retryAfter });
    else if (error.status === 400 || error.status === 413) {
      turn.error.value = error.message;
      turn.again.value = false; // it would be refused again
    } else if (error.status === 403) {
      turn.error.value = t.locked;
      turn.again.value = false;
      this.isLocked.value = true;
    } else turn.error.value = error.status ? look.chatbot_siesta_msg : t.offline;
  }
}
