// The screens of an agent, in the order of the rail. What is not here is not there.
import type { ComponentType } from "preact";
import type { IconName } from "../components/Icon";
import type { Right } from "./people";
import { screen } from "./screen";
import { w } from "../words/dashboard";

export interface Screen {
  name: string;
  title: () => string;
  icon: IconName;
  group: "" | "shape" | "more";
  load: () => Promise<{ default: ComponentType<{ id: number }> }>;
  /** Shown to who has it for the agent. */
  right: Right;
  /** Shown for masters only. */
  master?: boolean;
}

export const screens: Screen[] = [
  { name: "ask", right: "ask", title: () => w.ask, icon: "ask", group: "", load: () => screen("Ask") },
  {
    name: "content",
    right: "content",
    title: () => w.content,
    icon: "document",
    group: "",
    load: () => screen("Content"),
  },
  {
    name: "conversations",
    right: "ask",
    title: () => w.conversations,
    icon: "conversations",
    group: "",
    load: () => screen("Conversations"),
  },
  {
    name: "improve",
    right: "answers",
    title: () => w.improve.title,
    icon: "spark",
    group: "",
    load: () => screen("Improve"),
  },
  {
    name: "analytics",
    right: "conversations",
    title: () => w.analytics,
    icon: "analytics",
    group: "",
    load: () => screen("Analytics"),
  },
  {
    name: "persona",
    right: "manage",
    title: () => w.persona,
    icon: "persona",
    group: "shape",
    load: () => screen("Persona"),
  },
  {
    name: "behaviour",
    right: "manage",
    title: () => w.behaviour,
    icon: "behaviour",
    group: "shape",
    load: () => screen("Behaviour"),
  },
  { name: "look", right: "manage", title: () => w.look, icon: "look", group: "shape", load: () => screen("Look") },
  {
    name: "labels",
    right: "content",
    title: () => w.labels,
    icon: "label",
    group: "shape",
    load: () => screen("Labels"),
  },
  { name: "share", right: "manage", title: () => w.share, icon: "share", group: "more", load: () => screen("Share") },
  {
    name: "master",
    right: "manage",
    title: () => w.masterTitle,
    icon: "master",
    group: "more",
    master: true,
    load: () => screen("Master"),
  },
  {
    name: "licences",
    right: "manage",
    title: () => w.licences,
    icon: "licence",
    group: "more",
    load: () => screen("Licences"),
  },
  {
    name: "plugin",
    right: "manage",
    title: () => w.plugin,
    icon: "plugin",
    group: "more",
    load: () => screen("Plugin"),
  },
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
