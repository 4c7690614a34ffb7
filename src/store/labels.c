/* Labels, their users, and the documents that carry them. */
#include "store/labels.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "store/index_state.h"
#include "store/labels_own.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"
#include "store/texts.h"

enum {
	ADD,
	LIVING,
	DELETED,
	COUNT,
	BY_ID,
	UPDATE,
	LIST_DESC,
	LIST_ASC,
	OF_PAGE,
	OF_SOURCE,
	PAGE_EXISTS,
	ATTACH,
	ATTACH_SOURCE,
	DETACH_PAGE,
	DETACH_SOURCE,
	STATE_LABELS,
	STATE_PAGES,
	STATE_KEPT,
};
/* What a row of STATE_KEPT is: a source and its label, or a page and what keeps it. */
#define KB_SQL_SOURCE_LABEL 0
#define KB_SQL_KEEPER       1
#define LIST(order)                                                                                \
	"SELECT " KB_NAMES(KB_LABELS) " FROM labels WHERE agent_id = $1 AND deleted_at = 0 "       \
	                              "ORDER BY " order " LIMIT $2 OFFSET $3"
// clang-format off
/* The names where page_labels are read too: "l.agent_id, l.id". */
#define L_FIRST(letter, column, member) "l." #column
#define L_NEXT(letter, column, member)  ", l." #column

static const struct kb_sql sql[] = {
	[ADD] = { "label_add", KB_TYPES(KB_LABELS), KB_INSERT("labels", KB_LABELS) },
	[LIVING] = { "label_living", "it",
		"SELECT id FROM labels WHERE agent_id = $1 AND name_key = $2 AND deleted_at = 0" },
	[DELETED] = { "label_deleted", "it",
		"SELECT id FROM labels WHERE agent_id = $1 AND name_key = $2 AND deleted_at > 0 "
		"ORDER BY deleted_at DESC, id DESC LIMIT 1" },
	[COUNT] = { "label_count", "i",
		"SELECT count(*) FROM labels WHERE agent_id = $1 AND deleted_at = 0" },
	[BY_ID] = { "label_by_id", "ii",
		"SELECT " KB_NAMES(KB_LABELS) " FROM labels WHERE agent_id = $1 AND id = $2" },
	[UPDATE] = { "label_update", "ii" KB_TYPES(KB_LABEL_CHANGED),
		KB_UPDATE("labels", KB_LABEL_CHANGED) "WHERE agent_id = $1 AND id = $2" },
	[LIST_DESC] = { "label_list_desc", "iii", LIST("id DESC") },
	[LIST_ASC] = { "label_list_asc", "iii", LIST("id") },
	[OF_PAGE] = { "label_of_page", "ii",
		"SELECT " KB_LABELS(L_FIRST, L_NEXT) " FROM page_labels p JOIN labels l ON l.agent_id = p.agent_id "
		"AND l.id = p.label_id WHERE p.agent_id = $1 AND p.page_id = $2 ORDER BY p.label_id" },
	[OF_SOURCE] = { "label_of_source", "ii",
		"SELECT " KB_LABELS(L_FIRST, L_NEXT) " FROM source_labels s JOIN labels l ON l.agent_id = s.agent_id "
		"AND l.id = s.label_id WHERE s.agent_id = $1 AND s.source_id = $2 ORDER BY s.label_id" },
	/* A column of the row: PostgreSQL would rather read an agent's part of an index that has all others. */
	[PAGE_EXISTS] = { "label_page_exists", "ii",
		"SELECT count(created_at) FROM pages WHERE agent_id = $1 AND id = $2 AND " KB_PAGE_SHOWN("$1") },
	[ATTACH] = { "label_attach", "iii",
		"INSERT INTO page_labels (agent_id, page_id, label_id) VALUES ($1, $2, $3)" },
	[ATTACH_SOURCE] = { "label_attach_source", "iii",
		"INSERT INTO source_labels (agent_id, source_id, label_id) VALUES ($1, $2, $3)" },
	[DETACH_PAGE] = { "label_detach_page", "ii",
		"DELETE FROM page_labels WHERE agent_id = $1 AND page_id = $2" },
	[DETACH_SOURCE] = { "label_detach_source", "ii",
		"DELETE FROM source_labels WHERE agent_id = $1 AND source_id = $2" },
	[STATE_LABELS] = { "label_state", "i",
		"SELECT id, name_key FROM labels WHERE agent_id = $1 AND deleted_at = 0 ORDER BY id" },
	[STATE_PAGES] = { "label_state_pages", "i",
		"SELECT page_id, label_id FROM page_labels WHERE agent_id = $1 UNION ALL " KB_GONE_LABELS
		" ORDER BY 1, 2" },
	[STATE_KEPT] = { "label_state_kept", "i",
		"SELECT " KB_SQL(SOURCE_LABEL) ", source_id, label_id, 0 FROM source_labels WHERE agent_id = $1 UNION ALL "
		"SELECT " KB_SQL(KEEPER) ", page_id, keeper_id, is_source FROM (" KB_PAGE_KEEPERS ") w "
		"ORDER BY 1, 2, 3" },
};
// clang-format on
const struct kb_sql_table kb_sql_labels = { "labels", sql, KB_COUNTOF(sql) };

static bool not_found(struct kb_err *err, int64_t id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Label with id %" PRId64 " not found", id);
}

struct kb_sv kb_label_fold(struct kb_arena *arena, struct kb_sv name)
{
	return kb_store_fold(arena, kb_sv_trim(name));
}

/* ---- rows ---- */

struct row {
	struct kb_label label;
	struct kb_sv name_key, users; /* one a line */
};
#define ROW(letter, column, member) KB_COLUMN(struct row, letter, column, member)
static const struct kb_db_columns label_columns = KB_COLUMNS(struct row, KB_LABELS(ROW, ROW));
static const struct kb_db_columns changed_columns =
        KB_COLUMNS(struct row, KB_LABEL_CHANGED(ROW, ROW));

static void read_users(struct kb_arena *arena, struct kb_sv text, struct kb_label *out)
{
	struct kb_sv user;
	size_t max = 1;

	if (text.n == 0)
		return;
	for (size_t i = 0; i < text.n; i++)
		max += text.p[i] == '\n';
	out->users = KB_NEW_ARRAY(arena, max, struct kb_sv);
	while (kb_sv_split(&text, '\n', &user))
		out->users[out->user_count++] = user;
}

static struct kb_sv users_text(struct kb_arena *arena, const struct kb_label *label)
{
	struct kb_sv text;
	struct kb_buf buf;

	/* A character has at most 4 bytes. */
	kb_buf_init(&buf, (size_t)KB_LABEL_USERS_MAX * (KB_LABEL_USER_CHARS * 4 + 1));
	for (size_t i = 0; i < label->user_count; i++) {
		if (i)
			kb_buf_byte(&buf, '\n');
		kb_buf_sv(&buf, label->users[i]);
	}
	text = kb_arena_sv(arena, kb_buf_view(&buf));
	kb_buf_fini(&buf);
	return text;
}

static void read_label(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_label *out)
{
	struct row row;

	kb_columns_read(&label_columns, rows, 0, arena, &row);
	*out = row.label;
	read_users(arena, row.users, out);
}

static struct row row_of(struct kb_arena *arena, const struct kb_label *label)
{
	return (struct row){
		.label = *label,
		.name_key = kb_label_fold(arena, label->name),
		.users = users_text(arena, label),
	};
}

static bool read_all(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_label_list *out,
                     struct kb_err *err)
{
	*out = (struct kb_label_list){ 0 };
	while (kb_rows_next(rows)) {
		read_label(rows, arena, &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	return kb_rows_close(rows, err);
}

/* Zeroed where there is none: it has no id. Whether it lives is the caller's question. */
static bool load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id, int64_t id,
                 struct kb_label *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_label){ 0 };
	kb_rows_open(&rows, conn, &sql[BY_ID], KB_VALUES(kb_int(agent_id), kb_int(id)));
	while (kb_rows_next(&rows))
		read_label(&rows, arena, out);
	return kb_rows_close(&rows, err);
}

static bool load_living(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                        int64_t id, struct kb_label *out, struct kb_err *err)
{
	return load(conn, arena, agent_id, id, out, err)
	       && ((out->id && out->deleted_at == 0) || not_found(err, id));
}

static bool save(struct kb_db_conn *conn, struct kb_arena *arena, struct kb_label *label,
                 int64_t now, struct kb_err *err)
{
	struct row row;

	label->updated_at = now;
	row = row_of(arena, label);
	return kb_columns_write(&changed_columns, conn, &sql[UPDATE],
	                        KB_VALUES(kb_int(label->agent_id), kb_int(label->id)), &row, err);
}

/* ---- inside transactions of this and other files ---- */

bool kb_labels_drop_page(struct kb_db_conn *conn, int64_t agent_id, int64_t page_id,
                         struct kb_err *err)
{
	return kb_db_run(conn, &sql[DETACH_PAGE], KB_VALUES(kb_int(agent_id), kb_int(page_id)),
	                 NULL, err);
}

static bool state_pages(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                        struct kb_index_state *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[STATE_PAGES], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->page_labels, out->page_label_count)
		[out->page_label_count] = (struct kb_page_label_row){
			.page_id = kb_rows_int(&rows, 0),
			.label_id = kb_rows_int(&rows, 1),
		};
		out->page_label_count++;
	}
	return kb_rows_close(&rows, err);
}

static bool state_kept(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                       struct kb_index_state *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[STATE_KEPT], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		int64_t id = kb_rows_int(&rows, 1), other = kb_rows_int(&rows, 2);

		if (kb_rows_int(&rows, 0) == KB_SQL_SOURCE_LABEL) {
			KB_ROOM(arena, out->source_labels, out->source_label_count)
			[out->source_label_count] = (struct kb_source_label_row){ id, other };
			out->source_label_count++;
		} else {
			KB_ROOM(arena, out->keepers, out->keeper_count)
			[out->keeper_count] =
			        (struct kb_keeper_row){ id, other, kb_rows_int(&rows, 3) };
			out->keeper_count++;
		}
	}
	return kb_rows_close(&rows, err);
}

bool kb_labels_state(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                     struct kb_index_state *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[STATE_LABELS], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, out->labels, out->label_count)
		[out->label_count] = (struct kb_label_row){
			.id = kb_rows_int(&rows, 0),
			.key = kb_rows_text(&rows, arena, 1),
		};
		out->label_count++;
	}
	if (!kb_rows_close(&rows, err))
		return false;
	return state_pages(conn, arena, agent_id, out, err)
	       && state_kept(conn, arena, agent_id, out, err);
}

/* ---- reading ---- */

bool kb_store_labels_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          const struct kb_list *list, struct kb_label_list *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[list->ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(kb_int(agent_id), kb_int(kb_list_limit(list)),
	                       kb_int(kb_list_offset(list))));
	ok = read_all(&rows, arena, out, err)
	     && kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(agent_id)), 0, &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_label_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                        int64_t id, struct kb_label *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = load_living(conn, arena, agent_id, id, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

static bool of_page(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                    int64_t page_id, struct kb_label_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;
	int64_t pages;

	if (!kb_db_int(conn, &sql[PAGE_EXISTS], KB_VALUES(kb_int(agent_id), kb_int(page_id)), 0,
	               &pages, err))
		return false;
	if (pages == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "Page with id %" PRId64 " not found", page_id);
	kb_rows_open(&rows, conn, &sql[OF_PAGE], KB_VALUES(kb_int(agent_id), kb_int(page_id)));
	return read_all(&rows, arena, out, err);
}

bool kb_store_page_labels(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          int64_t page_id, struct kb_label_list *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	bool ok;

	if (!conn)
		return false;
	ok = of_page(conn, arena, agent_id, page_id, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

/* ---- changing ---- */

struct change {
	struct kb_arena *arena;
	int64_t agent_id, id, now;
	const struct kb_sv *names;
	const struct kb_label_users *users;
	const int64_t *ids;
	size_t count;
	bool remove;
	struct kb_label *label;
	struct kb_label_list *out;
};

static struct kb_label *push(struct change *in)
{
	struct kb_label_list *out = in->out;

	KB_ROOM(in->arena, out->v, out->count);
	return &out->v[out->count++];
}

/* ---- making and naming ---- */

static bool check_name(struct kb_arena *arena, struct kb_sv name, struct kb_err *err)
{
	struct kb_sv key = kb_label_fold(arena, name);
	size_t chars = kb_utf8_count(name);

	if (name.n == 0 || key.n == 0)
		return kb_fail(err, KB_E_INVALID, "a label's name can't be empty");
	if (chars > KB_LABEL_NAME_CHARS)
		return kb_fail(err, KB_E_INVALID,
		               "a label's name has %zu characters, the limit is %d", chars,
		               KB_LABEL_NAME_CHARS);
	/* Folding turns digits of other widths into these. */
	if (key.p[0] >= '0' && key.p[0] <= '9')
		return kb_fail(err, KB_E_INVALID, "a label's name can't start with a digit: %.*s",
		               KB_SV_ARG(name));
	for (size_t i = 0; i < name.n; i++)
		if ((unsigned char)name.p[i] < 0x20 || name.p[i] == 0x7f)
			return kb_fail(err, KB_E_INVALID,
			               "a label's name can't hold control characters");
	return true;
}

static bool add_new(struct kb_db_conn *conn, struct change *in, struct kb_sv name,
                    struct kb_err *err)
{
	struct kb_label *label = push(in);
	struct row row;

	*label = (struct kb_label){
		.agent_id = in->agent_id, .name = name, .created_at = in->now, .updated_at = in->now
	};
	if (!kb_db_next_id(conn, "label", 1, &label->id, err))
		return false;
	row = row_of(in->arena, label);
	return kb_columns_write(&label_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

static bool make_one(struct kb_db_conn *conn, struct change *in, struct kb_sv name, bool *restored,
                     struct kb_err *err)
{
	struct kb_sv key = kb_label_fold(in->arena, name);
	struct kb_label label;
	int64_t id;

	if (!kb_db_int(conn, &sql[LIVING], KB_VALUES(kb_int(in->agent_id), kb_text(key)), 0, &id,
	               err)
	    || (id == 0
	        && !kb_db_int(conn, &sql[DELETED], KB_VALUES(kb_int(in->agent_id), kb_text(key)), 0,
	                      &id, err)))
		return false;
	if (id == 0)
		return add_new(conn, in, name, err);
	for (size_t i = 0; i < in->out->count; i++)
		if (in->out->v[i].id == id)
			return true;
	if (!load(conn, in->arena, in->agent_id, id, &label, err))
		return false;
	KB_ASSERT(label.id);
	if (label.deleted_at) {
		label.deleted_at = 0;
		label.name = name;
		*restored = true;
		if (!save(conn, in->arena, &label, in->now, err))
			return false;
	}
	*push(in) = label;
	return true;
}

static bool make(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	int64_t version, living;
	bool restored = false;

	*in->out = (struct kb_label_list){ 0 };
	if (!kb_agent_lock(conn, in->agent_id, &version, err))
		return false;
	for (size_t i = 0; i < in->count; i++)
		if (!make_one(conn, in, in->names[i], &restored, err))
			return false;
	if (!kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(in->agent_id)), 0, &living, err))
		return false;
	if (living > KB_LABELS_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the agent would have %" PRId64 " labels, the limit is %d", living,
		               KB_LABELS_MAX);
	return !restored || kb_agent_publish(conn, in->agent_id, version + 1, false, err);
}

bool kb_store_labels_make(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          const struct kb_label_names *names, struct kb_label_list *out,
                          struct kb_err *err)
{
	struct kb_sv *trimmed = KB_NEW_ARRAY(arena, names->count, struct kb_sv);
	struct change in = { .arena = arena,
		             .agent_id = agent_id,
		             .now = kb_store_now(store),
		             .names = trimmed,
		             .count = names->count,
		             .out = out };

	for (size_t i = 0; i < names->count; i++) {
		trimmed[i] = kb_sv_trim(names->v[i]);
		if (!check_name(arena, trimmed[i], err))
			return false;
	}
	return kb_db_write(store->db, make, &in, err);
}

static bool rename_label(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_sv name = in->names[0];
	int64_t version, holder;

	if (!kb_agent_lock(conn, in->agent_id, &version, err)
	    || !load_living(conn, in->arena, in->agent_id, in->id, in->label, err)
	    || !kb_db_int(conn, &sql[LIVING],
	                  KB_VALUES(kb_int(in->agent_id), kb_text(kb_label_fold(in->arena, name))),
	                  0, &holder, err))
		return false;
	if (holder != 0 && holder != in->id)
		return kb_fail(err, KB_E_INVALID, "Label with id %" PRId64 " is already named %.*s",
		               holder, KB_SV_ARG(name));
	in->label->name = name;
	return save(conn, in->arena, in->label, in->now, err)
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err);
}

bool kb_store_label_rename(struct kb_store *store, struct kb_arena *arena,
                           const struct kb_label_rename *rename, struct kb_label *out,
                           struct kb_err *err)
{
	struct kb_sv trimmed = kb_sv_trim(rename->name);
	struct change in = { .arena = arena,
		             .agent_id = rename->agent_id,
		             .id = rename->label_id,
		             .now = kb_store_now(store),
		             .names = &trimmed,
		             .label = out };

	return check_name(arena, trimmed, err) && kb_db_write(store->db, rename_label, &in, err);
}

static bool delete_label(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	struct kb_label label;
	int64_t version;

	if (!kb_agent_lock(conn, in->agent_id, &version, err)
	    || !load_living(conn, in->arena, in->agent_id, in->id, &label, err))
		return false;
	label.deleted_at = in->now;
	return save(conn, in->arena, &label, in->now, err)
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err);
}

bool kb_store_label_delete(struct kb_store *store, int64_t agent_id, int64_t id, struct kb_err *err)
{
	struct kb_arena arena = { 0 };
	struct change in = {
		.arena = &arena, .agent_id = agent_id, .id = id, .now = kb_store_now(store)
	};
	bool ok = kb_db_write(store->db, delete_label, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

/* ---- users ---- */

static int by_text(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

/* The addresses without case and blanks, sorted, each once. */
static bool tidy_users(struct kb_arena *arena, const struct kb_label_users *given,
                       struct kb_label_users *out, struct kb_err *err)
{
	struct kb_sv *users = KB_NEW_ARRAY(arena, given->user_count, struct kb_sv);
	size_t kept = 0;

	for (size_t i = 0; i < given->user_count; i++) {
		struct kb_sv user = kb_sv_trim(given->users[i]);
		ptrdiff_t at = kb_sv_find_byte(user, '@');
		bool ok = at > 0 && (size_t)at + 1 < user.n
		          && kb_utf8_count(user) <= KB_LABEL_USER_CHARS;

		for (size_t j = 0; ok && j < user.n; j++)
			ok = (unsigned char)user.p[j] > 0x20 && user.p[j] != 0x7f;
		if (!ok)
			return kb_fail(err, KB_E_INVALID,
			               "a label's user must be an e-mail address of at most %d "
			               "characters, not \"%.*s\"",
			               KB_LABEL_USER_CHARS, KB_SV_ARG(kb_utf8_head(user, 40)));
		users[i] = kb_sv_trim(kb_label_fold(arena, user));
	}
	if (given->user_count)
		qsort(users, given->user_count, sizeof(*users), by_text);
	for (size_t i = 0; i < given->user_count; i++)
		if (i == 0 || !kb_sv_eq(users[i], users[kept - 1]))
			users[kept++] = users[i];
	*out = (struct kb_label_users){ given->label_id, users, kept };
	return true;
}

static bool has_user(const struct kb_label_users *set, struct kb_sv user)
{
	return set->user_count
	       && bsearch(&user, set->users, set->user_count, sizeof(user), by_text);
}

static bool change_users(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	int64_t version;

	*in->out = (struct kb_label_list){ 0 };
	if (!kb_agent_lock(conn, in->agent_id, &version, err))
		return false;
	for (size_t i = 0; i < in->count; i++) {
		const struct kb_label_users *change = &in->users[i];
		struct kb_label label;
		struct kb_sv *users;
		size_t kept = 0;

		if (!load_living(conn, in->arena, in->agent_id, change->label_id, &label, err))
			return false;
		users = KB_NEW_ARRAY(in->arena, label.user_count + change->user_count,
		                     struct kb_sv);
		if (!in->remove)
			for (; kept < change->user_count; kept++)
				users[kept] = change->users[kept];
		else
			for (size_t j = 0; j < label.user_count; j++)
				if (!has_user(change, label.users[j]))
					users[kept++] = label.users[j];
		label.users = users;
		label.user_count = kept;
		if (!save(conn, in->arena, &label, in->now, err))
			return false;
		*push(in) = label;
	}
	return true;
}

static bool run_users(struct kb_store *store, struct change *in,
                      const struct kb_label_changes *changes, struct kb_err *err)
{
	struct kb_label_users *tidy =
	        KB_NEW_ARRAY(in->arena, changes->count, struct kb_label_users);

	in->now = kb_store_now(store);
	in->users = tidy;
	in->count = changes->count;
	for (size_t i = 0; i < changes->count; i++) {
		const struct kb_label_users *change = &changes->v[i];

		if (change->user_count > KB_LABEL_USERS_MAX)
			return kb_fail(err, KB_E_INVALID,
			               "label %" PRId64 " would have %zu users, the limit is %d",
			               change->label_id, change->user_count, KB_LABEL_USERS_MAX);
		if (!tidy_users(in->arena, change, &tidy[i], err))
			return false;
	}
	return kb_db_write(store->db, change_users, in, err);
}

bool kb_store_labels_set_users(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                               const struct kb_label_changes *changes, struct kb_label_list *out,
                               struct kb_err *err)
{
	struct change in = { .arena = arena, .agent_id = agent_id, .out = out };

	return run_users(store, &in, changes, err);
}

bool kb_store_labels_remove_users(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                                  const struct kb_label_changes *changes, struct kb_label_list *out,
                                  struct kb_err *err)
{
	struct change in = { .arena = arena, .agent_id = agent_id, .remove = true, .out = out };

	return run_users(store, &in, changes, err);
}

/* ---- labels of a document ---- */

static int by_id(const void *a, const void *b)
{
	int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

	return (x > y) - (x < y);
}

/* Sorted, each once. */
static bool tidy_ids(const int64_t *ids, size_t count, int64_t out[KB_PAGE_LABELS_MAX],
                     size_t *kept, struct kb_err *err)
{
	*kept = 0;
	if (count > KB_PAGE_LABELS_MAX)
		return kb_fail(err, KB_E_INVALID, "label_ids holds %zu labels, the limit is %d",
		               count, KB_PAGE_LABELS_MAX);
	for (size_t i = 0; i < count; i++)
		out[i] = ids[i];
	qsort(out, count, sizeof(*out), by_id);
	for (size_t i = 0; i < count; i++)
		if (i == 0 || out[i] != out[*kept - 1])
			out[(*kept)++] = out[i];
	return true;
}

static bool carries(const struct kb_label_list *labels, int64_t id)
{
	for (size_t i = 0; i < labels->count; i++)
		if (labels->v[i].id == id)
			return true;
	return false;
}

/* One label after another onto the page or source in->id, which carried those of `before`. */
static bool attach_all(struct kb_db_conn *conn, struct change *in, int attach,
                       const struct kb_label_list *before, struct kb_err *err)
{
	for (size_t i = 0; i < in->count; i++) {
		struct kb_label *label = push(in);

		if (!load(conn, in->arena, in->agent_id, in->ids[i], label, err))
			return false;
		if (!label->id || (label->deleted_at && !carries(before, label->id)))
			return kb_fail(err, KB_E_INVALID,
			               "label_ids holds %" PRId64
			               ", which is no label of this agent",
			               in->ids[i]);
		if (!kb_db_run(conn, &sql[attach],
		               KB_VALUES(kb_int(in->agent_id), kb_int(in->id), kb_int(label->id)),
		               NULL, err))
			return false;
	}
	return true;
}

/* What the page in->id carries from now on; the agent is locked. */
static bool replace_on_page(struct kb_db_conn *conn, struct change *in, struct kb_err *err)
{
	struct kb_label_list before = { 0 };

	*in->out = (struct kb_label_list){ 0 };
	return of_page(conn, in->arena, in->agent_id, in->id, &before, err)
	       && kb_labels_drop_page(conn, in->agent_id, in->id, err)
	       && attach_all(conn, in, ATTACH, &before, err);
}

static bool set_page_labels(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct change *in = arg;
	int64_t version;

	return kb_agent_lock(conn, in->agent_id, &version, err) && replace_on_page(conn, in, err)
	       && kb_agent_publish(conn, in->agent_id, version + 1, false, err);
}

bool kb_store_page_set_labels(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_page_labels *labels, struct kb_label_list *out,
                              struct kb_err *err)
{
	int64_t sorted[KB_PAGE_LABELS_MAX];
	struct change in = { .arena = arena,
		             .agent_id = labels->agent_id,
		             .id = labels->page_id,
		             .now = kb_store_now(store),
		             .ids = sorted,
		             .out = out };

	return tidy_ids(labels->ids, labels->count, sorted, &in.count, err)
	       && kb_db_write(store->db, set_page_labels, &in, err);
}

bool kb_labels_set_page(struct kb_db_conn *conn, const struct kb_page_labels *labels,
                        struct kb_err *err)
{
	struct kb_label_list out;
	int64_t sorted[KB_PAGE_LABELS_MAX];
	struct kb_arena arena = { 0 };
	struct change in = { .arena = &arena,
		             .agent_id = labels->agent_id,
		             .id = labels->page_id,
		             .ids = sorted,
		             .out = &out };
	bool ok = tidy_ids(labels->ids, labels->count, sorted, &in.count, err)
	          && replace_on_page(conn, &in, err);

	kb_arena_fini(&arena);
	return ok;
}

/* ---- labels of a source ---- */

bool kb_labels_drop_source(struct kb_db_conn *conn, int64_t agent_id, int64_t source_id,
                           struct kb_err *err)
{
	return kb_db_run(conn, &sql[DETACH_SOURCE], KB_VALUES(kb_int(agent_id), kb_int(source_id)),
	                 NULL, err);
}

bool kb_labels_set_source(struct kb_db_conn *conn, const struct kb_source_labels *labels,
                          struct kb_err *err)
{
	struct kb_label_list before = { 0 }, after = { 0 };
	int64_t sorted[KB_PAGE_LABELS_MAX];
	struct kb_arena arena = { 0 };
	struct change in = { .arena = &arena,
		             .agent_id = labels->agent_id,
		             .id = labels->source_id,
		             .ids = sorted,
		             .out = &after };
	struct kb_db_rows rows;
	bool ok;

	if (!tidy_ids(labels->ids, labels->count, sorted, &in.count, err))
		return false;
	kb_rows_open(&rows, conn, &sql[OF_SOURCE],
	             KB_VALUES(kb_int(labels->agent_id), kb_int(labels->source_id)));
	ok = read_all(&rows, &arena, &before, err)
	     && kb_labels_drop_source(conn, labels->agent_id, labels->source_id, err)
	     && attach_all(conn, &in, ATTACH_SOURCE, &before, err);
	kb_arena_fini(&arena);
	return ok;
}
