import { browserLanguage, chosenLanguage, chooseLanguage, languages, w } from "../words/dashboard";
import { Field } from "./Field";

/** "Deutsch", in every language of the page. */
const ownName = (code: string) => {
  const name = new Intl.DisplayNames([code], { type: "language" }).of(code) ?? code;
  return name.charAt(0).toLocaleUpperCase(code) + name.slice(1);
};

/** The language of the dashboard, which this browser keeps. */
export const PagesLanguage = () => (
  <Field label={w.pagesLanguage}>
    {(given) => (
      <select {...given} class="input" onChange={(event) => chooseLanguage(event.currentTarget.value)}>
        <option value="" selected={!chosenLanguage()}>
          {w.browserLanguage(ownName(browserLanguage()))}
        </option>
        {languages.map((code) => (
          <option key={code} value={code} lang={code} selected={chosenLanguage() === code}>
            {ownName(code)}
          </option>
        ))}
      </select>
    )}
  </Field>
);
