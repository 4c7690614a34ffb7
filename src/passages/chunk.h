/*
 * Cutting a parsed document into passages: what a search finds and an answer quotes.
 *
 * A passage is a run of whole blocks of about KB_CHUNK_WORDS words under one heading path, and a
 * verbatim slice of the document's text. A table row and a code line are not cut; a paragraph
 * that is too long is cut between sentences. Short sections join their neighbours, but a question
 * that is a heading stands alone with its answer. A heading goes with what follows it: it is in the
 * path, not in the text at the passage's beginning, but where nothing stands under it, where it is
 * a sentence ("The shop is closed on Sunday"), or a question that a few words answer ("Yes."), it
 * is text.
 *
 * Whatever the document holds, no passage is longer than KB_CHUNK_MAX_LETTERS: a row, a line or a
 * sentence beyond that is cut, at a blank where there is one, else between characters. Pure; any
 * thread.
 */
#ifndef KB_PASSAGES_CHUNK_H
#define KB_PASSAGES_CHUNK_H

#include "index/index.h"
#include "parse/parse.h"

enum {
	KB_CHUNK_WORDS = 200,     /* aimed at */
	KB_CHUNK_MAX_WORDS = 280, /* a block that would pass this starts the next passage */
	KB_CHUNK_MIN_WORDS = 50,  /* a section shorter than this joins the next one */
	KB_CHUNK_FEW_WORDS = 8,   /* an answer that says nothing without its question */
	/* A thousand words, three to five passages as they should be. A character of a script
	 * without blanks counts as KB_CHUNK_DENSE_LETTERS. */
	KB_CHUNK_MAX_LETTERS = 6000,
	KB_CHUNK_DENSE_LETTERS = 3,
	KB_CHUNK_MAX_BYTES = 4 * KB_CHUNK_MAX_LETTERS, /* which follows from it */
};

struct kb_chunk {
	struct kb_sv heading; /* path, joined by " > " */
	struct kb_sv text;
	uint32_t page_no, offset;
	const struct kb_line_mark *marks; /* of lines of the text */
	size_t mark_count;
};

struct kb_chunks {
	struct kb_chunk *v;
	size_t count;
	int64_t words; /* of the whole document */
};

void kb_chunk(struct kb_arena *arena, const struct kb_parsed *parsed, struct kb_chunks *out);

/* Words as people count them: runs between blanks, two characters of Chinese, Japanese or Thai
 * script for one. */
int64_t kb_count_words(struct kb_sv text);

#endif
