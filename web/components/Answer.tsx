import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { host } from "../lib/format";
import type { ChatTurn, Source } from "../lib/chat";
import type { Claim, Place } from "../lib/types";
import { w } from "../words/dashboard";
import { Closest } from "./Closest";
import { Icon } from "./Icon";
import { Markdown } from "./Markdown";

/** A number that leads to its source. */
export const Cite = ({
  n,
  title,
  current,
  onClick,
}: {
  n: number;
  title?: string;
  current?: boolean;
  onClick: () => void;
}) => (
  <button class="cite" aria-current={current || undefined} aria-label={w.source(n, title ?? "")} onClick={onClick}>
    {n}
  </button>
);

/** What is shown of a document: of an answer's source, with the claim of which it was opened, or none; or the place of
 * a passage that comes closest. */
export interface Shown {
  source: number;
  claim: number | null;
  isClosest?: boolean;
}

/** The document that is shown, and its places: each with the claim that it is of. */
export function opened(turn: ChatTurn, { source, isClosest }: Shown) {
  const near = isClosest ? turn.closest.value[source] : undefined;
  if (near) return { doc: near.source, places: [{ i: 0, place: near.passage as Place }] };
  const doc = turn.sources.value[source];
  const places = turn.claims.value
    .map((claim, i) => ({ i, place: claim.places.find((p) => p.page_id === doc?.id) }))
    .filter((c): c is { i: number; place: Place } => c.place !== undefined);
  return { doc, places };
}

interface Props {
  turn: ChatTurn;
  formatted?: boolean;
  shown: Shown | null;
  onShow: (shown: Shown) => void;
  /** A closest passage was it; missing: it is only told which one was. */
  onFound?: (page: number) => void;
  children?: ComponentChildren;
}

/** The title of a source, and what kind it is. */
function SourceRow({
  n,
  source,
  pages,
  current,
  onClick,
}: {
  n: number;
  source: Source;
  pages: string;
  current: boolean;
  onClick: () => void;
}) {
  const site = source.url && !source.url.includes("/api/v1/preview/") ? host(source.url) : "";
  return (
    <li>
      <button aria-current={current || undefined} onClick={onClick}>
        <span class="cite" aria-current={current || undefined} aria-hidden="true">
          {n}
        </span>
        <b>{source.title}</b>
        <span>{pages || site || w.document}</span>
      </button>
    </li>
  );
}

const pagesOf = (claims: Claim[], id: number) =>
  [
    ...new Set(
      claims.flatMap((claim) => claim.places.filter((p) => p.page_id === id && p.page_no).map((p) => p.page_no!)),
    ),
  ].sort((a, b) => a - b);

/** An answer with its numbers and the list that they lead to. */
export function Answer({ turn, formatted, shown, onShow, onFound, children }: Props) {
  const sources = turn.sources.value,
    claims = turn.claims.value;
  const number = (id: number | undefined) => sources.findIndex((source) => source.id === id) + 1;
  const hasOwn = /\[\d{1,2}\]/.test(turn.text.value);
  const passages = useMemo(
    () =>
      claims.map((claim) => ({
        text: claim.claim,
        sources: hasOwn ? [] : claim.sources.map(number).filter((n) => n > 0),
      })),
    [claims, sources],
  );
  return (
    <div class="answer">
      {turn.state.value === "waiting" ? (
        <p class="dots" role="status">
          <i />
          <i />
          <i />
          {turn.waiting.value || turn.reading.value ? (
            <span dir="auto">{turn.waiting.value || w.reads(turn.reading.value)}</span>
          ) : (
            <span class="hidden">{w.looking}</span>
          )}
        </p>
      ) : (
        <Markdown
          text={turn.text.value}
          formatted={formatted}
          coming={turn.state.value === "coming"}
          passages={passages}
          active={shown?.claim ?? null}
          cite={(n, passage) => (
            <Cite
              n={n}
              title={sources[n - 1]?.title}
              current={shown !== null && shown.source === n - 1 && (passage < 0 || shown.claim === passage)}
              onClick={() =>
                onShow({
                  source: n - 1,
                  claim:
                    passage >= 0
                      ? passage
                      : claims.findIndex((claim) => claim.sources.includes(sources[n - 1]?.id ?? 0)),
                })
              }
            />
          )}
        />
      )}
      {sources.length > 0 && (
        <ul class="sources" aria-label={w.sourcesOfAnswer}>
          {sources.map((source, i) => {
            const pages = pagesOf(claims, source.id);
            return (
              <SourceRow
                key={source.id}
                n={i + 1}
                source={source}
                pages={pages.length ? w.onPages(pages.slice(0, 4).join(", "), pages.length) : ""}
                current={shown?.source === i && !shown.isClosest}
                onClick={() =>
                  onShow({ source: i, claim: claims.findIndex((claim) => claim.sources.includes(source.id)) })
                }
              />
            );
          })}
        </ul>
      )}
      {turn.closest.value.length > 0 && (
        <Closest
          near={turn.closest.value}
          found={turn.found.value}
          onOpen={(source) => onShow({ source, claim: null, isClosest: true })}
          onFound={onFound}
        />
      )}
      {children}
    </div>
  );
}

/** How many of an answer's statements stand in the documents as they are now. */
export function Proof({ turn }: { turn: ChatTurn }) {
  const claims = turn.claims.value;
  if (!claims.length) return null;
  const stand = claims.filter((claim) => claim.status === "supported").length;
  return (
    <span class={`proof ${stand < claims.length ? "some" : ""}`}>
      <Icon name={stand < claims.length ? "alert" : "check"} />
      {w.claimsStand(stand, claims.length)}
    </span>
  );
}
