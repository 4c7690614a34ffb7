import type { ComponentChildren } from "preact";
import { useId } from "preact/hooks";

interface Props {
  label: ComponentChildren;
  help?: ComponentChildren;
  error?: string;
  /** What stands at the end of the label: a counter, a badge. */
  aside?: ComponentChildren;
  children: (given: { id: string; "aria-describedby"?: string; "aria-invalid"?: "true" }) => ComponentChildren;
}

/** A control with its name, what it does, and what is wrong with it. */
export function Field({ label, help, error, aside, children }: Props) {
  const id = useId();
  const about = error || help ? `${id}-about` : undefined;
  return (
    <div class="field">
      <label for={id}>
        {label}
        {aside && <span class="num">{aside}</span>}
      </label>
      {children({ id, "aria-describedby": about, ...(error ? { "aria-invalid": "true" as const } : {}) })}
      {(error || help) && (
        <small id={about} class={error ? "bad" : ""}>
          {error || help}
        </small>
      )}
    </div>
  );
}
