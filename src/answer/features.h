/*
 * What is measured of a sentence as an answer to a question: numbers for the fitted function of
 * weights.c. Internal to the selection and to the tool that fits it.
 */
#ifndef KB_ANSWER_FEATURES_H
#define KB_ANSWER_FEATURES_H

#include "answer/evidence.h"
#include "answer/question.h"

/* w(t) is the term's idf; M the sum over the question's content terms; s the sentence, d its
 * passage. Shares are of M unless said. "Elsewhere" counts only what s (and the title) lacks. */
#define KB_FEATURE_LIST(X)                                                                         \
	X(COV)        /* w of terms in s */                                                        \
	X(COV_TITLE)  /* elsewhere: in title or headings */                                        \
	X(COV_PREV)   /* elsewhere: in the sentence before */                                      \
	X(COV_NEXT)   /* after */                                                                  \
	X(COV_NEAR)   /* two before */                                                             \
	X(COV_REST)   /* anywhere else in d */                                                     \
	X(SOFT)       /* elsewhere: first five letters begin a word of s */                        \
	X(SOFT_PART)  /* elsewhere: longest common part of the word with a word of s */            \
	X(RAW)        /* unstemmed form in s */                                                    \
	X(GRAM)       /* pieces (characters, threes) in s, share of their own idf */               \
	X(MAX_IDF)    /* heaviest term in s / heaviest of the question */                          \
	X(S_BM25)     /* BM25 of s, its length against the mean / M */                             \
	X(S_DENSE)    /* w of terms in s / w of all tokens' count: share of tokens that match */   \
	X(DOC_REL)    /* search score of d / of the best passage */                                \
	X(DOC_IDEAL)  /* search score of d / highest possible */                                   \
	X(DOC_RANK)   /* 1 / (1 + rank) */                                                         \
	X(DOC_COV)    /* w of terms in d or title */                                               \
	X(DOC_SOFT)   /* the same, words with a common part counting partly */                     \
	X(DOC_PAIRS)  /* pairs of neighbouring terms near each other in d */                       \
	X(DOC_PLACE)  /* 1 / (1 + ln(1 + place of the first term in d)) */                         \
	X(DOC_BEST)   /* best COV of a sentence of d */                                            \
	X(DOC_GAP)    /* DOC_COV less the best passage's */                                        \
	X(DOC_MISS)   /* heaviest term missing in d and title / heaviest */                        \
	X(COV_X_DOC)  /* COV * DOC_IDEAL */                                                        \
	X(COV_GAP)    /* COV less the best sentence's of all passages */                           \
	X(CAP_CTX)    /* capitalised words of the question, not its first, in d or title */        \
	X(CAP)        /* in s */                                                                   \
	X(PAIRS_ALL)  /* adjacent word pairs of the question adjacent in s, share of pairs */      \
	X(PAIRS)      /* adjacent content pairs, by weight */                                      \
	X(RUN)        /* heaviest run of question words unbroken in s */                           \
	X(PROX)       /* (matches - 1) / shortest stretch holding them all * COV */                \
	X(START)      /* w of terms among the first six words of s */                              \
	X(FUNCTION)   /* function words of the question in s, share of their count */              \
	X(FOCUS)      /* the word after the question word is in s */                               \
	X(FOCUS_DOC)  /* in d or title */                                                          \
	X(TYPE_HIT)   /* a fresh cue of the question's type */                                     \
	X(TYPE_MISS)  /* a known type without any */                                               \
	X(WHEN_YEAR)  /* WHEN and a fresh year */                                                  \
	X(NUM_WORD)   /* NUM and a fresh number word */                                            \
	X(NUM_DIGIT)  /* NUM and a fresh number in digits */                                       \
	X(WHO_CAP)    /* WHO and a fresh capitalised word */                                       \
	X(WHERE_CAP)  /* WHERE and a fresh capitalised word */                                     \
	X(CUE_DIST)   /* 1 / (1 + g/3), g words between a fresh cue and a match */                 \
	X(NUMBER)     /* numbers of the question in s, share of their count */                     \
	X(NUMBER_CTX) /* not even in d or title */                                                 \
	X(FRESH)      /* ln(1 + content terms of s that are not the question's) */                 \
	X(FRESH_CAP)  /* ln(1 + capitalised ones) */                                               \
	X(FRESH_NUM)  /* a fresh number */                                                         \
	X(LENGTH)     /* ln(1 + words of s) */                                                     \
	X(PLACE)      /* of s in d, 0 to 1 */                                                      \
	X(FIRST)      /* the first of d */                                                         \
	X(PRONOUN)    /* begins with a pronoun */                                                  \
	X(QUESTION)   /* ends with a question mark */                                              \
	X(COV_OF_DOC) /* COV / DOC_COV */                                                          \
	X(PLAIN)      /* w of uncapitalised terms in s, share of theirs */                         \
	X(PLAIN_DOC)  /* in d or title */                                                          \
	X(LOCAL)      /* terms in s weighed by how few of the passages hold them, share */         \
	X(LOCAL_DOC)  /* in d */                                                                   \
	X(MISS)       /* heaviest term missing in s and title / heaviest of the question */        \
	X(MISS_NEXT)  /* second heaviest missing */                                                \
	X(LAST)       /* the last content term of the question is in s */                          \
	X(S_NEAR)     /* pairs of neighbouring terms, by their distance in s */                    \
	X(PREV_ALL)   /* COV of the sentence before */                                             \
	X(NEXT_ALL)   /* after */                                                                  \
	X(LEAN_PREV)  /* PRONOUN * COV_PREV */                                                     \
	X(FAMILY)     /* share of the candidates' scores that passages of the same title have */   \
	X(FAMILY_TOP) /* same title as the best candidate */                                       \
	X(DOC_LENGTH) /* ln(words of d) */                                                         \
	X(NUM_FOCUS)  /* NUM and a number just before the focus word */                            \
	X(BY_CAP)     /* WHO and a fresh name after "by" or the like */                            \
	X(DOC_LEAD)   /* search score of d / of the best other passage, at most 2 */               \
	X(SOFT_GAP)   /* DOC_SOFT less the best passage's */                                       \
	X(LOCAL_GAP)  /* LOCAL less the best sentence's */                                         \
	X(BM25_GAP)   /* S_BM25 less the best sentence's */                                        \
	X(DOC_MEAN)   /* mean COV of the sentences of d */                                         \
	X(DOC_MAIN)   /* ln(1 + sentences of d with the question's heaviest term) */               \
	X(NEAR_BOTH)  /* terms in s, the sentences beside it or the title */                       \
	X(Q_LENGTH)   /* ln(1 + content terms of the question) */                                  \
	X(Q_WHEN)                                                                                  \
	X(Q_NUM)                                                                                   \
	X(Q_WHO)                                                                                   \
	X(Q_WHERE)                                                                                 \
	X(Q_WHY)                                                                                   \
	X(COSINE)      /* cosine of d with the question over that of what is near by chance, */    \
	X(COSINE_GAP)  /* short of the best of any passage, */                                     \
	X(COSINE_RANK) /* 1 / (1 + its place among the candidates' cosines), */                    \
	X(PLACE_ALL)   /* 1 / (1 + place of d in the whole search); 0: cosines are not known */    \
	X(WANTED_HIT)  /* s tells the kind of thing that the question names (wanted.h), */         \
	X(WANTED_MISS) /* the question names one, and s tells none, */                             \
	X(WANTED_DOC)  /* nor does d */                                                            \
	X(MEANT)       /* nearness of s and the question in meaning, by the table, */              \
	X(MEANT_GAP)   /* less the best sentence's; */                                             \
	X(KIN)         /* elsewhere: what words of s have of terms by letters or in meaning, */    \
	X(KIN_BOTH)    /* COV and KIN, */                                                          \
	X(KIN_GAP)     /* less the best sentence's, */                                             \
	X(KIN_MISS)    /* heaviest of what s and title lack of a term / heaviest */                \
	X(S_COSINE)    /* cosine of s, as d understands it, with the question over what is near */ \
	X(S_COSINE_GAP)  /* by chance; short of the best of all sentences, */                      \
	X(S_COSINE_IN)   /* short of the best of d, */                                             \
	X(S_COSINE_OVER) /* over that of d; */                                                     \
	X(S_COSINE_NEXT) /* the better one of those beside s, over chance; */                      \
	X(S_COSINE_RANK) /* 1 / (1 + its place by cosine) */

enum kb_answer_feature {
#define X(name) KB_F_##name,
	KB_FEATURE_LIST(X)
#undef X
	        KB_FEATURES
};

struct kb_feature_row {
	float f[KB_FEATURES];
	uint32_t candidate, start, end;
	uint64_t terms;   /* content terms in s, the first 64 */
	bool first, last; /* of its passage */
	bool leans;       /* begins with a pronoun */
	float near;       /* of s to the question in meaning, a cosine */
	/* Of s with the sentences beside it, title and headings: what it has of the question's own
	 * terms by words, letters or in meaning, by weight, and the heaviest of what it lacks; the
	 * same of the term that the question word asks for, and of the last one. */
	struct {
		float cover, miss, focus, last;
	} block;
};

/* What the gate and the selection need to know of each passage. */
struct kb_gate_passage {
	uint64_t terms;         /* in text, title and headings */
	uint64_t title;         /* in title and headings */
	uint64_t likes;         /* others that a word of the text is like */
	float score;            /* of the search */
	float soft;             /* DOC_SOFT */
	float miss;             /* as of a block, of all of it */
	float near, near_title; /* to the question in meaning, by the table: all of it, title and
	                           headings */
	float cosine;           /* of its vector and the question's */
};

struct kb_features {
	struct kb_feature_row *rows; /* passage by passage, in order */
	size_t row_count;
	struct kb_gate_passage *passages;
	size_t passage_count;
	float weights[64];       /* of the question's content terms */
	float sum;               /* M */
	float unknown;           /* the share of M no passage of the index holds */
	float miss;              /* as of a block, of all candidates together */
	uint64_t names, numbers; /* capitalised terms, terms with digits */
	uint64_t subjects;       /* what the question is about (asked.h) */
	uint64_t carried;        /* terms of earlier turns alone */
	size_t term_count;
	double passages_known; /* N */
	enum kb_shape shape;   /* of the question's answer */
	struct kb_nearness nearness;
	float sectioned; /* share of the candidates that stand under a heading */
	float known; /* the share of the question, by weight, that the table of meanings has; 0: no
	                table */
};

/* Of the first KB_SELECT_CANDIDATES passages. */
void kb_features_compute(struct kb_analyzer *analyzer, struct kb_arena *arena,
                         const struct kb_question *question, const struct kb_evidence *evidence,
                         struct kb_features *out);

/* Σ weights of the set's terms. */
float kb_features_weight(const struct kb_features *features, uint64_t terms);

#endif
