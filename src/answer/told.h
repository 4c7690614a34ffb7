/*
 * What the first sentence of an answer has to tell, by the form of the question: who asks whether
 * something is so wants to hear that it is or is not, who asks how many or when a figure. Lists of
 * the words of English, German, French, Spanish and Chinese; of others figures alone are known.
 * Pure; any thread.
 */
#ifndef KB_ANSWER_TOLD_H
#define KB_ANSWER_TOLD_H

#include "answer/cues.h"

enum kb_asks {
	KB_ASKS_OTHER,
	KB_ASKS_WHETHER, /* something is so, may be done, is there */
	KB_ASKS_FIGURE,  /* how many, how much, when */
	KB_ASKS_WHAT,    /* something or somebody is, by its bare name: "What is Docent?" */
};

enum kb_asks kb_asks_of(enum kb_lang lang, enum kb_question_type type, struct kb_sv question);

/* Whether the sentence affirms or denies, or has a figure. */
bool kb_asks_told(enum kb_asks asks, enum kb_lang lang, struct kb_sv sentence);

#endif
