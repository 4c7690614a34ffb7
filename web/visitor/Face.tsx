import { initials } from "../lib/format";

/** A picture, or the initials on the agent's colour. Its name stands beside it. */
export const Face = ({ name, src, kind = "agent" }: { name: string; src: string | null; kind?: "agent" | "user" }) => (
  <span class={`face ${kind}`} aria-hidden="true">
    {src ? <img src={src} alt="" /> : initials(name)}
  </span>
);
