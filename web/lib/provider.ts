import { go } from "./router";

// Whoever signs in at a provider leaves these pages, and comes back to where they were. The tab keeps where
// that is, for as long as a sign-in may take.
const KEPT = "signing-in",
  LASTS_MS = 10 * 60_000;

export function signInAtProvider() {
  const to = location.pathname + location.search;
  try {
    if (location.pathname !== "/login")
      sessionStorage.setItem(KEPT, JSON.stringify({ to, until: Date.now() + LASTS_MS }));
  } catch {
    // A browser that keeps nothing leads to the list of agents.
  }
  location.assign("/login/oidc");
}

/** Once, where somebody is signed in. */
export function comeBack() {
  let kept: { to: string; until: number } | null = null;
  try {
    kept = JSON.parse(sessionStorage.getItem(KEPT) ?? "null");
    sessionStorage.removeItem(KEPT);
  } catch {
    return;
  }
  if (kept && Date.now() < kept.until && location.pathname === "/agents") go(kept.to, { replace: true });
}
