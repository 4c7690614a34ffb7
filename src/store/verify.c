/* What must hold between rows, as statements that find where it does not. */
#include <stdio.h>

#include "store/segments.h"
#include "store/store_own.h"

/* The name is the finding; the words after its colon name the columns. */
// clang-format off
static const struct kb_sql sql[] = {
	{ "agents of no account: agent", "",
	  "SELECT id FROM agents WHERE account_id NOT IN (SELECT id FROM accounts)" },
	{ "keys of no account: key", "",
	  "SELECT id FROM api_keys WHERE account_id NOT IN (SELECT id FROM accounts)" },
	{ "months of no account: account", "",
	  "SELECT DISTINCT account_id FROM account_months WHERE account_id NOT IN (SELECT id FROM accounts)" },
	{ "accounts that their handle does not lead to: account", "",
	  "SELECT id FROM accounts a WHERE NOT EXISTS (SELECT 1 FROM account_handles h "
	  "WHERE h.handle = a.handle AND h.account_id = a.id)" },
	{ "handles of no account: account", "",
	  "SELECT account_id FROM account_handles WHERE account_id NOT IN (SELECT id FROM accounts)" },
	{ "licenses that their key does not lead to: agent, license", "",
	  "SELECT agent_id, id FROM licenses l WHERE NOT EXISTS (SELECT 1 FROM license_keys k "
	  "WHERE k.key = l.key AND k.agent_id = l.agent_id) AND " KB_AGENT_SHOWN("l.agent_id") },
	{ "license keys that lead to no license: agent", "",
	  "SELECT agent_id FROM license_keys k WHERE NOT EXISTS (SELECT 1 FROM licenses l "
	  "WHERE l.agent_id = k.agent_id AND l.key = k.key)" },
	{ "agents that their public address does not lead to: agent", "",
	  "SELECT id FROM agents a WHERE shareable_slug IS NOT NULL AND state = 0 AND NOT EXISTS (SELECT 1 FROM agent_slugs s "
	  "WHERE s.slug = a.shareable_slug AND s.agent_id = a.id)" },
	{ "public addresses that lead to no agent: agent", "",
	  "SELECT agent_id FROM agent_slugs s WHERE NOT EXISTS (SELECT 1 FROM agents a "
	  "WHERE a.id = s.agent_id AND a.shareable_slug = s.slug)" },
	{ "links that lead to no conversation's, or are not led to: agent", "",
	  "SELECT agent_id FROM talk_link_hashes h WHERE NOT EXISTS (SELECT 1 FROM talk_links l "
	  "WHERE l.agent_id = h.agent_id AND l.hash = h.hash) UNION ALL SELECT agent_id FROM talk_links l "
	  "WHERE NOT EXISTS (SELECT 1 FROM talk_link_hashes h WHERE h.hash = l.hash AND h.agent_id = l.agent_id) AND " KB_AGENT_SHOWN("l.agent_id") },
	{ "agents without totals: agent", "",
	  "SELECT id FROM agents WHERE state = 0 AND id NOT IN (SELECT agent_id FROM agent_totals)" },
	{ "agents without exactly one upload source: agent", "",
	  "SELECT id FROM agents a WHERE a.state = 0 AND (SELECT count(*) FROM sources s "
	  "WHERE s.agent_id = a.id AND s.type = 'upload' AND s.dead_version = 0) <> 1" },
	{ "totals of no agent: agent", "",
	  "SELECT agent_id FROM agent_totals WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "sources of no agent: agent, source", "",
	  "SELECT agent_id, id FROM sources WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "pages of no agent: agent, page", "",
	  "SELECT agent_id, id FROM pages WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "pages of no source: agent, page, source", "",
	  "SELECT agent_id, id, source_id FROM pages p WHERE NOT EXISTS (SELECT 1 FROM sources s "
	  "WHERE s.agent_id = p.agent_id AND s.id = p.source_id)" },
	{ "deleted documents of no agent: agent, document", "",
	  "SELECT agent_id, id FROM deleted_pages WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "deleted documents that are there: agent, document", "",
	  "SELECT agent_id, id FROM deleted_pages d WHERE EXISTS (SELECT 1 FROM pages p "
	  "WHERE p.agent_id = d.agent_id AND p.id = d.id)" },
	{ "labels of no deleted document: agent, document, label", "",
	  "SELECT agent_id, page_id, label_id FROM deleted_labels l WHERE NOT EXISTS (SELECT 1 "
	  "FROM deleted_pages d WHERE d.agent_id = l.agent_id AND d.id = l.page_id)" },
	{ "segments of no agent: agent, segment", "",
	  "SELECT agent_id, id FROM segments WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "repairs of no agent: agent", "",
	  "SELECT agent_id FROM repairs WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "damaged segments that nobody repairs: agent, segment", "",
	  "SELECT agent_id, id FROM segments WHERE damaged_at > 0 "
	  "AND agent_id NOT IN (SELECT agent_id FROM repairs) AND " KB_AGENT_SHOWN("agent_id") },
	{ "repairs of agents without a damaged segment: agent", "",
	  "SELECT agent_id FROM repairs r WHERE NOT EXISTS (SELECT 1 FROM segments s "
	  "WHERE s.agent_id = r.agent_id AND s.damaged_at > 0) AND " KB_AGENT_SHOWN("agent_id") },
	{ "vector columns of no segment: agent, segment", "",
	  "SELECT agent_id, segment_id FROM vectors v WHERE NOT EXISTS (SELECT 1 FROM segments s "
	  "WHERE s.agent_id = v.agent_id AND s.id = v.segment_id)" },
	{ "vector columns newer than their index: agent, segment, version", "",
	  "SELECT v.agent_id, v.segment_id, v.version FROM vectors v JOIN agents a "
	  "ON a.id = v.agent_id WHERE a.state = 0 AND v.version > a.index_version" },
	{ "vector columns with more passages than their segment: agent, segment", "",
	  "SELECT v.agent_id, v.segment_id FROM vectors v JOIN segments s ON s.agent_id = v.agent_id "
	  "AND s.id = v.segment_id WHERE v.filled + v.pending > s.passages" },
	{ "factors of no agent: agent", "",
	  "SELECT agent_id FROM factors WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "dead pages of no agent: agent, page", "",
	  "SELECT agent_id, page_id FROM dead_pages WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "conversations of no agent: agent, conversation", "",
	  "SELECT agent_id, id FROM conversations WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "messages of no conversation: agent, conversation, message", "",
	  "SELECT agent_id, conversation_id, id FROM messages m WHERE NOT EXISTS (SELECT 1 "
	  "FROM conversations c WHERE c.agent_id = m.agent_id AND c.id = m.conversation_id)" },
	{ "running answers of no conversation: agent, conversation, message", "",
	  "SELECT agent_id, conversation_id, id FROM answers a WHERE NOT EXISTS (SELECT 1 "
	  "FROM conversations c WHERE c.agent_id = a.agent_id AND c.id = a.conversation_id)" },
	{ "running answers that are messages already: agent, conversation, message", "",
	  "SELECT agent_id, conversation_id, id FROM answers a WHERE EXISTS (SELECT 1 FROM messages m "
	  "WHERE m.agent_id = a.agent_id AND m.conversation_id = a.conversation_id AND m.id = a.id)" },
	{ "labels of no agent: agent, label", "",
	  "SELECT agent_id, id FROM labels WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "labels of no document: agent, page, label", "",
	  "SELECT agent_id, page_id, label_id FROM page_labels l WHERE NOT EXISTS (SELECT 1 "
	  "FROM pages p WHERE p.agent_id = l.agent_id AND p.id = l.page_id)" },
	{ "documents with a label that is none: agent, page, label", "",
	  "SELECT agent_id, page_id, label_id FROM page_labels p WHERE NOT EXISTS (SELECT 1 "
	  "FROM labels l WHERE l.agent_id = p.agent_id AND l.id = p.label_id)" },
	{ "labels of no source: agent, source, label", "",
	  "SELECT agent_id, source_id, label_id FROM source_labels l WHERE NOT EXISTS (SELECT 1 "
	  "FROM sources s WHERE s.agent_id = l.agent_id AND s.id = l.source_id)" },
	{ "sources with a label that is none: agent, source, label", "",
	  "SELECT agent_id, source_id, label_id FROM source_labels s WHERE NOT EXISTS (SELECT 1 "
	  "FROM labels l WHERE l.agent_id = s.agent_id AND l.id = s.label_id)" },
	{ "parts of no document: agent, page, document", "",
	  "SELECT agent_id, id, parent_id FROM pages p WHERE parent_id > 0 AND NOT EXISTS (SELECT 1 "
	  "FROM pages q WHERE q.agent_id = p.agent_id AND q.id = p.parent_id) AND "
	  KB_PAGE_SHOWN("p.agent_id") " AND " KB_AGENT_SHOWN("p.agent_id") },
	{ "turns of agents with nothing in the queue: agent", "",
	  "SELECT agent_id FROM turns t WHERE NOT EXISTS (SELECT 1 FROM pages p "
	  "WHERE p.agent_id = t.agent_id AND p.state > 0)" },
	{ "queued pages whose agent has no turn: agent, page", "",
	  "SELECT agent_id, id FROM pages WHERE state > 0 "
	  "AND agent_id NOT IN (SELECT agent_id FROM turns) AND " KB_AGENT_SHOWN("agent_id") },
	{ "turns of accounts that do not wait: agent, account", "",
	  "SELECT agent_id, account_id FROM turns t WHERE NOT EXISTS (SELECT 1 FROM shares s "
	  "WHERE s.account_id = t.account_id AND s.waiting > 0)" },
	{ "pages whose status and place in the queue differ: agent, page, state", "",
	  "SELECT agent_id, id, state FROM pages WHERE "
	  "(state = 0 AND (crawl_status = 0 OR index_status = 0)) "
	  "OR (state > 0 AND crawl_status <> 0 AND index_status <> 0) OR state < 0 OR state > 2" },
	{ "leases without an epoch: agent, page", "",
	  "SELECT agent_id, id FROM pages WHERE state = 2 AND lease_epoch = 0" },
	{ "pages that wait for a host they do not have: agent, page", "",
	  "SELECT agent_id, id FROM pages WHERE to_fetch = 1 AND url = ''" },
	{ "sources of an unknown kind, or without what they read: agent, source", "",
	  "SELECT agent_id, id FROM sources WHERE NOT ((type = 'upload' AND url = '' AND due_at = 0) "
	  "OR (type = 'sitemap' AND url <> ''))" },
	{ "readings of sources without an epoch or an end: agent, source", "",
	  "SELECT agent_id, id FROM sources WHERE state = 1 AND (lease_epoch = 0 OR due_at = 0)" },
	{ "segments newer than their index: agent, segment, version", "",
	  "SELECT s.agent_id, s.id, s.version FROM segments s JOIN agents a ON a.id = s.agent_id "
	  "WHERE a.state = 0 AND s.version > a.index_version" },
	{ "dead pages newer than their index: agent, page, version", "",
	  "SELECT d.agent_id, d.page_id, d.version FROM dead_pages d JOIN agents a ON a.id = d.agent_id "
	  "WHERE a.state = 0 AND d.version > a.index_version" },
	{ "deleted sources newer than their index: agent, source, version", "",
	  "SELECT s.agent_id, s.id, s.dead_version FROM sources s JOIN agents a ON a.id = s.agent_id "
	  "WHERE a.state = 0 AND s.dead_version > a.index_version" },
	{ "dead pages that no segment needs: agent, page, version", "",
	  "SELECT agent_id, page_id, version FROM dead_pages d WHERE NOT EXISTS (SELECT 1 "
	  "FROM segments s WHERE s.agent_id = d.agent_id AND s.version < d.version) AND "
	  KB_AGENT_SHOWN("d.agent_id") },
	{ "found pages that are in no living segment: agent, page", "",
	  "SELECT agent_id, id FROM pages p WHERE is_found = 1 AND " KB_AGENT_SHOWN("p.agent_id") " "
	  "AND " KB_PAGE_SHOWN("p.agent_id") " AND NOT EXISTS (SELECT 1 "
	  "FROM segments s WHERE s.agent_id = p.agent_id AND s.version >= coalesce("
	  "(SELECT d.version FROM dead_pages d WHERE d.agent_id = p.agent_id AND d.page_id = p.id), 0))" },
	{ "agents with found pages that are not active: agent", "",
	  "SELECT id FROM agents a WHERE is_active = 0 AND state = 0 AND EXISTS (SELECT 1 FROM pages p "
	  "WHERE p.agent_id = a.id AND p.is_found = 1)" },
	{ "totals that differ from the pages: agent", "",
	  "SELECT t.agent_id FROM agent_totals t LEFT JOIN (SELECT agent_id, count(*) AS found, "
	  "sum(CASE WHEN crawl_status = 1 THEN 1 ELSE 0 END) AS crawled, "
	  "sum(CASE WHEN index_status = 1 THEN 1 ELSE 0 END) AS indexed, "
	  "sum(CASE WHEN is_found = 1 THEN words ELSE 0 END) AS words, sum(size) AS bytes "
	  "FROM pages GROUP BY agent_id) p ON p.agent_id = t.agent_id "
	  "WHERE " KB_AGENT_SHOWN("t.agent_id") " AND (t.pages_found <> coalesce(p.found, 0) OR t.pages_crawled <> coalesce(p.crawled, 0) "
	  "OR t.pages_indexed <> coalesce(p.indexed, 0) OR t.words_indexed <> coalesce(p.words, 0) "
	  "OR t.storage_bytes <> coalesce(p.bytes, 0))" },
	{ "agents without exactly one active persona, their newest: agent", "",
	  "SELECT id FROM agents a WHERE state = 0 AND ((SELECT count(*) FROM personas p "
	  "WHERE p.agent_id = a.id AND p.is_active = 1) <> 1 OR NOT EXISTS (SELECT 1 FROM personas p WHERE p.agent_id = a.id "
	  "AND p.is_active = 1 AND p.version = "
	  "(SELECT max(q.version) FROM personas q WHERE q.agent_id = a.id)))" },
	{ "personas of no agent: agent, version", "",
	  "SELECT agent_id, version FROM personas WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "sub-personas of no persona, or of one they are still generated for: agent, version", "",
	  "SELECT agent_id, version FROM sub_personas s WHERE NOT EXISTS (SELECT 1 FROM personas p "
	  "WHERE p.agent_id = s.agent_id AND p.version = s.version AND p.notes <> 1)" },
	{ "overrides of no agent: agent", "",
	  "SELECT agent_id FROM sub_persona_overrides WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "licenses of no agent: agent, license", "",
	  "SELECT agent_id, id FROM licenses WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "plugins of no agent: agent", "",
	  "SELECT agent_id FROM plugins WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "agents with children that are no masters: agent", "",
	  "SELECT id FROM agents WHERE children <> '' AND is_master = 0" },
	{ "masters with a child that is no agent of theirs: agent", "",
	  "SELECT m.id FROM agents m WHERE m.children <> '' AND m.state = 0 AND (SELECT count(*) FROM agents c "
	  "WHERE c.account_id = m.account_id AND c.is_master = 0 AND c.state = 0 "
	  "AND ',' || m.children || ',' LIKE '%,' || CAST(c.id AS TEXT) || ',%') "
	  "<> 1 + length(m.children) - length(replace(m.children, ',', ''))" },
	{ "pictures of the web of no agent: agent", "",
	  "SELECT DISTINCT agent_id FROM web_pictures WHERE agent_id NOT IN (SELECT id FROM agents)" },
	{ "pictures of no agent: agent", "",
	  "SELECT agent_id FROM agent_images WHERE agent_id NOT IN (SELECT id FROM agents)" },
};
// clang-format on
const struct kb_sql_table kb_sql_verify = { "verify", sql, KB_COUNTOF(sql) };

static void tell(struct kb_db_rows *rows, const char *name,
                 void (*say)(void *arg, const char *finding), void *arg)
{
	char text[400];
	int n = snprintf(text, sizeof(text), "%s", name);
	int columns = 1;

	for (const char *p = name; *p; p++)
		columns += *p == ',';
	for (int i = 0; i < columns && n < (int)sizeof(text) - 1; i++)
		n += snprintf(text + n, sizeof(text) - (size_t)n, "%s %" PRId64, i ? "," : "",
		              kb_rows_int(rows, i));
	say(arg, text);
}

static bool check_all(struct kb_db_conn *conn, void (*say)(void *arg, const char *finding),
                      void *arg, int64_t *findings, struct kb_err *err)
{
	if (!conn->driver->check(conn, say, arg, findings, err))
		return false;
	for (size_t i = 0; i < KB_COUNTOF(sql); i++) {
		struct kb_db_rows rows;

		kb_rows_open(&rows, conn, &sql[i], KB_NO_VALUES);
		while (kb_rows_next(&rows)) {
			++*findings;
			tell(&rows, sql[i].name, say, arg);
		}
		if (!kb_rows_close(&rows, err))
			return false;
	}
	return true;
}

bool kb_store_verify(struct kb_store *store, void (*say)(void *arg, const char *finding), void *arg,
                     int64_t *findings, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	*findings = 0;
	if (!conn)
		return false;
	ok = check_all(conn, say, arg, findings, err);
	kb_db_give(store->db, conn);
	return ok;
}
