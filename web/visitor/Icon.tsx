import { Drawing, shared } from "../lib/drawings";

/** One of the drawings that visitors see, by name. */
export const Icon = ({ name, turned }: { name: keyof typeof shared; turned?: boolean }) => (
  <Drawing path={shared[name]} turned={turned} />
);
