// A visitor's talk with a public agent: the visit, questions and their streams, what was said before.
// No element is made here.
import { signal, type Signal } from "@preact/signals";
import { call, headers, send, type ApiError } from "./api";
import { put } from "./language";
import type { Settings } from "./look";
import { newTurn, Talk, type Question, type Turn } from "./talk";
import { part } from "./part";
import { t } from "../words/visitor";

export interface Place {
  page_no: number | null;
  second: number | null; // of a recording
  offset: number;
  length: number;
  /** What the document says there; null: it is not told. */
  words: string | null;
}
export interface TalkSource {
  id: number;
  title: string | null;
  url: string | null;
  is_pdf: boolean;
  /** When it was written or changed last; null: nobody knows. */
  dated_at: string | null;
  places: Place[];
}
/** A passage that comes close where nothing answers for sure. */
export interface TalkClosest extends TalkSource {
  excerpt: string;
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
/** A sentence where it stands, and the day of its document. */
export interface Stated {
  page_id: number;
  title: string | null;
  text: string;
  dated_at: string | null;
}
/** What the answer says, and what another document says. */
export interface TalkConflict {
  said: Stated;
  other: Stated;
}
interface AnswerParts {
  is_answered: boolean;
  kind: string | null;
  sources: TalkSource[];
  closest: TalkClosest[];
  /** The document of the closest passage that was it. */
  found: number | null;
  answered_by: string | null;
  /** Who has checked the answer, and when. */
  verified?: { by: string | null; at: string };
  conflicts?: TalkConflict[];
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
interface Stored extends TalkName {
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

/** A question that the documents answer for sure, and the one that does. */
export interface AskedHere {
  question: string;
  page_id: number;
  title: string | null;
}
interface Starters {
  topics: string[];
  suggested: string[];
  /** How many documents there are. */
  documents: number;
  asked: AskedHere[];
  areas: string[];
  is_coming: boolean;
}

const MINUTE = 60;
const COMING_MS = 700,
  COMING_TRIES = 5;

export interface VisitTurn extends Turn {
  answer: Signal<AnswerParts | null>;
  /** null: nobody has looked for them. */
  pictures: Signal<TalkPicture[] | null>;
}

export const newVisitTurn = (question: Question): VisitTurn => ({
  ...newTurn(question),
  answer: signal<AnswerParts | null>(null),
  pictures: signal<TalkPicture[] | null>(null),
});

function stored(message: TalkMessage): VisitTurn {
  const turn = newVisitTurn({ text: message.prompt });
  turn.text.value = message.text;
  turn.state.value = message.is_running ? "coming" : "done";
  turn.id.value = message.id;
  turn.answer.value = message;
  turn.reaction.value = message.reaction;
  return turn;
}

/** When questions are taken again, so many seconds from now. */
function untilWhen(seconds: number): string {
  if (seconds <= MINUTE) return put(t.tooMany, { n: seconds });
  const time = new Date(Date.now() + seconds * 1000).toLocaleTimeString(document.documentElement.lang || undefined, {
    hour: "numeric",
    minute: "2-digit",
  });
  return put(t.tooManyUntil, { time });
}

/** Why something was refused that is no question. */
export const whyNot = ({ status, message, retryAfter }: ApiError) =>
  !status ? t.offline : status === 429 ? untilWhen(retryAfter ?? MINUTE) : message;

/** Whom a JWT names; the service looks whether it is true. */
function subjectOf(token: string): string {
  try {
    return String(JSON.parse(atob(token.split(".")[1]!.replace(/-/g, "+").replace(/_/g, "/"))).sub);
  } catch {
    return "";
  }
}

export class Visitor {
  talk: Talk<VisitTurn>;
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
  /** What the agent can be asked; null: nobody has looked. */
  opening = signal<Starters | null>(null);
  /** What the site around says of the moment. */
  context = "";
  /** Something has happened that a site around may hear of; what was said is not among it. */
  heard: (what: string, detail: Record<string, unknown>) => void = () => {};
  #base: string;
  /** Counts what the visitor turns to: a talk that is read and comes after the next turn is dropped. */
  #turned = 0;
  #visiting: Promise<void> | null = null;
  #work: Visit["work"] = null;
  #identity = "";

  constructor(public settings: Settings) {
    this.#base = `/public/v1/agents/${settings.slug}`;
    headers["x-docent-visitor"] = "1";
    this.talk = new Talk<VisitTurn>({
      turn: newVisitTurn,
      ask: (turn, signal) => this.#send(turn, signal),
      readOn: (turn, from, signal) => send("GET", this.#pathOf(turn, "/stream"), { query: { from }, signal }),
      missing: (signal) => send("GET", this.path("/visit"), { signal }), // is the agent still public?
      begun: (_, { session_id }) => (this.sessionId.value = String(session_id)),
      whole: (turn, data) => this.#ground(turn, data),
      gone: () => (this.sessionId.value = null),
      left: () => void send("DELETE", this.path("/messages")).catch(() => {}),
      failed: (error) => this.#failed(error),
      react: (turn, reaction) => send("PUT", this.#pathOf(turn, "/feedback"), { body: { reaction } }),
    });
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
    if (identity !== this.#identity) return; // another one follows
    if (visit.is_new) headers["x-docent-visitor"] = "1"; // not the secret of the visit before
    try {
      if (this.talk.turns.value.length) this.sessionId.value = visit.is_new ? null : this.sessionId.value;
      else if (visit.session_id) await this.open(visit.session_id);
      if (visit.is_new) await send("GET", this.path("/visit")); // was the cookie kept?
    } catch (error) {
      if ((error as ApiError).status !== 401) throw error;
      visit = await this.#arrive(true);
      headers["x-docent-visitor"] = visit.token!;
      this.forgets.value = true;
    }
    if (identity !== this.#identity) return;
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
    if (isOther || !this.talk.busy.value) this.begin();
    await this.#follow(this.#visiting ?? Promise.resolve()).catch(() => {});
  }

  /** What the documents have on the page around, and questions that a model has written for it. */
  starters = (title: string, address: string) =>
    call<Starters>("GET", this.path("/starters"), { query: { title, address } });

  /** What visitors are greeted with; it may be in the making. */
  async greet(): Promise<Starters> {
    for (let tried = 0; ; tried++) {
      const found = await this.starters("", "");
      this.opening.value = found;
      if (!found.is_coming || tried === COMING_TRIES) return found;
      await new Promise((go) => setTimeout(go, COMING_MS * (tried + 1)));
    }
  }

  async open(sessionId: string) {
    const turned = ++this.#turned;
    const talk = await this.#read(sessionId);
    if (turned !== this.#turned) return;
    this.#show(talk);
    if (!this.talk.busy.value && talk.is_coming) void this.#await(sessionId);
  }

  #read = (sessionId: string) => call<Stored>("GET", this.path(`/conversations/${sessionId}`));

  #show(talk: Stored) {
    this.sessionId.value = talk.session_id;
    this.isLocked.value = talk.is_locked;
    this.talk.show(talk.messages.map(stored));
  }

  /** An answer was about to begin when the page was left: it is stored when it is whole. */
  async #await(sessionId: string) {
    const turned = this.#turned;
    for (let i = 0; i < 60; i++) {
      await new Promise((go) => setTimeout(go, 1000));
      const talk = await this.#read(sessionId);
      if (turned !== this.#turned) return;
      if (talk.messages.length > this.talk.turns.value.length) this.#show(talk);
      if (!talk.is_coming || this.talk.busy.value) return;
    }
  }

  begin() {
    this.#turned++;
    this.sessionId.value = null;
    this.isLocked.value = false;
    this.talk.show([]);
  }

  async talks(signal?: AbortSignal) {
    await this.visit();
    return call<TalkName[]>("GET", this.path("/conversations"), { signal });
  }
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
    this.talk.turns.value = talk.messages.map(stored);
  }

  /** Downloads the talk: its request needs a field that no link sends. */
  async save(format: string) {
    const reply = await send("GET", this.path(`/conversations/${this.sessionId.value}/export`), { query: { format } });
    const url = URL.createObjectURL(await reply.blob());
    Object.assign(document.createElement("a"), { href: url, download: `conversation.${format}` }).click();
    setTimeout(() => URL.revokeObjectURL(url), 1000);
  }

  async ask(text: string, files: File[] = []) {
    if (this.talk.busy.value) return;
    this.#turned++;
    await this.talk.ask({ text, files });
  }

  #pathOf = (turn: VisitTurn, rest: string) =>
    this.path(`/conversations/${this.sessionId.value}/messages/${turn.id.value}${rest}`);

  /** Where the service has a source of an answer. */
  sourcePath = (turn: VisitTurn, pageId: number) => this.#pathOf(turn, `/sources/${pageId}`);

  /** The pictures of an answer's sources, once. */
  async look(turn: VisitTurn) {
    if (turn.pictures.value || !turn.id.value) return;
    turn.pictures.value = [];
    turn.pictures.value = await call<TalkPicture[]>("GET", this.#pathOf(turn, "/pictures")).catch(() => []);
  }

  /** This closest passage was it, or was it not after all. */
  async find(turn: VisitTurn, id: number) {
    const answer = turn.answer.value!,
      found = answer.found === id ? null : id;
    turn.answer.value = { ...answer, found };
    await send("PUT", this.#pathOf(turn, "/feedback"), { body: { found_page_id: found } }).catch(() => {
      turn.answer.value = answer;
    });
  }

  /** Leaves an address for the person whom the owner has named. */
  async leave(turn: VisitTurn, { name, email, question }: Record<string, string>) {
    const leave = async () => {
      await this.#prepare();
      const { value: session_id } = this.sessionId,
        { value: message_id } = turn.id;
      const body = { name, email, question, ...(session_id && message_id ? { session_id, message_id } : {}) };
      await send("POST", this.path("/contact"), { body });
    };
    await leave().catch((error) => {
      if ((error as ApiError).status !== 401) throw error;
      this.#visiting = null; // the visit is over, or asks for work again
      return leave();
    });
  }

  /** Visits, and does the work that the visit asks of the browser. */
  async #prepare(signal?: AbortSignal) {
    await this.visit();
    if (!this.#work) return;
    const { challenge, bits } = this.#work;
    const { prove } = await part(() => import("./work"));
    await send("POST", this.path("/proof"), { body: { nonce: await prove(challenge, bits, signal) }, signal });
    this.#work = null;
  }

  async #request({ question: { text, files = [] } }: VisitTurn, signal: AbortSignal): Promise<Response> {
    await this.#prepare(signal);
    const fields: Record<string, string | number> = { prompt: text };
    if (this.sessionId.value) fields.session_id = this.sessionId.value;
    if (this.child.value) fields.child_project_id = this.child.value;
    if (this.context) fields.context = this.context;
    let body: unknown = fields;
    if (files.length) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
      for (const file of files) form.append("files[]", file, file.name);
      body = form;
    }
    return send("POST", this.path("/messages"), { body, signal, headers: { accept: "text/event-stream" } });
  }

  async #send(turn: VisitTurn, signal: AbortSignal): Promise<Response> {
    try {
      return await this.#request(turn, signal);
    } catch (error) {
      const { status } = error as ApiError;
      if (status === 401)
        this.#visiting = null; // the visit is over, or asks for work now
      else if (status === 404 && this.sessionId.value)
        this.sessionId.value = null; // the talk is gone
      else throw error;
      return this.#request(turn, signal);
    }
  }

  /** A stream that was gone on with does not name the sources: the talk does. */
  async #ground(turn: VisitTurn, data: Record<string, unknown>) {
    if (data.sources) turn.answer.value = data as unknown as AnswerParts;
    else {
      const { messages } = await this.#read(this.sessionId.value!);
      const whole = messages.find(({ id }) => id === turn.id.value);
      if (whole) {
        turn.text.value = whole.text;
        turn.answer.value = whole;
      }
    }
    this.heard("message", {});
  }

  /** What a failure means for the talk, and the owner's words for it. */
  #failed({ message, status, retryAfter }: ApiError): { text: string; again: boolean } {
    const { look } = this.settings;
    if (status === 404) {
      this.isClosed.value = true;
      return { text: t.closed, again: false };
    }
    if (status === 429 && !retryAfter) {
      this.isSpent.value = true;
      return { text: look.account_out_of_queries_msg, again: false };
    }
    if (status === 429) return { text: untilWhen(retryAfter!), again: true };
    if (status === 400 || status === 413) return { text: message, again: false }; // it would be refused again
    if (status === 403) {
      this.isLocked.value = true;
      return { text: t.locked, again: false };
    }
    return { text: status ? look.chatbot_siesta_msg : t.offline, again: true };
  }
}
