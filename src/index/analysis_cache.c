/*
 * An open table of hashed words over one growing block of bytes. When either is full, everything is
 * forgotten: a text of endless new words costs time, not memory.
 */
#include "index/analysis_cache.h"

#include <libstemmer.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "index/bytes.h"
#include "index/stopwords.h"
#include "index/unicode.h"

enum {
	SLOTS = KB_WORD_HINTS,
	FULL = SLOTS / 2,
	BYTES_MAX = 4 << 20,
	FOLDED_MAX = 255,
};

struct slot {
	uint64_t hash; /* 0: free */
	uint32_t at;   /* raw, word, stem stand there one after another */
	uint8_t raw_n, word_n, stem_n;
	uint8_t flags;
};

struct kb_word_cache {
	enum kb_lang lang;
	struct sb_stemmer *stemmer; /* NULL: words are their own stems */
	struct slot *slots;
	size_t used;
	char *bytes;
	size_t byte_count, byte_capacity;
};

enum { MIXED = 128 }; /* beside the term flags in a slot */

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

struct kb_word_cache *kb_word_cache_new(enum kb_lang lang)
{
	struct kb_word_cache *cache = kb_xcalloc(1, sizeof(*cache));

	cache->lang = lang;
	if (stemmers[lang])
		cache->stemmer = sb_stemmer_new(stemmers[lang], "UTF_8");
	cache->slots = kb_xcalloc(SLOTS, sizeof(*cache->slots));
	return cache;
}

void kb_word_cache_free(struct kb_word_cache *cache)
{
	if (!cache)
		return;
	if (cache->stemmer)
		sb_stemmer_delete(cache->stemmer);
	free(cache->slots);
	free(cache->bytes);
	free(cache);
}

static struct kb_word view(const struct kb_word_cache *cache, const struct slot *slot)
{
	const char *p = cache->bytes + slot->at + slot->raw_n;

	return (struct kb_word){
		.word = { p, slot->word_n },
		.stem = { p + slot->word_n, slot->stem_n },
		.hint = (uint16_t)(slot - cache->slots),
		.flags = slot->flags & (uint8_t)~MIXED,
		.mixed = (slot->flags & MIXED) != 0,
	};
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
	return (uint8_t)((digit ? KB_TERM_NUMBER : 0) | (digit && letter ? MIXED : 0));
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

static void fill(struct kb_word_cache *cache, struct slot *slot, struct kb_sv raw)
{
	char folded[FOLDED_MAX];
	struct kb_sv word = { folded,
		              kb_fold(raw, cache->lang == KB_LANG_TR, folded, sizeof(folded)) };
	struct kb_sv stem;
	uint8_t flags = look(word);

	stem = flags & KB_TERM_NUMBER ? word : kb_word_cache_stem(cache, word);
	slot->flags = flags | kb_stopword_flags(cache->lang, word);
	slot->raw_n = (uint8_t)raw.n;
	slot->word_n = (uint8_t)word.n;
	slot->stem_n = (uint8_t)stem.n;
	slot->at = (uint32_t)cache->byte_count;
	memcpy(cache->bytes + cache->byte_count, raw.p, raw.n);
	memcpy(cache->bytes + cache->byte_count + raw.n, word.p, word.n);
	memcpy(cache->bytes + cache->byte_count + raw.n + word.n, stem.p, stem.n);
	cache->byte_count += raw.n + word.n + stem.n;
}

struct kb_word kb_word_cache_get(struct kb_word_cache *cache, struct kb_sv raw)
{
	uint64_t hash = kb_hash64(raw) | 1;
	size_t i = hash >> 48;
	const size_t most = 3 * (size_t)FOLDED_MAX;

	static_assert(SLOTS == 1 << 16, "the upper 16 bits of the hash choose the slot");
	KB_ASSERT(raw.n <= KB_WORD_BYTES);
	for (; cache->slots[i].hash != 0; i = (i + 1) % SLOTS) {
		const struct slot *slot = &cache->slots[i];

		if (slot->hash == hash && slot->raw_n == raw.n
		    && kb_same_bytes(cache->bytes + slot->at, raw.p, raw.n))
			return view(cache, slot);
	}
	if (cache->used >= FULL || cache->byte_count + most > BYTES_MAX) {
		memset(cache->slots, 0, SLOTS * sizeof(*cache->slots));
		cache->used = cache->byte_count = 0;
		i = hash >> 48;
	}
	KB_GROW(cache->bytes, cache->byte_capacity, cache->byte_count + most + KB_WORD_SLACK);
	fill(cache, &cache->slots[i], raw);
	cache->slots[i].hash = hash;
	cache->used++;
	return view(cache, &cache->slots[i]);
}
