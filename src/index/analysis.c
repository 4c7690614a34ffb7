/*
 * The tokenizer: one pass over the bytes. ASCII words take a short way, other words are scanned by
 * character kind and normalised once a distinct word (analysis_cache.c), runs without blanks are
 * cut into characters, pairs, dictionary words and threes.
 *
 * No byte of the text is refused: what is not UTF-8 separates words.
 */
#include "index/analysis.h"

#include <stdlib.h>
#include <string.h>
#include <unicode/ubrk.h>

#include "base/utf8.h"
#include "index/analysis_cache.h"
#include "index/bytes.h"
#include "index/stopwords.h"
#include "index/unicode.h"

enum {
	RUN_MAX = 2000, /* characters of a run without blanks that are cut together */
	BLOCK = 4096,   /* bytes taken from the arena at a time for the words */
};

/* A character of a run without blanks. */
struct unit {
	uint32_t start, end; /* source */
	uint32_t at, n;      /* normalised bytes in the run's text */
	bool function;       /* part of a function word */
};

struct kb_analyzer {
	struct kb_word_cache *caches[KB_LANG_COUNT];
	struct kb_stopword_cuts *cuts[KB_LANG_COUNT]; /* NULL but for Chinese and its like */
	struct kb_term *terms;
	size_t term_count, term_capacity;
	struct unit *units; /* RUN_MAX */
	UChar *wide;        /* RUN_MAX */
	UBreakIterator *breaks;
	struct kb_arena runs; /* what kb_analyze_passing() returns beside the words */
};

/* One call. */
struct scan {
	struct kb_analyzer *an;
	struct kb_arena *arena;
	struct kb_sv text;
	enum kb_lang lang;
	bool passing;
	struct kb_word_cache *cache;
	uint32_t position;
	char *room; /* of the block in use */
	size_t left;
};

struct kb_analyzer *kb_analyzer_new(void)
{
	return kb_xcalloc(1, sizeof(struct kb_analyzer));
}

void kb_analyzer_free(struct kb_analyzer *an)
{
	if (!an)
		return;
	for (int i = 0; i < KB_LANG_COUNT; i++) {
		kb_word_cache_free(an->caches[i]);
		kb_stopword_cuts_free(an->cuts[i]);
	}
	if (an->breaks)
		ubrk_close(an->breaks);
	kb_arena_fini(&an->runs);
	free(an->terms);
	free(an->units);
	free(an->wide);
	free(an);
}

/* n bytes of the arena. */
static char *room(struct scan *s, size_t n)
{
	char *p;

	if (s->left < n) {
		s->left = KB_MAX(n, (size_t)BLOCK);
		s->room = kb_arena_bytes(s->arena, s->left);
	}
	p = s->room;
	s->room += n;
	s->left -= n;
	return p;
}

/* Bytes of the word cache, copied if the caller keeps them. */
static struct kb_sv lend(struct scan *s, struct kb_sv bytes)
{
	char *p;

	if (s->passing)
		return bytes;
	p = room(s, bytes.n + KB_WORD_SLACK);
	kb_copy_short(p, bytes.p, bytes.n);
	s->room -= KB_WORD_SLACK; /* room for the next one again */
	s->left += KB_WORD_SLACK;
	return kb_sv(p, bytes.n);
}

static struct kb_term *add(struct scan *s)
{
	struct kb_analyzer *an = s->an;

	if (an->term_count == an->term_capacity)
		KB_GROW(an->terms, an->term_capacity, an->term_count + 1);
	return &an->terms[an->term_count++];
}

static void add_term(struct scan *s, const struct kb_term *term)
{
	struct kb_term copy = *term; /* which may be one of those that grow */

	*add(s) = copy;
}

/* The parts of a word that mixes letters and digits: "mp3" is also "mp" and "3". A lone letter is
 * no part: it would find everything. */
static void add_pieces(struct scan *s, const struct kb_term *whole)
{
	struct kb_sv word = whole->word;

	for (size_t i = 0; i < word.n;) {
		bool digit = word.p[i] >= '0' && word.p[i] <= '9';
		size_t from = i;
		struct kb_term piece = *whole;
		struct kb_sv raw;

		while (i < word.n && (word.p[i] >= '0' && word.p[i] <= '9') == digit)
			i++;
		raw = kb_sv_sub(word, from, i - from);
		if ((!digit && raw.n < 2) || raw.n > KB_WORD_BYTES)
			continue;
		piece.hint = 0;
		piece.word = piece.term = raw;
		piece.flags = KB_TERM_PIECE | (digit ? KB_TERM_NUMBER : 0);
		if (!digit) {
			const struct kb_word *known = kb_word_cache_get(s->cache, raw);
			struct kb_sv stem = kb_word_stem(known);

			piece.term =
			        kb_sv_starts(raw, stem) ? kb_sv_sub(raw, 0, stem.n) : lend(s, stem);
		}
		if (piece.term.n > 0)
			add_term(s, &piece);
	}
}

static void add_word(struct scan *s, const struct kb_word *known, size_t start, size_t end,
                     bool capital)
{
	struct kb_term *term;
	unsigned flags = known->flags;

	if (!known->word_n)
		return;
	term = add(s);
	term->word = lend(s, kb_word_whole(known));
	term->term = flags & KB_WORD_STEM_APART ? lend(s, kb_word_stem(known))
	                                        : kb_sv(term->word.p, known->stem_n);
	term->start = (uint32_t)start;
	term->end = (uint32_t)end;
	term->position = s->position++;
	term->flags = (flags & KB_WORD_FLAGS) | (capital ? KB_TERM_CAPITAL : 0);
	term->hint = (uint32_t)(known - s->cache->slots) & (KB_WORD_HINTS - 1);
	if (flags & KB_WORD_MIXED) {
		struct kb_term whole = *term;

		add_pieces(s, &whole);
	}
}

/* Letters and digits of ASCII in lower case; 0: something else. */
// clang-format off
static const char lower[256] = {
	['0'] = '0', '1', '2', '3', '4', '5', '6', '7', '8', '9',
	['A'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
	        'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
	['a'] = 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h', 'i', 'j', 'k', 'l', 'm',
	        'n', 'o', 'p', 'q', 'r', 's', 't', 'u', 'v', 'w', 'x', 'y', 'z',
};
// clang-format on

enum { SEPARATOR, LETTER, DIGIT, HIGH };

static int ascii_kind(unsigned char c)
{
	if (c >= 0x80)
		return HIGH;
	if (c >= '0' && c <= '9')
		return DIGIT;
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z' ? LETTER : SEPARATOR;
}

static bool is_digit_at(struct kb_sv text, size_t i)
{
	return i < text.n && text.p[i] >= '0' && text.p[i] <= '9';
}

/* Whether exactly three digits stand at i: the comma before them parts thousands. */
static bool is_thousand(struct kb_sv text, size_t i)
{
	return is_digit_at(text, i) && is_digit_at(text, i + 1) && is_digit_at(text, i + 2)
	       && !is_digit_at(text, i + 3);
}

/* Skips 's and ’s at the end of a word. */
static size_t skip_genitive(struct kb_sv text, size_t i)
{
	size_t mark = 0;
	struct kb_sv rest = kb_sv_from(text, i);
	uint32_t cp;

	if (rest.n >= 2 && rest.p[0] == '\'')
		mark = 1;
	else if (kb_sv_starts(rest, KB_SV("\u2019")))
		mark = 3;
	if (mark == 0 || rest.n <= mark || (rest.p[mark] | 0x20) != 's')
		return i;
	rest = kb_sv_from(rest, mark + 1);
	if (rest.n > 0) {
		enum kb_char_kind kind;

		kb_utf8_decode(rest, &cp);
		kind = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);
		if (kind == KB_CHAR_LETTER || kind == KB_CHAR_DIGIT)
			return i;
	}
	return i + mark + 1;
}

/* A word from `start` on: letters, digits and marks of any script but the run ones; '.' and ','
 * between digits. Returns where to go on. */
static size_t scan_word(struct scan *s, size_t start)
{
	struct kb_sv text = s->text;
	char raw[KB_WORD_BYTES];
	size_t i = start, n = 0;
	bool capital = false, turkish = s->lang == KB_LANG_TR;

	if (text.p[i] >= 'A' && text.p[i] <= 'Z')
		capital = true;
	while (i < text.n) {
		unsigned char c = (unsigned char)text.p[i];

		if (lower[c]) {
			size_t end = KB_MIN(text.n, i + (sizeof(raw) - n));

			if (i == end)
				break;
			for (; i < end && lower[c = (unsigned char)text.p[i]]; i++)
				raw[n++] = turkish && c == 'I' ? 'I' : lower[c];
		} else if (c >= 0x80) {
			uint32_t cp;
			size_t size = kb_utf8_decode(kb_sv_from(text, i), &cp);
			enum kb_char_kind is = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);

			if ((is != KB_CHAR_LETTER && is != KB_CHAR_DIGIT && is != KB_CHAR_IGNORED)
			    || n + size > sizeof(raw))
				break;
			if (i == start)
				capital = kb_char_is_capital(cp);
			memcpy(raw + n, text.p + i, size);
			n += size;
			i += size;
		} else if ((c == '.' || c == ',') && i > start && is_digit_at(text, i - 1)
		           && is_digit_at(text, i + 1)) {
			if (n + 1 > sizeof(raw))
				break;
			if (c == '.' || !is_thousand(text, i + 1))
				raw[n++] = (char)c;
			i++;
		} else {
			break;
		}
	}
	if (n)
		add_word(s, kb_word_cache_get(s->cache, kb_sv(raw, n)), start, i, capital);
	return skip_genitive(text, i);
}

/* The same for a word of ASCII letters and digits alone, as nearly all are; others go the long
 * way. */
static size_t scan_plain(struct scan *s, size_t start)
{
	const unsigned char *p = (const unsigned char *)s->text.p + start;
	size_t left = s->text.n - start, most = KB_MIN(left, (size_t)KB_WORD_BYTES), n = 0;
	char raw[KB_WORD_BYTES];
	uint64_t low, high;
	unsigned char next;
	struct kb_sv word;
	char c;

	static_assert(KB_WORD_KEY == 2 * sizeof(low), "a key is two numbers");
	memset(raw, 0, KB_WORD_KEY);
	while (n < most && (c = lower[p[n]]))
		raw[n++] = c;
	next = n < left ? p[n] : ' ';
	if (n == KB_WORD_BYTES || next >= 0x80 || next == '.' || next == ',')
		if (n == KB_WORD_BYTES || next >= 0x80
		    || (is_digit_at(s->text, start + n - 1) && is_digit_at(s->text, start + n + 1)))
			return scan_word(s, start);
	word = kb_sv(raw, n);
	if (n > KB_WORD_KEY) {
		add_word(s, kb_word_cache_get(s->cache, word), start, start + n,
		         p[0] < 'a' && p[0] > '9');
	} else {
		memcpy(&low, raw, sizeof(low));
		memcpy(&high, raw + sizeof(low), sizeof(high));
		add_word(s, kb_word_cache_find(s->cache, word, low, high), start, start + n,
		         p[0] < 'a' && p[0] > '9');
	}
	return next == '\'' ? skip_genitive(s->text, start + n) : start + n;
}

/* Reads a run of one kind into units: each source character with the marks that compose with it.
 * Returns the end; *run is the normalised text. */
static size_t read_run(struct scan *s, size_t start, enum kb_char_kind wanted, struct kb_sv *run,
                       size_t *unit_count)
{
	struct kb_sv text = s->text;
	size_t i = start, count = 0, n = 0, bytes;
	char *out;

	if (!s->an->units)
		s->an->units = kb_xcalloc(RUN_MAX, sizeof(*s->an->units));
	while (i < text.n && count < RUN_MAX) {
		uint32_t cp;
		size_t size = kb_utf8_decode(kb_sv_from(text, i), &cp);
		enum kb_char_kind kind = cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);
		bool joins = cp == 0x3099 || cp == 0x309a || cp == 0xff9e || cp == 0xff9f
		             || (cp >= 0x1160 && cp <= 0x11ff) || kind == KB_CHAR_IGNORED;

		if (kind != wanted && kind != KB_CHAR_IGNORED)
			break;
		if (joins && count > 0) {
			s->an->units[count - 1].end = (uint32_t)(i + size);
		} else {
			s->an->units[count++] =
			        (struct unit){ .start = (uint32_t)i, .end = (uint32_t)(i + size) };
		}
		i += size;
	}
	/* Compatibility forms of these scripts are at most three times as long, but for ligatures
	 * of whole words, which are cut. */
	bytes = 3 * (i - start);
	out = room(s, bytes);
	for (size_t k = 0; k < count; k++) {
		struct unit *unit = &s->an->units[k];
		struct kb_sv source = kb_sv_sub(text, unit->start, unit->end - unit->start);
		bool plain = source.n == 3
		             && ((unsigned char)source.p[0] >= 0xe4
		                 && (unsigned char)source.p[0] <= 0xe9);

		unit->at = (uint32_t)n;
		if (!plain && wanted == KB_CHAR_CJK) {
			uint32_t cp;

			kb_utf8_decode(source, &cp);
			plain = source.n == 3 && cp >= 0x3041 && cp <= 0x30fe;
		}
		if (plain) {
			memcpy(out + n, source.p, source.n);
			unit->n = (uint32_t)source.n;
		} else {
			unit->n = (uint32_t)kb_fold(source, false, out + n, bytes - n);
		}
		n += unit->n;
	}
	*run = kb_sv(out, n);
	*unit_count = count;
	return i;
}

static struct kb_term run_term(const struct scan *s, struct kb_sv run, size_t first, size_t last)
{
	const struct unit *a = &s->an->units[first], *b = &s->an->units[last];
	struct kb_sv term = kb_sv_sub(run, a->at, b->at + b->n - a->at);

	return (struct kb_term){
		.term = term, .word = term, .start = a->start, .end = b->end, .flags = KB_TERM_CJK
	};
}

/* Chinese, Japanese, Korean: a pair at each character but the last, and each character alone as the
 * pair's piece. What touches a function word is one itself. */
static size_t scan_cjk(struct scan *s, size_t start)
{
	struct kb_sv run;
	size_t count, end = read_run(s, start, KB_CHAR_CJK, &run, &count);
	struct unit *units = s->an->units;

	for (size_t i = 0; i < count;) {
		size_t n = kb_stopword_at(s->an->cuts[s->lang], kb_sv_from(run, units[i].at));
		size_t stop = units[i].at + n;

		units[i].function = n > 0;
		for (i++; i < count && units[i].at < stop; i++)
			units[i].function = true;
	}
	for (size_t i = 0; i < count; i++) {
		struct kb_term term;

		if (i + 1 < count) {
			term = run_term(s, run, i, i + 1);
			term.position = s->position;
			if (units[i].function || units[i + 1].function)
				term.flags |= KB_TERM_FUNCTION;
			if (term.term.n > 0)
				add_term(s, &term);
		}
		term = run_term(s, run, i, i);
		term.position = s->position++;
		if (count > 1)
			term.flags |= KB_TERM_PIECE;
		if (units[i].function)
			term.flags |= KB_TERM_FUNCTION;
		if (term.term.n > 0)
			add_term(s, &term);
	}
	return end;
}

/* The place after the dictionary word that starts at unit i; the unit's end where ICU is not to be
 * had. */
static size_t word_end(struct scan *s, size_t i, size_t count)
{
	int32_t next = s->an->breaks ? ubrk_following(s->an->breaks, (int32_t)i) : UBRK_DONE;

	return next == UBRK_DONE || (size_t)next > count || (size_t)next <= i ? i + 1
	                                                                      : (size_t)next;
}

static void set_breaks(struct scan *s, size_t count)
{
	struct kb_analyzer *an = s->an;
	UErrorCode status = U_ZERO_ERROR;

	if (!an->wide)
		an->wide = kb_xcalloc(RUN_MAX, sizeof(*an->wide));
	if (!an->breaks)
		an->breaks = ubrk_open(UBRK_WORD, "th", NULL, 0, &status);
	for (size_t i = 0; i < count; i++) {
		uint32_t cp;

		kb_utf8_decode(kb_sv_from(s->text, an->units[i].start), &cp);
		an->wide[i] = (UChar)cp;
	}
	if (an->breaks)
		ubrk_setText(an->breaks, an->wide, (int32_t)count, &status);
}

/* Thai, Lao, Khmer, Burmese: dictionary words, a position each, and as their pieces the threes of
 * characters that start in them. */
static size_t scan_sea(struct scan *s, size_t start)
{
	struct kb_sv run;
	size_t count, end = read_run(s, start, KB_CHAR_SEA, &run, &count);
	struct unit *units = s->an->units;

	set_breaks(s, count);
	for (size_t i = 0; i < count;) {
		size_t stop = word_end(s, i, count);
		struct kb_term term = run_term(s, run, i, stop - 1);
		bool function = term.word.n > 0 && term.word.n <= KB_WORD_BYTES
		                && kb_word_cache_get(s->cache, term.word)->flags & KB_TERM_FUNCTION;

		for (size_t k = i; k < stop; k++)
			units[k].function = function;
		i = stop;
	}
	for (size_t i = 0; i < count;) {
		size_t stop = word_end(s, i, count);
		struct kb_term term = run_term(s, run, i, stop - 1);

		term.position = s->position;
		if (units[i].function)
			term.flags |= KB_TERM_FUNCTION;
		if (term.word.n <= KB_WORD_BYTES && term.word.n > 0)
			add_term(s, &term);
		for (size_t k = i; k < stop && k + 3 <= count; k++) {
			if (k == i && stop == i + 3)
				continue; /* the word itself */
			term = run_term(s, run, k, k + 2);
			term.position = s->position;
			term.flags |= KB_TERM_PIECE;
			if (units[k].function || units[k + 1].function || units[k + 2].function)
				term.flags |= KB_TERM_FUNCTION;
			if (term.term.n > 0)
				add_term(s, &term);
		}
		s->position++;
		i = stop;
	}
	return end;
}

static void know_language(struct kb_analyzer *an, enum kb_lang lang)
{
	KB_ASSERT((unsigned)lang < KB_LANG_COUNT);
	if (an->caches[lang])
		return;
	an->caches[lang] = kb_word_cache_new(lang);
	an->cuts[lang] = kb_stopword_cuts_new(lang);
}

struct kb_sv kb_stem(struct kb_analyzer *an, enum kb_lang lang, struct kb_sv word)
{
	know_language(an, lang);
	return kb_word_cache_stem(an->caches[lang], word);
}

/* Fills the analyzer's list of terms; returns the next free position. */
static uint32_t scan(struct scan *s)
{
	struct kb_analyzer *an = s->an;
	struct kb_sv text = s->text;
	bool plain = s->lang != KB_LANG_TR; /* a capital I is a letter of its own there */

	KB_ASSERT(text.n < UINT32_MAX);
	know_language(an, s->lang);
	s->cache = an->caches[s->lang];
	kb_word_cache_begin(s->cache);
	an->term_count = 0;
	for (size_t i = 0; i < text.n;) {
		switch (ascii_kind((unsigned char)text.p[i])) {
		case LETTER:
		case DIGIT:
			i = plain ? scan_plain(s, i) : scan_word(s, i);
			break;
		case HIGH: {
			uint32_t cp;
			size_t size = kb_utf8_decode(kb_sv_from(text, i), &cp);
			enum kb_char_kind kind =
			        cp == KB_UTF8_BAD ? KB_CHAR_BREAK : kb_char_kind(cp);

			if (kind == KB_CHAR_LETTER || kind == KB_CHAR_DIGIT)
				i = scan_word(s, i);
			else if (kind == KB_CHAR_CJK)
				i = scan_cjk(s, i);
			else if (kind == KB_CHAR_SEA)
				i = scan_sea(s, i);
			else
				i += size;
			break;
		}
		default:
			i++;
		}
	}
	return s->position;
}

void kb_analyze(struct kb_analyzer *an, struct kb_arena *arena, enum kb_lang lang,
                struct kb_sv text, struct kb_terms *out)
{
	struct scan s = { .an = an, .arena = arena, .text = text, .lang = lang };

	out->positions = scan(&s);
	out->count = an->term_count;
	out->v = kb_arena_copy(arena, an->terms, an->term_count * sizeof(*out->v));
}

void kb_analyze_passing(struct kb_analyzer *an, enum kb_lang lang, struct kb_sv text,
                        struct kb_terms *out)
{
	struct scan s = {
		.an = an, .arena = &an->runs, .text = text, .lang = lang, .passing = true
	};

	kb_arena_reset(&an->runs);
	out->positions = scan(&s);
	out->count = an->term_count;
	out->v = an->terms;
}
