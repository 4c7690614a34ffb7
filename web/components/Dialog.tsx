import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { w } from "../words/dashboard";
import { Button } from "./Button";

/** A field that takes words. */
const FIELD =
  ".body :is(textarea, select, input:not([type=file], [type=checkbox], [type=radio], [type=color])):enabled";

interface Props {
  title: string;
  children: ComponentChildren;
  footer?: ComponentChildren;
  /** At the side, as high as the window. */
  sheet?: boolean;
  onClose: () => void;
  /** Enter in a field does this. */
  onSubmit?: () => void;
}

/** Over everything else; Escape and a click beside it close it, and the focus goes back by itself. */
export function Dialog({ title, children, footer, sheet, onClose, onSubmit }: Props) {
  const element = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    const dialog = element.current!;
    const before = document.activeElement as HTMLElement | null;
    if (!dialog.open) dialog.showModal();
    // Whoever fills something in begins there, and not at the way out; a keyboard on glass waits.
    if (matchMedia("(pointer: fine)").matches) dialog.querySelector<HTMLElement>(FIELD)?.focus();
    return () => {
      dialog.close();
      before?.focus?.();
    };
  }, []);
  const content = (
    <>
      <header>
        <h2>{title}</h2>
        <Button kind="quiet" icon="close" label={w.close} onClick={onClose} />
      </header>
      <div class="body" tabIndex={sheet ? 0 : undefined}>
        {children}
      </div>
      {footer && <footer>{footer}</footer>}
    </>
  );
  return (
    <dialog
      ref={element}
      class={sheet ? "sheet" : ""}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault();
        onClose();
      }}
      onMouseDown={(event) => event.target === element.current && onClose()}
    >
      {onSubmit ? (
        <form
          style={{ display: "contents" }}
          onSubmit={(event) => {
            event.preventDefault();
            onSubmit();
          }}
        >
          {content}
        </form>
      ) : (
        content
      )}
    </dialog>
  );
}
