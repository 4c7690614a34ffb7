/* The backups of a place (format.h): which there are, and each one's record. Calls block. */
#ifndef KB_BACKUP_PLACE_H
#define KB_BACKUP_PLACE_H

#include "backup/format.h"
#include "blob/blob.h"
#include "blob/seal.h"

/* Where a place is. */
struct kb_backup_where {
	const char *shown; /* as it was given */
	bool in_bucket;
	struct kb_bucket_options bucket;
	const char *cache_dir; /* of a bucket: for blobs that are read to be asked; NULL: none */
	/* All but the names of records is sealed with it (blob/sealed.h); NULL: nothing is. */
	const struct kb_seal_key *key;
	const char *scratch; /* of what is sealed: as in kb_blobs_seal() */
};
/* For who reads: KB_E_NOT_FOUND where it is no place of backups, KB_E_CONFLICT where its backups
 * are sealed and the key is missing or another one, or where there is a key and they are not,
 * KB_E_UNSUPPORTED where a newer program has made them. */
struct kb_blobs *kb_backup_open(const struct kb_backup_where *where, const struct kb_log *log,
                                struct kb_err *err) KB_MUST_CHECK;

/* For who makes backups, in two steps. A directory is made; of records only the names can be read.
 * Asks nothing of a bucket yet. */
struct kb_blobs *kb_backup_reach(const struct kb_backup_where *where, const struct kb_log *log,
                                 struct kb_err *err) KB_MUST_CHECK;
/* Makes a place of backups of what holds nothing, or finds that it is one already. KB_E_CONFLICT as
 * above, and where there are blobs: they are an installation's own, and letting go of backups would
 * remove them. *place may be another one afterwards, which closes this one. */
bool kb_backup_begin(struct kb_blobs **place, const struct kb_backup_where *where,
                     struct kb_err *err) KB_MUST_CHECK;

/* Ids, oldest first. */
struct kb_backup_ids {
	const char **v;
	size_t count;
};
bool kb_backup_ids(struct kb_blobs *place, struct kb_arena *arena, struct kb_backup_ids *out,
                   struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND, KB_E_CORRUPT or KB_E_UNSUPPORTED, with the backup's id. */
bool kb_backup_record(struct kb_blobs *place, struct kb_arena *arena, const char *id,
                      struct kb_backup_record *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_backup_publish(struct kb_blobs *place, const struct kb_backup_record *record,
                       struct kb_err *err) KB_MUST_CHECK;
bool kb_backup_drop(struct kb_blobs *place, const char *id, struct kb_err *err) KB_MUST_CHECK;

/* The one of that id, or the newest that is not younger than that time; NULL: the newest.
 * KB_E_INVALID: `at` is neither; KB_E_NOT_FOUND: there is none so old. */
bool kb_backup_choose(struct kb_blobs *place, struct kb_arena *arena, const char *at,
                      struct kb_backup_record *out, struct kb_err *err) KB_MUST_CHECK;

/* A list of pieces, or one of names of blobs, compared with its name. */
struct kb_piece_list {
	const struct kb_piece *v;
	size_t count;
};
bool kb_backup_pieces(struct kb_blobs *place, struct kb_arena *arena,
                      const struct kb_backup_record *record, size_t list, struct kb_piece_list *out,
                      struct kb_err *err) KB_MUST_CHECK;
struct kb_listed_blobs {
	struct kb_sv *v;
	size_t count;
};
bool kb_backup_names(struct kb_blobs *place, struct kb_arena *arena,
                     const struct kb_backup_record *record, int list, struct kb_listed_blobs *out,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
