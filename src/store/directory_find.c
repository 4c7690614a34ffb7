/* A directory's tokens, and who in its accounts' directories somebody is that signs in. */
#include "base/hash.h"
#include "store/directory_own.h"
#include "store/lists.h"
#include "store/store_own.h"

enum { ADD, COUNT, LIST, REVOKE, CHECK, SEEN, FIND };
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "directory_token_add", "iitti",
		"INSERT INTO directory_tokens (id, account_id, name, hash, created_at, seen_at) "
		"VALUES ($1, $2, $3, $4, $5, 0)" },
	[COUNT] = { "directory_token_count", "i", "SELECT count(*) FROM directory_tokens WHERE account_id = $1" },
	[LIST] = { "directory_token_list", "i",
		"SELECT id, name, created_at, seen_at FROM directory_tokens WHERE account_id = $1 ORDER BY id" },
	[REVOKE] = { "directory_token_revoke", "ii",
		"DELETE FROM directory_tokens WHERE id = $2 AND account_id = $1" },
	[CHECK] = { "directory_token_check", "t",
		"SELECT t.id, t.account_id, t.name, t.created_at, t.seen_at, "
		"(SELECT a.plan FROM accounts a WHERE a.id = t.account_id) FROM directory_tokens t WHERE t.hash = $1" },
	[SEEN] = { "directory_token_seen", "ii", "UPDATE directory_tokens SET seen_at = $2 WHERE id = $1" },
	/* Whom they signed in as before; else, of those as whom nobody has signed in, whom the directory
	 * calls so, or whose address that is. Those that are there come first. */
	[FIND] = { "directory_find", "tttt",
		"SELECT d.id, d.account_id, (SELECT a.handle FROM accounts a WHERE a.id = d.account_id), d.is_active, d.gone_at, CASE WHEN d.subject <> '' THEN 0 "
		"WHEN d.external_id <> '' AND d.external_id = $3 THEN 1 WHEN d.user_key = $4 THEN 2 ELSE 3 END "
		"FROM directory_users d "
		"WHERE ((d.subject = $2 AND $2 <> '' AND d.issuer = $1) OR (d.external_id = $3 AND $3 <> '') "
		"OR (d.user_key = $4 AND $4 <> '') OR (d.email_key = $4 AND $4 <> '')) "
		"AND (d.subject = '' OR (d.subject = $2 AND d.issuer = $1)) "
		"ORDER BY d.account_id, CASE WHEN d.gone_at = 0 THEN 0 ELSE 1 END, 6, d.id" },
};
// clang-format on
const struct kb_sql_table kb_sql_directory_find = { "directory_find", sql, KB_COUNTOF(sql) };

enum { TOKEN_LETTERS = 43 };
#define PREFIX   "scim-"
#define NOTED_US INT64_C(300000000)
static_assert(sizeof(PREFIX) + TOKEN_LETTERS == KB_DIRECTORY_TOKEN_TEXT, "a token does not fit");

struct token {
	int64_t id, account_id, now;
	struct kb_sv name;
	char hash[KB_HASH_HEX];
};

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct token *in = arg;
	int64_t count;

	if (!kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(in->account_id)), 0, &count, err))
		return false;
	if (count >= KB_DIRECTORY_TOKENS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the account has %d tokens of directories, which is the limit",
		               KB_DIRECTORY_TOKENS_MAX);
	return kb_db_next_id(conn, "directory", 1, &in->id, err)
	       && kb_db_run(conn, &sql[ADD],
	                    KB_VALUES(kb_int(in->id), kb_int(in->account_id), kb_text(in->name),
	                              kb_text(kb_sv_str(in->hash)), kb_int(in->now)),
	                    NULL, err);
}

bool kb_store_directory_token_create(struct kb_store *store, int64_t account_id, struct kb_sv name,
                                     int64_t *id, char text[KB_DIRECTORY_TOKEN_TEXT],
                                     struct kb_err *err)
{
	struct token in = { .account_id = account_id, .name = name, .now = kb_store_now(store) };

	memcpy(text, PREFIX, sizeof(PREFIX));
	kb_random_text(text + sizeof(PREFIX) - 1, TOKEN_LETTERS);
	kb_hash_hex(kb_sv_str(text), in.hash);
	if (!kb_db_write(store->db, add, &in, err))
		return false;
	*id = in.id;
	return true;
}

bool kb_store_directory_tokens(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                               struct kb_directory_token **out, size_t *count, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[LIST], KB_VALUES(kb_int(account_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *out, *count)
		[*count] = (struct kb_directory_token){
			.id = kb_rows_int(&rows, 0),
			.account_id = account_id,
			.name = kb_rows_text(&rows, arena, 1),
			.created_at = kb_rows_int(&rows, 2),
			.seen_at = kb_rows_int(&rows, 3),
		};
		++*count;
	}
	return kb_rows_close(&rows, err);
}

static bool revoke(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct token *in = arg;
	int64_t changed;

	return kb_db_run(conn, &sql[REVOKE], KB_VALUES(kb_int(in->account_id), kb_int(in->id)),
	                 &changed, err)
	       && (changed
	           || kb_fail(err, KB_E_NOT_FOUND, "Token with id %" PRId64 " not found", in->id));
}

bool kb_store_directory_token_revoke(struct kb_store *store, int64_t account_id, int64_t id,
                                     struct kb_err *err)
{
	struct token in = { .account_id = account_id, .id = id };

	return kb_db_write(store->db, revoke, &in, err);
}

static bool seen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct token *in = arg;

	return kb_db_run(conn, &sql[SEEN], KB_VALUES(kb_int(in->id), kb_int(in->now)), NULL, err);
}

bool kb_store_directory_token_check(struct kb_store *store, struct kb_arena *arena,
                                    struct kb_sv text, struct kb_directory_token *out,
                                    struct kb_err *err)
{
	struct token in = { .now = kb_store_now(store) };
	struct kb_db_rows rows;
	struct kb_err ignored;

	*out = (struct kb_directory_token){ 0 };
	if (text.n == KB_DIRECTORY_TOKEN_TEXT - 1 && kb_sv_starts(text, KB_SV(PREFIX))) {
		kb_hash_hex(text, in.hash);
		kb_rows_take(&rows, store->db, &sql[CHECK], KB_VALUES(kb_text(kb_sv_str(in.hash))));
		while (kb_rows_next(&rows))
			*out = (struct kb_directory_token){
				.id = kb_rows_int(&rows, 0),
				.account_id = kb_rows_int(&rows, 1),
				.name = kb_rows_text(&rows, arena, 2),
				.created_at = kb_rows_int(&rows, 3),
				.seen_at = kb_rows_int(&rows, 4),
				.plan = kb_rows_text(&rows, arena, 5),
			};
		if (!kb_rows_close(&rows, err))
			return false;
	}
	if (!out->id)
		return kb_fail(err, KB_E_UNAUTHORIZED,
		               "the token is missing, or is none of a directory");
	in.id = out->id;
	/* A disk that is full keeps nobody out. */
	if (in.now - out->seen_at > NOTED_US)
		(void)!kb_db_write(store->db, seen, &in, &ignored);
	return true;
}

/* ---- who signs in ---- */

struct found {
	struct kb_directory_match *v;
	size_t count;
	int64_t account; /* of the last one */
	int64_t place;   /* by what it was found */
};

/* The first of its account; of two whose address it is, nobody knows who is meant. */
static void take(struct kb_db_rows *rows, struct kb_arena *arena, struct found *found)
{
	enum { BY_SUBJECT, BY_MAIL = 3 };
	int64_t account = kb_rows_int(rows, 1), place = kb_rows_int(rows, 5);
	bool is_there = kb_rows_int(rows, 4) == 0;

	if (found->count && account == found->account) {
		if (place == BY_MAIL && found->place == BY_MAIL && is_there)
			found->v[found->count - 1].is_on = false;
		return;
	}
	KB_ROOM(arena, found->v, found->count)
	[found->count] = (struct kb_directory_match){
		.id = kb_rows_int(rows, 0),
		.handle = kb_rows_text(rows, arena, 2),
		.is_on = is_there && kb_rows_int(rows, 3),
		.is_theirs = place == BY_SUBJECT,
	};
	found->count++;
	found->account = account;
	found->place = place;
}

bool kb_store_directory_find(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_directory_said *said, struct kb_directory_match **out,
                             size_t *count, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	struct found found = { 0 };
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[FIND],
	             KB_VALUES(kb_text(said->issuer), kb_text(said->subject),
	                       kb_text(said->external_id), kb_text(said->address)));
	while (kb_rows_next(&rows))
		take(&rows, arena, &found);
	ok = kb_rows_close(&rows, err);
	for (size_t i = 0; ok && i < found.count; i++)
		ok = kb_directory_names(conn, arena, found.v[i].id, &found.v[i].groups,
		                        &found.v[i].group_count, err);
	kb_db_give(store->db, conn);
	*out = found.v;
	*count = found.count;
	return ok;
}
