// What the screen Improve and the corrections in place read and write.
import { get, post, put, remove } from "./api";
import type { List } from "./types";

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
  documents: { page_id: number; title: string | null; state: "ok" | "changed" | "deleted" }[];
  refuse: boolean;
  state: "waiting" | "passed" | "failed";
  why: "passed" | "not found" | "found but refused" | "wrong sentence" | "wrong document" | null;
  answer: string | null;
  answer_before: string | null;
  turned_at: string | null;
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

export const read = async (id: number, signal: AbortSignal) => {
  const [gaps, answers, tests, closed, passed, report] = await Promise.all([
    get<List<Gap>>(`${of(id)}/gaps`, { state: "open", limit: SHOWN }, signal),
    get<List<Checked>>(`${of(id)}/answers`, { to_look_at: true, limit: SHOWN }, signal),
    get<List<Kept>>(`${of(id)}/tests`, { to_look_at: true, limit: SHOWN }, signal),
    get<List<Gap>>(`${of(id)}/gaps`, { state: "answered", limit: SHOWN }, signal),
    get<List<Kept>>(`${of(id)}/tests`, { state: "passed", limit: SHOWN }, signal),
    get<{ weeks: Week[] }>(`${of(id)}/reports/improvement`, {}, signal),
  ]);
  return { gaps, answers, tests, closed, turned: passed.data.filter((test) => test.turned_at), weeks: report.weeks };
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
/** Keeps the question as a test: one of these documents has to be cited, or nothing be said. */
export const keep = (id: number, { question, turns }: Given, documents: number[]) =>
  post<Kept>(`${of(id)}/tests`, { question, turns, documents, refuse: !documents.length });
/** Keeps a test of its documents as they are now. */
export const keepAgain = (id: number, { id: test, documents, question }: Kept) =>
  put<Kept>(`${of(id)}/tests/${test}`, {
    question,
    documents: documents.filter((document) => document.state !== "deleted").map((document) => document.page_id),
  });
export const runTest = (id: number, test: number) => post<Kept>(`${of(id)}/tests/${test}/run`);
export const removeTest = (id: number, test: number) => remove(`${of(id)}/tests/${test}`);
