/*
 * A few whole sentences of a document, to be read beside others: what is shown of a passage that is
 * only close (closest.h). Signs of markup are taken out, so it is not always verbatim; nothing is
 * added but "…" where a sentence alone is too long. Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_EXCERPT_H
#define KB_ANSWER_EXCERPT_H

#include "base/arena.h"

/* Characters; one of a script without blanks counts for two. */
enum { KB_EXCERPT_LETTERS = 600 };

/* Of the text from `at` on, which is where a sentence begins: as many sentences as have room in
 * KB_EXCERPT_LETTERS; those before it where what follows leaves room. */
struct kb_sv kb_excerpt_of(struct kb_arena *arena, struct kb_sv text, size_t at);

/* Whether it says all of the other: copies of one page may differ in case, quotes and marks of
 * lists. */
bool kb_excerpt_has(struct kb_arena *arena, struct kb_sv excerpt, struct kb_sv other);

/* The text as a person reads it, without marks of headings, emphasis, links, tables, shortcodes,
 * attributes and comments; lines stay lines. Tags stay: readers of documents take them out, and
 * what is left is meant. */
struct kb_sv kb_excerpt_clean(struct kb_arena *arena, struct kb_sv text);

/* A sentence, which has no blanks around it, without the footnotes, attributes and shortcodes at
 * its end; empty where there is nothing else. What is left is the sentence's beginning, verbatim.
 */
struct kb_sv kb_excerpt_trim(struct kb_sv sentence);

#endif
