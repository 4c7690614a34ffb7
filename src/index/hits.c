/* The two orders of hits; of one score the earlier passage is first, so that an order is always the
 * same. */
#include "index/index.h"

int kb_hit_by_place(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->part != y->part)
		return x->part < y->part ? -1 : 1;
	return x->doc < y->doc ? -1 : x->doc > y->doc;
}

int kb_hit_by_score(const void *a, const void *b)
{
	const struct kb_hit *x = a, *y = b;

	if (x->score != y->score)
		return x->score > y->score ? -1 : 1;
	return kb_hit_by_place(a, b);
}
