import { post } from "../lib/api";
import { turnedOn, type Needed } from "../lib/reading";
import { agent, attempt, readAgent, tell } from "../lib/state";
import type { Page } from "../lib/types";
import { contentCame } from "../lib/uploads";
import { w } from "../words/dashboard";
import { Button } from "./Button";

const neededBy = (page: Page) =>
  page.status_option && page.status_option in turnedOn ? (page.status_option as Needed) : null;

/** Why a document is not read, in words of the page where an option of the agent would have read it. */
export function reasonOf(page: Page): string | null {
  const option = neededBy(page);
  if (!option) return page.status_reason;
  return agent.value?.[option] ? w.reading.wasOff[option] : w.reading.isOff[option];
}

/** Turns the option on that a document lacked, and reads it again. */
export function ReadWithOption({ id, page, onRead }: { id: number; page: Page; onRead: () => void }) {
  const option = neededBy(page);
  if (!option || !page.is_refreshable) return null;
  const isOn = Boolean(agent.value?.[option]);
  const read = () =>
    attempt(async () => {
      if (!isOn) {
        await post(`/projects/${id}`, { [option]: turnedOn[option] });
        await readAgent(id);
      }
      await post(`/projects/${id}/pages/${page.id}/reindex`);
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
