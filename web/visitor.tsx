// The page of a public agent, alone or in a frame: its settings stand in the page.
import { render } from "preact";
import { effect, signal } from "@preact/signals";
import { put, speak } from "./lib/language";
import { mayBeDark, paint, type Settings } from "./lib/look";
import { Around } from "./lib/around";
import { renewed } from "./lib/renew";
import { Visitor } from "./lib/visit";
import { plain, type Starter } from "./visitor/Opening";
import { Panel } from "./visitor/Panel";
import { t, tables } from "./words/visitor";
import en from "./words/visitor/en";

const current = signal<Settings>(JSON.parse(document.getElementById("settings")!.textContent!));
const visitor = new Visitor(current.value);
const starters = signal<Starter[]>((current.value.look.example_questions ?? []).map(plain));
/** How many of the documents' own questions a talk begins with. */
const STARTERS_SHOWN = 3;
/** How long a visit waits for the page around. */
const MET_MS = 1000;

/** Those that fit the page around come first: what a model has written for it or else what the documents have on it, then the owner's by the words that they share with its title. */
async function fitStarters(title: string, address: string) {
  const { look } = current.value;
  if (!look.use_context_aware_starter_question || !title) return;
  const words = new Set(title.toLowerCase().match(/\p{L}{4,}/gu) ?? []);
  const fits = (question: string) =>
    (question.toLowerCase().match(/\p{L}{4,}/gu) ?? []).filter((word) => words.has(word)).length;
  await visitor.visit();
  const { topics, suggested } = await visitor.starters(title, address);
  const own = [...(look.example_questions ?? [])].sort((a, b) => fits(b) - fits(a));
  const about = suggested.length ? suggested : topics.map((topic) => put(t.about, { title: topic }));
  starters.value = [...about, ...own].map(plain);
}

/** Where the owner has none, those that a model has written for the agent, or else those that its documents answer. */
async function findStarters() {
  const { suggested, asked } = await visitor.greet();
  if (starters.value.length) return;
  const own = asked.slice(0, STARTERS_SHOWN).map(({ question, title }) => ({ question, from: title }));
  starters.value = suggested.length ? suggested.map(plain) : own;
}

const dark = matchMedia("(prefers-color-scheme: dark)");
function dress() {
  const { look, surface } = current.value;
  const isDark = dark.matches && mayBeDark(look);
  const root = document.documentElement;
  root.style.colorScheme = isDark ? "dark" : "light";
  for (const [name, value] of Object.entries(paint(look, isDark))) root.style.setProperty(name, value);
  root.classList.toggle("legacy", look.chat_bot_color_scheme === "legacy");
  root.classList.toggle("public-sans", look.font_family === "public-sans");
  root.classList.toggle("framed", surface !== "ama" && surface !== null);
  const isPictured = look.chat_bot_bg_type === "image" && !!look.chat_bot_bg;
  root.classList.toggle("pictured", isPictured);
  if (isPictured) root.style.setProperty("--picture", `url("${look.chat_bot_bg}")`);
}
dress();
dark.addEventListener("change", dress);

/** What the owner has changed since, without a new page: the talk goes on. */
async function renew() {
  const next = await renewed(current.peek());
  if (next === "gone") visitor.isClosed.value = true;
  if (!next || next === "gone") return;
  const { lang, look } = current.value;
  if (next.lang !== lang) await speak(Object.assign(t, en), tables, next.lang);
  if (JSON.stringify(next.look.example_questions) !== JSON.stringify(look.example_questions))
    starters.value = (next.look.example_questions ?? []).map(plain);
  visitor.settings = next;
  current.value = next;
  document.title = next.look.chatbot_title || next.name;
  dress();
}

const settings = current.value;
const around =
  settings.surface === "ama" || !settings.surface || parent === window ? null : new Around(settings, visitor);

await speak(t, tables, settings.lang);
if (around) {
  around.onPage = () => void fitStarters(around.title, around.address).catch(() => {});
  around.say("ready");
}
async function arrive() {
  // A site that has signed who it is has said so by then: nobody's visit would end theirs.
  if (around && settings.surface !== "iframe")
    await Promise.race([around.met, new Promise((go) => setTimeout(go, MET_MS))]);
  await visitor.visit();
  await findStarters();
}
if (settings.share) void visitor.read(settings.share).catch(() => (visitor.isClosed.value = true));
else void arrive().catch(() => {});
if (!settings.share) {
  addEventListener("online", () => void visitor.talk.goOnline());
  document.addEventListener("visibilitychange", () => void (document.hidden || renew()));
  addEventListener("focus", () => void renew());
  // With each question; the answer does not wait for it.
  effect(() => void (visitor.talk.busy.value && renew()));
}
effect(() => {
  render(
    <Panel
      settings={current.value}
      visitor={visitor}
      starters={starters.value}
      onClose={around && settings.surface !== "iframe" ? () => around.say("close") : undefined}
    />,
    document.getElementById("app")!,
  );
});
