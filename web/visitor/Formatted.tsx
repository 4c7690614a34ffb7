import { useEffect } from "preact/hooks";
import { signal } from "@preact/signals";
import type { Markdown } from "../components/Markdown";
import { part } from "../lib/part";

/** What draws Markdown is half of all that is fetched, and nobody needs it before there is an answer. */
const drawn = signal<typeof Markdown | null>(null);
export const prepare = async () => {
  drawn.value ??= (await part(() => import("./markdown"))).Markdown;
};

/** An answer's text, formatted as soon as that can be done. */
export function Formatted(props: Parameters<typeof Markdown>[0]) {
  useEffect(() => void prepare().catch(() => {}), []);
  const Drawn = drawn.value;
  if (Drawn) return <Drawn {...props} />;
  return (
    <div class="text">
      <p dir="auto">{props.text}</p>
    </div>
  );
}
