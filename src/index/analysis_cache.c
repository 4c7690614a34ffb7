/*
 * An open table of words over an arena of their bytes. When it has grown to its limit everything is
 * forgotten: a text of endless new words costs time, not memory.
 */
#include "index/analysis_cache.h"

#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "index/langwords.h"
#include "index/stopwords.h"
#include "index/term.h"
#include "index/unicode.h"

enum {
	SIZE_FIRST = 1 << 10,
	FULL = KB_WORD_HINTS / 2, /* then all words are forgotten before the next text */
	FOLDED_MAX = 255,
};

/* Languages in which Snowball's name is not the code, or that have no stemmer, are NULL. */
static const char *const stemmers[KB_LANG_COUNT] = {
	[KB_LANG_EN] = "english",    [KB_LANG_DE] = "german",  [KB_LANG_FR] = "french",
	[KB_LANG_ES] = "spanish",    [KB_LANG_IT] = "italian", [KB_LANG_PT] = "portuguese",
	[KB_LANG_NL] = "dutch",      [KB_LANG_SV] = "swedish", [KB_LANG_DA] = "danish",
	[KB_LANG_NO] = "norwegian",  [KB_LANG_FI] = "finnish", [KB_LANG_HU] = "hungarian",
	[KB_LANG_RO] = "romanian",   [KB_LANG_TR] = "turkish", [KB_LANG_RU] = "russian",
	[KB_LANG_EL] = "greek",      [KB_LANG_AR] = "arabic",  [KB_LANG_HI] = "hindi",
	[KB_LANG_ID] = "indonesian", [KB_LANG_CA] = "catalan", [KB_LANG_LT] = "lithuanian",
	[KB_LANG_HY] = "armenian",   [KB_LANG_EU] = "basque",  [KB_LANG_GA] = "irish",
	[KB_LANG_SR] = "serbian",    [KB_LANG_NE] = "nepali",  [KB_LANG_TA] = "tamil",
	[KB_LANG_YI] = "yiddish",
};

static void set_size(struct kb_word_cache *cache, size_t size)
{
	cache->slots = kb_xcalloc(size, sizeof(*cache->slots));
	cache->size = size;
	cache->shift = 64 - (unsigned)__builtin_ctzll(size);
}

struct kb_word_cache *kb_word_cache_new(enum kb_lang lang)
{
	struct kb_word_cache *cache = kb_xcalloc(1, sizeof(*cache));

	cache->lang = lang;
	if (stemmers[lang])
		cache->stemmer = sb_stemmer_new(stemmers[lang], "UTF_8");
	set_size(cache, SIZE_FIRST);
	return cache;
}

void kb_word_cache_free(struct kb_word_cache *cache)
{
	if (!cache)
		return;
	if (cache->stemmer)
		sb_stemmer_delete(cache->stemmer);
	kb_arena_fini(&cache->bytes);
	free(cache->slots);
	free(cache);
}

static size_t free_slot(const struct kb_word_cache *cache, const struct kb_word *word)
{
	size_t i = kb_word_slot(cache, word->raw_n, word->low, word->high);

	while (cache->slots[i].raw_n)
		i = (i + 1) & (cache->size - 1);
	return i;
}

/* Makes room for twice as many words. */
static void grow(struct kb_word_cache *cache)
{
	struct kb_word *old = cache->slots;
	size_t old_size = cache->size;

	set_size(cache, old_size * 2);
	for (size_t i = 0; i < old_size; i++)
		if (old[i].raw_n)
			cache->slots[free_slot(cache, &old[i])] = old[i];
	free(old);
}

void kb_word_cache_begin(struct kb_word_cache *cache)
{
	if (cache->used < FULL)
		return;
	memset(cache->slots, 0, cache->size * sizeof(*cache->slots));
	cache->used = 0;
	kb_arena_reset(&cache->bytes);
}

/* Letters and digits in one word; a word of digits with '.' or ',' is a number. */
static uint8_t look(struct kb_sv word)
{
	bool digit = false, letter = false;

	for (size_t i = 0; i < word.n; i++) {
		unsigned char c = (unsigned char)word.p[i];

		if (c >= '0' && c <= '9')
			digit = true;
		else if (c != '.' && c != ',')
			letter = true;
	}
	return (uint8_t)((digit ? KB_TERM_NUMBER : 0) | (digit && letter ? KB_WORD_MIXED : 0));
}

struct kb_sv kb_word_cache_stem(struct kb_word_cache *cache, struct kb_sv word)
{
	const sb_symbol *got;
	int n;

	if (!cache->stemmer || !word.n)
		return word;
	got = sb_stemmer_stem(cache->stemmer, (const sb_symbol *)word.p, (int)word.n);
	n = sb_stemmer_length(cache->stemmer);
	/* Some stemmers leave nothing of a word that is all suffix. */
	return got && n > 0 && n <= FOLDED_MAX ? kb_sv((const char *)got, (size_t)n) : word;
}

/* What stands in ASCII lower case is normalised as it is. */
static bool is_folded(const struct kb_word_cache *cache, struct kb_sv raw)
{
	unsigned char all = cache->lang == KB_LANG_TR ? 0x80 : 0; /* I is a letter of its own */

	for (size_t i = 0; i < raw.n; i++)
		all |= (unsigned char)raw.p[i];
	return all < 0x80;
}

const struct kb_word *kb_word_cache_fill(struct kb_word_cache *cache, struct kb_sv raw,
                                         uint64_t low, uint64_t high)
{
	size_t raw_kept = raw.n > KB_WORD_KEY ? raw.n : 0, apart;
	struct kb_word entry = { .low = low, .high = high, .raw_n = (uint8_t)raw.n }, *slot;
	struct kb_sv word = raw, stem;
	char folded[FOLDED_MAX], *at;
	uint8_t flags;

	if (!is_folded(cache, raw))
		word = kb_sv(folded,
		             kb_fold(raw, cache->lang == KB_LANG_TR, folded, sizeof(folded)));
	flags = look(word);
	stem = flags & KB_TERM_NUMBER ? word : kb_word_cache_stem(cache, word);
	if (kb_lang_lists(word) >> cache->lang & 1)
		flags |= kb_stopword_flags(cache->lang, word);
	apart = kb_sv_starts(word, stem) ? 0 : stem.n;
	if (apart)
		flags |= KB_WORD_STEM_APART;
	at = kb_arena_bytes(&cache->bytes, word.n + apart + raw_kept + KB_WORD_SLACK);
	memcpy(at, word.p, word.n);
	memcpy(at + word.n, stem.p, apart);
	memcpy(at + word.n + apart, raw.p, raw_kept);
	memset(at + word.n + apart + raw_kept, 0, KB_WORD_SLACK);
	if (++cache->used * 2 > cache->size)
		grow(cache);
	entry.at = at;
	entry.word_n = (uint8_t)word.n;
	entry.stem_n = (uint8_t)stem.n;
	entry.flags = flags;
	slot = &cache->slots[free_slot(cache, &entry)];
	*slot = entry;
	return slot;
}

const struct kb_word *kb_word_cache_get(struct kb_word_cache *cache, struct kb_sv raw)
{
	uint64_t low, high = 0;

	if (raw.n > KB_WORD_KEY) {
		low = high = kb_hash64(raw);
	} else {
		low = kb_prefix64(raw.p, raw.n);
		if (raw.n > sizeof(low))
			high = kb_prefix64(raw.p + sizeof(low), raw.n - sizeof(low));
	}
	return kb_word_cache_find(cache, raw, low, high);
}
