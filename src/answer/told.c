#include "answer/told.h"

#include "answer/numerals.h"
#include "index/unicode.h"

enum {
	TEXT_MAX = 1000, /* bytes that are looked at */
	NAME_WORDS = 4,
};

// clang-format off
/* Words are folded, without apostrophes ("don't": "don", "t"), between blanks; `runs` of languages without blanks stand anywhere, between
 * bars. `what` begins a question for what a bare name is, `the` stands before what is no name. */
static const struct {
	enum kb_lang lang;
	const char *whether, *decides, *what, *the;
	const char *whether_runs, *decides_runs, *what_runs;
	const char *asking; /* what begins with one of these asks for something else */
} words[] = {
	{ .lang = KB_LANG_EN,
	  .whether = " can could may might must should shall will would do does did is are was were am has have had don doesn isn aren won ",
	  .decides = " no not never none nothing cannot t yes can may must should only always allowed possible impossible permitted"
	             " forbidden prohibited required necessary needed optional supported supports support included available unless without free need needs ",
	  .what = "|what is|what's|what are|who is|who's|who are|",
	  .the = " the your my our their his her its this that these those " },
	{ .lang = KB_LANG_DE,
	  .whether = " kann können könnte darf dürfen muss müssen soll sollte ist sind war hat habe haben gibt wird werden geht brauche brauchen lässt kannst darfst musst dürft könnt ",
	  .decides = " nein nicht kein keine keinen keinem keiner nie niemals nichts ja kann können darf dürfen muss müssen soll nur immer erlaubt verboten gestattet möglich"
	             " unmöglich nötig notwendig erforderlich pflicht enthalten inklusive verfügbar unterstützt ohne kostenlos brauchen benötigt willkommen ",
	  .what = "|was ist|was sind|wer ist|wer sind|",
	  .the = " der die das den dem des dein deine euer eure ihr ihre mein meine unser unsere dieser diese dieses " },
	{ .lang = KB_LANG_FR,
	  .whether = " puis peut peux peuvent pouvons pourrait est sont dois doit doivent faut ai a avons y avez existe ",
	  .decides = " non ne n pas jamais aucun aucune rien oui peut peuvent pouvez doit doivent devez faut seulement uniquement toujours permis autorisé autorisée"
	             " interdit interdite possible impossible nécessaire obligatoire inclus incluse compris disponible sans gratuit gratuite admis ",
	  .what = "|qu'est-ce que|qu'est-ce qu'|c'est quoi|qui est|qui sont|",
	  .the = " le la les l votre vos mon ma mes notre ce cette ces ",
	  .whether_runs = "|-il |-ils |-elle |-elles |-on |-je |-nous |-vous |est-ce que |est-ce qu'|",
	  .asking = " comment pourquoi où quand combien que qu quoi quel quelle quels quelles qui lequel laquelle à de d pour dans avec depuis jusqu " },
	{ .lang = KB_LANG_ES,
	  .whether = " puedo puede pueden podemos hay es son debo debe tengo tiene está están se puedes necesito existe ",
	  .decides = " no nunca jamás ningún ninguna nada sí puede pueden puedes debe deben solo sólo solamente siempre permitido permitida permite prohibido prohibida"
	             " posible imposible necesario obligatorio incluido incluida disponible sin gratis gratuito gratuita admite admiten acepta aceptamos aceptan ",
	  .what = "|qué es|qué son|quién es|quiénes son|",
	  .the = " el la los las su sus mi mis tu tus nuestro nuestra este esta " },
	{ .lang = KB_LANG_ZH,
	  .whether_runs = "|吗|是否|能不能|可不可以|是不是|有没有|能否|可否|要不要|会不会|",
	  .decides_runs = "|不|没|无法|无需|未|免费|可以|能够|必须|只能|需要|支持|允许|禁止|",
	  .what_runs = "|什么是|是什么|是谁|谁是|" },
};
// clang-format on

static bool is_letter(char c)
{
	unsigned char u = (unsigned char)c;

	return u >= 0x80 || (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z')
	       || (u >= '0' && u <= '9');
}

/* Words are folded, what stands between them is kept, but ’ is ' . */
static struct kb_sv folded(struct kb_sv text, char out[TEXT_MAX])
{
	size_t n = 0;

	for (size_t i = 0; i < text.n && n < TEXT_MAX;) {
		struct kb_sv quote = KB_SV("\u2019");
		size_t from = i;

		while (i < text.n && is_letter(text.p[i])
		       && !kb_sv_starts(kb_sv_from(text, i), quote))
			i++;
		n += kb_fold(kb_sv_sub(text, from, i - from), false, out + n, TEXT_MAX - n);
		if (i == text.n || n == TEXT_MAX)
			continue;
		if (kb_sv_starts(kb_sv_from(text, i), quote)) {
			out[n++] = '\'';
			i += quote.n;
		} else {
			out[n++] = text.p[i++];
		}
	}
	return kb_sv(out, n);
}

/* The next word of a folded text; empty: there is none. */
static struct kb_sv next_word(struct kb_sv *rest)
{
	size_t from = 0, end;

	while (from < rest->n && !is_letter(rest->p[from]))
		from++;
	for (end = from; end < rest->n && is_letter(rest->p[end]);)
		end++;
	rest->p += end;
	rest->n -= end;
	return kb_sv(rest->p - (end - from), end - from);
}

/* Bytes up to the end of the first of the phrases that is there; at the beginning, if `first`. */
static size_t phrase_in(const char *phrases, struct kb_sv text, bool first)
{
	struct kb_sv rest = kb_sv_str(phrases ? phrases : ""), phrase;

	while (kb_sv_split(&rest, '|', &phrase)) {
		ptrdiff_t at = phrase.n ? kb_sv_find(text, phrase) : -1;

		if (at == 0 || (at > 0 && !first))
			return (size_t)at + phrase.n;
	}
	return 0;
}

/* Of a language without blanks: no name is that long, nor says whose it is. */
static bool is_bare(struct kb_sv name)
{
	enum { NAME_BYTES = 36 };

	return name.n <= NAME_BYTES && kb_sv_find(name, KB_SV("\u7684")) < 0;
}

/* "What is Docent?", "Who is Anna Berg?", "What is a webhook?": a few words that are no part of
 * anything. */
static bool asks_what(size_t row, struct kb_sv text)
{
	size_t n = phrase_in(words[row].what, text, true), count = 0;
	struct kb_sv rest = kb_sv_from(text, n), word;

	if (!n || (rest.n && rest.p[0] != ' ' && text.p[n - 1] != '\''))
		return false;
	while ((word = next_word(&rest)).n)
		if (count++ == 0 && kb_sv_in_list(kb_sv_str(words[row].the), word))
			return false;
	return count > 0 && count <= NAME_WORDS;
}

enum kb_asks kb_asks_of(enum kb_lang lang, enum kb_question_type type, struct kb_sv question)
{
	char buf[TEXT_MAX];
	struct kb_sv text = kb_sv_trim(folded(question, buf)), rest = text, first;

	if (type == KB_Q_NUM || type == KB_Q_WHEN)
		return KB_ASKS_FIGURE;
	first = next_word(&rest);
	for (size_t i = 0; i < KB_COUNTOF(words); i++) {
		if (words[i].lang != lang)
			continue;
		if (asks_what(i, text)
		    || (phrase_in(words[i].what_runs, text, false) && is_bare(text)))
			return KB_ASKS_WHAT;
		if (kb_sv_in_list(kb_sv_str(words[i].whether), first)
		    || (!kb_sv_in_list(kb_sv_str(words[i].asking), first)
		        && phrase_in(words[i].whether_runs, text, false)))
			return KB_ASKS_WHETHER;
	}
	return KB_ASKS_OTHER;
}

static bool has_figure(enum kb_lang lang, struct kb_sv text, struct kb_sv sentence)
{
	struct kb_sv cues = kb_cue_words(lang, KB_Q_WHEN), word;
	int value;

	while ((word = next_word(&text)).n)
		if ((word.p[0] >= '0' && word.p[0] <= '9') || kb_numeral_word(lang, word)
		    || kb_cue_in(cues, word))
			return true;
	for (size_t i = 0; lang == KB_LANG_ZH && i < sentence.n; i++)
		if (kb_numeral_chinese(kb_sv_from(sentence, i), &value))
			return true;
	return false;
}

bool kb_asks_told(enum kb_asks asks, enum kb_lang lang, struct kb_sv sentence)
{
	char buf[TEXT_MAX];
	struct kb_sv text = folded(sentence, buf), word;

	if (asks == KB_ASKS_FIGURE)
		return has_figure(lang, text, sentence);
	for (size_t i = 0; asks == KB_ASKS_WHETHER && i < KB_COUNTOF(words); i++) {
		if (words[i].lang != lang)
			continue;
		if (phrase_in(words[i].decides_runs, text, false))
			return true;
		while ((word = next_word(&text)).n)
			if (kb_sv_in_list(kb_sv_str(words[i].decides), word))
				return true;
	}
	return false;
}
