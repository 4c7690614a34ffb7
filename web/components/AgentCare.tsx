import { useState } from "preact/hooks";
import { post, remove } from "../lib/api";
import { deletedAgents, restoreAgent } from "../lib/deleted";
import { go } from "../lib/router";
import { agent, attempt, forgetAgent, isWhole, readAgent, tell } from "../lib/state";
import type { Agent } from "../lib/types";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Confirm } from "./Confirm";
import { Field } from "./Field";

/** The agent as a whole: its name, a copy of it, its end. */
export function AgentCare({ id }: { id: number }) {
  const now = agent.value!;
  const [name, setName] = useState(now.project_name);
  const [copying, setCopying] = useState(false);
  const [deleting, setDeleting] = useState(false);
  return (
    <section class="card padded options" data-field="agent">
      <form
        class="split bottom"
        onSubmit={(event) => {
          event.preventDefault();
          void attempt(async () => {
            await post(`/projects/${id}`, { project_name: name });
            await readAgent(id);
            tell(w.saved);
          });
        }}
      >
        <Field label={w.agentName}>
          {(given) => (
            <input
              {...given}
              class="input"
              maxLength={255}
              value={name}
              onInput={(e) => setName(e.currentTarget.value)}
            />
          )}
        </Field>
        <Button type="submit" disabled={!name.trim() || name === now.project_name}>
          {w.rename}
        </Button>
      </form>
      <div class="split">
        {isWhole.value && (
          <Button
            icon="copy"
            busy={copying}
            onClick={async () => {
              setCopying(true);
              await attempt(async () => {
                const copy = await post<Agent>(`/projects/${id}/replicate`);
                tell(w.copyMade(copy.project_name), { label: w.openIt, run: () => go(`/agents/${copy.id}`) });
              });
              setCopying(false);
            }}
          >
            {copying ? w.copying : w.copyAgent}
          </Button>
        )}
        <Button kind="danger" icon="trash" onClick={() => setDeleting(true)}>
          {w.deleteAgent}
        </Button>
      </div>
      {deleting && (
        <Confirm
          title={w.deleteAgent}
          action={w.deleteAgent}
          typed={now.project_name}
          onClose={() => setDeleting(false)}
          onConfirm={async () => {
            await remove(`/projects/${id}`);
            forgetAgent();
            go("/agents");
            const { rows } = await deletedAgents().catch(() => ({ rows: [] }));
            const back = async () => {
              await restoreAgent(id);
              go(`/agents/${id}`);
            };
            const kept = rows.some((row) => row.id === id);
            tell(w.deleted, kept ? { label: w.undo, run: () => void attempt(back) } : undefined);
          }}
        >
          <p>{w.deleteAgentText(now.project_name)}</p>
        </Confirm>
      )}
    </section>
  );
}
