import { useState } from "preact/hooks";
import { get } from "../lib/api";
import type { Source } from "../lib/chat";
import { download } from "../lib/files";
import { number } from "../lib/format";
import { attempt } from "../lib/state";
import type { PageText, Place } from "../lib/types";
import { w } from "../lib/words";
import { Button } from "./Button";
import { DocumentText } from "./DocumentText";
import { Icon } from "./Icon";

interface Props {
  agentId: number;
  source: Source;
  n: number;
  places: Place[];
  current: number;
  onCurrent: (i: number) => void;
  onClose: () => void;
}

/** A cited document beside the talk, open where the answer took its words from. */
export function DocumentPane({ agentId, source, n, places, current, onCurrent, onClose }: Props) {
  const [about, setAbout] = useState<PageText | null>(null);
  const place = places[current];
  const isFile = source.url?.includes("/api/v1/preview/");
  return (
    <aside class="doc" aria-label={w.document}>
      <header>
        <span class="cite" aria-current="true" aria-hidden="true">
          {n}
        </span>
        <div>
          <b title={source.title}>{source.title}</b>
          <small class="num">
            {[
              place?.page_no && about?.pages ? w.pageOfPages(place.page_no, about.pages) : "",
              about && w.words(number(about.words)),
            ]
              .filter(Boolean)
              .join(" · ")}
          </small>
        </div>
        {isFile ? (
          <Button
            icon="download"
            label={w.downloadOriginal}
            onClick={() => void attempt(() => download(`/api/v1/preview/${source.id}`, source.title))}
          />
        ) : (
          source.url && (
            <a
              class="btn icon-only"
              href={source.url}
              target="_blank"
              rel="noopener noreferrer"
              aria-label={w.openOriginal}
            >
              <Icon name="external" />
            </a>
          )
        )}
        <Button icon="close" label={w.closeDocument} onClick={onClose} />
      </header>
      <div class="paper-scroll" tabIndex={0} role="region" aria-label={source.title}>
        <DocumentText
          key={source.id}
          load={(from, length) => get<PageText>(`/projects/${agentId}/pages/${source.id}/text`, { from, length })}
          places={places}
          current={current}
          number={n}
          onLoaded={setAbout}
        />
      </div>
      {places.length > 1 && (
        <div class="passages">
          <span class="pill num">
            {w.passageOf(current + 1, places.length)}
            <Button
              kind="quiet"
              icon="previous"
              label={w.previousPassage}
              disabled={current === 0}
              onClick={() => onCurrent(current - 1)}
            />
            <Button
              kind="quiet"
              icon="next"
              label={w.nextPassage}
              disabled={current === places.length - 1}
              onClick={() => onCurrent(current + 1)}
            />
          </span>
        </div>
      )}
    </aside>
  );
}
