/*
 * A deleted document is taken back: its passages are made anew of the texts that are kept, and one
 * transaction makes them and its rows true (store/takeback.h). Nothing is parsed, fetched or asked
 * of a model again. For a worker of the interface; may block.
 */
#ifndef KB_UPKEEP_TAKEBACK_H
#define KB_UPKEEP_TAKEBACK_H

#include "upkeep/rebuild.h"

/* KB_E_NOT_FOUND: it is not kept; else as kb_store_page_take_back(). */
bool kb_takeback_page(const struct kb_repair_with *with, int64_t agent_id, int64_t id,
                      struct kb_err *err) KB_MUST_CHECK;

#endif
