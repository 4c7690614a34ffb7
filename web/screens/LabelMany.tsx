import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Loaded } from "../components/Loaded";
import { get, put } from "../lib/api";
import { useResource } from "../lib/resource";
import { attempt, tell } from "../lib/state";
import type { Label, List } from "../lib/types";
import { w } from "../words/dashboard";
import { EditLabel } from "./EditLabel";

/** Gives all chosen documents the same labels. */
export function LabelMany({ id, pages, onClose }: { id: number; pages: number[]; onClose: () => void }) {
  const labels = useResource(
    async (signal) => {
      const [{ data }, own] = await Promise.all([
        get<List<Label>>(`/projects/${id}/labels`, { limit: 100 }, signal),
        pages.length === 1 ? get<Label[]>(`/projects/${id}/pages/${pages[0]}/labels`, {}, signal) : [],
      ]);
      return { data, own: own.map((label) => label.id) };
    },
    [id],
  );
  /** null: as they are. */
  const [changed, setChosen] = useState<number[] | null>(null);
  const [isMaking, setMaking] = useState(false);
  const chosen = changed ?? labels.value.value?.own ?? [];
  const save = () =>
    attempt(async () => {
      for (const page of pages) await put(`/projects/${id}/pages/${page}/labels`, { label_ids: chosen });
      tell(w.saved);
      onClose();
    });
  if (isMaking)
    return (
      <EditLabel
        id={id}
        onClose={(made) => {
          setMaking(false);
          if (!made) return;
          setChosen([...chosen, made.id]);
          void labels.again();
        }}
      />
    );
  const create = (
    <Button icon="add" onClick={() => setMaking(true)}>
      {w.newLabel}
    </Button>
  );
  return (
    <Dialog
      title={w.labelsOf(pages.length)}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" disabled={!labels.value.value?.data.length}>
            {w.save}
          </Button>
        </>
      }
    >
      <p class="lead">{w.labelsHelp}</p>
      <Loaded from={labels}>
        {({ data }) =>
          data.length ? (
            <span class="chips">
              {data.map((label) => (
                <button
                  key={label.id}
                  type="button"
                  class="chip"
                  aria-pressed={chosen.includes(label.id)}
                  onClick={() =>
                    setChosen(chosen.includes(label.id) ? chosen.filter((l) => l !== label.id) : [...chosen, label.id])
                  }
                >
                  {label.name}
                </button>
              ))}
            </span>
          ) : (
            <p>
              {w.labelsNone} {w.labelsNoneText}
            </p>
          )
        }
      </Loaded>
      <span class="buttons">{create}</span>
    </Dialog>
  );
}
