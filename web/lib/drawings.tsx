// Line drawings of 24 × 24: those that visitors see too. The dashboard's others stand in Icon.tsx.
export const shared = {
  add: "M12 5v14M5 12h14",
  attach: "m20 11-8 8a5 5 0 0 1-7-7l8-8a3.300 3.300 0 0 1 5 5l-8 8a1.700 1.700 0 0 1-2-2l7-7",
  check: "m5 12 5 5 9-10",
  chevron: "m6 9 6 6 6-6",
  close: "M6 6l12 12M18 6 6 18",
  copy: "M10 8h8a2 2 0 0 1 2 2v8a2 2 0 0 1-2 2h-8a2 2 0 0 1-2-2v-8a2 2 0 0 1 2-2zM16 8V5a1 1 0 0 0-1-1H5a1 1 0 0 0-1 1v10a1 1 0 0 0 1 1h3",
  document: "M7 3h7l4 4v14H7zM14 3v4h4",
  down: "M12 5v14M6 13l6 6 6-6",
  download: "M12 4v11M7 11l5 5 5-5M5 20h14",
  external: "M14 4h6v6M20 4l-9 9M18 14v6H4V6h6",
  history: "M4 12a8 8 0 1 0 2.500-5.800M4 4v3.500h3.500M12 8v4l3 2",
  more: "M6.500 12a1.200 1.200 0 1 1-2.400 0 1.200 1.200 0 0 1 2.400 0zM13.200 12a1.200 1.200 0 1 1-2.400 0 1.200 1.200 0 0 1 2.400 0zM19.900 12a1.200 1.200 0 1 1-2.400 0 1.200 1.200 0 0 1 2.400 0z",
  persona: "M16 8a4 4 0 1 1-8 0 4 4 0 0 1 8 0zM4.500 20c1.500-4 13.500-4 15 0",
  refresh: "M20 11a8 8 0 0 0-14-4.500L4 9M4 4v5h5M4 13a8 8 0 0 0 14 4.500l2-2.500M20 20v-5h-5",
  send: "M12 19V5M6 11l6-6 6 6",
  share:
    "M8.500 12a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM20 6a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM20 18a2.500 2.500 0 1 1-5 0 2.500 2.500 0 0 1 5 0zM8.300 10.900l7-3.700M8.300 13.100l7 3.700",
  stop: "M8 8h8v8H8z",
  thumb: "M7 11v9H4v-9zM7 11l4-8c2 0 3 1 2.500 3L13 9h6c1.500 0 2 1 2 2l-2 7c-.3 1.300-1 2-2 2H7",
  trash: "M5 7h14M9 7V4h6v3M7 7l1 13h8l1-13M10 11v5M14 11v5",
} as const;

/** Says nothing to who does not see it. */
export const Drawing = ({ path, turned }: { path: string; turned?: boolean }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true" style={turned ? { rotate: "180deg" } : undefined}>
    <path d={path} />
  </svg>
);
