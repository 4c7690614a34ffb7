#include "backup/place.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "blob/sealed.h"

enum { BLOB_LIST_BYTES = 256 << 20 }; /* of the blobs with one beginning: two thousand million */
#define CACHE_BYTES (INT64_C(1) << 30)

#define PLACE  "place" /* the record of that name */
#define PLAIN  "backups\n"
#define SEALED "backups, sealed: 1 " /* and the id of the key, and the salt */

/* ---- sealed or not ---- */

/* What the place's own record says. */
struct nature {
	bool is_sealed;
	char key_id[KB_SEAL_ID];
	unsigned char salt[KB_SEAL_SALT];
};

static bool read_nature(struct kb_sv text, struct nature *out)
{
	static_assert((int)KB_SEAL_SALT == (int)KB_HASH_BYTES, "kb_unhex() reads a salt");
	struct kb_sv begin = KB_SV(SEALED);

	*out = (struct nature){ .is_sealed = kb_sv_starts(text, begin) };
	if (!out->is_sealed)
		return kb_sv_eq(text, KB_SV(PLAIN));
	text = kb_sv_trim(kb_sv_from(text, begin.n));
	snprintf(out->key_id, sizeof(out->key_id), "%.*s", KB_SV_ARG(text));
	return kb_unhex(kb_sv_from(text, KB_SEAL_ID), out->salt);
}

static struct kb_sv write_nature(struct kb_arena *arena, const struct kb_seal_key *key)
{
	unsigned char salt[KB_SEAL_SALT];
	char id[KB_SEAL_ID], hex[2 * KB_SEAL_SALT + 1];

	if (!key)
		return KB_SV(PLAIN);
	kb_random(salt, sizeof(salt));
	kb_hex(salt, sizeof(salt), hex);
	kb_seal_key_id(key, id);
	return kb_arena_printf(arena, SEALED "%s %s\n", id, hex);
}

/* The key is the one that the place wants. */
static bool check_key(const struct kb_backup_where *where, const struct nature *nature,
                      struct kb_err *err)
{
	char id[KB_SEAL_ID];

	if (!nature->is_sealed)
		return !where->key
		       || kb_fail(err, KB_E_CONFLICT,
		                  "%s has backups that are not encrypted: name another place for "
		                  "those with a key",
		                  where->shown);
	if (!where->key)
		return kb_fail(err, KB_E_CONFLICT,
		               "%s has backups that are encrypted with the key %s: name its file "
		               "with --backup-key-file",
		               where->shown, nature->key_id);
	kb_seal_key_id(where->key, id);
	return strcmp(id, nature->key_id) == 0
	       || kb_fail(err, KB_E_CONFLICT,
	                  "%s has backups that are encrypted with the key %s, and the one in "
	                  "--backup-key-file is %s",
	                  where->shown, nature->key_id, id);
}

/* What the place's record says of it, with the key that it is to be opened with. */
static bool unlock(struct kb_blobs **place, const struct kb_backup_where *where, struct kb_sv text,
                   struct kb_err *err)
{
	struct kb_seal_keys keys;
	struct nature nature;

	if (!read_nature(text, &nature))
		return kb_fail(err, KB_E_UNSUPPORTED,
		               "%s has backups that were made by a newer program: use that one",
		               where->shown);
	if (!check_key(where, &nature, err))
		return false;
	if (where->key) {
		kb_seal_keys(where->key, nature.salt, &keys);
		*place = kb_blobs_seal(*place, &keys, where->scratch);
		explicit_bzero(&keys, sizeof(keys));
	}
	return true;
}

/* ---- a place ---- */

struct kb_blobs *kb_backup_reach(const struct kb_backup_where *where, const struct kb_log *log,
                                 struct kb_err *err)
{
	if (!where->in_bucket)
		return kb_blobs_open(where->shown, err);
	return kb_blobs_open_bucket(
	        &(struct kb_blobs_bucket){ .options = where->bucket,
	                                   .cache_dir = where->key ? NULL : where->cache_dir,
	                                   .cache_bytes = CACHE_BYTES,
	                                   .is_sealed = where->key != NULL,
	                                   .log = log },
	        err);
}

static bool is_place(const char *directory)
{
	struct kb_arena arena = { 0 };
	bool is = access(kb_arena_printf(&arena, "%s/snapshots/" PLACE, directory).p, F_OK) == 0;

	kb_arena_fini(&arena);
	return is;
}

struct kb_blobs *kb_backup_open(const struct kb_backup_where *where, const struct kb_log *log,
                                struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_blobs *place = NULL;
	struct kb_err why = { 0 };
	struct kb_sv text;
	bool ok = (where->in_bucket || is_place(where->shown)
	           || kb_fail(&why, KB_E_NOT_FOUND, "there is none"))
	          && (place = kb_backup_reach(where, log, err)) != NULL;

	if (ok) {
		ok = kb_blobs_record_get(place, &arena, PLACE, &text, &why)
		     && unlock(&place, where, text, &why);
	}
	if (!ok && why.code == KB_E_NOT_FOUND)
		kb_fail(err, KB_E_NOT_FOUND, "%s is no place of backups", where->shown);
	else if (!ok && why.code)
		kb_fail(err, why.code, "%s", why.msg);
	kb_arena_fini(&arena);
	if (!ok) {
		kb_blobs_close(place);
		place = NULL;
	}
	return place;
}

static bool stop(void *arg, const char *name, int64_t size, int64_t age_s)
{
	(void)name;
	(void)size;
	(void)age_s;
	*(bool *)arg = true;
	return false;
}

/* It has neither a mark nor blobs. */
static bool is_free(struct kb_blobs *place, const char *shown, struct kb_err *err)
{
	char mark[KB_BLOB_MARK];
	bool has = false;

	if (!kb_blobs_mark(place, mark, err) || !kb_blob_each(place, stop, &has, err))
		return false;
	return (!mark[0] && !has)
	       || kb_fail(err, KB_E_CONFLICT,
	                  "%s holds blobs and is no place of backups: name an empty one", shown);
}

bool kb_backup_begin(struct kb_blobs **place, const struct kb_backup_where *where,
                     struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_err why = { 0 };
	struct kb_sv text;
	bool ok = kb_blobs_record_get(*place, &arena, PLACE, &text, &why);

	if (!ok && why.code != KB_E_NOT_FOUND) {
		kb_fail(err, why.code, "%s", why.msg);
	} else if (!ok) {
		text = write_nature(&arena, where->key);
		ok = is_free(*place, where->shown, err)
		     && kb_blobs_record_put(*place, PLACE, text, err);
	}
	ok = ok && unlock(place, where, text, err);
	kb_arena_fini(&arena);
	return ok;
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
