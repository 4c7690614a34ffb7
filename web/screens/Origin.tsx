import { useState } from "preact/hooks";
import { readSourceNow, type Content, type Filter, type Source } from "../lib/content";
import { remove } from "../lib/api";
import { ago, dateTime } from "../lib/format";
import { attempt, readStats, tell } from "../lib/state";
import { contentCame } from "../lib/uploads";
import { w } from "../words/dashboard";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Dialog } from "../components/Dialog";
import { DocumentRows } from "./DocumentRows";
import { Note } from "../components/Note";
import { Schedule } from "./Schedule";
import { sayReason } from "../lib/say";

const ROWS = 10;
/** What a row takes at least: the place of those that are to come is kept, so that nothing below moves. */
const ROW_PX = 50;
/** Beyond, pages are not counted. */
const COUNTED = 10000;

interface Props {
  id: number;
  /** Documents that are expected. */
  rows: number;
  content: Content;
  /** None: files that were uploaded. */
  source?: Source;
  sort: string;
  open: boolean;
  version: number;
  onChanged: () => void;
}

/** Addresses that were not read, each with why: nobody can mend them here, so they stand apart. */
function DeadLinks({
  id,
  filter,
  version,
  onClose,
  onChanged,
}: { id: number; filter: Filter; version: number } & Closing) {
  return (
    <Dialog sheet title={w.deadTitle} onClose={onClose}>
      <p class="lead">{w.deadText}</p>
      <DocumentRows id={id} filter={filter} limit={25} version={version} onChanged={onChanged} />
    </Dialog>
  );
}
interface Closing {
  onClose: () => void;
  onChanged: () => void;
}

function SourceActions({ id, source, onChanged }: { id: number; source: Source; onChanged: () => void }) {
  const [planning, setPlanning] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const frequency = source.settings.data_refresh_frequency;
  return (
    <span class="buttons">
      <Button
        icon="refresh"
        onClick={() =>
          void attempt(async () => {
            await readSourceNow(id, source.id);
            tell(w.syncing);
            contentCame();
            onChanged();
          })
        }
      >
        {w.syncNow}
      </Button>
      <Button icon="history" onClick={() => setPlanning(true)}>
        {`${w.readAgainEvery}: ${w.frequency[frequency as "never"] ?? frequency}`}
      </Button>
      <Button
        kind="quiet"
        icon="trash"
        label={`${w.delete} ${source.settings.sitemap_path ?? ""}`}
        onClick={() => setDeleting(true)}
      />
      {planning && <Schedule id={id} source={source} onSaved={onChanged} onClose={() => setPlanning(false)} />}
      {deleting && (
        <Confirm
          title={w.deleteSource}
          action={w.delete}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await remove(`/projects/${id}/sources/${source.id}`);
            tell(w.deleted);
            void readStats(id).catch(() => {});
            onChanged();
          }}
        >
          <p>{w.deleteSourceText(source.settings.sitemap_path ?? "")}</p>
        </Confirm>
      )}
    </span>
  );
}

/** What one origin has, in a line. */
function figures(content: Content, source?: Source): string {
  const counts = content.origins.find((origin) => origin.source_id === (source?.id ?? content.uploads_id));
  if (!source) return "";
  const known = source.page_count ?? 0;
  const read = Math.max(0, known - (counts?.unread ?? 0) - (counts?.amiss ?? 0) - (counts?.waiting ?? 0));
  return [
    source.kind && w.kinds[source.kind],
    known > COUNTED ? w.atLeast(COUNTED) : w.pagesRead(read),
    source.sync_status === "queued" && known && source.pages_waiting
      ? w.pagesBeingRead(known, source.pages_waiting)
      : source.synced_at
        ? `${w.lastRead} ${ago(source.synced_at)}`
        : "",
  ]
    .filter(Boolean)
    .join(" · ");
}

/** The documents of one origin: of the uploads, or of an address with what can be done with it. */
export function Origin({ id, rows, content, source, sort, open, version, onChanged }: Props) {
  const [isOpen, setOpen] = useState(open);
  const [dead, setDead] = useState(false);
  const source_id = source?.id ?? content.uploads_id;
  const unread = content.origins.find((origin) => origin.source_id === source_id)?.unread ?? 0;
  const title = source ? (source.settings.sitemap_path ?? "").replace(/^https?:\/\//, "").replace(/\/$/, "") : "";
  return (
    <section class={`card origin ${source ? "source" : ""}`} aria-label={title || w.uploadedFiles}>
      <header>
        <button
          class="fold"
          aria-expanded={isOpen}
          title={source?.synced_at ? dateTime(source.synced_at) : undefined}
          onClick={() => setOpen(!isOpen)}
        >
          <h2>{title || w.uploadedFiles}</h2>
          <small class="num">{figures(content, source)}</small>
        </button>
        {source && <SourceActions id={id} source={source} onChanged={onChanged} />}
      </header>
      {source?.sync_reason && source.sync_status === "limited" && <Note kind="warn">{sayReason(source)}</Note>}
      {isOpen && (
        <div style={{ minHeight: `${Math.min(ROWS, rows) * ROW_PX}px` }}>
          <DocumentRows
            id={id}
            filter={{ source_id, sort }}
            limit={ROWS}
            version={version}
            onChanged={onChanged}
            empty={<p class="lead padded">{w.nothingReadYet}</p>}
          />
        </div>
      )}
      {unread > 0 && (
        <p class="dead">
          {w.deadLinks(unread)}{" "}
          <Button kind="quiet" onClick={() => setDead(true)}>
            {w.deadShow}
          </Button>
        </p>
      )}
      {dead && (
        <DeadLinks
          id={id}
          filter={{ source_id, state: "unread" }}
          version={version}
          onClose={() => setDead(false)}
          onChanged={onChanged}
        />
      )}
    </section>
  );
}
