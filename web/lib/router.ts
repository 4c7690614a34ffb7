// Addresses: the present one as a signal, and going elsewhere without a new document.
import { signal } from "@preact/signals";

export const location_ = signal(read());

function read() {
  return { path: location.pathname.replace(/\/+$/, "") || "/", query: new URLSearchParams(location.search) };
}

addEventListener("popstate", () => (location_.value = read()));

/** Asks before somebody leaves what is not saved; a screen sets it and takes it away. */
export const guard = { mayLeave: () => true };

export function go(to: string, { replace = false } = {}) {
  if (to === location.pathname + location.search) return;
  if (!replace && !guard.mayLeave()) return;
  history[replace ? "replaceState" : "pushState"](null, "", to);
  location_.value = read();
  if (!replace) document.querySelector(".content")?.scrollTo(0, 0);
}

/** Changes parameters of the present address; empty ones go. */
export function goQuery(change: Record<string, string | number | null | undefined>, options?: { replace?: boolean }) {
  const query = new URLSearchParams(location.search);
  for (const [name, value] of Object.entries(change))
    if (value === null || value === undefined || value === "") query.delete(name);
    else query.set(name, String(value));
  const text = query.toString();
  go(location.pathname + (text ? `?${text}` : ""), options);
}

/** Plain clicks on our own links stay in this document. */
addEventListener("click", (event) => {
  if (event.defaultPrevented || event.button || event.metaKey || event.ctrlKey || event.shiftKey || event.altKey)
    return;
  const link = (event.target as Element).closest?.("a");
  if (!link || link.target || link.hasAttribute("download") || link.origin !== location.origin) return;
  const href = link.getAttribute("href") ?? "";
  if (!href.startsWith("/") || /^\/(web|assets|api|openapi\.json|projects|embed)\b/.test(href)) return;
  event.preventDefault();
  go(href);
});
