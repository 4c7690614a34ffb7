#include "cli/eval_ask.h"

#include "cli/eval_score.h"

enum { PATH_BYTES = 64, LABELS_PAGE = 100 };

static void write_list(struct kb_jw *jw, const char *key, const struct kb_sv *v, size_t count)
{
	kb_jw_key(jw, key);
	kb_jw_array(jw);
	for (size_t i = 0; i < count; i++)
		kb_jw_sv(jw, v[i]);
	kb_jw_end(jw);
}

struct wish {
	const struct kb_sv *labels;
	size_t label_count;
	bool answer;
};

static json_t *try_row(struct kb_eval_asking *a, struct kb_arena *arena,
                       const struct kb_eval_row *row, const struct wish *wish, struct kb_err *err)
{
	struct kb_buf body;
	struct kb_jw jw;
	json_t *data;

	kb_buf_init(&body, SIZE_MAX);
	kb_jw_init(&jw, &body);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "question", row->question);
	if (row->turn_count)
		write_list(&jw, "turns", row->turns, row->turn_count);
	if (wish->label_count)
		write_list(&jw, "labels", wish->labels, wish->label_count);
	kb_jw_key_int(&jw, "passages", a->passages);
	kb_jw_key_bool(&jw, "answer", wish->answer);
	kb_jw_end(&jw);
	kb_buf_byte(&body, '\0');
	data = kb_remote_call(a->remote, arena, "/trials", body.p, err);
	kb_buf_fini(&body);
	return data;
}

/* ---- what is answered ---- */

static struct kb_sv text_of(struct kb_arena *arena, const json_t *object, const char *name)
{
	return kb_arena_sv(arena, kb_json_sv(object, name, KB_SV("")));
}

static void read_document(struct kb_arena *arena, const json_t *json, struct kb_eval_document *out)
{
	*out = (struct kb_eval_document){ .id = kb_json_int(json, "page_id", 0),
		                          .filename = text_of(arena, json, "filename"),
		                          .title = text_of(arena, json, "title"),
		                          .url = text_of(arena, json, "url") };
}

static void read_reply(struct kb_arena *arena, const json_t *data, struct kb_eval_reply *out)
{
	const json_t *cited = kb_json_get(data, "citations");
	const json_t *passages = kb_json_get(data, "passages");

	*out = (struct kb_eval_reply){
		.error = KB_SV(""),
		.answer = text_of(arena, data, "answer"),
		.outcome = text_of(arena, data, "outcome"),
		.model = text_of(arena, data, "model"),
		.failed = kb_json_bool(data, "failed", false),
		.cut = kb_json_bool(data, "cut", false),
		.statements = kb_json_int(data, "statements", 0),
		.supported = kb_json_int(data, "supported", 0),
		.cited_count = json_array_size(cited),
		.passage_count = json_array_size(passages),
		.took_us = kb_json_int(data, "took_us", 0),
	};
	out->answered = kb_sv_eq_str(out->outcome, "answer");
	out->cited = KB_NEW_ARRAY(arena, out->cited_count, struct kb_eval_document);
	out->passages = KB_NEW_ARRAY(arena, out->passage_count, struct kb_eval_passage);
	for (size_t i = 0; i < out->cited_count; i++)
		read_document(arena, json_array_get(cited, i), &out->cited[i]);
	for (size_t i = 0; i < out->passage_count; i++) {
		const json_t *passage = json_array_get(passages, i);

		read_document(arena, passage, &out->passages[i].document);
		out->passages[i].text = text_of(arena, passage, "text");
		out->passages[i].score = json_number_value(kb_json_get(passage, "score"));
	}
}

/* The next row would fare no better. */
static bool is_last(const struct kb_remote *remote, const struct kb_err *why)
{
	return !remote->reached || remote->refused || why->code == KB_E_UNAUTHORIZED
	       || why->code == KB_E_FORBIDDEN || why->code == KB_E_NOT_FOUND;
}

bool kb_eval_ask(struct kb_eval_asking *a, const struct kb_eval_row *row, struct kb_eval_reply *out,
                 struct kb_err *err)
{
	const struct wish wish = { row->labels, row->label_count, .answer = true };
	struct kb_arena arena = { 0 };
	struct kb_err why = { 0 };
	json_t *data = try_row(a, &arena, row, &wish, &why);

	if (data)
		read_reply(a->arena, data, out);
	else
		*out = (struct kb_eval_reply){ .error = kb_arena_sv(a->arena, kb_sv_str(why.msg)),
			                       .answer = KB_SV(""),
			                       .outcome = KB_SV(""),
			                       .model = KB_SV("") };
	kb_arena_fini(&arena);
	if (data || !is_last(a->remote, &why))
		return true;
	*err = why;
	return false;
}

/* ---- labels ---- */

/* An agent whose plan has no labels has none. */
static bool learn_labels(struct kb_eval_asking *a, struct kb_err *err)
{
	bool more = !a->knows_labels;

	a->knows_labels = true;
	for (int page = 1; more; page++) {
		struct kb_arena arena = { 0 };
		struct kb_err why = { 0 };
		char path[PATH_BYTES];
		const json_t *rows;
		struct kb_sv *labels;
		json_t *data;

		snprintf(path, sizeof(path), "/labels?limit=%d&page=%d", LABELS_PAGE, page);
		data = kb_remote_call(a->remote, &arena, path, NULL, &why);
		rows = kb_json_get(data, "data");
		labels = KB_NEW_ARRAY(a->arena, a->label_count + json_array_size(rows),
		                      struct kb_sv);
		for (size_t i = 0; i < a->label_count; i++)
			labels[i] = a->labels[i];
		for (size_t i = 0; i < json_array_size(rows); i++)
			labels[a->label_count++] =
			        text_of(a->arena, json_array_get(rows, i), "name");
		a->labels = labels;
		more = page < kb_json_int(data, "last_page", 0);
		kb_arena_fini(&arena);
		if (!data && why.code != KB_E_FORBIDDEN) {
			*err = why;
			return false;
		}
	}
	return true;
}

bool kb_eval_ask_opened(struct kb_eval_asking *a, const struct kb_eval_row *row, bool *opened,
                        struct kb_err *err)
{
	struct kb_eval_verdict verdict;
	struct kb_arena arena = { 0 };
	struct kb_eval_reply reply;
	json_t *data;

	*opened = false;
	if (!learn_labels(a, err))
		return false;
	if (!a->label_count)
		return true;
	data = try_row(a, &arena, row, &(struct wish){ a->labels, a->label_count, .answer = false },
	               err);
	if (data) {
		read_reply(&arena, data, &reply);
		kb_eval_judge(&arena, row, &reply, &verdict);
		*opened = verdict.place > 0;
	}
	kb_arena_fini(&arena);
	return data != NULL;
}
