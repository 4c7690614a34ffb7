/*
 * What a model is given to read for one answer: passages become sources.
 *
 * context_depth says how many passages and tokens; the model's own context may allow less. Of
 * custom the operator says how many tokens. Passages come best first, those of several searches in
 * turn:
 *
 *   best      the first six
 *   sections  what else stands under the headings of these, where all of it fits into half of what
 *             is left; else the one passage that parts two of them
 *   rest      the others that were found
 *   sections  again, with all that is left
 *
 * A passage that another one holds is left out. Passages that stand together in one document become
 * one source, in reading order, without what they share. The first passage is cut where it alone is
 * too long.
 *
 * Pure but for the arena; texts stay views as far as they can.
 */
#ifndef KB_WRITE_CONTEXT_H
#define KB_WRITE_CONTEXT_H

#include "answer/evidence.h"
#include "settings/settings.h"

enum { KB_SOURCES_MAX = 40 };

struct kb_context_limits {
	size_t passages;
	int64_t tokens;
};
/* Of the agent's context_depth; custom: the operator's tokens. */
struct kb_context_limits kb_context_depth(const struct kb_settings *settings, int64_t custom);

/* A stretch of a source, and where it stands in its document. */
struct kb_excerpt_piece {
	uint32_t at, bytes; /* in the source's text */
	uint32_t page_no;   /* 0: none */
	uint32_t offset;    /* into the document's extracted text */
};

struct kb_excerpt {
	int64_t page_id; /* below 0: of an attached document (attach.h) */
	enum kb_lang lang;
	struct kb_sv title, heading, text;
	/* Where documents say otherwise (kb_sources_date()): the date of its own, 0 where nobody
	 * knows; and the place from 1 of the source that is believed, 0: no other is. */
	int64_t dated_at;
	size_t prefer;
	const struct kb_excerpt_piece *pieces; /* in order */
	size_t piece_count;
};

/* The passages of one search, best first. */
struct kb_context_list {
	const struct kb_passage *const *v;
	size_t count;
};

struct kb_context_found {
	const struct kb_context_list *lists;
	size_t count;
	/* What stands so many passages further in the document of one of theirs, or, below 0,
	 * before it; NULL: nothing, or it cannot be read. */
	const struct kb_passage *(*beside)(void *arg, const struct kb_passage *passage, int by);
	void *arg;
};

/* At most KB_SOURCES_MAX sources. What is only read beside others counts as tokens, not as a
 * passage. */
void kb_context_build(struct kb_arena *arena, const struct kb_context_found *found,
                      const struct kb_context_limits *limits, struct kb_excerpt **out,
                      size_t *out_count);

/* Where a place in a source's text stands in its document. */
void kb_excerpt_place(const struct kb_excerpt *source, uint32_t at, uint32_t *page_no,
                      uint32_t *offset);

#endif
