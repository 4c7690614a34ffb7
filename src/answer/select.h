/*
 * Answering without a model: which sentences of the passages found answer the question, and whether
 * any does.
 *
 * Pure functions over text: no index, no store, no JSON. The passages are analysed again, in the
 * question's language, so nothing depends on how they were indexed but the order they come in and
 * the document frequencies. Scores are a fitted function of some features of question, sentence and
 * passage; the table is weights.c, the tool that fits it bench/fit_answers.c, the method and the
 * figures docs/makers/answers.md. The same input gives the same output, bit for bit, on one
 * machine.
 *
 * Results live in the caller's arena. An analyzer belongs to one thread at a time.
 */
#ifndef KB_ANSWER_SELECT_H
#define KB_ANSWER_SELECT_H

#include "answer/evidence.h"
#include "answer/question.h"
#include "answer/told.h"

/* How sure the gate must be. KB_GATE_NONE answers with whatever is best; KB_GATE_CODE is as lenient
 * as the next, but takes a code that the passages hold for more than one common word. */
enum kb_answer_gate { KB_GATE_NONE, KB_GATE_CODE, KB_GATE_LENIENT, KB_GATE_STRICT };

struct kb_scored_sentence {
	uint32_t candidate;  /* index into the candidates */
	uint32_t start, end; /* bytes of its passage's text */
	float z;
	bool leans; /* begins with a pronoun: it refers to the sentence before */
	bool other; /* is of another thing than the question names: it is not said */
};

struct kb_selection {
	enum kb_shape shape;                  /* of the question's answer */
	enum kb_asks asks;                    /* what its first sentence has to tell */
	enum kb_lang lang;                    /* of the question */
	struct kb_scored_sentence *sentences; /* all, best first */
	size_t count;
	uint32_t *order; /* the candidates by their best sentence, best first */
	size_t order_count;
	float gate_z;  /* above 0: the documents speak to the question */
	bool answered; /* gate_z passes the gate asked for, and there is a sentence */
	bool bound;    /* to a code that the question names: what stands beside may be of another */
};

void kb_select(struct kb_analyzer *analyzer, struct kb_arena *arena,
               const struct kb_question *question, const struct kb_evidence *evidence,
               enum kb_answer_gate gate, struct kb_selection *out);

#endif
