import { w } from "../words/dashboard";
import { Field } from "./Field";

/** "www.example.org" is an address too: nobody writes the scheme. */
export function addressOf(text: string): string {
  const trimmed = text.trim();
  return !trimmed || /^[a-z][a-z\d+.-]*:\/\//i.test(trimmed) ? trimmed : `https://${trimmed}`;
}

interface Props {
  label: string;
  value: string;
  onChange: (text: string) => void;
}

/** Where content is: a website, a page, a list of pages, a film. */
export const AddressField = ({ label, value, onChange }: Props) => (
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
