/*
 * The thread that asks tests that are kept (store/kept.h) again, when what they were asked of has
 * changed and has been quiet for a while.
 *
 * It does so for one agent at a time, under its lease (store/work.h), and gives that back long
 * before it ends; what is left has its turn after it.
 */
#ifndef KB_UPKEEP_KEPT_H
#define KB_UPKEEP_KEPT_H

#include "upkeep/round.h"

/* NULL where the configuration has nobody who answers. */
struct kb_round *kb_kept_start(const struct kb_upkeep_config *config);

#endif
