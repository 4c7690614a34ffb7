/*
 * What kind of thing a question asks for, and the words that show such a thing in a sentence.
 * Tables by language. Pure; any thread.
 */
#ifndef KB_ANSWER_CUES_H
#define KB_ANSWER_CUES_H

#include "answer/question.h"

/* By the first phrase of the question that tells. */
enum kb_question_type kb_question_type(struct kb_arena *arena, enum kb_lang lang, struct kb_sv text,
                                       const struct kb_terms *terms);

/* Whether a normalised word is a cue of the type: "january" for WHEN, "because" for WHY. Numbers,
 * years and capitals are the caller's to see. */
bool kb_cue_word(enum kb_lang lang, enum kb_question_type type, struct kb_sv word);

/* For languages without blanks: the cues of the type one after another, each between blanks, to be
 * searched in the text. Empty for the others. */
struct kb_sv kb_cue_list(enum kb_lang lang, enum kb_question_type type);

/* A pronoun that begins a sentence refers to the one before. */
bool kb_pronoun_word(enum kb_lang lang, struct kb_sv word);

#endif
