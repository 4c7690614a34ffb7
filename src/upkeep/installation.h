/*
 * Whether a store and blobs, in a directory or a bucket, belong together. Each has the mark of its
 * installation, a random word, and a start with two different ones is refused: a sweep from the
 * wrong store would take blobs that are somebody's.
 *
 * A store that has no mark yet, beside blobs that have none, gets one at its first start. Where
 * both are from before there were marks, that happens only when most of the blobs that the store
 * names are there.
 */
#ifndef KB_UPKEEP_INSTALLATION_H
#define KB_UPKEEP_INSTALLATION_H

#include "blob/blob.h"
#include "store/store.h"

/* The two, and where they are, for sentences. */
struct kb_installed {
	struct kb_store *store;
	struct kb_blobs *blobs;
	const char *store_at, *blobs_at;
};

/* Before a store that does not exist is made (`store` is not asked): KB_E_CONFLICT where there are
 * blobs, whose store must be another one. */
bool kb_installation_begin(const struct kb_installed *in, struct kb_err *err) KB_MUST_CHECK;

/* At the start of a server. KB_E_CONFLICT says what does not fit and what to do; then nothing has
 * changed. */
bool kb_installation_join(const struct kb_installed *in, struct kb_err *err) KB_MUST_CHECK;

/* The operator's word that the two belong together: both get a new mark, and another store that
 * used these blobs is refused from then on. What the store names comes back from the trash. Where
 * there are blobs and the store names none of them, only with `discard`, since the sweep will end
 * them all: KB_E_CONFLICT. */
struct kb_adopted {
	int64_t named, missing, blobs;
};
/* How many blobs the store names, how many of them are missing, and how many are there. */
bool kb_installation_count(const struct kb_installed *in, struct kb_adopted *out,
                           struct kb_err *err) KB_MUST_CHECK;
bool kb_installation_adopt(const struct kb_installed *in, bool discard, struct kb_adopted *out,
                           struct kb_err *err) KB_MUST_CHECK;

/* Blobs of the installation with that mark are going to be put there. KB_E_CONFLICT where others
 * are. */
bool kb_installation_expect(struct kb_blobs *blobs, const char *blobs_at, const char *mark,
                            struct kb_err *err) KB_MUST_CHECK;

#endif
