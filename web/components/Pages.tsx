import { useCallback, useEffect, useRef, useState } from "preact/hooks";
import type { PageReader } from "../lib/pages";
import type { Place } from "../lib/types";
import { PageSheet } from "./PageSheet";

const A4 = Math.SQRT2;

interface Props {
  reader: PageReader;
  /** The pages there are to see, ascending: all of the document, or some. */
  pages: number[];
  /** What page n is called. */
  name: (n: number) => string;
  places: Place[];
  current: number;
  number?: number;
  /** Which page is in view. */
  onPage?: (no: number) => void;
  /** Pages cannot be shown at all. */
  onFailed?: (error: Error) => void;
}

/** A document's pages under each other, open at the place in hand. */
export function Pages({ reader, pages, name, places, current, number, onPage, onFailed }: Props) {
  const box = useRef<HTMLDivElement>(null);
  const [near, setNear] = useState<ReadonlySet<number>>(new Set());
  const [shape, setShape] = useState(0);
  const place = places[current];
  // A place is shown once: whoever scrolls on is not called back.
  const shown = useRef("");
  const wanted = `${place?.page_id}:${place?.offset}:${current}`;

  useEffect(() => {
    const scroller = box.current!.closest<HTMLElement>(".paper-scroll");
    const seen = new Set<number>();
    const observer = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries) {
          const no = Number((target as HTMLElement).dataset.page);
          if (isIntersecting) seen.add(no);
          else seen.delete(no);
        }
        setNear(new Set(seen));
      },
      { root: scroller, rootMargin: "60% 0px" },
    );
    const middle = new IntersectionObserver(
      (entries) => {
        for (const { target, isIntersecting } of entries)
          if (isIntersecting) onPage?.(Number((target as HTMLElement).dataset.page));
      },
      { root: scroller, rootMargin: "-50% 0px" },
    );
    for (const sheet of box.current!.children) {
      observer.observe(sheet);
      middle.observe(sheet);
    }
    return () => {
      observer.disconnect();
      middle.disconnect();
    };
  }, [pages.length, reader]);

  useEffect(() => {
    if (!place?.page_no || shown.current === wanted) return;
    const sheet = box.current!.querySelector<HTMLElement>(`[data-page="${place.page_no}"]`);
    const mark = sheet?.querySelector<HTMLElement>(".mark.current");
    (mark ?? sheet)?.scrollIntoView({ block: mark ? "center" : "start" });
    if (mark) shown.current = wanted;
  }, [wanted, shape]);

  const onMarked = useCallback(
    (mark: HTMLElement) => {
      if (shown.current === wanted) return;
      shown.current = wanted;
      mark.scrollIntoView({ block: "center" });
    },
    [wanted],
  );
  return (
    <div class="leaves" ref={box}>
      {pages.map((no) => (
        <PageSheet
          key={no}
          reader={reader}
          no={no}
          name={name(no)}
          places={places}
          current={current}
          number={number}
          near={near.has(no)}
          shape={shape || A4}
          onShape={(its) => !shape && setShape(its)}
          onMarked={onMarked}
          onFailed={(error) => onFailed?.(error)}
        />
      ))}
    </div>
  );
}
