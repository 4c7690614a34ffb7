#include "answer/named_alike.h"

#include "base/utf8.h"

enum {
	ONE_SLIP = 5,  /* letters of a name that may be spelt with one letter amiss */
	TWO_SLIPS = 9, /* or with two */
	ENDING = 3,    /* letters that a form of a name may have more */
};

size_t kb_named_bare(struct kb_sv word, char *out, size_t max)
{
	static const struct {
		uint32_t first, last;
		const char *as;
	} marks[] = {
		{ 0xe0, 0xe5, "a" },    { 0xe6, 0xe6, "ae" },  { 0xe7, 0xe7, "c" },
		{ 0xe8, 0xeb, "e" },    { 0xec, 0xef, "i" },   { 0xf1, 0xf1, "n" },
		{ 0xf2, 0xf6, "o" },    { 0xf8, 0xf8, "o" },   { 0xf9, 0xfc, "u" },
		{ 0xfd, 0xfd, "y" },    { 0xff, 0xff, "y" },   { 0xdf, 0xdf, "ss" },
		{ 0x101, 0x105, "a" },  { 0x107, 0x10d, "c" }, { 0x10f, 0x111, "d" },
		{ 0x113, 0x11b, "e" },  { 0x11d, 0x123, "g" }, { 0x129, 0x131, "i" },
		{ 0x13a, 0x142, "l" },  { 0x144, 0x148, "n" }, { 0x14d, 0x151, "o" },
		{ 0x153, 0x153, "oe" }, { 0x155, 0x159, "r" }, { 0x15b, 0x161, "s" },
		{ 0x163, 0x167, "t" },  { 0x169, 0x173, "u" }, { 0x17a, 0x17e, "z" },
		{ 0x219, 0x219, "s" },  { 0x21b, 0x21b, "t" },
	};
	size_t n = 0;

	for (size_t i = 0; i < word.n && n + 4 <= max;) {
		uint32_t cp;
		size_t size = kb_utf8_decode(kb_sv_from(word, i), &cp);
		const char *as = NULL;

		for (size_t k = 0; k < KB_COUNTOF(marks); k++)
			if (cp >= marks[k].first && cp <= marks[k].last)
				as = marks[k].as;
		if (as)
			while (*as)
				out[n++] = *as++;
		else
			for (size_t k = 0; k < size; k++)
				out[n++] = word.p[i + k];
		i += size;
	}
	/* The other way to write an umlaut. */
	for (size_t i = 1; i < n; i++)
		if (out[i] == 'e'
		    && (out[i - 1] == 'a' || out[i - 1] == 'o' || out[i - 1] == 'u')) {
			memmove(out + i, out + i + 1, n - i - 1);
			n--;
		}
	return n;
}

/* Letters to change, to add or to take away. */
static size_t distance(const char *a, size_t a_count, const char *b, size_t b_count)
{
	size_t row[KB_ALIKE_CHARS + 1];

	for (size_t k = 0; k <= b_count; k++)
		row[k] = k;
	for (size_t i = 1; i <= a_count; i++) {
		size_t corner = row[0];

		row[0] = i;
		for (size_t k = 1; k <= b_count; k++) {
			size_t above = row[k];

			row[k] = KB_MIN(KB_MIN(above, row[k - 1]) + 1,
			                corner + (a[i - 1] != b[k - 1]));
			corner = above;
		}
	}
	return row[b_count];
}

bool kb_named_alike(const char *name, size_t n, struct kb_sv word)
{
	char other[KB_ALIKE_CHARS];
	size_t m, slips = n >= TWO_SLIPS ? 2 : n >= ONE_SLIP;

	if (word.n + 2 * ENDING < n || word.n > 2 * n + 2 * ENDING)
		return false;
	m = kb_named_bare(word, other, sizeof(other));
	if (!m)
		return false;
	/* Bernd, Bernds; what begins alike and goes on a little. */
	if (m >= ONE_SLIP - 1 && n >= ONE_SLIP - 1 && memcmp(name, other, KB_MIN(n, m)) == 0)
		return n > m ? n - m <= ENDING : m - n <= ENDING;
	if (n == m && memcmp(name, other, n) == 0)
		return true;
	return name[0] == other[0] && (n > m ? n - m : m - n) <= slips
	       && distance(name, n, other, m) <= slips;
}
