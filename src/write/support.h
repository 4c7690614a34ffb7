/*
 * Whether a source says what a sentence says, judged by words.
 *
 * A sentence made by a model names the sources it leans on; this decides which of them it may name.
 * A source supports a sentence when it holds enough of the sentence's content words by weight (rare
 * words weigh more; the same stem or the same first five letters will do), three of its sentences
 * in a row hold most of them, all numbers and names of the sentence are there, what the sentence
 * denies is denied near the same words and what it affirms is not, and none of the other sources
 * given says it clearly better. Thresholds go by language; figures, and what the check cannot see,
 * are in docs/makers/citations.md.
 *
 * A sentence of few words ("You have been hacked.") is said by a source only where one of its
 * sentences holds them all and supposes nothing ("If you have been hacked, ...").
 *
 * A source in another language than the sentence shares no words with it: there only the numbers
 * are compared, and the verdict says that it is so.
 *
 * Pure functions over text. The sources are read once and the texts may go then; what is kept lives
 * in the arena. One thread at a time; the analyzer is the calling thread's.
 */
#ifndef KB_WRITE_SUPPORT_H
#define KB_WRITE_SUPPORT_H

#include "answer/select.h"

enum {
	KB_SUPPORT_SOURCES = 64,
	KB_SUPPORT_TERMS = 64, /* content words of a sentence; more are not looked at */
	/* Bytes of a sentence that are looked at. */
	KB_SUPPORT_SENTENCE = 2048,
};

struct kb_support_source {
	struct kb_sv title, heading, text;
	enum kb_lang lang; /* KB_LANG_NONE: found out */
};

struct kb_support;

/* stats may be NULL: all words weigh the same. They are asked in later calls too. At most
 * KB_SUPPORT_SOURCES; what is beyond supports nothing. */
struct kb_support *kb_support_new(struct kb_arena *arena, struct kb_analyzer *analyzer,
                                  const struct kb_support_source *sources, size_t count,
                                  const struct kb_answer_stats *stats);

/* Why a source does not support a sentence: bits. */
enum kb_support_lack {
	KB_LACKS_WORDS = 1,
	KB_LACKS_NUMBER = 2,
	KB_LACKS_NAME = 4,
	KB_LACKS_NEGATION = 8, /* denied in one, not in the other */
	KB_LACKS_LEAD = 16,    /* another source says it clearly better */
};

struct kb_support_verdict {
	unsigned lacks;        /* 0: the source supports the sentence */
	bool foreign;          /* another language: only numbers were compared */
	bool says;             /* a sentence that supposes nothing holds all of its words */
	float cover;           /* the share of the sentence's weight that the source holds */
	float near;            /* the same of its best three sentences in a row */
	uint32_t start, bytes; /* where these stand in the source's text, without idle ends */
	/* Which of the sentence's words and numbers the source holds. */
	uint64_t terms;
	uint32_t numbers;
};

struct kb_judgement {
	size_t count; /* sources */
	size_t words; /* content words of the sentence */
	float weight[KB_SUPPORT_TERMS];
	float sum;        /* of the weights */
	uint64_t names;   /* those of the words that are names */
	uint32_t numbers; /* a bit for each number */
	/* The source that matches it best says the contrary: whatever weaker ones say, it is not
	 * to be said. */
	bool denied;
	float best; /* highest `near` of a source that lacks at most words */
	struct kb_support_verdict verdicts[KB_SUPPORT_SOURCES]; /* one a source, in their order */
};

void kb_support_judge(struct kb_support *support, struct kb_analyzer *analyzer,
                      struct kb_sv sentence, struct kb_judgement *out);

/* Whether these sources support the sentence together: each brings words that the others lack, and
 * all of them hold its words, numbers and names between them. */
bool kb_support_together(const struct kb_support *support, const struct kb_judgement *judgement,
                         const size_t *sources, size_t count);

#endif
