/*
 * The inner loops of a vector scan, once for each kind of processor. Private to this folder.
 *
 * All is integer arithmetic without saturation or rounding, so every path gives the same figures;
 * a test runs each one the machine has against the portable one. Which one runs is asked of the
 * processor at each search, which costs nothing beside it.
 */
#ifndef KB_INDEX_VECTOR_SCAN_H
#define KB_INDEX_VECTOR_SCAN_H

#include "index/column.h"

struct kb_vector_path {
	const char *name;
	bool (*available)(void);
	/* out[i]: the dot product of row docs[i], or without docs of row i, with the question's
	 * row. Rows and question begin at multiples of 64 and are `stride` bytes. The question has
	 * no -128. */
	void (*dots)(const int8_t *rows, size_t stride, const uint32_t *docs, size_t n,
	             const int8_t *question, int32_t *out);
	/* out[i]: in how many bits passage i of `groups` times KB_SIGNS_LANES differs from the
	 * question, which has one word for each of theirs. */
	void (*differences)(const uint64_t *signs, size_t words, size_t groups,
	                    const uint64_t *question, uint16_t *out);
};

/* Best first; the last one, portable, is always available. */
extern const struct kb_vector_path *const kb_vector_paths[];
extern const size_t kb_vector_path_count;
/* The best one available. */
const struct kb_vector_path *kb_vector_path(void);

#endif
