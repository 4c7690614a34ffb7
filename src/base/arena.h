/*
 * Memory that dies together: one arena a request, a job, a connection.
 *
 * Blocks come from the heap, start small and grow by an eighth of what there is up to 64 KiB; a
 * larger allocation gets a block of its own. A small allocation never returns NULL: if the heap is
 * used up the process ends with a message and its supervisor starts it again. An arena knows no
 * limits: whoever reads a size that a stranger chose refuses excess first. One thread at a time
 * uses an arena; a zeroed one is ready.
 */
#ifndef KB_BASE_ARENA_H
#define KB_BASE_ARENA_H

#include "base/err.h"
#include "base/sv.h"

struct kb_arena_block;
struct kb_arena_defer;

struct kb_arena {
	struct kb_arena_block *block; /* the one in use, then the older ones */
	struct kb_arena_defer *defer; /* what fini calls, last first */
	size_t used, size;            /* of the block in use */
	size_t total;                 /* bytes taken from the heap */
};

/* Runs the deferred calls, last first, and gives everything back. The arena is ready again. */
void kb_arena_fini(struct kb_arena *arena);
/* The same, but keeps one block for the next use. */
void kb_arena_reset(struct kb_arena *arena);

/* Zeroed, aligned for any type. */
void *kb_arena_alloc(struct kb_arena *arena, size_t size);
void *kb_arena_array(struct kb_arena *arena, size_t count, size_t size);
#define KB_NEW(arena, type)          ((type *)kb_arena_alloc((arena), sizeof(type)))
#define KB_NEW_ARRAY(arena, n, type) ((type *)kb_arena_array((arena), (n), sizeof(type)))
/* The same, not zeroed: for much room of which little is used. */
void *kb_arena_room(struct kb_arena *arena, size_t count, size_t size);
#define KB_NEW_ROOM(arena, n, type) ((type *)kb_arena_room((arena), (n), sizeof(type)))

/* A copy, aligned for any type. */
void *kb_arena_copy(struct kb_arena *arena, const void *p, size_t n);
/* Bytes that need no alignment, not zeroed. */
char *kb_arena_bytes(struct kb_arena *arena, size_t size);

char *kb_arena_str(struct kb_arena *arena, struct kb_sv text);       /* copy with a terminator */
struct kb_sv kb_arena_sv(struct kb_arena *arena, struct kb_sv text); /* copy; p is terminated */
struct kb_sv kb_arena_printf(struct kb_arena *arena, const char *fmt, ...) KB_PRINTF(2, 3);

/* Calls fn(arg) when the arena ends: for what the heap of a library gave us. */
void kb_arena_on_fini(struct kb_arena *arena, void (*fn)(void *arg), void *arg);

/* malloc and realloc that end the process instead of returning NULL. */
void *kb_xmalloc(size_t size);
void *kb_xcalloc(size_t count, size_t size);
void *kb_xrealloc(void *p, size_t size);
char *kb_xstrdup(const char *s);

/* Gives the system back what the heap has kept of freed memory, for after a job that took much. */
void kb_heap_trim(void);

/* Grows a heap array to hold at least `need` elements: doubles *capacity. */
#define KB_GROW(array, capacity, need)                                                             \
	((array) = kb_grow((array), &(capacity), (need), sizeof(*(array))))
void *kb_grow(void *array, size_t *capacity, size_t need, size_t size);

#endif
