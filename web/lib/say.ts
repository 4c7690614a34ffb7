// What the service says in English, in the reader's language: by its code, with what stands in it.
import { w } from "../words/dashboard";

type Sayings = Record<string, string | ((...given: string[]) => string)>;

/** Null: there are no words for that code. */
function said(table: Sayings, code: string | undefined, given: string[] = []): string | null {
  const words = code === undefined ? undefined : table[code];
  return words === undefined ? null : typeof words === "string" ? words : words(...given);
}

export interface Reason {
  reason_code?: string;
  reason_arguments?: string[];
}

/** Why a document waits, or was not read. */
export const sayReason = ({ reason_code, reason_arguments }: Reason): string =>
  said(w.reasons, reason_code, reason_arguments) ?? w.reasons.unreadable;

/** What a field is called on the page; null: it is on none. */
const titleOf = (field: string): string | null =>
  (w.settings.titles as Record<string, string>)[field] ?? (w.reading.titles as Record<string, string>)[field] ?? null;

/** Names of fields and of settings have an underscore; people know none of them. */
const namesField = (sentence: string) => /\p{L}_\p{L}/u.test(sentence);

/** Why a request was refused. A sentence without a code is told as it is only to who reads its language. */
export function sayRefusal(message: string, reason: string | null): string {
  const [code, ...given] = (reason ?? "").split(" ").map(decodeURIComponent);
  if (code?.startsWith("field_")) given[0] = titleOf(given[0] ?? "") ?? w.thisField;
  const words = said(w.refusals, code, given);
  if (words !== null) return words;
  const isTheirs = document.documentElement.lang.startsWith("en");
  return message && isTheirs && !namesField(message) ? message : w.refusals.other;
}
