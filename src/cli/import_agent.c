/* docent import: what an agent has beside its documents. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/import_own.h"

static const char *path_of(char path[KB_IMPORT_PATH], int64_t agent, const char *rest)
{
	snprintf(path, KB_IMPORT_PATH, "/projects/%" PRId64 "%s", agent, rest);
	return path;
}

/* ---- labels ---- */

void kb_import_label_ids(const struct kb_importing *im, struct kb_jw *jw, const json_t *labels)
{
	kb_jw_array(jw);
	for (size_t i = 0; i < json_array_size(labels); i++) {
		const json_t *one = json_array_get(labels, i);
		int64_t from =
		        json_is_integer(one) ? json_integer_value(one) : kb_json_int(one, "id", 0);
		int64_t to = kb_import_map_get(&im->map, KB_IMPORT_LABEL, from);

		if (to)
			kb_jw_int(jw, to);
	}
	kb_jw_end(jw);
}

/* Making one whose name is there already gives that one. */
static bool make_label(struct kb_importing *im, struct kb_arena *arena, const json_t *label,
                       struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	const json_t *made, *users = kb_json_get(label, "users");
	struct kb_sv name = kb_import_raw(arena, kb_json_get(label, "name"));
	int64_t id;

	made = kb_remote_call(&im->to, arena, path_of(path, im->as, "/labels"),
	                      kb_arena_printf(arena, "{\"names\":[%.*s]}", KB_SV_ARG(name)).p, err);
	id = kb_json_int(json_array_get(made, 0), "id", 0);
	if (!made)
		return false;
	if (!id)
		return kb_fail(err, KB_E_UPSTREAM, "the service named no label");
	if (json_array_size(users)
	    && !kb_remote_send(&im->to, arena, "PUT", path,
	                       kb_arena_printf(arena,
	                                       "{\"labels\":[{\"id\":%" PRId64 ",\"users\":%.*s}]}",
	                                       id, KB_SV_ARG(kb_import_raw(arena, users)))
	                               .p,
	                       err))
		return false;
	return kb_import_map_put(&im->map, KB_IMPORT_LABEL, kb_json_int(label, "id", 0), id, err);
}

/* A label that does not come would open its documents: then nothing else does. */
static bool take_label(void *arg, const json_t *label, struct kb_err *err)
{
	struct kb_importing *im = arg;
	struct kb_arena arena = { 0 };
	bool ok = kb_import_map_get(&im->map, KB_IMPORT_LABEL, kb_json_int(label, "id", 0))
	          || make_label(im, &arena, label, err);

	kb_arena_fini(&arena);
	im->labels++;
	return ok;
}

bool kb_import_labels(struct kb_importing *im, struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	struct kb_err why = { 0 };

	im->labels = 0;
	if (kb_remote_each(&im->from, path_of(path, im->agent, "/labels?order=asc"), NULL,
	                   take_label, im, &why))
		return true;
	/* Who has no labels there has none to bring. */
	if (!im->labels && (why.code == KB_E_FORBIDDEN || why.code == KB_E_NOT_FOUND))
		return true;
	return kb_fail(err, why.code, "labels: %s", why.msg);
}

/* ---- persona and settings ---- */

struct texts {
	struct kb_arena arena;
	struct kb_sv *v;
	size_t count, capacity;
};

static bool take_text(void *arg, const json_t *persona, struct kb_err *err)
{
	struct texts *texts = arg;

	(void)err;
	KB_GROW(texts->v, texts->capacity, texts->count + 1);
	texts->v[texts->count++] =
	        kb_import_raw(&texts->arena, kb_json_get(persona, "instructions"));
	return true;
}

/* The versions there, oldest first, behind those that have come. */
static bool bring_personas(struct kb_importing *im, struct kb_err *err)
{
	struct texts there = { 0 }, here = { 0 };
	char path[KB_IMPORT_PATH];
	bool ok =
	        kb_remote_each(&im->from, path_of(path, im->agent, "/settings/personas?order=asc"),
	                       NULL, take_text, &there, err)
	        && kb_remote_each(&im->to, path_of(path, im->as, "/settings/personas?order=asc"),
	                          NULL, take_text, &here, err);

	for (size_t i = here.count; ok && i < there.count; i++) {
		struct kb_arena arena = { 0 };

		ok = kb_remote_call(&im->to, &arena, path_of(path, im->as, "/settings"),
		                    kb_arena_printf(&arena, "{\"persona_instructions\":%.*s}",
		                                    KB_SV_ARG(there.v[i]))
		                            .p,
		                    err)
		     != NULL;
		kb_arena_fini(&arena);
	}
	free(there.v);
	free(here.v);
	kb_arena_fini(&there.arena);
	kb_arena_fini(&here.arena);
	return ok;
}

/* What is set there, under the names that are written here; what cannot come is told. */
static struct kb_sv settings_of(struct kb_importing *im, struct kb_arena *arena, const json_t *form,
                                const json_t *there, const json_t *here)
{
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX / 2);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	for (size_t i = 0; i < json_array_size(form); i++) {
		const json_t *field = json_array_get(form, i);
		const char *name = json_string_value(kb_json_get(field, "name"));
		const char *told = json_string_value(kb_json_get(field, "answer_name"));
		const json_t *value = told ? kb_json_get(there, told) : NULL;

		value = value || !name ? value : kb_json_get(there, name);
		if (!name || !told || !value || json_equal(value, kb_json_get(here, told)))
			continue;
		if (kb_sv_eq(kb_json_sv(field, "form", KB_SV("")), KB_SV("image"))) {
			if (json_is_string(value)
			    && !kb_sv_eq(kb_import_path(&im->from, value),
			                 kb_import_path(&im->to, kb_json_get(here, told))))
				kb_import_note(im, "the picture %s: choose it anew", name);
		} else if (json_is_null(value) && !kb_json_bool(field, "takes_null", false)) {
			continue;
		} else {
			kb_jw_key(&jw, name);
			kb_jw_raw(&jw, kb_import_raw(arena, value));
		}
	}
	kb_jw_end(&jw);
	kb_buf_byte(&buf, '\0');
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	out.n--;
	return out;
}

static void tell_failed(struct kb_importing *im, const json_t *answer)
{
	json_t *failed = kb_json_get(answer, "failed_fields");

	for (void *at = json_object_iter(failed); at; at = json_object_iter_next(failed, at))
		kb_import_note(im, "the setting %s, which is refused here",
		               json_object_iter_key(at));
}

bool kb_import_settings(struct kb_importing *im, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	char path[KB_IMPORT_PATH];
	const json_t *there, *here, *form, *answer = NULL;
	struct kb_err why = { 0 };
	struct kb_sv fields;
	bool ok = bring_personas(im, &why)
	          || kb_import_refused(im, "versions of its persona", &why, err);

	there = ok ? kb_remote_call(&im->from, &arena, path_of(path, im->agent, "/settings"), NULL,
	                            err)
	           : NULL;
	form = there ? kb_remote_call(&im->to, &arena, path_of(path, im->as, "/settings/schema"),
	                              NULL, err)
	             : NULL;
	here = form ? kb_remote_call(&im->to, &arena, path_of(path, im->as, "/settings"), NULL, err)
	            : NULL;
	if (here) {
		fields = settings_of(im, &arena, form, there, here);
		if (fields.n > 2)
			answer = kb_remote_call(&im->to, &arena, path, fields.p, err);
		ok = fields.n <= 2 || answer;
		tell_failed(im, answer);
	}
	kb_arena_fini(&arena);
	return ok && here;
}

/* ---- sources ---- */

struct sites {
	struct kb_importing *im;
	const json_t *here;
};

static int64_t find_site(const json_t *sources, struct kb_sv address)
{
	const json_t *sites = kb_json_get(sources, "sitemaps");

	for (size_t i = 0; i < json_array_size(sites); i++) {
		const json_t *one = json_array_get(sites, i);

		if (kb_sv_eq(kb_json_sv(kb_json_get(one, "settings"), "sitemap_path", KB_SV("")),
		             address))
			return kb_json_int(one, "id", 0);
	}
	return 0;
}

static struct kb_sv source_of(const struct kb_importing *im, struct kb_arena *arena,
                              const json_t *source)
{
	static const char *const fields[] = {
		"sitemap_path",
		"executive_js",
		"data_refresh_frequency",
		"create_new_pages",
		"remove_unexist_pages",
		"refresh_existing_pages",
		"refresh_schedule",
		"image_extraction_type",
		"update_existing_images",
		"sync_all_images",
		"max_pages",
	};
	const json_t *settings = kb_json_get(source, "settings");
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX / 2);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		const json_t *value = kb_json_get(settings, fields[i]);

		if (!value || json_is_null(value))
			continue;
		kb_jw_key(&jw, fields[i]);
		kb_jw_raw(&jw, kb_import_raw(arena, value));
	}
	if (json_array_size(kb_json_get(source, "label_ids"))) {
		kb_jw_key(&jw, "label_ids");
		kb_import_label_ids(im, &jw, kb_json_get(source, "label_ids"));
	}
	kb_jw_end(&jw);
	kb_buf_byte(&buf, '\0');
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool bring_source(struct kb_importing *im, struct kb_arena *arena, const json_t *here,
                         const json_t *source, struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	struct kb_sv address =
	        kb_json_sv(kb_json_get(source, "settings"), "sitemap_path", KB_SV(""));
	int64_t from = kb_json_int(source, "id", 0), to = find_site(here, address);
	const json_t *made;

	if (kb_import_map_get(&im->map, KB_IMPORT_SOURCE, from))
		return true;
	if (!to) {
		made = kb_remote_call(&im->to, arena, path_of(path, im->as, "/sources"),
		                      source_of(im, arena, source).p, err);
		if (!made)
			return false;
		to = kb_json_int(made, "id", 0);
	}
	return kb_import_map_put(&im->map, KB_IMPORT_SOURCE, from, to, err);
}

static bool bring_sources(struct kb_importing *im, struct kb_arena *arena, struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	json_t *there =
	        kb_remote_call(&im->from, arena, path_of(path, im->agent, "/sources"), NULL, err);
	const json_t *here =
	        there ? kb_remote_call(&im->to, arena, path_of(path, im->as, "/sources"), NULL, err)
	              : NULL;

	if (!here)
		return false;
	for (void *at = json_object_iter(there); at; at = json_object_iter_next(there, at)) {
		const json_t *list = json_object_iter_value(at);
		bool is_site = strcmp(json_object_iter_key(at), "sitemaps") == 0;

		for (size_t i = 0; i < json_array_size(list); i++) {
			struct kb_err why = { 0 };

			if (!is_site)
				kb_import_note(im, "a source of %s", json_object_iter_key(at));
			else if (bring_source(im, arena, here, json_array_get(list, i), &why))
				im->sources++;
			else if (!kb_import_refused(im, "a source", &why, err))
				return false;
		}
	}
	return true;
}

bool kb_import_sources(struct kb_importing *im, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	bool ok;

	im->sources = 0;
	ok = bring_sources(im, &arena, err);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- checked answers ---- */

struct known_answers {
	struct kb_importing *im;
	struct kb_arena arena;
	struct {
		int64_t id;
		struct kb_sv question;
	} * v;
	size_t count, capacity;
};

static bool take_known(void *arg, const json_t *answer, struct kb_err *err)
{
	struct known_answers *known = arg;
	const json_t *first = json_array_get(kb_json_get(answer, "questions"), 0);

	(void)err;
	KB_GROW(known->v, known->capacity, known->count + 1);
	known->v[known->count].id = kb_json_int(answer, "id", 0);
	known->v[known->count++].question = kb_import_raw(&known->arena, first);
	return true;
}

static struct kb_sv answer_of(const struct kb_importing *im, struct kb_arena *arena,
                              const json_t *answer)
{
	static const char *const fields[] = { "questions", "answer", "owner", "review_at" };
	const json_t *cited = kb_json_get(answer, "citations");
	struct kb_buf buf;
	struct kb_jw jw;
	struct kb_sv out;

	kb_buf_init(&buf, SIZE_MAX / 2);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		const json_t *value = kb_json_get(answer, fields[i]);

		if (!value || json_is_null(value))
			continue;
		kb_jw_key(&jw, fields[i]);
		kb_jw_raw(&jw, kb_import_raw(arena, value));
	}
	kb_jw_key(&jw, "citations");
	kb_jw_array(&jw);
	for (size_t i = 0; i < json_array_size(cited); i++) {
		int64_t page = kb_json_int(json_array_get(cited, i), "page_id", 0);
		int64_t to = kb_import_map_get(&im->map, KB_IMPORT_PAGE, page);

		if (to)
			kb_jw_int(&jw, to);
	}
	kb_jw_end(&jw);
	if (json_array_size(kb_json_get(answer, "label_ids"))) {
		kb_jw_key(&jw, "label_ids");
		kb_import_label_ids(im, &jw, kb_json_get(answer, "label_ids"));
	}
	kb_jw_end(&jw);
	kb_buf_byte(&buf, '\0');
	out = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return out;
}

static bool bring_answer(struct known_answers *known, const json_t *answer, struct kb_err *err)
{
	struct kb_importing *im = known->im;
	struct kb_arena arena = { 0 };
	struct kb_sv question =
	        kb_import_raw(&arena, json_array_get(kb_json_get(answer, "questions"), 0));
	char path[KB_IMPORT_PATH];
	const json_t *made;
	int64_t to = 0;
	bool ok = true;

	for (size_t i = 0; !to && i < known->count; i++)
		if (kb_sv_eq(known->v[i].question, question))
			to = known->v[i].id;
	if (!to) {
		made = kb_remote_call(&im->to, &arena, path_of(path, im->as, "/answers"),
		                      answer_of(im, &arena, answer).p, err);
		to = kb_json_int(made, "id", 0);
		ok = made != NULL;
	}
	ok = ok
	     && kb_import_map_put(&im->map, KB_IMPORT_ANSWER, kb_json_int(answer, "id", 0), to,
	                          err);
	kb_arena_fini(&arena);
	return ok;
}

static bool take_answer(void *arg, const json_t *answer, struct kb_err *err)
{
	struct known_answers *known = arg;
	struct kb_err why = { 0 };

	if (kb_import_map_get(&known->im->map, KB_IMPORT_ANSWER, kb_json_int(answer, "id", 0))
	    || bring_answer(known, answer, &why)) {
		known->im->answers++;
		return true;
	}
	return kb_import_refused(known->im, "a checked answer", &why, err);
}

bool kb_import_answers(struct kb_importing *im, struct kb_err *err)
{
	struct known_answers known = { .im = im };
	char path[KB_IMPORT_PATH];
	struct kb_err why = { 0 };
	bool ok;

	im->answers = 0;
	ok = kb_remote_each(&im->to, path_of(path, im->as, "/answers?order=asc"), NULL, take_known,
	                    &known, err);
	if (ok
	    && !kb_remote_each(&im->from, path_of(path, im->agent, "/answers?order=asc"), NULL,
	                       take_answer, &known, &why))
		/* Another server of this interface need not have any. */
		ok = why.code == KB_E_NOT_FOUND || kb_fail(err, why.code, "%s", why.msg);
	free(known.v);
	kb_arena_fini(&known.arena);
	return ok;
}
