import { useState } from "preact/hooks";
import { put } from "../lib/api";
import type { Source } from "../lib/content";
import { ofAddress, usual } from "../lib/reading";
import { tell } from "../lib/state";
import { w } from "../words/dashboard";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Note } from "../components/Note";
import { ReadingOptions } from "../components/ReadingOptions";
import { Toggle } from "../components/Toggle";
import { ReviewDate } from "./ReviewDate";

/** What one reading of a website may take: least and most. */
const limits = [
  ["max_pages", 1, 1000000],
  ["max_depth", 0, 1000],
  ["max_megabytes", 1, 1000000],
  ["max_minutes", 1, 525600],
] as const;

const frequencies = ["never", "daily", "weekly", "monthly", "advanced"];
const dayNames = () =>
  [...Array(7).keys()].map((day) =>
    new Intl.DateTimeFormat(document.documentElement.lang, { weekday: "short", timeZone: "UTC" }).format(
      Date.UTC(2026, 1, 1 + day),
    ),
  );

/** When a source is read again, and what becomes of pages that come and go. */
export function Schedule({
  id,
  source,
  limitsOpen,
  onSaved,
  onClose,
}: {
  id: number;
  source: Source;
  /** Begins with what a reading may take. */
  limitsOpen?: boolean;
  onSaved: () => void;
  onClose: () => void;
}) {
  const [values, setValues] = useState(source.settings);
  const [reviewAt, setReviewAt] = useState(source.review_at?.slice(0, 10) ?? "");
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
        ...(reviewAt !== (source.review_at?.slice(0, 10) ?? "") && { review_at: reviewAt || null }),
        ...Object.fromEntries(limits.map(([name]) => [name, values[name]])),
      });
      tell(w.saved);
      onSaved();
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
      <ReviewDate value={reviewAt} help={w.improve.dueHelp} onChange={setReviewAt} />
      <details open={limitsOpen}>
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
