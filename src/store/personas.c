/* Settings as they change: persona versions, generated and own sub-personas, pictures' names. */
#include "store/personas.h"

#include "store/agents_own.h"
#include "store/chores_own.h"
#include "store/lists.h"
#include "store/personas_own.h"
#include "store/store_own.h"
#include "store/work_own.h"

enum {
	ADD,
	NEWEST,
	RETIRE,
	BY_VERSION,
	COUNT,
	LIST_DESC,
	LIST_ASC,
	IMAGES_CLEAR,
	IMAGE_ADD,
	IMAGE_KNOWN,
	GENERATED,
	OVERRIDES,
	OVERRIDE_PUT,
	OVERRIDE_DELETE,
	NOTES_NEXT,
	NOTES_CLEAR,
	NOTES_ADD,
	NOTES_SETTLE,
};
#define LIST(order)                                                                                \
	"SELECT " KB_NAMES(                                                                        \
	        KB_PERSONAS) " FROM personas WHERE agent_id = $1 ORDER BY version" order           \
	                     " LIMIT $2 OFFSET $3"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "persona_add", KB_TYPES(KB_PERSONAS), KB_INSERT("personas", KB_PERSONAS) },
	[NEWEST] = { "persona_newest", "i",
		"SELECT " KB_NAMES(KB_PERSONAS) " FROM personas WHERE agent_id = $1 ORDER BY version DESC LIMIT 1" },
	[RETIRE] = { "persona_retire", "iii",
		"UPDATE personas SET is_active = 0, updated_at = $3 WHERE agent_id = $1 AND version = $2" },
	[BY_VERSION] = { "persona_by_version", "ii",
		"SELECT " KB_NAMES(KB_PERSONAS) " FROM personas WHERE agent_id = $1 AND version = $2" },
	[COUNT] = { "persona_count", "i", "SELECT count(*) FROM personas WHERE agent_id = $1" },
	[LIST_DESC] = { "persona_list_desc", "iii", LIST(" DESC") },
	[LIST_ASC] = { "persona_list_asc", "iii", LIST("") },
	[IMAGES_CLEAR] = { "images_clear", "i", "DELETE FROM agent_images WHERE agent_id = $1" },
	[IMAGE_ADD] = { "image_add", "it",
		"INSERT INTO agent_images (agent_id, blob) VALUES ($1, $2) "
		"ON CONFLICT (agent_id, blob) DO NOTHING" },
	[IMAGE_KNOWN] = { "image_known", "it",
		"SELECT count(*) FROM agent_images i JOIN agents a ON a.id = i.agent_id "
		"WHERE i.agent_id = $1 AND i.blob = $2 AND a.state = " KB_SQL(AGENT_THERE) },
	[GENERATED] = { "sub_personas_generated", "ii",
		"SELECT " KB_NAMES(KB_SUB_PERSONAS) " FROM sub_personas "
		"WHERE agent_id = $1 AND version = $2 ORDER BY slug" },
	[OVERRIDES] = { "sub_persona_overrides", "i",
		"SELECT " KB_NAMES(KB_OVERRIDES) " FROM sub_persona_overrides "
		"WHERE agent_id = $1 ORDER BY slug" },
	[OVERRIDE_PUT] = { "override_put", KB_TYPES(KB_OVERRIDES),
		KB_INSERT("sub_persona_overrides", KB_OVERRIDES) " "
		"ON CONFLICT (agent_id, slug) DO UPDATE SET title = excluded.title, "
		"instructions = excluded.instructions, updated_at = excluded.updated_at" },
	[OVERRIDE_DELETE] = { "override_delete", "it",
		"DELETE FROM sub_persona_overrides WHERE agent_id = $1 AND slug = $2" },
	[NOTES_NEXT] = { "notes_next", "iii",
		"SELECT " KB_NAMES(KB_PERSONAS) " FROM personas p WHERE notes > 0 AND (notes = 1 OR NOT EXISTS "
		"(SELECT 1 FROM turns t WHERE t.agent_id = p.agent_id)) AND " KB_AGENT_SHOWN("agent_id") " "
		"AND " KB_WORK_FREE("p.agent_id", KB_WORK_NOTES, "$1", "$2", "$3") " "
		"ORDER BY notes, agent_id, version LIMIT 1" },
	[NOTES_CLEAR] = { "notes_clear", "iit",
		"DELETE FROM sub_personas WHERE agent_id = $1 AND version = $2 AND slug = $3" },
	[NOTES_ADD] = { "notes_add", KB_TYPES(KB_SUB_PERSONAS),
		KB_INSERT("sub_personas", KB_SUB_PERSONAS) },
	[NOTES_SETTLE] = { "notes_settle", "iii",
		"UPDATE personas SET notes = CASE WHEN is_active = 0 OR $3 = "
		"(SELECT index_version FROM agents WHERE id = $1) THEN 0 ELSE 2 END "
		"WHERE agent_id = $1 AND version = $2" },
};
// clang-format on
static_assert(KB_NOTES_DONE == 0 && KB_NOTES_PENDING == 1 && KB_NOTES_STALE == 2,
              "notes are other numbers in SQL");
const struct kb_sql_table kb_sql_personas = { "personas", sql, KB_COUNTOF(sql) };

#define PERSONA(letter, column, member) KB_COLUMN(struct kb_persona, letter, column, member)
static const struct kb_db_columns persona_columns =
        KB_COLUMNS(struct kb_persona, KB_PERSONAS(PERSONA, PERSONA));

/* A row of sub_personas, or of sub_persona_overrides, which has no version. */
struct sub_persona_row {
	struct kb_sub_persona text;
	int64_t agent_id;
};
#define SUB_PERSONA(letter, column, member)                                                        \
	KB_COLUMN(struct sub_persona_row, letter, column, member)
static const struct kb_db_columns sub_persona_columns =
        KB_COLUMNS(struct sub_persona_row, KB_SUB_PERSONAS(SUB_PERSONA, SUB_PERSONA));
static const struct kb_db_columns override_columns =
        KB_COLUMNS(struct sub_persona_row, KB_OVERRIDES(SUB_PERSONA, SUB_PERSONA));

/* The one row of the statement; version stays 0 when it has none. */
static bool load(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                 struct kb_db_values values, struct kb_persona *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_persona){ 0 };
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows))
		kb_columns_read(&persona_columns, &rows, 0, arena, out);
	return kb_rows_close(&rows, err);
}

static bool not_found(struct kb_err *err, int64_t version)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Persona with version %" PRId64 " not found", version);
}

/* ---- inside transactions ---- */

bool kb_persona_insert(struct kb_db_conn *conn, int64_t agent_id, int64_t version,
                       struct kb_sv instructions, int64_t now, struct kb_err *err)
{
	struct kb_persona row = {
		.agent_id = agent_id,
		.version = version,
		.instructions = instructions,
		.is_active = true,
		.notes = KB_NOTES_PENDING,
		.created_at = now,
		.updated_at = now,
	};

	return kb_columns_write(&persona_columns, conn, &sql[ADD], KB_NO_VALUES, &row, err);
}

static bool same_text(struct kb_sv a, struct kb_sv b)
{
	if (!a.p || !b.p)
		return a.p == b.p;
	return kb_sv_eq(a, b);
}

/* ---- a change of settings ---- */

struct update {
	struct kb_arena *arena;
	const struct kb_settings_edit *edit;
	int64_t now;
	struct kb_settings_change stored;
	struct kb_agent *out;
};

static bool change_agent(void *arg, struct kb_arena *arena, struct kb_agent *agent,
                         struct kb_err *err)
{
	struct update *in = arg;

	in->stored = (struct kb_settings_change){ 0 };
	if (!in->edit->change(in->edit->arg, arena, agent, &in->stored, err))
		return false;
	agent->settings = in->stored.settings;
	return true;
}

static bool next_version(struct kb_db_conn *conn, struct update *in, struct kb_err *err)
{
	int64_t agent_id = in->edit->agent_id;
	struct kb_persona newest;

	if (!load(conn, in->arena, &sql[NEWEST], KB_VALUES(kb_int(agent_id)), &newest, err))
		return false;
	if (same_text(newest.instructions, in->stored.persona) && !in->stored.always_version)
		return true;
	return kb_db_run(conn, &sql[RETIRE],
	                 KB_VALUES(kb_int(agent_id), kb_int(newest.version), kb_int(in->now)), NULL,
	                 err)
	       && kb_persona_insert(conn, agent_id, newest.version + 1, in->stored.persona, in->now,
	                            err);
}

static bool keep_images(struct kb_db_conn *conn, struct update *in, struct kb_err *err)
{
	int64_t agent_id = in->edit->agent_id;

	if (!kb_db_run(conn, &sql[IMAGES_CLEAR], KB_VALUES(kb_int(agent_id)), NULL, err))
		return false;
	for (size_t i = 0; i < in->stored.image_count; i++)
		if (!kb_db_run(conn, &sql[IMAGE_ADD],
		               KB_VALUES(kb_int(agent_id), kb_text(in->stored.images[i])), NULL,
		               err))
			return false;
	return true;
}

static bool update(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct update *in = arg;
	struct kb_agent_edit edit = {
		.account_id = in->edit->account_id,
		.id = in->edit->agent_id,
		.change = change_agent,
		.arg = in,
	};

	return kb_agent_change(conn, in->arena, &edit, in->now, in->out, err)
	       && next_version(conn, in, err) && keep_images(conn, in, err);
}

bool kb_store_settings_update(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_settings_edit *edit, struct kb_agent *out,
                              struct kb_err *err)
{
	struct update in = { .arena = arena, .edit = edit, .now = kb_store_now(store), .out = out };

	return kb_db_write(store->db, update, &in, err);
}

bool kb_store_agent_image(struct kb_store *store, int64_t agent_id, struct kb_sv blob, bool *known,
                          struct kb_err *err)
{
	int64_t count = 0;
	bool ok = kb_db_read_int(store->db, &sql[IMAGE_KNOWN],
	                         KB_VALUES(kb_int(agent_id), kb_text(blob)), 0, &count, err);

	*known = count > 0;
	return ok;
}

/* ---- reading ---- */

bool kb_store_persona_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_list *list, struct kb_persona_list *out,
                           struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	*out = (struct kb_persona_list){ 0 };
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[list->ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(kb_int(agent_id), kb_int(kb_list_limit(list)),
	                       kb_int(kb_list_offset(list))));
	while (kb_rows_next(&rows)) {
		kb_columns_read(&persona_columns, &rows, 0, arena,
		                &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(agent_id)), 0, &out->total, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_persona_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          int64_t version, struct kb_persona *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = load(conn, arena, &sql[BY_VERSION], KB_VALUES(kb_int(agent_id), kb_int(version)), out,
	          err);
	kb_db_give(store->db, conn);
	return ok && (out->version || not_found(err, version));
}

/* The rows of a statement, in the order of their columns. */
static bool read_texts(struct kb_db_rows *rows, const struct kb_db_columns *columns,
                       struct kb_arena *arena, struct kb_sub_persona_list *out, struct kb_err *err)
{
	while (kb_rows_next(rows)) {
		struct sub_persona_row row;

		kb_columns_read(columns, rows, 0, arena, &row);
		KB_ROOM(arena, out->v, out->count)[out->count] = row.text;
		out->count++;
	}
	return kb_rows_close(rows, err);
}

static bool read_generated(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                           int64_t version, struct kb_sub_persona_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[GENERATED], KB_VALUES(kb_int(agent_id), kb_int(version)));
	return read_texts(&rows, &sub_persona_columns, arena, out, err);
}

static bool read_overrides(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                           struct kb_sub_persona_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, &sql[OVERRIDES], KB_VALUES(kb_int(agent_id)));
	return read_texts(&rows, &override_columns, arena, out, err);
}

bool kb_store_sub_personas(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           int64_t version, struct kb_sub_personas *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_persona persona;
	bool ok;

	*out = (struct kb_sub_personas){ 0 };
	if (!conn)
		return false;
	ok = load(conn, arena, &sql[BY_VERSION], KB_VALUES(kb_int(agent_id), kb_int(version)),
	          &persona, err)
	     && (persona.version || not_found(err, version))
	     && read_generated(conn, arena, agent_id, version, &out->generated, err)
	     && read_overrides(conn, arena, agent_id, &out->overrides, err);
	out->is_generating = ok && persona.notes == KB_NOTES_PENDING;
	out->is_stale = ok && persona.notes == KB_NOTES_STALE;
	kb_db_give(store->db, conn);
	return ok;
}

/* ---- the agent's own texts ---- */

struct put_override {
	int64_t agent_id, now;
	const struct kb_sub_persona *override;
};

static bool put_override(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct put_override *in = arg;
	struct sub_persona_row row = { .text = *in->override, .agent_id = in->agent_id };
	int64_t version;

	row.text.created_at = row.text.updated_at = in->now;
	return kb_agent_lock(conn, in->agent_id, &version, err)
	       && kb_columns_write(&override_columns, conn, &sql[OVERRIDE_PUT], KB_NO_VALUES, &row,
	                           err);
}

bool kb_store_override_put(struct kb_store *store, int64_t agent_id,
                           const struct kb_sub_persona *override, struct kb_err *err)
{
	struct put_override in = { agent_id, kb_store_now(store), override };

	return kb_db_write(store->db, put_override, &in, err);
}

struct delete_override {
	int64_t agent_id;
	struct kb_sv slug;
};

static bool delete_override(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct delete_override *in = arg;

	return kb_db_run(conn, &sql[OVERRIDE_DELETE],
	                 KB_VALUES(kb_int(in->agent_id), kb_text(in->slug)), NULL, err);
}

bool kb_store_override_delete(struct kb_store *store, int64_t agent_id, struct kb_sv slug,
                              struct kb_err *err)
{
	struct delete_override in = { agent_id, slug };

	return kb_db_write(store->db, delete_override, &in, err);
}

/* ---- generating ---- */

bool kb_store_notes_next(struct kb_store *store, struct kb_arena *arena, struct kb_persona *out,
                         struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	int64_t now = kb_store_now(store);
	bool ok;

	if (!conn)
		return false;
	ok = load(conn, arena, &sql[NOTES_NEXT],
	          KB_VALUES(kb_int(now), kb_int(store->node), kb_int(now - KB_NODE_ALIVE_US)), out,
	          err);
	kb_db_give(store->db, conn);
	return ok;
}

struct put_notes {
	const struct kb_notes_new *notes;
	int64_t now;
	bool chores;
};

static bool add_chore(struct kb_db_conn *conn, const struct put_notes *in, enum kb_chore_kind kind,
                      struct kb_err *err)
{
	const struct kb_chore chore = { .agent_id = in->notes->agent_id,
		                        .kind = kind,
		                        .subject = in->notes->version };

	return kb_chore_add(conn, &chore, in->now + in->notes->chores_in_us, err);
}

static bool put_notes(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct put_notes *in = arg;
	const struct kb_notes_new *notes = in->notes;
	struct sub_persona_row row = { .agent_id = notes->agent_id };
	int64_t changed;

	if (!kb_db_run(conn, &sql[NOTES_SETTLE],
	               KB_VALUES(kb_int(notes->agent_id), kb_int(notes->version),
	                         kb_int(notes->index_version)),
	               &changed, err))
		return false;
	for (size_t i = 0; changed && i < notes->count; i++) {
		row.text = notes->v[i];
		row.text.version = notes->version;
		row.text.created_at = row.text.updated_at = in->now;
		if (!kb_db_run(conn, &sql[NOTES_CLEAR],
		               KB_VALUES(kb_int(notes->agent_id), kb_int(notes->version),
		                         kb_text(row.text.slug)),
		               NULL, err)
		    || !kb_columns_write(&sub_persona_columns, conn, &sql[NOTES_ADD], KB_NO_VALUES,
		                         &row, err)
		    || (in->chores && !add_chore(conn, in, notes->chores[i], err)))
			return false;
	}
	return true;
}

bool kb_store_notes_put(struct kb_store *store, const struct kb_notes_new *notes,
                        struct kb_err *err)
{
	struct put_notes in = { .notes = notes,
		                .now = kb_store_now(store),
		                .chores = notes->chores && atomic_load(&store->chores_wanted) };

	return kb_db_write(store->db, put_notes, &in, err);
}
