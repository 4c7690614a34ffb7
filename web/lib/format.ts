// Figures, times and sizes in the words of the reader's language.

const locale = () => document.documentElement.lang || "en";

export const number = (n: number) => new Intl.NumberFormat(locale()).format(n);
export const percent = (share: number) =>
  new Intl.NumberFormat(locale(), { style: "percent", maximumFractionDigits: 0 }).format(share);

export function bytes(n: number): string {
  const units = ["B", "kB", "MB", "GB"];
  let i = 0;
  while (n >= 1000 && i < units.length - 1) {
    n /= 1000;
    i++;
  }
  return `${new Intl.NumberFormat(locale(), { maximumFractionDigits: n < 10 && i ? 1 : 0 }).format(n)} ${units[i]}`;
}

const steps: [Intl.RelativeTimeFormatUnit, number][] = [
  ["year", 31536000],
  ["month", 2592000],
  ["week", 604800],
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];

/** "3 minutes ago", "in 2 hours". */
export function ago(time: string | null, now = Date.now()): string {
  if (!time) return "";
  const seconds = (Date.parse(time) - now) / 1000;
  const [unit, size] = steps.find(([, s]) => Math.abs(seconds) >= s) ?? steps[steps.length - 1]!;
  return new Intl.RelativeTimeFormat(locale(), { numeric: "auto" }).format(Math.round(seconds / size), unit);
}

/** "40 seconds", "3 minutes", "2 hours": as much as a guess may say. */
export function duration(seconds: number): string {
  const steps = [
    ["hour", 3600],
    ["minute", 60],
    ["second", 1],
  ] as const;
  const [unit, size] = steps.find(([, s]) => seconds >= 1.5 * s) ?? steps[2];
  return new Intl.NumberFormat(locale(), { style: "unit", unit, unitDisplay: "long" }).format(
    Math.round(seconds / size),
  );
}

/** The second of a recording as its players write it: "1:23", "1:02:03". */
export function clock(second: number): string {
  const two = (n: number) => String(Math.floor(n)).padStart(2, "0");
  const minutes = Math.floor(second / 60);
  return `${minutes < 60 ? minutes : `${Math.floor(minutes / 60)}:${two(minutes % 60)}`}:${two(second % 60)}`;
}
/** The address of a recording, where players begin at that second. */
export const atMoment = (url: string, second: number | null) =>
  second === null || url.includes("#") ? url : `${url}#t=${second}`;

export const dateTime = (time: string) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium", timeStyle: "short" }).format(new Date(time));
export const date = (time: string | number | Date) =>
  new Intl.DateTimeFormat(locale(), { dateStyle: "medium" }).format(new Date(time));

/** The host of an address, or the address. */
export function host(url: string): string {
  try {
    return new URL(url).host;
  } catch {
    return url;
  }
}

/** A colour for a name, dark enough for white letters. */
export function colourOf(name: string): string {
  let hash = 0;
  for (const c of name) hash = (hash * 31 + c.codePointAt(0)!) | 0;
  return `oklch(0.42 0.09 ${Math.abs(hash) % 360})`;
}

export function initials(name: string): string {
  const words = name.trim().split(/\s+/).filter(Boolean);
  const letters =
    words.length > 1 ? [...words[0]!][0]! + [...words[1]!][0]! : [...(words[0] ?? "?")].slice(0, 2).join("");
  return letters.toUpperCase();
}

/** "1 document", "2 documents"; languages that count otherwise say from where on there are many. */
export const plural = (n: number, one: string, many: string, isOne = n === 1) => `${number(n)} ${isOne ? one : many}`;
