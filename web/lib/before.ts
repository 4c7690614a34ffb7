// The time before a time: as long, and just before it. Days are those of UTC, as the reports count them.
const DAY_MS = 86_400_000;

const day = (text: string) => Date.parse(`${text}T00:00:00Z`);
const text = (ms: number) => new Date(ms).toISOString().slice(0, 10);

/** What reports take for no first day, and for no days at all. */
const USUAL_DAYS = 30,
  WEEK_DAYS = 7;

export interface Days {
  start_date: string;
  end_date: string;
}

/** The last days, today being the last of them. */
export function lastDays(count: number, now = Date.now()): Days {
  return { start_date: text(now - (count - 1) * DAY_MS), end_date: text(now) };
}

/** Before the days between; where none are named, before the last seven. */
export function daysBefore(from: string, to: string, now = Date.now()): Days | null {
  const week = !from && !to;
  const end = to ? day(to) : day(text(now));
  const start = from ? day(from) : end - ((week ? WEEK_DAYS : USUAL_DAYS) - 1) * DAY_MS;
  if (Number.isNaN(start) || Number.isNaN(end) || start > end) return null;
  return { start_date: text(start - (end - start) - DAY_MS), end_date: text(start - DAY_MS) };
}
