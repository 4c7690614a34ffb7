import { useState } from "preact/hooks";
import { AddContent } from "../components/AddContent";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Dialog } from "../components/Dialog";
import { Empty } from "../components/Empty";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Live, useProgress } from "../components/Reading";
import { ReadingOptions } from "../components/ReadingOptions";
import { Screen } from "../components/Shell";
import { Toggle } from "../components/Toggle";
import { get, put, remove } from "../lib/api";
import { ofAddress, usual } from "../lib/reading";
import { ago, dateTime, number } from "../lib/format";
import { useResource } from "../lib/resource";
import { attempt, readStats, tell } from "../lib/state";
import { w } from "../words/dashboard";

interface Settings {
  data_refresh_frequency: string;
  create_new_pages: boolean;
  remove_unexist_pages: boolean;
  refresh_existing_pages: string;
  refresh_schedule: { days: number[]; hours: string[] }[];
  sitemap_path: string | null;
  executive_js: boolean;
  image_extraction_type: string;
  max_pages: number;
  max_depth: number;
  max_megabytes: number;
  max_minutes: number;
}

/** What one reading of a website may take: least and most. */
const limits = [
  ["max_pages", 1, 1000000],
  ["max_depth", 0, 1000],
  ["max_megabytes", 1, 1000000],
  ["max_minutes", 1, 525600],
] as const;

interface Source {
  id: number;
  type: string;
  settings: Settings;
  sync_status: string;
  sync_reason: string | null;
  synced_at: string | null;
  next_sync_at: string | null;
  /** What it was taken for, and how far its reading is; of the first hundred. */
  kind?: keyof typeof w.kinds;
  page_count?: number;
  pages_waiting?: number;
}

/** Beyond, pages are not counted. */
const COUNTED = 10000;

const frequencies = ["never", "daily", "weekly", "monthly", "advanced"];
const dayNames = () =>
  [...Array(7).keys()].map((day) =>
    new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "short", timeZone: "UTC" }).format(
      Date.UTC(2026, 1, 1 + day),
    ),
  );

/** When a source is read again, and what becomes of pages that come and go. */
function Schedule({ id, source, onClose }: { id: number; source: Source; onClose: () => void }) {
  const [values, setValues] = useState(source.settings);
  const [error, setError] = useState("");
  const rule = values.refresh_schedule[0] ?? { days: [], hours: [] };
  const [hours, setHours] = useState(rule.hours.join(", "));
  const setRule = (change: Partial<typeof rule>) =>
    setValues({ ...values, refresh_schedule: [{ ...rule, ...change }, ...values.refresh_schedule.slice(1)] });
  /** The rule that is shown, and those that other programs may have put behind it. */
  const schedule = () =>
    [{ ...rule, hours: hours.split(/[,\s]+/).filter(Boolean) }, ...values.refresh_schedule.slice(1)].filter(
      (item) => item.days.length && item.hours.length,
    );
  async function save() {
    try {
      const {
        data_refresh_frequency,
        create_new_pages,
        remove_unexist_pages,
        refresh_existing_pages,
        executive_js,
        image_extraction_type,
      } = values;
      await put(`/projects/${id}/sources/${source.id}`, {
        data_refresh_frequency,
        create_new_pages,
        remove_unexist_pages,
        refresh_existing_pages,
        executive_js,
        image_extraction_type,
        refresh_schedule: schedule(),
        ...Object.fromEntries(limits.map(([name]) => [name, values[name]])),
      });
      tell(w.saved);
      onClose();
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Dialog
      title={w.schedule}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit">
            {w.save}
          </Button>
        </>
      }
    >
      <Field label={w.readAgainEvery}>
        {(given) => (
          <select
            {...given}
            class="input"
            onChange={(e) => setValues({ ...values, data_refresh_frequency: e.currentTarget.value })}
          >
            {frequencies.map((each) => (
              <option key={each} value={each} selected={each === values.data_refresh_frequency}>
                {w.frequency[each as "never"]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {values.data_refresh_frequency === "advanced" && (
        <>
          <div class="field">
            <span class="label">{w.days}</span>
            <span class="chips" role="group" aria-label={w.days}>
              {dayNames().map((name, day) => (
                <button
                  key={day}
                  type="button"
                  class="chip"
                  aria-pressed={rule.days.includes(day)}
                  onClick={() =>
                    setRule({
                      days: rule.days.includes(day) ? rule.days.filter((d) => d !== day) : [...rule.days, day].sort(),
                    })
                  }
                >
                  {name}
                </button>
              ))}
            </span>
          </div>
          <Field label={w.hours} help={w.hoursHelp}>
            {(given) => (
              <input
                {...given}
                class="input"
                placeholder="06:00, 18:30"
                value={hours}
                onInput={(e) => setHours(e.currentTarget.value)}
              />
            )}
          </Field>
        </>
      )}
      <Toggle
        label={w.createNew}
        checked={values.create_new_pages}
        onChange={(on) => setValues({ ...values, create_new_pages: on })}
      />
      <Toggle
        label={w.removeGone}
        checked={values.remove_unexist_pages}
        onChange={(on) => setValues({ ...values, remove_unexist_pages: on })}
      />
      <Field label={w.refreshExisting}>
        {(given) => (
          <select
            {...given}
            class="input"
            onChange={(e) => setValues({ ...values, refresh_existing_pages: e.currentTarget.value })}
          >
            {["never", "always", "if_updated"].map((each) => (
              <option key={each} value={each} selected={each === values.refresh_existing_pages}>
                {w.refresh[each as "never"]}
              </option>
            ))}
          </select>
        )}
      </Field>
      <ReadingOptions
        names={ofAddress}
        values={{ ...usual, ...values }}
        onChange={(name, value) => setValues({ ...values, [name]: value })}
      />
      <details>
        <summary>{w.websiteLimits}</summary>
        <div class="options">
          {limits.map(([name, min, max]) => (
            <Field key={name} label={w.limits[name]}>
              {(given) => (
                <input
                  {...given}
                  class="input short"
                  type="number"
                  min={min}
                  max={max}
                  value={values[name]}
                  onInput={(e) => setValues({ ...values, [name]: Number(e.currentTarget.value) })}
                />
              )}
            </Field>
          ))}
        </div>
      </details>
      {error && <Note kind="bad">{error}</Note>}
    </Dialog>
  );
}

function Card({ id, source, onChanged }: { id: number; source: Source; onChanged: () => void }) {
  const [planning, setPlanning] = useState(false);
  const [deleting, setDeleting] = useState(false);
  const address = source.settings.sitemap_path ?? "";
  const status = source.sync_status;
  const known = source.page_count,
    waits = source.pages_waiting ?? 0;
  const reads = status === "queued" && known !== undefined && waits > 0;
  const frequency = source.settings.data_refresh_frequency;
  return (
    <section class="card source">
      <div class="split">
        <b title={address}>{address}</b>
        <span
          class={`badge ${status === "failed" ? "bad" : status === "queued" ? "accent" : status === "ok" ? "ok" : ""}`}
        >
          {w.syncStatus[status as "ok"] ?? status}
        </span>
        <span class="space" />
        <Button
          icon="refresh"
          onClick={() =>
            void attempt(async () => {
              await put(`/projects/${id}/sources/${source.id}/instant-sync`);
              tell(w.syncing);
              onChanged();
            })
          }
        >
          {w.syncNow}
        </Button>
        <Button icon="history" onClick={() => setPlanning(true)}>
          {w.schedule}
        </Button>
        <Button kind="quiet" icon="trash" label={`${w.delete} ${address}`} onClick={() => setDeleting(true)} />
      </div>
      {reads ? (
        <>
          <p class="lead">{w.pagesBeingRead(known, waits)}</p>
          <div class="bar">
            <i style={{ width: `${((known - waits) / Math.max(1, known)) * 100}%` }} />
          </div>
        </>
      ) : (
        source.sync_reason && <Note kind={status === "failed" ? "bad" : "warn"}>{source.sync_reason}</Note>
      )}
      <dl class="facts-grid num">
        <dt>{w.kind}</dt>
        <dd>{source.kind ? w.kinds[source.kind] : "–"}</dd>
        <dt>{w.readAgainEvery}</dt>
        <dd>{w.frequency[frequency as "never"] ?? frequency}</dd>
        <dt>{w.lastRead}</dt>
        <dd>
          {reads ? (
            w.lastReadNow
          ) : source.synced_at ? (
            <span title={dateTime(source.synced_at)}>{ago(source.synced_at)}</span>
          ) : (
            w.never
          )}
        </dd>
        <dt>{w.nextRead}</dt>
        <dd>
          {source.next_sync_at ? (
            <span title={dateTime(source.next_sync_at)}>{ago(source.next_sync_at)}</span>
          ) : (
            w.notPlanned
          )}
        </dd>
        <dt>{w.documentsTitle}</dt>
        <dd>{known === undefined ? "–" : known > COUNTED ? w.atLeast(COUNTED) : number(known)}</dd>
      </dl>
      {planning && (
        <Schedule
          id={id}
          source={source}
          onClose={() => {
            setPlanning(false);
            onChanged();
          }}
        />
      )}
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
          <p>{w.deleteSourceText(address)}</p>
        </Confirm>
      )}
    </section>
  );
}

export default function Sources({ id }: { id: number }) {
  const sources = useResource((signal) => get<{ sitemaps: Source[] }>(`/projects/${id}/sources`, {}, signal), [id]);
  const [adding, setAdding] = useState(false);
  useProgress(id, () => void sources.again());
  const add = (
    <Button kind="primary" icon="add" onClick={() => setAdding(true)}>
      {w.addContent}
    </Button>
  );
  return (
    <Screen title={w.sources} aside={<Live />} actions={add}>
      <div class="column">
        <p class="lead">{w.sourcesText}</p>
        <Loaded from={sources}>
          {({ sitemaps }) =>
            sitemaps.length ? (
              <>
                {sitemaps.map((source) => (
                  <Card key={source.id} id={id} source={source} onChanged={() => void sources.again()} />
                ))}
              </>
            ) : (
              <Empty icon="globe" title={w.sourcesNone}>
                <p>{w.sourcesNoneText}</p>
                {add}
              </Empty>
            )
          }
        </Loaded>
      </div>
      {adding && (
        <AddContent
          id={id}
          onClose={() => {
            setAdding(false);
            void sources.again();
          }}
        />
      )}
    </Screen>
  );
}
