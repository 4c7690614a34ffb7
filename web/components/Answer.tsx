import type { ComponentChildren } from "preact";
import { useMemo } from "preact/hooks";
import { host } from "../lib/format";
import type { ChatTurn, Source } from "../lib/chat";
import type { Claim } from "../lib/types";
import { w } from "../words/dashboard";
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

/** What an answer shows of a document: the claim of which it was opened, or none. */
export interface Shown {
  source: number;
  claim: number | null;
}

interface Props {
  turn: ChatTurn;
  formatted?: boolean;
  shown: Shown | null;
  onShow: (shown: Shown) => void;
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
export function Answer({ turn, formatted, shown, onShow, children }: Props) {
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
          {turn.waiting.value ? <span dir="auto">{turn.waiting.value}</span> : <span class="hidden">{w.looking}</span>}
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
                current={shown?.source === i}
                onClick={() =>
                  onShow({ source: i, claim: claims.findIndex((claim) => claim.sources.includes(source.id)) })
                }
              />
            );
          })}
        </ul>
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
