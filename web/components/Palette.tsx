import { signal } from "@preact/signals";
import { useEffect, useId, useLayoutEffect, useRef, useState } from "preact/hooks";
import { get } from "../lib/api";
import { behaviour, look, titleOf } from "../lib/fields";
import { places } from "../lib/places";
import { readPages } from "../lib/content";
import { ofAddress, ofAgent, type OptionName } from "../lib/reading";
import { go } from "../lib/router";
import { screens } from "../lib/screens";
import { agent } from "../lib/state";
import type { Agent, Conversation, List } from "../lib/types";
import { w } from "../words/dashboard";
import { Icon, type IconName } from "./Icon";

const isOpen = signal(false);
export const openPalette = () => (isOpen.value = true);

addEventListener("keydown", (event) => {
  if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "k") {
    event.preventDefault();
    isOpen.value = !isOpen.value;
  }
});

interface Entry {
  title: string;
  kind: string;
  icon: IconName;
  href: string;
  /** By what else it is found. */
  also?: string;
}

function fixed(): Entry[] {
  const now = agent.value;
  return [
    ...(now
      ? screens
          .filter((screen) => !screen.master || now.is_master)
          .map((screen) => ({
            title: screen.title(),
            kind: now.project_name,
            icon: screen.icon,
            href: `/agents/${now.id}/${screen.name}`,
            also: w.find[screen.name as "ask"],
          }))
      : []),
    ...places().map((place) => ({
      title: place.title,
      kind: "",
      icon: place.icon,
      href: place.href,
      also: w.find[place.href.slice(1) as "agents"],
    })),
  ];
}

/** What can be done, by what people call it. */
function actions(): Entry[] {
  const now = agent.value;
  const one = (title: string, icon: IconName, href: string, also: keyof typeof w.find): Entry => ({
    title,
    kind: w.doIt,
    icon,
    href,
    also: w.find[also],
  });
  return [
    one(w.newAgent, "add", "/agents?new=1", "newAgent"),
    one(w.pagesLanguage, "globe", "/account", "language"),
    ...(now
      ? [
          one(w.addContent, "upload", `/agents/${now.id}/content?add=files`, "add"),
          one(w.pasteText, "document", `/agents/${now.id}/content?add=text`, "paste"),
          one(w.publish, "share", `/agents/${now.id}/share`, "publish"),
          one(w.rename, "behaviour", `/agents/${now.id}/behaviour?field=agent`, "rename"),
          one(w.deleteAgent, "trash", `/agents/${now.id}/behaviour?field=agent`, "remove"),
        ]
      : []),
  ];
}

/** Documents and conversations of the agent in hand that fit. */
async function found(id: number, text: string, signal: AbortSignal): Promise<Entry[]> {
  const [pages, talks] = await Promise.all([
    readPages(id, { search: text, state: "all" }, 1, 5, signal),
    get<List<Conversation>>(`/projects/${id}/conversations`, { search: text, limit: 5 }, signal),
  ]);
  return [
    ...pages.data.map((page) => ({
      title: page.title,
      kind: w.document,
      icon: "document" as const,
      href: `/agents/${id}/content?document=${page.id}`,
    })),
    ...talks.data.map((talk) => ({
      title: talk.name || w.unnamed,
      kind: w.conversation,
      icon: "conversations" as const,
      href: `/agents/${id}/conversations?talk=${encodeURIComponent(talk.session_id)}`,
    })),
  ];
}

/** The settings of the agent in hand, each in its place. */
function settings(): Entry[] {
  const now = agent.value;
  if (!now) return [];
  const of = (groups: typeof look, name: string, kind: string, icon: IconName) =>
    groups
      .filter((group) => group.name !== "master" || now.is_master)
      .flatMap((group) => group.fields)
      .map((field) => ({
        title: titleOf(field),
        kind,
        icon,
        href: `/agents/${now.id}/${name}?field=${field}`,
        also: field,
      }));
  const option = (field: OptionName, place: string, kind: string, icon: IconName) => ({
    title: w.reading.titles[field],
    kind,
    icon,
    href: `/agents/${now.id}/${place}?field=${field}`,
    also: `${field} ${w.reading.find[field]}`,
  });
  return [
    ...of(behaviour, "behaviour", w.behaviour, "behaviour"),
    ...ofAgent.map((field) => option(field, "content", w.content, "document")),
    ...ofAddress.map((field) => option(field, "content", w.content, "globe")),
    ...of(look, "look", w.look, "look"),
  ];
}

/** Goes anywhere by name: screens, pages, settings, agents. */
function Open() {
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [text, setText] = useState("");
  const [agents, setAgents] = useState<Entry[]>([]);
  const [there, setThere] = useState<Entry[]>([]);
  const [at, setAt] = useState(0);
  const id = useId();
  const close = () => (isOpen.value = false);

  // Before the next key, which belongs into it.
  useLayoutEffect(() => {
    dialog.current!.showModal();
    return () => dialog.current?.close();
  }, []);
  useEffect(() => {
    const control = new AbortController();
    get<List<Agent>>("/projects", { name: text, limit: 8 }, control.signal).then(
      ({ data }) =>
        setAgents(data.map((a) => ({ title: a.project_name, kind: w.agents, icon: "ask", href: `/agents/${a.id}` }))),
      () => {},
    );
    const now = agent.value;
    const wait = setTimeout(() => {
      if (now && text.trim().length > 1) found(now.id, text.trim(), control.signal).then(setThere, () => {});
      else setThere([]);
    }, 150);
    return () => {
      clearTimeout(wait);
      control.abort();
    };
  }, [text]);

  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  const fits = (entry: Entry) =>
    words.every((word) => `${entry.title} ${entry.kind} ${entry.also ?? ""}`.toLowerCase().includes(word));
  // What is called so comes before what is called otherwise.
  const named = (entry: Entry) => words.every((word) => entry.title.toLowerCase().includes(word));
  const known = [...fixed(), ...actions(), ...(text ? settings() : [])].filter(fits);
  const entries = text
    ? [...known.filter(named), ...agents, ...there, ...known.filter((entry) => !named(entry))]
    : [...agents, ...known];
  const chosen = Math.min(at, entries.length - 1);
  useEffect(() => {
    list.current?.children[chosen]?.scrollIntoView({ block: "nearest" });
  }, [chosen]);
  const choose = (entry: Entry | undefined) => {
    if (!entry) return;
    close();
    go(entry.href);
  };
  return (
    <dialog
      ref={dialog}
      class="palette"
      aria-label={w.palette}
      onCancel={(event) => {
        event.preventDefault();
        close();
      }}
      onMouseDown={(event) => event.target === dialog.current && close()}
    >
      <input
        role="combobox"
        aria-expanded="true"
        aria-controls={id}
        aria-activedescendant={entries.length ? `${id}-${chosen}` : undefined}
        aria-label={w.palette}
        placeholder={w.palette}
        autocomplete="off"
        value={text}
        onInput={(event) => {
          setText(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={(event) => {
          const move = { ArrowDown: 1, ArrowUp: -1 }[event.key];
          if (move) setAt((chosen + move + entries.length) % Math.max(1, entries.length));
          else if (event.key === "Enter") choose(entries[chosen]);
          else return;
          event.preventDefault();
        }}
      />
      <ul id={id} role="listbox" aria-label={w.palette} ref={list}>
        {entries.map((entry, i) => (
          <li
            key={`${entry.href} ${entry.title}`}
            id={`${id}-${i}`}
            role="option"
            aria-selected={i === chosen}
            onClick={() => choose(entry)}
            onMouseMove={() => setAt(i)}
          >
            <Icon name={entry.icon} />
            {entry.title}
            <small>{entry.kind}</small>
          </li>
        ))}
      </ul>
      {!entries.length && <p>{w.paletteNone}</p>}
    </dialog>
  );
}

export const Palette = () => (isOpen.value ? <Open /> : null);
