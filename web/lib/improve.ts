// What the screen Improve and the corrections in place read and write.
import { ApiError, get, post, put, remove } from "./api";
import type { ContentPage, Source } from "./content";
import type { Label, List } from "./types";
import { w } from "../words/dashboard";

export interface Gap {
  id: number;
  question: string;
  state: "open" | "answered" | "dismissed";
  answer_id: number | null;
  asked: number;
  people: number;
  unanswered: number;
  disliked: number;
  shaky: number;
  last_at: string;
  answers: number | null;
  of: number | null;
  by_itself: boolean;
  closed_at: string | null;
}
export interface GapInFull extends Gap {
  questions: { message_id: number; question: string }[];
  why: "unfound" | "named" | "closest" | "nothing" | "answered";
  named: string[];
  nearest: { page_id: number; title: string | null; heading: string | null; text: string }[];
}
export interface Checked {
  id: number;
  version: number;
  state: "ok" | "review_due" | "source_changed" | "source_deleted";
  questions: string[];
  answer: string;
  citations: { page_id: number; state: "ok" | "changed" | "deleted" }[];
  checked_by: string | null;
  checked_at: string;
  review_at: string | null;
}
export interface Kept {
  id: number;
  question: string;
  phrases: string[];
  labels: string[];
  documents: { page_id: number; title: string | null; state: "ok" | "changed" | "deleted" }[];
  refuse: boolean;
  state: "waiting" | "passed" | "failed";
  why: "passed" | "not found" | "found but refused" | "wrong sentence" | "wrong document" | null;
  answer: string | null;
  answer_before: string | null;
  turned_at: string | null;
}
/** A document, or a source whose documents share its day, that its owner wanted to look at by now. */
export interface Due {
  id: number;
  isSource: boolean;
  title: string;
  review_at: string;
}
/** Two documents that give other figures for so many statements; the newer first. */
export interface Disagreement {
  id: number;
  statements: number;
  sides: { page_id: number; title: string; text: string; dated_at: string | null }[];
}
export interface Week {
  from: string;
  asked: number;
  answered: number;
  checked: number;
  mended: number;
  open: number;
}

const of = (id: number) => `/projects/${id}`;
/** So many of each are shown; who mends them sees the next. */
const SHOWN = 30;

/** Who may improve answers need not manage content: then there is nothing to look at. */
const unlessClosed = <T>(read: Promise<T>, none: T) =>
  read.catch((error: unknown) => {
    if (error instanceof ApiError && error.status === 403) return none;
    throw error;
  });

async function readDue(id: number, signal: AbortSignal): Promise<Due[]> {
  const [pages, { sitemaps, uploads }] = await Promise.all([
    unlessClosed(get<{ data: ContentPage[] }>(`${of(id)}/content/pages`, { review_due: true, limit: SHOWN }, signal), {
      data: [],
    }),
    unlessClosed(get<{ sitemaps: Source[]; uploads: Source | null }>(`${of(id)}/sources`, {}, signal), {
      sitemaps: [],
      uploads: null,
    }),
  ]);
  const sources = [...sitemaps, ...(uploads ? [uploads] : [])].filter((source) => source.is_review_due);
  return [
    ...sources.map((source) => ({
      id: source.id,
      isSource: true,
      title: source.settings.sitemap_path ?? w.improve.allUploads,
      review_at: source.review_at!,
    })),
    ...pages.data.map((page) => ({ id: page.id, isSource: false, title: page.title, review_at: page.review_at! })),
  ];
}
/** Its owner stands for it until that day; null: there is none. */
export const review = (id: number, due: Due, review_at: string | null) =>
  due.isSource
    ? put(`${of(id)}/sources/${due.id}`, { review_at })
    : put(`${of(id)}/pages/${due.id}/metadata`, { review_at });

/** Both may be right. */
export const agree = (id: number, { sides }: Disagreement) =>
  put(`${of(id)}/conflicts`, { page_ids: sides.map((side) => side.page_id) });

export const read = async (id: number, signal: AbortSignal) => {
  const [gaps, answers, tests, closed, passed, report, due, disagreements] = await Promise.all([
    get<List<Gap>>(`${of(id)}/gaps`, { state: "open", limit: SHOWN }, signal),
    get<List<Checked>>(`${of(id)}/answers`, { to_look_at: true, limit: SHOWN }, signal),
    get<List<Kept>>(`${of(id)}/tests`, { to_look_at: true, limit: SHOWN }, signal),
    get<List<Gap>>(`${of(id)}/gaps`, { state: "answered", limit: SHOWN }, signal),
    get<List<Kept>>(`${of(id)}/tests`, { state: "passed", limit: SHOWN }, signal),
    get<{ weeks: Week[] }>(`${of(id)}/reports/improvement`, {}, signal),
    readDue(id, signal),
    get<{ is_coming: boolean; conflicts: Disagreement[] }>(`${of(id)}/conflicts`, {}, signal),
  ]);
  return {
    gaps,
    answers,
    tests,
    closed,
    due,
    disagreements,
    turned: passed.data.filter((test) => test.turned_at),
    weeks: report.weeks,
  };
};

export const readGap = (id: number, gap: number, signal: AbortSignal) =>
  get<GapInFull>(`${of(id)}/gaps/${gap}`, {}, signal);
export const answerGap = (id: number, gap: number, answer: string) => post(`${of(id)}/gaps/${gap}/answer`, { answer });
export const dismissGap = (id: number, gap: number) => put(`${of(id)}/gaps/${gap}`, { state: "dismissed" });

/** Says it again, with another text perhaps; documents that are gone are let go. */
export const checkAgain = (id: number, { id: answer, version, citations }: Checked, text: string) =>
  put(`${of(id)}/answers/${answer}`, {
    version,
    answer: text,
    review_at: null,
    citations: citations.filter((cite) => cite.state !== "deleted").map((cite) => cite.page_id),
  });

/** An answer that was given, and what was asked before it. */
export interface Given {
  question: string;
  turns: string[];
  answer: string;
  isAnswered: boolean;
  citations: number[];
  /** It was a checked answer already. */
  checked?: number;
}

/** What is to be said from now on; a checked answer gets another text. Gives its id. */
export async function correct(id: number, given: Given, question: string, answer: string): Promise<number> {
  const { citations, checked } = given;
  const { id: is } = checked
    ? await put<Checked>(`${of(id)}/answers/${checked}`, { answer })
    : await post<Checked>(`${of(id)}/answers`, { question, answer, citations });
  return is;
}
/** The labels that close these documents: who asks needs them. */
async function labelsOf(id: number, pages: number[]) {
  const all = await Promise.all(
    pages.map((page) => unlessClosed(get<Label[]>(`${of(id)}/pages/${page}/labels`), [] as Label[])),
  );
  return [...new Set(all.flat().map((label) => label.name))];
}
/** Keeps the question as a test: one of these documents has to be cited, or nothing be said. It is asked as somebody to
 * whom these, and those that the answer was made of, are open. */
export const keep = async (id: number, { question, turns, citations }: Given, documents: number[]) =>
  post<Kept>(`${of(id)}/tests`, {
    question,
    turns,
    documents,
    refuse: !documents.length,
    labels: documents.length ? await labelsOf(id, [...new Set([...documents, ...citations])]) : [],
  });
/** Keeps a test of its documents as they are now. */
export const keepAgain = (id: number, { id: test, documents, question }: Kept) =>
  put<Kept>(`${of(id)}/tests/${test}`, {
    question,
    documents: documents.filter((document) => document.state !== "deleted").map((document) => document.page_id),
  });
export const runTest = (id: number, test: number) => post<Kept>(`${of(id)}/tests/${test}/run`);
export const removeTest = (id: number, test: number) => remove(`${of(id)}/tests/${test}`);
