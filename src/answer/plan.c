#include "answer/plan.h"

#include <string.h>

#include "answer/mask.h"
#include "answer/smalltalk.h"
#include "index/sentence.h"

enum {
	START_WORDS = 3, /* a question shows by one of its first words */
	PHRASE_WORDS = 3,
	ASIDES_OF = 40, /* sentences; a longer text is no question with an aside */
};

/* Words between blanks; '_' joins those of a phrase. */
static const struct language {
	enum kb_lang lang;
	const char *joins;  /* and, or, also */
	const char *opens;  /* words a question begins with */
	const char *before; /* may stand before such a word: "at what time" */
	const char *verbs;  /* begin a question when a subject follows: "does it", "is the" */
	const char *subject;
	const char *orders;  /* requests that are questions: "tell me" */
	const char *compare; /* parts that belong together */
} languages[] = {
	{ KB_LANG_EN, " and also plus but & ", " what when where who whom whose which why how ",
	  " at in on by for from with to since until of about ",
	  " is are was were do does did can could will would has have had should may must ",
	  " it its he she they we you i there this that these those the a an my your our any all ",
	  " tell explain describe show list name give say ",
	  " between difference differences compare compared versus vs whether " },
	{ KB_LANG_DE, " und sowie außerdem auch ",
	  " was wann wo wohin woher wer wen wem wessen welche welcher welches welchen welchem "
	  "warum "
	  "wieso weshalb wie wozu womit wofür wodurch worin worauf ",
	  " um in an auf mit für von zu seit bis ab aus nach über bei ",
	  " ist sind war waren hat haben kann können gibt wird werden darf muss kostet ",
	  " es er sie man ich wir der die das ein eine dort dies diese ",
	  " erkläre erklären beschreibe beschreiben nenne nennen sage sagen zeige zeigen ",
	  " zwischen unterschied unterschiede vergleiche vergleichen ob " },
	{ KB_LANG_FR, " et puis aussi ",
	  " que quoi quand où qui quel quelle quels quelles combien comment pourquoi lequel "
	  "laquelle qu_est est_ce ",
	  " à de en dans par pour avec depuis sur d chez ", " est sont était peut faut ",
	  " il elle on ce c ils elles ",
	  " explique expliquez décris décrivez dis dites donne donnez ",
	  " entre différence différences compare comparer si " },
	{ KB_LANG_ES, " y e también además ",
	  " qué cuándo dónde adónde quién quiénes cuál cuáles cuánto cuánta cuántos cuántas cómo "
	  "por_qué ",
	  " a de en por para con desde hasta sobre ", "", "",
	  " explica explique describe describa dime diga ",
	  " entre diferencia diferencias compara comparar si " },
	{ KB_LANG_IT, " e ed anche inoltre ",
	  " che cosa quando dove chi quale quali quanto quanta quanti quante come perché ",
	  " a in di da per con su dal fino ", "", "", " spiega descrivi dimmi elenca ",
	  " tra fra differenza differenze confronta se " },
	{ KB_LANG_PT, " e também além ",
	  " que quê quando onde quem qual quais quanto quanta quantos quantas como por_que "
	  "por_quê ",
	  " a em de por para com desde até o ", "", "", " explique descreva diga liste ",
	  " entre diferença diferenças compare se " },
	{ KB_LANG_NL, " en ook ",
	  " wat wanneer waar wie wiens welke welk waarom hoe hoeveel waarheen ",
	  " om in op met voor van sinds tot aan uit ", " is zijn was waren kan heeft ",
	  " het hij zij ze er de een je men ", " leg beschrijf noem vertel ",
	  " tussen verschil verschillen vergelijk of " },
	{ KB_LANG_RU, " и а также ",
	  " что когда где куда откуда кто кого кому чей какой какая какое какие каким каком "
	  "сколько "
	  "почему зачем как ",
	  " в во на с со по для от до из о об у ", "", "",
	  " объясни объясните опиши опишите назови ", " между разница разницу отличие сравни ли " },
	{ KB_LANG_PL, " i oraz a także ",
	  " co kiedy gdzie kto kogo komu czyj jaki jaka jakie który która które ile dlaczego jak ",
	  " w na z do od po dla przez o ", "", "", " wyjaśnij opisz podaj wymień ",
	  " między różnica porównaj czy " },
};

/* Scripts without blanks, and Korean: a question word anywhere makes a question. */
static const struct {
	enum kb_lang lang;
	const char *const words[24];
} inner[] = {
	{ KB_LANG_ZH,
	  { "什么", "什麼", "谁", "誰", "哪", "怎", "多少", "几", "幾", "何", "吗", "嗎", "是否",
	    "多久", "多长", "多高", "多大" } },
	{ KB_LANG_JA,
	  { "何", "誰", "いつ", "どこ", "なぜ", "いくら", "どう", "どの", "どれ", "どんな", "だれ",
	    "なに" } },
	{ KB_LANG_KO,
	  { "무엇", "뭐", "누가", "누구", "언제", "어디", "왜", "어떻게", "얼마", "몇", "어느",
	    "어떤" } },
};

struct plan {
	struct kb_sv text;
	enum kb_lang lang;
	const struct language *language; /* NULL: only marks and lists part */
	struct kb_term *words;           /* without pieces */
	size_t word_count;
	size_t max;
	struct kb_sv *parts;
	size_t count;
	size_t start; /* byte the part in hand begins at */
	size_t first; /* its first word */
};

/* Whether a word or a phrase of the list begins at word i. */
static bool begins(const struct plan *plan, const char *list, size_t i)
{
	char joined[76];
	size_t n = 0;

	for (size_t k = i; k < plan->word_count && k < i + PHRASE_WORDS; k++) {
		struct kb_sv word = plan->words[k].word;

		if (n + word.n + 1 > sizeof(joined))
			return false;
		if (n)
			joined[n++] = '_';
		memcpy(joined + n, word.p, word.n);
		n += word.n;
		if (kb_sv_in_list(kb_sv_str(list), kb_sv(joined, n)))
			return true;
	}
	return false;
}

static bool is_inner(const struct plan *plan, size_t from, size_t end)
{
	struct kb_sv text = kb_sv_sub(plan->text, from, end - from);

	for (size_t l = 0; l < KB_COUNTOF(inner); l++)
		for (size_t i = 0; inner[l].lang == plan->lang && inner[l].words[i]; i++)
			if (memmem(text.p, text.n, inner[l].words[i], strlen(inner[l].words[i])))
				return true;
	return false;
}

/* Whether a question begins at word i: a question word, perhaps behind a preposition, or a verb
 * with its subject. */
static bool opens(const struct plan *plan, size_t i)
{
	const struct language *l = plan->language;

	if (!l || i >= plan->word_count)
		return false;
	if (begins(plan, l->opens, i))
		return true;
	if (kb_sv_in_list(kb_sv_str(l->before), plan->words[i].word) && i + 1 < plan->word_count)
		return begins(plan, l->opens, i + 1);
	return kb_sv_in_list(kb_sv_str(l->verbs), plan->words[i].word) && i + 1 < plan->word_count
	       && kb_sv_in_list(kb_sv_str(l->subject), plan->words[i + 1].word);
}

/* Whether words from to end - 1 are a question or a request by their beginning. */
static bool is_question(const struct plan *plan, size_t from, size_t end)
{
	for (size_t i = from; i < end && i < from + START_WORDS; i++)
		if (opens(plan, i)
		    || (plan->language
		        && kb_sv_in_list(kb_sv_str(plan->language->orders), plan->words[i].word)))
			return true;
	return end > from && is_inner(plan, plan->words[from].start, plan->words[end - 1].end);
}

static bool has_content(const struct plan *plan, size_t from, size_t end)
{
	for (size_t i = from; i < end; i++)
		if (!(plan->words[i].flags & (KB_TERM_FUNCTION | KB_TERM_STOP))
		    && !(plan->language
		         && kb_sv_in_list(kb_sv_str(plan->language->orders), plan->words[i].word)))
			return true;
	return false;
}

/* "the man who built it and who owned it": the same word has opened a clause within the question,
 * behind its beginning. Or a word says that what follows belongs to it. */
static bool belongs(const struct plan *plan, size_t at)
{
	bool opened = false;

	for (size_t i = plan->first; i < at; i++) {
		if (kb_sv_in_list(kb_sv_str(plan->language->compare), plan->words[i].word))
			return true;
		if (!begins(plan, plan->language->opens, i))
			continue;
		if (opened && kb_sv_eq(plan->words[i].word, plan->words[at].word))
			return true;
		opened = true;
	}
	return false;
}

/* Ends the part in hand before byte `end`; the next one begins with word `next`, at `start`. */
static void cut(struct plan *plan, size_t end, size_t start, size_t next)
{
	plan->parts[plan->count++] =
	        kb_sv_trim(kb_sv_sub(plan->text, plan->start, end - plan->start));
	plan->start = start;
	plan->first = next;
}

/* What stands between word i and the one before; pairs of characters overlap. */
static struct kb_sv gap_before(const struct plan *plan, size_t i)
{
	size_t start = plan->words[i].start, from = KB_MIN(plan->words[i - 1].end, start);

	return kb_sv_sub(plan->text, from, start - from);
}

static bool holds(struct kb_sv text, const char *const *marks)
{
	for (; *marks; marks++)
		if (memmem(text.p, text.n, *marks, strlen(*marks)))
			return true;
	return false;
}

/* Byte after the last mark that ends a question in from .. end - 1; 0: there is none. */
static size_t after_mark(const struct plan *plan, size_t from, size_t end)
{
	static const char *const marks[] = { "?", "？", "؟", "\xcd\xbe", "՞", NULL };
	size_t found = 0;

	for (size_t i = from; i < end; i++)
		for (size_t m = 0; marks[m]; m++)
			if (kb_sv_starts(kb_sv_sub(plan->text, i, end - i), kb_sv_str(marks[m])))
				found = i + strlen(marks[m]);
	return found;
}

/* The words up to the next mark that ends a question, or to the end. */
static size_t clause_end(const struct plan *plan, size_t from)
{
	for (size_t i = from; i + 1 < plan->word_count; i++)
		if (after_mark(plan, plan->words[i].end, plan->words[i + 1].start))
			return i + 1;
	return plan->word_count;
}

/* Whether a conjunction joins one more question to the clause behind word i: what commas part
 * before it is then a list of questions, and not "when it rains, what happens". */
static bool goes_on(const struct plan *plan, size_t i, size_t end)
{
	for (i++; i + 1 < end; i++)
		if (kb_sv_in_list(kb_sv_str(plan->language->joins), plan->words[i].word)
		    && opens(plan, i + 1))
			return true;
	return false;
}

/* Where the part before word i ends when it is cut there for a conjunction or a comma; 0: no cut.
 */
static size_t join_before(const struct plan *plan, size_t i)
{
	static const char *const commas[] = { ",", ";", "\n", NULL };
	size_t at = i, end;

	if (!plan->language || i <= plan->first + 1 || !opens(plan, i))
		return 0;
	while (at > plan->first + 1
	       && kb_sv_in_list(kb_sv_str(plan->language->joins), plan->words[at - 1].word))
		at--;
	end = clause_end(plan, i);
	if (at == i && (!holds(gap_before(plan, i), commas) || !goes_on(plan, i, end)))
		return 0;
	if (!is_question(plan, plan->first, at) || !has_content(plan, plan->first, at)
	    || !has_content(plan, i, end) || belongs(plan, i))
		return 0;
	return plan->words[at - 1].end;
}

/* The same where question words stand anywhere: a comma, both sides of which are questions. */
static size_t comma_before(const struct plan *plan, size_t i)
{
	static const char *const commas[] = { "，", ",", "、", "；", "\n", "。", NULL };
	size_t end, from = plan->words[i - 1].end;

	if (!holds(gap_before(plan, i), commas))
		return 0;
	end = clause_end(plan, i);
	return is_inner(plan, plan->start, from)
	                       && is_inner(plan, plan->words[i].start, plan->words[end - 1].end)
	               ? from
	               : 0;
}

/* The next line of a list: "- price of the tour". */
static bool is_item(struct kb_sv gap)
{
	static const char *const bullets[] = { "- ", "* ", "• ", "– ", NULL };

	return kb_sv_find_byte(gap, '\n') >= 0 && holds(gap, bullets);
}

static void split(struct plan *plan)
{
	for (size_t i = 1; i < plan->word_count && plan->count + 1 < plan->max; i++) {
		size_t start = plan->words[i].start, end;
		struct kb_sv gap = gap_before(plan, i);
		size_t from = start - gap.n, mark = after_mark(plan, from, start);

		if (mark) {
			/* What follows may be thanks, or a word or two: no part by itself. */
			end = clause_end(plan, i);
			if (has_content(plan, plan->first, i) && has_content(plan, i, end)
			    && (end < plan->word_count || is_question(plan, i, end)
			        || after_mark(plan, plan->words[end - 1].end, plan->text.n)))
				cut(plan, mark, mark, i);
			continue;
		}
		end = is_item(gap) && has_content(plan, plan->first, i)
		                      && has_content(plan, i, plan->word_count)
		              ? from
		              : join_before(plan, i);
		if (!end)
			end = comma_before(plan, i);
		if (end)
			cut(plan, end, start, i);
	}
}

size_t kb_plan_split(struct kb_analyzer *analyzer, struct kb_arena *arena, struct kb_sv text,
                     enum kb_lang lang, size_t max, struct kb_sv parts[KB_PLAN_PARTS_MAX])
{
	struct plan plan = { .text = text, .lang = lang, .parts = parts };
	struct kb_terms terms;

	plan.max = KB_MAX((size_t)1, KB_MIN(max, (size_t)KB_PLAN_PARTS_MAX));
	for (size_t i = 0; i < KB_COUNTOF(languages); i++)
		if (languages[i].lang == lang)
			plan.language = &languages[i];
	kb_analyze(analyzer, arena, lang, text, &terms);
	plan.words = KB_NEW_ARRAY(arena, terms.count, struct kb_term);
	for (size_t i = 0; i < terms.count; i++)
		if (!(terms.v[i].flags & KB_TERM_PIECE))
			plan.words[plan.word_count++] = terms.v[i];
	split(&plan);
	if (plan.count == 0) {
		parts[0] = text;
		return 1;
	}
	cut(&plan, text.n, text.n, plan.word_count);
	return plan.count;
}

/* ---- asides ---- */

static bool is_aside(struct kb_arena *arena, struct kb_sv sentence)
{
	enum kb_lang lang;

	if (kb_sv_ends(sentence, KB_SV("?")) || kb_sv_ends(sentence, KB_SV("\uff1f")))
		return false;
	/* A prompt may come masked already. */
	return kb_smalltalk(sentence, KB_LANG_NONE, &lang) != KB_TALK_NONE
	       || !kb_sv_eq(kb_mask(arena, sentence), sentence)
	       || kb_sv_find(sentence, KB_SV("[email]")) >= 0
	       || kb_sv_find(sentence, KB_SV("[phone]")) >= 0;
}

struct kb_sv kb_plan_without_asides(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv kept = KB_SV("");
	struct kb_sentence *sentences;
	size_t count, left = 0;

	kb_sentences(arena, text, &sentences, &count);
	for (size_t i = 0; i < count && count <= ASIDES_OF; i++) {
		struct kb_sv sentence =
		        kb_sv_sub(text, sentences[i].start, sentences[i].end - sentences[i].start);

		if (is_aside(arena, sentence))
			continue;
		kept = kb_arena_printf(arena, "%.*s%s%.*s", KB_SV_ARG(kept), left++ ? " " : "",
		                       KB_SV_ARG(sentence));
	}
	return left && left < count ? kept : text;
}

static bool ends_asking(struct kb_sv sentence)
{
	static const char *const marks[] = { "?", "\uff1f", "\u061f", "\u037e" };

	for (size_t i = 0; i < KB_COUNTOF(marks); i++)
		if (kb_sv_ends(sentence, kb_sv_str(marks[i])))
			return true;
	return false;
}

struct kb_sv kb_plan_asking(struct kb_arena *arena, struct kb_sv text)
{
	struct kb_sv kept = KB_SV("");
	struct kb_sentence *sentences;
	size_t count, left = 0;

	kb_sentences(arena, text, &sentences, &count);
	for (size_t i = 0; i < count && count <= ASIDES_OF; i++) {
		struct kb_sv sentence =
		        kb_sv_sub(text, sentences[i].start, sentences[i].end - sentences[i].start);

		if (ends_asking(sentence))
			kept = kb_arena_printf(arena, "%.*s%s%.*s", KB_SV_ARG(kept),
			                       left++ ? " " : "", KB_SV_ARG(sentence));
	}
	return left < count ? kept : KB_SV("");
}
