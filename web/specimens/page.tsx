// The page around specimens: their list, the light, the side from which is read. "?only=Shell" shows one alone, as
// those that fill a window are shown in a frame.
import { render, type ComponentChildren, type ComponentType } from "preact";
import { useState } from "preact/hooks";
import { signal } from "@preact/signals";

/** By the name of the component's file. */
export type Specimens = Record<string, ComponentType>;

const asked = new URLSearchParams(location.search);
const dark = matchMedia("(prefers-color-scheme: dark)");
export const isDark = signal(asked.has("dark") ? asked.get("dark") === "1" : dark.matches);
export const isRtl = signal(asked.get("rtl") === "1");

const address = (only: string) => `?only=${only}&dark=${Number(isDark.value)}&rtl=${Number(isRtl.value)}`;

/** A state of a component, named. */
export const State = ({
  name,
  kind = "",
  children,
}: {
  name: string;
  /** tall: it fills the height it is given; flush: it has edges of its own. */
  kind?: "" | "tall" | "flush";
  children: ComponentChildren;
}) => (
  <div class={`specimen ${kind}`}>
    <p class="state">{name}</p>
    <div>{children}</div>
  </div>
);

/** What fills a window, in one of its own. */
export const Framed = ({ name, state }: { name: string; state: string }) => (
  <State name={state} kind="flush">
    <iframe src={address(name)} title={`${name}: ${state}`} />
  </State>
);

/** What opens over the page, behind a button. */
export function Opened({ name, children }: { name: string; children: (close: () => void) => ComponentChildren }) {
  const [open, setOpen] = useState(false);
  return (
    <State name={name}>
      <button class="btn small" data-opens onClick={() => setOpen(true)}>
        {`Open: ${name}`}
      </button>
      {open && children(() => setOpen(false))}
    </State>
  );
}

/** `alone`: what "?only=" names. `dress` paints the page where the colours are not the tokens' alone. */
export function show(title: string, specimens: Specimens, alone: Specimens, dress = () => {}) {
  const root = document.documentElement;
  const apply = () => {
    root.style.colorScheme = isDark.value ? "dark" : "light";
    root.dir = isRtl.value ? "rtl" : "ltr";
    dress();
  };
  const Switch = ({ of, name }: { of: typeof isDark; name: string }) => (
    <button
      aria-pressed={of.value}
      onClick={() => {
        of.value = !of.value;
        apply();
      }}
    >
      {name}
    </button>
  );
  const Page = () => (
    <div class="specimens">
      <nav aria-label="Components">
        <p>
          <Switch of={isDark} name="Dark" />
          <Switch of={isRtl} name="Right to left" />
        </p>
        {Object.keys(specimens).map((name) => (
          <a key={name} href={`#${name}`}>
            {name}
          </a>
        ))}
      </nav>
      <main tabIndex={-1}>
        <h1 class="hidden">{title}</h1>
        {Object.entries(specimens).map(([name, Specimen]) => (
          <section key={name} id={name} data-component={name}>
            <h2 class="of">{name}</h2>
            <Specimen />
          </section>
        ))}
      </main>
    </div>
  );
  apply();
  dark.addEventListener("change", () => {
    isDark.value = dark.matches;
    apply();
  });
  const Shown = alone[asked.get("only") ?? ""] ?? Page;
  render(<Shown />, document.getElementById("app")!);
}
