import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { number } from "../lib/format";
import { w } from "../words/dashboard";
import { Icon } from "./Icon";
import { QuestionField } from "./QuestionField";

interface Props {
  text: Signal<string>;
  placeholder: string;
  busy: boolean;
  disabled?: boolean;
  /** Stands below the field, before the button. */
  children?: ComponentChildren;
  onSend: () => void;
  onStop: () => void;
  onFiles?: (files: File[]) => void;
}

/** What the service takes of a question, and from where on somebody wants to know how much is left. */
const LETTERS = 8000,
  COUNTED = 7000;

/** The field for a question with what goes along with it. */
export function Composer({ text, placeholder, busy, disabled, children, onSend, onStop, onFiles }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  const letters = text.value.length < COUNTED ? 0 : [...text.value].length;
  const ready = !disabled && text.value.trim() !== "" && letters <= LETTERS;
  return (
    <form
      class="composer"
      onDrop={(event) => {
        const files = [...(event.dataTransfer?.files ?? [])];
        if (!files.length || !onFiles) return;
        event.preventDefault();
        event.stopPropagation();
        onFiles(files);
      }}
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && ready) onSend();
      }}
    >
      <QuestionField text={text} field={field} placeholder={placeholder} disabled={disabled} onFiles={onFiles} />
      <div class="row">
        <span class="chips">{children}</span>
        {letters >= COUNTED && (
          <span class={`count num ${letters > LETTERS ? "bad" : ""}`} role="status">
            {`${number(letters)} / ${number(LETTERS)}`}
          </span>
        )}
        {busy ? (
          <button type="button" class="go" aria-label={w.stop} onClick={onStop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" class="go" aria-label={w.send} disabled={!ready}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
