import { useEffect, useMemo, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { TwoAnswers } from "../components/TwoAnswers";
import { get, patch, post, put, remove } from "../lib/api";
import { diffLines } from "../lib/diff";
import { ago } from "../lib/format";
import { useResource } from "../lib/resource";
import { guard } from "../lib/router";
import { attempt, hasFeature, tell } from "../lib/state";
import type { List } from "../lib/types";
import { w } from "../words/dashboard";

const MAX = 12000;

interface Version {
  version: number;
  is_active: boolean;
  instructions: string | null;
  created_at: string;
}

interface SubPersona {
  slug: string;
  title: string;
  instructions: string | null;
}

interface SubPersonas {
  is_generating: boolean;
  generated: SubPersona[];
  project_overrides: SubPersona[];
}

function Diff({ from, to }: { from: string; to: string }) {
  const lines = useMemo(() => diffLines(from, to), [from, to]);
  return (
    <pre class="diff" tabIndex={0} aria-label={w.differences}>
      {lines.map(({ kind, text }, i) => (
        <span key={i} class={kind}>
          {{ same: "  ", gone: "− ", new: "+ " }[kind]}
          {text}
          {"\n"}
        </span>
      ))}
    </pre>
  );
}

/** A generated text, and the agent's own in its place. */
function Sub({
  id,
  version,
  generated,
  own,
  onChanged,
}: {
  id: number;
  version: number;
  generated: SubPersona;
  own?: SubPersona;
  onChanged: () => void;
}) {
  const [text, setText] = useState(own?.instructions ?? generated.instructions ?? "");
  const path = `/projects/${id}/settings/persona/${version}/sub-personas/${generated.slug}`;
  return (
    <section class="card padded">
      <div class="split">
        <h2>{generated.title}</h2>
        <span class={`badge ${own ? "accent" : ""}`}>{own ? w.ownText : w.generated}</span>
      </div>
      <Field label={generated.title} help={w.subHelp}>
        {(given) => (
          <textarea {...given} class="input" dir="auto" value={text} onInput={(e) => setText(e.currentTarget.value)} />
        )}
      </Field>
      <div class="split">
        <Button
          disabled={text === (own?.instructions ?? generated.instructions ?? "")}
          onClick={() =>
            void attempt(async () => {
              await patch(path, { instructions: text });
              tell(w.saved);
              onChanged();
            })
          }
        >
          {w.save}
        </Button>
        {own && (
          <Button
            kind="quiet"
            icon="undo"
            onClick={() =>
              void attempt(async () => {
                await remove(path);
                onChanged();
                tell(w.saved, {
                  label: w.undo,
                  run: () =>
                    void attempt(async () => {
                      await patch(path, { instructions: own.instructions });
                      onChanged();
                    }),
                });
              })
            }
          >
            {w.backToGenerated}
          </Button>
        )}
      </div>
    </section>
  );
}

function Versions({ id, onChanged, list }: { id: number; list: Version[]; onChanged: () => void }) {
  const [open, setOpen] = useState(0);
  const [wanted, setWanted] = useState<Version | null>(null);
  const newest = list[0];
  return (
    <section class="card">
      <h2 class="card-title">{w.versions}</h2>
      <ul class="versions">
        {list.map((version) => (
          <li key={version.version}>
            <div class="split">
              <b class="num">v{version.version}</b>
              {version.is_active && <span class="badge ok">{w.active}</span>}
              <span class="lead num">{ago(version.created_at)}</span>
              <span class="space" />
              <Button
                kind="quiet"
                pressed={open === version.version}
                onClick={() => setOpen(open === version.version ? 0 : version.version)}
              >
                {version === newest ? w.show : w.compare}
              </Button>
              {!version.is_active && <Button onClick={() => setWanted(version)}>{w.activate}</Button>}
            </div>
            {open === version.version && (
              <Diff from={version === newest ? "" : (version.instructions ?? "")} to={newest?.instructions ?? ""} />
            )}
          </li>
        ))}
      </ul>
      {wanted && (
        <Confirm
          title={w.activateTitle(wanted.version)}
          action={w.activate}
          onClose={() => setWanted(null)}
          onConfirm={async () => {
            await put(`/projects/${id}/settings/persona/activate/${wanted.version}`);
            tell(w.saved);
            onChanged();
          }}
        >
          <p>{w.activateText}</p>
        </Confirm>
      )}
    </section>
  );
}

export default function Persona({ id }: { id: number }) {
  const versions = useResource(
    async (signal) => {
      if (!hasFeature("personas")) {
        const { persona_instructions } = await get<{ persona_instructions: string | null }>(
          `/projects/${id}/settings`,
          {},
          signal,
        );
        return { list: [] as Version[], text: persona_instructions ?? "" };
      }
      const { data } = await get<List<Version>>(`/projects/${id}/settings/personas`, { limit: 50 }, signal);
      return { list: data, text: data.find((version) => version.is_active)?.instructions ?? "" };
    },
    [id],
  );
  const loaded = versions.value.value;
  const [text, setText] = useState("");
  const [error, setError] = useState("");
  const [comparing, setComparing] = useState(false);
  const active = loaded?.list.find((version) => version.is_active)?.version ?? loaded?.list[0]?.version;
  const subs = useResource(
    async (signal) =>
      active ? get<SubPersonas>(`/projects/${id}/settings/persona/${active}/sub-personas`, {}, signal) : null,
    [id, active],
  );
  useEffect(() => setText(loaded?.text ?? ""), [loaded?.text]);
  const changed = loaded !== undefined && text !== loaded.text;
  useEffect(() => {
    guard.mayLeave = () => !changed || confirm(w.leaveUnsaved);
    return () => {
      guard.mayLeave = () => true;
    };
  }, [changed]);
  async function save() {
    setError("");
    try {
      await post(`/projects/${id}/settings`, { persona_instructions: text || null });
      tell(w.saved);
      await versions.again();
      await subs.again();
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Screen
      title={w.persona}
      actions={
        <>
          <Button disabled={!changed || !text.trim()} onClick={() => setComparing(true)}>
            {w.two.title}
          </Button>
          <Button kind="primary" disabled={!changed} onClick={() => void save()}>
            {w.saveVersion}
          </Button>
        </>
      }
    >
      <div class="column narrow">
        <Loaded from={versions}>
          {({ list }) => (
            <>
              <Field label={w.personaLabel} help={w.personaHelp} error={error} aside={`${[...text].length} / ${MAX}`}>
                {(given) => (
                  <textarea
                    {...given}
                    class="input tall"
                    dir="auto"
                    maxLength={MAX}
                    value={text}
                    onInput={(e) => setText(e.currentTarget.value)}
                  />
                )}
              </Field>
              {changed && list.length > 0 && (
                <details>
                  <summary>{w.differences}</summary>
                  <Diff from={loaded!.text} to={text} />
                </details>
              )}
              {!hasFeature("personas") && <Note kind="warn">{w.needsPlan(w.versions)}</Note>}
              {list.length > 0 && <Versions id={id} list={list} onChanged={() => void versions.again()} />}
            </>
          )}
        </Loaded>
        <Loaded from={subs}>
          {(value) =>
            value && (
              <>
                <h2>{w.subPersonas}</h2>
                <p class="lead">{w.subPersonasText}</p>
                {value.is_generating && <Note>{w.generating}</Note>}
                {value.generated.map((generated) => {
                  const own = value.project_overrides.find((each) => each.slug === generated.slug);
                  return (
                    <Sub
                      key={`${generated.slug} ${own?.instructions} ${generated.instructions}`}
                      id={id}
                      version={active!}
                      generated={generated}
                      own={own}
                      onChanged={() => void subs.again()}
                    />
                  );
                })}
              </>
            )
          }
        </Loaded>
      </div>
      {comparing && <TwoAnswers id={id} fields={{ custom_persona: text }} onClose={() => setComparing(false)} />}
    </Screen>
  );
}
