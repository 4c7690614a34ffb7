// Languages of an interface: its words are one object a surface, English from the start; another
// language's table takes their place before anything is drawn. A table is a module of its own, fetched
// where it is wanted.

import { part } from "./part";

export type Tables<T> = Record<string, () => Promise<{ default: T }>>;

const rightToLeft = ["ar", "he", "fa", "ur", "ps", "sd", "ks"];
export const isRtl = (lang: string) => rightToLeft.includes(lang.split("-")[0]!);

/** Puts the words of that language into `words`. One that has no table, or cannot be fetched, leaves
 * them as they are. */
export async function speak<T extends object>(words: T, tables: Tables<T>, lang: string): Promise<void> {
  try {
    const load = tables[lang];
    if (load) Object.assign(words, (await part(load)).default);
  } catch {
    // English is better than nothing.
  }
}

/** "Page {n}" with what stands in its holes. */
export const put = (text: string, holes: Record<string, string | number>) =>
  text.replace(/\{(\w+)\}/g, (hole, name: string) => String(holes[name] ?? hole));
