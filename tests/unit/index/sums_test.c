/* A window's sums: what is above a bar, by every way that this processor has. */
#include "index/sums.h"
#include "test.h"
#include "world.h"

struct taken {
	uint32_t count, docs[KB_SUMS_ROOM], scores[KB_SUMS_ROOM];
};

static void expect(const struct kb_sums *sums, uint32_t least, uint32_t low, struct taken *out)
{
	out->count = 0;
	for (uint32_t i = 0; i < KB_WINDOW; i++)
		if (sums->v[i] > least) {
			out->docs[out->count] = low + i;
			out->scores[out->count++] = sums->v[i];
		}
}

static void check_ways(struct kb_test *t, const struct kb_sums *sums, uint32_t least, uint32_t low)
{
	static struct taken right, found;
	unsigned ways = 0;

	expect(sums, least, low, &right);
	for (unsigned way = 0; way <= KB_SUMS_WAYS; way++) {
		struct kb_above above = { .docs = found.docs, .scores = found.scores };

		if (way == KB_SUMS_WAYS)
			kb_sums_above(sums, least, low, &above);
		else if (!kb_sums_above_by(way, sums, least, low, &above))
			continue;
		found.count = above.count;
		ways++;
		CHECK_INT(t, found.count, right.count);
		CHECK(t, memcmp(found.docs, right.docs, right.count * sizeof(uint32_t)) == 0);
		CHECK(t, memcmp(found.scores, right.scores, right.count * sizeof(uint32_t)) == 0);
	}
	CHECK(t, ways >= 2);
}

static void test_above(struct kb_test *t)
{
	static struct kb_sums sums;
	struct dice dice = { 3 };

	for (int round = 0; round < 200; round++) {
		uint32_t count = roll(&dice, round % 2 ? KB_WINDOW : 20);
		uint32_t low = KB_WINDOW * roll(&dice, 1 << 19);

		for (uint32_t i = 0; i < count; i++) {
			uint32_t place = roll(&dice, KB_WINDOW);

			sums.v[place] += 1 + roll(&dice, 1 << 20);
			kb_sums_touch(&sums, place);
		}
		if (round % 5 == 0)
			kb_sums_touch_all(&sums);
		check_ways(t, &sums, 0, low);
		check_ways(t, &sums, roll(&dice, 1 << 20), low);
		check_ways(t, &sums, INT32_MAX, low);
		kb_sums_clear(&sums);
		for (uint32_t i = 0; i < KB_WINDOW; i++)
			if (sums.v[i])
				CHECK_INT(t, sums.v[i], 0);
		for (uint32_t i = 0; i < KB_SUMS_WORDS; i++)
			CHECK_INT(t, sums.touched[i], 0);
	}
}

/* The greatest sums that there may be, and every one above. */
static void test_full(struct kb_test *t)
{
	static struct kb_sums sums;

	for (uint32_t i = 0; i < KB_WINDOW; i++)
		sums.v[i] = INT32_MAX - i;
	kb_sums_touch_all(&sums);
	check_ways(t, &sums, 0, 0);
	check_ways(t, &sums, INT32_MAX - 100, 4 * KB_WINDOW);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "what is above a bar is the same in every way", test_above },
		{ "a window of the greatest sums is taken whole", test_full },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
