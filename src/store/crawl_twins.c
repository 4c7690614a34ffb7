/* Pages of a website that say what another says: found by hash and likeness, freed with the other.
 */
#include "base/simhash.h"
#include "store/crawls_own.h"
#include "store/store_own.h"

enum { NEAR_LOOKED_AT = 200 }; /* of those that share a block of their likeness: mostly it is one */
enum {
	TWIN,
	NEAR_0, /* a block each of the likeness, in their order */
	NEAR_1,
	NEAR_2,
	NEAR_3,
	FREE_COPIES,
};
/* As the indexes have it (migrations/0032). */
#define NEAR(block)                                                                                \
	"SELECT url, likeness FROM pages WHERE agent_id = $1 AND source_id = $2 AND (" block       \
	" & 65535) = $3 AND is_found = 1 AND depth > 0 AND likeness <> 0 ORDER BY id LIMIT $4"
static_assert(NEAR_3 - NEAR_0 + 1 == KB_SIMHASH_BLOCKS && KB_SIMHASH_BLOCK_BITS == 16,
              "the indexes have other blocks");
// clang-format off
static const struct kb_sql sql[] = {
	[TWIN] = { "crawl_twin", "iiti",
		"SELECT url FROM pages WHERE agent_id = $1 AND source_id = $2 AND text_hash = $3 "
		"AND is_found = 1 AND depth > 0 AND id <> $4 ORDER BY id LIMIT 1" },
	[NEAR_0] = { "crawl_near_0", "iiii", NEAR("likeness") },
	[NEAR_1] = { "crawl_near_1", "iiii", NEAR("(likeness >> 16)") },
	[NEAR_2] = { "crawl_near_2", "iiii", NEAR("(likeness >> 32)") },
	[NEAR_3] = { "crawl_near_3", "iiii", NEAR("(likeness >> 48)") },
	[FREE_COPIES] = { "crawl_free_copies", "itt",
		"UPDATE pages SET state = " KB_SQL(PAGE_QUEUED) ", due_at = 0, attempts = 0, to_fetch = 1, " KB_RENDER_AGAIN ", copy_of = '', "
		"crawl_status = " KB_SQL(STATUS_QUEUED) ", index_status = " KB_SQL(STATUS_QUEUED) ", reason = $3 "
		"WHERE agent_id = $1 AND copy_of = $2 AND copy_of <> '' AND state = " KB_SQL(PAGE_DONE) " AND is_found = 0 "
		"AND crawl_status = " KB_SQL(STATUS_OK) " RETURNING id" },
};
// clang-format on
const struct kb_sql_table kb_sql_crawl_twins = { "crawl_twins", sql, KB_COUNTOF(sql) };

/* Those before it in the order are as good. */
static bool find_near(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                      int64_t likeness, struct kb_sv *url, struct kb_err *err)
{
	for (int i = 0; i < KB_SIMHASH_BLOCKS && url->n == 0; i++) {
		int64_t block = (int64_t)kb_simhash_block((uint64_t)likeness, i);
		struct kb_db_rows rows;

		kb_rows_open(&rows, conn, &sql[NEAR_0 + i],
		             KB_VALUES(kb_int(page->agent_id), kb_int(page->source_id),
		                       kb_int(block), kb_int(NEAR_LOOKED_AT)));
		while (kb_rows_next(&rows)) {
			uint64_t other = (uint64_t)kb_rows_int(&rows, 1);

			if (url->n == 0
			    && kb_simhash_distance(other, (uint64_t)likeness) <= KB_SIMHASH_NEAR)
				*url = kb_rows_text(&rows, arena, 0);
		}
		if (!kb_rows_close(&rows, err))
			return false;
	}
	return true;
}

bool kb_crawl_twin(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_page *page,
                   const struct kb_page_result *result, struct kb_twin *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_twin){ 0 };
	kb_rows_open(&rows, conn, &sql[TWIN],
	             KB_VALUES(kb_int(page->agent_id), kb_int(page->source_id),
	                       kb_text(result->text_hash), kb_int(page->id)));
	while (kb_rows_next(&rows))
		*out = (struct kb_twin){ .url = kb_rows_text(&rows, arena, 0), .is_exact = true };
	if (!kb_rows_close(&rows, err))
		return false;
	return out->url.n || result->likeness == 0
	       || find_near(conn, arena, page, result->likeness, &out->url, err);
}

bool kb_crawl_free_copies(struct kb_db_conn *conn, const struct kb_page_row *row,
                          struct kb_totals *totals, struct kb_err *err)
{
	const struct kb_page *page = &row->page;
	struct kb_db_rows rows;

	if (!row->is_found || page->depth == 0)
		return true;
	kb_rows_open(&rows, conn, &sql[FREE_COPIES],
	             KB_VALUES(kb_int(page->agent_id), kb_text(page->url),
	                       kb_text(kb_page_waits_for_host())));
	while (kb_rows_next(&rows))
		totals->pages_crawled--;
	return kb_rows_close(&rows, err);
}
