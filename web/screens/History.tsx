import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Loaded } from "../components/Loaded";
import { saveSettings, type FieldInfo } from "../components/SettingsForm";
import { get } from "../lib/api";
import { choiceName, titleOf } from "../lib/fields";
import { dateTime } from "../lib/format";
import { seesAudit } from "../lib/people";
import { useResource } from "../lib/resource";
import { attempt, tell } from "../lib/state";
import type { List } from "../lib/types";
import { w } from "../words/dashboard";

/** So many changes are shown. */
const ROWS = 50;
/** So long a text may be that the log keeps whole. */
const WHOLE = 200;

interface Row {
  at: string;
  person_id: number | null;
  key_id: number | null;
  outcome: string;
  changes: Record<string, [unknown, unknown]> | null;
  node: number;
  number: number;
}

const isWhole = (value: unknown) => (typeof value === "string" ? value : JSON.stringify(value)).length < WHOLE;

function sayValue(field: string, value: unknown): string {
  if (value === null || value === undefined || value === "") return w.historyEmpty;
  if (typeof value === "boolean") return value ? w.historyOn : w.historyOff;
  if (typeof value === "string") return w.quoted(choiceName(field, value)) + (isWhole(value) ? "" : " …");
  return Array.isArray(value) ? value.join(", ") : String(value);
}

function Changes({ id, onBack }: { id: number; onBack: () => void }) {
  const [busy, setBusy] = useState("");
  const read = useResource(
    async (signal) => {
      const [rows, schema, people] = await Promise.all([
        get<List<Row>>("/audit", { action: "settings.update", project_id: id, limit: ROWS }, signal),
        get<FieldInfo[]>(`/projects/${id}/settings/schema`, {}, signal),
        get<{ id: number; name: string }[]>("/people", {}, signal),
      ]);
      return {
        rows: rows.data.filter((row) => row.outcome === "done" && row.changes),
        fields: new Map(schema.map((info) => [info.name, info])),
        names: new Map(people.map((person) => [person.id, person.name])),
      };
    },
    [id],
  );
  async function takeBack(field: string, value: unknown, key: string) {
    setBusy(key);
    await attempt(async () => {
      const failed = Object.values(await saveSettings(id, { [field]: value }));
      if (failed.length) throw new Error(failed[0]!.join(" "));
      tell(w.saved);
      await read.again();
      onBack();
    });
    setBusy("");
  }
  return (
    <Loaded from={read}>
      {({ rows, fields, names }) =>
        rows.length ? (
          <ul class="deleted">
            {rows.flatMap((row) =>
              Object.entries(row.changes!).map(([field, [kept, after]]) => {
                const info = fields.get(field);
                // What was as it comes is not in the log.
                const before = kept ?? info?.default ?? null;
                const key = `${row.node}-${row.number}-${field}`;
                return (
                  <li class="split" key={key}>
                    <span>
                      <b>{titleOf(field)}</b>
                      <span dir="auto">{` ${w.historyFromTo(sayValue(field, before), sayValue(field, after))}`}</span>
                      <small>
                        {`${dateTime(row.at)} · ${
                          row.person_id ? (names.get(row.person_id) ?? w.historyPerson) : w.historyKey(row.key_id ?? 0)
                        }`}
                      </small>
                    </span>
                    {info && info.form !== "image" && !info.locked && isWhole(before) && (
                      <Button
                        icon="undo"
                        busy={busy === key}
                        label={`${w.takeBack}: ${titleOf(field)}`}
                        onClick={() => void takeBack(field, before, key)}
                      >
                        {w.takeBack}
                      </Button>
                    )}
                  </li>
                );
              }),
            )}
          </ul>
        ) : (
          <p>{w.historyNone}</p>
        )
      }
    </Loaded>
  );
}

/** Who changed which setting of the agent from what to what, for who may see the log; each can be taken back. */
export function History({ id, onBack }: { id: number; onBack: () => void }) {
  const [open, setOpen] = useState(false);
  if (!seesAudit()) return null;
  return (
    <>
      <Button icon="history" onClick={() => setOpen(true)}>
        {w.history}
      </Button>
      {open && (
        <Dialog title={w.history} sheet onClose={() => setOpen(false)}>
          <Changes id={id} onBack={onBack} />
        </Dialog>
      )}
    </>
  );
}
