/*
 * How far an agent's passages can be found by meaning too, as the interface says it: whoever makes
 * vectors makes them behind the words.
 *
 * Any thread.
 */
#ifndef KB_API_READY_H
#define KB_API_READY_H

#include "api/api.h"
#include "store/vectors.h"

/* What was asked for lately, by the agent's index version: every vector that is made raises it. A
 * damaged column that is dropped does not; it counts until it is made again. */
struct kb_readies;
struct kb_readies *kb_readies_new(void);
void kb_readies_free(struct kb_readies *readies);

struct kb_ready {
	bool is_said; /* somebody makes vectors, and knows of which kind */
	struct kb_vectors_ready figures;
	int64_t seconds_left; /* at the pace of this node since its start; -1: not known */
};
/* May read the store. index_version 0: not known, and nothing is kept. */
bool kb_ready_read(const struct kb_api *api, int64_t agent_id, int64_t index_version,
                   struct kb_ready *out, struct kb_err *err) KB_MUST_CHECK;
/* Never blocks; false: the store has to be read. */
bool kb_ready_peek(const struct kb_api *api, int64_t agent_id, int64_t index_version,
                   struct kb_ready *out);
/* The member "meaning" of an object, where it is said. */
void kb_ready_write(struct kb_jw *jw, const struct kb_ready *ready);

#endif
