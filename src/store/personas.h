/*
 * An agent's settings as they change: the numbered texts of its persona, what is generated from
 * each of them, the agent's own texts in their place, and the pictures the settings name. The rules
 * of store.h hold.
 *
 * A persona version is never rewritten. The newest is the active one, and its text is what the
 * settings hold as persona_instructions: both change in one transaction.
 */
#ifndef KB_STORE_PERSONAS_H
#define KB_STORE_PERSONAS_H

#include "store/agents.h"
#include "store/chores.h"

/* What is generated from a version. */
enum kb_notes {
	KB_NOTES_DONE,
	KB_NOTES_PENDING, /* nothing yet */
	KB_NOTES_STALE,   /* there, but the agent's documents have changed since */
};

struct kb_persona {
	int64_t agent_id, version;
	struct kb_sv instructions; /* p == NULL: none */
	bool is_active;
	enum kb_notes notes;
	int64_t created_at, updated_at;
};

/* A generated text of a version, or the agent's own (version 0). */
struct kb_sub_persona {
	int64_t version;
	struct kb_sv slug, title;
	struct kb_sv instructions; /* p == NULL: none */
	int64_t created_at, updated_at;
};

/* What a change of settings stores. */
struct kb_settings_change {
	struct kb_sv settings;      /* JSON, as in struct kb_agent */
	struct kb_sv persona;       /* persona_instructions in it; p == NULL: none */
	bool always_version;        /* a new version also for the text that is active */
	const struct kb_sv *images; /* names of the blobs that the settings name */
	size_t image_count;
};

/* Whose settings are edited, and how: `change` says what they become. It has the duties it has in
 * struct kb_agent_edit. */
struct kb_settings_edit {
	int64_t account_id, agent_id;
	bool (*change)(void *arg, struct kb_arena *arena, const struct kb_agent *agent,
	               struct kb_settings_change *out, struct kb_err *err);
	void *arg;
};
/* Reads the agent inside the write transaction, edits its settings and stores them, the next
 * persona version where the text differs from the active one, and the pictures' names. */
bool kb_store_settings_update(struct kb_store *store, struct kb_arena *arena,
                              const struct kb_settings_edit *edit, struct kb_agent *out,
                              struct kb_err *err) KB_MUST_CHECK;

/* Whether the agent's settings name that blob. */
bool kb_store_agent_image(struct kb_store *store, int64_t agent_id, struct kb_sv blob, bool *known,
                          struct kb_err *err) KB_MUST_CHECK;

struct kb_persona_list {
	struct kb_persona *v;
	size_t count;
	int64_t total; /* of all pages of the list */
};
bool kb_store_persona_list(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           const struct kb_list *list, struct kb_persona_list *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* KB_E_NOT_FOUND. */
bool kb_store_persona_get(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                          int64_t version, struct kb_persona *out,
                          struct kb_err *err) KB_MUST_CHECK;

/* What is generated from one version, by slug, and the agent's own texts; of one moment. */
struct kb_sub_personas {
	bool is_generating, is_stale; /* nothing yet; or of documents that have changed since */
	struct kb_sub_persona_list {
		struct kb_sub_persona *v;
		size_t count;
	} generated, overrides;
};
/* KB_E_NOT_FOUND where there is no such version. */
bool kb_store_sub_personas(struct kb_store *store, struct kb_arena *arena, int64_t agent_id,
                           int64_t version, struct kb_sub_personas *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* Makes or changes the agent's own text of that slug; only slug, title and instructions count. */
bool kb_store_override_put(struct kb_store *store, int64_t agent_id,
                           const struct kb_sub_persona *override, struct kb_err *err) KB_MUST_CHECK;
/* None there is fine. */
bool kb_store_override_delete(struct kb_store *store, int64_t agent_id, struct kb_sv slug,
                              struct kb_err *err) KB_MUST_CHECK;

/* The version whose texts are to be generated next: pending ones first, then those of agents whose
 * documents have changed and are all indexed. version 0: none. */
bool kb_store_notes_next(struct kb_store *store, struct kb_arena *arena, struct kb_persona *out,
                         struct kb_err *err) KB_MUST_CHECK;
/* What was generated from a version, out of documents of that index version. */
struct kb_notes_new {
	int64_t agent_id, version, index_version;
	const struct kb_sub_persona *v; /* slug, title and instructions count */
	size_t count;
	/* What a model makes of each afterwards, where chores are wanted, in so much time; NULL:
	 * nothing. */
	const enum kb_chore_kind *chores;
	int64_t chores_in_us;
};
/* Puts them in place of what was there under their slugs. A version that is gone meanwhile is fine.
 */
bool kb_store_notes_put(struct kb_store *store, const struct kb_notes_new *notes,
                        struct kb_err *err) KB_MUST_CHECK;

#endif
