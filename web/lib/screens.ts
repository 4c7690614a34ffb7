// The screens of an agent, in the order of the rail. What is not here is not there.
import type { ComponentType } from "preact";
import type { IconName } from "../components/Icon";
import { w } from "./words";

export interface Screen {
  name: string;
  title: string;
  icon: IconName;
  group: "" | "shape" | "more";
  load: () => Promise<{ default: ComponentType<{ id: number }> }>;
  /** Shown for masters only. */
  master?: boolean;
}

export const screens: Screen[] = [
  { name: "ask", title: w.ask, icon: "ask", group: "", load: () => import("../screens/Ask") },
  {
    name: "documents",
    title: w.documentsTitle,
    icon: "document",
    group: "",
    load: () => import("../screens/Documents"),
  },
];
