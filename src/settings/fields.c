/*
 * The table of settings, and how a row finds its member. A new setting is a member of struct
 * kb_settings and a row here; docs/settings.md is printed from it.
 */
#include "settings/plans.h"
#include "settings/table.h"

/* Limits of our own, where the interface names none. */
enum {
	MAX_LABEL = 255,
	MAX_COLOR = 9,
	MAX_QUESTION = 1000,
	MAX_QUESTIONS = 100,
	MAX_DOMAIN = 253, /* RFC 1035 without the last dot */
	MAX_DOMAINS = 200,
	MAX_RETENTION_DAYS = 36500,
	MAX_ACTIONS = 100,
};

static const char *const backgrounds[] = { "image", "color", NULL };
static const char *const schemes[] = { "fresh", "legacy", NULL };
static const char *const corners[] = { "sharp", "soft", "round", "legacy", NULL };
static const char *const fonts[] = { "inter", "public-sans", NULL };
static const char *const shapes[] = { "circle", "rectangle", NULL };
static const char *const spotlights[] = { "default", "image", NULL };
static const char *const orientations[] = { "agent-left-user-right", "agent-right-user-right",
	                                    "agent-right-user-left", "agent-left-user-left", NULL };
static const char *const alignments[] = { "left", "center", "right", NULL };
static const char *const sources[] = { [KB_RESPONSE_DEFAULT] = "default",
	                               [KB_RESPONSE_OWN_CONTENT] = "own_content",
	                               [KB_RESPONSE_LLM_CONTENT] = "llm_content",
	                               NULL };
static const char *const capabilities[] = { [KB_CAPABILITY_FASTEST] = "fastest-responses",
	                                    [KB_CAPABILITY_OPTIMAL] = "optimal-choice",
	                                    [KB_CAPABILITY_ADVANCED] = "advanced-reasoning",
	                                    [KB_CAPABILITY_COMPLEX] = "complex-tasks",
	                                    NULL };
static const char *const citation_views[] = { "user", "show", "hide", NULL };
static const char *const image_displays[] = { "default", "first_only", NULL };
static const char *const retentions[] = { [KB_RETENTION_CUSTOM] = "custom",
	                                  [KB_RETENTION_YEAR] = "year",
	                                  [KB_RETENTION_NEVER] = "never",
	                                  NULL };
static const char *const depths[] = { [KB_DEPTH_COMPACT] = "compact",
	                              [KB_DEPTH_BALANCED] = "balanced",
	                              [KB_DEPTH_EXTENDED] = "extended",
	                              [KB_DEPTH_RICH] = "rich",
	                              [KB_DEPTH_MAX] = "max",
	                              [KB_DEPTH_CUSTOM] = "custom",
	                              NULL };
static const char *const routings[] = { [KB_ROUTING_OFF] = "off",
	                                [KB_ROUTING_START_ONLY] = "start-only",
	                                [KB_ROUTING_EVERY_MESSAGE] = "every-message",
	                                NULL };
static const char *const histories[] = { "hidden", "team_members", "everyone", NULL };
// clang-format off
static const char *const languages[] = {
	"sq", "ar", "hy", "az", "ba", "eu", "be", "bn", "bh", "bs", "pt-BR", "bg", "yue", "ca",
	"hne", "hr", "cs", "da", "doi", "nl", "en", "et", "fo", "fi", "fr", "gl", "ka", "de",
	"el", "gu", "hry", "he", "hi", "hu", "id", "ga", "it", "ja", "jv", "kn", "ks", "kk",
	"kok", "ko", "ky", "lv", "lt", "mk", "mai", "ms", "mt", "cmn", "mr", "mwr", "nan", "mo",
	"mn", "me", "ne", "no", "or", "ps", "fa", "pl", "pt", "pa", "raj", "ro", "ru", "sa",
	"sat", "sr", "sd", "si", "sk", "sl", "es", "sw", "sv", "tg", "ta", "tt", "te", "th",
	"tr", "tk", "uk", "ur", "uz", "vi", "cy", "wuu", KB_LANG_VISITOR, NULL,
};

/* Name, type and place all come from the member, so they cannot disagree with it. */
#define FIELD(m) .name = #m, .offset = offsetof(struct kb_settings, m), .type = _Generic( \
	((struct kb_settings *)0)->m, bool: KB_FIELD_BOOL, struct kb_nbool: KB_FIELD_NBOOL, \
	int64_t: KB_FIELD_INT, struct kb_nint: KB_FIELD_NINT, struct kb_sv: KB_FIELD_TEXT, \
	struct kb_sv_list: KB_FIELD_LIST)
#define ONE_OF(list)      .form = KB_FORM_CHOICE, .choices = (list)
#define IMAGE(word)       .form = KB_FORM_IMAGE, .image_word = (word)
#define COLOR             .form = KB_FORM_COLOR, .max = MAX_COLOR
#define APPEARANCE        .section = KB_SECTION_APPEARANCE, VISITORS
#define TEXTS             .section = KB_SECTION_TEXTS, VISITORS
#define BEHAVIOUR         .section = KB_SECTION_BEHAVIOUR
#define VISITORS          .for_visitors = true
#define ANSWER            .section = KB_SECTION_ANSWER, .response_only = true
#define RESETS            .null_resets = true
#define PLAN_LIMIT(m)     .plan_limit = offsetof(struct kb_settings_context, m)
#define FORCED_ON(m)      .forced_on = offsetof(struct kb_settings_context, m)
#define NULLABLE          .nullable = true /* flags and numbers say it by their type */

/* A flag that others require stands before them: the update goes down the table once. */
static const struct kb_setting fields[] = {
	{ FIELD(chat_bot_avatar), APPEARANCE, .initial = "\"\"", IMAGE("avatar"), RESETS,
	  .response = "chatbot_avatar",
	  .doc = "The agent's picture." },
	{ FIELD(chat_bot_bg), APPEARANCE, .initial = "\"\"", IMAGE("background"), RESETS,
	  .response = "chatbot_background",
	  .doc = "The picture behind the conversation, where `chat_bot_bg_type` is `image`." },
	{ FIELD(chat_bot_bg_type), APPEARANCE, .initial = "\"color\"", ONE_OF(backgrounds),
	  .response = "chatbot_background_type",
	  .doc = "Whether a picture or a colour is behind the conversation." },
	{ FIELD(chat_bot_bg_color), APPEARANCE, .initial = "\"#FFFFFF\"", COLOR,
	  .response = "chatbot_background_color",
	  .doc = "The colour behind the conversation. The default follows the visitor's light or "
	         "dark; `#fff` is white in either." },
	{ FIELD(chat_bot_color_scheme), APPEARANCE, .initial = "\"fresh\"", ONE_OF(schemes),
	  .response = "chatbot_color_scheme",
	  .doc = "The set of colours the widget starts from." },
	{ FIELD(radius_styling), APPEARANCE, .initial = "\"soft\"", ONE_OF(corners),
	  .doc = "How round the corners of the widget are." },
	{ FIELD(font_family), APPEARANCE, .initial = "\"inter\"", ONE_OF(fonts),
	  .doc = "The typeface of the widget." },
	{ FIELD(chatbot_color), APPEARANCE, .initial = "\"#000000\"", COLOR,
	  .doc = "The main colour: buttons, links, the visitor's messages." },
	{ FIELD(chatbot_toolbar_color), APPEARANCE, .initial = "\"#000000\"", COLOR,
	  .doc = "The colour of the bar at the top. The default leaves it to the scheme; `#000` is "
	         "black." },
	{ FIELD(chatbot_title), APPEARANCE, .initial = "\"\"", NULLABLE, .max = 200,
	  .doc = "The title in the bar at the top." },
	{ FIELD(chatbot_title_color), APPEARANCE, .initial = "\"#565656\"", COLOR, NULLABLE,
	  .doc = "The colour of the title. Where it cannot be read on its bar, black or white "
	         "stands in for it." },
	{ FIELD(user_avatar_enabled), APPEARANCE, .initial = "false",
	  .doc = "Shows `user_avatar` as the visitor's picture." },
	{ FIELD(user_avatar), APPEARANCE, .initial = "null", IMAGE("user avatar"), NULLABLE,
	  .doc = "The visitor's picture." },
	{ FIELD(title_avatar_enabled), APPEARANCE, .initial = "true",
	  .doc = "Shows the agent's picture beside the title." },
	{ FIELD(spotlight_avatar_enabled), APPEARANCE, .initial = "false",
	  .doc = "Shows a large picture before the first message." },
	{ FIELD(spotlight_avatar), APPEARANCE, .initial = "\"spotlight_avatar.png\"",
	  IMAGE("spotlight avatar"), NULLABLE,
	  .doc = "The large picture, where `spotlight_avatar_type` is `image`." },
	{ FIELD(spotlight_avatar_shape), APPEARANCE, .initial = "\"rectangle\"", ONE_OF(shapes),
	  NULLABLE,
	  .doc = "The outline of the large picture." },
	{ FIELD(spotlight_avatar_type), APPEARANCE, .initial = "\"default\"", ONE_OF(spotlights),
	  NULLABLE,
	  .doc = "Whether the large picture is the built-in one or `spotlight_avatar`." },
	{ FIELD(user_avatar_orientation), APPEARANCE, .initial = "\"agent-left-user-right\"",
	  ONE_OF(orientations), NULLABLE,
	  .doc = "On which side the agent's and the visitor's messages stand." },
	{ FIELD(agent_title_avatar_alignment), APPEARANCE, .initial = "\"left\"",
	  ONE_OF(alignments),
	  .doc = "Where in the bar the title and its picture stand." },
	{ FIELD(is_in_chat_agent_avatar_enabled), APPEARANCE, .initial = "true",
	  .doc = "Shows the agent's picture next to each of its messages." },
	{ FIELD(is_in_chat_user_avatar_enabled), APPEARANCE, .initial = "true",
	  .doc = "Shows the visitor's picture next to each of their messages." },
	{ FIELD(is_loading_indicator_enabled), APPEARANCE, .initial = "true",
	  .doc = "Shows that an answer is being written." },
	{ FIELD(remove_branding), APPEARANCE, .initial = "false",
	  .feature = KB_FEATURE_REMOVE_BRANDING,
	  .doc = "Leaves out the line that names the service." },
	{ FIELD(markdown_enabled), APPEARANCE, .initial = "true",
	  .doc = "Shows Markdown in answers as formatted text." },
	{ FIELD(enable_feedbacks), APPEARANCE, .initial = "true",
	  .doc = "Offers thumbs up and down on answers." },
	{ FIELD(enable_copy_button), APPEARANCE, .initial = "true",
	  .doc = "Offers to copy an answer." },
	{ FIELD(input_field_addendum), APPEARANCE, .initial = "\"\"", NULLABLE, .max = 100,
	  .doc = "A line below the input field." },
	{ FIELD(ai_disclaimer), APPEARANCE, .initial = "\"\"", NULLABLE, .max = 160,
	  .doc = "A notice before the agent's first message." },

	{ FIELD(default_prompt), TEXTS, .initial = "\"Ask Me Anything ...\"", .max = MAX_LABEL,
	  .text = KB_TEXT_DEFAULT_PROMPT,
	  .doc = "What stands in the empty input field." },
	{ FIELD(example_questions), TEXTS, .initial = "[]", .max = MAX_QUESTION,
	  .max_items = MAX_QUESTIONS,
	  .doc = "Questions offered at the start of a conversation." },
	{ FIELD(persona_instructions), .section = KB_SECTION_TEXTS, .initial = "null", NULLABLE, .max = 12000,
	  .doc = "Who the agent is and how it speaks. Each change makes the next persona "
	         "version." },
	{ FIELD(citations_answer_source_label_msg), TEXTS, .initial = "null", NULLABLE,
	  .max = MAX_LABEL,
	  .text = KB_TEXT_ANSWER_SOURCE,
	  .doc = "The label that leads to the sources of one answer." },
	{ FIELD(citations_sources_label_msg), TEXTS, .initial = "null", NULLABLE, .max = MAX_LABEL,
	  .text = KB_TEXT_SOURCES,
	  .doc = "The label above the list of sources." },
	{ FIELD(hang_in_there_msg), TEXTS, .initial = "null", NULLABLE, .max = MAX_LABEL,
	  .text = KB_TEXT_HANG_IN_THERE,
	  .doc = "Shown while an answer takes more than a few seconds." },
	{ FIELD(chatbot_siesta_msg), TEXTS, .initial = "null", NULLABLE, .max = MAX_LABEL,
	  .text = KB_TEXT_SIESTA,
	  .doc = "Shown in place of an answer when the agent fails." },
	{ FIELD(chatbot_failed_moderation_msg), TEXTS, .initial = "null", NULLABLE,
	  .max = MAX_LABEL,
	  .text = KB_TEXT_FAILED_MODERATION,
	  .doc = "The answer to a question that moderation refuses." },
	{ FIELD(account_out_of_queries_msg), TEXTS, .initial = "null", NULLABLE, .max = MAX_LABEL,
	  .text = KB_TEXT_OUT_OF_QUERIES,
	  .doc = "Shown when the account's queries are used up." },
	{ FIELD(no_answer_message), TEXTS, .initial = "\"I'm sorry, I don't know the answer\"",
	  NULLABLE,
	  .max = 1000, .text = KB_TEXT_NO_ANSWER,
	  .doc = "The answer when the documents hold none." },
	{ FIELD(ending_message), TEXTS, .initial = "null", NULLABLE, .max = 1000,
	  .doc = "The agent's reply to a goodbye, in place of the built-in one; the end of a conversation "
	         "in the widget." },
	{ FIELD(try_asking_questions_msg), TEXTS, .initial = "\"Try asking these questions...\"",
	  NULLABLE,
	  .max = MAX_LABEL, .text = KB_TEXT_TRY_ASKING,
	  .doc = "Stands above the example questions." },
	{ FIELD(view_more_msg), TEXTS, .initial = "\"View more\"", NULLABLE, .max = MAX_LABEL,
	  .text = KB_TEXT_VIEW_MORE,
	  .doc = "The label that unfolds a list." },
	{ FIELD(view_less_msg), TEXTS, .initial = "\"View less\"", NULLABLE, .max = MAX_LABEL,
	  .text = KB_TEXT_VIEW_LESS,
	  .doc = "The label that folds a list." },
	{ FIELD(pdf_limited_page_label), TEXTS, .initial = "\"Limited\"", .max = MAX_LABEL,
	  .text = KB_TEXT_PDF_LIMITED,
	  .doc = "The label of a document of which the viewer shows only some pages." },

	{ FIELD(response_source), BEHAVIOUR, .initial = "\"default\"", ONE_OF(sources),
	  .doc = "`own_content`: answers come from the documents only; `default` is the same. "
	         "`llm_content`: also from what the model knows." },
	{ FIELD(chatbot_msg_lang), BEHAVIOUR, VISITORS, .initial = "\"en\"", .form = KB_FORM_LANGUAGE,
	  .choices = languages,
	  .doc = "The language of the interface texts that are not set here; `visitor`: that of "
	         "the browser that asks (`Accept-Language`). The language of an answer follows "
	         "the question." },
	{ FIELD(contact_person), BEHAVIOUR, VISITORS, .initial = "null", NULLABLE, .max = 80,
	  .doc = "Who answers by e-mail what the documents do not: a person or a team. Where nothing "
	         "answers, visitors may leave an address and their question, which are listed with "
	         "the reports (`reports/leads`). Empty: nobody." },
	{ FIELD(chatbot_model), BEHAVIOUR, .initial = "null", .form = KB_FORM_MODEL, NULLABLE,
	  .max = 255,
	  .doc = "A model of the operator's catalogue; null chooses by `agent_capability`." },
	{ FIELD(agent_capability), BEHAVIOUR, .initial = "\"optimal-choice\"",
	  ONE_OF(capabilities), NULLABLE,
	  .doc = "How much effort an answer is worth; the last two also search more widely." },
	{ FIELD(enable_citations), BEHAVIOUR, VISITORS, .initial = "3", .max = KB_CITATIONS_BOTH,
	  .takes_flags = true, .when_false = KB_CITATIONS_NONE, .when_true = KB_CITATIONS_BOTH,
	  .doc = "0: no citations. 1: a list after the answer. 2: numbers in the text. 3: both." },
	{ FIELD(citations_view_type), BEHAVIOUR, VISITORS, .initial = "\"user\"", ONE_OF(citation_views),
	  NULLABLE,
	  .doc = "Whether the list of sources is open: as the visitor last left it, always, or "
	         "folded." },
	{ FIELD(image_citation_display), BEHAVIOUR, VISITORS, .initial = "\"default\"",
	  ONE_OF(image_displays), NULLABLE,
	  .doc = "Whether all pictures of the cited pages are shown or only the first." },
	{ FIELD(limit_image_citation_height), BEHAVIOUR, VISITORS, .initial = "false",
	  .doc = "Limits the height of pictures of cited pages." },
	{ FIELD(use_opengraph_image_citation), BEHAVIOUR, VISITORS, .initial = "false",
	  .doc = "Uses the picture that a cited page names for sharing." },
	{ FIELD(max_inline_images_per_response), BEHAVIOUR, VISITORS, .initial = "2", .min = 0, .max = 3,
	  .doc = "Most pictures within one answer; 0: no limit." },
	{ FIELD(enable_inline_citations_api), BEHAVIOUR, .initial = "false",
	  .doc = "Puts the citations' numbers into the text of API answers too." },
	{ FIELD(hide_sources_from_responses), BEHAVIOUR, .initial = "true",
	  .doc = "Keeps the agent from naming its source files and addresses in the text of an answer; a "
	         "document without a title is then known by its first words." },
	{ FIELD(enable_recaptcha_for_public_chatbots), BEHAVIOUR, VISITORS, .initial = "false",
	  .doc = "Checks guests' messages where the agent is shared or embedded." },
	{ FIELD(is_selling_enabled), BEHAVIOUR, .initial = "false",
	  .doc = "Says that the agent is offered for sale, for programs that sell agents. It is kept and "
	         "answered; Docent itself sells nothing and does nothing else by it." },
	{ FIELD(can_share_conversation), BEHAVIOUR, VISITORS, .initial = "false",
	  .doc = "Lets visitors share their conversation by a link." },
	{ FIELD(can_export_conversation), BEHAVIOUR, VISITORS, .initial = "false",
	  .doc = "Lets visitors download their conversation." },
	{ FIELD(conversation_time_window), BEHAVIOUR, VISITORS, .initial = "0", .max = KB_WINDOW_LOCKS,
	  .takes_flags = true, .when_false = KB_WINDOW_DAY, .when_true = KB_WINDOW_ALL,
	  .doc = "0: the messages of the last 24 hours count. 1: all messages count. 2: a "
	         "conversation takes "
	         "no more messages 24 hours after it started." },
	{ FIELD(conversation_retention_period), BEHAVIOUR, .initial = "\"year\"",
	  ONE_OF(retentions),
	  .doc = "How long conversations are kept." },
	{ FIELD(conversation_retention_days), BEHAVIOUR, .initial = "0", .min = 0,
	  .max = MAX_RETENTION_DAYS,
	  .doc = "The days, where `conversation_retention_period` is `custom`; 0: nothing is "
	         "removed." },
	{ FIELD(use_context_aware_starter_question), BEHAVIOUR, VISITORS, .initial = "false",
	  .doc = "Fits the starter questions to the page the widget stands on." },
	{ FIELD(enable_agent_knowledge_base_awareness), BEHAVIOUR, .initial = "true",
	  .doc = "Lets the agent say what it knows about." },
	{ FIELD(is_hybrid_search), BEHAVIOUR, .initial = "false",
	  .doc = "Matches codes, part numbers and versions closely; may slow answers." },
	{ FIELD(user_awareness), BEHAVIOUR, .initial = "true",
	  .doc = "The agent knows the name of the logged-in user, of the key's account in the API." },
	{ FIELD(context_depth), BEHAVIOUR, .initial = "\"compact\"", ONE_OF(depths), NULLABLE,
	  .doc = "How much of the documents the model is given for one answer." },
	{ FIELD(quote_sure_answers), BEHAVIOUR, .initial = "false",
	  .doc = "Where the documents surely answer, their own sentences do, and no model is asked." },
	{ FIELD(use_planner_mode), BEHAVIOUR, VISITORS, .initial = "false", FORCED_ON(is_next_generation),
	  .doc = "Splits a question into steps, searches for each and answers from all." },
	{ FIELD(master_project_smart_routing_mode), BEHAVIOUR, .initial = "\"start-only\"",
	  ONE_OF(routings),
	  .master_only = true,
	  .doc = "When a master agent picks the child that answers." },
	{ FIELD(master_project_user_agent_switching_enabled), BEHAVIOUR, .initial = "true",
	  .master_only = true,
	  .doc = "Lets visitors of a master agent choose the child themselves." },
	{ FIELD(max_actions_per_query), BEHAVIOUR, .initial = "1", .min = 1, .max = MAX_ACTIONS,
	  .requires = "use_planner_mode", PLAN_LIMIT(max_actions),
	  .doc = "Most steps for one question, up to the plan's limit." },
	{ FIELD(conversation_history), BEHAVIOUR, VISITORS, .initial = "\"hidden\"", ONE_OF(histories),
	  .feature = KB_FEATURE_PREMIUM_HISTORY,
	  .doc = "Who sees the list of their earlier conversations." },
	{ FIELD(is_pdf_viewer), BEHAVIOUR, VISITORS, .initial = "false", .feature = KB_FEATURE_PDF_VIEWER,
	  .doc = "Opens cited PDF files in the built-in viewer." },
	{ FIELD(is_pdf_viewer_autoopen), BEHAVIOUR, VISITORS, .initial = "true", .requires = "is_pdf_viewer",
	  .doc = "Opens the viewer by itself with an answer that cites a PDF file." },
	{ FIELD(is_anonymize_pdfs), BEHAVIOUR, VISITORS, .initial = "false", .requires = "is_pdf_viewer",
	  .doc = "Hides file names and document properties in the viewer." },
	{ FIELD(is_pdf_page_visibility_limited), BEHAVIOUR, VISITORS, .initial = "false",
	  .requires = "is_pdf_viewer",
	  .doc = "Shows only the cited page, the one before and the one after." },
	{ FIELD(is_pdf_limited_label_linked), BEHAVIOUR, VISITORS, .initial = "false",
	  .requires = "is_pdf_page_visibility_limited",
	  .doc = "Links `pdf_limited_page_label` to the document's metadata URL where that is "
	         "not its own." },
	{ FIELD(allowed_domains_for_embedding), BEHAVIOUR, .initial = "[]", NULLABLE,
	  .form = KB_FORM_DOMAIN,
	  .max = MAX_DOMAIN, .max_items = MAX_DOMAINS,
	  .doc = "The sites that may show the widget, `*.` for all names below; empty: every "
	         "site." },

	{ FIELD(private_deployment), ANSWER, .initial = "0", .min = 0, .max = 2,
	  .doc = "Always 0." },
	{ FIELD(license_slug), ANSWER, .initial = "null", NULLABLE,
	  .doc = "Always null." },
	{ FIELD(selling_url), ANSWER, .initial = "null", NULLABLE,
	  .doc = "Always null." },
};
// clang-format on

const struct kb_setting *kb_settings_fields(size_t *count)
{
	*count = KB_COUNTOF(fields);
	return fields;
}

const struct kb_setting *kb_settings_field(struct kb_sv name)
{
	for (size_t i = 0; i < KB_COUNTOF(fields); i++)
		if (kb_sv_eq_str(name, fields[i].name))
			return &fields[i];
	return NULL;
}

const char *kb_field_answer_name(const struct kb_setting *field)
{
	return field->response ? field->response : field->name;
}

bool kb_field_is_nullable(const struct kb_setting *field)
{
	return field->nullable || field->type == KB_FIELD_NBOOL || field->type == KB_FIELD_NINT;
}

bool kb_field_takes_null(const struct kb_setting *field)
{
	return kb_field_is_nullable(field) || field->null_resets;
}

bool kb_field_is_choice(const struct kb_setting *field, struct kb_sv text)
{
	for (const char *const *choice = field->choices; *choice; choice++)
		if (kb_sv_eq_str(text, *choice))
			return true;
	return false;
}

bool kb_field_follows_language(const struct kb_setting *field)
{
	return field->text != KB_TEXT_NONE && field->initial[0] == '"';
}

struct kb_setting_value kb_field_default(const struct kb_setting *field, struct kb_sv lang)
{
	struct kb_sv initial = kb_sv_str(field->initial);
	struct kb_setting_value value = { .is_null = kb_sv_eq_str(initial, "null") };

	if (value.is_null) {
		value.list.is_null = true;
	} else if (kb_field_follows_language(field)) {
		value.text = kb_text_built_in(lang, field->text);
	} else if (field->type == KB_FIELD_TEXT) {
		value.text = kb_sv_sub(initial, 1, initial.n - 2); /* no default has an escape */
	} else if (field->type == KB_FIELD_BOOL || field->type == KB_FIELD_NBOOL) {
		value.flag = kb_sv_eq_str(initial, "true");
	} else if (field->type == KB_FIELD_INT || field->type == KB_FIELD_NINT) {
		KB_ASSERT(kb_sv_to_int(initial, field->min, field->max, &value.number));
	}
	return value;
}

struct kb_setting_value kb_field_load(const struct kb_setting *field, const void *of)
{
	const void *place = (const char *)of + field->offset;
	struct kb_setting_value value = { 0 };

	switch (field->type) {
	case KB_FIELD_BOOL:
		value.flag = *(const bool *)place;
		break;
	case KB_FIELD_NBOOL:
		value.flag = ((const struct kb_nbool *)place)->v;
		value.is_null = ((const struct kb_nbool *)place)->is_null;
		break;
	case KB_FIELD_INT:
		value.number = *(const int64_t *)place;
		break;
	case KB_FIELD_NINT:
		value.number = ((const struct kb_nint *)place)->v;
		value.is_null = ((const struct kb_nint *)place)->is_null;
		break;
	case KB_FIELD_TEXT:
		value.text = *(const struct kb_sv *)place;
		value.is_null = !value.text.p;
		break;
	case KB_FIELD_LIST:
		value.list = *(const struct kb_sv_list *)place;
		value.is_null = value.list.is_null;
		break;
	}
	return value;
}

void kb_value_put(const struct kb_setting *field, void *of, const struct kb_setting_value *value)
{
	static const struct kb_sv null_text = { .p = NULL };
	static const struct kb_sv_list null_list = { .is_null = true };
	void *place = (char *)of + field->offset;

	switch (field->type) {
	case KB_FIELD_BOOL:
		*(bool *)place = value->flag;
		break;
	case KB_FIELD_NBOOL:
		*(struct kb_nbool *)place = (struct kb_nbool){ value->flag, value->is_null };
		break;
	case KB_FIELD_INT:
		*(int64_t *)place = value->number;
		break;
	case KB_FIELD_NINT:
		*(struct kb_nint *)place = (struct kb_nint){ value->number, value->is_null };
		break;
	case KB_FIELD_TEXT:
		*(struct kb_sv *)place = value->is_null ? null_text : value->text;
		break;
	case KB_FIELD_LIST:
		*(struct kb_sv_list *)place = value->is_null ? null_list : value->list;
		break;
	}
}

void kb_field_store(const struct kb_setting *field, struct kb_settings *settings,
                    const struct kb_setting_value *value)
{
	struct kb_setting_value in_force = *value;

	if (value->is_null) {
		in_force = kb_field_default(field, settings->chatbot_msg_lang);
		in_force.is_null = true;
	}
	kb_value_put(field, settings, &in_force);
}

/* Which of the row's words the setting holds; the default's where it is null. */
static int chosen(const char *name, const struct kb_settings *settings)
{
	const struct kb_setting *field = kb_settings_field(kb_sv_str(name));
	struct kb_setting_value value = kb_field_load(field, settings);

	if (value.is_null)
		value = kb_field_default(field, KB_SV("en"));
	for (int i = 0; field->choices[i]; i++)
		if (kb_sv_eq_str(value.text, field->choices[i]))
			return i;
	kb_panic(__FILE__, __LINE__, "a setting holds no word of its list");
}

enum kb_response_source kb_settings_response_source(const struct kb_settings *settings)
{
	return (enum kb_response_source)chosen("response_source", settings);
}

enum kb_capability kb_settings_capability(const struct kb_settings *settings)
{
	return (enum kb_capability)chosen("agent_capability", settings);
}

bool kb_capability_of(struct kb_sv name, enum kb_capability *out)
{
	for (int i = 0; i < KB_CAPABILITIES; i++)
		if (kb_sv_eq_str(name, capabilities[i])) {
			*out = (enum kb_capability)i;
			return true;
		}
	return false;
}

enum kb_citations kb_settings_citations(const struct kb_settings *settings)
{
	return (enum kb_citations)settings->enable_citations.v;
}

enum kb_window kb_settings_window(const struct kb_settings *settings)
{
	return (enum kb_window)settings->conversation_time_window.v;
}

enum kb_retention kb_settings_retention(const struct kb_settings *settings)
{
	return (enum kb_retention)chosen("conversation_retention_period", settings);
}

enum kb_routing kb_settings_routing(const struct kb_settings *settings)
{
	return (enum kb_routing)chosen("master_project_smart_routing_mode", settings);
}

enum kb_depth kb_settings_depth(const struct kb_settings *settings)
{
	return (enum kb_depth)chosen("context_depth", settings);
}

bool kb_value_eq(const struct kb_setting *field, const struct kb_setting_value *a,
                 const struct kb_setting_value *b)
{
	if (a->is_null || b->is_null)
		return a->is_null && b->is_null;
	switch (field->type) {
	case KB_FIELD_BOOL:
	case KB_FIELD_NBOOL:
		return a->flag == b->flag;
	case KB_FIELD_INT:
	case KB_FIELD_NINT:
		return a->number == b->number;
	case KB_FIELD_TEXT:
		return kb_sv_eq(a->text, b->text);
	case KB_FIELD_LIST:
		if (a->list.count != b->list.count)
			return false;
		for (size_t i = 0; i < a->list.count; i++)
			if (!kb_sv_eq(a->list.v[i], b->list.v[i]))
				return false;
		return true;
	}
	return false;
}

void kb_settings_defaults(struct kb_settings *out)
{
	*out = (struct kb_settings){ 0 };
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		struct kb_setting_value value = kb_field_default(&fields[i], KB_SV("en"));

		kb_field_store(&fields[i], out, &value);
	}
}
