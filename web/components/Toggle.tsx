import type { ComponentChildren } from "preact";

interface Props {
  label: ComponentChildren;
  help?: ComponentChildren;
  checked: boolean;
  disabled?: boolean;
  onChange: (checked: boolean) => void;
}

export const Toggle = ({ label, help, checked, disabled, onChange }: Props) => (
  <label class="toggle">
    <input
      type="checkbox"
      role="switch"
      checked={checked}
      disabled={disabled}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
    <span>
      <b>{label}</b>
      {help && <small>{help}</small>}
    </span>
  </label>
);
