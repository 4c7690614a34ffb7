import { Button } from "../components/Button";
import { DayField } from "../components/DayField";
import { Loaded } from "../components/Loaded";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get } from "../lib/api";
import { titleOf } from "../lib/fields";
import { download } from "../lib/files";
import { dateTime } from "../lib/format";
import type { Person } from "../lib/people";
import { useResource } from "../lib/resource";
import { goQuery, location_ } from "../lib/router";
import { attempt } from "../lib/state";
import type { Agent, List } from "../lib/types";
import { w } from "../words/dashboard";

const ROWS = 50;
/** So many agents can be chosen from. */
const AGENTS = 100;

interface Row {
  at: string;
  person_id: number | null;
  key_id: number | null;
  command: string | null;
  action: string;
  object: string | null;
  project_id: number | null;
  outcome: string;
  address: string | null;
  changes: Record<string, unknown> | null;
  node: number;
  number: number;
}

const families = (): Record<string, string> => ({
  account: w.account,
  agent: w.agents,
  conversation: w.conversations,
  key: w.keys,
  label: w.labels,
  license: w.licences,
  person: w.people,
  persona: w.persona,
  plugin: w.plugin,
  ...w.activity.families,
});
const familyOf = (action: string) => action.split(".")[0]!;
const actionName = (action: string) => w.activity.actions[action] ?? families()[familyOf(action)] ?? action;

/** Settings by their titles; what else was changed has names of its own, for programs. */
const changed = ({ action, changes }: Row) =>
  action === "settings.update"
    ? Object.keys(changes ?? {})
        .map(titleOf)
        .join(", ")
    : "";

/** What is made is of no agent yet, but may be one. */
const agentOf = ({ project_id, object }: Row) => project_id ?? Number(/^agent (\d+)$/.exec(object ?? "")?.[1] ?? 0);

/** What the address chooses, as the service is asked for it. */
function chosen(query: URLSearchParams) {
  const of = (name: string) => query.get(name) || undefined;
  const family = of("what");
  return {
    action: family && `${family}.`,
    person_id: of("who"),
    project_id: of("agent"),
    start_date: of("from"),
    end_date: of("to"),
  };
}

const choose = (change: Record<string, string>) => goQuery({ ...change, page: null }, { replace: true });

function Choice({ label, name, options }: { label: string; name: string; options: [string | number, string][] }) {
  return (
    <select
      class="input"
      aria-label={label}
      value={location_.value.query.get(name) ?? ""}
      onChange={(e) => choose({ [name]: e.currentTarget.value })}
    >
      {options.map(([value, text]) => (
        <option key={value} value={value}>
          {text}
        </option>
      ))}
    </select>
  );
}

const Day = ({ label, name }: { label: string; name: string }) => (
  <DayField label={label} value={location_.value.query.get(name) ?? ""} onChange={(day) => choose({ [name]: day })} />
);

/** Who changed what in the account, for its owners and auditors. */
export default function Activity() {
  const { query } = location_.value;
  const filter = chosen(query);
  const rows = useResource(
    (signal) => get<List<Row>>("/audit", { ...filter, limit: ROWS, page: query.get("page") ?? 1 }, signal),
    [query.toString()],
  );
  const names = useResource(async (signal) => {
    const [people, keys, agents] = await Promise.all([
      get<Person[]>("/people", {}, signal),
      get<{ id: number; name: string }[]>("/keys", {}, signal),
      get<List<Agent>>("/projects", { limit: AGENTS }, signal),
    ]);
    return {
      people: new Map(people.map((person) => [person.id, person.name])),
      keys: new Map(keys.map((key) => [key.id, key.name])),
      agents: new Map(agents.data.map((agent) => [agent.id, agent.project_name])),
      isAll: agents.data.length === agents.total,
    };
  }, []);
  const { people, keys, agents, isAll } = names.value.value ?? {};
  const who = (row: Row) =>
    row.person_id
      ? (people?.get(row.person_id) ?? w.activity.left)
      : row.key_id
        ? `${w.key} ${keys?.get(row.key_id) || row.key_id}`
        : w.activity.command;
  const csv = new URLSearchParams({ ...JSON.parse(JSON.stringify(filter)), format: "csv" });
  return (
    <Screen
      title={w.activity.title}
      actions={
        <Button icon="download" onClick={() => void attempt(() => download(`/api/v1/audit?${csv}`, "activity.csv"))}>
          {w.csvOf(w.activity.title)}
        </Button>
      }
    >
      <div class="column">
        <p class="lead">{w.activity.text}</p>
        <div class="split filters">
          <Choice
            label={w.activity.what}
            name="what"
            options={[["", w.activity.everything], ...Object.entries(families())]}
          />
          <Choice label={w.activity.who} name="who" options={[["", w.activity.everybody], ...(people ?? [])]} />
          <Choice label={w.personRightsOf} name="agent" options={[["", w.allAgents], ...(agents ?? [])]} />
          <span class="space" />
          <span class="days">
            <Day label={w.from} name="from" />
            <Day label={w.to} name="to" />
          </span>
        </div>
        <Loaded from={rows}>
          {(list) => (
            <Table
              list={list}
              idOf={(row) => `${row.node}-${row.number}`}
              empty={<p class="lead">{w.activity.none}</p>}
              columns={[
                {
                  title: w.activity.what,
                  kind: "what",
                  cell: (row) => (
                    <>
                      <b>{actionName(row.action)}</b>{" "}
                      {row.outcome !== "done" && (
                        <span class="badge warn">{w.activity.outcomes[row.outcome] ?? row.outcome}</span>
                      )}
                      <small>{changed(row)}</small>
                    </>
                  ),
                },
                { title: w.activity.who, cell: who },
                {
                  title: w.personRightsOf,
                  cell: (row) => {
                    const id = agentOf(row);
                    if (!id || !agents) return null;
                    return isAll && !agents.has(id) ? (
                      w.activity.gone
                    ) : (
                      <a href={`/agents/${id}/ask`}>{agents.get(id) ?? `${w.personRightsOf} ${id}`}</a>
                    );
                  },
                },
                { title: w.browserFrom, kind: "aside-column", cell: (row) => row.address },
                { title: w.activity.when, kind: "num", cell: (row) => dateTime(row.at) },
              ]}
            />
          )}
        </Loaded>
      </div>
    </Screen>
  );
}
