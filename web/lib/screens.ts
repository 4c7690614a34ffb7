// The screens of an agent, in the order of the rail. What is not here is not there.
import type { ComponentType } from "preact";
import type { IconName } from "../components/Icon";
import { screen } from "./screen";
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
  { name: "ask", title: () => w.ask, icon: "ask", group: "", load: () => screen("Ask") },
  { name: "content", title: () => w.content, icon: "document", group: "", load: () => screen("Content") },
  {
    name: "conversations",
    title: () => w.conversations,
    icon: "conversations",
    group: "",
    load: () => screen("Conversations"),
  },
  {
    name: "analytics",
    title: () => w.analytics,
    icon: "analytics",
    group: "",
    load: () => screen("Analytics"),
  },
  {
    name: "persona",
    title: () => w.persona,
    icon: "persona",
    group: "shape",
    load: () => screen("Persona"),
  },
  {
    name: "behaviour",
    title: () => w.behaviour,
    icon: "behaviour",
    group: "shape",
    load: () => screen("Behaviour"),
  },
  { name: "look", title: () => w.look, icon: "look", group: "shape", load: () => screen("Look") },
  { name: "labels", title: () => w.labels, icon: "label", group: "shape", load: () => screen("Labels") },
  { name: "share", title: () => w.share, icon: "share", group: "more", load: () => screen("Share") },
  {
    name: "master",
    title: () => w.masterTitle,
    icon: "master",
    group: "more",
    master: true,
    load: () => screen("Master"),
  },
  {
    name: "licences",
    title: () => w.licences,
    icon: "licence",
    group: "more",
    load: () => screen("Licences"),
  },
  { name: "plugin", title: () => w.plugin, icon: "plugin", group: "more", load: () => screen("Plugin") },
];

/** What screens were called before. */
export const renamed: Record<string, string> = { documents: "content", sources: "content" };
const states: Record<string, string> = { ok: "ready", failed: "amiss", limited: "amiss" };

/** Where the address of a screen that was renamed leads; what was chosen there is chosen here. */
export function movedTo(id: string, name: string, query: URLSearchParams): string {
  const { status, page: _, ...rest } = Object.fromEntries(query);
  const state = states[status ?? ""];
  const text = new URLSearchParams({ ...rest, ...(state && { state }) }).toString();
  return `/agents/${id}/${renamed[name]}${text && `?${text}`}`;
}
