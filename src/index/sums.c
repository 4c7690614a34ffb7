#include "index/sums.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Each takes what is above in one group, whose first passage is `doc`, to docs and scores, and
 * returns how many. No branch depends on the sums: it would be guessed wrong half the time. What is
 * written after the last is written over. Sums are below 2^31, so they may be compared as signed.
 */

static inline uint32_t group_plain(const uint32_t *sums, uint32_t least, uint32_t doc,
                                   uint32_t *docs, uint32_t *scores)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < KB_SUMS_GROUP; i++) {
		docs[count] = doc + i;
		scores[count] = sums[i];
		count += sums[i] > least;
	}
	return count;
}

#ifdef __x86_64__

/* Where the four marked lanes' bytes come from: those of the marked ones in front. */
// clang-format off
#define LANE(n) 4 * (n), 4 * (n) + 1, 4 * (n) + 2, 4 * (n) + 3
#define LANES(a, b, c, d) { LANE(a), LANE(b), LANE(c), LANE(d) }
static const uint8_t front_lanes[16][16] = {
	LANES(0, 0, 0, 0), LANES(0, 0, 0, 0), LANES(1, 0, 0, 0), LANES(0, 1, 0, 0),
	LANES(2, 0, 0, 0), LANES(0, 2, 0, 0), LANES(1, 2, 0, 0), LANES(0, 1, 2, 0),
	LANES(3, 0, 0, 0), LANES(0, 3, 0, 0), LANES(1, 3, 0, 0), LANES(0, 1, 3, 0),
	LANES(2, 3, 0, 0), LANES(0, 2, 3, 0), LANES(1, 2, 3, 0), LANES(0, 1, 2, 3),
};
// clang-format on

__attribute__((target("ssse3,popcnt"))) static inline uint32_t
group_ssse3(const uint32_t *sums, uint32_t least, uint32_t doc, uint32_t *docs, uint32_t *scores)
{
	uint32_t count = 0;

	for (uint32_t i = 0; i < KB_SUMS_GROUP; i += 4) {
		__m128i v = _mm_loadu_si128((const __m128i *)(sums + i));
		__m128i numbers =
		        _mm_add_epi32(_mm_setr_epi32(0, 1, 2, 3), _mm_set1_epi32((int)(doc + i)));
		__m128i above = _mm_cmpgt_epi32(v, _mm_set1_epi32((int)least));
		unsigned marks = (unsigned)_mm_movemask_ps(_mm_castsi128_ps(above));
		__m128i lanes = _mm_loadu_si128((const __m128i *)front_lanes[marks]);

		_mm_storeu_si128((__m128i *)(scores + count), _mm_shuffle_epi8(v, lanes));
		_mm_storeu_si128((__m128i *)(docs + count), _mm_shuffle_epi8(numbers, lanes));
		count += (uint32_t)__builtin_popcount(marks);
	}
	return count;
}

__attribute__((target("avx512f,popcnt"))) static inline uint32_t
group_avx512(const uint32_t *sums, uint32_t least, uint32_t doc, uint32_t *docs, uint32_t *scores)
{
	const __m512i numbers =
	        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
	__m512i v = _mm512_loadu_si512(sums);
	__mmask16 marks = _mm512_cmpgt_epu32_mask(v, _mm512_set1_epi32((int)least));

	_mm512_storeu_si512(scores, _mm512_maskz_compress_epi32(marks, v));
	v = _mm512_add_epi32(numbers, _mm512_set1_epi32((int)doc));
	_mm512_storeu_si512(docs, _mm512_maskz_compress_epi32(marks, v));
	return (uint32_t)__builtin_popcount(marks);
}

#endif

typedef uint32_t above_way(const struct kb_sums *sums, uint32_t least, uint32_t low, uint32_t *docs,
                           uint32_t *scores);

/* Takes what is above, a touched group after another, by one of these. */
#define WAY(name, attribute)                                                                       \
	attribute static uint32_t above_##name(const struct kb_sums *sums, uint32_t least,         \
	                                       uint32_t low, uint32_t *docs, uint32_t *scores)     \
	{                                                                                          \
		uint32_t count = 0;                                                                \
                                                                                                   \
		for (uint32_t word = 0; word < KB_SUMS_WORDS; word++)                              \
			for (uint64_t left = sums->touched[word]; left; left &= left - 1) {        \
				uint32_t group = word * 64 + (uint32_t)__builtin_ctzll(left);      \
				uint32_t place = group * KB_SUMS_GROUP;                            \
                                                                                                   \
				count += group_##name(&sums->v[place], least, low + place,         \
				                      docs + count, scores + count);               \
			}                                                                          \
		return count;                                                                      \
	}

WAY(plain, )
#ifdef __x86_64__
WAY(ssse3, __attribute__((target("ssse3,popcnt"))))
WAY(avx512, __attribute__((target("avx512f,popcnt"))))
#endif

/* The ways, slowest first. NULL: the processor lacks it. */
static above_way *way_of(unsigned way)
{
	switch (way) {
	case 0:
		return above_plain;
#ifdef __x86_64__
	case 1:
		return __builtin_cpu_supports("ssse3") && __builtin_cpu_supports("popcnt")
		               ? above_ssse3
		               : NULL;
	case 2:
		return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt")
		               ? above_avx512
		               : NULL;
#endif
	default:
		return NULL;
	}
}

bool kb_sums_above_by(unsigned way, const struct kb_sums *sums, uint32_t least, uint32_t low,
                      struct kb_above *out)
{
	above_way *above = way_of(way);

	if (above)
		out->count = above(sums, least, low, out->docs, out->scores);
	return above != NULL;
}

void kb_sums_above(const struct kb_sums *sums, uint32_t least, uint32_t low, struct kb_above *out)
{
	unsigned way = KB_SUMS_WAYS;

	while (way-- && !kb_sums_above_by(way, sums, least, low, out))
		;
}

void kb_sums_touch_all(struct kb_sums *sums)
{
	memset(sums->touched, 0xff, sizeof(sums->touched));
}

void kb_sums_clear(struct kb_sums *sums)
{
	for (uint32_t word = 0; word < KB_SUMS_WORDS; word++) {
		uint32_t *v = &sums->v[word * 64 * KB_SUMS_GROUP];

		if (sums->touched[word] == UINT64_MAX)
			memset(v, 0, 64 * KB_SUMS_GROUP * sizeof(*v));
		else
			for (uint64_t left = sums->touched[word]; left; left &= left - 1)
				memset(&v[__builtin_ctzll(left) * KB_SUMS_GROUP], 0,
				       KB_SUMS_GROUP * sizeof(*v));
		sums->touched[word] = 0;
	}
}
