import { useSignal, type Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef, useState } from "preact/hooks";
import { get, post } from "../lib/api";
import { byLanguage, choiceName, choicesOf, isField, languageName, titleOf, type Group } from "../lib/fields";
import { fullHex } from "../lib/colour";
import { ownColour } from "../lib/look";
import { number } from "../lib/format";
import { useResource } from "../lib/resource";
import { guard } from "../lib/router";
import { attempt, tell } from "../lib/state";
import { useReach } from "../lib/reach";
import { w } from "../words/dashboard";
import { Button } from "./Button";
import { Icon } from "./Icon";
import { Loaded } from "./Loaded";
import { Note } from "./Note";
import { Toggle } from "./Toggle";
import { TwoAnswers } from "./TwoAnswers";
import { Field } from "./Field";

export interface FieldInfo {
  name: string;
  answer_name: string;
  section: string;
  type: "flag" | "number" | "text" | "list";
  form: "free" | "choice" | "color" | "language" | "model" | "image" | "domain";
  choices: string[];
  min: number;
  max: number;
  max_items: number;
  takes_null: boolean;
  requires: string | null;
  feature: string | null;
  locked: boolean;
  default: unknown;
  description: string;
}

export type Values = Record<string, unknown>;

interface Result {
  failed_fields?: Record<string, string[]>;
}

interface FormState {
  /** By request name, as the service has them. */
  stored: Values;
  /** What differs; a File for a picture that was picked. */
  draft: Signal<Values>;
  errors: Signal<Record<string, string>>;
}

/** What the service says of a field: names of fields and their words as the page shows them. */
/** What a model does; where the service has none, nothing comes of it. */
const ofModels = ["response_source", "agent_capability", "chatbot_model", "context_depth", "quote_sure_answers"];

const inWords = (info: FieldInfo) =>
  (w.settings.help[info.name] ?? info.description).replaceAll(/`([^`]+)`/g, (_, name: string) =>
    w.quoted(isField(name) ? titleOf(name) : choiceName(info.name, name)),
  );

const same = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** What the draft makes of the stored settings. */
export const valuesOf = ({ stored, draft }: FormState): Values => ({ ...stored, ...draft.value });

/** The language that is none of the list. */
const AS_VISITOR = "visitor";

function Control({
  info,
  title,
  value,
  blocked,
  given,
  onChange,
}: {
  info: FieldInfo;
  title: string;
  value: unknown;
  blocked: boolean;
  given: object;
  onChange: (value: unknown) => void;
}) {
  const text = value == null ? "" : String(value);
  const named =
    info.type === "number" ? choicesOf(info.name) : info.form === "language" ? byLanguage(info.choices) : info.choices;
  const options = named.includes(AS_VISITOR) ? [AS_VISITOR, ...named.filter((choice) => choice !== AS_VISITOR)] : named;
  if (info.form === "image")
    return <ImagePicker info={info} title={title} value={value} disabled={blocked} given={given} onChange={onChange} />;
  if (info.type === "list")
    return (
      <textarea
        {...given}
        class="input"
        disabled={blocked}
        value={((value as string[] | null) ?? []).join("\n")}
        onInput={(event) => onChange(event.currentTarget.value === "" ? [] : event.currentTarget.value.split("\n"))}
      />
    );
  if (options.length || info.form === "model")
    return (
      <select
        {...given}
        class="input"
        disabled={blocked}
        onChange={(event) =>
          onChange(
            event.currentTarget.value === ""
              ? null
              : info.type === "number"
                ? Number(event.currentTarget.value)
                : event.currentTarget.value,
          )
        }
      >
        {info.takes_null && (info.default === null || value === null) && (
          <option value="" selected={value === null}>
            {w.byDefault}
          </option>
        )}
        {options.map((choice) => (
          <option key={choice} value={choice} selected={text === choice}>
            {info.form === "language" && choice !== AS_VISITOR
              ? languageName(choice)
              : info.form === "model"
                ? choice
                : choiceName(info.name, choice)}
          </option>
        ))}
      </select>
    );
  if (info.type === "number")
    return (
      <input
        {...given}
        class="input short"
        type="number"
        min={info.min}
        max={info.max}
        disabled={blocked}
        value={text}
        onInput={(event) => onChange(event.currentTarget.value === "" ? "" : Number(event.currentTarget.value))}
      />
    );
  if (info.form === "color")
    return (
      <span class="colour">
        <input
          type="color"
          aria-label={w.pickColour(title)}
          disabled={blocked}
          value={fullHex(text) ?? "#ffffff"}
          onInput={(event) => onChange(ownColour(info.name, event.currentTarget.value))}
        />
        <input
          {...given}
          class="input mono"
          maxLength={9}
          disabled={blocked}
          value={text}
          onInput={(event) => onChange(event.currentTarget.value)}
          onChange={(event) => onChange(ownColour(info.name, event.currentTarget.value))}
        />
      </span>
    );
  const long = info.max > 160 || info.max === 0;
  const edit = (event: { currentTarget: HTMLInputElement | HTMLTextAreaElement }) =>
    onChange(event.currentTarget.value === "" && info.takes_null ? null : event.currentTarget.value);
  return long ? (
    <textarea
      {...given}
      class="input"
      dir="auto"
      maxLength={info.max || undefined}
      disabled={blocked}
      value={text}
      onInput={edit}
    />
  ) : (
    <input
      {...given}
      class="input"
      dir="auto"
      maxLength={info.max || undefined}
      disabled={blocked}
      value={text}
      onInput={edit}
    />
  );
}

function ImagePicker({
  info,
  title,
  value,
  disabled,
  given,
  onChange,
}: {
  info: FieldInfo;
  title: string;
  value: unknown;
  disabled: boolean;
  given: object;
  onChange: (value: unknown) => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  const shown = useSignal("");
  useEffect(() => {
    if (!(value instanceof File)) {
      shown.value = typeof value === "string" ? value : "";
      return;
    }
    const reader = new FileReader();
    reader.onload = () => (shown.value = String(reader.result));
    reader.readAsDataURL(value);
  }, [value]);
  return (
    <span class="split">
      {shown.value && <img class="picked" src={shown.value} alt="" />}
      <Button icon="upload" disabled={disabled} onClick={() => input.current!.click()}>
        {shown.value ? w.changePicture : w.choosePicture}
      </Button>
      {shown.value && info.takes_null && (
        <Button kind="quiet" disabled={disabled} onClick={() => onChange(null)}>
          {w.remove}
        </Button>
      )}
      <input
        {...given}
        ref={input}
        type="file"
        class="hidden"
        tabIndex={-1}
        aria-label={title}
        accept="image/png,image/jpeg,image/webp,image/gif"
        onChange={(event) => {
          const file = event.currentTarget.files?.[0];
          if (file) onChange(file);
          event.currentTarget.value = "";
        }}
      />
    </span>
  );
}

function Row({
  info,
  title,
  form,
  fields,
}: {
  info: FieldInfo;
  title: string;
  form: FormState;
  fields: Map<string, FieldInfo>;
}) {
  const values = valuesOf(form);
  const value = values[info.name];
  const needs = info.requires && !values[info.requires] ? fields.get(info.requires) : null;
  const blocked = info.locked || needs != null;
  const error = form.errors.value[info.name];
  const set = (next: unknown) => {
    const draft = { ...form.draft.value };
    if (same(next, form.stored[info.name]) && !(next instanceof File)) delete draft[info.name];
    else draft[info.name] = next;
    form.draft.value = draft;
    if (error) {
      const { [info.name]: _, ...rest } = form.errors.value;
      form.errors.value = rest;
    }
  };
  const isDefault = info.form === "image" || same(value ?? null, info.default ?? null);
  const aside = (
    <>
      {info.locked && (
        <span class="badge warn">
          <Icon name="lock" />
          {w.needsPlan(info.feature ?? "")}
        </span>
      )}
      {ofModels.includes(info.name) && !fields.get("chatbot_model")?.choices.length && (
        <span class="badge">{w.needsModel}</span>
      )}
      {needs && <span class="badge">{w.needsField(titleOf(needs.name))}</span>}
      {!isDefault && !blocked && (
        <button type="button" class="back" onClick={() => set(info.default)}>
          {w.backToDefault}
        </button>
      )}
    </>
  );
  const counter =
    info.type === "text" && info.form === "free" && info.max > 0
      ? `${[...String(value ?? "")].length} / ${info.max}`
      : null;
  return (
    <div class={`setting ${info.name in form.draft.value ? "changed" : ""}`} data-field={info.name}>
      {info.type === "flag" ? (
        <div class="flag">
          <Toggle
            label={title}
            help={error ? <span class="bad">{error}</span> : inWords(info)}
            checked={Boolean(value)}
            disabled={blocked}
            onChange={set}
          />
          <span class="aside">{aside}</span>
        </div>
      ) : (
        <Field
          label={title}
          help={info.type === "list" ? `${inWords(info)} ${w.onePerLine}` : inWords(info)}
          error={error}
          aside={
            <>
              {counter} {aside}
            </>
          }
        >
          {(given) => (
            <Control info={info} title={title} value={value} blocked={blocked} given={given} onChange={set} />
          )}
        </Field>
      )}
    </div>
  );
}

/** The address may name a field. */
function Reach() {
  useReach();
  return null;
}

/** Sends what differs; gives what was refused, by field. */
export async function saveSettings(id: number, draft: Values): Promise<Record<string, string[]>> {
  const files = Object.entries(draft).filter(([, value]) => value instanceof File) as [string, File][];
  const rest = Object.fromEntries(
    Object.entries(draft)
      .filter(([, value]) => !(value instanceof File))
      .map(([name, value]) => [name, Array.isArray(value) ? value.map((line) => line.trim()).filter(Boolean) : value]),
  );
  const failed: Record<string, string[]> = {};
  const send = async (body: unknown, names: string[]) => {
    try {
      const refused = Object.keys((await post<Result>(`/projects/${id}/settings`, body)).failed_fields ?? {});
      // Alone, each is refused by a code, which has words here.
      for (const name of refused) await send({ [name]: (body as Values)[name] }, [name]);
    } catch (error) {
      // All that was sent is refused with the first field's sentence: each is asked about alone.
      if ((error as { status?: number }).status !== 400 || names.length === 1) {
        if (names.length > 1 || (error as { status?: number }).status !== 400) throw error;
        failed[names[0]!] = [(error as Error).message.replace(`${names[0]}: `, "")];
      } else for (const name of names) await send({ [name]: (body as Values)[name] }, [name]);
    }
  };
  if (Object.keys(rest).length) await send(rest, Object.keys(rest));
  for (const [name, file] of files) {
    const form = new FormData();
    form.set(name, file);
    await send(form, [name]);
  }
  return failed;
}

/** So many are seen at a glance. */
const AT_A_GLANCE = 3;

/** The groups of a long form, each a click away; those with changes that are not saved say so. */
function Groups({ groups, draft }: { groups: Group[]; draft: Values }) {
  if (groups.length <= AT_A_GLANCE) return null;
  const goTo = (name: string) => {
    const section = document.querySelector(`[data-group="${name}"]`);
    section?.scrollIntoView({ block: "start" });
    section?.querySelector<HTMLElement>("h2")?.focus({ preventScroll: true });
  };
  return (
    <nav class="chips group-nav" aria-label={w.groupsHere}>
      {groups.map(({ name, fields }) => {
        const changed = fields.filter((field) => field in draft).length;
        return (
          <button type="button" key={name} class="chip" onClick={() => goTo(name)}>
            {w.settings.groups[name]}
            {changed > 0 && <b class="num">{number(changed)}</b>}
          </button>
        );
      })}
    </nav>
  );
}

/** What is changed and can be tried with one question alone. */
const asked = (draft: Values): Values =>
  Object.fromEntries(
    ["chatbot_model", "response_source", "agent_capability"]
      .filter((name) => draft[name] !== undefined && draft[name] !== null)
      .map((name) => [name, draft[name]]),
  );

interface Props {
  id: number;
  groups: Group[];
  /** Beside the form, of what the form holds now. */
  beside?: (values: Values) => ComponentChildren;
  /** Below it, as soon as the form is there: nothing moves when it comes. */
  below?: ComponentChildren;
}

/** Settings by groups: what is changed waits until it is saved together; each field is refused alone. */
export function SettingsForm({ id, groups, beside, below }: Props) {
  const loaded = useResource(
    async (signal) => {
      const [schema, answer] = await Promise.all([
        get<FieldInfo[]>(`/projects/${id}/settings/schema`, {}, signal),
        get<Values>(`/projects/${id}/settings`, {}, signal),
      ]);
      const stored = Object.fromEntries(schema.map((info) => [info.name, answer[info.answer_name]]));
      return { fields: new Map(schema.map((info) => [info.name, info])), stored };
    },
    [id],
  );
  const draft = useSignal<Values>({});
  const errors = useSignal<Record<string, string>>({});
  const busy = useSignal(false);
  const failure = useSignal("");
  const [comparing, setComparing] = useState(false);
  const count = Object.keys(draft.value).length;
  useEffect(() => {
    const warn = (event: BeforeUnloadEvent) => Object.keys(draft.value).length && event.preventDefault();
    guard.mayLeave = () => !Object.keys(draft.value).length || confirm(w.leaveUnsaved);
    addEventListener("beforeunload", warn);
    return () => {
      guard.mayLeave = () => true;
      removeEventListener("beforeunload", warn);
    };
  }, []);

  /** What these were, but for pictures, whose files are not here. */
  function before(names: string[]): Values {
    const { fields, stored } = loaded.value.peek()!;
    const known = names.filter((name) => fields.get(name)?.form !== "image");
    return Object.fromEntries(known.map((name) => [name, stored[name] ?? null]));
  }
  function tellSaved(was: Values) {
    const back = async () => {
      await saveSettings(id, was);
      await loaded.again();
      tell(w.saved);
    };
    if (Object.keys(was).length) tell(w.saved, { label: w.undo, run: () => void attempt(back) });
    else tell(w.saved);
  }
  async function submit() {
    busy.value = true;
    failure.value = "";
    const was = before(Object.keys(draft.value));
    try {
      const failed = await saveSettings(id, draft.value);
      await loaded.again();
      errors.value = Object.fromEntries(Object.entries(failed).map(([name, sentences]) => [name, sentences.join(" ")]));
      draft.value = Object.fromEntries(Object.entries(draft.value).filter(([name]) => name in failed));
      if (Object.keys(failed).length)
        document.querySelector(`[data-field="${Object.keys(failed)[0]}"]`)?.scrollIntoView({ block: "center" });
      else tellSaved(was);
    } catch (error) {
      failure.value = (error as Error).message;
    }
    busy.value = false;
  }
  return (
    <Loaded from={loaded}>
      {({ fields, stored }) => {
        const form: FormState = { stored, draft, errors };
        const known = groups
          .map((group) => ({ ...group, fields: group.fields.filter((name) => fields.has(name)) }))
          .filter((group) => group.fields.length);
        return (
          <div class={`settings ${beside ? "with-preview" : ""}`}>
            <form
              onSubmit={(event) => {
                event.preventDefault();
                void submit();
              }}
            >
              <Groups groups={known} draft={draft.value} />
              {known.map((group) => (
                <section class="card" key={group.name} data-group={group.name}>
                  <h2 tabIndex={-1}>{w.settings.groups[group.name]}</h2>
                  {group.fields.map((name) => (
                    <Row key={name} info={fields.get(name)!} title={titleOf(name)} form={form} fields={fields} />
                  ))}
                </section>
              ))}
              <Reach />
              {failure.value && <Note kind="bad">{failure.value}</Note>}
              {count > 0 && (
                <div class="save-bar fade" role="region" aria-label={w.changes(count)}>
                  <span class="num">{w.changes(count)}</span>
                  {Object.keys(errors.value).length > 0 && (
                    <span class="bad">{w.refused(Object.keys(errors.value).length)}</span>
                  )}
                  <span class="space" />
                  {Object.keys(asked(draft.value)).length > 0 && (
                    <Button onClick={() => setComparing(true)}>{w.two.title}</Button>
                  )}
                  <Button
                    onClick={() => {
                      const lost = draft.value;
                      draft.value = {};
                      errors.value = {};
                      tell(w.discarded, { label: w.undo, run: () => (draft.value = { ...lost, ...draft.value }) });
                    }}
                  >
                    {w.discard}
                  </Button>
                  <Button kind="primary" type="submit" busy={busy.value}>
                    {w.save}
                  </Button>
                </div>
              )}
            </form>
            {comparing && <TwoAnswers id={id} fields={asked(draft.value)} onClose={() => setComparing(false)} />}
            {beside?.(valuesOf(form))}
            {below}
          </div>
        );
      }}
    </Loaded>
  );
}
