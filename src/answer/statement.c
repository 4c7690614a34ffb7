#include "answer/statement.h"

#include <string.h>

#include "answer/bound.h"
#include "answer/named_words.h"
#include "base/hash.h"

/* Words of content that a statement has at the least; pairs of characters of scripts without blanks
 * are that many more. */
enum { SAYS_WORDS = 3, SAYS_PAIRS = 5, FIGURES_MAX = 16 };

/* Behind these a number says which one, and not how many. */
// clang-format off
static const char counted[] =
	" room step section article chapter page table figure fig version release phase level line type class grade "
	"building floor gate platform model number no nr item question appendix annex part volume issue rule zone "
	"zimmer raum schritt abschnitt artikel kapitel seite tabelle abbildung stufe etage stock gebäude teil nummer "
	"paragraph anhang halle gleis klasse typ fassung "
	"salle chambre étape chapitre étage niveau numéro annexe tableau partie "
	"sala paso sección artículo capítulo página piso nivel número tabla parte ";
// clang-format on

static bool is_counted(struct kb_sv word)
{
	char needle[40];

	if (!word.n || word.n + 2 > sizeof(needle))
		return false;
	needle[0] = ' ';
	memcpy(needle + 1, word.p, word.n);
	needle[word.n + 1] = ' ';
	return memmem(counted, sizeof(counted) - 1, needle, word.n + 2) != NULL;
}

static bool is_figure(const struct kb_term *term)
{
	if (!(term->flags & KB_TERM_NUMBER) || term->flags & KB_TERM_PIECE)
		return false;
	for (size_t i = 0; i < term->word.n; i++)
		if (!strchr("0123456789.,", term->word.p[i]))
			return false;
	return true;
}

static bool is_year(struct kb_sv word)
{
	int64_t year;

	return word.n == 4 && kb_sv_to_int(word, 1900, 2099, &year);
}

struct reading {
	struct kb_sv text;
	const struct kb_terms *terms;
	size_t at; /* of the term in hand */
};

static const struct kb_term *beside(const struct reading *r, int step)
{
	size_t i = r->at;

	while (step < 0 ? i > 0 : i + 1 < r->terms->count) {
		i = step < 0 ? i - 1 : i + 1;
		if (!(r->terms->v[i].flags & KB_TERM_PIECE) || r->terms->v[i].flags & KB_TERM_CJK)
			return &r->terms->v[i];
	}
	return NULL;
}

/* How much of what: "12 euros", "5 %". */
static bool has_unit(const struct reading *r)
{
	const struct kb_term *next = beside(r, 1);
	struct kb_sv behind = kb_sv_trim(kb_sv_from(r->text, r->terms->v[r->at].end));

	return (next && kb_named_word(KB_WORDS_UNIT, next->word))
	       || kb_sv_starts(behind, KB_SV("%"));
}

/* Which of them: "room 12". */
static bool is_of_thing(const struct reading *r)
{
	const struct kb_term *term = &r->terms->v[r->at], *before = beside(r, -1);
	struct kb_sv gap;

	if (!before || before->end > term->start)
		return false;
	gap = kb_sv_sub(r->text, before->end, term->start - before->end);
	if (gap.n <= 1 && !(before->flags & (KB_TERM_NUMBER | KB_TERM_CJK))
	    && (!gap.n || strchr("-_/", gap.p[0])))
		return true; /* "AX-200" */
	if (has_unit(r)
	    || (!kb_sv_eq_str(gap, " ") && !kb_sv_eq_str(gap, ". ") && !kb_sv_eq_str(gap, " #")))
		return false;
	return is_counted(before->word)
	       || (before->flags & KB_TERM_CAPITAL && kb_sv_eq_str(gap, " ")
	           && !kb_named_word(KB_WORDS_AMOUNT, before->word)
	           && !kb_named_word(KB_WORDS_CALENDAR, before->word));
}

static uint64_t mix(uint64_t sum, struct kb_sv text)
{
	return (sum ^ kb_hash64(text)) * UINT64_C(0x9e3779b97f4a7c15);
}

void kb_statement_read(struct kb_analyzer *analyzer, enum kb_lang lang, struct kb_sv text,
                       struct kb_statement *out)
{
	struct kb_sv figures[FIGURES_MAX];
	bool years[FIGURES_MAX];
	size_t count = 0, amounts = 0, words = 0, pairs = 0;
	struct kb_terms terms;
	struct reading r = { .text = text, .terms = &terms };
	uint64_t sum = 1;

	*out = (struct kb_statement){ 0 };
	kb_analyze_passing(analyzer, lang, text, &terms);
	for (r.at = 0; r.at < terms.count; r.at++) {
		const struct kb_term *term = &terms.v[r.at];

		if (term->flags & KB_TERM_PIECE
		    || (term->flags & KB_TERM_STOP && !kb_bound_is_polar(lang, term->word)))
			continue;
		if (is_figure(term) && !is_of_thing(&r)) {
			if (count == FIGURES_MAX)
				return;
			figures[count] = term->word;
			years[count] = is_year(term->word) && !has_unit(&r);
			amounts += !years[count];
			count++;
			sum = mix(sum, KB_SV("0"));
			continue;
		}
		words += !(term->flags & (KB_TERM_FUNCTION | KB_TERM_CJK));
		pairs += (term->flags & KB_TERM_CJK) != 0;
		sum = mix(sum, term->term);
	}
	if (words < SAYS_WORDS && pairs < SAYS_PAIRS)
		return;
	for (size_t i = 0; i < count; i++) {
		bool binds = years[i] && amounts;

		if (binds)
			sum = mix(sum, figures[i]);
		else
			out->figures = mix(out->figures + 1, figures[i]);
	}
	out->words = sum ? sum : 1;
}
