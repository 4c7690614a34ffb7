import { AgentCare } from "../components/AgentCare";
import { Screen } from "../components/Shell";
import { SettingsForm } from "../components/SettingsForm";
import { behaviour } from "../lib/fields";
import { History } from "./History";
import { useState } from "preact/hooks";
import { w } from "../words/dashboard";

export default function Behaviour({ id }: { id: number }) {
  const [version, setVersion] = useState(0);
  return (
    <Screen title={w.behaviour} actions={<History id={id} onBack={() => setVersion(version + 1)} />}>
      <div class="column narrow">
        <SettingsForm
          key={version}
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
