import { colourOf, initials } from "../lib/format";

/** A picture, or the initials on a colour of the name's own. Its name stands beside it. */
export const Avatar = ({
  name,
  src,
  size = "",
  look,
}: {
  name: string;
  src?: string | null;
  size?: "" | "small" | "large";
  /** Instead of the name's own colour. */
  look?: { background: string; color: string };
}) => (
  <span class={`avatar ${size}`} style={src ? undefined : (look ?? { background: colourOf(name) })} aria-hidden="true">
    {src ? <img src={src} alt="" /> : initials(name)}
  </span>
);
