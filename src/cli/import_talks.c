/* docent import: conversations, each as a whole. */
#include <stdio.h>
#include <string.h>

#include "cli/import_own.h"

struct talk {
	struct kb_importing *im;
	struct kb_arena arena;
	struct kb_jw jw;
	size_t messages;
};

/* Documents that did not come are cited no more. */
static void write_cites(struct talk *talk, const json_t *cited)
{
	kb_jw_key(&talk->jw, "citations");
	kb_jw_array(&talk->jw);
	for (size_t i = 0; i < json_array_size(cited); i++) {
		int64_t from = json_integer_value(json_array_get(cited, i));
		int64_t to = kb_import_map_get(&talk->im->map, KB_IMPORT_PAGE, from);

		to = to ? to : kb_import_map_get(&talk->im->map, KB_IMPORT_ANSWER, from);
		if (to)
			kb_jw_int(&talk->jw, to);
	}
	kb_jw_end(&talk->jw);
}

static void write_field(struct talk *talk, const char *name, const json_t *value)
{
	if (!json_is_string(value))
		return;
	kb_jw_key(&talk->jw, name);
	kb_jw_raw(&talk->jw, kb_import_raw(&talk->arena, value));
}

static bool take_message(void *arg, const json_t *message, struct kb_err *err)
{
	struct talk *talk = arg;
	const json_t *said = kb_json_get(message, "customer_intelligence");
	const json_t *cited = kb_json_get(message, "citations");

	(void)err;
	if (kb_json_bool(message, "is_running", false))
		return true;
	kb_jw_object(&talk->jw);
	write_field(talk, "user_query", kb_json_get(message, "user_query"));
	write_field(talk, "llm_response", kb_json_get(message, "llm_response"));
	write_field(talk, "created_at", kb_json_get(message, "created_at"));
	write_field(talk, "external_id",
	            kb_json_get(kb_json_get(message, "metadata"), "external_id"));
	write_field(talk, "reaction",
	            kb_json_get(kb_json_get(message, "response_feedback"), "reaction"));
	kb_jw_key_bool(&talk->jw, "is_answered",
	               kb_json_bool(said, "is_answered", json_array_size(cited) > 0));
	write_cites(talk, cited);
	kb_jw_end(&talk->jw);
	talk->messages++;
	return true;
}

/* What a run sent and could not write down any more is there, and then all of it. */
static bool is_there(struct talk *talk, const char *at)
{
	struct kb_err err;

	return kb_remote_call(&talk->im->to, &talk->arena,
	                      kb_arena_printf(&talk->arena, "%s/messages?limit=1", at).p, NULL,
	                      &err)
	       != NULL;
}

static bool send_talk(struct talk *talk, const json_t *row, struct kb_buf *body, struct kb_err *err)
{
	struct kb_importing *im = talk->im;
	const char *session = json_string_value(kb_json_get(row, "session_id"));
	const char *at = kb_arena_printf(&talk->arena, "/projects/%" PRId64 "/conversations/%s",
	                                 im->as, session)
	                         .p;
	const char *to = kb_arena_printf(&talk->arena, "%s/history", at).p;
	struct kb_sv name = kb_import_raw(&talk->arena, kb_json_get(row, "name"));
	struct kb_err why = { 0 };

	if (!kb_remote_call(&im->to, &talk->arena, to, body->p, &why)
	    && (why.code != KB_E_INVALID || !is_there(talk, at)))
		return kb_fail(err, why.code, "%s", why.msg);
	return kb_remote_send(&im->to, &talk->arena, "PUT", at,
	                      kb_arena_printf(&talk->arena, "{\"name\":%.*s}", KB_SV_ARG(name)).p,
	                      err)
	       != NULL;
}

static bool bring_talk(struct kb_importing *im, const json_t *row, struct kb_err *err)
{
	struct talk talk = { .im = im };
	const char *session = json_string_value(kb_json_get(row, "session_id"));
	char path[KB_IMPORT_PATH + 100];
	struct kb_buf body;
	bool ok;

	kb_buf_init(&body, SIZE_MAX / 2);
	kb_jw_init(&talk.jw, &body);
	kb_jw_object(&talk.jw);
	kb_jw_key(&talk.jw, "history");
	kb_jw_array(&talk.jw);
	snprintf(path, sizeof(path),
	         "/projects/%" PRId64 "/conversations/%.150s/messages?order=asc"
	         "&includeInsights=true",
	         im->agent, session ? session : "");
	ok = session && kb_remote_each(&im->from, path, "messages", take_message, &talk, err);
	kb_jw_end(&talk.jw);
	kb_jw_end(&talk.jw);
	kb_buf_byte(&body, '\0');
	ok = ok && (!talk.messages || send_talk(&talk, row, &body, err));
	kb_buf_fini(&body);
	kb_arena_fini(&talk.arena);
	return ok;
}

static bool take_talk(void *arg, const json_t *row, struct kb_err *err)
{
	struct kb_importing *im = arg;
	int64_t from = kb_json_int(row, "id", 0);
	struct kb_err why = { 0 };
	char what[80];

	if (kb_import_map_get(&im->map, KB_IMPORT_TALK, from)
	    || (bring_talk(im, row, &why)
	        && kb_import_map_put(&im->map, KB_IMPORT_TALK, from, im->as, &why))) {
		im->talks++;
		return true;
	}
	snprintf(what, sizeof(what), "the conversation %" PRId64, from);
	return kb_import_refused(im, what, &why, err);
}

bool kb_import_talks(struct kb_importing *im, struct kb_err *err)
{
	char path[KB_IMPORT_PATH];

	im->talks = 0;
	snprintf(path, sizeof(path), "/projects/%" PRId64 "/conversations?order=asc", im->agent);
	return kb_remote_each(&im->from, path, NULL, take_talk, im, err);
}
