import { useEffect } from "preact/hooks";
import { location_ } from "./router";

/** The address may name a field: it takes the focus, once it is there. */
export function useReach() {
  const name = location_.value.query.get("field");
  useEffect(() => {
    const row = name && document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
    if (!row) return;
    row.scrollIntoView({ block: "center" });
    row
      .querySelector<HTMLElement>("input:not(.hidden), select, textarea, button:not(.back)")
      ?.focus({ preventScroll: true });
  }, [name]);
}
