import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { ApiError, send } from "../lib/api";
import { useResource } from "../lib/resource";
import { signIn } from "../lib/state";
import { w } from "../words/dashboard";

interface Ready {
  status: string;
  agents_repairing?: number;
}

async function ready(): Promise<Ready> {
  try {
    return await (await send("GET", "/readyz")).json();
  } catch (error) {
    if (error instanceof ApiError && error.status === 503) return { status: "down" };
    throw error;
  }
}

/** How the service itself is: what its operator looks at first. */
export default function System() {
  const state = useResource(ready, []);
  return (
    <Screen title={w.system}>
      <div class="column narrow">
        <Loaded from={state}>
          {({ status, agents_repairing }) => (
            <Note kind={status === "ready" ? "ok" : status === "degraded" ? "warn" : "bad"}>
              {status === "ready"
                ? w.allWell
                : status === "degraded"
                  ? w.repairing(agents_repairing ?? 0)
                  : w.storeDown}
            </Note>
          )}
        </Loaded>
        <dl class="card padded facts-grid">
          <dt>{w.version}</dt>
          <dd class="num">{signIn.value?.version}</dd>
          <dt>{w.interface}</dt>
          <dd>
            <a href="/openapi.json">/openapi.json</a>
          </dd>
          <dt>{w.figures}</dt>
          <dd>
            <code>/metrics</code>
          </dd>
          <dt>{w.licencesOfOthers}</dt>
          <dd>
            <a href="/web/licences.txt">{w.read}</a>
          </dd>
        </dl>
      </div>
    </Screen>
  );
}
