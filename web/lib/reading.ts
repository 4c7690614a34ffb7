// How documents are fetched, read and kept: options of an agent, and those of a single address.
// Their names and what they do are words of the page.
import { w, type Words } from "../words/dashboard";
import type { Agent } from "./types";

export type OptionName = keyof Words["reading"]["titles"];
export type Options = Record<OptionName, boolean | number | string>;

/** As the service has them where nobody has said otherwise. */
export const usual: Options = {
  is_ocr_enabled: 0,
  is_vision_enabled: false,
  is_vision_compress_image: false,
  allow_extra_timeout: false,
  file_data_retension: true,
  is_anonymized: false,
  is_low_performance_mode_enabled: false,
  use_full_url_crawl: false,
  executive_js: true,
  image_extraction_type: "none",
};

/** Of the agent, whatever it reads. */
export const ofAgent: OptionName[] = [
  "is_ocr_enabled",
  "is_vision_enabled",
  "is_vision_compress_image",
  "allow_extra_timeout",
  "file_data_retension",
  "is_anonymized",
  "is_low_performance_mode_enabled",
  "use_full_url_crawl",
];
/** Of each address for itself. */
export const ofAddress: OptionName[] = ["executive_js", "image_extraction_type"];

/** Of an option that is one of several words: these, as the page has them. */
export const choicesOfReading = (name: OptionName) =>
  (w.reading.choices as Partial<Record<OptionName, Record<string, string>>>)[name];

/** What an agent has now; of an address that is not there yet, what it will have. */
export const optionsOf = (agent: Agent | null): Options => ({
  ...usual,
  ...Object.fromEntries(ofAgent.filter((name) => agent?.[name] !== undefined).map((name) => [name, agent![name]])),
});

/** Those of `names` that differ. */
export const changed = (before: Options, after: Options, names: OptionName[]): Partial<Options> =>
  Object.fromEntries(names.filter((name) => before[name] !== after[name]).map((name) => [name, after[name]]));

/** What an option is set to by a button that offers to read a document with it. */
export const turnedOn = { is_ocr_enabled: 1, allow_extra_timeout: true } as const;
export type Needed = keyof typeof turnedOn;
