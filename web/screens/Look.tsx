import { Preview } from "../components/Preview";
import { Screen } from "../components/Shell";
import { SettingsForm } from "../components/SettingsForm";
import { look } from "../lib/fields";
import { agent } from "../lib/state";
import { History } from "./History";
import { useState } from "preact/hooks";
import { w } from "../words/dashboard";

export default function Look({ id }: { id: number }) {
  const [version, setVersion] = useState(0);
  return (
    <Screen title={w.look} actions={<History id={id} onBack={() => setVersion(version + 1)} />}>
      <div class="column">
        <SettingsForm
          key={version}
          id={id}
          groups={look}
          beside={(values) => <Preview values={values} name={agent.value!.project_name} />}
        />
      </div>
    </Screen>
  );
}
