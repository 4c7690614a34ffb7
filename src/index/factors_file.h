/*
 * The file of a model of latent factors. Private to this folder.
 *
 *   0   8  magic "KBFAC\r\n\x1a"
 *   8   4  version, 1
 *   12  4  dims
 *   16  4  terms
 *   20  4  passages the row weights were read from (the sample)
 *   24  8  passages of the snapshot
 *   32 12  f32 average lengths of body, title and heading in the snapshot
 *   44  4  zero
 *   48  8  XXH3 of everything from byte 64 on
 *   56  8  XXH3 of the bytes before this one; also the model's mark
 *   64     u64 keys of the terms (hash of the bytes, factor_rows.h), ascending
 *          f32 idf of each, f32 scale of each
 *          dims signed bytes of each: its row of V is scale * byte
 *
 * Everything is little-endian. A passage's vector is its row of weights times V.
 */
#ifndef KB_INDEX_FACTORS_FILE_H
#define KB_INDEX_FACTORS_FILE_H

#include "index/factor_rows.h"
#include "index/factors.h"

#define KB_FACTORS_MAGIC "KBFAC\r\n\x1a"

enum {
	KB_FACTORS_VERSION = 1,
	KB_FACTORS_HEADER = 64,
	KB_FACTORS_DIMS_MAX = 400,
	KB_FACTORS_TERMS_MAX = 100000,
};

struct kb_factors_header {
	char magic[8];
	uint32_t version, dims, terms, sample;
	int64_t passages;
	float averages[KB_FIELDS];
	uint32_t zero;
	uint64_t body_hash, head_hash;
};
static_assert(sizeof(struct kb_factors_header) == KB_FACTORS_HEADER, "as the form says");

#endif
