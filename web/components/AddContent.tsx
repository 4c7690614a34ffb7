import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { percent } from "../lib/format";
import { tell } from "../lib/state";
import { contentCame, uploadFiles } from "../lib/uploads";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Field } from "./Field";
import { FileChooser } from "./FileChooser";
import { Note } from "./Note";

/** Files or an address for an agent that is there. */
export function AddContent({ id, onClose }: { id: number; onClose: () => void }) {
  const [files, setFiles] = useState<File[]>([]);
  const [address, setAddress] = useState("");
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState("");

  async function add() {
    setError("");
    setShare(0);
    try {
      if (address.trim()) await post(`/projects/${id}/sources`, { sitemap_path: address.trim() });
      if (files.length) await uploadFiles(id, files, setShare);
      contentCame();
      tell(w.contentAdded);
      onClose();
    } catch (failure) {
      setError((failure as Error).message);
      setShare(null);
    }
  }
  return (
    <Dialog
      title={w.addContent}
      onClose={onClose}
      onSubmit={() => void add()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" disabled={!files.length && !address.trim()} busy={share !== null}>
            {share === null ? w.add : w.uploading(percent(share))}
          </Button>
        </>
      }
    >
      <FileChooser files={files} onChange={setFiles} />
      <Field label={w.orAddress} help={w.addressHelp}>
        {(given) => (
          <input
            {...given}
            class="input"
            type="url"
            placeholder="https://example.org/sitemap.xml"
            value={address}
            onInput={(event) => setAddress(event.currentTarget.value)}
          />
        )}
      </Field>
      {error && <Note kind="bad">{error}</Note>}
    </Dialog>
  );
}
