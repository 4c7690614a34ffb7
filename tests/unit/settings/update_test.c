/* What an update does beyond one field: dependence, plans, lists, languages, statuses, chance. */
#include "base/utf8.h"
#include "settings_test.h"

/* A row: what was sent before, what is sent, the status and what is read afterwards. */
struct story {
	const char *name;
	const char *before; /* a body that must succeed, or NULL */
	const char *body;
	int status;
	const char *field, *refusal; /* why that field failed; NULL: it did not */
	const char *value;           /* what the read endpoint says of the field */
};

static void play(struct kb_test *t, const struct story *s,
                 const struct kb_settings_context *context)
{
	struct agent a;

	agent_init(&a);
	t->row = s->name;
	if (s->before)
		CHECK_INT(t, send_json(&a, s->before), 200);
	if (context)
		a.context = *context;
	CHECK_INT(t, send_json(&a, s->body), s->status);
	CHECK_SV(t, refusal(&a, s->field), s->refusal ? s->refusal : "");
	CHECK_SV(t, answered(&a, s->field), s->value);
	CHECK(t, survives_store(&a));
	agent_fini(&a);
}

static void test_dependence(struct kb_test *t)
{
	static const struct story stories[] = {
		{ "the viewer's options need the viewer", NULL, "{\"is_anonymize_pdfs\":true}", 400,
		  "is_anonymize_pdfs", "Requires is_pdf_viewer", "false" },
		{ "but not the default sent back, where it is on", NULL,
		  "{\"is_pdf_viewer_autoopen\":true}", 200, "is_pdf_viewer_autoopen", NULL,
		  "true" },
		{ "as switching it off does", NULL, "{\"is_pdf_viewer_autoopen\":false}", 400,
		  "is_pdf_viewer_autoopen", "Requires is_pdf_viewer", "true" },
		{ "what is off may be sent as off", NULL, "{\"is_anonymize_pdfs\":false}", 200,
		  "is_anonymize_pdfs", NULL, "false" },
		{ "the same request may bring the viewer, in any order", NULL,
		  "{\"is_anonymize_pdfs\":true,\"is_pdf_viewer\":true}", 200, "is_anonymize_pdfs",
		  NULL, "true" },
		{ "an earlier request may have", "{\"is_pdf_viewer\":true}",
		  "{\"is_pdf_page_visibility_limited\":true}", 200,
		  "is_pdf_page_visibility_limited", NULL, "true" },
		{ "the same request may take the viewer away", "{\"is_pdf_viewer\":true}",
		  "{\"is_pdf_viewer\":false,\"is_anonymize_pdfs\":true}", 207, "is_anonymize_pdfs",
		  "Requires is_pdf_viewer", "false" },
		{ "a viewer that is refused brings nothing", NULL,
		  "{\"is_pdf_viewer\":\"maybe\",\"is_anonymize_pdfs\":true}", 400,
		  "is_anonymize_pdfs", "Requires is_pdf_viewer", "false" },
		{ "the chain has three links", NULL,
		  "{\"is_pdf_limited_label_linked\":true,\"is_pdf_page_visibility_limited\":true,"
		  "\"is_pdf_viewer\":true}",
		  200, "is_pdf_limited_label_linked", NULL, "true" },
		{ "the middle link missing", "{\"is_pdf_viewer\":true}",
		  "{\"is_pdf_limited_label_linked\":true}", 400, "is_pdf_limited_label_linked",
		  "Requires is_pdf_page_visibility_limited", "false" },
		{ "the first link missing, though the middle one is stored",
		  "{\"is_pdf_viewer\":true,\"is_pdf_page_visibility_limited\":true}",
		  "{\"is_pdf_viewer\":false,\"is_pdf_limited_label_linked\":true}", 207,
		  "is_pdf_limited_label_linked", "Requires is_pdf_page_visibility_limited",
		  "false" },
		{ "an option that is there may be sent back without the viewer",
		  "{\"is_pdf_viewer\":true,\"is_anonymize_pdfs\":true}",
		  "{\"is_pdf_viewer\":false,\"is_anonymize_pdfs\":true}", 200, "is_anonymize_pdfs",
		  NULL, "true" },
		{ "options outlive the viewer, for when it comes back",
		  "{\"is_pdf_viewer\":true,\"is_anonymize_pdfs\":true}",
		  "{\"is_pdf_viewer\":false}", 200, "is_anonymize_pdfs", NULL, "true" },
		{ "more actions need the agentic flow", NULL, "{\"max_actions_per_query\":3}", 400,
		  "max_actions_per_query", "Requires use_planner_mode", "1" },
		{ "which may come along", NULL,
		  "{\"max_actions_per_query\":\"3\",\"use_planner_mode\":\"True\"}", 200,
		  "max_actions_per_query", NULL, "3" },
		{ "or be there", "{\"use_planner_mode\":true}", "{\"max_actions_per_query\":3}",
		  200, "max_actions_per_query", NULL, "3" },
		{ "null is its default: off", "{\"use_planner_mode\":true}",
		  "{\"use_planner_mode\":null,\"max_actions_per_query\":3}", 207,
		  "max_actions_per_query", "Requires use_planner_mode", "1" },
	};

	for (size_t i = 0; i < KB_COUNTOF(stories); i++)
		play(t, &stories[i], NULL);
	play(t,
	     &(struct story){ "an operator may have the flow on for all", NULL,
	                      "{\"max_actions_per_query\":3}", 200, "max_actions_per_query", NULL,
	                      "3" },
	     &(struct kb_settings_context){ .is_next_generation = true });
}

static void test_plans(struct kb_test *t)
{
	static const struct kb_settings_context poor = { .max_actions = 2 };
	static const struct story stories[] = {
		{ "the viewer", NULL, "{\"is_pdf_viewer\":true}", 400, "is_pdf_viewer",
		  "Requires the PDF viewer plan feature", "false" },
		{ "its options fail with it", NULL,
		  "{\"is_pdf_viewer\":true,\"is_anonymize_pdfs\":true}", 400, "is_anonymize_pdfs",
		  "Requires is_pdf_viewer", "false" },
		{ "what is not gated is applied", NULL,
		  "{\"is_pdf_viewer\":true,\"default_prompt\":\"Hi\"}", 207, "default_prompt", NULL,
		  "\"Hi\"" },
		{ "branding", NULL, "{\"remove_branding\":\"true\"}", 400, "remove_branding",
		  "Requires the branding removal plan feature", "false" },
		{ "branding sent as it is", NULL, "{\"remove_branding\":\"false\"}", 200,
		  "remove_branding", NULL, "false" },
		{ "branding sent as null", NULL, "{\"remove_branding\":null}", 200,
		  "remove_branding", NULL, "null" },
		{ "history of the team", NULL, "{\"conversation_history\":\"team_members\"}", 400,
		  "conversation_history", "Requires the premium conversation history plan feature",
		  "\"hidden\"" },
		{ "history of everyone", NULL, "{\"conversation_history\":\"everyone\"}", 400,
		  "conversation_history", "Requires the premium conversation history plan feature",
		  "\"hidden\"" },
		{ "history hidden", NULL, "{\"conversation_history\":\"hidden\"}", 200,
		  "conversation_history", NULL, "\"hidden\"" },
		{ "what the plan no longer has can be switched off", "{\"is_pdf_viewer\":true}",
		  "{\"is_pdf_viewer\":false}", 200, "is_pdf_viewer", NULL, "false" },
		{ "actions up to the plan's limit", "{\"use_planner_mode\":true}",
		  "{\"max_actions_per_query\":2}", 200, "max_actions_per_query", NULL, "2" },
		{ "actions over the plan's limit", "{\"use_planner_mode\":true}",
		  "{\"max_actions_per_query\":3}", 400, "max_actions_per_query",
		  "max_actions_per_query is 3, the plan allows 2", "1" },
		{ "two reasons are two sentences", NULL, "{\"max_actions_per_query\":3}", 400,
		  "max_actions_per_query",
		  "max_actions_per_query is 3, the plan allows 2 / Requires use_planner_mode",
		  "1" },
		{ "no model in the catalogue", NULL, "{\"chatbot_model\":\"small-1\"}", 400,
		  "chatbot_model", "chatbot_model is not one of the available models", "null" },
		{ "a model that left the catalogue is there still",
		  "{\"chatbot_model\":\"small-1\"}", "{\"chatbot_model\":\"small-1\"}", 200,
		  "chatbot_model", NULL, "\"small-1\"" },
		{ "no model is a choice too", "{\"chatbot_model\":\"small-1\"}",
		  "{\"chatbot_model\":null}", 200, "chatbot_model", NULL, "null" },
	};

	for (size_t i = 0; i < KB_COUNTOF(stories); i++)
		play(t, &stories[i], &poor);
	play(t,
	     &(struct story){ "a model that is not in the catalogue", NULL,
	                      "{\"chatbot_model\":\"large-3\"}", 400, "chatbot_model",
	                      "chatbot_model is not one of the available models", "null" },
	     NULL);
}

static void test_master(struct kb_test *t)
{
	struct agent a;

	agent_init(&a);
	CHECK_INT(t,
	          send_json(&a, "{\"master_project_smart_routing_mode\":\"off\","
	                        "\"master_project_user_agent_switching_enabled\":\"maybe\"}"),
	          200);
	CHECK_INT(t, a.result.updated_count + a.result.failed_count, 0);
	CHECK_SV(t, stored(&a), "{}");
	a.context.is_master = true;
	CHECK_INT(t,
	          send_json(&a, "{\"master_project_smart_routing_mode\":\"off\","
	                        "\"master_project_user_agent_switching_enabled\":\"maybe\"}"),
	          207);
	CHECK_SV(t, stored(&a), "{\"master_project_smart_routing_mode\":\"off\"}");
	agent_fini(&a);
}

static void test_status(struct kb_test *t)
{
	static const struct {
		const char *name, *body;
		int status;
		size_t updated, failed;
	} cases[] = {
		{ "nothing sent", "{}", 200, 0, 0 },
		{ "unknown fields only", "{\"is_chat_active\":true,\"metadata\":{}}", 200, 0, 0 },
		{ "fields of the answer only are unknown", "{\"selling_url\":\"x\"}", 200, 0, 0 },
		{ "answer names are unknown", "{\"chatbot_avatar\":\"x\"}", 200, 0, 0 },
		{ "one malformed", "{\"enable_citations\":9}", 400, 0, 1 },
		{ "all malformed", "{\"enable_citations\":9,\"font_family\":\"x\"}", 400, 0, 2 },
		{ "malformed beside unknown", "{\"enable_citations\":9,\"x\":1}", 400, 0, 1 },
		{ "malformed beside good", "{\"enable_citations\":9,\"user_awareness\":0}", 207, 1,
		  1 },
		{ "gated alone", "{\"is_pdf_viewer\":true}", 400, 0, 1 },
		{ "gated and malformed", "{\"is_pdf_viewer\":true,\"font_family\":1}", 400, 0, 2 },
		{ "all good", "{\"font_family\":\"inter\",\"user_awareness\":0}", 200, 2, 0 },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct agent a;

		t->row = cases[i].name;
		agent_init(&a);
		a.context.features = 0;
		CHECK_INT(t, send_json(&a, cases[i].body), cases[i].status);
		CHECK_INT(t, a.result.updated_count, cases[i].updated);
		CHECK_INT(t, a.result.failed_count, cases[i].failed);
		agent_fini(&a);
	}
}

static void test_result(struct kb_test *t)
{
	static const struct {
		const char *name, *body, *data;
	} cases[] = {
		{ "all applied", "{\"font_family\":\"inter\"}", "{\"updated\":true}" },
		{ "nothing sent", "{}", "{\"updated\":true}" },
		{ "some applied", "{\"is_pdf_viewer\":true,\"default_prompt\":\"Hi\"}",
		  "{\"updated\":true,\"updated_fields\":[\"default_prompt\"],\"failed_fields\":"
		  "{\"is_pdf_viewer\":[\"Requires the PDF viewer plan feature\"]}}" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct agent a;
		struct kb_buf buf;
		struct kb_jw jw;

		t->row = cases[i].name;
		agent_init(&a);
		a.context.features = 0;
		send_json(&a, cases[i].body);
		kb_buf_init(&buf, MAX_JSON);
		kb_jw_init(&jw, &buf);
		kb_settings_write_result(&a.result, &jw);
		CHECK_SV(t, kb_buf_view(&buf), cases[i].data);
		kb_buf_fini(&buf);
		agent_fini(&a);
	}
}

static void test_forms(struct kb_test *t)
{
	static const struct {
		const char *name;
		const char *parts[8];
		const char *field, *value;
	} cases[] = {
		{ "empty brackets gather",
		  { "example_questions[]=a?", "example_questions[]=b?" },
		  "example_questions",
		  "[\"a?\",\"b?\"]" },
		{ "numbers in brackets",
		  { "example_questions[0]=a?", "example_questions[1]=b?" },
		  "example_questions",
		  "[\"a?\",\"b?\"]" },
		{ "the name repeated",
		  { "example_questions=a?", "example_questions=b?" },
		  "example_questions",
		  "[\"a?\",\"b?\"]" },
		{ "a JSON array as text",
		  { "example_questions=[\"a?\", \"b, or c?\"]" },
		  "example_questions",
		  "[\"a?\",\"b, or c?\"]" },
		{ "a question may start with a bracket",
		  { "example_questions=[sic] why?" },
		  "example_questions",
		  "[\"[sic] why?\"]" },
		{ "commas are part of a question",
		  { "example_questions=a, b?" },
		  "example_questions",
		  "[\"a, b?\"]" },
		{ "blank and repeated questions are dropped",
		  { "example_questions[]= ", "example_questions[]= a? ", "example_questions[]=a?" },
		  "example_questions",
		  "[\"a?\"]" },
		{ "an empty value empties the list",
		  { "example_questions=" },
		  "example_questions",
		  "[]" },
		{ "domains with commas between",
		  { "allowed_domains_for_embedding=A.org, *.b.org" },
		  "allowed_domains_for_embedding",
		  "[\"a.org\",\"*.b.org\"]" },
		{ "no domain is every site",
		  { "allowed_domains_for_embedding[]=" },
		  "allowed_domains_for_embedding",
		  "[]" },
		{ "of a name sent twice the last counts",
		  { "default_prompt=a", "default_prompt=b" },
		  "default_prompt",
		  "\"b\"" },
		{ "also when the first was bad",
		  { "enable_citations=x", "enable_citations=2" },
		  "enable_citations",
		  "2" },
		{ "brackets belong to lists",
		  { "default_prompt[]=a" },
		  "default_prompt",
		  "\"Ask Me Anything ...\"" },
		{ "brackets hold numbers",
		  { "example_questions[x]=a" },
		  "example_questions",
		  "[]" },
		{ "brackets close", { "example_questions[=a" }, "example_questions", "[]" },
		{ "what a typed client always sends",
		  { "citations_view_type=user", "is_loading_indicator_enabled=True",
		    "enable_citations=true", "remove_branding=False" },
		  "enable_citations",
		  "3" },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct agent a;

		t->row = cases[i].name;
		agent_init(&a);
		if (strncmp(cases[i].field, "example", 7) == 0 && strcmp(cases[i].value, "[]") == 0
		    && strchr(cases[i].parts[0], '=')[1] == 0)
			CHECK_INT(t, send_text(&a, "example_questions", "before?"), 200);
		CHECK_INT(t, send_form(&a, cases[i].parts), 200);
		CHECK_SV(t, answered(&a, cases[i].field), cases[i].value);
		CHECK(t, survives_store(&a));
		agent_fini(&a);
	}
}

/* At and over the number of items. */
static void check_items(struct kb_test *t, struct agent *a, const char *name, int max)
{
	struct kb_buf body;
	struct kb_sv before;

	t->row = name;
	kb_buf_init(&body, MAX_JSON);
	kb_buf_printf(&body, "{\"%s\":[\"item0\"", name);
	for (int i = 1; i < max; i++)
		kb_buf_printf(&body, ",\"item%d\"", i);
	kb_buf_add(&body, "]}", sizeof("]}"));
	CHECK_INT(t, send_json(a, body.p), 200);
	before = stored(a);
	CHECK(t, kb_sv_find(before, kb_arena_printf(&a->arena, "\"item%d\"]", max - 1)) > 0);
	body.n -= sizeof("]}");
	kb_buf_str(&body, ",\"more\"]}");
	kb_buf_byte(&body, '\0');
	CHECK_INT(t, send_json(a, body.p), 400);
	CHECK_SV(t, refusal(a, name),
	         kb_arena_printf(&a->arena, "%s has more than %d items", name, max).p);
	CHECK(t, kb_sv_eq(stored(a), before));
	kb_buf_fini(&body);
}

static void test_lists(struct kb_test *t)
{
	static const struct story stories[] = {
		{ "an array", NULL, "{\"example_questions\":[\"a\",\"b\"]}", 200,
		  "example_questions", NULL, "[\"a\",\"b\"]" },
		{ "an empty array", "{\"example_questions\":[\"a\"]}", "{\"example_questions\":[]}",
		  200, "example_questions", NULL, "[]" },
		{ "the name with brackets", NULL, "{\"example_questions[]\":[\"a\"]}", 200,
		  "example_questions", NULL, "[\"a\"]" },
		{ "a number in it", NULL, "{\"example_questions\":[\"a\",1]}", 400,
		  "example_questions", "example_questions must hold texts only", "[]" },
		{ "a null in it", NULL, "{\"example_questions\":[null]}", 400, "example_questions",
		  "example_questions must hold texts only", "[]" },
		{ "a list in it", NULL, "{\"example_questions\":[[\"a\"]]}", 400,
		  "example_questions", "example_questions must hold texts only", "[]" },
		{ "a number", NULL, "{\"example_questions\":3}", 400, "example_questions",
		  "example_questions must be a list of texts", "[]" },
		{ "null for no domains", "{\"allowed_domains_for_embedding\":[\"a.org\"]}",
		  "{\"allowed_domains_for_embedding\":null}", 200, "allowed_domains_for_embedding",
		  NULL, "null" },
		{ "each bad domain has its sentence, and none is taken",
		  "{\"allowed_domains_for_embedding\":[\"a.org\"]}",
		  "{\"allowed_domains_for_embedding\":[\"b.org\",\"no way\",\"http://x/y\"]}", 400,
		  "allowed_domains_for_embedding",
		  "\"no way\" is not a host name / \"http://x/y\" is not a host name",
		  "[\"a.org\"]" },
	};
	struct agent a;
	struct kb_buf body;

	for (size_t i = 0; i < KB_COUNTOF(stories); i++)
		play(t, &stories[i], NULL);

	kb_buf_init(&body, MAX_JSON);
	agent_init(&a);
	check_items(t, &a, "example_questions", 100);
	check_items(t, &a, "allowed_domains_for_embedding", 200);

	t->row = "a question over the length";
	kb_buf_str(&body, "{\"example_questions\":[\"");
	for (int i = 0; i < 1001; i++)
		kb_buf_str(&body, "ü");
	kb_buf_str(&body, "\"]}");
	kb_buf_byte(&body, '\0');
	CHECK_INT(t, send_json(&a, body.p), 400);
	CHECK_SV(t, refusal(&a, "example_questions"),
	         "example_questions has 1001 characters, the limit is 1000");
	kb_buf_fini(&body);
	agent_fini(&a);
}

static void test_domains(struct kb_test *t)
{
	static const struct {
		const char *sent, *taken; /* NULL: refused */
	} cases[] = {
		{ "example.org", "example.org" },
		{ "WWW.Example.ORG", "www.example.org" },
		{ "*.example.org", "*.example.org" },
		{ " example.org\t", "example.org" },
		{ "https://example.org", "example.org" },
		{ "HTTPS://Example.org/", "example.org" },
		{ "http://localhost:3000", "localhost:3000" },
		{ "intranet", "intranet" },
		{ "my_site.example.org", "my_site.example.org" },
		{ "127.0.0.1", "127.0.0.1" },
		{ "*.example.org:8443", "*.example.org:8443" },
		{ "bücher.example", "xn--bcher-kva.example" },
		{ "例え.jp", "xn--r8jz45g.jp" },
		{ "xn--bcher-kva.example", "xn--bcher-kva.example" },
		{ "*", NULL },
		{ "*.", NULL },
		{ "*example.org", NULL },
		{ "a.*.org", NULL },
		{ "**.example.org", NULL },
		{ "example..org", NULL },
		{ ".example.org", NULL },
		{ "example.org.", NULL },
		{ "-example.org", NULL },
		{ "example-.org", NULL },
		{ "exa mple.org", NULL },
		{ "example.org/path", NULL },
		{ "example.org:0", NULL },
		{ "example.org:080", NULL },
		{ "example.org:-1", NULL },
		{ "example.org:65535", "example.org:65535" },
		{ "example.org:65536", NULL },
		{ "example.org:", NULL },
		{ "user@example.org", NULL },
		{ "ftp://example.org", NULL },
		{ "javascript:alert(1)", NULL },
		{ "'self'", NULL },
		{ "example.org; script-src *", NULL },
		{ "999.0.0.1", NULL },
		{ "1.2.3", NULL },
		{ "127.0.0.01", NULL },
		{ "*.127.0.0.1", NULL },
		{ "[::1]", NULL },
		{ "xn--a.example", NULL },
		{ "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa.org", NULL },
	};

	for (size_t i = 0; i < KB_COUNTOF(cases); i++) {
		struct agent a;

		t->row = cases[i].sent;
		agent_init(&a);
		CHECK_INT(t, send_text(&a, "allowed_domains_for_embedding[]", cases[i].sent),
		          cases[i].taken ? 200 : 400);
		CHECK_INT(t, a.settings.allowed_domains_for_embedding.count,
		          cases[i].taken ? 1 : 0);
		if (a.settings.allowed_domains_for_embedding.count == 1)
			CHECK_SV(t, a.settings.allowed_domains_for_embedding.v[0], cases[i].taken);
		agent_fini(&a);
	}
}

static void test_language(struct kb_test *t)
{
	static const struct story stories[] = {
		{ "texts that were not set follow the language", NULL,
		  "{\"chatbot_msg_lang\":\"de\"}", 200, "view_more_msg", NULL,
		  "\"Mehr anzeigen\"" },
		{ "and back", "{\"chatbot_msg_lang\":\"de\"}", "{\"chatbot_msg_lang\":\"en\"}", 200,
		  "view_more_msg", NULL, "\"View more\"" },
		{ "a text of the owner stays", "{\"view_more_msg\":\"Go on\"}",
		  "{\"chatbot_msg_lang\":\"de\"}", 200, "view_more_msg", NULL, "\"Go on\"" },
		{ "a null stays null", "{\"view_more_msg\":null}", "{\"chatbot_msg_lang\":\"de\"}",
		  200, "view_more_msg", NULL, "null" },
		{ "a text sent along is the owner's", NULL,
		  "{\"chatbot_msg_lang\":\"de\",\"view_more_msg\":\"View more\"}", 200,
		  "view_more_msg", NULL, "\"View more\"" },
		{ "a text sent along and refused is not", NULL,
		  "{\"chatbot_msg_lang\":\"de\",\"view_more_msg\":5}", 207, "view_more_msg",
		  "view_more_msg must be a text", "\"Mehr anzeigen\"" },
		{ "texts without a default stay null", NULL, "{\"chatbot_msg_lang\":\"de\"}", 200,
		  "hang_in_there_msg", NULL, "null" },
		{ "a language without texts shows English", NULL, "{\"chatbot_msg_lang\":\"sa\"}",
		  200, "view_more_msg", NULL, "\"View more\"" },
	};
	struct agent a;

	for (size_t i = 0; i < KB_COUNTOF(stories); i++)
		play(t, &stories[i], NULL);
	t->row = "only the language is stored";
	agent_init(&a);
	CHECK_INT(t, send_text(&a, "chatbot_msg_lang", "de"), 200);
	CHECK_SV(t, stored(&a), "{\"chatbot_msg_lang\":\"de\"}");
	t->row = "what is shown: the owner's text, or the built-in one";
	CHECK_SV(t, kb_settings_text(&a.settings, KB_TEXT_NO_ANSWER),
	         "Es tut mir leid, ich weiß die Antwort nicht");
	CHECK_SV(t, kb_settings_text(&a.settings, KB_TEXT_SOURCES), "Quellen");
	CHECK_INT(t,
	          send_json(&a, "{\"no_answer_message\":\"\",\"citations_sources_label_msg\":"
	                        "\"Belege\"}"),
	          200);
	CHECK_SV(t, kb_settings_text(&a.settings, KB_TEXT_NO_ANSWER),
	         "Es tut mir leid, ich weiß die Antwort nicht");
	CHECK_SV(t, kb_settings_text(&a.settings, KB_TEXT_SOURCES), "Belege");
	agent_fini(&a);
}

static void test_null_in_force(struct kb_test *t)
{
	struct agent a;

	agent_init(&a);
	CHECK_INT(t,
	          send_json(&a, "{\"enable_citations\":1,\"hide_sources_from_responses\":false}"),
	          200);
	CHECK_INT(t,
	          send_json(&a, "{\"enable_citations\":null,\"hide_sources_from_responses\":null}"),
	          200);
	CHECK(t, a.settings.enable_citations.is_null && a.settings.enable_citations.v == 3);
	CHECK(t, a.settings.hide_sources_from_responses.is_null
	                 && a.settings.hide_sources_from_responses.v);
	CHECK_SV(t, stored(&a), "{\"enable_citations\":null,\"hide_sources_from_responses\":null}");
	CHECK(t, survives_store(&a));
	agent_fini(&a);
}

static void test_json_body(struct kb_test *t)
{
	static const char *const bad[] = { "[]", "\"x\"", "null", "5" };
	struct kb_setting_inputs inputs;
	struct kb_arena arena = { 0 };
	struct kb_err err;

	for (size_t i = 0; i < KB_COUNTOF(bad); i++) {
		json_t *json = kb_json_parse(&arena, kb_sv_str(bad[i]), &err);

		t->row = bad[i];
		CHECK(t, !kb_setting_inputs_from_json(&arena, json, &inputs, &err));
		CHECK_INT(t, err.code, KB_E_INVALID);
	}
	kb_arena_fini(&arena);
}

/* A small generator, so that a failure can be repeated (SplitMix64). */
static uint64_t next(uint64_t *state)
{
	uint64_t z = (*state += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

/* Values that are right for some field and wrong for most. */
static struct kb_setting_input random_input(struct agent *a, uint64_t *state)
{
	static const struct kb_sv texts[] = {
		KB_SV_INIT(""),
		KB_SV_INIT("true"),
		KB_SV_INIT("0"),
		KB_SV_INIT("1"),
		KB_SV_INIT("2"),
		KB_SV_INIT("-1"),
		KB_SV_INIT("null"),
		KB_SV_INIT("#abcdef"),
		KB_SV_INIT("de"),
		KB_SV_INIT("cmn"),
		KB_SV_INIT("custom"),
		KB_SV_INIT("image"),
		KB_SV_INIT("default"),
		KB_SV_INIT("small-1"),
		KB_SV_INIT("everyone"),
		KB_SV_INIT("off"),
		KB_SV_INIT("a.org"),
		KB_SV_INIT("[\"x.org\",\"y\"]"),
		KB_SV_INIT("[1,{}]"),
		KB_SV_INIT("\xff\xfe"),
		KB_SV_INIT("a\0b"),
		KB_SV_INIT("View more"),
		KB_SV_INIT("GIF89a"),
		KB_SV_INIT("\xef\xbf\xbf"),
		KB_SV_INIT("Mehr anzeigen"),
	};
	static const char *const suffixes[] = { "", "", "", "[]", "[0]", "[" };
	size_t count;
	const struct kb_setting *fields = kb_settings_fields(&count);
	struct kb_setting_input input = {
		.kind = (enum kb_input_kind)(next(state) % (KB_INPUT_OTHER + 1)),
		.flag = next(state) & 1,
		.number = (int64_t)(next(state) % 8) - 2,
	};

	input.name = kb_arena_printf(&a->arena, "%s%s", fields[next(state) % count].name,
	                             suffixes[next(state) % KB_COUNTOF(suffixes)]);
	input.text = texts[next(state) % KB_COUNTOF(texts)];
	if (next(state) % 8 == 0) { /* around the limits */
		size_t n = (size_t)(next(state) % 2 ? 255 : 100) + next(state) % 2;
		char *text = kb_arena_bytes(&a->arena, n);

		memset(text, 'x', n);
		input.text = kb_sv(text, n);
	}
	if (input.kind == KB_INPUT_LIST) {
		struct kb_setting_input *items =
		        KB_NEW_ARRAY(&a->arena, 3, struct kb_setting_input);

		input.count = next(state) % 4;
		input.items = items;
		for (size_t i = 0; i < input.count; i++) {
			items[i].kind = next(state) % 4 ? KB_INPUT_TEXT : KB_INPUT_INT;
			items[i].text = texts[next(state) % KB_COUNTOF(texts)];
		}
	}
	return input;
}

static void test_chance(struct kb_test *t)
{
	uint64_t state = 20231;
	size_t field_count, taken = 0, refused = 0;
	const struct kb_setting *fields = kb_settings_fields(&field_count);

	for (int round = 0; round < 100 && !t->failed; round++) {
		struct agent a;

		agent_init(&a);
		for (int step = 0; step < 20 && !t->failed; step++) {
			struct kb_setting_input inputs[12];
			json_t *before, *after;
			struct kb_sv again;
			size_t n = 1 + next(&state) % KB_COUNTOF(inputs);
			bool language = false;

			a.context.features = next(&state) & KB_FEATURE_ALL;
			a.context.is_master = next(&state) & 1;
			a.context.max_actions = (int64_t)(next(&state) % 3);
			for (size_t i = 0; i < n; i++)
				inputs[i] = random_input(&a, &state);
			before = kb_json_parse(&a.arena, written(&a, true), NULL);
			send_inputs(&a, inputs, n);
			after = kb_json_parse(&a.arena, written(&a, true), NULL);
			language = updated(&a, "chatbot_msg_lang");
			taken += a.result.updated_count;
			refused += a.result.failed_count;

			/* a field changes when it is named as updated, or follows the language */
			for (size_t i = 0; i < field_count; i++) {
				const char *name = kb_field_answer_name(&fields[i]);

				t->row = fields[i].name;
				CHECK(t, updated(&a, fields[i].name) || (language && fields[i].text)
				                 || json_equal(kb_json_get(before, name),
				                               kb_json_get(after, name)));
				CHECK(t, !updated(&a, fields[i].name)
				                 || refusal(&a, fields[i].name).n == 0);
			}
			t->row = NULL;
			for (size_t i = 0; i < a.result.failed_count; i++) {
				CHECK(t, a.result.failed[i].count > 0);
				for (size_t j = 0; j < a.result.failed[i].count; j++)
					CHECK(t, kb_utf8_valid(a.result.failed[i].sentences[j]));
			}
			/* what is stored reads back, and would be taken again */
			CHECK(t, survives_store(&a));
			again = stored(&a);
			a.context.features = KB_FEATURE_ALL;
			a.context.is_master = true;
			a.context.is_next_generation = true;
			a.context.max_actions = 0;
			CHECK(t, send_json(&a, again.p) != 400);
			for (size_t i = 0; i < a.result.failed_count; i++)
				CHECK(t, !a.result.failed[i].is_malformed);
			CHECK(t, kb_sv_eq(stored(&a), again));
			a.context.is_next_generation = false;
		}
		agent_fini(&a);
	}
	CHECK(t, taken > 1000 && refused > 1000); /* chance reaches both sides */
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a field may require another", test_dependence },
		{ "a field may need a feature of the plan", test_plans },
		{ "master fields of a regular agent are ignored", test_master },
		{ "200, 207 or 400", test_status },
		{ "the answer names what was applied and what not", test_result },
		{ "forms spell in many ways", test_forms },
		{ "lists are taken whole or not at all", test_lists },
		{ "domains are host names", test_domains },
		{ "built-in texts follow the language", test_language },
		{ "null has the default in force", test_null_in_force },
		{ "a JSON body is an object", test_json_body },
		{ "whatever is sent, only what was accepted is stored", test_chance },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
