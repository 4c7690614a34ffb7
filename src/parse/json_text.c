/*
 * JSON and JSON lines as text: each object of a list is one row "key: value; key.inner: value",
 * with nested objects flattened; long texts are paragraphs of their own; lists of plain values
 * stand behind one key. A pull reader of our own, so that a large file never becomes a tree; what
 * is no JSON after all is read as plain text.
 */
#include <string.h>

#include "base/utf8.h"
#include "parse/format.h"

enum {
	DEPTH_MAX = 500,
	LONG_TEXT = 400,  /* bytes; such a value is a paragraph */
	GROUP_MAX = 4000, /* bytes of one row */
	PATH_MAX_BYTES = 4000,
};

struct level {
	bool list;
	size_t path; /* length of the path outside it */
	size_t base; /* where its keys start in the path */
};

struct reader {
	struct kb_doc *doc; /* NULL: only look whether it is JSON */
	struct kb_sv text;
	size_t at;
	struct kb_buf string; /* of the value in hand */
	struct kb_buf path;   /* "a.b.c" */
	struct kb_buf group;  /* the row in hand */
	struct kb_buf last;   /* key of the value before, to join lists */
	struct level levels[DEPTH_MAX];
	size_t depth, base;
};

static void flush(struct reader *r)
{
	if (r->doc && r->group.n)
		kb_doc_add(r->doc, KB_BLOCK_TABLE, kb_buf_view(&r->group));
	kb_buf_clear(&r->group);
	kb_buf_clear(&r->last);
}

static void blanks(struct reader *r)
{
	while (r->at < r->text.n && strchr(" \t\r\n", r->text.p[r->at]) && r->text.p[r->at])
		r->at++;
}

static bool take(struct reader *r, char c)
{
	blanks(r);
	if (r->at >= r->text.n || r->text.p[r->at] != c)
		return false;
	r->at++;
	return true;
}

static bool hex4(struct reader *r, uint32_t *out)
{
	*out = 0;
	if (r->at + 4 > r->text.n)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = r->text.p[r->at++];

		if (c >= '0' && c <= '9')
			*out = *out << 4 | (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			*out = *out << 4 | (uint32_t)((c | 0x20) - 'a' + 10);
		else
			return false;
	}
	return true;
}

static bool read_escape(struct reader *r)
{
	static const char from[] = "\"\\/bfnrt", to[] = "\"\\/  \n\n ";
	const char *found;
	uint32_t cp, low;
	char utf8[4];

	if (r->at >= r->text.n)
		return false;
	if (r->text.p[r->at] != 'u') {
		found = strchr(from, r->text.p[r->at]);
		if (!found || !*found)
			return false;
		r->at++;
		kb_buf_byte(&r->string, to[found - from]);
		return true;
	}
	r->at++;
	if (!hex4(r, &cp))
		return false;
	if (cp >= 0xd800 && cp < 0xdc00 && r->at + 6 <= r->text.n && r->text.p[r->at] == '\\'
	    && r->text.p[r->at + 1] == 'u') {
		r->at += 2;
		if (!hex4(r, &low))
			return false;
		cp = low >= 0xdc00 && low < 0xe000
		             ? 0x10000 + ((cp - 0xd800) << 10) + (low - 0xdc00)
		             : 0xfffd;
	}
	kb_buf_add(&r->string, utf8, kb_utf8_encode(cp, utf8));
	return true;
}

static bool read_string(struct reader *r)
{
	kb_buf_clear(&r->string);
	if (!take(r, '"'))
		return false;
	while (r->at < r->text.n) {
		size_t from = r->at;

		while (r->at < r->text.n && r->text.p[r->at] != '"' && r->text.p[r->at] != '\\')
			r->at++;
		kb_buf_add(&r->string, r->text.p + from, r->at - from);
		if (r->at >= r->text.n)
			return false;
		if (r->text.p[r->at++] == '"')
			return true;
		if (!read_escape(r))
			return false;
	}
	return false;
}

/* A number or word; null and empty texts say nothing. */
static bool read_plain(struct reader *r)
{
	size_t from = r->at;
	char c = r->at < r->text.n ? r->text.p[r->at] : 0;
	struct kb_sv word;

	while (r->at < r->text.n
	       && ((r->text.p[r->at] >= '0' && r->text.p[r->at] <= '9')
	           || ((r->text.p[r->at] | 0x20) >= 'a' && (r->text.p[r->at] | 0x20) <= 'z')
	           || strchr("+-.", r->text.p[r->at]))
	       && r->text.p[r->at])
		r->at++;
	word = kb_sv_sub(r->text, from, r->at - from);
	kb_buf_clear(&r->string);
	if (kb_sv_eq_str(word, "null"))
		return true;
	kb_buf_sv(&r->string, word);
	return kb_sv_eq_str(word, "true") || kb_sv_eq_str(word, "false")
	       || (word.n && (c == '-' || (c >= '0' && c <= '9')));
}

static void add_value(struct reader *r)
{
	struct kb_sv value = kb_sv_trim(kb_buf_view(&r->string));
	struct kb_sv key = kb_sv_from(kb_buf_view(&r->path), r->base);

	if (!r->doc || !value.n)
		return;
	if (value.n > LONG_TEXT || (value.n > LONG_TEXT / 4 && kb_sv_find_byte(value, '\n') >= 0)) {
		struct kb_sv line;

		flush(r);
		while (kb_sv_split(&value, '\n', &line))
			kb_doc_add(r->doc, KB_BLOCK_PARAGRAPH, line);
		return;
	}
	if (r->group.n + key.n + value.n > GROUP_MAX)
		flush(r);
	if (r->group.n && key.n && kb_sv_eq(key, kb_buf_view(&r->last))) {
		kb_buf_str(&r->group, ", ");
	} else {
		if (r->group.n)
			kb_buf_str(&r->group, "; ");
		if (key.n) {
			kb_buf_sv(&r->group, key);
			kb_buf_str(&r->group, ": ");
		}
	}
	kb_buf_sv(&r->group, value);
	kb_buf_clear(&r->last);
	kb_buf_sv(&r->last, key);
}

static bool enter(struct reader *r, bool list)
{
	/* Objects in a list are rows: their keys start anew. */
	bool row = !list && (!r->depth || r->levels[r->depth - 1].list);

	if (r->depth == DEPTH_MAX)
		return false;
	r->levels[r->depth++] = (struct level){ .list = list, .path = r->path.n, .base = r->base };
	if (row) {
		flush(r);
		r->base = r->path.n + (r->path.n > 0);
	}
	return true;
}

static void leave(struct reader *r)
{
	struct level *level = &r->levels[--r->depth];

	if (r->base != level->base)
		flush(r);
	r->path.n = level->path;
	r->base = level->base;
}

static bool read_key(struct reader *r)
{
	const struct level *level = &r->levels[r->depth - 1];

	r->path.n = level->path;
	if (!read_string(r) || !take(r, ':'))
		return false;
	if (r->path.n + r->string.n + 1 < PATH_MAX_BYTES) {
		if (r->path.n)
			kb_buf_byte(&r->path, '.');
		kb_buf_sv(&r->path, kb_buf_view(&r->string));
	}
	return true;
}

/* One value and all in it, without recursion; false where it is no JSON. */
static bool read_value(struct reader *r)
{
	size_t outside = r->depth;

	for (;;) {
		bool opened = false;

		blanks(r);
		if (r->at >= r->text.n)
			return false;
		if (r->text.p[r->at] == '{' || r->text.p[r->at] == '[') {
			if (!enter(r, r->text.p[r->at++] == '['))
				return false;
			opened = true;
		} else {
			if (r->text.p[r->at] == '"' ? !read_string(r) : !read_plain(r))
				return false;
			add_value(r);
		}
		/* Behind a value: close what ends here, then on to the next value. */
		for (;;) {
			const struct level *level;

			if (r->depth == outside)
				return true;
			level = &r->levels[r->depth - 1];
			if (take(r, level->list ? ']' : '}')) {
				leave(r);
				opened = false;
				continue;
			}
			if (!opened && !take(r, ','))
				return false;
			if (!level->list && !read_key(r))
				return false;
			break;
		}
	}
}

static bool read_all(struct reader *r)
{
	r->at = r->depth = r->base = 0;
	kb_buf_clear(&r->path);
	do {
		if (!read_value(r))
			return false;
		flush(r);
		blanks(r);
	} while (r->at < r->text.n);
	return true;
}

bool kb_json_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	struct reader *r = KB_NEW(doc->arena, struct reader);
	bool ok;

	r->text = kb_input_text(in, doc->arena);
	kb_buf_init(&r->string, doc->text.max);
	kb_buf_init(&r->path, doc->text.max);
	kb_buf_init(&r->group, doc->text.max);
	kb_buf_init(&r->last, doc->text.max);
	ok = read_all(r);
	if (ok) {
		r->doc = doc;
		kb_doc_table(doc);
		ok = read_all(r);
		kb_doc_table_end(doc);
	} else if (r->depth == DEPTH_MAX) {
		kb_fail(err, KB_E_INVALID, "the JSON is nested deeper than %d levels", DEPTH_MAX);
	} else {
		ok = kb_text_read(in, doc, err);
	}
	kb_buf_fini(&r->string);
	kb_buf_fini(&r->path);
	kb_buf_fini(&r->group);
	kb_buf_fini(&r->last);
	return ok;
}

bool kb_jsonl_read(const struct kb_parse_input *in, struct kb_doc *doc, struct kb_err *err)
{
	return kb_json_read(in, doc, err);
}
