#include "encode/lanes.h"

extern const struct kb_lanes kb_lanes_plain;
#ifdef __x86_64__
extern const struct kb_lanes kb_lanes_avx2, kb_lanes_avx512;
#endif

static const struct kb_lanes *const ways[] = {
#ifdef __x86_64__
	&kb_lanes_avx512,
	&kb_lanes_avx2,
#endif
	&kb_lanes_plain,
};

const struct kb_lanes *kb_lanes_way(size_t i)
{
	return i < KB_COUNTOF(ways) ? ways[i] : NULL;
}

const struct kb_lanes *kb_lanes_best(void)
{
	size_t last = KB_COUNTOF(ways) - 1; /* which is there always */

	for (size_t i = 0; i < last; i++)
		if (ways[i]->available())
			return ways[i];
	return ways[last];
}

/* Keys, values, a few queries and their weights. */
size_t kb_attention_scratch(size_t tokens, size_t width)
{
	size_t padded =
	        (tokens + 2 * KB_LANES_MOST - 1) / (2 * KB_LANES_MOST) * (2 * KB_LANES_MOST);

	return padded * (2 * width + KB_LANES_ROWS) + width * KB_LANES_ROWS;
}
