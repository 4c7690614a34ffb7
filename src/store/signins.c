/* Browsers that are signed in, and the links that sign them in. */
#include "store/signins.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "store/store_own.h"

/* A use is noted when the last one that was is so old. */
#define NOTED_US INT64_C(300000000)

enum { ADD, GET, BY_NUMBER, SEEN, END, SWEEP, LINK_ADD, LINK_TAKE, LINK_SWEEP };
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "sign_in_add", "tii",
		"INSERT INTO sign_ins (hash, key_id, created_at, seen_at) VALUES ($1, $2, $3, $3)" },
	[GET] = { "sign_in_get", "t",
		"SELECT key_id, created_at, seen_at FROM sign_ins WHERE hash = $1" },
	/* Those whose hash begins so: one. */
	[BY_NUMBER] = { "sign_in_by_number", "tti",
		"SELECT count(*) FROM sign_ins WHERE hash >= $1 AND hash < $2 AND created_at >= $3 AND "
		"EXISTS (SELECT 1 FROM api_keys k WHERE k.id = sign_ins.key_id AND k.revoked_at = 0)" },
	[SEEN] = { "sign_in_seen", "ti", "UPDATE sign_ins SET seen_at = $2 WHERE hash = $1" },
	[END] = { "sign_in_end", "t", "DELETE FROM sign_ins WHERE hash = $1" },
	[SWEEP] = { "sign_in_sweep", "i", "DELETE FROM sign_ins WHERE created_at < $1" },
	[LINK_ADD] = { "sign_in_link_add", "tii",
		"INSERT INTO sign_in_links (hash, key_id, ends_at) VALUES ($1, $2, $3)" },
	[LINK_TAKE] = { "sign_in_link_take", "ti",
		"DELETE FROM sign_in_links WHERE hash = $1 AND ends_at >= $2 RETURNING key_id" },
	[LINK_SWEEP] = { "sign_in_link_sweep", "i", "DELETE FROM sign_in_links WHERE ends_at < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_signins = { "signins", sql, KB_COUNTOF(sql) };

enum { NUMBER_DIGITS = 15 }; /* of a hash, in its number */

static bool refuse(struct kb_err *err)
{
	return kb_fail(err, KB_E_UNAUTHORIZED, "not signed in, or no longer");
}

/* A secret for a browser, of which the store keeps the hash. */
struct secret {
	char *text, hash[KB_HASH_HEX];
	int64_t key_id, now;
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
	       && kb_db_run(
	               conn, &sql[ADD],
	               KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->key_id), kb_int(in->now)),
	               NULL, err);
}

bool kb_store_sign_in(struct kb_store *store, int64_t key_id, char secret[KB_SIGN_IN_TEXT],
                      struct kb_err *err)
{
	struct secret in = secret_new(store, key_id, secret);

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
	}
	if (!kb_rows_close(&rows, err))
		return false;
	if (in.key_id == 0 || in.now - created_at > KB_SIGN_IN_MAX_US
	    || in.now - seen_at > KB_SIGN_IN_IDLE_US)
		return refuse(err);
	if (!kb_store_key_get(store, arena, in.key_id, out, err))
		return err->code == KB_E_NOT_FOUND ? refuse(err) : false;
	/* A disk that is full keeps nobody out. */
	if (in.now - seen_at > NOTED_US)
		(void)!kb_db_write(store->db, seen, &in, &ignored);
	return true;
}

int64_t kb_store_sign_in_number(struct kb_sv secret)
{
	char hash[KB_HASH_HEX], *end;

	kb_hash_hex(secret, hash);
	hash[NUMBER_DIGITS] = '\0';
	return strtoll(hash, &end, 16);
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
	                              kb_int(kb_store_now(store) - KB_SIGN_IN_MAX_US)),
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
	                    KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->key_id),
	                              kb_int(in->now + KB_SIGN_IN_LINK_US)),
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

	return kb_db_int(conn, &sql[LINK_TAKE],
	                 KB_VALUES(kb_text(kb_sv_str(in->hash)), kb_int(in->now)), 0, &in->key_id,
	                 err);
}

bool kb_store_link_take(struct kb_store *store, struct kb_sv secret, int64_t *key_id,
                        struct kb_err *err)
{
	struct secret in = { .now = kb_store_now(store) };

	kb_hash_hex(secret, in.hash);
	if (!kb_db_write(store->db, link_take, &in, err))
		return false;
	*key_id = in.key_id;
	return in.key_id
	       || kb_fail(err, KB_E_UNAUTHORIZED,
	                  "this link has been used or is older than %d minutes",
	                  (int)(KB_SIGN_IN_LINK_US / 60000000));
}
