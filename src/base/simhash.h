/*
 * SimHash (Charikar 2002): 64 bits of a set of features, of which two that share most of their
 * features share most of theirs. Two hashes that differ in at most KB_SIMHASH_NEAR bits have one of
 * their KB_SIMHASH_BLOCKS blocks of 16 bits in common (Manku, Jain and Das Sarma 2007), which is
 * how one is looked for among many. Pure; any thread.
 */
#ifndef KB_BASE_SIMHASH_H
#define KB_BASE_SIMHASH_H

#include "base/common.h"

enum { KB_SIMHASH_NEAR = 3, KB_SIMHASH_BLOCKS = 4, KB_SIMHASH_BLOCK_BITS = 16 };

struct kb_simhash {
	int64_t sums[64]; /* zeros at the start */
};

/* feature: its hash, all bits of which count. As often as it stands there. */
void kb_simhash_add(struct kb_simhash *hash, uint64_t feature);
uint64_t kb_simhash_end(const struct kb_simhash *hash);

/* Bits that differ. */
int kb_simhash_distance(uint64_t a, uint64_t b);
/* i: from 0, of the lowest bits. */
uint64_t kb_simhash_block(uint64_t hash, int i);

#endif
