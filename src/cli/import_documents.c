/* docent import: an agent's documents, their labels and metadata. Of each upload the original
 * comes; pages of the web come with their source. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/import_own.h"

enum { LOOK_US = 300000, NAME_MAX_CHARS = 300 };

/* ---- what is there already ---- */

/* Uploads of the agent here that no line of the map names: what a run sent and could not write down
 * any more. */
struct stray {
	int64_t id, size;
	struct kb_sv name, path;
};
struct sending {
	struct kb_importing *im;
	struct kb_arena arena; /* of strays */
	struct stray *strays;
	size_t stray_count, stray_capacity;
	int64_t *answers; /* checked answers there, which are documents too and come as answers */
	size_t answer_count, answer_capacity;
	int64_t unkept, web;
};

static bool is_upload(const json_t *page)
{
	return kb_json_bool(page, "is_file", false) && !kb_json_int(page, "parent_id", 0);
}

static bool take_stray(void *arg, const json_t *page, struct kb_err *err)
{
	struct sending *s = arg;
	int64_t id = kb_json_int(page, "id", 0);

	(void)err;
	if (!is_upload(page) || kb_import_map_has(&s->im->map, KB_IMPORT_PAGE, id))
		return true;
	KB_GROW(s->strays, s->stray_capacity, s->stray_count + 1);
	s->strays[s->stray_count++] = (struct stray){
		.id = id,
		.size = kb_json_int(page, "filesize", -1),
		.name = kb_arena_sv(&s->arena, kb_json_sv(page, "filename", KB_SV(""))),
		.path = kb_arena_sv(&s->arena, kb_json_sv(page, "path", KB_SV(""))),
	};
	return true;
}

static bool take_answer(void *arg, const json_t *answer, struct kb_err *err)
{
	struct sending *s = arg;

	(void)err;
	KB_GROW(s->answers, s->answer_capacity, s->answer_count + 1);
	s->answers[s->answer_count++] = kb_json_int(answer, "id", 0);
	return true;
}

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* A service that knows no checked answers has none. */
static bool learn_answers(struct sending *s, struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	struct kb_err why = { 0 };

	snprintf(path, sizeof(path), "/projects/%" PRId64 "/answers?order=asc", s->im->agent);
	if (!kb_remote_each(&s->im->from, path, NULL, take_answer, s, &why)
	    && why.code != KB_E_NOT_FOUND)
		return kb_fail(err, why.code, "%s", why.msg);
	if (s->answer_count)
		qsort(s->answers, s->answer_count, sizeof(*s->answers), by_id);
	return true;
}

static bool is_answer(const struct sending *s, int64_t id)
{
	return s->answer_count
	       && bsearch(&id, s->answers, s->answer_count, sizeof(*s->answers), by_id);
}

static int64_t find_stray(struct sending *s, const json_t *page)
{
	struct kb_sv name = kb_json_sv(page, "filename", KB_SV(""));
	struct kb_sv path = kb_json_sv(page, "path", KB_SV(""));
	int64_t size = kb_json_int(page, "filesize", -1);

	for (size_t i = 0; i < s->stray_count; i++)
		if (s->strays[i].id && kb_sv_eq(s->strays[i].name, name)
		    && kb_sv_eq(s->strays[i].path, path) && s->strays[i].size == size) {
			int64_t id = s->strays[i].id;

			s->strays[i].id = 0;
			return id;
		}
	return 0;
}

/* ---- one of them ---- */

static bool put_labels(struct kb_importing *im, struct kb_arena *arena, int64_t from, int64_t to,
                       struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	const json_t *labels;
	struct kb_buf buf;
	struct kb_jw jw;
	bool ok;

	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages/%" PRId64 "/labels", im->agent,
	         from);
	labels = kb_remote_call(&im->from, arena, path, NULL, err);
	if (!labels)
		return false;
	if (!json_array_size(labels))
		return true;
	kb_buf_init(&buf, SIZE_MAX / 2);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key(&jw, "label_ids");
	kb_import_label_ids(im, &jw, labels);
	kb_jw_end(&jw);
	kb_buf_byte(&buf, '\0');
	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages/%" PRId64 "/labels", im->as, to);
	ok = kb_remote_send(&im->to, arena, "PUT", path, buf.p, err) != NULL;
	kb_buf_fini(&buf);
	return ok;
}

static bool send_on(struct kb_importing *im, struct kb_arena *arena, const json_t *page,
                    int64_t *as, struct kb_err *err)
{
	char path[KB_IMPORT_PATH], to[KB_IMPORT_PATH];
	struct kb_remote_file file = { .name = kb_json_sv(page, "filename", KB_SV("")),
		                       .path = kb_json_sv(page, "path", KB_SV("")),
		                       .url = kb_json_sv(page, "link_url", KB_SV("")),
		                       .to = to };
	const json_t *sent;

	snprintf(path, sizeof(path), "/preview/%" PRId64, kb_json_int(page, "id", 0));
	snprintf(to, sizeof(to), "/projects/%" PRId64 "/sources", im->as);
	if (!kb_remote_download(&im->from, arena, path, im->temp_fd, err))
		return false;
	sent = kb_remote_upload(&im->to, arena, im->temp, &file, err);
	*as = kb_json_int(sent, "id", 0);
	return sent != NULL;
}

/* One that would be open to all for want of its labels goes again. */
static bool close_it(struct kb_importing *im, struct kb_arena *arena, int64_t from, int64_t to,
                     struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	struct kb_err why = { 0 };

	if (!im->labels || put_labels(im, arena, from, to, &why))
		return true;
	if (kb_remote_is_final(&why) || why.code == KB_E_NOT_FOUND) {
		snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages/%" PRId64, im->as, to);
		if (!kb_remote_send(&im->to, arena, "DELETE", path, "", err))
			return false;
	}
	return kb_fail(err, why.code, "its labels: %s", why.msg);
}

/* A document is in the map once it is labelled: until then nobody but who imports knows the agent.
 */
static bool bring(struct sending *s, const json_t *page, struct kb_err *err)
{
	struct kb_importing *im = s->im;
	struct kb_arena arena = { 0 };
	int64_t from = kb_json_int(page, "id", 0), to = find_stray(s, page);
	bool ok = (to || send_on(im, &arena, page, &to, err)) && close_it(im, &arena, from, to, err)
	          && kb_import_map_put(&im->map, KB_IMPORT_PAGE, from, to, err);

	kb_arena_fini(&arena);
	return ok;
}

static bool take_page(void *arg, const json_t *page, struct kb_err *err)
{
	struct sending *s = arg;
	struct kb_sv name = kb_json_sv(page, "filename", KB_SV(""));
	char what[NAME_MAX_CHARS];
	struct kb_err why = { 0 };

	if (kb_json_int(page, "parent_id", 0) || is_answer(s, kb_json_int(page, "id", 0)))
		return true; /* comes with what it is in, or as an answer */
	if (!kb_json_bool(page, "is_file", false)) {
		s->web++;
	} else if (!kb_json_bool(page, "is_file_kept", true)) {
		s->unkept++;
	} else if (kb_import_map_get(&s->im->map, KB_IMPORT_PAGE, kb_json_int(page, "id", 0))
	           || bring(s, page, &why)) {
		s->im->pages++;
	} else {
		snprintf(what, sizeof(what), "the document %.*s", (int)KB_MIN(name.n, (size_t)200),
		         name.p);
		return kb_import_refused(s->im, what, &why, err);
	}
	return true;
}

bool kb_import_documents(struct kb_importing *im, struct kb_err *err)
{
	struct sending s = { .im = im };
	char path[KB_IMPORT_PATH];
	bool ok;

	im->pages = 0;
	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages?order=asc", im->as);
	ok = learn_answers(&s, err) && kb_remote_each(&im->to, path, "pages", take_stray, &s, err);
	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages?order=asc", im->agent);
	ok = ok && kb_remote_each(&im->from, path, "pages", take_page, &s, err);
	free(s.strays);
	free(s.answers);
	kb_arena_fini(&s.arena);
	if (s.unkept)
		kb_import_note(
		        im, "%" PRId64 " uploads, whose files are not kept there: send them anew",
		        s.unkept);
	if (s.web)
		kb_import_note(im,
		               "%" PRId64
		               " pages of the web as they were read there: their sources "
		               "read them anew",
		               s.web);
	return ok;
}

/* ---- metadata ---- */

static bool is_read(struct kb_importing *im, bool *read, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	char path[KB_IMPORT_PATH];
	const json_t *data;

	snprintf(path, sizeof(path), "/projects/%" PRId64 "/progress", im->as);
	data = kb_remote_call(&im->to, &arena, path, NULL, err);
	*read = data && kb_json_int(data, "queued", 0) == 0;
	kb_arena_fini(&arena);
	return data != NULL;
}

/* An address that the service itself gave the document: its own page there, or a picture. */
static bool is_own(const struct kb_importing *im, int64_t page, const char *field,
                   const json_t *value)
{
	char end[64];
	struct kb_sv text = kb_sv(json_string_value(value), json_string_length(value));

	if (!json_is_string(value) || (strcmp(field, "url") != 0 && strcmp(field, "image") != 0))
		return false;
	snprintf(end, sizeof(end), "/preview/%" PRId64, page);
	return kb_sv_ends(text, kb_sv_str(end)) || kb_import_path(&im->from, value).n < text.n;
}

/* The fields that are other ones here: "" where there are none. */
static struct kb_sv differences(const struct kb_importing *im, struct kb_arena *arena, int64_t page,
                                const json_t *there, const json_t *here)
{
	static const char *const fields[] = { "title", "url", "description", "image" };
	struct kb_sv out = KB_SV("");

	for (size_t i = 0; i < KB_COUNTOF(fields); i++) {
		const json_t *value = kb_json_get(there, fields[i]);

		if (value && !json_equal(value, kb_json_get(here, fields[i]))
		    && !is_own(im, page, fields[i], value))
			out = kb_arena_printf(arena, "%.*s%s\"%s\":%.*s", KB_SV_ARG(out),
			                      out.n ? "," : "", fields[i],
			                      KB_SV_ARG(kb_import_raw(arena, value)));
	}
	return out;
}

static bool tell(struct kb_importing *im, int64_t from, int64_t to, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	char path[KB_IMPORT_PATH];
	const json_t *there, *here;
	struct kb_sv fields;
	bool ok;

	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages/%" PRId64 "/metadata", im->agent,
	         from);
	there = kb_remote_call(&im->from, &arena, path, NULL, err);
	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages/%" PRId64 "/metadata", im->as,
	         to);
	here = there ? kb_remote_call(&im->to, &arena, path, NULL, err) : NULL;
	ok = here != NULL;
	fields = ok ? differences(im, &arena, from, there, here) : KB_SV("");
	if (fields.n)
		ok = kb_remote_send(&im->to, &arena, "PUT", path,
		                    kb_arena_printf(&arena, "{%.*s}", KB_SV_ARG(fields)).p, err)
		     != NULL;
	kb_arena_fini(&arena);
	return ok && kb_import_map_put(&im->map, KB_IMPORT_TOLD, from, to, err);
}

static bool tell_page(void *arg, const json_t *page, struct kb_err *err)
{
	struct kb_importing *im = arg;
	int64_t from = kb_json_int(page, "id", 0);
	int64_t to = kb_import_map_get(&im->map, KB_IMPORT_PAGE, from);
	struct kb_err why = { 0 };
	char what[80];

	if (!to || kb_import_map_get(&im->map, KB_IMPORT_TOLD, from) || tell(im, from, to, &why))
		return true;
	snprintf(what, sizeof(what), "what is said of the document %" PRId64, from);
	return kb_import_refused(im, what, &why, err);
}

bool kb_import_metadata(struct kb_importing *im, struct kb_err *err)
{
	char path[KB_IMPORT_PATH];
	bool read = false;

	while (!read) {
		if (!is_read(im, &read, err))
			return false;
		if (!read)
			usleep(LOOK_US);
	}
	snprintf(path, sizeof(path), "/projects/%" PRId64 "/pages?order=asc", im->agent);
	return kb_remote_each(&im->from, path, "pages", tell_page, im, err);
}
