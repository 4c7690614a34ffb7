/* One agent as a file: what is written is read the same, and what is not so is told. */
#include <stdlib.h>
#include <string.h>

#include "backup/names.h"
#include "backup/parcel_file.h"
#include "test.h"

static const struct kb_sv agent_columns[] = { { "id", 2 }, { "name", 4 } };
static const struct kb_sv page_columns[] = { { "agent_id", 8 }, { "id", 2 }, { "title", 5 } };
static const struct kb_parcel_table agents = { { "agents", 6 }, agent_columns, "in", 2 };
static const struct kb_parcel_table pages = { { "pages", 5 }, page_columns, "iin", 3 };

struct bytes {
	char *p;
	size_t n, at;
};

static ssize_t read_bytes(void *arg, void *to, size_t n)
{
	struct bytes *in = arg;
	size_t count = KB_MIN(KB_MIN(n, in->n - in->at), (size_t)7); /* in small pieces */

	memcpy(to, in->p + in->at, count);
	in->at += count;
	return (ssize_t)count;
}

static void write_blob(struct kb_test *t, struct kb_parcel_writer *w, const char *text)
{
	char hex[KB_HASH_HEX];
	struct kb_err err;
	FILE *file = tmpfile();

	kb_hash_hex(kb_sv_str(text), hex);
	fputs(text, file);
	fflush(file);
	CHECK(t,
	      kb_parcel_write_blob(w, kb_sv_str(hex), fileno(file), (int64_t)strlen(text), &err));
	fclose(file);
}

/* Numbers at their ends, texts that are nothing, empty, and of odd bytes. */
static void write_file(struct kb_test *t, struct bytes *out)
{
	const struct kb_db_value agent[] = { kb_int(7), kb_nullable(KB_SV("Library")) };
	const struct kb_db_value rows[] = {
		kb_int(7), kb_int(INT64_MAX), kb_nullable((struct kb_sv){ 0 }),
		kb_int(7), kb_int(INT64_MIN), kb_nullable(KB_SV("")),
		kb_int(7), kb_int(-1),        kb_nullable(kb_sv("a\0b\xff", 4)),
	};
	struct kb_parcel_writer w = { .path = "memory" };
	struct kb_err err;

	w.file = open_memstream(&out->p, &out->n);
	CHECK(t, kb_parcel_write_head(&w,
	                              &(struct kb_parcel_head){ .program = KB_SV("1.0"),
	                                                        .name = KB_SV("Library"),
	                                                        .agent_id = 7,
	                                                        .state_at = 12,
	                                                        .talks = true },
	                              &err));
	write_blob(t, &w, "the first");
	write_blob(t, &w, "");
	CHECK(t,
	      kb_parcel_write_table(&w, &agents, &err)
	              && kb_parcel_write_rows(&w, &agents, &(struct kb_parcel_rows){ agent, 1 },
	                                      &err)
	              && kb_parcel_write_table(&w, &pages, &err)
	              && kb_parcel_write_rows(&w, &pages, &(struct kb_parcel_rows){ rows, 3 }, &err)
	              && kb_parcel_write_end(&w, &err));
	fclose(w.file);
	out->at = 0;
}

/* Everything, with all that is in it looked at. */
static bool read_all(struct bytes *in, size_t *values, struct kb_err *err)
{
	struct kb_parcel_reader r = { .read = read_bytes, .arg = in };
	struct kb_arena arena = { 0 };
	struct kb_parcel_table table = { 0 };
	struct kb_parcel_head head;
	struct kb_parcel_rows rows;
	bool ok = kb_parcel_read_head(&r, &arena, &head, err) && kb_parcel_read_next(&r, err);
	char piece[4];
	size_t got;

	*values = 0;
	in->at = ok ? in->at : in->n;
	while (ok && r.frame != KB_PARCEL_FRAME_END) {
		got = 1;
		if (r.frame == KB_PARCEL_FRAME_TABLE)
			ok = kb_parcel_read_table(&r, &arena, &table, err);
		else if (r.frame == KB_PARCEL_FRAME_ROWS)
			ok = kb_parcel_read_rows(&r, &arena, &table, &rows, err);
		while (ok && r.frame == KB_PARCEL_FRAME_BLOB && got)
			ok = kb_parcel_read_blob(&r, piece, sizeof(piece), &got, err);
		if (ok && r.frame == KB_PARCEL_FRAME_ROWS)
			*values += rows.count * table.count;
		ok = ok && kb_parcel_read_next(&r, err);
	}
	ok = ok && kb_parcel_read_end(&r, err);
	kb_arena_fini(&arena);
	return ok;
}

static void test_same(struct kb_test *t)
{
	struct bytes file = { 0 };
	struct kb_parcel_reader r = { .read = read_bytes, .arg = &file };
	struct kb_arena arena = { 0 };
	struct kb_parcel_table table;
	struct kb_parcel_head head;
	struct kb_parcel_rows rows;
	char piece[64], hex[KB_HASH_HEX];
	struct kb_err err;
	size_t got;

	write_file(t, &file);
	CHECK(t, kb_parcel_read_head(&r, &arena, &head, &err));
	CHECK(t, head.agent_id == 7 && head.talks && kb_sv_eq(head.name, KB_SV("Library")));
	CHECK(t, kb_parcel_read_next(&r, &err) && r.frame == KB_PARCEL_FRAME_BLOB);
	CHECK(t, kb_parcel_read_blob(&r, piece, sizeof(piece), &got, &err) && got == 9);
	kb_hash_hex(kb_sv(piece, got), hex);
	CHECK(t, strcmp(hex, r.blob) == 0);
	CHECK(t, kb_parcel_read_next(&r, &err) && r.frame == KB_PARCEL_FRAME_BLOB);
	CHECK(t, kb_parcel_read_next(&r, &err) && r.frame == KB_PARCEL_FRAME_TABLE);
	CHECK(t, kb_parcel_read_table(&r, &arena, &table, &err) && table.count == 2);
	CHECK(t, kb_parcel_read_next(&r, &err) && kb_parcel_read_next(&r, &err));
	CHECK(t, kb_parcel_read_table(&r, &arena, &table, &err)
	                 && kb_sv_eq(table.name, KB_SV("pages"))
	                 && strcmp(table.letters, "iin") == 0);
	CHECK(t, kb_parcel_read_next(&r, &err) && r.frame == KB_PARCEL_FRAME_ROWS);
	CHECK(t, kb_parcel_read_rows(&r, &arena, &table, &rows, &err) && rows.count == 3);
	CHECK(t, rows.values[1].n == INT64_MAX && !rows.values[2].text.p);
	CHECK(t, rows.values[4].n == INT64_MIN && rows.values[5].text.p && !rows.values[5].text.n);
	CHECK(t, rows.values[7].n == -1 && kb_sv_eq(rows.values[8].text, kb_sv("a\0b\xff", 4)));
	kb_arena_fini(&arena);
	free(file.p);
}

/* Every beginning of it, and it with each of its bytes changed. */
static void test_damage(struct kb_test *t)
{
	struct bytes file = { 0 };
	struct kb_err err = { 0 };
	size_t whole, values;

	write_file(t, &file);
	whole = file.n;
	CHECK(t, read_all(&file, &values, &err) && values == 11);
	for (size_t n = 0; n < whole; n++) {
		struct bytes part = { file.p, n, 0 };

		CHECK(t, !read_all(&part, &values, &err) && err.code == KB_E_CORRUPT);
	}
	for (size_t i = 0; i < whole; i++) {
		struct bytes bad = { file.p, whole, 0 };

		file.p[i] ^= 4;
		CHECK(t, !read_all(&bad, &values, &err));
		CHECK(t, err.code == KB_E_CORRUPT || err.code == KB_E_UNSUPPORTED);
		file.p[i] ^= 4;
	}
	free(file.p);
}

static void test_longer(struct kb_test *t)
{
	struct bytes file = { 0 };
	struct kb_err err = { 0 };
	size_t values;

	write_file(t, &file);
	file.p = kb_xrealloc(file.p, file.n + 1);
	file.p[file.n++] = 'x';
	CHECK(t, !read_all(&file, &values, &err));
	CHECK(t, strcmp(err.msg, "something stands behind its end") == 0);
	free(file.p);
}

static void test_names(struct kb_test *t)
{
	struct kb_names names = { 0 };
	char hex[KB_HASH_HEX];

	for (int pass = 0; pass < 2; pass++)
		for (int i = 0; i < 5000; i++) {
			kb_hash_hex(kb_sv((const char *)&i, sizeof(i)), hex);
			CHECK(t, kb_names_has(&names, kb_sv_str(hex)) == pass);
			CHECK(t, kb_names_add(&names, kb_sv_str(hex)) == !pass);
		}
	memset(hex, '0', KB_HASH_HEX - 1);
	CHECK(t, !kb_names_has(&names, kb_sv_str(hex)));
	CHECK(t, kb_names_add(&names, kb_sv_str(hex)) && kb_names_has(&names, kb_sv_str(hex)));
	CHECK(t, names.count == 5001);
	kb_names_fini(&names);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is written is read the same", test_same },
		{ "a file that is cut off or damaged anywhere is told", test_damage },
		{ "so is one with something behind its end", test_longer },
		{ "a name is in the set once it was added", test_names },
	};

	kb_crypto_init();
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
