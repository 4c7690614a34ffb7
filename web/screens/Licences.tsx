import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Copy } from "../components/Copy";
import { Dialog } from "../components/Dialog";
import { Empty } from "../components/Empty";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Screen } from "../components/Shell";
import { Table } from "../components/Table";
import { get, post, remove } from "../lib/api";
import { date } from "../lib/format";
import { useResource } from "../lib/resource";
import { agent, attempt, readAgent, tell } from "../lib/state";
import { w } from "../words/dashboard";

interface Licence {
  id: number;
  name: string;
  key: string;
  created_at: string;
}

export default function Licences({ id }: { id: number }) {
  const allowed = agent.value!.are_licenses_allowed;
  const list = useResource(
    async (signal): Promise<Licence[]> => (allowed ? get(`/projects/${id}/licenses`, {}, signal) : []),
    [id, allowed],
  );
  const [name, setName] = useState<string | null>(null);
  const [doomed, setDoomed] = useState<Licence | null>(null);
  const create = (
    <Button kind="primary" icon="add" onClick={() => setName("")}>
      {w.newLicence}
    </Button>
  );
  return (
    <Screen title={w.licences} actions={allowed && create}>
      <div class="column">
        <p class="lead">{w.licencesText}</p>
        {allowed ? (
          <Loaded from={list}>
            {(rows) => (
              <Table
                list={rows}
                idOf={(licence) => licence.id}
                empty={
                  <Empty icon="licence" title={w.licencesNone}>
                    {create}
                  </Empty>
                }
                columns={[
                  { title: w.name, kind: "what", cell: (licence) => <b>{licence.name}</b> },
                  {
                    title: w.licenceKey,
                    cell: ({ key }) => (
                      <>
                        <code>{key}</code> <Copy quiet text={key} />
                      </>
                    ),
                  },
                  { title: w.made, kind: "num", cell: (licence) => date(licence.created_at) },
                ]}
                actions={(licence) => (
                  <Button
                    kind="quiet"
                    icon="trash"
                    label={`${w.delete} ${licence.name}`}
                    onClick={() => setDoomed(licence)}
                  />
                )}
              />
            )}
          </Loaded>
        ) : (
          <Empty icon="licence" title={w.licencesOff}>
            <Button
              kind="primary"
              onClick={() =>
                void attempt(async () => {
                  await post(`/projects/${id}`, { are_licenses_allowed: true });
                  await readAgent(id);
                })
              }
            >
              {w.licencesAllow}
            </Button>
          </Empty>
        )}
      </div>
      {name !== null && (
        <Dialog
          title={w.newLicence}
          onClose={() => setName(null)}
          onSubmit={() =>
            void attempt(async () => {
              await post(`/projects/${id}/licenses`, { name });
              setName(null);
              await list.again();
            })
          }
          footer={
            <>
              <Button onClick={() => setName(null)}>{w.cancel}</Button>
              <Button kind="primary" type="submit" disabled={!name.trim()}>
                {w.create}
              </Button>
            </>
          }
        >
          <Field label={w.name}>
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
        </Dialog>
      )}
      {doomed && (
        <Confirm
          title={w.deleteLicence(doomed.name)}
          action={w.delete}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await remove(`/projects/${id}/licenses/${doomed.id}`);
            tell(w.deleted);
            await list.again();
          }}
        >
          <p>{w.deleteLicenceText}</p>
        </Confirm>
      )}
    </Screen>
  );
}
