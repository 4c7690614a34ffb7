// The screens of an agent, in the order of the rail. What is not here is not there.
import type { ComponentType } from "preact";
import type { IconName } from "../components/Icon";
import { w } from "../words/dashboard";

export interface Screen {
  name: string;
  title: () => string;
  icon: IconName;
  group: "" | "shape" | "more";
  load: () => Promise<{ default: ComponentType<{ id: number }> }>;
  /** Shown for masters only. */
  master?: boolean;
}

export const screens: Screen[] = [
  { name: "ask", title: () => w.ask, icon: "ask", group: "", load: () => import("../screens/Ask") },
  {
    name: "documents",
    title: () => w.documentsTitle,
    icon: "document",
    group: "",
    load: () => import("../screens/Documents"),
  },
  { name: "sources", title: () => w.sources, icon: "globe", group: "", load: () => import("../screens/Sources") },
  {
    name: "conversations",
    title: () => w.conversations,
    icon: "conversations",
    group: "",
    load: () => import("../screens/Conversations"),
  },
  {
    name: "analytics",
    title: () => w.analytics,
    icon: "analytics",
    group: "",
    load: () => import("../screens/Analytics"),
  },
  {
    name: "persona",
    title: () => w.persona,
    icon: "persona",
    group: "shape",
    load: () => import("../screens/Persona"),
  },
  {
    name: "behaviour",
    title: () => w.behaviour,
    icon: "behaviour",
    group: "shape",
    load: () => import("../screens/Behaviour"),
  },
  { name: "look", title: () => w.look, icon: "look", group: "shape", load: () => import("../screens/Look") },
  { name: "labels", title: () => w.labels, icon: "label", group: "shape", load: () => import("../screens/Labels") },
  { name: "share", title: () => w.share, icon: "share", group: "more", load: () => import("../screens/Share") },
  {
    name: "master",
    title: () => w.masterTitle,
    icon: "master",
    group: "more",
    master: true,
    load: () => import("../screens/Master"),
  },
  {
    name: "licences",
    title: () => w.licences,
    icon: "licence",
    group: "more",
    load: () => import("../screens/Licences"),
  },
  { name: "plugin", title: () => w.plugin, icon: "plugin", group: "more", load: () => import("../screens/Plugin") },
];
