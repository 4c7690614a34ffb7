// Pages of a document as they look: where they come from, and where on them something stands. Any surface.
import { get, send, V1 } from "./api";
import type { PageWords, Place } from "./types";

/** Reads the pages of one document; a surface may show only some of them. */
export interface PageReader {
  picture: (no: number) => Promise<Blob>;
  words: (no: number, places: Place[]) => Promise<PageWords>;
}

export const pageReader = (agentId: number, pageId: number): PageReader => ({
  picture: async (no) => (await send("GET", `${V1}/projects/${agentId}/pages/${pageId}/view/${no}`)).blob(),
  words: (no, places) =>
    get<PageWords>(`/projects/${agentId}/pages/${pageId}/view/${no}/words`, {
      marks: places.map(({ offset, length }) => `${offset}:${length}`).join(","),
    }),
});

/** In shares of the page's sides. */
export interface Rect {
  left: number;
  top: number;
  width: number;
  height: number;
}

const rectOf = (box: number[], units: number): Rect => ({
  left: box[0]! / units,
  top: box[1]! / units,
  width: (box[2]! - box[0]!) / units,
  height: (box[3]! - box[1]!) / units,
});

/** One rectangle for the words of a line that follow each other. */
export function marksOf({ words, marks, units }: PageWords, i: number): Rect[] {
  const boxes: number[][] = [];
  let before = -2;
  for (const at of marks[i]?.words ?? []) {
    const word = words[at];
    if (!word) continue;
    const last = boxes.at(-1);
    if (last && at === before + 1 && words[before]!.line === word.line) {
      last[0] = Math.min(last[0]!, word.box[0]!);
      last[1] = Math.min(last[1]!, word.box[1]!);
      last[2] = Math.max(last[2]!, word.box[2]!);
      last[3] = Math.max(last[3]!, word.box[3]!);
    } else boxes.push([...word.box]);
    before = at;
  }
  return boxes.map((box) => rectOf(box, units));
}

/** How wide a text is in letters of the height 1, in the plain font that the words over a page have. */
let ruler: CanvasRenderingContext2D | null = null;
const widthOf = (text: string) => {
  ruler ??= document.createElement("canvas").getContext("2d")!;
  ruler.font = "100px sans-serif";
  return ruler.measureText(text).width / 100;
};

/** A word to be selected where it is seen: its place, its letters' height in shares of the page's width, and how
 * far they are stretched to fill the place. `end` is what a copy has behind it. */
export interface LaidWord extends Rect {
  text: string;
  size: number;
  stretch: number;
  end: string;
}

const MOST_WORDS = 20_000; // more are no text that anybody selects

export function layWords({ words, units }: PageWords, heightOfWidth: number): LaidWord[] {
  return words.slice(0, MOST_WORDS).map((word, i) => {
    const rect = rectOf(word.box, units);
    const size = Math.max(rect.height * heightOfWidth * 0.86, 0.001);
    return {
      ...rect,
      text: word.text,
      size,
      stretch: Math.min(Math.max(rect.width / (size * (widthOf(word.text) || 1)), 0.05), 20),
      end: words[i + 1] && words[i + 1]!.line !== word.line ? "\n" : " ",
    };
  });
}
