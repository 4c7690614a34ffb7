#include "base/arena.h"

#include <malloc.h>
#include <stdalign.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
	FIRST_BLOCK = 1024,
	LEAST_BLOCK = 512, /* of the later ones */
	LARGEST_BLOCK = 64 * 1024,
	ALIGN = alignof(max_align_t),
};

struct kb_arena_block {
	struct kb_arena_block *older;
	size_t size;
	alignas(max_align_t) char bytes[];
};

struct kb_arena_defer {
	struct kb_arena_defer *older;
	void (*fn)(void *arg);
	void *arg;
};

static KB_NORETURN void out_of_memory(size_t size)
{
	fprintf(stderr, "docent: out of memory for %zu bytes\n", size);
	abort();
}

void kb_heap_trim(void)
{
	malloc_trim(0);
}

void *kb_xmalloc(size_t size)
{
	void *p = malloc(size ? size : 1);

	if (!p)
		out_of_memory(size);
	return p;
}

void *kb_xcalloc(size_t count, size_t size)
{
	void *p = calloc(count ? count : 1, size ? size : 1);

	if (!p)
		out_of_memory(count);
	return p;
}

void *kb_xrealloc(void *p, size_t size)
{
	p = realloc(p, size ? size : 1);
	if (!p)
		out_of_memory(size);
	return p;
}

char *kb_xstrdup(const char *s)
{
	size_t n = strlen(s) + 1;

	return memcpy(kb_xmalloc(n), s, n);
}

void *kb_grow(void *array, size_t *capacity, size_t need, size_t size)
{
	size_t count = *capacity ? *capacity : 8;
	size_t bytes;

	if (need <= *capacity)
		return array;
	while (count < need)
		KB_ASSERT(!__builtin_mul_overflow(count, 2, &count));
	KB_ASSERT(!__builtin_mul_overflow(count, size, &bytes));
	*capacity = count;
	return kb_xrealloc(array, bytes);
}

static void run_defers(struct kb_arena *arena)
{
	while (arena->defer) {
		struct kb_arena_defer *defer = arena->defer;

		arena->defer = defer->older;
		defer->fn(defer->arg);
	}
}

void kb_arena_fini(struct kb_arena *arena)
{
	run_defers(arena);
	while (arena->block) {
		struct kb_arena_block *block = arena->block;

		arena->block = block->older;
		free(block);
	}
	*arena = (struct kb_arena){ 0 };
}

void kb_arena_reset(struct kb_arena *arena)
{
	struct kb_arena_block *block;

	run_defers(arena);
	block = arena->block;
	if (!block)
		return;
	while (block->older) {
		struct kb_arena_block *older = block->older;

		block->older = older->older;
		free(older);
	}
	arena->used = 0;
	arena->size = arena->total = block->size;
}

static char *take(struct kb_arena *arena, size_t size, size_t align)
{
	size_t at = (arena->used + align - 1) & ~(align - 1);
	struct kb_arena_block *block;
	size_t want;

	if (arena->block && at <= arena->size && size <= arena->size - at) {
		arena->used = at + size;
		return arena->block->bytes + at;
	}
	/* An eighth of what there is: what waits for long, as an answer does for its model, has
	 * little of it unused. */
	want = arena->block ? KB_MAX(arena->total / 8, (size_t)LEAST_BLOCK) : FIRST_BLOCK;
	want = KB_MIN(want, (size_t)LARGEST_BLOCK);
	if (size > want / 2 && arena->block) {
		/* Large: a block of its own behind the current one, which stays in use. */
		block = kb_xmalloc(sizeof(*block) + size);
		block->size = size;
		block->older = arena->block->older;
		arena->block->older = block;
		arena->total += size;
		return block->bytes;
	}
	want = KB_MAX(want, size);
	block = kb_xmalloc(sizeof(*block) + want);
	block->size = want;
	block->older = arena->block;
	arena->block = block;
	arena->size = want;
	arena->used = size;
	arena->total += want;
	return block->bytes;
}

void *kb_arena_alloc(struct kb_arena *arena, size_t size)
{
	return memset(take(arena, size, ALIGN), 0, size);
}

void *kb_arena_array(struct kb_arena *arena, size_t count, size_t size)
{
	void *array = kb_arena_room(arena, count, size);

	return memset(array, 0, count * size);
}

void *kb_arena_room(struct kb_arena *arena, size_t count, size_t size)
{
	size_t bytes;

	KB_ASSERT(!__builtin_mul_overflow(count, size, &bytes));
	return take(arena, bytes, ALIGN);
}

void *kb_arena_copy(struct kb_arena *arena, const void *p, size_t n)
{
	char *copy = take(arena, n, ALIGN);

	return n ? memcpy(copy, p, n) : copy;
}

char *kb_arena_bytes(struct kb_arena *arena, size_t size)
{
	return take(arena, size, 1);
}

char *kb_arena_str(struct kb_arena *arena, struct kb_sv text)
{
	char *copy = kb_arena_bytes(arena, text.n + 1);

	if (text.n)
		memcpy(copy, text.p, text.n);
	copy[text.n] = '\0';
	return copy;
}

struct kb_sv kb_arena_sv(struct kb_arena *arena, struct kb_sv text)
{
	return kb_sv(kb_arena_str(arena, text), text.n);
}

struct kb_sv kb_arena_printf(struct kb_arena *arena, const char *fmt, ...)
{
	char none[1];
	va_list ap;
	char *text;
	int n;

	KB_ASSERT(fmt);
	va_start(ap, fmt);
	n = vsnprintf(none, sizeof(none), fmt, ap);
	va_end(ap);
	KB_ASSERT(n >= 0);
	text = kb_arena_bytes(arena, (size_t)n + 1);
	va_start(ap, fmt);
	vsnprintf(text, (size_t)n + 1, fmt, ap);
	va_end(ap);
	return kb_sv(text, (size_t)n);
}

void kb_arena_on_fini(struct kb_arena *arena, void (*fn)(void *arg), void *arg)
{
	struct kb_arena_defer *defer = KB_NEW(arena, struct kb_arena_defer);

	defer->fn = fn;
	defer->arg = arg;
	defer->older = arena->defer;
	arena->defer = defer;
}
