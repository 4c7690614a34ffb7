/*
 * The settings of an agent: one struct, one table of fields, and the functions that read the table.
 *
 * A setting is a member of struct kb_settings and a row of fields.c. From the row come the stored
 * form, the update with its checks, the answer of the read endpoint, the API description and
 * docs/settings.md. Everything here is pure: no clock, network or store; any thread. Text lives in
 * the arena of the call that made it, or is constant.
 *
 * Six texts with a default follow chatbot_msg_lang while the owner has not set them:
 * the struct always holds what is to be shown, and "set by the owner" means "differs from the
 * built-in text of the agent's language" (texts.h).
 */
#ifndef KB_SETTINGS_SETTINGS_H
#define KB_SETTINGS_SETTINGS_H

#include "base/arena.h"
#include "base/json.h"
#include "settings/texts.h"

/* A flag or number that the interface may set to null: v is what is in force, also when null. */
struct kb_nbool {
	bool v, is_null;
};
struct kb_nint {
	int64_t v;
	bool is_null;
};
struct kb_sv_list {
	const struct kb_sv *v;
	size_t count;
	bool is_null; /* count is 0 then */
};

/* The members have the names of the request fields. A nullable text is null when p == NULL. An
 * image is a reference, "<blob name>.<png|jpg|webp|gif>" or the name of a built-in one. */
struct kb_settings {
	/* appearance */
	struct kb_sv chat_bot_avatar;
	struct kb_sv chat_bot_bg;
	struct kb_sv chat_bot_bg_type;
	struct kb_sv chat_bot_bg_color;
	struct kb_sv chat_bot_color_scheme;
	struct kb_sv radius_styling;
	struct kb_sv font_family;
	struct kb_sv chatbot_color;
	struct kb_sv chatbot_toolbar_color;
	struct kb_sv chatbot_title;
	struct kb_sv chatbot_title_color;
	bool user_avatar_enabled;
	struct kb_sv user_avatar;
	bool title_avatar_enabled;
	bool spotlight_avatar_enabled;
	struct kb_sv spotlight_avatar;
	struct kb_sv spotlight_avatar_shape;
	struct kb_sv spotlight_avatar_type;
	struct kb_sv user_avatar_orientation;
	struct kb_sv agent_title_avatar_alignment;
	bool is_in_chat_agent_avatar_enabled;
	bool is_in_chat_user_avatar_enabled;
	struct kb_nbool is_loading_indicator_enabled;
	struct kb_nbool remove_branding;
	struct kb_nbool markdown_enabled;
	struct kb_nbool enable_feedbacks;
	struct kb_nbool enable_copy_button;
	struct kb_sv input_field_addendum;
	struct kb_sv ai_disclaimer;

	/* texts */
	struct kb_sv default_prompt;
	struct kb_sv_list example_questions;
	struct kb_sv persona_instructions;
	struct kb_sv citations_answer_source_label_msg;
	struct kb_sv citations_sources_label_msg;
	struct kb_sv hang_in_there_msg;
	struct kb_sv chatbot_siesta_msg;
	struct kb_sv chatbot_failed_moderation_msg;
	struct kb_sv account_out_of_queries_msg;
	struct kb_sv no_answer_message;
	struct kb_sv ending_message;
	struct kb_sv try_asking_questions_msg;
	struct kb_sv view_more_msg;
	struct kb_sv view_less_msg;
	struct kb_sv pdf_limited_page_label;

	/* behaviour */
	struct kb_sv response_source;
	struct kb_sv chatbot_msg_lang;
	struct kb_sv contact_person;
	struct kb_sv chatbot_model;
	struct kb_sv agent_capability;
	struct kb_nint enable_citations;
	struct kb_sv citations_view_type;
	struct kb_sv image_citation_display;
	struct kb_nbool limit_image_citation_height;
	struct kb_nbool use_opengraph_image_citation;
	int64_t max_inline_images_per_response;
	struct kb_nbool enable_inline_citations_api;
	struct kb_nbool hide_sources_from_responses;
	struct kb_nbool enable_recaptcha_for_public_chatbots;
	struct kb_nbool is_selling_enabled;
	struct kb_nbool can_share_conversation;
	struct kb_nbool can_export_conversation;
	struct kb_nint conversation_time_window;
	struct kb_sv conversation_retention_period;
	int64_t conversation_retention_days;
	struct kb_nbool use_context_aware_starter_question;
	bool enable_agent_knowledge_base_awareness;
	struct kb_nbool is_hybrid_search;
	bool user_awareness;
	struct kb_sv context_depth;
	bool quote_sure_answers;
	struct kb_nbool use_planner_mode;
	struct kb_sv master_project_smart_routing_mode;
	bool master_project_user_agent_switching_enabled;
	int64_t max_actions_per_query;
	struct kb_sv conversation_history;
	bool is_pdf_viewer;
	bool is_pdf_viewer_autoopen;
	bool is_anonymize_pdfs;
	bool is_pdf_page_visibility_limited;
	bool is_pdf_limited_label_linked;
	struct kb_sv_list allowed_domains_for_embedding;

	/* in the answer only */
	int64_t private_deployment;
	struct kb_sv license_slug;
	struct kb_sv selling_url;
};

void kb_settings_defaults(struct kb_settings *out);

/* What the store keeps: a JSON object of the fields that differ from their default. Unknown members
 * are ignored (an older program's), a value of the wrong form is KB_E_CORRUPT. An empty text is an
 * empty object. */
bool kb_settings_read(struct kb_arena *arena, struct kb_sv json, struct kb_settings *out,
                      struct kb_err *err) KB_MUST_CHECK;
void kb_settings_write_stored(const struct kb_settings *settings, struct kb_jw *jw);

/* The flat object of the read endpoint, with the answer's names. `url` gives an image's address
 * (field: request name; image: as in the struct) and is called where there is an image only. */
struct kb_image_urls {
	struct kb_sv (*url)(void *arg, const char *field, struct kb_sv image);
	void *arg;
};
void kb_settings_write_response(const struct kb_settings *settings,
                                const struct kb_image_urls *urls, struct kb_jw *jw);
/* The members of what an agent's visitors may know, under the names of the request: how it looks
 * and speaks, and what they may do. Texts are those to be shown, never empty where there is a
 * built-in one.
 */
void kb_settings_write_visible(const struct kb_settings *settings, const struct kb_image_urls *urls,
                               struct kb_jw *jw);

/*
 * What code acts on, instead of words and numbers. Where a text is null the default is in force.
 * The words stand in fields.c, a word an enumerator; a switch without a default warns about a new
 * one.
 */
enum kb_response_source { KB_RESPONSE_DEFAULT, KB_RESPONSE_OWN_CONTENT, KB_RESPONSE_LLM_CONTENT };
enum kb_response_source kb_settings_response_source(const struct kb_settings *settings);

enum kb_capability {
	KB_CAPABILITY_FASTEST,
	KB_CAPABILITY_OPTIMAL,
	KB_CAPABILITY_ADVANCED,
	KB_CAPABILITY_COMPLEX,
	KB_CAPABILITIES
};
enum kb_capability kb_settings_capability(const struct kb_settings *settings);
/* The one of that name; false: there is none. */
bool kb_capability_of(struct kb_sv name, enum kb_capability *out) KB_MUST_CHECK;

enum kb_citations {
	KB_CITATIONS_NONE,
	KB_CITATIONS_LIST,   /* after the answer */
	KB_CITATIONS_INLINE, /* numbers in its text */
	KB_CITATIONS_BOTH
};
enum kb_citations kb_settings_citations(const struct kb_settings *settings);

enum kb_window {
	KB_WINDOW_DAY,  /* the messages of the last 24 hours count */
	KB_WINDOW_ALL,  /* all of them */
	KB_WINDOW_LOCKS /* all; after 24 hours the conversation takes no more */
};
enum kb_window kb_settings_window(const struct kb_settings *settings);

/* How much a model is given to read; null is the least. */
enum kb_depth {
	KB_DEPTH_COMPACT,
	KB_DEPTH_BALANCED,
	KB_DEPTH_EXTENDED,
	KB_DEPTH_RICH,
	KB_DEPTH_MAX,
	KB_DEPTH_CUSTOM, /* as much as the operator says */
	KB_DEPTHS
};
enum kb_depth kb_settings_depth(const struct kb_settings *settings);

enum kb_retention { KB_RETENTION_CUSTOM, KB_RETENTION_YEAR, KB_RETENTION_NEVER };
enum kb_retention kb_settings_retention(const struct kb_settings *settings);

enum kb_routing { KB_ROUTING_OFF, KB_ROUTING_START_ONLY, KB_ROUTING_EVERY_MESSAGE };
enum kb_routing kb_settings_routing(const struct kb_settings *settings);

/* How many days the agent's conversations are kept; 0: for ever. */
int64_t kb_settings_keep_days(const struct kb_settings *settings);

/* chatbot_msg_lang "visitor": the texts that are not set come in the language of who asks. Until
 * somebody does, they are English. */
#define KB_LANG_VISITOR "visitor"
bool kb_settings_speak_visitors(const struct kb_settings *settings);
/* The settings for one request, whose Accept-Language that is: where they are as the visitor's,
 * they are in that language from now on. Not to be stored. */
void kb_settings_speak_to(struct kb_settings *settings, struct kb_sv accepted);
/* chatbot_msg_lang becomes that code; texts that stood at their default in the language before
 * follow, but those whose row of the table is in `except` (NULL: all follow). */
void kb_settings_put_language(struct kb_settings *settings, struct kb_sv lang, const bool *except);

/* What is to be shown: the owner's text, or the built-in one in the agent's language where the
 * owner's is null or empty. */
struct kb_sv kb_settings_text(const struct kb_settings *settings, enum kb_text text);
/* The same for one request in the language of that tag (empty: the agent's): the owner's text, or
 * the built-in one in that language where the owner has set none. */
struct kb_sv kb_settings_text_in(const struct kb_settings *settings, struct kb_sv lang,
                                 enum kb_text text);

/*
 * The update. The caller turns a multipart, form or JSON body into inputs; JSON has its own helper.
 */
enum kb_input_kind {
	KB_INPUT_TEXT, /* a form's value, or a JSON string */
	KB_INPUT_NULL,
	KB_INPUT_BOOL,
	KB_INPUT_INT,
	KB_INPUT_LIST,  /* a JSON array */
	KB_INPUT_FILE,  /* the bytes of a multipart file */
	KB_INPUT_OTHER, /* a JSON object or a fraction: fits no field */
};

struct kb_setting_input {
	struct kb_sv name; /* as sent: "default_prompt", "example_questions[]", "x[0]" */
	enum kb_input_kind kind;
	struct kb_sv text;                    /* TEXT and FILE */
	bool flag;                            /* BOOL */
	int64_t number;                       /* INT */
	const struct kb_setting_input *items; /* LIST; their names are empty */
	size_t count;
};

struct kb_setting_inputs {
	const struct kb_setting_input *v;
	size_t count;
};

/* One JSON value as an input without a name; a view into the tree. */
struct kb_setting_input kb_setting_input_from_json(struct kb_arena *arena, const json_t *json);
/* For tests and the fuzz target: the members of a JSON object as inputs; views into the tree.
 * KB_E_INVALID when it is none. */
bool kb_setting_inputs_from_json(struct kb_arena *arena, json_t *object,
                                 struct kb_setting_inputs *out, struct kb_err *err) KB_MUST_CHECK;

struct kb_settings_context {
	uint64_t features;   /* enum kb_plan_feature of the account's plan (plans.h) */
	int64_t max_actions; /* of the plan; 0: no limit of its own */
	bool is_master;
	bool is_next_generation;    /* the agentic flow is on, whatever use_planner_mode says */
	const struct kb_sv *models; /* what chatbot_model may name */
	size_t model_count;
};

struct kb_setting_failure {
	const char *name;              /* the request name without brackets */
	const struct kb_sv *sentences; /* one or more */
	size_t count;
	bool is_malformed; /* false: refused by the plan or by another field */
};

/* An image that the caller stores (by content) before it stores the settings. */
struct kb_setting_image {
	const char *name; /* request name */
	struct kb_sv bytes;
	const char *mime;
};

struct kb_settings_result {
	const char *const *updated; /* request names without brackets, in the order of the table */
	size_t updated_count;
	const struct kb_setting_failure *failed; /* likewise */
	size_t failed_count;
	const struct kb_setting_image *images;
	size_t image_count;
	/* 200; 207 when some were applied and some failed; 400 when all that counted failed */
	int status;
};

/*
 * Applies the inputs to a copy of `current`. Unknown names, and master-only fields of a regular
 * agent, are ignored. A field fails or applies as a whole; of a field sent twice the last value
 * counts, lists gather. What other fields of the request say is taken together with the stored
 * state. Deterministic: it may be run again inside the write transaction. *out keeps views
 * into `current`, the inputs and the arena.
 */
void kb_settings_update(struct kb_arena *arena, const struct kb_settings *current,
                        const struct kb_setting_inputs *inputs,
                        const struct kb_settings_context *context, struct kb_settings *out,
                        struct kb_settings_result *result);

/* The `data` of a 200 or 207: {"updated":true}; with 207 also updated_fields and failed_fields (a
 * list of sentences a field). A 400 is told by the first failure's first sentence. */
void kb_settings_write_result(const struct kb_settings_result *result, struct kb_jw *jw);

/*
 * The table, for documents, the API description, forms and tests.
 */
enum kb_field_type {
	KB_FIELD_BOOL,
	KB_FIELD_NBOOL,
	KB_FIELD_INT,
	KB_FIELD_NINT,
	KB_FIELD_TEXT,
	KB_FIELD_LIST
};

/* What a TEXT, or an item of a LIST, looks like. */
enum kb_field_form {
	KB_FORM_FREE,     /* any text up to max characters */
	KB_FORM_CHOICE,   /* one of choices */
	KB_FORM_COLOR,    /* #rgb, #rgba, #rrggbb or #rrggbbaa */
	KB_FORM_LANGUAGE, /* one of choices, with a message of its own */
	KB_FORM_MODEL,    /* one of the operator's models */
	KB_FORM_IMAGE,    /* sent as a file */
	KB_FORM_DOMAIN,   /* a host name, *.host name, optionally with :port */
};

enum kb_field_section {
	KB_SECTION_APPEARANCE,
	KB_SECTION_TEXTS,
	KB_SECTION_BEHAVIOUR,
	KB_SECTION_ANSWER
};

struct kb_setting {
	const char *name;     /* in requests, without brackets */
	const char *response; /* in answers; NULL: the same */
	const char *initial;  /* the default as JSON, in English */
	const char *doc;
	const char *const *choices;    /* ends with NULL */
	const char *requires;          /* the flag that must be on, or NULL */
	const char *image_word;        /* IMAGE: "Please upload a valid image file for <word>" */
	size_t offset;                 /* in struct kb_settings */
	int64_t min, max;              /* INT: values; TEXT, items of a LIST: max characters */
	int64_t max_items;             /* LIST */
	int64_t when_false, when_true; /* INT with takes_flags: what false and true mean */
	uint64_t feature;              /* plan feature that values other than the default need */
	/* Places in struct kb_settings_context, 0: none. An int64_t that an INT may not exceed,
	 * where it is not 0; a bool that turns a flag on for those that require it. */
	size_t plan_limit, forced_on;
	enum kb_field_type type;
	enum kb_field_form form;
	enum kb_field_section section;
	bool for_visitors; /* a public page tells it to its visitors */
	enum kb_text text; /* the built-in text that is shown while the field is not set */
	bool nullable;
	bool null_resets; /* null puts the default back, which is what is read then */
	bool takes_flags;
	bool master_only;
	bool response_only;
};

const struct kb_setting *kb_settings_fields(size_t *count);
/* By request name without brackets; NULL: unknown. */
const struct kb_setting *kb_settings_field(struct kb_sv name);
bool kb_field_is_nullable(const struct kb_setting *field);
/* Whether null may be sent for it. */
bool kb_field_takes_null(const struct kb_setting *field);
/* The name in answers. */
const char *kb_field_answer_name(const struct kb_setting *field);

#endif
