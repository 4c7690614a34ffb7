// The dashboard's screens, which are fetched together when the first is shown.
import type { ComponentType } from "preact";

/** One of them, by name. */
export const screen = async (
  name: keyof typeof import("../screens/all"),
): Promise<{ default: ComponentType<any> }> => ({
  default: (await import("../screens/all"))[name],
});
