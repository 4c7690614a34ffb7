import { Loaded } from "../components/Loaded";
import { Meter } from "../components/Meter";
import { Screen } from "../components/Shell";
import { number } from "../lib/format";
import { useResource } from "../lib/resource";
import { signIn } from "../lib/state";
import { readUsage, type Usage } from "../lib/usage";
import { w } from "../words/dashboard";

/** The figure that means "no limit". */
const NO_LIMIT = 2147483647;

const rows = (now: Usage): [string, number, number][] => [
  [w.questionsThisMonth, now.current_queries, now.max_queries],
  [w.agents, now.current_projects_num, now.max_projects_num],
  [w.wordsStored, now.current_total_storage_credits, now.max_total_storage_credits],
];

export default function UsageScreen() {
  const read = useResource(readUsage, []);
  return (
    <Screen title={w.usage}>
      <div class="column narrow">
        <p class="lead">{w.usageText(signIn.value?.plan ?? "")}</p>
        <Loaded from={read}>
          {(now) => (
            <section class="card padded meters">
              {rows(now).map(([name, used, limit]) =>
                limit >= NO_LIMIT ? (
                  <div class="meter" key={name}>
                    <span class="num">
                      <span>{name}</span>
                      <span>
                        {number(used)} · {w.noLimit}
                      </span>
                    </span>
                  </div>
                ) : (
                  <Meter key={name} label={name} used={used} limit={limit} />
                ),
              )}
            </section>
          )}
        </Loaded>
      </div>
    </Screen>
  );
}
