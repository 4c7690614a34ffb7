import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Dialog } from "../components/Dialog";
import { DocumentText } from "../components/DocumentText";
import { textWords } from "../components/DocumentView";
import { ReadWithOption, reasonOf } from "../components/FailedReason";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Pager } from "../components/Pager";
import { get, post, put, remove } from "../lib/api";
import { tellDeleted } from "../lib/deleted";
import { readPage } from "../lib/content";
import { download } from "../lib/files";
import { date, dateTime } from "../lib/format";
import { useResource } from "../lib/resource";
import { attempt, hasFeature, readStats, tell } from "../lib/state";
import type { List, Metadata, PageText, Passage } from "../lib/types";
import { w } from "../words/dashboard";
import { LabelMany } from "./LabelMany";
import { Unlock } from "./Unlock";
import { ReviewDate } from "./ReviewDate";

const fields = [
  ["title", 255],
  ["url", 2000],
  ["description", 500],
  ["image", 2000],
] as const;

/** What a change has taken away; null: nothing. */
type Lost = Record<string, string | null> | null;

interface FormProps {
  id: number;
  metadata: Metadata;
  lost: Lost;
  onSaved: (lost: Lost) => void;
}

function MetadataForm({ id, metadata, lost, onSaved }: FormProps) {
  const [values, setValues] = useState({
    title: metadata.title ?? "",
    url: metadata.url ?? "",
    description: metadata.description ?? "",
    image: metadata.image ?? "",
    review_at: metadata.review_at?.slice(0, 10) ?? "",
  });
  const [error, setError] = useState("");
  async function save(change: Record<string, string | null>) {
    setError("");
    try {
      await put(`/projects/${id}/pages/${metadata.page_id}/metadata`, change);
      tell(w.saved);
      const gone = Object.keys(change).filter((name) => metadata[name as "title"] && !change[name]);
      onSaved(gone.length ? Object.fromEntries(gone.map((name) => [name, metadata[name as "title"]])) : null);
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  const changed: Record<string, string | null> = Object.fromEntries(
    fields.filter(([name]) => values[name] !== (metadata[name] ?? "")).map(([name]) => [name, values[name] || null]),
  );
  if (values.review_at !== (metadata.review_at?.slice(0, 10) ?? "")) changed.review_at = values.review_at || null;
  return (
    <form
      class="options"
      onSubmit={(event) => {
        event.preventDefault();
        void save(changed);
      }}
    >
      <p class="lead">{w.metadataText}</p>
      {fields.map(([name, max]) => (
        <Field key={name} label={w.metadata[name]} aside={`${values[name].length} / ${max}`}>
          {(given) =>
            name === "description" ? (
              <textarea
                {...given}
                class="input"
                maxLength={max}
                value={values[name]}
                onInput={(e) => setValues({ ...values, [name]: e.currentTarget.value })}
              />
            ) : (
              <input
                {...given}
                class="input"
                maxLength={max}
                value={values[name]}
                onInput={(e) => setValues({ ...values, [name]: e.currentTarget.value })}
              />
            )
          }
        </Field>
      ))}
      <ReviewDate
        value={values.review_at}
        help={w.improve.dueHelp}
        onChange={(review_at) => setValues({ ...values, review_at })}
      />
      {error && <Note kind="bad">{error}</Note>}
      <div class="split">
        <Button kind="primary" type="submit" disabled={!Object.keys(changed).length}>
          {w.save}
        </Button>
        <Button
          kind="quiet"
          icon="undo"
          onClick={() => void save({ title: null, url: null, description: null, image: null })}
        >
          {w.ownWords}
        </Button>
        {lost && <Button onClick={() => void save(lost)}>{w.undo}</Button>}
      </div>
    </form>
  );
}

const tabs = ["text", "passages", "metadata"] as const;

/** What a search finds of it and an answer quotes, in the document's order. */
function Passages({ id, pageId }: { id: number; pageId: number }) {
  const [page, setPage] = useState(1);
  const list = useResource(
    (signal) => get<List<Passage>>(`/projects/${id}/pages/${pageId}/passages`, { page, limit: 10 }, signal),
    [pageId, page],
  );
  return (
    <Loaded from={list}>
      {(value) => (
        <>
          <p class="lead">{w.passagesText}</p>
          <ol class="passage-list" start={value.from ?? 1}>
            {value.data.map((passage) => (
              <li key={passage.offset} dir="auto">
                {(passage.heading || passage.page_no) && (
                  <small class="num">
                    {[passage.page_no && w.page(passage.page_no), passage.heading].filter(Boolean).join(" · ")}
                  </small>
                )}
                <p>{passage.text}</p>
              </li>
            ))}
          </ol>
          <Pager list={value} onPage={setPage} />
        </>
      )}
    </Loaded>
  );
}

interface Props {
  id: number;
  pageId: number;
  onClose: () => void;
  onChanged: () => void;
}

/** One document: its text, what a citation shows of it, its labels. */
export default function DocumentSheet({ id, pageId, onClose, onChanged }: Props) {
  const read = useResource((signal) => readPage(id, pageId, signal), [id, pageId]);
  const page = read.value.value;
  const metadata = useResource(
    (signal) => get<Metadata>(`/projects/${id}/pages/${pageId}/metadata`, {}, signal),
    [pageId],
  );
  const [tab, setTab] = useState<(typeof tabs)[number]>("text");
  const [lost, setLost] = useState<Lost>(null);
  const [labelling, setLabelling] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const name = page?.title ?? metadata.value.value?.title ?? w.document;
  return (
    <Dialog
      sheet
      title={name}
      onClose={onClose}
      footer={
        <>
          {page?.is_refreshable && (
            <Button
              icon="refresh"
              onClick={() =>
                void attempt(async () => {
                  await post(`/projects/${id}/pages/${pageId}/reindex`);
                  tell(w.requeued(1));
                  onChanged();
                })
              }
            >
              {w.readAgain}
            </Button>
          )}
          {hasFeature("labels") && (
            <Button icon="label" onClick={() => setLabelling(true)}>
              {w.labels}
            </Button>
          )}
          <Button
            icon="download"
            onClick={() => void attempt(() => download(`/api/v1/preview/${pageId}`, page?.filename ?? name))}
          >
            {w.download}
          </Button>
          <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
            {w.delete}
          </Button>
        </>
      }
    >
      {page && (
        <p class="lead num">
          {[
            w.status[page.index_status],
            metadata.value.value?.word_count != null && w.words(metadata.value.value.word_count),
            page.cited > 0 && w.citedTimes(page.cited),
            page.dated_at && w.improve.dated(date(page.dated_at)),
            dateTime(page.updated_at),
          ]
            .filter(Boolean)
            .join(" · ")}
        </p>
      )}
      {page?.status_reason && (
        <Note kind={page.index_status === "failed" ? "bad" : "warn"}>
          {reasonOf(page)}{" "}
          <ReadWithOption
            id={id}
            page={page}
            onRead={() => {
              void read.again();
              onChanged();
            }}
          />
          {page.reason_code === "locked" && page.index_status === "failed" && (
            <Unlock
              id={id}
              pages={[page.id]}
              onChanged={() => {
                void read.again();
                onChanged();
              }}
            />
          )}
        </Note>
      )}
      <span class="chips" role="group" aria-label={name}>
        {tabs.map((each) => (
          <button key={each} class="chip" aria-pressed={tab === each} onClick={() => setTab(each)}>
            {w.tabs[each]}
          </button>
        ))}
      </span>
      {tab === "passages" ? (
        <Passages id={id} pageId={pageId} />
      ) : tab === "text" ? (
        <div class="sheet-paper">
          <DocumentText
            words={textWords()}
            load={(from, length) => get<PageText>(`/projects/${id}/pages/${pageId}/text`, { from, length })}
            places={[]}
            current={0}
          />
        </div>
      ) : (
        <Loaded from={metadata}>
          {(value) => (
            <MetadataForm
              key={JSON.stringify(value)}
              id={id}
              metadata={value}
              lost={lost}
              onSaved={(gone) => {
                setLost(gone);
                void metadata.again();
              }}
            />
          )}
        </Loaded>
      )}
      {labelling && <LabelMany id={id} pages={[pageId]} onClose={() => setLabelling(false)} />}
      {deleting && (
        <Confirm
          title={w.deleteDocuments(1)}
          action={w.delete}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await remove(`/projects/${id}/pages/${pageId}`);
            await tellDeleted(id, [pageId], w.documentsDeleted(1), onChanged);
            void readStats(id).catch(() => {});
            onChanged();
            onClose();
          }}
        >
          <p>{w.deleteDocumentsText}</p>
        </Confirm>
      )}
    </Dialog>
  );
}
