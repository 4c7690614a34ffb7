import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

interface Props {
  children?: ComponentChildren;
  icon?: IconName;
  kind?: "" | "primary" | "danger" | "quiet";
  /** Of a button that shows an icon alone. */
  label?: string;
  type?: "button" | "submit";
  href?: string;
  disabled?: boolean;
  busy?: boolean;
  pressed?: boolean;
  onClick?: (event: MouseEvent) => void;
}

export function Button({
  children,
  icon,
  kind = "",
  label,
  type = "button",
  href,
  disabled,
  busy,
  pressed,
  onClick,
}: Props) {
  const inner = (
    <>
      {busy ? <span class="spinner" /> : icon && <Icon name={icon} />}
      {children && <span>{children}</span>}
    </>
  );
  const classes = `btn ${kind} ${label && !children ? "icon-only" : ""}`;
  if (href)
    return (
      <a class={classes} href={href} aria-label={label} title={label}>
        {inner}
      </a>
    );
  return (
    <button
      class={classes}
      type={type}
      aria-label={label}
      title={label}
      aria-pressed={pressed}
      disabled={disabled || busy}
      onClick={onClick}
    >
      {inner}
    </button>
  );
}
