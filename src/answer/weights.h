/*
 * The fitted tables. bench/fit_answers.c writes weights.c; with a table of meanings,
 * weights_meant.c; with the encoder too, weights_near.c. Nobody edits these by hand. A table that
 * was written before a feature came has no place for it, which is a scale of 0.
 *
 * A model gives z = Σ w f + Σ_h v_h max(0, b_h + Σ a_hf f) over features that were brought to mean
 * 0 and deviation 1 (which is folded into the numbers). The gate is a linear function of its own
 * features; 0 is the lenient threshold.
 */
#ifndef KB_ANSWER_WEIGHTS_H
#define KB_ANSWER_WEIGHTS_H

#include "answer/features.h"

enum { KB_HIDDEN = 16 };

struct kb_weights {
	float mean[KB_FEATURES], scale[KB_FEATURES]; /* x = (f - mean) * scale */
	float linear[KB_FEATURES];
	float hidden[KB_HIDDEN][KB_FEATURES];
	float bias[KB_HIDDEN], out[KB_HIDDEN];
};

/* What the gate looks at: of the best sentence, its passage and the whole list. Terms are the
 * question's own, without what it carries from earlier turns. */
#define KB_GATE_LIST(X)                                                                            \
	X(IDEAL)         /* search score of the passage / highest possible */                      \
	X(DOC_COV)       /* w of terms in the passage and its title */                             \
	X(DOC_SOFT)      /* the same, near words counting partly */                                \
	X(COV)           /* w of terms in the sentence and the title */                            \
	X(HEADED)        /* w of terms in title and headings */                                    \
	X(MISS)          /* heaviest missing term / heaviest possible */                           \
	X(MISS_NEXT)     /* second */                                                              \
	X(NAMES)         /* capitalised words of the question missing in the passage, share */     \
	X(NUMBERS)       /* numbers of the question missing */                                     \
	X(SUBJECT)       /* w of what the question is about that is missing, share */              \
	X(SUBJECT_MISS)  /* heaviest of it / heaviest possible */                                  \
	X(UNKNOWN)       /* w of terms that no passage holds */                                    \
	X(TERMS)         /* ln(1 + terms) */                                                       \
	X(MATCHES)       /* ln(1 + terms matched in the passage) */                                \
	X(SIZE)          /* ln(min(passages, 1000)) */                                             \
	X(SMALL_MISS)    /* MISS in an agent of few passages, */                                   \
	X(SMALL_SUBJECT) /* and SUBJECT */                                                         \
	X(BEST_COV)      /* best DOC_COV of any passage */                                         \
	X(PAIRS)         /* PAIRS_ALL of the sentence */                                           \
	X(NEAR)          /* S_NEAR of the sentence */                                              \
	X(DOC_PAIRS)                                                                               \
	X(GAP)           /* z of the best sentence less that of the best of another passage */     \
	X(LEAD)          /* DOC_LEAD: search score against the best other passage's */             \
	X(TYPE_MISS)     /* no cue of the question's type in the sentence */                       \
	X(Z)             /* z of the best sentence */                                              \
	X(MASS)          /* weight M / terms: how rare the question's words are */                 \
	X(SECTION)       /* a section is wanted, no fact */                                        \
	X(CARRIED)       /* w of carried terms that are missing, share */                          \
	X(SECTIONED)     /* candidates that stand under a heading, share */                        \
	X(MEANT)         /* nearness in meaning of the passage and the question, */                \
	X(MEANT_S)       /* of the sentence, */                                                    \
	X(MEANT_TITLE)   /* of title and headings, */                                              \
	X(MEANT_BEST)    /* and the most that any passage has */                                   \
	X(MEANT_KNOWN)   /* w of terms that the table of meanings has */                           \
	X(COSINE)        /* of the passage's vector and the question's; these only where known */  \
	X(COSINE_GAP)    /* the best of any passage less it */                                     \
	X(COSINE_BEST)   /* that best, */                                                          \
	X(COSINE_OVER)   /* it over what is near by chance, */                                     \
	X(COSINE_NEXT)   /* and over the second nearest candidate */                               \
	X(COSINE_SIX)    /* mean of the six nearest candidates, over chance */                     \
	X(AGREE)         /* 1 / (1 + place of the nearest candidate by words) */                   \
	X(WANTED_MISS)   /* the question names a kind of thing, and the best sentence has none, */ \
	X(WANTED_DOC)    /* nor has its passage, */                                                \
	X(WANTED_SMALL)  /* in an agent of few passages */                                         \
	X(BLOCK)         /* w of terms that the block of the best sentence has, in other words */  \
	X(BLOCK_MISS)    /* too, and the heaviest of what it lacks / heaviest possible; */         \
	X(BLOCK_FOCUS)   /* of the term behind the question word, */                               \
	X(BLOCK_LAST)    /* and of the last; */                                                    \
	X(KIN_MISS)      /* of what the whole passage lacks, */                                    \
	X(ANY_MISS)      /* and of what all of them lack */                                        \
	X(ELSEWHERE)     /* heaviest that the passage lacks and another has, by its words */       \
	X(SMALL_BLOCK)   /* BLOCK_MISS in an agent of few passages, */                             \
	X(SMALL_KIN)     /* KIN_MISS, */                                                           \
	X(SMALL_ANY)     /* and ANY_MISS */                                                        \
	X(S_COSINE)      /* of the best sentence, */                                               \
	X(S_COSINE_GAP)  /* short of the nearest of all, */                                        \
	X(S_COSINE_OVER) /* over its passage's, */                                                 \
	X(S_COSINE_BEST) /* and the nearest of all */

enum { KB_GATE_SMALL = 100 }; /* passages */

enum kb_gate_feature {
#define X(name) KB_G_##name,
	KB_GATE_LIST(X)
#undef X
	        KB_GATE_FEATURES
};

enum { KB_GATE_HIDDEN = 12 };

struct kb_gate_weights {
	float mean[KB_GATE_FEATURES], scale[KB_GATE_FEATURES]; /* x = (f - mean) * scale */
	float linear[KB_GATE_FEATURES];
	float hidden[KB_GATE_HIDDEN][KB_GATE_FEATURES];
	float hidden_bias[KB_GATE_HIDDEN], out[KB_GATE_HIDDEN];
	float bias;
	float strict; /* gate_z that KB_GATE_STRICT asks for */
};

extern const struct kb_weights kb_weights_english;
extern const struct kb_weights kb_weights_words;     /* other languages that put blanks, and Thai */
extern const struct kb_weights kb_weights_runs;      /* Chinese, Japanese, Korean */
extern const struct kb_gate_weights kb_weights_gate; /* without a table of meanings */
extern const struct kb_gate_weights kb_weights_gate_meant; /* with one: weights_meant.c */
/* Where every candidate's cosine is known: weights_near.c. */
extern const struct kb_weights kb_weights_english_near;
extern const struct kb_weights kb_weights_words_near;
extern const struct kb_weights kb_weights_runs_near;
extern const struct kb_gate_weights kb_weights_gate_near;

#endif
