#include "encode/product.h"

#include "encode/product_path.h"

static const struct kb_product_path *const paths[] = {
#if defined(__x86_64__)
	&kb_product_amx,   &kb_product_avx512_vnni, &kb_product_avx_vnni,
	&kb_product_avx2,  &kb_product_sse2,
#elif defined(__aarch64__)
	&kb_product_dotprod,
	&kb_product_neon,
#endif
	&kb_product_plain,
};

const struct kb_product_path *kb_product_path(size_t i)
{
	return i < KB_COUNTOF(paths) ? paths[i] : NULL;
}

const struct kb_product_path *kb_product_best(void)
{
	size_t i = 0;

	while (!paths[i]->available())
		i++;
	return paths[i];
}

const char *kb_product_name(const struct kb_product_path *path)
{
	return path->name;
}

bool kb_product_available(const struct kb_product_path *path)
{
	return path->available();
}

static size_t rounded_up(size_t size)
{
	return (size + KB_PRODUCT_ALIGN - 1) / KB_PRODUCT_ALIGN * KB_PRODUCT_ALIGN;
}

/* Scales, then all tokens as the path wants them, some of which read up to the
 * next sixteen. */
size_t kb_product_scratch(uint32_t cols, size_t n)
{
	return rounded_up(n * sizeof(float))
	       + rounded_up((n + 15) / 16 * 16 * cols * sizeof(int16_t));
}

void kb_product_run(const struct kb_product_path *path, const struct kb_product_matrix *m,
                    const float *in, size_t n, float *out, void *scratch)
{
	float *scales = scratch;
	uint8_t *values = (uint8_t *)scratch + rounded_up(n * sizeof(*scales));

	KB_ASSERT(m->rows % KB_PRODUCT_TILE == 0 && m->cols % KB_PRODUCT_STEP == 0
	          && m->cols <= KB_PRODUCT_COLS_MAX);
	for (size_t t = 0; t < n; t++)
		scales[t] =
		        path->round(in + t * m->cols, m->cols, values + t * m->cols * path->width);
	path->multiply(m, &(struct kb_product_in){ values, scales, n }, out);
}
