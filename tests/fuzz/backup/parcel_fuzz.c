/* What docent import is given: whatever it is, each frame is as its reader promises, and a file
 * that is taken as whole has its hash. */
#include <string.h>

#include "backup/parcel_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *p;
	size_t n, at;
};

static ssize_t read_bytes(void *arg, void *to, size_t n)
{
	struct bytes *in = arg;
	size_t count = KB_MIN(n, in->n - in->at);

	memcpy(to, in->p + in->at, count);
	in->at += count;
	return (ssize_t)count;
}

static void check_rows(const struct kb_parcel_table *table, const struct kb_parcel_rows *rows)
{
	uint64_t sum = 0;

	KB_ASSERT(rows->count > 0);
	for (size_t i = 0; i < rows->count * table->count; i++) {
		const struct kb_db_value *value = &rows->values[i];

		KB_ASSERT(value->type == table->letters[i % table->count]);
		for (size_t k = 0; k < value->text.n; k++)
			sum += (unsigned char)value->text.p[k];
	}
	KB_ASSERT(sum < UINT64_MAX);
}

static bool read_frame(struct kb_parcel_reader *r, struct kb_arena *arena,
                       struct kb_parcel_table *table, struct kb_err *err)
{
	struct kb_parcel_rows rows;
	char piece[100];
	size_t got = 1;

	if (r->frame == KB_PARCEL_FRAME_TABLE) {
		if (!kb_parcel_read_table(r, arena, table, err))
			return false;
		KB_ASSERT(table->count > 0 && strlen(table->letters) == table->count);
		return true;
	}
	if (r->frame == KB_PARCEL_FRAME_ROWS) {
		if (!kb_parcel_read_rows(r, arena, table, &rows, err))
			return false;
		check_rows(table, &rows);
		return true;
	}
	while (got)
		if (!kb_parcel_read_blob(r, piece, sizeof(piece), &got, err))
			return false;
	return true;
}

static bool read_file(struct bytes *in, struct kb_err *err)
{
	struct kb_parcel_reader r = { .read = read_bytes, .arg = in };
	struct kb_arena arena = { 0 };
	struct kb_parcel_table table = { 0 };
	struct kb_parcel_head head;
	bool ok = kb_parcel_read_head(&r, &arena, &head, err) && kb_parcel_read_next(&r, err);

	while (ok && r.frame != KB_PARCEL_FRAME_END)
		ok = read_frame(&r, &arena, &table, err) && kb_parcel_read_next(&r, err);
	ok = ok && kb_parcel_read_end(&r, err);
	kb_arena_fini(&arena);
	return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes whole = { data, size, 0 };
	struct kb_parcel_reader over = { .read = read_bytes, .arg = &whole };
	struct kb_err err = { 0 };

	if (read_file(&whole, &err)) {
		whole.at = 0;
		KB_ASSERT(kb_parcel_read_over(&over, &err));
	} else {
		KB_ASSERT(err.msg[0]);
	}
	return 0;
}
