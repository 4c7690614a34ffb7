/* Packed integers and lists of postings: every width, every length round a block's size. */
#include "index/postings.h"
#include "test.h"
#include "world.h"

static void test_packing(struct kb_test *t)
{
	struct dice dice = { 7 };

	for (unsigned bits = 0; bits <= 32; bits++) {
		uint32_t in[KB_BLOCK], out[KB_BLOCK], sums[KB_BLOCK], sum = 41;
		uint32_t mask = bits == 32 ? UINT32_MAX : (UINT32_C(1) << bits) - 1;
		uint8_t bytes[KB_BLOCK * 4];

		for (int i = 0; i < KB_BLOCK; i++)
			in[i] = (roll(&dice, UINT32_MAX) << 1 ^ roll(&dice, UINT32_MAX)) & mask;
		kb_pack(in, bits, bytes);
		kb_unpack(bytes, bits, out);
		CHECK(t, memcmp(in, out, sizeof(in)) == 0);
		kb_unpack_gaps(bytes, bits, sum, sums);
		for (int i = 0; i < KB_BLOCK; i++) {
			sum += in[i] + 1;
			CHECK_INT(t, sums[i], sum);
		}
	}
	CHECK_INT(t, kb_bits(0), 0);
	CHECK_INT(t, kb_bits(1), 1);
	CHECK_INT(t, kb_bits(UINT32_MAX), 32);
}

/* A list of n postings with now and then a title, a heading, a huge count, a huge gap. */
static uint32_t make_list(struct dice *dice, struct kb_posting *v, uint32_t n, bool body_only)
{
	uint32_t doc = roll(dice, 3);

	for (uint32_t i = 0; i < n; i++) {
		v[i] = (struct kb_posting){ .doc = doc, .tf = { 1 + roll(dice, 4) } };
		if (!body_only && roll(dice, 10) == 0)
			v[i].tf[KB_FIELD_TITLE] = 1 + roll(dice, 3);
		if (!body_only && roll(dice, 10) == 0) {
			v[i].tf[KB_FIELD_HEADING] = 1 + roll(dice, 300);
			v[i].tf[KB_FIELD_BODY] = 0;
		}
		if (roll(dice, 200) == 0)
			v[i].tf[KB_FIELD_BODY] = 1000 + roll(dice, 100000);
		doc += 1 + roll(dice, roll(dice, 50) ? 5 : 3000);
	}
	return n ? v[n - 1].doc + 1 : 0;
}

static void check_list(struct kb_test *t, struct dice *dice, uint32_t n, bool body_only)
{
	struct kb_posting *v = kb_xcalloc(n + (size_t)1, sizeof(*v));
	struct kb_posting *back = kb_xcalloc(n + (size_t)1, sizeof(*back));
	uint32_t docs = make_list(dice, v, n, body_only), at = 0;
	uint8_t *codes = kb_xcalloc(docs, 1);
	const uint8_t *const lengths[KB_FIELDS] = { codes, codes, codes };
	struct kb_cursor cursor;
	struct kb_buf buf;

	for (uint32_t i = 0; i < docs; i++)
		codes[i] = (uint8_t)roll(dice, 256);
	kb_buf_init(&buf, KB_MIB(64));
	kb_postings_encode(v, n, lengths, &buf);
	CHECK_INT(t, kb_postings_decode(kb_buf_view(&buf), n, 0, back), n);
	for (uint32_t i = 0; i < n; i++)
		CHECK(t, memcmp(&v[i], &back[i], sizeof(*v)) == 0);

	kb_cursor_init(&cursor, kb_buf_view(&buf), n);
	for (uint32_t doc = 0; doc < docs; doc += 1 + roll(dice, 400)) {
		uint32_t want;

		while (at < n && v[at].doc < doc)
			at++;
		want = at < n ? v[at].doc : KB_DOC_END;
		CHECK_INT(t, kb_cursor_seek(&cursor, doc), want);
		if (want == KB_DOC_END)
			break;
		kb_cursor_counts(&cursor);
		CHECK_INT(t, cursor.tf[KB_FIELD_BODY][cursor.at], v[at].tf[KB_FIELD_BODY]);
	}
	CHECK_INT(t, kb_cursor_seek(&cursor, KB_DOC_END), KB_DOC_END);
	kb_buf_fini(&buf);
	free(codes);
	free(back);
	free(v);
}

static void test_lists(struct kb_test *t)
{
	static const uint32_t sizes[] = { 0, 1, 2, 126, 127, 128, 129, 255, 256, 257, 5000 };
	struct dice dice = { 8 };

	for (size_t i = 0; i < KB_COUNTOF(sizes); i++)
		for (int round = 0; round < 6; round++)
			check_list(t, &dice, sizes[i], round % 2);
}

/* A list that goes on behind the full blocks of another is the list of all its postings. */
static void check_extended(struct kb_test *t, struct dice *dice, uint32_t old, uint32_t n)
{
	struct kb_posting *v = kb_xcalloc(n + (size_t)1, sizeof(*v));
	uint32_t docs = make_list(dice, v, n, false), packed = kb_postings_packed(old);
	uint8_t *codes = kb_xcalloc(docs, 1);
	const uint8_t *const lengths[KB_FIELDS] = { codes, codes, codes };
	struct kb_buf whole, front, out;

	for (uint32_t i = 0; i < docs; i++)
		codes[i] = (uint8_t)roll(dice, 256);
	kb_buf_init(&whole, KB_MIB(1));
	kb_buf_init(&front, KB_MIB(1));
	kb_buf_init(&out, KB_MIB(1));
	kb_postings_encode(v, n, lengths, &whole);
	kb_postings_encode(v, old, lengths, &front);
	CHECK(t,
	      kb_postings_extend(kb_buf_view(&front), old, v + packed, n - packed, lengths, &out));
	CHECK(t, kb_sv_eq(kb_buf_view(&out), kb_buf_view(&whole)));
	/* Damage is told; what is copied of it stays in its bounds. */
	for (size_t cut = 0; cut < front.n; cut += 1 + front.n / 50) {
		kb_buf_clear(&out);
		(void)!kb_postings_extend(kb_sv(front.p, cut), old, v + packed, n - packed, lengths,
		                          &out);
	}
	for (int flips = 0; flips < 200 && front.n; flips++) {
		uint32_t at = roll(dice, (uint32_t)front.n);
		char kept = front.p[at];

		front.p[at] = (char)roll(dice, 256);
		kb_buf_clear(&out);
		(void)!kb_postings_extend(kb_buf_view(&front), old, v + packed, n - packed, lengths,
		                          &out);
		front.p[at] = kept;
	}
	if (packed)
		CHECK(t, !kb_postings_extend(kb_sv(front.p, 20), old, v + packed, n - packed,
		                             lengths, &out));
	if (packed && n > packed)
		CHECK(t,
		      !kb_postings_extend(kb_buf_view(&front), old, v, n - packed, lengths, &out));
	kb_buf_fini(&whole);
	kb_buf_fini(&front);
	kb_buf_fini(&out);
	free(codes);
	free(v);
}

static void test_extending(struct kb_test *t)
{
	static const uint32_t sizes[][2] = { { 0, 0 },     { 0, 1 },     { 5, 130 },   { 127, 128 },
		                             { 128, 128 }, { 128, 129 }, { 128, 256 }, { 200, 300 },
		                             { 256, 256 }, { 300, 300 }, { 500, 5000 } };
	struct dice dice = { 10 };

	for (size_t i = 0; i < KB_COUNTOF(sizes); i++)
		check_extended(t, &dice, sizes[i][0], sizes[i][1]);
}

/* No posting of a block has a better pair of count and length than the block's maxima. */
static void test_maxima(struct kb_test *t)
{
	enum { N = 1000 };
	static struct kb_posting v[N];
	struct dice dice = { 9 };
	uint32_t docs = make_list(&dice, v, N, false);
	uint8_t *codes = kb_xcalloc(docs, 1);
	const uint8_t *const lengths[KB_FIELDS] = { codes, codes, codes };
	struct kb_cursor cursor;
	struct kb_buf buf;

	for (uint32_t i = 0; i < docs; i++)
		codes[i] = (uint8_t)roll(&dice, 256);
	kb_buf_init(&buf, KB_MIB(1));
	kb_postings_encode(v, N, lengths, &buf);
	kb_cursor_init(&cursor, kb_buf_view(&buf), N);
	for (int64_t block = KB_WHOLE_LIST; block < cursor.blocks; block++) {
		uint32_t first = block < 0 ? 0 : (uint32_t)block * KB_BLOCK;
		uint32_t end = block < 0 ? N : KB_MIN(first + KB_BLOCK, (uint32_t)N);
		struct kb_maxima maxima;

		CHECK(t, kb_cursor_maxima(&cursor, block, &maxima));
		for (uint32_t i = first; i < end; i++)
			for (int f = 0; f < KB_FIELDS; f++) {
				uint32_t tf = KB_MIN(v[i].tf[f], 255u);
				bool covered = !tf;

				for (unsigned p = 0; p < maxima.n[f]; p++)
					covered |= maxima.pairs[f][2 * p] >= tf
					           && maxima.pairs[f][2 * p + 1] <= codes[v[i].doc];
				CHECK(t, covered);
			}
	}
	kb_buf_fini(&buf);
	free(codes);
}

static void test_lengths(struct kb_test *t)
{
	uint32_t table[256];

	kb_length_table(table);
	for (uint32_t n = 0; n <= 50; n++)
		CHECK_INT(t, table[kb_length_code(table, n)], n);
	for (uint32_t n = 51; n < 100000; n += 13)
		CHECK(t, fabs((double)table[kb_length_code(table, n)] - n) < .021 * n + 1);
	CHECK_INT(t, kb_length_code(table, UINT32_MAX), 255);
}

int main(int argc, char **argv)
{
	static const struct kb_test_case cases[] = {
		{ "integers of every width come back", test_packing },
		{ "lists of every length come back, and seeking finds its place", test_lists },
		{ "a list that goes on behind another is that of all postings", test_extending },
		{ "the maxima of a block cover its postings", test_maxima },
		{ "lengths are exact to 50, then near", test_lengths },
	};

	return kb_test_main(argc, argv, cases, KB_COUNTOF(cases));
}
