/* Reading a parcel, which is foreign. */
#include <string.h>

#include "backup/format.h"
#include "backup/parcel_file_own.h"
#include "base/json.h"

enum { COLUMNS_MAX = KB_SQL_PARAMS };

static bool cut_off(struct kb_err *err)
{
	return kb_fail(err, KB_E_CORRUPT, "it is cut off");
}

static bool damaged(struct kb_err *err)
{
	return kb_fail(err, KB_E_CORRUPT, "it is damaged");
}

static bool get_some(struct kb_parcel_reader *r, void *to, size_t n, size_t *got,
                     struct kb_err *err)
{
	ssize_t count = r->read(r->arg, to, n);

	if (count < 0)
		return kb_fail_errno(err, "it cannot be read");
	*got = (size_t)count;
	return true;
}

static bool get_all(struct kb_parcel_reader *r, void *to, size_t n, struct kb_err *err)
{
	char *at = to;
	size_t got = 0;

	for (size_t have = 0; have < n; have += got)
		if (!get_some(r, at + have, n - have, &got, err))
			return false;
		else if (got == 0)
			return cut_off(err);
	return true;
}

/* Of the frame. */
static bool get(struct kb_parcel_reader *r, void *to, size_t n, struct kb_err *err)
{
	if (n > r->left)
		return damaged(err);
	if (!get_all(r, to, n, err))
		return false;
	kb_hasher_add(&r->hasher, to, n);
	r->left -= n;
	return true;
}

static uint64_t get_le(const unsigned char *from, size_t bytes)
{
	uint64_t n = 0;

	for (size_t i = 0; i < bytes; i++)
		n |= (uint64_t)from[i] << 8 * i;
	return n;
}

static bool read_magic(struct kb_parcel_reader *r, struct kb_err *err)
{
	char found[sizeof(KB_PARCEL_MAGIC) - 1];
	struct kb_err why;

	if (!get_all(r, found, sizeof(found), &why)
	    || memcmp(found, KB_PARCEL_ANY, sizeof(KB_PARCEL_ANY) - 1) != 0)
		return kb_fail(err, KB_E_CORRUPT, "it is no agent that docent export has written");
	if (memcmp(found, KB_PARCEL_MAGIC, sizeof(found)) != 0)
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "it was written by a newer program: use that one");
	kb_hasher_init(&r->hasher);
	kb_hasher_add(&r->hasher, found, sizeof(found));
	r->begun = true;
	return true;
}

/* Which may come behind which. */
static bool may_follow(enum kb_parcel_frame before, unsigned char frame)
{
	switch (before) {
	case KB_PARCEL_FRAME_HEAD:
	case KB_PARCEL_FRAME_BLOB:
		return frame == KB_PARCEL_FRAME_BLOB || frame == KB_PARCEL_FRAME_TABLE;
	case KB_PARCEL_FRAME_TABLE:
		return frame == KB_PARCEL_FRAME_ROWS;
	case KB_PARCEL_FRAME_ROWS:
		return frame == KB_PARCEL_FRAME_ROWS || frame == KB_PARCEL_FRAME_TABLE
		       || frame == KB_PARCEL_FRAME_END;
	case KB_PARCEL_FRAME_END:
		return false;
	}
	return frame == KB_PARCEL_FRAME_HEAD;
}

static bool pass_over(struct kb_parcel_reader *r, struct kb_err *err)
{
	char piece[4096];
	bool ok = true;

	while (ok && r->left)
		ok = get(r, piece, (size_t)KB_MIN((uint64_t)sizeof(piece), r->left), err);
	return ok;
}

static bool read_name(struct kb_parcel_reader *r, struct kb_err *err)
{
	unsigned char raw[KB_HASH_BYTES];

	if (!get(r, raw, KB_HASH_BYTES, err))
		return false;
	kb_hex(raw, KB_HASH_BYTES, r->blob);
	r->sums.blobs++;
	return true;
}

bool kb_parcel_read_next(struct kb_parcel_reader *r, struct kb_err *err)
{
	unsigned char head[KB_PARCEL_FRAME_BYTES];

	if ((!r->begun && !read_magic(r, err)) || !pass_over(r, err)
	    || !get_all(r, head, KB_PARCEL_FRAME_BYTES, err))
		return false;
	if (!may_follow(r->frame, head[0]))
		return damaged(err);
	kb_hasher_add(&r->hasher, head, KB_PARCEL_FRAME_BYTES);
	r->frame = (enum kb_parcel_frame)head[0];
	r->left = get_le(head + 1, KB_PARCEL_FRAME_BYTES - 1);
	if (r->left > INT64_MAX)
		return damaged(err);
	r->sums.tables += r->frame == KB_PARCEL_FRAME_TABLE;
	return r->frame != KB_PARCEL_FRAME_BLOB || read_name(r, err);
}

static bool read_json(struct kb_parcel_reader *r, struct kb_arena *arena, size_t n, json_t **out,
                      struct kb_err *err)
{
	struct kb_err why;
	char *text;

	if (n > KB_PARCEL_JSON_MAX)
		return damaged(err);
	text = kb_arena_bytes(arena, n + 1);
	if (!get(r, text, n, err))
		return false;
	*out = kb_json_parse(arena, kb_sv(text, n), &why);
	return json_is_object(*out) || damaged(err);
}

bool kb_parcel_read_head(struct kb_parcel_reader *r, struct kb_arena *arena,
                         struct kb_parcel_head *out, struct kb_err *err)
{
	json_t *head = NULL;

	if (!kb_parcel_read_next(r, err))
		return false;
	if (!read_json(r, arena, (size_t)r->left, &head, err))
		return false;
	*out = (struct kb_parcel_head){
		.program = kb_json_sv(head, "program", KB_SV("")),
		.name = kb_json_sv(head, "name", KB_SV("")),
		.agent_id = kb_json_int(head, "agent", 0),
		.state_at = kb_json_int(head, "state_at", 0),
		.talks = kb_json_bool(head, "talks", false),
	};
	return kb_json_int(head, "format", 0) == KB_PARCEL_FORMAT || damaged(err);
}

bool kb_parcel_read_blob(struct kb_parcel_reader *r, void *to, size_t n, size_t *got,
                         struct kb_err *err)
{
	*got = (size_t)KB_MIN((uint64_t)n, r->left);
	return get(r, to, *got, err);
}

bool kb_parcel_read_table(struct kb_parcel_reader *r, struct kb_arena *arena,
                          struct kb_parcel_table *out, struct kb_err *err)
{
	const json_t *columns, *column;
	struct kb_sv *names, letters;
	json_t *table = NULL;
	size_t i;

	if (!read_json(r, arena, (size_t)r->left, &table, err))
		return false;
	columns = kb_json_get(table, "columns");
	letters = kb_json_sv(table, "letters", KB_SV(""));
	out->count = json_array_size(columns);
	if (out->count < 1 || out->count > KB_PARCEL_ROWS_COUNT || out->count > COLUMNS_MAX
	    || letters.n != out->count)
		return damaged(err);
	out->columns = names = KB_NEW_ARRAY(arena, out->count, struct kb_sv);
	json_array_foreach(columns, i, column)
	{
		if (!json_is_string(column) || (letters.p[i] != 'i' && letters.p[i] != 'n'))
			return damaged(err);
		names[i] = kb_sv(json_string_value(column), json_string_length(column));
	}
	out->name = kb_json_sv(table, "table", KB_SV(""));
	out->letters = kb_arena_str(arena, letters);
	return true;
}

static bool take_number(struct kb_sv *rest, uint64_t *out)
{
	*out = 0;
	for (unsigned shift = 0; rest->n && shift < 64; shift += 7) {
		unsigned char byte = (unsigned char)*rest->p;

		*rest = kb_sv(rest->p + 1, rest->n - 1);
		if (shift == 63 && byte > 1)
			return false;
		*out |= (uint64_t)(byte & 127) << shift;
		if (byte < 128)
			return true;
	}
	return false;
}

static bool take_value(struct kb_sv *rest, char letter, struct kb_db_value *out)
{
	uint64_t n;

	if (!take_number(rest, &n))
		return false;
	if (letter == 'i') {
		*out = kb_int((int64_t)(n >> 1 ^ (~(n & 1) + 1)));
		return true;
	}
	*out = kb_nullable((struct kb_sv){ 0 });
	if (n == 0)
		return true;
	if (--n > rest->n)
		return false;
	out->text = kb_sv(rest->p, (size_t)n);
	*rest = kb_sv(rest->p + n, rest->n - (size_t)n);
	return true;
}

bool kb_parcel_read_rows(struct kb_parcel_reader *r, struct kb_arena *arena,
                         const struct kb_parcel_table *table, struct kb_parcel_rows *out,
                         struct kb_err *err)
{
	unsigned char head[KB_PARCEL_ROWS_HEAD];
	struct kb_db_value *values;
	struct kb_sv packed, rest;
	size_t bytes, total;
	char *to;

	if (!get(r, head, KB_PARCEL_ROWS_HEAD, err))
		return false;
	bytes = (size_t)get_le(head, 4);
	out->count = (size_t)get_le(head + 4, 4);
	/* A value takes a byte at least. */
	if (bytes > KB_PARCEL_ROWS_BYTES || out->count < 1 || out->count > KB_PARCEL_ROWS_COUNT
	    || r->left > KB_PARCEL_ROWS_BYTES + KB_PARCEL_ROWS_BYTES / 1000 + 1024
	    || out->count > bytes / table->count)
		return damaged(err);
	total = out->count * table->count;
	to = kb_arena_bytes(arena, (size_t)r->left + 1);
	packed = kb_sv(to, (size_t)r->left);
	if (!get(r, to, packed.n, err))
		return false;
	if (!kb_piece_unpack(arena, packed, bytes, &rest, err))
		return damaged(err);
	values = KB_NEW_ARRAY(arena, total, struct kb_db_value);
	for (size_t i = 0; i < total; i++)
		if (!take_value(&rest, table->letters[i % table->count], &values[i]))
			return damaged(err);
	out->values = values;
	r->sums.rows += (int64_t)out->count;
	return rest.n == 0 || damaged(err);
}

static bool is_sum(const struct kb_parcel_reader *r, const json_t *sums)
{
	return kb_json_int(sums, "blobs", -1) == r->sums.blobs
	       && kb_json_int(sums, "tables", -1) == r->sums.tables
	       && kb_json_int(sums, "rows", -1) == r->sums.rows;
}

bool kb_parcel_read_over(struct kb_parcel_reader *r, struct kb_err *err)
{
	r->passes = true;
	while (r->frame != KB_PARCEL_FRAME_END)
		if (!kb_parcel_read_next(r, err))
			return false;
	return kb_parcel_read_end(r, err);
}

bool kb_parcel_read_end(struct kb_parcel_reader *r, struct kb_err *err)
{
	unsigned char is[KB_HASH_BYTES] = { 0 }, should[KB_HASH_BYTES] = { 0 };
	struct kb_arena arena = { 0 };
	char hex[KB_HASH_HEX], more;
	json_t *sums = NULL;
	size_t got = 0;
	bool ok = r->left > KB_HASH_BYTES || damaged(err);

	ok = ok && read_json(r, &arena, (size_t)r->left - KB_HASH_BYTES, &sums, err);
	if (ok) {
		kb_hasher_hex(&r->hasher, hex);
		(void)!kb_unhex(kb_sv_str(hex), is);
		ok = get(r, should, KB_HASH_BYTES, err);
	}
	ok = ok
	     && ((memcmp(is, should, KB_HASH_BYTES) == 0 && (r->passes || is_sum(r, sums)))
	         || damaged(err));
	kb_arena_fini(&arena);
	return ok && get_some(r, &more, 1, &got, err)
	       && (got == 0 || kb_fail(err, KB_E_CORRUPT, "something stands behind its end"));
}
