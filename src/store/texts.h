/* Folded texts, LIKE patterns and lists of ids. The store's own. */
#ifndef KB_STORE_TEXTS_H
#define KB_STORE_TEXTS_H

#include "base/arena.h"
#include "base/err.h"

/* Unicode compatibility case folding, for the *_key columns. Bad bytes become U+FFFD. */
struct kb_sv kb_store_fold(struct kb_arena *arena, struct kb_sv text);
/* The LIKE pattern (ESCAPE '\') that finds the text anywhere in a folded column; empty for an empty
 * text. With `wild`, '*' stands for any text and '?' for any character. */
enum { KB_PATTERN_MAX = 1000 };
bool kb_like_pattern(struct kb_arena *arena, struct kb_sv text, bool wild, struct kb_sv *pattern,
                     struct kb_err *err) KB_MUST_CHECK;

/* "1,2,3" and back. */
struct kb_sv kb_ids_text(struct kb_arena *arena, const int64_t *ids, size_t count);
const int64_t *kb_ids_parse(struct kb_arena *arena, struct kb_sv text, size_t *count);
/* ",1,2,3," for `$n LIKE '%,' || id || ',%'`; empty when there are none. */
struct kb_sv kb_ids_set(struct kb_arena *arena, const int64_t *ids, size_t count);

#endif
