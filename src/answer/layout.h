/*
 * What stands between the sentences of an answer: blanks, ends of lines and paragraphs, the marks
 * of lists and the fences of code in Markdown, and the heading of a list or of code that nothing
 * else leads to. These are no part of a quote: a document's text has no marks, its passages say
 * which lines are items and code, and begin behind their heading (index.h). Belongs to one answer.
 */
#ifndef KB_ANSWER_LAYOUT_H
#define KB_ANSWER_LAYOUT_H

#include "answer/parts.h"

struct kb_layout {
	const struct kb_candidate *candidates;
	const struct kb_answer_part *before; /* NULL: nothing has been said */
	uint32_t depth;                      /* of the first item that stands together with it */
	bool listed;                         /* it is in an item, or was the last before it */
	uint32_t inside; /* lists in which the last item was, within the first; 0: there was none */
	struct kb_sv fence; /* of the code that it is in; empty: it is in none */
};

/* Whether it stands behind the one before: in the same passage, or at the beginning of the next one
 * where that one's end is. */
bool kb_layout_goes_on(const struct kb_candidate *candidates, const struct kb_answer_part *before,
                       const struct kb_answer_part *part);

/* What comes before the sentence, which is said next; `said` ends with the one before. */
struct kb_sv kb_layout_gap(struct kb_layout *layout, struct kb_arena *arena,
                           const struct kb_answer_part *part, struct kb_sv said);

/* What ends the code that the sentence before is in, unless the next goes on with it; NULL: nothing
 * comes next. */
struct kb_sv kb_layout_close(struct kb_layout *layout, struct kb_arena *arena,
                             const struct kb_answer_part *next);

/* What tells that the list goes on which a place ends with; empty: it does not. */
struct kb_sv kb_layout_more(const struct kb_answer_part *last);

/* The passage's text with those marks, to be read by itself; *at, a place of it, becomes where that
 * is then. */
struct kb_sv kb_layout_marked(struct kb_arena *arena, const struct kb_passage *passage, size_t *at);

#endif
