import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Note } from "../components/Note";
import { post, put } from "../lib/api";
import { tell } from "../lib/state";
import type { Label } from "../lib/types";
import { w } from "../words/dashboard";

interface EditLabelProps {
  id: number;
  label?: Label;
  /** `saved`: the label as it is now, if anything was kept. */
  onClose: (saved?: Label) => void;
}

/** A label's name and its users; a new one without `label`. */
export function EditLabel({ id, label, onClose }: EditLabelProps) {
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
      onClose(at);
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Dialog
      title={label ? label.name : w.newLabel}
      onClose={() => onClose()}
      onSubmit={() => void save()}
      footer={
        <>
          <Button onClick={() => onClose()}>{w.cancel}</Button>
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
