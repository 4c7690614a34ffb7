import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import type { Deleted as One } from "../lib/deleted";
import { ago, dateTime, number } from "../lib/format";
import { useResource } from "../lib/resource";
import { attempt, tell } from "../lib/state";
import { w } from "../words/dashboard";

/** In place of an id: all of them. */
const ALL = -1;

interface Props {
  read: (signal: AbortSignal) => Promise<{ rows: One[]; total: number }>;
  restore: (id: number) => Promise<unknown>;
  /** Where all may come back at once; how many did. */
  restoreAll?: () => Promise<number>;
  /** Where one may be deleted for good before its time. */
  forget?: (id: number) => Promise<unknown>;
  onChanged: () => void;
  /** Grows when something has changed elsewhere. */
  version?: number;
}

/** What was deleted and can be taken back; nothing where there is none. */
export function Deleted({ read, restore, restoreAll, forget, onChanged, version = 0 }: Props) {
  const [doomed, setDoomed] = useState<One | null>(null);
  const [busy, setBusy] = useState(0);
  const deleted = useResource(read, []);
  useEffect(() => {
    if (version) void deleted.again();
  }, [version]);
  const list = deleted.value.value;
  if (!list?.rows.length) return null;
  async function back(one: One) {
    setBusy(one.id);
    await attempt(async () => {
      await restore(one.id);
      tell(w.isBack(one.name));
      onChanged();
    });
    setBusy(0);
    void deleted.again();
  }
  async function allBack() {
    setBusy(ALL);
    await attempt(async () => tell(w.documentsBack(await restoreAll!())));
    setBusy(0);
    onChanged();
    void deleted.again();
  }
  return (
    <details class="card padded">
      <summary>
        {w.recentlyDeleted} <span class="lead num">{number(list.total)}</span>
      </summary>
      {restoreAll && list.total > 1 && (
        <Button icon="undo" busy={busy === ALL} onClick={() => void allBack()}>
          {w.takeAllBack(list.total)}
        </Button>
      )}
      <ul class="deleted">
        {list.rows.map((one) => (
          <li key={one.id} class="split">
            <span>
              <b dir="auto">{one.name}</b>
              <small>{w.deletedWhen(ago(one.deleted_at), dateTime(one.gone_at))}</small>
            </span>
            <span class="buttons">
              <Button icon="undo" busy={busy === one.id} onClick={() => void back(one)}>
                {w.takeBack}
              </Button>
              {forget && (
                <Button
                  kind="quiet"
                  icon="trash"
                  label={`${w.deleteForGood}: ${one.name}`}
                  onClick={() => setDoomed(one)}
                />
              )}
            </span>
          </li>
        ))}
      </ul>
      {doomed && (
        <Confirm
          title={w.deleteForGood}
          action={w.deleteForGood}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await forget!(doomed.id);
            tell(w.deleted);
            void deleted.again();
          }}
        >
          <p>{w.deleteForGoodText(doomed.name)}</p>
        </Confirm>
      )}
    </details>
  );
}
