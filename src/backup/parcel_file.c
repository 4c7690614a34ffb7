/* Writing a parcel. */
#include "backup/parcel_file.h"

#include <unistd.h>

#include "backup/format.h"
#include "backup/parcel_file_own.h"
#include "base/buf.h"
#include "base/json.h"

enum { PIECE = 64 << 10 };

static bool put(struct kb_parcel_writer *w, const void *p, size_t n, struct kb_err *err)
{
	kb_hasher_add(&w->hasher, p, n);
	w->bytes += (int64_t)n;
	return fwrite(p, 1, n, w->file) == n || kb_fail_errno(err, "cannot write %s", w->path);
}

static void put_le(unsigned char *to, uint64_t n, size_t bytes)
{
	for (size_t i = 0; i < bytes; i++)
		to[i] = (unsigned char)(n >> 8 * i);
}

static bool put_frame(struct kb_parcel_writer *w, enum kb_parcel_frame frame, uint64_t n,
                      struct kb_err *err)
{
	unsigned char head[KB_PARCEL_FRAME_BYTES] = { (unsigned char)frame };

	put_le(head + 1, n, KB_PARCEL_FRAME_BYTES - 1);
	return put(w, head, KB_PARCEL_FRAME_BYTES, err);
}

/* The text, and the head for it and `more` bytes that the caller puts behind it. */
static bool put_json(struct kb_parcel_writer *w, enum kb_parcel_frame frame, struct kb_buf *buf,
                     size_t more, struct kb_err *err)
{
	bool ok = put_frame(w, frame, buf->n + more, err) && put(w, buf->p, buf->n, err);

	kb_buf_fini(buf);
	return ok;
}

bool kb_parcel_write_head(struct kb_parcel_writer *w, const struct kb_parcel_head *head,
                          struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	kb_hasher_init(&w->hasher);
	kb_buf_init(&buf, KB_PARCEL_JSON_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "format", KB_PARCEL_FORMAT);
	kb_jw_key_sv(&jw, "program", head->program);
	kb_jw_key_int(&jw, "agent", head->agent_id);
	kb_jw_key_sv(&jw, "name", head->name);
	kb_jw_key_bool(&jw, "talks", head->talks);
	kb_jw_key_int(&jw, "state_at", head->state_at);
	kb_jw_end(&jw);
	return put(w, KB_PARCEL_MAGIC, sizeof(KB_PARCEL_MAGIC) - 1, err)
	       && put_json(w, KB_PARCEL_FRAME_HEAD, &buf, 0, err);
}

bool kb_parcel_write_blob(struct kb_parcel_writer *w, struct kb_sv name, int fd, int64_t size,
                          struct kb_err *err)
{
	unsigned char raw[KB_HASH_BYTES];
	char piece[PIECE], hex[KB_HASH_HEX];
	struct kb_hasher hasher;

	if (!kb_unhex(name, raw))
		return kb_fail(err, KB_E_CORRUPT, "%.*s is no name of a blob", KB_SV_ARG(name));
	kb_hasher_init(&hasher);
	if (!put_frame(w, KB_PARCEL_FRAME_BLOB, (uint64_t)size + KB_HASH_BYTES, err)
	    || !put(w, raw, KB_HASH_BYTES, err))
		return false;
	for (int64_t at = 0; at < size;) {
		ssize_t n = pread(fd, piece, (size_t)KB_MIN((int64_t)PIECE, size - at), at);

		if (n < 0)
			return kb_fail_errno(err, "cannot read a blob");
		if (n == 0)
			return kb_fail(err, KB_E_IO, "a blob has become shorter");
		kb_hasher_add(&hasher, piece, (size_t)n);
		if (!put(w, piece, (size_t)n, err))
			return false;
		at += n;
	}
	w->sums.blobs++;
	kb_hasher_hex(&hasher, hex);
	return kb_sv_eq(kb_sv_str(hex), name)
	       || kb_fail(err, KB_E_CORRUPT,
	                  "the blob %.*s is damaged: docent check says what stands on it",
	                  KB_SV_ARG(name));
}

bool kb_parcel_write_table(struct kb_parcel_writer *w, const struct kb_parcel_table *table,
                           struct kb_err *err)
{
	struct kb_buf buf;
	struct kb_jw jw;

	w->sums.tables++;
	kb_buf_init(&buf, KB_PARCEL_JSON_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_sv(&jw, "table", table->name);
	kb_jw_key(&jw, "columns");
	kb_jw_array(&jw);
	for (size_t i = 0; i < table->count; i++)
		kb_jw_sv(&jw, table->columns[i]);
	kb_jw_end(&jw);
	kb_jw_key_str(&jw, "letters", table->letters);
	kb_jw_end(&jw);
	return put_json(w, KB_PARCEL_FRAME_TABLE, &buf, 0, err);
}

/* Seven bits a byte, the lowest first; the top bit says that more follow. */
static void add_number(struct kb_buf *buf, uint64_t n)
{
	for (; n > 127; n >>= 7)
		kb_buf_byte(buf, (char)(n | 128));
	kb_buf_byte(buf, (char)n);
}

static void add_value(struct kb_buf *buf, const struct kb_db_value *value)
{
	if (value->type == 'i') {
		/* 0, -1, 1, -2 … become 0, 1, 2, 3 …: small numbers are short whatever their sign.
		 */
		add_number(buf, (uint64_t)value->n << 1 ^ (value->n < 0 ? UINT64_MAX : 0));
		return;
	}
	add_number(buf, value->text.p ? value->text.n + 1 : 0);
	if (value->text.n)
		kb_buf_sv(buf, value->text);
}

bool kb_parcel_write_rows(struct kb_parcel_writer *w, const struct kb_parcel_table *table,
                          const struct kb_parcel_rows *rows, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	unsigned char head[KB_PARCEL_ROWS_HEAD];
	struct kb_sv packed;
	struct kb_buf buf;
	bool ok;

	kb_buf_init(&buf, KB_PARCEL_ROWS_BYTES);
	for (size_t i = 0; i < rows->count * table->count; i++)
		add_value(&buf, &rows->values[i]);
	ok = !buf.failed
	     || kb_fail(err, KB_E_TOO_LARGE, "rows of %.*s are larger than %d MB together",
	                KB_SV_ARG(table->name), KB_PARCEL_ROWS_BYTES >> 20);
	put_le(head, buf.n, 4);
	put_le(head + 4, rows->count, 4);
	ok = ok && kb_piece_pack(&arena, kb_buf_view(&buf), &packed, err)
	     && put_frame(w, KB_PARCEL_FRAME_ROWS, KB_PARCEL_ROWS_HEAD + packed.n, err)
	     && put(w, head, KB_PARCEL_ROWS_HEAD, err) && put(w, packed.p, packed.n, err);
	w->sums.rows += (int64_t)rows->count;
	kb_buf_fini(&buf);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_parcel_write_copied(struct kb_parcel_writer *w, const struct kb_parcel_sums *sums,
                            FILE *from, struct kb_err *err)
{
	char piece[PIECE];
	size_t n;

	rewind(from);
	while ((n = fread(piece, 1, sizeof(piece), from)) > 0)
		if (!put(w, piece, n, err))
			return false;
	w->sums.tables += sums->tables;
	w->sums.rows += sums->rows;
	return !ferror(from) || kb_fail_errno(err, "cannot read what was kept of the rows");
}

bool kb_parcel_write_end(struct kb_parcel_writer *w, struct kb_err *err)
{
	unsigned char raw[KB_HASH_BYTES];
	char hex[KB_HASH_HEX];
	struct kb_buf buf;
	struct kb_jw jw;

	kb_buf_init(&buf, KB_PARCEL_JSON_MAX);
	kb_jw_init(&jw, &buf);
	kb_jw_object(&jw);
	kb_jw_key_int(&jw, "blobs", w->sums.blobs);
	kb_jw_key_int(&jw, "tables", w->sums.tables);
	kb_jw_key_int(&jw, "rows", w->sums.rows);
	kb_jw_end(&jw);
	if (!put_json(w, KB_PARCEL_FRAME_END, &buf, KB_HASH_BYTES, err))
		return false;
	/* Of all before it, its own frame's head and text among that. */
	kb_hasher_hex(&w->hasher, hex);
	(void)!kb_unhex(kb_sv_str(hex), raw);
	return put(w, raw, KB_HASH_BYTES, err);
}
