// The settings that stand in the page, read again while it is open: an owner's change is seen at the next
// question, and when somebody comes back to the page.
import type { Settings } from "./look";

const PLACE = /<script type="application\/json" id="settings">(.*?)<\/script>/s;
const PAUSE_MS = 3000;

let asked = 0;

/** What the page says now, or null: the same, not to be had, or asked a moment ago. "gone": it is no longer public. */
export async function renewed(old: Settings): Promise<Settings | "gone" | null> {
  if (performance.now() - asked < PAUSE_MS) return null;
  asked = performance.now();
  const reply = await fetch(location.href, { headers: { accept: "text/html" }, credentials: "same-origin" }).catch(
    () => null,
  );
  if (reply?.status === 404) return "gone";
  const text = reply?.ok ? PLACE.exec(await reply.text())?.[1] : undefined;
  if (!text) return null;
  const now = JSON.parse(text) as Settings;
  // Where it stands, and who reads, is as it was: this request is no page's.
  const next = { ...now, surface: old.surface, site: old.site, share: old.share };
  return JSON.stringify(next) === JSON.stringify(old) ? null : next;
}
