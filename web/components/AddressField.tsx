import { w } from "../words/dashboard";
import { Field } from "./Field";

/** "www.example.org" is an address too: nobody writes the scheme. */
export function addressOf(text: string): string {
  const trimmed = text.trim();
  return !trimmed || /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
}

interface Props {
  label: string;
  /** Several, one a line. */
  many?: boolean;
  value: string;
  onChange: (text: string) => void;
}

/** Where content is: a website, a page, a list of pages, a film. */
export const AddressField = ({ label, many, value, onChange }: Props) =>
  many ? (
    <Field label={label} help={`${w.addressHelp} ${w.onePerLine}`}>
      {(given) => (
        <textarea
          {...given}
          class="input"
          rows={value.includes("\n") ? 4 : 1}
          autocapitalize="off"
          spellcheck={false}
          placeholder="https://www.example.org"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  ) : (
    <Field label={label} help={w.addressHelp}>
      {(given) => (
        <input
          {...given}
          class="input"
          inputMode="url"
          autocomplete="url"
          autocapitalize="off"
          spellcheck={false}
          placeholder="https://www.example.org"
          value={value}
          onInput={(event) => onChange(event.currentTarget.value)}
        />
      )}
    </Field>
  );
