// What a browser is shown in place of a page: where there is nothing, or nothing any more, or too much to do.
// In its reader's language.
import { isRtl, speak } from "./lib/language";
import { t, tables } from "./words/visitor";

/** The code of the words that fit a browser's language best, of those that there are. */
function codeOf(tag: string): string | undefined {
  const [base = "", ...rest] = tag.toLowerCase().split("-");
  if (base === "zh") return rest.some((part) => part === "hk" || part === "mo") ? "yue" : "cmn";
  if (base === "nb" || base === "nn") return "no";
  return [tag, base].find((code) => code === "en" || code in tables);
}

const lang = navigator.languages.map(codeOf).find((code) => code) ?? "en";
await speak(t, tables, lang);
document.documentElement.lang = { cmn: "zh" }[lang] ?? lang;
document.documentElement.dir = isRtl(lang) ? "rtl" : "ltr";
const words = document.getElementById("words")!;
document.title = words.textContent = words.dataset.why === "busy" ? t.busy : t.nothing;
