/* application/x-www-form-urlencoded (WHATWG URL 5.1): query strings and bodies. */
#include <stdlib.h>
#include <string.h>

#include "base/field.h"
#include "http/request.h"
#include "http/upload.h"

/* '+' is a blank, %XX a byte; an escape that is none stays as it is. */
static struct kb_sv decode(struct kb_arena *arena, struct kb_sv text)
{
	char *copy;
	size_t n = 0;

	if (kb_sv_find_byte(text, '%') < 0 && kb_sv_find_byte(text, '+') < 0)
		return text;
	copy = kb_arena_bytes(arena, text.n + 1);
	for (size_t i = 0; i < text.n; i++) {
		int high = -1, low = -1;

		if (text.p[i] == '%' && text.n - i > 2) {
			high = kb_hex_digit(text.p[i + 1]);
			low = kb_hex_digit(text.p[i + 2]);
		}
		if (high >= 0 && low >= 0) {
			copy[n++] = (char)(high * 16 + low);
			i += 2;
		} else {
			copy[n++] = text.p[i] == '+' ? ' ' : text.p[i];
		}
	}
	copy[n] = '\0';
	return kb_sv(copy, n);
}

/* The next pair as it stands in the text; empty ones are skipped. */
static bool next_raw(struct kb_sv *rest, struct kb_sv *name, struct kb_sv *value)
{
	struct kb_sv pair;
	ptrdiff_t at;

	do {
		if (rest->n == 0 || !kb_sv_split(rest, '&', &pair))
			return false;
	} while (pair.n == 0);
	at = kb_sv_find_byte(pair, '=');
	*name = at < 0 ? pair : kb_sv_sub(pair, 0, (size_t)at);
	*value = at < 0 ? kb_sv("", 0) : kb_sv_from(pair, (size_t)at + 1);
	return true;
}

bool kb_urlencoded_next(struct kb_arena *arena, struct kb_sv *rest, struct kb_sv *name,
                        struct kb_sv *value)
{
	if (!next_raw(rest, name, value))
		return false;
	*name = decode(arena, *name);
	*value = decode(arena, *value);
	return true;
}

/* A blank as %20, which readers of paths and of forms take alike. */
void kb_urlencoded_add(struct kb_buf *buf, const char *name, struct kb_sv value)
{
	kb_buf_printf(buf, "&%s=", name);
	for (size_t i = 0; i < value.n; i++) {
		unsigned char c = (unsigned char)value.p[i];

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')
		    || c == '-' || c == '.' || c == '_' || c == '*')
			kb_buf_byte(buf, (char)c);
		else
			kb_buf_printf(buf, "%%%02X", c);
	}
}

struct kb_sv kb_request_query(const struct kb_request *req, const char *name)
{
	struct kb_sv rest = req->query, raw_name, raw_value;

	while (next_raw(&rest, &raw_name, &raw_value))
		if (kb_sv_eq_str(decode(req->arena, raw_name), name))
			return decode(req->arena, raw_value);
	return kb_sv(NULL, 0);
}

bool kb_form_pairs(struct kb_arena *arena, struct kb_sv body, struct kb_form_part **parts,
                   size_t *count, struct kb_err *err)
{
	struct kb_sv rest = body, name, value;
	size_t n = 0;

	while (next_raw(&rest, &name, &value))
		if (++n > KB_FORM_FIELDS_MAX)
			return kb_fail(err, KB_E_TOO_LARGE, "the form has more than %d fields",
			               KB_FORM_FIELDS_MAX);
	*parts = KB_NEW_ARRAY(arena, n, struct kb_form_part);
	*count = n;
	rest = body;
	for (size_t i = 0; i < n; i++) {
		struct kb_form_part *part = &(*parts)[i];

		part->content_type = kb_sv("", 0);
		kb_urlencoded_next(arena, &rest, &part->name, &part->value);
		part->size = (int64_t)part->value.n;
	}
	return true;
}
