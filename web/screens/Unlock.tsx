import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { ApiError, post } from "../lib/api";
import { tell } from "../lib/state";
import { contentCame } from "../lib/uploads";
import { w } from "../words/dashboard";

interface Props {
  id: number;
  /** Those that are locked: one password may open several. */
  pages: number[];
  onChanged: () => void;
}

/** Opens each that the password fits; those that it does not stay as they are. */
async function openAll(id: number, pages: number[], password: string) {
  let opened = 0;
  let refusal: ApiError | null = null;
  for (const page of pages)
    try {
      await post(`/projects/${id}/pages/${page}/unlock`, { password });
      opened++;
    } catch (failure) {
      if (!(failure instanceof ApiError) || failure.status !== 400) throw failure;
      refusal = failure;
    }
  return { opened, refusal };
}

function PasswordDialog({ id, pages, onChanged, onClose }: Props & { onClose: () => void }) {
  const [password, setPassword] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const open = async () => {
    if (busy || !password) return;
    setBusy(true);
    setError("");
    try {
      const { opened, refusal } = await openAll(id, pages, password);
      if (opened) {
        tell(w.unlocked(opened));
        contentCame();
        onChanged();
      }
      if (!refusal) return onClose();
      setError(refusal.message);
    } catch (failure) {
      setError((failure as Error).message);
    }
    setBusy(false);
  };
  return (
    <Dialog
      title={w.givePassword}
      onClose={onClose}
      onSubmit={() => void open()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" busy={busy} disabled={!password}>
            {w.unlock}
          </Button>
        </>
      }
    >
      <Field label={w.passwordOfDocument} help={w.passwordHelp} error={error}>
        {(given) => (
          <input
            {...given}
            class="input"
            type="password"
            autocomplete="off"
            maxLength={255}
            value={password}
            onInput={(event) => setPassword(event.currentTarget.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** Takes the password of locked documents. */
export function Unlock(props: Props) {
  const [asking, setAsking] = useState(false);
  return (
    <>
      <Button kind="primary" onClick={() => setAsking(true)}>
        {w.givePassword}
      </Button>
      {asking && <PasswordDialog {...props} onClose={() => setAsking(false)} />}
    </>
  );
}
