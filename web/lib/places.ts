// The pages beside the agents, for the rail and the palette.
import type { ComponentType } from "preact";
import type { IconName } from "../components/Icon";
import { seesAudit } from "./people";
import { isWhole } from "./state";
import { screen } from "./screen";
import { w } from "../words/dashboard";

export interface Place {
  href: string;
  title: string;
  icon: IconName;
  rail: boolean;
  load: () => Promise<{ default: ComponentType }>;
}

export const places = (): Place[] => [
  { href: "/agents", title: w.agents, icon: "agents", rail: true, load: () => screen("Agents") },
  ...(isWhole.value
    ? [{ href: "/keys", title: w.keys, icon: "key" as const, rail: true, load: () => screen("Keys") }]
    : []),
  ...(isWhole.value
    ? [{ href: "/people", title: w.people, icon: "persona" as const, rail: true, load: () => screen("People") }]
    : []),
  ...(seesAudit()
    ? [
        {
          href: "/activity",
          title: w.activity.title,
          icon: "history" as const,
          rail: true,
          load: () => screen("Activity"),
        },
      ]
    : []),
  { href: "/usage", title: w.usage, icon: "usage", rail: true, load: () => screen("Usage") },
  { href: "/account", title: w.account, icon: "persona", rail: true, load: () => screen("Account") },
  { href: "/system", title: w.system, icon: "system", rail: true, load: () => screen("System") },
];
