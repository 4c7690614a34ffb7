#include "api/input.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/file.h"
#include "base/utf8.h"

static bool read_json(struct kb_request *req, struct kb_inputs *out, struct kb_err *err)
{
	json_t *json = kb_json_parse(req->arena, req->body, err);
	const char *name;
	json_t *value;

	if (!json)
		return false;
	if (!json_is_object(json))
		return kb_fail(err, KB_E_INVALID, "the body must be a JSON object");
	out->json = json;
	out->v = KB_NEW_ARRAY(req->arena, json_object_size(json), struct kb_api_input);
	json_object_foreach(json, name, value)
	{
		struct kb_api_input *input = &out->v[out->count++];

		*input = (struct kb_api_input){ .name = kb_sv_str(name), .json = value };
		if (json_is_string(value)) {
			input->kind = KB_INPUT_TEXT;
			input->text = kb_sv(json_string_value(value), json_string_length(value));
		} else if (json_is_boolean(value)) {
			input->kind = KB_INPUT_BOOL;
			input->flag = json_is_true(value);
		} else if (json_is_integer(value)) {
			input->kind = KB_INPUT_INT;
			input->number = json_integer_value(value);
		} else {
			input->kind = json_is_null(value)    ? KB_INPUT_NULL
			              : json_is_array(value) ? KB_INPUT_LIST
			                                     : KB_INPUT_OTHER;
		}
	}
	return true;
}

static bool is_picture(struct kb_sv name)
{
	const struct kb_setting *field = kb_settings_field(name);

	return (field && field->form == KB_FORM_IMAGE) || kb_sv_eq_str(name, KB_PROFILE_PHOTO);
}

static bool read_parts(struct kb_request *req, struct kb_inputs *out, struct kb_err *err)
{
	out->v = KB_NEW_ARRAY(req->arena, req->part_count, struct kb_api_input);
	for (size_t i = 0; i < req->part_count; i++) {
		const struct kb_form_part *part = &req->parts[i];
		struct kb_api_input *input = &out->v[out->count++];

		*input = (struct kb_api_input){ .name = part->name };
		if (part->path) {
			input->kind = KB_INPUT_FILE;
			input->file = part;
		} else if (is_picture(part->name)) {
			/* Sent without a file name: bytes all the same. */
			input->kind = part->value.n ? KB_INPUT_FILE : KB_INPUT_TEXT;
			input->text = part->value;
			input->file = part;
		} else {
			if (!kb_utf8_valid(part->value))
				return kb_fail(err, KB_E_INVALID,
				               "the field %.*s is not valid UTF-8",
				               KB_SV_ARG(kb_utf8_cut(part->name, 60)));
			input->kind = KB_INPUT_TEXT;
			input->text = part->value;
		}
	}
	return true;
}

bool kb_inputs_read(struct kb_request *req, struct kb_inputs *out, struct kb_err *err)
{
	struct kb_sv body = kb_sv_trim(req->body);

	*out = (struct kb_inputs){ 0 };
	/* Many a client sends JSON under the name of a form; no form begins with a brace. */
	if (req->part_count && !kb_sv_starts(body, KB_SV("{")))
		return read_parts(req, out, err);
	if (body.n == 0)
		return true;
	return read_json(req, out, err);
}

bool kb_inputs_query(struct kb_request *req, struct kb_inputs *out, struct kb_err *err)
{
	struct kb_sv rest = req->query, name, value;
	size_t count = 0;

	while (kb_urlencoded_next(req->arena, &rest, &name, &value))
		count++;
	*out = (struct kb_inputs){ .v = KB_NEW_ARRAY(req->arena, count, struct kb_api_input) };
	rest = req->query;
	while (kb_urlencoded_next(req->arena, &rest, &name, &value)) {
		if (!kb_utf8_valid(value))
			return kb_fail(err, KB_E_INVALID, "the parameter %.*s is not valid UTF-8",
			               KB_SV_ARG(kb_utf8_cut(name, 60)));
		out->v[out->count++] =
		        (struct kb_api_input){ .name = name, .kind = KB_INPUT_TEXT, .text = value };
	}
	return true;
}

const struct kb_api_input *kb_inputs_find(const struct kb_inputs *inputs, const char *name)
{
	const struct kb_api_input *found = NULL;

	for (size_t i = 0; i < inputs->count; i++)
		if (kb_sv_eq_str(inputs->v[i].name, name))
			found = &inputs->v[i];
	return found;
}

bool kb_text_to_bool(struct kb_sv text, bool *out)
{
	bool yes = kb_sv_ieq_str(text, "true") || kb_sv_eq_str(text, "1");

	if (!yes && !kb_sv_ieq_str(text, "false") && !kb_sv_eq_str(text, "0"))
		return false;
	*out = yes;
	return true;
}

bool kb_inputs_text(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                    size_t max_chars, struct kb_sv *out, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(inputs, name);

	if (input && input->kind == KB_INPUT_INT)
		return kb_fail(err, KB_E_INVALID, "%s must be a string", name);
	return kb_inputs_handle(inputs, arena, name, max_chars, out, err);
}

bool kb_inputs_handle(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                      size_t max_chars, struct kb_sv *out, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(inputs, name);
	size_t chars;

	if (!input)
		return true;
	switch (input->kind) {
	case KB_INPUT_TEXT:
		*out = input->text;
		break;
	case KB_INPUT_NULL:
		*out = (struct kb_sv){ 0 };
		return true;
	case KB_INPUT_INT:
		*out = kb_arena_printf(arena, "%" PRId64, input->number);
		break;
	case KB_INPUT_BOOL:
	case KB_INPUT_LIST:
	case KB_INPUT_OTHER:
	case KB_INPUT_FILE:
		return kb_fail(err, KB_E_INVALID, "%s must be a string", name);
	}
	chars = kb_utf8_count(*out);
	if (chars > max_chars)
		return kb_fail(err, KB_E_INVALID, "%s has %zu characters, the limit is %zu", name,
		               chars, max_chars);
	return true;
}

bool kb_inputs_bool(const struct kb_inputs *inputs, const char *name, bool *out, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(inputs, name);

	if (!input || input->kind == KB_INPUT_NULL)
		return true;
	if (input->kind == KB_INPUT_BOOL) {
		*out = input->flag;
		return true;
	}
	if (input->kind == KB_INPUT_INT && (input->number == 0 || input->number == 1)) {
		*out = input->number == 1;
		return true;
	}
	if (input->kind == KB_INPUT_TEXT && kb_text_to_bool(kb_sv_trim(input->text), out))
		return true;
	return kb_fail(err, KB_E_INVALID, "%s must be true or false", name);
}

bool kb_inputs_int(const struct kb_inputs *inputs, const char *name, int64_t min, int64_t max,
                   int64_t *out, struct kb_err *err)
{
	const struct kb_api_input *input = kb_inputs_find(inputs, name);
	int64_t n;

	if (!input || input->kind == KB_INPUT_NULL)
		return true;
	if (input->kind == KB_INPUT_INT && input->number >= min && input->number <= max) {
		*out = input->number;
		return true;
	}
	if (input->kind == KB_INPUT_TEXT && kb_sv_to_int(kb_sv_trim(input->text), min, max, &n)) {
		*out = n;
		return true;
	}
	return kb_fail(err, KB_E_INVALID, "%s must be an integer from %" PRId64 " to %" PRId64,
	               name, min, max);
}

static void drop_json(void *json)
{
	json_decref(json);
}

static json_t *keep(struct kb_arena *arena, json_t *json)
{
	if (!json)
		kb_panic(__FILE__, __LINE__, "out of memory");
	kb_arena_on_fini(arena, drop_json, json);
	return json;
}

static json_t *text_json(const struct kb_api_input *input)
{
	return json_stringn(input->text.p ? input->text.p : "", input->text.n);
}

/* The parts `name[]`, `name[0]`, … of a form, or NULL. */
static json_t *listed(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name)
{
	size_t n = strlen(name);
	json_t *list = NULL;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct kb_api_input *input = &inputs->v[i];

		if (input->kind != KB_INPUT_TEXT || !kb_sv_starts(input->name, kb_sv(name, n))
		    || !kb_sv_starts(kb_sv_from(input->name, n), KB_SV("["))
		    || !kb_sv_ends(input->name, KB_SV("]")))
			continue;
		if (!list)
			list = keep(arena, json_array());
		json_array_append_new(list, text_json(input));
	}
	return list;
}

const json_t *kb_inputs_json(const struct kb_inputs *inputs, struct kb_arena *arena,
                             const char *name)
{
	const struct kb_api_input *input = kb_inputs_find(inputs, name);
	json_t *json;

	if (inputs->json)
		return input ? input->json : NULL;
	if (!input || input->kind != KB_INPUT_TEXT)
		return listed(inputs, arena, name);
	json = kb_json_parse(arena, input->text, NULL);
	return json ? json : keep(arena, text_json(input));
}

struct mapping {
	void *p;
	size_t n;
};

static void unmap(void *arg)
{
	struct mapping *mapping = arg;

	munmap(mapping->p, mapping->n);
}

bool kb_input_bytes(struct kb_arena *arena, const struct kb_api_input *input, struct kb_sv *out,
                    struct kb_err *err)
{
	const struct kb_form_part *part = input->file;
	struct mapping *mapping;
	int fd;

	*out = input->text;
	if (!part->path)
		return true;
	mapping = KB_NEW(arena, struct mapping);
	*out = KB_SV("");
	if (part->size == 0)
		return true;
	fd = open(part->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return kb_fail_errno(err, "cannot open an uploaded file");
	mapping->n = (size_t)part->size;
	mapping->p = mmap(NULL, mapping->n, PROT_READ, MAP_PRIVATE, fd, 0);
	kb_fd_close(&fd);
	if (mapping->p == MAP_FAILED)
		return kb_fail_errno(err, "cannot read an uploaded file");
	kb_arena_on_fini(arena, unmap, mapping);
	*out = kb_sv(mapping->p, mapping->n);
	return true;
}

bool kb_inputs_ids(const struct kb_inputs *inputs, struct kb_arena *arena, struct kb_input_ids *ids,
                   struct kb_err *err)
{
	const json_t *json = kb_inputs_json(inputs, arena, ids->name), *item;
	size_t count = json_array_size(json), i;
	int64_t *v;

	if (!json)
		return true;
	if (!json_is_array(json) && !json_is_null(json))
		return kb_fail(err, KB_E_INVALID, "%s must be an array of document ids", ids->name);
	if (count > ids->max)
		return kb_fail(err, KB_E_INVALID, "%s holds %zu documents, the limit is %zu",
		               ids->name, count, ids->max);
	v = KB_NEW_ARRAY(arena, count, int64_t);
	json_array_foreach(json, i, item)
	{
		if (!json_is_integer(item))
			return kb_fail(err, KB_E_INVALID, "%s[%zu] must be integer", ids->name, i);
		v[i] = json_integer_value(item);
	}
	ids->v = v;
	ids->count = count;
	return true;
}

bool kb_inputs_date(const struct kb_inputs *inputs, struct kb_arena *arena, const char *name,
                    int64_t *out, bool *given, struct kb_err *err)
{
	struct kb_sv text = KB_SV("");

	if (given)
		*given = kb_inputs_find(inputs, name) != NULL;
	if (!kb_inputs_find(inputs, name))
		return true;
	if (!kb_inputs_text(inputs, arena, name, 40, &text, err))
		return false;
	*out = 0;
	return text.n == 0 || kb_time_parse(text, out)
	       || kb_fail(err, KB_E_INVALID, "%s must be a date or an ISO 8601 time", name);
}
