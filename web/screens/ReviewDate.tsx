import { Field } from "../components/Field";
import { w } from "../words/dashboard";

interface Props {
  value: string;
  help?: string;
  onChange: (day: string) => void;
}

/** The day from which on its owner does not stand for it any more. */
export const ReviewDate = ({ value, help, onChange }: Props) => (
  <Field label={w.improve.lookAgain} help={help}>
    {(given) => (
      <input
        {...given}
        class="input"
        type="date"
        value={value}
        onInput={(event) => onChange(event.currentTarget.value)}
      />
    )}
  </Field>
);
