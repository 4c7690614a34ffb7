/* Rows of personas. */
#ifndef KB_STORE_PERSONAS_OWN_H
#define KB_STORE_PERSONAS_OWN_H

#include "db/columns.h"
#include "store/personas.h"

// clang-format off
/* The columns of personas, sub_personas and sub_persona_overrides (columns.h). */
#define KB_PERSONAS_COPIED(FIRST, NEXT) \
	FIRST(i, version,      version) \
	NEXT (n, instructions, instructions) \
	NEXT (i, is_active,    is_active) \
	NEXT (i, notes,        notes) \
	NEXT (i, created_at,   created_at) \
	NEXT (i, updated_at,   updated_at)
#define KB_PERSONAS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_PERSONAS_COPIED(NEXT, NEXT)
#define KB_OVERRIDES_COPIED(FIRST, NEXT) \
	FIRST(t, slug,         text.slug) \
	NEXT (t, title,        text.title) \
	NEXT (n, instructions, text.instructions) \
	NEXT (i, created_at,   text.created_at) \
	NEXT (i, updated_at,   text.updated_at)
#define KB_OVERRIDES(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_OVERRIDES_COPIED(NEXT, NEXT)
#define KB_SUB_PERSONAS_COPIED(FIRST, NEXT) \
	FIRST(i, version,      text.version) KB_OVERRIDES_COPIED(NEXT, NEXT)
#define KB_SUB_PERSONAS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_SUB_PERSONAS_COPIED(NEXT, NEXT)
// clang-format on

bool kb_persona_insert(struct kb_db_conn *conn, int64_t agent_id, int64_t version,
                       struct kb_sv instructions, int64_t now, struct kb_err *err) KB_MUST_CHECK;

#endif
