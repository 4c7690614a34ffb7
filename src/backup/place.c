#include "backup/place.h"

#include <string.h>
#include <unistd.h>

#include "base/clock.h"

enum { BLOB_LIST_BYTES = 256 << 20 }; /* of the blobs with one beginning: two thousand million */
#define CACHE_BYTES (INT64_C(1) << 30)

#define PLACE "place" /* the record of that name */

static bool is_place(const char *directory)
{
	struct kb_arena arena = { 0 };
	bool is = access(kb_arena_printf(&arena, "%s/snapshots/" PLACE, directory).p, F_OK) == 0;

	kb_arena_fini(&arena);
	return is;
}

struct kb_blobs *kb_backup_open(const struct kb_backup_where *where, bool makes,
                                const struct kb_log *log, struct kb_err *err)
{
	if (where->in_bucket)
		return kb_blobs_open_bucket(
		        &(struct kb_blobs_bucket){ .options = where->bucket,
		                                   .cache_dir = where->cache_dir,
		                                   .cache_bytes = CACHE_BYTES,
		                                   .log = log },
		        err);
	if (!makes && !is_place(where->shown)) {
		kb_fail(err, KB_E_NOT_FOUND, "%s is no place of backups", where->shown);
		return NULL;
	}
	return kb_blobs_open(where->shown, err);
}

static bool stop(void *arg, const char *name, int64_t size, int64_t age_s)
{
	(void)name;
	(void)size;
	(void)age_s;
	*(bool *)arg = true;
	return false;
}

bool kb_backup_begin(struct kb_blobs *place, const char *shown, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_err why = { 0 };
	struct kb_sv text;
	char mark[KB_BLOB_MARK];
	bool is_one = kb_blobs_record_get(place, &arena, PLACE, &text, &why), has = false;

	kb_arena_fini(&arena);
	if (is_one)
		return true;
	if (why.code != KB_E_NOT_FOUND)
		return kb_fail(err, why.code, "%s", why.msg);
	if (!kb_blobs_mark(place, mark, err) || !kb_blob_each(place, stop, &has, err))
		return false;
	if (mark[0] || has)
		return kb_fail(err, KB_E_CONFLICT,
		               "%s holds blobs and is no place of backups: name an empty one",
		               shown);
	return kb_blobs_record_put(place, PLACE, KB_SV("backups\n"), err);
}

bool kb_backup_ids(struct kb_blobs *place, struct kb_arena *arena, struct kb_backup_ids *out,
                   struct kb_err *err)
{
	struct kb_blob_records records;

	*out = (struct kb_backup_ids){ 0 };
	if (!kb_blobs_records(place, arena, &records, err))
		return false;
	out->v = KB_NEW_ARRAY(arena, records.count + 1, const char *);
	for (size_t i = 0; i < records.count; i++) {
		char id[KB_BACKUP_ID];

		if (kb_backup_id_of(records.v[i], id))
			out->v[out->count++] = kb_arena_str(arena, kb_sv_str(id));
	}
	return true;
}

static const char *record_name(struct kb_arena *arena, const char *id)
{
	return kb_arena_printf(arena, "%s.json", id).p;
}

bool kb_backup_record(struct kb_blobs *place, struct kb_arena *arena, const char *id,
                      struct kb_backup_record *out, struct kb_err *err)
{
	struct kb_err why = { 0 };
	struct kb_sv text;

	if (kb_blobs_record_get(place, arena, record_name(arena, id), &text, &why)
	    && kb_backup_record_read(arena, text, out, &why)
	    && (strcmp(out->id, id) == 0
	        || kb_fail(&why, KB_E_CORRUPT, "its record is that of %s", out->id)))
		return true;
	return kb_fail(err, why.code, "the backup %s: %s", id, why.msg);
}

bool kb_backup_publish(struct kb_blobs *place, const struct kb_backup_record *record,
                       struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_sv text = kb_backup_record_write(&arena, record);
	bool ok = text.n <= KB_BLOB_RECORD_BYTES
	                  ? kb_blobs_record_put(place, record_name(&arena, record->id), text, err)
	                  : kb_fail(err, KB_E_TOO_LARGE,
	                            "the database is too large: the record of a backup has %zu "
	                            "bytes, the limit is %d",
	                            text.n, KB_BLOB_RECORD_BYTES);

	kb_arena_fini(&arena);
	return ok;
}

bool kb_backup_drop(struct kb_blobs *place, const char *id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	bool ok = kb_blobs_record_drop(place, record_name(&arena, id), err);

	kb_arena_fini(&arena);
	return ok;
}

bool kb_backup_choose(struct kb_blobs *place, struct kb_arena *arena, const char *at,
                      struct kb_backup_record *out, struct kb_err *err)
{
	char limit[KB_BACKUP_ID] = "9", id[KB_BACKUP_ID];
	struct kb_backup_ids ids;
	int64_t us;

	if (at && kb_backup_id_of(kb_arena_printf(arena, "%s.json", at), id))
		return kb_backup_record(place, arena, id, out, err);
	if (at && !kb_time_parse(kb_sv_str(at), &us))
		return kb_fail(err, KB_E_INVALID,
		               "--at is %s; it must be a time like 2026-11-27T18:30:00Z, or the id "
		               "of a backup",
		               at);
	if (at)
		kb_backup_id(us, limit);
	if (!kb_backup_ids(place, arena, &ids, err))
		return false;
	while (ids.count && strcmp(ids.v[ids.count - 1], limit) > 0)
		ids.count--;
	if (!ids.count)
		return kb_fail(err, KB_E_NOT_FOUND,
		               at ? "there is no backup as old as that" : "there is no backup");
	return kb_backup_record(place, arena, ids.v[ids.count - 1], out, err);
}

static bool read_list(struct kb_blobs *place, struct kb_arena *arena, struct kb_sv name, size_t max,
                      struct kb_sv *out, struct kb_err *err)
{
	return kb_blob_read(place, arena, kb_arena_str(arena, name), max, out, err);
}

bool kb_backup_pieces(struct kb_blobs *place, struct kb_arena *arena,
                      const struct kb_backup_record *record, size_t list, struct kb_piece_list *out,
                      struct kb_err *err)
{
	struct kb_sv bytes;

	*out = (struct kb_piece_list){ .count = kb_pieces_in_list(record->bytes, list) };
	return read_list(place, arena, record->lists[list],
	                 KB_PIECES_LIST * sizeof(struct kb_piece), &bytes, err)
	       && kb_piece_list_read(bytes, out->count, &out->v, err);
}

bool kb_backup_names(struct kb_blobs *place, struct kb_arena *arena,
                     const struct kb_backup_record *record, int list, struct kb_listed_blobs *out,
                     struct kb_err *err)
{
	struct kb_sv bytes = KB_SV("");

	if (record->blob_lists[list].n
	    && !read_list(place, arena, record->blob_lists[list], BLOB_LIST_BYTES, &bytes, err))
		return false;
	return kb_blob_list_read(arena, bytes, list, &out->v, &out->count, err);
}
