#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/utf8.h"

static void give_back(void *json)
{
	json_decref(json);
}

/* What is wrong, in words of our own: the library's name its flags and quote the text. */
static const char *complaint(const json_error_t *error)
{
	static const char *const complaints[] = {
		[json_error_stack_overflow] = "it is nested too deeply",
		[json_error_invalid_utf8] = "it is not valid UTF-8",
		[json_error_premature_end_of_input] = "it ends too early",
		[json_error_end_of_input_expected] = "something follows its end",
		[json_error_invalid_syntax] = "what stands there does not belong there",
		[json_error_null_character] = "the character \\u0000 is not taken",
		[json_error_null_byte_in_key] = "the character \\u0000 is not taken",
		[json_error_duplicate_key] = "a name stands twice in one object",
		[json_error_numeric_overflow] = "a number is too large",
	};
	size_t code = (size_t)json_error_code(error);
	const char *text = code < KB_COUNTOF(complaints) ? complaints[code] : NULL;

	return text ? text : "it cannot be read";
}

json_t *kb_json_parse(struct kb_arena *arena, struct kb_sv text, struct kb_err *err)
{
	json_error_t error;
	json_t *json = json_loadb(text.p, text.n, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &error);

	if (!json) {
		kb_fail(err, KB_E_INVALID, "malformed JSON at byte %d: %s", error.position,
		        complaint(&error));
		return NULL;
	}
	kb_arena_on_fini(arena, give_back, json);
	return json;
}

json_t *kb_json_get(const json_t *object, const char *name)
{
	return object ? json_object_get(object, name) : NULL;
}

struct kb_sv kb_json_sv(const json_t *object, const char *name, struct kb_sv otherwise)
{
	json_t *value = kb_json_get(object, name);

	if (!json_is_string(value))
		return otherwise;
	return kb_sv(json_string_value(value), json_string_length(value));
}

int64_t kb_json_int(const json_t *object, const char *name, int64_t otherwise)
{
	json_t *value = kb_json_get(object, name);

	return json_is_integer(value) ? (int64_t)json_integer_value(value) : otherwise;
}

bool kb_json_bool(const json_t *object, const char *name, bool otherwise)
{
	json_t *value = kb_json_get(object, name);

	return json_is_boolean(value) ? json_is_true(value) : otherwise;
}

void kb_jw_init(struct kb_jw *jw, struct kb_buf *buf)
{
	*jw = (struct kb_jw){ .buf = buf };
}

/* The field whose value has just ended on this level, under its second name. */
static void write_again(struct kb_jw *jw)
{
	const char *second = jw->again[jw->depth].second;
	size_t start = jw->again[jw->depth].value, n = jw->buf->n - start;
	char *room;

	if (!second)
		return;
	jw->again[jw->depth].second = NULL;
	kb_buf_printf(jw->buf, ",\"%s\":", second);
	room = kb_buf_room(jw->buf, n);
	if (!room)
		return;
	memcpy(room, jw->buf->p + start, n);
	kb_buf_advance(jw->buf, n);
}

static void before_value(struct kb_jw *jw)
{
	if (jw->comma)
		kb_buf_byte(jw->buf, ',');
	jw->comma = true;
}

static void open_level(struct kb_jw *jw, char open, char close)
{
	before_value(jw);
	KB_ASSERT(jw->depth < KB_JW_DEPTH);
	jw->close[jw->depth++] = close;
	jw->again[jw->depth].second = NULL;
	jw->comma = false;
	kb_buf_byte(jw->buf, open);
}

void kb_jw_object(struct kb_jw *jw)
{
	open_level(jw, '{', '}');
}

void kb_jw_array(struct kb_jw *jw)
{
	open_level(jw, '[', ']');
}

void kb_jw_end(struct kb_jw *jw)
{
	KB_ASSERT(jw->depth > 0);
	write_again(jw);
	kb_buf_byte(jw->buf, jw->close[--jw->depth]);
	jw->comma = true;
}

/* Writes the quoted text. Runs of plain bytes are copied whole. */
static void quoted(struct kb_buf *buf, struct kb_sv text)
{
	const char *p = text.p, *end = text.n ? text.p + text.n : text.p, *plain = p;

	kb_buf_byte(buf, '"');
	while (p < end) {
		unsigned char c = (unsigned char)*p;
		const char *escape = NULL;
		char code[8];
		size_t n = 1;

		if (c >= 0x80) {
			uint32_t cp;

			n = kb_utf8_decode(kb_sv(p, (size_t)(end - p)), &cp);
			if (cp == 0x2028 || cp == 0x2029) {
				snprintf(code, sizeof(code), "\\u%04x", (unsigned)cp);
				escape = code;
			} else if (cp == KB_UTF8_BAD) {
				escape = "\\ufffd";
			}
		} else if (c == '"') {
			escape = "\\\"";
		} else if (c == '\\') {
			escape = "\\\\";
		} else if (c == '\n') {
			escape = "\\n";
		} else if (c == '\t') {
			escape = "\\t";
		} else if (c == '\r') {
			escape = "\\r";
		} else if (c < 0x20 || c == 0x7f || c == '<' || c == '>' || c == '&') {
			snprintf(code, sizeof(code), "\\u%04x", c);
			escape = code;
		}
		if (escape) {
			kb_buf_add(buf, plain, (size_t)(p - plain));
			kb_buf_str(buf, escape);
			plain = p + n;
		}
		p += n;
	}
	kb_buf_add(buf, plain, (size_t)(p - plain));
	kb_buf_byte(buf, '"');
}

static void write_key(struct kb_jw *jw, const char *name, bool is_field)
{
	const char *second = NULL;

	write_again(jw);
	if (jw->aliases && is_field)
		second = kb_alias_second(&jw->aliases->fields, kb_sv_str(name));
	before_value(jw);
	quoted(jw->buf, kb_sv_str(name));
	kb_buf_byte(jw->buf, ':');
	jw->comma = false;
	jw->again[jw->depth].second = second;
	jw->again[jw->depth].value = jw->buf->n;
}

void kb_jw_key(struct kb_jw *jw, const char *name)
{
	write_key(jw, name, !jw->keys_as_they_are);
}

void kb_jw_field(struct kb_jw *jw, const char *name)
{
	write_key(jw, name, true);
}

void kb_jw_choice(struct kb_jw *jw, struct kb_sv text)
{
	const char *second = jw->aliases ? kb_alias_second(&jw->aliases->values, text) : NULL;

	kb_jw_sv(jw, second ? kb_sv_str(second) : text);
}

void kb_jw_sv(struct kb_jw *jw, struct kb_sv text)
{
	before_value(jw);
	quoted(jw->buf, text);
}

void kb_jw_str(struct kb_jw *jw, const char *text)
{
	if (text)
		kb_jw_sv(jw, kb_sv_str(text));
	else
		kb_jw_null(jw);
}

void kb_jw_int(struct kb_jw *jw, int64_t n)
{
	before_value(jw);
	kb_buf_int(jw->buf, n);
}

void kb_jw_double(struct kb_jw *jw, double n)
{
	char text[32];

	before_value(jw);
	if (!isfinite(n)) {
		kb_buf_str(jw->buf, "null");
		return;
	}
	snprintf(text, sizeof(text), "%.15g", n);
	if (strtod(text, NULL) != n)
		snprintf(text, sizeof(text), "%.17g", n);
	kb_buf_str(jw->buf, text);
}

void kb_jw_bool(struct kb_jw *jw, bool b)
{
	before_value(jw);
	kb_buf_str(jw->buf, b ? "true" : "false");
}

void kb_jw_null(struct kb_jw *jw)
{
	before_value(jw);
	kb_buf_str(jw->buf, "null");
}

void kb_jw_time(struct kb_jw *jw, int64_t us)
{
	char text[KB_TIME_TEXT];

	kb_time_format(text, us);
	kb_jw_str(jw, text);
}

void kb_jw_raw(struct kb_jw *jw, struct kb_sv json)
{
	before_value(jw);
	kb_buf_sv(jw->buf, json);
}

void kb_jw_key_sv(struct kb_jw *jw, const char *name, struct kb_sv text)
{
	kb_jw_key(jw, name);
	kb_jw_sv(jw, text);
}

void kb_jw_key_str(struct kb_jw *jw, const char *name, const char *text)
{
	kb_jw_key(jw, name);
	kb_jw_str(jw, text);
}

void kb_jw_key_int(struct kb_jw *jw, const char *name, int64_t n)
{
	kb_jw_key(jw, name);
	kb_jw_int(jw, n);
}

void kb_jw_key_int_opt(struct kb_jw *jw, const char *name, int64_t n)
{
	if (n)
		kb_jw_key_int(jw, name, n);
	else
		kb_jw_key_null(jw, name);
}

void kb_jw_key_bool(struct kb_jw *jw, const char *name, bool b)
{
	kb_jw_key(jw, name);
	kb_jw_bool(jw, b);
}

void kb_jw_key_null(struct kb_jw *jw, const char *name)
{
	kb_jw_key(jw, name);
	kb_jw_null(jw);
}

void kb_jw_key_time(struct kb_jw *jw, const char *name, int64_t us)
{
	kb_jw_key(jw, name);
	kb_jw_time(jw, us);
}

void kb_jw_key_time_opt(struct kb_jw *jw, const char *name, int64_t us)
{
	if (us)
		kb_jw_key_time(jw, name, us);
	else
		kb_jw_key_null(jw, name);
}

void kb_jw_key_opt(struct kb_jw *jw, const char *name, struct kb_sv text)
{
	kb_jw_key(jw, name);
	if (text.p)
		kb_jw_sv(jw, text);
	else
		kb_jw_null(jw);
}
