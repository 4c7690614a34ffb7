// Rows of a list that are chosen, for what is done to many at once.
import { useEffect, useState } from "preact/hooks";

export interface Choice<K> {
  /** Of what is seen: what is done to them is done to no row that nobody sees. */
  ids: K[];
  isAll: boolean;
  choose: (id: K, on: boolean) => void;
  chooseAll: () => void;
  none: () => void;
}

/** Among the rows with `seen` as their ids; one of `keys` that changes makes it another list, of which none is chosen. */
export function useChoice<K>(seen: K[], keys: unknown[]): Choice<K> {
  const [picked, setPicked] = useState<K[]>([]);
  useEffect(() => setPicked([]), keys);
  const ids = picked.filter((id) => seen.includes(id));
  return {
    ids,
    isAll: seen.length > 0 && ids.length === seen.length,
    choose: (id, on) => setPicked(on ? [...ids, id] : ids.filter((other) => other !== id)),
    chooseAll: () => setPicked(seen),
    none: () => setPicked([]),
  };
}
