import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { layWords, marksOf, type PageReader, type Rect } from "../lib/pages";
import type { PageWords, Place } from "../lib/types";

/** No larger than it is seen, by a scaler that keeps small letters readable. */
async function pictureOf(blob: Blob, shown: number) {
  const whole = await createImageBitmap(blob);
  const width = Math.round(shown * devicePixelRatio);
  if (width >= whole.width) return whole;
  const smaller = await createImageBitmap(whole, { resizeWidth: width, resizeQuality: "high" });
  whole.close();
  return smaller;
}

const percent = (share: number) => `${share * 100}%`;
const at = (rect: Rect) => ({
  left: percent(rect.left),
  top: percent(rect.top),
  width: percent(rect.width),
  height: percent(rect.height),
});

interface Props {
  reader: PageReader;
  no: number;
  name: string;
  /** Of the document; those of other pages leave no mark here. */
  places: Place[];
  current: number;
  /** Of the source, beside the mark in hand. */
  number?: number;
  /** Near enough to be seen soon: others hold no picture. */
  near: boolean;
  /** Height by width, until its own is known. */
  shape: number;
  onShape: (shape: number) => void;
  onMarked: (mark: HTMLElement) => void;
  onFailed: (error: Error) => void;
}

/** A page as it looks, with words that can be selected and marks under them. */
export function PageSheet(props: Props) {
  const { reader, no, places, current, number, near, onShape, onMarked, onFailed } = props;
  const canvas = useRef<HTMLCanvasElement>(null);
  const sheet = useRef<HTMLDivElement>(null);
  const [shape, setShape] = useState(0);
  const [words, setWords] = useState<PageWords | null>(null);
  const [error, setError] = useState("");
  const [width, setWidth] = useState(0);
  const asked = places.map(({ offset, length }) => `${offset}:${length}`).join();

  useEffect(() => {
    let gone = false;
    const element = canvas.current!;
    if (!near) element.width = element.height = 0;
    if (!near || !width) return;
    reader
      .picture(no)
      .then((blob) => pictureOf(blob, width))
      .then((picture) => {
        if (gone) return;
        element.width = picture.width;
        element.height = picture.height;
        element.getContext("2d")!.drawImage(picture, 0, 0);
        setShape(picture.height / picture.width);
        onShape(picture.height / picture.width);
        setError("");
        picture.close();
      })
      .catch((failure: Error) => {
        if (gone) return;
        setError(failure.message);
        onFailed(failure);
      });
    return () => {
      gone = true;
    };
  }, [near, reader, no, width]);

  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(Math.round(entry!.contentRect.width)));
    observer.observe(sheet.current!);
    return () => observer.disconnect();
  }, []);

  useEffect(() => {
    let gone = false;
    if (!near) return;
    reader.words(no, places).then(
      (found) => !gone && setWords(found),
      () => {}, // the picture tells what is wrong
    );
    return () => {
      gone = true;
    };
  }, [near, reader, no, asked]);

  const marks = useMemo(() => (words ? places.map((_, i) => marksOf(words, i)) : []), [words]);
  const laid = useMemo(() => (words && shape ? layWords(words, shape) : []), [words, shape]);
  const marked = shape > 0 && (marks[current]?.length ?? 0) > 0;
  useEffect(() => {
    if (marked) onMarked(sheet.current!.querySelector<HTMLElement>(".mark.current")!);
  }, [marked, current]);

  return (
    <div
      class="leaf"
      ref={sheet}
      data-page={no}
      dir="ltr"
      role="group"
      aria-label={props.name}
      style={{ aspectRatio: `1 / ${shape || props.shape}` }}
    >
      <canvas ref={canvas} aria-hidden="true" />
      {shape > 0 &&
        marks.map((rects, i) =>
          rects.map((rect, k) => (
            <i class={`mark ${i === current ? "current" : ""}`} key={`${i}:${k}`} style={at(rect)} />
          )),
        )}
      {shape > 0 && number && marks[current]?.[0] && (
        <span class="tag" aria-hidden="true" style={{ top: percent(marks[current]![0]!.top) }}>
          {number}
        </span>
      )}
      {near && (
        <div class="layer">
          {laid.map((word, i) => (
            <span
              key={i}
              style={{
                left: percent(word.left),
                top: percent(word.top),
                fontSize: `${word.size * 100}cqw`,
                transform: `scaleX(${word.stretch})`,
              }}
            >
              {word.text + word.end}
            </span>
          ))}
        </div>
      )}
      {error ? (
        <p class="leaf-note" role="alert">
          {error}
        </p>
      ) : (
        !shape &&
        near && (
          <p class="leaf-note">
            <span class="spinner" />
          </p>
        )
      )}
    </div>
  );
}
