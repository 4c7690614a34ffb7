import { useState } from "preact/hooks";
import { AddContent } from "../components/AddContent";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { DropZone } from "../components/DropZone";
import { Empty } from "../components/Empty";
import { ReadWithOption, reasonOf } from "../components/FailedReason";
import { Loaded } from "../components/Loaded";
import { Live, Reading, useProgress } from "../components/Reading";
import { SearchField } from "../components/SearchField";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, post, remove } from "../lib/api";
import { useChoice } from "../lib/choice";
import { ago, bytes, number, percent } from "../lib/format";
import { useResource } from "../lib/resource";
import { goQuery, location_ } from "../lib/router";
import { attempt, hasFeature, progress, readStats, tell } from "../lib/state";
import type { List, Page, Status } from "../lib/types";
import { uploadFiles } from "../lib/uploads";
import { w } from "../words/dashboard";
import DocumentSheet from "./DocumentSheet";
import { LabelMany } from "./LabelMany";

const kinds: Record<Status, string> = { ok: "ok", failed: "bad", limited: "warn", queued: "accent", "n/a": "" };

function StatusBadge({ page }: { page: Page }) {
  const status = page.index_status;
  return <span class={`badge ${kinds[status]}`}>{w.status[status]}</span>;
}

const nameOf = (page: Page) => page.filename ?? page.page_url;

const filters = ["", "queued", "ok", "failed", "limited"] as const;

/** Runs one after the other, a few at a time, and tells how many went through. */
async function each(ids: number[], run: (id: number) => Promise<unknown>): Promise<{ done: number; failed: string[] }> {
  let done = 0;
  const failed: string[] = [];
  const queue = [...ids];
  await Promise.all(
    Array.from({ length: 4 }, async () => {
      for (let id = queue.shift(); id !== undefined; id = queue.shift())
        try {
          await run(id);
          done++;
        } catch (error) {
          failed.push((error as Error).message);
        }
    }),
  );
  return { done, failed };
}

export default function Documents({ id }: { id: number }) {
  const { query } = location_.value;
  const search = query.get("search") ?? "",
    status = query.get("status") ?? "",
    page = Number(query.get("page") ?? 1),
    open = Number(query.get("document") ?? 0);
  const [adding, setAdding] = useState(false);
  const [labelling, setLabelling] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const [share, setShare] = useState<number | null>(null);
  const pages = useResource(
    async (signal) =>
      (
        await get<{ pages: List<Page> }>(
          `/projects/${id}/pages`,
          { search, index_status: status, page, limit: 50 },
          signal,
        )
      ).pages,
    [id, search, status, page],
  );
  useProgress(id, () => void pages.again());

  const rows = pages.value.value?.data ?? [];
  const choice = useChoice(
    rows.map((row) => row.id),
    [id, search, status, page],
  );
  const now = progress.value;
  const counts: Record<string, number | undefined> = {
    "": now?.total,
    queued: now?.queued,
    ok: now?.done,
    failed: now?.failed,
  };

  async function drop(files: File[]) {
    if (!files.length) return;
    setShare(0);
    await attempt(async () => {
      await uploadFiles(id, files, setShare);
      tell(w.filesAdded(files.length));
    });
    setShare(null);
    await pages.again();
  }
  async function many(run: (page: number) => Promise<unknown>, told: (n: number) => string) {
    const { done, failed } = await each(choice.ids, run);
    choice.none();
    if (done) tell(told(done));
    if (failed[0]) tell(failed[0], undefined, 7000);
    void readStats(id).catch(() => {});
    await pages.again();
  }

  return (
    <Screen
      title={w.documentsTitle}
      aside={<Live />}
      actions={
        <>
          <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
            {w.addContent}
          </Button>
        </>
      }
    >
      <div class="column">
        {share === null ? (
          <DropZone compact={now?.total !== 0} onFiles={(files) => void drop(files)} />
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
        <div class="split">
          <SearchField
            label={w.searchDocuments}
            value={search}
            onSearch={(text) => goQuery({ search: text, page: null }, { replace: true })}
          />
          <span class="chips" role="group" aria-label={w.filter}>
            {filters.map((filter) => (
              <button
                key={filter}
                class="chip"
                aria-pressed={status === filter}
                onClick={() => goQuery({ status: filter, page: null }, { replace: true })}
              >
                {filter ? w.status[filter] : w.all}
                {filter !== "limited" && <b class="num">{now ? number(counts[filter]!) : ""}</b>}
              </button>
            ))}
          </span>
        </div>
        <Loaded from={pages}>
          {(list) => (
            <Table
              list={list}
              idOf={(row) => row.id}
              choice={{ ...choice, nameOf }}
              bulk={
                <>
                  <Button
                    icon="refresh"
                    onClick={() => void many((page) => post(`/projects/${id}/pages/${page}/reindex`), w.requeued)}
                  >
                    {w.readAgain}
                  </Button>
                  {hasFeature("labels") && (
                    <Button icon="label" onClick={() => setLabelling(true)}>
                      {w.labels}
                    </Button>
                  )}
                  <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
                    {w.delete}
                  </Button>
                </>
              }
              empty={
                search || status ? (
                  <Empty icon="search" title={w.documentsNoMatch}>
                    <Button onClick={() => goQuery({ search: null, status: null, page: null })}>{w.showAll}</Button>
                  </Empty>
                ) : (
                  <Empty icon="document" title={w.documentsNoneTitle}>
                    <p>{w.documentsNoneText}</p>
                    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
                      {w.addContent}
                    </Button>
                  </Empty>
                )
              }
              columns={[
                {
                  title: w.document,
                  kind: "what",
                  cell: (row) => (
                    <>
                      <button title={nameOf(row)} onClick={() => goQuery({ document: row.id })}>
                        {nameOf(row)}
                      </button>
                      {row.status_reason && <small>{reasonOf(row)}</small>}
                      <span class="remedy">
                        <ReadWithOption id={id} page={row} onRead={() => void pages.again()} />
                      </span>
                    </>
                  ),
                },
                { title: w.state, cell: (row) => <StatusBadge page={row} /> },
                {
                  title: w.size,
                  kind: "num right aside-column",
                  cell: (row) => (row.filesize ? bytes(row.filesize) : ""),
                },
                { title: w.changed, kind: "num aside-column", cell: (row) => ago(row.updated_at) },
              ]}
            />
          )}
        </Loaded>
      </div>
      {adding && (
        <AddContent
          id={id}
          onClose={() => {
            setAdding(false);
            void pages.again();
          }}
        />
      )}
      {open > 0 && (
        <DocumentSheet
          key={open}
          id={id}
          pageId={open}
          page={rows.find((row) => row.id === open)}
          onClose={() => goQuery({ document: null }, { replace: true })}
          onChanged={() => void pages.again()}
        />
      )}
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
          title={w.deleteDocuments(choice.ids.length)}
          action={w.delete}
          onClose={() => setDeleting(false)}
          onConfirm={() => many((page) => remove(`/projects/${id}/pages/${page}`), w.documentsDeleted)}
        >
          <p>{w.deleteDocumentsText}</p>
        </Confirm>
      )}
    </Screen>
  );
}
