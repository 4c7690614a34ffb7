#include "answer/outcome.h"

/* The gate's second threshold: from here up to the first one the documents speak of the subject
 * without answering. It is the lowest at which no set shows passages to more than 0.15 of the
 * questions on other subjects (bench/fit_answers.c: 0.06 of natural's, 0.14 of squad's); nothing at
 * all is shown for 0.03 of natural's questions that can be answered. */
#define CLOSEST_Z (-2.5f)

const char *kb_outcome_name(enum kb_outcome outcome)
{
	static const char *const names[] = {
		[KB_OUTCOME_ANSWER] = "answer",
		[KB_OUTCOME_CLOSEST] = "closest",
		[KB_OUTCOME_NOTHING] = "nothing",
	};

	return names[outcome];
}

enum kb_outcome kb_outcome_of(const struct kb_selection *selection,
                              const struct kb_named_things *named, enum kb_named_verdict verdict)
{
	if (!selection->count)
		return KB_OUTCOME_NOTHING;
	if (selection->answered && verdict != KB_NAMED_LACKING)
		return KB_OUTCOME_ANSWER;
	/* Whoever asks for a code that stands there has the right subject, however the rest is
	 * put. */
	if (verdict == KB_NAMED_HELD && kb_named_has(named, KB_NAMED_CODE))
		return KB_OUTCOME_CLOSEST;
	return selection->gate_z >= CLOSEST_Z ? KB_OUTCOME_CLOSEST : KB_OUTCOME_NOTHING;
}
