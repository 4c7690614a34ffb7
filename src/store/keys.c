/* Whether a key still holds, past the cache: for answers that outlast a request's own check. Which
 * one an operator without a browser's session begins with. */
#include "store/accounts.h"
#include "store/store_own.h"

enum { KEY_VALID, KEY_FIRST };
// clang-format off
static const struct kb_sql sql[] = {
	[KEY_VALID] = { "key_valid", "i", "SELECT count(*) FROM api_keys WHERE id = $1 AND revoked_at = 0" },
	[KEY_FIRST] = { "key_first", "",
		"SELECT id FROM api_keys WHERE revoked_at = 0 AND agents = '' AND person_id = 0 ORDER BY id LIMIT 1" },
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

bool kb_store_key_first(struct kb_store *store, int64_t *id, struct kb_err *err)
{
	if (!kb_db_read_int(store->db, &sql[KEY_FIRST], KB_NO_VALUES, 0, id, err))
		return false;
	return *id
	       || kb_fail(err, KB_E_NOT_FOUND,
	                  "there is no key yet that reaches a whole account; make one with docent "
	                  "key create");
}
