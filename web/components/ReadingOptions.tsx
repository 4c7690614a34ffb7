import { choicesOfReading, type OptionName, type Options } from "../lib/reading";
import { w } from "../words/dashboard";
import { Field } from "./Field";
import { Toggle } from "./Toggle";

interface Props {
  names: OptionName[];
  values: Options;
  /** What an option would mend now. */
  mends?: Partial<Record<OptionName, string>>;
  onChange: (name: OptionName, value: Options[OptionName]) => void;
}

/** Options of how documents are read, each with what it does. */
export const ReadingOptions = ({ names, values, mends = {}, onChange }: Props) => (
  <>
    {names.map((name) => {
      const choices = choicesOfReading(name);
      const value = values[name];
      const help = mends[name] ? `${w.reading.help[name]} ${mends[name]}` : w.reading.help[name];
      return (
        <div key={name} data-field={name}>
          {choices ? (
            <Field label={w.reading.titles[name]} help={help}>
              {(given) => (
                <select
                  {...given}
                  class="input"
                  onChange={({ currentTarget: { value: chosen } }) =>
                    onChange(name, typeof value === "number" ? Number(chosen) : chosen)
                  }
                >
                  {Object.entries(choices).map(([choice, title]) => (
                    <option key={choice} value={choice} selected={choice === String(value)}>
                      {title}
                    </option>
                  ))}
                </select>
              )}
            </Field>
          ) : (
            <Toggle
              label={w.reading.titles[name]}
              help={help}
              checked={Boolean(value)}
              onChange={(on) => onChange(name, on)}
            />
          )}
        </div>
      );
    })}
  </>
);
