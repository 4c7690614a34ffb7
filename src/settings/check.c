/* Turns what was sent for a field into a value of the field, or into the sentences that say why
 * not. Clients send the same thing in many spellings; all of them are taken apart here. */
#include "settings/check.h"

#include <math.h>
#include <string.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "settings/image.h"

enum { SHOWN = 60 }; /* characters of a foreign text that a sentence repeats */

void kb_sentence_add(struct kb_sentences *sentences, struct kb_sv sentence)
{
	if (sentences->count < KB_SENTENCES)
		sentences->v[sentences->count++] = sentence;
}

/* The checks of one field share these. */
struct check {
	struct kb_arena *arena;
	const struct kb_setting *field;
	struct kb_sentences *sentences;
};

static bool refuse(const struct check *c, struct kb_sv sentence)
{
	kb_sentence_add(c->sentences, sentence);
	return false;
}

static bool refuse_null(const struct check *c)
{
	if (c->field->form == KB_FORM_LANGUAGE)
		return refuse(c, KB_SV("Language Proficiency is required."));
	if (c->field->form == KB_FORM_IMAGE)
		return refuse(c,
		              kb_arena_printf(c->arena, "Please upload a valid image file for %s",
		                              c->field->image_word));
	return refuse(c, kb_arena_printf(c->arena, "%s must not be null", c->field->name));
}

static bool is_free(const struct kb_setting *field)
{
	return (field->type == KB_FIELD_TEXT || field->type == KB_FIELD_LIST)
	       && field->form == KB_FORM_FREE;
}

/* A form cannot send null: it sends nothing after the "=", or what its language prints for null. */
static bool says_null(const struct kb_setting *field, const struct kb_setting_input *input)
{
	struct kb_sv text = kb_sv_trim(input->text);

	if (input->kind == KB_INPUT_NULL)
		return true;
	if (input->kind != KB_INPUT_TEXT || !kb_field_takes_null(field))
		return false;
	if (is_free(field))
		return input->text.n == 0 && strcmp(field->initial, "\"\"") != 0;
	return text.n == 0 || kb_sv_ieq_str(text, "null");
}

static bool flag_of(const struct kb_setting_input *input, bool *flag)
{
	struct kb_sv text = kb_sv_trim(input->text);

	switch (input->kind) {
	case KB_INPUT_BOOL:
		*flag = input->flag;
		return true;
	case KB_INPUT_INT:
		*flag = input->number == 1;
		return input->number == 0 || input->number == 1;
	case KB_INPUT_TEXT:
		*flag = kb_sv_ieq_str(text, "true") || kb_sv_eq_str(text, "1");
		return *flag || kb_sv_ieq_str(text, "false") || kb_sv_eq_str(text, "0");
	default:
		return false;
	}
}

static bool check_flag(const struct check *c, const struct kb_setting_input *input,
                       struct kb_setting_value *value)
{
	if (flag_of(input, &value->flag))
		return true;
	return refuse(c, kb_arena_printf(c->arena, "%s must be true or false", c->field->name));
}

static bool check_number(const struct check *c, const struct kb_setting_input *input,
                         struct kb_setting_value *value)
{
	const struct kb_setting *field = c->field;
	struct kb_sv text = kb_sv_trim(input->text);
	bool flag;

	if (input->kind == KB_INPUT_INT && input->number >= field->min
	    && input->number <= field->max) {
		value->number = input->number;
		return true;
	}
	if (input->kind == KB_INPUT_TEXT
	    && kb_sv_to_int(text, field->min, field->max, &value->number))
		return true;
	if (field->takes_flags && flag_of(input, &flag)) {
		value->number = flag ? field->when_true : field->when_false;
		return true;
	}
	return refuse(c, kb_arena_printf(c->arena,
	                                 "%s must be a whole number from %" PRId64 " to %" PRId64,
	                                 field->name, field->min, field->max));
}

static bool check_plain(const struct check *c, struct kb_sv text)
{
	const char *name = c->field->name;
	size_t length;

	if (!kb_utf8_valid(text))
		return refuse(c, kb_arena_printf(c->arena, "%s is not valid UTF-8", name));
	if (kb_sv_find_byte(text, '\0') >= 0)
		return refuse(c, kb_arena_printf(c->arena, "%s holds a NUL character", name));
	length = kb_utf8_count(text);
	if (c->field->max > 0 && length > (size_t)c->field->max)
		return refuse(c, kb_arena_printf(c->arena,
		                                 "%s has %zu characters, the limit is %" PRId64,
		                                 name, length, c->field->max));
	return true;
}

static bool check_choice(const struct check *c, struct kb_sv text)
{
	struct kb_sv list = KB_SV("");

	if (kb_field_is_choice(c->field, text))
		return true;
	for (const char *const *choice = c->field->choices; *choice; choice++)
		list = kb_arena_printf(c->arena, "%.*s%s%s", KB_SV_ARG(list), list.n ? ", " : "",
		                       *choice);
	return refuse(c, kb_arena_printf(c->arena, "%s must be one of %.*s", c->field->name,
	                                 KB_SV_ARG(list)));
}

static bool check_language(const struct check *c, struct kb_sv text)
{
	if (text.n == 0)
		return refuse_null(c);
	if (kb_field_is_choice(c->field, text))
		return true;
	return refuse(c, kb_arena_printf(c->arena, "%s \"%.*s\" is not a supported language code",
	                                 c->field->name, KB_SV_ARG(kb_utf8_head(text, SHOWN))));
}

static bool check_color(const struct check *c, struct kb_sv text)
{
	bool ok = text.n == 4 || text.n == 5 || text.n == 7 || text.n == 9;

	for (size_t i = 0; ok && i < text.n; i++)
		ok = i == 0 ? text.p[0] == '#'
		            : text.p[i] && strchr("0123456789abcdefABCDEF", text.p[i]);
	return ok ? true
	          : refuse(c, kb_arena_printf(c->arena,
	                                      "%s must be a hexadecimal colour such as #1A2B3C, "
	                                      "at most %" PRId64 " characters",
	                                      c->field->name, c->field->max));
}

static bool check_text(const struct check *c, const struct kb_setting_input *input,
                       struct kb_setting_value *value)
{
	struct kb_sv text = is_free(c->field) ? input->text : kb_sv_trim(input->text);
	bool ok = false;

	if (input->kind != KB_INPUT_TEXT)
		return refuse(c, kb_arena_printf(c->arena, "%s must be a text", c->field->name));
	if (!kb_utf8_valid(text))
		return check_plain(c, text);
	switch (c->field->form) {
	case KB_FORM_CHOICE:
		ok = check_choice(c, text);
		break;
	case KB_FORM_LANGUAGE:
		ok = check_language(c, text);
		break;
	case KB_FORM_COLOR:
		ok = check_color(c, text);
		break;
	case KB_FORM_FREE:
	case KB_FORM_MODEL: /* the catalogue is the update's business */
		ok = check_plain(c, text);
		break;
	case KB_FORM_IMAGE: /* has a check of its own */
	case KB_FORM_DOMAIN:
		break;
	}
	if (ok)
		value->text = kb_arena_sv(c->arena, text);
	return ok;
}

/* Whether a text is the address under which the read endpoint shows that picture. The host is not
 * compared: a service may have several. */
static bool is_address_of(struct kb_sv text, struct kb_sv image)
{
	size_t rest = text.n - KB_MIN(text.n, image.n);

	return image.n > 0 && kb_sv_ends(text, image) && (rest == 0 || text.p[rest - 1] == '/');
}

/* A picture that comes as its own address, or as the built-in one's, is no new picture. */
static bool is_known_image(const struct check *c, struct kb_sv text,
                           const struct kb_setting_value *current, struct kb_setting_value *value)
{
	struct kb_setting_value initial = kb_field_default(c->field, KB_SV("en"));

	text = kb_sv_trim(text);
	if (is_address_of(text, current->text))
		*value = *current;
	else if (is_address_of(text, initial.text))
		*value = initial;
	else
		return false;
	return true;
}

/* A picture may come without a file name, and is a text part then. */
static bool check_image(const struct check *c, const struct kb_setting_input *input,
                        const struct kb_setting_value *current, struct kb_setting_value *value,
                        struct kb_setting_image *stored)
{
	struct kb_image image;
	struct kb_err err;
	char name[KB_HASH_HEX];

	if (input->kind != KB_INPUT_FILE && input->kind != KB_INPUT_TEXT)
		return refuse_null(c);
	if (is_known_image(c, input->text, current, value))
		return true;
	if (!kb_image_check(input->text, &image, &err)) {
		refuse_null(c);
		return refuse(c, kb_arena_sv(c->arena, kb_sv_str(err.msg)));
	}
	kb_hash_hex(input->text, name);
	value->text = kb_arena_printf(c->arena, "%s.%s", name, image.extension);
	*stored = (struct kb_setting_image){ .name = c->field->name,
		                             .bytes = input->text,
		                             .mime = image.mime };
	return true;
}

/* A list grows by one item, unless that is blank or there already. */
static bool add_item(const struct check *c, struct kb_sv text, struct kb_sv *items, size_t *count)
{
	struct kb_sv item = kb_sv_trim(text);

	if (item.n == 0)
		return true;
	if (!check_plain(c, item))
		return false;
	if (c->field->form == KB_FORM_DOMAIN && !kb_domain_normalise(c->arena, item, &item))
		return refuse(c, kb_arena_printf(c->arena, "\"%.*s\" is not a host name",
		                                 KB_SV_ARG(kb_utf8_head(item, SHOWN))));
	for (size_t i = 0; i < *count; i++)
		if (kb_sv_eq(items[i], item))
			return true;
	if (*count == (size_t)c->field->max_items)
		return refuse(c, kb_arena_printf(c->arena, "%s has more than %" PRId64 " items",
		                                 c->field->name, c->field->max_items));
	items[(*count)++] = kb_arena_sv(c->arena, item);
	return true;
}

static bool add_items(const struct check *c, const struct kb_setting_input *list,
                      struct kb_sv *items, size_t *count)
{
	bool ok = true;

	for (size_t i = 0; i < list->count && c->sentences->count < KB_SENTENCES; i++) {
		if (list->items[i].kind != KB_INPUT_TEXT)
			return refuse(c, kb_arena_printf(c->arena, "%s must hold texts only",
			                                 c->field->name));
		ok = add_item(c, list->items[i].text, items, count) && ok;
	}
	return ok;
}

/* One value of a form: a JSON array, some host names with commas between, or one item. */
static bool add_text(const struct check *c, struct kb_sv text, struct kb_sv *items, size_t *count)
{
	struct kb_sv trimmed = kb_sv_trim(text), part;
	struct kb_setting_input list;
	const json_t *json = NULL;
	bool ok = true;

	if (kb_sv_starts(trimmed, KB_SV("[")))
		json = kb_json_parse(c->arena, trimmed, NULL);
	if (json) {
		list = kb_setting_input_from_json(c->arena, json);
		return add_items(c, &list, items, count);
	}
	if (c->field->form != KB_FORM_DOMAIN)
		return add_item(c, text, items, count);
	while (c->sentences->count < KB_SENTENCES && kb_sv_split(&trimmed, ',', &part))
		ok = add_item(c, part, items, count) && ok;
	return ok;
}

/* Repeated names gather; a null forgets what came before. */
static bool check_list(const struct check *c, const struct kb_setting_input *const *inputs,
                       size_t input_count, struct kb_setting_value *value)
{
	struct kb_sv *items = KB_NEW_ARRAY(c->arena, (size_t)c->field->max_items, struct kb_sv);
	size_t count = 0;
	bool ok = true;

	for (size_t i = 0; i < input_count && c->sentences->count < KB_SENTENCES; i++) {
		const struct kb_setting_input *input = inputs[i];

		value->is_null = input->kind == KB_INPUT_NULL;
		if (value->is_null) {
			count = 0;
			ok = (c->field->nullable || refuse_null(c)) && ok;
		} else if (input->kind == KB_INPUT_LIST) {
			ok = add_items(c, input, items, &count) && ok;
		} else if (input->kind == KB_INPUT_TEXT) {
			ok = add_text(c, input->text, items, &count) && ok;
		} else {
			ok = refuse(c, kb_arena_printf(c->arena, "%s must be a list of texts",
			                               c->field->name));
		}
	}
	value->list = (struct kb_sv_list){ .v = items, .count = count, .is_null = value->is_null };
	return ok;
}

bool kb_setting_check(struct kb_arena *arena, const struct kb_setting_sent *sent,
                      struct kb_setting_made *out)
{
	const struct kb_setting *field = sent->field;
	const struct kb_setting_input *last = sent->inputs[sent->count - 1];
	struct check c = { .arena = arena, .field = field, .sentences = &out->sentences };
	struct kb_setting_value *value = &out->value;

	*out = (struct kb_setting_made){ 0 };
	if (field->type == KB_FIELD_LIST)
		return check_list(&c, sent->inputs, sent->count, value);
	if (says_null(field, last)) {
		value->is_null = !field->null_resets;
		if (field->null_resets)
			*value = kb_field_default(field, KB_SV("en"));
		return kb_field_takes_null(field) || refuse_null(&c);
	}
	if (field->form == KB_FORM_IMAGE)
		return check_image(&c, last, sent->current, value, &out->image);
	switch (field->type) {
	case KB_FIELD_BOOL:
	case KB_FIELD_NBOOL:
		return check_flag(&c, last, value);
	case KB_FIELD_INT:
	case KB_FIELD_NINT:
		return check_number(&c, last, value);
	case KB_FIELD_TEXT:
	case KB_FIELD_LIST:
		break;
	}
	return check_text(&c, last, value);
}

struct kb_setting_input kb_setting_input_from_json(struct kb_arena *arena, const json_t *json)
{
	struct kb_setting_input input = { .kind = KB_INPUT_OTHER }, *items;
	double fraction;

	switch (json_typeof(json)) {
	case JSON_STRING:
		input.kind = KB_INPUT_TEXT;
		input.text = kb_sv(json_string_value(json), json_string_length(json));
		break;
	case JSON_INTEGER:
		input.kind = KB_INPUT_INT;
		input.number = json_integer_value(json);
		break;
	case JSON_REAL: /* some writers print whole numbers as 3.0 */
		fraction = json_real_value(json);
		if (fabs(fraction) <= INT32_MAX && trunc(fraction) == fraction) {
			input.kind = KB_INPUT_INT;
			input.number = (int64_t)fraction;
		}
		break;
	case JSON_TRUE:
	case JSON_FALSE:
		input.kind = KB_INPUT_BOOL;
		input.flag = json_is_true(json);
		break;
	case JSON_NULL:
		input.kind = KB_INPUT_NULL;
		break;
	case JSON_ARRAY:
		items = KB_NEW_ARRAY(arena, json_array_size(json), struct kb_setting_input);
		for (size_t i = 0; i < json_array_size(json); i++) {
			const json_t *item = json_array_get(json, i);

			/* no field holds lists in a list: what is deeper fits none */
			items[i].kind = KB_INPUT_OTHER;
			if (!json_is_array(item))
				items[i] = kb_setting_input_from_json(arena, item);
		}
		input.kind = KB_INPUT_LIST;
		input.items = items;
		input.count = json_array_size(json);
		break;
	case JSON_OBJECT:
		break;
	}
	return input;
}

bool kb_setting_inputs_from_json(struct kb_arena *arena, json_t *object,
                                 struct kb_setting_inputs *out, struct kb_err *err)
{
	struct kb_setting_input *v;
	void *at;

	if (!json_is_object(object))
		return kb_fail(err, KB_E_INVALID, "the body must be a JSON object of settings");
	v = KB_NEW_ARRAY(arena, json_object_size(object), struct kb_setting_input);
	*out = (struct kb_setting_inputs){ .v = v };
	for (at = json_object_iter(object); at; at = json_object_iter_next(object, at)) {
		v[out->count] = kb_setting_input_from_json(arena, json_object_iter_value(at));
		v[out->count++].name = kb_sv_str(json_object_iter_key(at));
	}
	return true;
}
