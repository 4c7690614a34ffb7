import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { Signal } from "@preact/signals";
import { w } from "../words/dashboard";
import { Icon } from "./Icon";

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

/** The field for a question: Enter sends, Shift and Enter begin a line, files may be pasted. */
export function Composer({ text, placeholder, busy, disabled, children, onSend, onStop, onFiles }: Props) {
  const field = useRef<HTMLTextAreaElement>(null);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, []);
  return (
    <form
      class="composer"
      onSubmit={(event) => {
        event.preventDefault();
        if (!busy && text.value.trim()) onSend();
      }}
    >
      <textarea
        ref={field}
        rows={1}
        aria-label={placeholder}
        placeholder={placeholder}
        disabled={disabled}
        dir="auto"
        value={text.value}
        onInput={(event) => (text.value = event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.isComposing) return;
          event.preventDefault();
          event.currentTarget.form!.requestSubmit();
        }}
        onPaste={(event) => {
          const files = [...(event.clipboardData?.files ?? [])];
          if (!files.length || !onFiles) return;
          event.preventDefault();
          onFiles(files);
        }}
      />
      <div class="row">
        <span class="chips">{children}</span>
        {busy ? (
          <button type="button" class="go" aria-label={w.stop} onClick={onStop}>
            <Icon name="stop" />
          </button>
        ) : (
          <button type="submit" class="go" aria-label={w.send} disabled={disabled || !text.value.trim()}>
            <Icon name="send" />
          </button>
        )}
      </div>
    </form>
  );
}
