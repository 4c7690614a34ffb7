/** A day that is chosen where lists are; empty: none. */
export const DayField = ({
  label,
  value,
  onChange,
}: {
  label: string;
  value: string;
  onChange: (day: string) => void;
}) => (
  <label class="date">
    {label} <input class="input" type="date" value={value} onChange={(e) => onChange(e.currentTarget.value)} />
  </label>
);
