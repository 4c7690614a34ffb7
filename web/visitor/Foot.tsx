import { put } from "../lib/language";
import { on, type Settings } from "../lib/look";
import { t } from "../words/visitor";

/** Below the field: the owner's line, how long talks are kept, who made this. */
export function Foot({ settings, forgets }: { settings: Settings; forgets: boolean }) {
  const { look } = settings;
  const [before, after] = t.madeWith.split("{name}");
  return (
    <footer class="foot">
      {look.input_field_addendum && <p dir="auto">{look.input_field_addendum}</p>}
      {forgets && <p>{t.forgets}</p>}
      <p>
        {settings.keep_days > 0 && <span>{put(t.kept, { n: settings.keep_days })}</span>}
        {!on(look.remove_branding, false) && (
          <span>
            {before}
            <b>Docent</b>
            {after}
          </span>
        )}
      </p>
    </footer>
  );
}
