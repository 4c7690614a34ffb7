/*
 * The third way between an answer and a refusal: where nothing answers for sure, but something is
 * near, the closest passages stand beside the text that says so. They are what a search would show,
 * no part of the answer, and nothing in them is claimed. There are up to KB_CLOSEST_MOST.
 *
 * They are stored in the message's note (claims.h) as "closest", an array of what
 * kb_closest_write() writes, and shown in the same form.
 */
#ifndef KB_ANSWER_CLOSEST_H
#define KB_ANSWER_CLOSEST_H

#include "answer/steps.h"
#include "base/json.h"
#include "settings/settings.h"

enum { KB_CLOSEST_MOST = 3 };

struct kb_closest {
	int64_t page_id;
	uint32_t page_no;        /* 0: none */
	uint32_t offset, length; /* of the quote in the page's text; length 0: not known */
	struct kb_sv title, heading;
	struct kb_sv quote;   /* verbatim, of one passage */
	struct kb_sv excerpt; /* of the same place, to be read by itself (excerpt.h) */
};

struct kb_closest_list {
	struct kb_closest *v;
	size_t count;
};

/* Of the step that came nearest, also where it answers: for who must not say so. None where that is
 * not near (outcome.h). One of each passage: first of that where the best sentence stands, then of
 * those that the whole search has first, without copies. Passages of attached documents are left
 * out; so are all where the agent tells no citations, and their titles, which may be names of
 * files, where it hides its sources. */
void kb_closest_find(struct kb_arena *arena, const struct kb_steps *steps,
                     const struct kb_settings *settings, struct kb_closest_list *out);
/* With its texts, for who outlives what they were found in. */
void kb_closest_copy(struct kb_arena *arena, const struct kb_closest_list *list,
                     struct kb_closest_list *out);

/* Writes the array. */
void kb_closest_write(struct kb_jw *jw, const struct kb_closest_list *list);
/* Reads what is stored; the note may be empty or damaged. */
void kb_closest_read(struct kb_arena *arena, struct kb_sv note, struct kb_closest_list *out);

#endif
