import { useState } from "preact/hooks";
import { Icon } from "./Icon";
import { ago } from "../lib/format";
import { useResource } from "../lib/resource";
import type { Visitor } from "../lib/visit";
import { t } from "../words/visitor";
import "./Panel"; // so that what both hold is one file: markdown.ts

/** The visitor's earlier talks: go on with one, rename it, delete it. */
export function Talks({ visitor, onClose }: { visitor: Visitor; onClose: () => void }) {
  const list = useResource((signal) => visitor.talks(signal), []);
  const talks = list.value.value,
    error = list.error.value;
  const [naming, setNaming] = useState<string | null>(null);
  const [leaving, setLeaving] = useState<string | null>(null);
  return (
    <section class="talks" aria-label={t.talks}>
      <header>
        <h2>{t.talks}</h2>
        <button class="icon" aria-label={t.close} onClick={onClose}>
          <Icon name="close" />
        </button>
      </header>
      {error && <p role="alert">{error.status ? error.message : t.offline}</p>}
      {talks?.length === 0 && <p class="mute">{t.talksNone}</p>}
      <ul>
        {talks?.map((talk) => (
          <li key={talk.session_id}>
            {naming === talk.session_id ? (
              <form
                onSubmit={async (event) => {
                  event.preventDefault();
                  const name = String(new FormData(event.currentTarget).get("name") ?? "").trim();
                  if (name) await visitor.rename(talk.session_id, name);
                  setNaming(null);
                  await list.again();
                }}
              >
                <input name="name" aria-label={t.rename} dir="auto" maxLength={255} value={talk.name} autoFocus />
                <button class="small">{t.save}</button>
              </form>
            ) : leaving === talk.session_id ? (
              <div class="sure" role="alertdialog" aria-label={t.deleteTalk}>
                <span>{t.deleteTalk}</span>
                <button
                  class="small"
                  autoFocus
                  onClick={async () => {
                    await visitor.remove(talk.session_id);
                    setLeaving(null);
                    await list.again();
                  }}
                >
                  {t.delete}
                </button>
                <button class="small" onClick={() => setLeaving(null)}>
                  {t.cancel}
                </button>
              </div>
            ) : (
              <>
                <button
                  class="name"
                  aria-current={visitor.sessionId.value === talk.session_id || undefined}
                  onClick={async () => {
                    await visitor.open(talk.session_id);
                    onClose();
                  }}
                >
                  <b dir="auto">{talk.name}</b>
                  <small>{ago(talk.updated_at)}</small>
                </button>
                <button
                  class="icon"
                  aria-label={`${t.rename}: ${talk.name}`}
                  onClick={() => setNaming(talk.session_id)}
                >
                  <Icon name="persona" />
                </button>
                <button
                  class="icon"
                  aria-label={`${t.delete}: ${talk.name}`}
                  onClick={() => setLeaving(talk.session_id)}
                >
                  <Icon name="trash" />
                </button>
              </>
            )}
          </li>
        ))}
      </ul>
    </section>
  );
}
