import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Copy } from "../components/Copy";
import { Dialog } from "../components/Dialog";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Table } from "../components/Table";
import { get, post, remove } from "../lib/api";
import { ago, date } from "../lib/format";
import { useResource } from "../lib/resource";
import { attempt, tell } from "../lib/state";
import { w } from "../words/dashboard";

interface Token {
  id: number;
  name: string;
  created_at: string;
  seen_at: string | null;
}

interface Made {
  token: string;
  address: string;
}

const Line = ({ label, text }: { label: string; text: string }) => (
  <>
    <p>{label}</p>
    <div class="command">
      <code>{text}</code>
      <Copy text={text} />
    </div>
  </>
);

/** A new token: what for; then its text and where the directory sends what it keeps, this one time. */
function NewToken({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState("");
  const [made, setMade] = useState<Made | null>(null);
  if (made)
    return (
      <Dialog
        title={w.directory.made}
        onClose={onClose}
        footer={
          <Button kind="primary" onClick={onClose}>
            {w.keyKept}
          </Button>
        }
      >
        <Line label={w.directory.address} text={made.address} />
        <Line label={w.keyOnce} text={made.token} />
      </Dialog>
    );
  return (
    <Dialog
      title={w.directory.add}
      onClose={onClose}
      onSubmit={() => void attempt(async () => setMade(await post<Made>("/directory-tokens", { name })))}
      footer={
        <>
          <Button onClick={onClose}>{w.cancel}</Button>
          <Button kind="primary" type="submit">
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
            maxLength={100}
            value={name}
            onInput={(e) => setName(e.currentTarget.value)}
          />
        )}
      </Field>
    </Dialog>
  );
}

/** The tokens with which a directory of the organisation keeps the account's people. */
export function Directory() {
  const tokens = useResource((signal) => get<Token[]>("/directory-tokens", {}, signal), []);
  const [isNew, setNew] = useState(false);
  const [doomed, setDoomed] = useState<Token | null>(null);
  return (
    <>
      <div class="split">
        <h2>{w.directory.title}</h2>
        <span class="space" />
        <Button icon="add" onClick={() => setNew(true)}>
          {w.directory.add}
        </Button>
      </div>
      <p class="lead">{w.directory.text}</p>
      <Loaded from={tokens}>
        {(list) => (
          <Table
            list={list}
            idOf={(token) => token.id}
            columns={[
              { title: w.name, kind: "what", cell: (token) => <b>{token.name || w.unnamed}</b> },
              { title: w.made, kind: "num aside-column", cell: (token) => date(token.created_at) },
              { title: w.lastUsed, kind: "num", cell: (token) => (token.seen_at ? ago(token.seen_at) : w.never) },
            ]}
            actions={(token) => (
              <Button
                kind="quiet"
                icon="trash"
                label={`${w.revoke} ${token.name || w.unnamed}`}
                onClick={() => setDoomed(token)}
              />
            )}
          />
        )}
      </Loaded>
      {isNew && (
        <NewToken
          onClose={() => {
            setNew(false);
            void tokens.again();
          }}
        />
      )}
      {doomed && (
        <Confirm
          title={w.directory.revokeTitle}
          action={w.revoke}
          onClose={() => setDoomed(null)}
          onConfirm={async () => {
            await remove(`/directory-tokens/${doomed.id}`);
            tell(w.directory.revoked);
            void tokens.again();
          }}
        >
          <p>{w.directory.revokeText}</p>
        </Confirm>
      )}
    </>
  );
}
