import type { ComponentChildren } from "preact";
import { Icon, type IconName } from "./Icon";

/** A list without rows: what would stand there, and the step that makes the first. */
export const Empty = ({ icon, title, children }: { icon: IconName; title: string; children?: ComponentChildren }) => (
  <div class="empty fade">
    <Icon name={icon} />
    <h2>{title}</h2>
    {children}
  </div>
);
