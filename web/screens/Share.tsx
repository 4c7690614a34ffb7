import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Confirm } from "../components/Confirm";
import { Copy } from "../components/Copy";
import { Empty } from "../components/Empty";
import { SettingsForm } from "../components/SettingsForm";
import { Screen } from "../components/Shell";
import { Toggle } from "../components/Toggle";
import { post, remove } from "../lib/api";
import { sharing } from "../lib/fields";
import { agent, attempt, readAgent, tell } from "../lib/state";
import type { Agent } from "../lib/types";
import { w } from "../words/dashboard";

/** The ways into another site, each a line to paste there. */
const ways = ["float", "inline", "copilot", "frame"] as const;
type Way = (typeof ways)[number];

function codeOf(now: Agent, way: Way): string {
  // A page that forbids styles leaves a frame the height of its attribute, and "auto" is 150 px.
  if (way === "frame") return now.embed_code!.replace('height="auto"', 'height="720"');
  const script = now.live_chat_code!;
  return way === "float" ? script : script.replace(" defer>", ` data-mode="${way}" defer>`);
}

const Line = ({ text, href, name }: { text: string; href?: string; name?: string }) => (
  <div class="command" role={name ? "group" : undefined} aria-label={name}>
    <code>{text}</code>
    <Copy text={text} />
    {href && (
      <a class="btn" href={href} target="_blank" rel="noopener">
        {w.openIt}
      </a>
    )}
  </div>
);

function Ways({ now }: { now: Agent }) {
  const [way, setWay] = useState<Way>("float");
  return (
    <section class="card padded">
      <h2>{w.embed}</h2>
      <span class="chips" role="group" aria-label={w.embed}>
        {ways.map((each) => (
          <button key={each} class="chip" aria-pressed={way === each} onClick={() => setWay(each)}>
            {w.ways[each].title}
          </button>
        ))}
      </span>
      <p class="lead">{w.ways[way].text}</p>
      <Line text={codeOf(now, way)} />
    </section>
  );
}

/** The agent as visitors meet it: the very frame that other sites show. */
function Live({ now }: { now: Agent }) {
  const [phone, setPhone] = useState(true);
  const [turn, setTurn] = useState(0);
  // It is a page of its own: on a phone, where it stands below all else, not before somebody comes to it.
  const place = useRef<HTMLElement>(null);
  const [isSeen, setSeen] = useState(false);
  useEffect(() => {
    const observer = new IntersectionObserver(
      (entries) => entries.some((each) => each.isIntersecting) && setSeen(true),
    );
    observer.observe(place.current!);
    return () => observer.disconnect();
  }, []);
  return (
    <aside class="live-preview" aria-label={w.preview} ref={place}>
      <span class="chips">
        <button class="chip" aria-pressed={phone} onClick={() => setPhone(!phone)}>
          {w.phone}
        </button>
        <Button kind="quiet" icon="refresh" label={w.showAnew} onClick={() => setTurn(turn + 1)} />
      </span>
      <iframe
        key={turn}
        class={phone ? "phone" : ""}
        src={isSeen ? `/embed/${now.shareable_slug}?mode=inline` : undefined}
        title={w.preview}
        allow="clipboard-write"
      />
    </aside>
  );
}

/** The secret with which a site's server says who its visitors are. */
function Signed({ id }: { id: number }) {
  const [secret, setSecret] = useState("");
  const [taking, setTaking] = useState(false);
  const path = `/projects/${id}/embed-secret`;
  return (
    <section class="card padded options">
      <h2>{w.signed}</h2>
      <p class="lead">{w.signedText}</p>
      {secret && (
        <>
          <Line text={secret} name={w.secretMade} />
          <p class="lead">{w.secretOnce}</p>
        </>
      )}
      <div class="split">
        <Button
          icon="key"
          onClick={() => void attempt(async () => setSecret((await post<{ secret: string }>(path)).secret))}
        >
          {w.makeSecret}
        </Button>
        <Button kind="quiet" onClick={() => setTaking(true)}>
          {w.takeSecret}
        </Button>
      </div>
      {taking && (
        <Confirm
          title={`${w.takeSecret}?`}
          action={w.takeSecret}
          onClose={() => setTaking(false)}
          onConfirm={async () => {
            await remove(path);
            setSecret("");
            tell(w.secretTaken);
          }}
        >
          <p>{w.takeSecretText}</p>
        </Confirm>
      )}
    </section>
  );
}

export default function Share({ id }: { id: number }) {
  const now = agent.value!;
  const [closing, setClosing] = useState(false);
  const share = async (on: boolean) => {
    await post(`/projects/${id}`, { is_shared: on });
    await readAgent(id);
    tell(on ? w.isPublic : w.isClosed);
  };
  const isOpen = now.is_shared && now.shareable_link;
  return (
    <Screen title={w.share}>
      <div class={`column ${isOpen ? "" : "narrow"}`}>
        <div class={isOpen ? "share" : ""}>
          <div class="share-cards">
            <section class="card padded">
              <Toggle
                label={w.publicAgent}
                help={w.publicHelp}
                checked={now.is_shared}
                onChange={(on) => (on ? void attempt(() => share(true)) : setClosing(true))}
              />
            </section>
            {isOpen ? (
              <>
                <section class="card padded">
                  <h2>{w.link}</h2>
                  <Line text={now.shareable_link!} href={now.shareable_link!} />
                </section>
                <Ways now={now} />
                <Signed id={id} />
                <SettingsForm id={id} groups={sharing} />
              </>
            ) : (
              <Empty icon="share" title={w.notPublic}>
                <Button kind="primary" icon="share" onClick={() => void attempt(() => share(true))}>
                  {w.publish}
                </Button>
              </Empty>
            )}
          </div>
          {isOpen && <Live now={now} />}
        </div>
      </div>
      {closing && (
        <Confirm
          title={w.closeTitle}
          action={w.closeIt}
          onClose={() => setClosing(false)}
          onConfirm={() => share(false)}
        >
          <p>{w.closeText}</p>
        </Confirm>
      )}
    </Screen>
  );
}
