import { useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Loaded } from "../components/Loaded";
import { PagesLanguage } from "../components/PagesLanguage";
import { get, post } from "../lib/api";
import { useResource } from "../lib/resource";
import { location_ } from "../lib/router";
import { attempt, signIn } from "../lib/state";
import { w } from "../words/dashboard";

interface Asked {
  host: string;
  name: string;
  /** Where the browser goes on to; null: a program on this machine. */
  back_to: string | null;
  project_name: string;
  all_documents: boolean;
}

/** A program has sent its reader here (OAuth): may it ask in their name? What is wrong with it is said here too, and
 * sends nobody anywhere. */
export default function Consent() {
  const fields = Object.fromEntries(location_.value.query);
  const asked = useResource((signal) => get<Asked>("/programs/asked", fields, signal), []);
  const [busy, setBusy] = useState(false);
  const answer = async (allow: boolean) => {
    setBusy(true);
    const ok = await attempt(async () => {
      location.assign((await post<{ continue: string }>("/programs", { ...fields, allow })).continue);
    });
    if (!ok) setBusy(false);
  };
  const who = signIn.value?.person?.name ?? signIn.value?.user?.name ?? "";
  return (
    <div class="signin">
      <main>
        <span class="brand">
          <i />
          Docent
        </span>
        <h1>{w.programs.question}</h1>
        <Loaded from={asked}>
          {(given) => (
            <div class="box">
              <p>
                <b>
                  <bdi>{given.host}</bdi>
                </b>{" "}
                {given.name && (
                  <>
                    (<bdi>{given.name}</bdi>)
                  </>
                )}
              </p>
              <p>{w.programs.may(given.project_name, who)}</p>
              <p>{given.all_documents ? w.programs.all : w.programs.labelled}</p>
              <p class="lead">{given.back_to ? w.programs.backTo(given.back_to) : w.programs.backHere}</p>
              <div class="split">
                <Button kind="primary" busy={busy} onClick={() => void answer(true)}>
                  {w.programs.allow}
                </Button>
                <Button disabled={busy} onClick={() => void answer(false)}>
                  {w.programs.deny}
                </Button>
              </div>
            </div>
          )}
        </Loaded>
        <footer>
          <PagesLanguage />
        </footer>
      </main>
    </div>
  );
}
