/*
 * The third way between an answer and a refusal: where nothing answers for sure, but something is
 * near, the closest passages stand beside the text that says so. They are what a search would show,
 * no part of the answer, and nothing in them is claimed.
 *
 * They are stored in the message's note (claims.h) as "closest", an array of what
 * kb_closest_write() writes, and shown in the same form.
 */
#ifndef KB_ANSWER_CLOSEST_H
#define KB_ANSWER_CLOSEST_H

#include "answer/steps.h"
#include "base/json.h"

struct kb_closest {
	int64_t page_id;
	uint32_t page_no;                   /* 0: none */
	struct kb_sv title, heading, quote; /* quote: verbatim, of one passage */
};

struct kb_closest_list {
	struct kb_closest *v;
	size_t count;
};

/* Of the step that came nearest; none where that is not near. Passages of attached documents are
 * left out. */
void kb_closest_find(struct kb_arena *arena, const struct kb_steps *steps,
                     struct kb_closest_list *out);

/* Writes the array. */
void kb_closest_write(struct kb_jw *jw, const struct kb_closest_list *list);
/* Reads what is stored; the note may be empty or damaged. */
void kb_closest_read(struct kb_arena *arena, struct kb_sv note, struct kb_closest_list *out);

#endif
