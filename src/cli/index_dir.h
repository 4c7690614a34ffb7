/*
 * The directory that `docent index` builds and searches, outside any service.
 *
 *   current            the number of the build that counts, N, and a line feed
 *   build-N/segment    one segment file
 *   build-N/ids        a line a record: the id that page number n had in the file, from 0
 *   build-N/factors    a model learned from the records (factors.h), from 300 records on
 *   build-N/lsi        the passages' vectors by it
 *   lock               held by a build
 *
 * A build writes a folder of its own, and `current` names it once all of it is on the disk. A build
 * that fails or is killed therefore leaves the index as it was, and the next one removes what it
 * left. One build at a time: `lock` is held while one runs, and another is refused. Searches need
 * no lock; one that has opened an index keeps it. One thread.
 */
#ifndef KB_CLI_INDEX_DIR_H
#define KB_CLI_INDEX_DIR_H

#include "index/factors.h"
#include "index/index.h"

#define KB_INDEX_IDS_MAX KB_GIB(4)

struct kb_index_path {
	char p[4096];
};

/* ---- building ---- */

struct kb_index_draft {
	const char *dir; /* the caller's */
	int64_t number;
	int lock;
};
/* Makes the directory, where it is missing, and an empty folder. */
bool kb_index_draft_open(struct kb_index_draft *draft, const char *dir, struct kb_err *err);
struct kb_index_path kb_index_draft_path(const struct kb_index_draft *draft, const char *name);
/* Takes the place of the index that was there. Each file must be on the disk already. */
bool kb_index_draft_publish(struct kb_index_draft *draft, struct kb_err *err);
/* In any case; removes what was not published. */
void kb_index_draft_close(struct kb_index_draft *draft);

/* ---- searching ---- */

struct kb_index_opened {
	struct kb_segment *segment;
	struct kb_factors *factors; /* NULL: none, and no column */
	struct kb_vectors *column;
	struct kb_snapshot *snapshot;
	struct kb_sv *ids; /* by page id */
	int64_t id_count;
	struct kb_arena arena;
};
/* verify: the checksum of each section too. Close it even when this fails. */
bool kb_index_open(struct kb_index_opened *index, const char *dir, bool verify, struct kb_err *err);
void kb_index_close(struct kb_index_opened *index);

#endif
