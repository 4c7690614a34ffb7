#include "backup/prune.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

enum { GRACE_S = 24 * 3600 };

/* ---- which backups stay ---- */

/* Records are read from the newest one back until one is whole. */
static bool look_at(struct kb_blobs *place, const struct kb_backup_ids *ids, struct kb_kept *out,
                    struct kb_err *err)
{
	bool whole = false;

	for (size_t i = ids->count; i-- > 0;) {
		struct kb_arena arena = { 0 };
		struct kb_backup_record record;
		struct kb_err why = { 0 };

		out[i].at = kb_backup_time(ids->v[i]);
		if (whole)
			continue;
		out[i].is_whole = whole = kb_backup_record(place, &arena, ids->v[i], &record, &why)
		                          && record.missing == 0;
		kb_arena_fini(&arena);
		if (why.code && why.code != KB_E_CORRUPT && why.code != KB_E_NOT_FOUND)
			return kb_fail(err, why.code, "%s", why.msg);
	}
	return true;
}

/* ---- what they name ---- */

/* Names of 32 bytes as they stand in the place, a table with open addressing. */
struct names {
	struct kb_blobs *place;
	unsigned char (*v)[KB_HASH_BYTES];
	bool *used;
	size_t count, capacity; /* a power of two */
};

static size_t slot_of(const struct names *names, const unsigned char *name)
{
	uint64_t hash;
	size_t slot;

	memcpy(&hash, name, sizeof(hash)); /* it is a hash already */
	slot = (size_t)hash & (names->capacity - 1);
	while (names->used[slot] && memcmp(names->v[slot], name, KB_HASH_BYTES) != 0)
		slot = (slot + 1) & (names->capacity - 1);
	return slot;
}

static void add_name(struct names *names, const unsigned char *name)
{
	size_t slot;

	if (names->count * 2 >= names->capacity) {
		struct names more = { .place = names->place,
			              .capacity = KB_MAX(names->capacity * 2, (size_t)1024) };

		more.v = kb_xcalloc(more.capacity, KB_HASH_BYTES);
		more.used = kb_xcalloc(more.capacity, sizeof(bool));
		for (size_t i = 0; i < names->capacity; i++)
			if (names->used[i])
				add_name(&more, names->v[i]);
		free(names->v);
		free(names->used);
		*names = more;
	}
	slot = slot_of(names, name);
	names->count += !names->used[slot];
	names->used[slot] = true;
	memcpy(names->v[slot], name, KB_HASH_BYTES);
}

static bool has_name(const struct names *names, const unsigned char *name)
{
	return names->capacity && names->used[slot_of(names, name)];
}

/* Adds what a record or a list names. False: it was named before, or is no name. */
static bool add_named(struct names *names, const char *hex)
{
	unsigned char name[KB_HASH_BYTES];
	char kept[KB_HASH_HEX];

	kb_blob_name_within(names->place, hex, kept);
	if (!kb_unhex(kb_sv_str(kept), name) || has_name(names, name))
		return false;
	add_name(names, name);
	return true;
}

/* A list that an earlier backup named too is not read again. */
static bool is_new(struct names *names, struct kb_sv hex)
{
	char name[KB_HASH_HEX];

	snprintf(name, sizeof(name), "%.*s", KB_SV_ARG(hex));
	return add_named(names, name);
}

static bool add_pieces(struct kb_blobs *place, const struct kb_backup_record *record, size_t list,
                       struct names *names, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_piece_list pieces;
	bool ok = kb_backup_pieces(place, &arena, record, list, &pieces, err);

	for (size_t i = 0; ok && i < pieces.count; i++) {
		char name[KB_HASH_HEX];

		kb_hex(pieces.v[i].name, KB_HASH_BYTES, name);
		(void)add_named(names, name);
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool add_blobs(struct kb_blobs *place, const struct kb_backup_record *record, int list,
                      struct names *names, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_listed_blobs blobs;
	bool ok = kb_backup_names(place, &arena, record, list, &blobs, err);

	for (size_t i = 0; ok && i < blobs.count; i++)
		(void)add_named(names, blobs.v[i].p);
	kb_arena_fini(&arena);
	return ok;
}

static bool add_record(struct kb_blobs *place, const char *id, struct names *names,
                       struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_backup_record record;
	bool ok = kb_backup_record(place, &arena, id, &record, err);

	for (size_t i = 0; ok && i < record.list_count; i++)
		ok = !is_new(names, record.lists[i]) || add_pieces(place, &record, i, names, err);
	for (int i = 0; ok && i < KB_BLOB_LISTS; i++)
		ok = !is_new(names, record.blob_lists[i])
		     || add_blobs(place, &record, i, names, err);
	kb_arena_fini(&arena);
	return ok;
}

/* ---- what goes ---- */

struct sweep {
	struct kb_blobs *place; /* what names stand in */
	const struct names *names;
	struct kb_pruned *out;
	const struct kb_cancel *cancel;
	bool ok;
	struct kb_err *err;
};

static bool sweep_one(void *arg, const char *hex, int64_t size, int64_t age_s)
{
	struct sweep *in = arg;
	unsigned char name[KB_HASH_BYTES];
	bool done = false;

	in->ok = !kb_cancelled(in->cancel, in->err);
	if (in->ok && age_s >= GRACE_S && kb_unhex(kb_sv_str(hex), name)
	    && !has_name(in->names, name))
		in->ok =
		        kb_blob_remove(in->place, hex, kb_blobs_are_remote(in->place) ? 0 : GRACE_S,
		                       &done, in->err);
	in->out->removed += done;
	in->out->held_bytes += done ? 0 : size;
	return in->ok;
}

/* A record that cannot be read names nobody knows what: then nothing is removed. */
bool kb_backup_sweep(struct kb_blobs *place, const struct kb_cancel *cancel, struct kb_pruned *out,
                     struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct names names = { .place = place };
	struct kb_backup_ids ids = { 0 };
	struct sweep in = { kb_blobs_within(place), &names, out, cancel, true, err };
	bool ok = kb_backup_ids(place, &arena, &ids, err);

	out->removed = out->held_bytes = 0;
	for (size_t i = 0; ok && i < ids.count; i++)
		ok = !kb_cancelled(cancel, err) && add_record(place, ids.v[i], &names, err);
	ok = ok && kb_blob_each(in.place, sweep_one, &in, err) && in.ok
	     && kb_blobs_tidy(place, GRACE_S, err);
	free(names.v);
	free(names.used);
	kb_arena_fini(&arena);
	return ok;
}

bool kb_backup_prune(struct kb_blobs *place, const struct kb_keep *keep, int64_t now,
                     struct kb_pruned *out, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_backup_ids ids;
	struct kb_kept *kept = NULL;
	bool ok = kb_backup_ids(place, &arena, &ids, err);

	*out = (struct kb_pruned){ 0 };
	if (ok) {
		kept = KB_NEW_ARRAY(&arena, ids.count + 1, struct kb_kept);
		ok = look_at(place, &ids, kept, err);
	}
	if (ok)
		kb_keep_judge(keep, now, kept, ids.count);
	for (size_t i = 0; ok && i < ids.count; i++) {
		if (!kept[i].stays)
			ok = kb_backup_drop(place, ids.v[i], err);
		*(kept[i].stays ? &out->kept : &out->dropped) += 1;
	}
	kb_arena_fini(&arena);
	return ok;
}
