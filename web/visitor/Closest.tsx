import { put } from "../lib/language";
import type { TalkClosest } from "../lib/visit";
import { t } from "../words/visitor";
import { SourceRow, titleOf, where } from "./Sources";
import "./Panel"; // so that what both hold is one file: markdown.ts

interface Props {
  passages: TalkClosest[];
  /** The document that was it. */
  found: number | null;
  onOpen?: (passage: TalkClosest, n: number) => void;
  onFound?: (id: number) => void;
}

/** What comes close where nothing answers for sure. It answers nothing, so no number leads to it. */
export default function Closest({ passages, found, onOpen, onFound }: Props) {
  return (
    <section class="closest">
      <p>{t.closest}</p>
      <ul>
        {passages.map((passage, i) => {
          const title = titleOf(passage, i + 1);
          return (
            <li key={i}>
              <blockquote dir="auto">{passage.excerpt}</blockquote>
              <div>
                <SourceRow source={passage} onOpen={onOpen && (() => onOpen(passage, i + 1))}>
                  <b dir="auto">{title}</b>
                  <span class="where">{where(passage)}</span>
                </SourceRow>
                {onFound && (
                  <button
                    class="small"
                    aria-pressed={found === passage.id}
                    aria-label={`${t.foundIt}: ${put(t.source, { n: i + 1, name: title })}`}
                    onClick={() => onFound(passage.id)}
                  >
                    {t.foundIt}
                  </button>
                )}
              </div>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
