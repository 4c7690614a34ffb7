/* Phrases in texts, compared as the natural questions want it. */
#ifndef KB_BENCH_PHRASES_H
#define KB_BENCH_PHRASES_H

#include "base/arena.h"

/* The text in NFKC and small letters, with plain quotes, and without white space, `*`, `_` and '`':
 * a phrase stands in a text when one holds the other so. */
struct kb_sv bench_squeezed(struct kb_arena *arena, struct kb_sv text);

#endif
