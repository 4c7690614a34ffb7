#include "answer/shape.h"

#include <string.h>

// clang-format off
/* Words are folded but not stemmed. */
static const struct {
	enum kb_lang lang;
	const char *openers;  /* begin a question for whether something is so, or a demand */
	const char *anywhere; /* in any question that asks for no figure, name, place or time */
	const char *asking;   /* without any of these it is a topic */
} words[] = {
	{ KB_LANG_EN,
	  " can could may might must should shall will would do does did is are was were am has have had don't doesn't isn't aren't can't explain describe list show tell ",
	  " how why if should can could may must happens happen steps are difference differences explain describe ways means mean ",
	  " what which who whom whose where when what's who's where's " },
	{ KB_LANG_DE,
	  " kann können könnte darf dürfen muss müssen soll sollte ist sind war hat habe haben gibt wird werden geht brauche brauchen lässt erkläre beschreibe zeige ",
	  " wie warum wieso weshalb wenn falls kann können darf muss soll passiert tun machen mache unterschied bedeutet schritte sind ",
	  " was welche welcher welches welchen welchem wer wen wem wessen wo woher wohin wann " },
	{ KB_LANG_FR,
	  " puis peut peux peuvent pouvons pourrait est sont dois doit doivent faut ai a avons y expliquez décrivez ",
	  " comment pourquoi si peut peux puis pouvons dois doit faut passe faire étapes différence sont signifie ",
	  " que quoi quel quelle quels quelles qui où quand combien lequel laquelle " },
	{ KB_LANG_ES,
	  " puedo puede pueden podemos hay es son debo debe tengo tiene está están se explica describe ",
	  " cómo por si puedo puede debo debe pasa hacer hago pasos diferencia son significa ",
	  " qué cuál cuáles quién quiénes dónde cuándo cuánto cuánta cuántos cuántas " },
	{ KB_LANG_IT,
	  " posso può possono possiamo è sono devo deve ho ha c'è spiega descrivi ",
	  " come perché se posso può devo deve succede fare passi differenza sono significa ",
	  " che cosa quale quali chi dove quando quanto quanti quante " },
	{ KB_LANG_PT,
	  " posso pode podem podemos é são devo deve há tem está explique descreva ",
	  " como por se posso pode devo deve acontece fazer passos diferença são significa ",
	  " que qual quais quem onde quando quanto quantos quantas " },
	{ KB_LANG_NL,
	  " kan kunnen mag mogen moet moeten is zijn heeft heb wordt worden leg beschrijf ",
	  " hoe waarom als kan mag moet gebeurt doen stappen verschil zijn betekent ",
	  " wat welke welk wie waar wanneer hoeveel " },
	{ KB_LANG_SV,
	  " kan får måste ska bör är har finns förklara beskriv ",
	  " hur varför om kan får måste händer göra steg skillnad är betyder ",
	  " vad vilken vilket vilka vem var när " },
	{ KB_LANG_PL,
	  " czy mogę można muszę jest są wyjaśnij opisz ",
	  " jak dlaczego jeśli gdy mogę można muszę dzieje zrobić kroki różnica są oznacza ",
	  " co jaki jaka jakie który która które kto gdzie kiedy ile " },
	{ KB_LANG_RU,
	  " можно могу может нужно надо есть является объясни опиши ",
	  " как почему зачем если можно могу нужно надо ли случится делать шаги разница отличие значит ",
	  " что какой какая какое какие который кто где когда сколько чей " },
	{ KB_LANG_TR,
	  " açıkla anlat ",
	  " nasıl neden niçin eğer mı mi mu mü mıyım miyim yapmalıyım olur fark adımlar ",
	  " ne hangi kim nerede nereden kaç " },
};

/* In languages without blanks, anywhere in the text; a fact's type goes before them. */
static const struct {
	enum kb_lang lang;
	const char *phrases[16];
} runs[] = {
	{ KB_LANG_ZH, { "怎么", "如何", "怎样", "能不能", "可不可以", "可以", "能否", "是否", "是不是", "吗", "为什么", "为何", "区别", "如果", "步骤" } },
	{ KB_LANG_JA, { "どうすれば", "どうやって", "どうしたら", "どのように", "方法", "できます", "できる", "ますか", "かどうか", "なぜ", "違い", "場合", "手順" } },
};
// clang-format on

/* Whether a clause ends between the two places of the text. */
static bool parted(struct kb_sv text, uint32_t from, uint32_t to)
{
	for (uint32_t i = from; i < to && i < text.n; i++)
		if (strchr(".?!,;:\n", text.p[i]))
			return true;
	return false;
}

static bool is_fact_type(enum kb_question_type type)
{
	return type != KB_Q_OTHER && type != KB_Q_WHY;
}

static enum kb_shape shape_of_words(size_t row, enum kb_question_type type, struct kb_sv text,
                                    const struct kb_terms *terms)
{
	bool asks = false, section = false;

	for (size_t i = 0; i < terms->count; i++) {
		const struct kb_term *t = &terms->v[i];

		if (t->flags & KB_TERM_PIECE)
			continue;
		if ((i == 0 || parted(text, terms->v[i - 1].end, t->start))
		    && kb_sv_in_list(kb_sv_str(words[row].openers), t->word))
			return KB_SHAPE_SECTION;
		section = section || kb_sv_in_list(kb_sv_str(words[row].anywhere), t->word);
		asks = asks || kb_sv_in_list(kb_sv_str(words[row].asking), t->word);
	}
	if (is_fact_type(type))
		return KB_SHAPE_FACT;
	return section || !asks ? KB_SHAPE_SECTION : KB_SHAPE_FACT;
}

enum kb_shape kb_question_shape(enum kb_lang lang, enum kb_question_type type, struct kb_sv text,
                                const struct kb_terms *terms)
{
	if (type == KB_Q_WHY)
		return KB_SHAPE_SECTION;
	for (size_t i = 0; i < KB_COUNTOF(words); i++)
		if (words[i].lang == lang)
			return shape_of_words(i, type, text, terms);
	for (size_t i = 0; i < KB_COUNTOF(runs); i++)
		for (size_t k = 0; runs[i].lang == lang && !is_fact_type(type); k++) {
			if (k == KB_COUNTOF(runs[i].phrases) || !runs[i].phrases[k])
				break;
			if (kb_sv_find(text, kb_sv_str(runs[i].phrases[k])) >= 0)
				return KB_SHAPE_SECTION;
		}
	return KB_SHAPE_FACT;
}
