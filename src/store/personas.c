/* Settings as they change: persona versions, generated and own sub-personas, pictures' names. */
#include "store/personas.h"

#include "store/store_impl.h"

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
#define COLUMNS "agent_id, version, instructions, is_active, notes, created_at, updated_at"
#define LIST(order)                                                                                \
	"SELECT " COLUMNS " FROM personas WHERE agent_id = $1 ORDER BY version" order              \
	" LIMIT $2 OFFSET $3"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "persona_add", "iini",
		"INSERT INTO personas (agent_id, version, instructions, is_active, notes, created_at, "
		"updated_at) VALUES ($1, $2, $3, 1, 1, $4, $4)" },
	[NEWEST] = { "persona_newest", "i",
		"SELECT " COLUMNS " FROM personas WHERE agent_id = $1 ORDER BY version DESC LIMIT 1" },
	[RETIRE] = { "persona_retire", "iii",
		"UPDATE personas SET is_active = 0, updated_at = $3 WHERE agent_id = $1 AND version = $2" },
	[BY_VERSION] = { "persona_by_version", "ii",
		"SELECT " COLUMNS " FROM personas WHERE agent_id = $1 AND version = $2" },
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
		"SELECT version, slug, title, instructions, created_at, updated_at FROM sub_personas "
		"WHERE agent_id = $1 AND version = $2 ORDER BY slug" },
	[OVERRIDES] = { "sub_persona_overrides", "i",
		"SELECT 0, slug, title, instructions, created_at, updated_at FROM sub_persona_overrides "
		"WHERE agent_id = $1 ORDER BY slug" },
	[OVERRIDE_PUT] = { "override_put", "ittni",
		"INSERT INTO sub_persona_overrides (agent_id, slug, title, instructions, created_at, "
		"updated_at) VALUES ($1, $2, $3, $4, $5, $5) "
		"ON CONFLICT (agent_id, slug) DO UPDATE SET title = $3, instructions = $4, updated_at = $5" },
	[OVERRIDE_DELETE] = { "override_delete", "it",
		"DELETE FROM sub_persona_overrides WHERE agent_id = $1 AND slug = $2" },
	[NOTES_NEXT] = { "notes_next", "",
		"SELECT " COLUMNS " FROM personas p WHERE notes > 0 AND (notes = 1 OR NOT EXISTS "
		"(SELECT 1 FROM turns t WHERE t.agent_id = p.agent_id)) AND " KB_AGENT_SHOWN("agent_id") " "
		"ORDER BY notes, agent_id, version LIMIT 1" },
	[NOTES_CLEAR] = { "notes_clear", "ii",
		"DELETE FROM sub_personas WHERE agent_id = $1 AND version = $2" },
	[NOTES_ADD] = { "notes_add", "iittni",
		"INSERT INTO sub_personas (agent_id, version, slug, title, instructions, created_at, "
		"updated_at) VALUES ($1, $2, $3, $4, $5, $6, $6)" },
	[NOTES_SETTLE] = { "notes_settle", "iii",
		"UPDATE personas SET notes = CASE WHEN is_active = 0 OR $3 = "
		"(SELECT index_version FROM agents WHERE id = $1) THEN 0 ELSE 2 END "
		"WHERE agent_id = $1 AND version = $2" },
};
// clang-format on
static_assert(KB_NOTES_DONE == 0 && KB_NOTES_PENDING == 1 && KB_NOTES_STALE == 2,
              "notes are other numbers in SQL");
const struct kb_sql_table kb_sql_personas = { "personas", sql, KB_COUNTOF(sql) };

static void read_persona(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_persona *out)
{
	*out = (struct kb_persona){
		.agent_id = kb_rows_int(rows, 0),
		.version = kb_rows_int(rows, 1),
		.instructions = kb_rows_text(rows, arena, 2),
		.is_active = kb_rows_bool(rows, 3),
		.notes = (enum kb_notes)kb_rows_int(rows, 4),
		.created_at = kb_rows_int(rows, 5),
		.updated_at = kb_rows_int(rows, 6),
	};
}

/* The one row of the statement; version stays 0 when it has none. */
static bool load(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                 struct kb_db_values values, struct kb_persona *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_persona){ 0 };
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows))
		read_persona(&rows, arena, out);
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
	return kb_db_run(conn, &sql[ADD],
	                 KB_VALUES(kb_int(agent_id), kb_int(version), kb_nullable(instructions),
	                           kb_int(now)),
	                 NULL, err);
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
	int64_t account_id, agent_id, now;
	bool (*change)(void *arg, struct kb_arena *arena, const struct kb_agent *agent,
	               struct kb_settings_change *out, struct kb_err *err);
	void *arg;
	struct kb_settings_change stored;
	struct kb_agent *out;
};

static bool change_agent(void *arg, struct kb_arena *arena, struct kb_agent *agent,
                         struct kb_err *err)
{
	struct update *in = arg;

	in->stored = (struct kb_settings_change){ 0 };
	if (!in->change(in->arg, arena, agent, &in->stored, err))
		return false;
	agent->settings = in->stored.settings;
	return true;
}

static bool next_version(struct kb_db_conn *conn, struct update *in, struct kb_err *err)
{
	struct kb_persona newest;

	if (!load(conn, in->arena, &sql[NEWEST], KB_VALUES(kb_int(in->agent_id)), &newest, err))
		return false;
	if (same_text(newest.instructions, in->stored.persona) && !in->stored.always_version)
		return true;
	return kb_db_run(conn, &sql[RETIRE],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(newest.version), kb_int(in->now)),
	                 NULL, err)
	       && kb_persona_insert(conn, in->agent_id, newest.version + 1, in->stored.persona,
	                            in->now, err);
}

static bool keep_images(struct kb_db_conn *conn, struct update *in, struct kb_err *err)
{
	if (!kb_db_run(conn, &sql[IMAGES_CLEAR], KB_VALUES(kb_int(in->agent_id)), NULL, err))
		return false;
	for (size_t i = 0; i < in->stored.image_count; i++)
		if (!kb_db_run(conn, &sql[IMAGE_ADD],
		               KB_VALUES(kb_int(in->agent_id), kb_text(in->stored.images[i])), NULL,
		               err))
			return false;
	return true;
}

static bool update(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct update *in = arg;

	return kb_agent_change(conn, in->arena, in->account_id, in->agent_id, in->now, change_agent,
	                       in, in->out, err)
	       && next_version(conn, in, err) && keep_images(conn, in, err);
}

bool kb_store_settings_update(struct kb_store *store, struct kb_arena *arena, int64_t account_id,
                              int64_t agent_id,
                              bool (*change)(void *arg, struct kb_arena *arena,
                                             const struct kb_agent *agent,
                                             struct kb_settings_change *out, struct kb_err *err),
                              void *arg, struct kb_agent *out, struct kb_err *err)
{
	struct update in = {
		.arena = arena,
		.account_id = account_id,
		.agent_id = agent_id,
		.now = kb_store_now(store),
		.change = change,
		.arg = arg,
		.out = out,
	};

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
                           const struct kb_list *list, struct kb_persona **out, size_t *count,
                           int64_t *total, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, true, err);
	struct kb_db_rows rows;
	bool ok;

	*out = NULL;
	*count = 0;
	if (!conn)
		return false;
	kb_rows_open(&rows, conn, &sql[list->ascending ? LIST_ASC : LIST_DESC],
	             KB_VALUES(kb_int(agent_id), kb_int(kb_list_limit(list)),
	                       kb_int(kb_list_offset(list))));
	while (kb_rows_next(&rows)) {
		read_persona(&rows, arena, &KB_ROOM(arena, *out, *count)[*count]);
		++*count;
	}
	ok = kb_rows_close(&rows, err)
	     && kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(agent_id)), 0, total, err);
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

static bool read_subs(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                      struct kb_db_values values, struct kb_sub_persona **out, size_t *count,
                      struct kb_err *err)
{
	struct kb_db_rows rows;

	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows)) {
		KB_ROOM(arena, *out, *count)
		[*count] = (struct kb_sub_persona){
			.version = kb_rows_int(&rows, 0),
			.slug = kb_rows_text(&rows, arena, 1),
			.title = kb_rows_text(&rows, arena, 2),
			.instructions = kb_rows_text(&rows, arena, 3),
			.created_at = kb_rows_int(&rows, 4),
			.updated_at = kb_rows_int(&rows, 5),
		};
		++*count;
	}
	return kb_rows_close(&rows, err);
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
	     && read_subs(conn, arena, &sql[GENERATED],
	                  KB_VALUES(kb_int(agent_id), kb_int(version)), &out->generated,
	                  &out->generated_count, err)
	     && read_subs(conn, arena, &sql[OVERRIDES], KB_VALUES(kb_int(agent_id)),
	                  &out->overrides, &out->override_count, err);
	out->is_generating = ok && persona.notes == KB_NOTES_PENDING;
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
	int64_t version;

	return kb_agent_lock(conn, in->agent_id, &version, err)
	       && kb_db_run(conn, &sql[OVERRIDE_PUT],
	                    KB_VALUES(kb_int(in->agent_id), kb_text(in->override->slug),
	                              kb_text(in->override->title),
	                              kb_nullable(in->override->instructions), kb_int(in->now)),
	                    NULL, err);
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
	bool ok;

	if (!conn)
		return false;
	ok = load(conn, arena, &sql[NOTES_NEXT], KB_NO_VALUES, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

struct put_notes {
	int64_t agent_id, version, index_version, now;
	const struct kb_sub_persona *notes;
	size_t count;
};

static bool put_notes(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct put_notes *in = arg;
	int64_t changed;

	if (!kb_db_run(
	            conn, &sql[NOTES_SETTLE],
	            KB_VALUES(kb_int(in->agent_id), kb_int(in->version), kb_int(in->index_version)),
	            &changed, err)
	    || !kb_db_run(conn, &sql[NOTES_CLEAR],
	                  KB_VALUES(kb_int(in->agent_id), kb_int(in->version)), NULL, err))
		return false;
	for (size_t i = 0; changed && i < in->count; i++)
		if (!kb_db_run(conn, &sql[NOTES_ADD],
		               KB_VALUES(kb_int(in->agent_id), kb_int(in->version),
		                         kb_text(in->notes[i].slug), kb_text(in->notes[i].title),
		                         kb_nullable(in->notes[i].instructions), kb_int(in->now)),
		               NULL, err))
			return false;
	return true;
}

bool kb_store_notes_put(struct kb_store *store, int64_t agent_id, int64_t version,
                        int64_t index_version, const struct kb_sub_persona *notes, size_t count,
                        struct kb_err *err)
{
	struct put_notes in = { .agent_id = agent_id,
		                .version = version,
		                .index_version = index_version,
		                .now = kb_store_now(store),
		                .notes = notes,
		                .count = count };

	return kb_db_write(store->db, put_notes, &in, err);
}
