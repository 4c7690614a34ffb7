/* Rows of licenses and plugins. */
#ifndef KB_STORE_LICENSES_OWN_H
#define KB_STORE_LICENSES_OWN_H

#include "db/columns.h"
#include "store/licenses.h"

// clang-format off
/* The columns of plugins (columns.h). */
#define KB_PLUGINS_COPIED(FIRST, NEXT) \
	FIRST(t, model_name,  model_name) \
	NEXT (t, human_name,  human_name) \
	NEXT (t, keywords,    keywords) \
	NEXT (t, description, description) \
	NEXT (n, logo,        logo) \
	NEXT (i, is_active,   is_active) \
	NEXT (i, created_at,  created_at) \
	NEXT (i, updated_at,  updated_at)
#define KB_PLUGINS(FIRST, NEXT) FIRST(i, agent_id, agent_id) KB_PLUGINS_COPIED(NEXT, NEXT)
// clang-format on

#endif
