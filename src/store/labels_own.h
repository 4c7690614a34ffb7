/* Labels as the families see them that carry them. */
#ifndef KB_STORE_LABELS_OWN_H
#define KB_STORE_LABELS_OWN_H

#include "db/columns.h"
#include "store/labels.h"

struct kb_index_state;

// clang-format off
/* The columns of labels (columns.h). A copy has ids of its own. */
#define KB_LABEL_ID(FIRST, NEXT) \
	FIRST(i, agent_id,   label.agent_id) \
	NEXT (i, id,         label.id)
#define KB_LABEL_CHANGED(FIRST, NEXT) \
	FIRST(t, name,       label.name) \
	NEXT (t, name_key,   name_key) \
	NEXT (t, users,      users) \
	NEXT (i, deleted_at, label.deleted_at) \
	NEXT (i, updated_at, label.updated_at)
#define KB_LABELS_COPIED(FIRST, NEXT) \
	KB_LABEL_CHANGED(FIRST, NEXT) \
	NEXT (i, created_at, label.created_at)
#define KB_LABELS(FIRST, NEXT) KB_LABEL_ID(FIRST, NEXT) KB_LABELS_COPIED(NEXT, NEXT)
// clang-format on

/*
 * Whose labels a page needs besides its own: (page_id, keeper_id, is_source) of agent $1. A page
 * opens only where each page that it is a part of opens, all the way up, and its source. Nothing is
 * copied, so that nothing is forgotten: what comes later (a new member, another reading) is kept
 * from its first moment. A keeper without labels is none.
 *
 * A checked answer opens where all documents open that it cites, and what keeps these. One that was
 * deleted since carries a label that nobody can name (KB_GONE_LABELS), so it opens nothing.
 */
// clang-format off
#define KB_PAGE_KEEPERS \
	"WITH RECURSIVE inside (page_id, keeper_id) AS (SELECT p.id, w.page_id FROM " \
	"(SELECT DISTINCT page_id FROM page_labels WHERE agent_id = $1 AND EXISTS " \
	"(SELECT 1 FROM pages WHERE agent_id = $1 AND parent_id <> 0)) w CROSS JOIN pages p " \
	"WHERE p.agent_id = $1 AND p.parent_id = w.page_id AND p.parent_id <> 0 " \
	"UNION SELECT p.id, w.keeper_id FROM inside w CROSS JOIN pages p " \
	"WHERE p.agent_id = $1 AND p.parent_id = w.page_id AND p.parent_id <> 0) " \
	"SELECT page_id, keeper_id, 0 AS is_source FROM inside w UNION ALL " \
	"SELECT p.id, w.source_id, 1 FROM " \
	"(SELECT DISTINCT source_id FROM source_labels WHERE agent_id = $1) w " \
	"CROSS JOIN pages p WHERE p.agent_id = $1 AND p.source_id = w.source_id UNION ALL " \
	"SELECT c.page_id, w.keeper_id, 0 FROM (SELECT DISTINCT page_id AS keeper_id FROM page_labels " \
	"WHERE agent_id = $1) w CROSS JOIN verified_cites c WHERE c.agent_id = $1 AND c.cited_id = w.keeper_id " \
	"UNION ALL SELECT c.page_id, w.keeper_id, 0 FROM inside w CROSS JOIN verified_cites c " \
	"WHERE c.agent_id = $1 AND c.cited_id = w.page_id UNION ALL " \
	"SELECT c.page_id, w.source_id, 1 FROM " \
	"(SELECT DISTINCT source_id FROM source_labels WHERE agent_id = $1) w " \
	"CROSS JOIN pages p CROSS JOIN verified_cites c WHERE p.agent_id = $1 AND p.source_id = w.source_id " \
	"AND c.agent_id = $1 AND c.cited_id = p.id UNION ALL " \
	"SELECT page_id, cited_id, 0 FROM verified_cites WHERE agent_id = $1 AND gone = 1"
#define KB_GONE_LABELS \
	"SELECT DISTINCT cited_id, 0 FROM verified_cites WHERE agent_id = $1 AND gone = 1"
/* The pages that some label closes: a request without labels finds the others. */
#define KB_PAGES_LABELLED \
	"SELECT page_id FROM page_labels WHERE agent_id = $1 UNION ALL " \
	"SELECT page_id FROM (" KB_PAGE_KEEPERS ") w"
// clang-format on

bool kb_labels_drop_page(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                         struct kb_err *err) KB_MUST_CHECK;
bool kb_labels_drop_source(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                           struct kb_err *err) KB_MUST_CHECK;
/* What a page carries from now on; the caller publishes it. KB_E_INVALID as for
 * kb_store_page_set_labels(). */
bool kb_labels_set_page(struct kb_db_conn *conn, const struct kb_page_labels *labels,
                        struct kb_err *err) KB_MUST_CHECK;
/* What a source carries from now on. */
struct kb_source_labels {
	int64_t agent_id, source_id;
	const int64_t *ids;
	size_t count;
};
bool kb_labels_set_source(struct kb_db_conn *conn, const struct kb_source_labels *labels,
                          struct kb_err *err) KB_MUST_CHECK;
/* Fills the labels of the state. */
bool kb_labels_state(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                     struct kb_index_state *out, struct kb_err *err) KB_MUST_CHECK;

#endif
