// Light or dark: as the system has it, unless somebody has chosen, which this browser keeps.
const KEPT = "docent.light";

export const lights = ["light", "dark"] as const;
export type Light = "" | (typeof lights)[number];

/** "" where the system's counts. */
export function chosenLight(): Light {
  try {
    return lights.find((light) => light === localStorage.getItem(KEPT)) ?? "";
  } catch {
    return ""; // A browser that keeps nothing.
  }
}

const show = (light: Light) => (document.documentElement.style.colorScheme = light);

export function chooseLight(light: Light): void {
  try {
    if (light) localStorage.setItem(KEPT, light);
    else localStorage.removeItem(KEPT);
  } catch {
    // It is for this page alone.
  }
  show(light);
  dispatchEvent(new Event("docent:light"));
}

show(chosenLight());

/** What is drawn with colours of its own is drawn anew when they change; gives what ends that. */
export function onLight(drawn: () => void): () => void {
  const dark = matchMedia("(prefers-color-scheme: dark)");
  dark.addEventListener("change", drawn);
  addEventListener("docent:light", drawn);
  return () => {
    dark.removeEventListener("change", drawn);
    removeEventListener("docent:light", drawn);
  };
}
