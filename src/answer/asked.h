/*
 * A question made ready for looking at passages, and a passage as that look sees it. Internal to
 * the features.
 *
 * Terms of the question are numbered, so that sets of them are masks of 64 bits; every word of a
 * passage becomes a token that says which of them it is, or is like. One thread; the arena owns
 * all.
 */
#ifndef KB_ANSWER_ASKED_H
#define KB_ANSWER_ASKED_H

#include "answer/evidence.h"
#include "answer/question.h"
#include "index/meaning_sum.h"

enum {
	KB_ASKED_TERMS = 64,  /* content terms of a question; the mask's bits */
	KB_ASKED_WORDS = 64,  /* different words of the question, function words included */
	KB_ASKED_SLOTS = 256, /* of a table of the question's words */
	KB_ASKED_GRAMS = 64,  /* pieces */
	KB_ASKED_MEMO = 4096, /* words whose common parts are remembered */
};

struct kb_asked_term {
	struct kb_sv stem, word;
	float weight;
	uint64_t grams; /* set of hashed threes of bytes */
	bool capital, number;
};

struct kb_asked_table {
	uint64_t hash[KB_ASKED_SLOTS];
	int16_t value[KB_ASKED_SLOTS];
};

struct kb_asked_memo {
	uint64_t hash;
	int16_t term; /* -1: none */
	int16_t kin;  /* the term next to it in meaning; -1: none */
	float share, nearness;
};

struct kb_asked_pair {
	int a, b; /* words or terms */
	float weight;
};

/* The question made ready. */
struct kb_asked {
	const struct kb_question *q;
	struct kb_asked_term terms[KB_ASKED_TERMS];
	int term_count;
	float sum, heaviest;
	struct kb_asked_table stems; /* stem to term */
	struct kb_asked_table forms; /* unstemmed word to term */
	struct kb_asked_table words; /* stem of any word, function words too, to its number */
	int word_count;
	float word_weight[KB_ASKED_WORDS];
	bool word_function[KB_ASKED_WORDS];
	int function_count;
	uint8_t next[KB_ASKED_WORDS]
	            [KB_ASKED_WORDS]; /* 1 + pair number where b follows a in the question */
	int pair_count;
	struct kb_asked_pair pairs[KB_ASKED_TERMS]; /* content terms that are neighbours without
	                                               function words */
	int near_count;
	struct kb_asked_pair beside[KB_ASKED_TERMS]; /* that stand side by side */
	int beside_count;
	struct kb_asked_table grams;
	float gram_weight[KB_ASKED_GRAMS];
	int gram_count;
	float gram_sum;
	uint64_t names, numbers;
	uint64_t proper;   /* names where a capital letter makes one */
	uint64_t subjects; /* what it is about: names, codes, and what articles stand before */
	uint64_t carried;  /* terms of earlier turns alone */
	uint64_t plain;    /* terms without a capital */
	float local[KB_ASKED_TERMS], local_sum; /* weights by how few of the candidates hold them */
	int main;                               /* the heaviest term */
	int last;                               /* content term of the question, or -1 */
	int focus;                              /* term after the question word, or -1 */
	struct kb_sv cue_words;                 /* of the type */
	struct kb_sv cue_list;                  /* the same, in languages without blanks */
	struct kb_asked_memo memo[KB_ASKED_MEMO];
	struct kb_asked_meaning *meaning; /* NULL: none */
};

/* A word of a passage. */
struct kb_read_token {
	int16_t term; /* content term or -1 */
	int16_t word; /* any word of the question or -1 */
	int16_t like; /* term with a common part, or -1 */
	float share;  /* of that part */
	bool raw, soft, capital, digit, year, cue, function;
};

/* Sums over one sentence. */
struct kb_read_sentence {
	uint32_t start, end; /* bytes */
	size_t first, count; /* tokens */
	uint64_t terms, raw, soft;
	float like[KB_ASKED_TERMS]; /* best share of a common part */
	float kin[KB_ASKED_TERMS];  /* best nearness in meaning of a word that is another */
	uint64_t likes;
	uint64_t grams;
	bool leans; /* begins with a pronoun */
	float near; /* in meaning, to the question; 0: unknown */
};

struct kb_read_passage {
	struct kb_read_token *tokens;
	struct kb_read_sentence *sentences;
	size_t count;
	uint64_t title, terms;
	uint64_t likes; /* terms that a word of it is like */
	float soft;
	float kin[KB_ASKED_TERMS]; /* of its title and headings */
	struct {
		float all, title;
	} near; /* in meaning, to the question: with its title and headings, and these alone */
};

/* How near passages are to the question in meaning. */
struct kb_asked_meaning {
	struct kb_meaning_question question;
	struct kb_meaning_sum passage, sentence, title;
	float (*terms)[KB_MEANING_DIMS]; /* of each term, of length 1 or 0 */
};

/* Everything of the question; *unknown is the share of its weight that no passage of the index
 * holds. Without any term, term_count stays 0. */
void kb_asked_prepare(struct kb_asked *asked, const struct kb_question *question,
                      const struct kb_answer_stats *stats, float *unknown);
/* Reads a passage word by word. */
void kb_asked_read(struct kb_analyzer *analyzer, struct kb_arena *arena, struct kb_asked *a,
                   const struct kb_passage *from, struct kb_read_passage *out);
/* How much of the term the sentence has: all, or as much as its nearest word has of it by letters
 * or in meaning. */
float kb_asked_cover(const struct kb_read_sentence *sentence, int term);
/* Weights of a set of terms, summed. */
float kb_asked_weight(const struct kb_asked *asked, uint64_t set);

/* By kb_hash64() of the key; -1: not in it. */
int kb_asked_find(const struct kb_asked_table *table, uint64_t hash);
/* A set of the word's threes of bytes. */
uint64_t kb_word_threes(struct kb_sv word);

static inline bool kb_is_cjk(const struct kb_term *t)
{
	return t->flags & KB_TERM_CJK;
}

static inline bool kb_is_function(const struct kb_term *t)
{
	return t->flags & (KB_TERM_FUNCTION | KB_TERM_STOP);
}

#endif
