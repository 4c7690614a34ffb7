/*
 * Upkeep: what is done in the background to what can be found already.
 *
 * One thread folds new segments into their agent's factors, merges segments (merge.h), sweeps blobs
 * that no row names (sweep.h), and purges conversations that were kept long enough (purge.h).
 * Another learns the factors of agents that have grown (learn.h). One removes the rows of what was
 * deleted (remover.h), one makes damaged segments anew (repair.h). Where somebody makes vectors one
 * gives them to passages (vectorize.h), and where there is a model one does its chores (chores.h).
 * One makes what visitors are greeted with (openings.h), one groups the questions that were not
 * answered well (gaps.h), one asks the tests that are kept (kept.h), and one finds documents that
 * disagree (conflicts.h). Deleted documents are taken back by whoever asks (takeback.h).
 */
#ifndef KB_UPKEEP_UPKEEP_H
#define KB_UPKEEP_UPKEEP_H

#include "upkeep/audit_lines.h"
#include "upkeep/chores.h"
#include "upkeep/config.h"
#include "upkeep/conflicts.h"
#include "upkeep/gaps.h"
#include "upkeep/kept.h"
#include "upkeep/openings.h"
#include "upkeep/repair.h"
#include "upkeep/vectorize.h"

struct kb_upkeep;

struct kb_upkeep *kb_upkeep_start(const struct kb_upkeep_config *config);
/* Gives up what is in hand, ends the threads. NULL is fine. */
void kb_upkeep_stop(struct kb_upkeep *upkeep);

/* Something was deleted or added: look now rather than at the next poll. Never blocks. */
void kb_upkeep_wake(struct kb_upkeep *upkeep);

struct kb_upkeep_stats {
	int64_t merges, learned, folded;
	int64_t swept, discarded, recalled, in_trash, unnamed; /* blobs; the last two: right now */
	int64_t purged_messages, purged_conversations;
	int64_t removed; /* rows of what was deleted */
	struct kb_vectorize_stats vectorize;
	struct kb_repair_stats repair;
	struct kb_chore_stats chores;
	struct kb_audit_lines_stats lines;
};
void kb_upkeep_stats(struct kb_upkeep *upkeep, struct kb_upkeep_stats *out);

#endif
