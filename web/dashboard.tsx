// The dashboard: who is signed in sees the screen of the address, everybody else the sign-in.
import { render, type ComponentType } from "preact";
import { useEffect } from "preact/hooks";
import { Empty } from "./components/Empty";
import { Loaded } from "./components/Loaded";
import { Palette } from "./components/Palette";
import { Screen, Shell } from "./components/Shell";
import { Toasts } from "./components/Toasts";
import { ApiError, noService, refusals } from "./lib/api";
import "./lib/drops";
import "./lib/light";
import "./lib/together";
import { part } from "./lib/part";
import { screen } from "./lib/screen";
import { places } from "./lib/places";
import { go, location_ } from "./lib/router";
import { movedTo, renamed, screens } from "./lib/screens";
import { comeBack } from "./lib/provider";
import { agent, enter, forgetAgent, readAgent, readSignIn, readStats, signIn, turnTo } from "./lib/state";
import { sayRefusal } from "./lib/say";
import { useResource, type Resource } from "./lib/resource";
import { readUsage } from "./lib/usage";
import { speakToReader, w } from "./words/dashboard";
import SignIn from "./screens/SignIn";

const NotFound = () => (
  <Screen title={w.notFound}>
    <Empty icon="search" title={w.notFound}>
      <p>{w.notFoundText}</p>
    </Empty>
  </Screen>
);

const Waiting = () => (
  <main class="screen" id="content">
    <div class="loading" role="status">
      <span class="spinner" />
      <span class="hidden">{w.loading}</span>
    </div>
  </main>
);

/** What failed may go well in a moment. */
const NotNow = ({ from }: { from: Resource<unknown> }) => (
  <Screen title={w.notNow}>
    <div class="column">
      <Loaded from={from}>{() => null}</Loaded>
    </div>
  </Screen>
);

const kept = new Map<unknown, ComponentType<any>>();

/** A screen's code comes when it is first shown. */
function Later({
  load,
  ...props
}: {
  load: () => Promise<{ default: ComponentType<any> }>;
  name: string;
  id?: number;
}) {
  const code = useResource(async () => {
    if (!kept.has(props.name))
      kept.set(props.name, (await part(load).catch(() => Promise.reject(new ApiError(noService.text, 0)))).default);
    return kept.get(props.name)!;
  }, [props.name]);
  // What was shown before is there at once; what comes now, with its code.
  const Part = code.value.value ?? kept.get(props.name);
  if (Part) return <Part key={`${props.name} ${props.id}`} {...props} />;
  return code.error.value ? <NotNow from={code} /> : <Waiting />;
}

/** /agents/7/content: the agent is read first, so that every screen has it. */
function AgentScreen({ id, name }: { id: number; name: string }) {
  const read = useResource(async () => {
    turnTo(id);
    void readStats(id).catch(() => {});
    await readAgent(id);
    return id;
  }, [id]);
  const error = read.error.value;
  const screen = screens.find((each) => each.name === name);
  if (!screen || error?.status === 404) return <NotFound />;
  if (error && agent.value?.id !== id) return <NotNow from={read} />;
  return agent.value?.id === id ? <Later load={screen.load} name={name} id={id} /> : <Waiting />;
}

function Routed() {
  const { path } = location_.value;
  const found = /^\/agents\/(\d+)(?:\/([a-z-]+))?$/.exec(path);
  const place = places().find((each) => each.href === path);
  useEffect(() => {
    if (!found) forgetAgent();
    if (path === "/" || path === "/login") go("/agents", { replace: true });
    else if (found && renamed[found[2]!]) go(movedTo(found[1]!, found[2]!, location_.value.query), { replace: true });
    else if (found && !found[2]) go(`${path}/${screens[0]!.name}`, { replace: true });
  }, [path]);
  if (found)
    return found[2] && !renamed[found[2]] ? <AgentScreen id={Number(found[1])} name={found[2]} /> : <Waiting />;
  if (place) return <Later load={place.load} name={place.href} />;
  return path === "/" || path === "/login" ? <Waiting /> : <NotFound />;
}

function App() {
  const isIn = signIn.value?.signed_in;
  useEffect(() => {
    if (isIn) readUsage().catch(() => {});
  }, [isIn]);
  if (!signIn.value) return null;
  const isAsked = location_.value.path === "/oauth/authorize";
  return (
    <>
      {isIn && isAsked ? (
        <Later load={() => screen("Consent")} name="consent" />
      ) : isIn ? (
        <Shell>
          <Routed />
        </Shell>
      ) : (
        <SignIn />
      )}
      {isIn && !isAsked && <Palette />}
      <Toasts />
    </>
  );
}

const root = document.getElementById("app")!;
const begin = async () => {
  await speakToReader();
  noService.text = w.noService;
  refusals.say = sayRefusal;
  await readSignIn();
  // Whoever is refused sees the sign-in, and may have a key.
  if (signIn.value?.offers.includes("gateway")) await enter({ by: "gateway" }).catch(() => {});
  if (signIn.value?.signed_in) comeBack();
};
begin().then(
  () => render(<App />, root),
  (error) => {
    root.className = "signin";
    root.textContent = (error as Error).message;
  },
);
