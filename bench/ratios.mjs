// What two revisions' runs of a bench say beside each other: node ratios.mjs PREFIX ROUNDS reads
// PREFIX.old.1, PREFIX.new.1 and so on. Prints the newer one's table, where each figure that the runs do not
// agree on is new/old, of the medians. "!" behind it: all rounds of one are beyond all of the other, so it is
// hardly noise.
import { readFileSync } from "node:fs";

const FIGURE = /(?<![\w.])(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?!\d)/g;

/** The lines of a log, each with a name that its figures have no part in: its words, and which of its like it is. */
function lines(text) {
  const seen = new Map();
  return text
    .trimEnd()
    .split("\n")
    .map((line) => {
      const words = line.replace(FIGURE, "#").replace(/\s+/g, " ").trim();
      seen.set(words, (seen.get(words) ?? 0) + 1);
      const figures = (line.match(FIGURE) ?? []).map((figure) => Number(figure.replaceAll(",", "")));
      return { line, figures, name: `${words} ${seen.get(words)}` };
    });
}

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** How two lists of values compare, as it is printed; null: as they are in all. */
function ratio(old, now) {
  if (new Set([...old, ...now]).size === 1) return null;
  const apart = Math.max(...old) < Math.min(...now) || Math.max(...now) < Math.min(...old);
  const [before, after] = [median(old), median(now)];
  return `${before ? (after / before).toFixed(2) : "?"}${apart && old.length > 1 ? "!" : ""}`;
}

const [prefix, rounds] = process.argv.slice(2);
const logs = (which) =>
  Array.from({ length: Number(rounds) }, (_, i) => lines(readFileSync(`${prefix}.${which}.${i + 1}`, "utf8")));
const [olds, news] = [logs("old"), logs("new")];
const of = (log, name) => log.find((one) => one.name === name)?.figures;
for (const { line, name } of news[0]) {
  const [old, now] = [olds, news].map((logs) => logs.map((log) => of(log, name)));
  if ([...old, ...now].some((figures) => !figures)) {
    console.log(`${line}   (not in all runs)`);
    continue;
  }
  let at = 0;
  console.log(
    line.replace(FIGURE, (figure) => {
      const i = at++;
      const pick = (runs) => runs.map((figures) => figures[i]);
      return (ratio(pick(old), pick(now)) ?? figure).padStart(figure.length);
    }),
  );
}
