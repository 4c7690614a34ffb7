/*
 * Latent factors: what words mean in one agent's documents, learned from nothing but these.
 *
 * Truncated SVD of the weighted passage-by-term matrix (Deerwester et al. 1990), by randomised
 * subspace iteration over the passages' word sequences (Halko, Martinsson, Tropp 2011): memory is a
 * terms-by-factors matrix, time a few reads of a sample. A model is a file, made in the background,
 * immutable, marked with its own checksum; passages are folded into it one by one, so new segments
 * need no new training. The folded vectors of a segment are its vector column "lsi" (vectors.h),
 * whose model is the file's mark.
 *
 * Passages that speak of the same thing in other words are lifted by them in the third ranking step
 * (factors_rank.h).
 */
#ifndef KB_INDEX_FACTORS_H
#define KB_INDEX_FACTORS_H

#include "index/vectors.h"

#define KB_FACTORS_COLUMN KB_SV("lsi")

enum {
	KB_FACTORS_DIMS = 100,
	KB_FACTORS_PASSAGES_MIN = 300, /* fewer: nothing to learn, kb_factors_train() refuses */
	KB_FACTORS_SAMPLE_MAX = 100000,
};

#define KB_FACTORS_WEIGHT .38f

struct kb_factors;

struct kb_factors_options {
	uint32_t dims;   /* 0: KB_FACTORS_DIMS */
	uint32_t sample; /* passages read at most; 0: KB_FACTORS_SAMPLE_MAX */
	uint64_t seed;   /* the same seed over the same snapshot gives the same file */
	const struct kb_cancel *cancel; /* or NULL */
};
struct kb_factors_info {
	struct kb_sv mark; /* the model's name in its columns; empty after kb_factors_train() */
	uint32_t dims, terms;
	int64_t passages; /* of the snapshot it was trained on */
	int64_t bytes;
};

/* Learns from the living passages and writes the model (durable). */
bool kb_factors_train(const struct kb_snapshot *snapshot, const struct kb_factors_options *options,
                      const char *path, struct kb_factors_info *info,
                      struct kb_err *err) KB_MUST_CHECK;

/* Maps the file and checks its form and checksums. KB_E_CORRUPT. Count starts at 1. */
struct kb_factors *kb_factors_open(const char *path, struct kb_err *err) KB_MUST_CHECK;
struct kb_factors *kb_factors_hold(struct kb_factors *factors);
void kb_factors_release(struct kb_factors *factors);
void kb_factors_info(const struct kb_factors *factors, struct kb_factors_info *out);

/* Folds every passage of the segment and writes its column. */
bool kb_factors_fold(const struct kb_factors *factors, const struct kb_segment *segment,
                     const struct kb_cancel *cancel, const char *path, int64_t *bytes,
                     struct kb_err *err) KB_MUST_CHECK;

/* Where a question lies in the model's space, with length 1: dims floats. False: the model knows
 * none of its words. */
bool kb_factors_place(const struct kb_factors *factors, const struct kb_query_term *terms,
                      size_t count, float *v) KB_MUST_CHECK;

#endif
