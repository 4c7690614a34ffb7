// The settings of an agent as pages show them: groups, their order, a title for each. What a field takes
// and what it does, the service says (…/settings/schema).

export interface Group {
  title: string;
  /** Request name and title, in order. */
  fields: [name: string, title: string][];
}

/** Stands with the code that goes into other sites, too. */
export const sites: Group[] = [
  { title: "Sites", fields: [["allowed_domains_for_embedding", "Sites that may show it; none listed: any"]] },
];

export const behaviour: Group[] = [
  {
    title: "Answers",
    fields: [
      ["response_source", "Where answers come from"],
      ["agent_capability", "How hard it tries"],
      ["chatbot_model", "Model"],
      ["context_depth", "How much a model is given"],
      ["is_hybrid_search", "Match codes and part numbers closely"],
      ["use_planner_mode", "Split questions into steps"],
      ["max_actions_per_query", "Most steps for a question"],
      ["enable_agent_knowledge_base_awareness", "Say what it knows about"],
      ["user_awareness", "Know the user's name"],
      ["markdown_enabled", "Format answers"],
    ],
  },
  {
    title: "Citations",
    fields: [
      ["enable_citations", "Citations"],
      ["citations_view_type", "List of sources"],
      ["enable_inline_citations_api", "Numbers in the text of API answers"],
      ["hide_sources_from_responses", "Keep file names out of answers"],
      ["image_citation_display", "Pictures of sources"],
      ["limit_image_citation_height", "Limit the height of pictures"],
      ["use_opengraph_image_citation", "Use the page's own preview picture"],
      ["max_inline_images_per_response", "Most pictures within an answer"],
    ],
  },
  {
    title: "Conversations",
    fields: [
      ["conversation_time_window", "What counts as history"],
      ["conversation_history", "Earlier conversations"],
      ["conversation_retention_period", "How long they are kept"],
      ["conversation_retention_days", "Days, where that is custom"],
      ["can_share_conversation", "Visitors may share a conversation"],
      ["can_export_conversation", "Visitors may download a conversation"],
      ["enable_feedbacks", "Thumbs up and down"],
      ["enable_copy_button", "Copy button"],
    ],
  },
  {
    title: "Documents for visitors",
    fields: [
      ["is_pdf_viewer", "Open cited PDF files in the viewer"],
      ["is_pdf_viewer_autoopen", "Open the viewer with the answer"],
      ["is_anonymize_pdfs", "Hide file names and properties"],
      ["is_pdf_page_visibility_limited", "Show the cited page and its neighbours only"],
      ["is_pdf_limited_label_linked", "Link the label of limited pages"],
      ["pdf_limited_page_label", "Label of limited pages"],
    ],
  },
  {
    title: "Access",
    fields: [
      ...sites[0]!.fields,
      ["enable_recaptcha_for_public_chatbots", "Check guests"],
      ["is_selling_enabled", "Offered for sale"],
    ],
  },
  {
    title: "Master agent",
    fields: [
      ["master_project_smart_routing_mode", "When a child is picked"],
      ["master_project_user_agent_switching_enabled", "Visitors may pick the child"],
    ],
  },
];

export const look: Group[] = [
  {
    title: "Colours and shape",
    fields: [
      ["chatbot_color", "Colour"],
      ["chatbot_toolbar_color", "Colour of the bar"],
      ["chatbot_title_color", "Colour of the title"],
      ["chat_bot_color_scheme", "Scheme"],
      ["radius_styling", "Corners"],
      ["font_family", "Font"],
      ["chat_bot_bg_type", "Background"],
      ["chat_bot_bg_color", "Colour of the background"],
      ["chat_bot_bg", "Picture of the background"],
    ],
  },
  {
    title: "Title and pictures",
    fields: [
      ["chatbot_title", "Title"],
      ["title_avatar_enabled", "Picture beside the title"],
      ["agent_title_avatar_alignment", "Place of the title"],
      ["chat_bot_avatar", "Picture of the agent"],
      ["is_in_chat_agent_avatar_enabled", "Picture at each answer"],
      ["user_avatar_enabled", "Visitors have a picture"],
      ["user_avatar", "Picture of visitors"],
      ["is_in_chat_user_avatar_enabled", "Picture at each question"],
      ["user_avatar_orientation", "Sides of the talk"],
      ["spotlight_avatar_enabled", "Large picture before the first question"],
      ["spotlight_avatar_type", "Which large picture"],
      ["spotlight_avatar", "Large picture"],
      ["spotlight_avatar_shape", "Shape of the large picture"],
      ["is_loading_indicator_enabled", "Dots while it looks"],
      ["remove_branding", "Without “Made with Docent”"],
    ],
  },
  {
    title: "Texts",
    fields: [
      ["chatbot_msg_lang", "Language of the texts"],
      ["default_prompt", "Words in the field"],
      ["example_questions", "Questions to begin with"],
      ["try_asking_questions_msg", "Heading of the questions"],
      ["use_context_aware_starter_question", "Questions follow the page"],
      ["input_field_addendum", "Line under the field"],
      ["ai_disclaimer", "Notice before the first answer"],
      ["citations_answer_source_label_msg", "Label of an answer's sources"],
      ["citations_sources_label_msg", "Heading of the sources"],
      ["view_more_msg", "View more"],
      ["view_less_msg", "View less"],
    ],
  },
  {
    title: "What it says when …",
    fields: [
      ["no_answer_message", "the documents hold no answer"],
      ["hang_in_there_msg", "an answer takes long"],
      ["chatbot_siesta_msg", "an answer fails"],
      ["chatbot_failed_moderation_msg", "a question is refused"],
      ["account_out_of_queries_msg", "the month's questions are used up"],
      ["ending_message", "a conversation ends"],
    ],
  },
];

/** Titles by request name. */
export const titles = new Map([...behaviour, ...look].flatMap((group) => group.fields));
export const titleOf = (name: string) => titles.get(name) ?? name;

/** Words for choices that are not words already. */
export const choiceNames: Record<string, Record<string, string>> = {
  enable_citations: { "0": "None", "1": "List of sources", "2": "Numbers in the text", "3": "Both" },
  conversation_time_window: {
    "0": "The messages of the last 24 hours",
    "1": "All messages",
    "2": "All; it closes after 24 hours",
  },
  max_inline_images_per_response: { "0": "No limit", "1": "1", "2": "2", "3": "3" },
  response_source: {
    default: "Own content (default)",
    own_content: "Own content only",
    llm_content: "Own content and general knowledge",
  },
  user_avatar_orientation: {
    "agent-left-user-right": "Agent left, visitor right",
    "agent-right-user-right": "Both right",
    "agent-right-user-left": "Agent right, visitor left",
    "agent-left-user-left": "Both left",
  },
};

/** "every-message" as words. */
export const choiceName = (field: string, value: string) =>
  choiceNames[field]?.[value] ?? (value.charAt(0).toUpperCase() + value.slice(1)).replaceAll(/[-_]/g, " ");

/** A language in its own words. */
export function languageName(code: string): string {
  try {
    const name = new Intl.DisplayNames([document.documentElement.lang || "en"], { type: "language" }).of(code);
    return name && name !== code ? `${name} (${code})` : code;
  } catch {
    return code;
  }
}
