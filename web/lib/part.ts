// Code that is fetched when it is first needed.
import type { ComponentType } from "preact";

const PAUSES_MS = [300, 1000, 3000];

/** What `load` imports. A network that fails for a moment leaves no hole: it is asked again, a few times. */
export async function part<T>(load: () => Promise<T>): Promise<T> {
  for (const pause of PAUSES_MS) {
    try {
      return await load();
    } catch {
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
  }
  return load();
}

/** One of the screens that come together. */
export const screen = async (
  name: keyof typeof import("../screens/all"),
): Promise<{ default: ComponentType<any> }> => ({
  default: (await import("../screens/all"))[name],
});
