/* Licenses and plugins: what an agent's owner tells of it outside. */
#include "store/licenses.h"

#include "base/hash.h"
#include "base/utf8.h"
#include "store/licenses_own.h"
#include "store/lists.h"
#include "store/publish.h"
#include "store/store_own.h"

enum {
	ADD,
	KEY_TAKE,
	KEY_DROP,
	LIST,
	COUNT,
	GET,
	FIND,
	RENAME,
	DELETE,
	PLUGIN_GET,
	PLUGIN_PUT,
};
// clang-format off
/* The columns of licenses (columns.h); those of plugins are in licenses_own.h. */
#define LICENSES(FIRST, NEXT) \
	FIRST(i, agent_id,   agent_id) \
	NEXT (i, id,         id) \
	NEXT (t, name,       name) \
	NEXT (t, key,        key) \
	NEXT (i, created_at, created_at) \
	NEXT (i, updated_at, updated_at)
/* The names where agents are read too: "l.agent_id, l.id". */
#define L_FIRST(letter, column, member) "l." #column
#define L_NEXT(letter, column, member)  ", l." #column

static const struct kb_sql sql[] = {
	[ADD] = { "license_add", KB_TYPES(LICENSES), KB_INSERT("licenses", LICENSES) },
	[KEY_TAKE] = { "license_key_take", "ti", "INSERT INTO license_keys (key, agent_id) VALUES ($1, $2)" },
	[KEY_DROP] = { "license_key_drop", "iit", "DELETE FROM license_keys WHERE key IN "
		"(SELECT key FROM licenses WHERE agent_id = $1 AND (id = $2 OR key = $3))" },
	[LIST] = { "license_list", "i",
		"SELECT " KB_NAMES(LICENSES) " FROM licenses WHERE agent_id = $1 ORDER BY id" },
	[COUNT] = { "license_count", "i", "SELECT count(*) FROM licenses WHERE agent_id = $1" },
	[GET] = { "license_get", "iit",
		"SELECT " KB_NAMES(LICENSES) " FROM licenses WHERE agent_id = $1 AND (id = $2 OR key = $3)" },
	[FIND] = { "license_find", "t",
		"SELECT " LICENSES(L_FIRST, L_NEXT) " FROM licenses l JOIN agents a ON a.id = l.agent_id "
		"WHERE l.agent_id = (SELECT agent_id FROM license_keys WHERE key = $1) AND l.key = $1 "
		"AND a.are_licenses_allowed = 1 AND a.state = " KB_SQL(AGENT_THERE) },
	[RENAME] = { "license_rename", "iiti",
		"UPDATE licenses SET name = $3, updated_at = $4 WHERE agent_id = $1 AND id = $2" },
	[DELETE] = { "license_delete", "iit",
		"DELETE FROM licenses WHERE agent_id = $1 AND (id = $2 OR key = $3)" },
	[PLUGIN_GET] = { "plugin_get", "i",
		"SELECT " KB_NAMES(KB_PLUGINS) " FROM plugins WHERE agent_id = $1" },
	[PLUGIN_PUT] = { "plugin_put", KB_TYPES(KB_PLUGINS),
		KB_UPSERT("plugins", KB_PLUGINS, "agent_id", KB_PLUGINS_COPIED) },
};
// clang-format on
const struct kb_sql_table kb_sql_licenses = { "licenses", sql, KB_COUNTOF(sql) };

/* ---- licenses ---- */

#define LICENSE(letter, column, member) KB_COLUMN(struct kb_license, letter, column, member)
static const struct kb_db_columns license_columns =
        KB_COLUMNS(struct kb_license, LICENSES(LICENSE, LICENSE));

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
                     struct kb_db_values values, struct kb_license_list *out, struct kb_err *err)
{
	struct kb_db_rows rows;

	*out = (struct kb_license_list){ 0 };
	kb_rows_open(&rows, conn, what, values);
	while (kb_rows_next(&rows)) {
		kb_columns_read(&license_columns, &rows, 0, arena,
		                &KB_ROOM(arena, out->v, out->count)[out->count]);
		out->count++;
	}
	return kb_rows_close(&rows, err);
}

/* The same on a connection of its own. */
static bool read_now(struct kb_store *store, struct kb_arena *arena, const struct kb_sql *what,
                     struct kb_db_values values, struct kb_license_list *out, struct kb_err *err)
{
	struct kb_db_conn *conn = kb_db_take(store->db, false, err);
	bool ok;

	if (!conn)
		return false;
	ok = read_all(conn, arena, what, values, out, err);
	kb_db_give(store->db, conn);
	return ok;
}

bool kb_store_license_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           struct kb_license_list *out, struct kb_err *err)
{
	return read_now(store, arena, &sql[LIST], KB_VALUES(kb_int(agent_id)), out, err);
}

bool kb_store_license_get(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_license_ref *ref, struct kb_license *out,
                          struct kb_err *err)
{
	struct kb_license_list found;

	if (!read_now(store, arena, &sql[GET],
	              KB_VALUES(kb_int(ref->agent_id), kb_int(ref->id), kb_text(ref->key)), &found,
	              err))
		return false;
	if (found.count == 0)
		return not_found(err, ref);
	*out = found.v[0];
	return true;
}

bool kb_store_license_find(struct kb_store *store, struct kb_arena *arena, struct kb_sv key,
                           struct kb_license *out, struct kb_err *err)
{
	struct kb_license_list found;

	if (!read_now(store, arena, &sql[FIND], KB_VALUES(kb_text(key)), &found, err))
		return false;
	if (found.count == 0)
		return kb_fail(err, KB_E_NOT_FOUND, "License not found");
	*out = found.v[0];
	return true;
}

struct license {
	struct kb_arena *arena;
	const struct kb_license_ref *ref;
	int64_t now;
	struct kb_sv name;
	struct kb_license *out;
};

static bool create(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct license *in = arg;
	int64_t agent_id = in->ref->agent_id, version, count;
	char uuid[37];

	if (!kb_agent_lock(conn, agent_id, &version, err)
	    || !kb_db_int(conn, &sql[COUNT], KB_VALUES(kb_int(agent_id)), 0, &count, err))
		return false;
	if (count >= KB_LICENSES_MAX)
		return kb_fail(err, KB_E_INVALID,
		               "the agent has %" PRId64 " licenses, the limit is %d", count,
		               KB_LICENSES_MAX);
	kb_random_uuid(uuid);
	*in->out = (struct kb_license){ .agent_id = agent_id,
		                        .name = in->name,
		                        .key = kb_arena_sv(in->arena, kb_sv_str(uuid)),
		                        .created_at = in->now,
		                        .updated_at = in->now };
	return kb_db_run(conn, &sql[KEY_TAKE], KB_VALUES(kb_text(in->out->key), kb_int(agent_id)),
	                 NULL, err)
	       && kb_db_next_id(conn, "license", 1, &in->out->id, err)
	       && kb_columns_write(&license_columns, conn, &sql[ADD], KB_NO_VALUES, in->out, err);
}

static bool rename_license(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct license *in = arg;
	const struct kb_license_ref *ref = in->ref;
	struct kb_license_list found;

	if (!read_all(conn, in->arena, &sql[GET],
	              KB_VALUES(kb_int(ref->agent_id), kb_int(ref->id), kb_text(ref->key)), &found,
	              err))
		return false;
	if (found.count == 0)
		return not_found(err, ref);
	*in->out = found.v[0];
	in->out->name = in->name;
	in->out->updated_at = in->now;
	return kb_db_run(conn, &sql[RENAME],
	                 KB_VALUES(kb_int(ref->agent_id), kb_int(in->out->id), kb_text(in->name),
	                           kb_int(in->now)),
	                 NULL, err);
}

static bool delete_license(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	const struct kb_license_ref *ref = arg;
	struct kb_db_values which =
	        KB_VALUES(kb_int(ref->agent_id), kb_int(ref->id), kb_text(ref->key));
	int64_t changed;

	return kb_db_run(conn, &sql[KEY_DROP], which, NULL, err)
	       && kb_db_run(conn, &sql[DELETE], which, &changed, err)
	       && (changed > 0 || not_found(err, ref));
}

bool kb_store_license_create(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                             struct kb_sv name, struct kb_license *out, struct kb_err *err)
{
	struct license in = { .arena = arena,
		              .ref = &(struct kb_license_ref){ .agent_id = agent_id },
		              .now = kb_store_now(store),
		              .name = name,
		              .out = out };

	return kb_db_write(store->db, create, &in, err);
}

bool kb_store_license_rename(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_license_ref *ref, struct kb_sv name,
                             struct kb_license *out, struct kb_err *err)
{
	struct license in = {
		.arena = arena, .ref = ref, .now = kb_store_now(store), .name = name, .out = out
	};

	return kb_db_write(store->db, rename_license, &in, err);
}

bool kb_store_license_delete(struct kb_store *store, const struct kb_license_ref *ref,
                             struct kb_err *err)
{
	struct kb_license_ref in = *ref;

	return kb_db_write(store->db, delete_license, &in, err);
}

/* ---- plugins ---- */

#define PLUGIN(letter, column, member) KB_COLUMN(struct kb_plugin, letter, column, member)
static const struct kb_db_columns plugin_columns =
        KB_COLUMNS(struct kb_plugin, KB_PLUGINS(PLUGIN, PLUGIN));

static bool plugin_load(struct kb_db_conn *conn, struct kb_arena *arena, int64_t agent_id,
                        struct kb_plugin *out, bool *found, struct kb_err *err)
{
	struct kb_db_rows rows;

	*found = false;
	*out = (struct kb_plugin){ .agent_id = agent_id };
	kb_rows_open(&rows, conn, &sql[PLUGIN_GET], KB_VALUES(kb_int(agent_id)));
	while (kb_rows_next(&rows)) {
		kb_columns_read(&plugin_columns, &rows, 0, arena, out);
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
	const struct kb_plugin_edit *edit;
	int64_t now;
	struct kb_plugin *out;
};

static bool plugin_put(struct kb_db_conn *conn, void *arg, struct kb_err *err)
{
	struct plugin_put *in = arg;
	const struct kb_plugin_edit *edit = in->edit;
	struct kb_plugin *plugin = in->out;
	int64_t version;
	bool found;

	if (!kb_agent_lock(conn, edit->agent_id, &version, err)
	    || !plugin_load(conn, in->arena, edit->agent_id, plugin, &found, err))
		return false;
	if (edit->must_exist && !found)
		return no_plugin(err, edit->agent_id);
	if (!edit->change(edit->arg, plugin, err))
		return false;
	if (!found)
		plugin->created_at = in->now;
	plugin->updated_at = in->now;
	return kb_columns_write(&plugin_columns, conn, &sql[PLUGIN_PUT], KB_NO_VALUES, plugin, err);
}

bool kb_store_plugin_put(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_plugin_edit *edit, struct kb_plugin *out,
                         struct kb_err *err)
{
	struct plugin_put in = {
		.arena = arena, .edit = edit, .now = kb_store_now(store), .out = out
	};

	return kb_db_write(store->db, plugin_put, &in, err);
}
