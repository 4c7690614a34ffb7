import { useEffect, useState } from "preact/hooks";
import { changeMany, readPages, type ContentPage, type Filter } from "../lib/content";
import { useChoice } from "../lib/choice";
import { tellDeleted } from "../lib/deleted";
import { ago, bytes, host } from "../lib/format";
import { useResource } from "../lib/resource";
import { goQuery } from "../lib/router";
import { attempt, hasFeature, readStats, tell } from "../lib/state";
import type { Status } from "../lib/types";
import { contentCame } from "../lib/uploads";
import { LabelMany } from "./LabelMany";
import { w } from "../words/dashboard";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { ReadWithOption, reasonOf } from "../components/FailedReason";
import { Loaded } from "../components/Loaded";
import { Table } from "../components/Table";
import type { ComponentChildren } from "preact";

const tones: Record<Status, string> = { ok: "ok", failed: "bad", limited: "warn", queued: "accent", "n/a": "" };

/** What a file's name ends with; of an address, that it is one. */
const kindOf = (page: ContentPage) =>
  page.is_file ? (/\.([a-z0-9]{1,4})$/i.exec(page.filename ?? "")?.[1] ?? "").toUpperCase() : "WEB";

/** What stands under the title, where that is not it. */
const under = (page: ContentPage) => {
  const name = page.is_file ? (page.filename ?? "") : page.page_url.replace(/^https?:\/\//, "");
  return name === page.title || page.page_url === page.title ? "" : name;
};

interface Props {
  id: number;
  filter: Filter;
  limit: number;
  /** Where rows of several origins stand together. */
  origin?: (page: ContentPage) => string;
  empty?: ComponentChildren;
  /** Grows when documents have changed elsewhere. */
  version: number;
  onChanged: () => void;
}

/** Documents that fit, a page of them at a time; what is done to many is done to those that are chosen, or to all. */
export function DocumentRows({ id, filter, limit, origin, empty, version, onChanged }: Props) {
  const [page, setPage] = useState(1);
  const [everything, setEverything] = useState(false);
  const [labelling, setLabelling] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [busy, setBusy] = useState<number | null>(null);
  const which = JSON.stringify(filter);
  const [before, setBefore] = useState(which);
  if (before !== which) {
    setBefore(which);
    setPage(1);
  }
  const shown = before === which ? page : 1;
  const pages = useResource((signal) => readPages(id, filter, shown, limit, signal), [id, which, shown]);
  useEffect(() => {
    if (version) void pages.again();
  }, [version]);
  const list = pages.value.value;
  // Its last row has gone.
  if (list && shown > list.last_page) setPage(list.last_page);
  const choice = useChoice(list?.data.map((row) => row.id) ?? [], [which, shown]);
  // Who has taken one row out, or sees another list, chooses again.
  if (everything && list && !choice.isAll) setEverything(false);
  const all = everything && choice.isAll;
  const count = all ? (list?.total ?? 0) : choice.ids.length;
  const chosen = all ? filter : { page_ids: choice.ids };

  async function change(action: "delete" | "reindex") {
    setBusy(0);
    const { done, skipped, page_ids } = await changeMany(id, action, chosen, setBusy).finally(() => setBusy(null));
    choice.none();
    setEverything(false);
    if (action === "delete") await tellDeleted(id, page_ids, w.documentsDeleted(done), onChanged);
    else if (done || !skipped) tell(w.requeued(done));
    else tell(w.noneReadAgain, undefined, 7000);
    contentCame();
    void readStats(id).catch(() => {});
    onChanged();
  }
  return (
    <Loaded from={pages}>
      {(value) => (
        <>
          <Table
            list={value}
            onPage={setPage}
            idOf={(row) => row.id}
            choice={{ ...choice, nameOf: (row) => row.title }}
            chosen={all ? count : undefined}
            bulk={
              <>
                {choice.isAll && value.total > value.data.length && !all && (
                  <Button kind="quiet" onClick={() => setEverything(true)}>
                    {w.chooseEverything(value.total)}
                  </Button>
                )}
                <Button icon="refresh" busy={busy !== null} onClick={() => void attempt(() => change("reindex"))}>
                  {busy ? w.doneSoFar(busy) : w.readAgain}
                </Button>
                {hasFeature("labels") && !all && (
                  <Button icon="label" onClick={() => setLabelling(true)}>
                    {w.labels}
                  </Button>
                )}
                <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
                  {w.delete}
                </Button>
              </>
            }
            empty={empty}
            columns={[
              {
                title: w.document,
                kind: "what",
                cell: (row) => (
                  <>
                    <button dir="auto" title={row.title} onClick={() => goQuery({ document: row.id })}>
                      {row.title}
                    </button>
                    <small>
                      <span class="kind">{kindOf(row)}</span> {origin ? origin(row) : under(row)}
                    </small>
                    {row.status_reason && row.index_status !== "ok" && <small>{reasonOf(row)}</small>}
                    <span class="remedy">
                      <ReadWithOption id={id} page={row} onRead={onChanged} />
                    </span>
                  </>
                ),
              },
              {
                title: w.state,
                cell: (row) => (
                  <>
                    <span class={`badge ${tones[row.index_status]}`}>{w.status[row.index_status]}</span>
                    {row.is_review_due && (
                      <>
                        {" "}
                        <span class="badge warn">{w.improve.reviewDue}</span>
                      </>
                    )}
                  </>
                ),
              },
              {
                title: w.size,
                kind: "num right aside-column",
                cell: (row) => (row.words ? w.words(row.words) : row.filesize ? bytes(row.filesize) : ""),
              },
              { title: w.cited, kind: "num right", cell: (row) => (row.cited ? w.citedTimes(row.cited) : "–") },
              { title: w.changed, kind: "num aside-column", cell: (row) => ago(row.updated_at) },
            ]}
          />
          {labelling && (
            <LabelMany
              id={id}
              pages={choice.ids}
              onClose={() => {
                setLabelling(false);
                choice.none();
              }}
            />
          )}
          {deleting && (
            <Confirm
              title={w.deleteDocuments(count)}
              action={w.delete}
              onClose={() => setDeleting(false)}
              onConfirm={() => change("delete")}
            >
              <p>{w.deleteDocumentsText}</p>
            </Confirm>
          )}
        </>
      )}
    </Loaded>
  );
}

/** Whence a document is, in a word. */
export const originOf = (page: ContentPage) => (page.is_file ? (page.filename ?? "") : host(page.page_url));
