/*
 * What stands together in a passage: paragraphs, lists with the line that introduces them, steps,
 * code, rows of a table, and headings between short sections. A passage's text has a line for each
 * block of its document (parse.h). What a line is its document has marked, or its neighbours tell:
 * items stand in a row, rows begin with the same name of a column, a heading stands between
 * sentences.
 *
 * Pure but for the arena; any thread.
 */
#ifndef KB_ANSWER_BLOCKS_H
#define KB_ANSWER_BLOCKS_H

#include "base/arena.h"
#include "index/index.h"

enum kb_line_kind {
	KB_LINE_PROSE, /* a paragraph */
	KB_LINE_INTRO, /* one that ends in a colon */
	KB_LINE_ASKS,  /* a question alone; what follows answers it */
	KB_LINE_ITEM,  /* of a list; of code that is not marked */
	KB_LINE_CODE,
	KB_LINE_ROW,  /* of a table: "Column: value; column: value" */
	KB_LINE_HEAD, /* of what follows */
};

/* A sentence in its place; the caller's, in reading order. */
struct kb_line_sentence {
	struct kb_sv text;
	size_t letters;                  /* a character of a script without blanks counts for two */
	bool opens;                      /* a line: nothing or a line's end stands before it */
	bool first;                      /* of its passage */
	const struct kb_line_mark *mark; /* of its line; NULL: none */
};

struct kb_line {
	size_t first, end; /* sentences */
	size_t letters;
	enum kb_line_kind kind;
	bool starts; /* a passage */
};

struct kb_lines {
	struct kb_line *v;
	size_t count;
	size_t *of; /* of each sentence its line */
};

size_t kb_line_letters(struct kb_sv text);
/* The text's beginning of at most so many letters. */
struct kb_sv kb_line_head(struct kb_sv text, size_t letters);

void kb_lines_find(struct kb_arena *arena, const struct kb_line_sentence *sentences, size_t count,
                   struct kb_lines *out);

/* The lines that are one block with that one, in [*first, *end): a list from the line that leads to
 * it to its last item, a table, a question with the line behind it, or the line alone. What leads
 * to a list may be its heading; else it is never over a heading, nor over a passage's end. */
void kb_lines_block(const struct kb_lines *lines, size_t line, size_t *first, size_t *end);

/* Whether a line of that kind says little without those around it. */
static inline bool kb_line_needs_others(enum kb_line_kind kind)
{
	return kind == KB_LINE_INTRO || kind == KB_LINE_ITEM || kind == KB_LINE_CODE
	       || kind == KB_LINE_ASKS;
}

#endif
