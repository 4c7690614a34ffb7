import { useState } from "preact/hooks";
import { post } from "../lib/api";
import { percent } from "../lib/format";
import { changed, ofAddress, ofAgent, optionsOf, type Options } from "../lib/reading";
import { agent, readAgent, tell } from "../lib/state";
import { contentCame, uploadFiles } from "../lib/uploads";
import { w } from "../words/dashboard";
import { AddressField, addressOf } from "./AddressField";
import { Button } from "./Button";
import { Dialog } from "./Dialog";
import { Field } from "./Field";
import { FileChooser } from "./FileChooser";
import { Note } from "./Note";
import { ReadingOptions } from "./ReadingOptions";

/** An answer in its owner's words, as a document. */
function written(question: string, answer: string): File {
  const name =
    question
      .replace(/[^\p{L}\p{N}]+/gu, " ")
      .trim()
      .slice(0, 80) || w.question;
  return new File([`# ${question}\n\n${answer.trim()}\n`], `${name}.md`, { type: "text/markdown" });
}

interface Props {
  id: number;
  /** What it was not answered with. */
  question?: string;
  /** Chosen before. */
  begun?: File[];
  onClose: () => void;
}

/** Files or an address for an agent that is there, and how they are read. */
export function AddContent({ id, question, begun = [], onClose }: Props) {
  const [answer, setAnswer] = useState("");
  const [files, setFiles] = useState<File[]>(begun);
  const [before] = useState<Options>(() => optionsOf(agent.value));
  const [options, setOptions] = useState(before);
  const [address, setAddress] = useState("");
  const [share, setShare] = useState<number | null>(null);
  const [error, setError] = useState("");

  async function add() {
    setError("");
    setShare(0);
    try {
      // First how they are read: reading begins at once.
      const wanted = changed(before, options, ofAgent);
      if (Object.keys(wanted).length) {
        await post(`/projects/${id}`, wanted);
        await readAgent(id);
      }
      if (address.trim())
        await post(`/projects/${id}/sources`, {
          sitemap_path: addressOf(address),
          ...changed(before, options, ofAddress),
        });
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
      <AddressField label={w.orAddress} value={address} onChange={setAddress} />
      <details>
        <summary>{w.readingOptions}</summary>
        <div class="options">
          <ReadingOptions
            names={address.trim() ? [...ofAgent, ...ofAddress] : ofAgent}
            values={options}
            onChange={(option, value) => setOptions({ ...options, [option]: value })}
          />
        </div>
      </details>
      {error && <Note kind="bad">{error}</Note>}
    </Dialog>
  );
}
