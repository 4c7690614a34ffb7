import { useState } from "preact/hooks";
import { w } from "../words/dashboard";
import { Button } from "./Button";

/** Puts the text on the clipboard and says so in its place. */
export function Copy({
  text,
  label = w.copy,
  quiet,
}: {
  text: string | (() => string);
  label?: string;
  quiet?: boolean;
}) {
  const [done, setDone] = useState(false);
  return (
    <Button
      kind={quiet ? "quiet" : ""}
      icon={done ? "check" : "copy"}
      label={done ? w.copied : label}
      onClick={async () => {
        await navigator.clipboard.writeText(typeof text === "string" ? text : text());
        setDone(true);
        setTimeout(() => setDone(false), 1500);
      }}
    />
  );
}
