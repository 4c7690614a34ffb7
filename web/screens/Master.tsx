import { Avatar } from "../components/Avatar";
import { Empty } from "../components/Empty";
import { Loaded } from "../components/Loaded";
import { ReadyBadge } from "../components/Reading";
import { Screen } from "../components/Shell";
import { get, post } from "../lib/api";
import { useReadiness } from "../lib/readiness";
import { useResource } from "../lib/resource";
import { agent, attempt, readAgent } from "../lib/state";
import type { Agent, List } from "../lib/types";
import { w } from "../words/dashboard";

interface ChildProps {
  other: Agent;
  checked: boolean;
  onChange: (on: boolean) => void;
}

function Child({ other, checked, onChange }: ChildProps) {
  return (
    <li>
      <label>
        <input type="checkbox" checked={checked} onChange={(e) => onChange(e.currentTarget.checked)} />
        <Avatar name={other.project_name} size="small" />
        <b>{other.project_name}</b>
        <ReadyBadge is={useReadiness(other)?.readiness} />
      </label>
    </li>
  );
}

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
                  <Child
                    key={other.id}
                    other={other}
                    checked={children.includes(other.id)}
                    onChange={(on) => void toggle(other.id, on)}
                  />
                ))}
              </ul>
            );
          }}
        </Loaded>
      </div>
    </Screen>
  );
}
