import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Copy } from "../components/Copy";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, post, remove } from "../lib/api";
import { ago, date } from "../lib/format";
import { useResource } from "../lib/resource";
import { attempt, leave, tell } from "../lib/state";
import type { Agent, List } from "../lib/types";
import { w } from "../words/dashboard";

interface Key {
  id: number;
  name: string;
  label: string;
  project_ids: number[];
  is_mine: boolean;
  created_at: string;
  seen_at: string | null;
}

/** A new key: what it is for, which agents it reaches; then its text, this one time. */
function NewKey({ agents, onClose }: { agents: Agent[]; onClose: () => void }) {
  const [name, setName] = useState("");
  const [scope, setScope] = useState<number[]>([]);
  const [made, setMade] = useState("");
  const toggle = (id: number) => setScope(scope.includes(id) ? scope.filter((other) => other !== id) : [...scope, id]);
  if (made)
    return (
      <Dialog
        title={w.keyMade}
        onClose={onClose}
        footer={
          <Button kind="primary" onClick={onClose}>
            {w.keyKept}
          </Button>
        }
      >
        <p>{w.keyOnce}</p>
        <div class="command">
          <code>{made}</code>
          <Copy text={made} />
        </div>
      </Dialog>
    );
  return (
    <Dialog
      title={w.newKey}
      onClose={onClose}
      onSubmit={() =>
        void attempt(async () => setMade((await post<{ key: string }>("/keys", { name, project_ids: scope })).key))
      }
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit">
            {w.create}
          </Button>
        </>
      }
    >
      <Field label={w.name} help={w.keyNameHelp}>
        {(given) => (
          <input
            {...given}
            class="input"
            maxLength={100}
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
          />
        )}
      </Field>
      <fieldset class="field">
        <legend class="label">{w.keyScope}</legend>
        <small>{scope.length ? w.keyScopeSome(scope.length) : w.keyScopeAll}</small>
        <span class="chips">
          {agents.map((agent) => (
            <button
              key={agent.id}
              type="button"
              class="chip"
              aria-pressed={scope.includes(agent.id)}
              onClick={() => toggle(agent.id)}
            >
              {agent.project_name}
            </button>
          ))}
        </span>
      </fieldset>
    </Dialog>
  );
}

export default function Keys() {
  const keys = useResource((signal) => get<Key[]>("/keys", {}, signal), []);
  const agents = useResource((signal) => get<List<Agent>>("/projects", { limit: 100 }, signal), []);
  const [isNew, setNew] = useState(false);
  const [doomed, setDoomed] = useState<Key | null>(null);
  const nameOf = (id: number) => agents.value.value?.data.find((agent) => agent.id === id)?.project_name ?? `${id}`;

  const revoke = (key: Key) =>
    attempt(async () => {
      await remove(`/keys/${key.id}`);
      setDoomed(null);
      if (key.is_mine) return leave();
      tell(w.keyRevoked);
      return keys.again();
    });
  return (
    <Screen
      title={w.keys}
      actions={
        <Button kind="primary" icon="add" onClick={() => setNew(true)}>
          {w.newKey}
        </Button>
      }
    >
      <div class="column">
        <p class="lead">{w.keysText}</p>
        <Loaded from={keys}>
          {(list) => (
            <Table
              list={list}
              idOf={(key) => key.id}
              columns={[
                {
                  title: w.name,
                  kind: "what",
                  cell: (key) => (
                    <>
                      <b>{key.name || w.unnamed}</b> {key.is_mine && <span class="badge accent">{w.yours}</span>}
                      <small>
                        <code>{key.label}</code>
                      </small>
                    </>
                  ),
                },
                {
                  title: w.keyScope,
                  cell: (key) => (key.project_ids.length ? key.project_ids.map(nameOf).join(", ") : w.allAgents),
                },
                { title: w.made, kind: "num aside-column", cell: (key) => date(key.created_at) },
                { title: w.lastUsed, kind: "num", cell: (key) => (key.seen_at ? ago(key.seen_at) : w.never) },
              ]}
              actions={(key) => (
                <Button
                  kind="quiet"
                  icon="trash"
                  label={`${w.revoke} ${key.name || key.label}`}
                  onClick={() => setDoomed(key)}
                />
              )}
            />
          )}
        </Loaded>
      </div>
      {isNew && (
        <NewKey
          agents={agents.value.value?.data ?? []}
          onClose={() => {
            setNew(false);
            void keys.again();
          }}
        />
      )}
      {doomed && (
        <Dialog
          title={w.revokeTitle}
          onClose={() => setDoomed(null)}
          footer={
            <>
              <Button onClick={() => setDoomed(null)}>{w.cancel}</Button>
              <Button kind="danger" onClick={() => void revoke(doomed)}>
                {w.revoke}
              </Button>
            </>
          }
        >
          <p>{w.revokeText(doomed.name || doomed.label)}</p>
          {doomed.is_mine && <Note kind="warn">{w.revokeMine}</Note>}
        </Dialog>
      )}
    </Screen>
  );
}
