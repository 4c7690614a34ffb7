/* Programs that ask in somebody's name: what they were given, and what it still counts for. */
#include "store/programs.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "store/lists.h"
#include "store/signins_own.h"
#include "store/store_own.h"

/* A use is noted when the last one that was is so old. */
#define NOTED_US INT64_C(300000000)

enum { ADD, COUNT, TAKE, GIVE, RENEW, BY_CODE, BY_ACCESS, SEEN, LIST, END, END_OF, SWEEP };
// clang-format off
#define COLUMNS "id, account_id, person_id, key_id, agent_id, client, name, created_at, seen_at, ends_at"
/* Whose key is still valid, and whose person still there. */
#define COUNTS \
	"(key_id = 0 OR EXISTS (SELECT 1 FROM api_keys k WHERE k.id = programs.key_id AND k.revoked_at = 0)) AND " \
	"(person_id = 0 OR EXISTS (SELECT 1 FROM people p WHERE p.id = programs.person_id AND p.is_out = 0))"
static const struct kb_sql sql[] = {
	[ADD] = { "program_add", "iiiiitttttii",
		"INSERT INTO programs (id, account_id, person_id, key_id, agent_id, client, name, redirect, challenge, code, "
		"used_at, access, access_ends_at, refresh, created_at, seen_at, ends_at) "
		"VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 0, '', 0, '', $11, 0, $12)" },
	[COUNT] = { "program_count", "iii",
		"SELECT count(*) FROM programs WHERE account_id = $1 AND person_id = $2 AND key_id = $3" },
	/* One that was used is not there for anybody. */
	[TAKE] = { "program_take", "tii",
		"UPDATE programs SET used_at = $2 WHERE code = $1 AND used_at = 0 AND ends_at >= $3 "
		"RETURNING " COLUMNS ", challenge, redirect" },
	[GIVE] = { "program_give", "ittii",
		"UPDATE programs SET access = $2, refresh = $3, access_ends_at = $4, ends_at = $5 WHERE id = $1" },
	/* Of two who renew with the same token, one does. */
	[RENEW] = { "program_renew", "ttttiii",
		"UPDATE programs SET access = $3, refresh = $4, access_ends_at = $5, ends_at = $6 "
		"WHERE code = $1 AND refresh = $2 AND ends_at >= $7 RETURNING " COLUMNS },
	[BY_CODE] = { "program_by_code", "t", "SELECT " COLUMNS " FROM programs WHERE code = $1" },
	[BY_ACCESS] = { "program_by_access", "ti",
		"SELECT " COLUMNS " FROM programs WHERE access = $1 AND access <> '' AND access_ends_at > $2" },
	[SEEN] = { "program_seen", "ii", "UPDATE programs SET seen_at = $2 WHERE id = $1" },
	[LIST] = { "program_list", "iiii",
		"SELECT " COLUMNS " FROM programs WHERE account_id = $1 AND ($2 = 0 OR person_id = $2) AND ends_at > $3 "
		"AND used_at > 0 AND " COUNTS " ORDER BY id DESC LIMIT $4" },
	[END] = { "program_end", "iii",
		"DELETE FROM programs WHERE id = $1 AND account_id = $2 AND ($3 = 0 OR person_id = $3)" },
	[END_OF] = { "program_end_of", "ii", "DELETE FROM programs WHERE account_id = $1 AND person_id = $2" },
	[SWEEP] = { "program_sweep", "i", "DELETE FROM programs WHERE ends_at < $1" },
};
// clang-format on
const struct kb_sql_table kb_sql_programs = { "programs", sql, KB_COUNTOF(sql) };

enum { NAME_CHARS = 100, LIST_ROWS = 1000, CODE_CHARS = KB_PROGRAM_CODE - 1 };
static_assert(sizeof(KB_PROGRAM_TOKEN) - 1 + CODE_CHARS + 1 == KB_PROGRAM_ACCESS, "no room");
static_assert(2 * CODE_CHARS + 1 == KB_PROGRAM_REFRESH, "no room");

static struct kb_consent read_row(struct kb_db_rows *rows, struct kb_arena *arena)
{
	return (struct kb_consent){
		.id = kb_rows_int(rows, 0),
		.account_id = kb_rows_int(rows, 1),
		.person_id = kb_rows_int(rows, 2),
		.key_id = kb_rows_int(rows, 3),
		.agent_id = kb_rows_int(rows, 4),
		.client = kb_rows_text(rows, arena, 5),
		.name = kb_rows_text(rows, arena, 6),
		.created_at = kb_rows_int(rows, 7),
		.seen_at = kb_rows_int(rows, 8),
		.ends_at = kb_rows_int(rows, 9),
	};
}

/* ---- letting one in ---- */

struct adding {
	const struct kb_program_new *new;
	char code[KB_HASH_HEX];
	int64_t now;
};

static bool add(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct adding *in = arg;
	const struct kb_consent *program = &in->new->program;
	int64_t count, id;

	if (!kb_db_run(conn, &sql[SWEEP], KB_VALUES(kb_int(in->now)), NULL, err)
	    || !kb_db_int(conn, &sql[COUNT],
	                  KB_VALUES(kb_int(program->account_id), kb_int(program->person_id),
	                            kb_int(program->key_id)),
	                  0, &count, err))
		return false;
	if (count >= KB_PROGRAMS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "you have let in %d programs, which is the limit: revoke one first",
		               KB_PROGRAMS_MAX);
	return kb_db_next_id(conn, "program", 1, &id, err)
	       && kb_db_run(conn, &sql[ADD],
	                    KB_VALUES(kb_int(id), kb_int(program->account_id),
	                              kb_int(program->person_id), kb_int(program->key_id),
	                              kb_int(program->agent_id), kb_text(program->client),
	                              kb_text(kb_utf8_head(program->name, NAME_CHARS)),
	                              kb_text(in->new->redirect), kb_text(in->new->challenge),
	                              kb_text(kb_sv_str(in->code)), kb_int(in->now),
	                              kb_int(in->now + KB_PROGRAM_CODE_US)),
	                    NULL, err);
}

bool kb_store_program_allow(struct kb_store *store, const struct kb_program_new *new,
                            char code[KB_PROGRAM_CODE], struct kb_err *err)
{
	struct adding in = { .new = new, .now = kb_store_now(store) };

	kb_random_text(code, CODE_CHARS);
	kb_hash_hex(kb_sv_str(code), in.code);
	return kb_db_write(store->db, add, &in, err);
}

/* ---- tokens ---- */

struct claiming {
	const struct kb_program_claim *claim;
	struct kb_arena *arena;
	char code[KB_HASH_HEX], shown[KB_HASH_HEX];     /* of the code, and of the refresh token */
	char access[KB_HASH_HEX], refresh[KB_HASH_HEX]; /* of the new tokens */
	int64_t now;
	struct kb_consent found;
	struct kb_sv challenge, redirect;
	bool fits;
};

static bool is_theirs(const struct claiming *in)
{
	const struct kb_program_claim *claim = in->claim;

	return kb_sv_eq(in->found.client, claim->client)
	       && (!claim->agent_id || claim->agent_id == in->found.agent_id);
}

/* Whose the code is, where it is no use any more: it was presented again. */
static bool find_used(struct kb_db_conn *conn, struct claiming *in, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[BY_CODE], KB_VALUES(kb_text(kb_sv_str(in->code))));
	while (kb_rows_next(&rows))
		in->found = read_row(&rows, in->arena);
	return kb_rows_close(&rows, err);
}

/* What does not fit uses the code up as well: who has it and not what belongs to it is not who it
 * was given to. */
static bool exchange(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct claiming *in = arg;
	struct kb_db_rows rows;

	in->found = (struct kb_consent){ 0 };
	in->fits = false;
	kb_rows_open(&rows, conn, &sql[TAKE],
	             KB_VALUES(kb_text(kb_sv_str(in->code)), kb_int(in->now), kb_int(in->now)));
	while (kb_rows_next(&rows)) {
		in->found = read_row(&rows, in->arena);
		in->challenge = kb_rows_text(&rows, in->arena, 10);
		in->redirect = kb_rows_text(&rows, in->arena, 11);
	}
	if (!kb_rows_close(&rows, err))
		return false;
	if (!in->found.id)
		return find_used(conn, in, err);
	in->fits = is_theirs(in) && kb_equal_secret(in->challenge, in->claim->challenge)
	           && kb_sv_eq(in->redirect, in->claim->redirect);
	return !in->fits
	       || kb_db_run(conn, &sql[GIVE],
	                    KB_VALUES(kb_int(in->found.id), kb_text(kb_sv_str(in->access)),
	                              kb_text(kb_sv_str(in->refresh)),
	                              kb_int(in->now + KB_PROGRAM_ACCESS_US),
	                              kb_int(in->now + KB_PROGRAM_IDLE_US)),
	                    NULL, err);
}

static bool renew(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct claiming *in = arg;
	struct kb_db_rows rows;

	in->found = (struct kb_consent){ 0 };
	kb_rows_open(&rows, conn, &sql[RENEW],
	             KB_VALUES(kb_text(kb_sv_str(in->code)), kb_text(kb_sv_str(in->shown)),
	                       kb_text(kb_sv_str(in->access)), kb_text(kb_sv_str(in->refresh)),
	                       kb_int(in->now + KB_PROGRAM_ACCESS_US),
	                       kb_int(in->now + KB_PROGRAM_IDLE_US), kb_int(in->now)));
	while (kb_rows_next(&rows))
		in->found = read_row(&rows, in->arena);
	if (!kb_rows_close(&rows, err))
		return false;
	in->fits = in->found.id && is_theirs(in);
	return in->found.id || find_used(conn, in, err);
}

static bool look(struct kb_store *store, struct kb_arena *arena, const char *code,
                 struct kb_consent *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_take(&rows, store->db, &sql[BY_CODE], KB_VALUES(kb_text(kb_sv_str(code))));
	while (kb_rows_next(&rows))
		*out = read_row(&rows, arena);
	return kb_rows_close(&rows, err);
}

static void make_tokens(struct claiming *in, struct kb_sv code, struct kb_program_tokens *tokens)
{
	memcpy(tokens->access, KB_PROGRAM_TOKEN, sizeof(KB_PROGRAM_TOKEN));
	kb_random_text(tokens->access + sizeof(KB_PROGRAM_TOKEN) - 1, CODE_CHARS);
	memcpy(tokens->refresh, code.p, CODE_CHARS);
	kb_random_text(tokens->refresh + CODE_CHARS, CODE_CHARS);
	kb_hash_hex(code, in->code);
	kb_hash_hex(kb_sv_str(tokens->access), in->access);
	kb_hash_hex(kb_sv_str(tokens->refresh), in->refresh);
}

bool kb_store_program_claim(struct kb_store *store, struct kb_arena *arena,
                            const struct kb_program_claim *claim, struct kb_program_tokens *tokens,
                            struct kb_consent *out, struct kb_err *err)
{
	struct claiming in = { .claim = claim, .arena = arena, .now = kb_store_now(store) };
	bool is_code = claim->code.n == CODE_CHARS;

	*out = (struct kb_consent){ 0 };
	if (is_code)
		make_tokens(&in, claim->code, tokens);
	else if (claim->refresh.n == KB_PROGRAM_REFRESH - 1)
		make_tokens(&in, kb_sv_sub(claim->refresh, 0, CODE_CHARS), tokens);
	else
		return kb_fail(err, KB_E_UNAUTHORIZED, "it is none of ours");
	kb_hash_hex(claim->refresh, in.shown);
	/* What was never given costs no write. */
	if (!look(store, arena, in.code, out, err))
		return false;
	if (!out->id)
		return kb_fail(err, KB_E_UNAUTHORIZED, "it is revoked or was never made");
	if (!kb_db_write(store->db, is_code ? exchange : renew, &in, err))
		return false;
	*out = in.found;
	return in.fits
	       || kb_fail(err, KB_E_UNAUTHORIZED, "it was used before, is too old or does not fit");
}

static bool seen(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_consent *in = arg;

	return kb_db_run(conn, &sql[SEEN], KB_VALUES(kb_int(in->id), kb_int(in->seen_at)), NULL,
	                 err);
}

static bool find(struct kb_store *store, struct kb_arena *arena, struct kb_sv access,
                 struct kb_consent *out, struct kb_err *err)
{
	struct kb_db_rows rows;
	char hash[KB_HASH_HEX];

	kb_hash_hex(access, hash);
	kb_rows_take(&rows, store->db, &sql[BY_ACCESS],
	             KB_VALUES(kb_text(kb_sv_str(hash)), kb_int(kb_store_now(store))));
	while (kb_rows_next(&rows))
		*out = read_row(&rows, arena);
	return kb_rows_close(&rows, err);
}

bool kb_store_program_check(struct kb_store *store, struct kb_arena *arena, struct kb_sv access,
                            struct kb_consent *out, struct kb_err *err)
{
	int64_t now = kb_store_now(store);
	struct kb_err ignored;

	*out = (struct kb_consent){ 0 };
	if (access.n == KB_PROGRAM_ACCESS - 1 && !find(store, arena, access, out, err))
		return false;
	if (!out->id)
		return kb_fail(err, KB_E_UNAUTHORIZED, "the token is too old, or of no program");
	/* A disk that is full keeps nobody out. */
	if (now - out->seen_at > NOTED_US) {
		out->seen_at = now;
		(void)!kb_db_write(store->db, seen, out, &ignored);
	}
	return true;
}

bool kb_store_program_find(struct kb_store *store, struct kb_arena *arena, struct kb_sv token,
                           struct kb_sv client, struct kb_consent *out, struct kb_err *err)
{
	char hash[KB_HASH_HEX];

	*out = (struct kb_consent){ 0 };
	if (token.n == KB_PROGRAM_REFRESH - 1) {
		kb_hash_hex(kb_sv_sub(token, 0, CODE_CHARS), hash);
		if (!look(store, arena, hash, out, err))
			return false;
	} else if (!find(store, arena, token, out, err)) {
		return false;
	}
	if (!kb_sv_eq(out->client, client))
		*out = (struct kb_consent){ 0 };
	return true;
}

/* ---- lists ---- */

bool kb_store_programs(struct kb_store *store, struct kb_arena *arena,
                       const struct kb_session_owner *of, struct kb_consent **out, size_t *count,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	kb_rows_take(&rows, store->db, &sql[LIST],
	             KB_VALUES(kb_int(of->account_id), kb_int(of->person_id),
	                       kb_int(kb_store_now(store)), kb_int(LIST_ROWS)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *out, *count)[*count] = read_row(&rows, arena);
		++*count;
	}
	return kb_rows_close(&rows, err);
}

struct ending {
	const struct kb_session_owner *of;
	int64_t id;
};

static bool end(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct ending *in = arg;
	int64_t changed = 0;

	return kb_db_run(conn, &sql[END],
	                 KB_VALUES(kb_int(in->id), kb_int(in->of->account_id),
	                           kb_int(in->of->person_id)),
	                 &changed, err)
	       && (changed
	           || kb_fail(err, KB_E_NOT_FOUND, "Program with id %" PRId64 " not found",
	                      in->id));
}

bool kb_store_program_end(struct kb_store *store, const struct kb_session_owner *of, int64_t id,
                          struct kb_err *err)
{
	struct ending in = { .of = of, .id = id };

	return kb_db_write(store->db, end, &in, err);
}

bool kb_programs_end_of(struct kb_db_conn *conn, int64_t account_id, int64_t person_id,
                        struct kb_err *err)
{
	return kb_db_run(conn, &sql[END_OF], KB_VALUES(kb_int(account_id), kb_int(person_id)), NULL,
	                 err);
}
