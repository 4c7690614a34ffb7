/*
 * In what form a question is answered: by a fact, which is a sentence or a few, or by a part of a
 * section. Who asks how, whether, why or what if, or names a topic and asks nothing, wants to read
 * on. Tables by language; in others everything is a fact. Pure; any thread.
 */
#ifndef KB_ANSWER_SHAPE_H
#define KB_ANSWER_SHAPE_H

#include "answer/cues.h"

enum kb_shape { KB_SHAPE_FACT, KB_SHAPE_SECTION };

enum kb_shape kb_question_shape(enum kb_lang lang, enum kb_question_type type, struct kb_sv text,
                                const struct kb_terms *terms);

#endif
