#include "store/audit_own.h"
#include "store/lists.h"
#include "store/secrets_own.h"

enum { SLICE = 500 };

/* A row for each kind. */
enum { VISITORS_LIST, VISITORS_PAGE, VISITORS_SET };
// clang-format off
#define HEAD_OF(column) "CASE WHEN substr(" column ", 1, 7) = 'sealed:' THEN substr(" column ", 1, 23) ELSE '' END"
static const struct kb_sql sql[] = {
	[VISITORS_LIST] = { "secret_list_visitors", "",
		"SELECT " HEAD_OF("secret") " AS head, count(*) FROM embed_secrets GROUP BY 1 ORDER BY 1" },
	[VISITORS_PAGE] = { "secret_page_visitors", "ii",
		"SELECT agent_id, secret FROM embed_secrets WHERE agent_id > $1 ORDER BY agent_id LIMIT $2" },
	[VISITORS_SET] = { "secret_set_visitors", "itt",
		"UPDATE embed_secrets SET secret = $3 WHERE agent_id = $1 AND secret = $2" },
};
// clang-format on
const struct kb_sql_table kb_sql_secrets = { "secrets", sql, KB_COUNTOF(sql) };

static const struct {
	const char *what, *one; /* one: of the row of that id; sealed secrets are about it */
	int list, page, set;
} kinds[] = {
	[KB_SECRET_VISITORS] = { "secrets that sign visitors",
	                         "the secret that signs visitors of agent", VISITORS_LIST,
	                         VISITORS_PAGE, VISITORS_SET },
};
static_assert(KB_COUNTOF(kinds) == KB_SECRET_COUNT, "a kind of secret without a row");

static struct kb_sv about(struct kb_arena *arena, struct kb_secret_at at)
{
	return kb_arena_printf(arena, "%s %" PRId64, kinds[at.kind].one, at.row);
}

struct kb_sv kb_secret_stored(struct kb_store *store, struct kb_arena *arena,
                              struct kb_secret_at at, struct kb_sv plain)
{
	return store->secret_keys
	               ? kb_secret_seal(arena, &store->secret_keys->v[0], about(arena, at), plain)
	               : plain;
}

bool kb_secret_told(struct kb_store *store, struct kb_arena *arena, struct kb_secret_at at,
                    struct kb_sv stored, struct kb_sv *plain, struct kb_err *err)
{
	return kb_secret_open(arena, store->secret_keys, about(arena, at), stored, plain, err);
}

/* ---- all of them ---- */

bool kb_store_secrets_list(struct kb_store *store, struct kb_arena *arena,
                           struct kb_secrets_row **out, size_t *count, struct kb_err *err)
{
	*out = NULL;
	*count = 0;
	for (size_t kind = 0; kind < KB_SECRET_COUNT; kind++) {
		struct kb_db_rows rows;

		kb_rows_take(&rows, store->db, &sql[kinds[kind].list], KB_NO_VALUES);
		while (kb_rows_next(&rows)) {
			struct kb_sv key = kb_secret_key_of(kb_rows_text(&rows, arena, 0));

			KB_ROOM(arena, *out, *count)
			[*count] = (struct kb_secrets_row){
				.what = kinds[kind].what,
				.key = key,
				.opens = !key.n || kb_secret_key_find(store->secret_keys, key),
				.count = kb_rows_int(&rows, 1),
			};
			++*count;
		}
		if (!kb_rows_close(&rows, err))
			return false;
	}
	return true;
}

struct turning {
	struct kb_store *store;
	struct kb_arena *arena;
	enum kb_secret_kind kind;
	bool plain;
	int64_t after, last, changed; /* last: the slice's last row; it may be made again */
	size_t rows;
};

struct stored {
	int64_t id;
	struct kb_sv text;
};

/* As it is to stand; the same where it stands so. */
static bool turned(const struct turning *in, const struct stored *row, struct kb_sv *out,
                   struct kb_err *err)
{
	const struct kb_secret_keys *keys = in->store->secret_keys;
	const struct kb_secret_at at = { in->kind, row->id };
	struct kb_sv plain;

	*out = row->text;
	if (in->plain ? !kb_secret_is_sealed(row->text)
	              : kb_sv_eq_str(kb_secret_key_of(row->text), keys->v[0].id))
		return true;
	if (!kb_secret_told(in->store, in->arena, at, row->text, &plain, err))
		return false;
	*out = in->plain ? plain : kb_secret_stored(in->store, in->arena, at, plain);
	return true;
}

static bool turn_slice(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct turning *in = arg;
	struct stored *rows = NULL;
	struct kb_db_rows read;
	int64_t sum = 0;
	size_t count = 0;

	kb_rows_open(&read, conn, &sql[kinds[in->kind].page],
	             KB_VALUES(kb_int(in->after), kb_int(SLICE)));
	while (kb_rows_next(&read)) {
		KB_ROOM(in->arena, rows, count)
		[count] =
		        (struct stored){ kb_rows_int(&read, 0), kb_rows_text(&read, in->arena, 1) };
		count++;
	}
	if (!kb_rows_close(&read, err))
		return false;
	for (size_t i = 0; i < count; i++) {
		struct kb_sv text;
		int64_t changed = 0;

		if (!turned(in, &rows[i], &text, err))
			return false;
		if (!kb_sv_eq(text, rows[i].text)
		    && !kb_db_run(
		            conn, &sql[kinds[in->kind].set],
		            KB_VALUES(kb_int(rows[i].id), kb_text(rows[i].text), kb_text(text)),
		            &changed, err))
			return false;
		sum += changed;
		in->last = rows[i].id;
	}
	in->rows = count;
	in->changed = sum;
	return true;
}

/* What is kept of it: behind all slices, which are done then. */
static bool keep(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct turning *in = arg;
	const struct kb_audit_entry entry = {
		.action = KB_AUDIT_SECRET_SEAL,
		.command =
		        in->plain ? KB_SV("docent secrets unseal") : KB_SV("docent secrets rotate"),
		.object = in->plain ? KB_SV("readable")
		                    : kb_arena_printf(in->arena, "key %s",
		                                      in->store->secret_keys->v[0].id),
	};

	return kb_audit_add(conn, in->store, &entry, err);
}

bool kb_store_secrets_turn(struct kb_store *store, bool plain, int64_t *changed, struct kb_err *err)
{
	*changed = 0;
	if (!plain && !store->secret_keys)
		return kb_fail(err, KB_E_INVALID,
		               "there is no key: name one by --secrets-key-file");
	for (size_t kind = 0; kind < KB_SECRET_COUNT; kind++) {
		struct turning in = { .store = store,
			              .kind = (enum kb_secret_kind)kind,
			              .plain = plain,
			              .after = -1,
			              .last = -1,
			              .rows = SLICE };

		while (in.rows == SLICE) {
			struct kb_arena arena = { 0 };
			bool ok;

			in.arena = &arena;
			ok = kb_db_write(store->db, turn_slice, &in, err);
			kb_arena_fini(&arena);
			if (!ok)
				return false;
			*changed += in.changed;
			in.after = in.last;
		}
	}
	if (*changed) {
		struct kb_arena arena = { 0 };
		struct turning in = { .store = store, .arena = &arena, .plain = plain };
		bool ok = kb_db_write(store->db, keep, &in, err);

		kb_arena_fini(&arena);
		return ok;
	}
	return true;
}
