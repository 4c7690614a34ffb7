/*
 * What the analyzer remembers of a word: its normalised form, its stem, its flags. A dictionary's
 * worth of work instead of a text's. One cache a language; one thread.
 */
#ifndef KB_INDEX_ANALYSIS_CACHE_H
#define KB_INDEX_ANALYSIS_CACHE_H

#include "base/arena.h"
#include "index/bytes.h"
#include "index/lang.h"

/* Half of a line of the processor's cache. */
struct kb_word {
	uint64_t low, high; /* the raw word where it has at most KB_WORD_KEY bytes, zeros after it;
	                       else a hash of it, twice */
	const char *at; /* the normalised word, KB_WORD_SLACK bytes behind which may be read; then
	                   the stem where it is no beginning of it; then the raw word where it is
	                   longer than a key */
	uint8_t raw_n;  /* 0: free */
	uint8_t word_n, stem_n;
	uint8_t flags; /* STOP, FUNCTION, NUMBER; and the two below */
};

enum {
	KB_WORD_KEY = 16,
	KB_WORD_STEM_APART = 64, /* beside the term flags */
	KB_WORD_MIXED = 128,     /* letters and digits */
	KB_WORD_FLAGS = KB_WORD_STEM_APART - 1,
};

struct sb_stemmer;

struct kb_word_cache {
	struct kb_word *slots; /* a power of two of them, more than are used */
	unsigned shift;        /* a hash's upper bits choose the slot */
	size_t size, used;
	struct kb_arena bytes;
	enum kb_lang lang;
	struct sb_stemmer *stemmer; /* NULL: words are their own stems */
};

struct kb_word_cache *kb_word_cache_new(enum kb_lang lang);
void kb_word_cache_free(struct kb_word_cache *cache);

/* Before a text: forgets all words where there are too many. */
void kb_word_cache_begin(struct kb_word_cache *cache);

/* Takes up a word that is not there. */
const struct kb_word *kb_word_cache_fill(struct kb_word_cache *cache, struct kb_sv raw,
                                         uint64_t low, uint64_t high);

static inline size_t kb_word_slot(const struct kb_word_cache *cache, size_t raw_n, uint64_t low,
                                  uint64_t high)
{
	const uint64_t odd = UINT64_C(0x9e3779b97f4a7c15), other = UINT64_C(0xd6e8feb86659fd93);

	return ((low ^ (high * other + raw_n)) * odd) >> cache->shift;
}

/* A word by its key: of a raw word of at most KB_WORD_KEY bytes its bytes. */
static inline const struct kb_word *
kb_word_cache_find(struct kb_word_cache *cache, struct kb_sv raw, uint64_t low, uint64_t high)
{
	for (size_t i = kb_word_slot(cache, raw.n, low, high);; i = (i + 1) & (cache->size - 1)) {
		const struct kb_word *word = &cache->slots[i];
		const char *kept;

		if (!word->raw_n)
			return kb_word_cache_fill(cache, raw, low, high);
		if (word->low != low || word->high != high || word->raw_n != raw.n)
			continue;
		if (raw.n <= KB_WORD_KEY)
			return word;
		kept = word->at + word->word_n
		       + (word->flags & KB_WORD_STEM_APART ? word->stem_n : 0);
		if (memcmp(kept, raw.p, raw.n) == 0)
			return word;
	}
}

/* The word of raw letters, digits and marks (1 to KB_WORD_BYTES bytes), as they stand in the text
 * or in ASCII lower case. It may be empty: nothing but marks. It lives until the next look-up, its
 * bytes until the next begin. */
const struct kb_word *kb_word_cache_get(struct kb_word_cache *cache, struct kb_sv raw);

static inline struct kb_sv kb_word_whole(const struct kb_word *word)
{
	return kb_sv(word->at, word->word_n);
}

static inline struct kb_sv kb_word_stem(const struct kb_word *word)
{
	return kb_sv(word->at + (word->flags & KB_WORD_STEM_APART ? word->word_n : 0),
	             word->stem_n);
}

/* The stem of a normalised word, without remembering either: a view into the stemmer or the word,
 * until the next call. */
struct kb_sv kb_word_cache_stem(struct kb_word_cache *cache, struct kb_sv word);

#endif
