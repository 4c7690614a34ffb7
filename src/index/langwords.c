#include "index/langwords.h"

#include <pthread.h>

#include "index/bytes.h"
#include "index/stopwords.h"

enum {
	KEY_BYTES = 8, /* longer words are not looked up: function words are short */
	SLOT_BITS = 13,
	SLOTS = 1 << SLOT_BITS,

	/* Measured over the collections named in docs/search.md: each is where verdicts that a
	 * reader would not share begin. Shares are one in so many. */
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

/* Words by their bytes; built once from the lists, then only read. */
static struct {
	pthread_once_t once;
	uint64_t keys[SLOTS];  /* 0: free */
	uint64_t langs[SLOTS]; /* a bit for each language */
} table = { .once = PTHREAD_ONCE_INIT };
static_assert(KB_LANG_COUNT <= 64, "a language is a bit");

static size_t slot_of(uint64_t key)
{
	size_t slot = (key * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - SLOT_BITS);

	while (table.keys[slot] && table.keys[slot] != key)
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

static void fill(void)
{
	for (int lang = 1; lang < KB_LANG_COUNT; lang++) {
		struct kb_sv rest = kb_stopword_list((enum kb_lang)lang), word;

		while (kb_sv_split(&rest, ' ', &word)) {
			uint64_t key = kb_prefix64(word.p, word.n);
			size_t slot;

			if (!word.n || word.n > KEY_BYTES || !is_latin(word))
				continue;
			slot = slot_of(key);
			table.keys[slot] = key;
			table.langs[slot] |= UINT64_C(1) << lang;
		}
	}
}

/* Bytes of words. A word with a digit or an underscore is a name of something: its bytes match no
 * entry. Lower case of the others is one bit away. */
enum { BREAK, WORD };
// clang-format off
#define TEN(kind)    kind, kind, kind, kind, kind, kind, kind, kind, kind, kind
#define LETTERS      TEN(WORD), TEN(WORD), WORD, WORD, WORD, WORD, WORD, WORD
#define SIXTEEN      TEN(WORD), WORD, WORD, WORD, WORD, WORD, WORD
static const uint8_t kinds[256] = {
	['0'] = TEN(WORD), ['A'] = LETTERS, ['_'] = WORD, ['a'] = LETTERS,
	[0x80] = SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN, SIXTEEN,
};
// clang-format on

void kb_lang_words_add(struct kb_lang_words *words, struct kb_sv text)
{
	const unsigned char *p = (const unsigned char *)text.p, *end = p + text.n;

	pthread_once(&table.once, fill);
	while (p < end) {
		uint64_t key = 0;
		unsigned n = 0, all = 0;

		while (p < end && kinds[*p] == BREAK)
			p++;
		for (; p < end && kinds[*p] == WORD; p++, n++) {
			unsigned char c = *p;

			if (c < 0x80) {
				c |= 0x20;
			} else {
				words->high++;
				words->foreign += c > 0xc9 && c != 0xe1 && c != 0xe2;
			}
			all |= c;
			if (n < KEY_BYTES)
				key |= (uint64_t)c << (8 * n);
		}
		/* Single letters are those of formulas, listings and initials. */
		if (n < 2 || all < 'a')
			continue;
		words->words++;
		if (n <= KEY_BYTES && words->hits < KB_LANG_HITS_MAX) {
			size_t slot = slot_of(key);

			words->found[words->hits] = (uint16_t)slot;
			words->hits += table.keys[slot] != 0;
		}
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
		count(table.langs[words->found[i]], counts);
	votes.best = most(counts);
	votes.hits = counts[votes.best];
	for (uint32_t i = 0; i < words->hits; i++) {
		uint64_t langs = table.langs[words->found[i]], own = UINT64_C(1) << votes.best;

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
