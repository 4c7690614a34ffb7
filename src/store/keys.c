/* Whether a key still holds, past the cache: for answers that outlast a request's own check. */
#include "store/accounts.h"
#include "store/store_impl.h"

enum { KEY_VALID };
// clang-format off
static const struct kb_sql sql[] = {
	[KEY_VALID] = { "key_valid", "i", "SELECT count(*) FROM api_keys WHERE id = $1 AND revoked_at = 0" },
};
// clang-format on
const struct kb_sql_table kb_sql_keys = { "keys", sql, KB_COUNTOF(sql) };

bool kb_store_key_valid(struct kb_store *store, int64_t key_id, bool *valid, struct kb_err *err)
{
	int64_t count = 0;
	bool ok = kb_db_read_int(store->db, &sql[KEY_VALID], KB_VALUES(kb_int(key_id)), 0, &count,
	                         err);

	*valid = count > 0;
	return ok;
}
