import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import { DocumentText } from "../components/DocumentText";
import { Icon } from "./Icon";
import { Pages } from "../components/Pages";
import { call, send } from "../lib/api";
import { saveBlob } from "../lib/files";
import { atMoment, clock } from "../lib/format";
import { put } from "../lib/language";
import type { Look } from "../lib/look";
import type { PageReader } from "../lib/pages";
import { useResource } from "../lib/resource";
import type { PageWords, TextWindow } from "../lib/types";
import type { TalkSource } from "../lib/visit";
import { t } from "../words/visitor";
import { momentOf, titleOf } from "./Sources";
import "./Panel"; // so that what both hold is one file: markdown.ts

interface Shown extends TextWindow {
  title: string | null;
  pages: number | null;
  has_pictures: boolean;
  has_file: boolean;
  /** Where the label of a limited document leads. */
  label_url: string | null;
  /** The pages that may be seen; null: all. */
  visible: number[] | null;
}

interface Props {
  look: Look;
  /** Where the document is, by way of the answer that cites it. */
  path: string;
  source: TalkSource;
  n: number;
  /** It was opened by hand: the focus goes there. */
  focused: boolean;
  onClose: () => void;
}

/** A document that an answer cites, as far as its owner shows it, open where the answer took its words from. */
export default function Viewer({ look, path, source, n, focused, onClose }: Props) {
  const text = useResource((signal) => call<Shown>("GET", `${path}/text`, { query: { length: 0 }, signal }), [path]);
  const shown = text.value.value,
    error = text.error.value;
  const [asText, setAsText] = useState(false);
  const close = useRef<HTMLButtonElement>(null);
  const places = useMemo(() => source.places.map((place) => ({ ...place, page_id: source.id })), [source]);
  const reader = useMemo<PageReader>(
    () => ({
      picture: async (no) => (await send("GET", `${path}/view/${no}`)).blob(),
      words: (no, wanted) =>
        call<PageWords>("GET", `${path}/view/${no}/words`, {
          query: { marks: wanted.map(({ offset, length }) => `${offset}:${length}`).join(",") },
        }),
    }),
    [path],
  );
  const pages = useMemo(() => shown?.visible ?? Array.from({ length: shown?.pages ?? 0 }, (_, i) => i + 1), [shown]);
  useEffect(() => {
    setAsText(false);
    if (focused) close.current?.focus();
  }, [path]);
  const title = titleOf(source, n),
    second = momentOf(source);
  const name = (no: number) => put(t.page, { n: no });
  const limited = look.is_pdf_page_visibility_limited && shown?.visible;
  return (
    <aside
      class="viewer"
      aria-label={title}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <span class="cite" aria-hidden="true">
          {n}
        </span>
        <b dir="auto" title={title}>
          {title}
        </b>
        {limited &&
          (shown?.label_url ? (
            <a class="limited" href={shown.label_url} target="_blank" rel="noopener noreferrer nofollow">
              {look.pdf_limited_page_label}
            </a>
          ) : (
            <span class="limited">{look.pdf_limited_page_label}</span>
          ))}
        {source.url && second !== null && (
          <a class="moment" href={atMoment(source.url, second)} target="_blank" rel="noopener noreferrer nofollow">
            {clock(second)}
            <Icon name="external" />
          </a>
        )}
        {shown?.has_file && (
          <button
            class="icon"
            aria-label={t.download}
            onClick={async () => saveBlob(await (await send("GET", `${path}/file`)).blob(), title)}
          >
            <Icon name="download" />
          </button>
        )}
        <button class="icon" ref={close} aria-label={t.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      <div class="paper-scroll" tabIndex={0} role="region" aria-label={title}>
        {error && <p role="alert">{error.message}</p>}
        {shown &&
          (shown.has_pictures && !asText ? (
            <Pages
              reader={reader}
              pages={pages}
              name={name}
              places={places}
              current={0}
              number={n}
              onFailed={(failure) => (failure as { status?: number }).status === 404 && setAsText(true)}
            />
          ) : (
            <DocumentText
              key={path}
              words={{ page: name, earlier: t.more, more: t.more, none: "" }}
              load={(from, length) => call<Shown>("GET", `${path}/text`, { query: { from, length } })}
              places={places}
              current={0}
              number={n}
            />
          ))}
      </div>
    </aside>
  );
}
