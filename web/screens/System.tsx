import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { ApiError, get, send } from "../lib/api";
import { ago, bytes, dateTime, number } from "../lib/format";
import { isThere, useResource, type Resource } from "../lib/resource";
import { isWhole, signIn } from "../lib/state";
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

interface BackupState {
  every_s: number;
  finished_at: string | null;
  state_at: string | null;
  next_at: string | null;
  verified_at: string | null;
  kept: number;
  held_bytes: number;
  is_encrypted: boolean;
  is_late: boolean;
  has_failed: boolean;
  verification_failed: boolean;
}

const At = ({ time }: { time: string }) => (
  <time dateTime={time} title={dateTime(time)}>
    {ago(time)}
  </time>
);

/** What became of the backups, of all nodes. */
function Backups({ state }: { state: Resource<BackupState> }) {
  return (
    <section class="card padded" aria-labelledby="backups">
      <h2 id="backups">{w.backups}</h2>
      <Loaded from={state}>
        {(of) => (
          <>
            {of.has_failed && <Note kind="bad">{w.backupFailed}</Note>}
            {of.is_late && !of.has_failed && <Note kind="bad">{w.backupLate}</Note>}
            {of.verification_failed && <Note kind="bad">{w.backupNotBack}</Note>}
            <dl class="facts-grid">
              <dt>{w.backupLast}</dt>
              <dd>{of.finished_at ? <At time={of.finished_at} /> : w.backupsNone}</dd>
              <dt>{w.backupNext}</dt>
              <dd>{of.next_at ? <At time={of.next_at} /> : w.byHand}</dd>
              <dt>{w.backupVerified}</dt>
              <dd>{of.verified_at ? <At time={of.verified_at} /> : w.never}</dd>
              {of.finished_at && (
                <>
                  <dt>{w.backupHolds}</dt>
                  <dd class="num">
                    {number(of.kept)} · {bytes(of.held_bytes)}
                  </dd>
                  <dt>{w.backupEncrypted}</dt>
                  <dd>{of.is_encrypted ? w.yes : w.no}</dd>
                </>
              )}
            </dl>
          </>
        )}
      </Loaded>
    </section>
  );
}

/** How the service itself is: what its operator looks at first. */
export default function System() {
  const sees = isWhole.value || signIn.value?.person?.role === "auditor";
  const state = useResource(ready, []);
  const backups = useResource(async (signal) => (sees ? get<BackupState>("/backups", {}, signal) : null), [sees]);
  // What comes late would push down what is being read.
  if (!isThere(state) || !isThere(backups))
    return (
      <Screen title={w.system}>
        {isThere(state) ? <Loaded from={backups}>{() => null}</Loaded> : <Loaded from={state}>{() => null}</Loaded>}
      </Screen>
    );
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
        {sees && <Backups state={backups as Resource<BackupState>} />}
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
