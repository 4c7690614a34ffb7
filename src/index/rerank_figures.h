/* The figures that the second ranking step (rerank.h) has of a passage. */
#ifndef KB_INDEX_RERANK_FIGURES_H
#define KB_INDEX_RERANK_FIGURES_H

/* In the formula of rerank.h. */
enum kb_rerank_figure {
	KB_RERANK_PIECES,
	KB_RERANK_PAIRS,
	KB_RERANK_NEAR,
	KB_RERANK_FIRST,
	KB_RERANK_SENTENCE, /* U */
	KB_RERANK_TELLING,  /* V */
	KB_RERANK_TITLE,
	KB_RERANK_FIGURES
};

/* What the step makes of one passage. Each figure's part of the score is value * weight, its weight
 * in this question; `sum` is what they add. */
struct kb_rerank_parts {
	float values[KB_RERANK_FIGURES], weights[KB_RERANK_FIGURES];
	float sum;
};

#endif
