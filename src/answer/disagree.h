/*
 * Documents of an agent that give different figures for the same statements (statement.h): all of
 * what can be found is read, whatever labels it has, for who keeps it.
 *
 * They are told two by two, for who has last year's handbook beside this year's wants one row and
 * not a hundred; those that disagree in most come first. A statement that more than
 * KB_DISAGREE_DOCUMENTS share is one of a form, and says nothing. What is read is bounded: of more
 * statements than KB_DISAGREE_STATEMENTS the rest is left out.
 */
#ifndef KB_ANSWER_DISAGREE_H
#define KB_ANSWER_DISAGREE_H

#include "base/json.h"
#include "base/pool.h"
#include "index/index.h"

enum {
	KB_DISAGREE_DOCUMENTS = 4,
	KB_DISAGREE_STATEMENTS = 1000000, /* with a figure; some 40 bytes each */
	KB_DISAGREE_PAIRS = 100,
	KB_DISAGREE_CHARS = 500, /* of a statement that is told */
};

/* Two documents, a < b, in how many statements they disagree, and one of these. */
struct kb_disagreement {
	int64_t a, b, statements;
	struct kb_sv text_a, text_b;
};
struct kb_disagreements {
	struct kb_disagreement *v;
	size_t count;
};

/* KB_E_CANCELLED where it was. The result lives in the arena. */
bool kb_disagree_find(const struct kb_snapshot *snapshot, const struct kb_cancel *cancel,
                      struct kb_arena *arena, struct kb_disagreements *out,
                      struct kb_err *err) KB_MUST_CHECK;

/* As it is stored, and back; what is damaged says nothing. */
struct kb_sv kb_disagree_text(struct kb_arena *arena, const struct kb_disagreements *list);
void kb_disagree_read(struct kb_arena *arena, struct kb_sv text, struct kb_disagreements *out);

#endif
