#include "base/simhash.h"

#include "base/hash.h"
#include "test.h"

static uint64_t feature(int i)
{
	return kb_hash64(kb_sv((const char *)&i, sizeof(i)));
}

/* Of the features from..to, the last of them of others. */
static uint64_t hash_of(int from, int to, int others)
{
	struct kb_simhash hash = { 0 };

	for (int i = from; i < to - others; i++)
		kb_simhash_add(&hash, feature(i));
	for (int i = 0; i < others; i++)
		kb_simhash_add(&hash, feature(1000000 + i));
	return kb_simhash_end(&hash);
}

static void test_distances(struct kb_test *t)
{
	static const struct {
		const char *name;
		int from, to, others, least, most;
	} rows[] = {
		{ "the same features", 0, 1000, 0, 0, 0 },
		{ "one of a thousand is another", 0, 1000, 1, 0, KB_SIMHASH_NEAR },
		{ "a tenth are others", 0, 1000, 100, KB_SIMHASH_NEAR + 1, 20 },
		{ "none in common", 5000, 6000, 0, 20, 44 },
	};

	for (size_t i = 0; i < KB_COUNTOF(rows); i++) {
		int distance = kb_simhash_distance(
		        hash_of(0, 1000, 0), hash_of(rows[i].from, rows[i].to, rows[i].others));

		t->row = rows[i].name;
		CHECK(t, distance >= rows[i].least);
		CHECK(t, distance <= rows[i].most);
	}
}

/* However few bits differ, one block is the same. */
static void test_blocks(struct kb_test *t)
{
	uint64_t hash = UINT64_C(0x8123456789abcdef);

	for (int a = 0; a < 64; a++)
		for (int b = 0; b < 64; b++)
			for (int c = 0; c < 64; c++) {
				uint64_t other = hash ^ UINT64_C(1) << a ^ UINT64_C(1) << b
				                 ^ UINT64_C(1) << c;
				int same = 0;

				for (int i = 0; i < KB_SIMHASH_BLOCKS; i++)
					same += kb_simhash_block(hash, i)
					        == kb_simhash_block(other, i);
				CHECK(t, same > 0);
				CHECK(t, kb_simhash_distance(hash, other) <= KB_SIMHASH_NEAR);
			}
	CHECK_INT(t, kb_simhash_block(hash, 3), 0x8123);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "who shares most features shares most bits", test_distances },
		{ "near hashes have a block in common", test_blocks },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
