import { useState } from "preact/hooks";
import { AddContent } from "../components/AddContent";
import { Button } from "../components/Button";
import { Deleted } from "./Deleted";
import { DocumentRows, originOf } from "./DocumentRows";
import { DropZone } from "../components/DropZone";
import { Empty } from "../components/Empty";
import { HowRead } from "./HowRead";
import { Loaded } from "../components/Loaded";
import { Needs } from "./Needs";
import { Origin } from "./Origin";
import { Live, Reading, useProgress } from "../components/Reading";
import { SearchField } from "../components/SearchField";
import { Screen } from "../components/Shell";
import { get } from "../lib/api";
import { kinds, readContent, readSources, sorts, type Content as All, type Filter, type Source } from "../lib/content";
import { deletedPages, forgetPage, restoreAllPages, restorePage } from "../lib/deleted";
import { number, percent } from "../lib/format";
import { useResource } from "../lib/resource";
import { goQuery, location_ } from "../lib/router";
import { attempt, progress, tell } from "../lib/state";
import { uploadFiles } from "../lib/uploads";
import { w } from "../words/dashboard";
import DocumentSheet from "./DocumentSheet";

/** So many origins are open at first: each open one asks for its documents. */
const OPEN = 3;

interface Found {
  page_id: number;
  filename: string | null;
  metadata: { title: string | null };
  text: string;
}

/** Documents in whose text the words stand, best first. */
function InText({ id, words }: { id: number; words: string }) {
  const found = useResource(
    async (signal) =>
      (await get<{ passages: Found[] }>(`/projects/${id}/search`, { query: words, limit: 8 }, signal)).passages,
    [id, words],
  );
  const passages = found.value.value ?? [];
  const first = passages.filter((one, i) => passages.findIndex((other) => other.page_id === one.page_id) === i);
  if (!first.length) return null;
  return (
    <section class="card origin" aria-label={w.inTheText}>
      <header>
        <h2>{w.inTheText}</h2>
      </header>
      <ul class="in-text">
        {first.map((one) => (
          <li key={one.page_id}>
            <button dir="auto" onClick={() => goQuery({ document: one.page_id })}>
              {one.metadata.title || one.filename || w.document}
            </button>
            <small dir="auto">{one.text.slice(0, 180)}</small>
          </li>
        ))}
      </ul>
    </section>
  );
}

const states = ["", "ready", "amiss", "never"] as const;

/** Which documents are wanted: it stands in the address. */
function Filters({ content }: { content: All }) {
  const { query } = location_.value;
  const state = query.get("state") ?? "";
  const counts: Record<string, number> = {
    "": content.total - content.origins.reduce((sum, origin) => sum + origin.unread, 0),
    ready: content.ready,
    amiss: content.amiss,
    never: content.never_cited,
  };
  const titles = { "": w.all, ready: w.status.ok, amiss: w.needYouChip, never: w.neverCited };
  const pick = (
    name: string,
    title: string,
    choices: readonly string[],
    words: Record<string, string>,
    usual: string,
  ) => (
    <select
      class="input"
      aria-label={title}
      onChange={(event) => goQuery({ [name]: event.currentTarget.value }, { replace: true })}
    >
      <option value="">{usual}</option>
      {choices.map((choice) => (
        <option key={choice} value={choice} selected={query.get(name) === choice}>
          {words[choice]}
        </option>
      ))}
    </select>
  );
  return (
    <div class="split filters">
      <SearchField
        label={w.searchContent}
        value={query.get("search") ?? ""}
        onSearch={(search) => goQuery({ search }, { replace: true })}
      />
      <span class="chips" role="group" aria-label={w.filter}>
        {states.map((value) => (
          <button
            key={value}
            class="chip"
            aria-pressed={state === value}
            onClick={() => goQuery({ state: value }, { replace: true })}
          >
            {titles[value]}
            <b class="num">{number(counts[value]!)}</b>
          </button>
        ))}
      </span>
      {pick("kind", w.kind, kinds, w.kindsOfFiles, w.anyKind)}
      {pick("sort", w.sortBy, sorts.slice(1), w.sorts, w.sorts.newest)}
    </div>
  );
}

/** All of it by where it is from. */
function Origins({ id, content, sources, sort, version, onChanged }: ListProps & { sort: string }) {
  const files = content.total - sources.reduce((sum, source) => sum + (source.page_count ?? 0), 0);
  const uploads = files > 0 || !sources.length;
  const unread = (source: Source) => content.origins.find((each) => each.source_id === source.id)?.unread ?? 0;
  const given = { id, content, sort, version, onChanged };
  return (
    <>
      {uploads && <Origin key="uploads" {...given} rows={files} open />}
      {sources.map((source, i) => (
        <Origin
          key={source.id}
          {...given}
          source={source}
          rows={(source.page_count ?? 0) - unread(source)}
          open={i + Number(uploads) < OPEN}
        />
      ))}
    </>
  );
}
interface ListProps {
  id: number;
  content: All;
  sources: Source[];
  version: number;
  onChanged: () => void;
}

function Documents(props: ListProps) {
  const { query } = location_.value;
  const [search, state, kind, sort] = ["search", "state", "kind", "sort"].map((name) => query.get(name) ?? "");
  if (!search && !state && !kind) return <Origins {...props} sort={sort!} />;
  const filter: Filter = {
    search: search || undefined,
    kind: kind || undefined,
    sort: sort || undefined,
    ...(state === "never" ? { never_cited: true, state: "ready" } : { state: state || undefined }),
  };
  return (
    <>
      <DocumentRows
        {...props}
        filter={filter}
        limit={50}
        origin={originOf}
        empty={
          <Empty icon="search" title={w.documentsNoMatch}>
            <Button onClick={() => goQuery({ search: null, state: null, kind: null })}>{w.showAll}</Button>
          </Empty>
        }
      />
      {search && <InText id={props.id} words={search} />}
    </>
  );
}

export default function Content({ id }: { id: number }) {
  const open = Number(location_.value.query.get("document") ?? 0);
  // The palette leads here, too.
  const adding = location_.value.query.get("add") ?? "";
  const setAdding = (add: "" | "files" | "text") => goQuery({ add }, { replace: true });
  const [share, setShare] = useState<number | null>(null);
  const [version, setVersion] = useState(0);
  const all = useResource(
    async (signal) => {
      const [content, sources] = await Promise.all([readContent(id, signal), readSources(id, signal)]);
      return { content, sources };
    },
    [id],
  );
  const changed = () => {
    setVersion((before) => before + 1);
    void all.again();
  };
  useProgress(id, changed);
  async function drop(files: File[]) {
    if (!files.length) return;
    setShare(0);
    await attempt(async () => {
      await uploadFiles(id, files, setShare);
      tell(w.filesAdded(files.length));
    });
    setShare(null);
    changed();
  }
  const add = (
    <Button kind="primary" icon="add" onClick={() => setAdding("files")}>
      {w.addContent}
    </Button>
  );
  const now = progress.value;
  return (
    <Screen
      title={w.content}
      aside={<Live />}
      actions={
        <>
          <Button onClick={() => setAdding("text")}>{w.pasteText}</Button>
          {add}
        </>
      }
    >
      <Loaded from={all}>
        {({ content, sources }) => (
          <div class="content-screen">
            <div class="content-main">
              <Needs id={id} content={content} sources={sources} onChanged={changed} />
              {share === null ? (
                <DropZone compact={content.total > 0} onFiles={(files) => void drop(files)} />
              ) : (
                <div class="drop">
                  <span>{w.uploading(percent(share))}</span>
                  <div class="bar wide">
                    <i style={{ width: `${share * 100}%` }} />
                  </div>
                </div>
              )}
              {now && now.queued > 0 && (
                <div class="card reading-card">
                  <Reading />
                </div>
              )}
              {content.total || sources.length ? (
                <>
                  <Filters content={content} />
                  <Documents id={id} content={content} sources={sources} version={version} onChanged={changed} />
                </>
              ) : (
                <Empty icon="document" title={w.documentsNoneTitle}>
                  <p>{w.documentsNoneText}</p>
                  {add}
                </Empty>
              )}
              <Deleted
                key={id}
                read={(signal) => deletedPages(id, signal)}
                restore={(page) => restorePage(id, page)}
                restoreAll={() => restoreAllPages(id)}
                forget={(page) => forgetPage(id, page)}
                version={version}
                onChanged={changed}
              />
            </div>
            <HowRead id={id} content={content} onChanged={changed} />
          </div>
        )}
      </Loaded>
      {adding && (
        <AddContent
          id={id}
          text={adding === "text"}
          onClose={() => {
            setAdding("");
            changed();
          }}
        />
      )}
      {open > 0 && (
        <DocumentSheet
          key={open}
          id={id}
          pageId={open}
          onClose={() => goQuery({ document: null }, { replace: true })}
          onChanged={changed}
        />
      )}
    </Screen>
  );
}
