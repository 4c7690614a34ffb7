import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Copy } from "../components/Copy";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, post, put, remove } from "../lib/api";
import { ago } from "../lib/format";
import { rights, roles, type Browser, type Grant, type Person, type Right, type Role } from "../lib/people";
import { isThere, useResource } from "../lib/resource";
import { attempt, leave, tell } from "../lib/state";
import type { Agent, List } from "../lib/types";
import { w } from "../words/dashboard";
import { Directory } from "./Directory";

interface Invited {
  person: Person;
  link: string;
}

/** The link that invites somebody, this one time. */
const Link = ({ invited, onClose }: { invited: Invited; onClose: () => void }) => (
  <Dialog
    title={w.invited(invited.person.name)}
    onClose={onClose}
    footer={
      <Button kind="primary" onClick={onClose}>
        {w.inviteSent}
      </Button>
    }
  >
    <p>{w.inviteOnce}</p>
    <div class="command">
      <code>{invited.link}</code>
      <Copy text={invited.link} />
    </div>
  </Dialog>
);

/** What somebody may of one agent, or of each. */
function GrantRow({
  grant,
  agents,
  onChange,
}: {
  grant: Grant;
  agents: Agent[];
  onChange: (to: Grant | null) => void;
}) {
  const toggle = (right: Right) =>
    onChange({
      ...grant,
      rights: grant.rights.includes(right) ? grant.rights.filter((other) => other !== right) : [...grant.rights, right],
    });
  return (
    <fieldset class="field">
      <legend class="hidden">{w.personRights}</legend>
      <select
        class="input"
        aria-label={w.personRightsOf}
        value={grant.project_id ?? ""}
        onChange={(e) => onChange({ ...grant, project_id: Number(e.currentTarget.value) || null })}
      >
        <option value="">{w.allAgents}</option>
        {agents.map((agent) => (
          <option key={agent.id} value={agent.id}>
            {agent.project_name}
          </option>
        ))}
      </select>
      <span class="chips">
        {rights.map((right) => (
          <button
            key={right}
            type="button"
            class="chip"
            aria-pressed={grant.rights.includes(right)}
            onClick={() => toggle(right)}
          >
            {w.rightNames[right]}
          </button>
        ))}
        <Button kind="quiet" icon="trash" label={w.remove} onClick={() => onChange(null)} />
      </span>
    </fieldset>
  );
}

/** Somebody new without `person`. */
function Edit({
  person,
  agents,
  onInvited,
  onClose,
}: {
  person?: Person;
  agents: Agent[];
  onInvited: (invited: Invited) => void;
  onClose: () => void;
}) {
  const [name, setName] = useState(person?.name ?? "");
  const [email, setEmail] = useState(person?.email ?? "");
  const [role, setRole] = useState<Role>(person?.role ?? "member");
  const [labels, setLabels] = useState((person?.labels ?? []).join("\n"));
  const [grants, setGrants] = useState<Grant[]>(person?.agents ?? [{ project_id: null, rights: ["ask"] }]);
  const [error, setError] = useState("");
  async function save() {
    const lines = labels.split("\n").map((line) => line.trim());
    const fields = {
      name,
      email,
      role,
      labels: lines.filter(Boolean),
      agents: grants.filter((grant) => grant.rights.length),
    };
    try {
      if (person) await put(`/people/${person.id}`, fields);
      else onInvited(await post<Invited>("/people", fields));
      if (person) tell(w.saved);
      onClose();
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Dialog
      title={person ? person.name : w.invite}
      onClose={onClose}
      onSubmit={() => void save()}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit" disabled={!name.trim()}>
            {person ? w.save : w.invite}
          </Button>
        </>
      }
    >
      <Field label={w.name}>
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
      <Field label={w.personEmail}>
        {(given) => (
          <input {...given} class="input" type="email" value={email} onInput={(e) => setEmail(e.currentTarget.value)} />
        )}
      </Field>
      <Field label={w.personRole} help={w.roleHelp[role]}>
        {(given) => (
          <select {...given} class="input" value={role} onChange={(e) => setRole(e.currentTarget.value as Role)}>
            {roles.map((each) => (
              <option key={each} value={each}>
                {w.roleNames[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
      {role !== "owner" && (
        <>
          {grants.map((grant, i) => (
            <GrantRow
              key={i}
              grant={grant}
              agents={agents}
              onChange={(to) =>
                setGrants(to ? grants.map((each, k) => (k === i ? to : each)) : grants.filter((_, k) => k !== i))
              }
            />
          ))}
          <Button
            icon="add"
            onClick={() => setGrants([...grants, { project_id: agents[0]?.id ?? null, rights: ["ask"] }])}
          >
            {w.personAddRights}
          </Button>
        </>
      )}
      <Field label={w.labels} help={`${w.personLabels} ${w.onePerLine}`}>
        {(given) => (
          <textarea {...given} class="input" value={labels} onInput={(e) => setLabels(e.currentTarget.value)} />
        )}
      </Field>
      {error && <Note kind="bad">{error}</Note>}
    </Dialog>
  );
}

export default function People() {
  const people = useResource((signal) => get<Person[]>("/people", {}, signal), []);
  const browsers = useResource((signal) => get<Browser[]>("/sessions", {}, signal), []);
  const agents = useResource((signal) => get<List<Agent>>("/projects", { limit: 100 }, signal), []);
  const [edited, setEdited] = useState<Person | "new" | null>(null);
  const [invited, setInvited] = useState<Invited | null>(null);
  const [leaving, setLeaving] = useState<Person | null>(null);
  const nameOf = (id: number | null) =>
    id === null ? w.allAgents : (agents.value.value?.data.find((agent) => agent.id === id)?.project_name ?? `${id}`);
  const summary = (person: Person) =>
    person.role === "owner"
      ? w.roleHelp.owner
      : person.agents
          .map((grant) => `${nameOf(grant.project_id)}: ${grant.rights.map((right) => w.rightNames[right]).join(", ")}`)
          .join("; ");
  const inWhom = (row: Browser) =>
    people.value.value?.find((person) => person.id === row.person_id)?.name ?? `${w.key} ${row.key_id ?? ""}`;
  const end = (row: Browser) =>
    attempt(async () => {
      await remove(`/sessions/${row.id}`);
      return row.is_mine ? leave() : browsers.again();
    });
  return (
    <Screen
      title={w.people}
      actions={
        <Button kind="primary" icon="add" onClick={() => setEdited("new")}>
          {w.invite}
        </Button>
      }
    >
      <div class="column">
        <p class="lead">{w.peopleText}</p>
        <Loaded from={people}>
          {(list) => (
            <Table
              list={list}
              idOf={(person) => person.id}
              columns={[
                {
                  title: w.name,
                  kind: "what",
                  cell: (person) => (
                    <>
                      <b>{person.name}</b> <span class="badge">{w.roleNames[person.role]}</span>{" "}
                      {!person.active && <span class="badge warn">{w.directory.off}</span>}
                      <small>{person.email}</small>
                    </>
                  ),
                },
                { title: w.personRights, cell: summary },
                { title: w.labels, kind: "aside-column", cell: (person) => person.labels.join(", ") },
                {
                  title: w.lastUsed,
                  kind: "num",
                  cell: (person) => (person.seen_at ? ago(person.seen_at) : w.never),
                },
              ]}
              actions={(person) => (
                <>
                  <Button
                    kind="quiet"
                    icon="share"
                    label={w.inviteAgain(person.name)}
                    onClick={() =>
                      void attempt(async () => setInvited(await post<Invited>(`/people/${person.id}/invitation`)))
                    }
                  />
                  <Button
                    kind="quiet"
                    icon="behaviour"
                    label={w.personChange(person.name)}
                    onClick={() => setEdited(person)}
                  />
                  <Button kind="quiet" icon="trash" label={w.letGoOf(person.name)} onClick={() => setLeaving(person)} />
                </>
              )}
            />
          )}
        </Loaded>
        {/* Below what may be long or short: not before that is there. */}
        {isThere(people) && (
          <>
            <h2>{w.browsersIn}</h2>
            <Loaded from={browsers}>
              {(list) => (
                <Table
                  list={list}
                  idOf={(row) => row.id}
                  columns={[
                    {
                      title: w.name,
                      kind: "what",
                      cell: (row) => (
                        <>
                          <b>{inWhom(row)}</b> {row.is_mine && <span class="badge accent">{w.yours}</span>}
                          <small>{row.browser}</small>
                        </>
                      ),
                    },
                    { title: w.browserFrom, kind: "aside-column", cell: (row) => row.address },
                    { title: w.lastUsed, kind: "num", cell: (row) => ago(row.seen_at) },
                  ]}
                  actions={(row) => (
                    <Button
                      kind="quiet"
                      icon="signout"
                      label={`${w.signOut}: ${inWhom(row)}`}
                      onClick={() => void end(row)}
                    />
                  )}
                />
              )}
            </Loaded>
          </>
        )}
        {isThere(people) && isThere(browsers) && <Directory />}
      </div>
      {edited && (
        <Edit
          person={edited === "new" ? undefined : edited}
          agents={agents.value.value?.data ?? []}
          onInvited={setInvited}
          onClose={() => {
            setEdited(null);
            void people.again();
          }}
        />
      )}
      {invited && <Link invited={invited} onClose={() => setInvited(null)} />}
      {leaving && (
        <Confirm
          title={w.letGoOf(leaving.name)}
          action={w.letGo}
          onClose={() => setLeaving(null)}
          onConfirm={async () => {
            await remove(`/people/${leaving.id}`);
            void people.again();
            void browsers.again();
          }}
        >
          <p>{w.letGoText}</p>
        </Confirm>
      )}
    </Screen>
  );
}
