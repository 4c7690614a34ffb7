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

/** An answer in its owner's words, as a document. */
function written(question: string, answer: string): File {
  const name =
    question
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()
      .slice(0, 80) || w.question;
  return new File([`# ${question}\n\n${answer.trim()}\n`], `${name}.md`, { type: "text/markdown" });
}

/** Files or an address for an agent that is there; or what a question was not answered with. */
export function AddContent({ id, question, onClose }: { id: number; question?: string; onClose: () => void }) {
  const [answer, setAnswer] = useState("");
  const [files, setFiles] = useState<File[]>([]);
  const [address, setAddress] = useState("");
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState("");

  async function add() {
    setError("");
    setShare(0);
    try {
      if (address.trim()) await post(`/projects/${id}/sources`, { sitemap_path: address.trim() });
      const all = question && answer.trim() ? [...files, written(question, answer)] : files;
      if (all.length) await uploadFiles(id, all, setShare);
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
          <Button
            kind="primary"
            type="submit"
            disabled={!files.length && !address.trim() && !answer.trim()}
            busy={share !== null}
          >
            {share === null ? w.add : w.uploading(percent(share))}
          </Button>
        </>
      }
    >
      {question && (
        <>
          <p class="question" dir="auto">
            {question}
          </p>
          <Field label={w.writeAnswer} help={w.writeAnswerHelp}>
            {(given) => (
              <textarea
                {...given}
                class="input"
                dir="auto"
                value={answer}
                onInput={(event) => setAnswer(event.currentTarget.value)}
              />
            )}
          </Field>
        </>
      )}
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
