/* The API keys of accounts, and the cache that tells who the bearer of one is. */
#include "store/accounts.h"

#include <stdio.h>

#include "base/hash.h"
#include "store/accounts_own.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"
#include "store/texts.h"

enum {
	SECRET_LETTERS = 43, /* 256 bits */
	ID_DIGITS_MIN = 3,   /* clients check the form of a key */
	ID_DIGITS_MAX = 18,
	LABEL_LETTERS = 4, /* of the secret, for the list */
};
/* A use is noted when the last one that was is so old. */
#define NOTED_US INT64_C(300000000)
static_assert(ID_DIGITS_MAX + 1 + SECRET_LETTERS < KB_KEY_TEXT, "a key does not fit");

enum {
	KEY_ADD,
	KEY_ACCOUNT,
	KEY_AGENT,
	KEY_LIST,
	KEY_REVOKE,
	KEY_COUNT,
	KEY_BY_ID,
	KEY_OF_ACCOUNT,
	KEY_REVOKE_OWN,
	KEY_SEEN,
	KEY_PERSON,
	KEY_OF_PERSON,
	KEY_REVOKE_PERSON,
};
// clang-format off
/* The columns of api_keys (columns.h). */
#define KEYS(FIRST, NEXT) \
	FIRST(i, id,         key.id) \
	NEXT (i, account_id, key.account_id) \
	NEXT (t, label,      key.label) \
	NEXT (t, agents,     agents) \
	NEXT (i, created_at, key.created_at) \
	NEXT (i, revoked_at, key.revoked_at) \
	NEXT (t, hash,       hash) \
	NEXT (t, name,       key.name) \
	NEXT (i, seen_at,    key.seen_at) \
	NEXT (i, person_id,  key.person_id)
/* What the cache keeps besides. */
#define KEYS_CACHED(FIRST, NEXT) \
	KEYS(FIRST, NEXT) \
	NEXT (t, plan,       key.plan) \
	NEXT (t, ids,        ids)
/* The names where both tables are read: "k.id, k.account_id". */
#define K_FIRST(letter, column, member) "k." #column
#define K_NEXT(letter, column, member)  ", k." #column
#define A_NEXT(letter, column, member)  ", a." #column


static const struct kb_sql sql[] = {
	[KEY_ADD] = { "key_add", KB_TYPES(KEYS), KB_INSERT("api_keys", KEYS) },
	[KEY_ACCOUNT] = { "key_account", "i", "SELECT count(*) FROM accounts WHERE id = $1" },
	[KEY_AGENT] = { "key_agent", "ii",
		"SELECT count(*) FROM agents WHERE account_id = $1 AND id = $2 AND state = " KB_SQL(AGENT_THERE) },
	[KEY_LIST] = { "key_list", "",
		"SELECT " KEYS(K_FIRST, K_NEXT) KB_ACCOUNTS(A_NEXT, A_NEXT) " FROM api_keys k "
		"JOIN accounts a ON a.id = k.account_id ORDER BY k.id" },
	[KEY_REVOKE] = { "key_revoke", "ii",
		"UPDATE api_keys SET revoked_at = $2 WHERE id = $1 AND revoked_at = 0" },
	[KEY_COUNT] = { "key_count", "",
		"SELECT count(*) FROM api_keys WHERE revoked_at = 0" },
	[KEY_BY_ID] = { "key_by_id", "i",
		"SELECT " KEYS(K_FIRST, K_NEXT) ", a.plan FROM api_keys k "
		"JOIN accounts a ON a.id = k.account_id WHERE k.id = $1" },
	[KEY_OF_ACCOUNT] = { "key_of_account", "i",
		"SELECT " KB_NAMES(KEYS) " FROM api_keys WHERE account_id = $1 AND revoked_at = 0 "
		"ORDER BY id" },
	[KEY_REVOKE_OWN] = { "key_revoke_own", "iii",
		"UPDATE api_keys SET revoked_at = $3 WHERE id = $1 AND account_id = $2 AND revoked_at = 0" },
	[KEY_SEEN] = { "key_seen", "ii", "UPDATE api_keys SET seen_at = $2 WHERE id = $1" },
	[KEY_PERSON] = { "key_person", "ii",
		"SELECT count(*) FROM people WHERE id = $1 AND account_id = $2" },
	[KEY_OF_PERSON] = { "key_of_person", "i",
		"SELECT id FROM api_keys WHERE person_id = $1 AND person_id > 0 AND revoked_at = 0" },
	[KEY_REVOKE_PERSON] = { "key_revoke_person", "ii",
		"UPDATE api_keys SET revoked_at = $2 WHERE person_id = $1 AND person_id > 0 AND revoked_at = 0" },
};
// clang-format on
const struct kb_sql_table kb_sql_account_keys = { "account_keys", sql, KB_COUNTOF(sql) };

/* A key as it is stored, and in the cache. */
struct key_record {
	struct kb_key key;
	struct kb_sv hash, agents;
	struct kb_sv ids; /* the array of agents as bytes */
};
#define KEY(letter, column, member) KB_COLUMN(struct key_record, letter, column, member)
static const struct kb_db_columns key_stored = KB_COLUMNS(struct key_record, KEYS(KEY, KEY));
const struct kb_db_columns kb_key_columns = KB_COLUMNS(struct key_record, KEYS_CACHED(KEY, KEY));

static void key_read(struct kb_db_rows *rows, struct kb_arena *arena, struct key_record *out)
{
	struct kb_key *key = &out->key;

	kb_columns_read(&key_stored, rows, 0, arena, out);
	key->agents = kb_ids_parse(arena, out->agents, &key->agent_count);
	out->ids = kb_sv((const char *)key->agents, key->agent_count * sizeof(*key->agents));
}

struct key_create {
	struct kb_arena *arena;
	const struct kb_key_new *key;
	int64_t now;
	char *text;
};

static bool key_create(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct key_create *in = arg;
	char secret[SECRET_LETTERS + 1], hash[KB_HASH_HEX];
	const struct kb_key_new *key = in->key;
	struct key_record record = {
		.key = { .account_id = key->account_id,
		         .person_id = key->person_id,
		         .name = key->name,
		         .created_at = in->now },
		.agents = kb_ids_text(in->arena, key->agents, key->agent_count),
	};
	int64_t *id = &record.key.id, there;

	if (!kb_db_int(conn, &sql[KEY_ACCOUNT], KB_VALUES(kb_int(key->account_id)), 0, &there, err))
		return false;
	if (!there)
		return kb_fail(err, KB_E_NOT_FOUND, "Account with id %" PRId64 " not found",
		               key->account_id);
	if (key->person_id
	    && !kb_db_int(conn, &sql[KEY_PERSON],
	                  KB_VALUES(kb_int(key->person_id), kb_int(key->account_id)), 0, &there,
	                  err))
		return false;
	if (!there)
		return kb_fail(err, KB_E_NOT_FOUND, "Person with id %" PRId64 " not found",
		               key->person_id);
	for (size_t i = 0; i < key->agent_count; i++) {
		int64_t count;

		if (!kb_db_int(conn, &sql[KEY_AGENT],
		               KB_VALUES(kb_int(key->account_id), kb_int(key->agents[i])), 0,
		               &count, err))
			return false;
		if (count == 0)
			return kb_fail(err, KB_E_NOT_FOUND, "Agent with id %" PRId64 " not found",
			               key->agents[i]);
	}
	if (!kb_db_next_id(conn, "key", 1, id, err))
		return false;
	kb_random_text(secret, SECRET_LETTERS);
	snprintf(in->text, KB_KEY_TEXT, "%" PRId64 "|%s", *id, secret);
	kb_hash_hex(kb_sv_str(in->text), hash);
	record.hash = kb_sv_str(hash);
	record.key.label =
	        kb_arena_printf(in->arena, "%" PRId64 "|%.*s…", *id, LABEL_LETTERS, secret);
	return kb_columns_write(&key_stored, conn, &sql[KEY_ADD], KB_NO_VALUES, &record, err)
	       && kb_db_notify(conn, KB_TOPIC_KEY, *id, err);
}

bool kb_store_key_create(struct kb_store *store, const struct kb_key_new *key,
                         char text[KB_KEY_TEXT], struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct key_create in = {
		.arena = &arena, .key = key, .now = kb_store_now(store), .text = text
	};
	bool ok = kb_db_write(store->db, key_create, &in, err);

	kb_arena_fini(&arena);
	if (!ok)
		text[0] = '\0';
	return ok;
}

bool kb_store_key_list(struct kb_store *store, struct kb_arena *arena, struct kb_key **keys,
                       struct kb_account **accounts, size_t *count, struct kb_err *err)
{
	struct kb_db_rows rows;

	*keys = NULL;
	*accounts = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[KEY_LIST], KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		struct key_record record;

		key_read(&rows, arena, &record);
		kb_account_read_row(&rows, arena, (int)key_stored.count,
		                    &KB_ROOM(arena, *accounts, *count)[*count]);
		record.key.plan = (*accounts)[*count].plan;
		KB_ROOM(arena, *keys, *count)[*count] = record.key;
		++*count;
	}
	return kb_rows_close(&rows, err);
}

struct key_revoke {
	int64_t id, now;
};

static bool key_revoke(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct key_revoke *in = arg;
	int64_t changed;

	if (!kb_db_run(conn, &sql[KEY_REVOKE], KB_VALUES(kb_int(in->id), kb_int(in->now)), &changed,
	               err))
		return false;
	if (changed == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no valid key with id %" PRId64,
		               in->id);
	return kb_db_notify(conn, KB_TOPIC_KEY, in->id, err);
}

bool kb_store_key_revoke(struct kb_store *store, int64_t key_id, struct kb_err *err)
{
	struct key_revoke in = { .id = key_id, .now = kb_store_now(store) };

	return kb_db_write(store->db, key_revoke, &in, err);
}

bool kb_store_account_keys(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                           struct kb_key **keys, size_t *count, struct kb_err *err)
{
	struct kb_db_rows rows;

	*keys = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[KEY_OF_ACCOUNT], KB_VALUES(kb_int(account_id)));
	while (kb_rows_next(&rows)) {
		struct key_record record;

		key_read(&rows, arena, &record);
		KB_ROOM(arena, *keys, *count)[*count] = record.key;
		++*count;
	}
	return kb_rows_close(&rows, err);
}

struct key_change {
	int64_t id, account_id, now;
};

static bool key_revoke_own(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct key_change *in = arg;
	int64_t changed;

	if (!kb_db_run(conn, &sql[KEY_REVOKE_OWN],
	               KB_VALUES(kb_int(in->id), kb_int(in->account_id), kb_int(in->now)), &changed,
	               err))
		return false;
	if (changed == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "Key with id %" PRId64 " not found", in->id);
	return kb_db_notify(conn, KB_TOPIC_KEY, in->id, err);
}

bool kb_store_account_key_revoke(struct kb_store *store, int64_t account_id, int64_t key_id,
                                 struct kb_err *err)
{
	struct key_change in = { .id = key_id,
		                 .account_id = account_id,
		                 .now = kb_store_now(store) };

	return kb_db_write(store->db, key_revoke_own, &in, err);
}

bool kb_keys_revoke_of(struct kb_db_conn *conn, struct kb_arena *arena, int64_t person_id,
                       int64_t now, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t *ids = NULL;
	size_t count = 0;

	kb_rows_open(&rows, conn, &sql[KEY_OF_PERSON], KB_VALUES(kb_int(person_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, ids, count)[count] = kb_rows_int(&rows, 0);
		count++;
	}
	if (!kb_rows_close(&rows, err)
	    || !kb_db_run(conn, &sql[KEY_REVOKE_PERSON], KB_VALUES(kb_int(person_id), kb_int(now)),
	                  NULL, err))
		return false;
	for (size_t i = 0; i < count; i++)
		if (!kb_db_notify(conn, KB_TOPIC_KEY, ids[i], err))
			return false;
	return true;
}

static bool key_seen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct key_change *in = arg;

	return kb_db_run(conn, &sql[KEY_SEEN], KB_VALUES(kb_int(in->id), kb_int(in->now)), NULL,
	                 err)
	       && kb_db_notify(conn, KB_TOPIC_KEY, in->id, err);
}

void kb_store_key_seen(struct kb_store *store, const struct kb_key *key)
{
	struct key_change in = { .id = key->id, .now = kb_store_now(store) };
	struct kb_err ignored;

	/* A disk that is full keeps nobody out. */
	if (in.now - key->seen_at > NOTED_US)
		(void)!kb_db_write(store->db, key_seen, &in, &ignored);
}

bool kb_store_key_count(struct kb_store *store, int64_t *count, struct kb_err *err)
{
	return kb_db_read_int(store->db, &sql[KEY_COUNT], KB_NO_VALUES, 0, count, err);
}

/* ---- who is it ---- */

/* The id of a well-formed key text, or 0. */
static int64_t key_id(struct kb_sv text)
{
	ptrdiff_t bar = kb_sv_find_byte(text, '|');
	struct kb_sv secret;
	int64_t id;

	if (bar < ID_DIGITS_MIN || bar > ID_DIGITS_MAX
	    || !kb_sv_to_int(kb_sv_sub(text, 0, (size_t)bar), 1, INT64_MAX, &id))
		return 0;
	secret = kb_sv_from(text, (size_t)bar + 1);
	return secret.n == SECRET_LETTERS ? id : 0;
}

/* True when the text is this record's key and it is valid. */
static bool key_matches(const struct key_record *record, struct kb_sv text)
{
	char hash[KB_HASH_HEX];

	kb_hash_hex(text, hash);
	return kb_equal_secret(kb_sv_str(hash), record->hash) && record->key.revoked_at == 0;
}

static struct key_record *key_cached(struct kb_store *store, struct kb_arena *arena, int64_t id)
{
	struct key_record *record = kb_cache_get(store->keys, arena, id);

	if (record)
		record->key.agents = (const int64_t *)(const void *)record->ids.p;
	return record;
}

bool kb_store_peek_key(struct kb_store *store, struct kb_arena *arena, struct kb_sv text,
                       struct kb_key *out)
{
	int64_t id = key_id(text);
	struct key_record *record = id ? key_cached(store, arena, id) : NULL;

	if (!record || !key_matches(record, text))
		return false;
	*out = record->key;
	return true;
}

bool kb_store_key_named(struct kb_store *store, struct kb_arena *arena, struct kb_sv text,
                        struct kb_key *out)
{
	int64_t id = key_id(text);
	struct key_record *record = id ? key_cached(store, arena, id) : NULL;

	if (record)
		*out = record->key;
	return record != NULL;
}

void kb_key_read_begin(struct kb_store *store, struct kb_db_conn *conn, struct kb_sv text,
                       struct kb_key_reading *reading)
{
	reading->id = key_id(text);
	if (!reading->id)
		return;
	reading->mark = kb_cache_mark(store->keys, reading->id);
	kb_rows_open(&reading->rows, conn, &sql[KEY_BY_ID], KB_VALUES(kb_int(reading->id)));
}

/* *record is NULL when there is none. */
static bool key_record_read(struct kb_store *store, struct kb_arena *arena,
                            struct kb_key_reading *reading, struct key_record **record,
                            struct kb_err *err)
{
	struct kb_db_rows *rows = &reading->rows;

	*record = NULL;
	while (kb_rows_next(rows)) {
		*record = KB_NEW(arena, struct key_record);
		key_read(rows, arena, *record);
		(*record)->key.plan = kb_rows_text(rows, arena, (int)key_stored.count);
	}
	if (!kb_rows_close(rows, err))
		return false;
	if (*record)
		kb_cache_put(store->keys, reading->id, reading->mark, *record);
	return true;
}

bool kb_key_read_end(struct kb_store *store, struct kb_arena *arena, struct kb_key_reading *reading,
                     struct kb_err *err)
{
	struct key_record *record;

	return !reading->id || key_record_read(store, arena, reading, &record, err);
}

/* Reads the key into the cache; *record is NULL when there is none. */
static bool key_load(struct kb_store *store, struct kb_arena *arena, int64_t id,
                     struct key_record **record, struct kb_err *err)
{
	struct kb_key_reading reading = { .id = id, .mark = kb_cache_mark(store->keys, id) };

	kb_rows_take(&reading.rows, store->db, &sql[KEY_BY_ID], KB_VALUES(kb_int(id)));
	return key_record_read(store, arena, &reading, record, err);
}

bool kb_store_key_get(struct kb_store *store, struct kb_arena *arena, int64_t id,
                      struct kb_key *out, struct kb_err *err)
{
	struct key_record *record = key_cached(store, arena, id);

	if (!record && !key_load(store, arena, id, &record, err))
		return false;
	if (!record || record->key.revoked_at)
		return kb_fail(err, KB_E_NOT_FOUND, "there is no valid key with id %" PRId64, id);
	*out = record->key;
	return true;
}

bool kb_store_key_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv text,
                        struct kb_key *out, struct kb_err *err)
{
	int64_t id = key_id(text);
	struct key_record *record = id ? key_cached(store, arena, id) : NULL;

	if (id && !record && !key_load(store, arena, id, &record, err))
		return false;
	if (!record || !key_matches(record, text))
		return kb_fail(err, KB_E_UNAUTHORIZED, "API Token is either missing or invalid");
	*out = record->key;
	return true;
}
