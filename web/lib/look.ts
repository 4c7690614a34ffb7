// How an agent looks for its visitors: the settings in the page, and colours that can be read.
import { alpha, contrast, inkOn as softInk, readableOn, rgb } from "./colour";

export interface Look {
  chat_bot_avatar: string | null;
  chat_bot_bg: string | null;
  chat_bot_bg_type: string;
  chat_bot_bg_color: string;
  chat_bot_color_scheme: string;
  radius_styling: string;
  font_family: string;
  chatbot_color: string;
  chatbot_toolbar_color: string;
  chatbot_title: string | null;
  chatbot_title_color: string | null;
  user_avatar_enabled: boolean;
  user_avatar: string | null;
  title_avatar_enabled: boolean;
  spotlight_avatar_enabled: boolean;
  spotlight_avatar: string | null;
  spotlight_avatar_shape: string | null;
  spotlight_avatar_type: string | null;
  user_avatar_orientation: string | null;
  agent_title_avatar_alignment: string;
  is_in_chat_agent_avatar_enabled: boolean;
  is_in_chat_user_avatar_enabled: boolean;
  is_loading_indicator_enabled: boolean | null;
  remove_branding: boolean | null;
  markdown_enabled: boolean | null;
  enable_feedbacks: boolean | null;
  enable_copy_button: boolean | null;
  input_field_addendum: string | null;
  ai_disclaimer: string | null;
  default_prompt: string;
  example_questions: string[] | null;
  citations_answer_source_label_msg: string;
  citations_sources_label_msg: string;
  hang_in_there_msg: string;
  chatbot_siesta_msg: string;
  account_out_of_queries_msg: string;
  ending_message: string | null;
  try_asking_questions_msg: string;
  view_more_msg: string;
  view_less_msg: string;
  pdf_limited_page_label: string;
  chatbot_msg_lang: string;
  contact_person: string | null;
  enable_citations: number | null;
  citations_view_type: string | null;
  image_citation_display: string | null;
  limit_image_citation_height: boolean | null;
  use_opengraph_image_citation: boolean | null;
  max_inline_images_per_response: number;
  can_share_conversation: boolean | null;
  can_export_conversation: boolean | null;
  conversation_time_window: number | null;
  use_context_aware_starter_question: boolean | null;
  conversation_history: string;
  is_pdf_viewer: boolean;
  is_pdf_viewer_autoopen: boolean;
  is_pdf_page_visibility_limited: boolean;
  is_pdf_limited_label_linked: boolean;
}

export interface Settings {
  slug: string;
  name: string;
  /** null: a talk that somebody has shared. */
  surface: "ama" | "iframe" | "livechat" | "embed" | null;
  site: string;
  share: string | null;
  lang: string;
  /** What its owner calls the agent where they say who it is. */
  persona: string | null;
  keep_days: number;
  look: Look;
  children: { id: number; name: string; avatar: string | null }[];
}

/** A flag that may be null counts as its default. */
export const on = (flag: boolean | null, initially = true) => flag ?? initially;

const radii: Record<string, string> = { sharp: "0px", soft: "10px", round: "18px", legacy: "4px" };
const READABLE = 4.5;
const LIGHT = "#ffffff",
  DARK = "#191d1b",
  TITLE = "#565656"; // where the owner has chosen none

/** Ink that can be read on every colour: on some only black is dark enough. */
const inkOn = (ground: string) => (contrast(softInk(ground), ground) >= READABLE ? softInk(ground) : "#000000");

const isColour = (value: string | null | undefined): value is string => !!value && rgb(value) !== null;
/** On that ground: what shines through of it is in the colour. */
function opaque(value: string, ground: string): string {
  const share = alpha(value),
    under = rgb(ground)!;
  return `#${rgb(value)!
    .map((n, i) => Math.round(n * share + under[i]! * (1 - share)))
    .map((n) => n.toString(16).padStart(2, "0"))
    .join("")}`;
}
const same = (a: string, b: string) => rgb(a)?.join() === rgb(b)?.join();

/** What the service answers where the owner has chosen nothing: then these follow scheme and light. The same
 * colours written otherwise ("#000", "#fff") are the owner's own. */
const UNSET = { chatbot_toolbar_color: "#000000", chat_bot_bg_color: "#FFFFFF" };
export type FollowsScheme = keyof typeof UNSET;
const isOwn = (look: Look, name: FollowsScheme) => isColour(look[name]) && look[name] !== UNSET[name];

/** A colour that somebody picks for that setting, written so that it is their own. */
export const ownColour = (name: string, hex: string) =>
  hex.toLowerCase() === UNSET[name as FollowsScheme]?.toLowerCase() ? `#${hex[1]}${hex[3]}${hex[5]}` : hex;

/** The custom properties of a look, in a light and in a dark place. */
export function paint(look: Look, dark: boolean): Record<string, string> {
  const legacy = look.chat_bot_color_scheme === "legacy";
  const surface = dark ? DARK : LIGHT;
  const main = isColour(look.chatbot_color) ? opaque(look.chatbot_color, surface) : "#000000";
  const ownGround = look.chat_bot_bg_type === "color" && isOwn(look, "chat_bot_bg_color");
  const ground = ownGround ? opaque(look.chat_bot_bg_color, surface) : surface;
  // What its owner has not chosen is the scheme's own.
  const bar = isOwn(look, "chatbot_toolbar_color")
    ? opaque(look.chatbot_toolbar_color, surface)
    : legacy
      ? main
      : surface;
  const title = opaque(isColour(look.chatbot_title_color) ? look.chatbot_title_color : TITLE, bar);
  // On light the owner's colour as it is; in the dark one that is too near to it is made lighter.
  const button = contrast(main, surface) >= (dark ? 3 : 1.1) ? main : readableOn(main, surface, 7);
  return {
    "--main": button,
    "--main-ink": inkOn(button),
    "--main-text": readableOn(main, surface),
    "--bar": bar,
    "--bar-title": contrast(title, bar) >= READABLE ? title : inkOn(bar),
    "--bar-ink": inkOn(bar),
    "--bar-face": contrast(button, bar) >= 1.6 ? button : inkOn(bar),
    "--bar-face-ink": contrast(button, bar) >= 1.6 ? inkOn(button) : bar,
    "--ground": ground,
    "--ground-ink": inkOn(ground),
    "--ground-mute": readableOn(same(softInk(ground), LIGHT) ? "#a0a9a4" : "#5a635e", ground),
    "--radius": radii[look.radius_styling] ?? "10px",
  };
}

/** Dark only where the scheme can be: its colours are not an owner's for a light page. */
export const mayBeDark = (look: Look) =>
  look.chat_bot_color_scheme !== "legacy" && look.chat_bot_bg_type === "color" && !isOwn(look, "chat_bot_bg_color");
