import { Avatar } from "../components/Avatar";
import { Empty } from "../components/Empty";
import { Loaded } from "../components/Loaded";
import { Screen } from "../components/Shell";
import { get, post } from "../lib/api";
import { useResource } from "../lib/resource";
import { agent, attempt, readAgent } from "../lib/state";
import type { Agent, List } from "../lib/types";
import { w } from "../words/dashboard";

export default function Master({ id }: { id: number }) {
  const agents = useResource((signal) => get<List<Agent>>("/projects", { limit: 100 }, signal), [id]);
  const children = agent.value!.child_project_ids ?? [];
  const toggle = (child: number, on: boolean) =>
    attempt(async () => {
      await post(`/projects/${id}`, {
        child_project_ids: on ? [...children, child] : children.filter((other) => other !== child),
      });
      await readAgent(id);
    });
  return (
    <Screen title={w.masterTitle}>
      <div class="column narrow">
        <p class="lead">{w.masterText}</p>
        <Loaded from={agents}>
          {({ data }) => {
            const possible = data.filter((other) => other.id !== id && !other.is_master);
            if (!possible.length) return <Empty icon="agents" title={w.masterNone} />;
            return (
              <ul class="card pick-list">
                {possible.map((other) => (
                  <li key={other.id}>
                    <label>
                      <input
                        type="checkbox"
                        checked={children.includes(other.id)}
                        onChange={(e) => void toggle(other.id, e.currentTarget.checked)}
                      />
                      <Avatar name={other.project_name} size="small" />
                      <b>{other.project_name}</b>
                      <span class={`badge ${other.is_chat_active ? "ok" : ""}`}>
                        {other.is_chat_active ? w.answering : w.notAnswering}
                      </span>
                    </label>
                  </li>
                ))}
              </ul>
            );
          }}
        </Loaded>
      </div>
    </Screen>
  );
}
