/* The backups of this installation as its nodes know them together: whose turn it is, and what came
 * of the last ones. What a backup holds is in src/backup. store.h's rules hold. */
#ifndef KB_STORE_BACKUPS_H
#define KB_STORE_BACKUPS_H

#include "store/store.h"

struct kb_backups {
	int64_t last_at, state_at; /* when the last whole one was finished, and of which state; 0:
	                              never */
	int64_t tried_at, drill_tried_at; /* when each was begun last; 0: never */
	int64_t kept, held_bytes;         /* how many there are, and what they take */
	int64_t drill_at;                 /* when one was last seen to come back; 0: never */
	struct kb_sv place, failure, drill_failure; /* empty: none */
	int64_t every_us; /* how often one is made, as who makes them says; 0: by hand alone */
	bool is_sealed;   /* the last whole one is encrypted */
};
bool kb_store_backups(struct kb_store *store, struct kb_arena *arena, struct kb_backups *out,
                      struct kb_err *err) KB_MUST_CHECK;

/* Whether what was begun last at tried_at is due again: every_us ago, or at a time to come, of a
 * clock that was wrong. */
bool kb_backup_is_due(int64_t tried_at, int64_t every_us, int64_t now);

/* Where they are made by themselves: when the next one is due; 0: none is. Whether the last whole
 * one is older than four of those spans, so that some have been missed. */
int64_t kb_backup_next(const struct kb_backups *backups);
bool kb_backup_is_late(const struct kb_backups *backups, int64_t now);

/* Says how often they are made from now on. */
bool kb_store_backup_plan(struct kb_store *store, int64_t every_us,
                          struct kb_err *err) KB_MUST_CHECK;

/* Takes the turn for lease_us where nobody has it and the last one is due again (every_us 0:
 * whenever). *epoch is 0 where it was not taken. */
bool kb_store_backup_take(struct kb_store *store, int64_t lease_us, int64_t every_us,
                          int64_t *epoch, struct kb_err *err) KB_MUST_CHECK;
/* Holds on to it; KB_E_CONFLICT where somebody else has begun one meanwhile. */
bool kb_store_backup_renew(struct kb_store *store, int64_t epoch, int64_t lease_us,
                           struct kb_err *err) KB_MUST_CHECK;
/* What came of it; `failure` empty: it is whole. The turn is free again. Too late, and nothing
 * happens. */
struct kb_backup_outcome {
	int64_t state_at, kept, held_bytes;
	struct kb_sv place, failure;
	bool is_sealed;
};
bool kb_store_backup_done(struct kb_store *store, int64_t epoch,
                          const struct kb_backup_outcome *outcome,
                          struct kb_err *err) KB_MUST_CHECK;

/* Whether a drill is due, and begun with this call. */
bool kb_store_drill_take(struct kb_store *store, int64_t every_us, bool *taken,
                         struct kb_err *err) KB_MUST_CHECK;
/* Empty: the backup comes back. */
bool kb_store_drill_done(struct kb_store *store, struct kb_sv failure,
                         struct kb_err *err) KB_MUST_CHECK;

#endif
