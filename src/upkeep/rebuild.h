/* An index that is made anew (repair.h): which of its pages are whole, and which are missing. */
#ifndef KB_UPKEEP_REBUILD_H
#define KB_UPKEEP_REBUILD_H

#include "live/catalog.h"
#include "store/repairs.h"

struct kb_document;
struct kb_segment_writer;

enum {
	KB_REPAIR_LEASE_S = 20, /* so long a repair waits after a kill -9 */
};

struct kb_repair_with {
	struct kb_store *store;
	struct kb_blobs *blobs;
	struct kb_catalog *catalog;
	const struct kb_log *log;
	const char *temp_dir;
	const struct kb_cancel *cancel;
};

/* Segments in the making, one for so much of a writer's memory. */
struct kb_rebuild_parts {
	const struct kb_repair_with *with;
	struct kb_arena *arena;
	struct kb_segment_writer *writer;
	int64_t pages; /* in the writer, and in no segment yet */
	struct kb_segment_new *v;
	size_t count;
};
/* For so many pages at most. */
void kb_rebuild_parts_init(struct kb_rebuild_parts *parts, const struct kb_repair_with *with,
                           struct kb_arena *arena, size_t pages);
/* A zeroed one is fine. */
void kb_rebuild_parts_fini(struct kb_rebuild_parts *parts);
void kb_rebuild_parts_add(struct kb_rebuild_parts *parts, int64_t page_id,
                          const struct kb_document *document);
/* Makes a segment of what is in the writer, if that is much, or there are no more pages. */
bool kb_rebuild_parts_cut(struct kb_rebuild_parts *parts, bool last,
                          struct kb_err *err) KB_MUST_CHECK;

/* One repair on its way. */
struct kb_rebuild {
	const struct kb_repair_with *with;
	const struct kb_repair *repair;
	struct kb_arena arena;
	struct kb_index_state state;
	struct kb_page_list pages; /* that can be found, by id */
	int64_t *whole;            /* ids of those that are in a whole segment, sorted */
	size_t whole_count, whole_capacity;

	int64_t *damaged, *healed;
	size_t damaged_count, healed_count;
	struct kb_rebuild_parts parts;
	struct kb_page_lost *lost;
	size_t lost_count;
	int64_t documents, renewed_us;
};

/* The page's text as it was parsed. KB_E_NOT_FOUND or KB_E_CORRUPT: there is none any more. */
bool kb_rebuild_text(struct kb_blobs *blobs, struct kb_arena *arena, const struct kb_page *page,
                     struct kb_document *out, struct kb_err *err) KB_MUST_CHECK;

/* What is read cannot be had any more: it is damaged or not there. */
bool kb_rebuild_is_gone(const struct kb_err *err);
/* Whether to go on: the service may stop, the lease may pass. */
bool kb_rebuild_goes_on(struct kb_rebuild *in, struct kb_err *err);
/* Fills whole, damaged and healed: damaged segments whose file is whole again, since it was put
 * back. Where another one turns out damaged that is noted in the store, for the next try, and this
 * one fails with what is wrong with it. */
bool kb_rebuild_find_whole(struct kb_rebuild *in, struct kb_err *err);
bool kb_rebuild_is_whole(const struct kb_rebuild *in, int64_t page_id);

#endif
