import { useMemo, useState } from "preact/hooks";
import type { PageReader } from "../lib/pages";
import type { PageText, Place } from "../lib/types";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { DocumentText, type TextWords } from "./DocumentText";
import { Pages } from "./Pages";

export const textWords = (): TextWords => ({
  page: w.page,
  earlier: w.showEarlier,
  more: w.showMore,
  none: w.noText,
});

interface Props {
  title: string;
  /** null: the document has no pages to look at. */
  reader: PageReader | null;
  /** How many pages it has; `only`: those of them that may be seen. */
  pages: number;
  only?: number[];
  load: (from: number, length: number) => Promise<PageText>;
  places: Place[];
  current: number;
  number?: number;
  onPage?: (no: number) => void;
}

/** A document to look at: its pages as they look where it has any, and its text. */
export function DocumentView({ title, reader, pages, only, load, places, current, number, onPage }: Props) {
  const [asText, setAsText] = useState(!reader);
  const [large, setLarge] = useState(false);
  const numbers = useMemo(() => only ?? Array.from({ length: pages }, (_, i) => i + 1), [pages, only]);
  return (
    <>
      {reader && (
        <div class="doc-kind chips" role="group" aria-label={w.document}>
          <button class="chip" aria-pressed={!asText} onClick={() => setAsText(false)}>
            {w.pages}
          </button>
          <button class="chip" aria-pressed={asText} onClick={() => setAsText(true)}>
            {w.textTab}
          </button>
          {!asText && (
            <Button kind="quiet" icon="larger" label={w.larger} pressed={large} onClick={() => setLarge(!large)} />
          )}
        </div>
      )}
      <div class={`paper-scroll ${large && !asText ? "large" : ""}`} tabIndex={0} role="region" aria-label={title}>
        {reader && !asText ? (
          <Pages
            reader={reader}
            pages={numbers}
            name={w.page}
            places={places}
            current={current}
            number={number}
            onPage={onPage}
            // A document that was replaced or whose original went has its text still.
            onFailed={(error) => (error as { status?: number }).status === 404 && setAsText(true)}
          />
        ) : (
          <DocumentText words={textWords()} load={load} places={places} current={current} number={number} />
        )}
      </div>
    </>
  );
}
