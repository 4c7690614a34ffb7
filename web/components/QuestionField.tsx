import type { Signal } from "@preact/signals";
import type { Ref } from "preact";

interface Props {
  text: Signal<string>;
  placeholder: string;
  disabled?: boolean;
  id?: string;
  field?: Ref<HTMLTextAreaElement>;
  maxLength?: number;
  onFiles?: (files: File[]) => void;
}

/** Where a question is written: Enter sends the form, Shift and Enter begin a line, files may be pasted. */
export const QuestionField = ({ text, field, onFiles, placeholder, ...given }: Props) => (
  <textarea
    {...given}
    ref={field}
    rows={1}
    aria-label={placeholder}
    placeholder={placeholder}
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
);
