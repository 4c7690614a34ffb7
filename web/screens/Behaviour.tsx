import { AgentCare } from "../components/AgentCare";
import { Screen } from "../components/Shell";
import { SettingsForm } from "../components/SettingsForm";
import { behaviour } from "../lib/fields";
import { w } from "../words/dashboard";

export default function Behaviour({ id }: { id: number }) {
  return (
    <Screen title={w.behaviour}>
      <div class="column narrow">
        <SettingsForm
          id={id}
          groups={behaviour}
          below={
            <>
              <h2>{w.theAgent}</h2>
              <AgentCare id={id} />
            </>
          }
        />
      </div>
    </Screen>
  );
}
