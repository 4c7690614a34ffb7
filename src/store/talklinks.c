/* Links to conversations, and secrets of sites. */
#include "store/talklinks.h"

#include "base/hash.h"
#include "store/conversations_own.h"
#include "store/publish.h"
#include "store/secrets_own.h"
#include "store/store_own.h"
#include "store/talklinks_own.h"
#include "store/visitors_own.h"

enum { SHARE, SHARE_HASH, UNSHARE, UNSHARE_HASH, BY_HASH, LAST, SECRET_PUT, SECRET_DELETE, SECRET };
// clang-format off
static const struct kb_sql sql[] = {
	[SHARE] = { "talk_share", "tiiii",
		"INSERT INTO talk_links (hash, agent_id, conversation_id, last_id, created_at) "
		"VALUES ($1, $2, $3, $4, $5)" },
	[SHARE_HASH] = { "talk_share_hash", "ti",
		"INSERT INTO talk_link_hashes (hash, agent_id) VALUES ($1, $2)" },
	[UNSHARE_HASH] = { "talk_unshare_hash", "ii", "DELETE FROM talk_link_hashes WHERE hash IN "
		"(SELECT hash FROM talk_links WHERE agent_id = $1 AND conversation_id = $2)" },
	[UNSHARE] = { "talk_unshare", "ii",
		"DELETE FROM talk_links WHERE agent_id = $1 AND conversation_id = $2" },
	[BY_HASH] = { "talk_link_by_hash", "t",
		"SELECT l.agent_id, l.last_id, c.session_id FROM talk_links l JOIN conversations c "
		"ON c.agent_id = +l.agent_id AND c.id = l.conversation_id "
		"WHERE l.agent_id = (SELECT agent_id FROM talk_link_hashes WHERE hash = $1) AND l.hash = $1 AND "
		KB_AGENT_SHOWN("l.agent_id") },
	[LAST] = { "talk_last", "ii",
		"SELECT coalesce(max(id), 0) FROM messages WHERE agent_id = $1 AND conversation_id = $2" },
	[SECRET_PUT] = { "embed_secret_put", "iti",
		"INSERT INTO embed_secrets (agent_id, secret, created_at) VALUES ($1, $2, $3) "
		"ON CONFLICT (agent_id) DO UPDATE SET secret = excluded.secret, created_at = excluded.created_at" },
	[SECRET_DELETE] = { "embed_secret_delete", "i", "DELETE FROM embed_secrets WHERE agent_id = $1" },
	[SECRET] = { "embed_secret", "i", "SELECT secret FROM embed_secrets WHERE agent_id = $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_talklinks = { "talklinks", sql, KB_COUNTOF(sql) };

struct change {
	struct kb_arena *arena;
	const struct kb_session *session;
	int64_t agent_id, now;
	struct kb_sv text;
};

bool kb_talk_link_drop(struct kb_db_conn *conn, int64_t agent_id, int64_t conversation_id,
                       struct kb_err *err)
{
	struct kb_db_values key = KB_VALUES(kb_int(agent_id), kb_int(conversation_id));

	return kb_db_run(conn, &sql[UNSHARE_HASH], key, NULL, err)
	       && kb_db_run(conn, &sql[UNSHARE], key, NULL, err);
}

/* Nobody else shares it, or takes that back, or deletes it, at the same time. */
static bool hold(struct kb_db_conn *conn, struct change *in, struct kb_conversation *row,
                 struct kb_err *err)
{
	bool held;

	return kb_conversation_load(conn, in->arena, in->session, row, err)
	       && kb_conversation_hold(conn, row->agent_id, row->id, &held, err)
	       && (held || kb_conversation_load(conn, in->arena, in->session, row, err));
}

static bool share(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_conversation row;
	int64_t last = 0;

	return hold(conn, in, &row, err)
	       && kb_db_int(conn, &sql[LAST], KB_VALUES(kb_int(row.agent_id), kb_int(row.id)), 0,
	                    &last, err)
	       && kb_talk_link_drop(conn, row.agent_id, row.id, err)
	       && kb_db_run(conn, &sql[SHARE_HASH],
	                    KB_VALUES(kb_text(in->text), kb_int(row.agent_id)), NULL, err)
	       && kb_db_run(conn, &sql[SHARE],
	                    KB_VALUES(kb_text(in->text), kb_int(row.agent_id), kb_int(row.id),
	                              kb_int(last), kb_int(in->now)),
	                    NULL, err);
}

bool kb_store_talk_share(struct kb_store *store, const struct kb_session *session,
                         char secret[KB_TALK_LINK_TEXT], struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	char hash[KB_HASH_HEX];
	struct change in = { .arena = &arena, .session = session, .now = kb_store_now(store) };
	bool ok;

	kb_random_text(secret, KB_TALK_LINK_TEXT - 1);
	kb_hash_hex(kb_sv_str(secret), hash);
	in.text = kb_sv_str(hash);
	ok = kb_db_write(store->db, share, &in, err);
	kb_arena_fini(&arena);
	return ok;
}

static bool take_back(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_conversation row;

	return hold(conn, in, &row, err) && kb_talk_link_drop(conn, row.agent_id, row.id, err);
}

bool kb_store_talk_unshare(struct kb_store *store, const struct kb_session *session,
                           struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = { .arena = &arena, .session = session };
	bool ok = kb_db_write(store->db, take_back, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

static bool no_link(struct kb_err *err)
{
	return kb_fail(err, KB_E_NOT_FOUND, "This conversation is not shared, or no longer");
}

bool kb_store_talk_shared(struct kb_store *store, struct kb_arena *arena, struct kb_sv secret,
                          struct kb_shared_talk *out, struct kb_err *err)
{
	enum { SHOWN = 1000 };
	const struct kb_list list = { .page = 1, .limit = SHOWN, .ascending = true };
	struct kb_session session = { 0 };
	struct kb_message_list *messages = &out->transcript.messages;
	struct kb_db_rows rows;
	char hash[KB_HASH_HEX];
	int64_t last = 0;

	if (secret.n != KB_TALK_LINK_TEXT - 1)
		return no_link(err);
	kb_hash_hex(secret, hash);
	kb_rows_take(&rows, store->db, &sql[BY_HASH], KB_VALUES(kb_text(kb_sv_str(hash))));
	while (kb_rows_next(&rows)) {
		session.agent_id = kb_rows_int(&rows, 0);
		last = kb_rows_int(&rows, 1);
		session.id = kb_rows_text(&rows, arena, 2);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	if (!session.agent_id)
		return no_link(err);
	out->agent_id = session.agent_id;
	if (!kb_store_message_list(store, arena, &session, &list, &out->transcript, err))
		return err->code == KB_E_NOT_FOUND ? no_link(err) : false;
	while (messages->count && messages->v[messages->count - 1].id > last)
		messages->count--;
	return true;
}

/* ---- secrets ---- */

static bool put_secret(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;

	return kb_agent_there(conn, in->agent_id, err)
	       && kb_db_run(conn, &sql[SECRET_PUT],
	                    KB_VALUES(kb_int(in->agent_id), kb_text(in->text), kb_int(in->now)),
	                    NULL, err)
	       && kb_visits_end_signed(conn, in->agent_id, in->now, err);
}

bool kb_store_embed_secret_make(struct kb_store *store, int64_t agent_id,
                                char secret[KB_EMBED_SECRET_TEXT], struct kb_err *err)
{
	struct change in = { .agent_id = agent_id, .now = kb_store_now(store) };
	struct kb_arena arena = { 0 };
	bool ok;

	kb_random_text(secret, KB_EMBED_SECRET_TEXT - 1);
	in.text = kb_secret_stored(store, &arena,
	                           (struct kb_secret_at){ KB_SECRET_VISITORS, agent_id },
	                           kb_sv_str(secret));
	ok = kb_db_write(store->db, put_secret, &in, err);
	kb_arena_fini(&arena);
	return ok;
}

static bool delete_secret(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct change *in = arg;

	return kb_db_run(conn, &sql[SECRET_DELETE], KB_VALUES(kb_int(in->agent_id)), NULL, err)
	       && kb_visits_end_signed(conn, in->agent_id, in->now, err);
}

bool kb_store_embed_secret_delete(struct kb_store *store, int64_t agent_id, struct kb_err *err)
{
	struct change in = { .agent_id = agent_id, .now = kb_store_now(store) };

	return kb_db_write(store->db, delete_secret, &in, err);
}

bool kb_store_embed_secret(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           struct kb_sv *secret, struct kb_err *err)
{
	struct kb_db_rows rows;
	struct kb_sv stored = KB_SV("");

	kb_rows_take(&rows, store->db, &sql[SECRET], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows))
		stored = kb_rows_text(&rows, arena, 0);
	return kb_rows_close(&rows, err)
	       && kb_secret_told(store, arena,
	                         (struct kb_secret_at){ KB_SECRET_VISITORS, agent_id }, stored,
	                         secret, err);
}
