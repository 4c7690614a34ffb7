/*
 * What visitors of an agent are greeted with, made without a model: questions that its documents
 * answer, each with the document that does, and topics.
 *
 * Questions come from what people wrote as questions: titles and headings that ask, lines of
 * questions and answers, and what three visitors have asked in the same words. Each is asked here,
 * as somebody would who may find only what is everybody's; it is taken where it is answered for
 * sure, of a document by that document first. A topic is a title that finds its document in the
 * same way.
 *
 * A call asks some dozens of questions: it belongs to a background thread.
 */
#ifndef KB_ANSWER_OPENING_H
#define KB_ANSWER_OPENING_H

#include "answer/answerer.h"
#include "base/err.h"
#include "blob/blob.h"
#include "store/agents.h"

enum { KB_OPENING_QUESTIONS = 24, KB_OPENING_TOPICS = 6 };

struct kb_opening {
	struct kb_opening_question {
		struct kb_sv text;
		int64_t page_id; /* the document that answers it */
	} questions[KB_OPENING_QUESTIONS];
	size_t question_count;
	int64_t topics[KB_OPENING_TOPICS]; /* documents whose titles they are */
	size_t topic_count;
	int64_t documents; /* that everybody may find */
};

struct kb_opening_with {
	struct kb_answerer *answerer;
	struct kb_store *store;
	struct kb_blobs *blobs;
	const struct kb_cancel *cancel;
};
bool kb_opening_make(const struct kb_opening_with *with, struct kb_arena *arena,
                     const struct kb_agent *agent, struct kb_opening *out,
                     struct kb_err *err) KB_MUST_CHECK;

/* As it is stored, and read back; what is damaged is as good as none. */
struct kb_sv kb_opening_text(struct kb_arena *arena, const struct kb_opening *opening);
void kb_opening_read(struct kb_arena *arena, struct kb_sv stored, struct kb_opening *out);

#endif
