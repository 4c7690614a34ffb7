import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Loaded } from "../components/Loaded";
import { Table } from "../components/Table";
import { get, remove } from "../lib/api";
import { ago, date } from "../lib/format";
import { useResource } from "../lib/resource";
import { w } from "../words/dashboard";

interface Program {
  id: number;
  client_id: string;
  name: string;
  created_at: string;
  seen_at: string | null;
}

/** Programs that ask in somebody's name; nothing where there are none. */
export function Programs() {
  const programs = useResource((signal) => get<Program[]>("/programs", {}, signal), []);
  const [doomed, setDoomed] = useState<Program | null>(null);
  const nameOf = (program: Program) => program.name || new URL(program.client_id).host;
  return (
    <>
      <Loaded from={programs}>
        {(list) =>
          list.length > 0 && (
            <section>
              <h2>{w.programs.title}</h2>
              <p class="lead">{w.programs.text}</p>
              <Table
                list={list}
                idOf={(program) => program.id}
                columns={[
                  {
                    title: w.name,
                    kind: "what",
                    cell: (program) => (
                      <>
                        <b>
                          <bdi>{nameOf(program)}</bdi>
                        </b>
                        <small>{new URL(program.client_id).host}</small>
                      </>
                    ),
                  },
                  { title: w.made, kind: "num aside-column", cell: (program) => date(program.created_at) },
                  {
                    title: w.lastUsed,
                    kind: "num",
                    cell: (program) => (program.seen_at ? ago(program.seen_at) : w.never),
                  },
                ]}
                actions={(program) => (
                  <Button
                    kind="quiet"
                    icon="trash"
                    label={`${w.revoke} ${nameOf(program)}`}
                    onClick={() => setDoomed(program)}
                  />
                )}
              />
            </section>
          )
        }
      </Loaded>
      {doomed && (
        <Confirm
          title={`${w.revoke} ${nameOf(doomed)}`}
          action={w.revoke}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await remove(`/programs/${doomed.id}`);
            void programs.again();
          }}
        >
          <p>{w.programs.revokeText}</p>
        </Confirm>
      )}
    </>
  );
}
