import { useEffect, useRef, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Copy } from "../components/Copy";
import { Field } from "../components/Field";
import { Note } from "../components/Note";
import { PagesLanguage } from "../components/PagesLanguage";
import { signInAtProvider } from "../lib/provider";
import { go } from "../lib/router";
import { enter, readSignIn, signIn } from "../lib/state";
import { w } from "../words/dashboard";

/** The link's secret stands behind the hash, which no server sees; it goes at once. */
function takeLink(): string | null {
  const secret = location.pathname === "/login" ? location.hash.slice(1) : "";
  if (secret) history.replaceState(null, "", "/login");
  return secret || null;
}

/** Why the provider's sign-in came to nothing: the address says it once. */
function takeRefusal(): string {
  const why = new URLSearchParams(location.search).get("provider");
  if (location.pathname !== "/login" || !why) return "";
  history.replaceState(null, "", "/login");
  return Object.hasOwn(w.providerSays, why) ? w.providerSays[why as keyof typeof w.providerSays] : "";
}

function FirstKey({ command }: { command: string }) {
  return (
    <div class="box">
      <p>{w.firstKeyText}</p>
      <div class="command">
        <code>{command}</code>
        <Copy text={command} quiet />
      </div>
      <p class="lead">{w.firstKeyThen}</p>
      <Button onClick={() => void readSignIn()}>{w.iHaveAKey}</Button>
    </div>
  );
}

export default function SignIn() {
  const [key, setKey] = useState("");
  const [error, setError] = useState("");
  const [busy, setBusy] = useState(false);
  const { command, provider } = signIn.value ?? {};
  const field = useRef<HTMLInputElement>(null);

  async function submit(by: { key: string } | { link: string }) {
    setBusy(true);
    setError("");
    try {
      await enter(by);
      if (location.pathname === "/login") go("/agents", { replace: true });
    } catch (failure) {
      setError((failure as Error).message);
    }
    setBusy(false);
  }
  useEffect(() => {
    document.title = `${w.signInTitle} · Docent`;
    setError(takeRefusal());
    const link = takeLink();
    if (link) void submit({ link });
  }, []);
  useEffect(() => {
    if (matchMedia("(pointer: fine)").matches) field.current?.focus();
  }, [command]);
  return (
    <div class="signin">
      <main>
        <span class="brand">
          <i />
          Docent
        </span>
        <h1>{command ? w.firstKeyTitle : w.signInTitle}</h1>
        {command ? (
          <FirstKey command={command} />
        ) : (
          <form
            onSubmit={(event) => {
              event.preventDefault();
              void submit({ key });
            }}
          >
            {provider && (
              <Button kind="primary" onClick={signInAtProvider}>
                {w.signInWith(provider)}
              </Button>
            )}
            <Field label={w.key} help={w.signInText}>
              {(given) => (
                <input
                  {...given}
                  ref={field}
                  class="input mono"
                  type="password"
                  autocomplete="current-password"
                  spellcheck={false}
                  required
                  value={key}
                  onInput={(event) => setKey(event.currentTarget.value)}
                />
              )}
            </Field>
            {error && <Note kind="bad">{error}</Note>}
            <Button kind={provider ? "" : "primary"} type="submit" busy={busy}>
              {busy ? w.signingIn : w.signIn}
            </Button>
          </form>
        )}
        <footer>
          <PagesLanguage />
        </footer>
      </main>
    </div>
  );
}
