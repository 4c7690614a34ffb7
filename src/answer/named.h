/*
 * What a question names, and which passages hold it: codes, versions, numbers of things ("room
 * 99"), years, and names. Nothing that lacks them answers the question, however near it is
 * otherwise.
 *
 * A code is found in any spelling ("P200", "P-200", "p 200"), and only as a whole: P2000 is
 * another. A number with a noun before it ("section 9", "bus 77", the other way round "9th floor"
 * and 99号) names one of several things where the documents number them, or where the noun is a
 * name itself ("Apollo 8"). How much or how many of something, times and dates name nothing: they
 * are the asker's. A year is held by a range or a decade, too. A name is a word with a capital that
 * no passage of the agent has, in no spelling; in German, whose nouns all have one, beside another
 * such word or behind "Frau" or "Herr".
 *
 * Pure but for the arena and the frequencies that it asks for. An analyzer belongs to one thread.
 */
#ifndef KB_ANSWER_NAMED_H
#define KB_ANSWER_NAMED_H

#include "answer/evidence.h"
#include "answer/question.h"

enum { KB_NAMED_THINGS = 16, KB_NAMED_PARTS = 4 };

enum kb_named_kind {
	KB_NAMED_CODE = 1,   /* letters and digits, versions */
	KB_NAMED_NUMBER = 2, /* beside a noun */
	KB_NAMED_YEAR = 4,
	KB_NAMED_NAME = 8,
};

struct kb_named_thing {
	enum kb_named_kind kind;
	struct kb_sv parts[KB_NAMED_PARTS]; /* folded; of a number, year and name the first */
	size_t part_count;
	struct kb_sv label; /* of a number: the noun's stem */
	bool before;        /* the number stands before the noun */
	bool certain;       /* it names something, whatever the passages number */
	int value, last;    /* of a year: the first and the last that are meant */
};

struct kb_named_things {
	enum kb_lang lang; /* of the question */
	struct kb_named_thing v[KB_NAMED_THINGS];
	size_t count;
};

/* What the question names; where it leans on the turns before, also what the newest of them that
 * names something does, of kinds that it has none of itself. */
void kb_named_read(struct kb_analyzer *analyzer, struct kb_arena *arena,
                   const struct kb_question *question, const struct kb_utterance *said,
                   const struct kb_answer_stats *stats, struct kb_named_things *out);

static inline bool kb_named_has(const struct kb_named_things *named, enum kb_named_kind kind)
{
	bool has = false;

	for (size_t i = 0; i < named->count; i++)
		has = has || named->v[i].kind == kind;
	return has;
}

/* What a passage has of the things: bits. */
struct kb_named_in {
	uint32_t held;
	uint32_t loose; /* numbers that it has, but not beside their noun */
	uint32_t other; /* where it has another of the kind: room 12, P100, 2022 */
};
struct kb_named_in kb_named_in(struct kb_analyzer *analyzer, struct kb_arena *arena,
                               const struct kb_named_things *named,
                               const struct kb_passage *passage);

enum kb_named_verdict {
	KB_NAMED_NOTHING, /* nothing that matters is named */
	KB_NAMED_HELD,
	KB_NAMED_LACKING, /* no candidate holds what is named */
};

/* allowed[i]: whether candidate i may answer, if the verdict is that some do. They hold what is
 * named, or their document does and they have no other of the kind. */
enum kb_named_verdict kb_named_judge(struct kb_analyzer *analyzer, struct kb_arena *arena,
                                     const struct kb_named_things *named,
                                     const struct kb_candidate *candidates, size_t count,
                                     bool *allowed);

/* Terms of the index that a passage with the things has. */
void kb_named_terms(struct kb_arena *arena, const struct kb_named_things *named, struct kb_sv **out,
                    size_t *count);

#endif
