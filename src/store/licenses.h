/* Licenses: keys that an agent's owner hands to those who may use a copy of the agent; and the
 * description under which an agent is a plugin of other programs. The rules of store.h hold. */
#ifndef KB_STORE_LICENSES_H
#define KB_STORE_LICENSES_H

#include "store/store.h"

enum { KB_LICENSES_MAX = 10000 }; /* of one agent */

struct kb_license {
	int64_t agent_id, id;
	struct kb_sv name, key; /* key: a UUID, of this license alone */
	int64_t created_at, updated_at;
};

/* Which one of an agent: by its id, or by its key (then id is 0). */
struct kb_license_ref {
	int64_t agent_id, id;
	struct kb_sv key;
};

struct kb_license_list {
	struct kb_license *v; /* by id */
	size_t count;
};
bool kb_store_license_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           struct kb_license_list *out, struct kb_err *err) KB_MUST_CHECK;
/* KB_E_INVALID beyond KB_LICENSES_MAX. */
bool kb_store_license_create(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                             struct kb_sv name, struct kb_license *out,
                             struct kb_err *err) KB_MUST_CHECK;
bool kb_store_license_get(struct kb_store *store, struct kb_arena *arena,
                          const struct kb_license_ref *ref, struct kb_license *out,
                          struct kb_err *err) KB_MUST_CHECK;
bool kb_store_license_rename(struct kb_store *store, struct kb_arena *arena,
                             const struct kb_license_ref *ref, struct kb_sv name,
                             struct kb_license *out, struct kb_err *err) KB_MUST_CHECK;
bool kb_store_license_delete(struct kb_store *store, const struct kb_license_ref *ref,
                             struct kb_err *err) KB_MUST_CHECK;
/* Whatever its agent, while that agent allows licenses; else KB_E_NOT_FOUND. */
bool kb_store_license_find(struct kb_store *store, struct kb_arena *arena, struct kb_sv key,
                           struct kb_license *out, struct kb_err *err) KB_MUST_CHECK;

struct kb_plugin {
	int64_t agent_id;
	struct kb_sv model_name, human_name, keywords, description;
	struct kb_sv logo; /* p == NULL: none */
	bool is_active;
	int64_t created_at, updated_at;
};
/* KB_E_NOT_FOUND "Plugin for agent with id 7 not found". */
bool kb_store_plugin_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                         struct kb_plugin *out, struct kb_err *err) KB_MUST_CHECK;
/* Whose plugin is edited, and how. `change` runs on the writer's thread: quick, and without the
 * store. */
struct kb_plugin_edit {
	int64_t agent_id;
	bool must_exist; /* none is KB_E_NOT_FOUND; else `change` gets a zeroed one */
	bool (*change)(void *arg, struct kb_plugin *plugin, struct kb_err *err);
	void *arg;
};
/* Reads the plugin inside the write, edits it, stores it. */
bool kb_store_plugin_put(struct kb_store *store, struct kb_arena *arena,
                         const struct kb_plugin_edit *edit, struct kb_plugin *out,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
