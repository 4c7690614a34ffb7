/* Rows of deleted documents inside a write. */
#ifndef KB_STORE_DELETED_OWN_H
#define KB_STORE_DELETED_OWN_H

#include "store/deleted.h"
#include "store/pages_own.h"

/* Puts aside the page and its parts, which are about to be removed. gone_at: until when; one that
 * has passed keeps nothing. */
struct kb_deleted_keep {
	int64_t agent_id, id, now, gone_at;
};
bool kb_deleted_keep(struct kb_db_conn *conn, const struct kb_deleted_keep *keep,
                     struct kb_err *err) KB_MUST_CHECK;

struct kb_deleted_rows {
	struct kb_page_row *v; /* by id */
	int64_t *cited;        /* of each */
	size_t count;
};
/* The document and its parts; none where it is overdue or was never there. */
bool kb_deleted_read(struct kb_db_conn *conn, struct kb_arena *arena,
                     const struct kb_deleted_keep *what, struct kb_deleted_rows *out,
                     struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND in the interface's words. */
bool kb_deleted_missing(struct kb_err *err, int64_t id);
/* Its rows and labels go; *found: there were any. */
bool kb_deleted_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t id, bool *found,
                     struct kb_err *err) KB_MUST_CHECK;
/* The next document that is overdue; agent_id 0: none. */
bool kb_deleted_overdue(struct kb_db_conn *conn, int64_t now, int64_t *agent_id, int64_t *id,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
