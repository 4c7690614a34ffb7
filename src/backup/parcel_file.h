/*
 * One agent as a file, and how it is read.
 *
 *   "docent agent 1\n"                 which format this is
 *   H  { "format": 1, "program", "agent", "name", "talks", "state_at" }
 *   B  a blob's name, 32 bytes, and its bytes           any number of them
 *   T  { "table", "columns": [name…], "letters" }       a table, behind those that it refers to,
 *   R  its rows, some hundred together                  and rows of it, any number of times
 *   E  { "blobs", "tables", "rows" }, and the hash of all that stands before the hash, 32 bytes
 *
 * Each of these is a frame: its letter, its length in eight bytes, little-endian, and so many
 * bytes. R holds the length of its rows and how many they are, four bytes each, and the rows,
 * compressed (zlib). A row has its values in the order of the columns: a number (letter "i") in
 * pieces of seven bits, the sign lowest; a text (letter "n") as its length and one, in the same
 * way, and its bytes; 0: NULL. Blobs come first, so that they can be put as they are read, and what
 * names them behind them.
 *
 * All of this is foreign when it comes back, and is read so, with memory for one frame of rows.
 * A file that is cut, damaged or longer is told as KB_E_CORRUPT; one that is a newer program's as
 * KB_E_UNSUPPORTED. Pure; one thread.
 */
#ifndef KB_BACKUP_PARCEL_FILE_H
#define KB_BACKUP_PARCEL_FILE_H

#include <stdio.h>

#include "base/hash.h"
#include "store/parcel.h"

struct kb_parcel_head {
	struct kb_sv program, name;
	int64_t agent_id, state_at;
	bool talks;
};
struct kb_parcel_sums {
	int64_t blobs, tables, rows;
};

/* ---- writing ---- */

struct kb_parcel_writer {
	FILE *file;
	const char *path; /* for sentences */
	struct kb_hasher hasher;
	struct kb_parcel_sums sums;
	int64_t bytes;
};
bool kb_parcel_write_head(struct kb_parcel_writer *w, const struct kb_parcel_head *head,
                          struct kb_err *err) KB_MUST_CHECK;
/* From a descriptor's beginning. KB_E_CORRUPT: they are not the bytes of that name. */
bool kb_parcel_write_blob(struct kb_parcel_writer *w, struct kb_sv name, int fd, int64_t size,
                          struct kb_err *err) KB_MUST_CHECK;
bool kb_parcel_write_table(struct kb_parcel_writer *w, const struct kb_parcel_table *table,
                           struct kb_err *err) KB_MUST_CHECK;
bool kb_parcel_write_rows(struct kb_parcel_writer *w, const struct kb_parcel_table *table,
                          const struct kb_parcel_rows *rows, struct kb_err *err) KB_MUST_CHECK;
/* Tables and rows that another writer has written, without anything else. */
bool kb_parcel_write_copied(struct kb_parcel_writer *w, const struct kb_parcel_sums *sums,
                            FILE *from, struct kb_err *err) KB_MUST_CHECK;
bool kb_parcel_write_end(struct kb_parcel_writer *w, struct kb_err *err) KB_MUST_CHECK;

/* ---- reading ---- */

enum kb_parcel_frame {
	KB_PARCEL_FRAME_HEAD = 'H',
	KB_PARCEL_FRAME_BLOB = 'B',
	KB_PARCEL_FRAME_TABLE = 'T',
	KB_PARCEL_FRAME_ROWS = 'R',
	KB_PARCEL_FRAME_END = 'E',
};
struct kb_parcel_reader {
	/* Up to n bytes, 0 at the end; -1: errno says why. */
	ssize_t (*read)(void *arg, void *to, size_t n);
	void *arg;

	struct kb_hasher hasher;
	struct kb_parcel_sums sums; /* so far */
	enum kb_parcel_frame frame;
	uint64_t left; /* of it */
	char blob[KB_HASH_HEX];
	bool begun, passes; /* passes: it is read for its hash alone */
};
/* The next frame; what is left of the one before is passed over. The first is the head. */
bool kb_parcel_read_next(struct kb_parcel_reader *r, struct kb_err *err) KB_MUST_CHECK;
bool kb_parcel_read_head(struct kb_parcel_reader *r, struct kb_arena *arena,
                         struct kb_parcel_head *out, struct kb_err *err) KB_MUST_CHECK;
/* Of a blob, up to n bytes; 0: that was all. */
bool kb_parcel_read_blob(struct kb_parcel_reader *r, void *to, size_t n, size_t *got,
                         struct kb_err *err) KB_MUST_CHECK;
bool kb_parcel_read_table(struct kb_parcel_reader *r, struct kb_arena *arena,
                          struct kb_parcel_table *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_parcel_read_rows(struct kb_parcel_reader *r, struct kb_arena *arena,
                         const struct kb_parcel_table *table, struct kb_parcel_rows *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* The rest, without a look at what it says: whether the file is as it was written. */
bool kb_parcel_read_over(struct kb_parcel_reader *r, struct kb_err *err) KB_MUST_CHECK;
/* All of it was there, and nothing comes behind it. */
bool kb_parcel_read_end(struct kb_parcel_reader *r, struct kb_err *err) KB_MUST_CHECK;

#endif
