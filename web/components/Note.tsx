import type { ComponentChildren } from "preact";
import { Icon } from "./Icon";

/** A sentence that stays where it is: what went wrong, or what to know. */
export const Note = ({ kind = "", children }: { kind?: "" | "bad" | "warn" | "ok"; children: ComponentChildren }) => (
  <div class={`note ${kind}`} role={kind === "bad" ? "alert" : undefined}>
    <Icon name={kind === "bad" || kind === "warn" ? "alert" : kind === "ok" ? "check" : "info"} />
    <span>{children}</span>
  </div>
);
