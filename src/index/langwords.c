#include "index/langwords.h"

#include <pthread.h>

#include "base/hash.h"
#include "index/bytes.h"
#include "index/stopwords.h"

enum {
	KEY_BYTES = 8,  /* longer words are not looked up: function words are short */
	SLOT_BITS = 13, /* of either table: there are some four thousand words */
	SLOTS = 1 << SLOT_BITS,

	/* Measured over the collections named in docs/makers/search.md: each is where verdicts that
	 * a reader would not share begin. Shares are one in so many. */
	FOREIGN_SHARE = 20, /* of the letters */
	LISTING_WORDS = 30, /* fewer may be a short text of a language without a list */
	LISTING_SHARE = 20, /* function words of a listing or a table among its words */
	EXCLUSIVE_FEW = 3,
	RIVAL_SHARE = 6,
	OTHERS_SHARE = 2,
	HITS_FEW = 6,
	PROSE_SHARE = 7, /* function words of prose among its words; English has 2 in 5 */
	LETTERS_A_WORD = 6,
};

/* Both tables are built once from the lists, then only read. */
static struct {
	pthread_once_t once;
	/* All words. */
	struct {
		struct kb_sv word; /* empty: free */
		uint64_t langs;    /* a bit for each language */
	} all[SLOTS];
	/* Those of Latin letters that are no longer than a key, by their bytes with the bit that
	 * makes ASCII letters small; words that differ only there fall together, which is right for
	 * the capitals of Latin-1 and rare elsewhere. */
	struct {
		uint64_t key; /* 0: free */
		uint64_t langs;
	} keys[SLOTS];
} table = { .once = PTHREAD_ONCE_INIT };
static_assert(KB_LANG_COUNT <= 64, "a language is a bit");

static const uint64_t small_bits = UINT64_C(0x2020202020202020);

static size_t slot_of_key(uint64_t key)
{
	size_t slot = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SLOT_BITS);

	while (table.keys[slot].key && table.keys[slot].key != key)
		slot = (slot + 1) % SLOTS;
	return slot;
}

static size_t slot_of_word(struct kb_sv word)
{
	size_t slot = kb_hash64(word) % SLOTS;

	while (table.all[slot].word.n && !kb_sv_eq(table.all[slot].word, word))
		slot = (slot + 1) % SLOTS;
	return slot;
}

/* Letters of Latin alphabets: ASCII, U+00C0 to U+024F, U+1E00 to U+1EFF. */
static bool is_latin(struct kb_sv word)
{
	for (size_t i = 0; i < word.n; i++) {
		unsigned char c = (unsigned char)word.p[i];

		if (c > 0xc9 && c != 0xe1)
			return false;
	}
	return true;
}

/* The first n bytes, small; zeros after them. */
static uint64_t key_of(const char *p, size_t n)
{
	return kb_prefix64(p, n) | small_bits >> (8 * (KEY_BYTES - n));
}

static void fill(void)
{
	size_t used = 0;

	for (int lang = 1; lang < KB_LANG_COUNT; lang++) {
		struct kb_sv rest = kb_stopword_list((enum kb_lang)lang), word;
		uint64_t bit = UINT64_C(1) << lang;

		while (kb_sv_split(&rest, ' ', &word)) {
			size_t slot;

			if (!word.n)
				continue;
			slot = slot_of_word(word);
			used += !table.all[slot].word.n;
			KB_ASSERT(used < SLOTS * 3 / 4);
			table.all[slot].word = word;
			table.all[slot].langs |= bit;
			if (word.n > KEY_BYTES || !is_latin(word))
				continue;
			slot = slot_of_key(key_of(word.p, word.n));
			table.keys[slot].key = key_of(word.p, word.n);
			table.keys[slot].langs |= bit;
		}
	}
}

uint64_t kb_lang_lists(struct kb_sv word)
{
	pthread_once(&table.once, fill);
	return word.n ? table.all[slot_of_word(word)].langs : 0;
}

/* Bytes of words. A word with a digit or an underscore is a name of something: its key matches no
 * entry. */
enum { BREAK = 0, LETTER = 1, OTHER = 2, HIGH = 4 };
// clang-format off
#define TEN(kind)     kind, kind, kind, kind, kind, kind, kind, kind, kind, kind
#define SIXTEEN(kind) TEN(kind), kind, kind, kind, kind, kind, kind
#define LETTERS       TEN(LETTER), SIXTEEN(LETTER)
static const uint8_t kinds[256] = {
	['0'] = TEN(OTHER), ['A'] = LETTERS, ['_'] = OTHER, ['a'] = LETTERS,
	[0x80] = SIXTEEN(HIGH), SIXTEEN(HIGH), SIXTEEN(HIGH), SIXTEEN(HIGH),
	         SIXTEEN(HIGH), SIXTEEN(HIGH), SIXTEEN(HIGH), SIXTEEN(HIGH),
};
// clang-format on

static void count_high(struct kb_lang_words *words, const unsigned char *p,
                       const unsigned char *end)
{
	for (; p < end; p++) {
		words->high += *p >= 0x80;
		words->foreign += *p > 0xc9 && *p != 0xe1 && *p != 0xe2;
	}
}

void kb_lang_words_add(struct kb_lang_words *words, struct kb_sv text)
{
	const unsigned char *p = (const unsigned char *)text.p, *end = p + text.n;

	pthread_once(&table.once, fill);
	while (p < end) {
		const unsigned char *start;
		unsigned all = 0, kind;
		size_t n, slot;

		while (p < end && kinds[*p] == BREAK)
			p++;
		for (start = p; p < end && (kind = kinds[*p]) != BREAK; p++)
			all |= kind;
		n = (size_t)(p - start);
		if (all & HIGH)
			count_high(words, start, p);
		/* Single letters are those of formulas, listings and initials. */
		if (n < 2 || all == OTHER)
			continue;
		words->words++;
		if (n > KEY_BYTES || words->hits == KB_LANG_HITS_MAX)
			continue;
		slot = slot_of_key(end - start >= KEY_BYTES
		                           ? (kb_load64((const char *)start) | small_bits)
		                                     & UINT64_MAX >> (8 * (KEY_BYTES - n))
		                           : key_of((const char *)start, n));
		words->found[words->hits] = (uint16_t)slot;
		words->hits += table.keys[slot].key != 0;
	}
}

static int most(const uint32_t counts[KB_LANG_COUNT])
{
	int best = 0;

	for (int lang = 1; lang < KB_LANG_COUNT; lang++)
		if (counts[lang] > counts[best])
			best = lang;
	return best;
}

static void count(uint64_t langs, uint32_t counts[KB_LANG_COUNT])
{
	for (; langs; langs &= langs - 1)
		counts[__builtin_ctzll(langs)]++;
}

/* What the hits say. */
struct votes {
	int best;           /* the language with the most */
	uint32_t hits;      /* its own */
	uint32_t exclusive; /* of them in no other list */
	bool varied;        /* these are not one word again and again */
	uint32_t others;    /* hits that are not its own */
	uint32_t rival;     /* the most that another language has of them */
};

static struct votes count_votes(const struct kb_lang_words *words)
{
	uint32_t counts[KB_LANG_COUNT] = { 0 }, against[KB_LANG_COUNT] = { 0 };
	struct votes votes = { 0 };
	uint16_t first = 0;

	for (uint32_t i = 0; i < words->hits; i++)
		count(table.keys[words->found[i]].langs, counts);
	votes.best = most(counts);
	votes.hits = counts[votes.best];
	for (uint32_t i = 0; i < words->hits; i++) {
		uint64_t langs = table.keys[words->found[i]].langs, own = UINT64_C(1) << votes.best;

		if (!(langs & own)) {
			votes.others++;
			count(langs, against);
		} else if (langs == own) {
			if (!votes.exclusive++)
				first = words->found[i];
			votes.varied |= words->found[i] != first;
		}
	}
	votes.rival = against[most(against)];
	return votes;
}

enum kb_lang kb_lang_words_verdict(const struct kb_lang_words *words)
{
	struct votes votes = count_votes(words);
	bool english = votes.best == KB_LANG_EN;

	if (words->foreign * FOREIGN_SHARE > words->high + words->words * LETTERS_A_WORD)
		return KB_LANG_NONE;
	/* Programs and tables. Their names are English where they are of any language. */
	if (!words->high && words->words >= LISTING_WORDS
	    && votes.others * LISTING_SHARE <= words->words
	    && (english || votes.hits * LISTING_SHARE <= words->words))
		return KB_LANG_EN;
	if (votes.exclusive < EXCLUSIVE_FEW || !votes.varied
	    || votes.rival * RIVAL_SHARE > votes.hits || votes.others * OTHERS_SHARE > votes.hits)
		return KB_LANG_NONE;
	if (votes.hits >= HITS_FEW && votes.hits * PROSE_SHARE >= words->words)
		return (enum kb_lang)votes.best;
	return english && votes.exclusive >= 4 * votes.rival ? KB_LANG_EN : KB_LANG_NONE;
}
