// What programs read of the machine they run on is the same for tests on all: the fonts are those of one
// package that scripts/install-deps brings, the language and the time zone are nobody's. Imported by what
// starts programs; scripts/test-unit does the same.
import path from "node:path";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url));

Object.assign(process.env, {
  FONTCONFIG_FILE: path.resolve(here, "../../fixtures/fonts.conf"),
  LC_ALL: "C.UTF-8",
  TZ: "UTC",
});
delete process.env.LANGUAGE;

/** A font for what tests draw themselves (package fonts-dejavu-core). */
export const font = "/usr/share/fonts/truetype/dejavu/DejaVuSerif.ttf";
