import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";
import { attempt } from "../lib/state";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Field } from "./Field";

interface Props {
  title: string;
  action: string;
  children: ComponentChildren;
  /** What has to be typed first, for what is lost for good. */
  typed?: string;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
}

/** Asks before something is lost. */
export function Confirm({ title, action, children, typed, onConfirm, onClose }: Props) {
  const [busy, setBusy] = useState(false);
  const [text, setText] = useState("");
  const blocked = typed !== undefined && text.trim() !== typed.trim();
  const confirm = async () => {
    if (blocked || busy) return;
    setBusy(true);
    if (await attempt(onConfirm)) onClose();
    else setBusy(false);
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      onSubmit={() => void confirm()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="danger" type="submit" busy={busy} disabled={blocked}>
            {action}
          </Button>
        </>
      }
    >
      {children}
      {typed !== undefined && (
        <Field label={w.name}>
          {(given) => (
            <input
              {...given}
              class="input"
              value={text}
              placeholder={typed}
              onInput={(e) => setText(e.currentTarget.value)}
            />
          )}
        </Field>
      )}
    </Dialog>
  );
}
