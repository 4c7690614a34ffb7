import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Empty } from "../components/Empty";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, post, remove } from "../lib/api";
import { useResource } from "../lib/resource";
import { location_ } from "../lib/router";
import { hasFeature, tell } from "../lib/state";
import type { Label, List } from "../lib/types";
import { w } from "../words/dashboard";
import { EditLabel } from "./EditLabel";

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
                  <p>{w.labelsNoneText}</p>
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
        <EditLabel
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
