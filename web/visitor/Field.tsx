import { useRef } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { Icon } from "./Icon";
import { QuestionField } from "../components/QuestionField";
import { put } from "../lib/language";
import { t } from "../words/visitor";

interface Props {
  text: Signal<string>;
  files: Signal<File[]>;
  placeholder: string;
  busy: boolean;
  disabled: boolean;
  onSend: () => void;
  onStop: () => void;
  onFiles: (files: File[]) => void;
}

/** The field for a question, and the files that go along, chosen or pasted. */
export function Field({ text, files, placeholder, busy, disabled, onSend, onStop, onFiles }: Props) {
  const chooser = useRef<HTMLInputElement>(null);
  return (
    <form
      class="field"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && !disabled && text.value.trim()) onSend();
      }}
    >
      {files.value.length > 0 && (
        <ul class="files">
          {files.value.map((file) => (
            <li>
              <Icon name="document" />
              <span>{file.name}</span>
              <button
                type="button"
                aria-label={put(t.remove, { name: file.name })}
                onClick={() => (files.value = files.value.filter((other) => other !== file))}
              >
                <Icon name="close" />
              </button>
            </li>
          ))}
        </ul>
      )}
      <div class="line">
        <button
          type="button"
          class="icon"
          aria-label={t.add}
          disabled={disabled}
          onClick={() => chooser.current?.click()}
        >
          <Icon name="attach" />
        </button>
        <input
          ref={chooser}
          type="file"
          multiple
          hidden
          onChange={(event) => {
            onFiles([...(event.currentTarget.files ?? [])]);
            event.currentTarget.value = "";
          }}
        />
        <QuestionField
          id="question"
          maxLength={8000}
          text={text}
          placeholder={placeholder}
          disabled={disabled}
          onFiles={onFiles}
        />
        {busy ? (
          <button type="button" class="go" aria-label={t.stop} onClick={onStop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" class="go" aria-label={t.send} disabled={disabled || !text.value.trim()}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
