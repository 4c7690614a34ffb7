/*
 * A place of backups, and how what is in it is read. It is a directory or a bucket, as blobs are
 * (blob/blob.h):
 *
 *   snapshots/place         says that this is such a place, and not the blobs of an installation,
 *                           and whether it is sealed, with which key; written first
 *   snapshots/20261127T183000.000000Z.json
 *                           one backup: a line of JSON, and a line with its hash
 *   ab/cd/abcd…             bytes under their hash, shared by all backups: the blobs of the
 *                           installation, pieces of its database, lists
 *   installation            the mark of the installation whose backups these are
 *
 * A backup holds one state of the database, as SQLite's file whatever database it came from, and
 * names every blob that this state names. Its record is written last, by one atomic put: without it
 * there is no backup, and what is there of one that was ended in the middle is found again by the
 * next. Nothing is written twice or changed. Where the record is, all that it names is.
 *
 *   record  { "format": 1, "id", "state_at", "program", "mark", "missing", "held_bytes",
 *             "database": { "bytes", "hash", "lists": [name…] },
 *             "blobs": { "count", "lists": [name…] } }
 *
 * The database is cut in pieces of KB_PIECE_BYTES, each kept compressed (zlib). A list of pieces
 * has for each of them, in their order, the hash of its bytes and the name of what is kept: 2 x 32
 * bytes, KB_PIECES_LIST pieces a list but for the last. "hash" is over the pieces' hashes. There
 * are KB_BLOB_LISTS lists of blobs, the names that begin with 00, 01, … ff, each sorted, 32 bytes a
 * name; of a beginning that no name has the list is "". "missing" counts blobs that the database
 * named and the installation did not have: where it is not 0 the backup is not whole.
 *
 * In a sealed place (blob/sealed.h) each record but "place" and all bytes are sealed with a key,
 * and names are others.
 *
 * All of this is foreign when it comes back, and is read so. Pure; any thread.
 */
#ifndef KB_BACKUP_FORMAT_H
#define KB_BACKUP_FORMAT_H

#include "base/arena.h"
#include "base/hash.h"

enum {
	KB_PIECE_BYTES = 64 << 10,
	KB_PIECES_LIST = 1024, /* a list of them is of 64 MB */
	KB_BLOB_LISTS = 256,
	KB_BACKUP_ID = 24, /* with its terminator */
};

struct kb_backup_record {
	char id[KB_BACKUP_ID];
	int64_t state_at;
	struct kb_sv program, mark;
	int64_t missing, held_bytes;
	int64_t bytes; /* of the database's file */
	char hash[KB_HASH_HEX];
	struct kb_sv *lists; /* of pieces */
	size_t list_count;
	int64_t blobs;
	struct kb_sv blob_lists[KB_BLOB_LISTS];
};

/* "20261127T183000.000000Z": in the order of times. */
void kb_backup_id(int64_t us, char id[KB_BACKUP_ID]);
int64_t kb_backup_time(const char *id);
/* The id of a record's name; false: it is no record's. */
bool kb_backup_id_of(struct kb_sv name, char id[KB_BACKUP_ID]);

struct kb_sv kb_backup_record_write(struct kb_arena *arena, const struct kb_backup_record *record);
/* KB_E_CORRUPT says what is wrong with it; KB_E_UNSUPPORTED: it is of a newer program. */
bool kb_backup_record_read(struct kb_arena *arena, struct kb_sv text, struct kb_backup_record *out,
                           struct kb_err *err) KB_MUST_CHECK;

/* One piece as a list has it. */
struct kb_piece {
	unsigned char hash[KB_HASH_BYTES], name[KB_HASH_BYTES];
};
/* How many pieces the list `at` of a database of so many bytes has. */
size_t kb_pieces_in_list(int64_t bytes, size_t at);
/* A view of the list's bytes. KB_E_CORRUPT where they are not `count` pieces. */
bool kb_piece_list_read(struct kb_sv bytes, size_t count, const struct kb_piece **out,
                        struct kb_err *err) KB_MUST_CHECK;

/* Names of blobs: sorted, without doubles, all with the beginning `list`. */
bool kb_blob_list_read(struct kb_arena *arena, struct kb_sv bytes, int list, struct kb_sv **out,
                       size_t *count, struct kb_err *err) KB_MUST_CHECK;
struct kb_sv kb_blob_list_write(struct kb_arena *arena, const struct kb_sv *names, size_t count);

/* The other way of kb_hex(); false where the text is no name. */
bool kb_unhex(struct kb_sv hex, unsigned char out[KB_HASH_BYTES]);

/* A piece as it is kept, and back. KB_E_CORRUPT where it is not `bytes` long. */
bool kb_piece_pack(struct kb_arena *arena, struct kb_sv piece, struct kb_sv *out,
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_piece_unpack(struct kb_arena *arena, struct kb_sv packed, size_t bytes, struct kb_sv *out,
                     struct kb_err *err) KB_MUST_CHECK;

#endif
