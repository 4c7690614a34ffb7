/*
 * The thread that puts questions that were not answered well into groups (store/gaps.h), and asks
 * them anew when documents have changed: a gap that they close is closed.
 *
 * It does so for one agent at a time, under its lease (store/work.h), and gives that back long
 * before it ends. What it knows of an agent's groups is read anew for each turn, so much of it as
 * has room: those that were asked last.
 */
#ifndef KB_UPKEEP_GAPS_H
#define KB_UPKEEP_GAPS_H

#include "upkeep/round.h"

/* NULL where the configuration has nobody who answers. */
struct kb_round *kb_gaps_start(const struct kb_upkeep_config *config);

#endif
