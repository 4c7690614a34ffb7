/*
 * What is asked: the question's terms, its kind, and what a follow-up carries over from the turns
 * before.
 */
#ifndef KB_ANSWER_QUESTION_H
#define KB_ANSWER_QUESTION_H

#include "answer/shape.h"
#include "index/index.h"

struct kb_question {
	struct kb_sv text;
	enum kb_lang lang;
	enum kb_question_type type;
	enum kb_shape shape;
	struct kb_terms terms; /* of the question itself, all of them */
	/* For kb_search(): distinct terms, function words at a low weight, carried terms at theirs.
	 * Terms of earlier turns come last. */
	struct kb_query_term *query;
	size_t query_count, carried_count;
	/* The earlier turns' content terms with their weights, also in `query`. */
	const struct kb_query_term *carried;
	/* What kb_question_read() took for words that no passage holds. */
	const struct kb_meant *meant;
	size_t meant_count;
	bool follow_up; /* it leans on the turns before (and carries their terms) */
	bool complete;  /* it says enough to be asked alone, even so */
};

/* What the user says, and what was said before. The texts must outlive the arena's use of the
 * question that is made of it. */
struct kb_utterance {
	struct kb_sv text;
	enum kb_lang lang;         /* KB_LANG_NONE: found out */
	const struct kb_sv *turns; /* the user's earlier ones, newest last */
	size_t turn_count;
};

/* A language that is not given is found out from the text alone. */
void kb_question_build(struct kb_analyzer *analyzer, struct kb_arena *arena,
                       const struct kb_utterance *said, struct kb_question *out);

/* The same as a search of the snapshot reads it best: in the language of kb_query_lang(), if none
 * is given. What its words that no passage holds were probably meant to be (spell.h) is added; the
 * likeliest stand in its terms instead. */
void kb_question_read(struct kb_analyzer *analyzer, struct kb_arena *arena,
                      const struct kb_snapshot *snapshot, const struct kb_utterance *said,
                      struct kb_question *out);

/* Whether a word of the text points back ("it", "they"). */
bool kb_question_leans(enum kb_lang lang, const struct kb_terms *terms);

/* The search that finds the selection's candidates: the question's terms, ranked in both steps. The
 * weights of the selection are fitted to the scores of this search. */
struct kb_query kb_question_query(const struct kb_question *question, size_t limit);

#endif
