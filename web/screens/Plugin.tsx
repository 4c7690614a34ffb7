import { useEffect, useState } from "preact/hooks";
import { Button } from "../components/Button";
import { Field } from "../components/Field";
import { Loaded } from "../components/Loaded";
import { Note } from "../components/Note";
import { Screen } from "../components/Shell";
import { Toggle } from "../components/Toggle";
import { ApiError, get, post } from "../lib/api";
import { useResource } from "../lib/resource";
import { agent, tell } from "../lib/state";
import { w } from "../words/dashboard";

interface Plugin {
  model_name: string;
  human_name: string;
  keywords: string;
  description: string;
  logo: string | null;
  is_active: boolean;
}

const names = ["model_name", "human_name", "keywords", "description", "logo"] as const;

/** The plugin, or what it would begin with where there is none. */
async function read(id: number): Promise<Plugin> {
  try {
    return await get<Plugin>(`/projects/${id}/plugins`);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
    return {
      model_name: "",
      human_name: agent.value!.project_name,
      keywords: "",
      description: "",
      logo: null,
      is_active: true,
    };
  }
}

export default function PluginScreen({ id }: { id: number }) {
  const plugin = useResource(() => read(id), [id]);
  const [values, setValues] = useState<Plugin | null>(null);
  const [error, setError] = useState("");
  const loaded = plugin.value.value;
  useEffect(() => setValues(loaded ?? null), [loaded]);
  async function save() {
    setError("");
    try {
      await post(`/projects/${id}/plugins`, values);
      tell(w.saved);
      await plugin.again();
    } catch (failure) {
      setError((failure as Error).message);
    }
  }
  return (
    <Screen title={w.plugin}>
      <div class="column narrow">
        <p class="lead">{w.pluginText}</p>
        <Loaded from={plugin}>
          {() =>
            values && (
              <form
                class="card padded options"
                onSubmit={(event) => {
                  event.preventDefault();
                  void save();
                }}
              >
                {names.map((name) => (
                  <Field key={name} label={w.pluginFields[name]}>
                    {(given) =>
                      name === "description" ? (
                        <textarea
                          {...given}
                          class="input"
                          value={values[name]}
                          onInput={(e) => setValues({ ...values, [name]: e.currentTarget.value })}
                        />
                      ) : (
                        <input
                          {...given}
                          class="input"
                          value={values[name] ?? ""}
                          onInput={(e) =>
                            setValues({ ...values, [name]: e.currentTarget.value || (name === "logo" ? null : "") })
                          }
                        />
                      )
                    }
                  </Field>
                ))}
                <Toggle
                  label={w.pluginActive}
                  checked={values.is_active}
                  onChange={(is_active) => setValues({ ...values, is_active })}
                />
                {error && <Note kind="bad">{error}</Note>}
                <div class="split">
                  <Button kind="primary" type="submit">
                    {w.save}
                  </Button>
                </div>
              </form>
            )
          }
        </Loaded>
      </div>
    </Screen>
  );
}
