import { post } from "../lib/api";
import { ofAgent, optionsOf, type OptionName, type Options } from "../lib/reading";
import { agent, attempt, readAgent, tell } from "../lib/state";
import { w } from "../words/dashboard";
import { ReadingOptions } from "./ReadingOptions";

/** How the agent reads its documents; a change is saved at once. */
export function AgentReading({ id }: { id: number }) {
  const set = (name: OptionName, value: Options[OptionName]) =>
    void attempt(async () => {
      await post(`/projects/${id}`, { [name]: value });
      await readAgent(id);
      tell(w.saved);
    });
  return (
    <section class="card padded options" aria-label={w.readingOptions}>
      <p class="lead">{w.reading.fromNow}</p>
      <ReadingOptions names={ofAgent} values={optionsOf(agent.value)} onChange={set} />
    </section>
  );
}
