/* What a place of backups gives: what is taken is as its reader promises, whoever wrote it. The
 * hash of a record is put right, so that what stands before it is read. */
#include <string.h>

#include "backup/format.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_record(struct kb_arena *arena, struct kb_sv json)
{
	struct kb_backup_record record, again;
	char hash[KB_HASH_HEX];
	struct kb_err err;

	kb_hash_hex(json, hash);
	if (!kb_backup_record_read(arena,
	                           kb_arena_printf(arena, "%.*s\n%s\n", KB_SV_ARG(json), hash),
	                           &record, &err)) {
		KB_ASSERT(err.msg[0]);
		return;
	}
	KB_ASSERT(record.bytes > 0 && record.list_count > 0);
	KB_ASSERT(kb_pieces_in_list(record.bytes, record.list_count - 1) > 0);
	KB_ASSERT(kb_pieces_in_list(record.bytes, record.list_count) == 0);
	KB_ASSERT(
	        kb_backup_record_read(arena, kb_backup_record_write(arena, &record), &again, &err));
	KB_ASSERT(strcmp(again.id, record.id) == 0 && again.bytes == record.bytes);
}

static void check_lists(struct kb_arena *arena, struct kb_sv bytes)
{
	struct kb_sv *names, unpacked;
	struct kb_err err;
	size_t count;

	if (bytes.n
	    && kb_blob_list_read(arena, bytes, (unsigned char)bytes.p[0], &names, &count, &err)) {
		struct kb_sv same = kb_blob_list_write(arena, names, count);

		KB_ASSERT(kb_sv_eq(same, bytes));
	}
	if (kb_piece_unpack(arena, bytes, 1000, &unpacked, &err))
		KB_ASSERT(unpacked.n == 1000);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kb_sv bytes = kb_sv((const char *)data, size);
	struct kb_arena arena = { 0 };
	struct kb_backup_record record;
	struct kb_err err;
	char id[KB_BACKUP_ID];

	if (kb_backup_id_of(bytes, id))
		KB_ASSERT(strlen(id) == KB_BACKUP_ID - 1 && !strchr(id, '/'));
	(void)!kb_backup_record_read(&arena, bytes, &record, &err);
	check_record(&arena, bytes);
	check_lists(&arena, bytes);
	kb_arena_fini(&arena);
	return 0;
}
