#include "answer/verified.h"

#include <string.h>

#include "answer/attach.h"
#include "parse/doc.h"
#include "store/verified.h"

enum { WORDS_MAX = 120, RIVALS_MAX = KB_SELECT_CANDIDATES };

/* Of the cosine of the encoder's vectors of a question and of a checked answer's passage; and how
 * far the next answer is behind. A word in common makes a cosine larger by itself, and so it asks
 * for more; most where all words but one are the same. Set on tests/fixtures/verified.json and on
 * natural questions that are asked again in other words (bench/verified.mjs). */
#define FAR_COSINE     0.465f /* no word in common */
#define NEAR_COSINE    0.51f
#define SWAPPED_COSINE 0.62f
/* But where more words than these are the same, the cosine comes of them. */
#define SWAPPED_WORDS 0.7f
#define LEAD_COSINE   0.01f

/* Without vectors: the share of content words that question and checked question have in common,
 * of both sides, and its lead. */
#define NEAR_WORDS 0.8f
#define LEAD_WORDS 0.1f

/* ---- what a question is bound to ---- */

// clang-format off
/* Words that turn what is asked into its opposite. */
static const struct {
	enum kb_lang lang;
	const char *words;
} polar[] = {
	{ KB_LANG_EN, " not no never none nothing nobody cannot without except unless neither nor "
	              "don't doesn't didn't can't couldn't isn't aren't wasn't won't wouldn't shouldn't mustn't "
	              "don doesn didn couldn isn aren wasn won wouldn shouldn mustn dont cant wont " },
	{ KB_LANG_DE, " nicht kein keine keinen keinem keiner nie niemals nichts ohne außer " },
	{ KB_LANG_FR, " pas jamais rien aucun aucune sans sauf " },
	{ KB_LANG_ES, " no nunca nada ningún ninguna sin excepto " },
	{ KB_LANG_IT, " non mai niente nessun nessuna senza tranne " },
	{ KB_LANG_PT, " não nunca nada nenhum nenhuma sem exceto " },
	{ KB_LANG_NL, " niet geen nooit niets zonder behalve " },
	{ KB_LANG_ZH, " 不 没 無 无 未 非 " },
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

static bool listed(const char *list, struct kb_sv word)
{
	char needle[80];

	if (word.n == 0 || word.n + 3 > sizeof(needle))
		return false;
	needle[0] = ' ';
	memcpy(needle + 1, word.p, word.n);
	needle[word.n + 1] = ' ';
	if (memmem(list, strlen(list), needle, word.n + 2))
		return true;
	if (word.n < 4 || word.p[word.n - 1] != 's')
		return false;
	needle[word.n] = ' ';
	return memmem(list, strlen(list), needle, word.n + 1) != NULL;
}

static bool is_polar(enum kb_lang lang, struct kb_sv word)
{
	for (size_t i = 0; i < KB_COUNTOF(polar); i++)
		if (polar[i].lang == lang)
			return listed(polar[i].words, word);
	return false;
}

/* What of a text is compared: words as they are (polar ones), or by their stems. */
enum kind { PLAIN = 1, NUMBER = 2, POLAR = 4, NAME = 8, UNIT = 16, CONTENT = 32, CAPITAL = 64 };
struct word {
	struct kb_sv term, word;
	unsigned kinds;
};
struct words {
	struct word v[WORDS_MAX];
	size_t count;
};

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
	if (is_polar(lang, term->word))
		return kinds | POLAR;
	if (listed(units, term->word))
		kinds |= UNIT;
	if (content && !(term->flags & KB_TERM_CJK))
		kinds |= CONTENT;
	if (content && term->flags & KB_TERM_CAPITAL && !begins(text, term->start))
		kinds |= lang == KB_LANG_DE ? CAPITAL : NAME | CAPITAL;
	return kinds;
}

static void read_words(struct kb_analyzer *analyzer, struct kb_arena *arena, enum kb_lang lang,
                       struct kb_sv text, struct words *out)
{
	struct kb_terms terms;

	kb_analyze(analyzer, arena, lang, text, &terms);
	out->count = 0;
	for (size_t i = 0; i < terms.count && out->count < WORDS_MAX; i++) {
		const struct kb_term *term = &terms.v[i];
		unsigned kinds = kinds_of(lang, text, term);

		if (term->flags & KB_TERM_PIECE && !(kinds & POLAR))
			continue;
		out->v[out->count++] = (struct word){
			.term = kinds & POLAR ? term->word : term->term,
			.word = term->word,
			.kinds = kinds,
		};
	}
}

static bool has(const struct words *in, struct kb_sv term)
{
	for (size_t i = 0; i < in->count; i++)
		if (kb_sv_eq(in->v[i].term, term))
			return true;
	return false;
}

/* Words of those kinds that are in `a` and in neither of the others, each once; b2 may be NULL. */
static size_t missing(const struct words *a, unsigned kinds, const struct words *b,
                      const struct words *b2, struct kb_sv *first)
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

static size_t count_of(const struct words *in, unsigned kinds)
{
	const struct words none = { .count = 0 };

	return missing(in, kinds, &none, NULL, NULL);
}

static bool says(const struct words *in, const char *word)
{
	for (size_t i = 0; i < in->count; i++)
		if (kb_sv_eq_str(in->v[i].word, word))
			return true;
	return false;
}

/* One of a pair is asked for, and the other is in its place. */
static bool is_opposite(const struct words *asked, const struct words *question)
{
	for (size_t i = 0; i < KB_COUNTOF(opposites); i++) {
		const char *one = opposites[i].one, *other = opposites[i].other;
		bool a1 = says(asked, one), a2 = says(asked, other);
		bool q1 = says(question, one), q2 = says(question, other);

		if ((a1 && !a2 && q2 && !q1) || (a2 && !a1 && q1 && !q2))
			return true;
	}
	return false;
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
static bool is_swapped(const struct words *asked, const struct words *question,
                       const struct words *answer, bool is_sure)
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

bool kb_verified_bound(struct kb_analyzer *analyzer, struct kb_arena *arena, enum kb_lang lang,
                       struct kb_sv asked, const struct kb_bound_text *by, bool is_sure)
{
	struct words *a = KB_NEW(arena, struct words), *q = KB_NEW(arena, struct words),
	             *said = KB_NEW(arena, struct words);

	read_words(analyzer, arena, lang, asked, a);
	read_words(analyzer, arena, lang, by->question, q);
	read_words(analyzer, arena, lang, by->answer, said);
	return !missing(a, NUMBER | POLAR, q, NULL, NULL)
	       && !missing(q, NUMBER | POLAR, a, NULL, NULL)
	       && !missing(a, NAME | UNIT, q, said, NULL) && !is_opposite(a, q)
	       && !is_swapped(a, q, said, is_sure);
}

bool kb_verified_same(struct kb_analyzer *analyzer, struct kb_arena *arena, enum kb_lang lang,
                      struct kb_sv asked, struct kb_sv question)
{
	struct kb_terms a, b;

	kb_analyze(analyzer, arena, lang, asked, &a);
	kb_analyze(analyzer, arena, lang, question, &b);
	for (size_t i = 0; i < a.count && i < b.count; i++)
		if (!kb_sv_eq(a.v[i].word, b.v[i].word))
			return false;
	return a.count == b.count && a.count > 0;
}

/* ---- which of them leads ---- */

/* A checked answer among the candidates. */
struct rival {
	const struct kb_candidate *by; /* its nearest passage */
	float words;                   /* of its best question */
};

struct contest {
	const struct kb_answer_job *job;
	const struct kb_question *question;
	struct kb_sv asked; /* with the turn before, where it leans on that */
	enum kb_lang lang;
	struct rival v[RIVALS_MAX];
	size_t count;
	bool by_cosine;
};

/* The questions of a passage's path, one after another. */
static bool next_question(struct kb_sv *path, struct kb_sv *out)
{
	struct kb_sv mark = KB_SV(KB_DOC_UNDER_NEXT);
	ptrdiff_t end = kb_sv_find(*path, mark);

	if (!path->n)
		return false;
	*out = kb_sv_trim(kb_sv_sub(*path, 0, end < 0 ? path->n : (size_t)end));
	*path = end < 0 ? KB_SV("") : kb_sv_from(*path, (size_t)end + mark.n);
	return true;
}

/* The lesser of the shares of content words that one has of the other. */
static float words_in_common(const struct contest *c, struct kb_sv question)
{
	struct kb_arena *arena = c->job->arena;
	struct words *a = KB_NEW(arena, struct words), *q = KB_NEW(arena, struct words);
	float of_a, of_q;

	read_words(c->job->analyzer, arena, c->lang, c->asked, a);
	read_words(c->job->analyzer, arena, c->lang, question, q);
	of_a = (float)count_of(a, CONTENT);
	of_q = (float)count_of(q, CONTENT);
	if (of_a < 2 || of_q < 2)
		return 0;
	return KB_MIN(1 - (float)missing(a, CONTENT, q, NULL, NULL) / of_a,
	              1 - (float)missing(q, CONTENT, a, NULL, NULL) / of_q);
}

static float score(const struct contest *c, const struct rival *rival)
{
	return c->by_cosine ? rival->by->cosine : rival->words;
}

static void add_rival(struct contest *c, const struct kb_candidate *candidate)
{
	struct kb_sv path = candidate->passage.heading, question;
	struct rival rival = { .by = candidate };

	while (next_question(&path, &question)) {
		float words = words_in_common(c, question);

		rival.words = KB_MAX(rival.words, words);
	}
	for (size_t i = 0; i < c->count; i++)
		if (c->v[i].by->passage.page_id == candidate->passage.page_id) {
			if (score(c, &rival) > score(c, &c->v[i]))
				c->v[i] = rival;
			return;
		}
	if (c->count < RIVALS_MAX)
		c->v[c->count++] = rival;
}

static void gather(struct contest *c, const struct kb_answer_step *step)
{
	const struct kb_vectorizer *with = c->job->answerer->vectorizer;

	c->by_cosine = with && with->fitted;
	for (size_t i = 0; i < step->candidate_count; i++)
		if (kb_doc_is_under(step->candidates[i].passage.heading))
			c->by_cosine = c->by_cosine && step->candidates[i].cosine != 0;
	for (size_t i = 0; i < step->candidate_count; i++)
		if (kb_doc_is_under(step->candidates[i].passage.heading)
		    && !kb_attached_is_page(step->candidates[i].passage.page_id))
			add_rival(c, &step->candidates[i]);
}

/* The one that was asked for word by word; or NULL. */
static const struct rival *asked_for(const struct contest *c, struct kb_sv *question)
{
	for (size_t i = 0; i < c->count && !c->question->follow_up; i++) {
		struct kb_sv path = c->v[i].by->passage.heading;

		while (next_question(&path, question))
			if (kb_verified_same(c->job->analyzer, c->job->arena, c->lang, c->asked,
			                     *question))
				return &c->v[i];
	}
	return NULL;
}

/* Whether one word may stand in another's place. */
static bool is_sure(const struct contest *c, const struct rival *rival)
{
	return c->by_cosine && rival->by->cosine >= SWAPPED_COSINE && rival->words < SWAPPED_WORDS;
}

/* The one that leads and is bound to the same things; or NULL. */
static const struct rival *leader(const struct contest *c, struct kb_sv *question)
{
	float lead = c->by_cosine ? LEAD_COSINE : LEAD_WORDS, near;
	const struct rival *best = NULL;
	struct kb_bound_text by;
	struct kb_sv path;

	for (size_t i = 0; i < c->count; i++)
		if (!best || score(c, &c->v[i]) > score(c, best))
			best = &c->v[i];
	if (!best)
		return NULL;
	near = !c->by_cosine ? NEAR_WORDS : best->words > 0 ? NEAR_COSINE : FAR_COSINE;
	if (score(c, best) < near)
		return NULL;
	for (size_t i = 0; i < c->count; i++)
		if (&c->v[i] != best && score(c, best) - score(c, &c->v[i]) < lead)
			return NULL;
	path = best->by->passage.heading;
	by.answer = best->by->passage.text;
	while (next_question(&path, question)) {
		by.question = *question;
		if (kb_verified_bound(c->job->analyzer, c->job->arena, c->lang, c->asked, &by,
		                      is_sure(c, best)))
			return best;
	}
	return NULL;
}

/* ---- what it says ---- */

/* A quote a line; where each stands in the document follows from how that is made (parse/answer.c).
 */
static void quote_lines(struct kb_arena *arena, const struct kb_verified *won,
                        const struct kb_passage *passage, struct kb_answer *out)
{
	struct kb_sv rest = won->answer, line;
	uint32_t offset = 0;
	size_t lines = 1;

	for (size_t i = 0; i < rest.n; i++)
		lines += rest.p[i] == '\n';
	out->quotes = KB_NEW_ARRAY(arena, lines, struct kb_quote);
	while (kb_sv_split(&rest, '\n', &line)) {
		if (!line.n)
			continue;
		out->quotes[out->quote_count++] = (struct kb_quote){
			.page_id = won->page_id,
			.offset = offset,
			.said = (uint32_t)line.n,
			.at = (size_t)(line.p - won->answer.p),
			.text = line,
			.title = passage->title,
		};
		offset += (uint32_t)line.n + 1;
	}
}

static struct kb_sv hand_over(struct kb_arena *arena, const struct kb_answer_request *request,
                              const struct kb_verified *won, const struct kb_passage *passage,
                              struct kb_answer *out)
{
	enum kb_citations mode = kb_settings_citations(request->settings);

	out->kind = KB_ANSWER_QUOTES;
	out->checked = (struct kb_checked){ .page_id = won->page_id,
		                            .version = won->version,
		                            .at = won->checked_at,
		                            .by = won->checked_by };
	quote_lines(arena, won, passage, out);
	out->citations = KB_NEW_ARRAY(arena, won->cite_count + 1, int64_t);
	if (mode != KB_CITATIONS_NONE) {
		out->citations[out->citation_count++] = won->page_id;
		for (size_t i = 0; i < won->cite_count; i++)
			out->citations[out->citation_count++] = won->cites[i].page_id;
	}
	if (request->inline_citations && (mode == KB_CITATIONS_INLINE || mode == KB_CITATIONS_BOTH))
		return kb_arena_printf(arena, "%.*s [1]", KB_SV_ARG(won->answer));
	return won->answer;
}

/* Whether the row still says what was found, and may win. */
static bool stands(const struct kb_verified *won, struct kb_sv question)
{
	struct kb_sv rest = won->questions, one;

	for (size_t i = 0; i < won->cite_count; i++)
		if (won->cites[i].gone)
			return false;
	while (rest.p && kb_sv_split(&rest, '\n', &one))
		if (kb_sv_eq(one, question))
			return !won->is_due;
	return false;
}

bool kb_verified_answer(const struct kb_answer_job *job, const struct kb_answer_request *request,
                        const struct kb_steps *steps, struct kb_answer *out, struct kb_sv *text,
                        struct kb_err *err)
{
	const struct kb_answer_step *step = &steps->v[0];
	struct contest c = { .job = job,
		             .question = &step->question,
		             .asked = step->question.text,
		             .lang = step->question.lang };
	const struct rival *best;
	struct kb_verified won;
	struct kb_sv question;

	*text = KB_SV("");
	if (steps->count != 1 || request->image_count)
		return true;
	if (step->question.follow_up && request->turn_count)
		c.asked = kb_arena_printf(job->arena, "%.*s\n%.*s",
		                          KB_SV_ARG(request->turns[request->turn_count - 1]),
		                          KB_SV_ARG(c.asked));
	gather(&c, step);
	best = asked_for(&c, &question);
	if (!best)
		best = leader(&c, &question);
	if (!best)
		return true;
	if (!kb_store_verified_get(job->answerer->store, job->arena, request->agent->id,
	                           best->by->passage.page_id, &won, err)) {
		if (err->code != KB_E_NOT_FOUND)
			return false;
		*err = (struct kb_err){ 0 }; /* a file that only looks like one has no row */
		return true;
	}
	if (stands(&won, question))
		*text = hand_over(job->arena, request, &won, &best->by->passage, out);
	return true;
}
