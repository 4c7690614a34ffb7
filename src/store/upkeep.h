/* What holds of the store and its blobs as a whole: that they belong together, whose turn it is to
 * sweep, which blobs no row names and since when. store.h's rules hold. */
#ifndef KB_STORE_UPKEEP_H
#define KB_STORE_UPKEEP_H

#include "store/store.h"

enum { KB_INSTALLATION_MARK = 2 * 16 + 1 };
struct kb_installation {
	char mark[KB_INSTALLATION_MARK]; /* empty: the store has none yet */
	bool bound;                      /* the blobs were seen to have it too */
};
bool kb_store_installation(struct kb_store *store, struct kb_installation *out,
                           struct kb_err *err) KB_MUST_CHECK;
/* Where the store has no mark yet it gets this one. Either way *inout is what the store has then:
 * nodes that start at the same time agree. */
bool kb_store_installation_begin(struct kb_store *store, struct kb_installation *inout,
                                 struct kb_err *err) KB_MUST_CHECK;
bool kb_store_installation_set(struct kb_store *store, const struct kb_installation *installation,
                               struct kb_err *err) KB_MUST_CHECK;

/* Takes the work of that kind when it is due, for lease_us; a new kind is due at once. *epoch is 0
 * when it is not, or somebody has it. */
bool kb_store_upkeep_take(struct kb_store *store, const char *kind, int64_t lease_us,
                          int64_t *epoch, struct kb_err *err) KB_MUST_CHECK;
/* It is done, and due again in pause_us. Too late, and nothing happens. */
bool kb_store_upkeep_done(struct kb_store *store, const char *kind, int64_t epoch, int64_t pause_us,
                          struct kb_err *err) KB_MUST_CHECK;

/*
 * Notes which blobs no row names (sorted, without doubles): strays that are known stay with their
 * time, new ones begin now, others are forgotten, being named again or gone. age_us[i]: how long
 * name i is known as one. At most KB_STRAYS_NEW new ones are noted a call; the age of the others
 * is 0.
 */
enum { KB_STRAYS_NEW = 5000 };
bool kb_store_strays_note(struct kb_store *store, const struct kb_sv *names, size_t count,
                          int64_t *age_us, struct kb_err *err) KB_MUST_CHECK;

#endif
