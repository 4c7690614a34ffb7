/*
 * Markdown as documentation tools write it, as plain Markdown: boxes, folded questions, components,
 * tags and imports become paragraphs and headings, or go. Pure; any thread.
 */
#ifndef KB_PARSE_MARKDOWN_PLAIN_H
#define KB_PARSE_MARKDOWN_PLAIN_H

#include "base/arena.h"

/* A line that ends what stands under a heading of this level. A document that holds it itself ends
 * its own heading there, no more. */
#define KB_MARKDOWN_END "<!--/%d-->"
enum { KB_MARKDOWN_END_MAX = 16 };

/* In the arena. Time and memory grow with the text. */
struct kb_sv kb_markdown_plain(struct kb_arena *arena, struct kb_sv text);

/* The level that such a line ends; 0: it is none. */
int kb_markdown_end(struct kb_sv html);

#endif
