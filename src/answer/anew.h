/*
 * Asking a question that was asked before, or is kept (answer/kept.h), of the documents as they are
 * now, without a model and without a trace: as somebody would who may find only what is
 * everybody's, or what the labels open that a test names.
 *
 * Of a gap (store/gaps.h) a question that got no answer is mended where it is answered; one whose
 * answer was shaky or disliked, where it is answered otherwise. A call belongs to a thread that may
 * block.
 */
#ifndef KB_ANSWER_ANEW_H
#define KB_ANSWER_ANEW_H

#include "answer/plain.h"
#include "store/gaps.h"

struct kb_anew_with {
	struct kb_answerer *answerer;
	struct kb_store *store;
	const struct kb_cancel *cancel; /* NULL: nobody cancels */
};

struct kb_anew_asked {
	struct kb_sv question;
	const struct kb_sv *turns; /* earlier questions, newest last */
	size_t turn_count;
	struct kb_label_filter labels; /* zeroed: of what is everybody's */
};
/* As kb_answer_plain(). */
bool kb_anew_ask(const struct kb_anew_with *with, struct kb_arena *arena,
                 const struct kb_agent *agent, const struct kb_anew_asked *asked,
                 struct kb_plain *out, struct kb_err *err) KB_MUST_CHECK;

enum {
	KB_ANEW_QUESTIONS = 50, /* of a gap, the last ones */
	KB_ANEW_TENTHS = 8,     /* of so many tenths mended, a gap is closed */
};

/* One question: whether it is mended, and what is said to it now, which lives in the arena. */
struct kb_anew_said {
	bool mended;
	struct kb_sv text;
};
bool kb_anew_question(const struct kb_anew_with *with, struct kb_arena *arena,
                      const struct kb_agent *agent, const struct kb_gap_question *question,
                      struct kb_anew_said *out, struct kb_err *err) KB_MUST_CHECK;

/* The question that the gap is shown by, and where that is mended the others. Fills answers and
 * tried, and whether it closes. */
bool kb_anew_gap(const struct kb_anew_with *with, const struct kb_agent *agent,
                 const struct kb_gap *gap, struct kb_gap_tried *out,
                 struct kb_err *err) KB_MUST_CHECK;

/* Why nothing was said to a question, of the documents as they are now. */
enum kb_anew_why {
	KB_ANEW_ANSWERED, /* it is answered now */
	KB_ANEW_UNFOUND,  /* no passage has its words */
	KB_ANEW_NAMED,    /* no passage has what it names: a code, a number, a year, a name */
	KB_ANEW_CLOSEST,  /* passages speak of the subject, and none answers for sure */
	KB_ANEW_NOTHING,  /* passages have some of its words, and speak of something else */
};
/* "answered", "unfound", … */
const char *kb_anew_why_name(enum kb_anew_why why);

struct kb_anew_reason {
	enum kb_anew_why why;
	struct kb_sv named[KB_NAMED_THINGS]; /* of KB_ANEW_NAMED; in the arena */
	size_t named_count;
	struct kb_candidate nearest[KB_CLOSEST_MOST]; /* passages, best first; in the arena */
	size_t nearest_count;
};
bool kb_anew_reason(const struct kb_anew_with *with, struct kb_arena *arena,
                    const struct kb_agent *agent, struct kb_sv question, struct kb_anew_reason *out,
                    struct kb_err *err) KB_MUST_CHECK;

#endif
