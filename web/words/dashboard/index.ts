// The words of the dashboard. English is there from the start; the table of the reader's language takes
// its place before anything is drawn, so what is read when a module loads is read too early.
import { isRtl, speak, type Tables } from "../../lib/language";
import en, { type Words } from "./en";

export type { Words };
export const w: Words = { ...en };

const tables: Tables<Words> = {
  de: () => import("./de"),
  es: () => import("./es"),
  fr: () => import("./fr"),
  ja: () => import("./ja"),
  pt: () => import("./pt"),
  zh: () => import("./zh"),
};
export const languages = ["en", ...Object.keys(tables)];

const KEPT = "docent.language";
const base = (tag: string) => tag.split("-")[0]!.toLowerCase();

/** The language that was chosen here, "" where the browser's counts. */
export function chosenLanguage(): string {
  try {
    const kept = localStorage.getItem(KEPT) ?? "";
    return languages.includes(kept) ? kept : "";
  } catch {
    return ""; // A browser that keeps nothing.
  }
}

/** The first of the browser's languages that there is. */
export const browserLanguage = () => navigator.languages.map(base).find((tag) => languages.includes(tag)) ?? "en";

/** Figures and dates follow the browser's own region of that language. */
export async function speakToReader(): Promise<void> {
  const lang = chosenLanguage() || browserLanguage();
  await speak(w, tables, lang);
  const root = document.documentElement;
  root.lang = navigator.languages.find((tag) => base(tag) === lang) ?? lang;
  root.dir = isRtl(lang) ? "rtl" : "ltr";
}

/** From the next page on; "" is the browser's. */
export function chooseLanguage(lang: string): void {
  try {
    if (lang) localStorage.setItem(KEPT, lang);
    else localStorage.removeItem(KEPT);
  } catch {
    return;
  }
  location.reload();
}
