import type { Near } from "../lib/chat";
import { host } from "../lib/format";
import { w } from "../words/dashboard";
import { Button } from "./Button";

interface Props {
  near: Near[];
  /** The document that was it. */
  found: number | null;
  onOpen: (i: number) => void;
  /** Missing: it is only told which one was it. */
  onFound?: (page: number) => void;
}

/** What comes closest where nothing answers for sure. It answers nothing, so no number leads to it. */
export function Closest({ near, found, onOpen, onFound }: Props) {
  return (
    <section class="closest" aria-label={w.closest}>
      <p>{w.closest}</p>
      <ul>
        {near.map(({ passage, source }, i) => {
          const isIt = found === passage.page_id;
          const site = source.url && !source.url.includes("/api/v1/preview/") ? host(source.url) : "";
          return (
            <li key={i}>
              <blockquote dir="auto">{passage.excerpt}</blockquote>
              <div>
                <button class="link" onClick={() => onOpen(i)}>
                  {source.title}
                </button>
                <small class="num">{passage.page_no ? w.onPages(String(passage.page_no), 1) : site}</small>
                <span class="space" />
                {onFound ? (
                  <Button kind="quiet" icon="check" pressed={isIt} onClick={() => onFound(passage.page_id)}>
                    {w.foundIt}
                  </Button>
                ) : (
                  isIt && <span class="badge ok">{w.foundIt}</span>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
