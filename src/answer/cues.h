/*
 * What kind of thing a question asks for, and the words that show such a thing in a sentence.
 * Tables by language. Pure; any thread.
 */
#ifndef KB_ANSWER_CUES_H
#define KB_ANSWER_CUES_H

#include "index/analysis.h"

/* What the answer should hold. */
enum kb_question_type {
	KB_Q_OTHER,
	KB_Q_WHEN,
	KB_Q_NUM, /* how many, how much, how far, how old */
	KB_Q_WHO,
	KB_Q_WHERE,
	KB_Q_WHY,
	KB_Q_TYPES
};

/* "who", "when", …; "other". */
const char *kb_question_type_name(enum kb_question_type type);

/* By the first phrase of the question that tells. */
enum kb_question_type kb_question_type(struct kb_arena *arena, enum kb_lang lang, struct kb_sv text,
                                       const struct kb_terms *terms);

/* The cues of a type ("january" for WHEN, "because" for WHY), normalised words between single
 * blanks; empty for KB_Q_OTHER. Numbers, years and capitals are the caller's to see. */
struct kb_sv kb_cue_words(enum kb_lang lang, enum kb_question_type type);
bool kb_cue_in(struct kb_sv cue_words, struct kb_sv word);

/* The same list for languages without blanks, where a cue is searched in the text; empty for the
 * others. */
struct kb_sv kb_cue_list(enum kb_lang lang, enum kb_question_type type);

/* An article or the like: a noun comes soon after it. */
bool kb_determiner_word(enum kb_lang lang, struct kb_sv word);

/* A pronoun that begins a sentence refers to the one before. */
bool kb_pronoun_word(enum kb_lang lang, struct kb_sv word);

#endif
