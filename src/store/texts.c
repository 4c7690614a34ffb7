#include "store/texts.h"

#include <stdlib.h>
#include <utf8proc.h>

#include "base/buf.h"
#include "base/utf8.h"

static bool fold_ascii(struct kb_arena *arena, struct kb_sv text, struct kb_sv *out)
{
	char *p;

	for (size_t i = 0; i < text.n; i++)
		if ((unsigned char)text.p[i] >= 0x80)
			return false;
	p = kb_arena_bytes(arena, text.n + 1);
	for (size_t i = 0; i < text.n; i++)
		p[i] = text.p[i] >= 'A' && text.p[i] <= 'Z' ? (char)(text.p[i] + 32) : text.p[i];
	p[text.n] = '\0';
	*out = kb_sv(p, text.n);
	return true;
}

struct kb_sv kb_store_fold(struct kb_arena *arena, struct kb_sv text)
{
	utf8proc_uint8_t *folded = NULL;
	utf8proc_ssize_t n;
	struct kb_sv out;

	if (fold_ascii(arena, text, &out))
		return out;
	text = kb_utf8_mend(arena, text);
	n = utf8proc_map((const utf8proc_uint8_t *)text.p, (utf8proc_ssize_t)text.n, &folded,
	                 UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT | UTF8PROC_CASEFOLD);
	out = n < 0 ? kb_arena_sv(arena, text)
	            : kb_arena_sv(arena, kb_sv((const char *)folded, (size_t)n));
	free(folded);
	return out;
}

static void add_escaped(struct kb_buf *buf, struct kb_sv text)
{
	for (size_t i = 0; i < text.n; i++) {
		if (text.p[i] == '%' || text.p[i] == '_' || text.p[i] == '\\')
			kb_buf_byte(buf, '\\');
		kb_buf_byte(buf, text.p[i]);
	}
}

bool kb_like_pattern(struct kb_arena *arena, struct kb_sv text, bool wild, struct kb_sv *pattern,
                     struct kb_err *err)
{
	bool any = true; /* the pattern ends with '%' */
	struct kb_buf buf;
	size_t start = 0;

	*pattern = KB_SV("");
	if (text.n == 0)
		return true;
	if (text.n > KB_PATTERN_MAX)
		return kb_fail(err, KB_E_TOO_LARGE,
		               "the text to search for has %zu bytes, the limit is %d", text.n,
		               KB_PATTERN_MAX);
	kb_buf_init(&buf, KB_KIB(256)); /* folding makes at most 18 times as much, escaping twice */
	kb_buf_byte(&buf, '%');
	for (size_t i = 0; i <= text.n; i++) {
		char c = i < text.n ? text.p[i] : '*';

		if (i < text.n && !(wild && (c == '*' || c == '?')))
			continue;
		/* Folded in pieces: a full-width asterisk is no wild card. */
		add_escaped(&buf, kb_store_fold(arena, kb_sv_sub(text, start, i - start)));
		any = any && i == start;
		start = i + 1;
		if (c == '?')
			kb_buf_byte(&buf, '_');
		else if (!any)
			kb_buf_byte(&buf, '%');
		any = c != '?';
	}
	*pattern = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return true;
}

struct kb_sv kb_ids_text(struct kb_arena *arena, const int64_t *ids, size_t count)
{
	struct kb_sv text = KB_SV("");
	struct kb_buf buf;

	if (count == 0)
		return text;
	kb_buf_init(&buf, count * 21);
	for (size_t i = 0; i < count; i++) {
		if (i)
			kb_buf_byte(&buf, ',');
		kb_buf_int(&buf, ids[i]);
	}
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

const int64_t *kb_ids_parse(struct kb_arena *arena, struct kb_sv text, size_t *count)
{
	size_t max = 1;
	struct kb_sv part;
	int64_t *ids;

	*count = 0;
	if (text.n == 0)
		return NULL;
	for (size_t i = 0; i < text.n; i++)
		max += text.p[i] == ',';
	ids = KB_NEW_ARRAY(arena, max, int64_t);
	while (kb_sv_split(&text, ',', &part))
		if (kb_sv_to_int(part, INT64_MIN, INT64_MAX, &ids[*count]))
			++*count;
	return ids;
}

struct kb_sv kb_ids_set(struct kb_arena *arena, const int64_t *ids, size_t count)
{
	if (count == 0)
		return KB_SV("");
	return kb_arena_printf(arena, ",%s,", kb_ids_text(arena, ids, count).p);
}
