#include "store/audit_told.h"

#include "store/store_own.h"

enum { TELL, CHAIN, TOLD };
// clang-format off
static const struct kb_sql sql[] = {
	[TELL] = { "audit_tell", "i",
		"INSERT INTO audit_heads (node, seq, hash, told_seq) VALUES ($1, 0, '', 0) ON CONFLICT (node) DO UPDATE "
		"SET told_seq = CASE WHEN audit_heads.told_seq < 0 THEN audit_heads.seq ELSE audit_heads.told_seq END" },
	[CHAIN] = { "audit_chain", "i", "SELECT seq, told_seq FROM audit_heads WHERE node = $1" },
	[TOLD] = { "audit_told", "ii",
		"UPDATE audit_heads SET told_seq = $2 WHERE node = $1 AND told_seq < $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_audit_told = { "audit_told", sql, KB_COUNTOF(sql) };

static bool tell(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_store *store = arg;

	return kb_db_run(conn, &sql[TELL], KB_VALUES(kb_int(store->node)), NULL, err)
	       && (!store->node || kb_db_run(conn, &sql[TELL], KB_VALUES(kb_int(0)), NULL, err));
}

bool kb_store_audit_tell(struct kb_store *store, struct kb_err *err)
{
	return kb_db_write(store->db, tell, store, err);
}

bool kb_store_audit_chains(struct kb_store *store, struct kb_audit_chain out[KB_AUDIT_CHAINS],
                           struct kb_err *err)
{
	for (size_t i = 0; i < KB_AUDIT_CHAINS; i++) {
		struct kb_db_rows rows;

		out[i] = (struct kb_audit_chain){ .node = i ? 0 : store->node };
		kb_rows_take(&rows, store->db, &sql[CHAIN], KB_VALUES(kb_int(out[i].node)));
		while (kb_rows_next(&rows)) {
			out[i].seq = kb_rows_int(&rows, 0);
			out[i].told = kb_rows_int(&rows, 1);
		}
		if (!kb_rows_close(&rows, err))
			return false;
	}
	return true;
}

struct told {
	int64_t node, seq;
};

static bool told(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct told *in = arg;

	return kb_db_run(conn, &sql[TOLD], KB_VALUES(kb_int(in->node), kb_int(in->seq)), NULL, err);
}

bool kb_store_audit_told(struct kb_store *store, int64_t node, int64_t seq, struct kb_err *err)
{
	return kb_db_write(store->db, told, &(struct told){ node, seq }, err);
}
