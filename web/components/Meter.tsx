import { number } from "../lib/format";
import { w } from "../words/dashboard";

/** How much of a limit is used. */
export function Meter({ label, used, limit }: { label: string; used: number; limit: number }) {
  const share = Math.min(1, used / Math.max(1, limit));
  return (
    <div class="meter">
      <span class="num">
        <span>{label}</span>
        <span>{w.of(number(used), number(limit))}</span>
      </span>
      <div
        class={`bar ${share >= 1 ? "bad" : share > 0.85 ? "warn" : ""}`}
        role="meter"
        aria-label={label}
        aria-valuenow={used}
        aria-valuemin={0}
        aria-valuemax={limit}
      >
        <i style={{ width: `${share * 100}%` }} />
      </div>
    </div>
  );
}
