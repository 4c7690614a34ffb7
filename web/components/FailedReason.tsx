import { post } from "../lib/api";
import { readWith } from "../lib/content";
import { turnedOn, type Needed } from "../lib/reading";
import { sayReason } from "../lib/say";
import { agent, attempt, tell } from "../lib/state";
import type { Page } from "../lib/types";
import { contentCame } from "../lib/uploads";
import { w } from "../words/dashboard";
import { Button } from "./Button";

export const neededBy = (page: { status_option?: string }) =>
  page.status_option && page.status_option in turnedOn ? (page.status_option as Needed) : null;

/** Why a document waits or is not read, in words of the page: an option of the agent may be what it lacks. */
export function reasonOf(page: Page): string | null {
  const option = neededBy(page);
  if (option) return agent.value?.[option] ? w.reading.wasOff[option] : w.reading.isOff[option];
  return page.status_reason ? sayReason(page) : null;
}

/** Turns the option on that a document lacked, and reads it again. */
export function ReadWithOption({ id, page, onRead }: { id: number; page: Page; onRead: () => void }) {
  const option = neededBy(page);
  if (!option || !page.is_refreshable) return null;
  const isOn = Boolean(agent.value?.[option]);
  const read = () =>
    attempt(async () => {
      if (isOn) await post(`/projects/${id}/pages/${page.id}/reindex`);
      else await readWith(id, option, [page.id]);
      tell(w.syncing);
      contentCame();
      onRead();
    });
  return (
    <Button icon="refresh" onClick={() => void read()}>
      {isOn ? w.readAgain : w.reading.turnOn[option]}
    </Button>
  );
}
