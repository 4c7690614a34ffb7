/* The pages of what is inside a page: files of an archive, films of a page. For pages.c and
 * queue.c. */
#ifndef KB_STORE_PATHS_H
#define KB_STORE_PATHS_H

#include "db/db.h"
#include "store/pages.h"

struct kb_totals;

/* Makes the pages of a page's parts what they are now. *died: one that could be found is dead below
 * `version`. */
struct kb_parts_write {
	struct kb_arena *arena;
	int64_t version, now;
	struct kb_totals *totals;
	bool *died;
};
bool kb_parts_set(struct kb_db_conn *conn, const struct kb_parts_write *write,
                  const struct kb_page *page, const struct kb_page_result *result,
                  struct kb_err *err) KB_MUST_CHECK;
/* The same of the subtitles of the films of a page. */
bool kb_tracks_set(struct kb_db_conn *conn, const struct kb_parts_write *write,
                   const struct kb_page *page, const struct kb_page_result *result,
                   struct kb_err *err) KB_MUST_CHECK;
bool kb_parts_remove(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                     int64_t version, struct kb_totals *totals, struct kb_err *err) KB_MUST_CHECK;

/* The page of a file of a folder; *id is 0 where there is none. */
bool kb_page_at_path(struct kb_db_conn *conn, int64_t agent_id, struct kb_sv path, int64_t *id,
                     struct kb_err *err) KB_MUST_CHECK;

/* New bytes for a page that is there: it is read again, with its id and its labels. */
struct kb_page_row;
struct kb_page_replacing {
	const struct kb_page_new *page;
	struct kb_totals *totals;
	int64_t now;
};
bool kb_page_replace(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_page_row *row,
                     const struct kb_page_replacing *with, struct kb_err *err) KB_MUST_CHECK;

#endif
