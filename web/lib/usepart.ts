import { useEffect, useState } from "preact/hooks";
import { part } from "./part";

/** What draws what not every answer has: it is fetched with the first that does. */
export function usePart<T>(wanted: boolean, load: () => Promise<{ default: T }>): T | undefined {
  const [found, setFound] = useState<{ default: T } | null>(null);
  useEffect(() => {
    if (wanted && !found) void part(load).then(setFound, () => {});
  }, [wanted]);
  return found?.default;
}
