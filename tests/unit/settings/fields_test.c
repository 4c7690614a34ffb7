/* Every field of the interface, from a table of the test's own: default, names, each spelling of
 * each accepted value, what is refused and with which sentence, limits, null, and the store. */
#include "settings_test.h"

enum kind { FLAG, NUMBER, TEXT, COLOR, CHOICE, LANGUAGE, MODEL, IMAGE, QUESTIONS, DOMAINS };

/* A sentence in the arena of the test. */
#define SAY(...) (kb_arena_printf(&arena, __VA_ARGS__).p)

/* The specification's tables, in its order. */
// clang-format off
static const struct row {
	const char *name, *answer; /* answer: NULL where it is the same */
	enum kind kind;
	bool nullable;
	const char *initial;       /* in the answer, as JSON */
	int64_t max, min;
	const char *choices;       /* with ", " between */
} rows[] = {
	{ "chat_bot_avatar", "chatbot_avatar", IMAGE, false, "\"\"", .choices = "avatar" },
	{ "chat_bot_bg", "chatbot_background", IMAGE, false, "\"\"", .choices = "background" },
	{ "chat_bot_bg_type", "chatbot_background_type", CHOICE, false, "\"color\"", .choices = "image, color" },
	{ "chat_bot_bg_color", "chatbot_background_color", COLOR, false, "\"#FFFFFF\"", 9 },
	{ "chat_bot_color_scheme", "chatbot_color_scheme", CHOICE, false, "\"fresh\"", .choices = "fresh, legacy" },
	{ "radius_styling", NULL, CHOICE, false, "\"soft\"", .choices = "sharp, soft, round, legacy" },
	{ "font_family", NULL, CHOICE, false, "\"inter\"", .choices = "inter, public-sans" },
	{ "chatbot_color", NULL, COLOR, false, "\"#000000\"", 9 },
	{ "chatbot_toolbar_color", NULL, COLOR, false, "\"#000000\"", 9 },
	{ "chatbot_title", NULL, TEXT, true, "\"\"", 200 },
	{ "chatbot_title_color", NULL, COLOR, true, "\"#565656\"", 9 },
	{ "user_avatar_enabled", NULL, FLAG, false, "false" },
	{ "user_avatar", NULL, IMAGE, true, "null", .choices = "user avatar" },
	{ "title_avatar_enabled", NULL, FLAG, false, "true" },
	{ "spotlight_avatar_enabled", NULL, FLAG, false, "false" },
	{ "spotlight_avatar", NULL, IMAGE, true, "\"http://kb/spotlight_avatar/spotlight_avatar.png\"",
	  .choices = "spotlight avatar" },
	{ "spotlight_avatar_shape", NULL, CHOICE, true, "\"rectangle\"", .choices = "circle, rectangle" },
	{ "spotlight_avatar_type", NULL, CHOICE, true, "\"default\"", .choices = "default, image" },
	{ "user_avatar_orientation", NULL, CHOICE, true, "\"agent-left-user-right\"",
	  .choices = "agent-left-user-right, agent-right-user-right, agent-right-user-left, agent-left-user-left" },
	{ "agent_title_avatar_alignment", NULL, CHOICE, false, "\"left\"", .choices = "left, center, right" },
	{ "is_in_chat_agent_avatar_enabled", NULL, FLAG, false, "true" },
	{ "is_in_chat_user_avatar_enabled", NULL, FLAG, false, "true" },
	{ "is_loading_indicator_enabled", NULL, FLAG, true, "true" },
	{ "remove_branding", NULL, FLAG, true, "false" },
	{ "markdown_enabled", NULL, FLAG, true, "true" },
	{ "enable_feedbacks", NULL, FLAG, true, "true" },
	{ "enable_copy_button", NULL, FLAG, true, "true" },
	{ "input_field_addendum", NULL, TEXT, true, "\"\"", 100 },
	{ "ai_disclaimer", NULL, TEXT, true, "\"\"", 160 },

	{ "default_prompt", NULL, TEXT, false, "\"Ask Me Anything ...\"", 255 },
	{ "example_questions", NULL, QUESTIONS, false, "[]" },
	{ "persona_instructions", NULL, TEXT, true, "null", 12000 },
	{ "citations_answer_source_label_msg", NULL, TEXT, true, "null", 255 },
	{ "citations_sources_label_msg", NULL, TEXT, true, "null", 255 },
	{ "hang_in_there_msg", NULL, TEXT, true, "null", 255 },
	{ "chatbot_siesta_msg", NULL, TEXT, true, "null", 255 },
	{ "chatbot_failed_moderation_msg", NULL, TEXT, true, "null", 255 },
	{ "account_out_of_queries_msg", NULL, TEXT, true, "null", 255 },
	{ "no_answer_message", NULL, TEXT, true, "\"I'm sorry, I don't know the answer\"", 1000 },
	{ "ending_message", NULL, TEXT, true, "null", 1000 },
	{ "try_asking_questions_msg", NULL, TEXT, true, "\"Try asking these questions...\"", 255 },
	{ "view_more_msg", NULL, TEXT, true, "\"View more\"", 255 },
	{ "view_less_msg", NULL, TEXT, true, "\"View less\"", 255 },
	{ "pdf_limited_page_label", NULL, TEXT, false, "\"Limited\"", 255 },

	{ "response_source", NULL, CHOICE, false, "\"default\"", .choices = "default, own_content, llm_content" },
	{ "chatbot_msg_lang", NULL, LANGUAGE, false, "\"en\"", .choices =
	  "sq, ar, hy, az, ba, eu, be, bn, bh, bs, pt-BR, bg, yue, ca, hne, hr, cs, da, doi, nl, en, et, fo, fi, fr, "
	  "gl, ka, de, el, gu, hry, he, hi, hu, id, ga, it, ja, jv, kn, ks, kk, kok, ko, ky, lv, lt, mk, mai, ms, mt, "
	  "cmn, mr, mwr, nan, mo, mn, me, ne, no, or, ps, fa, pl, pt, pa, raj, ro, ru, sa, sat, sr, sd, si, sk, sl, "
	  "es, sw, sv, tg, ta, tt, te, th, tr, tk, uk, ur, uz, vi, cy, wuu, visitor" },
	{ "contact_person", NULL, TEXT, true, "null", 80 },
	{ "chatbot_model", NULL, MODEL, true, "null" },
	{ "agent_capability", NULL, CHOICE, true, "\"optimal-choice\"",
	  .choices = "fastest-responses, optimal-choice, advanced-reasoning, complex-tasks" },
	{ "enable_citations", NULL, NUMBER, true, "3", 3, 0 },
	{ "citations_view_type", NULL, CHOICE, true, "\"user\"", .choices = "user, show, hide" },
	{ "image_citation_display", NULL, CHOICE, true, "\"default\"", .choices = "default, first_only" },
	{ "limit_image_citation_height", NULL, FLAG, true, "false" },
	{ "use_opengraph_image_citation", NULL, FLAG, true, "false" },
	{ "max_inline_images_per_response", NULL, NUMBER, false, "2", 3, 0 },
	{ "enable_inline_citations_api", NULL, FLAG, true, "false" },
	{ "hide_sources_from_responses", NULL, FLAG, true, "true" },
	{ "enable_recaptcha_for_public_chatbots", NULL, FLAG, true, "false" },
	{ "is_selling_enabled", NULL, FLAG, true, "false" },
	{ "can_share_conversation", NULL, FLAG, true, "false" },
	{ "can_export_conversation", NULL, FLAG, true, "false" },
	{ "conversation_time_window", NULL, NUMBER, true, "0", 2, 0 },
	{ "conversation_retention_period", NULL, CHOICE, false, "\"year\"", .choices = "custom, year, never" },
	{ "conversation_retention_days", NULL, NUMBER, false, "0", 36500, 0 },
	{ "use_context_aware_starter_question", NULL, FLAG, true, "false" },
	{ "enable_agent_knowledge_base_awareness", NULL, FLAG, false, "true" },
	{ "is_hybrid_search", NULL, FLAG, true, "false" },
	{ "user_awareness", NULL, FLAG, false, "true" },
	{ "context_depth", NULL, CHOICE, true, "\"compact\"",
	  .choices = "compact, balanced, extended, rich, max, custom" },
	{ "quote_sure_answers", NULL, FLAG, false, "false" }, /* of our own */
	{ "use_planner_mode", NULL, FLAG, true, "false" },
	{ "master_project_smart_routing_mode", NULL, CHOICE, false, "\"start-only\"",
	  .choices = "off, start-only, every-message" },
	{ "master_project_user_agent_switching_enabled", NULL, FLAG, false, "true" },
	{ "max_actions_per_query", NULL, NUMBER, false, "1", 100, 1 },
	{ "conversation_history", NULL, CHOICE, false, "\"hidden\"", .choices = "hidden, team_members, everyone" },
	{ "is_pdf_viewer", NULL, FLAG, false, "false" },
	{ "is_pdf_viewer_autoopen", NULL, FLAG, false, "true" },
	{ "is_anonymize_pdfs", NULL, FLAG, false, "false" },
	{ "is_pdf_page_visibility_limited", NULL, FLAG, false, "false" },
	{ "is_pdf_limited_label_linked", NULL, FLAG, false, "false" },
	{ "allowed_domains_for_embedding", NULL, DOMAINS, true, "[]" },
};
// clang-format on

static const char *answer_name(const struct row *row)
{
	return row->answer ? row->answer : row->name;
}

/* A master agent with every flag on that another field requires, so that a field can be tried
 * alone. */
static void agent_open(struct kb_test *t, struct agent *a)
{
	agent_init(a);
	a->context.is_master = true;
	CHECK_INT(t,
	          send_json(a, "{\"use_planner_mode\":true,\"is_pdf_viewer\":true,"
	                       "\"is_pdf_page_visibility_limited\":true}"),
	          200);
}

/* The body with the one field and that value, in JSON. */
static int send_value(struct agent *a, const char *name, const char *json)
{
	struct kb_sv body = kb_arena_printf(&a->arena, "{\"%s\":%s}", name, json);

	return send_json(a, body.p);
}

static void check_taken(struct kb_test *t, struct agent *a, const struct row *row, int status,
                        const char *want)
{
	CHECK_INT(t, status, 200);
	CHECK(t, a->result.updated_count == 1 && updated(a, row->name));
	CHECK_SV(t, answered(a, answer_name(row)), want);
	CHECK(t, survives_store(a));
}

/* Accepted as JSON, and as the text of a form. */
static void check_accepts(struct kb_test *t, const struct row *row, const char *json,
                          const char *form, const char *want)
{
	struct agent a;

	agent_open(t, &a);
	if (json)
		check_taken(t, &a, row, send_value(&a, row->name, json), want);
	agent_fini(&a);
	agent_open(t, &a);
	if (form)
		check_taken(t, &a, row, send_text(&a, row->name, form), want);
	agent_fini(&a);
}

/* Alone it is a 400 with that sentence and changes nothing; beside a good field it is a 207. */
static void check_refuses(struct kb_test *t, const struct row *row, const char *json,
                          const char *sentence)
{
	const char *other =
	        strcmp(row->name, "user_awareness") == 0 ? "markdown_enabled" : "user_awareness";
	struct agent a;
	struct kb_sv before, body;

	agent_open(t, &a);
	before = stored(&a);
	CHECK_INT(t, send_value(&a, row->name, json), 400);
	CHECK_SV(t, refusal(&a, row->name), sentence);
	CHECK(t, a.result.failed_count == 1 && a.result.failed[0].is_malformed);
	CHECK(t, a.result.updated_count == 0);
	CHECK(t, kb_sv_eq(stored(&a), before));
	body = kb_arena_printf(&a.arena, "{\"%s\":%s,\"%s\":false}", row->name, json, other);
	CHECK_INT(t, send_json(&a, body.p), 207);
	CHECK_SV(t, refusal(&a, row->name), sentence);
	CHECK(t, a.result.updated_count == 1 && updated(&a, other));
	agent_fini(&a);
}

static void walk_flag(struct kb_test *t, const struct row *row)
{
	static const char *const yes[] = { "true", "TRUE", "True", "tRuE", "1", " true\n" };
	static const char *const no[] = { "false", "FALSE", "False", "0" };
	static const char *const bad[] = { "\"yes\"", "\"2\"", "2", "-1", "[true]", "{}", "1.5" };
	struct kb_sv sentence;
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(yes); i++)
		check_accepts(t, row, NULL, yes[i], "true");
	for (size_t i = 0; i < KB_COUNTOF(no); i++)
		check_accepts(t, row, NULL, no[i], "false");
	check_accepts(t, row, "true", NULL, "true");
	check_accepts(t, row, "false", NULL, "false");
	check_accepts(t, row, "1", NULL, "true");
	check_accepts(t, row, "0", NULL, "false");
	check_accepts(t, row, "\"True\"", NULL, "true");
	sentence = kb_arena_printf(&arena, "%s must be true or false", row->name);
	for (size_t i = 0; i < KB_COUNTOF(bad); i++)
		check_refuses(t, row, bad[i], sentence.p);
	if (!row->nullable)
		check_refuses(t, row, "\"\"", sentence.p);
	kb_arena_fini(&arena);
}

static void walk_number(struct kb_test *t, const struct row *row)
{
	struct kb_arena arena = { 0 };
	const char *const bad[] = {
		kb_arena_printf(&arena, "%" PRId64, row->max + 1).p,
		kb_arena_printf(&arena, "%" PRId64, row->min - 1).p,
		kb_arena_printf(&arena, "\"%" PRId64 "\"", row->max + 1).p,
		"9223372036854775807",
		"\"99999999999999999999\"",
		"0.5",
		"\"x\"",
		"\"1x\"",
		"[1]",
		"{}",
	};
	struct kb_sv sentence =
	        kb_arena_printf(&arena, "%s must be a whole number from %" PRId64 " to %" PRId64,
	                        row->name, row->min, row->max);

	for (int64_t n = row->min; n <= row->max; n += KB_MAX(1, row->max / 5)) {
		const char *text = kb_arena_printf(&arena, "%" PRId64, n).p;

		check_accepts(t, row, text, text, text);
		check_accepts(t, row, kb_arena_printf(&arena, "\"%s\"", text).p, NULL, text);
		check_accepts(t, row, kb_arena_printf(&arena, "%s.0", text).p, NULL, text);
	}
	for (size_t i = 0; i < KB_COUNTOF(bad); i++)
		check_refuses(t, row, bad[i], sentence.p);
	if (strcmp(row->name, "enable_citations") == 0) {
		check_accepts(t, row, "true", "TRUE", "3");
		check_accepts(t, row, "false", "False", "0");
		check_accepts(t, row, NULL, "1", "1"); /* the number, not the flag */
	} else if (strcmp(row->name, "conversation_time_window") == 0) {
		check_accepts(t, row, "true", "true", "1");
		check_accepts(t, row, "false", "FALSE", "0");
	} else {
		check_refuses(t, row, "true", sentence.p);
		check_refuses(t, row, "\"true\"", sentence.p);
	}
	kb_arena_fini(&arena);
}

/* n characters, of one, two, three and four bytes in turn. */
static struct kb_sv long_text(struct kb_arena *arena, int64_t n)
{
	static const char *const letters[] = { "a", "é", "字", "🙂" };
	char *text = kb_arena_bytes(arena, (size_t)n * 4 + 1), *end = text;

	for (int64_t i = 0; i < n; i++) {
		size_t bytes = strlen(letters[i % 4]);

		memcpy(end, letters[i % 4], bytes);
		end += bytes;
	}
	*end = '\0';
	return kb_sv(text, (size_t)(end - text));
}

static const char *in_quotes(struct kb_arena *arena, struct kb_sv text)
{
	return kb_arena_printf(arena, "\"%.*s\"", KB_SV_ARG(text)).p;
}

static void walk_text(struct kb_test *t, const struct row *row)
{
	struct kb_arena arena = { 0 };
	struct kb_sv longest = long_text(&arena, row->max), over = long_text(&arena, row->max + 1);
	struct agent a;

	check_accepts(t, row, "\"Grüß Gott\"", "Grüß Gott", "\"Grüß Gott\"");
	check_accepts(t, row, "\" a\\nb \"", " a\nb ", "\" a\\nb \""); /* as it was written */
	check_accepts(t, row, "\"null\"", "null", "\"null\"");
	check_accepts(t, row, in_quotes(&arena, longest), longest.p, in_quotes(&arena, longest));
	check_refuses(t, row, in_quotes(&arena, over),
	              kb_arena_printf(&arena,
	                              "%s has %" PRId64 " characters, the limit is %" PRId64,
	                              row->name, row->max + 1, row->max)
	                      .p);
	check_refuses(t, row, "5", SAY("%s must be a text", row->name));
	check_refuses(t, row, "true", SAY("%s must be a text", row->name));
	check_refuses(t, row, "[\"a\"]", SAY("%s must be a text", row->name));
	check_refuses(t, row, "{}", SAY("%s must be a text", row->name));
	agent_open(t, &a);
	CHECK_INT(t, send_text(&a, row->name, "caf\xe9"), 400);
	CHECK_SV(t, refusal(&a, row->name), SAY("%s is not valid UTF-8", row->name));
	CHECK_INT(t,
	          send_inputs(&a,
	                      &(struct kb_setting_input){ .name = kb_sv_str(row->name),
	                                                  .kind = KB_INPUT_TEXT,
	                                                  .text = KB_SV("a\0b") },
	                      1),
	          400);
	CHECK_SV(t, refusal(&a, row->name), SAY("%s holds a NUL character", row->name));
	CHECK_INT(t, send_file(&a, row->name, KB_SV("text of a file")), 400);
	agent_fini(&a);
	if (!row->nullable || strcmp(row->initial, "\"\"") == 0)
		check_accepts(t, row, "\"\"", "", "\"\"");
	kb_arena_fini(&arena);
}

static void walk_color(struct kb_test *t, const struct row *row)
{
	static const char *const good[] = { "#abc", "#ABCD", "#12aBcD", "#12345678" };
	static const char *const bad[] = { "red",     "#",       "#12",        "#12345",
		                           "1234567", "#12345g", "#123456789", "#1234567" };
	struct kb_arena arena = { 0 };
	struct kb_sv sentence = kb_arena_printf(
	        &arena, "%s must be a hexadecimal colour such as #1A2B3C, at most 9 characters",
	        row->name);

	CHECK_INT(t, row->max, 9);
	for (size_t i = 0; i < KB_COUNTOF(good); i++) {
		const char *json = in_quotes(&arena, kb_sv_str(good[i]));

		check_accepts(t, row, json, good[i], json);
	}
	for (size_t i = 0; i < KB_COUNTOF(bad); i++)
		check_refuses(t, row, in_quotes(&arena, kb_sv_str(bad[i])), sentence.p);
	kb_arena_fini(&arena);
}

static void walk_choice(struct kb_test *t, const struct row *row)
{
	struct kb_arena arena = { 0 };
	struct kb_sv rest = kb_sv_str(row->choices), choice;

	while (kb_sv_split(&rest, ',', &choice)) {
		struct kb_sv trimmed = kb_arena_sv(&arena, kb_sv_trim(choice));
		const char *json = in_quotes(&arena, trimmed);

		check_accepts(t, row, json, trimmed.p, json);
	}
	if (row->kind == LANGUAGE) {
		check_refuses(t, row, "\"xx\"",
		              "chatbot_msg_lang \"xx\" is not a supported language code");
		check_refuses(t, row, "\"\"", "Language Proficiency is required.");
	} else {
		struct kb_sv sentence =
		        kb_arena_printf(&arena, "%s must be one of %s", row->name, row->choices);

		check_refuses(t, row, "\"nothing\"", sentence.p);
		check_refuses(t, row, "\"true\"", sentence.p);
	}
	check_refuses(t, row, "0", SAY("%s must be a text", row->name));
	kb_arena_fini(&arena);
}

/* The smallest GIF: one pixel. */
#define PIXEL                                                                                      \
	"GIF89a\x01\x00\x01\x00\x80\x00\x00\xff\xff\xff\x00\x00\x00,\x00\x00\x00\x00\x01\x00\x01"  \
	"\x00\x00\x02\x02\x44\x01\x00;"

static void walk_image(struct kb_test *t, const struct row *row)
{
	struct agent a;
	char hash[KB_HASH_HEX];
	struct kb_sv want, sentence;

	agent_open(t, &a);
	kb_hash_hex(KB_SV(PIXEL), hash);
	want = kb_arena_printf(&a.arena, "\"http://kb/%s/%s.gif\"", row->name, hash);
	check_taken(t, &a, row, send_file(&a, row->name, KB_SV(PIXEL)), want.p);
	CHECK_INT(t, a.result.image_count, 1);
	CHECK_SV(t, kb_sv_str(a.result.images[0].name), row->name);
	CHECK_SV(t, kb_sv_str(a.result.images[0].mime), "image/gif");
	CHECK(t, kb_sv_eq(a.result.images[0].bytes, KB_SV(PIXEL)));

	sentence = kb_arena_printf(&a.arena,
	                           "Please upload a valid image file for %s / The file is no PNG, "
	                           "JPEG, WebP or GIF image",
	                           row->choices);
	CHECK_INT(t, send_file(&a, row->name, KB_SV("<svg/>")), 400);
	CHECK_SV(t, refusal(&a, row->name), sentence.p);
	CHECK_SV(t, answered(&a, answer_name(row)), want.p);
	CHECK_INT(t, a.result.image_count, 0);
	CHECK_INT(t, send_file(&a, row->name, KB_SV("")), 400);
	CHECK_INT(t, send_value(&a, row->name, want.p), 200); /* its address, sent back */
	CHECK_SV(t, answered(&a, answer_name(row)), want.p);
	CHECK_INT(t, a.result.image_count, 0);
	CHECK_INT(t, send_value(&a, row->name, "\"http://kb/other.gif\""), 400);
	agent_fini(&a);

	agent_open(t, &a); /* a file part that came without a name is a text part */
	CHECK_INT(t,
	          send_inputs(&a,
	                      &(struct kb_setting_input){ .name = kb_sv_str(row->name),
	                                                  .kind = KB_INPUT_TEXT,
	                                                  .text = KB_SV(PIXEL) },
	                      1),
	          200);
	CHECK_INT(t, a.result.image_count, 1);
	agent_fini(&a);
}

static void walk_model(struct kb_test *t, const struct row *row)
{
	struct kb_arena arena = { 0 };

	check_accepts(t, row, "\"small-1\"", "small-1", "\"small-1\"");
	check_accepts(t, row, "\"large-2\"", " large-2 ", "\"large-2\"");
	check_refuses(t, row, "5", SAY("%s must be a text", row->name));
	check_refuses(t, row, in_quotes(&arena, long_text(&arena, 256)),
	              SAY("%s has 256 characters, the limit is 255", row->name));
	kb_arena_fini(&arena);
}

static void walk_null(struct kb_test *t, const struct row *row)
{
	struct kb_arena arena = { 0 };

	if (row->nullable) {
		bool is_text = row->kind == TEXT;

		check_accepts(t, row, "null", NULL, "null");
		if (strcmp(row->initial, "\"\"") != 0 && row->kind != DOMAINS)
			check_accepts(t, row, "\"\"", "", "null");
		if (!is_text && row->kind != DOMAINS)
			check_accepts(t, row, "\"null\"", "null", "null");
	} else if (row->kind == LANGUAGE) {
		check_refuses(t, row, "null", "Language Proficiency is required.");
	} else if (row->kind == IMAGE) {
		check_accepts(t, row, "null", "null", "\"\""); /* takes the picture away */
		check_accepts(t, row, "\"\"", "", "\"\"");
	} else {
		check_refuses(t, row, "null", SAY("%s must not be null", row->name));
	}
	kb_arena_fini(&arena);
}

static void test_every_field(struct kb_test *t)
{
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		const struct row *row = &rows[i];

		t->row = row->name;
		switch (row->kind) {
		case FLAG:
			walk_flag(t, row);
			break;
		case NUMBER:
			walk_number(t, row);
			break;
		case TEXT:
			walk_text(t, row);
			break;
		case COLOR:
			walk_color(t, row);
			break;
		case CHOICE:
		case LANGUAGE:
			walk_choice(t, row);
			break;
		case IMAGE:
			walk_image(t, row);
			break;
		case MODEL:
			walk_model(t, row);
			break;
		case QUESTIONS: /* lists have tests of their own in update_test.c */
			check_accepts(t, row, "[\"a?\",\"b?\"]", "[\"a?\",\"b?\"]",
			              "[\"a?\",\"b?\"]");
			break;
		case DOMAINS:
			check_accepts(t, row, "[\"a.org\"]", "a.org", "[\"a.org\"]");
			break;
		}
		walk_null(t, row);
	}
}

static void test_defaults(struct kb_test *t)
{
	struct agent a;
	json_t *object;
	size_t count;

	agent_init(&a);
	CHECK_SV(t, stored(&a), "{}");
	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		t->row = rows[i].name;
		CHECK_SV(t, answered(&a, answer_name(&rows[i])), rows[i].initial);
		if (rows[i].answer)
			CHECK_SV(t, answered(&a, rows[i].name), "");
	}
	t->row = NULL;
	CHECK_SV(t, answered(&a, "private_deployment"), "0");
	CHECK_SV(t, answered(&a, "license_slug"), "null");
	CHECK_SV(t, answered(&a, "selling_url"), "null");
	object = kb_json_parse(&a.arena, written(&a, true), NULL);
	CHECK_INT(t, json_object_size(object), KB_COUNTOF(rows) + 3);
	a.settings.selling_url = KB_SV("http://shop");
	CHECK_SV(t, answered(&a, "selling_url"), "\"http://shop\"");
	CHECK_SV(t, stored(&a), "{}");
	kb_settings_fields(&count);
	CHECK_INT(t, count, KB_COUNTOF(rows) + 3);
	agent_fini(&a);
}

static void test_table(struct kb_test *t)
{
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);

	for (size_t i = 0; i < count; i++) {
		const struct kb_setting *f = &fields[i], *required;

		t->row = f->name;
		if (i < KB_COUNTOF(rows)) {
			CHECK_SV(t, kb_sv_str(f->name), rows[i].name);
			CHECK_SV(t, kb_sv_str(kb_field_answer_name(f)), answer_name(&rows[i]));
			CHECK(t, kb_field_is_nullable(f) == rows[i].nullable);
		} else {
			CHECK(t, f->response_only);
		}
		CHECK(t, f->doc && f->doc[0] && f->doc[strlen(f->doc) - 1] == '.');
		CHECK(t, kb_settings_field(kb_sv_str(f->name)) == f);
		CHECK(t,
		      (f->form == KB_FORM_CHOICE || f->form == KB_FORM_LANGUAGE) == !!f->choices);
		CHECK(t, (f->form == KB_FORM_IMAGE) == !!f->image_word);
		required = f->requires ? kb_settings_field(kb_sv_str(f->requires)) : NULL;
		CHECK(t, !f->requires || (required && required < f)); /* down the table once */
	}
	t->row = NULL;
	CHECK(t, !kb_settings_field(KB_SV("example_questions[]")));
	CHECK(t, !kb_settings_field(KB_SV("")));
}

static void test_damaged(struct kb_test *t)
{
	static const struct {
		const char *name, *json, *message;
	} cases[] = {
		{ "no JSON", "{", "the stored settings are damaged" },
		{ "no object", "[]", "the stored settings are no JSON object" },
		{ "a flag that is a text", "{\"user_awareness\":\"true\"}", "user_awareness" },
		{ "a flag that is null and may not", "{\"user_awareness\":null}",
		  "user_awareness" },
		{ "a number out of range", "{\"enable_citations\":4}", "enable_citations" },
		{ "a number that is none", "{\"enable_citations\":true}", "enable_citations" },
		{ "a text that is a number", "{\"default_prompt\":5}", "default_prompt" },
		{ "a choice there is not", "{\"font_family\":\"comic\"}", "font_family" },
		{ "a language there is not", "{\"chatbot_msg_lang\":\"xx\"}", "chatbot_msg_lang" },
		{ "a list that is a text", "{\"example_questions\":\"a\"}", "example_questions" },
		{ "a list of numbers", "{\"example_questions\":[1]}", "example_questions" },
	};
	struct kb_settings settings, before;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	kb_settings_defaults(&before);
	settings = before;
	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		t->row = cases[i].name;
		CHECK(t, !kb_settings_read(&arena, kb_sv_str(cases[i].json), &settings, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
		CHECK(t, strstr(err.msg, cases[i].message));
		CHECK(t, memcmp(&settings, &before, sizeof(settings)) == 0);
	}
	t->row = "unknown members are an older program's";
	CHECK(t,
	      kb_settings_read(&arena, KB_SV("{\"gone\":{},\"selling_url\":5}"), &settings, &err));
	t->row = "an agent that was never changed";
	CHECK(t, kb_settings_read(&arena, KB_SV(""), &settings, &err));
	kb_arena_fini(&arena);
}

/* What code acts on. */
static void test_choices(struct kb_test *t)
{
	static const struct {
		const char *json;
		int source, capability, citations, window, retention, routing;
	} cases[] = {
		{ "", KB_RESPONSE_DEFAULT, KB_CAPABILITY_OPTIMAL, KB_CITATIONS_BOTH, KB_WINDOW_DAY,
		  KB_RETENTION_YEAR, KB_ROUTING_START_ONLY },
		{ "{\"agent_capability\":null,\"enable_citations\":null,"
		  "\"conversation_time_window\":null}",
		  KB_RESPONSE_DEFAULT, KB_CAPABILITY_OPTIMAL, KB_CITATIONS_BOTH, KB_WINDOW_DAY,
		  KB_RETENTION_YEAR, KB_ROUTING_START_ONLY },
		{ "{\"response_source\":\"own_content\",\"agent_capability\":\"fastest-responses\","
		  "\"enable_citations\":0,\"conversation_time_window\":1,"
		  "\"conversation_retention_period\":\"custom\","
		  "\"master_project_smart_routing_mode\":\"off\"}",
		  KB_RESPONSE_OWN_CONTENT, KB_CAPABILITY_FASTEST, KB_CITATIONS_NONE, KB_WINDOW_ALL,
		  KB_RETENTION_CUSTOM, KB_ROUTING_OFF },
		{ "{\"response_source\":\"llm_content\",\"agent_capability\":\"complex-tasks\","
		  "\"enable_citations\":2,\"conversation_time_window\":2,"
		  "\"conversation_retention_period\":\"never\","
		  "\"master_project_smart_routing_mode\":\"every-message\"}",
		  KB_RESPONSE_LLM_CONTENT, KB_CAPABILITY_COMPLEX, KB_CITATIONS_INLINE,
		  KB_WINDOW_LOCKS, KB_RETENTION_NEVER, KB_ROUTING_EVERY_MESSAGE },
		{ "{\"agent_capability\":\"advanced-reasoning\",\"enable_citations\":1}",
		  KB_RESPONSE_DEFAULT, KB_CAPABILITY_ADVANCED, KB_CITATIONS_LIST, KB_WINDOW_DAY,
		  KB_RETENTION_YEAR, KB_ROUTING_START_ONLY },
	};
	struct kb_arena arena = { 0 };

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct kb_settings settings;
		struct kb_err err;

		t->row = cases[i].json;
		CHECK(t, kb_settings_read(&arena, kb_sv_str(cases[i].json), &settings, &err));
		CHECK_INT(t, kb_settings_response_source(&settings), cases[i].source);
		CHECK_INT(t, kb_settings_capability(&settings), cases[i].capability);
		CHECK_INT(t, kb_settings_citations(&settings), cases[i].citations);
		CHECK_INT(t, kb_settings_window(&settings), cases[i].window);
		CHECK_INT(t, kb_settings_retention(&settings), cases[i].retention);
		CHECK_INT(t, kb_settings_routing(&settings), cases[i].routing);
	}
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "an agent starts with the specification's defaults", test_defaults },
		{ "the table has the specification's fields in its order", test_table },
		{ "every field takes and refuses what the specification says", test_every_field },
		{ "damaged stored settings are refused whole", test_damaged },
		{ "what code acts on is an enumerator", test_choices },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
