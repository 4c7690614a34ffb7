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

#include "upkeep/config.h"

struct kb_gap_thread;

/* NULL where the configuration has nobody who answers. */
struct kb_gap_thread *kb_gap_thread_start(const struct kb_upkeep_config *config);
/* Gives up what is in hand. NULL is fine. */
void kb_gap_thread_stop(struct kb_gap_thread *thread);

#endif
