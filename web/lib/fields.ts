// The settings of an agent as pages show them: groups and their order; their names are words of the page.
// What a field takes, and in English what it does, the service says (…/settings/schema).
import { w, type Words } from "../words/dashboard";

type FieldName = keyof Words["settings"]["titles"];

export interface Group {
  name: keyof Words["settings"]["groups"];
  /** By request name, in order. */
  fields: FieldName[];
}

/** Stands with the code that goes into other sites, too. */
export const sites: Group[] = [{ name: "sites", fields: ["allowed_domains_for_embedding"] }];

/** What is decided when an agent becomes public. */
export const sharing: Group[] = [
  { name: "documents", fields: ["is_pdf_viewer"] },
  { name: "says", fields: ["chatbot_msg_lang", "contact_person"] },
  ...sites,
];

export const behaviour: Group[] = [
  {
    name: "answers",
    fields: [
      "response_source",
      "agent_capability",
      "chatbot_model",
      "context_depth",
      "quote_sure_answers",
      "is_hybrid_search",
      "use_planner_mode",
      "max_actions_per_query",
      "enable_agent_knowledge_base_awareness",
      "user_awareness",
      "markdown_enabled",
    ],
  },
  {
    name: "citations",
    fields: [
      "enable_citations",
      "citations_view_type",
      "enable_inline_citations_api",
      "hide_sources_from_responses",
      "image_citation_display",
      "limit_image_citation_height",
      "use_opengraph_image_citation",
      "max_inline_images_per_response",
    ],
  },
  {
    name: "conversations",
    fields: [
      "conversation_time_window",
      "conversation_history",
      "conversation_retention_period",
      "conversation_retention_days",
      "can_share_conversation",
      "can_export_conversation",
      "enable_feedbacks",
      "enable_copy_button",
    ],
  },
  {
    name: "documents",
    fields: [
      "is_pdf_viewer",
      "is_pdf_viewer_autoopen",
      "is_anonymize_pdfs",
      "is_pdf_page_visibility_limited",
      "is_pdf_limited_label_linked",
      "pdf_limited_page_label",
    ],
  },
  {
    name: "access",
    fields: [...sites[0]!.fields, "enable_recaptcha_for_public_chatbots"],
  },
  {
    name: "master",
    fields: ["master_project_smart_routing_mode", "master_project_user_agent_switching_enabled"],
  },
];

export const look: Group[] = [
  {
    name: "shape",
    fields: [
      "chatbot_color",
      "chatbot_toolbar_color",
      "chatbot_title_color",
      "chat_bot_color_scheme",
      "radius_styling",
      "font_family",
      "chat_bot_bg_type",
      "chat_bot_bg_color",
      "chat_bot_bg",
    ],
  },
  {
    name: "title",
    fields: [
      "chatbot_title",
      "title_avatar_enabled",
      "agent_title_avatar_alignment",
      "chat_bot_avatar",
      "is_in_chat_agent_avatar_enabled",
      "user_avatar_enabled",
      "user_avatar",
      "is_in_chat_user_avatar_enabled",
      "user_avatar_orientation",
      "spotlight_avatar_enabled",
      "spotlight_avatar_type",
      "spotlight_avatar",
      "spotlight_avatar_shape",
      "is_loading_indicator_enabled",
      "remove_branding",
    ],
  },
  {
    name: "texts",
    fields: [
      "chatbot_msg_lang",
      "default_prompt",
      "example_questions",
      "try_asking_questions_msg",
      "use_context_aware_starter_question",
      "input_field_addendum",
      "ai_disclaimer",
      "citations_answer_source_label_msg",
      "citations_sources_label_msg",
      "view_more_msg",
      "view_less_msg",
    ],
  },
  {
    name: "says",
    fields: [
      "no_answer_message",
      "contact_person",
      "hang_in_there_msg",
      "chatbot_siesta_msg",
      "chatbot_failed_moderation_msg",
      "account_out_of_queries_msg",
      "ending_message",
    ],
  },
];

export const isField = (name: string): name is FieldName => name in w.settings.titles;
export const titleOf = (name: string) => (isField(name) ? w.settings.titles[name] : name);

const choiceNames = (field: string): Record<string, string> =>
  ((w.settings.choices as Record<string, object>)[field] as never) ?? {};

/** The values of a number that is a choice; none of one that is not. */
export const choicesOf = (field: string) => Object.keys(choiceNames(field));

/** "every-message" as words. */
export const choiceName = (field: string, value: string) => choiceNames(field)[value] ?? value;

/** Languages that browsers have no name for, in their own words; "mo" would be named as "ro" is. */
const ownNames: Record<string, string> = {
  ba: "Башҡортса",
  hne: "छत्तीसगढ़ी",
  hry: "हरियाणवी",
  ks: "کٲشُر",
  me: "Crnogorski",
  mo: "Moldovenească",
  mwr: "मारवाड़ी",
  nan: "閩南語",
  raj: "राजस्थानी",
  sat: "ᱥᱟᱱᱛᱟᱲᱤ",
  wuu: "吴语",
};

/** A language as its reader calls it. */
export function languageName(code: string): string {
  if (code === "mo") return ownNames.mo!;
  try {
    const name = new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" }).of(code);
    return name && name !== code ? name : (ownNames[code] ?? code);
  } catch {
    return ownNames[code] ?? code;
  }
}

/** Codes of languages in the order of their names. */
export const byLanguage = (codes: string[]) =>
  [...codes].sort((a, b) => languageName(a).localeCompare(languageName(b), document.documentElement.lang || "en"));
