/*
 * The thread that asks tests that are kept (store/kept.h) again, when what they were asked of has
 * changed and has been quiet for a while.
 *
 * It does so for one agent at a time, under its lease (store/work.h), and gives that back long
 * before it ends; what is left has its turn after it.
 */
#ifndef KB_UPKEEP_KEPT_H
#define KB_UPKEEP_KEPT_H

#include "upkeep/config.h"

struct kb_kept_thread;

/* NULL where the configuration has nobody who answers. */
struct kb_kept_thread *kb_kept_thread_start(const struct kb_upkeep_config *config);
/* Gives up what is in hand. NULL is fine. */
void kb_kept_thread_stop(struct kb_kept_thread *thread);

#endif
