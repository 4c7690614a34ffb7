import { chooseLight, chosenLight, lights, type Light } from "../lib/light";
import { w } from "../words/dashboard";
import { Field } from "./Field";

/** Whether the dashboard is light or dark, which this browser keeps. */
export const PagesLight = () => (
  <Field label={w.pagesLight}>
    {(given) => (
      <select {...given} class="input" onChange={(event) => chooseLight(event.currentTarget.value as Light)}>
        <option value="" selected={!chosenLight()}>
          {w.lights.system}
        </option>
        {lights.map((light) => (
          <option key={light} value={light} selected={chosenLight() === light}>
            {w.lights[light]}
          </option>
        ))}
      </select>
    )}
  </Field>
);
