/* The record and the lists of a backup: what is written reads back, and nothing else is taken. */
#include "backup/format.h"

#include "base/clock.h"
#include "test.h"

static const char name_a[] = "00a4567890123456789012345678901234567890123456789012345678901234";
static const char name_b[] = "00b4567890123456789012345678901234567890123456789012345678901234";

static struct kb_backup_record example(struct kb_sv lists[1])
{
	struct kb_backup_record record = { .state_at = INT64_C(1795804200000000),
		                           .program = KB_SV("1.0"),
		                           .mark = KB_SV("abcd"),
		                           .held_bytes = 12,
		                           .bytes = KB_PIECE_BYTES + 1,
		                           .lists = lists,
		                           .list_count = 1,
		                           .blobs = 2 };

	lists[0] = kb_sv_str(name_b);
	kb_backup_id(record.state_at, record.id);
	snprintf(record.hash, sizeof(record.hash), "%s", name_a);
	for (int i = 0; i < KB_BLOB_LISTS; i++)
		record.blob_lists[i] = KB_SV("");
	record.blob_lists[0] = kb_sv_str(name_a);
	return record;
}

static void test_round(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sv lists[1];
	struct kb_backup_record record = example(lists), got;
	struct kb_sv text = kb_backup_record_write(&arena, &record);
	struct kb_err err;

	CHECK(t, kb_backup_record_read(&arena, text, &got, &err));
	CHECK_SV(t, kb_sv_str(got.id), record.id);
	CHECK_INT(t, kb_backup_time(got.id), record.state_at);
	CHECK_INT(t, got.bytes, record.bytes);
	CHECK_INT(t, got.list_count, 1);
	CHECK_SV(t, got.lists[0], name_b);
	CHECK_SV(t, got.blob_lists[0], name_a);
	CHECK_INT(t, got.blob_lists[255].n, 0);
	kb_arena_fini(&arena);
}

/* Whatever byte is another one, the record is refused. */
static void test_damage(struct kb_test *t)
{
	struct kb_arena arena = { 0 };
	struct kb_sv lists[1];
	struct kb_backup_record record = example(lists), got;
	struct kb_sv text = kb_backup_record_write(&arena, &record);
	char *bytes = kb_arena_str(&arena, text);
	struct kb_err err;

	for (size_t i = 0; i < text.n; i += 7) {
		struct kb_arena each = { 0 };

		bytes[i] ^= 1;
		CHECK(t, !kb_backup_record_read(&each, kb_sv(bytes, text.n), &got, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
		bytes[i] ^= 1;
		CHECK(t, !kb_backup_record_read(&each, kb_sv(bytes, i), &got, &err));
		kb_arena_fini(&each);
	}
	kb_arena_fini(&arena);
}

/* A record with a right hash that says something impossible. */
static void test_nonsense(struct kb_test *t)
{
	static const char *const rows[] = {
		"{}",
		"[]",
		"{\"format\":1,\"id\":\"../../etc/passwd\"}",
		"{\"format\":1,\"id\":\"20261127T183000.000000Z\",\"state_at\":1,\"missing\":0,"
		"\"held_bytes\":0,\"database\":{\"bytes\":9223372036854775807,\"hash\":"
		"\"00a4567890123456789012345678901234567890123456789012345678901234\",\"lists\":[]}"
		","
		"\"blobs\":{\"count\":0,\"lists\":[]}}",
		"{\"format\":1,\"id\":\"20261127T183000.000000Z\",\"state_at\":1,\"missing\":0,"
		"\"held_bytes\":0,\"database\":{\"bytes\":5,\"hash\":"
		"\"00a4567890123456789012345678901234567890123456789012345678901234\",\"lists\":"
		"[\"../x\"]},\"blobs\":{\"count\":0,\"lists\":[]}}",
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		struct kb_arena arena = { 0 };
		struct kb_backup_record got;
		char hash[KB_HASH_HEX];
		struct kb_err err;

		kb_hash_hex(kb_sv_str(rows[i]), hash);
		CHECK(t, !kb_backup_record_read(&arena,
		                                kb_arena_printf(&arena, "%s\n%s\n", rows[i], hash),
		                                &got, &err));
		CHECK_INT(t, err.code, KB_E_CORRUPT);
		kb_arena_fini(&arena);
	}
}

static void test_newer(struct kb_test *t)
{
	static const char text[] = "{\"format\":2}";
	struct kb_arena arena = { 0 };
	struct kb_backup_record got;
	char hash[KB_HASH_HEX];
	struct kb_err err;

	kb_hash_hex(kb_sv_str(text), hash);
	CHECK(t, !kb_backup_record_read(&arena, kb_arena_printf(&arena, "%s\n%s\n", text, hash),
	                                &got, &err));
	CHECK_INT(t, err.code, KB_E_UNSUPPORTED);
	kb_arena_fini(&arena);
}

static void test_lists(struct kb_test *t)
{
	const struct kb_sv names[] = { kb_sv_str(name_a), kb_sv_str(name_b) };
	const struct kb_sv wrong[] = { names[1], names[0] };
	struct kb_arena arena = { 0 };
	struct kb_sv bytes = kb_blob_list_write(&arena, names, 2), *got;
	struct kb_err err;
	size_t count;

	CHECK(t, kb_blob_list_read(&arena, bytes, 0, &got, &count, &err));
	CHECK_INT(t, count, 2);
	CHECK_SV(t, got[1], name_b);
	CHECK(t, !kb_blob_list_read(&arena, bytes, 1, &got, &count, &err));
	CHECK(t, !kb_blob_list_read(&arena, kb_sv(bytes.p, bytes.n - 1), 0, &got, &count, &err));
	bytes = kb_blob_list_write(&arena, wrong, 2);
	CHECK(t, !kb_blob_list_read(&arena, bytes, 0, &got, &count, &err));
	kb_arena_fini(&arena);
}

static void test_pieces(struct kb_test *t)
{
	static const int64_t list = (int64_t)KB_PIECE_BYTES * KB_PIECES_LIST;
	struct kb_arena arena = { 0 };
	struct kb_sv piece = KB_SV("page page page page"), packed, got;
	struct kb_err err;

	CHECK_INT(t, kb_pieces_in_list(1, 0), 1);
	CHECK_INT(t, kb_pieces_in_list(list, 0), KB_PIECES_LIST);
	CHECK_INT(t, kb_pieces_in_list(list, 1), 0);
	CHECK_INT(t, kb_pieces_in_list(list + 1, 1), 1);
	CHECK(t, kb_piece_pack(&arena, piece, &packed, &err));
	CHECK(t, kb_piece_unpack(&arena, packed, piece.n, &got, &err));
	CHECK(t, kb_sv_eq(piece, got));
	CHECK(t, !kb_piece_unpack(&arena, packed, piece.n - 1, &got, &err));
	CHECK(t, !kb_piece_unpack(&arena, packed, piece.n + 1, &got, &err));
	CHECK(t, !kb_piece_unpack(&arena, kb_sv(packed.p, packed.n - 1), piece.n, &got, &err));
	kb_arena_fini(&arena);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "a record reads back", test_round },
		{ "a damaged record is refused", test_damage },
		{ "a record that cannot be is refused", test_nonsense },
		{ "a record of a newer program is left alone", test_newer },
		{ "lists of blobs are in order", test_lists },
		{ "pieces have their length", test_pieces },
	};

	kb_crypto_init();
	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
