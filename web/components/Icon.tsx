/** One line drawing of 24 × 24, by name. Says nothing to who does not see it. */
const paths = {
  add: "M12 5v14M5 12h14",
  agents: "M4 5h7v6H4zM13 5h7v6h-7zM4 13h7v6H4zM13 13h7v6h-7z",
  alert:
    "M12 8v5M12 16.500h.01M10.300 4 2.800 17.500A2 2 0 0 0 4.500 20.500h15a2 2 0 0 0 1.700-3L13.700 4a2 2 0 0 0-3.400 0z",
  analytics: "M4 20V10M10 20V4M16 20v-7M21 20H3",
  ask: "M4 5h16v11H9l-5 4z",
  attach: "m20 11-8 8a5 5 0 0 1-7-7l8-8a3.300 3.300 0 0 1 5 5l-8 8a1.700 1.700 0 0 1-2-2l7-7",
  behaviour: "M4 7h10M18 7h2M4 17h2M10 17h10M18 7a2 2 0 1 1-4 0 2 2 0 0 1 4 0zM10 17a2 2 0 1 1-4 0 2 2 0 0 1 4 0z",
  check: "m5 12 5 5 9-10",
  chevron: "m6 9 6 6 6-6",
  close: "M6 6l12 12M18 6 6 18",
  conversations: "M4 6h16M4 12h16M4 18h10",
  copy: "M10 8h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM16 8V5a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3",
  document: "M7 3h7l4 4v14H7zM14 3v4h4",
  down: "M12 5v14M6 13l6 6 6-6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  empty: "M4 13l3-8h10l3 8M4 13v6h16v-6M4 13h5l1.500 2.500h3L15 13h5",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  globe:
    "M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0zM3.500 12h17M12 3.500c3 3 3 14 0 17M12 3.500c-3 3-3 14 0 17",
  history: "M4 12a8 8 0 1 0 2.500-5.800M4 4v3.500h3.500M12 8v4l3 2",
  info: "M12 11v5M12 8h.01M20.500 12a8.500 8.500 0 1 1-17 0 8.500 8.500 0 0 1 17 0z",
  key: "M15.500 8.500a4 4 0 1 1-7 2.700L3 16.700V20h3.300v-2.300h2.300v-2.300l2.200-2.200M15.500 8.500h.01M20 9a5 5 0 1 1-10 0 5 5 0 0 1 10 0z",
  label: "M3 11V4h7l10 10-7 7zM7.500 8h.01",
  licence: "M12 3l7 3v5c0 5-3 8-7 10-4-2-7-5-7-10V6zM9 12l2 2 4-4",
  lock: "M7 11h10a1 1 0 0 1 1 1v7a1 1 0 0 1-1 1H7a1 1 0 0 1-1-1v-7a1 1 0 0 1 1-1zM8.500 11V8a3.500 3.500 0 0 1 7 0v3",
  look: "M12 3a9 9 0 1 0 0 18c2 0 2-2 1-3s0-3 2-3h3c2 0 3-1 3-3 0-5-4-9-9-9zM8 10h.01M12 7h.01M16 10h.01",
  master: "M12 4v5M12 9H6v4M12 9h6v4M12 9v4M4 13h4v5H4zM10 13h4v5h-4zM16 13h4v5h-4z",
  menu: "M4 7h16M4 12h16M4 17h16",
  more: "M5 12h.01M12 12h.01M19 12h.01",
  next: "m9 6 6 6-6 6",
  persona: "M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM4.500 20c1.500-4 13.500-4 15 0",
  plugin: "M9 4v4M15 4v4M6 8h12v4a6 6 0 0 1-12 0zM12 18v3",
  previous: "m15 6-6 6 6 6",
  refresh: "M20 11a8 8 0 0 0-14-4.500L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4.500l2-2.500M20 20v-5h-5",
  larger: "M17 10.500a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0zM15.500 15.500 20 20M10.500 8v5M8 10.500h5",
  search: "M17 10.500a6.500 6.500 0 1 1-13 0 6.500 6.500 0 0 1 13 0zM15.500 15.500 20 20",
  send: "M12 19V5M6 11l6-6 6 6",
  share: "m8 7-5 5 5 5M16 7l5 5-5 5",
  signout: "M10 4H5v16h5M14 8l4 4-4 4M8 12h10",
  sources: "M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0",
  spark: "M12 3l1.800 5.200L19 10l-5.200 1.800L12 17l-1.800-5.200L5 10l5.200-1.800zM18.500 16v4M16.500 18h4",
  stop: "M8 8h8v8H8z",
  switch: "m8 10 4-4 4 4M8 14l4 4 4-4",
  system: "M4 5h16v6H4zM4 13h16v6H4zM8 8h.01M8 16h.01",
  thumb: "M7 11v9H4v-9zM7 11l4-8c2 0 3 1 2.500 3L13 9h6c1.500 0 2 1 2 2l-2 7c-.3 1.300-1 2-2 2H7",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
  undo: "M8 5 4 9l4 4M4 9h9a6 6 0 0 1 0 12H9",
  upload: "M12 16V5M7 9l5-5 5 5M5 20h14",
  usage: "M12 13l4-5M4 17a8.500 8.500 0 1 1 16 0",
} as const;

export type IconName = keyof typeof paths;
export const iconNames = Object.keys(paths) as IconName[];

export const Icon = ({ name, turned }: { name: IconName; turned?: boolean }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" style={turned ? { rotate: "180deg" } : undefined}>
    <path d={paths[name]} />
  </svg>
);
