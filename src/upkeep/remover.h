/*
 * The thread that removes the rows of what was deleted (store/remove.h), a slice at a time.
 *
 * It works half of the time at most, so that others get at the database between two slices. What it
 * has not finished when it is stopped, or killed, it finds again when it is started.
 */
#ifndef KB_UPKEEP_REMOVER_H
#define KB_UPKEEP_REMOVER_H

#include "upkeep/config.h"

struct kb_remover;

/* Its waits go by the configuration's clock. */
struct kb_remover *kb_remover_start(const struct kb_upkeep_config *config);
/* After the slice in hand. NULL is fine. */
void kb_remover_stop(struct kb_remover *remover);
/* Something was deleted. Never blocks. */
void kb_remover_wake(struct kb_remover *remover);
/* Rows so far. */
int64_t kb_remover_rows(struct kb_remover *remover);

#endif
