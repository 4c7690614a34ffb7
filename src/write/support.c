/*
 * A source is a row of words, each a hash of its stem and one of its beginning, with the sentence
 * it stands in; function words are left out. Every answer on its way has its sources in this form,
 * so a word is kept small. A sentence to be judged becomes a small table of its content words, and
 * one walk over a source's words gives for each of its sentences the set of those it holds, as 64
 * bits.
 */
#include "write/support.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "answer/numerals.h"
#include "base/hash.h"
#include "base/utf8.h"
#include "index/sentence.h"
#include "index/unicode.h"
#include "write/denial.h"

enum {
	LIKE_CHARS = 5, /* letters that two forms of a word share */
	WINDOW = 3,     /* sentences of a source in a row */
	SLOTS = 256,    /* of the table of a sentence's words; a power of two above both its keys */
	NUMBERS = 32,   /* of a sentence */
	DENIED = 8,     /* words that a sentence denies */
	REACH = 4,      /* words between a denial and what it denies */
	NUMBER_BYTES = 24,
	LANG_BYTES = 512, /* that are looked at for the language */
	/* To be sure of a language: two function words, and one in so many bytes. */
	SURE_POINTS = 2 * KB_LANG_WORD_POINTS,
	SURE_BYTES = 64 / KB_LANG_WORD_POINTS,
};

/* Least shares, and how far behind the best source one may be. English texts repeat the words of
 * their subject, so that more is asked of them. Measured: bench/citations.c. */
static const struct least {
	float cover, near;
} least_english = { .5f, .4f }, least_others = { .4f, .3f };
#define BEHIND .1f
#define SAME   1e-5f /* two sums of the same weights */
/* What each of several sources must bring that the others lack. */
#define PART .1f

enum word_flag {
	WORD_DENIES = 1,
	WORD_CONTENT = 2,
	WORD_TITLE = 4, /* of the title or the headings */
};

struct word {
	uint32_t stem, start; /* hashes; start 0: too short to have one */
	unsigned sentence : 14, position : 15, flags : 3;
};
enum { SENTENCES_MAX = (1 << 14) - 1, POSITION_MAX = (1 << 15) - 1 };
static_assert(sizeof(struct word) == 12, "many of them are kept while answers are written");

struct span {
	uint32_t start, end : 31, supposes : 1; /* a condition, or a question */
};
static_assert(sizeof(struct span) == 8, "many of them are kept, too");

struct source {
	enum kb_lang lang;
	enum kb_lang sure;  /* KB_LANG_NONE: it may be another */
	struct word *words; /* of the title first, then of the text */
	size_t word_count;
	struct span *sentences;
	size_t sentence_count;
	uint32_t *numbers; /* hashes */
	size_t number_count;
};

struct kb_support {
	struct source *sources;
	size_t count;
	struct kb_answer_stats stats;
	uint64_t *held; /* room for the sets of one source's sentences */
};

/* ---- hashes ---- */

static uint32_t hash_of(struct kb_sv text)
{
	return (uint32_t)kb_hash64(text) | 1;
}

/* Of a word's first letters; 0 for words of fewer, and for scripts without blanks. */
static uint32_t start_hash(const struct kb_term *term)
{
	struct kb_sv head;

	if (term->flags & (KB_TERM_CJK | KB_TERM_NUMBER) || term->word.n < LIKE_CHARS)
		return 0;
	head = kb_utf8_head(term->word, LIKE_CHARS);
	return kb_utf8_count(head) == LIKE_CHARS ? hash_of(head) : 0;
}

/* ---- numbers ---- */

/* The digit at `at`, of any script, and how many bytes it has; -1: none. */
static int digit_at(struct kb_sv text, size_t at, size_t *size)
{
	struct kb_sv rest = kb_sv_from(text, at);
	char folded[8];
	uint32_t cp;

	if (!rest.n)
		return -1;
	*size = kb_utf8_decode(rest, &cp);
	if (cp < 0x80)
		return cp >= '0' && cp <= '9' ? (int)cp - '0' : -1;
	if (cp == KB_UTF8_BAD || kb_char_kind(cp) != KB_CHAR_DIGIT
	    || kb_fold(kb_sv_sub(rest, 0, *size), false, folded, sizeof(folded)) != 1)
		return -1;
	return folded[0] >= '0' && folded[0] <= '9' ? folded[0] - '0' : -1;
}

static size_t digits_from(struct kb_sv text, size_t at)
{
	size_t count = 0, size;

	while (digit_at(text, at, &size) >= 0) {
		at += size;
		count++;
	}
	return count;
}

/* What stands between the digits of one number: a comma or a stop; or a blank or an apostrophe, as
 * French, Swiss and international texts write, but only between thousands, where `grouped`. */
static const struct {
	const char *sign;
	bool thousands;
} separators[] = {
	{ ",", false },     { ".", false },     { "\u066b", false }, { "\u066c", false },
	{ " ", true },      { "\u00a0", true }, { "\u2007", true },  { "\u2009", true },
	{ "\u202f", true }, { "'", true },      { "\u2019", true },
};

/* Bytes of the separator behind a group of so many digits; 0: the number ends here. */
static size_t separator_at(struct kb_sv text, size_t at, size_t group, bool grouped)
{
	struct kb_sv rest = kb_sv_from(text, at);

	for (size_t i = 0; i < KB_COUNTOF(separators); i++) {
		struct kb_sv sign = kb_sv_str(separators[i].sign);
		size_t digits;

		if (!kb_sv_starts(rest, sign))
			continue;
		digits = digits_from(rest, sign.n);
		if (separators[i].thousands ? grouped && group <= 3 && digits == 3 : digits > 0)
			return sign.n;
		return 0;
	}
	return 0;
}

/* A run of digits with single separators in it, written in one way: "1,000.50" is 100050, "007" is
 * 7, "0.5" is 05. Formats differ by language; two numbers that differ in nothing else are rare.
 * Moves *at behind it; false at the end. */
static bool next_number(struct kb_sv text, size_t *at, bool grouped, uint32_t *hash)
{
	char digits[NUMBER_BYTES];
	size_t n = 0, group = 0, size = 1;
	int digit;

	while (*at < text.n && digit_at(text, *at, &size) < 0)
		*at += size;
	if (*at == text.n)
		return false;
	while ((digit = digit_at(text, *at, &size)) >= 0) {
		size_t separator;

		if (n == 1 && group && digits[0] == '0')
			n = 0; /* no number begins with noughts */
		if (n < sizeof(digits))
			digits[n++] = (char)('0' + digit);
		group++;
		*at += size;
		separator = separator_at(text, *at, group, grouped);
		if (separator) {
			/* Behind a comma or a stop there are no thousands. */
			grouped = grouped && text.p[*at] != ',' && text.p[*at] != '.';
			*at += separator;
			group = 0;
		}
	}
	*hash = hash_of(kb_sv(digits, n));
	return true;
}

/* ---- reading a source ---- */

struct reader {
	struct kb_arena *arena;
	struct kb_analyzer *analyzer;
	struct source *source;
	struct word *words; /* on the heap; the arena gets them when all are there */
	size_t capacity, number_capacity;
};

static void add_number(struct reader *r, uint32_t hash)
{
	struct source *s = r->source;

	for (size_t i = 0; i < s->number_count; i++)
		if (s->numbers[i] == hash)
			return;
	if (s->number_count == r->number_capacity) {
		size_t capacity = KB_MAX(r->number_capacity * 2, (size_t)16);
		uint32_t *grown = KB_NEW_ARRAY(r->arena, capacity, uint32_t);

		if (s->number_count)
			memcpy(grown, s->numbers, s->number_count * sizeof(*grown));
		s->numbers = grown;
		r->number_capacity = capacity;
	}
	s->numbers[s->number_count++] = hash;
}

/* 0: a word that nobody asks for. */
static unsigned flags_of(enum kb_lang lang, const struct kb_term *term)
{
	bool content = !(term->flags & (KB_TERM_STOP | KB_TERM_FUNCTION));

	return (content ? WORD_CONTENT : 0u) | (kb_denies(lang, term) ? WORD_DENIES : 0u);
}

static void read_text(struct reader *r, struct kb_sv text, unsigned flags)
{
	struct source *s = r->source;
	struct kb_terms terms;
	size_t sentence = 0, at = 0, count = 0;
	uint32_t hash;

	kb_analyze_passing(r->analyzer, s->lang, text, &terms);
	for (size_t i = 0; i < terms.count; i++)
		count += flags_of(s->lang, &terms.v[i]) != 0;
	if (s->word_count + count > r->capacity) {
		r->capacity = s->word_count + count;
		r->words = kb_xrealloc(r->words, r->capacity * sizeof(*r->words));
	}
	for (size_t i = 0; i < terms.count; i++) {
		const struct kb_term *t = &terms.v[i];
		unsigned own = flags_of(s->lang, t);
		int n = kb_numeral_word(s->lang, t->word);
		char digits[4];

		while (sentence + 1 < s->sentence_count
		       && t->start >= s->sentences[sentence + 1].start)
			sentence++;
		if (s->sentence_count && kb_supposes(s->lang, t))
			s->sentences[sentence].supposes = 1;
		KB_ASSERT(!own || r->words);
		if (own)
			r->words[s->word_count++] = (struct word){
				.stem = hash_of(t->term),
				.start = start_hash(t),
				.sentence = (unsigned)sentence & SENTENCES_MAX,
				.position =
				        KB_MIN(t->position, (uint32_t)POSITION_MAX) & POSITION_MAX,
				.flags = (flags | own) & 7,
			};
		if (n)
			add_number(r, hash_of(kb_sv(digits, (size_t)snprintf(digits, sizeof(digits),
			                                                     "%d", n))));
	}
	/* "1 000" may be one number or two. */
	for (int grouped = 0; grouped < 2; grouped++, at = 0)
		while (next_number(text, &at, grouped, &hash))
			add_number(r, hash);
}

/* Which language a text is surely in, by its script or by how many of its words are function words;
 * KB_LANG_NONE: unsure. */
static enum kb_lang sure_language(struct kb_sv text)
{
	struct kb_lang_guess guesses[KB_LANG_COUNT];
	size_t count;

	text = kb_utf8_cut(text, LANG_BYTES);
	count = kb_lang_guesses(text, guesses);
	if (count > 1
	    && (guesses[0].points < SURE_POINTS || guesses[0].points < (int)(text.n / SURE_BYTES)
	        || guesses[1].points * 2 > guesses[0].points))
		return KB_LANG_NONE;
	return guesses[0].lang;
}

static struct span span_of(struct kb_sv text, const struct kb_sentence *sentence)
{
	struct kb_sv words = kb_sv_sub(text, sentence->start, sentence->end - sentence->start);

	return (struct span){ .start = sentence->start,
		              .end = sentence->end & INT32_MAX,
		              .supposes = kb_asks(words) };
}

static void read_source(struct kb_arena *arena, struct kb_analyzer *analyzer,
                        const struct kb_support_source *from, struct source *to)
{
	struct reader r = { .arena = arena, .analyzer = analyzer, .source = to };
	struct kb_arena scratch = { 0 };
	struct kb_sentence *sentences;
	size_t count;

	to->lang = from->lang ? from->lang : kb_lang_of_text(from->text);
	to->sure = sure_language(from->text);
	read_text(&r, from->title, WORD_TITLE);
	read_text(&r, from->heading, WORD_TITLE);
	kb_sentences(&scratch, from->text, &sentences, &count);
	to->sentences = KB_NEW_ARRAY(arena, count, struct span);
	to->sentence_count = KB_MIN(count, (size_t)SENTENCES_MAX);
	for (size_t i = 0; i < to->sentence_count; i++)
		to->sentences[i] = span_of(from->text, &sentences[i]);
	kb_arena_fini(&scratch);
	read_text(&r, from->text, 0);
	to->words = kb_arena_copy(arena, r.words, to->word_count * sizeof(*r.words));
	free(r.words);
}

struct kb_support *kb_support_new(struct kb_arena *arena, struct kb_analyzer *analyzer,
                                  const struct kb_support_source *sources, size_t count,
                                  const struct kb_answer_stats *stats)
{
	struct kb_support *support = KB_NEW(arena, struct kb_support);
	size_t longest = 0;

	support->count = KB_MIN(count, (size_t)KB_SUPPORT_SOURCES);
	support->sources = KB_NEW_ARRAY(arena, support->count, struct source);
	if (stats)
		support->stats = *stats;
	for (size_t i = 0; i < support->count; i++) {
		read_source(arena, analyzer, &sources[i], &support->sources[i]);
		longest = KB_MAX(longest, support->sources[i].sentence_count);
	}
	support->held = KB_NEW_ARRAY(arena, longest, uint64_t);
	return support;
}

/* ---- reading the sentence ---- */

struct key {
	uint32_t hash;
	uint64_t terms;
};

struct asked {
	struct key stems[SLOTS], starts[SLOTS];
	float weight[KB_SUPPORT_TERMS];
	float sum;
	size_t count;
	uint64_t names;
	uint32_t numbers[NUMBERS];
	size_t number_count;
	uint64_t denied; /* words that a denial stands before */
	bool denies;     /* there is a denial at all */
};

static void put(struct key *table, uint32_t hash, size_t term)
{
	size_t i = hash >> 3 & (SLOTS - 1);

	while (table[i].hash && table[i].hash != hash)
		i = (i + 1) & (SLOTS - 1);
	table[i].hash = hash;
	table[i].terms |= UINT64_C(1) << term;
}

static uint64_t get(const struct key *table, uint32_t hash)
{
	size_t i = hash >> 3 & (SLOTS - 1);

	while (table[i].hash && table[i].hash != hash)
		i = (i + 1) & (SLOTS - 1);
	return table[i].hash ? table[i].terms : 0;
}

static float weight_of(const struct kb_answer_stats *stats, struct kb_sv term)
{
	double n = (double)stats->passages, df;

	if (!stats->df)
		return 1;
	df = (double)KB_MIN(stats->df(stats->arg, term), stats->passages);
	return (float)log(1 + (n - df + .5) / (df + .5));
}

/* Nouns have capitals there, so that a capital makes no name. */
static bool capitals_name(enum kb_lang lang)
{
	return lang != KB_LANG_DE;
}

/* Without a list's number or sign at its start. */
static struct kb_sv without_list_sign(struct kb_sv text)
{
	size_t n = 0;

	text = kb_sv_trim(text);
	while (n < text.n && n < 3 && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	if (n && n + 1 < text.n && (text.p[n] == '.' || text.p[n] == ')') && text.p[n + 1] == ' ')
		return kb_sv_from(text, n + 2);
	return text;
}

static void read_sentence(const struct kb_support *support, struct kb_analyzer *analyzer,
                          enum kb_lang lang, struct kb_sv sentence, struct asked *asked)
{
	struct kb_terms terms;
	size_t at = 0, first = SIZE_MAX;
	uint32_t hash, deny_until = 0;

	memset(asked, 0, sizeof(*asked));
	sentence = without_list_sign(sentence);
	kb_analyze_passing(analyzer, lang, sentence, &terms);
	for (size_t i = 0; i < terms.count; i++) {
		const struct kb_term *t = &terms.v[i];
		uint32_t stem, start;
		uint64_t known;
		size_t term;

		if (first == SIZE_MAX)
			first = i;
		if (kb_denies(lang, t)) {
			asked->denies = true;
			deny_until = t->position + REACH;
			continue;
		}
		if (t->flags & (KB_TERM_STOP | KB_TERM_FUNCTION | KB_TERM_PIECE))
			continue;
		stem = hash_of(t->term);
		known = get(asked->stems, stem);
		if (!known) {
			if (asked->count == KB_SUPPORT_TERMS)
				continue;
			term = asked->count++;
			known = UINT64_C(1) << term;
			asked->weight[term] = weight_of(&support->stats, t->term);
			asked->sum += asked->weight[term];
			put(asked->stems, stem, term);
			start = start_hash(t);
			if (start)
				put(asked->starts, start, term);
		}
		if (t->position < deny_until) {
			asked->denied |= known;
			deny_until = 0; /* the next content word alone */
		}
		/* The first word of a sentence is a name only where the next begins like one. */
		if (t->flags & KB_TERM_CAPITAL && !(t->flags & KB_TERM_NUMBER)
		    && capitals_name(lang)
		    && (i != first
		        || (i + 1 < terms.count && terms.v[i + 1].flags & KB_TERM_CAPITAL)))
			asked->names |= known;
	}
	while (asked->number_count < NUMBERS && next_number(sentence, &at, true, &hash))
		asked->numbers[asked->number_count++] = hash;
}

/* ---- one source ---- */

static float weight_in(const float *weight, uint64_t set)
{
	float sum = 0;

	for (; set; set &= set - 1)
		sum += weight[__builtin_ctzll(set)];
	return sum;
}

static bool has_number(const struct source *s, uint32_t number)
{
	for (size_t i = 0; i < s->number_count; i++)
		if (s->numbers[i] == number)
			return true;
	return false;
}

static uint32_t numbers_in(const struct source *s, const struct asked *a)
{
	uint32_t set = 0;

	for (size_t i = 0; i < a->number_count; i++)
		set |= (uint32_t)has_number(s, a->numbers[i]) << i;
	return set;
}

static uint32_t all_numbers(const struct asked *a)
{
	return (uint32_t)((UINT64_C(1) << a->number_count) - 1);
}

static const struct least *least_of(enum kb_lang lang)
{
	return lang == KB_LANG_EN ? &least_english : &least_others;
}

static uint64_t terms_of(const struct asked *a, const struct word *w)
{
	return get(a->stems, w->stem) | (w->start ? get(a->starts, w->start) : 0);
}

/* Whether the source denies these words: a denial stands within reach of one of them, in a sentence
 * of the window. */
static bool is_denied(const struct source *s, const struct asked *a, uint64_t words, size_t from,
                      size_t to)
{
	for (size_t i = 0; i < s->word_count; i++) {
		const struct word *w = &s->words[i];

		if (!(w->flags & WORD_DENIES) || w->flags & WORD_TITLE || w->sentence < from
		    || w->sentence >= to)
			continue;
		for (size_t k = i > 2 * REACH ? i - 2 * REACH : 0;
		     k < s->word_count && k <= i + 2 * REACH; k++) {
			int apart = (int)s->words[k].position - (int)w->position;

			if (s->words[k].sentence == w->sentence && apart >= -REACH && apart <= REACH
			    && terms_of(a, &s->words[k]) & words)
				return true;
		}
	}
	return false;
}

/* Whether the source denies one of the sentence's words, and says it nowhere else in the window. */
static bool denies(const struct source *s, const struct asked *a, size_t from, size_t to)
{
	uint64_t denied = 0, said = 0;
	int until = -1;

	for (size_t i = 0; i < s->word_count; i++) {
		const struct word *w = &s->words[i];

		if (w->flags & WORD_TITLE || w->sentence < from || w->sentence >= to)
			continue;
		if (w->flags & WORD_DENIES) {
			until = w->position + REACH;
		} else if (w->flags & WORD_CONTENT) {
			*(w->position <= until ? &denied : &said) |= terms_of(a, w);
			until = -1;
		}
	}
	return denied & ~said;
}

/* The best window: the highest weight, the shortest of equals. */
static void find_window(const struct kb_support *support, const struct source *s,
                        const struct asked *a, size_t *from, size_t *to, float *best)
{
	const uint64_t *held = support->held;

	*best = 0;
	*from = *to = 0;
	for (size_t i = 0; i < s->sentence_count; i++) {
		uint64_t set = 0;

		for (size_t n = 0; n < WINDOW && i + n < s->sentence_count; n++) {
			float weight;

			set |= held[i + n];
			weight = weight_in(a->weight, set);
			if (weight > *best + SAME
			    || (weight > *best - SAME && weight > 0 && n + 1 < *to - *from)) {
				*best = KB_MAX(weight, *best);
				*from = i;
				*to = i + n + 1;
			}
		}
	}
}

static bool says(const struct kb_support *support, const struct source *s, const struct asked *a)
{
	uint64_t words = a->count < 64 ? (UINT64_C(1) << a->count) - 1 : UINT64_MAX;

	for (size_t i = 0; i < s->sentence_count; i++)
		if (!s->sentences[i].supposes && !(words & ~support->held[i]))
			return true;
	return false;
}

static void judge(struct kb_support *support, const struct source *s, const struct asked *a,
                  struct kb_support_verdict *out)
{
	const struct least *least = least_of(s->lang);
	uint64_t all = 0;
	size_t from = 0, to = 0;
	float best = 0;

	*out = (struct kb_support_verdict){ 0 };
	if (s->sentence_count)
		memset(support->held, 0, s->sentence_count * sizeof(*support->held));
	for (size_t i = 0; i < s->word_count; i++) {
		uint64_t terms = terms_of(a, &s->words[i]);

		all |= terms;
		if (!(s->words[i].flags & WORD_TITLE) && s->sentence_count)
			support->held[s->words[i].sentence] |= terms;
	}
	find_window(support, s, a, &from, &to, &best);
	if (to > from) {
		out->start = s->sentences[from].start;
		out->bytes = s->sentences[to - 1].end - out->start;
	}
	out->terms = all;
	out->says = says(support, s, a);
	if (a->sum > 0) {
		out->cover = weight_in(a->weight, all) / a->sum;
		out->near = best / a->sum;
	}
	if (out->cover < least->cover || out->near < least->near)
		out->lacks |= KB_LACKS_WORDS;
	out->numbers = numbers_in(s, a);
	if (out->numbers != all_numbers(a))
		out->lacks |= KB_LACKS_NUMBER;
	if (a->names & ~all)
		out->lacks |= KB_LACKS_NAME;
	if (a->denied ? !is_denied(s, a, a->denied, from, to)
	              : !a->denies && denies(s, a, from, to))
		out->lacks |= KB_LACKS_NEGATION;
}

/* ---- all of them ---- */

/* Length of a citation's number that the text begins with: "[12]". */
static size_t number_at(struct kb_sv text)
{
	size_t n = 1;

	if (!text.n || text.p[0] != '[')
		return 0;
	while (n < text.n && text.p[n] >= '0' && text.p[n] <= '9')
		n++;
	return n > 1 && n < text.n && text.p[n] == ']' ? n + 1 : 0;
}

/* The sentence without the addresses and citations in it, which are no words of it. */
static struct kb_sv words_alone(struct kb_sv text, char out[KB_SUPPORT_SENTENCE])
{
	size_t n = 0;

	text = kb_utf8_cut(text, KB_SUPPORT_SENTENCE);
	for (size_t i = 0; i < text.n;) {
		struct kb_sv rest = kb_sv_from(text, i);
		size_t skip = number_at(rest);

		if (kb_sv_starts(rest, KB_SV("]("))) {
			ptrdiff_t end = kb_sv_find_byte(rest, ')');

			skip = end < 0 ? 0 : (size_t)end + 1;
		} else if (kb_sv_istarts(rest, KB_SV("http://"))
		           || kb_sv_istarts(rest, KB_SV("https://"))) {
			while (skip < rest.n && !strchr(" \t\n)>", rest.p[skip]))
				skip++;
		}
		if (!skip)
			out[n++] = text.p[i++];
		i += skip;
	}
	return kb_sv(out, n);
}

/* Chinese and Japanese share their words' characters. */
static bool share_words(enum kb_lang a, enum kb_lang b)
{
	return a == b
	       || ((a == KB_LANG_ZH || a == KB_LANG_JA) && (b == KB_LANG_ZH || b == KB_LANG_JA));
}

void kb_support_judge(struct kb_support *support, struct kb_analyzer *analyzer,
                      struct kb_sv sentence, struct kb_judgement *out)
{
	enum kb_lang lang = KB_LANG_NONE, sure;
	char text[KB_SUPPORT_SENTENCE];
	struct asked asked;
	float denies = 0, says = 0; /* the best match of a source that does */

	sentence = kb_behind_verdict(words_alone(sentence, text));
	sure = sure_language(sentence);
	memset(out, 0, offsetof(struct kb_judgement, verdicts));
	out->count = support->count;
	for (size_t i = 0; i < support->count; i++) {
		const struct source *s = &support->sources[i];
		struct kb_support_verdict *v = &out->verdicts[i];

		if (!i || s->lang != lang) {
			lang = s->lang;
			read_sentence(support, analyzer, lang, sentence, &asked);
		}
		judge(support, s, &asked, v);
		if (v->lacks & KB_LACKS_WORDS && sure && s->sure && !share_words(sure, s->sure)) {
			v->foreign = true;
			v->lacks &= KB_LACKS_NUMBER;
		}
		if (!v->foreign && !(v->lacks & ~(unsigned)KB_LACKS_WORDS))
			out->best = KB_MAX(out->best, v->near);
		if (!v->foreign && !v->lacks)
			says = KB_MAX(says, v->near);
		if (!v->foreign && v->lacks == KB_LACKS_NEGATION)
			denies = KB_MAX(denies, v->near);
		/* All but the weights is the same in each language. */
		memcpy(out->weight, asked.weight, sizeof(out->weight));
		out->words = asked.count;
		out->sum = asked.sum;
		out->names = asked.names;
		out->numbers = all_numbers(&asked);
	}
	out->denied = denies > says + SAME;
	for (size_t i = 0; i < support->count; i++)
		if (!out->verdicts[i].foreign && out->verdicts[i].near < out->best - BEHIND)
			out->verdicts[i].lacks |= KB_LACKS_LEAD;
}

bool kb_support_together(const struct kb_support *support, const struct kb_judgement *judgement,
                         const size_t *sources, size_t count)
{
	uint64_t terms = 0;
	uint32_t numbers = 0;
	bool denial = false;
	float cover;

	if (count < 2 || judgement->sum <= 0)
		return false;
	for (size_t i = 0; i < count; i++) {
		const struct kb_support_verdict *v = &judgement->verdicts[sources[i]];
		uint64_t others = 0;

		for (size_t k = 0; k < count; k++)
			others |= k == i ? 0 : judgement->verdicts[sources[k]].terms;
		if (v->foreign
		    || weight_in(judgement->weight, v->terms & ~others) < PART * judgement->sum)
			return false;
		terms |= v->terms;
		numbers |= v->numbers;
		denial |= !(v->lacks & KB_LACKS_NEGATION);
	}
	cover = weight_in(judgement->weight, terms) / judgement->sum;
	return denial && numbers == judgement->numbers && !(judgement->names & ~terms)
	       && cover >= least_of(support->sources[sources[0]].lang)->cover
	       && cover > judgement->best;
}
