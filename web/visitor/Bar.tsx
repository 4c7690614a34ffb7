import type { ComponentChildren } from "preact";
import type { Settings } from "../lib/look";
import { Face } from "./Face";

/** The bar at the top: picture and title where the owner wants them, and what can be done. */
export function Bar({
  settings,
  title,
  children,
}: {
  settings: Settings;
  title: string;
  children?: ComponentChildren;
}) {
  const { look } = settings;
  return (
    <header class={`bar ${look.agent_title_avatar_alignment}`}>
      <div class="who">
        {look.title_avatar_enabled && <Face name={title} src={look.chat_bot_avatar} />}
        <h1 dir="auto">{title}</h1>
      </div>
      <nav>{children}</nav>
    </header>
  );
}
