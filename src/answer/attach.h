/*
 * Documents that come with one question: files of the message, and the caller's own context.
 *
 * Their passages make a segment of their own, which the answer searches together with the agent's
 * and which goes with the question: nothing of it is stored but what the answer quotes. Each
 * document has a negative page id, -1 for the first, so that it is never taken for a page of the
 * agent; its sentences answer without a citation.
 *
 * One worker makes and uses it. Names and text live in the arena.
 */
#ifndef KB_ANSWER_ATTACH_H
#define KB_ANSWER_ATTACH_H

#include "index/index.h"
#include "parse/parse.h"

struct kb_attached {
	struct kb_sv *names; /* of the files, in their order; empty: the caller's context */
	size_t count, capacity;
	struct kb_segment_writer *writer;
	struct kb_segment *segment; /* after kb_attached_done(); NULL: there is no passage */
	bool masked;                /* personal details are masked (mask.h); set before adding */
};

/* A zeroed one is empty and ready. KB_E_INVALID when the document holds no text. */
bool kb_attached_add(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv name,
                     const struct kb_parsed *parsed, struct kb_err *err) KB_MUST_CHECK;
/* Plain text, paragraphs between blank lines; its name is empty. Text without a word adds nothing.
 */
void kb_attached_add_text(struct kb_attached *attached, struct kb_arena *arena, struct kb_sv text);

/* Makes the segment, in a file of temp_dir that is gone when this returns. */
bool kb_attached_done(struct kb_attached *attached, const char *temp_dir,
                      struct kb_err *err) KB_MUST_CHECK;
void kb_attached_fini(struct kb_attached *attached);

static inline bool kb_attached_is_page(int64_t page_id)
{
	return page_id < 0;
}
/* The place among the names of a passage's document. */
static inline size_t kb_attached_place(int64_t page_id)
{
	return (size_t)(-1 - page_id);
}

#endif
