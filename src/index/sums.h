/*
 * The sums of a window of passages: lists of postings are added to them, then what is above a bar
 * is taken, by the widest compares that the processor has. Private to this folder; one thread.
 */
#ifndef KB_INDEX_SUMS_H
#define KB_INDEX_SUMS_H

#include <stdbool.h>
#include <stdint.h>

enum {
	KB_WINDOW = 4096,   /* passages; the sums fit the first cache */
	KB_SUMS_GROUP = 16, /* sums that a bit of `touched` stands for */
	KB_SUMS_WORDS = KB_WINDOW / KB_SUMS_GROUP / 64,
	KB_SUMS_ROOM = KB_WINDOW + KB_SUMS_GROUP, /* what is taken, and written over */
	KB_SUMS_WAYS = 3,
};

struct kb_sums {
	uint32_t v[KB_WINDOW];           /* below 2^31 */
	uint64_t touched[KB_SUMS_WORDS]; /* groups of sums that may not all be zero */
};

static inline void kb_sums_touch(struct kb_sums *sums, uint32_t place)
{
	sums->touched[place / KB_SUMS_GROUP / 64 % KB_SUMS_WORDS] |= UINT64_C(1)
	                                                             << place / KB_SUMS_GROUP % 64;
}
/* All groups, where most have a sum. */
void kb_sums_touch_all(struct kb_sums *sums);

/* Passages and their sums; there is room for KB_SUMS_ROOM. */
struct kb_above {
	uint32_t count, *docs, *scores;
};
/* Those whose sums are above `least`, ascending; the window's first passage is `low`. */
void kb_sums_above(const struct kb_sums *sums, uint32_t least, uint32_t low, struct kb_above *out);
/* For tests: the same in one way of several; false: the processor lacks it. */
bool kb_sums_above_by(unsigned way, const struct kb_sums *sums, uint32_t least, uint32_t low,
                      struct kb_above *out);
void kb_sums_clear(struct kb_sums *sums);

#endif
