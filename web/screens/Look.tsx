import { Preview } from "../components/Preview";
import { Screen } from "../components/Shell";
import { SettingsForm } from "../components/SettingsForm";
import { look } from "../lib/fields";
import { agent } from "../lib/state";
import { w } from "../words/dashboard";

export default function Look({ id }: { id: number }) {
  return (
    <Screen title={w.look}>
      <div class="column">
        <SettingsForm
          id={id}
          groups={look}
          beside={(values) => <Preview values={values} name={agent.value!.project_name} />}
        />
      </div>
    </Screen>
  );
}
