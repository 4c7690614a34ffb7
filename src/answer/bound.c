#include "answer/bound.h"

#include <string.h>

enum { WORDS_MAX = 120 }; /* of a text that are compared */

/* ---- words ---- */

// clang-format off
/* Words that turn what is asked into its opposite. "not" and "don't" do the same; "without" and
 * "except" are words of their own. */
static const struct {
	enum kb_lang lang;
	const char *words, *others;
} polar[] = {
	{ KB_LANG_EN, " not no never none nothing nobody cannot neither nor "
	              "don't doesn't didn't can't couldn't isn't aren't wasn't won't wouldn't shouldn't mustn't "
	              "don doesn didn couldn isn aren wasn won wouldn shouldn mustn dont cant wont ",
	  " without except unless " },
	{ KB_LANG_DE, " nicht kein keine keinen keinem keiner nie niemals nichts ", " ohne außer " },
	{ KB_LANG_FR, " pas jamais rien aucun aucune ", " sans sauf " },
	{ KB_LANG_ES, " no nunca nada ningún ninguna ", " sin excepto " },
	{ KB_LANG_IT, " non mai niente nessun nessuna ", " senza tranne " },
	{ KB_LANG_PT, " não nunca nada nenhum nenhuma ", " sem exceto " },
	{ KB_LANG_NL, " niet geen nooit niets ", " zonder behalve " },
	{ KB_LANG_ZH, " 不 没 無 无 未 非 ", " " },
};
/* Pairs of which whoever asks for one does not mean the other. */
static const struct {
	const char *one, *other;
} opposites[] = {
	{ "on", "off" }, { "before", "after" }, { "minimum", "maximum" }, { "min", "max" }, { "least", "most" },
	{ "less", "more" }, { "below", "above" }, { "import", "export" }, { "shortest", "longest" },
	{ "smallest", "largest" }, { "first", "last" }, { "open", "close" }, { "start", "end" }, { "in", "out" },
	{ "add", "remove" }, { "enable", "disable" }, { "upload", "download" }, { "up", "down" },
	{ "vor", "nach" }, { "mindestens", "höchstens" }, { "weniger", "mehr" }, { "ein", "aus" }, { "erste", "letzte" },
	{ "avant", "après" }, { "moins", "plus" }, { "antes", "después" }, { "menos", "más" },
};
/* What things are measured in, of any language: as they stand and as the plural of English. */
static const char units[] =
	" second minute hour day week month year sekunde minute stunde tag woche monat jahr "
	"sekunden minuten stunden tage tagen wochen monate monaten jahre jahren "
	"millimetre millimeter centimetre centimeter metre meter kilometre kilometer inch inches foot feet yard mile "
	"mm cm km gram gramme kilogram kilo pound ounce ton tonne mg kg lb lbs oz gramm kilogramm pfund tonnen "
	"millilitre milliliter litre liter gallon pint quart ml celsius fahrenheit kelvin degree grad "
	"volt watt kilowatt ampere amp hertz kw kwh hz byte kilobyte megabyte gigabyte terabyte kb mb gb tb "
	"bar pascal psi euro dollar pound cent franc crown yen eur usd gbp chf percent prozent "
	"seconde heure jour semaine mois année livre tonne ";
// clang-format on

/* A plural in s too. */
static bool listed(const char *list, struct kb_sv word)
{
	return kb_sv_in_list(kb_sv_str(list), word)
	       || (word.n >= 4 && word.p[word.n - 1] == 's'
	           && kb_sv_in_list(kb_sv_str(list), kb_sv_sub(word, 0, word.n - 1)));
}

/* No word has it. */
#define NEGATION "\x01not"

/* What a polar word is compared by; p == NULL: it is none. */
static struct kb_sv polar_term(enum kb_lang lang, struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(polar); i++)
		if (polar[i].lang == lang)
			return listed(polar[i].words, word)    ? KB_SV(NEGATION)
			       : listed(polar[i].others, word) ? word
			                                       : (struct kb_sv){ NULL, 0 };
	return (struct kb_sv){ NULL, 0 };
}

bool kb_bound_is_polar(enum kb_lang lang, struct kb_sv word)
{
	return polar_term(lang, word).p != NULL;
}

/* What of a text is compared: words as they are (polar ones), or by their stems. */
enum kind { PLAIN = 1, NUMBER = 2, POLAR = 4, NAME = 8, UNIT = 16, CONTENT = 32, CAPITAL = 64 };
struct word {
	struct kb_sv term, word;
	unsigned kinds;
};
struct kb_bound_words {
	struct kb_terms terms; /* all of them */
	struct word *v;
	size_t count;
	uint32_t ones, others; /* of the opposites that it has: bit i is of pair i */
};
static_assert(KB_COUNTOF(opposites) <= 32, "a pair without a bit");

/* At the beginning of a sentence everything has a capital. */
static bool begins(struct kb_sv text, size_t at)
{
	while (at > 0 && (text.p[at - 1] == ' ' || text.p[at - 1] == '"' || text.p[at - 1] == '('))
		at--;
	return at == 0 || strchr(".?!\n", text.p[at - 1]);
}

static unsigned kinds_of(enum kb_lang lang, struct kb_sv text, const struct kb_term *term)
{
	unsigned kinds = PLAIN;
	bool content = !(term->flags & (KB_TERM_FUNCTION | KB_TERM_STOP));

	if (term->flags & KB_TERM_NUMBER)
		return kinds | NUMBER;
	if (kb_bound_is_polar(lang, term->word))
		return kinds | POLAR;
	if (listed(units, term->word))
		kinds |= UNIT;
	if (content && !(term->flags & KB_TERM_CJK))
		kinds |= CONTENT;
	if (content && term->flags & KB_TERM_CAPITAL && !begins(text, term->start))
		kinds |= lang == KB_LANG_DE ? CAPITAL : NAME | CAPITAL;
	return kinds;
}

static bool is_word(struct kb_sv word, const char *one)
{
	return word.p[0] == one[0] && kb_sv_eq_str(word, one);
}

static void note_opposites(struct kb_sv word, struct kb_bound_words *out)
{
	for (size_t i = 0; word.n && i < KB_COUNTOF(opposites); i++) {
		out->ones |= (uint32_t)is_word(word, opposites[i].one) << i;
		out->others |= (uint32_t)is_word(word, opposites[i].other) << i;
	}
}

const struct kb_bound_words *kb_bound_read(struct kb_analyzer *analyzer, struct kb_arena *arena,
                                           enum kb_lang lang, struct kb_sv text)
{
	struct kb_bound_words *out = KB_NEW(arena, struct kb_bound_words);

	kb_analyze(analyzer, arena, lang, text, &out->terms);
	out->v = KB_NEW_ARRAY(arena, KB_MIN(out->terms.count, (size_t)WORDS_MAX), struct word);
	for (size_t i = 0; i < out->terms.count && out->count < WORDS_MAX; i++) {
		const struct kb_term *term = &out->terms.v[i];
		unsigned kinds = kinds_of(lang, text, term);

		if (term->flags & KB_TERM_PIECE && !(kinds & POLAR))
			continue;
		out->v[out->count++] = (struct word){
			.term = kinds & POLAR ? polar_term(lang, term->word) : term->term,
			.word = term->word,
			.kinds = kinds,
		};
		note_opposites(term->word, out);
	}
	return out;
}

const struct kb_terms *kb_bound_terms(const struct kb_bound_words *words)
{
	return &words->terms;
}

const struct kb_bound_words *kb_bound_copy(struct kb_arena *arena,
                                           const struct kb_bound_words *words)
{
	struct kb_bound_words *out = KB_NEW(arena, struct kb_bound_words);

	*out = *words;
	out->terms = (struct kb_terms){ 0 };
	out->v = kb_arena_copy(arena, words->v, words->count * sizeof(*out->v));
	for (size_t i = 0; i < out->count; i++) {
		struct word *word = &out->v[i];
		bool one = word->word.p == word->term.p && word->word.n == word->term.n;

		word->term = kb_arena_sv(arena, word->term);
		word->word = one ? word->term : kb_arena_sv(arena, word->word);
	}
	return out;
}

static bool has(const struct kb_bound_words *in, struct kb_sv term)
{
	for (size_t i = 0; i < in->count; i++)
		if (kb_sv_eq(in->v[i].term, term))
			return true;
	return false;
}

/* Words of those kinds that are in `a` and in neither of the others, each once; b2 may be NULL. */
static size_t missing(const struct kb_bound_words *a, unsigned kinds,
                      const struct kb_bound_words *b, const struct kb_bound_words *b2,
                      struct kb_sv *first)
{
	size_t count = 0;

	for (size_t i = 0; i < a->count; i++) {
		struct kb_sv term = a->v[i].term;
		bool again = false;

		if (!(a->v[i].kinds & kinds) || has(b, term) || (b2 && has(b2, term)))
			continue;
		for (size_t k = 0; k < i; k++)
			again = again || kb_sv_eq(a->v[k].term, term);
		if (!again && count++ == 0 && first)
			*first = term;
	}
	return count;
}

static size_t count_of(const struct kb_bound_words *in, unsigned kinds)
{
	const struct kb_bound_words none = { .count = 0 };

	return missing(in, kinds, &none, NULL, NULL);
}

/* One of a pair is asked for, and the other is in its place. */
static bool is_opposite(const struct kb_bound_words *asked, const struct kb_bound_words *question)
{
	uint32_t ones = asked->ones & ~asked->others, others = asked->others & ~asked->ones;

	return (ones & question->others & ~question->ones)
	       || (others & question->ones & ~question->others);
}

/* Two words of one family: "return", "returned"; they need not have one stem. */
static bool akin(struct kb_sv a, struct kb_sv b)
{
	enum { ALIKE = 5 };

	return a.n >= ALIKE && b.n >= ALIKE && memcmp(a.p, b.p, ALIKE) == 0;
}

/* "The warranty of the pro model" for "the warranty of the lite model": all is the same but for one
 * word, and the answer does not know that word. is_sure: but it may be another word for the same; a
 * German noun or a day's name hardly is. */
static bool is_swapped(const struct kb_bound_words *asked, const struct kb_bound_words *question,
                       const struct kb_bound_words *answer, bool is_sure)
{
	struct kb_sv own = { 0 }, other = { 0 };
	size_t all = count_of(asked, CONTENT), gone = missing(asked, CONTENT, question, NULL, NULL);
	size_t left = missing(question, CONTENT, asked, NULL, &other);

	if (missing(asked, CONTENT, question, answer, &own) != 1 || gone != 1)
		return false;
	if (is_sure && !missing(asked, CAPITAL, question, answer, NULL))
		return false;
	return left == 1 && all > gone && !akin(own, other);
}

/* ---- what is asked of them ---- */

bool kb_bound_is(const struct kb_bound_words *asked, const struct kb_bound_words *question,
                 const struct kb_bound_words *answer, bool is_sure)
{
	return !missing(asked, NUMBER | POLAR, question, NULL, NULL)
	       && !missing(question, NUMBER | POLAR, asked, NULL, NULL)
	       && !missing(asked, NAME | UNIT, question, answer, NULL)
	       && !is_opposite(asked, question) && !is_swapped(asked, question, answer, is_sure);
}

bool kb_bound_same(const struct kb_bound_words *asked, const struct kb_bound_words *question)
{
	const struct kb_terms *a = &asked->terms, *b = &question->terms;

	for (size_t i = 0; i < a->count && i < b->count; i++)
		if (!kb_sv_eq(a->v[i].word, b->v[i].word))
			return false;
	return a->count == b->count && a->count > 0;
}

float kb_bound_shared(const struct kb_bound_words *asked, const struct kb_bound_words *question)
{
	float of_a = (float)count_of(asked, CONTENT), of_q = (float)count_of(question, CONTENT);

	if (of_a < 2 || of_q < 2)
		return 0;
	return KB_MIN(1 - (float)missing(asked, CONTENT, question, NULL, NULL) / of_a,
	              1 - (float)missing(question, CONTENT, asked, NULL, NULL) / of_q);
}
