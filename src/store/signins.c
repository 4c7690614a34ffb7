/* Browsers that are signed in, and the links that sign them in. */
#include "store/signins.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/utf8.h"
#include "store/lists.h"
#include "store/signins_own.h"
#include "store/store_own.h"

/* A use is noted when the last one that was is so old. */
#define NOTED_US INT64_C(300000000)

enum {
	ADD,
	GET,
	BY_NUMBER,
	SEEN,
	END,
	END_OF,
	END_ONE,
	LIST,
	SWEEP,
	LINK_ADD,
	LINK_TAKE,
	LINK_END,
	LINK_SWEEP,
};
// clang-format off
/* Whose key is still valid, and whose person still there. */
#define COUNTS \
	"(key_id = 0 OR EXISTS (SELECT 1 FROM api_keys k WHERE k.id = sign_ins.key_id AND k.revoked_at = 0)) AND " \
	"(person_id = 0 OR EXISTS (SELECT 1 FROM people p WHERE p.id = sign_ins.person_id AND p.is_out = 0))"
static const struct kb_sql sql[] = {
	[ADD] = { "sign_in_add", "tiiiittit",
		"INSERT INTO sign_ins (hash, account_id, key_id, person_id, created_at, seen_at, address, agent, ends_at, sid) "
		"VALUES ($1, $2, $3, $4, $5, $5, $6, $7, $8, $9)" },
	[GET] = { "sign_in_get", "t",
		"SELECT key_id, created_at, seen_at, account_id, person_id, ends_at FROM sign_ins WHERE hash = $1" },
	/* Those whose hash begins so: one. */
	[BY_NUMBER] = { "sign_in_by_number", "ttii",
		"SELECT count(*) FROM sign_ins WHERE hash >= $1 AND hash < $2 AND created_at >= $3 "
		"AND (ends_at = 0 OR ends_at > $4) AND " COUNTS },
	[SEEN] = { "sign_in_seen", "ti", "UPDATE sign_ins SET seen_at = $2 WHERE hash = $1" },
	[END] = { "sign_in_end", "t", "DELETE FROM sign_ins WHERE hash = $1" },
	[END_OF] = { "sign_in_end_of", "ii",
		"DELETE FROM sign_ins WHERE account_id = $1 AND person_id = $2" },
	[END_ONE] = { "sign_in_end_one", "ttii",
		"DELETE FROM sign_ins WHERE hash >= $1 AND hash < $2 AND account_id = $3 "
		"AND ($4 = 0 OR person_id = $4)" },
	[LIST] = { "sign_in_list", "iiiiii",
		"SELECT hash, key_id, person_id, address, agent, created_at, seen_at FROM sign_ins "
		"WHERE account_id = $1 AND ($2 = 0 OR person_id = $2) AND created_at >= $3 AND seen_at >= $4 "
		"AND (ends_at = 0 OR ends_at > $5) AND " COUNTS " ORDER BY created_at DESC, hash LIMIT $6" },
	[SWEEP] = { "sign_in_sweep", "i", "DELETE FROM sign_ins WHERE created_at < $1" },
	[LINK_ADD] = { "sign_in_link_add", "tiii",
		"INSERT INTO sign_in_links (hash, key_id, person_id, ends_at) VALUES ($1, $2, $3, $4)" },
	[LINK_TAKE] = { "sign_in_link_take", "ti",
		"DELETE FROM sign_in_links WHERE hash = $1 AND ends_at >= $2 RETURNING key_id, person_id" },
	[LINK_END] = { "sign_in_link_end", "i",
		"DELETE FROM sign_in_links WHERE person_id = $1 AND person_id > 0" },
	[LINK_SWEEP] = { "sign_in_link_sweep", "i", "DELETE FROM sign_in_links WHERE ends_at < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_signins = { "signins", sql, KB_COUNTOF(sql) };

enum {
	NUMBER_DIGITS = KB_SESSION_ID - 1, /* of a hash, in its number and in lists */
	ADDRESS_CHARS = 64,
	AGENT_CHARS = 300,
	LIST_ROWS = 1000,
};

static bool refuse(struct kb_err *err)
{
	return kb_fail(err, KB_E_UNAUTHORIZED, "not signed in, or no longer");
}

/* A secret for a browser, of which the store keeps the hash. */
struct secret {
	char *text, hash[KB_HASH_HEX];
	int64_t key_id, person_id, account_id, now, ends_at;
	struct kb_sv address, agent, sid;
};

static struct secret secret_new(struct kb_store *store, int64_t key_id, char *text)
{
	struct secret secret = { .text = text, .key_id = key_id, .now = kb_store_now(store) };

	kb_random_text(text, KB_SIGN_IN_TEXT - 1);
	kb_hash_hex(kb_sv_str(text), secret.hash);
	return secret;
}

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct secret *in = arg;

	return kb_db_run(conn, &sql[SWEEP], KB_VALUES(kb_int(in->now - KB_SIGN_IN_MAX_US)), NULL,
	                 err)
	       && kb_db_run(conn, &sql[ADD],
	                    KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->account_id),
	                              kb_int(in->key_id), kb_int(in->person_id), kb_int(in->now),
	                              kb_text(in->address), kb_text(in->agent), kb_int(in->ends_at),
	                              kb_text(in->sid)),
	                    NULL, err);
}

bool kb_store_sign_in(struct kb_store *store, const struct kb_signing_in *who,
                      char secret[KB_SIGN_IN_TEXT], struct kb_err *err)
{
	struct secret in = secret_new(store, who->key_id, secret);

	in.account_id = who->account_id;
	in.person_id = who->person_id;
	in.ends_at = who->lasts_us ? in.now + who->lasts_us : 0;
	in.sid = who->sid.p ? who->sid : KB_SV("");
	in.address = kb_utf8_head(who->address, ADDRESS_CHARS);
	in.agent = kb_utf8_head(who->agent, AGENT_CHARS);
	return kb_db_write(store->db, add, &in, err);
}

static bool seen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct secret *in = arg;

	return kb_db_run(conn, &sql[SEEN], KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->now)),
	                 NULL, err);
}

bool kb_store_sign_in_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv secret,
                            struct kb_key *out, struct kb_err *err)
{
	struct secret in = { .now = kb_store_now(store) };
	int64_t created_at = 0, seen_at = 0;
	struct kb_db_rows rows;
	struct kb_err ignored;

	if (secret.n != KB_SIGN_IN_TEXT - 1)
		return refuse(err);
	kb_hash_hex(secret, in.hash);
	kb_rows_take(&rows, store->db, &sql[GET], KB_VALUES(kb_text(kb_sv_str(in.hash))));
	while (kb_rows_next(&rows)) {
		in.key_id = kb_rows_int(&rows, 0);
		created_at = kb_rows_int(&rows, 1);
		seen_at = kb_rows_int(&rows, 2);
		in.account_id = kb_rows_int(&rows, 3);
		in.person_id = kb_rows_int(&rows, 4);
		in.ends_at = kb_rows_int(&rows, 5);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	if ((!in.key_id && !in.person_id) || in.now - created_at > KB_SIGN_IN_MAX_US
	    || in.now - seen_at > KB_SIGN_IN_IDLE_US || (in.ends_at && in.now >= in.ends_at))
		return refuse(err);
	*out = (struct kb_key){ .account_id = in.account_id, .person_id = in.person_id };
	if (in.key_id && !kb_store_key_get(store, arena, in.key_id, out, err))
		return err->code == KB_E_NOT_FOUND ? refuse(err) : false;
	/* A disk that is full keeps nobody out. */
	if (in.now - seen_at > NOTED_US)
		(void)!kb_db_write(store->db, seen, &in, &ignored);
	return true;
}

int64_t kb_store_sign_in_number(struct kb_sv secret)
{
	char id[KB_SESSION_ID], *end;

	kb_store_session_id(secret, id);
	return strtoll(id, &end, 16);
}

void kb_store_session_id(struct kb_sv secret, char out[KB_SESSION_ID])
{
	char hash[KB_HASH_HEX];

	kb_hash_hex(secret, hash);
	memcpy(out, hash, NUMBER_DIGITS);
	out[NUMBER_DIGITS] = '\0';
}

bool kb_store_sign_in_valid(struct kb_store *store, int64_t number, bool *valid, struct kb_err *err)
{
	char first[NUMBER_DIGITS + 1], behind[NUMBER_DIGITS + 2];
	int64_t count = 0;
	bool ok;

	snprintf(first, sizeof(first), "%015" PRIx64, (uint64_t)number);
	snprintf(behind, sizeof(behind), "%sg", first); /* behind each digit */
	ok = kb_db_read_int(store->db, &sql[BY_NUMBER],
	                    KB_VALUES(kb_text(kb_sv_str(first)), kb_text(kb_sv_str(behind)),
	                              kb_int(kb_store_now(store) - KB_SIGN_IN_MAX_US),
	                              kb_int(kb_store_now(store))),
	                    0, &count, err);
	*valid = count > 0;
	return ok;
}

static bool end(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct secret *in = arg;

	return kb_db_run(conn, &sql[END], KB_VALUES(kb_text(kb_sv_str(in->hash))), NULL, err);
}

bool kb_store_sign_out(struct kb_store *store, struct kb_sv secret, struct kb_err *err)
{
	struct secret in = { 0 };

	kb_hash_hex(secret, in.hash);
	return kb_db_write(store->db, end, &in, err);
}

/* ---- links ---- */

static bool link_add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct secret *in = arg;

	return kb_db_run(conn, &sql[LINK_SWEEP], KB_VALUES(kb_int(in->now)), NULL, err)
	       && kb_db_run(conn, &sql[LINK_ADD],
	                    KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->key_id), kb_int(0),
	                              kb_int(in->now + KB_SIGN_IN_LINK_US)),
	                    NULL, err);
}

bool kb_sign_ins_end_of(struct kb_db_conn *conn, int64_t account_id, int64_t person_id,
                        struct kb_err *err)
{
	return kb_db_run(conn, &sql[END_OF], KB_VALUES(kb_int(account_id), kb_int(person_id)), NULL,
	                 err)
	       && kb_db_run(conn, &sql[LINK_END], KB_VALUES(kb_int(person_id)), NULL, err)
	       && kb_programs_end_of(conn, account_id, person_id, err);
}

bool kb_sign_in_invite(struct kb_db_conn *conn, int64_t person_id, const char *hash, int64_t until,
                       struct kb_err *err)
{
	return kb_db_run(conn, &sql[LINK_END], KB_VALUES(kb_int(person_id)), NULL, err)
	       && kb_db_run(conn, &sql[LINK_ADD],
	                    KB_VALUES(kb_text(kb_sv_str(hash)), kb_int(0), kb_int(person_id),
	                              kb_int(until)),
	                    NULL, err);
}

bool kb_store_link_create(struct kb_store *store, int64_t key_id, char secret[KB_SIGN_IN_TEXT],
                          struct kb_err *err)
{
	struct secret in = secret_new(store, key_id, secret);
	bool valid;

	if (!kb_store_key_valid(store, key_id, &valid, err))
		return false;
	if (!valid)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no valid key with id %" PRId64,
		               key_id);
	return kb_db_write(store->db, link_add, &in, err);
}

static bool link_take(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct secret *in = arg;
	struct kb_db_rows rows;

	in->key_id = in->person_id = 0;
	kb_rows_open(&rows, conn, &sql[LINK_TAKE],
	             KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->now)));
	while (kb_rows_next(&rows)) {
		in->key_id = kb_rows_int(&rows, 0);
		in->person_id = kb_rows_int(&rows, 1);
	}
	return kb_rows_close(&rows, err);
}

bool kb_store_link_take(struct kb_store *store, struct kb_sv secret, int64_t *key_id,
                        int64_t *person_id, struct kb_err *err)
{
	struct secret in = { .now = kb_store_now(store) };

	kb_hash_hex(secret, in.hash);
	if (!kb_db_write(store->db, link_take, &in, err))
		return false;
	*key_id = in.key_id;
	*person_id = in.person_id;
	return in.key_id || in.person_id
	       || kb_fail(err, KB_E_UNAUTHORIZED,
	                  "this link has been used or is older than %d minutes",
	                  (int)(KB_SIGN_IN_LINK_US / 60000000));
}

/* ---- lists ---- */

bool kb_store_sessions(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_session_owner *of, struct kb_session_row **out,
                       size_t *count, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[LIST],
	             KB_VALUES(kb_int(of->account_id), kb_int(of->person_id),
	                       kb_int(now - KB_SIGN_IN_MAX_US), kb_int(now - KB_SIGN_IN_IDLE_US),
	                       kb_int(now), kb_int(LIST_ROWS)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *out, *count)
		[*count] = (struct kb_session_row){
			.id = kb_sv_sub(kb_rows_text(&rows, arena, 0), 0, NUMBER_DIGITS),
			.key_id = kb_rows_int(&rows, 1),
			.person_id = kb_rows_int(&rows, 2),
			.address = kb_rows_text(&rows, arena, 3),
			.agent = kb_rows_text(&rows, arena, 4),
			.created_at = kb_rows_int(&rows, 5),
			.seen_at = kb_rows_int(&rows, 6),
		};
		++*count;
	}
	return kb_rows_close(&rows, err);
}

struct ending {
	const struct kb_session_owner *of;
	struct kb_sv id;
};

static bool end_one(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct ending *in = arg;
	char first[KB_SESSION_ID], behind[KB_SESSION_ID + 1];
	int64_t changed = 0;

	snprintf(first, sizeof(first), "%.*s", KB_SV_ARG(in->id));
	snprintf(behind, sizeof(behind), "%sg", first);
	if (!kb_db_run(conn, &sql[END_ONE],
	               KB_VALUES(kb_text(kb_sv_str(first)), kb_text(kb_sv_str(behind)),
	                         kb_int(in->of->account_id), kb_int(in->of->person_id)),
	               &changed, err))
		return false;
	return changed || kb_fail(err, KB_E_NOT_FOUND, "There is no such session");
}

bool kb_store_session_end(struct kb_store *store, const struct kb_session_owner *of,
                          struct kb_sv id, struct kb_err *err)
{
	struct ending in = { .of = of, .id = id };

	/* A beginning of an id would be that of many. */
	return id.n == NUMBER_DIGITS ? kb_db_write(store->db, end_one, &in, err)
	                             : kb_fail(err, KB_E_NOT_FOUND, "There is no such session");
}
