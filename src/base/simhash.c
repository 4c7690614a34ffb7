#include "base/simhash.h"

/* Each feature votes for each bit: one up where its own is set, one down where it is not. */
void kb_simhash_add(struct kb_simhash *hash, uint64_t feature)
{
	for (int i = 0; i < 64; i++)
		hash->sums[i] += (int64_t)(feature >> i & 1) * 2 - 1;
}

uint64_t kb_simhash_end(const struct kb_simhash *hash)
{
	uint64_t bits = 0;

	for (int i = 0; i < 64; i++)
		bits |= (uint64_t)(hash->sums[i] > 0) << i;
	return bits;
}

int kb_simhash_distance(uint64_t a, uint64_t b)
{
	return __builtin_popcountll(a ^ b);
}

uint64_t kb_simhash_block(uint64_t hash, int i)
{
	return hash >> i * KB_SIMHASH_BLOCK_BITS & ((UINT64_C(1) << KB_SIMHASH_BLOCK_BITS) - 1);
}
