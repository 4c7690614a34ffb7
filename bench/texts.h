/* Texts in memory for the search benches: the "text" members of a file of JSON lines. */
#ifndef KB_BENCH_TEXTS_H
#define KB_BENCH_TEXTS_H

#include "base/arena.h"
#include "base/err.h"

struct bench_texts {
	struct kb_arena arena;
	struct kb_sv *v;
	size_t count, capacity, bytes;
};

void bench_texts_add(struct bench_texts *texts, struct kb_sv text);
/* The texts of lines first to first + max - 1. */
bool bench_texts_read(struct bench_texts *texts, const char *path, int64_t first, int64_t max,
                      struct kb_err *err) KB_MUST_CHECK;
void bench_texts_fini(struct bench_texts *texts);

/* This thread's processor time: a busy machine lengthens it less than the wall's. */
int64_t bench_cpu_us(void);
/* Sorts the times and prints a row that search_peers.mjs reads. */
void bench_print_times(const char *name, const char *clock, int64_t *times_us, size_t count);

#endif
