/* Tables that lead to rows of accounts and agents by what is known from outside. They are written
 * beside these rows; here is what has to be made good where a program of before them wrote since.
 */
#include "store/lookups.h"

#include "store/store_own.h"

/* A table of keys and whose rows they lead to: rows without a way to them, ways that lead nowhere.
 */
#define LOOKUP(table, key, owner, of, value, id)                                                   \
	{ "lookup_" table, "",                                                                     \
	  "INSERT INTO " table " (" key ", " owner ") SELECT r." value ", min(r." id ") FROM " of  \
	  " r WHERE r." value " IS NOT NULL AND NOT EXISTS (SELECT 1 FROM " table                  \
	  " l WHERE l." key " = r." value ") GROUP BY r." value " ON CONFLICT (" key               \
	  ") DO NOTHING" },                                                                        \
	{                                                                                          \
		"lookup_gone_" table, "",                                                          \
		        "DELETE FROM " table " WHERE NOT EXISTS (SELECT 1 FROM " of                \
		        " r WHERE r." id " = " table "." owner " AND r." value " = " table "." key \
		        ")"                                                                        \
	}
// clang-format off
static const struct kb_sql sql[] = {
	LOOKUP("account_handles",  "handle", "account_id", "accounts",   "handle",         "id"),
	LOOKUP("license_keys",     "key",    "agent_id",   "licenses",   "key",            "agent_id"),
	LOOKUP("agent_slugs",      "slug",   "agent_id",   "agents",     "shareable_slug", "id"),
	LOOKUP("talk_link_hashes", "hash",   "agent_id",   "talk_links", "hash",           "agent_id"),
};
// clang-format on
const struct kb_sql_table kb_sql_lookups = { "lookups", sql, KB_COUNTOF(sql) };

static bool mend(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	(void)arg;
	for (size_t i = 0; i < KB_COUNTOF(sql); i++)
		if (!kb_db_run(conn, &sql[i], KB_NO_VALUES, NULL, err))
			return false;
	return true;
}

bool kb_lookups_mend(struct kb_store *store, struct kb_err *err)
{
	return kb_db_write(store->db, mend, NULL, err);
}
