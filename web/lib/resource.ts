// Something that is asked for: what came, what went wrong, and asking again.
import { signal, type Signal } from "@preact/signals";
import { useEffect, useMemo } from "preact/hooks";
import type { ApiError } from "./api";
import { isOffline } from "./online";

export interface Resource<T> {
  value: Signal<T | undefined>;
  error: Signal<ApiError | null>;
  /** Keeps what is shown until the new answer is there. */
  again: () => Promise<void>;
}

/** Whether it has come, or is known not to come. */
export const isThere = <T>({ value, error }: Resource<T>) => value.value !== undefined || error.value !== null;

/** `load` runs anew when one of `keys` changes, and when it has failed and the network is back; an answer that comes
 * late is dropped. */
export function useResource<T>(load: (signal: AbortSignal) => Promise<T>, keys: unknown[]): Resource<T> {
  const resource = useMemo(() => {
    const value = signal<T | undefined>(undefined);
    const error = signal<ApiError | null>(null);
    return { value, error, again: async () => {}, stop: () => {} };
  }, keys);
  resource.again = async () => {
    resource.stop();
    const control = new AbortController();
    resource.stop = () => control.abort();
    try {
      const value = await load(control.signal);
      if (control.signal.aborted) return;
      resource.error.value = null;
      resource.value.value = value;
    } catch (error) {
      if (!control.signal.aborted) resource.error.value = error as ApiError;
    }
  };
  useEffect(() => {
    void resource.again();
    return () => resource.stop();
  }, keys);
  useEffect(() => {
    if (!isOffline.value && resource.error.value) void resource.again();
  }, [isOffline.value]);
  return resource;
}
