#include "store/cache.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

enum {
	SHARDS = 16,
	SETS = 16, /* of a shard */
	WAYS = 4,  /* of a set */
	ALIGN = _Alignof(max_align_t),
};

/* The record and its texts in one block; text members point into it. */
struct entry {
	int64_t id, loaded_at;
	size_t size;
	_Alignas(max_align_t) char block[];
};

struct shard {
	_Alignas(64) pthread_rwlock_t lock;
	uint64_t generation; /* rises with each drop */
	struct entry *entries[SETS][WAYS];
};

struct kb_cache {
	const struct kb_db_columns *columns; /* of the record */
	const struct kb_clock *clock;
	struct shard shards[SHARDS];
};

static uint64_t hash_of(int64_t id)
{
	return (uint64_t)id * UINT64_C(0x9e3779b97f4a7c15) >> 32;
}

static struct shard *shard_of(struct kb_cache *cache, int64_t id)
{
	return &cache->shards[hash_of(id) % SHARDS];
}

static struct entry **set_of(struct shard *shard, int64_t id)
{
	return shard->entries[hash_of(id) / SHARDS % SETS];
}

static size_t aligned(size_t n)
{
	return (n + ALIGN - 1) / ALIGN * ALIGN;
}

static bool is_text(const struct kb_db_column *column)
{
	return column->cell == KB_CELL_TEXT || column->cell == KB_CELL_NULLABLE;
}

/* The text of the i-th column, NULL when that is none. */
static struct kb_sv *text_at(const struct kb_cache *cache, void *record, size_t i)
{
	const struct kb_db_column *column = &cache->columns->v[i];

	return is_text(column) ? (struct kb_sv *)(void *)((char *)record + column->offset) : NULL;
}

struct kb_cache *kb_cache_new(const struct kb_db_columns *columns, const struct kb_clock *clock)
{
	struct kb_cache *cache = aligned_alloc(64, (sizeof(*cache) + 63) / 64 * 64);

	KB_ASSERT(cache);
	memset(cache, 0, sizeof(*cache));
	cache->columns = columns;
	cache->clock = clock;
	for (size_t i = 0; i < SHARDS; i++)
		pthread_rwlock_init(&cache->shards[i].lock, NULL);
	return cache;
}

void kb_cache_free(struct kb_cache *cache)
{
	if (!cache)
		return;
	for (size_t i = 0; i < SHARDS; i++) {
		for (size_t j = 0; j < (size_t)SETS * WAYS; j++)
			free(cache->shards[i].entries[j / WAYS][j % WAYS]);
		pthread_rwlock_destroy(&cache->shards[i].lock);
	}
	free(cache);
}

struct kb_cache_mark kb_cache_mark(struct kb_cache *cache, int64_t id)
{
	struct shard *shard = shard_of(cache, id);
	struct kb_cache_mark mark = { .at = kb_clock_steady_us(cache->clock) };

	pthread_rwlock_rdlock(&shard->lock);
	mark.generation = shard->generation;
	pthread_rwlock_unlock(&shard->lock);
	return mark;
}

static struct entry *entry_new(struct kb_cache *cache, const void *record)
{
	const struct kb_db_columns *columns = cache->columns;
	size_t at = aligned(columns->record_size), size = at;
	struct entry *entry;

	for (size_t i = 0; i < columns->count; i++) {
		struct kb_sv text;

		if (!is_text(&columns->v[i]))
			continue;
		memcpy(&text, (const char *)record + columns->v[i].offset, sizeof(text));
		size += aligned(text.n + 1);
	}
	entry = kb_xcalloc(1, sizeof(*entry) + size);
	entry->size = size;
	memcpy(entry->block, record, columns->record_size);
	for (size_t i = 0; i < columns->count; i++) {
		struct kb_sv *text = text_at(cache, entry->block, i);

		if (!text || !text->p)
			continue;
		memcpy(entry->block + at, text->p, text->n);
		text->p = entry->block + at;
		at += aligned(text->n + 1);
	}
	return entry;
}

void kb_cache_put(struct kb_cache *cache, int64_t id, struct kb_cache_mark mark, const void *record)
{
	struct shard *shard = shard_of(cache, id);
	struct entry **set = set_of(shard, id), **place = &set[0];
	struct entry *entry = entry_new(cache, record), *old = entry;

	entry->id = id;
	entry->loaded_at = mark.at;
	pthread_rwlock_wrlock(&shard->lock);
	if (shard->generation == mark.generation) {
		for (size_t i = 0; i < WAYS; i++) {
			if (set[i] && set[i]->id == id) {
				place = &set[i];
				break;
			}
			if (*place && (!set[i] || set[i]->loaded_at < (*place)->loaded_at))
				place = &set[i];
		}
		old = *place;
		*place = entry;
	}
	pthread_rwlock_unlock(&shard->lock);
	free(old);
}

void *kb_cache_get(struct kb_cache *cache, struct kb_arena *arena, int64_t id)
{
	struct shard *shard = shard_of(cache, id);
	struct entry **set = set_of(shard, id);
	int64_t now = kb_clock_steady_us(cache->clock);
	char *copy = NULL;

	pthread_rwlock_rdlock(&shard->lock);
	for (size_t i = 0; i < WAYS && !copy; i++) {
		struct entry *entry = set[i];

		if (!entry || entry->id != id || now - entry->loaded_at > KB_CACHE_MAX_AGE_US)
			continue;
		copy = kb_arena_alloc(arena, entry->size);
		memcpy(copy, entry->block, entry->size);
		for (size_t j = 0; j < cache->columns->count; j++) {
			struct kb_sv *text = text_at(cache, copy, j);

			if (text && text->p)
				text->p = copy + (text->p - entry->block);
		}
	}
	pthread_rwlock_unlock(&shard->lock);
	return copy;
}

void kb_cache_drop(struct kb_cache *cache, int64_t id)
{
	struct shard *shard = shard_of(cache, id);
	struct entry **set = set_of(shard, id), *old = NULL;

	pthread_rwlock_wrlock(&shard->lock);
	shard->generation++;
	for (size_t i = 0; i < WAYS; i++) {
		if (!set[i] || set[i]->id != id)
			continue;
		old = set[i];
		set[i] = NULL;
	}
	pthread_rwlock_unlock(&shard->lock);
	free(old);
}
