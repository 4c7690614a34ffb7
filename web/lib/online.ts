// Whether the browser has a network at all.
import { signal } from "@preact/signals";

export const isOffline = signal(!navigator.onLine);
addEventListener("online", () => (isOffline.value = false));
addEventListener("offline", () => (isOffline.value = true));
