/* How far an agent's documents are, as the interface says it. */
#ifndef KB_API_PROGRESS_RECORD_H
#define KB_API_PROGRESS_RECORD_H

#include "api/api.h"

/* An object. false has written nothing. */
bool kb_progress_write(const struct kb_api *api, struct kb_arena *arena, int64_t agent_id,
                       struct kb_jw *jw, struct kb_err *err) KB_MUST_CHECK;

#endif
