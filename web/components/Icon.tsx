import { Drawing, shared } from "../lib/drawings";

const paths = {
  ...shared,
  agents: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  alert:
    "M12 8v5M12 16.500h.01M10.300 4 2.800 17.500A2 2 0 0 0 4.500 20.500h15a2 2 0 0 0 1.700-3L13.700 4a2 2 0 0 0-3.400 0z",
  analytics: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  ask: "M4 5h16v11H9l-5 4z",
  behaviour: "M4 7h10M18 7h2M4 17h2M10 17h10M18 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM10 17a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  conversations: "M4 6h16M4 12h16M4 18h10",
  empty: "M4 13l3-8h10l3 8M4 13v6h16v-6M4 13h5l1.500 2.500h3L15 13h5",
  globe:
    "M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0zM3.500 12h17M12 3.500c3 3 3 14 0 17M12 3.500c-3 3-3 14 0 17",
  help: "M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0zM9.500 9.700a2.500 2.500 0 1 1 3.600 2.200c-.8.400-1.100.9-1.100 1.800M12 16.700h.01",
  info: "M12 11v5M12 8h.01M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0z",
  key: "M15.500 8.500a4 4 0 1 1-7 2.700L3 16.700V20h3.300v-2.300h2.300v-2.300l2.200-2.200M15.500 8.500h.01M20 9a5 5 0 1 1-10 0 5 5 0 0 1 10 0z",
  label: "M3 11V4h7l10 10-7 7zM7.500 8h.01",
  licence: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  lock: "M7 11h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  look: "M12 3a9 9 0 1 0 0 18c2 0 2-2 1-3s0-3 2-3h3c2 0 3-1 3-3 0-5-4-9-9-9zM8 10h.01M12 7h.01M16 10h.01",
  master: "M12 4v5M12 9H6v4M12 9h6v4M12 9v4M4 13h4v5H4zM10 13h4v5h-4zM16 13h4v5h-4z",
  menu: "M4 7h16M4 12h16M4 17h16",
  next: "m9 6 6 6-6 6",
  plugin: "M9 4v4M15 4v4M6 8h12v4a6 6 0 0 1-12 0zM12 18v3",
  previous: "m15 6-6 6 6 6",
  larger: "M17 10.500a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0zM15.500 15.500 20 20M10.500 8v5M8 10.500h5",
  search: "M17 10.500a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0zM15.500 15.500 20 20",
  signout: "M10 4H5v16h5M14 8l4 4-4 4M8 12h10",
  sources: "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0",
  spark: "M12 3l1.800 5.200L19 10l-5.200 1.800L12 17l-1.800-5.200L5 10l5.200-1.800zM18.500 16v4M16.500 18h4",
  switch: "m8 10 4-4 4 4M8 14l4 4 4-4",
  system: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  undo: "M8 5 4 9l4 4M4 9h9a6 6 0 0 1 0 12H9",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  usage: "M12 13l4-5M4 17a8.500 8.500 0 1 1 16 0",
} as const;

export type IconName = keyof typeof paths;
export const iconNames = Object.keys(paths) as IconName[];

/** One line drawing, by name. */
export const Icon = ({ name, turned }: { name: IconName; turned?: boolean }) => (
  <Drawing path={paths[name]} turned={turned} />
);
