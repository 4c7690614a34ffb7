import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { signal } from "@preact/signals";
import { Icon } from "./Icon";
import { atMoment, clock, date, host } from "../lib/format";
import { put } from "../lib/language";
import type { Look } from "../lib/look";
import type { TalkSource } from "../lib/visit";
import { t } from "../words/visitor";
import { Fold } from "./Fold";

/** Whether lists of sources are open, as the visitor last left one. */
const OPEN = "docent-sources";
function kept(): boolean {
  try {
    return localStorage.getItem(OPEN) === "1";
  } catch {
    return false; // a frame may be refused to keep anything
  }
}
const userOpen = signal(kept());
export function keepOpen(open: boolean) {
  userOpen.value = open;
  try {
    localStorage.setItem(OPEN, open ? "1" : "0");
  } catch {
    // As above.
  }
}

export const titleOf = (source: TalkSource, n: number) => source.title ?? put(t.document, { n });

/** Where a recording says it; null: it is none. */
export const momentOf = (source: TalkSource) => source.places[0]?.second ?? null;
/** What the viewer shows rather than the address it came from. */
export const isViewed = (source: TalkSource) => source.is_pdf || momentOf(source) !== null;

function placeIn(source: TalkSource): string {
  const second = momentOf(source);
  if (second !== null) return clock(second);
  const pages = [...new Set(source.places.map((place) => place.page_no).filter((n) => n))].sort((a, b) => a! - b!);
  if (pages.length) return put(t.page, { n: pages.slice(0, 3).join(", ") });
  return source.url ? host(source.url) : "";
}

/** Its place, and the day of the document. */
export const where = (source: TalkSource) =>
  [placeIn(source), source.dated_at && date(source.dated_at)].filter(Boolean).join(" · ");

interface RowProps {
  source: TalkSource;
  onOpen?: () => void;
  children: ComponentChildren;
  [attribute: string]: unknown;
}

/** What leads to a source: into the viewer, to its address, or, where there is neither, nowhere. */
export function SourceRow({ source, onOpen, children, ...row }: RowProps) {
  if (onOpen && (isViewed(source) || !source.url))
    return (
      <button class="row" {...row} onClick={onOpen}>
        {children}
      </button>
    );
  if (source.url)
    return (
      <a
        class="row"
        {...row}
        href={atMoment(source.url, momentOf(source))}
        target="_blank"
        rel="noopener noreferrer nofollow"
      >
        {children}
      </a>
    );
  return (
    <div class="row" {...row} tabIndex={-1}>
      {children}
    </div>
  );
}

const WORDS_SHOWN = 2;

/** What the document itself says, where the answer was taken from it. */
function Words({ source }: { source: TalkSource }) {
  const words = [...new Set(source.places.map((place) => place.words).filter((text) => text))].slice(0, WORDS_SHOWN);
  return (
    <>
      {words.map((text) => (
        <blockquote dir="auto">{text}</blockquote>
      ))}
    </>
  );
}

interface Props {
  id: string;
  look: Look;
  sources: TalkSource[];
  /** The source in hand, whose row takes the focus. */
  current: number | null;
  open: boolean;
  onToggle: (open: boolean) => void;
  onOpen?: (n: number) => void;
  onBack: () => void;
  /** The pictures of source n. */
  pictures: (n: number) => ComponentChildren;
}

/** The list that an answer's numbers lead to. */
export function Sources({ id, look, sources, current, open, onToggle, onOpen, onBack, pictures }: Props) {
  const list = useRef<HTMLUListElement>(null);
  useEffect(() => {
    if (open && current !== null) list.current?.querySelector<HTMLElement>(`[data-n="${current}"]`)?.focus();
  }, [current, open]);
  return (
    <section class="sources">
      <button class="label" aria-expanded={open} aria-controls={id} onClick={() => onToggle(!open)}>
        <span dir="auto">
          {sources.length > 1 ? look.citations_sources_label_msg : look.citations_answer_source_label_msg}
        </span>
        <span class="count">{sources.length}</span>
        <Icon name="chevron" turned={open} />
      </button>
      <ul
        id={id}
        ref={list}
        hidden={!open}
        onKeyDown={(event) => {
          if (event.key !== "Escape") return;
          event.stopPropagation();
          onBack();
        }}
      >
        <Fold items={sources} more={look.view_more_msg} less={look.view_less_msg}>
          {(source, i) => {
            const here = { "data-n": i + 1, "aria-current": current === i + 1 || undefined };
            return (
              <>
                <SourceRow {...here} source={source} onOpen={onOpen && (() => onOpen(i + 1))}>
                  <span class="cite" aria-hidden="true">
                    {i + 1}
                  </span>
                  <b dir="auto">{titleOf(source, i + 1)}</b>
                  <span class="where">{where(source)}</span>
                </SourceRow>
                {open && <Words source={source} />}
                {open && pictures(i + 1)}
              </>
            );
          }}
        </Fold>
      </ul>
    </section>
  );
}

/** Whether a new answer's list is open at first. */
export const opensFirst = (look: Look) =>
  look.citations_view_type === "show" || (look.citations_view_type !== "hide" && userOpen.value);
