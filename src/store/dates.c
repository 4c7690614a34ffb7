#include "store/dates.h"

#include "base/date.h"
#include "store/lists.h"
#include "store/store_own.h"

enum { AT_ONCE = 8 };
enum { OF };
// clang-format off
static const struct kb_sql sql[] = {
	/* AT_ONCE of them. */
	[OF] = { "page_dates", "iiiiiiiii",
		"WITH w (of_agent, of_id) AS (VALUES ($1, $2), ($1, $3), ($1, $4), ($1, $5), ($1, $6), ($1, $7), ($1, $8), "
		"($1, $9)) SELECT p.id, p.dated_at, p.listed_at, p.last_modified, p.review_at, coalesce((SELECT s.review_at "
		"FROM sources s WHERE s.agent_id = p.agent_id AND s.id = p.source_id), 0) "
		"FROM w JOIN pages p ON p.agent_id = of_agent AND p.id = of_id" },
};
// clang-format on
const struct kb_sql_table kb_sql_dates = { "dates", sql, KB_COUNTOF(sql) };

static int64_t date_of(int64_t dated_at, int64_t listed_at, struct kb_sv last_modified)
{
	return dated_at ? dated_at : listed_at ? listed_at : kb_date_read(last_modified);
}

int64_t kb_page_date(const struct kb_page *page)
{
	return date_of(page->dated_at, page->listed_at, page->last_modified);
}

static void place(const struct kb_page_ids *ids, const struct kb_page_dates *dates,
                  struct kb_page_dates *out)
{
	for (size_t i = 0; i < ids->count; i++)
		if (ids->v[i] == dates->page_id)
			out[i] = *dates;
}

bool kb_store_page_dates(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_page_ids *ids, struct kb_page_dates *out,
                         struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_db_rows rows;

	for (size_t i = 0; i < ids->count; i++)
		out[i] = (struct kb_page_dates){ 0 };
	for (size_t at = 0; at < ids->count; at += AT_ONCE) {
		struct kb_db_value values[1 + AT_ONCE];

		values[0] = kb_int(ids->agent_id);
		for (size_t i = 0; i < AT_ONCE; i++)
			values[1 + i] = kb_int(at + i < ids->count ? ids->v[at + i] : 0);
		kb_rows_take(&rows, store->db, &sql[OF],
		             (struct kb_db_values){ values, KB_COUNTOF(values) });
		while (kb_rows_next(&rows)) {
			int64_t own = kb_rows_int(&rows, 4);
			struct kb_page_dates dates = {
				.page_id = kb_rows_int(&rows, 0),
				.dated_at = date_of(kb_rows_int(&rows, 1), kb_rows_int(&rows, 2),
				                    kb_rows_text(&rows, arena, 3)),
				.review_at = own ? own : kb_rows_int(&rows, 5),
			};

			dates.is_due = dates.review_at && dates.review_at <= now;
			place(ids, &dates, out);
		}
		if (!kb_rows_close(&rows, err))
			return false;
	}
	return true;
}
