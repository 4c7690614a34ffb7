import type { ComponentChildren } from "preact";
import { useState } from "preact/hooks";

const SHOWN = 3;

/** The first of a list, and a button for the others in the owner's words. */
export function Fold<T>({
  items,
  more,
  less,
  children,
}: {
  items: T[];
  more: string;
  less: string;
  children: (item: T, i: number) => ComponentChildren;
}) {
  const [open, setOpen] = useState(false);
  const shown = open ? items : items.slice(0, SHOWN);
  return (
    <>
      {shown.map((item, i) => (
        <li key={i}>{children(item, i)}</li>
      ))}
      {items.length > SHOWN && (
        <li>
          <button class="fold" aria-expanded={open} onClick={() => setOpen(!open)}>
            {open ? less : more}
          </button>
        </li>
      )}
    </>
  );
}
