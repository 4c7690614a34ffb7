/* Words as SQuAD's evaluation counts them, in any script. */
#include "answer/gold.h"

#include <stdlib.h>
#include <string.h>
#include <utf8proc.h>

#include "base/buf.h"
#include "base/utf8.h"

/* Scripts whose words are not divided by blanks: each character is a word. */
static bool is_alone(uint32_t cp)
{
	static const struct {
		uint32_t from, to;
	} ranges[] = {
		{ 0x0e00, 0x0e7f }, { 0x2e80, 0x303f }, { 0x3040, 0x30ff },
		{ 0x3100, 0x312f }, { 0x3400, 0x4dbf }, { 0x4e00, 0x9fff },
		{ 0xac00, 0xd7af }, { 0xf900, 0xfaff }, { 0x20000, 0x3ffff },
	};

	for (size_t i = 0; i < KB_COUNTOF(ranges); i++)
		if (cp >= ranges[i].from && cp <= ranges[i].to)
			return true;
	return false;
}

static bool is_punctuation(utf8proc_category_t category)
{
	return category >= UTF8PROC_CATEGORY_PC && category <= UTF8PROC_CATEGORY_PO;
}

static bool is_separator(utf8proc_category_t category)
{
	return category >= UTF8PROC_CATEGORY_ZS && category <= UTF8PROC_CATEGORY_ZP;
}

static bool is_blank(uint32_t cp)
{
	return (cp >= 9 && cp <= 13) || (cp >= 0x1c && cp <= 0x20) || cp == 0x85
	       || is_separator(utf8proc_category((int32_t)cp));
}

/* Letters and numbers, as a pattern's \w has them. */
static bool is_of_word(uint32_t cp)
{
	utf8proc_category_t category = utf8proc_category((int32_t)cp);

	return category <= UTF8PROC_CATEGORY_LO
	               ? category >= UTF8PROC_CATEGORY_LU
	               : category >= UTF8PROC_CATEGORY_ND && category <= UTF8PROC_CATEGORY_NO;
}

static void add_char(struct kb_buf *buf, uint32_t cp)
{
	char bytes[4];

	kb_buf_add(buf, bytes, kb_utf8_encode(cp, bytes));
}

/* In lower case; *alone: it holds characters that are words by themselves. */
static void lower(struct kb_buf *buf, struct kb_sv text, bool *alone)
{
	uint32_t cp;

	*alone = false;
	for (size_t at = 0, n; at < text.n; at += n) {
		n = kb_utf8_decode(kb_sv_from(text, at), &cp);
		if (cp == KB_UTF8_BAD)
			cp = ' ';
		cp = (uint32_t)utf8proc_tolower((int32_t)cp);
		*alone |= is_alone(cp);
		add_char(buf, cp);
	}
}

/* Full-width forms become plain ones, punctuation of any script a blank, and characters that are
 * words stand apart. */
static void part(struct kb_buf *buf, struct kb_sv text)
{
	uint8_t *normal = NULL;
	utf8proc_ssize_t size = utf8proc_map(
	        (const uint8_t *)text.p, (utf8proc_ssize_t)text.n, &normal,
	        (utf8proc_option_t)(UTF8PROC_STABLE | UTF8PROC_COMPOSE | UTF8PROC_COMPAT));
	struct kb_sv all = size < 0 ? text : kb_sv((const char *)normal, (size_t)size);
	uint32_t cp;

	for (size_t at = 0, n; at < all.n; at += n) {
		utf8proc_category_t category;

		n = kb_utf8_decode(kb_sv_from(all, at), &cp);
		category = utf8proc_category((int32_t)cp);
		if (is_punctuation(category) || is_separator(category)) {
			kb_buf_byte(buf, ' ');
		} else {
			if (is_alone(cp))
				kb_buf_byte(buf, ' ');
			add_char(buf, cp);
			if (is_alone(cp))
				kb_buf_byte(buf, ' ');
		}
	}
	free(normal);
}

/* Without the punctuation of ASCII, which leaves nothing behind. */
static void strip(struct kb_buf *buf, struct kb_sv text)
{
	static const char marks[] = "!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~";

	for (size_t i = 0; i < text.n; i++)
		if (!text.p[i] || !strchr(marks, text.p[i]))
			kb_buf_byte(buf, text.p[i]);
}

/* The run of letters and numbers, or of anything else, at the beginning. */
static struct kb_sv next_run(struct kb_sv text, bool *word)
{
	size_t at = 0, n;
	uint32_t cp;

	for (; at < text.n; at += n) {
		n = kb_utf8_decode(kb_sv_from(text, at), &cp);
		if (!at)
			*word = is_of_word(cp);
		else if (is_of_word(cp) != *word)
			break;
	}
	return kb_sv_sub(text, 0, at);
}

/* Articles become a blank. */
static void drop_articles(struct kb_buf *buf, struct kb_sv text)
{
	while (text.n) {
		bool word = false;
		struct kb_sv run = next_run(text, &word);

		if (word
		    && (kb_sv_eq_str(run, "a") || kb_sv_eq_str(run, "an")
		        || kb_sv_eq_str(run, "the")))
			kb_buf_byte(buf, ' ');
		else
			kb_buf_sv(buf, run);
		text = kb_sv_from(text, run.n);
	}
}

static void split(struct kb_arena *arena, struct kb_sv text, struct kb_gold_tokens *out)
{
	size_t begin = 0, n;
	uint32_t cp;

	/* A word has a byte at least, and another between it and the next one. */
	out->v = KB_NEW_ARRAY(arena, text.n / 2 + 1, struct kb_sv);
	out->count = 0;
	for (size_t at = 0; at <= text.n; at += n) {
		n = at < text.n ? kb_utf8_decode(kb_sv_from(text, at), &cp) : 1;
		if (at < text.n && !is_blank(cp))
			continue;
		if (at > begin)
			out->v[out->count++] = kb_sv_sub(text, begin, at - begin);
		begin = at + n;
	}
}

void kb_gold_tokenize(struct kb_arena *arena, struct kb_sv text, struct kb_gold_tokens *out)
{
	struct kb_buf one, two;
	bool alone;

	kb_buf_init(&one, SIZE_MAX);
	kb_buf_init(&two, SIZE_MAX);
	lower(&one, text, &alone);
	if (alone) {
		part(&two, kb_buf_view(&one));
		kb_buf_clear(&one);
		kb_buf_sv(&one, kb_buf_view(&two));
		kb_buf_clear(&two);
	}
	strip(&two, kb_buf_view(&one));
	kb_buf_clear(&one);
	drop_articles(&one, kb_buf_view(&two));
	split(arena, kb_arena_sv(arena, kb_buf_view(&one)), out);
	kb_buf_fini(&one);
	kb_buf_fini(&two);
}

bool kb_gold_exact(const struct kb_gold_tokens *said, const struct kb_gold_tokens *gold)
{
	if (said->count != gold->count)
		return false;
	for (size_t i = 0; i < said->count; i++)
		if (!kb_sv_eq(said->v[i], gold->v[i]))
			return false;
	return true;
}

static int by_bytes(const void *a, const void *b)
{
	return kb_sv_cmp(*(const struct kb_sv *)a, *(const struct kb_sv *)b);
}

static struct kb_sv *sorted(const struct kb_gold_tokens *tokens)
{
	struct kb_sv *v = kb_xcalloc(tokens->count + 1, sizeof(*v));

	if (tokens->count)
		memcpy(v, tokens->v, tokens->count * sizeof(*v));
	qsort(v, tokens->count, sizeof(*v), by_bytes);
	return v;
}

double kb_gold_f1(const struct kb_gold_tokens *said, const struct kb_gold_tokens *gold)
{
	struct kb_sv *a, *b;
	size_t same = 0;
	double precision, recall;

	if (!said->count || !gold->count)
		return said->count == gold->count;
	a = sorted(said);
	b = sorted(gold);
	for (size_t i = 0, k = 0; i < said->count && k < gold->count;) {
		int order = kb_sv_cmp(a[i], b[k]);

		same += order == 0;
		i += order <= 0;
		k += order >= 0;
	}
	free(a);
	free(b);
	if (!same)
		return 0;
	precision = (double)same / (double)said->count;
	recall = (double)same / (double)gold->count;
	return 2 * precision * recall / (precision + recall);
}

bool kb_gold_contains(const struct kb_gold_tokens *text, const struct kb_gold_tokens *gold)
{
	for (size_t i = 0; gold->count && i + gold->count <= text->count; i++) {
		const struct kb_gold_tokens part_of = { text->v + i, gold->count };

		if (kb_gold_exact(&part_of, gold))
			return true;
	}
	return false;
}
