import type { ComponentChildren } from "preact";
import type { Resource } from "../lib/resource";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Note } from "./Note";

/** What was asked for, once it is there; until then that it is coming, or why it is not. */
export function Loaded<T>({ from, children }: { from: Resource<T>; children: (value: T) => ComponentChildren }) {
  const error = from.error.value;
  if (error)
    return (
      <div class="split">
        <Note kind="bad">{error.message}</Note>
        <Button icon="refresh" onClick={() => void from.again()}>
          {w.tryAgain}
        </Button>
      </div>
    );
  if (from.value.value === undefined)
    return (
      <div class="loading" role="status">
        <span class="spinner" />
        <span class="hidden">{w.loading}</span>
      </div>
    );
  return <>{children(from.value.value)}</>;
}
