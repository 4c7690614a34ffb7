import { useState } from "preact/hooks";
import { post, upload } from "../lib/api";
import { bytes, percent } from "../lib/format";
import { tell } from "../lib/state";
import { w } from "../lib/words";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { DropZone } from "./DropZone";
import { Field } from "./Field";
import { Note } from "./Note";
import { contentCame } from "./Reading";

/** The service takes that many files in one request. */
const AT_ONCE = 50;

/** Sends files in portions; tells how far it is in bytes of all. */
export async function uploadFiles(id: number, files: File[], progress: (share: number) => void): Promise<void> {
  const all = files.reduce((sum, file) => sum + file.size, 0) || 1;
  let sent = 0;
  for (let i = 0; i < files.length; i += AT_ONCE) {
    const some = files.slice(i, i + AT_ONCE);
    const size = some.reduce((sum, file) => sum + file.size, 0);
    const form = new FormData();
    for (const file of some) form.append("files[]", file);
    await upload(`/projects/${id}`, form, (share) => progress((sent + share * size) / all));
    sent += size;
    contentCame();
  }
}

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
      <DropZone onFiles={(more) => setFiles([...files, ...more])} />
      {files.length > 0 && (
        <ul class="file-list" aria-label={w.filesChosen(files.length)}>
          {files.map((file, i) => (
            <li key={i}>
              <span>{file.webkitRelativePath || file.name}</span>
              <span class="num lead">{bytes(file.size)}</span>
              <Button
                kind="quiet"
                icon="close"
                label={`${w.remove} ${file.name}`}
                onClick={() => setFiles(files.filter((f) => f !== file))}
              />
            </li>
          ))}
        </ul>
      )}
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
