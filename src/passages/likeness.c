#include "passages/likeness.h"

#include "base/hash.h"
#include "base/simhash.h"
#include "base/utf8.h"
#include "index/unicode.h"

enum {
	ROW = 3,         /* words of a feature */
	WORD_BYTES = 64, /* what is longer is cut in words of that length */
};

/* One text that is read word by word. */
struct reader {
	struct kb_simhash hash;
	uint64_t last[ROW]; /* words; the newest is last[words % ROW] */
	uint64_t marks;     /* all that has to be the same, in any order */
	int64_t words;

	char word[WORD_BYTES];
	size_t n;
	bool has_digit;
};

/* A bijection that leaves no pattern (splitmix64): sums of such numbers tell sets apart. */
static uint64_t mix(uint64_t x)
{
	x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
	return x ^ (x >> 31);
}

static void end_word(struct reader *r, bool is_mark)
{
	uint64_t word, row = 0;

	if (r->n == 0)
		return;
	word = kb_hash64(kb_sv(r->word, r->n));
	if (is_mark || r->has_digit)
		r->marks += mix(word);
	if (!is_mark) {
		r->last[r->words++ % ROW] = word;
		for (int i = 0; i < ROW; i++)
			row = mix(row + r->last[(r->words + i) % ROW]);
		if (r->words >= ROW)
			kb_simhash_add(&r->hash, row);
	}
	r->n = 0;
	r->has_digit = false;
}

static void add_char(struct reader *r, uint32_t cp, bool is_mark)
{
	if (r->n + 4 > WORD_BYTES)
		end_word(r, is_mark);
	r->n += kb_utf8_encode(kb_char_lower(cp), r->word + r->n);
}

/* Words as they stand between blanks and signs; of scripts that have no blanks, characters. */
static void read_text(struct reader *r, struct kb_sv text, bool is_mark)
{
	while (text.n) {
		uint32_t cp;
		size_t n = kb_utf8_decode(text, &cp);

		text = kb_sv_from(text, n);
		switch (cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp)) {
		case KB_CHAR_IGNORED:
			break;
		case KB_CHAR_BREAK:
			end_word(r, is_mark);
			break;
		case KB_CHAR_CJK:
		case KB_CHAR_SEA:
			end_word(r, is_mark);
			add_char(r, cp, is_mark);
			end_word(r, is_mark);
			break;
		case KB_CHAR_DIGIT:
			add_char(r, cp, is_mark);
			r->has_digit = true;
			break;
		case KB_CHAR_LETTER:
			add_char(r, cp, is_mark);
			break;
		}
	}
	end_word(r, is_mark);
}

uint64_t kb_likeness(const struct kb_parsed *parsed)
{
	struct reader r = { 0 };
	struct kb_sv heading = KB_SV("");
	bool any = false;
	uint64_t likeness;

	for (size_t i = 0; i < parsed->block_count; i++) {
		const struct kb_block *block = &parsed->blocks[i];

		if (!kb_sv_eq(block->heading, heading))
			read_text(&r, heading = block->heading, true);
		any |= heading.n > 0;
		read_text(&r, block->text, false);
	}
	if (!any)
		read_text(&r, parsed->title, true);
	if (r.words < KB_LIKENESS_WORDS_MIN)
		return 0;
	/* The same marks on both sides leave the distance as it is; others make it any. */
	likeness = kb_simhash_end(&r.hash) ^ mix(r.marks);
	return likeness ? likeness : 1;
}
