/*
 * Records in memory for the loop threads: read-mostly, sharded, bounded. The store's own.
 *
 * A record is a struct with text members; the cache keeps and hands out flat copies. It is exact
 * for changes of this process: who fills it takes a mark before reading the database, and a record
 * whose id was dropped since that mark is not taken in. For changes of other processes a record
 * counts for a second only, by the store's clock.
 */
#ifndef KB_STORE_CACHE_H
#define KB_STORE_CACHE_H

#include "base/clock.h"
#include "db/columns.h"

#define KB_CACHE_MAX_AGE_US INT64_C(1000000)

struct kb_cache;
struct kb_cache_mark {
	uint64_t generation;
	int64_t at;
};

/* columns: the members of the record; their texts are copied with it. clock: NULL is the real one.
 */
struct kb_cache *kb_cache_new(const struct kb_db_columns *columns, const struct kb_clock *clock);
void kb_cache_free(struct kb_cache *cache);

struct kb_cache_mark kb_cache_mark(struct kb_cache *cache, int64_t id);
void kb_cache_put(struct kb_cache *cache, int64_t id, struct kb_cache_mark mark,
                  const void *record);
/* A copy in the arena, texts aligned for any type, or NULL. */
void *kb_cache_get(struct kb_cache *cache, struct kb_arena *arena, int64_t id);
void kb_cache_drop(struct kb_cache *cache, int64_t id);

#endif
