#include "index/vector_scan.h"

/* ---- portable ---- */

static bool always(void)
{
	return true;
}

static void dots_portable(const int8_t *rows, size_t stride, const uint32_t *docs, size_t n,
                          const int8_t *question, int32_t *out)
{
	for (size_t i = 0; i < n; i++) {
		const int8_t *row = rows + (docs ? docs[i] : i) * stride;
		int32_t sum = 0;

		for (size_t k = 0; k < stride; k++)
			sum += row[k] * question[k];
		out[i] = sum;
	}
}

static void differences_portable(const uint64_t *signs, size_t words, size_t groups,
                                 const uint64_t *question, uint16_t *out)
{
	for (size_t g = 0; g < groups; g++, signs += words * KB_SIGNS_LANES)
		for (size_t lane = 0; lane < KB_SIGNS_LANES; lane++) {
			int sum = 0;

			for (size_t w = 0; w < words; w++)
				sum += __builtin_popcountll(signs[w * KB_SIGNS_LANES + lane]
				                            ^ question[w]);
			*out++ = (uint16_t)sum;
		}
}

static const struct kb_vector_path portable = { "portable", always, dots_portable,
	                                        differences_portable };

#if defined(__x86_64__)
#include <immintrin.h>

/* ---- AVX2 ---- */

#define AVX2 __attribute__((target("avx2")))

static bool has_avx2(void)
{
	return __builtin_cpu_supports("avx2");
}

/* Adds 32 products. The multiplication takes an unsigned and a signed factor and adds pairs in 16
 * bits: the sign goes from the row to the question, and 2 * 128 * 127 fits. */
AVX2 static inline __m256i multiply_add(__m256i sum, __m256i row, __m256i question)
{
	__m256i pairs = _mm256_maddubs_epi16(_mm256_abs_epi8(row), _mm256_sign_epi8(question, row));

	return _mm256_add_epi32(sum, _mm256_madd_epi16(pairs, _mm256_set1_epi16(1)));
}

AVX2 static inline int32_t sum_256(__m256i v)
{
	__m128i sum = _mm_add_epi32(_mm256_castsi256_si128(v), _mm256_extracti128_si256(v, 1));

	sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0x4e));
	sum = _mm_add_epi32(sum, _mm_shuffle_epi32(sum, 0xb1));
	return _mm_cvtsi128_si32(sum);
}

AVX2 static inline __m256i load_256(const void *p)
{
	return _mm256_load_si256(p);
}

AVX2 static void dots_avx2(const int8_t *rows, size_t stride, const uint32_t *docs, size_t n,
                           const int8_t *question, int32_t *out)
{
	size_t i = 0;

	for (; i + 2 <= n; i += 2) {
		const int8_t *a = rows + (docs ? docs[i] : i) * stride;
		const int8_t *b = rows + (docs ? docs[i + 1] : i + 1) * stride;
		__m256i sum_a = _mm256_setzero_si256(), sum_b = sum_a;

		for (size_t k = 0; k < stride; k += 32) {
			__m256i q = load_256(question + k);

			sum_a = multiply_add(sum_a, load_256(a + k), q);
			sum_b = multiply_add(sum_b, load_256(b + k), q);
		}
		out[i] = sum_256(sum_a);
		out[i + 1] = sum_256(sum_b);
	}
	if (i < n) {
		const int8_t *a = rows + (docs ? docs[i] : i) * stride;
		__m256i sum = _mm256_setzero_si256();

		for (size_t k = 0; k < stride; k += 32)
			sum = multiply_add(sum, load_256(a + k), load_256(question + k));
		out[i] = sum_256(sum);
	}
}

/* Bits set in each of four words, by a table of sixteen (Muła, Kurz, Lemire 2018). */
AVX2 static inline __m256i bits_256(__m256i v)
{
	const __m256i table = _mm256_broadcastsi128_si256(
	        _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	const __m256i low = _mm256_set1_epi8(15);
	__m256i a = _mm256_shuffle_epi8(table, _mm256_and_si256(v, low));
	__m256i b = _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(v, 4), low));

	return _mm256_sad_epu8(_mm256_add_epi8(a, b), _mm256_setzero_si256());
}

AVX2 static void differences_avx2(const uint64_t *signs, size_t words, size_t groups,
                                  const uint64_t *question, uint16_t *out)
{
	for (size_t g = 0; g < groups; g++, out += KB_SIGNS_LANES) {
		__m256i first = _mm256_setzero_si256(), second = first;
		_Alignas(32) uint64_t sums[KB_SIGNS_LANES];

		for (size_t w = 0; w < words; w++, signs += KB_SIGNS_LANES) {
			__m256i q = _mm256_set1_epi64x((long long)question[w]);

			first = _mm256_add_epi64(first,
			                         bits_256(_mm256_xor_si256(load_256(signs), q)));
			second = _mm256_add_epi64(
			        second, bits_256(_mm256_xor_si256(load_256(signs + 4), q)));
		}
		_mm256_store_si256((__m256i *)(void *)sums, first);
		_mm256_store_si256((__m256i *)(void *)(sums + 4), second);
		for (size_t lane = 0; lane < KB_SIGNS_LANES; lane++)
			out[lane] = (uint16_t)sums[lane];
	}
}

static const struct kb_vector_path avx2 = { "AVX2", has_avx2, dots_avx2, differences_avx2 };

/* ---- AVX-512 with VNNI ---- */

/* Bytes; where rows are not read one after another it does no harm. */
enum { AHEAD = 8192 };

#define VNNI __attribute__((target("avx512f,avx512bw,avx512vl,avx512vnni")))

static bool has_vnni(void)
{
	return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw")
	       && __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512vnni");
}

VNNI static inline __m512i load_512(const void *p)
{
	return _mm512_load_si512(p);
}

/* The instruction takes unsigned bytes of the row: 128 more than it has, whose share is taken off
 * at the end. */
VNNI static inline __m512i shifted(const int8_t *row)
{
	return _mm512_xor_si512(load_512(row), _mm512_set1_epi8((char)0x80));
}

VNNI static void dots_vnni(const int8_t *rows, size_t stride, const uint32_t *docs, size_t n,
                           const int8_t *question, int32_t *out)
{
	__m512i share = _mm512_setzero_si512();
	int32_t excess;
	size_t i = 0;

	for (size_t k = 0; k < stride; k += 64)
		share = _mm512_dpbusd_epi32(share, _mm512_set1_epi8((char)0x80),
		                            load_512(question + k));
	excess = _mm512_reduce_add_epi32(share);
	for (; i + 4 <= n; i += 4) {
		const int8_t *a = rows + (docs ? docs[i] : i) * stride;
		const int8_t *b = rows + (docs ? docs[i + 1] : i + 1) * stride;
		const int8_t *c = rows + (docs ? docs[i + 2] : i + 2) * stride;
		const int8_t *d = rows + (docs ? docs[i + 3] : i + 3) * stride;
		__m512i sum_a = _mm512_setzero_si512(), sum_b = sum_a;
		__m512i sum_c = sum_a, sum_d = sum_a;

		for (size_t k = 0; k < stride; k += 64) {
			__m512i q = load_512(question + k);

			/* The processor's own prefetch ends with each page of the map. */
			for (const int8_t *p = a + AHEAD + k; p < a + AHEAD + 4 * stride;
			     p += stride)
				_mm_prefetch((const char *)p, _MM_HINT_T0);
			sum_a = _mm512_dpbusd_epi32(sum_a, shifted(a + k), q);
			sum_b = _mm512_dpbusd_epi32(sum_b, shifted(b + k), q);
			sum_c = _mm512_dpbusd_epi32(sum_c, shifted(c + k), q);
			sum_d = _mm512_dpbusd_epi32(sum_d, shifted(d + k), q);
		}
		out[i] = _mm512_reduce_add_epi32(sum_a) - excess;
		out[i + 1] = _mm512_reduce_add_epi32(sum_b) - excess;
		out[i + 2] = _mm512_reduce_add_epi32(sum_c) - excess;
		out[i + 3] = _mm512_reduce_add_epi32(sum_d) - excess;
	}
	for (; i < n; i++) {
		const int8_t *a = rows + (docs ? docs[i] : i) * stride;
		__m512i sum = _mm512_setzero_si512();

		for (size_t k = 0; k < stride; k += 64)
			sum = _mm512_dpbusd_epi32(sum, shifted(a + k), load_512(question + k));
		out[i] = _mm512_reduce_add_epi32(sum) - excess;
	}
}

VNNI static inline __m512i bits_512(__m512i v)
{
	const __m512i table = _mm512_broadcast_i32x4(
	        _mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
	const __m512i low = _mm512_set1_epi8(15);
	__m512i a = _mm512_shuffle_epi8(table, _mm512_and_si512(v, low));
	__m512i b = _mm512_shuffle_epi8(table, _mm512_and_si512(_mm512_srli_epi16(v, 4), low));

	return _mm512_sad_epu8(_mm512_add_epi8(a, b), _mm512_setzero_si512());
}

VNNI static void differences_vnni(const uint64_t *signs, size_t words, size_t groups,
                                  const uint64_t *question, uint16_t *out)
{
	for (size_t g = 0; g < groups; g++, out += KB_SIGNS_LANES) {
		__m512i sum = _mm512_setzero_si512();

		for (size_t w = 0; w < words; w++, signs += KB_SIGNS_LANES)
			sum = _mm512_add_epi64(sum,
			                       bits_512(_mm512_xor_si512(
			                               load_512(signs),
			                               _mm512_set1_epi64((long long)question[w]))));
		_mm_storeu_si128((__m128i *)(void *)out, _mm512_cvtepi64_epi16(sum));
	}
}

static const struct kb_vector_path vnni = { "AVX-512 VNNI", has_vnni, dots_vnni, differences_vnni };

const struct kb_vector_path *const kb_vector_paths[] = { &vnni, &avx2, &portable };
#else
const struct kb_vector_path *const kb_vector_paths[] = { &portable };
#endif
const size_t kb_vector_path_count = KB_COUNTOF(kb_vector_paths);

const struct kb_vector_path *kb_vector_path(void)
{
	for (size_t i = 0; i + 1 < kb_vector_path_count; i++)
		if (kb_vector_paths[i]->available())
			return kb_vector_paths[i];
	return &portable; /* the last, for every machine */
}
