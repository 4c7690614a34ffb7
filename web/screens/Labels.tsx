import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Dialog } from "../components/Dialog";
import { Empty } from "../components/Empty";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, post, put, remove } from "../lib/api";
import { useResource } from "../lib/resource";
import { location_ } from "../lib/router";
import { hasFeature, tell } from "../lib/state";
import type { Label, List } from "../lib/types";
import { w } from "../words/dashboard";

/** A label's name and its users; a new one without `label`. */
function Edit({ id, label, onClose }: { id: number; label?: Label; onClose: () => void }) {
  const [name, setName] = useState(label?.name ?? "");
  const [users, setUsers] = useState((label?.users ?? []).join("\n"));
  const [error, setError] = useState("");
  async function save() {
    try {
      let at = label;
      if (!at) [at] = await post<Label[]>(`/projects/${id}/labels`, { names: [name.trim()] });
      else if (name.trim() !== at.name) await put(`/projects/${id}/labels/${at.id}`, { name: name.trim() });
      const list = users
        .split("\n")
        .map((line) => line.trim())
        .filter(Boolean);
      if (at && list.join() !== at.users.join())
        await put(`/projects/${id}/labels`, { labels: [{ id: at.id, users: list }] });
      tell(w.saved);
      onClose();
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Dialog
      title={label ? label.name : w.newLabel}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" disabled={!name.trim()}>
            {w.save}
          </Button>
        </>
      }
    >
      <Field label={w.name} help={w.labelNameHelp} aside={`${[...name].length} / 20`}>
        {(given) => (
          <input {...given} class="input" maxLength={20} value={name} onInput={(e) => setName(e.currentTarget.value)} />
        )}
      </Field>
      <Field label={w.labelUsers} help={`${w.labelUsersHelp} ${w.onePerLine}`}>
        {(given) => (
          <textarea {...given} class="input" value={users} onInput={(e) => setUsers(e.currentTarget.value)} />
        )}
      </Field>
      {error && <Note kind="bad">{error}</Note>}
    </Dialog>
  );
}

export default function Labels({ id }: { id: number }) {
  const page = Number(location_.value.query.get("page") ?? 1);
  const labels = useResource(
    (signal) => get<List<Label>>(`/projects/${id}/labels`, { page, limit: 50 }, signal),
    [id, page],
  );
  const [editing, setEditing] = useState<Label | "new" | null>(null);
  const [doomed, setDoomed] = useState<Label | null>(null);
  const create = (
    <Button kind="primary" icon="add" onClick={() => setEditing("new")}>
      {w.newLabel}
    </Button>
  );
  if (!hasFeature("labels"))
    return (
      <Screen title={w.labels}>
        <Note kind="warn">{w.needsPlan(w.labels)}</Note>
      </Screen>
    );
  return (
    <Screen title={w.labels} actions={create}>
      <div class="column">
        <p class="lead">{w.labelsText}</p>
        <Loaded from={labels}>
          {(list) => (
            <Table
              list={list}
              idOf={(label) => label.id}
              empty={
                <Empty icon="label" title={w.labelsNone}>
                  {create}
                </Empty>
              }
              columns={[
                {
                  title: w.name,
                  kind: "what",
                  cell: (label) => <button onClick={() => setEditing(label)}>{label.name}</button>,
                },
                {
                  title: w.labelUsers,
                  cell: (label) => label.users.join(", ") || <span class="lead">{w.none}</span>,
                },
              ]}
              actions={(label) => (
                <Button
                  kind="quiet"
                  icon="trash"
                  label={`${w.delete} ${label.name}`}
                  onClick={() => setDoomed(label)}
                />
              )}
            />
          )}
        </Loaded>
      </div>
      {editing && (
        <Edit
          id={id}
          label={editing === "new" ? undefined : editing}
          onClose={() => {
            setEditing(null);
            void labels.again();
          }}
        />
      )}
      {doomed && (
        <Confirm
          title={w.deleteLabel(doomed.name)}
          action={w.delete}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await remove(`/projects/${id}/labels/${doomed.id}`);
            await labels.again();
            tell(w.deleted, {
              label: w.undo,
              run: () => void post(`/projects/${id}/labels`, { names: [doomed.name] }).then(() => labels.again()),
            });
          }}
        >
          <p>{w.deleteLabelText}</p>
        </Confirm>
      )}
    </Screen>
  );
}
