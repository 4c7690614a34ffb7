import { useMemo, useState } from "preact/hooks";
import { get } from "../lib/api";
import type { Source } from "../lib/chat";
import { download } from "../lib/files";
import { atMoment, clock } from "../lib/format";
import { pageReader } from "../lib/pages";
import { useResource } from "../lib/resource";
import { attempt } from "../lib/state";
import type { PageText, Place } from "../lib/types";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { DocumentView } from "./DocumentView";
import { Icon } from "./Icon";
import { Loaded } from "./Loaded";

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
  const path = `/projects/${agentId}/pages/${source.id}/text`;
  const about = useResource((signal) => get<PageText>(path, { length: 0 }, signal), [path]);
  const reader = useMemo(() => pageReader(agentId, source.id), [agentId, source.id]);
  const [seen, setSeen] = useState<{ of: number; page: number } | null>(null);
  const place = places[current];
  const known = about.value.value;
  const page = seen?.of === source.id ? seen.page : (place?.page_no ?? 0);
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
              page && known?.pages ? w.pageOfPages(page, known.pages) : "",
              place && place.second !== null ? clock(place.second) : "",
              known && w.words(known.words),
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
              href={atMoment(source.url, place?.second ?? null)}
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
      <Loaded from={about}>
        {(text) => (
          <DocumentView
            key={source.id}
            title={source.title}
            reader={text.has_pictures ? reader : null}
            pages={text.pages ?? 0}
            load={(from, length) => get<PageText>(path, { from, length })}
            places={places}
            current={current}
            number={n}
            onPage={(page) => setSeen({ of: source.id, page })}
          />
        )}
      </Loaded>
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
