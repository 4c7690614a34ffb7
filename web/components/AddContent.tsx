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

/** A text that was pasted, as a document. */
const pasted = (title: string, text: string) => written(title.trim() || text.trim().split("\n")[0]!.slice(0, 80), text);

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
  /** Begins with a text instead. */
  text?: boolean;
  onClose: () => void;
}

/** Files or an address for an agent that is there, and how they are read. */
export function AddContent({ id, question, begun = [], text = false, onClose }: Props) {
  const [title, setTitle] = useState("");
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
      for (let lines = address.split(/\s+/).filter(Boolean); lines.length;) {
        await post(`/projects/${id}/sources`, {
          sitemap_path: addressOf(lines[0]!),
          ...changed(before, options, ofAddress),
        });
        // What was taken is not sent again where a later one is refused.
        lines = lines.slice(1);
        setAddress(lines.join("\n"));
      }
      const more = answer.trim() ? [question ? written(question, answer) : pasted(title, answer)] : [];
      const all = [...files, ...more];
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
      title={text ? w.pasteText : w.addContent}
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
      {text && (
        <>
          <Field label={w.titleOfText}>
            {(given) => (
              <input
                {...given}
                class="input"
                dir="auto"
                value={title}
                onInput={(e) => setTitle(e.currentTarget.value)}
              />
            )}
          </Field>
          <Field label={w.pastedText}>
            {(given) => (
              <textarea
                {...given}
                class="input tall"
                dir="auto"
                value={answer}
                onInput={(event) => setAnswer(event.currentTarget.value)}
              />
            )}
          </Field>
        </>
      )}
      {!text && (
        <>
          <FileChooser files={files} onChange={setFiles} />
          <AddressField many label={w.orAddress} value={address} onChange={setAddress} />
        </>
      )}
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
