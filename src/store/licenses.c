/* Licenses and plugins: what an agent's owner tells of it outside. */
#include "store/licenses.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "store/store_impl.h"

enum {
	ADD,
	LIST,
	COUNT,
	GET,
	FIND,
	RENAME,
	DELETE,
	PLUGIN_GET,
	PLUGIN_PUT,
};
#define COLUMNS "l.agent_id, l.id, l.name, l.key, l.created_at, l.updated_at"
// clang-format off
static const struct kb_sql sql[] = {
	[ADD] = { "license_add", "iitti",
		"INSERT INTO licenses (agent_id, id, name, key, created_at, updated_at) "
		"VALUES ($1, $2, $3, $4, $5, $5)" },
	[LIST] = { "license_list", "i",
		"SELECT " COLUMNS " FROM licenses l WHERE l.agent_id = $1 ORDER BY l.id" },
	[COUNT] = { "license_count", "i", "SELECT count(*) FROM licenses WHERE agent_id = $1" },
	[GET] = { "license_get", "iit",
		"SELECT " COLUMNS " FROM licenses l WHERE l.agent_id = $1 AND (l.id = $2 OR l.key = $3)" },
	[FIND] = { "license_find", "t",
		"SELECT " COLUMNS " FROM licenses l JOIN agents a ON a.id = l.agent_id "
		"WHERE l.key = $1 AND a.are_licenses_allowed = 1 AND a.state = " KB_SQL(AGENT_THERE) },
	[RENAME] = { "license_rename", "iiti",
		"UPDATE licenses SET name = $3, updated_at = $4 WHERE agent_id = $1 AND id = $2" },
	[DELETE] = { "license_delete", "iit",
		"DELETE FROM licenses WHERE agent_id = $1 AND (id = $2 OR key = $3)" },
	[PLUGIN_GET] = { "plugin_get", "i",
		"SELECT agent_id, model_name, human_name, keywords, description, logo, is_active, "
		"created_at, updated_at FROM plugins WHERE agent_id = $1" },
	[PLUGIN_PUT] = { "plugin_put", "ittttniii",
		"INSERT INTO plugins (agent_id, model_name, human_name, keywords, description, logo, "
		"is_active, created_at, updated_at) VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) "
		"ON CONFLICT (agent_id) DO UPDATE SET model_name = $2, human_name = $3, keywords = $4, "
		"description = $5, logo = $6, is_active = $7, updated_at = $9" },
};
// clang-format on
const struct kb_sql_table kb_sql_licenses = { "licenses", sql, KB_COUNTOF(sql) };

/* ---- licenses ---- */

static void read_row(struct kb_db_rows *rows, struct kb_arena *arena, struct kb_license *out)
{
	*out = (struct kb_license){
		.agent_id = kb_rows_int(rows, 0),
		.id = kb_rows_int(rows, 1),
		.name = kb_rows_text(rows, arena, 2),
		.key = kb_rows_text(rows, arena, 3),
		.created_at = kb_rows_int(rows, 4),
		.updated_at = kb_rows_int(rows, 5),
	};
}

static bool not_found(struct kb_err *err, const struct kb_license_ref *ref)
{
	if (ref->id)
		return kb_fail(err, KB_E_NOT_FOUND, "Agent license with id %" PRId64 " not found",
		               ref->id);
	return kb_fail(err, KB_E_NOT_FOUND, "Agent license with id %.*s not found",
	               KB_SV_ARG(kb_utf8_cut(ref->key, 60)));
}

/* All rows of a statement. */
static bool read_all(struct kb_db_conn *conn, struct kb_arena *arena, const struct kb_sql *what,
                     struct kb_db_values values, struct kb_license **out, size_t *count,
                     struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = NULL;
	*count = 0;
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows)) {
		read_row(&rows, arena, &KB_ROOM(arena, *out, *count)[*count]);
		++*count;
	}
	return kb_rows_close(&rows, err);
}

/* The same on a connection of its own. */
static bool read_now(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                     struct kb_db_values values, struct kb_license **out, size_t *count,
                     struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = read_all(conn, arena, what, values, out, count, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_license_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           struct kb_license **out, size_t *count, struct kb_err *err)
{
	return read_now(store, arena, &sql[LIST], KB_VALUES(kb_int(agent_id)), out, count, err);
}

bool kb_store_license_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          const struct kb_license_ref *ref, struct kb_license *out,
                          struct kb_err *err)
{
	struct kb_license *found;
	size_t count;

	if (!read_now(store, arena, &sql[GET],
	              KB_VALUES(kb_int(agent_id), kb_int(ref->id), kb_text(ref->key)), &found,
	              &count, err))
		return false;
	if (count == 0)
		return not_found(err, ref);
	*out = found[0];
	return true;
}

bool kb_store_license_find(struct kb_store *store, struct kb_arena *arena, struct kb_sv key,
                           struct kb_license *out, struct kb_err *err)
{
	struct kb_license *found;
	size_t count;

	if (!read_now(store, arena, &sql[FIND], KB_VALUES(kb_text(key)), &found, &count, err))
		return false;
	if (count == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "License not found");
	*out = found[0];
	return true;
}

struct license {
	struct kb_arena *arena;
	int64_t agent_id, now;
	struct kb_license_ref ref;
	struct kb_sv name;
	struct kb_license *out;
};

static bool create(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct license *in = arg;
	int64_t version, count;
	char uuid[37];

	if (!kb_agent_lock(conn, in->agent_id, &version, err)
	    || !kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(in->agent_id)), 0, &count, err))
		return false;
	if (count >= KB_LICENSES_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the agent has %" PRId64 " licenses, the limit is %d", count,
		               KB_LICENSES_MAX);
	kb_random_uuid(uuid);
	*in->out = (struct kb_license){ .agent_id = in->agent_id,
		                        .name = in->name,
		                        .key = kb_arena_sv(in->arena, kb_sv_str(uuid)),
		                        .created_at = in->now,
		                        .updated_at = in->now };
	return kb_db_next_id(conn, "license", 1, &in->out->id, err)
	       && kb_db_run(conn, &sql[ADD],
	                    KB_VALUES(kb_int(in->agent_id), kb_int(in->out->id), kb_text(in->name),
	                              kb_text(in->out->key), kb_int(in->now)),
	                    NULL, err);
}

static bool rename_license(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct license *in = arg;
	struct kb_license *found;
	size_t count;

	if (!read_all(conn, in->arena, &sql[GET],
	              KB_VALUES(kb_int(in->agent_id), kb_int(in->ref.id), kb_text(in->ref.key)),
	              &found, &count, err))
		return false;
	if (count == 0)
		return not_found(err, &in->ref);
	*in->out = found[0];
	in->out->name = in->name;
	in->out->updated_at = in->now;
	return kb_db_run(conn, &sql[RENAME],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->out->id), kb_text(in->name),
	                           kb_int(in->now)),
	                 NULL, err);
}

static bool delete_license(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct license *in = arg;
	int64_t changed;

	return kb_db_run(conn, &sql[DELETE],
	                 KB_VALUES(kb_int(in->agent_id), kb_int(in->ref.id), kb_text(in->ref.key)),
	                 &changed, err)
	       && (changed > 0 || not_found(err, &in->ref));
}

bool kb_store_license_create(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                             struct kb_sv name, struct kb_license *out, struct kb_err *err)
{
	struct license in = { .arena = arena,
		              .agent_id = agent_id,
		              .now = kb_store_now(store),
		              .name = name,
		              .out = out };

	return kb_db_write(store->db, create, &in, err);
}

bool kb_store_license_rename(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                             const struct kb_license_ref *ref, struct kb_sv name,
                             struct kb_license *out, struct kb_err *err)
{
	struct license in = { .arena = arena,
		              .agent_id = agent_id,
		              .now = kb_store_now(store),
		              .ref = *ref,
		              .name = name,
		              .out = out };

	return kb_db_write(store->db, rename_license, &in, err);
}

bool kb_store_license_delete(struct kb_store *store, int64_t agent_id,
                             const struct kb_license_ref *ref, struct kb_err *err)
{
	struct license in = { .agent_id = agent_id, .ref = *ref };

	return kb_db_write(store->db, delete_license, &in, err);
}

/* ---- plugins ---- */

static bool plugin_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                        struct kb_plugin *out, bool *found, struct kb_err *err)
{
	struct kb_db_rows rows;

	*found = false;
	*out = (struct kb_plugin){ .agent_id = agent_id };
	kb_rows_open(&rows, conn, &sql[PLUGIN_GET], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		*out = (struct kb_plugin){
			.agent_id = kb_rows_int(&rows, 0),
			.model_name = kb_rows_text(&rows, arena, 1),
			.human_name = kb_rows_text(&rows, arena, 2),
			.keywords = kb_rows_text(&rows, arena, 3),
			.description = kb_rows_text(&rows, arena, 4),
			.logo = kb_rows_text(&rows, arena, 5),
			.is_active = kb_rows_bool(&rows, 6),
			.created_at = kb_rows_int(&rows, 7),
			.updated_at = kb_rows_int(&rows, 8),
		};
		*found = true;
	}
	return kb_rows_close(&rows, err);
}

static bool no_plugin(struct kb_err *err, int64_t agent_id)
{
	return kb_fail(err, KB_E_NOT_FOUND, "Plugin for agent with id %" PRId64 " not found",
	               agent_id);
}

bool kb_store_plugin_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         struct kb_plugin *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool found = false, ok;

	if (!conn)
		return false;
	ok = plugin_load(conn, arena, agent_id, out, &found, err)
	     && (found || no_plugin(err, agent_id));
	kb_db_give(store->db, conn);
	return ok;
}

struct plugin_put {
	struct kb_arena *arena;
	int64_t agent_id, now;
	bool must_exist;
	bool (*change)(void *arg, struct kb_plugin *plugin, struct kb_err *err);
	void *arg;
	struct kb_plugin *out;
};

static bool plugin_put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct plugin_put *in = arg;
	struct kb_plugin *plugin = in->out;
	int64_t version;
	bool found;

	if (!kb_agent_lock(conn, in->agent_id, &version, err)
	    || !plugin_load(conn, in->arena, in->agent_id, plugin, &found, err))
		return false;
	if (in->must_exist && !found)
		return no_plugin(err, in->agent_id);
	if (!in->change(in->arg, plugin, err))
		return false;
	if (!found)
		plugin->created_at = in->now;
	plugin->updated_at = in->now;
	return kb_db_run(conn, &sql[PLUGIN_PUT],
	                 KB_VALUES(kb_int(in->agent_id), kb_text(plugin->model_name),
	                           kb_text(plugin->human_name), kb_text(plugin->keywords),
	                           kb_text(plugin->description), kb_nullable(plugin->logo),
	                           kb_int(plugin->is_active), kb_int(plugin->created_at),
	                           kb_int(plugin->updated_at)),
	                 NULL, err);
}

bool kb_store_plugin_put(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         bool must_exist,
                         bool (*change)(void *arg, struct kb_plugin *plugin, struct kb_err *err),
                         void *arg, struct kb_plugin *out, struct kb_err *err)
{
	struct plugin_put in = { .arena = arena,
		                 .agent_id = agent_id,
		                 .now = kb_store_now(store),
		                 .must_exist = must_exist,
		                 .change = change,
		                 .arg = arg,
		                 .out = out };

	return kb_db_write(store->db, plugin_put, &in, err);
}
