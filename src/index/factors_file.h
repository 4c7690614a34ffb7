/*
 * The file of a model of latent factors, version 1. Private to this folder.
 *
 * The frame is that of every file of sections (base/container.h), its magic "KBFAC\r\n\x1a".
 * Sections:
 *
 *   INFO    u32 factors, u32 terms, u32 passages of the sample, u32 zero, i64 passages of the
 *           snapshot, f32 average lengths of body, title and heading there.
 *   KEYS    u64 a term: the hash of its bytes (factor_rows.h), ascending.
 *   IDFS    f32 a term: its weight in rows and questions, a power of its idf.
 *   SCALES  f32 a term: what the integers of its row are multiplied with.
 *   ROWS    i8, factors a term: the term's row of V, in steps of its greatest value / 127.
 *
 * A passage's vector is its row of weights times V. The model's mark is the checksum of the section
 * table, and so of everything.
 */
#ifndef KB_INDEX_FACTORS_FILE_H
#define KB_INDEX_FACTORS_FILE_H

#include "index/segment.h"

enum kb_factors_section {
	KB_FAC_INFO = 1,
	KB_FAC_KEYS,
	KB_FAC_IDFS,
	KB_FAC_SCALES,
	KB_FAC_ROWS,
	KB_FAC_COUNT
};

enum {
	KB_FACTORS_DIMS_MAX = 400,
	KB_FACTORS_TERMS_MAX = 1 << 16,
};

extern const struct kb_form kb_factors_form;

struct kb_factors_head {
	uint32_t dims, terms, sample, zero;
	int64_t passages;
	float averages[KB_FIELDS];
	uint32_t end;
};

#endif
