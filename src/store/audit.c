#include "store/audit_own.h"

#include <stdio.h>

#include "base/hash.h"
#include "db/columns.h"
#include "store/lists.h"

enum { NEXT, HEAD, ADD, LIST, COUNT, HEADS, WALK, AGES, GONE, TAKE, FIRST_ACCOUNT };
enum { WALK_ROWS = 500, PURGE_ROWS = 5000 };
// clang-format off
/* The columns of audit (columns.h), those that are hashed first. */
#define HASHED(FIRST, NEXT) \
	FIRST(i, node,       node) \
	NEXT (i, seq,        seq) \
	NEXT (i, account_id, entry.account_id) \
	NEXT (i, at,         at) \
	NEXT (i, person_id,  entry.person_id) \
	NEXT (i, key_id,     entry.key_id) \
	NEXT (t, command,    entry.command) \
	NEXT (t, action,     action) \
	NEXT (i, agent_id,   entry.agent_id) \
	NEXT (t, object,     entry.object) \
	NEXT (i, outcome,    outcome) \
	NEXT (t, address,    entry.address) \
	NEXT (t, request,    entry.request) \
	NEXT (t, changes,    entry.changes) \
	NEXT (t, previous,   previous)
#define AUDIT(FIRST, NEXT) HASHED(FIRST, NEXT) NEXT(t, hash, hash)
#define CHOSEN \
	" FROM audit WHERE account_id = $1 AND at >= $2 AND at < $3 AND substr(action, 1, length($4)) = $4 " \
	"AND ($5 = 0 OR person_id = $5) AND ($6 = 0 OR key_id = $6) AND ($7 = 0 OR agent_id = $7)"
static const struct kb_sql sql[] = {
	/* One row of the node at a time: who comes next waits here for the commit. */
	[NEXT] = { "audit_next", "i",
		"INSERT INTO audit_heads (node, seq, hash) VALUES ($1, 1, '') "
		"ON CONFLICT (node) DO UPDATE SET seq = audit_heads.seq + 1 RETURNING seq, hash" },
	[HEAD] = { "audit_head", "it", "UPDATE audit_heads SET hash = $2 WHERE node = $1" },
	[ADD] = { "audit_add", KB_TYPES(AUDIT), KB_INSERT("audit", AUDIT) },
	[LIST] = { "audit_list_newest", "iiitiiiii",
		"SELECT " KB_NAMES(AUDIT) CHOSEN " ORDER BY at DESC, node DESC, seq DESC LIMIT $8 OFFSET $9" },
	[COUNT] = { "audit_list_count", "iiitiii", "SELECT count(*)" CHOSEN },
	[HEADS] = { "audit_heads", "", "SELECT node, seq, hash, gone_seq, gone_hash FROM audit_heads ORDER BY node" },
	[WALK] = { "audit_walk", "iii",
		"SELECT " KB_NAMES(AUDIT) " FROM audit WHERE node = $1 AND seq > $2 ORDER BY seq LIMIT $3" },
	[AGES] = { "audit_ages", "iii",
		"SELECT seq, at, hash FROM audit WHERE node = $1 AND seq > $2 ORDER BY seq LIMIT $3" },
	[GONE] = { "audit_gone", "iit", "UPDATE audit_heads SET gone_seq = $2, gone_hash = $3 WHERE node = $1" },
	[TAKE] = { "audit_take", "ii", "DELETE FROM audit WHERE node = $1 AND seq <= $2" },
	[FIRST_ACCOUNT] = { "audit_first_account", "",
		"SELECT id FROM accounts ORDER BY id LIMIT 1" },
};
// clang-format on
const struct kb_sql_table kb_sql_audit = { "audit", sql, KB_COUNTOF(sql) };

const char *const kb_audit_outcomes[] = { "done", "refused", "failed" };

#define INFO(name, text, doc) [KB_AUDIT_##name] = { text, doc },
const struct kb_audit_action_info kb_audit_action_infos[] = { KB_AUDIT_ACTIONS(INFO) };

struct row {
	struct kb_audit_entry entry;
	struct kb_sv action, previous, hash;
	int64_t node, seq, at, outcome;
};
#define COLUMN(letter, column, member) KB_COLUMN(struct row, letter, column, member)
static const struct kb_db_columns hashed = KB_COLUMNS(struct row, HASHED(COLUMN, COLUMN)),
                                  columns = KB_COLUMNS(struct row, AUDIT(COLUMN, COLUMN));

/* Of each member its length and itself, so that no two rows read alike. */
static void hash_row(const struct row *row, char out[KB_HASH_HEX])
{
	struct kb_db_value values[KB_SQL_PARAMS];
	struct kb_db_values all = kb_columns_values(&hashed, KB_NO_VALUES, row, values);
	struct kb_hasher hasher;

	kb_hasher_init(&hasher);
	for (size_t i = 0; i < all.count; i++) {
		const struct kb_db_value *value = &all.v[i];
		char text[48];
		int n = value->type == 'i' ? snprintf(text, sizeof(text), "i%" PRId64 ";", value->n)
		                           : snprintf(text, sizeof(text), "t%zu:", value->text.n);

		kb_hasher_add(&hasher, text, (size_t)n);
		if (value->type != 'i')
			kb_hasher_add(&hasher, value->text.p, value->text.n);
	}
	kb_hasher_hex(&hasher, out);
}

/* ---- writing ---- */

/* What it was done to: of what makes something that, named by the action ("agent 12" of
 * agent.create), where it takes an id. */
static struct kb_sv object_of(struct kb_arena *arena, const struct row *row, int64_t made)
{
	ptrdiff_t dot = kb_sv_find_byte(row->action, '.');
	struct kb_sv verb = kb_sv_from(row->action, (size_t)dot + 1);

	if (!made
	    || !(kb_sv_eq_str(verb, "create") || kb_sv_eq_str(verb, "copy")
	         || kb_sv_eq_str(verb, "allow")))
		return row->entry.object;
	return kb_arena_printf(arena, "%.*s %" PRId64,
	                       KB_SV_ARG(kb_sv_sub(row->action, 0, (size_t)dot)), made);
}

static struct kb_sv mended(struct kb_arena *arena, struct kb_sv text)
{
	return kb_db_text(arena, text.p ? text : KB_SV(""));
}

static bool take_place(struct kb_db_conn *conn, struct kb_arena *arena, struct row *row,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[NEXT], KB_VALUES(kb_int(row->node)));
	while (kb_rows_next(&rows)) {
		row->seq = kb_rows_int(&rows, 0);
		row->previous = kb_rows_text(&rows, arena, 1);
	}
	return kb_rows_close(&rows, err);
}

static bool add(struct kb_db_conn *conn, const struct kb_audit *audit, int64_t made,
                enum kb_audit_outcome outcome, struct kb_err *err)
{
	const struct kb_audit_entry *entry = &audit->entry;
	struct kb_arena arena = { 0 };
	char hash[KB_HASH_HEX];
	struct row row = { .entry = *entry,
		           .action = kb_sv_str(kb_audit_action_infos[entry->action].name),
		           .node = audit->store->node,
		           .at = audit->now,
		           .outcome = outcome };
	bool ok = take_place(conn, &arena, &row, err);

	/* As they come back: what is hashed is what is stored. */
	row.entry.command = mended(&arena, entry->command);
	row.entry.object = mended(&arena, object_of(&arena, &row, made));
	row.entry.address = mended(&arena, entry->address);
	row.entry.request = mended(&arena, entry->request);
	row.entry.changes = mended(&arena, entry->changes);
	if (ok) {
		hash_row(&row, hash);
		row.hash = kb_sv_str(hash);
		ok = kb_columns_write(&columns, conn, &sql[ADD], KB_NO_VALUES, &row, err)
		     && kb_db_run(conn, &sql[HEAD], KB_VALUES(kb_int(row.node), kb_text(row.hash)),
		                  NULL, err);
	}
	kb_arena_fini(&arena);
	return ok;
}

static bool beside(struct kb_db_conn *conn, int64_t made, void *arg, struct kb_err *err)
{
	return add(conn, arg, made, KB_AUDIT_DONE, err);
}

bool kb_audit_add(struct kb_db_conn *conn, struct kb_store *store,
                  const struct kb_audit_entry *entry, struct kb_err *err)
{
	struct kb_audit audit = { .store = store, .entry = *entry, .now = kb_store_now(store) };

	if (!audit.entry.command.n)
		audit.entry.command = KB_SV("service");
	if (!audit.entry.account_id
	    && !kb_db_int(conn, &sql[FIRST_ACCOUNT], KB_NO_VALUES, 0, &audit.entry.account_id, err))
		return false;
	return !audit.entry.account_id || add(conn, &audit, 0, KB_AUDIT_DONE, err);
}

struct late {
	const struct kb_audit *audit;
	enum kb_audit_outcome outcome;
};

static bool add_late(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct late *in = arg;

	return add(conn, in->audit, 0, in->outcome, err);
}

void kb_audit_begin(struct kb_audit *audit, struct kb_store *store,
                    const struct kb_audit_entry *entry)
{
	*audit = (struct kb_audit){
		.beside = { .fn = beside, .arg = audit },
		.store = store,
		.entry = *entry,
		.now = kb_store_now(store),
	};
	kb_db_take_along(&audit->beside);
}

bool kb_audit_end(struct kb_audit *audit, enum kb_audit_outcome outcome, struct kb_err *err)
{
	kb_db_take_along(NULL);
	/* What failed and has changed nothing was nothing. */
	if (audit->beside.done ? outcome == KB_AUDIT_DONE : outcome == KB_AUDIT_FAILED)
		return true;
	return kb_db_write(audit->store->db, add_late, &(struct late){ audit, outcome }, err);
}

void kb_audit_drop(void)
{
	kb_db_take_along(NULL);
}

/* ---- reading ---- */

static void read_row(struct kb_db_rows *rows, struct kb_arena *arena, struct row *row)
{
	*row = (struct row){ 0 };
	kb_columns_read(&columns, rows, 0, arena, row);
}

static void add_row(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_audit_list *out)
{
	struct row row;

	read_row(rows, arena, &row);
	KB_ROOM(arena, out->v, out->count)
	[out->count] = (struct kb_audit_row){
		.entry = row.entry,
		.action = row.action,
		.node = row.node,
		.seq = row.seq,
		.at = row.at,
		.outcome = row.outcome >= 0 && row.outcome < KB_AUDIT_OUTCOME_COUNT
		                   ? (enum kb_audit_outcome)row.outcome
		                   : KB_AUDIT_FAILED,
	};
	out->count++;
}

bool kb_store_audit_after(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_audit_chain *chain, int64_t limit,
                          struct kb_audit_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_audit_list){ 0 };
	kb_rows_take(&rows, store->db, &sql[WALK],
	             KB_VALUES(kb_int(chain->node), kb_int(chain->told), kb_int(limit)));
	while (kb_rows_next(&rows))
		add_row(&rows, arena, out);
	return kb_rows_close(&rows, err);
}

bool kb_store_audit_list(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_audit_filter *filter, struct kb_audit_list *out,
                         struct kb_err *err)
{
	struct kb_sv action = filter->action.p ? filter->action : KB_SV("");
	struct kb_db_value v[] = { kb_int(filter->account_id),
		                   kb_int(filter->from),
		                   kb_int(filter->until),
		                   kb_text(action),
		                   kb_int(filter->person_id),
		                   kb_int(filter->key_id),
		                   kb_int(filter->agent_id),
		                   kb_int(kb_list_limit(&filter->list)),
		                   kb_int(kb_list_offset(&filter->list)) };
	struct kb_db_rows rows;

	*out = (struct kb_audit_list){ 0 };
	if (!kb_db_read_int(store->db, &sql[COUNT], (struct kb_db_values){ v, KB_COUNTOF(v) - 2 },
	                    0, &out->total, err))
		return false;
	kb_rows_take(&rows, store->db, &sql[LIST], (struct kb_db_values){ v, KB_COUNTOF(v) });
	while (kb_rows_next(&rows))
		add_row(&rows, arena, out);
	return kb_rows_close(&rows, err);
}

/* ---- the chains ---- */

struct head {
	int64_t node, seq, gone_seq;
	struct kb_sv hash, gone_hash;
};
struct heads {
	struct head *v;
	size_t count;
};

static bool read_heads(struct kb_db_conn *conn, struct kb_arena *arena, struct heads *out,
                       struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct heads){ 0 };
	kb_rows_open(&rows, conn, &sql[HEADS], KB_NO_VALUES);
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->v, out->count)
		[out->count] = (struct head){ .node = kb_rows_int(&rows, 0),
			                      .seq = kb_rows_int(&rows, 1),
			                      .hash = kb_rows_text(&rows, arena, 2),
			                      .gone_seq = kb_rows_int(&rows, 3),
			                      .gone_hash = kb_rows_text(&rows, arena, 4) };
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

struct purge {
	struct kb_store *store;
	int64_t before, removed;
};

/* The rows at the beginning of one chain, as far as each is old and none is missing: what was taken
 * out must not be forgotten. The last one of all stays, for the chain goes on behind it. */
static bool purge_chain(struct kb_db_conn *conn, struct kb_arena *arena, const struct head *head,
                        struct purge *in, struct kb_err *err)
{
	int64_t last = head->gone_seq;
	struct kb_sv hash = KB_SV("");
	struct kb_db_rows rows;
	bool is_old = true;

	kb_rows_open(&rows, conn, &sql[AGES],
	             KB_VALUES(kb_int(head->node), kb_int(last), kb_int(PURGE_ROWS)));
	while (kb_rows_next(&rows)) {
		int64_t seq = kb_rows_int(&rows, 0);

		is_old = is_old && seq == last + 1 && seq < head->seq
		         && kb_rows_int(&rows, 1) < in->before;
		if (!is_old)
			continue;
		last = seq;
		hash = kb_rows_text(&rows, arena, 2);
		in->removed++;
	}
	if (!kb_rows_close(&rows, err))
		return false;
	return last == head->gone_seq
	       || (kb_db_run(conn, &sql[GONE],
	                     KB_VALUES(kb_int(head->node), kb_int(last), kb_text(hash)), NULL, err)
	           && kb_db_run(conn, &sql[TAKE], KB_VALUES(kb_int(head->node), kb_int(last)), NULL,
	                        err));
}

static bool purge(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct purge *in = arg;
	struct kb_arena arena = { 0 };
	struct heads heads;
	bool ok = read_heads(conn, &arena, &heads, err);

	in->removed = 0; /* it may be run again */
	for (size_t i = 0; ok && i < heads.count; i++)
		ok = purge_chain(conn, &arena, &heads.v[i], in, err);
	if (ok && in->removed) {
		char before[KB_TIME_TEXT];
		struct kb_audit_entry entry = { .action = KB_AUDIT_AUDIT_PURGE };

		kb_time_format(before, in->before);
		entry.object =
		        kb_arena_printf(&arena, "%" PRId64 " rows before %s", in->removed, before);
		ok = kb_audit_add(conn, in->store, &entry, err);
	}
	kb_arena_fini(&arena);
	return ok;
}

bool kb_store_audit_purge(struct kb_store *store, int64_t before, int64_t *removed,
                          struct kb_err *err)
{
	struct purge in = { .store = store, .before = before };
	bool ok = kb_db_write(store->db, purge, &in, err);

	*removed = in.removed;
	return ok;
}

/* The walk along one of them. */
struct walk {
	struct kb_db_conn *conn;
	void (*say)(void *arg, const char *finding);
	void *arg;
	struct kb_audit_found *found;
	const struct head *head;
	/* Of the last row. A chain begins with row 1 behind no hash, or behind what is gone. */
	int64_t seq;
	char hash[KB_HASH_HEX];
	bool saw_head;
};

static void find(struct walk *walk, int64_t seq, const char *what)
{
	char text[200];

	snprintf(text, sizeof(text), "node %" PRId64 ", row %" PRId64 ": %s", walk->head->node, seq,
	         what);
	walk->say(walk->arg, text);
	walk->found->findings++;
}

static void pass(struct walk *walk, int64_t seq, struct kb_sv hash)
{
	walk->seq = seq;
	snprintf(walk->hash, sizeof(walk->hash), "%.*s", KB_SV_ARG(hash));
}

static void look_at(struct walk *walk, const struct row *row)
{
	char hash[KB_HASH_HEX];

	hash_row(row, hash);
	if (!kb_sv_eq_str(row->hash, hash))
		find(walk, row->seq, "it was changed after it was written");
	if (row->seq != walk->seq + 1)
		find(walk, row->seq, "rows before it are missing");
	else if (!kb_sv_eq_str(row->previous, walk->hash))
		find(walk, row->seq, "it does not follow the row before it");
	if (row->seq == walk->head->seq) {
		walk->saw_head = true;
		if (!kb_sv_eq(row->hash, walk->head->hash))
			find(walk, row->seq, "it is not the row that was written last");
	}
	pass(walk, row->seq, row->hash);
	walk->found->rows++;
}

static bool walk_chain(struct walk *walk, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct kb_db_rows rows;
	size_t count = WALK_ROWS;
	bool ok = true;

	pass(walk, walk->head->gone_seq, walk->head->gone_hash);
	walk->found->gone += walk->head->gone_seq;
	for (int64_t from = 0; ok && count == WALK_ROWS; from = walk->seq) {
		kb_rows_open(&rows, walk->conn, &sql[WALK],
		             KB_VALUES(kb_int(walk->head->node), kb_int(from), kb_int(WALK_ROWS)));
		for (count = 0; kb_rows_next(&rows); count++) {
			struct row row;

			read_row(&rows, &arena, &row);
			look_at(walk, &row);
		}
		ok = kb_rows_close(&rows, err);
		kb_arena_reset(&arena);
	}
	if (ok && !walk->saw_head && walk->head->seq > 0)
		find(walk, walk->head->seq, "the last rows are missing");
	kb_arena_fini(&arena);
	return ok;
}

bool kb_store_audit_verify(struct kb_store *store, void (*say)(void *arg, const char *finding),
                           void *arg, struct kb_audit_found *out, struct kb_err *err)
{
	/* What is written or goes by age meanwhile is in none of its rows. */
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_arena arena = { 0 };
	struct heads heads = { 0 };
	bool ok;

	*out = (struct kb_audit_found){ 0 };
	if (!conn)
		return false;
	ok = read_heads(conn, &arena, &heads, err);
	for (size_t i = 0; ok && i < heads.count; i++) {
		struct walk walk = {
			.conn = conn, .say = say, .arg = arg, .found = out, .head = &heads.v[i]
		};

		ok = walk_chain(&walk, err);
	}
	kb_db_give(store->db, conn);
	out->chains = (int64_t)heads.count;
	kb_arena_fini(&arena);
	return ok;
}
